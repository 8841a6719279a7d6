/* pica draws: a row for each draw, fill, transfer, copy and load of captures, with its cost. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json.h"
#include "common/options.h"
#include "common/output.h"
#include "common/reads.h"
#include "draws/depends.h"
#include "draws/draws.h"
#include "lint/lint.h"
#include "pictures/plain.h"
#include "verbs.h"
#include "videocore/videocore.h"

enum sort_key {
	SORT_ORDER,
	SORT_VERTICES,
	SORT_STEPS,
	SORT_TRIANGLES,
	SORT_FRAGMENTS,
	SORT_PASSED,
	SORT_REJECTED,
	SORT_SAMPLES,
	SORT_BYTES,
	SORT_COUNT,
};

static const char *const sort_words[] = { "order", "vertices", "steps", "triangles", "fragments",
	"passed", "rejected", "samples", "bytes", NULL };

struct options {
	struct engine_options engine;
	struct option_args captures;
	struct frame_list frames;
	unsigned sort;
	bool json, depends;
};

/* One piece of work. */
struct row {
	json_t *json; /* as docs/inspect.md has it */
	uint64_t key[SORT_COUNT];
};

struct table {
	struct lint l;
	const struct options *o;
	uint32_t n_frames;
	struct row *rows;
	size_t n, cap;
	struct pica_state *state; /* scratch */
	bool is_videocore;
	/* With --depends: of all rows, shown or not. */
	struct depends depends;
	json_t *firsts; /* the number of each frame's first row */
	/* Of the draw that runs: */
	json_t *draw;
	struct pica_costs before;
};

static int add(struct table *t, json_t *json, const uint64_t key[SORT_COUNT]) {
	struct row *rows = json ? array_room(t->rows, t->n, &t->cap, sizeof(*rows)) : NULL;
	if (!rows) {
		json_decref(json);
		return -ENOMEM;
	}
	t->rows = rows;
	struct row *r = &rows[t->n];
	r->json = json;
	memcpy(r->key, key, sizeof(r->key));
	r->key[SORT_ORDER] = UINT64_MAX - t->n;
	t->n++;
	if (t->l.heard >= 0) {
		json_object_set_new(json, "finding",
				lint_finding_json(&t->l.findings[t->l.heard]));
	}
	return 0;
}

static bool is_asked_for(const struct table *t) {
	return frame_list_has(&t->o->frames, t->n_frames, t->l.here.frame);
}

/* The first members of every row. */
static json_t *begin_row(const struct table *t, enum pica_history_kind kind) {
	return json_pack("{sI sI ss}", "frame", (json_int_t)t->l.here.frame, "offset",
			(json_int_t)t->l.here.offset, "kind", pica_history_kind_name(kind));
}

/* ---- Dependencies ---- */

/* The frames below end that have no first row yet begin with the next one. */
static void add_firsts(struct table *t, uint32_t end) {
	t->firsts = t->firsts ? t->firsts : json_array();
	while (json_array_size(t->firsts) < end) {
		json_array_append_new(t->firsts, json_integer((json_int_t)t->depends.n_rows));
	}
}

/* Begins a row. Returns its number, or a negative errno. */
static int64_t next_row(struct table *t) {
	int ret = t->firsts ? 0 : depends_begin(&t->depends, t->l.ctx);
	add_firsts(t, t->l.here.frame + 1);
	ret = ret < 0 ? ret : depends_add_row(&t->depends);
	return ret < 0 ? ret : (int64_t)t->depends.n_rows - 1;
}

static void add_read(struct table *t, json_t *reads, const char *what, struct lint_range r) {
	if (r.begin < r.end) {
		depends_read(&t->depends, reads, what, r.begin, r.end);
	}
}

/* row: NULL if it is not shown. Returns 0 or a negative errno. */
static int depend_move(struct table *t, json_t *row, struct lint_range from, struct lint_range to) {
	const int64_t number = next_row(t);
	if (number < 0) {
		return (int)number;
	}
	json_t *reads = row ? json_array() : NULL;
	add_read(t, reads, "source", from);
	if (row) {
		json_object_update_new(row, json_pack("{sI so}", "number", (json_int_t)number,
							    "reads", reads));
	}
	return depends_write(&t->depends, to.begin, to.end, number);
}

/* A draw changes some pixels of its target, so it depends on the rows that made the others. */
static int depend_draw(struct table *t, json_t *row, const struct step_draw *draw,
		const uint32_t *regs) {
	const int64_t number = next_row(t);
	if (number < 0) {
		return (int)number;
	}
	struct reads found;
	struct lint_range color, depth;
	json_t *reads = row ? json_array() : NULL;
	reads_find(&found, t->l.ctx, draw->kind);
	lint_targets(regs, &color, &depth);
	if (t->l.here.addr) {
		add_read(t, reads, "command list", lint_range(t->l.here.addr, 4));
	}
	for (unsigned i = 0; i < found.n; i++) {
		add_read(t, reads, found.r[i].what,
				lint_range(found.r[i].addr, found.r[i].size_bytes));
	}
	add_read(t, reads, "colour buffer", color);
	add_read(t, reads, "depth buffer", depth);
	if (row) {
		json_object_update_new(row, json_pack("{sI so}", "number", (json_int_t)number,
							    "reads", reads));
	}
	int ret = depends_write(&t->depends, color.begin, color.end, number);
	return ret < 0 ? ret : depends_write(&t->depends, depth.begin, depth.end, number);
}

/* A screen reads its framebuffer. */
static int on_shown(void *user) {
	static const unsigned bytes[] = { 4, 3, 2, 2, 2 };
	struct table *t = user;
	for (unsigned i = 0; t->o->depends && i < 2; i++) {
		struct pica_screen s;
		const int ret = pica_ctx_screen(t->l.ctx, (enum pica_screen_id)i, &s);
		if (ret < 0) {
			return ret;
		}
		if (s.is_set && !s.is_solid && s.format < ARRAY_LEN(bytes)) {
			add_read(t, NULL, "screen",
					lint_range(s.addr, (uint64_t)s.width * s.height *
									   bytes[s.format]));
		}
	}
	return 0;
}

/* At the end: notes whether a row's output was read. */
static void mark_unread(struct table *t) {
	for (size_t i = 0; t->o->depends && i < t->n; i++) {
		json_t *row = t->rows[i].json;
		json_object_set_new(row, "is_read",
				json_boolean(t->depends.is_read[json_number_of(row, "number")]));
	}
}

/* ---- Jobs ---- */

static int on_moved(void *user, enum pica_history_kind kind, struct lint_range from,
		struct lint_range to) {
	struct table *t = user;
	const uint64_t size = to.end - to.begin, key[SORT_COUNT] = { [SORT_BYTES] = size };
	if (!is_asked_for(t)) {
		return t->o->depends ? depend_move(t, NULL, from, to) : 0;
	}
	json_t *j = begin_row(t, kind);
	json_object_update_new(j, json_pack("{so sI}", "addr", json_addr((uint32_t)to.begin),
						"size_bytes", (json_int_t)size));
	if (kind == PICA_HISTORY_TRANSFER || kind == PICA_HISTORY_COPY) {
		json_object_set_new(j, "source", json_addr((uint32_t)from.begin));
	}
	const int ret = t->o->depends ? depend_move(t, j, from, to) : 0;
	return ret < 0 ? (json_decref(j), ret) : add(t, j, key);
}

/* ---- Draws ---- */

static json_t *programs_json(struct table *t, const uint32_t *regs) {
	char vertex[17], geometry[17];
	const int ret = pica_ctx_save_state(t->l.ctx, t->state);
	if (ret < 0) {
		return NULL;
	}
	snapshot_program(&t->state->vs, vertex);
	snapshot_program(&t->state->gs, geometry);
	return json_pack("{ss ss*}", "vertex", vertex, "geometry",
			facts_has_geometry(regs) ? geometry : NULL);
}

static int on_draw(void *user, const struct step_draw *draw, const uint32_t *regs) {
	struct table *t = user;
	if (!is_asked_for(t)) {
		return t->o->depends ? depend_draw(t, NULL, draw, regs) : 0;
	}
	t->draw = begin_row(t, PICA_HISTORY_DRAW);
	json_object_update_new(t->draw,
			json_pack("{sI ss so so so}", "draw", (json_int_t)draw->draw, "mode",
					draw_kind_name(draw->kind), "target",
					snapshot_target_json(regs), "textures",
					snapshot_textures_json(regs, t->l.reads.units),
					"programs", programs_json(t, regs)));
	const int ret = t->o->depends ? depend_draw(t, t->draw, draw, regs) : 0;
	return ret < 0 ? ret : pica_ctx_costs(t->l.ctx, &t->before);
}

static json_t *fragments_json(const uint64_t verdict[PICA_VERDICT_COUNT]) {
	json_t *j = json_object();
	static const enum pica_verdict made[] = { PICA_VERDICT_KEPT, PICA_VERDICT_MASKED,
		PICA_VERDICT_ALPHA, PICA_VERDICT_STENCIL, PICA_VERDICT_DEPTH };
	for (unsigned i = 0; i < ARRAY_LEN(made); i++) {
		json_object_set_new(j, pica_verdict_name(made[i]),
				json_integer((json_int_t)verdict[made[i]]));
	}
	return j;
}

static int on_drawn(void *user, const struct step_draw *draw) {
	struct table *t = user;
	struct pica_costs c;
	json_t *j = t->draw;
	t->draw = NULL;
	if (!j) {
		return 0;
	}
	const int ret = pica_ctx_costs(t->l.ctx, &c);
	const struct pica_costs *b = &t->before;
	for (unsigned i = 0; i < PICA_VERDICT_COUNT; i++) {
		c.verdict[i] -= b->verdict[i];
	}
	const uint64_t passed = c.verdict[PICA_VERDICT_KEPT] + c.verdict[PICA_VERDICT_MASKED];
	const uint64_t key[SORT_COUNT] = {
		[SORT_VERTICES] = c.vertices - b->vertices,
		[SORT_STEPS] = c.shader_steps - b->shader_steps,
		[SORT_TRIANGLES] = c.triangles - b->triangles,
		[SORT_FRAGMENTS] = c.fragments - b->fragments,
		[SORT_PASSED] = passed,
		[SORT_REJECTED] = c.fragments - b->fragments - passed,
		[SORT_SAMPLES] = c.samples - b->samples,
	};
	json_object_set_new(j, "cost",
			json_pack("{sI sI sI sI sI so sI}", "vertices",
					(json_int_t)key[SORT_VERTICES], "shaded_vertices",
					(json_int_t)(c.shaded_vertices - b->shaded_vertices),
					"shader_steps", (json_int_t)key[SORT_STEPS], "triangles",
					(json_int_t)key[SORT_TRIANGLES], "drawn_triangles",
					(json_int_t)(c.drawn_triangles - b->drawn_triangles),
					"fragments", fragments_json(c.verdict), "samples",
					(json_int_t)key[SORT_SAMPLES]));
	return ret < 0 ? (json_decref(j), ret) : add(t, j, key);
}

/* ---- Telling ---- */

static unsigned sorted_by;

static int compare_rows(const void *a, const void *b) {
	const struct row *x = a, *y = b;
	const uint64_t key_x[2] = { x->key[sorted_by], x->key[SORT_ORDER] };
	const uint64_t key_y[2] = { y->key[sorted_by], y->key[SORT_ORDER] };
	for (unsigned i = 0; i < 2; i++) {
		if (key_x[i] != key_y[i]) {
			return key_x[i] > key_y[i] ? -1 : 1;
		}
	}
	return 0;
}

static json_int_t number_in(const json_t *row, const char *object, const char *member) {
	return json_number_of(json_object_get(row, object), member);
}

static void print_finding(const json_t *row) {
	const json_t *finding = json_object_get(row, "finding");
	if (finding) {
		const char *severity = json_text_of(finding, "severity");
		printf("  %s%s%s %s", output_color(strcmp(severity, "odd") ? OUTPUT_RED :
								     OUTPUT_YELLOW),
				severity, output_color(OUTPUT_PLAIN),
				json_text_of(finding, "rule"));
	}
	putchar('\n');
}

static void print_surface(const json_t *surface) {
	printf("%s:%s:%" JSON_INTEGER_FORMAT "x%" JSON_INTEGER_FORMAT,
			json_text_of(surface, "addr"), json_text_of(surface, "format"),
			json_number_of(surface, "width"), json_number_of(surface, "height"));
}

static void print_draw(const json_t *row) {
	const json_t *target = json_object_get(row, "target");
	const json_t *fragments = json_object_get(json_object_get(row, "cost"), "fragments");
	const json_t *textures = json_object_get(row, "textures");
	static const char *const verdicts[] = { "kept", "masked", "alpha", "stencil", "depth" };
	printf("%5" JSON_INTEGER_FORMAT " %8" JSON_INTEGER_FORMAT " %8" JSON_INTEGER_FORMAT,
			json_number_of(row, "draw"), number_in(row, "cost", "vertices"),
			number_in(row, "cost", "shader_steps"));
	for (unsigned i = 0; i < ARRAY_LEN(verdicts); i++) {
		printf(" %7" JSON_INTEGER_FORMAT, json_number_of(fragments, verdicts[i]));
	}
	printf(" %8" JSON_INTEGER_FORMAT "  %s:%s ", number_in(row, "cost", "samples"),
			json_text_of(target, "color_addr"),
			json_text_of(target, "color_format"));
	for (size_t i = 0; i < json_array_size(textures); i++) {
		putchar(i ? ',' : ' ');
		print_surface(json_array_get(textures, i));
	}
	fputs(json_array_size(textures) ? "  " : " -  ", stdout);
	const json_t *programs = json_object_get(row, "programs");
	printf("%.8s", json_text_of(programs, "vertex"));
	if (json_object_get(programs, "geometry")) {
		printf("+%.8s", json_text_of(programs, "geometry"));
	}
}

static void print_move(const json_t *row) {
	const char *source = json_text_of(row, "source");
	char size[OUTPUT_SIZE];
	output_size((uint64_t)json_number_of(row, "size_bytes"), size);
	printf("    - %s to %s", size, json_text_of(row, "addr"));
	if (source) {
		printf(" from %s", source);
	}
}

static void print_from(const json_t *from) {
	for (size_t i = 0; i < json_array_size(from); i++) {
		const json_int_t row = json_integer_value(json_array_get(from, i));
		fputs(i ? ", " : " ", stdout);
		if (row >= 0) {
			printf("%" JSON_INTEGER_FORMAT, row);
		} else {
			fputs(row == DEPENDS_START ? "start" : "nothing", stdout);
		}
	}
}

static void print_dependencies(const struct table *t) {
	printf("  ROW FRAME KIND      DRAW  TO          READS\n");
	for (size_t i = 0; i < t->n; i++) {
		const json_t *row = t->rows[i].json, *reads = json_object_get(row, "reads");
		const json_t *draw = json_object_get(row, "draw");
		const json_t *to = json_object_get(row, "target");
		printf("%5" JSON_INTEGER_FORMAT " %5" JSON_INTEGER_FORMAT " %-8s ",
				json_number_of(row, "number"), json_number_of(row, "frame"),
				json_text_of(row, "kind"));
		if (draw) {
			printf("%5" JSON_INTEGER_FORMAT, json_integer_value(draw));
		} else {
			fputs("    -", stdout);
		}
		printf("  %s  ", to ? json_text_of(to, "color_addr") : json_text_of(row, "addr"));
		for (size_t k = 0; k < json_array_size(reads); k++) {
			const json_t *read = json_array_get(reads, k);
			printf("%s%s:", k ? "; " : "", json_text_of(read, "what"));
			print_from(json_object_get(read, "from"));
		}
		const bool is_read = json_is_true(json_object_get(row, "is_read"));
		fputs(!is_read && json_array_size(reads) ? "; " : "", stdout);
		puts(is_read ? "" : "never read");
	}
}

static const json_t *row_at(const void *table, size_t i) {
	return ((const struct table *)table)->rows[i].json;
}

static void print_rows(const struct table *t, const char *path, bool has_path) {
	output_page();
	if (has_path) {
		plain_write(stdout, path);
		fputs(":\n", stdout);
	}
	if (t->o->depends) {
		print_dependencies(t);
		return;
	}
	if (t->is_videocore) {
		videocore_print_draws(t->n, row_at, t);
		return;
	}
	printf("FRAME KIND      DRAW VERTICES    STEPS    KEPT  MASKED   ALPHA STENCIL   DEPTH  SAMPLES  "
	       "TARGET  TEXTURES  PROGRAM  FINDING\n");
	for (size_t i = 0; i < t->n; i++) {
		const json_t *row = t->rows[i].json;
		printf("%5" JSON_INTEGER_FORMAT " %-8s ", json_number_of(row, "frame"),
				json_text_of(row, "kind"));
		if (json_object_get(row, "draw")) {
			print_draw(row);
		} else {
			print_move(row);
		}
		print_finding(row);
	}
}

static void tell_rows(struct table *t, const struct capture_here *c, json_t *reports) {
	sorted_by = t->o->sort;
	if (t->n) {
		qsort(t->rows, t->n, sizeof(*t->rows), compare_rows);
	}
	if (reports) {
		json_t *rows = json_array();
		for (size_t i = 0; i < t->n; i++) {
			json_array_append(rows, t->rows[i].json);
		}
		json_array_append_new(reports,
				json_pack("{so so sO*}", "path", json_text(c->path), "rows", rows,
						"first_rows", t->firsts));
	} else {
		print_rows(t, c->path, t->o->captures.n > 1);
	}
}

/* ---- The other chip ---- */

static int on_videocore(void *user, json_t *row, const struct videocore_costs *costs) {
	const uint64_t key[SORT_COUNT] = {
		[SORT_VERTICES] = costs->vertices,
		[SORT_STEPS] = costs->steps,
		[SORT_TRIANGLES] = costs->triangles,
		[SORT_FRAGMENTS] = costs->fragments,
	};
	return add(user, row, key);
}

static int run_videocore(struct table *t, const struct capture_here *c, json_t *reports) {
	static const bool has_key[SORT_COUNT] = { [SORT_ORDER] = true, [SORT_VERTICES] = true,
		[SORT_STEPS] = true, [SORT_TRIANGLES] = true, [SORT_FRAGMENTS] = true };
	if (t->o->depends || !has_key[t->o->sort]) {
		return log_fail("%s: a capture of a vc4: expected no --depends, and --sort by vertices, "
				"steps, triangles or fragments", c->path);
	}
	t->is_videocore = true;
	t->l.heard = -1;
	const int exit = videocore_draws(c, &t->o->frames, on_videocore, t);
	if (exit == EXIT_FINE || t->n) {
		tell_rows(t, c, reports);
	}
	return exit;
}

static int run(struct table *t, const struct capture_here *c, json_t *reports) {
	t->l.ctx = c->ctx;
	t->l.edits = t->o->engine.edits;
	t->n_frames = capture_frames(c->capture);
	t->state = calloc(1, sizeof(*t->state));
	int ret = t->state ? pica_ctx_find_costs(c->ctx, 1) : -ENOMEM;
	ret = ret < 0 ? ret : lint_gather(&t->l, c->capture, c->name, t->n_frames);
	log_end();
	if (ret < 0) {
		return capture_failed(c->capture, c->path, ret);
	}
	mark_unread(t);
	if (t->o->depends) {
		add_firsts(t, t->n_frames);
	}
	tell_rows(t, c, reports);
	return replay_job_failed(&t->l.step.replay, c->path);
}

static int tell(const void *options, const char *path, json_t *reports) {
	const struct options *o = options;
	const size_t before = json_array_size(reports);
	struct capture_here c;
	struct table t = { .o = o };
	const struct lint_guest guest = { on_draw, on_drawn, on_moved, on_shown, &t };
	t.l.guest = &guest;
	int exit = capture_here_open(&c, path, &o->engine);
	if (exit == EXIT_FINE) {
		const uint32_t n = capture_frames(c.capture);
		exit = !capture_has_frame(path, n, frame_list_end(&o->frames, n)) ? EXIT_TROUBLE :
				c.info.chip == PICA_CHIP_VC4 ? run_videocore(&t, &c, reports) :
							       run(&t, &c, reports);
	}
	if (reports && json_array_size(reports) == before) {
		json_array_append_new(reports, json_error_of(path));
	}
	for (size_t i = 0; i < t.n; i++) {
		json_decref(t.rows[i].json);
	}
	json_decref(t.draw);
	json_decref(t.firsts);
	free(t.rows);
	free(t.state);
	depends_finish(&t.depends);
	lint_finish(&t.l);
	capture_here_close(&c);
	return exit;
}

int draws_report(const char *path, const struct engine_options *engine, uint32_t frame,
		json_t *reports) {
	struct options o = { .engine = *engine, .json = true, .depends = true };
	o.frames.n = 1;
	o.frames.range[0].first = o.frames.range[0].last = frame;
	return tell(&o, path, reports);
}

#define AT(member) offsetof(struct options, member)

int verb_draws(int argc, char **argv) {
	static const struct option_row rows[] = {
		FRAMES_ROW(AT(frames), "all"),
		{ "sort", 0, "KEY",
				"The greatest first: vertices, steps, triangles, fragments, passed, "
				"rejected, samples or bytes; default: order",
				OPTION_CHOICE, .at = AT(sort), .words = sort_words },
		{ "depends", 0, NULL, "Which rows wrote what each row reads, instead of costs",
				OPTION_FLAG, .at = AT(depends) },
		JSON_ROW(AT(json)),
	};
	static const struct option_spec spec = {
		SPEC_CAPTURES,
		.doc = "Prints a row for each draw, fill, transfer, copy and load: its target and its "
		       "cost, in counts that are the same on every machine.",
		.tables = { OPTION_TABLE(rows, 0, 0), ENGINE_SERIAL_TABLES(AT(engine)) },
	};
	struct options o = { 0 };
	engine_options_init(&o.engine);
	o.engine.threads = 0;
	frame_list_parse(&o.frames, "all");
	o.captures = options_parse(&spec, argc, argv, &o);
	return json_captures("draws", &o.captures, o.json, tell, &o);
}
