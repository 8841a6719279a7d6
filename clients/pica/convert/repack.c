#include "convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/missing.h"
#include "common/output.h"
#include "expect.h"
#include "pictures/plain.h"
#include "replay.h"

enum {
	MAX_WINDOWS = 32,
	/* The best compression of large captures takes a minute, and gains a few percent. */
	SMALL_BYTES = 1 << 20,
	BEST_LEVEL = 19,
	FAST_LEVEL = 12,
};

struct run {
	const struct repack_options *o;
	struct pica_capture *capture;
	struct pica_capture_info info;
	char *name; /* of the capture */
	struct pica_device *device;
	struct pica_ctx *ctx;
	struct pica_capture_writer *writer;
	struct pica_state *state; /* room for keys */
	struct pica_window window[MAX_WINDOWS];
	unsigned n_windows;
	bool started;  /* the first key is written */
	bool write_failed; /* the error concerns the output */
	uint32_t done; /* frames written */
	uint32_t n_differ, first_differs; /* frames that differ from the source's expected
	 * pictures */
	uint64_t seq, waited; /* of the last job; of the last one of the frame before */
};

static uint64_t size_of(const char *path) {
	struct stat st;
	return stat(strcmp(path, "-") == 0 ? "/dev/stdin" : path, &st) == 0 ? (uint64_t)st.st_size :
									      0;
}

static void settings_from(struct run *r, struct pica_capture_writer_settings *s, char tool[64]) {
	const uint32_t version = pica_version();
	pica_capture_writer_settings_init(s);
	snprintf(tool, 64, "%s %u.%u.%u", r->o->tool, version >> 16, version >> 8 & 0xFF,
			version & 0xFF);
	const uint64_t size = size_of(r->o->in);
	const bool is_small = size && size <= SMALL_BYTES;
	s->level = r->o->level ? r->o->level : is_small ? BEST_LEVEL : FAST_LEVEL;
	s->missing = r->info.missing;
	s->source = r->info.form == PICA_CAPTURE_PICA ? r->info.source : (uint32_t)r->info.form;
	s->first_frame = r->info.first_frame + r->o->first;
	s->float_mode = r->o->engine.float_mode;
	s->combiner = r->o->engine.combiner;
	s->windows = r->window;
	s->n_windows = r->n_windows;
	s->title = r->info.title[0] ? r->info.title : r->name;
	s->tool = tool;
	struct pica_ctx_settings ctx;
	pica_capture_ctx_settings(r->capture, &ctx);
	s->budgets = ctx.budgets;
	s->chip = r->info.chip;
}

/* Notes a failure of the writer, so that the message names the output. */
static int written(struct run *r, int ret) {
	r->write_failed |= ret < 0;
	return ret;
}

static int put_key(struct run *r) {
	/* The state of a VideoCore IV is its memory, once it is idle. */
	const bool has_state = r->info.chip == PICA_CHIP_PICA200;
	struct pica_window *memory = NULL;
	int ret = has_state ? pica_ctx_save_state(r->ctx, r->state) :
			      pica_wait(r->ctx, r->seq, -1);
	ret = ret < 0 ? ret : gpu_touched(&memory, r->ctx);
	ret = ret < 0 ? ret :
			written(r, pica_capture_writer_key(r->writer, r->state, memory,
						   (unsigned)ret));
	free(memory);
	return ret;
}

/*
 * Screens alternate between two or three framebuffers, so several frames show which earlier ones
 * are overwritten.
 */
static int clear_overwritten(struct run *r) {
	enum { FRAMES = 8 };
	const struct repack_options *o = r->o;
	struct pica_capture *capture;
	struct pica_ctx *ahead = NULL;
	int ret = pica_capture_open(&capture, strcmp(o->in, "-") == 0 ? "/dev/stdin" : o->in, NULL);
	if (ret < 0) {
		return ret;
	}
	pica_capture_trust_loads(capture, o->trust_loads);
	ret = replay_create_ctx(&ahead, r->device, capture);
	const uint32_t few = o->last - o->first < FRAMES ? o->last : o->first + FRAMES - 1;
	const struct overwritten_frames frames = { .first = o->first, .last = few,
		.is_all = few == o->last,
		.from = replay_first(capture, o->first, o->engine.float_mode, o->engine.combiner,
				o->trust_loads) };
	if (ret == 0 && r->info.chip == PICA_CHIP_PICA200) {
		ret = overwritten_clear(r->ctx, ahead, capture, &frames);
	} else if (ret == 0 && frames.is_all) {
		ret = targets_clear(r->ctx, ahead, capture, &frames);
	}
	pica_ctx_destroy(ahead);
	pica_capture_close(capture);
	return ret;
}

/* The expected picture of the source, if it has one, else our drawn one. */
static int put_expected(struct run *r, uint32_t frame) {
	struct pica_expected drawn[EXPECT_MAX], want, have;
	uint32_t n;
	const struct pica_expected *e = pica_capture_expected(r->capture, frame, &n);
	int ret = 0;
	if (e) {
		uint32_t compared;
		ret = expect_compare(gpu_here(r->ctx), r->capture, frame, &compared, &want, &have);
		if (ret == 1 && r->n_differ++ == 0) {
			r->first_differs = frame;
		}
	} else {
		ret = expect_from_screens(gpu_here(r->ctx), drawn);
		e = drawn;
		n = ret > 0 ? (uint32_t)ret : 0;
	}
	for (uint32_t i = 0; ret >= 0 && i < n; i++) {
		ret = written(r, pica_capture_writer_expect(r->writer, &e[i]));
	}
	return ret < 0 ? ret : 0;
}

/* Writes an event of the kept frames. Returns 1 after the last one. */
static int write_event(struct run *r, const struct pica_capture_event *ev) {
	const struct repack_options *o = r->o;
	if (ev->kind != PICA_CAPTURE_FRAME) {
		return written(r, pica_capture_writer_job(r->writer, &ev->job));
	}
	int ret = written(r, pica_capture_writer_frame(r->writer, &ev->job));
	ret = ret < 0 ? ret : put_expected(r, ev->frame);
	if (ret < 0) {
		return ret;
	}
	r->done++;
	log_progress(r->name, r->done,
			(o->last < r->info.frames ? o->last + 1 : r->info.frames) - o->first);
	if (ev->frame == o->last) {
		return 1;
	}
	const bool more = ev->frame + 1 < r->info.frames;
	return more && o->key_frames && r->done % o->key_frames == 0 ? put_key(r) : 0;
}

static int run(struct run *r) {
	struct pica_capture_event ev;
	int ret;
	while ((ret = pica_capture_next(r->capture, &ev)) > 0) {
		if (!r->started && ev.kind != PICA_CAPTURE_MEMORY && ev.frame >= r->o->first) {
			ret = r->o->first > 0 ? clear_overwritten(r) : 0;
			ret = ret < 0 ? ret : put_key(r);
			r->started = true;
		}
		ret = ret < 0 ? ret : pica_submit(r->ctx, &ev.job, 1, &r->seq);
		if (ret >= 0 && r->started) {
			ret = write_event(r, &ev);
		} else if (ret >= 0 && ev.kind == PICA_CAPTURE_FRAME) {
			/* For earlier frames, at most one ahead: waiting jobs cost memory. */
			ret = pica_wait(r->ctx, r->waited, -1);
			r->waited = r->seq;
		}
		if (ret != 0) {
			break;
		}
	}
	return ret < 0 ? ret : 0;
}

/* The amounts of missing parts; flags without a number are in INFO. */
static int write_missing(struct run *r) {
	struct missing lacks;
	int ret = pica_wait(r->ctx, r->seq, -1);
	missing_find(&lacks, r->capture, r->ctx);
	for (unsigned i = 0; ret == 0 && i < lacks.n; i++) {
		if (lacks.row[i].count) {
			ret = written(r, pica_capture_writer_lack(r->writer, &lacks.row[i]));
		}
	}
	return ret;
}

/* Seeks the last undamaged key before the kept frames that this writer would also have made. */
static int seek(struct run *r) {
	const struct repack_options *o = r->o;
	uint32_t at, first = replay_first(r->capture, o->first, o->engine.float_mode,
				     o->engine.combiner, o->trust_loads);
	bool skipped = false;
	const int ret = replay_seek(r->capture, first, &at, &skipped);
	capture_note_skipped(r->capture, r->o->in, ret == 0 && skipped);
	return ret;
}

static int start(struct run *r) {
	struct pica_capture_writer_settings settings;
	char tool[64];
	int ret = seek(r);
	ret = ret < 0 ? ret : pica_capture_load(r->capture, r->ctx);
	ret = ret < 0 ? ret : missing_begin(r->capture, r->ctx);
	if (ret < 0) {
		return ret;
	}
	r->n_windows = pica_ctx_windows(r->ctx, r->window, MAX_WINDOWS);
	settings_from(r, &settings, tool);
	return pica_capture_writer_create(&r->writer, r->o->out, &settings);
}

void convert_report_sizes(const char *in, const char *out) {
	char before[OUTPUT_SIZE], after[OUTPUT_SIZE];
	output_size(size_of(in), before);
	output_size(size_of(out), after);
	plain_write(stdout, out);
	printf(": %s, from %s\n", after, before);
}

int repack(const struct repack_options *o, struct pica_capture *capture) {
	struct run r = { .o = o, .capture = capture, .name = capture_name(o->in) };
	struct pica_device *device = NULL;
	pica_capture_info(capture, &r.info);
	pica_capture_trust_loads(capture, o->trust_loads);
	int exit = engine_create(&device, &o->engine);
	if (exit != EXIT_FINE) {
		free(r.name);
		return exit;
	}
	r.device = device;
	r.state = calloc(1, sizeof(*r.state));
	int ret = r.state && r.name ? replay_create_ctx(&r.ctx, device, capture) : -ENOMEM;
	bool writing = false;
	if (ret == 0) {
		ret = start(&r);
		writing = ret < 0 && r.n_windows && !r.writer; /* the output could not be created */
	}
	if (ret == 0) {
		ret = run(&r);
		ret = ret == 0 && !r.started ? put_key(&r) : ret; /* a capture without any event */
		ret = ret == 0 ? write_missing(&r) : ret;
	}
	if (ret == 0) {
		ret = pica_capture_writer_finish(r.writer);
		r.writer = NULL;
		writing = ret < 0;
	}
	log_end();
	pica_capture_writer_destroy(r.writer);
	if (ret == -EINVAL && writing) {
		exit = log_fail("%s: not a regular file", o->out);
	} else if (ret < 0) {
		exit = capture_failed(
				capture, writing || r.write_failed ? o->out : o->in, ret);
	}
	if (exit == EXIT_FINE && r.n_differ) {
		log_line("%s: note: frame %" PRIu32 " is not drawn as the capture expects, and %" PRIu32
			" more: what it expects is kept", o->in, r.first_differs, r.n_differ - 1);
	}
	free(r.state);
	free(r.name);
	pica_ctx_destroy(r.ctx);
	pica_device_destroy(device);
	return exit;
}
