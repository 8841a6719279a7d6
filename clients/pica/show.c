/* pica focus, pica screenshot: the display of a service. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"
#include "common/remote.h"
#include "pictures/picture.h"
#include "verbs.h"

enum { OPTION_DISPLAY = OPTION_VERB };

static const char braces[] = "{display}";

struct options {
	const char *where;
	const char *output;  /* a path, or a pattern with braces */
	uint64_t display;    /* of the service's outputs, from 0 */
	bool has_display;
	uint64_t session;
};

static int failed(const struct pica_client *client, int error) {
	talk("%s", error == -EPERM ? "the service is ruled by its own user and root only"
				   : remote_error(client, error));
	/* no such session or output: the service is there */
	return error == -ENOENT ? EXIT_TROUBLE : remote_exit(error);
}

/* ---- focus ---- */

static error_t parse_focus(int key, char *arg, struct argp_state *state) {
	struct options *o = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->where;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0) {
			argp_error(state, "%s: expected one session", arg);
			return EINVAL;
		}
		if (strcmp(arg, "policy") != 0 &&
			(!parse_number(arg, UINT64_MAX, &o->session) || !o->session)) {
			argp_error(state,
					"%s: expected policy or the number of a session, as `pica sessions' shows it",
					arg);
			return EINVAL;
		}
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected policy or the number of a session");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int verb_focus(int argc, char **argv) {
	static const struct argp_child children[] = { { .argp = &remote_argp }, { 0 } };
	static const struct argp argp = { .parser = parse_focus,
		.children = children,
		.args_doc = "ID|policy",
		.doc = "Shows one session of a service on its display, until it is gone; or again the one that "
		       "picad's own policy chooses." };
	struct options o = { 0 };
	struct pica_client *client;
	options_parse(&argp, argc, argv, 0, &o);
	talk_begin("pica focus", PROGRESS_NEVER);
	int exit = remote_connect(&client, o.where);
	if (exit != EXIT_FINE) {
		return exit;
	}
	int ret = pica_client_focus(client, o.session);
	exit = ret < 0 ? failed(client, ret) : EXIT_FINE;
	pica_client_close(client);
	return exit;
}

/* ---- screenshot ---- */

static const char *output_error(const char *path) {
	for (const char *p = path; (p = strchr(p, '{')); p++) {
		if (strncmp(p, braces, sizeof(braces) - 1) != 0) {
			return "expected {display}, no other name in braces";
		}
	}
	return picture_path_error(path);
}

static error_t parse_screenshot(int key, char *arg, struct argp_state *state) {
	struct options *o = state->input;
	const char *error;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->where;
		return 0;
	case 'o':
		o->output = arg;
		error = output_error(arg);
		return error ? option_error(state, key, arg, error) : 0;
	case OPTION_DISPLAY:
		o->has_display = true;
		return parse_number(arg, UINT32_MAX, &o->display)
			       ? 0
			       : option_error(state, key, arg, "expected the number of an output");
	case ARGP_KEY_ARG:
		argp_error(state, "%s: expected nothing but options", arg);
		return EINVAL;
	case ARGP_KEY_END:
		if (!o->output) {
			argp_error(state, "expected a file for the picture: -o FILE");
			return EINVAL;
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The path of an output's picture, to be freed. NULL: no memory. */
static char *path_of(const char *pattern, uint32_t display) {
	enum { NUMBER_CHARS = 10 };
	const size_t size = strlen(pattern) * (NUMBER_CHARS + 1) + 1;
	char *path = malloc(size);
	size_t at = 0;
	while (path && *pattern) {
		if (strncmp(pattern, braces, sizeof(braces) - 1) == 0) {
			at += (size_t)snprintf(path + at, size - at, "%u", (unsigned)display);
			pattern += sizeof(braces) - 1;
		} else {
			path[at++] = *pattern++;
		}
	}
	if (path) {
		path[at] = 0;
	}
	return path;
}

static int write_picture(const struct picture *p, const char *pattern, uint32_t display) {
	char *path = path_of(pattern, display);
	const int ret = path ? picture_write(p, path, picture_format_of(path)) : -ENOMEM;
	if (ret < 0) {
		talk("%s: %s", path ? path : pattern, strerror(-ret));
	}
	free(path);
	return ret < 0 ? EXIT_TROUBLE : EXIT_FINE;
}

/* One output, or with a pattern and no number all that there are. */
static int write_pictures(struct pica_client *client, const struct options *o) {
	const bool is_all = strstr(o->output, braces) && !o->has_display;
	uint32_t display = (uint32_t)o->display;
	int exit;
	do {
		struct picture p = { 0, 0, NULL };
		const int ret = pica_client_screenshot(
				client, display, &p.width, &p.height, &p.rgb);
		if (ret == -ENOENT && is_all && display > 0) {
			return EXIT_FINE; /* that was the last one */
		}
		exit = ret < 0 ? failed(client, ret) : write_picture(&p, o->output, display);
		picture_finish(&p);
		display++;
	} while (exit == EXIT_FINE && is_all);
	return exit;
}

int verb_screenshot(int argc, char **argv) {
	static const struct argp_option argp_options[] = {
		{ .name = "output",
			.key = 'o',
			.arg = "FILE",
			.doc = "Write it here, as its name ends: .png, .ppm or .qoi; with {display} in it: "
			       "a file for each output" },
		{ .name = "display",
			.key = OPTION_DISPLAY,
			.arg = "N",
			.doc = "The output, from 0 on as picad counts them (default: 0)" },
		{ 0 },
	};
	static const struct argp_child children[] = { { .argp = &remote_argp }, { 0 } };
	static const struct argp argp = { .options = argp_options,
		.parser = parse_screenshot,
		.children = children,
		.doc = "Writes what the outputs of a service's display show." };
	struct options o = { 0 };
	struct pica_client *client;
	options_parse(&argp, argc, argv, 0, &o);
	talk_begin("pica screenshot", PROGRESS_NEVER);
	int exit = remote_connect(&client, o.where);
	if (exit != EXIT_FINE) {
		return exit;
	}
	exit = write_pictures(client, &o);
	pica_client_close(client);
	return exit;
}
