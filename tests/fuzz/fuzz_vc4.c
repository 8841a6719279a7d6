/*
 * Jobs of the VideoCore IV through a context: lists, shader records, programs, vertices, textures,
 * with small budgets. An input is
 *
 *	u16     start and length of the binning list, then of the rendering list
 *	memory  from its first byte on, from which starts count; the rest is zero
 *
 * and runs on two engines, plain C and the best of this machine, in fresh contexts. They must leave
 * the same memory, unless the job fails, and the same result.
 */
#include "fuzz.h"

#include <string.h>

#include "pica.h"

enum {
	BASE = 0x00100000, WINDOW_BYTES = 0x200000, /* of memory */
	HEAD_BYTES = 8, INPUT_MOST = 65536, ENGINES = 2,
};

struct engine {
	struct pica_device *device;
	uint8_t *memory;
	struct pica_done done;
};

static struct engine engines[ENGINES];

static void start(void) {
	static const char *const isa[ENGINES] = { "c", NULL };
	for (unsigned i = 0; i < ENGINES; i++) {
		struct pica_settings settings;
		pica_settings_init(&settings);
		settings.isa = isa[i];
		FUZZ_CHECK(pica_device_create(&engines[i].device, &settings) == 0);
		engines[i].memory = aligned_alloc(4096, WINDOW_BYTES);
		FUZZ_CHECK(engines[i].memory);
	}
}

static void run(struct engine *e, const uint8_t *data, size_t size) {
	uint16_t head[4];
	struct pica_ctx *ctx;
	struct pica_ctx_settings settings;
	struct pica_job job = { .op = PICA_OP_CONTROL_LISTS };
	uint64_t seq;
	memcpy(head, data, sizeof(head));
	memset(e->memory, 0, WINDOW_BYTES);
	memcpy(e->memory, data + HEAD_BYTES, size - HEAD_BYTES);
	job.u.control_lists.binning_start = BASE + head[0];
	job.u.control_lists.binning_end = BASE + head[0] + head[1];
	job.u.control_lists.rendering_start = BASE + head[2];
	job.u.control_lists.rendering_end = BASE + head[2] + head[3];
	pica_ctx_settings_init(&settings);
	settings.chip = PICA_CHIP_VC4;
	settings.budgets.list_words = 1 << 13;
	settings.budgets.list_jumps = 1 << 10;
	settings.budgets.vertices = 1 << 12;
	settings.budgets.pixels = 1 << 20;
	settings.budgets.job_steps = 1 << 18;
	FUZZ_CHECK(pica_ctx_create(&ctx, e->device, &settings) == 0);
	FUZZ_CHECK(pica_ctx_map(ctx, BASE, WINDOW_BYTES, e->memory, 0) == 0);
	FUZZ_CHECK(pica_submit(ctx, &job, 1, &seq) == 0);
	FUZZ_CHECK(pica_wait(ctx, seq, -1) == 0);
	FUZZ_CHECK(pica_reap(ctx, &e->done, 1) == 1);
	pica_ctx_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	if (size < HEAD_BYTES) {
		return 0;
	}
	if (!engines[0].device) {
		start();
	}
	size = size < INPUT_MOST ? size : INPUT_MOST;
	for (unsigned i = 0; i < ENGINES; i++) {
		run(&engines[i], data, size);
	}
	const struct engine *a = &engines[0], *b = &engines[1];
	FUZZ_CHECK(a->done.result == b->done.result && a->done.flags == b->done.flags);
	FUZZ_CHECK(a->done.result != 0 || memcmp(a->memory, b->memory, WINDOW_BYTES) == 0);
	return 0;
}
