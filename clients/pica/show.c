/* pica focus, pica screenshot: the display of a service. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"
#include "common/remote.h"
#include "pictures/file.h"
#include "pictures/writer.h"
#include "verbs.h"

static const char braces[] = "{display}";

struct options {
	const char *where;
	const char *output;  /* a path, or a pattern with braces */
	uint32_t display;    /* of the service's outputs, from 0 */
	unsigned given;      /* 1: --display */
	uint64_t session;
};

#define AT(member) offsetof(struct options, member)

static int failed(const struct pica_client *client, int error) {
	log_line("%s", error == -EPERM ? "the service is ruled by its own user and root only"
				   : remote_error(client, error));
	/* no such session or output: the service is there */
	return error == -ENOENT ? EXIT_TROUBLE : remote_exit(error);
}

/* ---- focus ---- */

static void take_session(void *input, struct option_args args) {
	struct options *o = input;
	if (strcmp(args.v[0], "policy") != 0 &&
			(!parse_number(args.v[0], UINT64_MAX, &o->session) || !o->session)) {
		options_fail("%s: expected policy or the number of a session, as `pica sessions' shows it",
				args.v[0]);
	}
}

int verb_focus(int argc, char **argv) {
	static const struct option_spec spec = {
		.forms = "ID|policy",
		.doc = "Shows one session of a service on its display, until it ends; or again the one that "
		       "picad's own policy chooses.",
		.tables = { REMOTE_TABLE(AT(where)) },
		.min_args = 1,
		.max_args = 1,
		.expected = "policy or the number of a session",
		.at_most = "one session",
		.check = take_session,
	};
	struct options o = { 0 };
	struct pica_client *client;
	options_parse(&spec, argc, argv, &o);
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
		if (strncmp(p, braces, strlen(braces)) != 0) {
			return "expected {display}, no other name in braces";
		}
	}
	return writer_path_error(path);
}

static const char *parse_output(void *output, char *arg) {
	*(const char **)output = arg;
	return output_error(arg);
}

static void check_screenshot(void *input, struct option_args args) {
	const struct options *o = input;
	if (!o->output) {
		options_fail("expected a file for the picture: -o FILE");
	}
}

/* The path of an output's picture (caller frees). NULL: out of memory. */
static char *path_of(const char *pattern, uint32_t display) {
	char *path = NULL;
	size_t size;
	FILE *out = open_memstream(&path, &size);
	for (const char *at; out && (at = strstr(pattern, braces)); pattern = at + strlen(braces)) {
		fprintf(out, "%.*s%u", (int)(at - pattern), pattern, (unsigned)display);
	}
	if (!out || (fputs(pattern, out), fclose(out))) {
		free(path);
		return NULL;
	}
	return path;
}

static int write_picture(const struct picture *p, const char *pattern, uint32_t display) {
	char *path = path_of(pattern, display);
	const int ret = path ? picture_write(p, path, writer_of_path(path, false)) : -ENOMEM;
	const int exit = log_result(path ? path : pattern, ret);
	if (exit == EXIT_FINE && !file_is_stdout(path)) {
		printf("%s %" PRIu32 "x%" PRIu32 "\n", path, p->width, p->height);
	}
	free(path);
	return exit;
}

/* Writes one output, or, with a pattern and without a number, all outputs. */
static int write_pictures(struct pica_client *client, const struct options *o) {
	const bool is_all = strstr(o->output, braces) && !o->given;
	uint32_t display = o->display;
	int exit;
	do {
		struct picture p = { 0 };
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
	static const struct option_row rows[] = {
		{ "output", 'o', "FILE", "Write it here, as its name ends: .png, .ppm or .qoi; with "
				"{display} in it: a file for each output", OPTION_CALL, .at = AT(output),
				.parse = parse_output },
		{ "display", 0, "N", "The output, from 0 on as picad counts them (default: 0)",
				OPTION_U32, .at = AT(display), 0, UINT32_MAX, .given = 1,
				.expected = "the number of an output" },
	};
	static const struct option_spec spec = {
		.doc = "Writes pictures of the outputs of a service's display.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)), REMOTE_TABLE(AT(where)) },
		.check = check_screenshot,
	};
	struct options o = { 0 };
	struct pica_client *client;
	options_parse(&spec, argc, argv, &o);
	int exit = remote_connect(&client, o.where);
	if (exit != EXIT_FINE) {
		return exit;
	}
	exit = write_pictures(client, &o);
	pica_client_close(client);
	return exit;
}
