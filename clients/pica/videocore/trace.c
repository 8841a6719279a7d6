/* pica shader trace: the coordinate and the vertex program of a VideoCore IV on one vertex. */
#include "videocore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/output.h"
#include "core/base/f24.h"
#include "shader/shader.h"
#include "vc4/run/run.h"

enum { COORDINATE_ROWS = 7, VERTEX_ROWS = 3, XY_FX4 = 16, NAME_TEXT = 16 };

/* A program that has run. */
struct traced {
	const char *kind;
	struct vc4_program program;
	struct pica_qpu_step *steps; /* owned */
	uint32_t n_steps;
	unsigned n_rows; /* of its results */
	PICA_ALIGNED(64) uint32_t out[QPU_VPM_ROWS][QPU_LANES];
	uint64_t written;
	int error; /* of the program; 0: it ended */
	struct qpu_fault fault;
};

struct trace {
	const struct shader_trace_options *o;
	uint32_t frame, n_draws; /* of the frame so far */
	bool has_draw, has_vertex, is_nv, has_point_size;
	uint32_t number; /* of the vertex in the arrays */
	struct traced of[2];
	int error; /* a negative errno: the trace failed */
};

/* ---- Gathering ---- */

static bool find_vertex(struct trace *t, const struct space *space, const struct vc4_draw *d) {
	const uint32_t i = t->o->number[SHADER_OF_VERTEX];
	if (i >= d->count) {
		return false;
	}
	t->number = d->first + i;
	if (d->index_bytes) {
		t->number = 0;
		space_read(space, d->indices + i * d->index_bytes, &t->number, d->index_bytes);
	}
	return true;
}

/* Fills lane 0 of the input rows. Returns how many there are, or -ERANGE. */
static int fetch(const struct space *space, const struct vc4_shader *s, const struct vc4_program *p,
		bool is_coordinate, uint32_t number, uint32_t in[QPU_VPM_ROWS][QPU_LANES]) {
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_arrays; i++) {
		const struct vc4_array *a = &s->array[i];
		const uint64_t at = a->address + (uint64_t)number * a->stride_bytes;
		const unsigned first =
				(is_coordinate ? a->coordinate_offset : a->vertex_offset) / 4;
		if (!(p->arrays >> i & 1)) {
			continue;
		}
		uint32_t words[64] = { 0 };
		const uint8_t *host = at > UINT32_MAX ? NULL :
				space_host(space, (uint32_t)at, a->size_bytes);
		if (!host) {
			return -ERANGE;
		}
		memcpy(words, host, a->size_bytes);
		for (unsigned k = 0; 4 * k < a->size_bytes && first + k < QPU_VPM_ROWS; k++) {
			in[first + k][0] = words[k];
			n = first + k + 1 > n ? first + k + 1 : n;
		}
	}
	return (int)n;
}

/* Returns 0 or a negative errno; t->error is that of the program. */
static int run(struct traced *t, const struct space *space, const struct vc4_shader *s,
		bool is_coordinate, uint32_t number) {
	static PICA_ALIGNED(64) uint32_t in[QPU_VPM_ROWS][QPU_LANES];
	static PICA_ALIGNED(64) unsigned char scratch[QPU_SCRATCH_BYTES];
	struct qpu_program *program = NULL;
	t->kind = is_coordinate ? "coordinate" : "vertex";
	t->program = is_coordinate ? s->coordinate : s->vertex;
	t->n_rows = s->has_point_size +
			(is_coordinate ? COORDINATE_ROWS : VERTEX_ROWS + s->n_varyings);
	memset(in, 0, sizeof(in));
	const int n_in = fetch(space, s, &t->program, is_coordinate, number, in);
	if (n_in < 0) {
		return n_in;
	}
	t->steps = malloc(QPU_MAX_STEPS * sizeof(*t->steps));
	if (!t->steps) {
		return -ENOMEM;
	}
	struct qpu_trace trace = { .steps = t->steps, .cap = QPU_MAX_STEPS };
	t->error = qpu_program_create(&program, space, t->program.code, &t->fault);
	if (t->error == 0) {
		struct qpu_run r = { .program = program,
			.space = space,
			.uniforms = t->program.uniforms,
			.n_lanes = 1,
			.scratch = scratch,
			.vpm_in = (const uint32_t(*)[QPU_LANES])in,
			.n_in = (unsigned)n_in,
			.vpm_out = t->out,
			.trace = &trace };
		t->error = qpu_run_c(&r);
		t->fault = r.fault;
		t->written = r.written;
	}
	t->n_steps = trace.n < trace.cap ? trace.n : trace.cap;
	qpu_program_destroy(program);
	return t->error == -ENOMEM ? -ENOMEM : 0;
}

static void on_end(void *user, const struct videocore_job *job) {
	struct trace *t = user;
	const uint32_t draw = t->o->draw - t->n_draws;
	const bool is_here = t->o->draw >= t->n_draws && draw < job->read.n_draws;
	t->n_draws += job->read.n_draws;
	if (job->error.error || !is_here) {
		return;
	}
	const struct vc4_draw *d = &job->read.draws[draw];
	const struct vc4_shader *s = d->state->shader;
	t->has_draw = true;
	t->is_nv = s->is_nv;
	t->has_point_size = s->has_point_size;
	t->has_vertex = find_vertex(t, job->space, d);
	for (unsigned i = 0; i < 2 && t->has_vertex && !t->is_nv && t->error == 0; i++) {
		t->error = run(&t->of[i], job->space, s, i == 0, t->number);
	}
}

/* ---- Printing ---- */

static const char *row_name(
		const struct trace *t, const struct traced *of, unsigned row, char out[NAME_TEXT]) {
	static const char *const names[] = { "Xc", "Yc", "Zc", "Wc", "Xs, Ys", "Zs", "1/Wc" };
	const bool is_coordinate = of == &t->of[0];
	const unsigned i = is_coordinate ? row : row + COORDINATE_ROWS - VERTEX_ROWS;
	if (i < COORDINATE_ROWS) {
		snprintf(out, NAME_TEXT, "%s", names[i]);
	} else if (t->has_point_size && i == COORDINATE_ROWS) {
		snprintf(out, NAME_TEXT, "point size");
	} else {
		snprintf(out, NAME_TEXT, "varying %u", i - COORDINATE_ROWS - t->has_point_size);
	}
	return out;
}

static void print_program(const struct trace *t, const struct traced *of) {
	char name[NAME_TEXT];
	printf("%s program %08" PRIX32 ", uniforms %08" PRIX32 ", %" PRIu32 " instructions\n",
			of->kind, of->program.code, of->program.uniforms, of->n_steps);
	for (uint32_t i = 0; i < of->n_steps; i++) {
		videocore_print_step(&of->steps[i]);
	}
	if (of->error) {
		printf("  the program failed at %08" PRIX32 ": %s: %s\n", of->fault.address,
				strerror(-of->error), of->fault.why);
		return;
	}
	for (unsigned row = 0; row < of->n_rows; row++) {
		const uint32_t word = of->out[row][0];
		printf("  %-10s", row_name(t, of, row, name));
		if (!(of->written >> row & 1)) {
			printf(" not written\n");
		} else if (strcmp(name, "Xs, Ys") == 0) {
			printf(" %08" PRIX32 " (%g, %g)\n", word, (double)(int16_t)word / XY_FX4,
					(double)(int16_t)(word >> 16) / XY_FX4);
		} else {
			printf(" %08" PRIX32 " (%.7g)\n", word, (double)f32_from_bits(word));
		}
	}
}

static json_t *program_json(const struct trace *t, const struct traced *of) {
	json_t *steps = json_array(), *outputs = json_object();
	char name[NAME_TEXT];
	for (uint32_t i = 0; i < of->n_steps; i++) {
		json_array_append_new(steps, videocore_step_json(&of->steps[i]));
	}
	for (unsigned row = 0; row < of->n_rows && of->error == 0; row++) {
		json_object_set_new(outputs, row_name(t, of, row, name),
				of->written >> row & 1 ? json_addr(of->out[row][0]) : json_null());
	}
	json_t *j = json_pack("{ss so so so so}", "kind", of->kind, "program",
			json_addr(of->program.code), "uniforms", json_addr(of->program.uniforms),
			"steps", steps, "outputs", outputs);
	if (of->error) {
		json_object_set_new(j, "error", json_string(strerror(-of->error)));
	}
	return j;
}

static json_t *report_of(const struct trace *t) {
	const struct shader_trace_options *o = t->o;
	json_t *report = json_report("shader"), *programs = json_array();
	for (unsigned i = 0; i < 2; i++) {
		json_array_append_new(programs, program_json(t, &t->of[i]));
	}
	json_object_set_new(report, "capture", json_text(o->capture));
	json_object_set_new(report, "frame", json_integer(t->frame));
	json_object_set_new(report, "draw", json_integer(o->draw));
	json_object_set_new(report, "vertex", json_integer(o->number[SHADER_OF_VERTEX]));
	json_object_set_new(report, "programs", programs);
	return report;
}

static int print(const struct trace *t) {
	if (t->o->json) {
		return json_finish(report_of(t), EXIT_FINE);
	}
	output_page();
	print_program(t, &t->of[0]);
	print_program(t, &t->of[1]);
	return EXIT_FINE;
}

/* ---- All of it ---- */

static int gather(struct trace *t, const struct capture_here *c) {
	static const struct videocore_visitor visitor = { .end = on_end };
	const struct engine_options *e = &t->o->engine;
	struct videocore_walk walk;
	int ret = videocore_start(&walk, c,
			replay_first(c->capture, t->frame, e->float_mode, e->combiner, false),
			&visitor, t);
	capture_note_skipped(c->capture, c->path, ret == 0 && walk.replay.skipped_key);
	for (uint32_t f = (uint32_t)walk.replay.frames; ret >= 0 && f <= t->frame; f++) {
		ret = videocore_frame(&walk, f == t->frame);
	}
	videocore_finish(&walk);
	return t->has_draw ? 0 : ret;
}

static int find(struct trace *t, const struct capture_here *c) {
	const struct shader_trace_options *o = t->o;
	const uint32_t n_frames = capture_frames(c->capture);
	t->frame = o->frame == FRAME_LAST ? n_frames - 1 : o->frame;
	if (!capture_has_frame(o->capture, n_frames, t->frame)) {
		return EXIT_TROUBLE;
	}
	const int ret = gather(t, c);
	if (ret < 0) {
		return capture_failed(c->capture, o->capture, ret);
	}
	if (!t->has_draw) {
		return log_fail("%s: frame %" PRIu32 " has no draw %" PRIu32
				" (draws count from 0)",
				o->capture, t->frame, o->draw);
	}
	if (o->given & ~(1u << SHADER_OF_VERTEX)) {
		return log_fail("%s: a VideoCore IV has no geometry program: expected --vertex",
				o->capture);
	}
	if (t->is_nv) {
		return log_fail("%s: frame %" PRIu32 " draw %" PRIu32
				": an NV shader record has no vertex program",
				o->capture, t->frame, o->draw);
	}
	if (!t->has_vertex) {
		return log_fail("%s: frame %" PRIu32 " draw %" PRIu32 " has no vertex %" PRIu32
				" (vertices count from 0)",
				o->capture, t->frame, o->draw, o->number[SHADER_OF_VERTEX]);
	}
	if (t->error == 0) {
		return EXIT_FINE;
	}
	return log_fail("%s: vertex %" PRIu32 ": %s", o->capture, o->number[SHADER_OF_VERTEX],
			t->error == -ERANGE ? "the arrays do not lie in memory" :
			strerror(-t->error));
}

int videocore_trace(
		const struct shader_trace_options *o, const struct capture_here *c, json_t **out) {
	struct trace *t = aligned_alloc(64, (sizeof(*t) + 63) & ~(size_t)63);
	if (!t) {
		return log_no_memory();
	}
	memset(t, 0, sizeof(*t));
	t->o = o;
	int exit = find(t, c);
	if (exit == EXIT_FINE && out) {
		*out = report_of(t);
	} else if (exit == EXIT_FINE) {
		exit = print(t);
	}
	free(t->of[0].steps);
	free(t->of[1].steps);
	free(t);
	return exit;
}
