#include "service/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "clock.h"
#include "job.h"
#include "service/presenter.h"
#include "service/reaper.h"
#include "service/server_impl.h"
#include "service/session.h"

/* ---- Counting ---- */

static const char *const class_names[METRICS_CLASSES] = { [METRICS_OK] = "ok",
	[METRICS_INVALID] = "invalid",
	[METRICS_PROTOCOL] = "protocol",
	[METRICS_QUOTA] = "quota",
	[METRICS_CANCELED] = "canceled",
	[METRICS_TIMEOUT] = "timeout",
	[METRICS_MEMORY] = "memory",
	[METRICS_UNSUPPORTED] = "unsupported",
	[METRICS_DENIED] = "denied",
	[METRICS_BUSY] = "busy",
	[METRICS_SHUTDOWN] = "shutdown",
	[METRICS_NOT_READING] = "not_reading",
	[METRICS_OTHER] = "other" };

static enum metrics_class class_of(int error) {
	if (error >= 0) {
		return METRICS_OK; /* some results are counts */
	}
	switch (-error) {
	case EINVAL:
	case ENOENT:
	case ERANGE:
		return METRICS_INVALID;
	case EPROTO:
		return METRICS_PROTOCOL;
	case EDQUOT:
		return METRICS_QUOTA;
	case ECANCELED:
		return METRICS_CANCELED;
	case ETIME:
		return METRICS_TIMEOUT;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case ENOSPC:
		return METRICS_MEMORY;
	case EOPNOTSUPP:
	case EPROTONOSUPPORT:
		return METRICS_UNSUPPORTED;
	case EPERM:
	case EACCES:
		return METRICS_DENIED;
	case EAGAIN:
	case EBUSY:
		return METRICS_BUSY;
	case ESHUTDOWN:
		return METRICS_SHUTDOWN;
	case ENOBUFS:
		return METRICS_NOT_READING;
	default:
		return METRICS_OTHER;
	}
}

/* Upper ends in microseconds. */
static const uint32_t bucket_us[METRICS_BUCKETS] = { 50, 100, 250, 500, 1000, 2500, 5000, 10000,
	25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 10000000 };

void metrics_job(struct metrics *m, unsigned op, int error) {
	m->jobs[op < PICA_OP_COUNT ? op : PICA_OP_COUNT][class_of(error)]++;
}

void metrics_latency(struct metrics *m, uint64_t ns) {
	unsigned i = 0;
	while (i < METRICS_BUCKETS && ns > bucket_us[i] * UINT64_C(1000)) {
		i++;
	}
	m->latency[i]++;
	m->latency_ns += ns;
}

void latencies_add(struct latencies *l, uint64_t ns) {
	const uint64_t us = ns / 1000;
	l->us[l->n++ % l->n_max] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

static int by_value(const void *a, const void *b) {
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

void latencies_percentiles(const struct latencies *l, uint32_t *p50_us, uint32_t *p99_us) {
	uint32_t sorted[LATENCIES_MAX];
	const uint32_t n = l->n < l->n_max ? (uint32_t)l->n : l->n_max;
	if (n) {
		memcpy(sorted, l->us, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_value);
		*p50_us = sorted[n / 2];
		*p99_us = sorted[n * 99 / 100];
	}
}

void metrics_ended(struct metrics *m, int error) {
	m->ended[class_of(error)]++;
}

void metrics_refused(struct metrics *m, int error) {
	m->refused[class_of(error)]++;
}

/* ---- Text ---- */

static void head(FILE *out, const char *name, const char *type, const char *help) {
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_label(FILE *out, const char *name, const struct session *s) {
	fprintf(out, "%s{session=\"%" PRIu64 "\",name=\"%s\"}", name, s->id, s->name);
}

/* is_ns: in seconds. */
static void put_value(FILE *out, uint64_t n, bool is_ns) {
	if (is_ns) {
		fprintf(out, " %" PRIu64 ".%09" PRIu64 "\n", n / 1000000000, n % 1000000000);
	} else {
		fprintf(out, " %" PRIu64 "\n", n);
	}
}

static void number(
		FILE *out, const char *name, const char *type, const char *help, uint64_t value) {
	head(out, name, type, help);
	fputs(name, out);
	put_value(out, value, false);
}

static void seconds(FILE *out, const char *name, const char *help, uint64_t ns) {
	head(out, name, "counter", help);
	fputs(name, out);
	put_value(out, ns, true);
}

static void by_class(FILE *out, const char *name, const char *help, const uint64_t *counts) {
	head(out, name, "counter", help);
	for (unsigned i = 0; i < METRICS_CLASSES; i++) {
		if (counts[i]) {
			fprintf(out, "%s{reason=\"%s\"} %" PRIu64 "\n", name,
					i == METRICS_OK ? "closed" : class_names[i], counts[i]);
		}
	}
}

static void put_jobs(FILE *out, const struct metrics *m) {
	head(out, "picad_jobs_total", "counter", "Jobs that are complete.");
	for (unsigned op = 0; op <= PICA_OP_COUNT; op++) {
		for (unsigned i = 0; i < METRICS_CLASSES; i++) {
			if (m->jobs[op][i]) {
				fprintf(out,
						"picad_jobs_total{op=\"%s\",result=\"%s\"} %" PRIu64
						"\n",
						op < PICA_OP_COUNT ? job_name(op) : "unknown",
						class_names[i], m->jobs[op][i]);
			}
		}
	}
}

static void put_latency(FILE *out, const struct metrics *m) {
	static const char name[] = "picad_job_latency_seconds";
	uint64_t sum = 0;
	head(out, name, "histogram", "Time from the submission of a job to its completion.");
	for (unsigned i = 0; i < METRICS_BUCKETS; i++) {
		sum += m->latency[i];
		fprintf(out, "%s_bucket{le=\"%u.%06u\"} %" PRIu64 "\n", name,
				bucket_us[i] / 1000000, bucket_us[i] % 1000000, sum);
	}
	sum += m->latency[METRICS_BUCKETS];
	fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, sum);
	fprintf(out, "%s_sum %" PRIu64 ".%09" PRIu64 "\n%s_count %" PRIu64 "\n", name,
			m->latency_ns / 1000000000, m->latency_ns % 1000000000, name, sum);
}

static void put_process(FILE *out) {
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	seconds(out, "process_cpu_seconds_total", "Processor time of the whole service.",
			clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	number(out, "picad_resident_bytes_max", "gauge",
			"Maximum resident memory of the service.",
			(uint64_t)usage.ru_maxrss * 1024);
}

/* Present values, over all open sessions. */
struct now {
	uint64_t sessions, contexts, regions, memory_bytes, queued;
	struct pica_usage usage;
};

static struct now look(struct server *server) {
	struct now now = { .usage = server->metrics.gone };
	for (struct session *s = server->sessions; s; s = s->next) {
		if (s->ring_memory) {
			now.sessions++;
			now.contexts += s->n_contexts;
			now.regions += s->n_regions;
			now.memory_bytes += s->memory_bytes;
			now.queued += s->outstanding;
			struct pica_usage used = { 0 };
			session_live_usage(s, &used);
			usage_add(&now.usage, &used);
		}
	}
	return now;
}

struct column {
	const char *name, *type, *help;
	bool is_ns; /* shown in seconds */
};

enum { COLUMNS = 6 };

static const struct column columns[COLUMNS] = {
	{ "picad_session_jobs_total", "counter", "Jobs that a session has submitted.", false },
	{ "picad_session_jobs_queued", "gauge", "Jobs of a session that are not complete.", false },
	{ "picad_session_memory_bytes", "gauge", "Regions and windows of a session.", false },
	{ "picad_session_engine_memory_bytes", "gauge",
			"Memory that the renderer uses for a session, in addition to those.",
			false },
	{ "picad_session_pixels_total", "counter", "Pixels that a session has drawn.", false },
	{ "picad_session_cpu_seconds_total", "counter", "Processor time of a session's jobs.",
			true },
};

static void put_sessions(FILE *out, struct server *server) {
	for (unsigned i = 0; i < COLUMNS; i++) {
		head(out, columns[i].name, columns[i].type, columns[i].help);
		for (struct session *s = server->sessions; s; s = s->next) {
			if (s->state == SESSION_OPEN) {
				struct pica_usage used;
				session_usage(s, &used);
				const uint64_t values[COLUMNS] = { s->jobs, s->outstanding,
					s->memory_bytes,
					pica_memory_used(s->memory) - s->memory_bytes, used.pixels,
					used.cpu_ns };
				put_label(out, columns[i].name, s);
				put_value(out, values[i], columns[i].is_ns);
			}
		}
	}
}

static const char *const frame_rows[][2] = {
	{ "presented", "Frames that were shown." },
	{ "hidden", "Frames that were done while another session was shown, or no display there." },
	{ "dropped", "Frames that should have been shown when the display or their session went away." },
	{ "late", "Frames that were shown after a refresh that they were submitted in time for." },
};

static uint64_t frame_count(const struct present_stats *s, unsigned row) {
	return (const uint64_t[]){ s->presented, s->hidden, s->dropped, s->late }[row];
}

static void put_quantiles(FILE *out, const char *labels, const struct present_stats *s) {
	fprintf(out, "picad_flip_latency_seconds{%squantile=\"0.5\"} %u.%06u\n", labels,
			s->p50_us / 1000000, s->p50_us % 1000000);
	fprintf(out, "picad_flip_latency_seconds{%squantile=\"0.99\"} %u.%06u\n", labels,
			s->p99_us / 1000000, s->p99_us % 1000000);
}

static void put_frames(FILE *out, struct server *server) {
	struct presenter *p = server->presenter;
	struct present_stats all, of;
	struct present_state state;
	if (!p) {
		return;
	}
	presenter_stats(p, NULL, &all);
	presenter_state(p, &state);
	number(out, "picad_outputs", "gauge", "Outputs that show something.", state.n_outputs);
	number(out, "picad_shown_session", "gauge", "Session whose picture is shown, 0: none.",
			state.shown);
	number(out, "picad_refreshes_missed_total", "counter",
			"Refreshes that the display let pass.", all.missed);
	for (unsigned i = 0; i < sizeof(frame_rows) / sizeof(frame_rows[0]); i++) {
		char name[64];
		snprintf(name, sizeof(name), "picad_frames_%s_total", frame_rows[i][0]);
		number(out, name, "counter", frame_rows[i][1], frame_count(&all, i));
		snprintf(name, sizeof(name), "picad_session_frames_%s_total", frame_rows[i][0]);
		head(out, name, "counter", frame_rows[i][1]);
		for (struct session *s = server->sessions; s; s = s->next) {
			if (s->present) {
				presenter_stats(p, s->present, &of);
				put_label(out, name, s);
				put_value(out, frame_count(&of, i), false);
			}
		}
	}
	head(out, "picad_flip_latency_seconds", "gauge",
			"Time from the submission of a PRESENT to its flip, of recent frames.");
	put_quantiles(out, "", &all);
	for (struct session *s = server->sessions; s; s = s->next) {
		if (s->present) {
			char labels[128];
			presenter_stats(p, s->present, &of);
			snprintf(labels, sizeof(labels), "session=\"%" PRIu64 "\",name=\"%s\",",
					s->id, s->name);
			put_quantiles(out, labels, &of);
		}
	}
}

static void put_all(FILE *out, struct server *server) {
	const struct metrics *m = &server->metrics;
	const struct now now = look(server);
	uint32_t version = pica_version();
	head(out, "picad_info", "gauge", "What runs here.");
	fprintf(out, "picad_info{version=\"%u.%u.%u\",isa=\"%s\",loop=\"%s\",threads=\"%u\"} 1\n",
			version >> 16, version >> 8 & 255, version & 255,
			pica_device_isa(server->device), server_loop_name(server),
			server->settings.device.n_threads);
	number(out, "picad_sessions", "gauge", "Sessions that are open.", now.sessions);
	number(out, "picad_sessions_opened_total", "counter", "Sessions that were opened.",
			m->opened);
	by_class(out, "picad_connections_ended_total", "Connections that ended, and why.",
			m->ended);
	by_class(out, "picad_connections_refused_total", "Connections that were refused, and why.",
			m->refused);
	number(out, "picad_contexts", "gauge", "Contexts of all sessions.", now.contexts);
	number(out, "picad_contexts_ending", "gauge",
			"Contexts of ended sessions that are still being destroyed.",
			reaper_pending(server->reaper));
	number(out, "picad_regions", "gauge", "Regions of all sessions.", now.regions);
	number(out, "picad_memory_bytes", "gauge", "Regions and windows of all sessions.",
			now.memory_bytes);
	number(out, "picad_engine_memory_bytes", "gauge",
			"Memory that the renderer uses for all contexts, in addition to regions and windows.",
			pica_memory_used(server->regions.memory));
	number(out, "picad_jobs_queued", "gauge", "Jobs that were taken and are not complete.",
			now.queued);
	put_jobs(out, m);
	put_latency(out, m);
	number(out, "picad_pixels_total", "counter", "Pixels that were drawn.", now.usage.pixels);
	number(out, "picad_vertices_total", "counter", "Vertices of draws.", now.usage.vertices);
	number(out, "picad_list_words_total", "counter", "Words of command lists.",
			now.usage.list_words);
	number(out, "picad_written_bytes_total", "counter", "Bytes of WRITE jobs.",
			now.usage.written_bytes);
	seconds(out, "picad_cpu_seconds_total", "Processor time of all jobs.", now.usage.cpu_ns);
	number(out, "picad_throttled_total", "counter",
			"Number of times that a session had to wait for processor time.", m->throttled);
	put_process(out);
	put_sessions(out, server);
	put_frames(out, server);
}

static int metrics_text(struct server *server, char **text, size_t *size_bytes) {
	FILE *out = open_memstream(text, size_bytes);
	if (!out) {
		return -ENOMEM;
	}
	put_all(out, server);
	if (fclose(out) != 0) {
		free(*text);
		return -ENOMEM;
	}
	return 0;
}

int metrics_memfd(struct server *server, size_t *size_bytes) {
	char *text;
	int ret = metrics_text(server, &text, size_bytes);
	if (ret == 0) {
		ret = sealed_file("pica-metrics", text, *size_bytes);
		free(text);
	}
	return ret;
}
