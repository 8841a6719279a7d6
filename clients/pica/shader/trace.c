/* pica shader trace: a program of a draw, step by step. */
#include "shader/shader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/facts.h"
#include "common/json.h"
#include "common/output.h"
#include "core/base/f24.h"
#include "dump/dump.h"
#include "fields.h"
#include "pica_emit.h"
#include "pica_history.h"
#include "pica_shader.h"
#include "videocore/videocore.h"

enum { FIRST_STEPS = 4096, REGISTER = 8 };

struct trace {
	const struct shader_trace_options *o;
	struct pica_ctx *ctx; /* borrowed */
	uint32_t frame;
	struct snapshot *here;
	struct dump_immediate immediate;
	struct pica_shader_step *steps;
	int64_t n; /* with the end; negative errno */
	enum shader_trace_of of;
	struct pica_vertex vertex;
	struct pica_geometry_run run; /* unless of a vertex */
	bool in_draw, has_draw;
};

static bool is_geometry(const struct trace *t) {
	return t->of != SHADER_OF_VERTEX;
}

/* Number of kept steps, with the end. */
static uint32_t n_steps(const struct trace *t) {
	return is_geometry(t) && t->n > PICA_GEOMETRY_STEPS ? PICA_GEOMETRY_STEPS : (uint32_t)t->n;
}

static uint32_t n_emits(const struct trace *t) {
	const uint32_t n = t->run.n_emits;
	return n < PICA_GEOMETRY_EMITS ? n : PICA_GEOMETRY_EMITS;
}

/* ---- Gathering ---- */

static void take(struct trace *t) {
	uint64_t room = FIRST_STEPS;
	do {
		struct pica_shader_step *more = realloc(t->steps, room * sizeof(*more));
		if (!more) {
			t->n = -ENOMEM;
			return;
		}
		t->steps = more;
		t->n = is_geometry(t) ?
				pica_ctx_geometry_steps(t->ctx, t->steps, room, &t->run) :
				dump_trace(t->ctx, t->here, &t->immediate,
						t->o->number[SHADER_OF_VERTEX], t->steps, room,
						&t->vertex);
	} while (t->n > 0 && (uint64_t)t->n > room && (room = (uint64_t)t->n));
}

static int on_draw(void *user, const struct step_draw *draw) {
	struct trace *t = user;
	if (draw->frame != t->frame || draw->draw != t->o->draw) {
		return 0;
	}
	t->has_draw = t->in_draw = true;
	t->here->draw = *draw;
	t->n = pica_ctx_save_state(t->ctx, &t->here->state);
	if (t->n == 0 && is_geometry(t)) {
		if (!facts_has_geometry(t->here->state.regs)) {
			t->n = -ENOEXEC;
			return 1;
		}
		t->n = pica_ctx_trace_geometry(t->ctx, t->of == SHADER_OF_RUN ?
				PICA_TRACE_RUN : PICA_TRACE_TRIANGLE, t->o->number[t->of]);
		return t->n < 0;
	}
	if (t->n == 0 && draw->kind != DRAW_IMMEDIATE) {
		take(t);
	}
	return draw->kind == DRAW_IMMEDIATE ? 0 : 1;
}

static void on_vertex(void *user, const uint32_t (*attributes)[4], unsigned n) {
	struct trace *t = user;
	if (t->in_draw) {
		dump_immediate_add(&t->immediate, attributes, n);
	}
}

/* Only vertices were written since an immediate draw began; geometry programs have run. */
static int on_drawn(void *user, const struct step_draw *draw) {
	struct trace *t = user;
	(void)draw;
	if (t->in_draw && t->n == 0) {
		take(t);
	}
	return t->in_draw;
}

static int gather(struct trace *t, struct pica_capture *capture) {
	static const struct step_visitor visitor = {
		.draw = on_draw, .vertex = on_vertex, .drawn = on_drawn
	};
	struct step step;
	const struct engine_options *e = &t->o->engine;
	int ret = step_start(&step, gpu_here(t->ctx), capture,
			edits_first(e->edits, replay_first(capture, t->frame, e->float_mode,
							      e->combiner, false)),
			&visitor, t);
	step.edits = e->edits;
	capture_note_skipped(capture, t->o->capture, ret == 0 && step.replay.skipped_key);
	for (uint32_t f = (uint32_t)step.replay.frames; ret >= 0 && f <= t->frame; f++) {
		ret = step_frame(&step, f == t->frame);
	}
	return t->has_draw || ret > 0 ? 0 : ret;
}

/* ---- Printing ---- */

static const char *register_name(char out[REGISTER], unsigned reg, char below_16) {
	if (reg == PICA_STEP_NOTHING) {
		snprintf(out, REGISTER, "beyond");
	} else {
		snprintf(out, REGISTER, "%c%u", reg < 16 ? below_16 : reg < 32 ? 'r' : 'c',
				reg < 16 ? reg : reg < 32 ? reg - 16 : reg - 32);
	}
	return out;
}

static void instruction_text(const struct trace *t, unsigned address, char text[PICA_SHADER_LINE]) {
	const struct pica_state *s = &t->here->state;
	const struct pica_shader_state *unit = is_geometry(t) ? &s->gs : &s->vs;
	pica_shader_instruction(unit->code[address], unit->operand_descriptors, text);
}

static void print_vector(const char *name, const float v[4]) {
	printf("       %-6s %.9g %.9g %.9g %.9g\n", name, (double)v[0], (double)v[1], (double)v[2],
			(double)v[3]);
}

static void print_step(const struct trace *t, const struct pica_shader_step *s) {
	const struct pica_shader_step *next = s + 1;
	char text[PICA_SHADER_LINE], name[REGISTER];
	instruction_text(t, s->address, text);
	printf("%03X    %s\n", s->address, text);
	for (unsigned i = 0; i < s->n_sources; i++) {
		print_vector(register_name(name, s->source[i], 'v'), s->value[i]);
	}
	for (unsigned k = 0; k < 4 && s->destination != PICA_STEP_NOTHING; k++) {
		if (s->mask >> k & 1) {
			printf("       = %s.%c %.9g (f24 %06" PRIX32 ", f32 %08" PRIX32 ")\n",
					register_name(name, s->destination, 'o'), "xyzw"[k],
					(double)s->result[k], pica_f24(s->result[k]),
					f32_bits(s->result[k]));
		}
	}
	if (memcmp(s->flags, next->flags, sizeof(s->flags)) != 0) {
		printf("       = flags %u %u\n", next->flags[0], next->flags[1]);
	}
	if (memcmp(s->a, next->a, sizeof(s->a)) != 0) {
		printf("       = a0.x %" PRId32 ", a0.y %" PRId32 "\n", next->a[0], next->a[1]);
	}
	if (s->al != next->al) {
		printf("       = aL %" PRId32 "\n", next->al);
	}
	if (next->address != PICA_STEP_END && next->address != s->address + 1) {
		printf("       to %03X\n", next->address);
	}
}

/* Prints the output registers in the mask, and their semantics by the output map. */
static uint32_t outputs(const struct trace *t, uint32_t *semantics) {
	const uint32_t *regs = t->here->state.regs;
	*semantics = facts_has_geometry(regs) ? 0 : facts_mapped_outputs(regs);
	return get_SH_OUTMAP_MASK_MASK(regs[PICA_REG_VSH_OUTMAP_MASK]);
}

/* The outputs at an EMIT. */
static void print_emit(const struct trace *t, const struct pica_geometry_emit *e) {
	const uint32_t mask = get_SH_OUTMAP_MASK_MASK(
			t->here->state.regs[PICA_REG_GSH_OUTMAP_MASK]);
	char name[REGISTER];
	printf("       = vertex %u%s%s\n", e->slot, e->is_last ? ", of a primitive" : "",
			e->is_inverted ? ", inverted" : "");
	for (unsigned i = 0; i < 16; i++) {
		if (mask >> i & 1) {
			print_vector(register_name(name, i, 'o'), e->output[i]);
		}
	}
}

static void print_run(const struct trace *t) {
	const struct pica_geometry_run *r = &t->run;
	printf("run %" PRIu32 " of the geometry program: %" PRId64 " instructions; emits ", r->run,
			t->n - 1);
	if (r->n_triangles) {
		printf("primitives %" PRIu32 " to %" PRIu32 "\n\n", r->first_triangle,
				r->first_triangle + r->n_triangles - 1);
	} else {
		puts("no primitive\n");
	}
	for (uint32_t i = 0, emit = 0; i + 1 < n_steps(t); i++) {
		print_step(t, &t->steps[i]);
		if (emit < n_emits(t) && r->emit[emit].step == i) {
			print_emit(t, &r->emit[emit++]);
		}
	}
}

static void print_vertex(const struct trace *t) {
	char name[REGISTER];
	uint32_t semantics;
	const uint32_t mask = outputs(t, &semantics);
	printf("vertex %" PRIu32 ": %" PRId64 " instructions\n\n", t->o->number[t->of], t->n - 1);
	for (int64_t i = 0; i + 1 < t->n; i++) {
		print_step(t, &t->steps[i]);
	}
	puts("\noutputs");
	for (unsigned i = 0; i < 16; i++) {
		if (mask >> i & 1) {
			print_vector(register_name(name, i, 'o'), t->vertex.output[i]);
		}
	}
	for (unsigned i = 0; i < PICA_VERTEX_SEMANTICS; i++) {
		if (semantics >> i & 1) {
			printf("       %-18s %.9g\n", field_text("SEMANTIC", i),
					(double)t->vertex.semantic[i]);
		}
	}
	if (semantics && t->vertex.is_projected) {
		printf("       window             %.9g %.9g %.9g\n", (double)t->vertex.window[0],
				(double)t->vertex.window[1], (double)t->vertex.window[2]);
	}
}

/* ---- JSON ---- */

static json_t *vector_json(const float *v, unsigned n) {
	json_t *out = json_array();
	for (unsigned k = 0; k < n; k++) {
		json_array_append_new(out, json_finite((double)v[k]));
	}
	return out;
}

static json_t *words_json(const float v[4], bool is_f24) {
	json_t *out = json_array();
	for (unsigned k = 0; k < 4; k++) {
		json_array_append_new(out, is_f24 ?
				json_sprintf("0x%06" PRIX32, pica_f24(v[k])) :
				json_sprintf("0x%08" PRIX32, f32_bits(v[k])));
	}
	return out;
}

static json_t *step_json(const struct trace *t, const struct pica_shader_step *s) {
	char text[PICA_SHADER_LINE], name[REGISTER], letters[5];
	unsigned n = 0;
	instruction_text(t, s->address, text);
	json_t *sources = json_array(),
	       *out = json_pack("{s:o, s:s, s:[b,b], s:[i,i], s:i, s:o}", "address",
			json_sprintf("0x%03X", s->address), "instruction", text, "flags",
			s->flags[0], s->flags[1], "a", s->a[0], s->a[1], "al", s->al, "sources",
			sources);
	for (unsigned i = 0; i < s->n_sources; i++) {
		json_array_append_new(sources, json_pack("{s:s, s:o, s:o}",
				"register", register_name(name, s->source[i], 'v'),
				"value", vector_json(s->value[i], 4),
				"f32", words_json(s->value[i], false)));
	}
	if (s->destination != PICA_STEP_NOTHING) {
		for (unsigned k = 0; k < 4; k++) {
			letters[n] = "xyzw"[k];
			n += s->mask >> k & 1;
		}
		letters[n] = '\0';
		json_object_set_new(out, "result", json_pack("{s:s, s:s, s:o, s:o, s:o}",
				"register", register_name(name, s->destination, 'o'),
				"components", letters,
				"value", vector_json(s->result, 4),
				"f24", words_json(s->result, true),
				"f32", words_json(s->result, false)));
	}
	return out;
}

/* The output registers in the mask. */
static json_t *outputs_json(uint32_t mask, const float output[16][4]) {
	json_t *o = json_object();
	char name[REGISTER];
	for (unsigned i = 0; i < 16; i++) {
		if (mask >> i & 1) {
			json_object_set_new(o, register_name(name, i, 'o'), json_pack("{s:o, s:o}",
					"value", vector_json(output[i], 4), "f32",
					words_json(output[i], false)));
		}
	}
	return o;
}

static void add_run(const struct trace *t, json_t *report) {
	const struct pica_geometry_run *r = &t->run;
	const uint32_t mask = get_SH_OUTMAP_MASK_MASK(
			t->here->state.regs[PICA_REG_GSH_OUTMAP_MASK]);
	json_t *emits = json_array();
	for (uint32_t i = 0; i < n_emits(t); i++) {
		const struct pica_geometry_emit *e = &r->emit[i];
		json_array_append_new(emits, json_pack("{s:I, s:i, s:b, s:b, s:o}", "step",
				(json_int_t)e->step, "vertex", e->slot, "is_last", e->is_last,
				"is_inverted", e->is_inverted, "outputs",
				outputs_json(mask, e->output)));
	}
	json_object_set_new(report, "run", json_integer(r->run));
	json_object_set_new(report, "first_primitive", json_integer(r->first_triangle));
	json_object_set_new(report, "primitives", json_integer(r->n_triangles));
	json_object_set_new(report, "instructions", json_integer(t->n - 1));
	json_object_set_new(report, "emits", emits);
}

static void add_vertex(const struct trace *t, json_t *report) {
	uint32_t semantics;
	const uint32_t mask = outputs(t, &semantics);
	json_t *mapped = json_object();
	for (unsigned i = 0; i < PICA_VERTEX_SEMANTICS; i++) {
		if (semantics >> i & 1) {
			json_object_set_new(mapped, field_text("SEMANTIC", i),
					json_finite((double)t->vertex.semantic[i]));
		}
	}
	json_object_set_new(report, "vertex", json_integer(t->o->number[t->of]));
	json_object_set_new(report, "outputs", outputs_json(mask, t->vertex.output));
	json_object_set_new(report, "semantics", mapped);
	json_object_set_new(report, "window", semantics && t->vertex.is_projected ?
			vector_json(t->vertex.window, 3) : json_null());
}

static json_t *trace_json(const struct trace *t) {
	json_t *report = json_report("shader"), *steps = json_array();
	for (uint32_t i = 0; i + 1 < n_steps(t); i++) {
		json_array_append_new(steps, step_json(t, &t->steps[i]));
	}
	json_object_set_new(report, "capture", json_text(t->o->capture));
	json_object_set_new(report, "frame", json_integer(t->frame));
	json_object_set_new(report, "draw", json_integer(t->o->draw));
	json_object_set_new(report, "steps", steps);
	if (is_geometry(t)) {
		add_run(t, report);
	} else {
		add_vertex(t, report);
	}
	return report;
}

/* ---- All of it ---- */

static int find(struct trace *t, struct pica_capture *capture) {
	static const char *const names[] = { "vertex", "primitive", "run of its geometry program" };
	const struct shader_trace_options *o = t->o;
	const uint32_t n_frames = capture_frames(capture);
	t->frame = o->frame == FRAME_LAST ? n_frames - 1 : o->frame;
	if (!capture_has_frame(o->capture, n_frames, t->frame)) {
		return EXIT_TROUBLE;
	}
	const int ret = gather(t, capture);
	if (ret < 0) {
		return capture_failed(capture, o->capture, ret);
	}
	if (!t->has_draw) {
		return log_fail("%s: frame %" PRIu32 " has no draw %" PRIu32
				" (draws count from 0)", o->capture, t->frame, o->draw);
	}
	if (t->n == -ENOEXEC) {
		return log_fail("%s: frame %" PRIu32 " draw %" PRIu32 " has no geometry program",
				o->capture, t->frame, o->draw);
	}
	if (t->n == -EINVAL || t->n == 0) {
		return log_fail("%s: frame %" PRIu32 " draw %" PRIu32 " has no %s %" PRIu32
				" (they count from 0)",
				o->capture, t->frame, o->draw, names[t->of], o->number[t->of]);
	}
	if (t->n < 0) {
		return log_fail("%s: %s %" PRIu32 ": %s", o->capture, names[t->of],
				o->number[t->of], t->n == -ERANGE ? "the arrays or indices do not lie in memory" :
				strerror((int)-t->n));
	}
	return EXIT_FINE;
}

static int begin(struct trace *t, const struct shader_trace_options *o, struct pica_ctx *ctx) {
	*t = (struct trace){ .o = o, .ctx = ctx, .here = calloc(1, sizeof(*t->here)) };
	while (o->given >> t->of > 1) {
		t->of++;
	}
	return t->here ? EXIT_FINE : log_no_memory();
}

static void finish(struct trace *t) {
	dump_immediate_finish(&t->immediate);
	free(t->steps);
	free(t->here);
	if (t->ctx) {
		pica_ctx_trace_geometry(t->ctx, -1, 0);
	}
}

int shader_trace(const struct shader_trace_options *o) {
	struct trace t = { 0 };
	struct capture_here c;
	int exit = capture_here_open(&c, o->capture, &o->engine);
	if (exit == EXIT_FINE && c.info.chip == PICA_CHIP_VC4) {
		exit = videocore_trace(o, &c, NULL);
		capture_here_close(&c);
		return exit;
	}
	exit = exit == EXIT_FINE ? begin(&t, o, c.ctx) : exit;
	exit = exit == EXIT_FINE ? find(&t, c.capture) : exit;
	if (exit == EXIT_FINE && o->json) {
		exit = json_finish(trace_json(&t), exit);
	} else if (exit == EXIT_FINE) {
		output_page();
		snapshot_title(t.here, stdout);
		if (is_geometry(&t)) {
			print_run(&t);
		} else {
			print_vertex(&t);
		}
	}
	finish(&t);
	capture_here_close(&c);
	return exit;
}

int shader_trace_in(const struct shader_trace_options *o, struct capture_here *c, json_t **out) {
	struct trace t;
	pica_ctx_zero_memory(c->ctx);
	if (c->info.chip == PICA_CHIP_VC4) {
		return videocore_trace(o, c, out);
	}
	int exit = begin(&t, o, c->ctx);
	exit = exit == EXIT_FINE ? find(&t, c->capture) : exit;
	*out = exit == EXIT_FINE ? trace_json(&t) : NULL;
	finish(&t);
	return exit;
}
