/* The fragment part of a draw: target and pass, raster state, textures, plan. */
#include <errno.h>
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"

/* ---- Raster state and textures ---- */

static struct raster_state *make_raster(struct pica200 *ctx, uint32_t planes) {
	const uint32_t *w = ctx->regs.w;
	const struct target *t = &ctx->parts.target;
	struct raster_state *rs = front_pass_alloc(ctx, sizeof(*rs));
	if (!rs) {
		return NULL;
	}
	memset(rs, 0, sizeof(*rs));
	rs->rule = &pica_rule[t->flip];
	rs->flat = RASTER_FLAT_ENABLE(w[REG_RASTER_FLAT]) ? PLANES_COLOR : 0;
	rs->perspective = PLANES_ATTRIBUTES & ~PLANES_COLOR; /* that is frag_color_fn's */
	for (uint8_t p = 0; p < PLANE_COUNT; p++) {
		if (planes >> p & 1) {
			rs->plane[rs->n_planes++] = p;
		}
	}
	rs->max_x = t->width - 1;
	rs->max_y = t->height - 1;
	unsigned mode = SCISSORTEST_MODE_MODE(w[REG_SCISSORTEST_MODE]);
	if (mode != SCISSOR_INSIDE && mode != SCISSOR_OUTSIDE) {
		return rs;
	}
	int32_t x1 = (int32_t)SCISSORTEST_POS_X1(w[REG_SCISSORTEST_POS]);
	int32_t y1 = (int32_t)SCISSORTEST_POS_Y1(w[REG_SCISSORTEST_POS]);
	int32_t x2 = (int32_t)SCISSORTEST_DIM_X2(w[REG_SCISSORTEST_DIM]);
	int32_t y2 = (int32_t)SCISSORTEST_DIM_Y2(w[REG_SCISSORTEST_DIM]);
	if (t->flip) { /* window rows, y up -> memory rows */
		int32_t top = t->height - 1 - y2;
		y2 = t->height - 1 - y1;
		y1 = top;
	}
	if (mode == SCISSOR_INSIDE) {
		rs->min_x = x1;
		rs->min_y = y1 > 0 ? y1 : 0;
		rs->max_x = x2 < rs->max_x ? x2 : rs->max_x;
		rs->max_y = y2 < rs->max_y ? y2 : rs->max_y;
	} else if (x1 <= x2 && y1 <= y2) {
		rs->exclude = true;
		rs->ex_min_x = x1;
		rs->ex_min_y = y1;
		rs->ex_max_x = x2;
		rs->ex_max_y = y2;
	}
	return rs;
}

/* Texture units that the plan samples, as the registers have them. */
struct units {
	struct tex_desc desc[TEX_UNITS];
	struct tex_cube cube; /* addresses of unit 0's faces, if it is a cube */
};

static bool is_cube(const struct tex_desc *d) {
	return tex_type_is_cube((enum tex_type)d->type);
}

/* Whether a draw of the state writes in the range. */
static bool writes_to(const struct parts *p, struct range r) {
	return (p->info.writes_color && ranges_overlap(r, color_range(&p->target))) ||
			(p->info.writes_depth && ranges_overlap(r, depth_range(&p->target)));
}

static void put_image(void *image) {
	tex_image_put(image);
}

static void put_plan(void *plan) {
	frag_plan_put(plan);
}

/*
 * Returns the image that d describes, held by the open pass; a copy if this draw also draws to its
 * memory. Returns NULL when out of memory or budget, with the error in the job's result.
 */
static struct tex_image *hold_image(struct pica200 *ctx, const struct tex_desc *d) {
	const struct range r = { d->addr, tex_size_bytes(d) };
	const bool copy = writes_to(&ctx->parts, r);
	struct tex_image *image;
	const uint64_t known = ctx->textures.read;
	if (copy) {
		exec_sync(&ctx->base.exec, r, false);
		image = tex_cache_copy(&ctx->textures, d, &ctx->base.space);
		ctx_tick(&ctx->base, r.size / 4);
	} else {
		image = tex_cache_get(&ctx->textures, d, &ctx->base.space);
	}
	const size_t bytes = image ? image->bytes : 0; /* about four a texel, and the copy */
	if (!image || exec_hold(&ctx->base.exec, put_image, image) < 0) {
		ctx->base.run.result = -ENOMEM;
		return NULL;
	}
	if (ctx->textures.read == known && image->counted != ctx->base.exec.open->order) {
		exec_add_again(&ctx->base.exec, bytes);
	}
	image->counted = ctx->base.exec.open->order;
	if (ctx->textures.read != known) {
		exec_add_held(&ctx->base.exec, bytes);
		if (!ctx_charge(&ctx->base, &ctx->run.texels_left, bytes / 4, PICA_BUDGET_TEXELS)) {
			return NULL;
		}
	}
	return image;
}

/* The faces of a cube in unit 0. */
static bool make_cube(struct pica200 *ctx, struct frag_draw *f, const struct tex_desc *d,
		const struct tex_cube *faces) {
	struct tex_cube *cube = front_pass_alloc(ctx, sizeof(*cube));
	if (!cube) {
		return false;
	}
	*cube = *faces;
	for (unsigned i = 0; i < TEX_FACES; i++) {
		struct tex_desc face = *d;
		face.addr = cube->addr[i];
		cube->image[i] = NULL;
		if (d->valid && face.addr != 0) {
			cube->image[i] = hold_image(ctx, &face);
			if (!cube->image[i]) {
				return false;
			}
		}
	}
	f->cube = cube;
	return true;
}

/* The images of a sampled unit. */
static bool make_texture(struct pica200 *ctx, struct frag_draw *f, unsigned unit,
		const struct units *units) {
	const struct tex_desc *d = &units->desc[unit];
	f->tex[unit] = *d;
	if (!d->enabled || (d->addr == 0 && !is_cube(d))) {
		return true;
	}
	if (!d->valid) {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_TEXTURE);
	}
	if (is_cube(d)) {
		return make_cube(ctx, f, d, &units->cube);
	}
	if (d->valid) {
		f->image[unit] = hold_image(ctx, d);
	}
	return !d->valid || f->image[unit];
}

/* Whether a texture of the state overlaps its target. */
static bool samples_target(const struct pica200 *ctx) {
	const struct parts *p = &ctx->parts;
	for (unsigned i = 0; i < p->n_tex; i++) {
		if (writes_to(p, p->tex[i])) {
			return true;
		}
	}
	return false;
}

static void find_textures(struct pica200 *ctx, struct units *units) {
	struct parts *p = &ctx->parts;
	p->n_tex = 0;
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		struct tex_desc *d = &units->desc[u];
		if (!(p->info.textures >> u & 1)) {
			continue;
		}
		tex_desc_from_regs(d, ctx->regs.w, u);
		if (!d->enabled) {
			continue;
		}
		const uint32_t size = tex_size_bytes(d); /* 0: not valid */
		for (unsigned i = 0; i < (is_cube(d) ? TEX_FACES : 1); i++) {
			const uint32_t addr = is_cube(d) ? tex_face_addr(ctx->regs.w, i) : d->addr;
			if (is_cube(d)) {
				units->cube.addr[i] = addr;
			}
			if (size && addr) {
				p->tex[p->n_tex++] = (struct range){ addr, size };
			}
		}
	}
}

/* Of an image that begins at addr. */
static void find_unwritten_texels(
		struct pica200 *ctx, const struct tex_desc *d, uint32_t addr, unsigned face) {
	const uint32_t size = tex_size_bytes(d);
	const uint32_t level0 = d->width * d->height / 8u * tex_format_bits(d->format);
	const uint32_t from = d->min_level && d->max_level ? level0 : 0;
	if (face > 0) {
		ctx_access(&ctx->base, (struct range){ addr + from, size - from }, ACCESS_FACES);
		return;
	}
	ctx_access(&ctx->base, (struct range){ addr, level0 - from }, ACCESS_TEXELS);
	ctx_access(&ctx->base, (struct range){ addr + level0, size - level0 }, ACCESS_LEVELS);
}

static void find_unwritten_textures(struct pica200 *ctx, const struct units *units) {
	for (unsigned u = 0; ctx->base.unwritten && u < TEX_UNITS; u++) {
		const struct tex_desc *d = &units->desc[u];
		if (!(ctx->parts.info.textures >> u & 1) || !d->enabled || !d->valid) {
			continue;
		}
		for (unsigned i = 0; i < (is_cube(d) ? TEX_FACES : 1); i++) {
			const uint32_t addr = is_cube(d) ? units->cube.addr[i] : d->addr;
			if (addr) {
				find_unwritten_texels(ctx, d, addr, i);
			}
		}
	}
}

/*
 * Lighting with an unwritten table is black, probably a mistake of the client. [fidelity:
 * light-upload]
 */
static void report_unwritten_tables(struct pica200 *ctx, uint32_t tables) {
	static const char *const names[LIGHT_TABLES] = {
		"D0", "D1", NULL, "FR", "RB", "RG", "RR", NULL,
		"SP0", "SP1", "SP2", "SP3", "SP4", "SP5", "SP6", "SP7",
		"DA0", "DA1", "DA2", "DA3", "DA4", "DA5", "DA6", "DA7",
	};
	for (uint32_t left = tables & ~ctx->light_written; left; left &= left - 1) {
		log_write(&ctx->base.device->engine.log, ctx->base.settings.owner, PICA_LOG_WARNING,
				"lighting reads table %s, which was never written (job %llu)",
				names[ctz64(left)], (unsigned long long)ctx->base.run.seq);
	}
	ctx->light_written |= tables;
}

bool frag_part_make(struct pica200 *ctx, bool *own_target) {
	struct parts *p = &ctx->parts;
	if (p->dirty & PART_LIGHT) {
		p->tables.light.draw = NULL;
	}
	struct frag_consts consts;
	memset(&consts, 0, sizeof(consts));
	struct frag_plan *plan = frag_plan_from_regs(ctx->plans, ctx->regs.w, &consts);
	if (!plan) {
		ctx->base.run.result = -ENOMEM;
		return false;
	}
	p->info = *frag_plan_info(plan);
	p->target_ok = target_from_regs(&p->target, ctx->regs.w);
	struct units units;
	find_textures(ctx, &units);
	if (!p->target_ok || p->info.nothing) {
		frag_plan_put(plan);
		if (!p->target_ok) {
			ctx_fault(&ctx->base, PICA_FAULT_BAD_TARGET);
		}
		return false;
	}
	for (unsigned i = 0; i < p->n_tex; i++) {
		ctx_access(&ctx->base, p->tex[i], ACCESS_TEXTURE);
	}
	find_unwritten_textures(ctx, &units);
	*own_target = samples_target(ctx);
	passes_for_target(ctx, *own_target);
	struct frag_draw *f = front_pass_alloc(ctx, sizeof(*f));
	struct frag_consts *c = front_pass_alloc(ctx, sizeof(*c));
	struct raster_state *rs = make_raster(ctx, p->info.planes);
	if (exec_hold(&ctx->base.exec, put_plan, plan) < 0 || !f || !c || !rs) {
		ctx->base.run.result = -ENOMEM;
		return false;
	}
	*c = consts;
	memset(f, 0, sizeof(*f));
	f->plan = plan;
	f->consts = c;
	f->costs = ctx->costs;
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		if (p->info.textures >> u & 1) {
			if (!make_texture(ctx, f, u, &units)) {
				return false;
			}
		}
	}
	const struct frag_source from = {
		.regs = ctx->regs.w,
		.luts = &ctx->luts,
		.tables = &p->tables,
		.arena = &ctx->base.exec.open->arena,
	};
	if (!frag_bind_tables(f, c, &from)) {
		ctx->base.run.result = -ENOMEM;
		return false;
	}
	if (f->light) {
		report_unwritten_tables(ctx, f->light->tables);
	}
	p->frag = f;
	p->raster = rs;
	p->is_noted = false;
	return true;
}
