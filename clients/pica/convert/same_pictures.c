#include "convert.h"

#include <string.h>

#include "common/log.h"
#include "expect.h"
#include "replay.h"

struct side {
	struct pica_ctx *ctx;
	struct replay replay;
	struct pica_expected shown[EXPECT_MAX];
	int n; /* of shown */
};

static int side_start(struct side *s, struct pica_device *device, struct pica_capture *capture) {
	int ret = replay_create_ctx(&s->ctx, device, capture);
	ret = ret < 0 ? ret : pica_capture_rewind(capture);
	return ret < 0 ? ret : replay_start(&s->replay, gpu_here(s->ctx), capture, 0);
}

static int look(struct side *s) {
	const int ret = replay_wait(&s->replay);
	s->n = ret < 0 ? ret : expect_from_screens(gpu_here(s->ctx), s->shown);
	return s->n < 0 ? s->n : 0;
}

/* 1: they differ */
static int compare(const struct side *a, const struct side *b, struct pictures_differ *d) {
	for (int i = 0; i < a->n || i < b->n; i++) {
		const struct pica_expected *x = &a->shown[i], *y = &b->shown[i];
		if (i >= a->n || i >= b->n || x->screen != y->screen || x->eye != y->eye ||
				x->width != y->width || x->height != y->height ||
				memcmp(x->hash, y->hash, sizeof(x->hash)) != 0) {
			d->screen = expect_screen_name(i < a->n ? x : y);
			return 1;
		}
	}
	return 0;
}

static int run(struct side *a, struct side *b, uint32_t frames, struct pictures_differ *d) {
	for (d->frame = 0;; d->frame++) {
		int more = replay_frame(&a->replay);
		const int more_b = more < 0 ? more : replay_frame(&b->replay);
		int ret = more_b < 0 ? more_b : look(a);
		ret = ret < 0 ? ret : look(b);
		ret = ret < 0 ? ret : compare(a, b, d);
		if (ret != 0 || (more == 0 && more_b == 0)) {
			return ret;
		}
		if (more != more_b) {
			d->screen = "top";
			return 1;
		}
		log_progress("compared", d->frame + 1, frames);
	}
}

int same_pictures(struct pica_device *device, struct pica_capture *a, struct pica_capture *b,
		struct pictures_differ *d) {
	struct side x = { 0 }, y = { 0 };
	struct pica_capture_info info;
	pica_capture_info(a, &info);
	int ret = side_start(&x, device, a);
	ret = ret < 0 ? ret : side_start(&y, device, b);
	ret = ret < 0 ? ret : run(&x, &y, info.frames, d);
	pica_ctx_destroy(x.ctx);
	pica_ctx_destroy(y.ctx);
	return ret;
}
