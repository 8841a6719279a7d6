#include "replay.h"

#include <stdbool.h>
#include <stdlib.h>

enum { BATCH_JOBS = 64 };

int replay_start(struct replay *r, struct pica_ctx *ctx, struct pica_capture *capture) {
	*r = (struct replay){ .ctx = ctx, .capture = capture };
	pica_capture_rewind(capture);
	return pica_ctx_load_state(ctx, pica_capture_state(capture));
}

static void reap(struct replay *r) {
	struct pica_done done[64];
	int n;
	while ((n = pica_reap(r->ctx, done, 64)) > 0) {
		for (int i = 0; i < n; i++) {
			if (done[i].result < 0 && r->worst == 0) {
				r->worst = done[i].result;
			}
		}
	}
}

int replay_frame(struct replay *r) {
	struct pica_job jobs[BATCH_JOBS];
	size_t n = 0;
	int got;
	bool frame = false;
	struct pica_capture_event ev;
	while ((got = pica_capture_next(r->capture, &ev)) > 0) {
		jobs[n++] = ev.job;
		if (ev.kind == PICA_CAPTURE_FRAME) {
			frame = true;
			break;
		}
		if (n == BATCH_JOBS) {
			int ret = pica_submit(r->ctx, jobs, n, &r->seq);
			if (ret < 0) {
				return ret;
			}
			n = 0;
			reap(r);
		}
	}
	if (got < 0) {
		return got;
	}
	if (n) {
		int ret = pica_submit(r->ctx, jobs, n, &r->seq);
		if (ret < 0) {
			return ret;
		}
	}
	reap(r);
	r->frames += frame;
	return frame;
}

int replay_wait(struct replay *r) {
	int ret = r->seq ? pica_wait(r->ctx, r->seq, -1) : 0;
	reap(r);
	return ret;
}
