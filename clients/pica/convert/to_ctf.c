/*
 * A capture as CiTrace: the state at the start becomes arrays and register writes, memory becomes
 * loads, jobs become the register writes that do the same.  [fidelity: citrace; fidelity:
 * external-registers]
 */
#include "convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

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

static const char *const loss_text[LOSS_COUNT] = {
	[LOSS_PORTS] = "where the upload ports stand at the start",
	[LOSS_GEOMETRY] = "registers of the geometry shader at the start",
	[LOSS_ASSEMBLER] = "vertices that the assembler holds at the start",
	[LOSS_MASK] = "register writes with a byte mask",
	[LOSS_MEMORY] = "memory that the form cannot name",
	[LOSS_COPY] = "transfer jobs with the flag of a copy",
	[LOSS_PRESENT] = "pictures that are shown without ending a frame, or of one screen alone",
	[LOSS_KEEP] = "which of its loads replace what was drawn",
};

static int reg(struct ctf_out *c, uint32_t addr, uint32_t value) {
	return pica_ctf_writer_reg_write(c->writer, addr, value);
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
		c->lost[LOSS_COPY]++; /* the registers use another size */
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
	case PICA_OP_INVALIDATE: /* in a replay, all changes of memory are loads */
	case PICA_OP_BARRIER:
	case PICA_OP_SIGNAL:
	case PICA_OP_WAIT:
	case PICA_OP_CANCEL:
	case PICA_OP_STATS:
	case PICA_OP_CONTROL_LISTS:
	case PICA_OP_COUNT:
		break;
	}
	return 0;
}

/* ---- All of it ---- */

static int put_all(struct ctf_out *c, struct pica_capture *capture,
		const struct pica_state *initial) {
	struct pica_capture_event ev;
	int ret;
	to_ctf_put_state(c, pica_capture_state(capture), initial);
	while ((ret = pica_capture_next(capture, &ev)) > 0) {
		ret = put_event(c, &ev);
		if (ret < 0) {
			break;
		}
	}
	/* Readers treat all loads, or on request none, as textures that may have been drawn. */
	if (c->trusted_loads && c->kept_loads) {
		c->lost[LOSS_KEEP] = c->trusted_loads;
	}
	return ret;
}

static void report_losses(const struct ctf_out *c, const char *in, const char *intro) {
	for (unsigned i = 0; i < LOSS_COUNT; i++) {
		if (c->lost[i] > 1) {
			log_line("%s: %s %s (%" PRIu64 ")", in, intro, loss_text[i], c->lost[i]);
		} else if (c->lost[i]) {
			log_line("%s: %s %s", in, intro, loss_text[i]);
		}
	}
}

/*
 * Draws the file and compares it with the capture before it gets its name: state that the form
 * cannot express may have no effect, and the rest must be verified.
 */
static int compare(struct ctf_out *c, const struct to_ctf_options *o, struct pica_capture *capture,
		struct pica_capture *written) {
	struct pictures_differ d;
	struct pica_device *device;
	int exit = engine_create(&device, o->engine);
	if (exit != EXIT_FINE) {
		return exit;
	}
	bool trusts = false;
	int ret = same_pictures(device, capture, written, &d);
	if (ret == 1 && c->trusted_loads) {
		pica_capture_trust_loads(written, 1);
		trusts = true;
		ret = same_pictures(device, capture, written, &d);
	}
	pica_device_destroy(device);
	log_end();
	if (ret < 0) {
		return capture_failed(capture, o->in, ret);
	}
	if (ret == 0) {
		report_losses(c, o->in, "note: without effect on its pictures, and left out:");
		if (trusts) {
			log_line("%s: note: its loads overwrite drawn memory: read it with --trust-loads",
					o->out);
		}
		return EXIT_FINE;
	}
	report_losses(c, o->in, "a .ctf cannot hold");
	log_line("%s: %sframe %" PRIu32 ", screen %s, would not be the same", o->out,
			o->lossy ? "note: " : "", d.frame, d.screen);
	if (o->lossy) {
		return EXIT_FINE;
	}
	return log_fail("%s: not written; --lossy writes it anyway", o->out);
}

int to_ctf(const struct to_ctf_options *o, struct pica_capture *capture) {
	struct ctf_out c = { 0 };
	struct pica_capture *written = NULL;
	struct pica_capture_error error;
	struct pica_state *initial = to_ctf_initial(pica_capture_state(capture));
	int ret = !initial ? -ENOMEM : pica_ctf_writer_create(&c.writer, o->out, initial);
	if (ret < 0) {
		free(initial);
		return ret == -EINVAL ? log_fail("%s: not a regular file", o->out) :
				log_result(o->out, ret);
	}
	ret = put_all(&c, capture, initial);
	free(initial);
	const bool from_capture = ret < 0 && capture_is_damaged(capture, ret);
	ret = ret < 0 ? ret : pica_ctf_writer_review(c.writer, &written, &error);
	int exit = EXIT_TROUBLE;
	if (ret == -EINVAL && !from_capture) {
		log_line("%s: nothing happens in it, which a .ctf cannot say", o->in);
	} else if (ret < 0) {
		exit = capture_failed(capture, from_capture ? o->in : o->out, ret);
	} else {
		exit = compare(&c, o, capture, written);
	}
	pica_capture_close(written);
	if (exit != EXIT_FINE) {
		pica_ctf_writer_destroy(c.writer);
		return exit;
	}
	exit = log_result(o->out, pica_ctf_writer_finish(c.writer));
	if (exit == EXIT_FINE) {
		convert_report_sizes(o->in, o->out);
	}
	return exit;
}
