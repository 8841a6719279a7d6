/*
 * Memory that frames overwrite before they read it, or never read. Each 16 bytes of memory are in
 * one of three states. In doubt, bytes count as read, not as written, so cleared bytes have no
 * effect on pictures.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/engines.h"
#include "common/reads.h"
#include "convert/convert.h"
#include "core/base/attributes.h"
#include "pica_history.h"
#include "step.h"

enum {
	GRAIN = 16,
	MAX_WINDOWS = 32,
	VERTEX_BYTES = 12 * 16, /* of the last vertex, beyond its stride */
	FLAG_SKEWS = 1 | ENGINES_CROP, /* both: lines are not where the sizes imply */
	FLAG_SCALE = 3 << 24,
};

enum { UNTOUCHED, READ, OVERWRITTEN }; /* the first access */

struct overwritten {
	struct pica_ctx *ctx; /* borrowed */
	struct step step;
	struct engines engines;
	struct pica_window window[MAX_WINDOWS];
	uint8_t *grain[MAX_WINDOWS]; /* owned */
	unsigned n_windows;
};

/* Marks untouched units in [begin, end); whole: only those completely inside. */
static void touch(struct overwritten *o, uint64_t begin, uint64_t end, uint8_t state, bool whole) {
	for (unsigned i = 0; i < o->n_windows; i++) {
		const uint64_t base = o->window[i].phys, limit = base + o->window[i].size_bytes;
		const uint64_t from = begin > base ? begin : base, to = end < limit ? end : limit;
		if (from >= to) {
			continue;
		}
		const uint64_t round = whole ? GRAIN - 1 : 0;
		const uint64_t last = (to - base + (GRAIN - 1 - round)) / GRAIN;
		for (uint64_t g = (from - base + round) / GRAIN; g < last; g++) {
			if (o->grain[i][g] == UNTOUCHED) {
				o->grain[i][g] = state;
			}
		}
	}
}

static void note_read(struct overwritten *o, uint64_t addr, uint64_t size_bytes) {
	touch(o, addr, addr + size_bytes, READ, false);
}

static void note_write(struct overwritten *o, uint64_t addr, uint64_t size_bytes) {
	touch(o, addr, addr + size_bytes, OVERWRITTEN, true);
}

/* ---- Jobs ---- */

static void note_transfer(struct overwritten *o, const struct pica_job_transfer *t) {
	const uint64_t in_width = t->in_dim & 0xFFFF, width = t->out_dim & 0xFFF8;
	const uint64_t in_height = t->in_dim >> 16, height = t->out_dim >> 16 & 0xFFF8;
	/* The source has at most 4 bytes per pixel, and at most the larger of both sizes. */
	note_read(o, t->src & ~15u, 4 * (in_width > width ? in_width : width) *
					    (in_height > height ? in_height : height));
	const uint32_t in = t->flags >> 8 & 7, out = t->flags >> 12 & 7;
	const bool converts = in == out || (in == 0 && out <= 4);
	if (converts && !(t->flags & FLAG_SCALE) && (t->flags & FLAG_SKEWS) != FLAG_SKEWS) {
		note_write(o, t->dst & ~15u, width * height * engines_pixel_bytes(out));
	}
}

static void note_copy(struct overwritten *o, const struct pica_job_copy *c) {
	const uint64_t total = c->size_bytes & ~15u;
	const uint64_t line = (c->in_line & 0xFFFF) * 16, gap = (c->in_line >> 16) * 16;
	note_read(o, c->src & ~15u, total + (line ? total / line * gap : 0));
	if (!(c->out_line >> 16)) {
		note_write(o, c->dst & ~15u, total);
	}
}

static int on_event(void *user, const struct pica_capture_event *event) {
	struct overwritten *o = user;
	struct pica_job job = event->job;
	if (event->kind == PICA_CAPTURE_MEMORY) {
		return 0; /* of the key that the replay began with */
	}
	if (job.op == PICA_OP_WRITE) {
		note_write(o, job.u.write.addr, job.u.write.size_bytes);
	} else if (!engines_job(&o->engines, &event->job, &job)) {
		return 0;
	} else if (job.op == PICA_OP_FILL && job.u.fill.end > job.u.fill.start) {
		note_write(o, job.u.fill.start, job.u.fill.end - job.u.fill.start);
	} else if (job.op == PICA_OP_TRANSFER) {
		note_transfer(o, &job.u.transfer);
	} else if (job.op == PICA_OP_COPY) {
		note_copy(o, &job.u.copy);
	}
	return 0;
}

static void on_list(void *user, uint32_t addr, uint32_t size_bytes, bool is_jump) {
	note_read(user, addr, size_bytes);
}

static int note_target(struct overwritten *o) {
	uint32_t regs[PICA_REG_COUNT];
	struct pica_target t;
	const int ret = pica_ctx_read_regs(o->ctx, 0, PICA_REG_COUNT, regs);
	pica_target_from_regs(&t, regs);
	const uint64_t pixels = (uint64_t)((t.width + 31) & ~31u) * ((t.height + 31) & ~31u);
	note_read(o, t.color_addr, 4 * pixels);
	note_read(o, t.depth_addr, 4 * pixels);
	return ret;
}

static int on_draw(void *user, const struct step_draw *draw) {
	struct overwritten *o = user;
	struct reads found;
	const int ret = note_target(o);
	reads_find(&found, o->ctx, draw->kind);
	for (unsigned i = 0; i < found.n; i++) {
		note_read(o, found.r[i].addr, (uint64_t)found.r[i].size_bytes + VERTEX_BYTES);
	}
	return ret;
}

/* An eye's picture lies between its corners. Returns false if there is none. */
static bool note_screen(struct overwritten *o, enum pica_screen_id id, enum pica_eye eye) {
	struct pica_screen s;
	struct pica_watch corner[4];
	uint32_t format, begin = UINT32_MAX, end = 0;
	if (pica_ctx_screen(o->ctx, id, &s) < 0 || !s.is_set || s.is_solid) {
		return false;
	}
	for (unsigned i = 0; i < ARRAY_LEN(corner); i++) {
		struct pica_watch *c = &corner[i];
		if (pica_ctx_screen_pixel(o->ctx, id, eye, i & 1 ? s.width - 1 : 0,
				    i & 2 ? s.height - 1 : 0, c, &format) == 0) {
			begin = c->addr < begin ? c->addr : begin;
			end = c->addr + c->size_bytes > end ? c->addr + c->size_bytes : end;
		}
	}
	if (begin < end) {
		note_read(o, begin, end - begin);
	}
	return begin < end;
}

/* Without screens the last target is shown. */
static void note_screens(struct overwritten *o) {
	bool is_shown = note_screen(o, PICA_SCREEN_TOP, PICA_EYE_LEFT);
	is_shown |= note_screen(o, PICA_SCREEN_TOP, PICA_EYE_RIGHT);
	is_shown |= note_screen(o, PICA_SCREEN_BOTTOM, PICA_EYE_LEFT);
	if (!is_shown) {
		note_target(o);
	}
}

/* ---- Frames ---- */

static int find_windows(struct overwritten *o) {
	o->n_windows = pica_ctx_windows(o->ctx, o->window, MAX_WINDOWS);
	for (unsigned i = 0; i < o->n_windows; i++) {
		o->grain[i] = calloc(o->window[i].size_bytes / GRAIN + 1, 1);
		if (!o->grain[i]) {
			return -ENOMEM;
		}
	}
	return 0;
}

static int look(struct overwritten *o, struct pica_capture *capture,
		const struct overwritten_frames *f, struct pica_state *state) {
	static const struct step_visitor visitor = {
		.event = on_event, .list = on_list, .draw = on_draw
	};
	int ret = step_start(&o->step, gpu_here(o->ctx), capture, f->from, &visitor, o);
	while (ret >= 0 && o->step.replay.frames < f->first) {
		ret = step_frame(&o->step, false);
	}
	ret = ret < 0 ? ret : find_windows(o);
	ret = ret < 0 ? ret : pica_ctx_save_state(o->ctx, state);
	memcpy(o->engines.external, state->external, sizeof(o->engines.external));
	for (int more = 1; ret >= 0 && more > 0 && o->step.replay.frames <= f->last;) {
		ret = more = step_frame(&o->step, true);
		note_screens(o);
	}
	return ret < 0 ? ret : 0;
}

/* Zeroes the units that nobody will read, in runs. */
static int clear(const struct overwritten *o, struct pica_ctx *ctx, bool is_all) {
	static const uint8_t zero[4096];
	int ret = 0;
	for (unsigned i = 0; i < o->n_windows; i++) {
		const uint64_t n = o->window[i].size_bytes / GRAIN;
		for (uint64_t g = 0, run; g < n && ret == 0; g += run) {
			for (run = 1; g + run < n && run < sizeof(zero) / GRAIN &&
					o->grain[i][g + run] == o->grain[i][g]; run++) {
			}
			if (o->grain[i][g] == OVERWRITTEN ||
					(is_all && o->grain[i][g] == UNTOUCHED)) {
				ret = pica_ctx_write_memory(ctx,
						o->window[i].phys + (uint32_t)(g * GRAIN), zero,
						(uint32_t)(run * GRAIN));
			}
		}
	}
	return ret;
}

int overwritten_clear(struct pica_ctx *ctx, struct pica_ctx *ahead, struct pica_capture *capture,
		const struct overwritten_frames *f) {
	struct overwritten *o = calloc(1, sizeof(*o));
	struct pica_state *state = calloc(1, sizeof(*state));
	int ret = o && state ? 0 : -ENOMEM;
	if (ret == 0) {
		o->ctx = ahead;
		ret = look(o, capture, f, state);
	}
	ret = ret < 0 ? ret : clear(o, ctx, f->is_all);
	for (unsigned i = 0; o && i < o->n_windows; i++) {
		free(o->grain[i]);
	}
	free(o);
	free(state);
	return ret;
}
