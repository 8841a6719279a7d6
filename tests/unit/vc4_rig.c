#include "vc4_rig.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vc4/qpu/qpu.h"

static void keep_line(void *user, enum pica_log_level level, const char *line) {
	struct vc4_rig *r = user;
	snprintf(r->log, sizeof(r->log), "%s", line);
}

void rig_open(struct vc4_rig *r, enum isa isa, unsigned n_threads) {
	memset(r, 0, sizeof(*r));
	struct pica_settings s;
	pica_settings_init(&s);
	s.n_threads = n_threads;
	s.isa = isa_name(isa);
	s.log = keep_line;
	s.log_user = r;
	ck_assert_int_eq(pica_device_create(&r->device, &s), 0);
	r->ctx = rig_context(r->device, NULL);
	r->memory = pica_ctx_host(r->ctx, RIG_BASE, RIG_SIZE);
}

struct pica_ctx *rig_context(struct pica_device *device, const struct pica_budgets *budgets) {
	struct pica_ctx *ctx;
	struct pica_ctx_settings s;
	pica_ctx_settings_init(&s);
	s.chip = PICA_CHIP_VC4;
	if (budgets) {
		s.budgets = *budgets;
	}
	ck_assert_int_eq(pica_ctx_create(&ctx, device, &s), 0);
	void *memory = aligned_alloc(4096, RIG_SIZE);
	ck_assert_ptr_nonnull(memory);
	memset(memory, 0, RIG_SIZE);
	ck_assert_int_eq(pica_ctx_map(ctx, RIG_BASE, RIG_SIZE, memory, 0), 0);
	return ctx;
}

void rig_drop(struct pica_ctx *ctx) {
	void *memory = pica_ctx_host(ctx, RIG_BASE, RIG_SIZE);
	pica_ctx_destroy(ctx);
	free(memory);
}

void rig_close(struct vc4_rig *r) {
	rig_drop(r->ctx);
	pica_device_destroy(r->device);
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

struct pica_job rig_job(const struct vc4_rig *r) {
	struct pica_job job = { .op = PICA_OP_CONTROL_LISTS };
	job.u.control_lists.binning_start = RIG_BINNING;
	job.u.control_lists.binning_end = r->end[0];
	job.u.control_lists.rendering_start = RIG_RENDERING;
	job.u.control_lists.rendering_end = r->end[1];
	return job;
}

struct pica_done rig_submit(struct pica_ctx *ctx, const struct pica_job *job) {
	struct pica_done done;
	uint64_t seq;
	ck_assert_int_eq(pica_submit(ctx, job, 1, &seq), 0);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	ck_assert_int_eq(pica_reap(ctx, &done, 1), 1);
	return done;
}

int rig_run(struct vc4_rig *r) {
	const struct pica_job job = rig_job(r);
	r->done = rig_submit(r->ctx, &job);
	return r->done.result;
}

struct pica_stats rig_stats(struct pica_ctx *ctx) {
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	return stats;
}
