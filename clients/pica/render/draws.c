/* Pictures of draws: one after each, contact sheets, heat maps of a frame. */
#include "render.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/log.h"
#include "fields.h"
#include "pica_inspect.h"

static const char *reason(int ret) {
	return ret == -ERANGE ? "its target does not lie in memory" :
			ret == -EINVAL ? "its target has no known form" : strerror(-ret);
}

/* The registers of the draw that was just done. */
static int read_target(
		struct render_draws *d, struct pica_target *t, uint32_t *regs, struct picture *p) {
	int ret = pica_ctx_read_regs(d->s->gpu.ctx, 0, PICA_REG_COUNT, regs);
	if (ret == 0) {
		ret = pica_target_from_regs(t, regs);
	}
	if (ret == 0) {
		ret = gpu_read_target(p, d->s->gpu, t);
	}
	return ret < 0 ? ret : picture_turn_screen(p);
}

static json_t *draw_row(const struct step_draw *draw, const struct pica_target *t) {
	return json_pack("{sI ss sI so s{so ss}}", "draw", (json_int_t)draw->draw, "kind",
			draw_kind_name(draw->kind), "offset", (json_int_t)draw->offset, "addr",
			json_addr(draw->addr), "target", "addr", json_addr(t->color_addr), "format",
			field_text("COLOR_FORMAT", t->color_format));
}

void render_draws_put(struct render_draws *d, uint32_t draw, const char *text,
		const struct picture *p, json_t *row) {
	struct shot *s = d->s;
	const unsigned draws = s->r->o->draws;
	const int ret = draws & DRAWS_SHEET ? sheet_add(&d->sheet, p, text) : 0;
	if (ret < 0) {
		render_fail(s, EXIT_TROUBLE, "%s", strerror(-ret));
	}
	if (ret == 0 && (draws & DRAWS_EACH)) {
		char screen[32];
		snprintf(screen, sizeof(screen), "d%04" PRIu32, draw);
		const struct outname_values v = { s->name, d->frame, draw, screen, "left" };
		render_put(s, &v, p, row);
	} else {
		json_decref(row);
	}
}

static int on_drawn(void *user, const struct step_draw *draw) {
	struct render_draws *d = user;
	struct shot *s = d->s;
	uint32_t regs[PICA_REG_COUNT];
	struct pica_target t;
	struct picture p = { 0 };
	int ret = read_target(d, &t, regs, &p);
	if (ret < 0) {
		log_line("%s: note: frame %" PRIu32 " draw %" PRIu32 ": no picture: %s", s->path,
				draw->frame, draw->draw, reason(ret));
	}
	if (ret == 0) {
		char text[40];
		int len = snprintf(text, sizeof(text), "%" PRIu32 " %s", draw->draw,
				draw_kind_name(draw->kind));
		if (draw->kind != DRAW_IMMEDIATE) {
			snprintf(text + len, sizeof(text) - (size_t)len, " %" PRIu32,
					regs[PICA_REG_NUMVERTICES]);
		}
		render_draws_put(d, draw->draw, text, &p, s->report ? draw_row(draw, &t) : NULL);
	}
	picture_finish(&p);
	return s->exit != EXIT_FINE;
}

static void put_sheet(struct render_draws *d) {
	struct shot *s = d->s;
	struct picture p = { 0 };
	char title[128];
	snprintf(title, sizeof(title), "%.80s  frame %" PRIu32 "  %u draw%s%s", s->name, d->frame,
			d->sheet.n, plural(d->sheet.n), d->sheet.is_full ? " (and more)" : "");
	int ret = sheet_compose(&d->sheet, title, &p);
	if (ret == 0) {
		const struct outname_values v = { s->name, d->frame, UINT32_MAX, "sheet", "left" };
		render_put(s, &v, &p, NULL);
	} else if (ret == -ENODATA) {
		log_line("%s: note: frame %" PRIu32 ": no draw can be shown, no sheet is written",
				s->path, d->frame);
	} else {
		render_fail(s, EXIT_TROUBLE, "%s", strerror(-ret));
	}
	picture_finish(&p);
}

/* number: of the target, in the order of first draws. */
static int put_heat(struct render_draws *d, enum heat_kind kind, unsigned number,
		const struct pica_target *t, const struct pica_count *counts) {
	struct shot *s = d->s;
	struct picture p = { 0 };
	struct heat h;
	char title[128], screen[32];
	int ret = heat_from_counts(&h, kind, t, counts);
	if (ret < 0) {
		return ret;
	}
	snprintf(screen, sizeof(screen), "%s-target%u", heat_name(kind), number);
	snprintf(title, sizeof(title),
			"%.60s  frame %" PRIu32 "  %" PRIu32 "x%" PRIu32 " %s at %08" PRIx32,
			s->name, d->frame, t->width, t->height,
			field_text("COLOR_FORMAT", t->color_format), t->color_addr);
	ret = heat_picture(&h, title, &p);
	if (ret == 0) {
		const struct outname_values v = { s->name, d->frame, UINT32_MAX, screen, "left" };
		json_t *more = s->report ? json_object() : NULL;
		json_object_set_new(more, "heat", s->report ? heat_json(&h) : NULL);
		render_put(s, &v, &p, more);
	}
	picture_finish(&p);
	heat_finish(&h);
	return ret;
}

static void put_heats(struct render_draws *d) {
	struct pica_ctx *ctx = d->s->gpu.ctx;
	const int n = pica_ctx_counted(ctx);
	for (int i = 0; i < n; i++) {
		struct pica_target t;
		pica_ctx_read_counts(ctx, (unsigned)i, &t, NULL);
		struct pica_count *counts = malloc(sizeof(*counts) * t.width * t.height);
		int ret = counts ? pica_ctx_read_counts(ctx, (unsigned)i, &t, counts) : -ENOMEM;
		for (unsigned kind = 0; ret == 0 && kind < HEAT_KINDS; kind++) {
			const unsigned bit = kind == HEAT_OVERDRAW ? DRAWS_OVERDRAW : DRAWS_COST;
			if (d->s->r->o->draws & bit) {
				ret = put_heat(d, (enum heat_kind)kind, (unsigned)i, &t, counts);
			}
		}
		if (ret < 0) {
			render_fail(d->s, EXIT_TROUBLE, "%s", strerror(-ret));
		}
		free(counts);
	}
	if (n == 0) {
		log_line("%s: note: nothing was drawn in frame %" PRIu32 ", no heat map is written",
				d->s->path, d->frame);
	}
}

const struct step_visitor render_draws_visitor = { .drawn = on_drawn };

void render_draws_begin(struct render_draws *d, uint32_t frame) {
	d->frame = frame;
	d->n = 0;
	if (d->s->r->o->draws & DRAWS_HEAT) {
		pica_ctx_count(d->s->gpu.ctx, 1);
	}
}

void render_draws_end(struct render_draws *d) {
	const unsigned draws = d->s->r->o->draws;
	if (draws & DRAWS_SHEET) {
		put_sheet(d);
	}
	if (draws & DRAWS_HEAT) {
		put_heats(d);
		pica_ctx_count(d->s->gpu.ctx, 0);
	}
	sheet_finish(&d->sheet);
}
