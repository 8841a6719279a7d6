/* Memory of the two renderers, comparison, and lists packed from draws. */
#include "random_rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pica/regs/regs.h"

const uint32_t rig_window_phys[2] = {WIN_VRAM, WIN_FCRAM};

void rig_trouble(const char *what, int error) {
	fprintf(stderr, "random-draws: %s: %s\n", what, strerror(error));
	exit(2);
}

/* ---- Rigs ---- */

void rig_destroy(struct rig *rig) {
	pica_ctx_destroy(rig->ctx);
	naive_destroy(rig->naive);
	for (unsigned i = 0; i < 2; i++) {
		free(rig->engine_mem[i]);
		free(rig->naive_mem[i]);
	}
}

void rig_create(struct rig *rig, struct pica_device *device, enum pica_float mode, uint64_t seed,
		uint64_t stream) {
	struct pica_ctx_settings settings;
	*rig = (struct rig){.device = device};
	pica_ctx_settings_init(&settings);
	settings.fcram_bytes = 0;
	settings.vram_bytes = 0;
	const int ret = pica_ctx_create(&rig->ctx, device, &settings);
	if (ret < 0) {
		rig_trouble("pica_ctx_create", -ret);
	}
	rig->naive = naive_create(mode);
	if (!rig->naive) {
		rig_trouble("naive_create", ENOMEM);
	}
	struct rng r;
	rng_seed(&r, seed, stream);
	for (unsigned i = 0; i < 2; i++) {
		rig->engine_mem[i] = aligned_alloc(4096, WIN_BYTES);
		rig->naive_mem[i] = malloc(WIN_BYTES);
		if (!rig->engine_mem[i] || !rig->naive_mem[i]) {
			rig_trouble("memory", ENOMEM);
		}
		rng_bytes(&r, rig->engine_mem[i], WIN_BYTES);
		memcpy(rig->naive_mem[i], rig->engine_mem[i], WIN_BYTES);
		const int err = pica_ctx_map(
			rig->ctx, rig_window_phys[i], WIN_BYTES, rig->engine_mem[i], 0);
		if (err < 0) {
			rig_trouble("pica_ctx_map", -err);
		}
		naive_map(rig->naive, rig_window_phys[i], WIN_BYTES, rig->naive_mem[i]);
	}
}

static bool memory_differs(const struct rig *rig) {
	for (unsigned i = 0; i < 2; i++) {
		if (memcmp(rig->engine_mem[i], rig->naive_mem[i], WIN_BYTES) != 0) {
			return true;
		}
	}
	return false;
}

static bool words_differ(
	const char *what, const uint32_t *engine, const uint32_t *naive, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		if (engine[i] != naive[i]) {
			printf("%s %u: engine %08X, naive %08X\n", what, i, engine[i], naive[i]);
			return true;
		}
	}
	return false;
}

/* NaNs have no agreed payload. */
static void same_nan(uint32_t (*f24)[4], unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < 4; k++) {
			if ((f24[i][k] & 0x7F0000) == 0x7F0000 && (f24[i][k] & 0xFFFF)) {
				f24[i][k] = 0x7F8000;
			}
		}
	}
}

static bool unit_differs(const char *name, struct pica_shader_state *engine,
		struct pica_shader_state *naive, unsigned n_code) {
	char what[64];
	same_nan(engine->uniforms, 96);
	same_nan(naive->uniforms, 96);
	snprintf(what, sizeof(what), "%s code word", name);
	bool differs = words_differ(what, engine->code, naive->code, n_code);
	snprintf(what, sizeof(what), "%s descriptor", name);
	differs |= words_differ(what, engine->operand_descriptors, naive->operand_descriptors, 128);
	snprintf(what, sizeof(what), "%s uniform component", name);
	return differs |
	       words_differ(what, &engine->uniforms[0][0], &naive->uniforms[0][0], 96 * 4);
}

/*
 * Compares registers, tables and shader memories. In two modes the geometry unit's uniforms hold
 * the output of the vertex program, so this compares every bit of shader arithmetic.
 */
static bool state_differs(const struct rig *rig) {
	static struct pica_state engine, naive;
	const int ret = pica_ctx_save_state(rig->ctx, &engine);
	if (ret < 0) {
		rig_trouble("pica_ctx_save_state", -ret);
	}
	naive_save_state(rig->naive, &naive);
	bool differs = false;
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		/* Whether the cache bit, a trigger, reads back is unknown. */
		const uint32_t mask =
			id == REG_TEXUNIT_CONFIG ? ~TEXUNIT_CONFIG_CLEAR_CACHE_SET(1) : ~0u;
		if (reg_kind(id) == REG_KIND_CONFIG &&
			((engine.regs[id] ^ naive.regs[id]) & mask)) {
			printf("register %03X %s: engine %08X, naive %08X\n", id, reg_name(id),
				engine.regs[id], naive.regs[id]);
			differs = true;
		}
	}
	differs |= words_differ("fog table", engine.tables.fog, naive.tables.fog, 128);
	differs |= words_differ("gas table", engine.tables.gas, naive.tables.gas, 16);
	differs |= words_differ("procedural table word", &engine.tables.proctex[0][0],
			&naive.tables.proctex[0][0], 16 * 256);
	differs |= unit_differs("vertex", &engine.vs, &naive.vs, 512);
	return differs | unit_differs("geometry", &engine.gs, &naive.gs, 4096);
}

/* Runs the jobs on both. A job that fails in the engine alone is a difference. */
static bool rig_run(struct rig *rig, const struct pica_job *jobs, unsigned n) {
	uint64_t seq;
	int ret = pica_submit(rig->ctx, jobs, n, &seq);
	if (ret < 0) {
		printf("random-draws: pica_submit: %s\n", strerror(-ret));
		return false;
	}
	for (unsigned i = 0; i < n; i++) {
		ret = naive_job(rig->naive, &jobs[i]);
		if (ret < 0) {
			rig_trouble("naive_job", -ret);
		}
	}
	ret = pica_wait(rig->ctx, seq, -1);
	if (ret < 0) {
		rig_trouble("pica_wait", -ret);
	}
	bool ok = true;
	struct pica_done done[64];
	for (int got; (got = pica_reap(rig->ctx, done, ARRAY_LEN(done))) > 0;) {
		for (int i = 0; i < got; i++) {
			if (done[i].result < 0) {
				printf("random-draws: job %" PRIu64 " failed: %s\n",
					done[i].user_data, strerror(-done[i].result));
				ok = false;
			}
		}
	}
	return ok;
}

/* ---- Packing: draws that follow each other share lists, parts of which are joined by jumps ----
 */

struct packer {
	struct rig *rig;
	struct rng r;
	uint32_t next; /* bytes used of the list area */
	uint32_t start,
		size_word; /* of the open part; where its size goes when a jump leads to it */
	bool is_open, is_jumped_to;
	struct pica_job jobs[2 * GROUP_MAX_ITEMS];
	unsigned n_jobs;
};

static void store_word(struct packer *p, uint32_t offset, uint32_t word) {
	const uint32_t at = LIST_AREA - WIN_FCRAM + offset;
	if (offset + 4 > LIST_AREA_BYTES) {
		rig_trouble("list area", ENOSPC);
	}
	memcpy(p->rig->engine_mem[1] + at, &word, 4);
	memcpy(p->rig->naive_mem[1] + at, &word, 4);
}

static void append(struct packer *p, const uint32_t *words, uint32_t n) {
	for (uint32_t i = 0; i < n; i++) {
		store_word(p, p->next, words[i]);
		p->next += 4;
	}
}

static void push_job(struct packer *p, const struct pica_job *job) {
	p->jobs[p->n_jobs] = *job;
	p->jobs[p->n_jobs].user_data = p->n_jobs;
	p->n_jobs++;
}

/* Closes the open part: its size becomes known. */
static void close_part(struct packer *p) {
	while (p->next % 16 != 0) {
		append(p, (const uint32_t[]){0, 0}, 2);
	}
	const uint32_t bytes = p->next - p->start;
	if (p->is_jumped_to) {
		store_word(p, p->size_word, bytes >> 3);
	} else {
		push_job(p, &(struct pica_job){
			.op = PICA_OP_LIST,
			.u.list = {.addr = LIST_AREA + p->start, .size_bytes = bytes},
		});
	}
}

static void open_part(struct packer *p, bool is_jumped_to, uint32_t size_word) {
	p->start = p->next;
	p->is_open = true;
	p->is_jumped_to = is_jumped_to;
	p->size_word = size_word;
}

static void jump(struct packer *p) {
	const unsigned channel = rng_below(&p->r, 2);
	const uint32_t size_word = p->next;
	/* After the jump: up to the end of this part, 16-aligned. */
	const uint32_t target = (p->next + 24 + 15) / 16 * 16;
	const uint32_t words[6] = {
		0, (REG_CMDBUF_SIZE0 + channel) | 15u << 16,
		(LIST_AREA + target) >> 3, (REG_CMDBUF_ADDR0 + channel) | 15u << 16,
		1, (REG_CMDBUF_JUMP0 + channel) | 15u << 16,
	};
	append(p, words, 6);
	close_part(p);
	open_part(p, true, size_word);
}

static void end_list(struct packer *p) {
	if (!p->is_open) {
		return;
	}
	const unsigned kind = rng_below(&p->r, 100);
	if (kind < 90) {
		append(p, (const uint32_t[]){0x12345678, REG_FINALIZE | 15u << 16}, 2);
	} else if (kind < 97) { /* one matching byte is enough */
		append(p, (const uint32_t[]){0x00340000, REG_FINALIZE | 15u << 16}, 2);
	}
	close_part(p);
	p->is_open = false;
}

static void pack(
	struct packer *p, const struct group *g, unsigned first, unsigned last, bool apart) {
	push_job(p, &(struct pica_job){
		.op = PICA_OP_INVALIDATE,
		.u.invalidate = {.addr = LIST_AREA, .size_bytes = LIST_AREA_BYTES},
	});
	for (unsigned i = first; i < last; i++) {
		const struct item *item = &g->item[i];
		if (!item->is_draw) {
			end_list(p);
			push_job(p, &item->job);
			continue;
		}
		if (p->is_open && rng_chance(&p->r, 25)) {
			end_list(p);
		} else if (p->is_open && rng_chance(&p->r, 15)) {
			jump(p);
		}
		if (!p->is_open) {
			open_part(p, false, 0);
		}
		append(p, g->words + item->first_word, item->n_words);
		if (apart) {
			end_list(p);
		}
	}
	end_list(p);
}

bool rig_differs(const struct rig *rig) {
	const bool memory = memory_differs(rig);
	return state_differs(rig) || memory;
}

bool rig_run_items(struct rig *rig, const struct group *g, unsigned first, unsigned last,
		bool apart, uint64_t stream) {
	static struct packer p;
	memset(&p, 0, sizeof(p));
	p.rig = rig;
	rng_seed(&p.r, 77, stream);
	pack(&p, g, first, last, apart);
	return rig_run(rig, p.jobs, p.n_jobs);
}

