/*
 * Targets of a VideoCore IV that frames store before they read them. Its programs may read
 * anywhere, so its lists do not say what is read: the frames are drawn twice, the second time with
 * the targets zeroed before. If all pictures are the same, the targets are not needed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "convert/convert.h"
#include "expect.h"
#include "vc4/draw/draw.h"
#include "videocore/videocore.h"

enum { RANGES_MOST = 4096 };

struct targets {
	struct range *range; /* owned */
	unsigned n;
	size_t cap;
	int error;
};

static void add(struct targets *t, struct range r) {
	for (unsigned i = 0; i < t->n; i++) {
		if (t->range[i].addr == r.addr && t->range[i].size >= r.size) {
			return;
		}
	}
	struct range *range = t->n < RANGES_MOST ?
			array_room(t->range, t->n, &t->cap, sizeof(*range)) : NULL;
	if (!range) {
		t->error = t->n < RANGES_MOST ? -ENOMEM : 0;
		return;
	}
	t->range = range;
	range[t->n++] = r;
}

static void on_end(void *user, const struct videocore_job *job) {
	const struct vc4_frame *f = &job->read;
	for (uint32_t i = 0; !job->error.error && i < f->n_ops; i++) {
		const struct vc4_tile_op *op = &f->ops[i];
		if (op->kind == VC4_TILE_STORE) {
			add(user, vc4_transfer_range(&f->transfers[op->value],
							  &f->renderings[op->rendering]));
		}
	}
}

/* Returns 0 or a negative errno. */
static int clear(const struct targets *t, struct pica_ctx *ctx) {
	int ret = 0;
	for (unsigned i = 0; i < t->n && ret == 0; i++) {
		uint8_t *zeros = calloc(1, t->range[i].size + 1);
		if (!zeros) {
			return -ENOMEM;
		}
		/* A target outside memory needs no clearing. */
		ret = pica_ctx_write_memory(ctx, t->range[i].addr, zeros, t->range[i].size);
		ret = ret == -ERANGE ? 0 : ret;
		free(zeros);
	}
	return ret;
}

/* Draws the frames, finds their targets or, if clears, begins without them. */
static int draw(struct targets *t, struct pica_ctx *ctx, struct pica_capture *capture,
		const struct overwritten_frames *f, bool clears, struct pica_expected *pictures) {
	static const struct videocore_visitor visitor = { .end = on_end };
	const struct capture_here here = { .ctx = ctx, .capture = capture };
	struct videocore_walk w;
	pica_ctx_zero_memory(ctx);
	int ret = videocore_start(&w, &here, f->from, &visitor, t);
	while (ret >= 0 && w.replay.frames < f->first) {
		ret = videocore_frame(&w, false);
	}
	ret = ret >= 0 && clears ? clear(t, ctx) : ret;
	for (uint32_t i = 0; ret >= 0 && f->first + i <= f->last; i++) {
		struct pica_expected drawn[EXPECT_MAX];
		ret = videocore_frame(&w, !clears);
		memset(drawn, 0, sizeof(drawn));
		ret = ret < 0 ? ret : expect_from_screens(gpu_here(ctx), drawn);
		pictures[i] = drawn[0];
	}
	videocore_finish(&w);
	return ret < 0 ? ret : 0;
}

int targets_clear(struct pica_ctx *ctx, struct pica_ctx *ahead, struct pica_capture *capture,
		const struct overwritten_frames *f) {
	const uint32_t n = f->last - f->first + 1;
	struct pica_expected *pictures = calloc(2 * (size_t)n, sizeof(*pictures));
	struct targets t = { .range = NULL };
	int ret = pictures ? draw(&t, ahead, capture, f, false, pictures) : -ENOMEM;
	ret = ret < 0 ? ret : t.error;
	ret = ret < 0 ? ret : draw(&t, ahead, capture, f, true, pictures + n);
	if (ret == 0 && memcmp(pictures, pictures + n, n * sizeof(*pictures)) == 0) {
		ret = clear(&t, ctx);
	}
	free(t.range);
	free(pictures);
	return ret;
}
