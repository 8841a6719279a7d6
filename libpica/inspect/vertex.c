/* Vertices as a draw would fetch and shade them, without drawing. */
#include "pica_history.h"
#include "pica_inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/front/ctx.h"

_Static_assert((int)PICA_VERTEX_SEMANTICS == (int)OUT_SEMANTICS, "one number for both");

/* Everything that a run needs, separate from the context's own draws. */
struct run {
	struct vertex_part part;
	struct shader_uniforms uniforms;
	struct geom_state geom;
	struct shader_batch *batch;
	struct prog *prog;
	bool has_geometry; /* the outputs go to a geometry shader */
};

static void run_finish(struct run *r) {
	prog_put(r->prog);
	free(r->batch);
	free(r);
}

static struct run *run_create(struct pica200 *ctx) {
	const uint32_t *w = ctx->regs.w;
	struct run *r = calloc(1, sizeof(*r));
	if (!r) {
		return NULL;
	}
	r->batch = aligned_alloc(64, sizeof(*r->batch));
	r->prog = prog_create(ctx->vs.code, SHADER_VS_WORDS, ctx->vs.descriptors,
			NULL);
	if (!r->batch || !r->prog) {
		run_finish(r);
		return NULL;
	}
	r->uniforms = ctx->vs.u;
	r->has_geometry = GEOSTAGE_CONFIG_GS(w[REG_GEOSTAGE_CONFIG]) == GEOSTAGE_ON;
	geom_state_from_regs(&r->geom, w);
	vertex_part_from_regs(ctx, &r->part, r->prog, &r->uniforms);
	return r;
}

static void take_clip(const struct geom_state *geom, const struct clip_vertex *clip,
		struct pica_vertex *v) {
	struct vert projected;
	uint32_t words[OUT_SEMANTICS];
	clip_vertex_save(clip, words);
	for (unsigned s = 0; s < OUT_SEMANTICS; s++) {
		v->semantic[s] = f32_from_bits(words[s]);
	}
	if (project(geom, clip, &projected)) {
		v->is_projected = 1;
		v->window[0] = (float)projected.x_fx / 16;
		v->window[1] = (float)projected.y_fx / 16;
		v->window[2] = projected.a[PLANE_Z];
	}
}

static void take_lane(const struct run *r, const struct shader_batch *b, unsigned lane,
		struct pica_vertex *v) {
	memset(v, 0, sizeof(*v));
	for (unsigned i = 0; i < 16; i++) {
		for (unsigned c = 0; c < 4; c++) {
			v->input[i][c] = b->v[i][c][lane];
			v->output[i][c] = r->part.unread_outputs >> i & 1 ? 0 : b->o[i][c][lane];
		}
	}
	if (!r->has_geometry) {
		struct clip_vertex clip;
		out_map_vertex(&r->part.map, b, lane, &clip);
		take_clip(&r->geom, &clip, v);
	}
}

PICA_EXPORT int pica_ctx_shade(struct pica_ctx *base, const uint32_t *numbers,
		const float (*attributes)[16][4], uint32_t n, struct pica_vertex *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	static const uint32_t counted[SHADER_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
		13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
	if (!numbers == !attributes) {
		return -EINVAL;
	}
	ctx_idle(base);
	struct run *r = run_create(ctx);
	if (!r) {
		return -ENOMEM;
	}
	int ret = numbers && !r->part.layout.base_in_memory ? -ERANGE : 0;
	for (uint32_t at = 0; ret == 0 && at < n; at += SHADER_LANES) {
		const unsigned count = n - at < SHADER_LANES ? n - at : SHADER_LANES;
		struct shader_result result = { 0 };
		uint64_t outside = 0;
		vertex_shade(&ctx->kernels, &base->space, &r->part,
				attributes ? &attributes[at][0] : NULL,
				numbers ? numbers + at : counted, count, r->batch, &result,
				&outside, NULL);
		for (unsigned lane = 0; lane < count; lane++) {
			take_lane(r, r->batch, lane, &out[at + lane]);
		}
	}
	run_finish(r);
	return ret;
}

/* ---- Steps ---- */

static void on_step(void *user, const struct shader_step *s) {
	step_log_add(user, s);
}

PICA_EXPORT int64_t pica_ctx_trace_vertex(struct pica_ctx *base, const uint32_t *number,
		const float (*attributes)[4], struct pica_shader_step *steps, uint64_t n,
		struct pica_vertex *out) {
	const int ret = pica_ctx_shade(base, number, (const float (*)[16][4])attributes, 1, out);
	if (ret < 0) {
		return ret;
	}
	struct run *run = run_create(pica200_from(base));
	if (!run) {
		return -ENOMEM;
	}
	float r[16][4], o[16][4];
	struct step_log log = { .steps = steps, .cap = n, .r = (const float (*)[4])r,
		.o = (const float (*)[4])o };
	struct shader_result result = { 0 };
	shader_run_vertex(run->prog, run->part.entry, &run->uniforms,
			(const float (*)[4])out->input, r, o, run->part.float_mode,
			run->part.step_budget, &result, on_step, &log);
	run_finish(run);
	return (int64_t)log.n;
}

PICA_EXPORT int pica_ctx_trace_geometry(struct pica_ctx *base, int by, uint32_t number) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	if (by < -1 || by > PICA_TRACE_TRIANGLE) {
		return -EINVAL;
	}
	ctx_idle(base);
	geometry_trace_destroy(ctx->geometry.trace);
	ctx->geometry.trace = NULL;
	if (by < 0) {
		return 0;
	}
	struct geometry_trace *t = calloc(1, sizeof(*t));
	if (!t) {
		return -ENOMEM;
	}
	t->by = (enum pica_trace_by)by;
	t->number = number;
	ctx->geometry.trace = t;
	return 0;
}

PICA_EXPORT int64_t pica_ctx_geometry_steps(struct pica_ctx *base, struct pica_shader_step *steps,
		uint64_t n, struct pica_geometry_run *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	const struct geometry_trace *t = ctx->geometry.trace;
	if (!t || t->error < 0) {
		return t ? t->error : -EINVAL;
	}
	if (!t->is_found) {
		return 0;
	}
	const uint64_t kept = t->log.n < t->log.cap ? t->log.n : t->log.cap;
	*out = t->run;
	if (n && kept) {
		memcpy(steps, t->log.steps, (n < kept ? n : kept) * sizeof(*steps));
	}
	return (int64_t)t->log.n;
}

/* ---- Output of a geometry shader ---- */

PICA_EXPORT int pica_ctx_keep_geometry(struct pica_ctx *base, int on) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	struct geometry_kept *k = &ctx->geometry.kept;
	free(k->v);
	*k = (struct geometry_kept){ .on = on != 0 };
	return 0;
}

PICA_EXPORT int64_t pica_ctx_kept_geometry(struct pica_ctx *base) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	const struct geometry_kept *k = &ctx->geometry.kept;
	return k->error < 0 ? (int64_t)k->error : (int64_t)k->n;
}

PICA_EXPORT int pica_ctx_read_geometry(
		struct pica_ctx *base, uint32_t first, uint32_t n, struct pica_vertex *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	const struct geometry_kept *k = &ctx->geometry.kept;
	struct geom_state geom;
	if (first > k->n || n > k->n - first) {
		return -EINVAL;
	}
	geom_state_from_regs(&geom, ctx->regs.w);
	for (uint32_t i = 0; i < n; i++) {
		memset(&out[i], 0, sizeof(out[i]));
		take_clip(&geom, &k->v[first + i], &out[i]);
	}
	return 0;
}
