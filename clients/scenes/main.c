/* pica-scenes: records the bundled scenes into captures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"
#include "pictures/file.h"
#include "pictures/plain.h"
#include "scenes.h"

/* Ends of file names. */
static const char *const forms[] = { "pica", "ctf", "ctf.zst", NULL };

struct options {
	const char *directory;
	unsigned form; /* of forms */
	bool list;
	bool any; /* of chosen */
	bool chosen[SCENE_COUNT + VC4_SCENE_COUNT];
};

static const struct scene *scene_at(unsigned i) {
	return i < SCENE_COUNT ? scenes[i] : &vc4_scenes[i - SCENE_COUNT];
}

static int find_scene(const char *name) {
	for (unsigned i = 0; i < SCENE_COUNT + VC4_SCENE_COUNT; i++) {
		if (strcmp(scene_at(i)->name, name) == 0) {
			return (int)i;
		}
	}
	return -ENOENT;
}

static int record(const struct scene *scene, const struct options *o) {
	const char *form = forms[o->form];
	size_t size = strlen(o->directory) + strlen(scene->name) + strlen(form) + 3;
	char *path = malloc(size);
	if (!path) {
		fprintf(stderr, "pica-scenes: %s\n", strerror(ENOMEM));
		return -ENOMEM;
	}
	snprintf(path, size, "%s/%s.%s", o->directory, scene->name, form);
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

/* Chooses the scenes named by the arguments. */
static void choose(void *input, struct option_args args) {
	struct options *o = input;
	for (unsigned i = 0; i < args.n; i++) {
		const int scene = find_scene(args.v[i]);
		if (scene < 0) {
			options_fail("no scene is named %s (--list shows them)", args.v[i]);
		}
		o->any = true;
		o->chosen[scene] = true;
	}
}

int main(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "output", 'o', "DIR", "Write captures into DIR (default: .)", OPTION_TEXT,
				.at = offsetof(struct options, directory) },
		{ "format", 'f', "FORM", "What to write: pica, ctf or ctf.zst (default: pica)",
				OPTION_CHOICE, .at = offsetof(struct options, form),
				.words = forms },
		{ "list", 'l', NULL, "Print the names of the scenes", OPTION_FLAG,
				.at = offsetof(struct options, list) },
	};
	static const struct option_spec spec = {
		.forms = "[NAME...]",
		.doc = "Records the bundled scenes (all, or those named) as NAME.pica, with the pictures that are "
		       "expected of them. The captures hold the same on every machine; their compression "
		       "depends on the version of zstd.",
		.tables = { OPTION_TABLE(rows, 0, 0) },
		.max_args = OPTION_ANY,
		.check = choose,
	};
	struct options o = { .directory = "." };
	plain_stderr_begin();
	argv[0] = program_invocation_short_name;
	options_parse(&spec, argc, argv, &o);
	for (unsigned i = 0; o.list && i < SCENE_COUNT + VC4_SCENE_COUNT; i++) {
		printf("%-11s %s\n", scene_at(i)->name, scene_at(i)->what);
	}
	int worst = 0;
	/* Without names, only scenes that fit the form: a .ctf has none of the VideoCore IV. */
	const unsigned n = SCENE_COUNT + (o.any || o.form == 0 ? VC4_SCENE_COUNT : 0);
	for (unsigned i = 0; !o.list && i < n; i++) {
		if (!o.any || o.chosen[i]) {
			worst |= record(scene_at(i), &o) < 0;
		}
	}
	return worst ? 2 : 0;
}
