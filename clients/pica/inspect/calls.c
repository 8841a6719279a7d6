#include "inspect/calls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "draws/draws.h"
#include "fields.h"
#include "shader/shader.h"

enum { FRAMES_MOST = 64, STEPS_MOST = 1000, MEMORY_MOST = 1 << 16 };

static const struct option_row no_rows[] = { { .name = NULL } };

static uint32_t at_most(uint32_t n, uint32_t most) {
	return n < most ? n : most;
}

static int capture(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	*out = json_report("capture");
	json_object_set_new(*out, "capture", json_text(e->path));
	json_object_set_new(*out, "name", json_text(e->here.name));
	json_object_set_new(*out, "frames", json_integer(capture_frames(e->here.capture)));
	return EXIT_FINE;
}

static const struct option_row frames_rows[] = {
	INSPECT_NUMBER_ROW("first", first, UINT32_MAX - 1, 0),
	INSPECT_NUMBER_ROW("count", count, UINT32_MAX, 0),
	{ .name = NULL },
};

static int frames(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	json_t *rows = json_array();
	*out = json_pack("{so}", "frames", rows);
	return inspect_engine_frames(e, p->first, at_most(p->count, FRAMES_MOST), rows);
}

static const struct option_row steps_rows[] = {
	INSPECT_FRAME_ROW,
	INSPECT_NUMBER_ROW("first", first, UINT32_MAX - 1, 0),
	INSPECT_NUMBER_ROW("count", count, UINT32_MAX, 0),
	{ .name = NULL },
};

/* The short members of a step. */
static json_t *step_json(json_t *step) {
	static const char *const members[] = { "step", "event", "kind", "frame", "offset", "text",
		"draw", "addr", "source", "primitive", "vertices", "entered", "passed",
		"writes_color", "changes" };
	json_t *row = json_object();
	for (unsigned i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		json_t *value = json_object_get(step, members[i]);
		if (value) {
			json_object_set(row, members[i], value);
		}
	}
	return row;
}

static int steps(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	const int exit = inspect_engine_steps(e, p->place.frame);
	if (exit != EXIT_FINE) {
		return exit;
	}
	json_t *rows = json_array();
	const size_t n = json_array_size(e->steps.steps);
	const uint32_t count = at_most(p->count, STEPS_MOST);
	for (size_t i = p->first; i < n && i - p->first < count; i++) {
		json_array_append_new(rows, step_json(json_array_get(e->steps.steps, i)));
	}
	*out = json_pack("{sI sI so sO}", "frame", (json_int_t)e->steps_frame, "total",
			(json_int_t)n, "steps", rows, "surfaces", e->steps.surfaces);
	return EXIT_FINE;
}

static const struct option_row frame_rows[] = { INSPECT_FRAME_ROW, { .name = NULL } };

static int draws(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	uint32_t frame = p->place.frame;
	int exit = inspect_engine_frame(e, &frame);
	json_t *reports = json_array();
	exit = exit == EXIT_FINE ? draws_report(e->path, &e->options, frame, reports) : exit;
	if (exit == EXIT_FINE) {
		*out = json_incref(json_array_get(reports, 0));
		json_object_del(*out, "path");
		json_object_set_new(*out, "frame", json_integer(frame));
	}
	json_decref(reports);
	return exit;
}

static const struct option_row place_rows[] = { INSPECT_PLACE_ROWS, { .name = NULL } };

static int add_program(json_t *out, const struct snapshot *s, bool is_gs) {
	char *text = NULL;
	const int ret = dump_program(s, is_gs, &text);
	if (ret == 0) {
		json_object_set_new(out, is_gs ? "gsh_source" : "vsh_source", json_text(text));
	}
	free(text);
	return ret;
}

static int state(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	p->place.is_before = true;
	int exit = inspect_engine_go(e, &p->place);
	if (exit != EXIT_FINE) {
		return exit;
	}
	struct snapshot *s = e->snapshot;
	if (!e->is_draw) {
		s->draw = (struct step_draw){ .frame = e->place.frame };
		pica_ctx_save_state(e->here.ctx, &s->state);
	}
	json_t *seen = snapshot_json(s, SNAPSHOT_ALL);
	*out = json_pack("{sI so}", "frame", (json_int_t)e->place.frame, "state", seen);
	if (!e->is_draw) {
		return EXIT_FINE;
	}
	const bool has_gs = facts_has_geometry(s->state.regs);
	int ret = add_program(*out, s, false);
	ret = ret == 0 && has_gs ? add_program(*out, s, true) : ret;
	return log_result(e->path, ret);
}

/* ---- Pixels and vertices ---- */

static const struct option_row pixel_rows[] = {
	{ .name = "frame",
			.kind = OPTION_CALL,
			.at = INSPECT_AT(pixel.frame),
			.parse = frame_option },
	INSPECT_NUMBER_ROW("x", pixel.x, 4095, INSPECT_XY),
	INSPECT_NUMBER_ROW("y", pixel.y, 4095, INSPECT_Y),
	INSPECT_SCREEN_ROWS,
	{ .name = "surface",
			.kind = OPTION_CALL,
			.at = INSPECT_AT(pixel),
			.parse = pixel_parse_surface },
	{ .name = "steps", .kind = OPTION_FLAG, .at = INSPECT_AT(pixel.steps) },
	{ .name = NULL },
};

static int pixel(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	struct pixel_answer a;
	const int exit = pixel_find_in(&a, &p->pixel, &e->pixels);
	*out = exit == EXIT_FINE ? pixel_json(&a, &p->pixel) : NULL;
	pixel_finish(&a);
	return exit;
}

static const struct option_row trace_rows[] = {
	INSPECT_FRAME_ROW,
	INSPECT_NUMBER_ROW("draw", place.draw, UINT32_MAX - 1, INSPECT_DRAW),
	INSPECT_NUMBER_ROW("vertex", trace[SHADER_OF_VERTEX], UINT32_MAX - 1, INSPECT_VERTEX),
	INSPECT_NUMBER_ROW("primitive", trace[SHADER_OF_PRIMITIVE], UINT32_MAX - 1,
			INSPECT_PRIMITIVE),
	INSPECT_NUMBER_ROW("run", trace[SHADER_OF_RUN], UINT32_MAX - 1, INSPECT_RUN),
	{ .name = NULL },
};

static int trace_program(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	struct shader_trace_options o = { .engine = e->options,
		.capture = e->path,
		.frame = p->place.frame,
		.draw = p->place.draw,
		.given = p->given / INSPECT_VERTEX };
	memcpy(o.number, p->trace, sizeof(o.number));
	if (o.given & (o.given - 1)) {
		return log_fail("expected only one of vertex, primitive and run");
	}
	pica_ctx_watch(e->pixels.ctx, NULL, 0);
	return shader_trace_in(&o, &e->pixels, out);
}

/* ---- Memory ---- */

static int add_level(void *user, const struct dump_level *l) {
	json_t *rows = user;
	json_array_append_new(rows,
			json_pack("{ss si si si so ss sI sI ss*}", "name", l->name, "unit",
					(int)l->unit, "face", (int)l->face, "level", (int)l->level,
					"addr", json_addr(l->addr), "format",
					field_text("TEXTURE_FORMAT", l->format), "width",
					(json_int_t)l->width, "height", (json_int_t)l->height,
					"wrong", l->wrong));
	return 0;
}

static const struct option_row draw_rows[] = {
	INSPECT_FRAME_ROW,
	INSPECT_NUMBER_ROW("draw", place.draw, UINT32_MAX - 1, INSPECT_DRAW),
	{ .name = NULL },
};

static int textures(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	p->place.is_before = true;
	const int exit = inspect_engine_go(e, &p->place);
	if (exit != EXIT_FINE) {
		return exit;
	}
	json_t *rows = json_array();
	dump_texture_levels(e->snapshot->state.regs, add_level, rows);
	*out = json_pack("{sI sI so}", "frame", (json_int_t)e->place.frame, "draw",
			(json_int_t)p->place.draw, "textures", rows);
	return EXIT_FINE;
}

static const struct option_row memory_rows[] = {
	INSPECT_PLACE_ROWS,
	INSPECT_NUMBER_ROW("address", address, UINT32_MAX, INSPECT_ADDRESS),
	INSPECT_NUMBER_ROW("bytes", bytes, MEMORY_MOST, INSPECT_SIZE),
	{ .name = "before", .kind = OPTION_FLAG, .at = INSPECT_AT(place.is_before) },
	{ .name = NULL },
};

struct memory {
	const struct inspect_params *p;
	uint8_t *bytes;
	int ret;
};

static void read_memory(void *user, struct pica_ctx *ctx) {
	struct memory *m = user;
	m->ret = pica_ctx_read_memory(ctx, m->p->address, m->bytes, m->p->bytes);
}

static json_t *memory_json(const struct memory *m, uint32_t frame) {
	char *text = malloc(2 * (size_t)m->p->bytes + 1);
	if (!text) {
		return NULL;
	}
	text[0] = '\0';
	for (uint32_t i = 0; i < m->p->bytes; i++) {
		snprintf(text + 2 * (size_t)i, 3, "%02x", m->bytes[i]);
	}
	json_t *out = json_pack("{sI so ss}", "frame", (json_int_t)frame, "address",
			json_addr(m->p->address), "bytes", text);
	free(text);
	return out;
}

static int memory(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	struct memory m = { .p = p, .bytes = malloc(p->bytes + 1) };
	const bool is_vc4 = e->here.info.chip == PICA_CHIP_VC4;
	uint32_t frame = p->place.frame;
	int exit = !m.bytes ? log_no_memory() :
			is_vc4      ? inspect_engine_see(e, &p->place, read_memory, &m) :
				      inspect_engine_go(e, &p->place);
	if (exit == EXIT_FINE && !is_vc4) {
		read_memory(&m, e->here.ctx);
	}
	if (exit == EXIT_FINE && m.ret < 0) {
		exit = log_fail("0x%08" PRIx32 ": %s", p->address,
				m.ret == -ERANGE ? "expected an address in memory" :
						   strerror(-m.ret));
	}
	if (exit == EXIT_FINE) {
		inspect_engine_frame(e, &frame);
		*out = memory_json(&m, frame);
	}
	free(m.bytes);
	return exit;
}

static int lint(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	json_t *rows = inspect_engine_findings(e);
	*out = rows ? json_pack("{sO}", "findings", rows) : NULL;
	return rows ? EXIT_FINE : EXIT_TROUBLE;
}

const struct inspect_call inspect_calls[] = {
	{ "capture", no_rows, 0, true, capture },
	{ "frames", frames_rows, 0, false, frames },
	{ "steps", steps_rows, 0, true, steps },
	{ "draws", frame_rows, 0, false, draws },
	{ "state", place_rows, 0, false, state },
	{ "pixel", pixel_rows, INSPECT_XY | INSPECT_Y, true, pixel },
	{ "surface", inspect_surface_rows,
			INSPECT_ADDRESS | INSPECT_FORMAT | INSPECT_WIDTH | INSPECT_HEIGHT, false,
			inspect_surface },
	{ "screen", inspect_screen_rows, 0, false, inspect_screen },
	{ "thumbnails", inspect_thumbnails_rows, 0, false, inspect_thumbnails },
	{ "shader_trace", trace_rows, INSPECT_DRAW, true, trace_program },
	{ "textures", draw_rows, INSPECT_DRAW, false, textures },
	{ "mesh", inspect_mesh_rows, INSPECT_DRAW, false, inspect_mesh },
	{ "memory", memory_rows, INSPECT_ADDRESS | INSPECT_SIZE, true, memory },
	{ "edit", inspect_edit_rows, INSPECT_DRAW, false, inspect_edit },
	{ "undo", inspect_undo_rows, 0, false, inspect_undo },
	{ "edits", no_rows, 0, false, inspect_edits },
	{ "difference", inspect_difference_rows, 0, false, inspect_difference },
	{ "lint", no_rows, 0, true, lint },
	{ .name = NULL },
};
