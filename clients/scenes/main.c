/* pica-scenes: records the bundled scenes into captures. */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/file.h"
#include "pictures/plain.h"
#include "scenes.h"

struct options {
	const char *directory;
	const char *form; /* what files end in */
	bool list;
	bool any; /* of chosen */
	bool chosen[SCENE_COUNT];
};

static int find_scene(const char *name) {
	for (unsigned i = 0; i < SCENE_COUNT; i++) {
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
	case 'f':
		if (strcmp(arg, "pica") && strcmp(arg, "ctf") && strcmp(arg, "ctf.zst")) {
			argp_error(state, "%s: expected pica, ctf or ctf.zst", arg);
			return EINVAL;
		}
		o->form = arg;
		return 0;
	case ARGP_KEY_ARG: {
		int i = find_scene(arg);
		if (i < 0) {
			argp_error(state, "no scene is named %s (--list shows them)", arg);
			return EINVAL;
		}
		o->any = true;
		o->chosen[i] = true;
		return 0;
	}
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int record(const struct scene *scene, const struct options *o) {
	size_t size = strlen(o->directory) + 1 + strlen(scene->name) + 1 + strlen(o->form) + 1;
	char *path = malloc(size);
	if (!path) {
		fprintf(stderr, "pica-scenes: %s\n", strerror(ENOMEM));
		return -ENOMEM;
	}
	snprintf(path, size, "%s/%s.%s", o->directory, scene->name, o->form);
	int ret = file_make_folders(path);
	ret = ret < 0 ? ret : scene_record(scene, path);
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
		{ .name = "format", .key = 'f', .arg = "FORM",
			.doc = "What to write: pica, ctf or ctf.zst (default: pica)" },
		{ .name = "list", .key = 'l', .doc = "Print the names of the scenes" },
		{ 0 },
	};
	static const struct argp argp = { .options = argp_options,
		.parser = parse,
		.args_doc = "[NAME...]",
		.doc = "Records the bundled scenes (all, or those named) as NAME.pica, with the pictures that are "
		       "expected of them. The captures hold the same on every machine; their compression "
		       "depends on the version of zstd." };
	struct options o = { .directory = ".", .form = "pica" };
	argp_err_exit_status = 2;
	plain_stderr_begin();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.list) {
		for (unsigned i = 0; i < SCENE_COUNT; i++) {
			printf("%-10s %s\n", scenes[i]->name, scenes[i]->what);
		}
		return 0;
	}
	int worst = 0;
	for (unsigned i = 0; i < SCENE_COUNT; i++) {
		if (!o.any || o.chosen[i]) {
			worst |= record(scenes[i], &o) < 0;
		}
	}
	return worst ? 2 : 0;
}
