/* pica-scenes: records the bundled scenes into captures. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "recorder.h"
#include "scenes.h"

static const struct scene *const scenes[] = { &scene_triangle, &scene_cube, &scene_knot,
	&scene_galaxy, &scene_window, &scene_wall };

struct options {
	const char *directory;
	bool list;
	unsigned chosen; /* bit i: scenes[i] */
};

static int find_scene(const char *name) {
	for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) {
		if (strcmp(scenes[i]->name, name) == 0) {
			return (int)i;
		}
	}
	return -ENOENT;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct options *o = state->input;
	switch (key) {
	case 'o':
		o->directory = arg;
		return 0;
	case 'l':
		o->list = true;
		return 0;
	case ARGP_KEY_ARG: {
		int i = find_scene(arg);
		if (i < 0) {
			argp_error(state, "no scene is named %s (--list shows them)", arg);
			return EINVAL;
		}
		o->chosen |= 1u << i;
		return 0;
	}
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int record(const struct scene *scene, const char *directory) {
	size_t size = strlen(directory) + strlen(scene->name) + sizeof("/.ctf");
	char *path = malloc(size);
	if (!path) {
		fprintf(stderr, "pica-scenes: %s\n", strerror(ENOMEM));
		return -ENOMEM;
	}
	snprintf(path, size, "%s/%s.ctf", directory, scene->name);
	struct recorder r;
	int ret = recorder_init(&r, path);
	if (ret == 0) {
		ret = scene->record(&r);
		r.error = r.error ? r.error : ret;
		ret = recorder_finish(&r);
	}
	if (ret < 0) {
		fprintf(stderr, "pica-scenes: %s: %s\n", path, strerror(-ret));
	} else {
		printf("%s\n", path);
	}
	free(path);
	return ret;
}

int main(int argc, char **argv) {
	static const struct argp_option argp_options[] = {
		{ .name = "output", .key = 'o', .arg = "DIR",
			.doc = "Write captures into DIR (default: .)" },
		{ .name = "list", .key = 'l', .doc = "Print the names of the scenes" },
		{ 0 },
	};
	static const struct argp argp = { .options = argp_options, .parser = parse,
		.args_doc = "[NAME...]",
		.doc = "Records the bundled scenes (all, or those named) as NAME.ctf. The files are the "
			"same bytes on every machine." };
	struct options o = { .directory = "." };
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.list) {
		for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) {
			printf("%-10s %s\n", scenes[i]->name, scenes[i]->what);
		}
		return 0;
	}
	int worst = 0;
	for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) {
		if (o.chosen == 0 || (o.chosen >> i & 1)) {
			worst |= record(scenes[i], o.directory) < 0;
		}
	}
	return worst ? 2 : 0;
}
