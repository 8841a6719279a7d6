/* The recorder of a context (pica_record.h). */
#include "record/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica/xfer/xfer.h"

enum { DEFAULT_KEY_FRAMES = 60, DEFAULT_LEVEL = 3 };
#define DEFAULT_KEY_BYTES (UINT64_C(64) << 20)
#define DEFAULT_PATIENCE_NS UINT64_C(10000000000)

static void fail(struct pica_recorder *r, int error) {
	int none = 0;
	if (error < 0) {
		atomic_compare_exchange_strong(&r->error, &none, error);
	}
}

/* Charges the copy of the memory and the queue to the disk to the context's account. */
static void check_quota(struct pica_recorder *r) {
	if (!r->error && memory_find_full(r->memory)) {
		fail(r, -ENOBUFS);
		shadow_finish(&r->shadow);
	}
}

/* Recording has ended. */
static bool has_ended(const struct pica_recorder *r) {
	return r->error || r->is_over;
}

/* ---- Memory ---- */

static void on_change(void *user, uint32_t phys, const uint8_t *data, uint32_t size_bytes) {
	struct pica_recorder *r = user;
	struct pica_job job = { .op = PICA_OP_WRITE,
		.u.write = { .addr = phys, .size_bytes = size_bytes,
			.data = (uint64_t)(uintptr_t)data } };
	fail(r, r->error ? 0 : pica_capture_writer_job(r->writer, &job));
}

static struct pica_recorder *recorder_of(struct observer *o) {
	return (struct pica_recorder *)(void *)o;
}

static bool on_access(struct observer *o, struct range range, enum access why) {
	struct pica_recorder *r = recorder_of(o);
	if (has_ended(r)) {
		return false;
	}
	const bool changed = shadow_compare(&r->shadow, range,
			why == ACCESS_TEXTURE ? SHADOW_TEXTURE : SHADOW_READ);
	if (access_writes(why)) {
		fail(r, shadow_pend(&r->shadow, range, r->ctx->exec.open != NULL));
	}
	return changed;
}

static void on_pass_closed(struct observer *o) {
	shadow_pass_closed(&recorder_of(o)->shadow);
}

/* Finished work may complete, and then the program may change memory. */
static void on_settled(struct observer *o) {
	struct pica_recorder *r = recorder_of(o);
	if (r->is_over) {
		return; /* the copy stays the expected result of the replay */
	}
	shadow_settle(&r->shadow);
	shadow_next_job(&r->shadow);
}

/* ---- Frames ---- */

/* The state of a VideoCore IV is its memory. */
static void save_state(struct pica_recorder *r) {
	struct pica200 *ctx = pica200_from(r->ctx);
	if (ctx) {
		state_save(ctx, r->state);
	}
}

static int put_key(struct pica_recorder *r) {
	struct pica_window *memory;
	unsigned n;
	int ret = shadow_parts(&r->shadow, &memory, &n);
	if (ret < 0) {
		return ret;
	}
	save_state(r);
	ret = pica_capture_writer_key(r->writer, r->state, memory, n);
	free(memory);
	r->frames_since_key = 0;
	r->size_at_key = r->writer->size;
	return ret;
}

/*
 * Adds the picture of a screen, if it was set; its memory first, since the program may have drawn
 * it.
 */
static int put_picture(struct pica_recorder *r, enum pica_screen_id screen, enum pica_eye eye) {
	struct pica_expected e = { .screen = (uint32_t)screen, .eye = (uint32_t)eye };
	const struct pica200 *ctx = pica200_from(r->ctx);
	struct scanout s;
	scanout_from_regs(&s, ctx->external, ctx->lcd, screen);
	if (!s.info.is_set || (eye == PICA_EYE_RIGHT && !s.info.has_right)) {
		return 0;
	}
	e.width = s.info.width;
	e.height = s.info.height;
	const size_t stride = 3 * (size_t)e.width;
	scanout_run(&s, &ctx->kernels.xfer, &ctx->base.space, eye, r->rgb, stride);
	pica_picture_hash(r->rgb, e.width, e.height, stride, e.hash);
	return pica_capture_writer_expect(r->writer, &e);
}

static int put_screens(struct pica_recorder *r) {
	int ret = put_picture(r, PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ret = ret < 0 ? ret : put_picture(r, PICA_SCREEN_TOP, PICA_EYE_RIGHT);
	return ret < 0 ? ret : put_picture(r, PICA_SCREEN_BOTTOM, PICA_EYE_LEFT);
}

int record_target(const struct vc4_ctx *ctx, struct pica_expected *e) {
	struct pica_picture picture;
	*e = (struct pica_expected){ .screen = PICA_CAPTURE_PICTURE };
	int ret = vc4_picture(ctx, &picture);
	if (ret < 0) {
		return ret;
	}
	const size_t n = (size_t)picture.width * picture.height;
	uint8_t *px = vc4_picture_is_there(&ctx->base.space, &picture) ? malloc(4 * n) : NULL;
	if (!px) {
		return -ENODATA;
	}
	ret = vc4_picture_read(&ctx->base.space, &picture, px, 4 * (size_t)picture.width);
	for (size_t i = 0; i < n; i++) { /* R, G, B alone */
		memmove(px + 3 * i, px + 4 * i, 3);
	}
	e->width = picture.width;
	e->height = picture.height;
	pica_picture_hash(px, e->width, e->height, 3 * (size_t)e->width, e->hash);
	free(px);
	return ret;
}

/* An unreadable target gives no expected picture. */
static int put_target(struct pica_recorder *r) {
	struct pica_expected e;
	const int ret = record_target(vc4_from(r->ctx), &e);
	return ret < 0 ? 0 : pica_capture_writer_expect(r->writer, &e);
}

static void look_at_screens(struct pica_recorder *r) {
	const struct pica200 *ctx = pica200_from(r->ctx);
	for (unsigned i = 0; i < 2; i++) {
		struct scanout s;
		scanout_from_regs(&s, ctx->external, ctx->lcd, (enum pica_screen_id)i);
		for (unsigned eye = 0; eye < 2; eye++) {
			struct range reads = scanout_reads(&s, (enum pica_eye)eye);
			if (reads.size) {
				shadow_compare(&r->shadow, reads, SHADOW_READ);
			}
		}
	}
}

/* Nothing is in flight, and no pass is open. */
static void put_frame(struct pica_recorder *r, const struct pica_job *present) {
	const bool has_screens = pica200_from(r->ctx);
	if (has_screens) {
		look_at_screens(r);
	}
	int ret = r->error ? r->error : pica_capture_writer_frame(r->writer, present);
	ret = ret < 0 ? ret : has_screens ? put_screens(r) : put_target(r);
	r->frames_since_key++;
	const bool due = (r->key_frames && r->frames_since_key >= r->key_frames) ||
			(r->key_bytes && r->writer->size - r->size_at_key >= r->key_bytes);
	ret = ret == 0 && due ? put_key(r) : ret;
	fail(r, ret);
	if (ret == 0 && r->max_bytes && r->writer->size > r->max_bytes) {
		save_state(r);
		r->is_over = true;
	}
}

/* ---- Jobs ---- */

static void on_job_done(struct observer *o, const struct pica_job *job) {
	struct pica_recorder *r = recorder_of(o);
	if (has_ended(r)) {
		return;
	}
	if (job->op == PICA_OP_WRITE) {
		/* Only the changed bytes are needed for a replay, with any flags. */
		const struct range range = { job->u.write.addr, job->u.write.size_bytes };
		if (range.size) {
			shadow_compare(&r->shadow, range, SHADOW_WRITTEN);
		}
	} else if (job->op == PICA_OP_PRESENT && !r->own_frames && pica200_from(r->ctx)) {
		put_frame(r, job);
	} else if (job->op == PICA_OP_CONTROL_LISTS && !r->own_frames) {
		static const struct pica_job end = { .op = PICA_OP_PRESENT };
		fail(r, pica_capture_writer_job(r->writer, job));
		put_frame(r, &end);
	} else if (job->op != PICA_OP_STATS) { /* which only looks */
		fail(r, pica_capture_writer_job(r->writer, job));
	}
	check_quota(r);
	shadow_next_job(&r->shadow);
}

static void on_replaced(struct observer *o) {
	struct pica_recorder *r = recorder_of(o);
	fail(r, r->is_over ? 0 : -ECANCELED);
}

static void on_gone(struct observer *o) {
	struct pica_recorder *r = recorder_of(o);
	on_replaced(o);
	r->ctx->observer = NULL;
	r->ctx = NULL;
}

/* ---- Life ---- */

PICA_EXPORT void pica_recorder_settings_init(struct pica_recorder_settings *s) {
	memset(s, 0, sizeof(*s));
	s->size = sizeof(*s);
	s->key_frames = DEFAULT_KEY_FRAMES;
	s->key_bytes = DEFAULT_KEY_BYTES;
	s->level = DEFAULT_LEVEL;
}

static int open_writer(
		struct pica_recorder *r, const char *path, const struct pica_recorder_settings *s) {
	struct pica_window window[SPACE_MAX_WINDOWS];
	struct pica_capture_writer_settings w;
	const struct space *space = &r->ctx->space;
	pica_capture_writer_settings_init(&w);
	for (unsigned i = 0; i < space->n; i++) {
		window[i] = (struct pica_window){ .phys = space->win[i].phys,
			.size_bytes = space->win[i].size_bytes, .flags = space->win[i].flags };
	}
	w.level = s->level;
	w.windows = window;
	w.n_windows = space->n;
	w.budgets = r->ctx->settings.budgets;
	w.float_mode = r->ctx->settings.float_mode;
	w.combiner = r->ctx->settings.combiner;
	w.chip = r->ctx->chip->id;
	w.title = s->title;
	w.tool = s->tool ? s->tool : "libpica";
	return pica_capture_writer_create(&r->writer, path, &w);
}

static bool settings_ok(const struct pica_recorder_settings *s) {
	bool ok = s->size == sizeof(*s) && !(s->flags & ~(uint32_t)PICA_RECORDER_OWN_FRAMES) &&
			s->level >= 1 && s->level <= 19;
	for (size_t i = 0; i < ARRAY_LEN(s->reserved); i++) {
		ok = ok && s->reserved[i] == 0;
	}
	return ok;
}

static void free_recorder(struct pica_recorder *r) {
	pica_capture_writer_destroy(r->writer);
	shadow_finish(&r->shadow);
	memory_put(r->memory);
	pica_device_destroy(r->device);
	free(r->state);
	free(r->rgb);
	free(r->path);
	free(r);
}

PICA_EXPORT int pica_recorder_start(struct pica_recorder **out, struct pica_ctx *ctx,
		const char *path, const struct pica_recorder_settings *settings) {
	struct pica_recorder_settings defaults;
	if (!settings) {
		pica_recorder_settings_init(&defaults);
		settings = &defaults;
	}
	if (!out || !ctx || !path || !settings_ok(settings)) {
		return -EINVAL;
	}
	ctx_idle(ctx);
	if (ctx->observer) {
		return -EBUSY;
	}
	struct pica_recorder *r = calloc(1, sizeof(*r));
	if (!r) {
		return -ENOMEM;
	}
	r->observer = (struct observer){ on_access, on_pass_closed, on_settled, on_job_done,
		on_replaced, on_gone };
	r->ctx = ctx;
	r->own_frames = settings->flags & PICA_RECORDER_OWN_FRAMES;
	r->key_frames = settings->key_frames;
	r->key_bytes = settings->key_bytes;
	r->max_bytes = settings->max_bytes;
	r->device = device_get(ctx->device);
	r->settings = ctx->settings;
	r->settings.memory = NULL;
	r->memory = memory_get(ctx->settings.memory);
	r->unit_limit = memory_unit_limit(&ctx->exec.memory);
	r->path = strdup(path);
	r->state = calloc(1, sizeof(*r->state));
	r->rgb = malloc(3 * (size_t)RECORD_MAX_WIDTH * RECORD_HEIGHT);
	int ret = r->path && r->state && r->rgb ? open_writer(r, path, settings) : -ENOMEM;
	const struct disk_bounds bounds = { settings->queue_bytes,
		settings->patience_ns ? settings->patience_ns : DEFAULT_PATIENCE_NS,
		r->memory };
	if (ret == 0 && bounds.bytes) {
		ret = disk_defer(&r->writer->file, &bounds);
	}
	ret = ret < 0 ? ret : shadow_init(&r->shadow, &ctx->space, r->memory, on_change, r);
	ret = ret == 0 && memory_find_full(r->memory) ? -ENOBUFS : ret;
	ret = ret < 0 ? ret : put_key(r);
	if (ret < 0) {
		free_recorder(r);
		return ret;
	}
	r->writer->file.may_wait = false; /* jobs do not */
	ctx->observer = &r->observer;
	*out = r;
	return 0;
}

PICA_EXPORT int pica_recorder_error(struct pica_recorder *r) {
	if (r->ctx) {
		ctx_idle(r->ctx);
	}
	return r->error;
}

PICA_EXPORT int pica_recorder_peek(const struct pica_recorder *r) {
	return r->error;
}

PICA_EXPORT int pica_recorder_frame(struct pica_recorder *r) {
	if (pica_recorder_error(r) == 0 && !r->is_over) {
		struct pica_job present = { .op = PICA_OP_PRESENT };
		present.u.present.screens = 3;
		put_frame(r, &present);
		shadow_next_job(&r->shadow);
	}
	return r->error;
}

PICA_EXPORT void pica_recorder_detach(struct pica_recorder *r) {
	if (!r->ctx) {
		return;
	}
	ctx_idle(r->ctx);
	if (!r->is_over) {
		save_state(r);
		r->is_over = true;
	}
	r->ctx->observer = NULL;
	r->ctx = NULL;
}

/* A recording without pictures is valid, but seldom intended. */
static void note_no_pictures(const struct pica_recorder *r, struct pica_capture_error *note) {
	const struct capture_source source = { .name = r->path };
	*note = (struct pica_capture_error){ .code = 0 };
	if (r->writer->index.n_frames == 0) {
		capture_fail(&source, note, 0, UINT64_MAX,
				"it expects no pictures: no frame was ended");
	} else if (r->writer->n_pictures == 0) {
		capture_fail(&source, note, 0, UINT64_MAX,
				"it expects no pictures: no screen was set when a frame ended");
	}
}

PICA_EXPORT int pica_recorder_finish(struct pica_recorder *r, struct pica_capture_error *err) {
	const struct capture_source source = { .name = r->path };
	struct pica_capture_error found = { 0 };
	pica_recorder_detach(r);
	int ret = r->error;
	r->writer->file.may_wait = true;
	ret = ret < 0 ? ret : box_writer_end(r->writer);
	/* a process killed during the replay leaves the recording */
	ret = ret < 0 ? ret : disk_show(&r->writer->file);
	ret = ret < 0 ? ret : record_check(r, &found);
	if (ret == 0) {
		ret = disk_commit(&r->writer->file);
	}
	if (ret == 0 && err) {
		note_no_pictures(r, err);
	} else if (ret < 0 && err && found.code == ret) {
		*err = found;
	} else if (ret < 0) {
		capture_fail(&source, err, ret, UINT64_MAX, "%s",
				ret == -ECANCELED ?
						"the context's state or windows were replaced, or it was destroyed" :
						ret == -ETIME ?
						"the disk does not take what is written fast enough" :
						ret == -ENOBUFS ?
						"it and its recording need more memory than its quota" :
						strerror(-ret));
	}
	free_recorder(r);
	return ret;
}

PICA_EXPORT void pica_recorder_destroy(struct pica_recorder *r) {
	if (!r) {
		return;
	}
	pica_recorder_detach(r);
	free_recorder(r);
}
