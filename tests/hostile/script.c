/* Scripts: jobs of every kind with any arguments, and calls of the API between them. */
#include "hostile.h"

#include <string.h>

enum {
	INTERNAL = 0x10401000,
	EXTERNAL = 0x10400000,
	LCD = 0x10202000,
};

/* ---- Jobs ---- */

static uint32_t size_of_something(struct rng *r) {
	return rng_chance(r, 80) ? rng_below(r, 0x8000) :
			rng_chance(r, 50) ? rng_below(r, 0x200000) :
			rng_nasty(r);
}

/* Returns width and height of a transfer: mostly small, since large ones are slow. */
static uint32_t dimensions(struct rng *r) {
	uint32_t limit = rng_chance(r, 90) ? 160 : 600;
	uint32_t w = rng_below(r, limit), h = rng_below(r, limit);
	return rng_chance(r, 3) ? rng_nasty(r) : w | h << 16;
}

static void any_fill(struct rng *r, struct pica_job *job) {
	job->op = PICA_OP_FILL;
	job->u.fill.start = memory_address(r) & ~15u;
	job->u.fill.end = (job->u.fill.start + size_of_something(r)) & ~15u;
	job->u.fill.value = rng_word(r);
	job->u.fill.control = rng_word(r);
	job->u.fill.unit = rng_below(r, 2);
}

static void any_transfer(struct rng *r, struct pica_job *job) {
	job->op = PICA_OP_TRANSFER;
	job->u.transfer.src = memory_address(r) & ~7u;
	job->u.transfer.dst = (rng_chance(r, 20) ? job->u.transfer.src + 8 * rng_below(r, 512) :
						   memory_address(r)) & ~7u;
	job->u.transfer.out_dim = dimensions(r);
	job->u.transfer.in_dim = rng_chance(r, 50) ? job->u.transfer.out_dim : dimensions(r);
	job->u.transfer.flags = rng_word(r) & (rng_chance(r, 80) ? 0x03017727 : 0xFFFFFFFF);
}

static void any_copy(struct rng *r, struct pica_job *job) {
	job->op = PICA_OP_COPY;
	job->u.copy.src = memory_address(r) & ~7u;
	job->u.copy.dst = (rng_chance(r, 20) ? job->u.copy.src + 8 * rng_below(r, 64) :
					       memory_address(r)) &
			~7u;
	job->u.copy.size_bytes = size_of_something(r);
	job->u.copy.in_line =
			rng_chance(r, 80) ? rng_below(r, 64) | rng_below(r, 8) << 16 : rng_nasty(r);
	job->u.copy.out_line =
			rng_chance(r, 80) ? rng_below(r, 64) | rng_below(r, 8) << 16 : rng_nasty(r);
}

/* The registers that start copy engines, and those with their arguments. */
static void external_write(struct rng *r, struct pica_job_reg_write *w) {
	static const uint16_t ports[] = { 0x010, 0x014, 0x018, 0x01C, 0x020, 0x024, 0x028, 0x02C,
		0xC00, 0xC04, 0xC08, 0xC0C, 0xC10, 0xC18, 0xC20, 0xC24, 0xC28, 0x468, 0x470, 0x474,
		0x478, 0x490, 0x494 };
	uint32_t port = ports[rng_below(r, sizeof(ports) / sizeof(ports[0]))];
	w->addr = EXTERNAL + (rng_chance(r, 90) ? port : 4 * rng_below(r, 0x400));
	switch (port) {
	case 0xC00:
	case 0xC04:
	case 0x010:
	case 0x014:
		w->value = memory_address(r) >> 3;
		break;
	case 0xC08:
	case 0xC0C:
		w->value = dimensions(r);
		break;
	case 0x490:
		w->value = rng_chance(r, 80) ? rng_below(r, 2048) : rng_nasty(r);
		break;
	case 0x468:
	case 0x494:
		w->value = memory_address(r);
		break;
	case 0xC20:
		w->value = rng_below(r, 0x10000);
		break;
	default:
		w->value = rng_nasty(r) | (rng_chance(r, 50) ? 1 : 0);
		break;
	}
}

static void any_reg_write(struct rng *r, struct pica_job *job) {
	job->op = PICA_OP_REG_WRITE;
	switch (rng_below(r, 10)) {
	case 0:
		job->u.reg_write.addr = LCD + 4 * rng_below(r, 0x400);
		job->u.reg_write.value = rng_word(r);
		break;
	case 1:
		job->u.reg_write.addr = INTERNAL + 4 * rng_below(r, 0x400);
		job->u.reg_write.value = rng_nasty(r);
		job->u.reg_write.mask = rng_below(r, 16);
		break;
	default:
		external_write(r, &job->u.reg_write);
		break;
	}
}

static void any_write(struct rng *r, struct script *s, struct pica_job *job) {
	job->op = PICA_OP_WRITE;
	job->flags = rng_chance(r, 30) ? PICA_WRITE_KEEP_RENDERED : 0;
	job->u.write.addr = memory_address(r);
	job->u.write.size_bytes = rng_below(r, rng_chance(r, 70) ? 256 : SCRIPT_NOISE);
	job->u.write.data = (uintptr_t)s->noise;
}

static void any_list(struct rng *r, struct pica_job *job) {
	job->op = PICA_OP_LIST;
	job->u.list.addr = memory_address(r) & ~15u;
	job->u.list.size_bytes = size_of_something(r) & ~7u;
}

static void any_job(struct rng *r, struct script *s, struct pica_job *job) {
	memset(job, 0, sizeof(*job));
	job->user_data = rng_word(r);
	switch (rng_below(r, 16)) {
	case 0:
	case 1:
		any_fill(r, job);
		break;
	case 2:
	case 3:
	case 4:
		any_transfer(r, job);
		break;
	case 5:
	case 6:
		any_copy(r, job);
		break;
	case 7:
	case 8:
	case 9:
		any_reg_write(r, job);
		break;
	case 10:
		any_write(r, s, job);
		break;
	case 11:
		job->op = PICA_OP_INVALIDATE;
		job->u.invalidate.addr = memory_address(r);
		job->u.invalidate.size_bytes = size_of_something(r);
		break;
	case 12:
		job->op = PICA_OP_PRESENT;
		job->u.present.screens = rng_below(r, 4);
		break;
	case 13:
		job->op = (uint16_t)rng_below(r, PICA_OP_COUNT + 2);
		break;
	case 14:
		any_list(r, job);
		break;
	default: /* refused, unless it is luck */
		for (unsigned i = 0; i < sizeof(job->u.args); i++) {
			job->u.args[i] = (uint8_t)(rng_chance(r, 50) ? rng_word(r) : 0);
		}
		job->op = (uint16_t)rng_nasty(r);
		job->flags = (uint16_t)rng_nasty(r);
		if (job->op == PICA_OP_WRITE || job->op == PICA_OP_STATS) {
			/* their pointers are trusted */
			job->op = PICA_OP_FILL;
		}
		break;
	}
}

/* ---- Steps ---- */

static struct step *add_step(struct script *s, enum step_kind kind) {
	if (s->n_steps == SCRIPT_STEPS) {
		s->n_steps--; /* the last one is replaced: a longer script is of no use */
	}
	struct step *step = &s->step[s->n_steps++];
	memset(step, 0, sizeof(*step));
	step->kind = kind;
	step->first = s->n_jobs;
	return step;
}

static struct pica_job *add_job(struct script *s, struct step *step) {
	if (s->n_jobs == SCRIPT_JOBS) {
		return NULL;
	}
	step->n++;
	return &s->job[s->n_jobs++];
}

static void list_step(struct script *s, unsigned slot, uint32_t bytes) {
	struct step *step = add_step(s, STEP_SUBMIT);
	struct pica_job *job = add_job(s, step);
	if (job) {
		memset(job, 0, sizeof(*job));
		job->op = PICA_OP_LIST;
		job->user_data = slot;
		job->u.list.addr = window_places[WINDOW_LISTS].phys + slot * LIST_SLOT_BYTES;
		job->u.list.size_bytes = bytes;
	}
}

static void jobs_step(struct rng *r, struct script *s) {
	struct step *step = add_step(s, STEP_JOBS);
	for (unsigned n = 1 + rng_below(r, 6); n; n--) {
		struct pica_job *job = add_job(s, step);
		if (job) {
			any_job(r, s, job);
		}
	}
}

/* Submits the writes of a list one by one, as an emulator does. */
static void register_step(
		struct rng *r, struct script *s, const uint32_t *words, uint32_t n_words) {
	struct step *step = add_step(s, rng_chance(r, 50) ? STEP_SUBMIT : STEP_JOBS);
	uint32_t limit = 400;
	for (uint32_t i = 0; i + 1 < n_words && limit;) {
		uint32_t value = words[i], header = words[i + 1];
		uint32_t id = header & 0xFFFF, mask = header >> 16 & 15,
			 extra = header >> 20 & 0xFF;
		i += 2;
		for (uint32_t k = 0; limit; k++, limit--) {
			struct pica_job *job = mask && id < 0x300 ? add_job(s, step) : NULL;
			if (job) {
				memset(job, 0, sizeof(*job));
				job->op = PICA_OP_REG_WRITE;
				job->u.reg_write.addr = INTERNAL + 4 * id;
				job->u.reg_write.value = value;
				job->u.reg_write.mask = mask;
			}
			if (k == extra || i >= n_words) {
				break;
			}
			id += header >> 31;
			value = words[i++];
		}
		i = (i + 1) & ~1u;
	}
}

static void api_step(struct rng *r, struct script *s) {
	static const enum step_kind kinds[] = { STEP_WAIT, STEP_SCREENS, STEP_SURFACE, STEP_SURFACE,
		STEP_STATE, STEP_READ_REGS, STEP_WRITE_MEMORY, STEP_READ_MEMORY, STEP_REMAP,
		STEP_LOOK };
	struct step *step = add_step(s, kinds[rng_below(r, sizeof(kinds) / sizeof(kinds[0]))]);
	step->args[0] = memory_address(r);
	step->args[1] = rng_below(r, SCRIPT_NOISE);
	switch (step->kind) {
	case STEP_SURFACE:
		step->args[1] = rng_below(r, 16);
		step->args[2] = 8 * rng_below(r, 20) + (rng_chance(r, 10) ? 1 : 0);
		step->args[3] = 8 * rng_below(r, 20);
		break;
	case STEP_STATE:
		step->args[0] = rng_chance(r, 50);
		step->args[1] = rng_below(r, PICA_REG_COUNT);
		step->args[2] = rng_nasty(r);
		break;
	case STEP_REMAP:
		step->args[0] = rng_below(r, WINDOW_COUNT);
		break;
	default:
		break;
	}
}

/* Small budgets that end each list soon, and sometimes almost at once. */
static void any_budgets(struct rng *r, struct pica_budgets *b) {
	b->list_words = 20000;
	b->list_jumps = 40;
	b->vertices = 12000;
	b->shader_steps = 300;
	b->job_steps = 1000000;
	b->pixels = 4000000;
	if (rng_chance(r, 20)) {
		b->list_words = 1 + rng_below(r, 4000);
		b->list_jumps = 1 + rng_below(r, 4);
	}
	if (rng_chance(r, 20)) {
		b->vertices = 1 + rng_below(r, 500);
	}
	if (rng_chance(r, 20)) {
		b->shader_steps = 1 + rng_below(r, 50);
		b->job_steps = 1 + rng_below(r, 40000);
	}
	if (rng_chance(r, 20)) {
		b->pixels = 1 + rng_below(r, 100000);
	}
}

void script_make(struct script *s, struct memory *start, uint64_t seed, unsigned n_lists) {
	struct rng rng, *r = &rng;
	rng_seed(r, seed, 0);
	s->seed = seed;
	s->n_steps = s->n_jobs = 0;
	memset(&s->budgets, 0, sizeof(s->budgets));
	any_budgets(r, &s->budgets);
	memory_fill(start, r);
	for (unsigned i = 0; i < SCRIPT_NOISE / 4; i++) {
		s->noise[i] = rng_nasty(r);
	}
	uint32_t bytes[LIST_SLOTS];
	for (unsigned i = 0; i < LIST_SLOTS; i++) {
		static uint32_t words[LIST_SLOT_BYTES / 4];
		bytes[i] = list_make(r, words, LIST_SLOT_BYTES / 4 - 4);
		memcpy(start->block[WINDOW_LISTS] + i * LIST_SLOT_BYTES, words, bytes[i]);
	}
	for (unsigned i = 0; i < n_lists; i++) {
		unsigned slot = rng_below(r, LIST_SLOTS);
		if (rng_chance(r, 12)) {
			static uint32_t words[LIST_SLOT_BYTES / 4];
			memcpy(words, start->block[WINDOW_LISTS] + slot * LIST_SLOT_BYTES,
					bytes[slot]);
			register_step(r, s, words, bytes[slot] / 4);
		} else {
			list_step(s, slot, bytes[slot]);
		}
		if (rng_chance(r, 40)) {
			jobs_step(r, s);
		}
		if (rng_chance(r, 25)) {
			api_step(r, s);
		}
	}
}
