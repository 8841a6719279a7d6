/*
 * A small job of one user ends within a few slices of the jobs of another user, however large they
 * are. The clock is simulated: each query takes LOOK_NS, so a slice is a number of queries;
 * only the order matters.
 */
#include <stdatomic.h>

#include "engine_rig.h"
#include "tests/suite.h"

enum {
	LOOK_NS = 50000,
	SLICE_NS = 1000000,
	LONG_SLICE_MS = 1000,
	/*
	 * Of one frame, and of the one that waited least. Alone on the machine about three for each
	 * of three threads; others may keep the one that works for the victim from it. Each attack
	 * is thousands.
	 */
	MOST_SLICES = 2000,
	FEW_SLICES = 200,
	MAX_SESSIONS = 8,
	FRAMES = 4,
	WIDE = 1024, /* of a large target */
	LARGE = FCRAM + 0x4000000,
	TILE = 32, /* of a small one: a tile */
	TILES = 8, /* that its context may draw at once */
	INDICES = 0x10000, /* beyond VERTICES: 0, 1, 2, ... */
	TRIANGLES = 100000,
	N_TEXTURES = 64,
	TEXTURE_SIDE = 256,
	TEXTURED_DRAWS = 4096,
	NEVER = -1 /* as a budget: more than can be had */
};

static atomic_uint_fast64_t now_ns = UINT64_C(1) << 40;

uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_thread_ns(void);

uint64_t __wrap_clock_now_ns(void) {
	return atomic_fetch_add(&now_ns, LOOK_NS);
}

uint64_t __wrap_clock_thread_ns(void) {
	return atomic_load(&now_ns);
}

/* ---- Attackers ---- */

enum attack { PIXELS_4G, PIXELS_4G_STATS, VERTICES_60M, ENDLESS_GS, ENDLESS_VS, ENDLESS_LIST,
	LEFT_OVER, INDICES_20M, ONE_TILE, TEXTURES, RECONNECTS, N_ATTACKS };

static struct pica_ctx *sessions[MAX_SESSIONS];
static unsigned n_sessions;
static struct pica_stats stats;

static void put_list(struct pica_emit *e) {
	ck_assert_int_eq(pica_emit_finalize(e), 0);
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, e->words, (uint32_t)(4 * e->count)), 0);
	struct pica_job job = { .op = PICA_OP_LIST,
		.u.list = { .addr = LIST, .size_bytes = (uint32_t)(4 * e->count) } };
	pica_emit_finish(e);
	ck_assert_int_eq(pica_submit(ctx, &job, 1, NULL), 0);
}

static void emit_large_draws(struct pica_emit *e, unsigned n) {
	const struct pica_framebuffer fb = { .color_addr = LARGE,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = WIDE,
		.height = WIDE,
		.bottom_row_first = true };
	for (unsigned i = 0; i < 3; i++) {
		put_vertex(i, i == 1 ? 2 * SIDE : 0, i == 2 ? 2 * SIDE : 0, red);
	}
	emit_state(e, COLOR);
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, WIDE, WIDE);
	for (unsigned i = 0; i < n; i++) {
		pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 3);
	}
}

/* Each pass has one tile, which one task draws: seconds of it. */
static void emit_tiles(struct pica_emit *e) {
	static uint8_t index[3 * TRIANGLES];
	struct pica_framebuffer fb = { .color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = TILE,
		.height = TILE,
		.bottom_row_first = true };
	for (unsigned i = 0; i < 3 * TRIANGLES; i++) {
		index[i] = (uint8_t)(i % 3);
	}
	ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES + INDICES, index, sizeof(index)), 0);
	emit_large_draws(e, 0);
	pica_emit_viewport(e, 0, 0, TILE, TILE);
	for (unsigned i = 0; i < TILES; i++) {
		fb.color_addr = LARGE + i * 4 * TILE * TILE;
		pica_emit_framebuffer(e, &fb);
		pica_emit_draw_elements(e, PICA_PRIMITIVE_LIST, INDICES, false, 3 * TRIANGLES);
	}
}

/* Each small draw has another texture, and an empty cache. */
static void emit_textures(struct pica_emit *e) {
	struct pica_texture t = { .width = TEXTURE_SIDE, .height = TEXTURE_SIDE,
		.format = PICA_TEXTURE_FORMAT_RGBA8 };
	emit_state(e, COLOR);
	for (unsigned i = 0; i < TEXTURED_DRAWS; i++) {
		t.addr = LARGE + i % N_TEXTURES * 4 * TEXTURE_SIDE * TEXTURE_SIDE;
		pica_emit_texture(e, 0, &t);
		pica_emit_texture_units(e, 1, 0, false); /* with register 080 bit 16 */
		pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 3);
	}
}

/* jmpu !b0, 0; end */
static const uint32_t endless[] = { 0xB4000001, 0x88000000 };

static void emit_endless_gs(struct pica_emit *e) {
	static const struct pica_geometry points = {
		.mode = PICA_GS_MODE_POINT, .inputs = 2, .vs_outputs = 2
	};
	emit_state(e, COLOR);
	pica_emit_geometry(e, &points);
	pica_emit_vs_output_mask(e, 3);
	pica_emit_outputs(e, PICA_UNIT_GS, pass_outputs, 2);
	pica_emit_code(e, PICA_UNIT_GS, 0, endless, 2);
	pica_emit_entry_point(e, PICA_UNIT_GS, 0);
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_GEOMETRY, 0, 3);
}

static void attack(enum attack what) {
	struct pica_emit e;
	switch (what) {
	case PIXELS_4G:
	case PIXELS_4G_STATS:
	case RECONNECTS:
		emit_large_draws(&e, 4000);
		break;
	case VERTICES_60M:
		emit_state(&e, COLOR);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 60000000);
		break;
	case INDICES_20M:
		emit_state(&e, COLOR);
		pica_emit_draw_elements(&e, PICA_PRIMITIVE_LIST, 0, false, 20000000);
		break;
	case ONE_TILE:
		emit_tiles(&e);
		break;
	case TEXTURES:
		emit_textures(&e);
		break;
	case ENDLESS_GS:
		emit_endless_gs(&e);
		break;
	case ENDLESS_VS:
	case LEFT_OVER: /* a strip of two, which the command thread shades at the end of the job */
		emit_state(&e, COLOR);
		pica_emit_code(&e, PICA_UNIT_VS, 0, endless, 2);
		pica_emit_draw_arrays(&e,
				what == LEFT_OVER ? PICA_PRIMITIVE_STRIP : PICA_PRIMITIVE_LIST, 0,
				what == LEFT_OVER ? 2 : 3);
		break;
	default:
		emit_state(&e, COLOR);
		ck_assert_int_eq(pica_emit_jump(&e, 0, LIST, (uint32_t)(4 * (e.count + 8)) & ~15u),
				0);
		break;
	}
	put_list(&e);
	if (what == PIXELS_4G_STATS) {
		struct pica_job job = { .op = PICA_OP_STATS };
		job.u.stats.data = (uint64_t)(uintptr_t)&stats;
		job.u.stats.size_bytes = sizeof(stats);
		ck_assert_int_eq(pica_submit(ctx, &job, 1, NULL), 0);
	}
}

/* What all of them have had. */
static uint64_t attackers_ns(void) {
	uint64_t ns = 0;
	for (unsigned i = 0; i < n_sessions; i++) {
		struct pica_usage usage = { .size = sizeof(usage) };
		ck_assert_int_eq(pica_usage(sessions[i], &usage), 0);
		ns += usage.cpu_ns;
	}
	return ns;
}

static uint64_t done_ns; /* of theirs, when the victim's job was done */

/* On the command thread: this one may be woken late. */
static void on_done(void *user, enum pica_interrupt which) {
	if (which == PICA_INTERRUPT_PDC0) {
		done_ns = attackers_ns();
	}
}

static void open_session(struct pica_ctx **out, uint64_t owner, uint64_t user) {
	struct pica_ctx_settings settings;
	pica_ctx_settings_init(&settings);
	settings.owner = owner;
	settings.user = user;
	settings.interrupt = on_done;
	settings.budgets = (struct pica_budgets){ .list_words = (uint64_t)NEVER,
		.list_jumps = (uint64_t)NEVER, .shader_steps = (uint64_t)1 << 50,
		.job_steps = (uint64_t)1 << 50 };
	ck_assert_int_eq(pica_ctx_create(out, device, &settings), 0);
}

static void begin_attack(unsigned i, enum attack what) {
	open_session(&sessions[i], i + 1, 1);
	ctx = sessions[i];
	attack(what);
}

static void end_attack(unsigned i) {
	pica_ctx_abandon(sessions[i]);
	pica_ctx_destroy(sessions[i]);
}

/* ---- Their victim ---- */

/* Returns how much time the attackers had meanwhile. */
static uint64_t draw_frame(struct pica_ctx *victim) {
	struct pica_job jobs[3] = { { .op = PICA_OP_FILL }, { .op = PICA_OP_LIST },
		{ .op = PICA_OP_PRESENT } };
	struct pica_emit e;
	uint64_t seq;
	ctx = victim;
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, e.words, (uint32_t)(4 * e.count)), 0);
	jobs[0].u.fill.start = COLOR;
	jobs[0].u.fill.end = COLOR + 4 * PIXELS;
	jobs[0].u.fill.control = 0x201;
	jobs[1].u.list.addr = LIST;
	jobs[1].u.list.size_bytes = (uint32_t)(4 * e.count);
	pica_emit_finish(&e);
	jobs[2].u.present.screens = 1;
	ck_assert_int_eq(pica_submit(ctx, jobs, 3, &seq), 0);
	const uint64_t before = attackers_ns();
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	return done_ns > before ? done_ns - before : 0;
}

/* Returns the slices of 1 ms that each frame waited for. */
static void draw_frames(
		enum attack what, unsigned n, uint32_t slice_us, uint64_t waited[FRAMES]) {
	struct pica_ctx *victim;
	struct pica_settings s;
	pica_settings_init(&s);
	s.n_threads = 2;
	s.slice_us = slice_us;
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	open_session(&victim, 100, 2);
	ctx = victim;
	put_triangle(green);
	for (n_sessions = 0; n_sessions < n; n_sessions++) {
		begin_attack(n_sessions, what);
	}
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		if (what == RECONNECTS) {
			end_attack(frame % n);
			begin_attack(frame % n, what);
		}
		waited[frame] = draw_frame(victim) / SLICE_NS;
	}
	for (unsigned i = 0; i < n; i++) {
		end_attack(i);
	}
	n_sessions = 0;
	ctx = victim;
	ck_assert_uint_eq(count_color(COLOR, GREEN), 28);
	close_engine();
}

static uint64_t least_of(const uint64_t waited[FRAMES]) {
	uint64_t least = waited[0];
	for (unsigned frame = 1; frame < FRAMES; frame++) {
		least = waited[frame] < least ? waited[frame] : least;
	}
	return least;
}

static void expect_small_job_in_time(enum attack what, unsigned n) {
	uint64_t waited[FRAMES];
	draw_frames(what, n, 0, waited);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		ck_assert_msg(waited[frame] <= MOST_SLICES, "frame %u waited for %u slices", frame,
				(unsigned)waited[frame]);
	}
	ck_assert_uint_le(least_of(waited), FEW_SLICES);
}

TEST_LOOP(small_job_ends_within_slices_of_a_session, N_ATTACKS) {
	expect_small_job_in_time((enum attack)_i, 1);
}

TEST_LOOP(small_job_ends_within_slices_of_eight_sessions, N_ATTACKS) {
	expect_small_job_in_time((enum attack)_i, 8);
}

/* Others may delay a frame, so one of them has to show it. */
TEST(a_waiting_job_ends_the_slice_of_a_job) {
	static const enum attack attacks[] = { ENDLESS_GS, ENDLESS_LIST };
	for (unsigned i = 0; i < 2; i++) {
		uint64_t waited[FRAMES];
		draw_frames(attacks[i], 1, LONG_SLICE_MS * 1000, waited);
		ck_assert_uint_lt(least_of(waited), LONG_SLICE_MS / 10);
	}
}
