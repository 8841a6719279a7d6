/*
 * Contexts of the VideoCore IV: unknown chips, jobs of the other chip, and lists and programs that
 * never end, leave memory, or change while they are read.
 */
#include "hostile.h"

#include "pica.h"

#include "tests/unit/vc4_seed.h"

enum { SEED_PROGRAM = 0xC00, MANY = 40 };

struct evil {
	struct raw r;
	uint32_t context;
	uint8_t *memory; /* SEED_BYTES at SEED_BASE */
};

static bool evil_open(struct evil *e, struct bench *b) {
	EXPECT(raw_open(&e->r, b->daemon->socket, 8) == 0);
	EXPECT(e->r.welcome.features & PICA_FEATURE_BIT_CHIPS);
	e->context = (uint32_t)raw_context_of(
			&e->r, (struct pica_msg_context_create){ .chip = PICA_CHIP_VC4 });
	EXPECT(raw_region(&e->r, e->context, SEED_BASE, SEED_BYTES, &e->memory, NULL) > 0);
	seed_fill(e->memory, false);
	return true;
}

static struct pica_job *put_lists(struct evil *e, uint32_t binning, uint32_t binning_end) {
	struct pica_job *job = raw_slot(&e->r, e->context, PICA_OP_CONTROL_LISTS, 1);
	job->u.control_lists = (struct pica_job_control_lists){ binning, binning_end,
		SEED_RENDERING, SEED_RENDERING_END, { 0 } };
	return job;
}

/* The neighbour is served, and this client draws its picture. */
static bool all_is_well(struct bench *b, struct evil *e) {
	EXPECT(neighbour_is_well(b));
	seed_fill(e->memory, false);
	put_lists(e, SEED_BINNING, SEED_BINNING_END);
	EXPECT(raw_run(&e->r) == 0);
	EXPECT(seed_crc32(e->memory + SEED_TARGET - SEED_BASE, SEED_PICTURE_BYTES) == SEED_CRC);
	return true;
}

#define VC4_CASE(case_name) \
	OPEN_CASE(case_name, struct evil, e, evil_open(e, b), raw_close(&e->r))

SESSION_CASE(chip_that_does_not_exist) {
	static const struct {
		uint32_t chip, vram_bytes, arithmetic;
		const char *text;
	} wrong[] = { { 2, 0, 0, "chip" }, { 0xFFFFFFFF, 0, 0, "chip" },
		{ PICA_CHIP_VC4, 6 << 20, 0, "does not have" },
		{ PICA_CHIP_VC4, 0, PICA_ARITHMETIC_OWN, "does not have" } };
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct pica_msg_context_create m = { .chip = wrong[i].chip,
			.vram_bytes = wrong[i].vram_bytes, .arithmetic = wrong[i].arithmetic };
		EXPECT(is_context_refused(r, m, -EINVAL, wrong[i].text));
	}
	return true;
}

/* Each way round. */
VC4_CASE(jobs_of_the_other_chip) {
	static const enum pica_op ops[] = { PICA_OP_LIST, PICA_OP_FILL, PICA_OP_REG_WRITE };
	struct neighbour other;
	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		struct pica_job *job = raw_slot(&e->r, e->context, ops[i], 1);
		if (ops[i] == PICA_OP_LIST) {
			job->u.list.addr = SEED_BASE;
			job->u.list.size_bytes = 64;
		}
		EXPECT(raw_run(&e->r) < 0);
	}
	EXPECT(neighbour_open(&other, b->daemon->socket) == 0);
	raw_slot(&other.raw, other.context, PICA_OP_CONTROL_LISTS, 1);
	EXPECT(raw_run(&other.raw) == -EOPNOTSUPP);
	EXPECT(neighbour_frame(&other) == 0);
	neighbour_close(&other);
	return all_is_well(b, e);
}

VC4_CASE(control_list_that_jumps_in_circles) {
	struct pica_done done;
	put_hex(e->memory + 0x20, "01 10 20001000");
	put_lists(e, SEED_BASE + 0x20, SEED_BASE + 0x26);
	raw_publish(&e->r);
	EXPECT(raw_wait(&e->r, &done, RAW_PATIENCE_MS) == 0);
	EXPECT(done.result == -EDQUOT);
	return all_is_well(b, e);
}

/* A list, a shader record and vertices outside every window: the completion has the place. */
VC4_CASE(control_lists_outside_of_memory) {
	struct pica_done done;
	put_lists(e, 0x3FFFFFF0, 0x3FFFFFFF);
	EXPECT(raw_run(&e->r) == -ERANGE);
	put_word(e->memory + SEED_SHADER_STATE - SEED_BASE + 1, 0x3FFFFF00);
	put_lists(e, SEED_BINNING, SEED_BINNING_END);
	raw_publish(&e->r);
	EXPECT(raw_wait(&e->r, &done, RAW_PATIENCE_MS) == 0);
	EXPECT(done.result == -ERANGE && done.flags & PICA_DONE_PLACE);
	EXPECT(!(done.flags & PICA_DONE_RENDERING));
	EXPECT(done.flags >> PICA_DONE_PLACE_SHIFT == SEED_SHADER_STATE - SEED_BINNING);
	return all_is_well(b, e);
}

VC4_CASE(qpu_program_without_end) {
	/* brr -, -32: to itself; three delay slots */
	put_hex(e->memory + SEED_PROGRAM, "E0FFFFFF E709F8F0 00709E00 E7090010 00709E00 E7090010 "
			"00709E00 E7090010");
	put_lists(e, SEED_BINNING, SEED_BINNING_END);
	EXPECT(raw_run(&e->r) == -EDQUOT);
	return all_is_well(b, e);
}

/* Noise as lists, records, vertices and programs. */
VC4_CASE(control_lists_of_noise) {
	uint32_t x = 0x9E3779B9;
	for (unsigned k = 0; k < MANY; k++) {
		seed_fill(e->memory, k & 1);
		const unsigned from = k % 4 * 0x400, n = k % 3 ? 8 : 0x400;
		for (unsigned i = 0; i < n; i++) {
			x = x * 1664525 + 1013904223;
			e->memory[k % 3 ? from + (x >> 8) % 0x400 : from + i] = (uint8_t)(x >> 24);
		}
		put_lists(e, SEED_BINNING, SEED_BINNING_END);
		const int ret = raw_run(&e->r);
		EXPECT(ret != -ETIME && ret != -ECONNRESET);
	}
	return all_is_well(b, e);
}

/* Bytes of lists and data change between good and bad values while the job runs. */
VC4_CASE(control_lists_that_change) {
	struct pica_done done;
	uint32_t x = 1;
	for (unsigned k = 0; k < MANY; k++) {
		seed_fill(e->memory, false);
		put_lists(e, SEED_BINNING, SEED_BINNING_END);
		raw_publish(&e->r);
		int ret = -ETIME;
		for (unsigned i = 0; i < 100000 && ret == -ETIME; i++) {
			x = x * 1664525 + 1013904223;
			volatile uint8_t *at = e->memory + (x >> 8) % 0xC80;
			const uint8_t was = *at;
			*at = (uint8_t)(x >> 24);
			ret = i % 64 ? ret : raw_wait(&e->r, &done, 0);
			*at = was;
		}
		ret = ret == -ETIME ? raw_wait(&e->r, &done, RAW_PATIENCE_MS) : ret;
		EXPECT(ret == 0);
	}
	return all_is_well(b, e);
}
