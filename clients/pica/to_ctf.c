/*
 * A capture as CiTrace: the state at the start becomes arrays and register writes, memory becomes
 * loads, jobs become the register writes that do the same.  [spec/captures.md 2; spec/transfer.md
 * 2]
 */
#include "to_ctf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "options.h"
#include "pica_regs.h"

enum {
	GPU = 0x10400000,
	INTERNAL = 0x10401000,
	INTERNAL_END = INTERNAL + 4 * PICA_REG_COUNT,
	PSC_START = 0x10, /* of unit 0; the others follow, and so does unit 1, 0x10 apart */
	PSC_END = 0x14,
	PSC_VALUE = 0x18,
	PSC_CONTROL = 0x1C,
	PPF_SRC = 0xC00,
	PPF_DST = 0xC04,
	PPF_OUT_DIM = 0xC08,
	PPF_IN_DIM = 0xC0C,
	PPF_FLAGS = 0xC10,
	PPF_START = 0xC18,
	PPF_COPY_SIZE = 0xC20,
	PPF_COPY_IN = 0xC24,
	PPF_COPY_OUT = 0xC28,
	FLAG_COPY = 8,
	START = 1,
};

/* What this form has no words for. */
enum loss {
	LOSS_PORTS,
	LOSS_PRECISION,
	LOSS_GEOMETRY,
	LOSS_ASSEMBLER,
	LOSS_MASK,
	LOSS_MEMORY,
	LOSS_COPY,
	LOSS_PRESENT,
	LOSS_KEEP,
	LOSS_COUNT,
};

static const char *const loss_text[LOSS_COUNT] = {
	[LOSS_PORTS] = "where the upload ports stand at the start",
	[LOSS_PRECISION] = "uniforms at the start that are finer than 24 bits",
	[LOSS_GEOMETRY] = "registers of the geometry shader at the start",
	[LOSS_ASSEMBLER] = "vertices that the assembler holds at the start",
	[LOSS_MASK] = "register writes with a byte mask",
	[LOSS_MEMORY] = "memory that the form cannot name",
	[LOSS_COPY] = "transfer jobs with the flag of a copy",
	[LOSS_PRESENT] = "pictures that are shown without ending a frame, or of one screen alone",
	[LOSS_KEEP] = "which loads replace what was drawn (read the file with --trust-loads)",
};

struct ctf_out {
	struct pica_ctf_writer *writer;
	uint64_t lost[LOSS_COUNT];
	uint64_t kept_loads, trusted_loads;
};

/* ---- State ---- */

static int reg(struct ctf_out *c, uint32_t addr, uint32_t value) {
	return pica_ctf_writer_reg_write(c->writer, addr, value);
}

static int internal(struct ctf_out *c, uint32_t id, uint32_t value) {
	return reg(c, INTERNAL + 4 * id, value);
}

static bool all_zero(const uint32_t *words, size_t n) {
	for (size_t i = 0; i < n; i++) {
		if (words[i]) {
			return false;
		}
	}
	return true;
}

/* A table through its port: index word, data port, words. */
static void table(struct ctf_out *c, uint32_t index_reg, uint32_t index, uint32_t data_reg,
		const uint32_t *words, unsigned n) {
	if (all_zero(words, n)) {
		return;
	}
	internal(c, index_reg, index);
	for (unsigned i = 0; i < n; i++) {
		internal(c, data_reg, words[i]);
	}
}

/* Tables have no arrays in the file: they are uploaded by the first events. */
static void put_tables(struct ctf_out *c, const struct pica_state *s) {
	const struct pica_tables *t = &s->tables;
	for (uint32_t i = 0; i < ARRAY_LEN(t->light); i++) {
		table(c, PICA_REG_LIGHTING_LUT_INDEX, i << 8, PICA_REG_LIGHTING_LUT_DATA0,
				t->light[i], 256);
	}
	table(c, PICA_REG_FOG_LUT_INDEX, 0, PICA_REG_FOG_LUT_DATA0, t->fog, ARRAY_LEN(t->fog));
	for (uint32_t i = 0; i < ARRAY_LEN(t->proctex); i++) {
		const unsigned n = i == 4 || i == 5 ? 256 : 128;
		table(c, PICA_REG_PROCTEX_LUT, i << 8, PICA_REG_PROCTEX_LUT_DATA0, t->proctex[i],
				n);
	}
	table(c, PICA_REG_GAS_LUT_INDEX, 0, PICA_REG_GAS_LUT_DATA, t->gas, ARRAY_LEN(t->gas));
	static const uint32_t index[] = { PICA_REG_LIGHTING_LUT_INDEX, PICA_REG_FOG_LUT_INDEX,
		PICA_REG_PROCTEX_LUT, PICA_REG_GAS_LUT_INDEX };
	for (size_t i = 0; i < ARRAY_LEN(index) && !all_zero((const uint32_t *)t, sizeof(*t) / 4);
			i++) {
		internal(c, index[i], s->regs[index[i]]);
	}
}

static bool port_is_at_rest(const struct pica_state *s, const struct pica_upload_state *u,
		uint32_t code, uint32_t descriptors, uint32_t uniforms) {
	return u->n_words == 0 && u->code_index == (s->regs[code] & 0xFFF) &&
			u->descriptor_index == (s->regs[descriptors] & 0xFFF) &&
			u->uniform_index == (s->regs[uniforms] & 0xFF);
}

/* A reader sets the ports where the index registers say. */
static bool ports_are_at_rest(const struct pica_state *s) {
	const struct pica_attribute_port *a = &s->attribute_port;
	return !(s->flags & PICA_STATE_PORTS) ||
			(port_is_at_rest(s, &s->vs_upload, PICA_REG_VSH_CODETRANSFER_INDEX,
					 PICA_REG_VSH_OPDESCS_INDEX,
					 PICA_REG_VSH_FLOATUNIFORM_INDEX) &&
					port_is_at_rest(s, &s->gs_upload,
							PICA_REG_GSH_CODETRANSFER_INDEX,
							PICA_REG_GSH_OPDESCS_INDEX,
							PICA_REG_GSH_FLOATUNIFORM_INDEX) &&
					a->index == (s->regs[PICA_REG_FIXEDATTRIB_INDEX] & 15) &&
					a->n_words == 0 && a->attribute == 0 &&
					all_zero(&a->vertex[0][0], 16 * 4));
}

/* Whether a reader, which knows the f24 words alone, gets the same numbers. */
static uint64_t finer_uniforms(const struct pica_shader_state *s) {
	uint64_t n = 0;
	for (unsigned i = 0; i < 96 * 4; i++) {
		uint32_t bits = s->uniforms_f32[i / 4][i % 4];
		/*
		 * Of a normal f24 the low seven bits of the binary32 are 0; NaN and small ones are
		 * rare.
		 */
		n += (bits & 0x7F) != 0;
	}
	return n;
}

static void check_state(struct ctf_out *c, const struct pica_state *s) {
	c->lost[LOSS_PORTS] += !ports_are_at_rest(s);
	c->lost[LOSS_PRECISION] += finer_uniforms(&s->vs) + finer_uniforms(&s->gs);
	c->lost[LOSS_GEOMETRY] +=
			!all_zero((const uint32_t *)&s->geometry, sizeof(s->geometry) / 4);
	c->lost[LOSS_ASSEMBLER] +=
			s->assembler.n || s->assembler.is_ready || s->assembler.is_invert;
}

/* ---- Events ---- */

static int put_write(struct ctf_out *c, const struct pica_capture_event *ev) {
	const struct pica_job_write *w = &ev->job.u.write;
	if (!w->size_bytes) {
		return 0;
	}
	if (ev->kind != PICA_CAPTURE_MEMORY) {
		*(ev->job.flags & PICA_WRITE_KEEP_RENDERED ? &c->kept_loads : &c->trusted_loads) +=
				1;
	}
	/* Asked of a writer that is not spoilt by the answer. */
	const bool in_range = (w->addr >= 0x18000000 &&
					      (uint64_t)w->addr + w->size_bytes <= 0x18600000) ||
			(w->addr >= 0x1F000000 &&
					(uint64_t)w->addr + w->size_bytes <= 0x1F400000) ||
			(w->addr >= 0x1FF00000 && (uint64_t)w->addr + w->size_bytes <= 0x30000000);
	if (!in_range) {
		c->lost[LOSS_MEMORY]++;
		return 0;
	}
	return pica_ctf_writer_memory(
			c->writer, w->addr, (const void *)(uintptr_t)w->data, w->size_bytes);
}

static int put_fill(struct ctf_out *c, const struct pica_job_fill *f) {
	const uint32_t base = GPU + 0x10 * f->unit;
	reg(c, base + PSC_START, f->start >> 3);
	reg(c, base + PSC_END, f->end >> 3);
	reg(c, base + PSC_VALUE, f->value);
	return reg(c, base + PSC_CONTROL, f->control | START);
}

static int put_transfer(struct ctf_out *c, const struct pica_job_transfer *t) {
	if (t->flags & FLAG_COPY) {
		c->lost[LOSS_COPY]++; /* the registers take the size from elsewhere */
		return 0;
	}
	reg(c, GPU + PPF_SRC, t->src >> 3);
	reg(c, GPU + PPF_DST, t->dst >> 3);
	reg(c, GPU + PPF_OUT_DIM, t->out_dim);
	reg(c, GPU + PPF_IN_DIM, t->in_dim);
	reg(c, GPU + PPF_FLAGS, t->flags);
	return reg(c, GPU + PPF_START, START);
}

static int put_copy(struct ctf_out *c, const struct pica_job_copy *t) {
	reg(c, GPU + PPF_SRC, t->src >> 3);
	reg(c, GPU + PPF_DST, t->dst >> 3);
	reg(c, GPU + PPF_COPY_SIZE, t->size_bytes);
	reg(c, GPU + PPF_COPY_IN, t->in_line);
	reg(c, GPU + PPF_COPY_OUT, t->out_line);
	reg(c, GPU + PPF_FLAGS, FLAG_COPY);
	return reg(c, GPU + PPF_START, START);
}

static int put_reg_write(struct ctf_out *c, const struct pica_job_reg_write *w) {
	const bool is_internal = w->addr >= INTERNAL && w->addr < INTERNAL_END;
	if (is_internal && w->mask != 0 && w->mask != 15) {
		c->lost[LOSS_MASK]++;
		return 0;
	}
	return reg(c, w->addr, w->value);
}

static int put_event(struct ctf_out *c, const struct pica_capture_event *ev) {
	const struct pica_job *job = &ev->job;
	if (ev->kind == PICA_CAPTURE_FRAME) {
		c->lost[LOSS_PRESENT] += job->u.present.screens != 3 || job->u.present.eye;
		return pica_ctf_writer_frame(c->writer);
	}
	switch ((enum pica_op)job->op) {
	case PICA_OP_LIST:
		return pica_ctf_writer_list(c->writer, job->u.list.addr, job->u.list.size_bytes);
	case PICA_OP_FILL:
		return put_fill(c, &job->u.fill);
	case PICA_OP_TRANSFER:
		return put_transfer(c, &job->u.transfer);
	case PICA_OP_COPY:
		return put_copy(c, &job->u.copy);
	case PICA_OP_REG_WRITE:
		return put_reg_write(c, &job->u.reg_write);
	case PICA_OP_WRITE:
		return put_write(c, ev);
	case PICA_OP_PRESENT:
		c->lost[LOSS_PRESENT]++;
		return 0;
	case PICA_OP_INVALIDATE: /* nothing changes in a replay that was not loaded */
	case PICA_OP_BARRIER:
	case PICA_OP_SIGNAL:
	case PICA_OP_WAIT:
	case PICA_OP_CANCEL:
	case PICA_OP_STATS:
	case PICA_OP_COUNT:
		break;
	}
	return 0;
}

/* ---- All of it ---- */

static int put_all(struct ctf_out *c, struct pica_capture *capture) {
	const struct pica_state *state = pica_capture_state(capture);
	struct pica_capture_event ev;
	int ret;
	check_state(c, state);
	put_tables(c, state);
	while ((ret = pica_capture_next(capture, &ev)) > 0) {
		ret = put_event(c, &ev);
		if (ret < 0) {
			break;
		}
	}
	/* Readers take all loads for textures that may have been drawn, or, when told, none. */
	if (c->trusted_loads && c->kept_loads) {
		c->lost[LOSS_KEEP] = c->trusted_loads;
	}
	return ret;
}

static bool tell_losses(const struct ctf_out *c, const char *in) {
	bool any = false;
	for (unsigned i = 0; i < LOSS_COUNT; i++) {
		if (c->lost[i] > 1) {
			talk("%s: a .ctf cannot say %s (%" PRIu64 ")", in, loss_text[i],
					c->lost[i]);
		} else if (c->lost[i]) {
			talk("%s: a .ctf cannot say %s", in, loss_text[i]);
		}
		any |= c->lost[i] != 0;
	}
	return any;
}

int to_ctf(struct pica_capture *capture, const char *in, const char *out, bool lossy) {
	struct ctf_out c = { 0 };
	int ret = pica_ctf_writer_create(&c.writer, out, pica_capture_state(capture));
	if (ret < 0) {
		talk("%s: %s", out, ret == -EINVAL ? "not a regular file" : strerror(-ret));
		return EXIT_TROUBLE;
	}
	ret = put_all(&c, capture);
	if (ret == 0 && tell_losses(&c, in) && !lossy) {
		talk("%s: not written; --lossy writes it all the same", out);
		pica_ctf_writer_destroy(c.writer);
		return EXIT_TROUBLE;
	}
	const bool from_capture = ret < 0 && capture_is_damaged(capture, ret);
	if (ret < 0) {
		pica_ctf_writer_destroy(c.writer);
	} else {
		ret = pica_ctf_writer_finish(c.writer);
		if (ret == -EINVAL) {
			talk("%s: nothing happens in it, which a .ctf cannot say", in);
			return EXIT_TROUBLE;
		}
	}
	if (ret < 0) {
		return capture_failed(capture, from_capture ? in : out, ret);
	}
	if (c.trusted_loads && !c.kept_loads) {
		talk("%s: note: its loads replace what was drawn: read it with --trust-loads", out);
	}
	return EXIT_FINE;
}
