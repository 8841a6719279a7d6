/*
 * A triangle, drawn by a service (picad), or with "builtin:" by one inside of this process:
 *
 *	cc example-client.c -o client $(pkg-config --cflags --libs pica-client)
 *	./client builtin: >triangle.ppm
 */
#include <stdio.h>
#include <string.h>

#include <pica_client.h>
#include <pica_emit.h>
#include <pica_shader.h>

enum { SIZE = 128, VRAM = 0x18000000, FCRAM = 0x20000000, BYTES = 1 << 20 };

static const char program[] =
		".in in_pos v0\n.in in_color v1\n.out pos position\n.out color color\n"
		".proc main\nmov pos, in_pos\nmov color, in_color\nend\n.end\n";

static const float vertices[3][8] = { /* x, y, z, w, and a colour */
	{ -0.9f, -0.9f, 0, 1, 1, 0, 0, 1 }, { 0.9f, -0.9f, 0, 1, 0, 1, 0, 1 },
	{ 0, 0.9f, 0, 1, 0, 0, 1, 1 }
};

/* Takes the registers that make a shader current. */
static int write_regs(void *list, uint32_t reg, uint32_t mask, const uint32_t *values, uint32_t n,
		int consecutive) {
	for (uint32_t k = 0; k < n; k++) {
		pica_emit_reg_masked(list, consecutive ? reg + k : reg, values[k], mask);
	}
	return pica_emit_error(list);
}

/* Writes the command list to memory that both processes see; returns its size, or -1. */
static int make_list(void *memory) {
	const struct pica_shader_source source = { "triangle", program, strlen(program) };
	struct pica_shader *shader;
	struct pica_emit e;
	if (pica_shader_assemble(&shader, &source, 1, 0, NULL) < 0) {
		return -1;
	}
	pica_emit_init(&e);
	pica_shader_bind(&(struct pica_shader_binding){ .vs = shader }, write_regs, &e);
	pica_shader_destroy(shader);
	pica_emit_defaults(&e);
	pica_emit_framebuffer(&e,
			&(struct pica_framebuffer){
					.color_addr = VRAM, .width = SIZE, .height = SIZE });
	pica_emit_viewport(&e, 0, 0, SIZE, SIZE);
	pica_emit_inputs(&e, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(&e, PICA_PRIMITIVE_LIST);
	pica_emit_immediate(&e, vertices[0], 2 * 3);
	pica_emit_immediate_end(&e);
	pica_emit_flush(&e);
	int size_bytes = pica_emit_finalize(&e) == 0 && 4 * e.count <= BYTES ? (int)(4 * e.count) :
									       -1;
	memcpy(memory, e.words, size_bytes > 0 ? (size_t)size_bytes : 0);
	pica_emit_finish(&e);
	return size_bytes;
}

int main(int argc, char **argv) {
	static uint8_t rgba[SIZE * SIZE * 4];
	char why[PICA_TEXT_BYTES];
	struct pica_client *client;
	struct pica_client_ctx *ctx;
	struct pica_client_memory *vram, *fcram;
	struct pica_done done;
	char usual[256] = "";
	pica_client_default_path(usual, sizeof(usual));
	const char *where = argc > 1 ? argv[1] : usual;
	if (pica_client_connect(&client, where, NULL, why) < 0) {
		fprintf(stderr, "client: %s: no service: %s\n", where, why);
		return 4;
	}
	int ret = pica_client_ctx_create(&ctx, client, NULL);
	ret = ret < 0 ? ret : pica_client_map(&vram, ctx, VRAM, BYTES, 0);
	ret = ret < 0 ? ret : pica_client_map(&fcram, ctx, FCRAM, BYTES, 0);
	ret = ret < 0 ? ret : make_list(pica_client_host(fcram));
	if (ret > 0) {
		struct pica_job *job = pica_client_slot(ctx); /* free: it is the first one */
		job->op = PICA_OP_LIST;
		job->u.list = (struct pica_job_list){ .addr = FCRAM, .size_bytes = (uint32_t)ret };
		pica_client_submit(client);
		ret = pica_client_wait(client, &done, 1, -1);
		ret = ret < 0 ? ret : done.result;
	}
	ret = ret < 0 ? ret : pica_client_read_surface(ctx, VRAM, 0, SIZE, SIZE, rgba, 4 * SIZE);
	if (ret < 0) {
		fprintf(stderr, "%s\n",
				*pica_client_error(client) ? pica_client_error(client) :
							     strerror(-ret));
		return 2;
	}
	printf("P6\n%d %d\n255\n", SIZE, SIZE);
	for (int i = 0; i < SIZE * SIZE; i++) {
		fwrite(&rgba[4 * i], 3, 1, stdout);
	}
	pica_client_close(client);
	return 0;
}
