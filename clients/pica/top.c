/* pica top: the sessions of a service, refreshed. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "common/json.h"
#include "common/options.h"
#include "common/output.h"
#include "common/remote.h"
#include "common/terminal.h"
#include "control/sessions.h"
#include "verbs.h"

enum { MAX_INTERVAL_MS = 3600 * 1000 };

struct options {
	const char *where;
	uint32_t interval_ms;
	bool once, json;
};

/* Of a session over the last interval. */
struct rate {
	const struct pica_session_info *s; /* now */
	double jobs_s, mpixel_s, cpu_percent;
};

struct top {
	struct pica_client *client;
	struct session_list list[2]; /* before and now, in turn */
	unsigned now;
	uint64_t time_ns[2];
	double seconds; /* between them */
	struct rate *rates;
	struct rate sum;
	struct pica_session_info total; /* what sum.s points to */
	char order; /* the key that chose it */
};

static const char *parse_interval(void *ms, char *arg) {
	char *end;
	const double s = strtod(arg, &end);
	if (*end || end == arg || !(s >= 0.1 && s <= MAX_INTERVAL_MS / 1000)) {
		return "expected a number of seconds from 0.1 to 3600";
	}
	*(uint32_t *)ms = (uint32_t)(s * 1000);
	return NULL;
}

static void check(void *input, struct option_args args) {
	const struct options *o = input;
	if (o->json && !o->once) {
		options_fail("--json goes with --once");
	}
}

/* ---- Numbers ---- */

/* The rate of a counter; one that restarted, or of a new session, counts from 0. */
static double per_second(uint64_t before, uint64_t now, double seconds) {
	return seconds > 0 ? (double)(now >= before ? now - before : now) / seconds : 0;
}

static double value_of(const struct rate *r, char order) {
	return order == 'j' ? r->jobs_s :
			order == 'p' ? r->mpixel_s :
			order == 'm' ? (double)r->s->memory_bytes :
			order == 'c' ? r->cpu_percent : 0;
}

static int by_order(const void *a, const void *b, void *order) {
	const struct rate *x = a, *y = b;
	const double l = value_of(x, *(char *)order), r = value_of(y, *(char *)order);
	return l != r ? (l < r ? 1 : -1) : x->s->id < y->s->id ? -1 : x->s->id > y->s->id;
}

static void add_up(struct top *t) {
	const struct session_list *list = &t->list[t->now];
	struct rate *sum = &t->sum;
	*sum = (struct rate){ .s = &t->total };
	t->total = (struct pica_session_info){ 0 };
	for (size_t i = 0; i < list->n; i++) {
		const struct rate *r = &t->rates[i];
		sum->jobs_s += r->jobs_s;
		sum->mpixel_s += r->mpixel_s;
		sum->cpu_percent += r->cpu_percent;
		t->total.queued += r->s->queued;
		t->total.memory_bytes += r->s->memory_bytes;
	}
}

/* Asks the service; rates are over the time since the last call. */
static int look(struct top *t) {
	const struct session_list *before = &t->list[t->now];
	t->now = !t->now;
	struct session_list *list = &t->list[t->now];
	int ret = sessions_fetch(list, t->client);
	struct rate *grown = ret < 0 ? NULL : realloc(t->rates, (list->n + 1) * sizeof(*grown));
	if (!grown) {
		return ret < 0 ? ret : -ENOMEM;
	}
	t->rates = grown;
	t->time_ns[t->now] = now_ns();
	t->seconds = t->time_ns[!t->now] ?
			(double)(t->time_ns[t->now] - t->time_ns[!t->now]) / 1e9 :
			0;
	for (size_t i = 0; i < list->n; i++) {
		static const struct pica_session_info nothing;
		const struct pica_session_info *s = &list->row[i],
					       *b = sessions_find(before, s->id);
		b = b ? b : &nothing;
		t->rates[i] = (struct rate){ .s = s,
			.jobs_s = per_second(b->jobs, s->jobs, t->seconds),
			.mpixel_s = per_second(b->pixels, s->pixels, t->seconds) / 1e6,
			.cpu_percent = per_second(b->cpu_ns, s->cpu_ns, t->seconds) / 1e7 };
	}
	qsort_r(t->rates, list->n, sizeof(*t->rates), by_order, &t->order);
	add_up(t);
	return 0;
}

static void finish(struct top *t) {
	sessions_finish(&t->list[0]);
	sessions_finish(&t->list[1]);
	free(t->rates);
	pica_client_close(t->client);
}

/* ---- Text ---- */

enum { TITLE_ROW = 2 };

static void put_table(const struct top *t, FILE *out, size_t rows) {
	const struct pica_msg_welcome *w = pica_client_welcome(t->client);
	const size_t n = t->list[t->now].n;
	char memory[OUTPUT_SIZE];
	output_size(t->total.memory_bytes, memory);
	fprintf(out,
			"sessions %zu  jobs/s %.0f  Mpixel/s %.1f  queued %" PRIu64
			"  memory %s  cpu %.0f%% of %" PRIu32 " threads, %.16s\n\n",
			n, t->sum.jobs_s, t->sum.mpixel_s, t->total.queued, memory,
			t->sum.cpu_percent, w->n_threads + 1, w->isa);
	fprintf(out, "%4s %7s %-12s %8s %8s %5s %8s %6s %7s %7s %s\n", "id", "pid", "name",
			"jobs/s", "Mpixel/s", "queue", "memory", "cpu-%", "p50-ms", "p99-ms",
			"display");
	for (size_t i = 0; i < n && i < rows; i++) {
		const struct rate *r = &t->rates[i];
		output_size(r->s->memory_bytes, memory);
		fprintf(out,
				"%4" PRIu64 " %7" PRIu32 " %-12.12s %8.1f %8.2f %5" PRIu64
				" %8s %6.1f %7.2f %7.2f %s\n",
				r->s->id, r->s->pid, r->s->name, r->jobs_s, r->mpixel_s,
				r->s->queued, memory, r->cpu_percent, r->s->p50_us / 1e3,
				r->s->p99_us / 1e3, sessions_display_text(r->s));
	}
	if (n > rows) {
		fprintf(out, "... and %zu more\n", n - rows);
	}
}

static json_t *with_rates(json_t *row, const struct rate *r) {
	json_object_set_new(row, "jobs_s", json_rounded(r->jobs_s, 3));
	json_object_set_new(row, "mpixel_s", json_rounded(r->mpixel_s, 6));
	json_object_set_new(row, "cpu_percent", json_rounded(r->cpu_percent, 3));
	return row;
}

static json_t *report(const struct top *t) {
	json_t *report = json_report("top"), *rows = json_array();
	for (size_t i = 0; i < t->list[t->now].n; i++) {
		json_array_append_new(rows, with_rates(session_json(t->rates[i].s), &t->rates[i]));
	}
	json_object_set_new(report, "service", service_json(t->client));
	json_object_set_new(report, "interval_s", json_rounded(t->seconds, 6));
	json_object_set_new(report, "total",
			with_rates(json_pack("{sI sI}", "queued", (json_int_t)t->total.queued,
			"memory_bytes", (json_int_t)t->total.memory_bytes), &t->sum));
	json_object_set_new(report, "sessions", rows);
	return report;
}

/* ---- Runs ---- */

static int run_once(struct top *t, const struct options *o) {
	const struct timespec rest = { o->interval_ms / 1000, o->interval_ms % 1000 * 1000000L };
	int ret = look(t);
	if (ret == 0) {
		nanosleep(&rest, NULL);
		ret = look(t);
	}
	if (ret < 0) {
		return sessions_failed(t->client, ret);
	}
	if (!o->json) {
		put_table(t, stdout, SIZE_MAX);
		return EXIT_FINE;
	}
	return json_finish(report(t), EXIT_FINE);
}

static void show(const struct top *t) {
	unsigned rows, columns;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out) {
		return;
	}
	terminal_size(&rows, &columns);
	put_table(t, out, rows > TITLE_ROW + 3 ? rows - TITLE_ROW - 3 : 1);
	fprintf(out, "q quit; order by c cpu, j jobs, p pixels, m memory, i id");
	if (fclose(out) == 0) {
		terminal_show(text, TITLE_ROW);
		free(text);
	}
}

static void show_waiting(const struct options *o) {
	char text[256];
	const int n = snprintf(text, sizeof(text),
			"waiting for the service%s%.150s to come back; q quit",
			o->where ? " at " : "", o->where ? o->where : "");
	terminal_show(text, n < 0 ? 0 : TITLE_ROW);
}

/* Connects to a restarted service, which has new sessions. */
static void connect_again(struct top *t, const char *where) {
	if (pica_client_connect(&t->client, where, NULL, NULL) == 0) {
		sessions_finish(&t->list[0]);
		sessions_finish(&t->list[1]);
		memset(t->list, 0, sizeof(t->list));
		memset(t->time_ns, 0, sizeof(t->time_ns));
	}
}

/* Reads the numbers; without a service, tries to reach one. */
static int refresh(struct top *t, const char *where) {
	if (!t->client) {
		connect_again(t, where);
	}
	const int ret = t->client ? look(t) : 0;
	if (ret != -ECONNRESET) {
		return ret;
	}
	pica_client_close(t->client);
	t->client = NULL;
	return 0;
}

/* Until q or a signal. */
static int run_live(struct top *t, const struct options *o) {
	int ret = terminal_begin();
	if (ret < 0) {
		return log_fail("expected a terminal; --once prints one table anywhere");
	}
	uint64_t next = 0;
	bool is_over = false;
	while (!is_over && ret == 0) {
		uint64_t now = now_ns();
		if (now >= next) {
			ret = refresh(t, o->where);
			next = now + o->interval_ms * UINT64_C(1000000);
			/* The first rates come soon. */
			next = t->client && t->seconds > 0 ? next : now + 200000000;
		}
		if (t->client) {
			show(t);
		} else {
			show_waiting(o);
		}
		int key = ret < 0 ? TERMINAL_TIME : terminal_wait(next > now ? next - now : 0);
		if (key > 0 && strchr("cjpmi", key) && t->client) {
			t->order = (char)key;
			qsort_r(t->rates, t->list[t->now].n, sizeof(*t->rates), by_order,
					&t->order);
		}
		is_over = key == 'q' || key == 'Q' || key == TERMINAL_END;
	}
	terminal_end();
	return ret < 0 ? sessions_failed(t->client, ret) : EXIT_FINE;
}

int verb_top(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "once", 0, NULL, "Print one table, with the rates of one interval, and end",
				OPTION_FLAG, .at = offsetof(struct options, once) },
		{ "json", 0, NULL, "With --once: report on stdout as JSON", OPTION_FLAG,
				.at = offsetof(struct options, json) },
		{ "interval", 0, "SECONDS", "Time between looks, 0.1 to 3600 (default: 1)", OPTION_CALL,
				.at = offsetof(struct options, interval_ms),
						.parse = parse_interval },
	};
	static const struct option_spec spec = {
		.doc = "Shows the sessions of a service, live: jobs and pixels a second, jobs that wait, "
		       "memory, processor time, and the time from submission to completion (median, 99th "
		       "percentile of the last 256 jobs). q ends it.",
		.tables = { OPTION_TABLE(rows, 0, 0),
				REMOTE_TABLE(offsetof(struct options, where)) },
		.check = check,
	};
	struct options o = { .interval_ms = 1000 };
	struct top t = { .order = 'c' };
	options_parse(&spec, argc, argv, &o);
	if (o.json && o.once) {
		json_promise("top", NULL);
	}
	int exit = remote_connect(&t.client, o.where);
	if (exit != EXIT_FINE) {
		return exit;
	}
	exit = o.once ? run_once(&t, &o) : run_live(&t, &o);
	finish(&t);
	return exit;
}
