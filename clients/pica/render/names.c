/* Refuses names of pictures that would collide, before any work. */
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
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

/* Refuses captures of one name from different folders. */
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
	const bool has_draw = r->names.has[OUTNAME_DRAW], has_screen = r->names.has[OUTNAME_SCREEN];
	const unsigned draws = r->o->draws;
	if (has_draw && draws != DRAWS_EACH) {
		return log_fail("-o %s: {draw} is for --every-draw alone", r->o->output);
	}
	if (!has_screen && !has_draw && (draws & DRAWS_EACH)) {
		return refuse(r, "draws", "{draw}");
	}
	if (!has_screen && (draws & (draws - 1))) {
		return refuse(r, "kinds", "{screen}");
	}
	return EXIT_FINE;
}

int render_check_names(struct render *r) {
	const struct render_options *o = r->o;
	const struct {
		enum outname_place place;
		bool needs_it;
		const char *what, *name;
	} rules[] = {
		{ OUTNAME_NAME, o->n_captures > 1, "captures", "{name}" },
		{ OUTNAME_FRAME, !frame_list_is_one(&o->frames), "frames", "{frame}" },
		{ OUTNAME_SCREEN, o->n_surfaces > 1, "surfaces", "{screen}" },
		{ OUTNAME_SCREEN, !o->n_surfaces && o->given & RENDER_SCREENS &&
				o->screens == (SCREEN_TOP | SCREEN_BOTTOM), "screens", "{screen}" },
		{ OUTNAME_EYE, !o->n_surfaces && o->eyes == (EYE_LEFT | EYE_RIGHT), "eyes",
				"{eye}" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (rules[i].needs_it && !r->names.has[rules[i].place]) {
			return refuse(r, rules[i].what, rules[i].name);
		}
	}
	if (check_draw_names(r) != EXIT_FINE) {
		return EXIT_TROUBLE;
	}
	r->one_screen = !r->names.has[OUTNAME_SCREEN];
	if (o->n_captures > 1 && check_same_names(o) != EXIT_FINE) {
		return EXIT_TROUBLE;
	}
	char *at;
	int ret = outname_check(&r->names, &at);
	const int exit = render_output_result(o, at ? at : o->output, ret);
	free(at);
	return exit;
}
