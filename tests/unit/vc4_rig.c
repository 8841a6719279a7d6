#include "vc4_rig.h"

#include <check.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vc4/qpu/qpu.h"

static void *make_tile_scratch(void) {
	return tile_scratch_create(vc4_frag_stage.scratch_bytes);
}

static void drop_tile_scratch(void *s) {
	tile_scratch_destroy(s);
}

static void *make_vertex_scratch(void) {
	return vertex_scratch_create(vc4_vertex_stage.scratch_bytes);
}

static void drop_vertex_scratch(void *s) {
	vertex_scratch_destroy(s);
}

static void ignore(void *arg) {
}

static void retired(void *arg, uint64_t job, int result, enum pica_budget budget) {
	struct vc4_rig *r = arg;
	r->result = result;
}

void rig_open(struct vc4_rig *r, enum isa isa, unsigned n_threads) {
	memset(r, 0, sizeof(*r));
	struct engine *e = &r->e;
	r->n_threads = n_threads;
	r->pixels = UINT64_C(1) << 32;
	r->steps = UINT64_C(1) << 30;
	raster_kernels_init(&e->raster, isa);
	qpu_kernels_init(&r->k.qpu, isa);
	atomic_init(&e->order, 1);
	atomic_init(&e->kept_bytes, 0);
	e->slice_ns = 1000000;
	e->notify = ignore;
	ck_assert_int_eq(monitor_init(&e->caches), 0);
	ck_assert_int_eq(spares_init(&e->spare_tile, n_threads, make_tile_scratch,
					 drop_tile_scratch),
			0);
	ck_assert_int_eq(spares_init(&e->spare_vertex, n_threads, make_vertex_scratch,
					 drop_vertex_scratch),
			0);
	ck_assert_int_eq(pool_create(&e->pool, n_threads, 0), 0);
	const unsigned n = engine_scratches(e);
	e->tile_scratch = calloc(n, sizeof(*e->tile_scratch));
	e->vertex_scratch = calloc(n, sizeof(*e->vertex_scratch));
	for (unsigned i = 0; i < n; i++) {
		e->tile_scratch[i] = make_tile_scratch();
		e->vertex_scratch[i] = make_vertex_scratch();
	}
	space_init(&r->space);
	ck_assert_int_eq(space_map(&r->space, RIG_BASE, RIG_SIZE, NULL, 0), 0);
	r->memory = space_host(&r->space, RIG_BASE, RIG_SIZE);
	ck_assert_int_eq(exec_init(&r->x, e, &r->space, &r->k, NULL), 0);
	r->x.retired = retired;
	r->x.owner = r;
	exec_join(&r->x);
}

void rig_close(struct vc4_rig *r) {
	exec_finish(&r->x);
	const unsigned n = engine_scratches(&r->e);
	pool_destroy(r->e.pool);
	for (unsigned i = 0; i < n; i++) {
		tile_scratch_destroy(r->e.tile_scratch[i]);
		vertex_scratch_destroy(r->e.vertex_scratch[i]);
	}
	free(r->e.tile_scratch);
	free(r->e.vertex_scratch);
	spares_finish(&r->e.spare_tile);
	spares_finish(&r->e.spare_vertex);
	monitor_finish(&r->e.caches);
	space_finish(&r->space);
}

void *rig_at(struct vc4_rig *r, uint32_t addr) {
	ck_assert(addr >= RIG_BASE && addr - RIG_BASE < RIG_SIZE);
	return r->memory + (addr - RIG_BASE);
}

static unsigned put_hex(uint8_t *to, const char *hex) {
	unsigned n = 0;
	for (; *hex; hex++) {
		unsigned byte;
		if (isxdigit((unsigned char)*hex)) {
			ck_assert_int_eq(sscanf(hex++, "%2x", &byte), 1);
			to[n++] = (uint8_t)byte;
		}
	}
	return n;
}

void rig_hex(struct vc4_rig *r, uint32_t addr, const char *hex) {
	put_hex(rig_at(r, addr), hex);
}

void rig_list(struct vc4_rig *r, unsigned list, const char *hex) {
	r->end[list] += put_hex(rig_at(r, r->end[list]), hex);
}

/* Little-endian bytes as hex. */
static void put_bytes(struct vc4_rig *r, unsigned list, uint32_t value, unsigned n) {
	memcpy(rig_at(r, r->end[list]), &value, n);
	r->end[list] += n;
}

void rig_program(struct vc4_rig *r, uint32_t addr, const char *text) {
	uint64_t *words;
	size_t n;
	struct qpu_error error;
	const int ret = qpu_assemble(text, strlen(text), &words, &n, &error);
	ck_assert_msg(ret == 0, "line %u: %s", error.line, error.message);
	memcpy(rig_at(r, addr), words, n * sizeof(*words));
	free(words);
}

void rig_begin(struct vc4_rig *r, unsigned width, unsigned height, uint32_t clear, unsigned flags) {
	const unsigned px = flags & 1 ? 32 : 64;
	r->end[0] = RIG_BINNING;
	r->end[1] = RIG_RENDERING;
	r->columns = (width + px - 1) / px;
	r->rows = (height + px - 1) / px;
	put_bytes(r, 0, 0x70, 1);
	put_bytes(r, 0, RIG_TILES, 4);
	put_bytes(r, 0, r->columns * r->rows * 32, 4);
	put_bytes(r, 0, RIG_STATE, 4);
	put_bytes(r, 0, r->columns | r->rows << 8 | (4 | flags) << 16, 3);
	put_bytes(r, 0, 0x06, 1);
	put_bytes(r, 0, 0x66, 1);
	put_bytes(r, 0, 0, 4);
	put_bytes(r, 0, width | height << 16, 4);
	put_bytes(r, 1, 0x72, 1);
	put_bytes(r, 1, clear, 4);
	put_bytes(r, 1, clear, 4);
	put_bytes(r, 1, 0, 4);
	put_bytes(r, 1, 0, 1);
	put_bytes(r, 1, 0x71, 1);
	put_bytes(r, 1, RIG_TARGET, 4);
	put_bytes(r, 1, width | height << 16, 4);
	put_bytes(r, 1, 4 | flags, 2);
	rig_list(r, 1, "73 00 00 1C 0000 00000000");
}

void rig_end(struct vc4_rig *r) {
	rig_list(r, 0, "04");
	for (unsigned tile = 0; tile < r->columns * r->rows; tile++) {
		put_bytes(r, 1, 0x73 | tile % r->columns << 8 | tile / r->columns << 16, 3);
		put_bytes(r, 1, 0x11, 1);
		put_bytes(r, 1, RIG_TILES + 32 * tile, 4);
		put_bytes(r, 1, tile + 1 < r->columns * r->rows ? 0x18 : 0x19, 1);
	}
}

int rig_run(struct vc4_rig *r) {
	const struct vc4_job job = { .job = 1,
		.start = { RIG_BINNING, RIG_RENDERING },
		.end = { r->end[0], r->end[1] },
		.pixels = r->pixels,
		.steps = r->steps,
		.unit_opened = ignore };
	const int ret = vc4_job_run(&r->unit, &r->x, &job, &r->error);
	exec_wait_all(&r->x);
	return ret;
}

uint32_t rig_crc32(const void *data, size_t size) {
	const uint8_t *byte = data;
	uint32_t crc = ~0u;
	for (size_t i = 0; i < size; i++) {
		crc ^= byte[i];
		for (unsigned k = 0; k < 8; k++) {
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
		}
	}
	return ~crc;
}
