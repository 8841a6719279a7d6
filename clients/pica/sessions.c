/* pica sessions, kick, record, metrics: the users of a service. */
#include "control/sessions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/options.h"
#include "common/output.h"
#include "common/remote.h"
#include "verbs.h"

enum { A_TIME = 64 };

/* ---- Lists ---- */

/* Removes this program's own session. */
static void drop_own(struct session_list *list, uint64_t own) {
	size_t kept = 0;
	for (size_t i = 0; i < list->n; i++) {
		if (list->row[i].id != own) {
			list->row[kept++] = list->row[i];
		}
	}
	list->n = kept;
}

int sessions_fetch(struct session_list *list, struct pica_client *client) {
	const struct pica_msg_welcome *welcome = pica_client_welcome(client);
	int got;
	if (!(welcome->features & PICA_FEATURE_BIT_ADMIN)) {
		return -EPERM;
	}
	list->n = 0;
	do {
		struct pica_session_info *grown =
				realloc(list->row, (list->n + A_TIME) * sizeof(*grown));
		if (!grown) {
			return -ENOMEM;
		}
		list->row = grown;
		uint64_t after = list->n ? list->row[list->n - 1].id : 0;
		got = pica_client_sessions(client, after, &list->row[list->n], A_TIME);
		list->n += got > 0 ? (size_t)got : 0;
	} while (got == A_TIME);
	drop_own(list, welcome->session);
	return got < 0 ? got : 0;
}

void sessions_finish(struct session_list *list) {
	free(list->row);
	*list = (struct session_list){ 0 };
}

const struct pica_session_info *sessions_find(const struct session_list *list, uint64_t id) {
	for (size_t i = 0; i < list->n; i++) {
		if (list->row[i].id == id) {
			return &list->row[i];
		}
	}
	return NULL;
}

/* ---- Texts ---- */

json_t *session_json(const struct pica_session_info *s) {
	return json_pack("{sI sI sI so sI sI sI sI sI sI sI sI sI sI sb sb sb}", "id",
			(json_int_t)s->id, "pid", (json_int_t)s->pid, "uid", (json_int_t)s->uid,
			"name", json_text(s->name), "priority", (json_int_t)s->priority, "contexts",
			(json_int_t)s->contexts, "jobs", (json_int_t)s->jobs, "queued",
			(json_int_t)s->queued, "pixels", (json_int_t)s->pixels, "memory_bytes",
			(json_int_t)s->memory_bytes, "cpu_ns", (json_int_t)s->cpu_ns, "lost",
			(json_int_t)s->lost, "p50_us", (json_int_t)s->p50_us, "p99_us",
			(json_int_t)s->p99_us, "is_shown", (s->flags & PICA_SESSION_SHOWN) != 0,
			"is_pinned", (s->flags & PICA_SESSION_PINNED) != 0, "is_recorded",
			(s->flags & PICA_SESSION_RECORDED) != 0);
}

json_t *service_json(const struct pica_client *client) {
	const struct pica_msg_welcome *w = pica_client_welcome(client);
	char isa[sizeof(w->isa) + 1];
	snprintf(isa, sizeof(isa), "%.*s", (int)sizeof(w->isa), w->isa);
	return json_pack("{so sI sI}", "isa", json_text(isa), "threads", (json_int_t)w->n_threads,
			"protocol", (json_int_t)w->version);
}

const char *sessions_display_text(const struct pica_session_info *s) {
	static const char *const texts[] = { "-", "shown", "pinned", "shown,pinned" };
	return texts[(s->flags & PICA_SESSION_SHOWN ? 1 : 0) |
			(s->flags & PICA_SESSION_PINNED ? 2 : 0)];
}

int sessions_failed(const struct pica_client *client, int error) {
	return error == -EPERM ?
			log_fail("the service shows its sessions to its own user and root only") :
			remote_failed(client, error);
}

/* ---- sessions ---- */

struct options {
	const char *where;
	uint64_t *ids;
	size_t n_ids;
	bool json, stop;
};

#define AT(member) offsetof(struct options, member)

static void print_sessions(const struct session_list *list) {
	printf("%8s %8s %6s %-20s %4s %4s %10s %6s %8s %8s %9s %9s %s\n", "id", "pid", "uid", "name",
			"prio", "ctx", "jobs", "queued", "memory", "cpu-s", "p50-ms", "p99-ms",
			"display");
	for (size_t i = 0; i < list->n; i++) {
		const struct pica_session_info *s = &list->row[i];
		char memory[OUTPUT_SIZE];
		output_size(s->memory_bytes, memory);
		printf("%8" PRIu64 " %8" PRIu32 " %6" PRIu32 " %-20s %4" PRId32 " %4" PRIu32
		       " %10" PRIu64 " %6" PRIu64 " %8s %8.2f %9.3f %9.3f %s\n",
				s->id, s->pid, s->uid, s->name, s->priority, s->contexts, s->jobs,
				s->queued, memory, (double)s->cpu_ns / 1e9, s->p50_us / 1e3,
				s->p99_us / 1e3, sessions_display_text(s));
	}
}

static json_t *report_sessions(const struct session_list *list, const struct pica_client *client) {
	json_t *report = json_report("sessions"), *rows = json_array();
	for (size_t i = 0; i < list->n; i++) {
		json_array_append_new(rows, session_json(&list->row[i]));
	}
	json_object_set_new(report, "service", service_json(client));
	json_object_set_new(report, "sessions", rows);
	return report;
}

int verb_sessions(int argc, char **argv) {
	static const struct option_row rows[] = { JSON_ROW(AT(json)) };
	static const struct option_spec spec = {
		.doc = "Lists the sessions of a service: a line for each client that is connected.",
		.tables = { OPTION_TABLE(rows, 0, 0), REMOTE_TABLE(AT(where)) },
	};
	struct options o = { 0 };
	struct session_list list = { 0 };
	struct pica_client *client;
	options_parse(&spec, argc, argv, &o);
	if (o.json) {
		json_promise("sessions", NULL);
	}
	int exit = remote_connect(&client, o.where);
	if (exit != EXIT_FINE) {
		return exit;
	}
	int ret = sessions_fetch(&list, client);
	if (ret < 0) {
		exit = sessions_failed(client, ret);
	} else if (!o.json) {
		print_sessions(&list);
	} else {
		exit = json_finish(report_sessions(&list, client), EXIT_FINE);
	}
	sessions_finish(&list);
	pica_client_close(client);
	return exit;
}

/* ---- kick, record ---- */

static const char *parse_id(void *options, char *arg) {
	struct options *o = options;
	uint64_t *grown = realloc(o->ids, (o->n_ids + 1) * sizeof(*grown));
	if (!grown) {
		return strerror(ENOMEM);
	}
	o->ids = grown;
	return parse_number(arg, UINT64_MAX, &o->ids[o->n_ids++]) ?
			NULL :
			"expected the number of a session, as `pica sessions' shows it";
}

static void take_ids(void *input, struct option_args args) {
	struct options *o = input;
	for (unsigned i = 0; i < args.n; i++) {
		const char *error = parse_id(o, args.v[i]);
		if (error) {
			options_fail("%s: %s", args.v[i], error);
		}
	}
	if (o->n_ids == 0) {
		options_fail("expected the number of a session");
	}
}

/* Records or kicks each named session, and frees their numbers. */
static int for_each(struct options *o, bool is_record) {
	struct pica_client *client = NULL;
	int exit = remote_connect(&client, o->where);
	for (size_t i = 0; client && i < o->n_ids; i++) {
		const uint64_t id = o->ids[i];
		int ret = is_record ? pica_client_record(client, id, !o->stop) :
				pica_client_kick(client, id);
		if (ret < 0) {
			/* A missing session is not a missing service. */
			int code = ret == -ENOENT ? EXIT_TROUBLE : remote_exit(ret);
			log_line("session %" PRIu64 ": %s", id, remote_error(client, ret));
			exit = worse(exit, code);
		}
	}
	free(o->ids);
	pica_client_close(client);
	return exit;
}

int verb_kick(int argc, char **argv) {
	static const struct option_spec spec = {
		.forms = "ID...",
		.doc = "Ends sessions of a service by their numbers, and notifies their clients; jobs in "
		       "flight are dropped.",
		.tables = { REMOTE_TABLE(AT(where)) },
		.max_args = OPTION_ANY,
		.check = take_ids,
	};
	struct options o = { 0 };
	options_parse(&spec, argc, argv, &o);
	return for_each(&o, false);
}

int verb_record(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "stop", 0, NULL, "End recordings; their files are completed", OPTION_FLAG, .at = AT(stop) },
		{ "session", 0, "ID", "The session with this number, too; may be given more than once",
				OPTION_CALL, .at = 0, .parse = parse_id },
	};
	static const struct option_spec spec = {
		.forms = "[ID...]",
		.doc = "Makes a service record the work of sessions, as captures in the folder of picad "
		       "--record.",
		.tables = { OPTION_TABLE(rows, 0, 0), REMOTE_TABLE(AT(where)) },
		.max_args = OPTION_ANY,
		.check = take_ids,
	};
	struct options o = { 0 };
	options_parse(&spec, argc, argv, &o);
	return for_each(&o, true);
}

/* ---- metrics ---- */

int verb_metrics(int argc, char **argv) {
	static const struct option_spec spec = {
		.doc = "Prints the numbers of a service as text for Prometheus.",
		.tables = { REMOTE_TABLE(AT(where)) },
	};
	struct options o = { 0 };
	struct pica_client *client;
	char *text;
	options_parse(&spec, argc, argv, &o);
	int exit = remote_connect(&client, o.where);
	if (exit != EXIT_FINE) {
		return exit;
	}
	int ret = pica_client_metrics(client, &text);
	if (ret == 0) {
		if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
			exit = log_result("standard output", -errno);
			clearerr(stdout); /* it was logged */
		}
		free(text);
	} else {
		exit = remote_failed(client, ret);
	}
	pica_client_close(client);
	return exit;
}
