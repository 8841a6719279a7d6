#include "pica/front/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica/front/vertex.h"

/* An instruction's result is known when the next one begins. */
void step_log_add(struct step_log *log, const struct shader_step *s) {
	struct pica_shader_step *last =
			log->n && log->n <= log->cap ? &log->steps[log->n - 1] : NULL;
	if (last && last->destination != PICA_STEP_NOTHING) {
		const unsigned reg = last->destination;
		memcpy(last->result, reg < 16 ? log->o[reg] : log->r[reg - 16],
				sizeof(last->result));
	}
	if (log->n++ < log->cap) {
		struct pica_shader_step *to = &log->steps[log->n - 1];
		*to = (struct pica_shader_step){ .address = (uint16_t)s->addr,
			.n_sources = s->n_sources,
			.destination = s->destination,
			.mask = s->mask,
			.flags = { s->cmp[0], s->cmp[1] },
			.a = { s->a[0], s->a[1] },
			.al = s->al };
		memcpy(to->source, s->source, sizeof(to->source));
		memcpy(to->value, s->value, sizeof(to->value));
	}
}

/* Makes room for another step. */
static void grow(struct geometry_trace *t) {
	enum { FIRST = 1024 };
	const uint64_t cap = t->log.cap ? 2 * t->log.cap : FIRST;
	if (t->log.n < t->log.cap || cap > PICA_GEOMETRY_STEPS || t->error < 0) {
		return;
	}
	struct pica_shader_step *more = realloc(t->log.steps, cap * sizeof(*more));
	if (!more) {
		t->error = -ENOMEM;
		return;
	}
	t->log.steps = more;
	t->log.cap = cap;
}

void geometry_trace_begin(struct geometry_trace *t) {
	if (t->is_found) {
		return;
	}
	t->is_in_run = true;
	t->log.n = 0;
	t->run = (struct pica_geometry_run){ .run = t->n_runs, .first_triangle = t->n_triangles };
}

void geometry_trace_step(struct geometry *g, const struct shader_step *s) {
	struct geometry_trace *t = g->trace;
	if (t->is_in_run) {
		grow(t);
		t->log.r = (const float (*)[4])g->unit.r;
		t->log.o = (const float (*)[4])g->unit.o[g->unit.bank];
		step_log_add(&t->log, s);
	}
}

void geometry_trace_emit(struct geometry *g, const float o[16][4], uint32_t n) {
	struct geometry_trace *t = g->trace;
	t->n_triangles += n;
	if (!t->is_in_run) {
		return;
	}
	if (t->run.n_emits < PICA_GEOMETRY_EMITS) {
		struct pica_geometry_emit *e = &t->run.emit[t->run.n_emits];
		*e = (struct pica_geometry_emit){ .step = (uint32_t)t->log.n - 1,
			.slot = g->unit.emit_id,
			.is_last = g->unit.emit_prim,
			.is_inverted = g->unit.emit_invert };
		memcpy(e->output, o, sizeof(e->output));
	}
	t->run.n_emits++;
}

void geometry_trace_end(struct geometry_trace *t) {
	t->n_runs++;
	if (!t->is_in_run) {
		return;
	}
	t->is_in_run = false;
	t->run.n_triangles = t->n_triangles - t->run.first_triangle;
	t->is_found = t->by == PICA_TRACE_RUN ? t->run.run == t->number :
						t->n_triangles > t->number;
}

void geometry_trace_destroy(struct geometry_trace *t) {
	if (t) {
		free(t->log.steps);
		free(t);
	}
}
