/*
 * Random jobs of the VideoCore IV, on every instruction set and with 0 to 2 workers, against the
 * naive renderer: all of memory afterwards, and the history of a pixel.
 * test_vc4_random [JOBS [SEED]]
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pica_history.h"
#include "pica_vc4_emit.h"
#include "random.h"
#include "tests/naive/naive_vc4.h"
#include "tests/suite.h"
#include "vc4/run/machine.h"
#include "vc4_rig.h"

enum {
	LIST_BYTES = 4096, RENDERING_BYTES = RIG_SHADERS - RIG_RENDERING,
	MOST_PX = 90, /* of a side of the image */
	ZS = RIG_TARGET + 0x10000, /* Z and stencil of the image */
	FULL = RIG_TARGET + 0x20000, /* whole tile buffers */
	USED_BYTES = FULL + 9 * 0x8000 - RIG_BASE, /* of memory; nothing lies after them */
	RECORDS = RIG_SHADERS, PROGRAMS = RIG_SHADERS + 0x1000, UNIFORMS = RIG_SHADERS + 0x6000,
	INDICES = RIG_VERTICES + 0x7000,
	FRAGMENT_BYTES = 0x800, MAX_VARYINGS = 6, MAX_VERTICES = 12, GL_STRIDE = 64,
};

static unsigned n_jobs = 2000; /* .ci/run: 20000 */
static uint64_t first_seed = 0x5EED0000;

static struct vc4_rig rigs[ISA_COUNT];
static struct vc4_rig *rig; /* the one for which a job is made */
static uint8_t *before, *want;
static unsigned n_compared; /* entries of histories */

#define RECORD(e, name, ...) \
	pica_vc4_emit_record(e, PICA_VC4_##name, (const uint32_t[]){ __VA_ARGS__ }, \
			ARRAY_LEN(((const uint32_t[]){ __VA_ARGS__ })))

static unsigned below(unsigned n) {
	return random32() % n;
}

static bool one_in(unsigned n) {
	return below(n) == 0;
}

static float between(float a, float b) {
	return a + (b - a) * ((float)(random32() >> 8) / 16777216.0f);
}

/* ---- Programs ---- */

static char text[6000];
static size_t text_len;

PICA_PRINTF(1, 2)
static void say(const char *format, ...) {
	va_list args;
	va_start(args, format);
	text_len += (size_t)vsnprintf(text + text_len, sizeof(text) - text_len, format, args);
	va_end(args);
	HOLDS(text_len < sizeof(text));
}

/* Operations on accumulators that do not look at the lane, or at other lanes. */
static void random_operation(void) {
	static const char *const add[] = { "fadd", "fsub", "fmin", "fmax", "fminabs", "fmaxabs",
		"add", "sub", "shr", "asr", "ror", "shl", "min", "max", "and", "or", "xor",
		"v8adds", "v8subs" };
	static const char *const mul[] = { "fmul", "mul24", "v8muld", "v8min", "v8max", "v8adds",
		"v8subs" };
	static const char *const unary[] = { "ftoi", "itof", "not", "clz" };
	static const char *const cond[] = { "", "", "", ".zs", ".zc", ".ns", ".nc", ".cs", ".cc" };
	const unsigned to = below(4), a = below(4), b = below(4), c = below(4);
	if (one_in(6)) {
		say("%s r%u%s, r%u\n", unary[below(4)], to, cond[below(9)], a);
	} else if (one_in(5)) {
		say("or r%u, unif, unif\n", to);
	} else {
		say("%s%s r%u%s, r%u, r%u; ", add[below(19)], one_in(3) ? ".setf" : "", to,
				cond[below(9)], a, b);
		say("%s r%u%s, r%u, r%u\n", mul[below(7)], (to + 1 + below(3)) % 4, cond[below(9)],
				b, c);
	}
}

/* A fragment program; it reads each varying once. */
static void fragment_program(uint32_t address, unsigned n_varyings, bool is_multisample) {
	text_len = 0;
	say("or r0, ra15, ra15\nor r1, rb15, rb15\nldi r2, 0x7f\nldi r3, 0xff000000\n");
	for (unsigned i = 0; i < n_varyings; i++) {
		say("fmul r0, ra15, vary\nfadd r0, r0, r5\n");
		say("fmul.pm.pack8%c r3, r0, 1.0\n", "abcd"[i % 4]);
	}
	if (one_in(3)) {
		say("itof r1, x_coord\nitof r2, y_coord\nfmul r1, r1, unif\n");
	}
	for (unsigned n = one_in(2) ? below(30) : 0; n > 0; n--) {
		random_operation();
	}
	for (unsigned n = one_in(4) ? 1 + below(2) : 0; n > 0; n--) {
		say("or stencil, unif, unif\n");
	}
	if (is_multisample && one_in(4)) {
		say("or ms_flags, unif, unif\n");
	}
	if (one_in(2)) {
		say(one_in(2) ? "or tlbz, rb15, rb15\n" :
				"or.setf -, r3, r3\nor tlbz.zc, rb15, rb15\n");
	}
	if (is_multisample && one_in(4)) {
		say("nop; loadc\nxor tlbm, r4, r3; loadc\nxor tlbm, r4, r3; loadc\n"
				"xor tlbm, r4, r3; loadc\nxor tlbm, r4, r3\n");
	} else {
		say(one_in(3) ? "nop; loadc\nv8adds tlbc, r4, r3\n" : "or tlbc, r3, r3\n");
	}
	say("nop; thrend\nnop\nnop; sbdone\n");
	rig_program(rig, address, text);
}

/* Copies n rows of input. */
static void copy_program(uint32_t address, unsigned n) {
	text_len = 0;
	say("ldi vr_setup, 0x1a00\nldi vw_setup, 0x1a00\nnop\nnop\n");
	for (unsigned i = 0; i < n; i++) {
		say("or vpm, vpm, vpm\n");
	}
	say("nop; thrend\nnop\nnop\n");
	rig_program(rig, address, text);
}

/* ---- Draws ---- */

struct picture {
	struct pica_vc4_frame f;
	unsigned columns, rows;
	struct pica_vc4_emit list[2];
	unsigned n_records; /* 64 bytes each */
	int16_t y; /* of the last vertex: some edges are horizontal */
};

static void put(uint8_t **at, const void *from, size_t n) {
	memcpy(*at, from, n);
	*at += n;
}

/* Around an image of this size; often at the centre of a pixel. */
static int16_t coordinate(uint32_t size) {
	const int around = one_in(8) ? 1500 : 30;
	const int px = (int)below(size + 2 * (unsigned)around) - around;
	return (int16_t)(16 * px + (one_in(2) ? 8 : (int)below(16)));
}

/* Xs and Ys, Z, 1/Wc and varyings. */
static void vertex(uint8_t **at, struct picture *p, unsigned n_varyings) {
	p->y = one_in(3) ? p->y : coordinate(p->f.height);
	const int16_t xy[2] = { coordinate(p->f.width), p->y };
	const float zw[2] = { between(-0.1f, 1.1f), one_in(2) ? 1 : between(0.1f, 3) };
	put(at, xy, sizeof(xy));
	put(at, zw, sizeof(zw));
	for (unsigned i = 0; i < n_varyings; i++) {
		const float v = between(-0.3f, 1.3f);
		put(at, &v, sizeof(v));
	}
}

static uint32_t next_record(struct picture *p, const struct pica_vc4_emit *record) {
	const uint32_t address = RECORDS + 64 * p->n_records++;
	memcpy(rig_at(rig, address), record->bytes, record->size);
	return address;
}

static void shader(struct picture *p, unsigned draw) {
	const unsigned n_varyings = below(MAX_VARYINGS + 1);
	const uint32_t code = PROGRAMS + draw * 3 * FRAGMENT_BYTES;
	const uint32_t vertices = RIG_VERTICES + draw * MAX_VERTICES * GL_STRIDE;
	const bool is_nv = one_in(2);
	uint8_t bytes[128];
	struct pica_vc4_emit record;
	pica_vc4_emit_init_fixed(&record, bytes, sizeof(bytes));
	fragment_program(code, n_varyings, p->f.multisample);
	for (unsigned i = 0; i < MAX_VERTICES; i++) {
		uint8_t *at = rig_at(rig, vertices + i * GL_STRIDE);
		memset(at, 0, GL_STRIDE);
		at += is_nv ? 0 : 16; /* clip coordinates are not looked at */
		vertex(&at, p, n_varyings);
	}
	if (is_nv) {
		const struct pica_vc4_nv_shader s = { .fragment = { code, UNIFORMS, 0 },
			.vertices = vertices, .stride = GL_STRIDE, .n_varyings = n_varyings };
		pica_vc4_emit_nv_record(&record, &s);
		pica_vc4_emit_nv_shader_state(&p->list[0], next_record(p, &record));
		return;
	}
	copy_program(code + FRAGMENT_BYTES, 3 + n_varyings);
	copy_program(code + 2 * FRAGMENT_BYTES, 7);
	const struct pica_vc4_gl_shader s = {
		.fragment = { code, UNIFORMS, 0 },
		.vertex = { code + FRAGMENT_BYTES, 0, 1 },
		.coordinate = { code + 2 * FRAGMENT_BYTES, 0, 2 },
		.n_varyings = n_varyings,
		.n_arrays = 2,
		.array = { { vertices + 16, GL_STRIDE, 12 + 4 * n_varyings },
				{ vertices, GL_STRIDE, 28 } },
	};
	pica_vc4_emit_gl_record(&record, &s);
	pica_vc4_emit_gl_shader_state(&p->list[0], next_record(p, &record), 2);
}

static void draw(struct picture *p, unsigned number) {
	struct pica_vc4_emit *e = &p->list[0];
	const uint32_t mode = PICA_VC4_MODE_TRIANGLES + below(3);
	const unsigned faces = one_in(3) ? 1 + below(2) : 3;
	if (number == 0 || one_in(3)) {
		RECORD(e, CONFIGURATION_BITS, faces & 1, faces >> 1, below(2), 0, 0, 0,
				p->f.multisample, 0, 0, 0, below(8), below(2), below(2), below(2));
	}
	if (one_in(3)) {
		RECORD(e, CLIP_WINDOW, below(40), below(40), 1 + below(250), 1 + below(250));
	}
	if (one_in(3)) {
		RECORD(e, VIEWPORT_OFFSET, below(600) - 300, below(600) - 300);
	}
	if (one_in(3)) {
		RECORD(e, FLAT_SHADE_FLAGS, random32());
	}
	if (number == 0 || one_in(2)) {
		shader(p, number);
	}
	if (one_in(2)) {
		pica_vc4_emit_draw_arrays(e, mode, below(4), below(MAX_VERTICES - 3));
		return;
	}
	const unsigned index_bytes = 1 + below(2), count = 1 + below(20);
	uint8_t *at = rig_at(rig, INDICES + number * 64);
	for (unsigned i = 0; i < count; i++) {
		const uint16_t index = (uint16_t)below(MAX_VERTICES);
		put(&at, &index, index_bytes);
	}
	pica_vc4_emit_draw_indexed(e, mode, index_bytes, INDICES + number * 64, count,
			MAX_VERTICES - 1 - (one_in(4) ? below(3) : 0));
}

/* ---- Tiles ---- */

/* The format of a load may differ from that of the store. */
static void loads(struct picture *p, uint32_t full) {
	struct pica_vc4_emit *e = &p->list[1];
	switch (below(12)) {
	case 0:
	case 1:
		RECORD(e, LOAD_GENERAL, PICA_VC4_BUFFER_COLOR, one_in(2) ? p->f.layout : below(3),
				below(3), p->f.target, 0, 0, 0);
		return;
	case 2:
	case 3:
		RECORD(e, LOAD_GENERAL, PICA_VC4_BUFFER_ZS, PICA_VC4_LAYOUT_T, 0, ZS, 0, 0, 0);
		return;
	case 4:
		RECORD(e, LOAD_FULL, full, below(2), below(2));
		return;
	case 5:
		RECORD(e, LOAD_GENERAL, PICA_VC4_BUFFER_FULL, 0, 0, full, below(2), below(2), 0);
		return;
	default:
		return;
	}
}

/* Stores that leave something in the buffer. */
static void stores(struct picture *p, uint32_t full) {
	struct pica_vc4_emit *e = &p->list[1];
	switch (below(6)) {
	case 0:
		RECORD(e, STORE_GENERAL, PICA_VC4_BUFFER_ZS + below(2), PICA_VC4_LAYOUT_T, 0, 0, 0,
				1, one_in(2), 0, ZS, 0, 0, 0, 0);
		return;
	case 1:
		RECORD(e, STORE_FULL, full, below(2), below(2), 1, 0);
		return;
	default:
		return;
	}
}

static void tile(struct picture *p, unsigned number) {
	/* TARGET_ to FORMAT_ */
	static const uint32_t formats[] = { PICA_VC4_FORMAT_BGR565_DITHERED,
		PICA_VC4_FORMAT_RGBA8888, PICA_VC4_FORMAT_BGR565 };
	struct pica_vc4_emit *e = &p->list[1];
	const uint32_t column = number % p->columns, row = number / p->columns;
	const uint32_t full = FULL + number * 0x8000;
	loads(p, full);
	RECORD(e, TILE_COORDINATES, column, row);
	if (!one_in(8)) {
		RECORD(e, BRANCH_TO_SUB_LIST, RIG_TILES + 32 * number);
	}
	stores(p, full);
	if (one_in(4)) { /* once more, over what the stores left */
		RECORD(e, TILE_COORDINATES, column, row);
		RECORD(e, BRANCH_TO_SUB_LIST, RIG_TILES + 32 * number);
		stores(p, full);
	}
	RECORD(e, TILE_COORDINATES, column, row);
	if (one_in(6)) {
		RECORD(e, STORE_GENERAL, PICA_VC4_BUFFER_COLOR, p->f.layout,
				p->f.multisample && one_in(2), formats[p->f.format], 0, 0, 0, 0,
				p->f.target, 0, 0, 0, 0);
	} else {
		pica_vc4_emit_record(e, PICA_VC4_STORE_RESOLVED, NULL, 0);
	}
}

static void job(void) {
	struct picture p;
	memset(&p, 0, sizeof(p));
	pica_vc4_frame_init(&p.f, RIG_TARGET, 1 + below(MOST_PX), 1 + below(MOST_PX));
	p.f.format = one_in(2) ? 1 : below(3);
	p.f.layout = below(3);
	p.f.multisample = one_in(3);
	p.f.tile_lists = RIG_TILES;
	p.f.tile_state = RIG_STATE;
	p.f.clear_color = random32();
	p.f.clear_z = random32() & 0xFFFFFF;
	p.f.clear_stencil = random32() & 255;
	ck_assert_int_eq(pica_vc4_frame_tiles(&p.f, &p.columns, &p.rows), 0);
	pica_vc4_emit_init_fixed(&p.list[0], rig_at(rig, RIG_BINNING), LIST_BYTES);
	pica_vc4_emit_init_fixed(&p.list[1], rig_at(rig, RIG_RENDERING), RENDERING_BYTES);
	for (unsigned i = 0; i < 64; i++) {
		const float f = between(-2, 2);
		const uint32_t word = random32();
		memcpy(rig_at(rig, UNIFORMS + 4 * i), one_in(2) ? (const void *)&f : &word, 4);
	}
	pica_vc4_emit_binning_begin(&p.list[0], &p.f);
	const unsigned n_draws = 1 + below(3);
	for (unsigned i = 0; i < n_draws; i++) {
		draw(&p, i);
	}
	pica_vc4_emit_binning_end(&p.list[0]);
	struct pica_vc4_emit *e = &p.list[1];
	RECORD(e, CLEAR_VALUES, p.f.clear_color, p.f.clear_color, p.f.clear_z, 0,
			p.f.clear_stencil);
	RECORD(e, TILE_RENDERING_MODE, p.f.target, p.f.width, p.f.height, p.f.multisample, 0,
			p.f.format, 0, p.f.layout, 0, 0, 0, 0, 0);
	if (!one_in(8)) {
		pica_vc4_emit_named(e, "STORE_GENERAL", "BUFFER=none");
	}
	const unsigned n = p.columns * p.rows, step = one_in(2) ? 1 : 1 + below(n);
	for (unsigned i = 0; i < n; i++) {
		tile(&p, i * step % n); /* some tiles twice, others never */
	}
	ck_assert_int_eq(pica_vc4_emit_error(&p.list[0]), 0);
	ck_assert_int_eq(pica_vc4_emit_error(&p.list[1]), 0);
	rig->end[0] = RIG_BINNING + (uint32_t)p.list[0].size;
	rig->end[1] = RIG_RENDERING + (uint32_t)p.list[1].size;
}

/* ---- A pixel's history ---- */

/* A pixel of the target, or of the bytes after its last row. */
static void choose_pixel(struct naive_vc4_watch *w, uint32_t bytes) {
	memset(w, 0, sizeof(*w));
	w->address = RIG_TARGET + below(bytes) / 4 * 4;
	for (unsigned pass = 0; pass < 2; pass++) {
		memcpy(want, before, USED_BYTES);
		ck_assert_int_eq(naive_vc4_watched(want, RIG_BASE, RIG_SIZE, RIG_BINNING,
				rig->end[0], RIG_RENDERING, rig->end[1], w), 0);
		w->n = pass ? w->n : 0;
		w->first_of_run = 0;
	}
}

/* Later work does not change what a fragment was. */
static enum pica_verdict verdict_at_once(const struct pica_history_entry *e) {
	return e->verdict == PICA_VERDICT_LOST || e->verdict == PICA_VERDICT_OVERWRITTEN ?
			PICA_VERDICT_KEPT : (enum pica_verdict)e->verdict;
}

static void compare_entry(const struct vc4_rig *r, const struct pica_history_entry *e,
		const struct naive_vc4_seen *s, uint64_t job_seed) {
	struct pica_qpu_fragment f = { .samples = 0 };
	if (e->steps != PICA_HISTORY_NONE) {
		ck_assert_int_eq(pica_ctx_read_qpu_fragment(r->ctx, e->steps, &f), 0);
	}
	const uint32_t z = e->z_before << 8 | e->stencil_before;
	const uint32_t z_after = e->z_after << 8 | e->stencil_after;
	const bool is_draw = s->kind == PICA_HISTORY_DRAW;
	if (e->kind != s->kind || (is_draw && e->draw != s->draw) ||
			(is_draw && e->primitive != s->primitive) ||
			verdict_at_once(e) != s->verdict || e->before != s->before ||
			e->after != s->after || z != s->zs_before || z_after != s->zs_after ||
			f.samples != s->samples || f.passed != s->passed) {
		ck_abort_msg("%s, seed %" PRIu64 ", pixel %08x: %s %u, primitive %u: %s, "
			     "%08x -> %08x, %08x -> %08x, samples %x, passed %x; naive: %s %u, "
			     "primitive %u: %s, %08x -> %08x, %08x -> %08x, samples %x, passed %x",
				isa_name((enum isa)(r - rigs)), job_seed, e->target.color_addr,
				pica_history_kind_name(e->kind), e->draw, e->primitive,
				pica_verdict_name(e->verdict), e->before, e->after, z, z_after,
				f.samples, f.passed,
				pica_history_kind_name(s->kind), s->draw, s->primitive,
				pica_verdict_name(s->verdict), s->before, s->after, s->zs_before,
				s->zs_after, s->samples, s->passed);
	}
}

/* The rig has watched the pixel. Triangles without area are not in the naive history. */
static void compare_history(const struct vc4_rig *r, const struct naive_vc4_watch *w,
		uint64_t job_seed) {
	static struct pica_history_entry all[4096];
	const int64_t n = pica_ctx_history(r->ctx);
	ck_assert(n >= 0 && n <= (int64_t)ARRAY_LEN(all));
	ck_assert_int_eq(pica_ctx_read_history(r->ctx, 0, (uint32_t)n, all), 0);
	unsigned k = 0;
	for (int64_t i = 0; i < n; i++) {
		if (all[i].verdict == PICA_VERDICT_DEGENERATE) {
			continue;
		}
		ck_assert_msg(k < w->n, "%s, seed %" PRIu64 ", pixel %08x: the naive history ends",
				isa_name((enum isa)(r - rigs)), job_seed, w->address);
		compare_entry(r, &all[i], &w->seen[k++], job_seed);
		n_compared++;
	}
	ck_assert_msg(k == w->n, "%s, seed %" PRIu64 ", pixel %08x: %u entries, not %u",
			isa_name((enum isa)(r - rigs)), job_seed, w->address, k, w->n);
}

/* ---- Runs ---- */

/* The result of one rig is what the naive renderer drew. */
static void compare(const struct vc4_rig *r, int ret, unsigned number, uint64_t job_seed) {
	const char *isa = isa_name((enum isa)(r - rigs));
	ck_assert_msg(ret == 0, "%s, job %u (seed %" PRIu64 "): %d %s", isa, number, job_seed, ret,
			r->log);
	if (memcmp(r->memory, want, USED_BYTES) == 0) {
		return;
	}
	uint32_t i = 0;
	while (r->memory[i] == want[i]) {
		i++;
	}
	ck_abort_msg("%s, job %u (seed %" PRIu64 "): byte %08x is %02x, not %02x (before: %02x)",
			isa, number, job_seed, RIG_BASE + i, r->memory[i], want[i], before[i]);
}

static void run_job(unsigned number) {
	seed = first_seed + number * UINT64_C(0x9E3779B97F4A7C15) + 1;
	const uint64_t job_seed = seed;
	for (uint32_t i = RIG_TARGET - RIG_BASE; i < USED_BYTES; i += 29) { /* old pictures */
		rig->memory[i] = (uint8_t)random32();
	}
	job();
	memcpy(before, rig->memory, USED_BYTES);
	memcpy(want, before, USED_BYTES);
	struct naive_vc4_watch w = { .n = 0 };
	const bool watches = number % 4 == 0; /* which needs the naive renderer three times */
	if (watches) {
		choose_pixel(&w, 4 * MOST_PX * MOST_PX / 2);
		memcpy(want, before, USED_BYTES);
	}
	const int naive = naive_vc4(want, RIG_BASE, RIG_SIZE, RIG_BINNING, rig->end[0],
			RIG_RENDERING, rig->end[1]);
	ck_assert_msg(naive == 0, "job %u (seed %" PRIu64 ") makes no sense", number, job_seed);
	for (unsigned i = 0; i < ISA_COUNT; i++) {
		if (rigs[i].memory) {
			memcpy(rigs[i].end, rig->end, sizeof(rig->end));
			memcpy(rigs[i].memory, before, USED_BYTES);
			const struct pica_watch pixel = { w.address, 1 };
			ck_assert_int_eq(pica_ctx_watch(rigs[i].ctx, watches ? &pixel : NULL,
					watches), 0);
			compare(&rigs[i], rig_run(&rigs[i]), number, job_seed);
			if (watches) {
				compare_history(&rigs[i], &w, job_seed);
			}
		}
	}
}

TEST(random_jobs_are_drawn_as_the_naive_renderer_does) {
	before = malloc(USED_BYTES);
	want = calloc(1, RIG_SIZE);
	ck_assert(before && want);
	naive_vc4_sfu = qpu_sfu;
	rig = NULL;
	for (unsigned i = 0; i < ISA_COUNT; i++) {
		if (isa_available((enum isa)i)) {
			rig_open(&rigs[i], (enum isa)i, i % 3);
			rig = rig ? rig : &rigs[i];
		}
	}
	for (unsigned number = 0; number < n_jobs; number++) {
		run_job(number);
	}
	ck_assert(n_jobs < 500 || n_compared > n_jobs / 8);
	for (unsigned i = 0; i < ISA_COUNT; i++) {
		if (rigs[i].memory) {
			rig_close(&rigs[i]);
		}
	}
	free(before);
	free(want);
}

int main(int argc, char **argv) {
	const char *draws = getenv("PICA_TEST_DRAWS"); /* of slow builds; a job is ten draws */
	if (draws) {
		n_jobs = (unsigned)strtoul(draws, NULL, 0) / 10;
	}
	if (argc > 1) {
		n_jobs = (unsigned)strtoul(argv[1], NULL, 0);
	}
	if (argc > 2) {
		first_seed = strtoull(argv[2], NULL, 0);
	}
	return suite_run();
}
