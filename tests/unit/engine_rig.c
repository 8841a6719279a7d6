#include "engine_rig.h"

const unsigned thread_counts[N_THREAD_COUNTS] = { 0, 1, 2, 3, 8 };

struct pica_device *device;
struct pica_ctx *ctx;
uint32_t interrupts[MAX_INTERRUPTS], n_interrupts;

static void on_interrupt(void *user, enum pica_interrupt which) {
	if (n_interrupts < MAX_INTERRUPTS) {
		interrupts[n_interrupts++] = which;
	}
}

void open_engine(unsigned threads, const struct pica_budgets *budgets) {
	struct pica_settings s;
	pica_settings_init(&s);
	s.n_threads = threads;
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	struct pica_ctx_settings c;
	pica_ctx_settings_init(&c);
	c.interrupt = on_interrupt;
	if (budgets) {
		c.budgets = *budgets;
	}
	n_interrupts = 0;
	ck_assert_int_eq(pica_ctx_create(&ctx, device, &c), 0);
}

void close_engine(void) {
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
}

uint64_t submit(const struct pica_job *job) {
	uint64_t seq;
	ck_assert_int_eq(pica_submit(ctx, job, 1, &seq), 0);
	return seq;
}

struct pica_done finish(uint64_t seq) {
	struct pica_done done[64], last = { 0 };
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	int n;
	while ((n = pica_reap(ctx, done, 64)) > 0) {
		last = done[n - 1];
	}
	return last;
}

struct pica_done run_words(const uint32_t *words, size_t n) {
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, words, (uint32_t)(4 * n)), 0);
	struct pica_job job = { .op = PICA_OP_LIST, .user_data = 77,
		.u.list = { .addr = LIST, .size_bytes = (uint32_t)(4 * n) } };
	struct pica_done done = finish(submit(&job));
	ck_assert_uint_eq(done.user_data, 77);
	return done;
}

struct pica_done run_list(struct pica_emit *e) {
	ck_assert_int_eq(pica_emit_finalize(e), 0);
	struct pica_done done = run_words(e->words, e->count);
	pica_emit_finish(e);
	return done;
}

/* mov o0, v0; mov o1, v1; end */
const uint32_t pass_code[3] = { 0x4C000000, 0x4C201000, 0x88000000 };
const uint32_t pass_descriptor[1] = { 0x0000036F };
const struct pica_output pass_outputs[2] = {
	{ PICA_OUTPUT_POSITION, 0, 15 },
	{ PICA_OUTPUT_COLOR, 1, 15 },
};

void emit_program(struct pica_emit *e, const uint32_t *code, size_t n) {
	pica_emit_code(e, PICA_UNIT_VS, 0, code, n);
	pica_emit_operand_descriptors(e, PICA_UNIT_VS, 0, pass_descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_VS, 0);
	pica_emit_outputs(e, PICA_UNIT_VS, pass_outputs, 2);
}

void emit_target(struct pica_emit *e, uint32_t color) {
	const struct pica_framebuffer fb = { .color_addr = color,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = SIDE,
		.height = SIDE,
		.bottom_row_first = true };
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, SIDE, SIDE);
}

void emit_state(struct pica_emit *e, uint32_t color) {
	pica_emit_init(e);
	pica_emit_defaults(e);
	pica_emit_geometry(e, NULL);
	emit_program(e, pass_code, 3);
	emit_target(e, color);
	pica_emit_depth_test(e, false, PICA_COMPARE_ALWAYS, false, 15);
	const struct pica_attributes a = { .base = VERTICES,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.n_loaders = 1,
		.loader = { { .offset = 0, .stride = 32, .n = 2, .component = { 0, 1 } } } };
	pica_emit_attributes(e, &a);
}

/* Vertices in pixels of the 64x64 target. */
void put_vertex(unsigned i, float px, float py, const float rgba[4]) {
	float v[8] = { px / 32 - 1, py / 32 - 1, -0.5f, 1, rgba[0], rgba[1], rgba[2], rgba[3] };
	ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES + 32 * i, v, sizeof(v)), 0);
}

const float red[4] = { 1, 0, 0, 1 }, green[4] = { 0, 1, 0, 1 };

void put_triangle(const float rgba[4]) {
	put_vertex(0, 0, 0, rgba);
	put_vertex(1, 8, 0, rgba);
	put_vertex(2, 0, 8, rgba);
}

unsigned count_color(uint32_t addr, uint32_t word) {
	static uint32_t pixels[PIXELS];
	ck_assert_int_eq(pica_ctx_read_memory(ctx, addr, pixels, sizeof(pixels)), 0);
	unsigned n = 0;
	for (unsigned i = 0; i < PIXELS; i++) {
		n += pixels[i] == word;
	}
	return n;
}

void expect_halves(void) {
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), PIXELS / 2);
	ck_assert_uint_eq(count_color(COLOR, GREEN), PIXELS / 2);
	uint32_t corner;
	ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR, &corner, 4), 0);
	ck_assert_uint_eq(corner, GREEN);
}

void put_band(unsigned place, unsigned i, float depth, const float rgba[4]) {
	const float y0 = (float)i / 4 - 1, y1 = y0 + 0.25f;
	const float xy[6][2] = { { -1, y0 }, { 1, y0 }, { 1, y1 }, { -1, y0 }, { 1, y1 },
		{ -1, y1 } };
	for (unsigned k = 0; k < 6; k++) {
		const float v[8] = { xy[k][0], xy[k][1], -depth, 1, rgba[0], rgba[1], rgba[2],
			rgba[3] };
		ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES + 32 * (6 * place + k), v,
						 sizeof(v)),
				0);
	}
}

void draw_band(struct pica_emit *e, unsigned place) {
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 6 * place, 6);
}

uint32_t band_word(uint32_t addr, unsigned i) {
	uint32_t words[8 * SIDE];
	ck_assert_int_eq(pica_ctx_read_memory(ctx, addr + i * sizeof(words), words, sizeof(words)),
			0);
	for (unsigned k = 1; k < 8 * SIDE; k++) {
		ck_assert_msg(words[k] == words[0], "pixel %u of band %u: %08X, not %08X", k, i,
				words[k], words[0]);
	}
	return words[0];
}
