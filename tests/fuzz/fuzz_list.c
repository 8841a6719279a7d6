/*
 * Command lists and copy engines through a context, with small budgets. An input is
 *
 *	u32     jobs (bits 0-1), changes of the state (bits 2-5), pairs of list words (bits 8-19)
 *	jobs    8 words each: operation, arguments
 *	changes 2 words each: place in struct pica_state, value; loaded before the list
 *	list    at 0x20000000
 *	rest    vertices, indices: at 0x20080000
 *
 * and runs on two engines, plain C and the best of this machine, in fresh contexts over the same
 * memory: two windows of noise, laid out as in random-draws. Both must leave the same memory,
 * registers and counters. With libFuzzer, half of the mutations are entries of a list.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "pica.h"
#include "pica/regs/regs.h"

enum {
	WINDOWS = 2,
	WINDOW_BYTES = 0x100000,
	VRAM = 0x18000000,
	FCRAM = 0x20000000,
	VERTICES_OFFSET = 0x80000,
	MAX_PAIRS = 0xFFF,
	JOB_WORDS = 8,
	MAX_JOBS = 3,
	MAX_CHANGES = 15,
	ENGINES = 2,
};

static const uint32_t window_phys[WINDOWS] = { VRAM, FCRAM };

struct engine {
	struct pica_device *device;
	uint8_t *memory[WINDOWS];
	struct pica_state state;
	struct pica_stats stats;
	uint64_t results;
};

static struct engine engines[ENGINES];
static unsigned n_engines;
static uint8_t *noise[WINDOWS];

/* ---- Start ---- */

static uint32_t random_word(uint64_t *s) {
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return (uint32_t)(*s * UINT64_C(0x2545F4914F6CDD1D) >> 32);
}

static void *memory_new(void) {
	void *p = aligned_alloc(4096, WINDOW_BYTES);
	FUZZ_CHECK(p);
	return p;
}

static void open_engine(const char *isa) {
	struct engine *e = &engines[n_engines++];
	struct pica_settings settings;
	pica_settings_init(&settings);
	settings.isa = isa;
	settings.texture_cache_bytes = 1 << 20;
	FUZZ_CHECK(pica_device_create(&e->device, &settings) == 0);
	for (unsigned i = 0; i < WINDOWS; i++) {
		e->memory[i] = memory_new();
	}
}

static void start(void) {
	uint64_t s = 88172645463325252;
	for (unsigned i = 0; i < WINDOWS; i++) {
		noise[i] = memory_new();
		for (size_t k = 0; k < WINDOW_BYTES; k += 4) {
			uint32_t w = random_word(&s);
			memcpy(noise[i] + k, &w, 4);
		}
	}
	open_engine("c");
	open_engine(NULL);
	if (strcmp(pica_device_isa(engines[1].device), "c") == 0) {
		fprintf(stderr, "one instruction set only: nothing to compare\n");
		n_engines = 1;
	}
}

/* ---- An input ---- */

struct input {
	struct pica_job job[MAX_JOBS + 1];
	unsigned n_jobs;
	uint32_t change[MAX_CHANGES][2];
	unsigned n_changes;
	const uint8_t *list, *vertices;
	size_t list_bytes, vertex_bytes;
};

static struct pica_job make_job(const uint32_t *w) {
	static const uint16_t ops[] = { PICA_OP_FILL, PICA_OP_TRANSFER, PICA_OP_COPY,
		PICA_OP_REG_WRITE, PICA_OP_INVALIDATE, PICA_OP_PRESENT, PICA_OP_BARRIER };
	static const uint8_t words[] = { 5, 5, 5, 3, 2, 2, 0 };
	const unsigned kind = w[0] % (sizeof(ops) / sizeof(ops[0]));
	struct pica_job job = { .op = ops[kind] };
	memcpy(job.u.args, w + 1, 4 * words[kind]);
	return job;
}

static bool parse(struct input *in, const uint8_t *data, size_t size) {
	uint32_t head, words[JOB_WORDS];
	memset(in, 0, sizeof(*in));
	if (size < 4) {
		return false;
	}
	memcpy(&head, data, 4);
	const uint8_t *p = data + 4, *end = data + size;
	unsigned n_jobs = head & 3;
	in->n_changes = head >> 2 & MAX_CHANGES;
	const size_t change_bytes = in->n_changes * sizeof(in->change[0]);
	if ((size_t)(end - p) < n_jobs * sizeof(words) + change_bytes) {
		return false;
	}
	memcpy(in->change, p + n_jobs * sizeof(words), change_bytes);
	in->list = p + n_jobs * sizeof(words) + change_bytes;
	in->list_bytes = (size_t)(end - in->list) & ~(size_t)7;
	if (in->list_bytes > 8 * (head >> 8 & MAX_PAIRS)) {
		in->list_bytes = 8 * (head >> 8 & MAX_PAIRS);
	}
	in->vertices = in->list + in->list_bytes;
	in->vertex_bytes = (size_t)(end - in->vertices);
	if (in->vertex_bytes > WINDOW_BYTES - VERTICES_OFFSET) {
		in->vertex_bytes = WINDOW_BYTES - VERTICES_OFFSET;
	}
	if (in->list_bytes) {
		in->job[in->n_jobs++] = (struct pica_job){ .op = PICA_OP_LIST,
			.u.list = { .addr = FCRAM, .size_bytes = (uint32_t)in->list_bytes } };
	}
	for (; n_jobs > 0; n_jobs--, p += sizeof(words)) {
		memcpy(words, p, sizeof(words));
		in->job[in->n_jobs++] = make_job(words);
	}
	return true;
}

/* Loads a state as a file could hold it, which may fail but do no harm. */
static void change_state(struct engine *e, struct pica_ctx *ctx, const struct input *in) {
	FUZZ_CHECK(pica_ctx_save_state(ctx, &e->state) == 0);
	for (unsigned i = 0; i < in->n_changes; i++) {
		memcpy((uint8_t *)&e->state + 4 * (in->change[i][0] % (sizeof(e->state) / 4)),
				&in->change[i][1], 4);
	}
	int ret = pica_ctx_load_state(ctx, &e->state);
	FUZZ_CHECK(ret == 0 || ret == -EINVAL);
	e->results = (uint64_t)(int64_t)ret;
}

static void run(struct engine *e, const struct input *in) {
	struct pica_ctx_settings settings;
	pica_ctx_settings_init(&settings);
	settings.fcram_bytes = settings.vram_bytes = 0;
	settings.budgets = (struct pica_budgets){ .list_words = 1 << 14,
		.list_jumps = 16,
		.vertices = 512,
		.shader_steps = 1 << 10,
		.pixels = 1 << 20,
		.job_steps = 1 << 16 };
	for (unsigned i = 0; i < WINDOWS; i++) {
		memcpy(e->memory[i], noise[i], WINDOW_BYTES);
	}
	if (in->list_bytes) {
		memcpy(e->memory[1], in->list, in->list_bytes);
	}
	if (in->vertex_bytes) {
		memcpy(e->memory[1] + VERTICES_OFFSET, in->vertices, in->vertex_bytes);
	}
	struct pica_ctx *ctx = NULL;
	FUZZ_CHECK(pica_ctx_create(&ctx, e->device, &settings) == 0);
	for (unsigned i = 0; i < WINDOWS; i++) {
		FUZZ_CHECK(pica_ctx_map(ctx, window_phys[i], WINDOW_BYTES, e->memory[i], 0) == 0);
	}
	e->results = 0;
	if (in->n_changes) {
		change_state(e, ctx, in);
	}
	uint64_t seq = 0, submitted = 0;
	for (unsigned i = 0; i < in->n_jobs; i++) {
		int ret = pica_submit(ctx, &in->job[i], 1, &seq);
		FUZZ_CHECK(ret == 0 || ret == -EINVAL);
		submitted += ret == 0;
		e->results = e->results * 1000003 + (uint64_t)(int64_t)ret;
	}
	FUZZ_CHECK(pica_wait(ctx, seq, -1) == 0);
	struct pica_done done[MAX_JOBS + 1];
	int n = pica_reap(ctx, done, MAX_JOBS + 1);
	FUZZ_CHECK(n >= 0 && (uint64_t)n == submitted);
	for (int i = 0; i < n; i++) {
		e->results = (e->results * 1000003 + (uint64_t)(int64_t)done[i].result) * 1000003 +
				done[i].flags;
	}
	FUZZ_CHECK(pica_ctx_save_state(ctx, &e->state) == 0);
	e->stats = (struct pica_stats){ .size = sizeof(e->stats) };
	FUZZ_CHECK(pica_stats(ctx, &e->stats) == 0);
	pica_ctx_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct input in;
	if (n_engines == 0) {
		start();
	}
	if (!parse(&in, data, size)) {
		return 0;
	}
	for (unsigned i = 0; i < n_engines; i++) {
		run(&engines[i], &in);
	}
	const struct engine *a = &engines[0], *b = &engines[n_engines - 1];
	for (unsigned i = 0; i < WINDOWS; i++) {
		FUZZ_CHECK(memcmp(a->memory[i], b->memory[i], WINDOW_BYTES) == 0);
	}
	FUZZ_CHECK(a->results == b->results);
	FUZZ_CHECK(memcmp(&a->state, &b->state, sizeof(a->state)) == 0);
	FUZZ_CHECK(a->stats.draws == b->stats.draws && a->stats.triangles == b->stats.triangles);
	FUZZ_CHECK(a->stats.drawn_triangles == b->stats.drawn_triangles);
	FUZZ_CHECK(a->stats.fragments == b->stats.fragments);
	FUZZ_CHECK(memcmp(a->stats.faults, b->stats.faults, sizeof(a->stats.faults)) == 0);
	return 0;
}

/* ---- Mutations ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Returns a register that a list can write, more often one that has an effect. */
static uint32_t random_register(uint64_t *s) {
	for (;;) {
		uint32_t id = random_word(s) % PICA_REG_COUNT;
		enum reg_kind kind = reg_kind(id);
		if (kind == REG_KIND_PORT || kind == REG_KIND_TRIGGER ||
				(kind == REG_KIND_CONFIG && random_word(s) % 4 == 0)) {
			return id;
		}
	}
}

static uint32_t random_value(uint64_t *s) {
	uint32_t w = random_word(s);
	switch (random_word(s) % 8) {
	case 0:
		return 0;
	case 1:
		return 1u << (w & 31);
	case 2:
		return w & 0xFF;
	case 3:
		return w & 0x00070007;
	case 4:
		return (w & 1 ? VRAM : FCRAM) / 8 + (w >> 8) % (WINDOW_BYTES / 8); /* an address */
	case 5:
		return UINT32_MAX;
	default:
		return w;
	}
}

/* Inserts an entry, or changes an entry's value, header or one bit. */
static size_t mutate_list(uint8_t *data, size_t size, size_t max_size, uint64_t *s) {
	uint32_t head, entry[2];
	memcpy(&head, data, 4);
	size_t at = 4 + (head & 3) * 4 * JOB_WORDS + (head >> 2 & MAX_CHANGES) * 8,
			pairs = head >> 8 & MAX_PAIRS;
	if (at > size) {
		return size;
	}
	if (pairs > (size - at) / 8) {
		pairs = (size - at) / 8;
	}
	entry[0] = random_value(s);
	entry[1] = random_register(s) | (random_word(s) % 8 ? 0xF0000 : random_word(s) & 0xFFF0000);
	uint8_t *place = data + at + 8 * (pairs ? random_word(s) % pairs : 0);
	unsigned what = random_word(s) % 4;
	if ((what == 0 || pairs == 0) && size + 8 <= max_size && pairs < MAX_PAIRS) {
		memmove(place + 8, place, size - (size_t)(place - data));
		memcpy(place, entry, 8);
		head = (head & ~(MAX_PAIRS << 8)) | (uint32_t)(pairs + 1) << 8;
		memcpy(data, &head, 4);
		return size + 8;
	}
	if (pairs == 0) {
		return size;
	}
	if (what == 1) {
		memcpy(place, entry, 4);
	} else if (what == 2) {
		memcpy(place, entry, 8);
	} else {
		place[random_word(s) % 4] ^= (uint8_t)(1u << random_word(s) % 8);
	}
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
	uint64_t s = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	if (size < 4 || random_word(&s) % 2) {
		return LLVMFuzzerMutate(data, size, max_size);
	}
	for (unsigned n = 1 + random_word(&s) % 4; n > 0; n--) {
		size = mutate_list(data, size, max_size, &s);
	}
	return size;
}
