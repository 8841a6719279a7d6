/* pica shader trace: a vertex program on one vertex, step by step. */
#include "shader/shader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/facts.h"
#include "common/json.h"
#include "common/output.h"
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
	struct pica_vertex vertex;
	bool in_draw, has_draw;
};

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
		t->n = dump_trace(t->ctx, t->here, &t->immediate, t->o->vertex, t->steps, room,
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

/* Only vertices were written since an immediate draw began. */
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
	int ret = step_start(&step, gpu_here(t->ctx), capture,
			replay_first(capture, t->frame, t->o->engine.float_mode,
					t->o->engine.combiner, false),
			&visitor, t);
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

static uint32_t f32_word(float x) {
	uint32_t word;
	memcpy(&word, &x, sizeof(word));
	return word;
}

static void instruction_text(const struct trace *t, unsigned address, char text[PICA_SHADER_LINE]) {
	const struct pica_shader_state *unit = &t->here->state.vs;
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
					f32_word(s->result[k]));
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

static void print_text(const struct trace *t) {
	char name[REGISTER];
	uint32_t semantics;
	const uint32_t mask = outputs(t, &semantics);
	snapshot_title(t->here, stdout);
	printf("vertex %" PRIu32 ": %" PRId64 " instructions\n\n", t->o->vertex, t->n - 1);
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
				json_sprintf("0x%08" PRIX32, f32_word(v[k])));
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

static json_t *trace_json(const struct trace *t) {
	char name[REGISTER];
	uint32_t semantics;
	const uint32_t mask = outputs(t, &semantics);
	json_t *report = json_report("shader"), *steps = json_array(), *o = json_object(),
	       *mapped = json_object();
	for (int64_t i = 0; i + 1 < t->n; i++) {
		json_array_append_new(steps, step_json(t, &t->steps[i]));
	}
	for (unsigned i = 0; i < 16; i++) {
		if (mask >> i & 1) {
			json_object_set_new(o, register_name(name, i, 'o'), json_pack("{s:o, s:o}",
					"value", vector_json(t->vertex.output[i], 4), "f32",
					words_json(t->vertex.output[i], false)));
		}
	}
	for (unsigned i = 0; i < PICA_VERTEX_SEMANTICS; i++) {
		if (semantics >> i & 1) {
			json_object_set_new(mapped, field_text("SEMANTIC", i),
					json_finite((double)t->vertex.semantic[i]));
		}
	}
	json_object_set_new(report, "capture", json_text(t->o->capture));
	json_object_set_new(report, "frame", json_integer(t->frame));
	json_object_set_new(report, "draw", json_integer(t->o->draw));
	json_object_set_new(report, "vertex", json_integer(t->o->vertex));
	json_object_set_new(report, "steps", steps);
	json_object_set_new(report, "outputs", o);
	json_object_set_new(report, "semantics", mapped);
	json_object_set_new(report, "window", semantics && t->vertex.is_projected ?
			vector_json(t->vertex.window, 3) : json_null());
	return report;
}

/* ---- All of it ---- */

static int find(struct trace *t, struct pica_capture *capture) {
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
	if (t->n == -EINVAL) {
		return log_fail("%s: frame %" PRIu32 " draw %" PRIu32 " has no vertex %" PRIu32
				" (vertices count from 0)",
				o->capture, t->frame, o->draw, o->vertex);
	}
	if (t->n < 0) {
		return log_fail("%s: vertex %" PRIu32 ": %s", o->capture, o->vertex,
				t->n == -ERANGE ? "the arrays or indices do not lie in memory" :
				strerror((int)-t->n));
	}
	return EXIT_FINE;
}

static int begin(struct trace *t, const struct shader_trace_options *o, struct pica_ctx *ctx) {
	*t = (struct trace){ .o = o, .ctx = ctx, .here = calloc(1, sizeof(*t->here)) };
	return t->here ? EXIT_FINE : log_no_memory();
}

static void finish(struct trace *t) {
	dump_immediate_finish(&t->immediate);
	free(t->steps);
	free(t->here);
}

int shader_trace(const struct shader_trace_options *o) {
	struct trace t = { 0 };
	struct capture_here c;
	int exit = capture_here_open(&c, o->capture, &o->engine);
	if (exit == EXIT_FINE && c.info.chip == PICA_CHIP_VC4) {
		exit = videocore_trace(o, &c);
		capture_here_close(&c);
		return exit;
	}
	exit = exit == EXIT_FINE ? begin(&t, o, c.ctx) : exit;
	exit = exit == EXIT_FINE ? find(&t, c.capture) : exit;
	if (exit == EXIT_FINE && o->json) {
		exit = json_finish(trace_json(&t), exit);
	} else if (exit == EXIT_FINE) {
		output_page();
		print_text(&t);
	}
	finish(&t);
	capture_here_close(&c);
	return exit;
}

int shader_trace_in(const struct shader_trace_options *o, struct capture_here *c, json_t **out) {
	struct trace t;
	int exit = begin(&t, o, c->ctx);
	pica_ctx_zero_memory(c->ctx);
	exit = exit == EXIT_FINE ? find(&t, c->capture) : exit;
	*out = exit == EXIT_FINE ? trace_json(&t) : NULL;
	finish(&t);
	return exit;
}
