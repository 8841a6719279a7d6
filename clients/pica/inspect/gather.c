/*
 * Draws the frames twice: first to find the colour buffers, then to record each draw, fill,
 * transfer, copy and load.
 */
#include "inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "fields.h"
#include "pica_history.h"
#include "pica_regs.h"

/* ---- Jobs ---- */

static struct inspect_range plain_range(uint32_t addr, uint64_t size) {
	const uint32_t n = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	return (struct inspect_range){ addr, n, n ? n : 1, n ? n : 1 };
}

/* The bytes that a job writes.  [fidelity: display-transfer, texture-copy] */
static struct inspect_range range_of(const struct pica_job *job) {
	switch (job->op) {
	case PICA_OP_FILL:
		return plain_range(job->u.fill.start, job->u.fill.end > job->u.fill.start ?
				job->u.fill.end - job->u.fill.start : 0);
	case PICA_OP_TRANSFER: {
		const struct pica_job_transfer *t = &job->u.transfer;
		const uint32_t scale = t->flags >> 24 & 3;
		const uint32_t width = (t->out_dim & 0xFFF8) >> (scale != 0);
		const uint32_t height = (t->out_dim >> 16 & 0xFFF8) >> (scale >= 2);
		return plain_range(t->dst & ~15u,
				(uint64_t)width * height * engines_pixel_bytes(t->flags >> 12 & 7));
	}
	case PICA_OP_COPY: {
		const struct pica_job_copy *c = &job->u.copy;
		const uint32_t total = c->size_bytes & ~15u, line = (c->out_line & 0xFFFF) * 16,
			       gap = (c->out_line >> 16) * 16;
		if (!line || !gap || !total) {
			return plain_range(c->dst & ~15u, total);
		}
		const uint64_t span = total + (uint64_t)((total - 1) / line) * gap;
		return (struct inspect_range){ c->dst & ~15u,
			span > UINT32_MAX ? UINT32_MAX : (uint32_t)span, line, line + gap };
	}
	case PICA_OP_WRITE:
		return plain_range(job->u.write.addr, job->u.write.size_bytes);
	default:
		return plain_range(job->u.invalidate.addr, job->u.invalidate.size_bytes);
	}
}

/* Such a transfer writes another range. [fidelity: display-transfer] */
static bool is_skewed(const struct pica_job *job) {
	return job->op == PICA_OP_TRANSFER && (job->u.transfer.flags & 1) &&
			(job->u.transfer.flags & ENGINES_CROP);
}

static const char *kind_of(const struct pica_job *job) {
	return job->op == PICA_OP_FILL ? "fill" : job->op == PICA_OP_TRANSFER ? "transfer" :
			job->op == PICA_OP_COPY ? "copy" : "load";
}

static void describe(const struct pica_job *job, char text[128]) {
	const struct inspect_range r = range_of(job);
	if (job->op == PICA_OP_FILL) {
		snprintf(text, 128, "0x%08" PRIX32 " to 0x%08" PRIX32 " with 0x%08" PRIX32, r.addr,
				job->u.fill.end, job->u.fill.value);
	} else if (job->op == PICA_OP_TRANSFER) {
		const struct pica_job_transfer *t = &job->u.transfer;
		snprintf(text, 128, "%" PRIu32 "x%" PRIu32 " from 0x%08" PRIX32 " to 0x%08" PRIX32,
				t->out_dim & 0xFFFF, t->out_dim >> 16, t->src, t->dst);
	} else if (job->op == PICA_OP_COPY) {
		snprintf(text, 128, "%" PRIu32 " bytes from 0x%08" PRIX32 " to 0x%08" PRIX32,
				job->u.copy.size_bytes, job->u.copy.src, job->u.copy.dst);
	} else {
		snprintf(text, 128, "%" PRIu32 " bytes at 0x%08" PRIX32, r.size, r.addr);
	}
}

bool inspect_is_step(struct engines *engines, const struct pica_job *job, struct pica_job *out) {
	const bool is_load = job->op == PICA_OP_WRITE || job->op == PICA_OP_INVALIDATE;
	return engines_job(engines, job, out) || is_load;
}

int inspect_engines_begin(struct engines *engines, struct pica_ctx *ctx) {
	struct pica_state *state = malloc(sizeof(*state));
	const int ret = state ? pica_ctx_save_state(ctx, state) : -ENOMEM;
	if (ret == 0) {
		memcpy(engines->external, state->external, sizeof(engines->external));
	}
	free(state);
	return ret;
}

/* Adds the step of the previous job, which has been submitted. Loads outside all surfaces have no
 * step. */
static void end_job(struct inspect *g) {
	if (!g->is_pending || g->error) {
		return;
	}
	g->is_pending = false;
	const struct inspect_range r = range_of(&g->job);
	json_t *changes = inspect_changes(g, -1, NULL, is_skewed(&g->job) ? NULL : &r);
	const bool is_load = g->job.op == PICA_OP_WRITE || g->job.op == PICA_OP_INVALIDATE;
	if (is_load && json_array_size(changes) == 0) {
		json_decref(changes);
		return;
	}
	char text[128];
	describe(&g->job, text);
	json_array_append_new(g->steps,
			json_pack("{ss sI sI sI sI ss so}", "kind", kind_of(&g->job), "frame",
					(json_int_t)g->step.draw.frame, "step",
					(json_int_t)g->job_step, "event",
					(json_int_t)g->job_event, "offset",
					(json_int_t)g->offset, "text", text, "changes", changes));
}

static void add_load(struct inspect *g, const struct pica_capture_event *event) {
	struct inspect_load *loads =
			array_room(g->loads, g->n_loads, &g->cap_loads, sizeof(*loads));
	if (!loads) {
		g->error = -ENOMEM;
		return;
	}
	g->loads = loads;
	g->loads[g->n_loads++] = (struct inspect_load){ .addr = event->job.u.write.addr,
		.size = event->job.u.write.size_bytes,
		.event = g->n_events,
		.offset = event->offset };
}

/* Returns 1 + the last load of a word, mostly a recent one, or 0. */
static size_t find_load(struct inspect *g, uint32_t addr) {
	for (size_t i = g->n_loads; i > 0; i--) {
		const struct inspect_load *l = &g->loads[i - 1];
		if (addr >= l->addr && (uint64_t)addr + 4 <= (uint64_t)l->addr + l->size) {
			return i;
		}
	}
	return 0;
}

static int on_event(void *user, const struct pica_capture_event *event) {
	struct inspect *g = user;
	end_job(g);
	if (g->is_looking && event->job.op == PICA_OP_WRITE) {
		add_load(g, event);
	}
	if (inspect_is_step(&g->engines, &event->job, &g->job)) {
		g->is_pending = g->is_looking;
		g->offset = event->offset;
		g->job_step = g->n_steps++;
		g->job_event = g->n_events;
	}
	g->n_events++;
	return g->error;
}

/* ---- Draws ---- */

static void finish_draw(struct inspect *g, uint64_t entered, uint64_t passed, int drawn,
		const struct pica_count *counts) {
	json_object_set_new(g->draw, "entered", json_integer((json_int_t)entered));
	json_object_set_new(g->draw, "passed", json_integer((json_int_t)passed));
	json_object_set_new(g->draw, "changes", inspect_changes(g, drawn, counts, NULL));
	json_array_append_new(g->steps, g->draw);
	g->draw = NULL;
}

static int on_draw(void *user, const struct step_draw *draw) {
	struct inspect *g = user;
	uint32_t regs[PICA_REG_COUNT];
	struct pica_target t;
	pica_ctx_read_regs(g->ctx, 0, PICA_REG_COUNT, regs);
	const bool has_target = pica_target_from_regs(&t, regs) == 0;
	if (!g->is_looking) {
		g->n_left_out += has_target && inspect_surface_add(g, &t) < 0;
		return g->error;
	}
	g->draw = json_pack("{ss sb sI sI sI sI sI sI ss ss ss}", "kind", "draw", "writes_color",
			facts_writes_color(regs), "frame", (json_int_t)draw->frame, "step",
			(json_int_t)g->n_steps++, "event", (json_int_t)g->n_events - 1, "offset",
			(json_int_t)draw->offset, "draw", (json_int_t)draw->draw, "addr",
			(json_int_t)draw->addr, "source", draw_kind_name(draw->kind), "primitive",
			field_text("PRIMITIVE", get_PRIMITIVE_CONFIG_MODE(
							regs[PICA_REG_PRIMITIVE_CONFIG])),
			"text", "");
	if (draw->kind != DRAW_IMMEDIATE) {
		json_object_set_new(g->draw, "vertices", json_integer(regs[PICA_REG_NUMVERTICES]));
	}
	const int ret = inspect_state(g, draw, g->draw);
	if (ret < 0) {
		return g->error = ret;
	}
	return g->engine ? pica_ctx_costs(g->ctx, &g->costs) : pica_ctx_count(g->ctx, 1);
}

/* Takes the fragments of the draw from its costs, since those of each pixel are not needed. */
static int end_draw(struct inspect *g) {
	struct pica_costs c;
	uint32_t regs[PICA_REG_COUNT];
	struct pica_target t;
	const int ret = pica_ctx_costs(g->ctx, &c);
	const struct pica_costs *b = &g->costs;
	pica_ctx_read_regs(g->ctx, 0, PICA_REG_COUNT, regs);
	const int surface = pica_target_from_regs(&t, regs) == 0 ? inspect_surface_add(g, &t) : -1;
	const uint64_t entered = c.fragments - b->fragments;
	const uint64_t passed = c.verdict[PICA_VERDICT_KEPT] - b->verdict[PICA_VERDICT_KEPT] +
			c.verdict[PICA_VERDICT_MASKED] - b->verdict[PICA_VERDICT_MASKED];
	finish_draw(g, entered, passed, entered ? surface : -1, NULL);
	return ret < 0 ? (g->error = ret) : g->error;
}

static int on_drawn(void *user, const struct step_draw *draw) {
	struct inspect *g = user;
	if (!g->is_looking || g->error) {
		return g->error;
	}
	if (g->engine) {
		return end_draw(g);
	}
	struct pica_target t;
	struct pica_count *counts = NULL;
	uint64_t entered = 0, passed = 0;
	int drawn = -1;
	if (pica_ctx_counted(g->ctx) > 0 && pica_ctx_read_counts(g->ctx, 0, &t, NULL) == 0) {
		const size_t n = (size_t)t.width * t.height;
		counts = calloc(n, sizeof(*counts));
		g->error = counts ? pica_ctx_read_counts(g->ctx, 0, &t, counts) : -ENOMEM;
		drawn = g->error ? -1 : inspect_surface_add(g, &t);
		for (size_t i = 0; counts && i < n; i++) {
			entered += counts[i].entered;
			passed += counts[i].passed;
		}
	}
	finish_draw(g, entered, passed, drawn, counts);
	free(counts);
	return g->error ? g->error : pica_ctx_count(g->ctx, 0);
}

static void on_write(void *user, const struct pica_list_write *w, bool from_list) {
	struct inspect *g = user;
	if (w->id < PICA_REG_COUNT && w->mask) {
		g->is_written[w->id] = true;
		g->word_addr[w->id] = from_list ? w->addr : 0;
		g->word_load[w->id] = from_list ? find_load(g, w->addr) : 0;
	}
}

/* ---- Replays ---- */

static int replay(struct inspect *g, struct capture_here *c, const struct frame_list *frames) {
	static const struct step_visitor visitor = {
		.event = on_event, .write = on_write, .draw = on_draw, .drawn = on_drawn
	};
	static const struct pica_watch none[1];
	const uint32_t n = capture_frames(c->capture), end = frame_list_end(frames, n);
	/* The first frame may show transfers of the previous one. */
	const uint32_t first = frame_list_first(frames, n);
	pica_ctx_zero_memory(c->ctx);
	int ret = step_start(&g->step, gpu_here(c->ctx), c->capture, !g->engine ? 0 :
			edits_first(g->engine->edits, replay_first(c->capture, first,
					g->engine->float_mode, g->engine->combiner, false)),
			&visitor, g);
	g->step.edits = g->engine ? g->engine->edits : NULL;
	bool has_begun = false;
	for (int more = 1; ret >= 0 && more > 0 && g->step.replay.frames <= end;) {
		const uint32_t frame = (uint32_t)g->step.replay.frames;
		const bool look = frame_list_has(frames, n, frame) || frame == end;
		if (g->is_looking && !has_begun && frame >= first) {
			has_begun = true;
			ret = replay_wait(&g->step.replay);
			/* Watching makes the engine run and count fragments without effect, too. */
			ret = ret < 0 ? ret : pica_ctx_watch(c->ctx, none, 0);
			ret = ret < 0 || !g->engine ? ret : pica_ctx_find_costs(c->ctx, 1);
			ret = ret < 0 ? ret : inspect_engines_begin(&g->engines, c->ctx);
			ret = ret < 0 ? ret : inspect_surfaces_begin(g);
		}
		log_progress(g->is_looking ? "looking at frame" : "frame", frame, end);
		const size_t first_step = json_array_size(g->steps);
		g->n_steps = g->n_events = 0;
		more = ret < 0 ? ret : step_frame(&g->step, look || has_begun);
		ret = g->error ? g->error : more < 0 ? more : ret;
		if (ret < 0 || !g->is_looking || !look) {
			continue;
		}
		end_job(g);
		json_t *screens = inspect_screens(g);
		ret = g->error;
		json_array_append_new(g->frames,
				json_pack("{sI sI sI so}", "frame", (json_int_t)frame, "first",
						(json_int_t)first_step, "end",
						(json_int_t)json_array_size(g->steps), "screens",
						screens));
	}
	return ret < 0 ? ret : 0;
}

int inspect_gather(struct inspect *g, struct capture_here *c, const struct frame_list *frames,
		const struct engine_options *engine) {
	const bool is_vc4 = c->info.chip == PICA_CHIP_VC4;
	*g = (struct inspect){ .ctx = c->ctx, .engine = engine, .has_planes = !engine || is_vc4 };
	g->surfaces = json_array();
	g->steps = json_array();
	g->frames = json_array();
	g->registers = json_object();
	g->words = json_object();
	g->programs = json_array();
	if (is_vc4) {
		return inspect_videocore(g, c, frames);
	}
	g->now = calloc(1, sizeof(*g->now));
	g->before = calloc(1, sizeof(*g->before));
	int ret = g->now && g->before ? replay(g, c, frames) : -ENOMEM;
	g->is_looking = true;
	memset(g->is_written, 0, sizeof(g->is_written));
	memset(g->word_addr, 0, sizeof(g->word_addr));
	memset(g->word_load, 0, sizeof(g->word_load));
	return ret < 0 ? ret : replay(g, c, frames);
}

void inspect_finish(struct inspect *g) {
	inspect_surfaces_finish(g);
	free(g->blob.bytes);
	free(g->loads);
	free(g->now);
	free(g->before);
	json_decref(g->draw);
	json_decref(g->surfaces);
	json_decref(g->steps);
	json_decref(g->frames);
	json_decref(g->registers);
	json_decref(g->words);
	json_decref(g->programs);
}
