/* The control lists of a frame, record by record, and the programs of its draws. */
#include "videocore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/json.h"
#include "common/output.h"
#include "dump/dump.h"
#include "vc4/qpu/qpu.h"

enum {
	RECORD_TEXT = 512,
	PROGRAM_WORDS = 4096, /* maximum number of words written of a program */
	DELAY_SLOTS = 2,      /* of the end */
	BRANCH_SLOTS = 4,     /* a relative address counts from the end of these */
};

struct program {
	const char *kind;
	uint32_t addr;
};

struct dump {
	const struct dump_options *o;
	const struct space *space;
	json_t *jobs, *records, *programs; /* NULL: text; records: of the job, borrowed */
	struct program *seen;              /* owned: programs that were written */
	unsigned n_seen;
	size_t seen_cap;
	int list;  /* the list being printed; -1: none yet */
	int error; /* -ENOMEM */
};

static const char *const list_names[] = { "binning", "rendering" };

/* ---- Records ---- */

static void on_begin(void *user, const struct videocore_job *job) {
	struct dump *d = user;
	d->list = -1;
	if (d->jobs) {
		d->records = json_array();
		json_array_append_new(d->jobs, json_pack("{sI sI so}", "job",
				(json_int_t)job->number, "offset", (json_int_t)job->offset,
				"records", d->records));
	} else if (d->o->what & DUMP_LIST) {
		printf("%sframe %" PRIu32 ", job %" PRIu32 ": byte 0x%" PRIX64 "\n",
				job->number ? "\n" : "", job->frame, job->number, job->offset);
	}
}

/* Prints a record in memory, indented below the one that names it. */
static void put_memory(struct dump *d, unsigned depth, const char *name, uint32_t addr) {
	const struct vc4_record *record = vc4_record_named(name);
	uint8_t bytes[VC4_SIZE_GL_SHADER_RECORD];
	char text[RECORD_TEXT];
	if (space_read(d->space, addr & VC4_ADDRESS_BITS, bytes, record->size_bytes)) {
		return; /* the reader says so */
	}
	vc4_record_text(record, bytes, text, sizeof(text));
	if (d->records) {
		json_array_append_new(d->records, json_pack("{so ss ss}", "addr",
				json_addr(addr & VC4_ADDRESS_BITS), "name", name, "text", text));
	} else {
		printf("  0x%08" PRIx32 "           %*s%s\n", addr & VC4_ADDRESS_BITS,
				(int)(2 * depth), "", text);
	}
}

static void put_shader(struct dump *d, const struct vc4_step *s) {
	if (s->record->op == VC4_OP_NV_SHADER_STATE) {
		put_memory(d, s->depth, "NV_SHADER_RECORD", VC4_NV_SHADER_STATE_ADDRESS(s->bytes));
	} else if (s->record->op == VC4_OP_GL_SHADER_STATE) {
		const uint32_t addr = VC4_GL_SHADER_STATE_ADDRESS(s->bytes);
		const uint32_t arrays = VC4_GL_SHADER_STATE_ARRAYS(s->bytes);
		const uint32_t n = arrays ? arrays : VC4_MAX_ARRAYS;
		put_memory(d, s->depth, "GL_SHADER_RECORD", addr);
		for (uint32_t i = 0; i < n; i++) {
			put_memory(d, s->depth, "ATTRIBUTE_ARRAY", addr +
					VC4_SIZE_GL_SHADER_RECORD + i * VC4_SIZE_ATTRIBUTE_ARRAY);
		}
		for (uint32_t i = 0; VC4_GL_SHADER_STATE_EXTENDED(s->bytes) && i < n; i++) {
			put_memory(d, s->depth, "STRIDE_EXTENSION", addr + VC4_EXTENSIONS_AT +
					i * VC4_SIZE_STRIDE_EXTENSION);
		}
	}
}

static void on_record(void *user, const struct vc4_step *s) {
	struct dump *d = user;
	char text[RECORD_TEXT];
	if (!(d->o->what & DUMP_LIST)) {
		return;
	}
	vc4_record_text(s->record, s->bytes, text, sizeof(text));
	if (d->records) {
		json_array_append_new(d->records, json_pack("{ss sI so sI ss ss}", "list",
				list_names[s->list], "offset", (json_int_t)s->offset, "addr",
				json_addr(s->address), "depth", (json_int_t)s->depth, "name",
				s->record->name, "text", text));
	} else {
		if (d->list != s->list) {
			printf("%s list\n", list_names[s->list]);
		}
		printf("  0x%08" PRIx32 " +0x%06" PRIx32 " %*s%s\n", s->address, s->offset,
				2 * s->depth, "", text);
	}
	d->list = s->list;
	put_shader(d, s);
}

/* ---- Programs ---- */

void videocore_print_program(const struct space *space, uint32_t addr, FILE *out) {
	uint32_t end = PROGRAM_WORDS, furthest = 0;
	for (uint32_t i = 0; i < end; i++) {
		uint64_t word;
		char text[QPU_TEXT_SIZE];
		if (space_read(space, addr + 8 * i, &word, sizeof(word))) {
			fputs("# outside memory\n", out);
			return;
		}
		const struct qpu_instruction q = qpu_decode(word);
		qpu_disassemble(word, text);
		fprintf(out, "%s\n", text);
		if (q.sig == QPU_SIG_BRANCH && q.is_relative && !q.has_register) {
			const uint32_t target =
					i + BRANCH_SLOTS + (uint32_t)((int32_t)q.immediate / 8);
			furthest = target < PROGRAM_WORDS && target > furthest ? target : furthest;
		}
		const bool ends = q.sig == QPU_SIG_PROGRAM_END || q.sig == QPU_SIG_COLOR_LOAD_END;
		if (ends && i >= furthest && end == PROGRAM_WORDS) {
			end = i + 1 + DELAY_SLOTS;
		}
	}
}

static void put_program(struct dump *d, const char *kind, uint32_t addr) {
	for (unsigned i = 0; i < d->n_seen; i++) {
		if (d->seen[i].addr == addr && d->seen[i].kind == kind) {
			return;
		}
	}
	struct program *seen = array_room(d->seen, d->n_seen, &d->seen_cap, sizeof(*seen));
	char *text = NULL;
	size_t size = 0;
	FILE *out = seen ? open_memstream(&text, &size) : NULL;
	if (!out) {
		d->seen = seen ? seen : d->seen;
		d->error = -ENOMEM;
		return;
	}
	d->seen = seen;
	d->seen[d->n_seen++] = (struct program){ kind, addr };
	videocore_print_program(d->space, addr, out);
	if (fclose(out)) {
		d->error = -ENOMEM;
	} else if (d->programs) {
		json_array_append_new(d->programs, json_pack("{ss so so}", "kind", kind, "addr",
				json_addr(addr), "source", json_text(text)));
	} else {
		printf("\n# %s program at 0x%08" PRIx32 "\n%s", kind, addr, text);
	}
	free(text);
}

static void on_end(void *user, const struct videocore_job *job) {
	static const char coordinate[] = "coordinate", vertex[] = "vertex", fragment[] = "fragment";
	struct dump *d = user;
	if (job->error.error) {
		char text[RECORD_TEXT];
		vc4_error_text(&job->error, text, sizeof(text));
		if (d->records) {
			json_object_set_new(json_array_get(d->jobs, json_array_size(d->jobs) - 1),
					"error", json_string(text));
		} else {
			printf("  %s\n", text);
		}
		return;
	}
	for (uint32_t i = 0; (d->o->what & DUMP_SHADERS) && i < job->read.n_draws; i++) {
		const struct vc4_shader *s = job->read.draws[i].state->shader;
		if (!s->is_nv) {
			put_program(d, coordinate, s->coordinate.code);
			put_program(d, vertex, s->vertex.code);
		}
		put_program(d, fragment, s->fragment.code);
	}
}

/* ---- The verb ---- */

static int gather(struct dump *d, struct videocore_walk *w, const struct capture_here *c,
		uint32_t frame, uint32_t n_frames) {
	static const struct videocore_visitor visitor = { .begin = on_begin, .record = on_record,
		.end = on_end };
	const struct engine_options *e = &d->o->engine;
	const uint32_t first = replay_first(
			c->capture, frame, e->float_mode, e->combiner, false);
	int ret = videocore_start(w, c, first, &visitor, d);
	capture_note_skipped(c->capture, c->path, ret == 0 && w->replay.skipped_key);
	d->space = w->job.space;
	for (uint32_t f = (uint32_t)w->replay.frames; ret >= 0 && f <= frame; f++) {
		ret = videocore_frame(w, f == frame);
		ret = ret < 0 ? ret : d->error;
		log_progress(c->name, f + 1, n_frames);
	}
	return ret;
}

int videocore_dump(
		const struct dump_options *o, const struct capture_here *c, json_t *reports) {
	struct dump d = { .o = o, .list = -1 };
	struct videocore_walk walk;
	const uint32_t n_frames = capture_frames(c->capture);
	const uint32_t frame = o->at.frame == FRAME_LAST ? n_frames - 1 : o->at.frame;
	if (o->at.is_given || o->output || o->groups != SNAPSHOT_ALL) {
		return log_fail("%s: a capture of a vc4: expected --frame, --list, --shaders and --json only",
				c->path);
	}
	if (!capture_has_frame(c->path, n_frames, frame)) {
		return EXIT_TROUBLE;
	}
	if (o->json) {
		d.jobs = json_array();
		d.programs = json_array();
	} else {
		output_page();
	}
	const int ret = gather(&d, &walk, c, frame, n_frames);
	log_end();
	int exit = ret < 0 ? capture_failed(c->capture, c->path, ret) : EXIT_FINE;
	if (ret == 0 && o->json) {
		json_t *report = json_report("dump");
		json_object_set_new(report, "path", json_text(c->path));
		json_object_set_new(report, "name", json_text(c->name));
		json_object_set_new(report, "frame", json_integer(frame));
		json_object_set(report, "jobs", d.jobs);
		json_object_set(report, "programs", d.programs);
		exit = json_put(report, reports, exit);
	}
	exit = worse(exit, ret < 0 ? EXIT_FINE : replay_job_failed(&walk.replay, c->path));
	json_decref(d.jobs);
	json_decref(d.programs);
	free(d.seen);
	videocore_finish(&walk);
	return exit;
}
