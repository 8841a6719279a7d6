#include "naive_side.h"

#include <errno.h>
#include <string.h>

#include <sys/mman.h>

/* External registers, as offsets from 0x10400000 in words. [fidelity: external-registers] */
enum {
	EXTERNAL_BASE = 0x10400000,
	INTERNAL_BASE = 0x10401000,
	INTERNAL_END = 0x10401C00,
	FILL_START = 0x010 / 4,
	FILL_END = 0x014 / 4,
	FILL_VALUE = 0x018 / 4,
	FILL_CONTROL = 0x01C / 4,
	FILL_STEP = 0x10 / 4,
	PPF_IN = 0xC00 / 4,
	PPF_OUT = 0xC04 / 4,
	PPF_OUT_DIM = 0xC08 / 4,
	PPF_IN_DIM = 0xC0C / 4,
	PPF_FLAGS = 0xC10 / 4,
	PPF_CONTROL = 0xC18 / 4,
	PPF_COPY_BYTES = 0xC20 / 4,
	PPF_COPY_IN = 0xC24 / 4,
	PPF_COPY_OUT = 0xC28 / 4,
	PPF_IS_COPY = 1 << 3,
	START = 1,
};

static void start_fill(struct side *s, unsigned unit) {
	const uint32_t *w = s->external + unit * FILL_STEP;
	const struct pica_job job = { .op = PICA_OP_FILL,
		.u.fill = { .start = w[FILL_START] << 3,
				.end = w[FILL_END] << 3,
				.value = w[FILL_VALUE],
				.control = w[FILL_CONTROL],
				.unit = unit } };
	s->error = naive_job(s->naive, &job);
}

static void start_transfer(struct side *s) {
	const uint32_t *w = s->external;
	struct pica_job job = { .op = PICA_OP_TRANSFER };
	if (w[PPF_FLAGS] & PPF_IS_COPY) {
		job.op = PICA_OP_COPY;
		job.u.copy = (struct pica_job_copy){ .src = w[PPF_IN] << 3,
			.dst = w[PPF_OUT] << 3,
			.size_bytes = w[PPF_COPY_BYTES],
			.in_line = w[PPF_COPY_IN],
			.out_line = w[PPF_COPY_OUT] };
	} else {
		job.u.transfer = (struct pica_job_transfer){ .src = w[PPF_IN] << 3,
			.dst = w[PPF_OUT] << 3,
			.out_dim = w[PPF_OUT_DIM],
			.in_dim = w[PPF_IN_DIM],
			.flags = w[PPF_FLAGS] };
	}
	s->error = naive_job(s->naive, &job);
}

/* Internal register 18F0, id 23C, starts a list of the size and address in 238 and 23A. */
static void internal_write(struct side *s, uint32_t id, uint32_t value) {
	enum { LIST_SIZE = 0x238, LIST_ADDR = 0x23A, LIST_START = 0x23C };
	if (id == LIST_START) {
		naive_run_list(s->naive, naive_read_reg(s->naive, LIST_ADDR) << 3,
				naive_read_reg(s->naive, LIST_SIZE) << 3);
	} else {
		naive_write_reg(s->naive, id, value, 0xF);
	}
}

static void reg_write(struct side *s, uint32_t addr, uint32_t value) {
	if (addr >= INTERNAL_BASE && addr < INTERNAL_END) {
		internal_write(s, (addr - INTERNAL_BASE) / 4, value);
		return;
	}
	if (addr < EXTERNAL_BASE || addr >= INTERNAL_BASE) {
		return; /* the LCD */
	}
	const uint32_t word = (addr - EXTERNAL_BASE) / 4;
	s->external[word] = value;
	if (!(value & START)) {
		return;
	}
	if (word == FILL_CONTROL || word == FILL_CONTROL + FILL_STEP) {
		start_fill(s, word != FILL_CONTROL);
	} else if (word == PPF_CONTROL) {
		start_transfer(s);
	}
}

int side_job(struct side *s, const struct pica_job *job) {
	if (job->op == PICA_OP_REG_WRITE) {
		reg_write(s, job->u.reg_write.addr, job->u.reg_write.value);
	} else {
		s->error = naive_job(s->naive, job);
	}
	return s->error;
}

/* Not from the heap, which tests fill when it is freed. */
static uint8_t *map(size_t size_bytes) {
	void *at = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

int side_init(struct side *s, const struct pica_state *state) {
	*s = (struct side){ .naive = naive_create(PICA_FLOAT_F24),
		.vram = map(VRAM_BYTES),
		.fcram = map(FCRAM_BYTES) };
	if (!s->naive || !s->vram || !s->fcram) {
		return -ENOMEM;
	}
	naive_map(s->naive, VRAM, VRAM_BYTES, s->vram);
	naive_map(s->naive, FCRAM, FCRAM_BYTES, s->fcram);
	naive_load_state(s->naive, state);
	memcpy(s->external, state->external, sizeof(s->external));
	return 0;
}

void side_finish(struct side *s) {
	naive_destroy(s->naive);
	if (s->vram) {
		munmap(s->vram, VRAM_BYTES);
	}
	if (s->fcram) {
		munmap(s->fcram, FCRAM_BYTES);
	}
}
