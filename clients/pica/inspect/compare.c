/* The first difference: of two captures, or of one and its edits. */
#include "diff/diff.h"
#include "inspect/calls.h"

const struct option_row inspect_difference_rows[] = {
	{ .name = "every_draw", .kind = OPTION_FLAG, .at = INSPECT_AT(all) },
	{ .name = NULL },
};

int inspect_difference(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	const struct inspect_engine *b = e->other ? e->other : e;
	struct diff_options o = { .engine = { e->options, b->options },
		.path = { e->path, b->path },
		.n_paths = 2,
		.every_draw = p->all };
	struct diff d = { .o = &o, .report = json_object() };
	frame_list_parse(&o.frames, "all");
	if (!e->other) {
		o.engine[0].edits = NULL;
	}
	const int exit = diff_captures(&d);
	json_t *draw = json_object_get(d.report, "draw");
	json_object_set_new(d.report, "differs", json_boolean(d.differs));
	if (draw) { /* the calls `state` of both have more */
		json_t *target = json_object_get(json_object_get(draw, "a"), "target");
		json_object_set(draw, "width", json_object_get(target, "width"));
		json_object_del(draw, "a");
		json_object_del(draw, "b");
	}
	*out = d.report;
	return exit;
}
