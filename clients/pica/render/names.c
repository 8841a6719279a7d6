/* Names of pictures that would collide are refused before any work. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"

static int refuse(const struct render *r, const char *what, const char *placeholder) {
	return r->names.is_stdout ?
			log_fail("-o %s: takes one picture, but several %s were asked for",
					r->o->output, what) :
			log_fail("-o %s: pictures of several %s would have one name; it needs %s",
					r->o->output, what, placeholder);
}

static int compare_names(const void *a, const void *b) {
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Two captures of one name, from different folders. */
static int check_same_names(const struct render_options *o) {
	char **name = calloc(o->n_captures, sizeof(*name));
	int exit = name ? EXIT_FINE : log_no_memory();
	for (unsigned i = 0; exit == EXIT_FINE && i < o->n_captures; i++) {
		name[i] = capture_name(o->captures[i]);
		exit = name[i] ? EXIT_FINE : log_no_memory();
	}
	if (exit == EXIT_FINE) {
		qsort(name, o->n_captures, sizeof(*name), compare_names);
	}
	for (unsigned i = 1; exit == EXIT_FINE && i < o->n_captures; i++) {
		if (strcmp(name[i - 1], name[i]) == 0) {
			exit = log_fail("several captures are named %s: their pictures would have one name",
				name[i]);
		}
	}
	for (unsigned i = 0; name && i < o->n_captures; i++) {
		free(name[i]);
	}
	free(name);
	return exit;
}

static int check_draw_names(const struct render *r) {
	const struct outname *n = &r->names;
	const unsigned draws = r->o->draws;
	if (n->has_draw && draws != DRAWS_EACH) {
		return log_fail("-o %s: {draw} is for --every-draw alone", r->o->output);
	}
	if (!n->has_screen && !n->has_draw && (draws & DRAWS_EACH)) {
		return refuse(r, "draws", "{draw}");
	}
	if (!n->has_screen && (draws & (draws - 1))) {
		return refuse(r, "kinds", "{screen}");
	}
	return EXIT_FINE;
}

int render_check_names(struct render *r) {
	const struct render_options *o = r->o;
	const struct outname *n = &r->names;
	if (!n->has_name && o->n_captures > 1) {
		return refuse(r, "captures", "{name}");
	}
	if (!n->has_frame && !frame_list_is_one(&o->frames)) {
		return refuse(r, "frames", "{frame}");
	}
	if (!n->has_screen && o->n_surfaces > 1) {
		return refuse(r, "surfaces", "{screen}");
	}
	if (!n->has_screen && !o->n_surfaces && o->given & RENDER_SCREENS &&
			o->screens == (SCREEN_TOP | SCREEN_BOTTOM)) {
		return refuse(r, "screens", "{screen}");
	}
	if (!n->has_eye && !o->n_surfaces && o->eyes == (EYE_LEFT | EYE_RIGHT)) {
		return refuse(r, "eyes", "{eye}");
	}
	if (check_draw_names(r) != EXIT_FINE) {
		return EXIT_TROUBLE;
	}
	r->one_screen = !n->has_screen;
	if (o->n_captures > 1 && check_same_names(o) != EXIT_FINE) {
		return EXIT_TROUBLE;
	}
	char *at;
	int ret = outname_check(n, &at);
	const int exit = log_result(at ? at : o->output, ret);
	free(at);
	return exit;
}
