/* pica dump: command lists by name, and the state that a draw sees. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/output.h"
#include "common/snapshot.h"
#include "dump/dump.h"
#include "pictures/file.h"
#include "pictures/plain.h"
#include "verbs.h"
#include "videocore/videocore.h"

struct dump {
	const struct dump_options *o;
	const char *path, *name; /* of the capture */
	json_t *reports;      /* of several captures, or NULL; borrowed */
	struct pica_ctx *ctx; /* borrowed */
	uint32_t frame, since_frame; /* resolved */
	struct snapshot *here, *then;
	bool has_here, has_then;
	bool in_draw;     /* between the beginning and the end of that draw */
	struct dump_list list;
	struct dump_files files;
	struct dump_immediate immediate;
	char *csv;        /* vertices for the standard output; ours */
	size_t csv_size;
	bool list_on;     /* writes are shown now */
	uint32_t draws;   /* of the frame */
};

/* ---- Gathering ---- */

/* With --draw, shows the writes between the previous draw and this one, including this one's. */
static void choose_writes(struct dump *d, uint32_t frame, uint32_t next_draw) {
	const struct dump_options *o = d->o;
	d->list_on = (o->what & DUMP_LIST) && frame == d->frame &&
			(!o->at.is_given || next_draw == o->at.draw);
}

static int on_event(void *user, const struct pica_capture_event *event) {
	struct dump *d = user;
	const bool is_key = event->kind == PICA_CAPTURE_MEMORY && event->frame > 0;
	if (d->list_on && !d->o->at.is_given && !is_key) {
		dump_list_event(&d->list, event);
	}
	return 0;
}

static void on_list(void *user, uint32_t addr, uint32_t size_bytes, bool is_jump) {
	struct dump *d = user;
	if (d->list_on) {
		dump_list_list(&d->list, addr, size_bytes, is_jump);
	}
}

static void on_list_end(void *user) {
	struct dump *d = user;
	if (d->list_on) {
		dump_list_end(&d->list);
	}
}

static void on_write(void *user, const struct pica_list_write *w, bool from_list) {
	struct dump *d = user;
	if (d->list_on) {
		dump_list_write(&d->list, w, from_list);
	} else {
		dump_list_skip(&d->list, w);
	}
}

static bool is_here(const struct dump *d, const struct step_draw *draw) {
	return d->o->at.is_given && draw->frame == d->frame && draw->draw == d->o->at.draw;
}

/* ---- Vertices ---- */

static bool has_geometry(const struct dump *d) {
	return facts_has_geometry(d->here->state.regs);
}

/* Returns the number of programs to print: the vertex program is first. */
static int n_programs(const struct dump *d) {
	return !(d->o->what & DUMP_SHADERS) ? 0 : has_geometry(d) ? 2 : 1;
}

static const char *vertex_error(int ret) {
	return ret == -ERANGE ? "vertices: the arrays or indices do not lie in memory" :
				strerror(-ret);
}

/* Prints vertices to some files: of the draw, or of its geometry shader. */
typedef int print_fn(struct dump *d, FILE *const to[DUMP_VERTEX_FILES]);

static int print_vertices(struct dump *d, FILE *const to[DUMP_VERTEX_FILES]) {
	return dump_vertices(d->ctx, d->here, &d->immediate, UINT32_MAX, to);
}

static int print_geometry(struct dump *d, FILE *const to[DUMP_VERTEX_FILES]) {
	return dump_geometry(d->ctx, d->here, UINT32_MAX, to);
}

static void vertex_files(
		struct dump *d, print_fn *print, const char *const *names, const unsigned n) {
	FILE *to[DUMP_VERTEX_FILES] = { NULL };
	struct file_out out[DUMP_VERTEX_FILES];
	char *path[DUMP_VERTEX_FILES] = { NULL };
	int ret = 0;
	unsigned begun = 0;
	for (unsigned i = 0; ret == 0 && i < n; i++) {
		path[i] = dump_files_path(&d->files, names[i]);
		ret = path[i] ? file_begin(&out[i], path[i]) : -ENOMEM;
		if (ret == 0) {
			to[begun++] = out[i].f;
		} else if (path[i]) {
			dump_files_made(&d->files, path[i], ret, NULL);
		}
	}
	const bool could_begin = ret == 0;
	if (could_begin) {
		ret = print(d, to);
	}
	for (unsigned i = 0; i < begun; i++) {
		int result = file_finish(&out[i], ret);
		if (could_begin && ret == 0) {
			dump_files_made(&d->files, path[i], result, NULL);
		}
	}
	if (could_begin && ret < 0) {
		log_line("%s: %s", d->path, vertex_error(ret));
		d->files.exit = EXIT_TROUBLE;
	}
	for (unsigned i = 0; i < n; i++) {
		free(path[i]);
	}
}

/* A table after earlier output begins with an empty line. */
static void vertex_text(struct dump *d, print_fn *print) {
	char *text = NULL;
	size_t size = 0;
	FILE *to[DUMP_VERTEX_FILES] = { open_memstream(&text, &size) };
	if (to[0] && d->csv) {
		fprintf(to[0], "%s\n", d->csv);
	}
	int ret = to[0] ? print(d, to) : -errno;
	if (to[0] && fclose(to[0]) && ret == 0) {
		ret = -errno;
	}
	free(d->csv);
	d->csv = text;
	d->csv_size = size;
	if (ret < 0) {
		log_line("%s: %s", d->path, vertex_error(ret));
		d->files.exit = EXIT_TROUBLE;
	}
}

static void take_vertices(struct dump *d) {
	static const char *const names[DUMP_VERTEX_FILES] = { "vertices.csv", "input.obj",
		"output.obj" };
	if (!(d->o->what & DUMP_VERTICES)) {
		return;
	}
	if (d->o->output) {
		/* With a geometry shader the vertex program's outputs are not positions. */
		vertex_files(d, print_vertices, names,
				has_geometry(d) ? DUMP_OUTPUT_OBJ : DUMP_VERTEX_FILES);
	} else {
		vertex_text(d, print_vertices);
	}
}

/* Of a draw that is done. */
static void take_geometry(struct dump *d) {
	static const char *const names[DUMP_GEOMETRY_FILES] = { "geometry.csv", "output.obj" };
	if (!(d->o->what & DUMP_VERTICES) || !has_geometry(d)) {
		return;
	}
	if (d->o->output) {
		vertex_files(d, print_geometry, names, DUMP_GEOMETRY_FILES);
	} else {
		vertex_text(d, print_geometry);
	}
	pica_ctx_keep_geometry(d->ctx, 0);
}

/* ---- Draws ---- */

static bool take(struct dump *d, struct snapshot *s, const struct step_draw *draw) {
	s->draw = *draw;
	return pica_ctx_save_state(d->ctx, &s->state) == 0;
}

static int on_draw(void *user, const struct step_draw *draw) {
	struct dump *d = user;
	const struct dump_options *o = d->o;
	if (is_here(d, draw)) {
		d->has_here = take(d, d->here, draw);
		d->in_draw = true;
		if (o->output && (o->what & DUMP_TEXTURES)) {
			dump_textures(&d->files, d->ctx, d->here);
		}
		if (o->output && (o->what & DUMP_LUTS) && dump_luts(&d->files, d->here) == 0 &&
				o->what == DUMP_LUTS) {
			log_line("note: no picture is written: its tables are empty");
		}
		if (o->output && (o->what & DUMP_SURFACES)) {
			dump_surfaces(&d->files, d->ctx, d->here, "before-");
		}
		if (draw->kind != DRAW_IMMEDIATE) {
			take_vertices(d);
		}
		pica_ctx_keep_geometry(
				d->ctx, (o->what & DUMP_VERTICES) && has_geometry(d));
	}
	if (o->since.is_given && draw->frame == d->since_frame && draw->draw == o->since.draw) {
		d->has_then = take(d, d->then, draw);
	}
	if (d->list_on) {
		dump_list_draw(&d->list, draw);
	}
	return 0;
}

static void on_vertex(void *user, const uint32_t (*attributes)[4], unsigned n) {
	struct dump *d = user;
	if (d->in_draw && (d->o->what & DUMP_VERTICES)) {
		dump_immediate_add(&d->immediate, attributes, n);
	}
}

static int on_drawn(void *user, const struct step_draw *draw) {
	struct dump *d = user;
	if (d->in_draw) {
		d->in_draw = false;
		if (draw->kind == DRAW_IMMEDIATE) {
			/* only vertices were written since the draw began */
			take_vertices(d);
		}
		take_geometry(d);
		if (d->o->output && (d->o->what & DUMP_SURFACES)) {
			dump_surfaces(&d->files, d->ctx, d->here, "");
		}
	}
	d->draws += draw->frame == d->frame;
	choose_writes(d, draw->frame, draw->draw + 1);
	return 0;
}

/*
 * Replays up to the last frame that is needed; the snapshots then hold the requested draws.
 */
static int gather(struct dump *d, struct pica_capture *capture, uint32_t n_frames,
		struct replay *end) {
	static const struct step_visitor visitor = {
		.event = on_event,
		.list = on_list,
		.list_end = on_list_end,
		.write = on_write,
		.draw = on_draw,
		.vertex = on_vertex,
		.drawn = on_drawn,
	};
	const bool has_since = d->o->since.is_given;
	const uint32_t last = has_since && d->since_frame > d->frame ? d->since_frame : d->frame;
	const uint32_t first = has_since && d->since_frame < d->frame ? d->since_frame : d->frame;
	struct step step;
	int ret = step_start(&step, gpu_here(d->ctx), capture,
			replay_first(capture, first, d->o->engine.float_mode,
					d->o->engine.combiner, false),
			&visitor, d);
	capture_note_skipped(capture, d->path, ret == 0 && step.replay.skipped_key);
	for (uint32_t frame = (uint32_t)step.replay.frames; ret >= 0 && frame <= last; frame++) {
		choose_writes(d, frame, 0);
		ret = step_frame(
				&step, frame == d->frame || (has_since && frame == d->since_frame));
		log_progress(d->name, frame + 1, n_frames);
	}
	*end = step.replay;
	return ret < 0 ? ret : 0;
}

/* ---- Printing ---- */

static int print_text(const struct dump *d) {
	const struct dump_options *o = d->o;
	if (o->since.is_given) {
		fputs("from ", stdout);
		snapshot_title(d->then, stdout);
		fputs("to   ", stdout);
		snapshot_title(d->here, stdout);
		snapshot_diff_text(d->then, d->here, o->groups, stdout);
	} else if (o->what & DUMP_STATE) {
		snapshot_text(d->here, o->groups, stdout);
	}
	for (int gs = 0; gs < n_programs(d); gs++) {
		char *text;
		int ret = dump_program(d->here, gs, &text);
		if (ret < 0) {
			return ret;
		}
		printf("\n; %s program\n%s", gs ? "geometry" : "vertex", text);
		free(text);
	}
	if (d->csv) {
		fwrite(d->csv, 1, d->csv_size, stdout);
	}
	return 0;
}

/* Writes and frees text as a file. */
static void text_file(struct dump *d, const char *name, char *text, int ret) {
	char *path = dump_files_path(&d->files, name);
	if (path) {
		ret = ret < 0 ? ret : file_write(path, text, strlen(text));
		dump_files_made(&d->files, path, ret, NULL);
	}
	free(path);
	free(text);
}

/* Textures, surfaces and vertices were written at the draw itself. */
static void write_text_files(struct dump *d) {
	if (d->o->what & DUMP_STATE) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		if (f) {
			snapshot_text(d->here, d->o->groups, f);
		}
		const int ret = f && fclose(f) == 0 ? 0 : -ENOMEM; /* sets text */
		text_file(d, "state.txt", text, ret);
	}
	for (int gs = 0; gs < n_programs(d); gs++) {
		char *text = NULL;
		int ret = dump_program(d->here, gs, &text);
		text_file(d, gs ? "shader.g.pica" : "shader.v.pica", text, ret);
	}
}

static int print_json(const struct dump *d, json_t *events) {
	const struct dump_options *o = d->o;
	json_t *report = json_report("dump");
	json_object_set_new(report, "path", json_text(d->path));
	json_object_set_new(report, "name", json_text(d->name));
	json_object_set_new(report, "frame", json_integer(d->frame));
	json_object_set_new(report, "draws", json_integer(d->draws));
	if (o->what & DUMP_LIST) {
		json_object_set(report, "events", events);
	}
	if (o->since.is_given) {
		json_object_set_new(report, "since",
				json_pack("{sI sI}", "frame", (json_int_t)d->then->draw.frame,
						"draw", (json_int_t)d->then->draw.draw));
		json_object_set_new(report, "differences",
				snapshot_diff_json(d->then, d->here, o->groups));
	} else if (o->what & DUMP_STATE) {
		json_object_set_new(report, "state", snapshot_json(d->here, o->groups));
	}
	int ret = 0;
	for (int gs = 0; ret == 0 && gs < n_programs(d); gs++) {
		char *text;
		ret = dump_program(d->here, gs, &text);
		if (ret == 0) {
			json_object_set_new(
					report, gs ? "gsh_source" : "vsh_source", json_text(text));
			free(text);
		}
	}
	if (d->files.rows) {
		json_object_set(report, "files", d->files.rows);
	}
	if (ret < 0) {
		json_decref(report);
		return ret;
	}
	return json_put(report, d->reports, EXIT_FINE) == EXIT_FINE ? 0 : -ENOMEM;
}

/* ---- The verb ---- */

/* Logs and returns false if a requested draw does not exist. */
static bool has_draw(const struct dump *d, const struct dump_place *asked, uint32_t frame,
		bool was_found) {
	if (asked->is_given && !was_found) {
		log_line("%s: frame %" PRIu32 " has no draw %" PRIu32 " (draws count from 0)",
				d->path, frame, asked->draw);
		return false;
	}
	return true;
}

static bool resolve_frame(
		const char *path, uint32_t asked, uint32_t n_frames, uint32_t *out) {
	*out = asked == FRAME_LAST ? n_frames - 1 : asked;
	return capture_has_frame(path, n_frames, *out);
}

static int dump_capture(struct dump *d, const struct capture_here *c) {
	const struct dump_options *o = d->o;
	const uint32_t n_frames = capture_frames(c->capture);
	if (!o->at.is_given && (o->what & DUMP_SHADERS)) {
		return log_fail("--shaders: expected --draw=N as well: the programs of which draw?");
	}
	d->name = c->name;
	d->ctx = c->ctx;
	d->here = calloc(1, sizeof(*d->here));
	d->then = calloc(1, sizeof(*d->then));
	if (!d->here || !d->then) {
		return log_no_memory();
	}
	if (!resolve_frame(d->path, o->at.frame, n_frames, &d->frame) ||
			(o->since.is_given &&
					!resolve_frame(d->path, o->since.frame, n_frames,
							&d->since_frame))) {
		return EXIT_TROUBLE;
	}
	if (o->output) {
		dump_files_begin(&d->files, o->output, o->json);
		if (d->files.exit != EXIT_FINE) {
			return d->files.exit;
		}
	}
	if (!o->json && !o->output) {
		output_page();
	}
	json_t *events = o->json ? json_array() : NULL;
	d->list = (struct dump_list){
		.out = o->json ? NULL : stdout, .events = events, .groups = o->groups
	};
	struct replay end;
	int ret = gather(d, c->capture, n_frames, &end);
	log_end();
	int exit = EXIT_FINE;
	if (ret == 0 && (!has_draw(d, &o->at, d->frame, d->has_here) ||
			!has_draw(d, &o->since, d->since_frame, d->has_then))) {
		exit = EXIT_TROUBLE;
	} else if (ret == 0) {
		if (o->output) {
			write_text_files(d);
		}
		if (o->json) {
			ret = print_json(d, events);
		} else if (!o->output) {
			ret = print_text(d);
		}
	}
	if (ret < 0) {
		exit = capture_failed(c->capture, d->path, ret);
	} else if (end.worst < 0) {
		exit = replay_job_failed(&end, d->path);
	}
	json_decref(events);
	return worse(exit, d->files.exit);
}

/* reports: of several captures, or NULL. */
static int dump_of(const void *options, const char *path, json_t *reports) {
	const struct dump_options *o = options;
	struct dump d = { .o = o, .path = path, .reports = reports };
	struct capture_here c;
	int exit = capture_here_open(&c, path, &o->engine);
	if (exit == EXIT_FINE && !o->json && o->captures.n > 1) {
		output_page();
		plain_write(stdout, path);
		puts(":");
	}
	if (exit == EXIT_FINE) {
		exit = c.info.chip == PICA_CHIP_VC4 ? videocore_dump(o, &c, reports) :
						       dump_capture(&d, &c);
	}
	dump_files_finish(&d.files);
	dump_immediate_finish(&d.immediate);
	free(d.csv);
	free(d.here);
	free(d.then);
	capture_here_close(&c);
	return exit;
}

int verb_dump(int argc, char **argv) {
	struct dump_options o;
	dump_options_parse(&o, argc, argv);
	log_show_progress(o.progress);
	return json_each("dump", &o.captures, o.json, dump_of, &o);
}
