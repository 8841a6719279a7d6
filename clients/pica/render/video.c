/* pica render --format y4m: the screens of each frame as a picture of a video. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "pictures/drawing.h"
#include "pictures/file.h"
#include "render.h"

enum {
	TOP_WIDTH = 400,
	BOTTOM_WIDTH = 320,
	HEIGHT = 240,
	CONSOLE_MHZ = 59831, /* pictures in 1000 seconds [fidelity: screen-geometry] */
};

struct render_video {
	struct file_out out;
	struct picture canvas;
};

static uint32_t width_of(unsigned screens) {
	return screens & SCREEN_TOP ? TOP_WIDTH : BOTTOM_WIDTH;
}

static uint32_t height_of(unsigned screens) {
	return screens == (SCREEN_TOP | SCREEN_BOTTOM) ? 2 * HEIGHT : HEIGHT;
}

static const char *video_path(const struct render_options *o) {
	return o->output ? o->output : "-";
}

static const char *refusal(const struct render_options *o) {
	const bool is_plain = !o->output || file_is_stdout(o->output);
	if (o->n_surfaces || o->draws) {
		return "a video shows the screens";
	}
	if (o->eyes == (EYE_LEFT | EYE_RIGHT)) {
		return "a video shows one eye";
	}
	if (o->output && strchr(o->output, '{')) {
		return "a video is one file";
	}
	if (is_plain && isatty(STDOUT_FILENO)) {
		return "expected a file or a pipe as standard output, not a terminal";
	}
	return o->json && !o->output ? "the video and --json both want the standard output" : NULL;
}

int render_video_begin(struct render *r) {
	const struct render_options *o = r->o;
	const char *path = video_path(o), *why = refusal(o);
	if (why) {
		return log_fail("--format y4m: %s", why);
	}
	struct render_video *v = calloc(1, sizeof(*v));
	if (!v) {
		return log_no_memory();
	}
	const uint32_t width = width_of(o->screens), height = height_of(o->screens);
	int ret = drawing_begin(&v->canvas, width, height, 0);
	ret = ret < 0 ? ret : file_begin(&v->out, path);
	if (ret < 0) {
		picture_finish(&v->canvas);
		free(v);
		return log_result(file_shown(path), ret);
	}
	r->video = v;
	o->writer->open(v->out.f, width, height, CONSOLE_MHZ); /* the end reports errors */
	return EXIT_FINE;
}

/* Wide mode has columns of half the width: two become one. */
static void narrow(struct picture *p) {
	for (uint32_t i = 0; i < p->width / 2 * p->height; i++) {
		for (unsigned c = 0; c < 3; c++) {
			p->rgb[3 * i + c] =
					(uint8_t)((p->rgb[6 * i + c] + p->rgb[6 * i + 3 + c] + 1) /
							2);
		}
	}
	p->width /= 2;
}

void render_video_frame(struct shot *s, uint32_t frame) {
	struct render_video *v = s->r->video;
	const struct render_options *o = s->r->o;
	struct picture p = { 0 };
	int y = 0;
	drawing_fill(&v->canvas, 0, 0, v->canvas.width, v->canvas.height, 0);
	for (unsigned i = 0; i < 2; i++) {
		if (!(o->screens >> i & 1)) {
			continue;
		}
		const enum pica_screen_id screen = (enum pica_screen_id)i;
		int ret = gpu_read_screen(&p, s->gpu, screen,
				o->eyes == EYE_RIGHT && screen == PICA_SCREEN_TOP ? PICA_EYE_RIGHT :
										    PICA_EYE_LEFT);
		if (ret < 0 && ret != -ENODATA) {
			render_fail(s, EXIT_TROUBLE, "frame %u: cannot read the screen: %s",
					(unsigned)frame, strerror(-ret));
		} else if (ret == 0) {
			if (p.width > TOP_WIDTH) {
				narrow(&p);
			}
			drawing_copy(&v->canvas, ((int)v->canvas.width - (int)p.width) / 2, y, &p);
		} /* else black: it was never set */
		y += HEIGHT;
	}
	picture_finish(&p);
	s->n_pictures++;
	errno = 0;
	const int ret = s->exit == EXIT_FINE ? o->writer->write(v->out.f, &v->canvas, NULL) : 0;
	if (ret < 0) {
		render_fail(s, EXIT_TROUBLE, "frame %" PRIu32 ": cannot write the video to %s: %s",
				frame, file_shown(video_path(o)), strerror(-ret));
	}
}

int render_video_end(struct render *r, int exit) {
	struct render_video *v = r->video;
	if (!v) {
		return exit;
	}
	/* The file is kept if only a capture was bad, as with other formats. */
	const int ret = file_finish(&v->out, exit == EXIT_TROUBLE ? -ECANCELED : 0);
	if (ret < 0 && exit < EXIT_TROUBLE) {
		exit = log_fail("%s: cannot write the video: %s", file_shown(video_path(r->o)),
				strerror(-ret));
	}
	const char *path = r->o->output;
	if (ret == 0 && path && !file_is_stdout(path) && !r->o->json) {
		printf("%s %" PRIu32 "x%" PRIu32 "\n", path, v->canvas.width, v->canvas.height);
	}
	picture_finish(&v->canvas);
	free(v);
	r->video = NULL;
	return exit;
}
