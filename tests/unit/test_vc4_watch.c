/* Watched pixels of the VideoCore IV (pica_history.h): samples, threads, errors. */
#include <errno.h>

#include "pica_history.h"
#include "tests/suite.h"
#include "vc4_rig.h"

enum { PX = 4, WHITE_WORDS = 4, MULTISAMPLE = 1 };

static struct vc4_rig rig;

/* NV triangles of a program: positions in sixteenths of a pixel, z, 1/w. */
static void put_triangle(uint32_t record, uint32_t code, uint32_t at, const int16_t xy[3][2]) {
	for (unsigned i = 0; i < 3; i++) {
		const float rest[2] = { 0.5f, 1.0f };
		memcpy(rig_at(&rig, at + 12 * i), xy[i], 4);
		memcpy(rig_at(&rig, at + 12 * i + 4), rest, sizeof(rest));
	}
	const uint32_t words[4] = { 0x00000C00, code, 0, at };
	memcpy(rig_at(&rig, record), words, sizeof(words));
}

/* A white triangle to the left of x, from the top down, on black; state: of 0x60. */
static void draw_left_of(int16_t x, unsigned flags, const char *program) {
	const int16_t xy[3][2] = { { x, 0 }, { x, 1920 }, { -1920, 0 } };
	rig_program(&rig, RIG_SHADERS, program);
	put_triangle(RIG_SHADERS + 0x800, RIG_SHADERS, RIG_VERTICES, xy);
	rig_begin(&rig, 128, 64, 0xFF000000, flags);
	rig_list(&rig, 0, "60 03 70 00");
	rig_list(&rig, 0, "41 00081100");
	rig_list(&rig, 0, "21 04 03000000 00000000");
	rig_end(&rig);
}

static const char white[] = "ldi tlbc, 0xffffffff\nnop; nop; thrend\nnop\nnop\n";

static uint32_t address(uint32_t x, uint32_t y) {
	return RIG_TARGET + PX * (y * 128 + x);
}

static int64_t read_history(struct pica_history_entry out[32]) {
	const int64_t n = pica_ctx_history(rig.ctx);
	ck_assert_int_ge(n, 0);
	ck_assert_int_le(n, 32);
	ck_assert_int_eq(pica_ctx_read_history(rig.ctx, 0, (uint32_t)n, out), 0);
	return n;
}

/*
 * Samples lie at 10, 2, 14 and 6 sixteenths from the left: an edge at 8 of them has two inside. The
 * store averages bytes, (2 * 255 + 2 * 0) / 4 = 127, and alpha 255.
 */
TEST(samples_and_their_average) {
	struct pica_history_entry e[32];
	struct pica_qpu_fragment f;
	const struct pica_watch pixel = { address(9, 3), PX };
	rig_open(&rig, isa_best(), 0);
	draw_left_of(9 * 16 + 8, MULTISAMPLE, white);
	ck_assert_int_eq(pica_ctx_watch(rig.ctx, &pixel, 1), 0);
	ck_assert_int_eq(rig_run(&rig), 0);
	ck_assert_int_eq(read_history(e), 3);
	ck_assert_uint_eq(e[0].kind, PICA_HISTORY_CLEAR);
	ck_assert_uint_eq(e[1].kind, PICA_HISTORY_DRAW);
	ck_assert_uint_eq(e[2].kind, PICA_HISTORY_STORE);
	ck_assert_uint_eq(e[1].verdict, PICA_VERDICT_KEPT);
	ck_assert_uint_eq(e[1].replaces, 0); /* two samples are still the clear's */
	ck_assert_uint_eq(e[1].before, 0xFF000000);
	ck_assert_uint_eq(e[1].after, 0xFF7F7F7F);
	ck_assert_uint_eq(e[2].after, 0xFF7F7F7F);
	ck_assert_int_eq(pica_ctx_read_qpu_fragment(rig.ctx, e[1].steps, &f), 0);
	ck_assert_uint_eq(f.samples, 0xA);
	ck_assert_uint_eq(f.passed, 0xA);
	ck_assert_uint_eq(f.n_steps, WHITE_WORDS);
	ck_assert_uint_eq(f.n_kept, 0); /* steps were not asked for */
	rig_close(&rig);
}

/* Pixels of two tiles, two in one quad, and one that is asked for twice. */
TEST_LOOP(pixels_of_different_tiles, 3) {
	static const uint32_t place[5][2] = { { 0, 0 }, { 1, 0 }, { 70, 5 }, { 127, 63 },
		{ 0, 0 } };
	static const bool is_white[5] = { true, true, true, false, true };
	struct pica_history_entry e[32];
	struct pica_watch pixels[5];
	rig_open(&rig, isa_best(), (unsigned)_i);
	draw_left_of(100 * 16, 0, white);
	for (unsigned i = 0; i < 5; i++) {
		pixels[i] = (struct pica_watch){ address(place[i][0], place[i][1]), PX };
	}
	ck_assert_int_eq(pica_ctx_watch(rig.ctx, pixels, 5), 0);
	ck_assert_int_eq(pica_ctx_watch_steps(rig.ctx, 1), 0);
	ck_assert_int_eq(rig_run(&rig), 0);
	const int64_t n = read_history(e);
	unsigned drawn[5] = { 0 }, stored[5] = { 0 };
	for (int64_t i = 0; i < n; i++) {
		const unsigned w = e[i].watch;
		ck_assert_uint_lt(w, 5);
		stored[w] += e[i].kind == PICA_HISTORY_STORE;
		if (e[i].kind != PICA_HISTORY_DRAW) {
			continue;
		}
		struct pica_qpu_step steps[WHITE_WORDS];
		drawn[w]++;
		ck_assert_uint_eq(e[i].after, 0xFFFFFFFF);
		ck_assert_uint_eq(e[i].x, place[w][0]);
		ck_assert_uint_eq(e[i].y, place[w][1]);
		ck_assert_int_eq(pica_ctx_read_qpu_steps(
				rig.ctx, e[i].steps, 0, WHITE_WORDS, steps), 0);
		ck_assert_uint_eq(steps[0].address, RIG_SHADERS);
		ck_assert_uint_eq(steps[0].wrote, PICA_QPU_WROTE_ADD);
		ck_assert_uint_eq(steps[0].value[0], 0xFFFFFFFF);
		ck_assert_uint_eq(steps[3].wrote, 0);
		ck_assert_int_eq(pica_ctx_read_qpu_steps(
				rig.ctx, e[i].steps, 1, WHITE_WORDS, steps), -EINVAL);
	}
	for (unsigned w = 0; w < 5; w++) {
		ck_assert_uint_eq(drawn[w], is_white[w]);
		ck_assert_uint_eq(stored[w], 1);
	}
	rig_close(&rig);
}

/* The program fails at its uniform, and the job with it: the fragment is lost. */
TEST(a_program_that_fails) {
	struct pica_history_entry e[32];
	struct pica_qpu_fragment f;
	const struct pica_watch pixel = { address(9, 3), PX };
	rig_open(&rig, isa_best(), 0);
	draw_left_of(100 * 16, 0,
			"mov r0, unif; nop\nldi tlbc, 0xffffffff\nnop; nop; thrend\nnop\nnop\n");
	memset(rig_at(&rig, RIG_SHADERS + 0x808), 0x3F, 4); /* uniforms that are nowhere */
	ck_assert_int_eq(pica_ctx_watch(rig.ctx, &pixel, 1), 0);
	ck_assert_int_eq(rig_run(&rig), -ERANGE);
	ck_assert_int_eq(read_history(e), 3);
	ck_assert_uint_eq(e[1].verdict, PICA_VERDICT_LOST);
	ck_assert_uint_eq(e[1].after, 0xFF000000);
	ck_assert_int_eq(pica_ctx_read_qpu_fragment(rig.ctx, e[1].steps, &f), 0);
	ck_assert_int_eq(f.error, -ERANGE);
	ck_assert_uint_eq(f.n_steps, 1);
	rig_close(&rig);
}

/* The bytes of a client; and nothing is watched any more. */
TEST(loads_and_the_end) {
	struct pica_history_entry e[32];
	const uint32_t word = 0x12345678;
	const struct pica_watch pixel = { address(9, 3), PX };
	struct pica_job write = { .op = PICA_OP_WRITE };
	write.u.write.addr = pixel.addr;
	write.u.write.size_bytes = PX;
	write.u.write.data = (uintptr_t)&word;
	rig_open(&rig, isa_best(), 0);
	ck_assert_int_eq(pica_ctx_watch(rig.ctx, &pixel, 1), 0);
	ck_assert_int_eq(rig_submit(rig.ctx, &write).result, 0);
	ck_assert_int_eq(read_history(e), 1);
	ck_assert_uint_eq(e[0].kind, PICA_HISTORY_LOAD);
	ck_assert_uint_eq(e[0].before, 0);
	ck_assert_uint_eq(e[0].after, word);
	ck_assert_int_eq(pica_ctx_read_history(rig.ctx, 0, 2, e), -EINVAL);
	ck_assert_int_eq(pica_ctx_trace(rig.ctx, pixel.addr, 1, 0, e), 0);
	ck_assert_int_eq(pica_ctx_watch(rig.ctx, NULL, 0), 0);
	ck_assert_int_eq(pica_ctx_watch_steps(rig.ctx, 1), -EINVAL);
	ck_assert_int_eq(pica_ctx_history(rig.ctx), 0);
	rig_close(&rig);
}
