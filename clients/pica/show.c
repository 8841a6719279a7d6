/* pica focus, pica screenshot: the display of a service. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "picture.h"
#include "remote.h"
#include "verbs.h"

struct options {
	const char *where;
	const char *output;
	uint64_t session;
};

static int failed(const struct pica_client *client, int error) {
	talk("%s", error == -EPERM ? "the service is ruled by its own user and root only"
				   : remote_error(client, error));
	/* no such session: the service is there */
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

static error_t parse_screenshot(int key, char *arg, struct argp_state *state) {
	struct options *o = state->input;
	const char *error;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->where;
		return 0;
	case 'o':
		o->output = arg;
		error = picture_path_error(arg);
		return error ? option_error(state, key, arg, error) : 0;
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

int verb_screenshot(int argc, char **argv) {
	static const struct argp_option argp_options[] = {
		{ .name = "output",
			.key = 'o',
			.arg = "FILE",
			.doc = "Write it here, as its name ends: .png, .ppm or .qoi" },
		{ 0 },
	};
	static const struct argp_child children[] = { { .argp = &remote_argp }, { 0 } };
	static const struct argp argp = { .options = argp_options,
		.parser = parse_screenshot,
		.children = children,
		.doc = "Writes what the first output of a service's display shows." };
	struct options o = { 0 };
	struct picture p = { 0, 0, NULL };
	struct pica_client *client;
	options_parse(&argp, argc, argv, 0, &o);
	talk_begin("pica screenshot", PROGRESS_NEVER);
	int exit = remote_connect(&client, o.where);
	if (exit != EXIT_FINE) {
		return exit;
	}
	int ret = pica_client_screenshot(client, &p.width, &p.height, &p.rgb);
	if (ret < 0) {
		exit = failed(client, ret);
	} else {
		ret = picture_write(&p, o.output, picture_format_of(o.output));
		if (ret < 0) {
			talk("%s: %s", o.output, strerror(-ret));
			exit = EXIT_TROUBLE;
		}
	}
	picture_finish(&p);
	pica_client_close(client);
	return exit;
}
