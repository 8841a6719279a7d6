#include "vc4/run/machine.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

void machine_init(struct machine *m, struct qpu_run *r, vc4_look_up_fn *look_up) {
	const size_t first = offsetof(struct machine, run);
	memset((unsigned char *)m + first, 0, offsetof(struct machine, tmu) - first);
	m->run = r;
	m->look_up = look_up;
	m->program = r->program;
	m->pc = r->program->entry;
	m->active = (1u << r->n_lanes) - 1;
	m->uniform = r->uniforms & QPU_ADDRESS_MASK & ~3u;
	m->vpm_read = m->vpm_write = (struct vpm_setup){
		.stride = 1, .size = 2, .is_horizontal = true, /* none left to read */
	};
	if (r->w) {
		memcpy(m->row[15], r->w, sizeof(m->row[15]));
	}
	if (r->z) {
		memcpy(m->row[QPU_ROW_B + 15], r->z, sizeof(m->row[QPU_ROW_B + 15]));
	}
	for (unsigned i = 0; i < ARRAY_LEN(m->tmu); i++) {
		m->tmu[i].first = m->tmu[i].n = 0;
		m->tmu[i].next.n_words = 0;
	}
	r->steps = 0;
	r->written = 0;
	r->warnings = 0;
}

static void set_row(uint32_t out[QPU_LANES], uint32_t v) {
	for (unsigned i = 0; i < QPU_LANES; i++) {
		out[i] = v;
	}
}

static int write_link(struct machine *m, unsigned file, unsigned address, uint32_t link) {
	PICA_ALIGNED(64) uint32_t v[QPU_LANES];
	set_row(v, link);
	if (address >= WRITE_R0 + 4) {
		return machine_write(m, file, address, v, 0xFFFF);
	}
	memcpy(m->row[address < 32 ? file * QPU_ROW_B + address :
				QPU_ROW_R + address - WRITE_R0], v, sizeof(v));
	return 0;
}

int machine_branch(struct machine *m, const struct qpu_word *w) {
	uint32_t target = w->target;
	if (w->q.has_register) {
		const uint32_t address = qpu_branch_base(w) +
				m->row[w->q.raddr_a][QPU_LANES - 1];
		target = qpu_program_find(m->program, address & QPU_ADDRESS_MASK);
	}
	if (target == QPU_NOWHERE) {
		return machine_fail(m, -EOPNOTSUPP, "branch to where no branch by a number leads");
	}
	m->target = target;
	m->to_target = DELAY_SLOTS + 1;
	const uint32_t link = qpu_after_slots(w->address) | m->program->alias;
	int ret = write_link(m, w->q.ws, w->q.waddr_add, link);
	return ret ? ret : write_link(m, !w->q.ws, w->q.waddr_mul, link);
}

int machine_signal(struct machine *m, unsigned sig) {
	if (sig == QPU_SIG_PROGRAM_END || sig == QPU_SIG_COLOR_LOAD_END) {
		machine_end(m);
	}
	if (sig == SIG_TMU0 || sig == SIG_TMU1) {
		return tmu_load(m, sig - SIG_TMU0);
	}
	if (sig == SIG_COLOR_LOAD || sig == QPU_SIG_COLOR_LOAD_END) {
		tlb_load(m);
	}
	return 0;
}

int machine_find_uniform(struct machine *m, uint32_t *out) {
	m->uniform &= QPU_ADDRESS_MASK;
	m->uniform_host = space_host_from(m->run->space, m->uniform, &m->uniform_avail);
	const uint32_t to_wrap = QPU_ADDRESS_MASK + 1 - m->uniform;
	if (m->uniform_avail < sizeof(*out)) {
		return machine_fail(m, -ERANGE, "uniform outside of memory");
	}
	m->uniform_avail = m->uniform_avail < to_wrap ? m->uniform_avail : to_wrap;
	return machine_read_uniform(m, out);
}

static void read_varying(struct machine *m, uint32_t out[QPU_LANES]) {
	const struct qpu_run *r = m->run;
	if (m->varying < r->n_varyings) {
		memcpy(out, r->varying[m->varying], QPU_LANES * sizeof(*out));
	} else {
		m->run->warnings |= QPU_WARN_VARYING;
		set_row(out, 0);
	}
}

int machine_read(struct machine *m, unsigned file, unsigned address, uint32_t out[QPU_LANES]) {
	const struct qpu_tlb *tlb = m->run->tlb;
	switch (address) {
	case READ_UNIFORM: {
		uint32_t v = 0;
		int ret = machine_read_uniform(m, &v);
		set_row(out, v);
		return ret;
	}
	case READ_VARYING:
		read_varying(m, out);
		return 0;
	case READ_VPM:
		vpm_read(m, out);
		return 0;
	case READ_NUMBER:
		for (unsigned i = 0; i < QPU_LANES; i++) {
			out[i] = file == 0 ? i : 0;
		}
		return 0;
	case READ_PIXEL:
		set_row(out, 0);
		if (tlb) {
			memcpy(out, file == 0 ? tlb->x : tlb->y, QPU_LANES * sizeof(*out));
		}
		return 0;
	case READ_MASK:
		if (file == 0) {
			tlb_read_mask(m, out);
		} else {
			set_row(out, tlb && tlb->is_back);
			if (m->rev_flag_is_set) {
				memcpy(out, m->rev_flag, sizeof(m->rev_flag));
			}
		}
		return 0;
	default: /* nop, busy flags, waits, the mutex */
		set_row(out, 0);
		return 0;
	}
}

/* ---- Writes ---- */

static void write_r5(struct machine *m, unsigned file, const uint32_t v[QPU_LANES],
		unsigned mask) {
	const unsigned group = file == 0 ? 4 : QPU_LANES;
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const unsigned from = i & ~(group - 1);
		if (mask >> from & 1) {
			m->row[QPU_ROW_R + 5][i] = v[from];
		}
	}
}

static void set_uniform_address(struct machine *m, unsigned file, uint32_t v) {
	/* Relative to the next one that would be read: assumed. */
	m->next_uniform = (file == 0 ? v : m->uniform + v) & QPU_ADDRESS_MASK & ~3u;
	m->next_in = 2;
}

static int write_vpm_setup(struct machine *m, unsigned file, uint32_t word) {
	if (word >> 30) {
		return 0; /* DMA */
	}
	return vpm_set_up(file == 0 ? &m->vpm_read : &m->vpm_write, word) ? 0 :
			machine_fail(m, -EINVAL, "reserved size of VPM access");
}

int machine_write(struct machine *m, unsigned file, unsigned address,
		const uint32_t v[QPU_LANES], unsigned mask) {
	switch (address) {
	case WRITE_R5:
		write_r5(m, file, v, mask);
		return 0;
	case WRITE_UNIFORM_ADDRESS:
		if (mask & 1) {
			set_uniform_address(m, file, v[0]);
		}
		return 0;
	case WRITE_MASK:
		if (file == 0) {
			tlb_and_mask(m, v, mask);
			return 0;
		}
		if (!m->rev_flag_is_set) {
			set_row(m->rev_flag, m->run->tlb && m->run->tlb->is_back);
			m->rev_flag_is_set = true;
		}
		for (unsigned i = 0; i < QPU_LANES; i++) {
			m->rev_flag[i] = mask >> i & 1 ? v[i] & 1 : m->rev_flag[i];
		}
		return 0;
	case WRITE_STENCIL:
		if (mask & 1) {
			tlb_set_stencil(m, v[0]);
		}
		return 0;
	case WRITE_Z:
	case WRITE_COLOR_SAMPLE:
	case WRITE_COLOR:
		tlb_write(m, address, v, mask);
		return 0;
	case WRITE_VPM:
		vpm_write(m, v, mask);
		return 0;
	case WRITE_VPM_SETUP:
		return mask & 1 ? write_vpm_setup(m, file, v[0]) : 0;
	case WRITE_SFU + SFU_RECIP:
	case WRITE_SFU + SFU_RSQRT:
	case WRITE_SFU + SFU_EXP2:
	case WRITE_SFU + SFU_LOG2:
		for (unsigned i = 0; i < QPU_LANES; i++) {
			if (mask >> i & 1) {
				m->row[QPU_ROW_R + 4][i] = qpu_sfu(address - WRITE_SFU, v[i]);
			}
		}
		return 0;
	default: /* nop, the host's interrupt, pixel coordinates, the mutex */
		return address < WRITE_TMU ? 0 :
				tmu_write(m, address >> 2 & 1, address & 3, v, mask);
	}
}
