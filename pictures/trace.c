#include "pictures/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/base/attributes.h"
#include "job.h"
#include "pictures/file.h"

/* More than any viewer accepts; later spans are counted. */
static const uint64_t most_bytes = UINT64_C(1) << 31;

struct trace {
	struct file_out file;
	pthread_mutex_t mutex; /* protects the following members, and writing */
	uint64_t bytes, n_spans, n_left_out;
	uint64_t start_ns; /* of the first span: times are relative to it */
	int error; /* of the first failed write; 0: none */
};

PICA_PRINTF(2, 3)
static void put(struct trace *t, const char *fmt, ...) {
	va_list args;
	va_start(args, fmt);
	const int n = vfprintf(t->file.f, fmt, args);
	va_end(args);
	t->error = n < 0 && !t->error ? -errno : t->error;
	t->bytes += n > 0 ? (uint64_t)n : 0;
}

int trace_begin(struct trace **out, const char *path, unsigned n_threads) {
	struct trace *t = calloc(1, sizeof(*t));
	if (!t) {
		return -ENOMEM;
	}
	int ret = file_begin(&t->file, path);
	if (ret < 0) {
		free(t);
		return ret;
	}
	pthread_mutex_init(&t->mutex, NULL);
	put(t, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
	       "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\","
	       "\"args\":{\"name\":\"libpica\"}},\n"
	       "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"thread_name\","
	       "\"args\":{\"name\":\"command\"}}");
	for (unsigned i = 1; i <= n_threads; i++) {
		put(t, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\","
		       "\"args\":{\"name\":\"worker %u\"}}",
				i, i);
	}
	*out = t;
	return 0;
}

static const char *name_of(const struct pica_span *s) {
	static const char *const names[PICA_SPAN_COUNT] = { [PICA_SPAN_PASS] = "pass",
		[PICA_SPAN_FILL] = "fill",
		[PICA_SPAN_TRANSFER] = "transfer",
		[PICA_SPAN_COPY] = "copy",
		[PICA_SPAN_SHOTS] = "shots",
		[PICA_SPAN_VERTICES] = "vertices",
		[PICA_SPAN_TILE] = "tile",
		[PICA_SPAN_STRIPE] = "stripe" };
	return s->kind == PICA_SPAN_JOB ? job_name((uint16_t)s->index) : names[s->kind];
}

static const char *category_of(enum pica_span_kind kind) {
	return kind == PICA_SPAN_JOB ? "job" : kind <= PICA_SPAN_SHOTS ? "unit" : "task";
}

/* Microseconds since the first span, with nanoseconds after the point; may be negative. */
static void put_time(struct trace *t, const char *key, uint64_t ns) {
	bool is_before = ns < t->start_ns;
	uint64_t d = is_before ? t->start_ns - ns : ns - t->start_ns;
	put(t, ",\"%s\":%s%" PRIu64 ".%03u", key, is_before ? "-" : "", d / 1000,
			(unsigned)(d % 1000));
}

/* Units overlap, so each is a pair of asynchronous events, which viewers show on separate lines. */
static void put_unit(struct trace *t, const struct pica_span *s) {
	for (unsigned end = 0; end < 2; end++) {
		put(t, ",\n{\"ph\":\"%c\",\"pid\":1,\"tid\":0,\"cat\":\"unit\",\"id\":%" PRIu64
		       ",\"name\":\"%s\"", end ? 'e' : 'b', s->unit, name_of(s));
		put_time(t, "ts", end ? s->end_ns : s->begin_ns);
		if (!end) {
			put(t, ",\"args\":{\"context\":%u,\"job\":%" PRIu64 ",\"draws\":%u}",
					s->context, s->job, s->index);
		}
		put(t, "}");
	}
}

static void put_task(struct trace *t, const struct pica_span *s) {
	uint64_t took = s->end_ns - s->begin_ns;
	put(t, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"cat\":\"%s\",\"name\":\"%s\"", s->thread,
			category_of(s->kind), name_of(s));
	put_time(t, "ts", s->begin_ns);
	put(t, ",\"dur\":%" PRIu64 ".%03u,\"args\":{\"context\":%u,\"job\":%" PRIu64, took / 1000,
			(unsigned)(took % 1000), s->context, s->job);
	if (s->kind != PICA_SPAN_JOB) {
		put(t, ",\"unit\":%" PRIu64 ",\"index\":%u", s->unit, s->index);
	}
	put(t, "}}");
}

void trace_span(void *user, const struct pica_span *span) {
	struct trace *t = user;
	pthread_mutex_lock(&t->mutex);
	if (t->start_ns == 0) {
		t->start_ns = span->begin_ns;
	}
	if (t->error || t->bytes > most_bytes) {
		t->n_left_out++;
	} else if (span->kind >= PICA_SPAN_PASS && span->kind <= PICA_SPAN_SHOTS) {
		put_unit(t, span);
	} else {
		put_task(t, span);
	}
	t->n_spans++;
	pthread_mutex_unlock(&t->mutex);
}

int trace_finish(struct trace *t, int result) {
	if (!t) {
		return result;
	}
	put(t, "\n],\"otherData\":{\"spans\":%" PRIu64 ",\"left_out\":%" PRIu64 "}}\n", t->n_spans,
			t->n_left_out);
	result = result == 0 ? t->error : result;
	result = file_finish(&t->file, result);
	pthread_mutex_destroy(&t->mutex);
	free(t);
	return result;
}
