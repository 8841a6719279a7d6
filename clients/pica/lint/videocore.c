/* Control lists of the VideoCore IV: errors that the reader refuses, and those that it draws. */
#include "videocore/videocore.h"

#include <errno.h>
#include <inttypes.h>

#include "lint.h"

struct lists {
	struct lint *l;
	struct videocore_walk walk;
	uint32_t draws; /* of the frame, before this job */
	uint32_t frame; /* which it is */
	/* Of the job: */
	bool has_binning, has_shader, has_started, has_flush, has_end;
	bool has_samples[2]; /* four samples: in binning, in rendering */
	uint32_t address[2]; /* of the last record of each list */
};

#define report(p, rule, ...) lint_report((p)->l, rule, LINT_NO_REG, 0, __VA_ARGS__)

/* Places the next findings: a record of the binning (0) or the rendering list (1). */
static void place(struct lists *p, unsigned list, uint32_t address) {
	struct lint_place *here = &p->l->here;
	here->list = 2 * (int64_t)p->walk.job.number + list;
	here->addr = address;
	here->draw = -1;
}

static void on_begin(void *user, const struct videocore_job *job) {
	struct lists *p = user;
	struct lint *l = p->l;
	if (p->frame != job->frame) {
		p->draws = 0;
		p->frame = job->frame;
	}
	p->has_binning = p->has_shader = p->has_started = p->has_flush = p->has_end = false;
	p->has_samples[0] = p->has_samples[1] = false;
	p->address[0] = p->address[1] = 0;
	l->here = (struct lint_place){ .frame = job->frame, .draw = -1, .offset = job->offset };
}

/* ---- Records ---- */

static void check_binning_mode(struct lists *p, const uint8_t *r) {
	const uint32_t tiles = VC4_TILE_BINNING_MODE_COLUMNS(r) * VC4_TILE_BINNING_MODE_ROWS(r);
	const uint32_t block = 32u << VC4_TILE_BINNING_MODE_FIRST_BLOCK(r);
	const uint32_t size = VC4_TILE_BINNING_MODE_SIZE(r);
	p->has_binning = true;
	p->has_started = false;
	p->has_samples[0] = VC4_TILE_BINNING_MODE_MULTISAMPLE(r);
	if (size < tiles * block) {
		report(p, LINT_VC4_ALLOCATION, "0x%" PRIx32 " bytes, %" PRIu32 " tiles of %" PRIu32,
				size, tiles, block);
	}
}

static void on_record(void *user, const struct vc4_step *s) {
	struct lists *p = user;
	p->address[s->list] = s->address;
	place(p, s->list, s->address);
	switch (s->record->op) {
	case VC4_OP_TILE_BINNING_MODE:
		check_binning_mode(p, s->bytes);
		break;
	case VC4_OP_START_TILE_BINNING:
		p->has_started = true;
		break;
	case VC4_OP_GL_SHADER_STATE:
	case VC4_OP_NV_SHADER_STATE:
		p->has_shader = true;
		break;
	case VC4_OP_INDEXED_PRIMITIVES:
	case VC4_OP_ARRAY_PRIMITIVES:
		if (s->list == 0 && p->has_binning && !p->has_started) {
			report(p, LINT_VC4_NO_START, "%s", s->record->name);
		}
		break;
	case VC4_OP_FLUSH:
	case VC4_OP_FLUSH_ALL_STATE:
		p->has_flush = true;
		break;
	case VC4_OP_TILE_RENDERING_MODE:
		p->has_samples[1] = VC4_TILE_RENDERING_MODE_MULTISAMPLE(s->bytes);
		break;
	case VC4_OP_STORE_RESOLVED_LAST:
		p->has_end = true;
		break;
	case VC4_OP_STORE_FULL:
		p->has_end |= VC4_STORE_FULL_LAST(s->bytes);
		break;
	case VC4_OP_STORE_GENERAL:
		p->has_end |= VC4_STORE_GENERAL_LAST(s->bytes);
		break;
	}
}

/* ---- Errors of the reader ---- */

static enum lint_rule rule_of(const struct lists *p, const struct vc4_error *e) {
	const struct vc4_record *record = e->record ? vc4_record_named(e->record) : NULL;
	const bool is_draw = record && e->list == 0 && (record->op == VC4_OP_INDEXED_PRIMITIVES ||
			record->op == VC4_OP_ARRAY_PRIMITIVES);
	if (e->error == -ERANGE) {
		return LINT_VC4_MEMORY;
	}
	if (e->error == -EOPNOTSUPP) {
		return LINT_VC4_UNBUILT;
	}
	if (e->error == -EDQUOT) {
		return LINT_VC4_ENDLESS;
	}
	if (!record) {
		return LINT_VC4_RECORD;
	}
	if (record->op == VC4_OP_WAIT_ON_SEMAPHORE) {
		return LINT_VC4_SEMAPHORE;
	}
	if (record->op == VC4_OP_BRANCH_TO_SUB_LIST && p->has_samples[0] != p->has_samples[1]) {
		return LINT_VC4_SAMPLES;
	}
	if (is_draw && !p->has_binning) {
		return LINT_VC4_NO_BINNING;
	}
	return is_draw && !p->has_shader ? LINT_VC4_NO_SHADER : LINT_VC4_VALUE;
}

static void check_error(struct lists *p, const struct vc4_error *e) {
	place(p, e->list, e->address);
	report(p, rule_of(p, e), "%s%s%s", e->record ? e->record : "", e->record ? ": " : "",
			e->why);
}

/* ---- Draws ---- */

static bool is_inside(const struct lists *p, uint32_t address, uint64_t bytes) {
	const uint64_t end = address + bytes;
	return end <= UINT32_MAX && lint_in_memory(p->l, lint_range(address, bytes));
}

/* Returns the highest fetched vertex, or -1. */
static int64_t highest_vertex(struct lists *p, const struct vc4_draw *d) {
	int64_t highest = -1;
	if (!d->index_bytes) {
		return (int64_t)d->first + d->count - 1;
	}
	for (uint32_t i = 0; i < d->count; i++) {
		uint16_t index = 0; /* little-endian; they are in memory */
		space_read(p->walk.job.space, d->indices + i * d->index_bytes, &index,
				d->index_bytes);
		if (index > d->max_index) {
			report(p, LINT_VC4_INDEX, "index %u, MAX_INDEX %" PRIu32, index,
					d->max_index);
		} else {
			highest = index > highest ? index : highest;
		}
	}
	return highest;
}

static void check_arrays(struct lists *p, const struct vc4_draw *d) {
	const struct vc4_shader *s = d->state->shader;
	const int64_t highest = highest_vertex(p, d);
	const uint64_t n = (uint64_t)highest;
	if (highest >= 0 && s->is_nv && !is_inside(p, s->vertices, (n + 1) * s->stride_bytes)) {
		report(p, LINT_VC4_ARRAY, "0x%08" PRIx32 ", vertex %" PRIu64, s->vertices, n);
	}
	for (unsigned i = 0; highest >= 0 && i < s->n_arrays; i++) {
		const struct vc4_array *a = &s->array[i];
		const bool is_read = (s->vertex.arrays | s->coordinate.arrays) >> i & 1;
		if (is_read && !is_inside(p, a->address, n * a->stride_bytes + a->size_bytes)) {
			report(p, LINT_VC4_ARRAY, "array %u at 0x%08" PRIx32 ", vertex %" PRIu64,
					i, a->address, n);
		}
	}
}

static void check_program(struct lists *p, const char *kind, uint32_t code) {
	if (code % sizeof(uint64_t)) {
		report(p, LINT_VC4_ALIGNED, "%s program at 0x%08" PRIx32, kind, code);
	}
}

static void check_draw(struct lists *p, const struct vc4_draw *d) {
	const struct vc4_shader *s = d->state->shader;
	if (!d->state->draws_front && !d->state->draws_back) {
		report(p, LINT_VC4_NO_FACES, "CONFIGURATION_BITS without DRAW_FRONT, DRAW_BACK");
	}
	check_program(p, "fragment", s->fragment.code);
	if (!s->is_nv) {
		check_program(p, "vertex", s->vertex.code);
		check_program(p, "coordinate", s->coordinate.code);
	} else if (s->has_clip_header && s->vertices % 16) {
		report(p, LINT_VC4_ALIGNED, "vertices with clip coordinates at 0x%08" PRIx32,
				s->vertices);
	}
	check_arrays(p, d);
}

/* ---- Tiles ---- */

/* Checks the first run, which begins with old contents of the buffer. */
static void check_first_tile(struct lists *p, const struct vc4_frame *f) {
	if (!f->n_runs || f->runs[0].clear || f->runs[0].first) {
		return;
	}
	for (uint32_t i = 0; i < f->runs[0].n; i++) {
		const struct vc4_tile_op *op = &f->ops[i];
		if (op->kind == VC4_TILE_DRAW) {
			place(p, 1, op->address);
			report(p, LINT_VC4_FIRST_TILE, "tile %u, %u", op->column, op->row);
		}
		if (op->kind != VC4_TILE_STORE) {
			return; /* drawn, or loaded */
		}
	}
}

static void check_tiles(struct lists *p, const struct vc4_frame *f) {
	const struct vc4_binning *b = &f->binning;
	for (uint32_t i = 0; b->exists && i < f->n_ops; i++) {
		const struct vc4_tile_op *op = &f->ops[i];
		if (op->kind == VC4_TILE_DRAW &&
				op->value != (uint32_t)op->row * b->columns + op->column) {
			place(p, 1, op->address);
			report(p, LINT_VC4_TILE,
					"tile %u, %u draws the list of %" PRIu32 ", %" PRIu32,
					op->column, op->row, op->value % b->columns,
					op->value / b->columns);
		}
	}
}

static void on_end(void *user, const struct videocore_job *job) {
	struct lists *p = user;
	const struct vc4_frame *f = &job->read;
	if (job->error.error) {
		check_error(p, &job->error);
		return;
	}
	for (uint32_t i = 0; i < f->n_draws; i++) {
		place(p, 0, f->draws[i].address);
		p->l->here.draw = p->draws + i;
		check_draw(p, &f->draws[i]);
	}
	p->draws += f->n_draws;
	if (p->has_binning && !p->has_flush) {
		place(p, 0, p->address[0]);
		report(p, LINT_VC4_NO_FLUSH, "the last record is at 0x%08" PRIx32, p->address[0]);
	}
	check_first_tile(p, f);
	check_tiles(p, f);
	if (f->n_runs && !p->has_end) {
		place(p, 1, p->address[1]);
		report(p, LINT_VC4_NO_END, "the last record is at 0x%08" PRIx32, p->address[1]);
	}
}

int lint_videocore(struct lint *l, const struct capture_here *c) {
	static const struct videocore_visitor visitor = { .begin = on_begin, .record = on_record,
		.end = on_end };
	struct lists p = { .l = l };
	int ret = videocore_start(&p.walk, c, 0, &visitor, &p);
	for (int more = 1; ret == 0 && more > 0;) {
		more = videocore_frame(&p.walk, true);
		ret = more < 0 ? more : l->error;
		log_progress(c->name, p.walk.replay.frames, c->info.frames);
	}
	l->step.replay = p.walk.replay;
	videocore_finish(&p.walk);
	return ret;
}
