#include "replay.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { BATCH_JOBS = 64 };

int replay_seek(struct pica_capture *capture, uint32_t frame, uint32_t *at, bool *skipped) {
	int ret = pica_capture_seek(capture, frame, at);
	while (ret < 0 && ret != -ENOMEM && *at > 0) {
		*skipped = true;
		ret = pica_capture_seek(capture, *at - 1, at);
	}
	return ret;
}

uint32_t replay_first(const struct pica_capture *capture, uint32_t frame,
		enum pica_float float_mode, enum pica_combiner combiner, bool trusts_loads) {
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	const bool is_same = info.float_mode == float_mode && info.combiner == combiner;
	return is_same && !trusts_loads ? frame : 0;
}

int replay_start(
		struct replay *r, struct gpu gpu, struct pica_capture *capture, uint32_t frame) {
	uint32_t at;
	*r = (struct replay){ .gpu = gpu, .capture = capture };
	int ret = replay_seek(capture, frame, &at, &r->skipped_key);
	r->frames = at;
	return ret < 0 ? ret : gpu.impl->load(gpu, capture);
}

static void reap(struct replay *r) {
	struct pica_done done[64];
	int n;
	while ((n = r->gpu.impl->reap(r->gpu, done, 64)) > 0) {
		for (int i = 0; i < n; i++) {
			if (done[i].result < 0 && r->worst == 0) {
				r->worst = done[i].result;
				r->worst_flags = done[i].flags;
				r->worst_offset = done[i].user_data;
			}
		}
	}
}

static int submit(struct replay *r, const struct pica_job *jobs, size_t n) {
	int ret = n ? r->gpu.impl->submit(r->gpu, jobs, n, &r->seq) : 0;
	reap(r);
	return ret;
}

static int next_event(struct replay *r, struct pica_capture_event *event) {
	return r->next ? r->next(r->next_user, event) : pica_capture_next(r->capture, event);
}

int replay_frame(struct replay *r) {
	struct pica_job jobs[BATCH_JOBS];
	const size_t batch = r->look ? 1 : BATCH_JOBS;
	size_t n = 0;
	int got = 0;
	bool frame = false;
	struct pica_capture_event ev;
	while (!frame && (got = next_event(r, &ev)) > 0) {
		int ret = r->look ? r->look(r->look_user, &ev) : 0;
		if (ret == REPLAY_TAKEN) {
			continue;
		}
		if (ret) {
			return ret;
		}
		ev.job.user_data = ev.offset;
		jobs[n++] = ev.job;
		frame = ev.kind == PICA_CAPTURE_FRAME;
		if (n == batch || frame) {
			ret = submit(r, jobs, n);
			if (ret < 0) {
				return ret;
			}
			n = 0;
		}
	}
	if (!frame) {
		int ret = got < 0 ? got : submit(r, jobs, n);
		if (ret < 0) {
			return ret;
		}
	}
	r->frames += frame;
	return frame;
}

int replay_wait_for(struct replay *r, uint64_t seq) {
	int ret = seq ? r->gpu.impl->wait(r->gpu, seq) : 0;
	reap(r);
	return ret;
}

int replay_wait(struct replay *r) {
	return replay_wait_for(r, r->seq);
}

#define LESS "expected less work in one list: the budget of "
#define USED_UP " is used up"

const char *replay_error(int result, uint32_t flags) {
	static const char *const used_up[] = {
		[PICA_BUDGET_LIST_WORDS] = LESS "list words" USED_UP,
		[PICA_BUDGET_JUMPS] = LESS "jumps" USED_UP,
		[PICA_BUDGET_VERTICES] = LESS "vertices" USED_UP,
		[PICA_BUDGET_PIXELS] = LESS "pixels" USED_UP,
		[PICA_BUDGET_TEXELS] = LESS "texels" USED_UP,
		[PICA_BUDGET_SHADER_STEPS] = LESS "shader steps" USED_UP,
		[PICA_BUDGET_INVOCATION_STEPS] = LESS "steps of a shader invocation" USED_UP,
		[PICA_BUDGET_MEMORY] = LESS "memory of a unit of work" USED_UP,
	};
	const uint32_t budget = flags >> PICA_DONE_BUDGET_SHIFT & PICA_DONE_BUDGET_MASK;
	switch (result) {
	case -ERANGE:
		return "expected a command list inside memory";
	case -EDQUOT:
		return budget && budget < sizeof(used_up) / sizeof(used_up[0]) ?
				used_up[budget] :
				"expected less work in one list: a budget is used up";
	default:
		return strerror(-result);
	}
}

int replay_create_ctx(struct pica_ctx **out, struct pica_device *device,
		const struct pica_capture *capture) {
	struct pica_ctx_settings settings;
	pica_capture_ctx_settings(capture, &settings);
	return pica_ctx_create(out, device, &settings);
}
