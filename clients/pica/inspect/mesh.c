/* The vertices of a draw: the tables of pica dump, as JSON. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "inspect/calls.h"

enum { VERTICES = 4096 };

const struct option_row inspect_mesh_rows[] = {
	INSPECT_FRAME_ROW,
	INSPECT_NUMBER_ROW("draw", place.draw, UINT32_MAX - 1, INSPECT_DRAW),
	INSPECT_NUMBER_ROW("count", count, VERTICES, 0),
	{ .name = NULL },
};

static json_t *number(const char *cell) {
	char *end;
	const double x = strtod(cell, &end);
	return end == cell || !isfinite(x) ? json_null() : json_real(x);
}

/* {"columns": [name], "rows": [[number]]} of a table with a heading; changes the text. */
static json_t *table(char *text) {
	json_t *columns = json_array(), *rows = json_array();
	bool is_head = true;
	for (char *line; (line = strsep(&text, "\n")) && *line; is_head = false) {
		json_t *row = is_head ? json_incref(columns) : json_array();
		for (char *cell; (cell = strsep(&line, ","));) {
			json_array_append_new(row, is_head ? json_string(cell) : number(cell));
		}
		if (is_head) {
			json_decref(row);
		} else {
			json_array_append_new(rows, row);
		}
	}
	return json_pack("{so so}", "columns", columns, "rows", rows);
}

/* Prints the draw's vertices, or the output of its geometry shader. */
static int print(struct inspect_engine *e, uint32_t most, bool is_geometry, json_t **out) {
	char *text = NULL;
	size_t size;
	FILE *files[DUMP_VERTEX_FILES] = { open_memstream(&text, &size) };
	int ret = !files[0] ? -ENOMEM :
			is_geometry ?
			      dump_geometry(e->here.ctx, e->snapshot, most, files) :
			      dump_vertices(e->here.ctx, e->snapshot, &e->immediate, most, files);
	if (files[0] && fclose(files[0]) && ret == 0) {
		ret = -ENOMEM;
	}
	*out = ret == 0 ? table(text) : NULL;
	free(text);
	return ret;
}

int inspect_mesh(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	const uint32_t most = p->count < VERTICES ? p->count : VERTICES;
	json_t *vertices = NULL, *geometry = NULL;
	/* Vertices in the list are complete after the draw. */
	p->place.is_before = true;
	int exit = inspect_engine_go(e, &p->place);
	const bool is_immediate = e->snapshot->draw.kind == DRAW_IMMEDIATE;
	const bool has_gs = facts_has_geometry(e->snapshot->state.regs);
	int ret = exit == EXIT_FINE && !is_immediate ? print(e, most, false, &vertices) : 0;
	if (exit == EXIT_FINE && ret == 0 && (is_immediate || has_gs)) {
		p->place.is_before = false;
		p->place.keeps_geometry = has_gs;
		exit = inspect_engine_go(e, &p->place);
		ret = exit == EXIT_FINE && is_immediate ? print(e, most, false, &vertices) : 0;
		ret = exit == EXIT_FINE && has_gs && ret == 0 ? print(e, most, true, &geometry) :
								ret;
	}
	if (exit == EXIT_FINE && ret < 0) {
		exit = log_fail("draw %u: %s", (unsigned)p->place.draw,
				ret == -ERANGE ? "the arrays or indices do not lie in memory" :
						 strerror(-ret));
	}
	if (exit != EXIT_FINE) {
		json_decref(vertices);
		json_decref(geometry);
		return exit;
	}
	const uint32_t *regs = e->snapshot->state.regs;
	*out = json_pack("{sI sI ss so so*}", "frame", (json_int_t)e->place.frame, "draw",
			(json_int_t)p->place.draw, "primitive",
			field_text("PRIMITIVE",
					get_PRIMITIVE_CONFIG_MODE(regs[PICA_REG_PRIMITIVE_CONFIG])),
			"vertices", vertices, "geometry", geometry);
	json_object_set_new(*out, "position", json_sprintf("v%u", dump_position_input(regs)));
	return EXIT_FINE;
}
