/* Hashes that were saved, of another version of the program perhaps, against a rendering. */
#include "diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "json.h"
#include "replay.h"

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
	if (h->n == h->cap) {
		const size_t cap = h->cap ? 2 * h->cap : 64;
		struct line *lines = realloc(h->lines, cap * sizeof(*lines));
		if (!lines) {
			return -ENOMEM;
		}
		h->lines = lines;
		h->cap = cap;
	}
	h->lines[h->n++] = *line;
	return 0;
}

/* Lines "name frame screen eye hash"; says what is wrong. */
static int read_hashes(struct hashes *h, const char *path) {
	void *data;
	size_t size;
	int ret = file_read(path, &data, &size, MAX_FILE);
	if (ret < 0) {
		talk("%s: %s", path, strerror(-ret));
		return EXIT_TROUBLE;
	}
	unsigned number = 0;
	for (char *rest = data, *text; ret == 0 && (text = strsep(&rest, "\n"));) {
		struct line line;
		int end = 0;
		number++;
		if (text[0] == '\0' || text[0] == '#') {
			continue;
		}
		if (sscanf(text, "%127s %" SCNu32 " %63s %7s %32s%n", line.name, &line.frame, line.screen, line.eye,
				line.hash, &end) != 5 || text[end] || strlen(line.hash) != PICTURE_HASH_TEXT - 1) {
			talk("%s: line %u: expected name, frame, screen, eye and hash", path, number);
			ret = -EINVAL;
		} else {
			ret = add(h, &line);
		}
	}
	free(data);
	if (ret == -ENOMEM) {
		talk("%s", strerror(ENOMEM));
	}
	return ret < 0 ? EXIT_TROUBLE : EXIT_FINE;
}

static const struct line *find(const struct hashes *h, const struct line *like) {
	for (size_t i = 0; i < h->n; i++) {
		const struct line *l = &h->lines[i];
		if (l->frame == like->frame && strcmp(l->name, like->name) == 0 &&
				strcmp(l->screen, like->screen) == 0 && strcmp(l->eye, like->eye) == 0) {
			return l;
		}
	}
	return NULL;
}

static int add_screens(struct hashes *h, struct pica_ctx *ctx, const char *name, uint32_t frame) {
	static const char *const screens[] = { "top", "bottom" }, *const eyes[] = { "left", "right" };
	struct picture p = { 0 };
	int ret = 0;
	for (unsigned i = 0; ret == 0 && i < 4; i++) {
		const unsigned screen = i / 2, eye = i % 2;
		struct pica_screen info;
		pica_ctx_screen(ctx, (enum pica_screen_id)screen, &info);
		if (!info.is_set || (eye && !info.has_right)) {
			continue;
		}
		struct line line = { .frame = frame };
		snprintf(line.name, sizeof(line.name), "%s", name);
		snprintf(line.screen, sizeof(line.screen), "%s", screens[screen]);
		snprintf(line.eye, sizeof(line.eye), "%s", eyes[eye]);
		ret = picture_read_screen(&p, gpu_here(ctx), (enum pica_screen_id)screen, (enum pica_eye)eye);
		if (ret == 0) {
			picture_hash(&p, line.hash);
			ret = add(h, &line);
		}
	}
	picture_finish(&p);
	return ret;
}

/* Draws the capture; hashes of the screens that `wanted` names. */
static int draw_hashes(const struct diff_options *o, struct hashes *h, const struct hashes *wanted) {
	struct pica_capture *capture = NULL;
	struct pica_device *device = NULL;
	struct pica_ctx *ctx = NULL;
	struct pica_capture_error error;
	struct pica_capture_info info;
	int exit = capture_open(&capture, o->path[0], &error);
	if (exit == EXIT_FINE) {
		exit = engine_create(&device, &o->engine[0]);
	}
	if (exit != EXIT_FINE) {
		pica_capture_close(capture);
		return exit;
	}
	char *name = capture_name(o->path[0]);
	struct replay r = { .worst = 0 };
	int ret = name ? replay_create_ctx(&ctx, device, capture) : -ENOMEM;
	pica_capture_info(capture, &info);
	ret = ret < 0 ? ret : replay_start(&r, gpu_here(ctx), capture);
	bool any = false;
	for (size_t i = 0; name && i < wanted->n; i++) {
		any |= strcmp(wanted->lines[i].name, name) == 0;
	}
	const uint32_t n_frames = info.frames ? info.frames : 1;
	for (uint32_t frame = 0; any && ret >= 0 && frame < n_frames; frame++) {
		ret = replay_frame(&r);
		ret = ret < 0 ? ret : replay_wait(&r);
		if (ret >= 0 && frame_list_has(&o->frames, n_frames, frame)) {
			ret = add_screens(h, ctx, name, frame);
		}
		talk_progress(name, frame + 1, n_frames);
	}
	if (ret < 0) {
		exit = capture_failed(capture, o->path[0], ret);
	} else if (!any) {
		talk("%s: expected lines of %s, there are none", o->path[1], name);
		exit = EXIT_TROUBLE;
	} else if (r.worst < 0) {
		talk("%s: byte 0x%" PRIX64 ": %s", o->path[0], r.worst_offset, replay_error(r.worst));
		exit = EXIT_BAD_CAPTURE;
	}
	free(name);
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	pica_capture_close(capture);
	return exit;
}

/* Of those lines that both have; in the order of A. */
static unsigned compare(struct diff *d, const struct hashes *a, const struct hashes *b, uint64_t *compared) {
	unsigned n = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct line *la = &a->lines[i], *lb = find(b, la);
		*compared += lb != NULL;
		if (!lb || strcmp(la->hash, lb->hash) == 0) {
			continue;
		}
		if (n++ > 0) {
			continue;
		}
		if (d->report) {
			json_object_set_new(d->report, "first", json_pack("{ss sI ss ss ss ss}", "name", la->name, "frame",
					(json_int_t)la->frame, "screen", la->screen, "eye", la->eye, "a", la->hash, "b",
					lb->hash));
		} else {
			printf("%s frame %" PRIu32 ": screen %s, %s eye is the first that differs: A %s, B %s\n", la->name,
					la->frame, la->screen, la->eye, la->hash, lb->hash);
		}
	}
	return n;
}

int diff_hashes(struct diff *d, enum diff_kind first) {
	const struct diff_options *o = d->o;
	struct hashes a = { 0 }, b = { 0 };
	uint64_t compared = 0;
	int exit = read_hashes(&b, o->path[1]);
	if (exit == EXIT_FINE) {
		exit = first == DIFF_HASHES ? read_hashes(&a, o->path[0]) : draw_hashes(o, &a, &b);
	}
	if (exit == EXIT_FINE) {
		const unsigned n = compare(d, &a, &b, &compared);
		d->differs = n > 0;
		if (!compared) {
			talk("there is no line that both have: nothing to compare");
			exit = EXIT_TROUBLE;
		} else if (d->report) {
			json_object_set_new(d->report, "pictures", json_integer((json_int_t)compared));
			json_object_set_new(d->report, "different", json_integer(n));
		} else {
			printf("%" PRIu64 " pictures compared, %u differ\n", compared, n);
		}
	}
	free(a.lines);
	free(b.lines);
	return exit;
}
