/* pica render --format y4m: the screens of each frame as a picture of a video. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "pictures/file.h"
#include "render.h"
#include "shown.h"

enum { CONSOLE_MHZ = 59831 }; /* pictures in 1000 seconds [fidelity: screen-geometry] */

struct render_video {
	struct file_out out;
	struct picture canvas;
	uint32_t width, height; /* of all pictures; 0: not known yet */
};

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
	int ret = shown_blank(&v->canvas, o->screens);
	ret = ret < 0 ? ret : file_begin(&v->out, path);
	if (ret < 0) {
		picture_finish(&v->canvas);
		free(v);
		return render_output_result(o, path, ret);
	}
	r->video = v;
	return EXIT_FINE;
}

/* The first picture says the size, which the blank one has if there is none. */
static int begin_pictures(struct render *r) {
	struct render_video *v = r->video;
	if (!v->width) {
		v->width = v->canvas.width;
		v->height = v->canvas.height;
		/* The end reports errors. */
		r->o->writer->open(v->out.f, v->width, v->height, CONSOLE_MHZ);
	}
	return v->width == v->canvas.width && v->height == v->canvas.height ? 0 : -EINVAL;
}

void render_video_frame(struct shot *s, uint32_t frame) {
	struct render_video *v = s->r->video;
	const struct render_options *o = s->r->o;
	int ret = shown_compose(&v->canvas, s->gpu, o->screens,
			o->eyes == EYE_RIGHT ? PICA_EYE_RIGHT : PICA_EYE_LEFT);
	if (ret < 0) {
		render_fail(s, EXIT_TROUBLE, "frame %" PRIu32 ": cannot read the screen: %s", frame,
				strerror(-ret));
	} else if (begin_pictures(s->r) < 0) {
		render_fail(s, EXIT_TROUBLE,
				"frame %" PRIu32 ": expected a picture of %" PRIu32 "x%" PRIu32
				" as before in the video, not of %" PRIu32 "x%" PRIu32,
				frame, v->width, v->height, v->canvas.width, v->canvas.height);
	}
	s->n_pictures++;
	errno = 0;
	ret = s->exit == EXIT_FINE ? o->writer->write(v->out.f, &v->canvas, NULL) : 0;
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
	begin_pictures(r);
	/* Keeps the file if only a capture was bad, as with other formats. */
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
