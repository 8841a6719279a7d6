#include "sink.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "pica_capture.h"
#include "pictures/file.h"

/* External registers that start jobs. [fidelity: external-registers] */
enum {
	FILL_UNIT0 = 0x10400010,
	FILL_UNIT_STEP = 0x10,
	FILL_START = 0x0,
	FILL_END = 0x4,
	FILL_VALUE = 0x8,
	FILL_CONTROL = 0xC,
	FILL_GO = 1,

	TRANSFER_IN = 0x10400C00,
	TRANSFER_OUT = 0x10400C04,
	TRANSFER_OUT_DIM = 0x10400C08,
	TRANSFER_IN_DIM = 0x10400C0C,
	TRANSFER_FLAGS = 0x10400C10,
	TRANSFER_UNKNOWN = 0x10400C14,
	TRANSFER_GO = 0x10400C18,
	COPY_BYTES = 0x10400C20,
	COPY_IN_LINE = 0x10400C24,
	COPY_OUT_LINE = 0x10400C28,
	FLAG_COPY = 1 << 3,

	MAX_WINDOWS = 32,
	PAGE = 4096,
	LEVEL = 19, /* of compression: written once, read often */
};

struct sink {
	struct pica_ctf_writer *ctf; /* NULL: the container below */
	struct pica_capture_writer *pica;
	struct pica_device *device;
	struct pica_ctx *ctx;
	uint8_t *memory; /* of a VideoCore IV */
	const struct pica_expected *expected; /* with is_dry: borrowed */
	unsigned n_expected;
	bool is_dry;     /* jobs are not run */
};

/* ---- .ctf ---- */

struct reg {
	uint32_t addr, value;
};

static int write_regs(struct pica_ctf_writer *w, const struct reg *regs, unsigned n) {
	int ret = 0;
	for (unsigned i = 0; ret == 0 && i < n; i++) {
		ret = pica_ctf_writer_reg_write(w, regs[i].addr, regs[i].value);
	}
	return ret;
}

static int ctf_fill(struct pica_ctf_writer *w, const struct pica_job_fill *f) {
	const uint32_t unit = FILL_UNIT0 + f->unit * FILL_UNIT_STEP;
	const struct reg regs[] = { { unit + FILL_START, f->start >> 3 },
		{ unit + FILL_END, f->end >> 3 }, { unit + FILL_VALUE, f->value },
		{ unit + FILL_CONTROL, f->control | FILL_GO } };
	return write_regs(w, regs, sizeof(regs) / sizeof(regs[0]));
}

static int ctf_transfer(struct pica_ctf_writer *w, const struct pica_job_transfer *t) {
	const struct reg regs[] = { { TRANSFER_IN, t->src >> 3 }, { TRANSFER_OUT, t->dst >> 3 },
		{ TRANSFER_OUT_DIM, t->out_dim }, { TRANSFER_IN_DIM, t->in_dim },
		{ TRANSFER_FLAGS, t->flags }, { TRANSFER_UNKNOWN, 0 }, { TRANSFER_GO, 1 } };
	return write_regs(w, regs, sizeof(regs) / sizeof(regs[0]));
}

static int ctf_copy(struct pica_ctf_writer *w, const struct pica_job_copy *c) {
	const struct reg regs[] = { { TRANSFER_IN, c->src >> 3 }, { TRANSFER_OUT, c->dst >> 3 },
		{ COPY_BYTES, c->size_bytes }, { COPY_IN_LINE, c->in_line },
		{ COPY_OUT_LINE, c->out_line }, { TRANSFER_FLAGS, FLAG_COPY }, { TRANSFER_GO, 1 } };
	return write_regs(w, regs, sizeof(regs) / sizeof(regs[0]));
}

static int ctf_job(struct pica_ctf_writer *w, const struct pica_job *job) {
	switch (job->op) {
	case PICA_OP_WRITE:
		return pica_ctf_writer_memory(w, job->u.write.addr,
				(const void *)(uintptr_t)job->u.write.data,
				job->u.write.size_bytes);
	case PICA_OP_REG_WRITE:
		return pica_ctf_writer_reg_write(w, job->u.reg_write.addr, job->u.reg_write.value);
	case PICA_OP_FILL:
		return ctf_fill(w, &job->u.fill);
	case PICA_OP_TRANSFER:
		return ctf_transfer(w, &job->u.transfer);
	case PICA_OP_COPY:
		return ctf_copy(w, &job->u.copy);
	case PICA_OP_LIST:
		return pica_ctf_writer_list(w, job->u.list.addr, job->u.list.size_bytes);
	case PICA_OP_PRESENT:
		return pica_ctf_writer_frame(w);
	default:
		return -EINVAL;
	}
}

/* ---- .pica ---- */

static int map_vc4(struct sink *s) {
	s->memory = aligned_alloc(PAGE, SINK_VC4_BYTES);
	if (!s->memory) {
		return -ENOMEM;
	}
	memset(s->memory, 0, SINK_VC4_BYTES);
	return pica_ctx_map(s->ctx, SINK_VC4_BASE, SINK_VC4_BYTES, s->memory, 0);
}

static int container_create(struct sink *s, const char *path, const char *title,
		const struct pica_state *initial) {
	struct pica_settings settings;
	struct pica_capture_writer_settings writer;
	struct pica_window windows[MAX_WINDOWS];
	struct pica_ctx_settings ctx;
	unsigned n = 0;
	pica_settings_init(&settings);
	pica_ctx_settings_init(&ctx);
	ctx.chip = initial ? PICA_CHIP_PICA200 : PICA_CHIP_VC4;
	int ret = s->is_dry ? 0 : pica_device_create(&s->device, &settings);
	if (ret == 0 && !s->is_dry) {
		ret = pica_ctx_create(&s->ctx, s->device, &ctx);
	}
	if (ret == 0 && !s->is_dry) {
		ret = initial ? pica_ctx_load_state(s->ctx, initial) : map_vc4(s);
	}
	if (ret < 0) {
		return ret;
	}
	pica_capture_writer_settings_init(&writer);
	if (!s->is_dry) {
		n = pica_ctx_windows(s->ctx, windows, MAX_WINDOWS);
		writer.windows = windows;
		writer.n_windows = n;
	}
	writer.level = LEVEL;
	writer.chip = ctx.chip;
	writer.title = title;
	writer.tool = "pica-scenes";
	ret = pica_capture_writer_create(&s->pica, path, &writer);
	return ret < 0 ? ret : pica_capture_writer_key(s->pica, initial, windows, n);
}

static int container_frame(struct sink *s, const struct pica_job *present, uint64_t seq) {
	struct pica_expected drawn[EXPECT_MAX];
	int ret = s->is_dry ? 0 : pica_wait(s->ctx, seq, -1);
	const int n = s->is_dry ? (int)s->n_expected : ret < 0 ? ret :
			expect_from_screens(gpu_here(s->ctx), drawn);
	ret = n < 0 ? n : pica_capture_writer_frame(s->pica, present);
	for (int i = 0; ret == 0 && i < n; i++) {
		ret = pica_capture_writer_expect(s->pica, s->is_dry ? &s->expected[i] : &drawn[i]);
	}
	return ret;
}

/* Returns the first error of the completed jobs. */
static int reap(struct pica_ctx *ctx) {
	struct pica_done done[64];
	int n, worst = 0;
	while ((n = pica_reap(ctx, done, 64)) > 0) {
		for (int i = 0; i < n; i++) {
			worst = worst ? worst : done[i].result;
		}
	}
	return worst;
}

static int container_job(struct sink *s, const struct pica_job *job) {
	uint64_t seq = 0;
	int ret = s->is_dry ? 0 : pica_submit(s->ctx, job, 1, &seq);
	if (ret == 0) {
		/* The data of a WRITE belongs to the caller; without workers the job is already
		 * complete. */
		ret = job->op == PICA_OP_PRESENT ? container_frame(s, job, seq) :
				pica_capture_writer_job(s->pica, job);
	}
	return ret < 0 || s->is_dry ? ret : reap(s->ctx);
}

/* ---- Both ---- */

int sink_create(struct sink **out, const char *path, const char *title,
		const struct pica_state *initial, bool is_dry) {
	struct sink *s = calloc(1, sizeof(*s));
	if (!s) {
		return -ENOMEM;
	}
	s->is_dry = is_dry;
	int ret = file_ends_with(path, ".pica") ? container_create(s, path, title, initial) :
			!initial                ? -EOPNOTSUPP :
			pica_ctf_writer_create(&s->ctf, path, initial);
	if (ret < 0) {
		sink_destroy(s);
		return ret;
	}
	*out = s;
	return 0;
}

int sink_job(struct sink *s, const struct pica_job *job) {
	return s->ctf ? ctf_job(s->ctf, job) : container_job(s, job);
}

void sink_expect(struct sink *s, const struct pica_expected *expected, unsigned n) {
	s->expected = expected;
	s->n_expected = n;
}

int sink_finish(struct sink *s) {
	const int ret = s->ctf ? pica_ctf_writer_finish(s->ctf) :
				 pica_capture_writer_finish(s->pica);
	s->ctf = NULL;
	s->pica = NULL;
	sink_destroy(s);
	return ret;
}

void sink_destroy(struct sink *s) {
	if (!s) {
		return;
	}
	pica_ctf_writer_destroy(s->ctf);
	pica_capture_writer_destroy(s->pica);
	pica_ctx_destroy(s->ctx);
	pica_device_destroy(s->device);
	free(s->memory);
	free(s);
}
