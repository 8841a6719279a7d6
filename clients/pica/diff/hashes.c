/* Compares saved hashes, perhaps from another version of the program, with a rendering. */
#include "diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "pictures/file.h"

enum { MAX_FILE = 64 << 20 };

struct line {
	char name[128], screen[64], eye[8], hash[PICTURE_HASH_TEXT];
	uint32_t frame;
};

struct hashes {
	struct line *lines; /* owned */
	size_t n, cap;
};

static int add(struct hashes *h, const struct line *line) {
	struct line *lines = array_room(h->lines, h->n, &h->cap, sizeof(*lines));
	if (!lines) {
		return -ENOMEM;
	}
	h->lines = lines;
	h->lines[h->n++] = *line;
	return 0;
}

/* Lines "name frame screen eye hash"; logs errors. */
static int read_hashes(struct hashes *h, const char *path) {
	void *data;
	size_t size;
	int exit = log_result(path, file_read(path, &data, &size, MAX_FILE));
	if (exit != EXIT_FINE) {
		return exit;
	}
	unsigned number = 0;
	for (char *rest = data, *text; exit == EXIT_FINE && (text = strsep(&rest, "\n"));) {
		struct line line;
		int end = 0;
		number++;
		if (text[0] == '\0' || text[0] == '#') {
			continue;
		}
		if (sscanf(text, "%127s %" SCNu32 " %63s %7s %32s%n", line.name, &line.frame,
				    line.screen, line.eye, line.hash, &end) != 5 ||
				text[end] || strlen(line.hash) != PICTURE_HASH_TEXT - 1) {
			exit = log_fail("%s: line %u: expected name, frame, screen, eye and hash",
					path, number);
		} else if (add(h, &line) < 0) {
			exit = log_no_memory();
		}
	}
	free(data);
	return exit;
}

/* By name, frame, screen and eye. */
static int compare_lines(const void *a, const void *b) {
	const struct line *la = a, *lb = b;
	int order = strcmp(la->name, lb->name);
	order = order ? order : (la->frame > lb->frame) - (la->frame < lb->frame);
	order = order ? order : strcmp(la->screen, lb->screen);
	return order ? order : strcmp(la->eye, lb->eye);
}

static void sort(struct hashes *h) {
	if (h->n) {
		qsort(h->lines, h->n, sizeof(*h->lines), compare_lines);
	}
}

/* sorted */
static const struct line *find(const struct hashes *h, const struct line *like) {
	return h->n ? bsearch(like, h->lines, h->n, sizeof(*h->lines), compare_lines) : NULL;
}

/* ---- Drawing ---- */

/* The target after a draw, "d0012" in names of `pica render`. */
static bool is_draw(const struct line *l) {
	return l->screen[0] == 'd' && strspn(l->screen + 1, "0123456789") == strlen(l->screen + 1);
}

static struct line line_of(const char *name, uint32_t frame, const char *screen, const char *eye) {
	struct line line = { .frame = frame };
	snprintf(line.name, sizeof(line.name), "%s", name);
	snprintf(line.screen, sizeof(line.screen), "%s", screen);
	snprintf(line.eye, sizeof(line.eye), "%s", eye);
	return line;
}

struct drawing {
	struct hashes *out;
	struct pica_ctx *ctx;
	const char *name; /* of the capture */
	int ret;
};

static int on_drawn(void *user, const struct step_draw *draw) {
	struct drawing *d = user;
	struct diff_record r;
	struct picture p = { 0 };
	char screen[32];
	snprintf(screen, sizeof(screen), "d%04" PRIu32, draw->draw);
	struct line line = line_of(d->name, draw->frame, screen, "left");
	d->ret = diff_record_take(&r, d->ctx, draw);
	if (d->ret == 0 && r.rgba) {
		d->ret = diff_record_picture(&r, &p);
		if (d->ret == 0) {
			picture_hash(&p, line.hash);
			d->ret = add(d->out, &line);
		}
	}
	picture_finish(&p);
	diff_record_finish(&r);
	return d->ret;
}

static int add_screens(struct drawing *d, uint32_t frame) {
	static const char *const screens[] = { "top", "bottom" },
				 *const eyes[] = { "left", "right" };
	struct picture p = { 0 };
	int ret = 0;
	for (unsigned i = 0; ret == 0 && i < 4; i++) {
		const unsigned screen = i / 2, eye = i % 2;
		struct pica_screen info;
		pica_ctx_screen(d->ctx, (enum pica_screen_id)screen, &info);
		if (!info.is_set || (eye && !info.has_right)) {
			continue;
		}
		struct line line = line_of(d->name, frame, screens[screen], eyes[eye]);
		ret = gpu_read_screen(&p, gpu_here(d->ctx), (enum pica_screen_id)screen,
				(enum pica_eye)eye);
		if (ret == 0) {
			picture_hash(&p, line.hash);
			ret = add(d->out, &line);
		}
	}
	picture_finish(&p);
	return ret;
}

/*
 * Returns a byte for each frame: whether it has lines of draws. *any: whether the capture has lines
 * at all.
 */
static uint8_t *frames_of_draws(
		const struct hashes *wanted, const struct diff_side *side, bool *any) {
	uint8_t *frames = calloc(side->n_frames, 1);
	for (size_t i = 0; frames && i < wanted->n; i++) {
		const struct line *l = &wanted->lines[i];
		if (strcmp(l->name, side->name) == 0) {
			*any = true;
			if (is_draw(l) && l->frame < side->n_frames) {
				frames[l->frame] = 1;
			}
		}
	}
	return frames;
}

/* Hashes of each frame: of the draws if requested, then of the screens. */
static int draw_frames(const struct diff_options *o, struct diff_side *side, struct drawing *d,
		const uint8_t *draws) {
	static const struct step_visitor visitor = { .drawn = on_drawn };
	const uint32_t first = frame_list_first(&o->frames, side->n_frames);
	const uint32_t end = frame_list_end(&o->frames, side->n_frames);
	int ret = diff_side_restart(side, first, &visitor, d);
	d->ctx = side->ctx;
	for (uint32_t frame = (uint32_t)side->step.replay.frames;
			ret >= 0 && frame < side->n_frames && frame <= end; frame++) {
		const bool is_chosen = frame_list_has(&o->frames, side->n_frames, frame);
		ret = step_frame(&side->step, is_chosen && draws[frame]);
		ret = ret < 0 ? ret : replay_wait(&side->step.replay);
		ret = d->ret < 0 ? d->ret : ret;
		if (ret >= 0 && is_chosen) {
			ret = add_screens(d, frame);
		}
		log_progress(side->name, frame + 1, side->n_frames);
	}
	return ret;
}

/* Draws the capture, which is side i; logs errors. */
static int draw_hashes(const struct diff_options *o, unsigned i, struct diff_side *side,
		struct hashes *h, const struct hashes *wanted) {
	int exit = diff_side_open(side, o->path[i], &o->engine[i]);
	bool any = false;
	uint8_t *draws = exit == EXIT_FINE ? frames_of_draws(wanted, side, &any) : NULL;
	if (exit == EXIT_FINE && draws && !any) {
		exit = log_fail("%s: expected lines of %s, found none", o->path[!i], side->name);
	}
	if (exit == EXIT_FINE) {
		struct drawing d = { .out = h, .name = side->name };
		int ret = draws ? draw_frames(o, side, &d, draws) : -ENOMEM;
		exit = ret < 0 ? diff_side_failed(side, ret) :
				replay_job_failed(&side->step.replay, o->path[i]);
	}
	free(draws);
	return exit;
}

/* ---- Comparing ---- */

/* Number of a draw's line. */
static uint32_t draw_of(const struct line *l) {
	return (uint32_t)strtoul(l->screen + 1, NULL, 10);
}

static void report_first(struct diff *d, const struct line *a, const struct line *b) {
	if (d->report) {
		json_object_set_new(d->report, "first",
				json_pack("{ss sI ss ss ss ss}", "name", a->name, "frame",
						(json_int_t)a->frame, "screen", a->screen, "eye",
						a->eye, "a", a->hash, "b", b->hash));
	} else if (is_draw(a)) {
		printf("%s frame %" PRIu32 ": draw %" PRIu32
		       " is the first that differs: A %s, B %s\n",
				a->name, a->frame, draw_of(a), a->hash, b->hash);
	} else {
		printf("%s frame %" PRIu32
		       ": screen %s, %s eye is the first that differs: A %s, B %s\n",
				a->name, a->frame, a->screen, a->eye, a->hash, b->hash);
	}
}

/* The state at a draw, of the drawn side; the other has only a hash. */
static int report_state(struct diff *d, char name, struct diff_side *side, const struct line *l) {
	struct diff_view *v = calloc(1, sizeof(*v));
	int exit = v ? diff_view_take(v, side, l->frame, draw_of(l)) :
		       diff_side_failed(side, -ENOMEM);
	if (exit == EXIT_FINE && v->is_there && d->report) {
		json_object_set_new(d->report, "state", snapshot_json(&v->state, SNAPSHOT_ALL));
	} else if (exit == EXIT_FINE && v->is_there) {
		printf("\n%c, ", name);
		diff_print_state(d, &v->state);
	}
	if (v) {
		diff_view_finish(v);
	}
	free(v);
	return exit;
}

/* Compares the lines that both have, in the order of A. *first: the first differing line of A. */
static unsigned compare(struct diff *d, const struct hashes *a, const struct hashes *b,
		uint64_t *compared, const struct line **first) {
	unsigned n = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct line *la = &a->lines[i], *lb = find(b, la);
		*compared += lb != NULL;
		if (!lb || strcmp(la->hash, lb->hash) == 0) {
			continue;
		}
		if (n++ == 0) {
			report_first(d, la, lb);
			*first = la;
		}
	}
	return n;
}

int diff_hashes(struct diff *d, const enum diff_kind kind[2]) {
	const struct diff_options *o = d->o;
	struct hashes h[2] = { { 0 }, { 0 } };
	struct diff_side side = { .path = NULL };
	const struct line *at = NULL;
	uint64_t compared = 0;
	int exit = EXIT_FINE;
	for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
		if (kind[i] == DIFF_HASHES) {
			exit = read_hashes(&h[i], o->path[i]);
		}
	}
	for (unsigned i = 0; exit == EXIT_FINE && i < 2; i++) {
		if (kind[i] == DIFF_CAPTURE) {
			exit = draw_hashes(o, i, &side, &h[i], &h[!i]);
		}
	}
	sort(&h[1]);
	if (exit == EXIT_FINE) {
		const unsigned n = compare(d, &h[0], &h[1], &compared, &at);
		d->differs = n > 0;
		if (!compared) {
			exit = log_fail("no line in common: expected pictures of the same name, frame and screen");
		} else if (d->report) {
			json_object_set_new(
					d->report, "pictures", json_integer((json_int_t)compared));
			json_object_set_new(d->report, "different", json_integer(n));
		} else {
			printf("%" PRIu64 " picture%s compared, %u differ%s\n", compared,
					plural(compared), n, n == 1 ? "s" : "");
		}
	}
	if (exit == EXIT_FINE && side.path && at && is_draw(at)) {
		exit = report_state(d, kind[0] == DIFF_CAPTURE ? 'A' : 'B', &side, at);
	}
	diff_side_close(&side);
	free(h[0].lines);
	free(h[1].lines);
	return exit;
}
