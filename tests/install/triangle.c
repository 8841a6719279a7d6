/* What a program needs to draw with an installed libpica: a green triangle, and a look at it. */
#include <stdio.h>
#include <string.h>

#include <pica.h>
#include <pica_emit.h>
#include <pica_shader.h>

enum { SIZE = 64, TARGET = 0x18000000, LIST = 0x20000000 };

static int write_regs(void *user, uint32_t reg, uint32_t mask, const uint32_t *values, uint32_t n,
		int consecutive) {
	for (uint32_t k = 0; k < n; k++) {
		pica_emit_reg_masked(user, consecutive ? reg + k : reg, values[k], mask);
	}
	return pica_emit_error(user);
}

static int emit_program(struct pica_emit *e) {
	static const char text[] = ".out pos position\n.out color color\n.in in_pos v0\n.in in_color v1\n"
							   ".proc main\nmov pos, in_pos\nmov color, in_color\nend\n.end\n";
	const struct pica_shader_source source = { .name = "triangle", .text = text, .len = strlen(text) };
	struct pica_shader *shader;
	struct pica_shader_error error;
	int ret = pica_shader_assemble(&shader, &source, 1, 0, &error);
	if (ret < 0) {
		fprintf(stderr, "%s:%u: %s\n", error.file, (unsigned)error.line, error.message);
		return ret;
	}
	ret = pica_shader_bind(&(struct pica_shader_binding){ .vs = shader }, write_regs, e);
	pica_shader_destroy(shader);
	return ret;
}

static void emit_triangle(struct pica_emit *e) {
	static const float vertices[3][8] = { { -1, -1, 0, 1, 0, 1, 0, 1 },
		{ 1, -1, 0, 1, 0, 1, 0, 1 }, { 0, 1, 0, 1, 0, 1, 0, 1 } };
	pica_emit_defaults(e);
	pica_emit_framebuffer(e, &(struct pica_framebuffer){ .color_addr = TARGET, .width = SIZE,
									 .height = SIZE });
	pica_emit_viewport(e, 0, 0, SIZE, SIZE);
	pica_emit_inputs(e, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(e, PICA_PRIMITIVE_LIST);
	pica_emit_immediate(e, vertices[0], 6);
	pica_emit_immediate_end(e);
	pica_emit_flush(e);
}

static int draw(struct pica_ctx *ctx, uint8_t *rgba) {
	struct pica_emit e;
	pica_emit_init(&e);
	int ret = emit_program(&e);
	emit_triangle(&e);
	ret = ret < 0 ? ret : pica_emit_finalize(&e);
	uint32_t size = (uint32_t)(e.count * sizeof(*e.words));
	ret = ret < 0 ? ret : pica_ctx_write_memory(ctx, LIST, e.words, size);
	pica_emit_finish(&e);
	struct pica_job job = { .op = PICA_OP_LIST, .u.list = { .addr = LIST, .size_bytes = size } };
	uint64_t seq;
	ret = ret < 0 ? ret : pica_submit(ctx, &job, 1, &seq);
	ret = ret < 0 ? ret : pica_wait(ctx, seq, -1);
	return ret < 0 ? ret : pica_ctx_read_surface(ctx, TARGET, 0, SIZE, SIZE, rgba, 4 * SIZE);
}

int main(void) {
	static uint8_t rgba[SIZE * SIZE * 4];
	struct pica_settings settings;
	pica_settings_init(&settings);
	struct pica_device *device;
	struct pica_ctx *ctx;
	if (pica_device_create(&device, &settings) < 0 || pica_ctx_create(&ctx, device, NULL) < 0) {
		return 2;
	}
	int ret = draw(ctx, rgba);
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	const uint8_t *middle = &rgba[4 * (SIZE / 2 * SIZE + SIZE / 2)];
	uint32_t v = pica_version();
	printf("%u.%u.%u: %d, corner %d %d %d %d, middle %d %d %d %d\n", v >> 16, v >> 8 & 255, v & 255,
			ret, rgba[0], rgba[1], rgba[2], rgba[3], middle[0], middle[1], middle[2], middle[3]);
	return ret < 0 || memcmp(rgba, "\0\0\0\0", 4) || memcmp(middle, "\0\xFF\0\xFF", 4);
}
