/*
 * Golden pictures: PNG files of a folder, named as by `pica render'. Each
 * result holds the hash of every golden file that was compared, so that a later run sees whether
 * the result is still valid.
 */
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "batch.h"
#include "common/json.h"
#include "pictures/file.h"

enum { MAX_PIXELS = 8 }; /* that are named of a picture */

/* ---- Names ---- */

/* BASE-top.png, or BASE-f0012-top.png, below the folder; to be freed. */
static char *golden_name(const struct batch_settings *s, const struct batch_unit *u, uint32_t frame,
		enum shown_view view) {
	char *name, number[16] = "";
	if (!frame_list_is_last(&s->frames)) {
		snprintf(number, sizeof(number), "-f%04" PRIu32, frame);
	}
	return asprintf(&name, "%s%s-%s.png", u->base, number, shown_name(view)) < 0 ? NULL : name;
}

/* hash: "" if the file does not exist. Returns 0 or a negative errno. */
static int hash_golden(const struct batch_settings *s, const char *name, char hash[BATCH_HASH]) {
	char *path = file_in(s->golden, name);
	int ret = path ? batch_hash_file(path, hash, NULL) : -ENOMEM;
	free(path);
	if (ret == -ENOENT || ret == -ENOTDIR) {
		hash[0] = '\0';
		ret = 0;
	}
	return ret;
}

typedef int golden_fn(void *user, const char *name);

/*
 * Calls a function for each possible name of the unit's golden pictures: for the chosen frames, and
 * for the one after the last, which an earlier capture may have had. Stops at the first negative
 * value.
 */
static int each_name(const struct batch_settings *s, const struct batch_unit *u, uint32_t n_frames,
	golden_fn *fn, void *user) {
	const bool is_last = frame_list_is_last(&s->frames);
	int ret = 0;
	for (uint32_t frame = is_last ? n_frames - 1 : 0; ret >= 0 && frame <= n_frames; frame++) {
		/* As if the frame after the last existed: "all" included it then. */
		const bool is_beyond = frame == n_frames && !is_last &&
				frame_list_has(&s->frames, n_frames + 1, frame);
		const bool is_chosen =
				frame < n_frames && frame_list_has(&s->frames, n_frames, frame);
		for (unsigned view = 0; ret >= 0 && (is_chosen || is_beyond) && view < SHOWN_COUNT;
				view++) {
			char *name = golden_name(s, u, frame, (enum shown_view)view);
			ret = name ? fn(user, name) : -ENOMEM;
			free(name);
		}
	}
	return ret;
}

/* ---- Comparing ---- */

static void report_different(struct drawing *d, uint32_t frame, enum shown_view view,
		const char *name, const struct picture *p, const struct picture *golden,
		const struct picture_difference *x) {
	if (d->settings->bless) {
		return; /* bless_all() */
	}
	if (p->width != golden->width || p->height != golden->height) {
		drawing_fail(d, BATCH_DIFFERENT,
				"frame %" PRIu32 ", screen %s: %" PRIu32 "x%" PRIu32
				", but %s is %" PRIu32 "x%" PRIu32,
				frame, shown_name(view), p->width, p->height, name, golden->width,
				golden->height);
	} else {
		drawing_fail(d, BATCH_DIFFERENT,
				"frame %" PRIu32 ", screen %s: %" PRIu64
				" pixel%s from %s, by %u at most, first "
				"at column %" PRIu32 ", row %" PRIu32,
				frame, shown_name(view), x->pixels,
				x->pixels == 1 ? " differs" : "s differ", name, x->max, x->x, x->y);
	}
}

/* Expected picture and difference, beside the drawn one. */
static void keep_golden(struct drawing *d, uint32_t frame, enum shown_view view,
		const struct picture *p, const struct picture *golden, json_t *row) {
	char name[64];
	if (d->settings->pictures == BATCH_PICTURES_NONE) {
		return;
	}
	snprintf(name, sizeof(name), "f%04" PRIu32 "-%s-expected.png", frame, shown_name(view));
	drawing_keep(d, row, "expected_file", name, golden);
	if (p->width == golden->width && p->height == golden->height) {
		struct picture difference;
		if (picture_show_difference(&difference, p, golden) == 0) {
			snprintf(name, sizeof(name), "f%04" PRIu32 "-%s-difference.png", frame,
				shown_name(view));
			drawing_keep(d, row, "difference_file", name, &difference);
		} else {
			d->store_error = -ENOMEM;
		}
		picture_finish(&difference);
	}
}

static json_t *color_text(const uint8_t rgb[3]) {
	return json_sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

/* Records the rectangle around all pixels that differ too much, and the first of them. */
static void note_where(json_t *differing, const struct picture *p, const struct picture *golden,
		unsigned tolerance, const struct picture_difference *x) {
	struct picture_pixel pixels[MAX_PIXELS];
	const unsigned n = picture_first_differing(p, golden, tolerance, pixels, MAX_PIXELS);
	json_t *first = json_array();
	for (unsigned i = 0; i < n; i++) {
		const struct picture_pixel *px = &pixels[i];
		json_array_append_new(first,
				json_pack("{sI sI so so}", "x", (json_int_t)px->x, "y",
						(json_int_t)px->y, "drawn", color_text(px->a),
						"expected", color_text(px->b)));
	}
	json_object_set_new(differing, "box", json_pack("{sI sI sI sI}", "x", (json_int_t)x->left,
			"y", (json_int_t)x->top, "width", (json_int_t)x->width,
			"height", (json_int_t)x->height));
	json_object_set_new(differing, "first", first);
}

static bool compare_with(struct drawing *d, uint32_t frame, enum shown_view view,
		const struct picture *p, const char *name, json_t *row) {
	const struct batch_settings *s = d->settings;
	struct picture golden = { 0 };
	struct picture_difference x;
	char *path = file_in(s->golden, name);
	bool is_wrong = true;
	if (!path || picture_read_png(&golden, path, 0) < 0) {
		if (!s->bless) {
			drawing_fail(d, BATCH_UNREADABLE, "%s: expected a PNG picture", name);
		}
		json_object_set_new(row, "golden", json_string("unreadable"));
	} else {
		const bool is_other_size = picture_compare(p, &golden, s->tolerance, &x) < 0;
		is_wrong = is_other_size || x.beyond > s->allowed;
		json_object_set_new(row, "golden", json_string(is_wrong ? "different" : "same"));
		if (!is_other_size && x.pixels) {
			json_object_set_new(row, "differing",
					json_pack("{sI sI si sI sI}", "pixels",
							(json_int_t)x.pixels, "beyond",
							(json_int_t)x.beyond, "max", (int)x.max,
							"x", (json_int_t)x.x, "y",
							(json_int_t)x.y));
		}
		if (is_wrong && !is_other_size) {
			note_where(json_object_get(row, "differing"), p, &golden, s->tolerance, &x);
		}
		if (is_wrong) {
			report_different(d, frame, view, name, p, &golden, &x);
			keep_golden(d, frame, view, p, &golden, row);
		}
	}
	free(path);
	picture_finish(&golden);
	return is_wrong;
}

bool batch_golden_compare(struct drawing *d, uint32_t frame, enum shown_view view,
		const struct picture *p, json_t *row) {
	char *name = golden_name(d->settings, d->unit, frame, view), hash[BATCH_HASH];
	int ret = name ? hash_golden(d->settings, name, hash) : -ENOMEM;
	bool is_wrong = true;
	if (ret < 0) {
		drawing_fail(d, ret == -ENOMEM ? BATCH_MEMORY :
				BATCH_TROUBLE, "%s: %s", name ? name : "golden",
			strerror(-ret));
		is_wrong = false;
	} else if (!hash[0]) {
		json_object_set_new(row, "golden", json_string("missing"));
		if (!d->settings->bless) {
			drawing_fail(d, BATCH_DIFFERENT,
					"frame %" PRIu32 ", screen %s: %s: no such golden picture",
					frame, shown_name(view), name);
		}
	} else {
		is_wrong = compare_with(d, frame, view, p, name, row);
	}
	if (name) {
		json_object_set_new(row, "golden_name", json_string(name));
		json_object_set_new(d->golden, name,
				ret == 0 && hash[0] ? json_string(hash) : json_null());
	}
	free(name);
	return is_wrong;
}

/* ---- Blessing ---- */

/* Replaces the golden picture by the kept one. */
static int bless(struct drawing *d, const char *file, const char *name) {
	char *from = file_in(d->folder, file), *to = file_in(d->settings->golden, name);
	char hash[BATCH_HASH];
	void *data = NULL;
	size_t size;
	int ret = from && to ? file_make_folders(to) : -ENOMEM;
	ret = ret < 0 ? ret : file_read(from, &data, &size, SIZE_MAX / 4);
	ret = ret < 0 ? ret : file_write(to, data, size);
	if (ret == 0) {
		batch_hash_bytes(data, size, hash);
		json_object_set_new(d->golden, name, json_string(hash));
	}
	free(data);
	free(from);
	free(to);
	return ret;
}

/* Says what is blessed, and how much changes. */
static void report_blessed(struct drawing *d, const json_t *row, const char *name,
		const char *was) {
	const json_t *differing = json_object_get(row, "differing");
	if (strcmp(was, "different") == 0 && differing) {
		const json_int_t pixels = json_number_of(differing, "pixels");
		drawing_fail(d, BATCH_PASS,
				"blessed %s, which has changed: %" JSON_INTEGER_FORMAT
				" pixel%s by %" JSON_INTEGER_FORMAT " at most",
				name, pixels, plural((unsigned)pixels),
				json_number_of(differing, "max"));
	} else {
		drawing_fail(d, BATCH_PASS, "blessed %s, which %s", name,
				strcmp(was, "missing") == 0    ? "is new" :
				strcmp(was, "different") == 0 ? "has another size" :
								"was not a PNG picture");
	}
}

static void bless_all(struct drawing *d) {
	json_t *row;
	size_t i;
	json_array_foreach(d->pictures, i, row) {
		const char *what = json_text_of(row, "golden");
		const char *file = json_text_of(row, "file");
		const char *name = json_text_of(row, "golden_name");
		if (!what || strcmp(what, "same") == 0 || !file || !name) {
			continue;
		}
		int ret = bless(d, file, name);
		if (ret < 0) {
			drawing_fail(d, BATCH_TROUBLE, "cannot bless %s: %s", name, strerror(-ret));
		} else {
			report_blessed(d, row, name, what);
			json_object_set_new(row, "golden", json_string("blessed"));
		}
	}
}

/* A golden picture without a drawn one is an error, or, when blessing, removed. */
static int check_left(void *user, const char *name) {
	struct drawing *d = user;
	char hash[BATCH_HASH];
	if (json_object_get(d->golden, name) || hash_golden(d->settings, name, hash) < 0 ||
			!hash[0]) {
		return 0;
	}
	if (!d->settings->bless) {
		drawing_fail(d, BATCH_DIFFERENT, "%s exists, but the capture draws no such picture",
				name);
		json_object_set_new(d->golden, name, json_string(hash));
		return 0;
	}
	char *path = file_in(d->settings->golden, name);
	const int ret = !path ? -ENOMEM : unlink(path) < 0 ? -errno : 0;
	free(path);
	if (ret < 0) {
		drawing_fail(d, BATCH_TROUBLE, "cannot remove %s: %s", name, strerror(-ret));
	} else {
		drawing_fail(d, BATCH_PASS, "removed %s: such a picture is not drawn", name);
	}
	return 0;
}

void batch_golden_finish(struct drawing *d) {
	if (d->settings->bless && d->state != BATCH_PASS) {
		drawing_fail(d, d->state, "nothing is blessed of a capture with other faults");
		return;
	}
	if (d->settings->bless) {
		bless_all(d);
	}
	if (d->state < BATCH_REFUSED) {
		each_name(d->settings, d->unit, d->n_frames, check_left, d);
	}
}

/* ---- Those of no capture ---- */

static int by_name(const FTSENT **a, const FTSENT **b) {
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int batch_golden_unused(const struct batch_settings *settings, const json_t *used, json_t *names) {
	FTSENT *e;
	FTS *tree = fts_open((char *[]){ (char *)settings->golden, NULL },
			FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	int ret = tree ? 0 : -errno;
	while (ret == 0 && (e = fts_read(tree))) {
		const char *name = e->fts_path + strlen(settings->golden);
		name += strspn(name, "/");
		if (e->fts_info == FTS_F && file_ends_with(name, ".png") &&
				!json_object_get(used, name)) {
			ret = json_array_append_new(names, json_text(name)) < 0 ? -ENOMEM : 0;
		}
	}
	if (tree) {
		fts_close(tree);
	}
	return ret == -ENOENT ? 0 : ret;
}

/* ---- Later ---- */

struct looking {
	const struct batch_settings *settings;
	const json_t *golden;
};

static int look(void *user, const char *name) {
	const struct looking *l = user;
	const char *before = json_text_of(l->golden, name);
	char hash[BATCH_HASH];
	const int ret = hash_golden(l->settings, name, hash);
	return ret < 0 ? ret : strcmp(hash, before ? before : "") == 0 ? 0 : -ESTALE;
}

bool batch_golden_is_current(const struct batch_settings *settings, const struct batch_unit *unit,
		const json_t *result) {
	const enum batch_state state = batch_result_state(result);
	if (!settings->golden || state == BATCH_REFUSED || state == BATCH_BROKEN) {
		return true;
	}
	struct looking l = { settings, json_object_get(result, "golden") };
	const json_int_t n_frames = json_integer_value(json_object_get(result, "frames"));
	return n_frames > 0 && n_frames < UINT32_MAX &&
	       each_name(settings, unit, (uint32_t)n_frames, look, &l) >= 0;
}
