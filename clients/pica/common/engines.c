#include "engines.h"

/* Physical addresses.  [fidelity: external-registers] */
enum {
	BASE = 0x10400000,
	PSC0_CONTROL = 0x1040001C,
	PSC1_CONTROL = 0x1040002C,
	PPF_IN_ADDR = 0x10400C00,
	PPF_OUT_ADDR = 0x10400C04,
	PPF_OUT_DIM = 0x10400C08,
	PPF_IN_DIM = 0x10400C0C,
	PPF_FLAGS = 0x10400C10,
	PPF_CONTROL = 0x10400C18,
	PPF_SIZE = 0x10400C20,
	PPF_IN_LINE = 0x10400C24,
	PPF_OUT_LINE = 0x10400C28,
};

static uint32_t word(const struct engines *e, uint32_t addr) {
	return e->external[(addr - BASE) / 4];
}

static bool start_fill(const struct engines *e, uint32_t control, struct pica_job *out) {
	*out = (struct pica_job){ .op = PICA_OP_FILL };
	out->u.fill.start = word(e, control - 12) << 3;
	out->u.fill.end = word(e, control - 8) << 3;
	out->u.fill.value = word(e, control - 4);
	out->u.fill.control = word(e, control);
	out->u.fill.unit = control == PSC1_CONTROL;
	return out->u.fill.start != 0; /* a unit that is not used [fidelity: fill, gsp-queue] */
}

static bool start_transfer(const struct engines *e, struct pica_job *out) {
	const uint32_t src = word(e, PPF_IN_ADDR) << 3, dst = word(e, PPF_OUT_ADDR) << 3;
	if (word(e, PPF_FLAGS) & ENGINES_COPY) {
		*out = (struct pica_job){ .op = PICA_OP_COPY };
		out->u.copy = (struct pica_job_copy){ .src = src,
			.dst = dst,
			.size_bytes = word(e, PPF_SIZE),
			.in_line = word(e, PPF_IN_LINE),
			.out_line = word(e, PPF_OUT_LINE) };
		return true;
	}
	*out = (struct pica_job){ .op = PICA_OP_TRANSFER };
	out->u.transfer = (struct pica_job_transfer){ .src = src,
		.dst = dst,
		.out_dim = word(e, PPF_OUT_DIM),
		.in_dim = word(e, PPF_IN_DIM),
		.flags = word(e, PPF_FLAGS) };
	return true;
}

bool engines_job(struct engines *e, const struct pica_job *job, struct pica_job *out) {
	*out = *job;
	if (job->op == PICA_OP_FILL) {
		return job->u.fill.start != 0;
	}
	if (job->op != PICA_OP_REG_WRITE) {
		return job->op == PICA_OP_TRANSFER || job->op == PICA_OP_COPY;
	}
	const uint32_t addr = job->u.reg_write.addr, value = job->u.reg_write.value;
	if (addr < BASE || (addr - BASE) / 4 >= PICA_EXTERNAL_WORDS) {
		return false;
	}
	e->external[(addr - BASE) / 4] = value;
	if (!(value & 1)) {
		return false;
	}
	if (addr == PPF_CONTROL) {
		return start_transfer(e, out);
	}
	return (addr == PSC0_CONTROL || addr == PSC1_CONTROL) && start_fill(e, addr, out);
}

unsigned engines_pixel_bytes(uint32_t format) {
	return format == 0 ? 4 : format == 1 ? 3 : 2;
}
