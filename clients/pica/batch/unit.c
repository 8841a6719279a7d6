#include "batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include "common/json.h"
#include "diff/diff.h"
#include "expect.h"
#include "pictures/file.h"
#include "pictures/writer.h"
#include "pixel/pixel.h"
#include "replay.h"

enum { MAX_MESSAGES = 20, MAX_KEPT = 16 };

void drawing_fail(struct drawing *d, enum batch_state state, const char *fmt, ...) {
	char text[1024];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (++d->n_messages <= MAX_MESSAGES) {
		json_array_append_new(d->messages, json_text(text));
	}
	d->state = state > d->state ? state : d->state;
}

/* The library's message without the path, since a result belongs to all files of this content. */
static const char *without_path(const struct drawing *d, const char *message) {
	const size_t len = strlen(d->unit->path);
	return strncmp(message, d->unit->path, len) == 0 && strncmp(message + len, ": ", 2) == 0
		       ? message + len + 2
		       : message;
}

void batch_memory_text(char *text, size_t size, uint64_t limit_bytes) {
	snprintf(text, size, "%s", strerror(ENOMEM));
	if (limit_bytes) {
		const size_t len = strlen(text);
		snprintf(text + len, size - len, ", with --memory %" PRIu64, limit_bytes >> 20);
	}
}

static void fail_errno(struct drawing *d, const char *what, int ret) {
	char text[128];
	struct rlimit limit;
	if (ret != -ENOMEM) {
		drawing_fail(d, BATCH_TROUBLE, "%s: %s", what, strerror(-ret));
		return;
	}
	if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY) {
		limit.rlim_cur = 0;
	}
	batch_memory_text(text, sizeof(text), limit.rlim_cur);
	drawing_fail(d, BATCH_MEMORY, "%s: %s", what, text);
}

void drawing_keep(struct drawing *d, json_t *row, const char *member, const char *name,
		const struct picture *p) {
	char *path = file_in(d->folder, name);
	const int ret = path ? picture_write_png(p, path) : -ENOMEM;
	free(path);
	if (ret < 0) {
		d->store_error = d->store_error ? d->store_error : ret;
	} else {
		json_object_set_new(row, member, json_string(name));
	}
}

/* ---- Pictures ---- */

static enum shown_view view_of(const struct pica_expected *e) {
	return e->screen == PICA_CAPTURE_PICTURE ? SHOWN_PICTURE
	       : e->screen == PICA_SCREEN_BOTTOM ? SHOWN_BOTTOM
	       : e->eye == PICA_EYE_RIGHT      ? SHOWN_TOP_RIGHT
					       : SHOWN_TOP;
}

/*
 * Finds the writer of the first differing pixel of the first differing screen, as pica pixel does:
 * the most useful hint. Returns false if no pixel is known.
 */
static bool find_maker(struct drawing *d, const struct engine_options *engine) {
	json_t *row = NULL, *first = NULL;
	size_t i;
	json_array_foreach(d->pictures, i, row) {
		const json_t *differing = json_object_get(row, "differing");
		first = json_array_get(json_object_get(differing, "first"), 0);
		if (first) {
			break;
		}
	}
	const char *screen = first ? json_text_of(row, "screen") : NULL;
	if (!screen || (strncmp(screen, "top", 3) != 0 && strcmp(screen, "bottom") != 0 &&
				       strcmp(screen, "picture") != 0)) {
		return false;
	}
	struct pixel_answer a;
	const struct pixel_options o = { .engine = *engine, .capture = d->unit->path,
		.x = (uint32_t)json_number_of(first, "x"), .y = (uint32_t)json_number_of(first, "y"),
		.frame = (uint32_t)json_number_of(row, "frame"),
		.screen = screen[0] == 't' ? PICA_SCREEN_TOP : PICA_SCREEN_BOTTOM,
		.eye = strcmp(screen, "top-right") == 0 ? PICA_EYE_RIGHT : PICA_EYE_LEFT };
	if (pixel_find(&a, &o) == EXIT_FINE && a.last >= 0) {
		const struct pica_history_entry *e = &a.entries[a.last];
		char text[128];
		if (e->kind == PICA_HISTORY_DRAW) {
			snprintf(text, sizeof(text), "draw %" PRIu32 " of frame %" PRIu32, e->draw,
					e->frame);
		} else {
			snprintf(text, sizeof(text), "a %s in frame %" PRIu32,
					e->kind == PICA_HISTORY_FILL ? "fill" : "load of memory",
					e->frame);
		}
		json_object_set_new(row, "made_by",
				json_sprintf("the first pixel that differs, %" PRIu32 ",%" PRIu32
					     ", was made by %s", o.x, o.y, text));
		drawing_fail(d, BATCH_DIFFERENT, "frame %" PRIu32 ", screen %s: %s", o.frame,
				screen, json_text_of(row, "made_by"));
	}
	pixel_finish(&a);
	return true;
}

static bool has_its_modes(const struct drawing *d) {
	return d->info.float_mode == d->settings->float_mode &&
	       d->info.combiner == d->settings->combiner;
}

/*
 * A hash names no pixel. Draws the capture once more, with its own arithmetic, or else in plain C,
 * and finds the first draw that differs from that, as pica diff does.
 */
static void find_draw(struct drawing *d, const struct engine_options *engine) {
	json_t *row = NULL;
	size_t i;
	json_array_foreach(d->pictures, i, row) {
		if (json_object_get(row, "expected_hash")) {
			break;
		}
	}
	if (!row) {
		return;
	}
	struct diff_options o = { .engine = { *engine, *engine }, .path = { d->unit->path },
		.n_paths = 1, .frames = d->settings->frames };
	o.engine[0].float_mode = d->info.float_mode;
	o.engine[0].combiner = d->info.combiner;
	o.engine[0].isa = has_its_modes(d) ? "c" : engine->isa;
	struct diff diff = { .o = &o, .report = json_object() };
	const int exit = diff_captures(&diff);
	const json_t *draw = json_object_get(diff.report, "draw");
	if (exit == EXIT_FINE && draw) {
		char other[64] = "--isa c";
		if (!has_its_modes(d)) {
			snprintf(other, sizeof(other), "--float %s --combiner %s",
					float_words[d->info.float_mode],
					combiner_words[d->info.combiner]);
		}
		json_object_set_new(row, "made_by",
				json_sprintf("draw %" JSON_INTEGER_FORMAT " of frame %"
					     JSON_INTEGER_FORMAT " is the first that differs "
					     "when drawn with %s", json_number_of(draw, "draw"),
					     json_number_of(diff.report, "frame"), other));
		drawing_fail(d, BATCH_DIFFERENT, "%s", json_text_of(row, "made_by"));
	}
	json_decref(diff.report);
}

/* Compares with the hash in the capture. */
static bool differs_from_expected(struct drawing *d, const struct pica_expected *e,
		const struct picture *p, const char *hash, json_t *row) {
	char expected[BATCH_HASH];
	picture_hash_text(e->hash, expected);
	d->n_expected++;
	if (e->width == p->width && e->height == p->height && strcmp(expected, hash) == 0) {
		return false;
	}
	json_object_set_new(row, "expected_hash", json_string(expected));
	drawing_fail(d, BATCH_DIFFERENT, "frame %" PRIu32 ", screen %s: expected %s, drawn %s",
			e->frame, expect_screen_name(e), expected, hash);
	return true;
}

static bool has_golden(const json_t *row) {
	const char *golden = json_text_of(row, "golden");
	return golden && (strcmp(golden, "same") == 0 || strcmp(golden, "different") == 0);
}

static void judge(struct drawing *d, uint32_t frame, enum shown_view view, const struct picture *p,
	const struct pica_expected *expected) {
	char hash[PICTURE_HASH_TEXT], name[64];
	picture_hash(p, hash);
	json_t *row = json_pack("{sI ss sI sI ss}", "frame", (json_int_t)frame, "screen",
			shown_name(view), "width", (json_int_t)p->width, "height",
			(json_int_t)p->height, "hash", hash);
	bool is_wrong = expected && differs_from_expected(d, expected, p, hash, row);
	bool is_blessed = false;
	if (d->settings->golden && batch_golden_compare(d, frame, view, p, row)) {
		is_wrong = true;
		is_blessed = d->settings->bless;
	}
	d->n_compared += expected || has_golden(row);
	const bool is_kept =
		d->settings->pictures == BATCH_PICTURES_ALL ||
		(d->settings->pictures == BATCH_PICTURES_WRONG && is_wrong && d->n_kept < MAX_KEPT);
	if (is_kept || is_blessed) {
		snprintf(name, sizeof(name), "f%04" PRIu32 "-%s.png", frame, shown_name(view));
		d->n_kept += is_wrong;
		drawing_keep(d, row, "file", name, p);
	}
	json_array_append_new(d->pictures, row);
}

static const struct pica_expected *find_expected(
	const struct pica_expected *e, uint32_t n, enum shown_view view) {
	for (uint32_t i = 0; i < n; i++) {
		if (view_of(&e[i]) == view) {
			return &e[i];
		}
	}
	return NULL;
}

static void judge_frame(struct drawing *d, struct pica_ctx *ctx, const struct pica_capture *capture,
	uint32_t frame, struct shown *s) {
	uint32_t n = 0;
	int ret = shown_take(s, ctx);
	if (ret < 0) {
		fail_errno(d, "cannot read the screens", ret);
		return;
	}
	const struct pica_expected *e =
			d->settings->verify ? pica_capture_expected(capture, frame, &n) : NULL;
	for (unsigned view = 0; view < SHOWN_BUFFER; view++) {
		const struct pica_expected *expected = find_expected(e, n, (enum shown_view)view);
		if (s->is_set[view]) {
			judge(d, frame, (enum shown_view)view, &s->picture[view], expected);
		} else if (expected) {
			d->n_expected++;
			d->n_compared++;
			drawing_fail(d, BATCH_DIFFERENT,
				"frame %" PRIu32 ", screen %s: expected, but not shown", frame,
				expect_screen_name(expected));
		}
	}
}

/* ---- Frames ---- */

/* Compares the last target if no frame has shown a screen. */
static void judge_buffer(struct drawing *d, struct pica_ctx *ctx, uint32_t frame, struct shown *s) {
	if (json_array_size(d->pictures) == 0 && d->state == BATCH_PASS) {
		shown_take_buffer(s, ctx);
		if (s->is_set[SHOWN_BUFFER]) {
			judge(d, frame, SHOWN_BUFFER, &s->picture[SHOWN_BUFFER], NULL);
		}
	}
}

static int draw_frames(struct drawing *d, struct pica_ctx *ctx, struct pica_capture *capture,
		struct replay *replay) {
	const struct frame_list *frames = &d->settings->frames;
	const uint32_t end = frame_list_end(frames, d->n_frames);
	struct shown shown = { .is_set = { false } };
	const uint32_t first = replay_first(capture, frame_list_first(frames, d->n_frames),
			d->settings->float_mode, d->settings->combiner, false);
	int ret = replay_start(replay, gpu_here(ctx), capture, first);
	for (uint32_t frame = (uint32_t)replay->frames; ret == 0 && frame <= end; frame++) {
		const uint64_t previous = replay->seq;
		const bool is_chosen = frame_list_has(frames, d->n_frames, frame);
		ret = replay_frame(replay);
		if (ret < 0) {
			break;
		}
		/* At most one frame ahead: waiting jobs cost memory. */
		ret = is_chosen ? replay_wait(replay) : replay_wait_for(replay, previous);
		if (ret == 0 && is_chosen) {
			judge_frame(d, ctx, capture, frame, &shown);
		}
	}
	if (ret == 0) {
		ret = replay_wait(replay);
	}
	if (ret == 0) {
		judge_buffer(d, ctx, end, &shown);
	}
	shown_finish(&shown);
	return ret;
}

static void draw_capture(struct drawing *d, struct pica_ctx *ctx, struct pica_capture *capture) {
	struct replay replay;
	const uint32_t end = frame_list_end(&d->settings->frames, d->n_frames);
	if (end >= d->n_frames) {
		drawing_fail(d, BATCH_REFUSED,
				"frame %" PRIu32 " was asked for, but the last one is %" PRIu32,
				end, d->n_frames - 1);
		return;
	}
	int ret = d->settings->verify ? pica_capture_verify(capture) : 0;
	if (ret < 0 && capture_is_damaged(capture, ret)) {
		drawing_fail(d, BATCH_BROKEN, "%s",
				without_path(d, pica_capture_error(capture)->message));
		return;
	}
	ret = ret < 0 ? ret : draw_frames(d, ctx, capture, &replay);
	if (ret < 0 && capture_is_damaged(capture, ret)) {
		drawing_fail(d, BATCH_BROKEN, "frame %" PRIu64 ": %s", replay.frames,
			without_path(d, pica_capture_error(capture)->message));
	} else if (ret < 0) {
		fail_errno(d, "drawing", ret);
	} else if (replay.worst < 0) {
		drawing_fail(d, replay.worst == -ENOMEM ? BATCH_MEMORY : BATCH_BROKEN,
				"byte 0x%" PRIX64 ": %s", replay.worst_offset,
				replay_error(replay.worst, replay.worst_flags));
	} else if (d->settings->verify && !d->n_expected && d->state == BATCH_PASS) {
		drawing_fail(d, BATCH_REFUSED, "%s", expect_none(capture));
	}
}

/* Pictures drawn with other arithmetic differ, which is not an error. */
static void note_modes(struct drawing *d) {
	const struct pica_capture_info *info = &d->info;
	if (d->settings->verify && d->state == BATCH_DIFFERENT && !has_its_modes(d)) {
		/* However many messages there are. */
		json_array_append_new(d->messages,
			json_sprintf("note: its pictures were drawn with --float %s --combiner %s",
				float_words[info->float_mode], combiner_words[info->combiner]));
	}
}

static void note_counters(json_t *result, struct pica_ctx *ctx) {
	struct pica_stats stats = { .size = sizeof(stats) };
	json_t *counters = json_object();
	pica_stats(ctx, &stats);
	json_add_counters(counters, &stats);
	json_object_set_new(result, "counters", counters);
}

static void draw(struct drawing *d, const struct engine_options *engine, json_t *result) {
	struct pica_capture *capture = NULL;
	struct pica_capture_error error;
	struct pica_device *device = NULL;
	struct pica_ctx *ctx = NULL;
	int ret = pica_capture_open(&capture, d->unit->path, &error);
	if (ret < 0) {
		drawing_fail(d,
			ret == -ENOMEM                               ? BATCH_MEMORY
			: capture_open_exit(ret) == EXIT_BAD_CAPTURE ? BATCH_BROKEN
								     : BATCH_TROUBLE,
			"%s", without_path(d, error.message));
		return;
	}
	pica_capture_info(capture, &d->info);
	d->n_frames = capture_frames(capture);
	if (engine_create(&device, engine) != EXIT_FINE) {
		drawing_fail(d, BATCH_TROUBLE, "the engine does not start");
	} else if (ret = replay_create_ctx(&ctx, device, capture), ret < 0) {
		fail_errno(d, "cannot make a context", ret);
	} else {
		draw_capture(d, ctx, capture);
		note_counters(result, ctx);
	}
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	pica_capture_close(capture);
}

/* ---- Results ---- */

static json_t *result_begin(const struct batch_unit *unit) {
	return json_pack("{si ss ss}", "schema", JSON_SCHEMA, "key", unit->key, "content",
			unit->content);
}

/* Takes all over. */
static int result_write(json_t *result, const char *folder) {
	char *path = file_in(folder, "result.json");
	const int ret = path ? json_write(result, path) : -ENOMEM;
	free(path);
	return ret;
}

int batch_unit_fail(const struct batch_unit *unit, enum batch_state state, const char *message,
		const char *folder) {
	json_t *result = result_begin(unit), *messages = json_array();
	json_array_append_new(messages, json_text(message));
	json_object_set_new(result, "state", json_string(batch_state_name(state)));
	json_object_set_new(result, "messages", messages);
	json_object_set_new(result, "pictures", json_array());
	return result_write(result, folder);
}

static bool is_same_file(const struct stat *a, const struct stat *b) {
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Draws the file, which must match its hash in the plan before and after it is read. */
static void draw_unchanged(struct drawing *d, const struct engine_options *engine, json_t *result) {
	struct stat before, after;
	char content[BATCH_HASH];
	int ret = stat(d->unit->path, &before) < 0 ? -errno :
						     batch_hash_file(d->unit->path, content, NULL);
	if (ret < 0) {
		fail_errno(d, "cannot be read", ret);
		return;
	}
	if (strcmp(content, d->unit->content) == 0) {
		draw(d, engine, result);
	}
	if (strcmp(content, d->unit->content) != 0 || stat(d->unit->path, &after) < 0 ||
		!is_same_file(&before, &after)) {
		drawing_fail(d, BATCH_TROUBLE, "the file has changed since the batch began");
	}
}

int batch_unit_draw(const struct batch_plan *plan, const struct batch_unit *unit,
	const struct engine_options *engine, const char *folder) {
	struct drawing d = { .settings = &plan->settings,
		.unit = unit,
		.folder = folder,
		.messages = json_array(),
		.pictures = json_array(),
		.golden = json_object() };
	json_t *result = result_begin(unit);
	draw_unchanged(&d, engine, result);
	if (d.settings->golden && d.n_frames) {
		batch_golden_finish(&d);
	}
	if (d.state == BATCH_DIFFERENT && !find_maker(&d, engine)) {
		find_draw(&d, engine);
	}
	note_modes(&d);
	if (d.n_messages > MAX_MESSAGES) {
		json_array_append_new(d.messages,
				json_sprintf("and %u more", d.n_messages - MAX_MESSAGES));
	}
	json_object_set_new(result, "state", json_string(batch_state_name(d.state)));
	json_object_set_new(result, "messages", d.messages);
	json_object_set_new(result, "frames", json_integer(d.n_frames));
	json_object_set_new(result, "compared", json_integer(d.n_compared));
	json_object_set_new(result, "pictures", d.pictures);
	if (d.settings->golden) {
		json_object_set(result, "golden", d.golden);
	}
	json_decref(d.golden);
	int ret = result_write(result, folder);
	ret = d.store_error ? d.store_error : ret;
	return ret == 0 ? UNIT_DONE : UNIT_ERROR - ret;
}
