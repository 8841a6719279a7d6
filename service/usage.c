/* What contexts and sessions have used. */
#include "service/metrics.h"
#include "service/server_impl.h"
#include "service/session.h"

void usage_add(struct pica_usage *sum, const struct pica_usage *more) {
	sum->cpu_ns += more->cpu_ns;
	sum->jobs += more->jobs;
	sum->list_words += more->list_words;
	sum->vertices += more->vertices;
	sum->pixels += more->pixels;
	sum->written_bytes += more->written_bytes;
}

void session_live_usage(const struct session *s, struct pica_usage *sum) {
	for (const struct context *c = s->contexts; c; c = c->next) {
		struct pica_usage used = { .size = sizeof(used) };
		pica_usage(c->ctx, &used);
		usage_add(sum, &used);
	}
}

void session_usage(const struct session *s, struct pica_usage *sum) {
	*sum = s->gone;
	session_live_usage(s, sum);
}

void context_usage_ends(const struct context *c) {
	struct pica_usage used = { .size = sizeof(used) };
	pica_usage(c->ctx, &used);
	usage_add(&c->session->gone, &used);
	usage_add(&server_metrics(c->session->server)->gone, &used);
}
