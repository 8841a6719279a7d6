/* pica diff: the first difference of two captures, renderings, lists of hashes or pictures. */
#include "diff/diff.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sys/stat.h>

#include "common/json.h"
#include "pictures/writer.h"
#include "verbs.h"

/* ---- Pictures ---- */

void diff_compare(const struct diff_options *o, const struct picture *a, const struct picture *b,
		struct diff_result *out) {
	*out = (struct diff_result){ .differs = false };
	if (picture_compare(a, b, o->tolerance, &out->d) < 0) {
		out->differs = out->other_size = true;
		return;
	}
	out->differs = out->d.beyond > o->allowed;
	if (out->d.pixels) {
		const size_t at = 3 * ((size_t)a->width * out->d.y + out->d.x);
		memcpy(out->a, a->rgb + at, sizeof(out->a));
		memcpy(out->b, b->rgb + at, sizeof(out->b));
	}
}

void diff_print(const struct diff_result *r, const struct picture *a, const struct picture *b) {
	if (r->other_size) {
		printf("A is %" PRIu32 "x%" PRIu32 ", B is %" PRIu32 "x%" PRIu32 "\n", a->width,
				a->height, b->width, b->height);
		return;
	}
	if (!r->d.pixels) {
		puts("no pixel differs");
		return;
	}
	printf("%" PRIu64 " of %" PRIu64 " pixels differ", r->d.pixels,
			(uint64_t)a->width * a->height);
	if (r->d.beyond != r->d.pixels) {
		printf(" (%" PRIu64 " beyond the tolerance)", r->d.beyond);
	}
	printf(", by %u at most, first at column %" PRIu32 ", row %" PRIu32
	       ": A #%02x%02x%02x, B #%02x%02x%02x\n",
			r->d.max, r->d.x, r->d.y, r->a[0], r->a[1], r->a[2], r->b[0], r->b[1],
			r->b[2]);
}

json_t *diff_json(const struct diff_result *r) {
	if (r->other_size) {
		return json_pack("{sb}", "other_size", 1);
	}
	json_t *row = json_pack("{sI sI si}", "pixels", (json_int_t)r->d.pixels, "beyond",
			(json_int_t)r->d.beyond, "max", (int)r->d.max);
	if (r->d.pixels) {
		json_object_set_new(row, "first",
				json_pack("{sI sI s[iii] s[iii]}", "x", (json_int_t)r->d.x, "y",
						(json_int_t)r->d.y, "a", r->a[0], r->a[1], r->a[2],
						"b", r->b[0], r->b[1], r->b[2]));
	}
	return row;
}

static bool write_one(
		struct diff *d, const char *name, const char *suffix, const struct picture *p) {
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s-%s.png", d->o->output, name, suffix);
	int ret = p->rgb ? picture_write_png(p, path) : 0;
	if (ret < 0) {
		log_line("cannot write %s: %s", path, strerror(-ret));
		return false;
	}
	if (!d->report) {
		printf("%s\n", path);
	}
	return true;
}

bool diff_write(struct diff *d, const char *name, const struct picture *a,
		const struct picture *b) {
	if (!d->o->output) {
		return true;
	}
	bool ok = write_one(d, name, "a", a) && write_one(d, name, "b", b);
	if (ok && a->width == b->width && a->height == b->height) {
		struct picture p = { 0 };
		ok = picture_show_difference(&p, a, b) == 0 && write_one(d, name, "diff", &p);
		picture_finish(&p);
	}
	return ok;
}

static int read_image(struct picture *p, const char *path) {
	int ret = picture_read_png(p, path, 0);
	if (ret < 0) {
		log_line(ret == -EFBIG ? "%s: a side of more than 16384 pixels" :
				     "%s: expected a PNG picture",
				path);
	}
	return ret;
}

static int diff_images(struct diff *d) {
	struct picture a = { 0 }, b = { 0 };
	struct diff_result r;
	int exit = EXIT_TROUBLE;
	if (read_image(&a, d->o->path[0]) == 0 && read_image(&b, d->o->path[1]) == 0) {
		diff_compare(d->o, &a, &b, &r);
		d->differs = r.differs;
		exit = EXIT_FINE;
		if (d->report) {
			json_object_set_new(d->report, "picture", diff_json(&r));
		} else {
			diff_print(&r, &a, &b);
		}
		if (r.differs && !diff_write(d, "picture", &a, &b)) {
			exit = EXIT_TROUBLE;
		}
	}
	picture_finish(&a);
	picture_finish(&b);
	return exit;
}

/* ---- The verb ---- */

/* Lines of hashes: 32 hexadecimal digits at the end of the first line that is not a comment. */
static bool is_hash_line(const unsigned char *bytes, size_t n) {
	size_t end = 0;
	while (n && bytes[0] == '#') {
		const unsigned char *next = memchr(bytes, '\n', n);
		n = next ? n - (size_t)(next + 1 - bytes) : 0;
		bytes = next ? next + 1 : bytes;
	}
	while (end < n && bytes[end] != '\n') {
		if (!isprint(bytes[end])) {
			return false;
		}
		end++;
	}
	unsigned digits = 0;
	while (digits < end && isxdigit(bytes[end - 1 - digits])) {
		digits++;
	}
	return digits == PICTURE_HASH_TEXT - 1;
}

static int kind_of(const char *path, enum diff_kind *out) {
	static const unsigned char png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n' };
	unsigned char bytes[512];
	if (strcmp(path, "-") == 0) {
		*out = DIFF_CAPTURE; /* the standard input */
		return EXIT_FINE;
	}
	FILE *f = fopen(path, "rb");
	if (!f) {
		return log_result(path, -errno);
	}
	const size_t n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	*out = n >= sizeof(png) && memcmp(bytes, png, sizeof(png)) == 0 ? DIFF_IMAGE :
			is_hash_line(bytes, n) ? DIFF_HASHES : DIFF_CAPTURE;
	return EXIT_FINE;
}

/* Refuses options without an effect. */
static int check_options(const struct diff_options *o, const enum diff_kind kind[2]) {
	const bool hashes = kind[0] == DIFF_HASHES || kind[1] == DIFF_HASHES;
	for (unsigned i = 0; i < 2; i++) {
		if (o->given >> i & 1 && kind[i] != DIFF_CAPTURE) {
			return log_fail("--%c: %s is not drawn", "ab"[i], o->path[i]);
		}
	}
	if (hashes && (o->tolerance || o->allowed || o->output)) {
		return log_fail("--%s: not for hashes, which can only be equal or differ",
				o->tolerance ? "tolerance" : o->allowed ? "pixels" : "output");
	}
	if (o->every_draw && (hashes || kind[0] == DIFF_IMAGE)) {
		return log_fail(hashes ? "--every-draw: the hashes say what is compared" :
			      "--every-draw: a picture has none");
	}
	return EXIT_FINE;
}

static int dispatch(struct diff *d) {
	const struct diff_options *o = d->o;
	enum diff_kind kind[2] = { DIFF_CAPTURE, DIFF_CAPTURE };
	for (unsigned i = 0; i < o->n_paths; i++) {
		int exit = kind_of(o->path[i], &kind[i]);
		if (exit != EXIT_FINE) {
			return exit;
		}
	}
	if (o->n_paths == 1 && kind[0] != DIFF_CAPTURE) {
		return log_fail("%s: expected something to compare it with", o->path[0]);
	}
	const int exit = check_options(o, kind);
	if (exit != EXIT_FINE) {
		return exit;
	}
	if (o->output && mkdir(o->output, 0777) && errno != EEXIST) {
		return log_result(o->output, -errno);
	}
	if (kind[0] == DIFF_IMAGE && kind[1] == DIFF_IMAGE) {
		return diff_images(d);
	}
	if (kind[0] == DIFF_CAPTURE && kind[1] == DIFF_CAPTURE) {
		return diff_captures(d);
	}
	if (kind[0] != DIFF_IMAGE && kind[1] != DIFF_IMAGE) {
		return diff_hashes(d, kind);
	}
	return log_fail("expected two captures, two pictures, or a capture and saved hashes");
}

int verb_diff(int argc, char **argv) {
	struct diff_options o;
	diff_options_parse(&o, argc, argv);
	log_show_progress(o.progress);
	if (o.json) {
		json_promise("diff", o.path[0]);
	}

	struct diff d = { .o = &o, .report = o.json ? json_report("diff") : NULL };
	int exit = dispatch(&d);
	log_end();
	if (exit == EXIT_FINE) {
		exit = d.differs ? EXIT_DIFFERENT : EXIT_FINE;
		json_object_set_new(d.report, "differs", json_boolean(d.differs));
		exit = d.report ? json_finish(d.report, exit) : exit;
	} else {
		json_decref(d.report);
	}
	return exit;
}
