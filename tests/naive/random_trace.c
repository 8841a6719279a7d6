/*
 * Steps of shader programs (pica_history.h) in random draws, by the engine and by the naive
 * renderer: of each draw one vertex and one run of the geometry program.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vec/cpu.h"
#include "options/options.h"
#include "pica/regs/regs.h"
#include "pica_history.h"
#include "random_rig.h"

enum { KEPT = 2048 }; /* steps of a run that are compared */

struct options {
	uint64_t seed;
	uint32_t draws, threads;
	const char *isa;
	enum pica_float mode;
};

/* ---- The naive renderer's runs ---- */

struct naive_kept {
	struct naive_step s;
	float r[16][4], o[16][4], read[3][4];
};

/* The runs of a draw's programs of one unit, up to the wanted one. */
struct runs {
	bool by_triangle, is_found;
	uint64_t number;
	uint64_t n_runs, first_triangle, last_triangle; /* of the run: before, after */
	struct naive_kept step[KEPT];
	uint64_t n; /* of this run, or the found one */
};

struct draw {
	struct naive *naive;
	struct runs vertex, geometry;
	uint64_t triangles_before; /* of the draw */
	enum naive_draw_kind kind;
	uint32_t first; /* of arrays */
	unsigned n_drawn; /* an item may draw several times */
};

static uint64_t triangles(const struct naive *n) {
	struct naive_stats s;
	naive_get_stats(n, &s);
	return s.triangles;
}

static void on_step(void *user, const struct naive_step *s) {
	struct draw *d = user;
	struct runs *r = s->is_geometry ? &d->geometry : &d->vertex;
	if (r->is_found) {
		return;
	}
	const uint64_t made = triangles(d->naive) - d->triangles_before;
	if (r->n == 0) {
		r->first_triangle = made;
	}
	if (r->n < KEPT) {
		struct naive_kept *k = &r->step[r->n];
		k->s = *s;
		memcpy(k->r, s->r, sizeof(k->r));
		memcpy(k->o, s->o, sizeof(k->o));
		memcpy(k->read, s->read, sizeof(k->read));
	}
	r->n++;
	if (s->address == UINT32_MAX) {
		r->last_triangle = made;
		r->is_found = r->by_triangle ? made > r->number : r->n_runs == r->number;
		r->n_runs += !r->is_found;
		r->n = r->is_found ? r->n : 0;
	}
}

static void on_drawn(
		void *user, const uint32_t *regs, enum naive_draw_kind kind, uint64_t written) {
	struct draw *d = user;
	(void)written;
	d->n_drawn++;
	d->kind = kind;
	d->first = regs[REG_VERTEX_OFFSET];
}

/* ---- Comparison ---- */

static bool same_vector(const float a[4], const float b[4]) {
	for (unsigned k = 0; k < 4; k++) {
		if (memcmp(&a[k], &b[k], sizeof(a[k])) != 0 && !(isnan(a[k]) && isnan(b[k]))) {
			return false;
		}
	}
	return true;
}

static int32_t address_register(int32_t a) {
	return a == INT32_MAX ? INT32_MIN : a;
}

/* Returns the name of a part that differs, or NULL. */
static const char *differs(const struct pica_shader_step *e, const struct naive_kept *k) {
	const bool is_end = k->s.address == UINT32_MAX;
	if (e->address != (is_end ? PICA_STEP_END : k->s.address)) {
		return "address";
	}
	if (e->flags[0] != k->s.cmp[0] || e->flags[1] != k->s.cmp[1]) {
		return "flags";
	}
	if (e->a[0] != address_register(k->s.a0[0]) || e->a[1] != address_register(k->s.a0[1]) ||
			e->al != k->s.al) {
		return "address registers";
	}
	if (is_end) {
		return NULL;
	}
	for (unsigned i = 0; i < e->n_sources; i++) {
		if (!same_vector(e->value[i], k[1].read[i])) {
			return "sources";
		}
	}
	const unsigned to = e->destination;
	if (to != PICA_STEP_NOTHING &&
			!same_vector(e->result, to < 16 ? k[1].o[to] : k[1].r[to - 16])) {
		return "result";
	}
	return NULL;
}

static bool compare(const char *what, uint32_t draw, const struct pica_shader_step *e, int64_t n,
		const struct runs *r) {
	if (n != (int64_t)r->n) {
		printf("draw %" PRIu32 ", %s %" PRIu64 ": %" PRId64 " steps, naive %" PRIu64 "\n",
				draw, what, r->number, n, r->n);
		return false;
	}
	/* A step needs its successor. */
	const uint64_t end = r->n <= KEPT ? r->n : KEPT - 1;
	for (uint64_t i = 0; i < end; i++) {
		const char *part = differs(&e[i], &r->step[i]);
		if (part) {
			printf("draw %" PRIu32 ", %s %" PRIu64 ", step %" PRIu64
			       " at %03X (naive: %03X): %s differ\n",
					draw, what, r->number, i, e[i].address,
					r->step[i].s.address, part);
			return false;
		}
	}
	return true;
}

/* ---- Draws ---- */

struct counts {
	uint64_t vertices, runs, steps, emits;
};

static bool compare_vertex(struct rig *rig, const struct draw *d, uint32_t draw, struct counts *c) {
	static struct pica_shader_step steps[KEPT];
	struct pica_vertex v;
	const uint32_t number = d->first + (uint32_t)d->vertex.number;
	if (d->n_drawn != 1 || d->kind != NAIVE_ARRAYS || !d->vertex.is_found) {
		return true;
	}
	const int64_t n = pica_ctx_trace_vertex(rig->ctx, &number, NULL, steps, KEPT, &v);
	c->vertices++;
	c->steps += d->vertex.n;
	return compare("vertex", draw, steps, n, &d->vertex);
}

static bool compare_geometry(
		struct rig *rig, const struct draw *d, uint32_t draw, struct counts *c) {
	static struct pica_shader_step steps[KEPT];
	static struct pica_geometry_run run;
	const struct runs *r = &d->geometry;
	const char *what = r->by_triangle ? "triangle" : "run";
	const int64_t n = pica_ctx_geometry_steps(rig->ctx, steps, KEPT, &run);
	if (!r->is_found) {
		if (n) {
			printf("draw %" PRIu32 ": a run of %s %" PRIu64 ", naive: none\n", draw,
					what, r->number);
		}
		return n == 0;
	}
	c->runs++;
	c->steps += r->n;
	c->emits += run.n_emits;
	if (!compare(what, draw, steps, n, r)) {
		return false;
	}
	if (run.run != r->n_runs || run.first_triangle != r->first_triangle ||
			run.first_triangle + run.n_triangles != r->last_triangle) {
		printf("draw %" PRIu32 ", %s %" PRIu64 ": run %" PRIu32 ", triangles %" PRIu32
		       " + %" PRIu32 "; naive: %" PRIu64 ", %" PRIu64 " to %" PRIu64 "\n",
				draw, what, r->number, run.run, run.first_triangle,
				run.n_triangles, r->n_runs, r->first_triangle, r->last_triangle);
		return false;
	}
	/* The outputs of an EMIT are those before the step. */
	for (uint32_t i = 0; i < run.n_emits && i < PICA_GEOMETRY_EMITS; i++) {
		const struct pica_geometry_emit *e = &run.emit[i];
		for (unsigned k = 0; k < 16 && e->step < KEPT; k++) {
			if (!same_vector(e->output[k], r->step[e->step].o[k])) {
				printf("draw %" PRIu32 ", run %" PRIu32 ", emit %" PRIu32
				       ": o%u differs\n", draw, run.run, i, k);
				return false;
			}
		}
	}
	return true;
}

static bool run_draw(struct rig *rig, const struct group *g, unsigned i, struct rng *r,
		struct counts *c) {
	static struct draw d;
	memset(&d, 0, sizeof(d));
	d.naive = rig->naive;
	d.triangles_before = triangles(rig->naive);
	d.vertex.number = rng_below(r, 6);
	d.geometry.by_triangle = rng_chance(r, 50);
	d.geometry.number = rng_below(r, 4);
	naive_set_step(rig->naive, on_step, &d);
	naive_set_drawn(rig->naive, on_drawn, &d);
	const int ret = pica_ctx_trace_geometry(rig->ctx,
			d.geometry.by_triangle ? PICA_TRACE_TRIANGLE : PICA_TRACE_RUN,
			(uint32_t)d.geometry.number);
	if (ret < 0) {
		rig_trouble("pica_ctx_trace_geometry", -ret);
	}
	const uint32_t draw = g->item[i].draw;
	return rig_run_items(rig, g, i, i + 1, true, 0) && compare_vertex(rig, &d, draw, c) &&
			compare_geometry(rig, &d, draw, c);
}

static bool run_epoch(struct pica_device *device, const struct options *o, uint32_t epoch,
		uint32_t draws, struct counts *c) {
	static struct group group;
	struct rig rig;
	struct gen gen = { .is_fresh = true, .next_draw = epoch * EPOCH_DRAWS };
	struct rng r;
	bool ok = true;
	rig_create(&rig, device, o->mode, o->seed, UINT64_C(0x1000000) + epoch);
	rng_seed(&gen.r, o->seed, epoch);
	rng_seed(&r, o->seed, UINT64_C(0x2000000) + epoch);
	for (uint32_t done = 0; done < draws && ok; done += GROUP_DRAWS) {
		random_group(&gen, &group, GROUP_DRAWS);
		for (unsigned i = 0; i < group.n_items && ok; i++) {
			ok = group.item[i].is_draw ?
					run_draw(&rig, &group, i, &r, c) :
					rig_run_items(&rig, &group, i, i + 1, true, 0);
		}
	}
	ok = ok && !rig_differs(&rig);
	rig_destroy(&rig);
	return ok;
}

/* ---- Command line ---- */

static const char *const floats[] = { "f24", "f32", NULL };

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
	{ "seed", 0, "N", "Of the random numbers (1)", OPTION_U64, .at = AT(seed),
			.max = UINT64_MAX },
	{ "draws", 0, "N", "That many (2000)", OPTION_U32, .at = AT(draws), .max = UINT32_MAX },
	{ "threads", 0, "N", "Workers; 0: none (0)", OPTION_U32, .at = AT(threads), .max = 64 },
	{ "isa", 0, "NAME", ISA_NAMES(", ") " (the best that the processor has)", OPTION_TEXT,
			.at = AT(isa) },
	{ "float", 0, NULL, "Arithmetic of shaders (f24)", OPTION_CHOICE, .at = AT(mode),
			.words = floats },
};
static const struct option_spec spec = {
	.doc = "Compares steps of shader programs in random draws with those of tests/naive. Exit 0: they are "
	       "the same; 1: they are not; 2: wrong use; 77: the processor lacks the instruction set.",
	.tables = { OPTION_TABLE(rows, 0, 0) },
};

int main(int argc, char **argv) {
	struct options o = { .seed = 1, .draws = 2000 };
	struct pica_settings settings;
	struct pica_device *device;
	struct counts c = { 0 };
	options_parse(&spec, argc, argv, &o);
	pica_settings_init(&settings);
	settings.n_threads = o.threads;
	settings.isa = o.isa;
	settings.float_mode = o.mode;
	const int ret = pica_device_create(&device, &settings);
	if (ret == -EOPNOTSUPP) {
		printf("random-trace: this machine lacks %s\n", o.isa);
		return 77;
	}
	if (ret < 0) {
		rig_trouble("pica_device_create", -ret);
	}
	bool ok = true;
	for (uint32_t done = 0; done < o.draws && ok; done += EPOCH_DRAWS) {
		const uint32_t left = o.draws - done;
		ok = run_epoch(device, &o, done / EPOCH_DRAWS,
				left < EPOCH_DRAWS ? left : EPOCH_DRAWS, &c);
	}
	pica_device_destroy(device);
	printf("random-trace: %" PRIu64 " vertices, %" PRIu64 " geometry runs, %" PRIu64
	       " steps, %" PRIu64 " emits, %s\n",
			c.vertices, c.runs, c.steps, c.emits,
			ok ? "the same" : "not the same");
	return ok && c.vertices && c.runs ? 0 : 1;
}
