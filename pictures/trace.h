/*
 * A timeline of the work of libpica's threads (struct pica_span) as JSON for Chrome's about:tracing
 * and Perfetto, in a file that appears when it is complete.
 */
#ifndef PICTURES_TRACE_H
#define PICTURES_TRACE_H

#include "pica.h"

struct trace;

/*
 * Opens the file ("-": standard output). n_threads: workers that get names. Returns 0 or a negative
 * errno.
 */
int trace_begin(struct trace **out, const char *path, unsigned n_threads);
/* A pica_trace_fn; user is the trace. From any thread. */
void trace_span(void *user, const struct pica_span *span);
/*
 * result 0: gives the file its name; negative: drops it. Returns the first error of writing, or
 * result. No more calls of trace_span() may follow. NULL is allowed.
 */
int trace_finish(struct trace *t, int result);

#endif
