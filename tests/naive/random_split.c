/*
 * Replaces a context, at random job boundaries, by a new one that loads its state: it must draw the
 * same as a context that is kept, and end in the same state.
 *
 * --record: also records stretches of the context that is kept; each recording must end with the
 * memory and state of that context.
 *
 * The draws are those of random-draws. Some are single register writes, so that boundaries also
 * fall inside a uniform, an immediate vertex or a strip. Exits with 0; 1: a difference, described
 * on stdout; 2: other errors.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"
#include "pica/regs/regs.h"
#include "pica_record.h"
#include "random.h"

struct side {
	struct pica_ctx *ctx;
	uint8_t *memory[2]; /* WIN_VRAM, WIN_FCRAM */
};

struct split {
	struct pica_device *device;
	struct side whole, parts; /* parts: replaced now and then */
	struct rng r;             /* where */
	uint64_t seq;
	unsigned n_splits, n_boundaries, n_recordings;
	const char *record; /* path, or NULL */
	uint32_t draw; /* being drawn */
};

static struct group group;
static const uint32_t window_phys[2] = {WIN_VRAM, WIN_FCRAM};

static void check(const char *what, int ret) {
	if (ret < 0) {
		fprintf(stderr, "random-split: %s: %s\n", what, strerror(-ret));
		exit(2);
	}
}

static struct pica_ctx *new_context(struct split *s, struct side *side) {
	struct pica_ctx_settings settings;
	struct pica_ctx *ctx;
	pica_ctx_settings_init(&settings);
	settings.fcram_bytes = settings.vram_bytes = 0;
	check("pica_ctx_create", pica_ctx_create(&ctx, s->device, &settings));
	for (unsigned i = 0; i < 2; i++) {
		check("pica_ctx_map",
				pica_ctx_map(ctx, window_phys[i], WIN_BYTES, side->memory[i], 0));
	}
	return ctx;
}

static void side_create(struct split *s, struct side *side, uint64_t seed, uint64_t epoch) {
	struct rng r;
	rng_seed(&r, seed, UINT64_C(0x1000000) + epoch);
	for (unsigned i = 0; i < 2; i++) {
		side->memory[i] = aligned_alloc(4096, WIN_BYTES);
		check("memory", side->memory[i] ? 0 : -ENOMEM);
		rng_bytes(&r, side->memory[i], WIN_BYTES);
	}
	side->ctx = new_context(s, side);
}

static void side_destroy(struct side *side) {
	pica_ctx_destroy(side->ctx);
	free(side->memory[0]);
	free(side->memory[1]);
}

/* The context continues in a new one. */
static void replace(struct split *s) {
	static struct pica_state state;
	check("pica_ctx_save_state", pica_ctx_save_state(s->parts.ctx, &state));
	pica_ctx_destroy(s->parts.ctx);
	s->parts.ctx = new_context(s, &s->parts);
	check("pica_ctx_load_state", pica_ctx_load_state(s->parts.ctx, &state));
	s->n_splits++;
}

/* Runs a job on both; replaces the context before it in so many percent of the cases. */
static void run(struct split *s, const struct pica_job *job, unsigned permille) {
	s->n_boundaries++;
	if (rng_below(&s->r, 1000) < permille) {
		replace(s);
	}
	check("pica_submit", pica_submit(s->whole.ctx, job, 1, NULL));
	check("pica_submit", pica_submit(s->parts.ctx, job, 1, NULL));
}

static void run_register(
		struct split *s, uint32_t id, uint32_t word, uint32_t mask, unsigned permille) {
	struct pica_job job = {.op = PICA_OP_REG_WRITE};
	if (id >= PICA_REG_COUNT || mask == 0) {
		return; /* no address, or no byte: as in a list, nothing */
	}
	job.u.reg_write.addr = 0x10401000 + 4 * id;
	job.u.reg_write.value = word;
	job.u.reg_write.mask = mask;
	run(s, &job, permille);
}

/* The words of a draw as single writes. */
static void run_registers(struct split *s, const uint32_t *words, uint32_t n) {
	for (uint32_t at = 0; at + 2 <= n;) {
		const uint32_t header = words[at + 1], extra = header >> 20 & 0xFF;
		uint32_t id = header & 0xFFFF;
		run_register(s, id, words[at], header >> 16 & 15, 5);
		at += 2;
		for (uint32_t k = 0; k < extra && at < n; k++) {
			id += header >> 31;
			run_register(s, id, words[at++], header >> 16 & 15, 5);
		}
		at = (at + 1) & ~1u;
	}
}

static void idle(struct split *s) {
	struct pica_stats stats = {.size = sizeof(stats)};
	check("pica_stats", pica_stats(s->whole.ctx, &stats));
	check("pica_stats", pica_stats(s->parts.ctx, &stats));
}

/* The program changes its memory: vertices without an INVALIDATE, textures and targets with one. */
static void change_memory(struct split *s) {
	static const uint32_t area[3][2] = {
		{VERTEX_AREA, VERTEX_AREA_BYTES / 16}, {TEXTURE_AREA, TEXTURE_AREA_BYTES},
				{WIN_VRAM, WIN_BYTES},
	};
	const unsigned which = rng_below(&s->r, 3);
	const uint32_t bytes = 1 + rng_below(&s->r, which ? 5000 : 3000);
	const uint32_t addr = area[which][0] + rng_below(&s->r, area[which][1] - bytes);
	const unsigned window = addr >= WIN_FCRAM;
	uint8_t noise[5000];
	rng_bytes(&s->r, noise, bytes);
	idle(s);
	memcpy(s->whole.memory[window] + (addr - window_phys[window]), noise, bytes);
	memcpy(s->parts.memory[window] + (addr - window_phys[window]), noise, bytes);
	if (which) {
		struct pica_job job = { .op = PICA_OP_INVALIDATE,
			.u.invalidate = { .addr = addr, .size_bytes = bytes } };
		run(s, &job, 200);
	}
}

static void run_list(struct split *s, const uint32_t *words, uint32_t n) {
	const uint32_t end[2] = {0x12345678, REG_FINALIZE | 15u << 16};
	struct pica_job job = {.op = PICA_OP_LIST};
	struct side *const sides[2] = {&s->whole, &s->parts};
	idle(s);
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *at = sides[i]->memory[1] + (LIST_AREA - WIN_FCRAM);
		memcpy(at, words, 4 * (size_t)n);
		memcpy(at + 4 * (size_t)n, end, sizeof(end));
	}
	job.u.list.addr = LIST_AREA;
	job.u.list.size_bytes = 4 * (n + 2);
	run(s, &job, 300);
}

/* Some words of a table, with its index left in the middle. */
static void run_table(struct split *s) {
	static const uint32_t port[4][2] = {
		{ REG_LIGHTING_LUT_INDEX, REG_LIGHTING_LUT_DATA0 },
		{ REG_FOG_LUT_INDEX, REG_FOG_LUT_DATA0 },
		{ REG_PROCTEX_LUT, REG_PROCTEX_LUT_DATA0 },
		{ REG_GAS_LUT_INDEX, REG_GAS_LUT_DATA },
	};
	const uint32_t *p = port[rng_below(&s->r, 4)];
	const unsigned n = 1 + rng_below(&s->r, 20);
	run_register(s, p[0], rng_below(&s->r, 0x2000), 15, 5);
	for (unsigned i = 0; i < n; i++) {
		run_register(s, p[1], rng_word(&s->r), 15, 50);
	}
}

static void run_group(struct split *s) {
	for (unsigned i = 0; i < group.n_items; i++) {
		const struct item *item = &group.item[i];
		if (!item->is_draw) {
			run(s, &item->job, 200);
			continue;
		}
		s->draw = item->draw;
		if (rng_chance(&s->r, 20)) {
			run_table(s);
		}
		if (rng_chance(&s->r, 20)) {
			change_memory(s);
		}
		if (rng_chance(&s->r, 25)) {
			run_registers(s, group.words + item->first_word, item->n_words);
		} else {
			run_list(s, group.words + item->first_word, item->n_words);
		}
	}
}

static bool states_differ(struct split *s) {
	static struct pica_state whole, parts;
	check("pica_ctx_save_state", pica_ctx_save_state(s->whole.ctx, &whole));
	check("pica_ctx_save_state", pica_ctx_save_state(s->parts.ctx, &parts));
	if (memcmp(&whole, &parts, sizeof(whole)) == 0) {
		return false;
	}
	const uint32_t *a = (const uint32_t *)&whole, *b = (const uint32_t *)&parts;
	for (size_t i = 0; i < sizeof(whole) / 4; i++) {
		if (a[i] != b[i]) {
			printf("state word %zu of %zu: whole %08X, split %08X\n", i,
					sizeof(whole) / 4, a[i], b[i]);
			break;
		}
	}
	return true;
}

static bool differs(struct split *s) {
	bool differ = states_differ(s); /* waits for both */
	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < WIN_BYTES; k++) {
			if (s->whole.memory[i][k] != s->parts.memory[i][k]) {
				printf("memory %08X: whole %02X, split %02X\n", window_phys[i] + k,
						s->whole.memory[i][k], s->parts.memory[i][k]);
				return true;
			}
		}
	}
	return differ;
}

/* ---- Recording ---- */

static void record_begin(struct split *s, struct pica_recorder **recorder) {
	struct pica_recorder_settings settings;
	pica_recorder_settings_init(&settings);
	settings.key_frames = 1 + rng_below(&s->r, 5);
	settings.level = 1;
	check("pica_recorder_start",
			pica_recorder_start(recorder, s->whole.ctx, s->record, &settings));
}

/* The memory that a replay from a key on leaves, against ours. */
static bool replay_differs(struct split *s, struct pica_capture *capture, uint32_t key) {
	static struct pica_state whole, replayed;
	struct pica_ctx_settings settings;
	struct pica_capture_event event;
	struct pica_ctx *ctx;
	int ret;
	pica_capture_ctx_settings(capture, &settings);
	check("pica_ctx_create", pica_ctx_create(&ctx, s->device, &settings));
	check("pica_capture_seek", pica_capture_seek(capture, key, NULL));
	check("pica_capture_load", pica_capture_load(capture, ctx));
	while ((ret = pica_capture_next(capture, &event)) > 0) {
		check("pica_submit", pica_submit(ctx, &event.job, 1, NULL));
	}
	check("pica_capture_next", ret);
	check("pica_ctx_save_state", pica_ctx_save_state(s->whole.ctx, &whole));
	check("pica_ctx_save_state", pica_ctx_save_state(ctx, &replayed));
	bool differ = memcmp(&whole, &replayed, sizeof(whole)) != 0;
	for (unsigned i = 0; i < 2; i++) {
		const uint8_t *host = pica_ctx_host(ctx, window_phys[i], WIN_BYTES);
		differ |= memcmp(host, s->whole.memory[i], WIN_BYTES) != 0;
	}
	if (differ) {
		printf("replayed from frame %u: state or memory differ\n", key);
	}
	pica_ctx_destroy(ctx);
	return differ;
}

/* True: the recording differs from what happened. */
static bool record_end(struct split *s, struct pica_recorder *recorder) {
	struct pica_capture_error error;
	struct pica_capture *capture;
	struct pica_capture_info info;
	for (unsigned i = 0; i < 2; i++) { /* memory that no job has read is compared, too */
		struct pica_job job = { .op = PICA_OP_INVALIDATE,
			.u.invalidate = { .addr = window_phys[i], .size_bytes = WIN_BYTES } };
		check("pica_submit", pica_submit(s->whole.ctx, &job, 1, NULL));
	}
	s->n_recordings++;
	if (pica_recorder_finish(recorder, &error) < 0 ||
			pica_capture_open(&capture, s->record, &error) < 0) {
		printf("recording: %s\n", error.message);
		return true;
	}
	pica_capture_info(capture, &info);
	bool differ = replay_differs(s, capture, 0) ||
			replay_differs(s, capture, rng_below(&s->r, info.frames + 1));
	pica_capture_close(capture);
	return differ;
}

/* False: a difference. */
static bool run_epoch(struct split *s, uint64_t seed, uint32_t epoch, uint32_t draws) {
	struct gen gen = {.is_fresh = true, .next_draw = epoch * EPOCH_DRAWS};
	struct pica_recorder *recorder = NULL;
	bool ok = true;
	rng_seed(&gen.r, seed, epoch);
	rng_seed(&s->r, seed, UINT64_C(0x2000000) + epoch);
	side_create(s, &s->whole, seed, epoch);
	side_create(s, &s->parts, seed, epoch);
	for (uint32_t k = 0; k < EPOCH_GROUPS && k * GROUP_DRAWS < draws && ok; k++) {
		random_group(&gen, &group, GROUP_DRAWS);
		if (s->record && !recorder && rng_chance(&s->r, 50)) {
			record_begin(s, &recorder);
		}
		run_group(s);
		ok = !differs(s);
		run(s, &(struct pica_job){.op = PICA_OP_PRESENT}, 0);
		if (recorder && (!ok || rng_chance(&s->r, 15))) {
			ok = !record_end(s, recorder) && ok;
			recorder = NULL;
		}
		if (!ok) {
			printf("difference: seed %" PRIu64 ", draws up to %u\n", seed, s->draw);
		}
	}
	ok = ok && !(recorder && record_end(s, recorder));
	side_destroy(&s->whole);
	side_destroy(&s->parts);
	return ok;
}

struct options {
	uint64_t seed;
	uint32_t draws, threads;
	enum pica_float mode;
	const char *record;
};

static const char *const floats[] = { "f24", "f32", NULL };

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
	{ "seed", 0, "N", "Of the random numbers (1)", OPTION_U64, .at = AT(seed),
			.max = UINT64_MAX },
	{ "draws", 0, "N", "That many (4000)", OPTION_U32, .at = AT(draws), .max = UINT32_MAX },
	{ "threads", 0, "N", "Workers (0)", OPTION_U32, .at = AT(threads), .max = 64 },
	{ "float", 0, NULL, "Arithmetic of shaders (f24)", OPTION_CHOICE, .at = AT(mode),
			.words = floats },
	{ "record", 0, "PATH", "Records some of it there, and replays that", OPTION_TEXT, .at = AT(record) },
};
static const struct option_spec spec = {
	.doc = "Replaces a context by a new one at random job boundaries; both must draw the same.",
	.tables = { OPTION_TABLE(rows, 0, 0) },
};

int main(int argc, char **argv) {
	struct pica_settings settings;
	struct split s = {0};
	struct options o = { .seed = 1, .draws = 4000 };
	uint32_t done = 0;
	options_parse(&spec, argc, argv, &o);
	pica_settings_init(&settings);
	settings.n_threads = o.threads;
	settings.float_mode = o.mode;
	s.record = o.record;
	check("pica_device_create", pica_device_create(&s.device, &settings));
	bool ok = true;
	for (uint32_t epoch = 0; done < o.draws && ok; epoch++) {
		ok = run_epoch(&s, o.seed, epoch, o.draws - done);
		done += EPOCH_DRAWS;
	}
	pica_device_destroy(s.device);
	if (s.record) {
		remove(s.record);
		printf("random-split: %u recordings replayed\n", s.n_recordings);
	}
	if (ok) {
		printf("random-split: %u draws, %u of %u job boundaries with a new context, 0 differences\n",
				done < o.draws ? done : o.draws, s.n_splits, s.n_boundaries);
	}
	return ok ? 0 : 1;
}
