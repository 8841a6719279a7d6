/* pica submit: sends memory, command lists and jobs from files to a service, and saves results. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json.h"
#include "common/remote.h"
#include "control/sessions.h"
#include "job.h"
#include "pictures/file.h"
#include "pictures/writer.h"
#include "render/render.h"
#include "replay.h"
#include "verbs.h"

enum action_kind { ACTION_MEMORY, ACTION_LIST, ACTION_JOBS, ACTION_SAVE };

enum { MAX_ACTIONS = 256, MAX_FILE = 256 << 20, BATCH = 64 };

/* In the order of the command line. */
struct action {
	enum action_kind kind;
	char *path;       /* in argv */
	uint32_t addr, size_bytes;
	void *data;       /* owned: of the file */
	size_t n;
};

struct options {
	const char *where, *name;
	const char *output;
	struct action action[MAX_ACTIONS];
	unsigned n_actions;
	struct render_surface surface;
	bool has_surface, json;
};

/* Submitted jobs, and their results. */
struct sent {
	const struct action *action;
	uint16_t op;
	struct pica_done done;
};

struct submit {
	const struct options *o;
	struct pica_client *client;
	struct gpu gpu;
	struct sent *sent;
	size_t n, cap;
};

/* ---- Command line ---- */

/* FILE@ADDR, or FILE@ADDR,SIZE; returns the error, or NULL. The last @ counts. */
static const char *parse_place(struct action *a, char *arg, bool has_size) {
	char *at = strrchr(arg, '@'), *rest = at ? at + 1 : NULL;
	const char *expected = has_size ? "expected FILE@ADDR,SIZE, as in out.bin@0x18000000,4096" :
			"expected FILE@ADDR, as in list.bin@0x20000000";
	uint64_t addr, size = 0;
	if (!at || at == arg) {
		return expected;
	}
	*at = 0;
	char *number = strsep(&rest, ",");
	if (!parse_number(number, UINT32_MAX, &addr) || has_size != (rest != NULL) ||
			(rest && !parse_number(rest, UINT32_MAX, &size))) {
		return expected;
	}
	a->path = arg;
	a->addr = (uint32_t)addr;
	a->size_bytes = (uint32_t)size;
	return NULL;
}

static const char *add_action(struct options *o, enum action_kind kind, char *arg) {
	if (o->n_actions == MAX_ACTIONS) {
		return "too many";
	}
	struct action *a = &o->action[o->n_actions];
	*a = (struct action){ .kind = kind, .path = arg };
	const char *error = kind == ACTION_JOBS ? NULL : parse_place(a, arg, kind == ACTION_SAVE);
	o->n_actions += !error;
	return error;
}

static const char *add_memory(void *options, char *arg) {
	return add_action(options, ACTION_MEMORY, arg);
}

static const char *add_list(void *options, char *arg) {
	return add_action(options, ACTION_LIST, arg);
}

static const char *add_jobs(void *options, char *arg) {
	return add_action(options, ACTION_JOBS, arg);
}

static const char *add_save(void *options, char *arg) {
	return add_action(options, ACTION_SAVE, arg);
}

static const char *parse_surface(void *options, char *arg) {
	struct options *o = options;
	const char *error = o->has_surface ? "one surface at a time" :
					     render_surface_parse(&o->surface, arg);
	o->has_surface = true;
	return error;
}

static const char *parse_output(void *output, char *arg) {
	*(const char **)output = arg;
	return writer_path_error(arg);
}

static void check(void *input, struct option_args args) {
	const struct options *o = input;
	if (o->n_actions == 0) {
		options_fail("expected something to submit");
	}
	if (o->has_surface && !o->output) {
		options_fail("--surface: expected -o FILE for its picture");
	}
	if (!o->has_surface && o->output) {
		options_fail("-o: which surface is missing: --surface ADDR,FORMAT,WxH");
	}
}

/* Checks a file for its purpose; an exit code. */
static int check_action(const struct action *a) {
	const char *error = NULL;
	if (a->kind == ACTION_LIST && (a->n == 0 || a->n % 8 || a->addr % 16)) {
		error = "expected a list of whole pairs of words, at a multiple of 16";
	} else if (a->kind == ACTION_JOBS && (a->n == 0 || a->n % sizeof(struct pica_job))) {
		error = "expected jobs of 64 bytes each";
	} else if (a->n > UINT32_MAX - a->addr) {
		error = "goes beyond the end of the address space";
	}
	for (size_t i = 0; !error && a->kind == ACTION_JOBS && i < a->n / sizeof(struct pica_job);
			i++) {
		const struct pica_job *job = (const struct pica_job *)a->data + i;
		const char *reason;
		if (job->op == PICA_OP_WRITE || job->op == PICA_OP_STATS ||
				job->op == PICA_OP_WAIT) {
			error = "a job names data or a context, which a file cannot; --memory puts data";
		} else if (job_check(job, &reason) < 0) {
			return log_fail("%s: job %zu (%s): %s", a->path, i, job_name(job->op),
					reason);
		}
	}
	return error ? log_fail("%s: %s", a->path, error) : EXIT_FINE;
}

static int read_files(struct options *o) {
	int exit = EXIT_FINE;
	for (unsigned i = 0; exit == EXIT_FINE && i < o->n_actions; i++) {
		struct action *a = &o->action[i];
		if (a->kind != ACTION_SAVE) {
			exit = log_result(a->path, file_read(a->path, &a->data, &a->n, MAX_FILE));
			exit = exit == EXIT_FINE ? check_action(a) : exit;
		}
	}
	return exit;
}

/* ---- Jobs ---- */

static void reap(struct submit *s) {
	struct pica_done done[BATCH];
	int n;
	while ((n = s->gpu.impl->reap(s->gpu, done, BATCH)) > 0) {
		for (int i = 0; i < n; i++) {
			s->sent[done[i].user_data].done = done[i];
		}
	}
}

static int send(struct submit *s, const struct action *a, struct pica_job job) {
	struct sent *grown = array_room(s->sent, s->n, &s->cap, sizeof(*grown));
	if (!grown) {
		return -ENOMEM;
	}
	s->sent = grown;
	s->sent[s->n] = (struct sent){ .action = a, .op = job.op };
	job.user_data = s->n++;
	int ret = s->gpu.impl->submit(s->gpu, &job, 1, NULL);
	reap(s);
	return ret;
}

static int send_action(struct submit *s, const struct action *a) {
	struct pica_job job = { .op = PICA_OP_WRITE };
	int ret = 0;
	if (a->kind == ACTION_MEMORY || a->kind == ACTION_LIST) {
		job.u.write.addr = a->addr;
		job.u.write.size_bytes = (uint32_t)a->n;
		job.u.write.data = (uintptr_t)a->data;
		ret = send(s, a, job);
	}
	if (a->kind == ACTION_LIST) {
		job = (struct pica_job){ .op = PICA_OP_LIST,
			.u.list = { .addr = a->addr, .size_bytes = (uint32_t)a->n } };
		ret = ret < 0 ? ret : send(s, a, job);
	}
	for (size_t i = 0; ret == 0 && a->kind == ACTION_JOBS && i < a->n / sizeof(job); i++) {
		memcpy(&job, (const struct pica_job *)a->data + i, sizeof(job));
		ret = send(s, a, job);
	}
	return ret;
}

static int wait_all(struct submit *s) {
	int ret = s->gpu.impl->wait(s->gpu, s->n);
	reap(s);
	return ret;
}

/* ---- Results ---- */

static int save(struct submit *s, const struct remote *remote, const struct action *a) {
	const void *bytes = remote_host(remote, a->addr, a->size_bytes);
	int ret = wait_all(s);
	ret = ret < 0 ? ret : bytes ? file_write(a->path, bytes, a->size_bytes) : -ERANGE;
	if (ret < 0 && ret != -ECONNRESET) {
		return log_fail("%s: %s", file_shown(a->path),
				ret == -ERANGE ? "not wholly inside memory" : strerror(-ret));
	}
	return ret < 0 ? ret : EXIT_FINE;
}

static int save_surface(struct submit *s) {
	const struct render_surface *f = &s->o->surface;
	struct picture p = { 0 };
	int ret = gpu_read_surface(&p, s->gpu, f->addr, f->format, f->width, f->height);
	if (ret == 0) {
		ret = picture_write(&p, s->o->output, writer_of_path(s->o->output, false));
	}
	picture_finish(&p);
	if (ret < 0 && ret != -ECONNRESET) {
		log_line("%s: %s", file_shown(s->o->output),
				ret == -ERANGE ? "not wholly inside memory" : strerror(-ret));
	}
	return ret;
}

static void report_notes(const struct sent *j) {
	static const struct {
		uint32_t flag;
		const char *text;
	} notes[] = { { PICA_DONE_NO_FINALIZE, "it does not end with FINALIZE" },
		{ PICA_DONE_TRUNCATED, "its last entry is cut off" },
		{ PICA_DONE_BAD_INPUT, "something in it was ignored" } };
	char text[128] = "";
	size_t n = 0;
	for (unsigned i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (j->done.flags & notes[i].flag) {
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "",
					notes[i].text);
		}
	}
	log_line("%s: %s: note: %s", j->action->path, job_name(j->op), text);
}

static const char *failure(const struct sent *j) {
	switch (j->done.result) {
	case -ERANGE:
		return "memory outside of VRAM and FCRAM: expected 0x18000000 to 0x185FFFFF or 0x20000000 to "
		       "0x27FFFFFF";
	case -EINVAL:
		return "malformed: the values of its fields contradict each other";
	default:
		return replay_error(j->done.result, j->done.flags);
	}
}

static int report_failures(const struct submit *s) {
	int exit = EXIT_FINE;
	for (size_t i = 0; i < s->n; i++) {
		const struct sent *j = &s->sent[i];
		if (j->done.result < 0) {
			exit = log_fail("%s: %s: %s", j->action->path, job_name(j->op), failure(j));
		} else if (j->done.flags) {
			report_notes(j);
		}
	}
	return exit;
}

static json_t *report(const struct submit *s) {
	json_t *report = json_report("submit"), *jobs = json_array();
	for (size_t i = 0; i < s->n; i++) {
		const struct sent *j = &s->sent[i];
		json_array_append_new(jobs,
				json_pack("{so ss sI sI}", "path", json_text(j->action->path), "op",
						job_name(j->op), "result",
						(json_int_t)j->done.result, "flags",
						(json_int_t)j->done.flags));
	}
	json_object_set_new(report, "service", service_json(s->client));
	json_object_set_new(report, "jobs", jobs);
	return report;
}

/* ---- Run ---- */

static int run(struct submit *s, const struct remote *remote) {
	int ret = 0, exit = EXIT_FINE;
	for (unsigned i = 0; ret >= 0 && exit == EXIT_FINE && i < s->o->n_actions; i++) {
		const struct action *a = &s->o->action[i];
		ret = a->kind == ACTION_SAVE ? save(s, remote, a) : send_action(s, a);
		exit = ret > 0 ? ret : exit;
	}
	ret = ret < 0 ? ret : wait_all(s);
	if (ret >= 0 && s->o->has_surface) {
		ret = save_surface(s);
		exit = ret < 0 && exit == EXIT_FINE ? EXIT_TROUBLE : exit;
	}
	if (ret == -ECONNRESET || ret == -ENOMEM || ret == -EDQUOT) {
		return remote_failed(s->client, ret);
	}
	return worse(exit, report_failures(s));
}

#define AT(member) offsetof(struct options, member)

int verb_submit(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "memory", 0, "FILE@ADDR", "Put a file's bytes at a physical address", OPTION_CALL, .at = 0,
				.parse = add_memory },
		{ "list", 0, "FILE@ADDR", "Put a command list there, and run it", OPTION_CALL, .at = 0,
				.parse = add_list },
		{ "jobs", 0, "FILE", "Run jobs, records of 64 bytes (struct pica_job)", OPTION_CALL, .at = 0,
				.parse = add_jobs },
		{ "save", 0, "FILE@ADDR,SIZE", "Write memory to a file, after the jobs before it", OPTION_CALL,
				.at = 0, .parse = add_save },
		{ "surface", 0, "ADDR,FORMAT,WxH", "A tiled surface in memory at the end, as a picture",
				OPTION_CALL, .at = 0, .parse = parse_surface },
		{ "output", 'o', "FILE", "Picture file: .png, .ppm or .qoi; - is stdout, as PNG",
				OPTION_CALL, .at = AT(output), .parse = parse_output },
		{ "name", 0, "NAME", "Of the session (default: pica)", OPTION_CALL, .at = AT(name),
				.parse = remote_name_option },
		JSON_ROW(AT(json)),
	};
	static const struct option_spec spec = {
		.doc = "Lets a service run command lists and jobs from files, in the order of the options, in "
		       "a context with 6 MiB of VRAM at 0x18000000 and 128 MiB of FCRAM at 0x20000000, "
		       "all 0.",
		.tables = { OPTION_TABLE(rows, 0, 0), REMOTE_TABLE(AT(where)) },
		.check = check,
	};
	struct options o = { 0 };
	struct submit s = { .o = &o };
	struct remote *remote = NULL;
	char message[PICA_TEXT_BYTES];
	options_parse(&spec, argc, argv, &o);
	if (o.json) {
		json_promise("submit", NULL);
	}
	int exit = read_files(&o);
	exit = exit == EXIT_FINE ? remote_connect_named(&s.client, o.where, o.name) : exit;
	if (exit == EXIT_FINE) {
		int ret = remote_create(&remote, s.client, NULL, NULL, message);
		if (ret < 0) {
			log_line("%s", message);
			exit = remote_exit(ret);
		} else {
			s.gpu = remote_gpu(remote);
			exit = run(&s, remote);
		}
	}
	if (o.json && s.client) {
		exit = json_finish(report(&s), exit);
	}
	remote_destroy(remote);
	pica_client_close(s.client);
	for (unsigned i = 0; i < o.n_actions; i++) {
		free(o.action[i].data);
	}
	free(s.sent);
	return exit;
}
