/* pica info: contents, features and missing parts of a capture, found by drawing it. */
#include <inttypes.h>
#include <stdio.h>

#include "common/facts.h"
#include "common/json.h"
#include "common/missing.h"
#include "common/options.h"
#include "common/output.h"
#include "core/base/attributes.h"
#include "lint/lint.h"
#include "pictures/plain.h"
#include "replay.h"
#include "verbs.h"
#include "videocore/videocore.h"

struct options {
	bool json;
	enum progress_mode progress;
};

enum { MAX_LEFT_OUT = 8 };

struct info {
	const char *path, *name; /* borrowed */
	struct pica_capture_info file;
	struct replay replay;
	struct pica_stats stats;
	struct pica_screen screen[2];
	struct list_walk walk;
	struct facts facts;
	json_t *frames; /* a row for each; NULL: not requested */
	struct missing missing;
	struct left_out {
		const char *text;
		uint64_t count;
	} left_out[MAX_LEFT_OUT]; /* of the capture: what cannot be drawn */
	unsigned n_left_out;
	bool is_outside; /* there was a fault PICA_FAULT_BAD_ADDRESS; the first one: */
	struct lint_finding outside;
};

/* ---- Gathering ---- */

static int look(void *user, const struct pica_capture_event *event) {
	struct info *info = user;
	if (event->job.op == PICA_OP_LIST || event->job.op == PICA_OP_REG_WRITE) {
		list_walk_job(&info->walk, &event->job);
	}
	return 0;
}

static void find_left_out(struct info *info) {
	const struct pica_capture_info *f = &info->file;
	const struct left_out counted[] = {
		{ "loads outside the GPU's memory", f->skipped_loads },
		{ "writes to other devices", f->skipped_writes },
		{ "writes that are not 32 bits wide", f->skipped_widths },
		{ "command lists outside memory", info->walk.unreadable },
	};
	for (size_t i = 0; i < ARRAY_LEN(counted); i++) {
		if (counted[i].count) {
			info->left_out[info->n_left_out++] = counted[i];
		}
	}
}

static void add_frame(
	struct info *info, const struct pica_stats *before, const struct pica_stats *after) {
	json_array_append_new(info->frames,
		json_pack("{sI sI sI sI sI sI}", "lists",
			(json_int_t)(after->lists - before->lists), "draws",
			(json_int_t)(after->draws - before->draws), "vertices",
			(json_int_t)(after->vertices - before->vertices), "triangles",
			(json_int_t)(after->triangles - before->triangles), "drawn_triangles",
			(json_int_t)(after->drawn_triangles - before->drawn_triangles), "fragments",
			(json_int_t)(after->fragments - before->fragments)));
}

/* Draws the capture; reads each list before it runs. */
static int gather(struct info *info, struct pica_ctx *ctx, struct pica_capture *capture) {
	static const struct list_visitor visitor = { .draw = facts_draw };
	struct replay *replay = &info->replay;
	int ret = missing_begin(capture, ctx);
	ret = ret < 0 ? ret : replay_start(replay, gpu_here(ctx), capture, 0);
	list_walk_init(&info->walk, ctx, &visitor, &info->facts);
	replay->look = look;
	replay->look_user = info;
	info->stats.size = sizeof(info->stats);
	int more = 1;
	while (ret == 0 && more > 0) {
		more = replay_frame(replay);
		ret = more < 0 ? more : replay_wait(replay);
		struct pica_stats before = info->stats;
		if (ret == 0) {
			ret = pica_stats(ctx, &info->stats);
		}
		if (ret == 0 && more > 0) {
			add_frame(info, &before, &info->stats);
		}
		log_progress(info->name, replay->frames, info->file.frames);
	}
	for (unsigned i = 0; ret == 0 && i < 2; i++) {
		ret = pica_ctx_screen(ctx, (enum pica_screen_id)i, &info->screen[i]);
	}
	missing_find(&info->missing, capture, ctx);
	find_left_out(info);
	return ret;
}

/* ---- Printing ---- */

static const char *const screen_names[] = { "top", "bottom" };

static const char *form_name(enum pica_capture_form form) {
	switch (form) {
	case PICA_CAPTURE_CTF_2015_04:
		return "CiTrace of April 2015";
	case PICA_CAPTURE_CTF_2015_05:
		return "CiTrace";
	case PICA_CAPTURE_CTF_BYTES:
		return "CiTrace, sizes in bytes";
	case PICA_CAPTURE_PICA:
		return "pica";
	}
	return "?";
}

/* Formats of the display controllers: the transfer engine's numbers. [fidelity: transfer-fields] */
static const char *shown_format(uint32_t format) {
	static const char *const names[] = { "RGBA8", "RGB8", "RGB565", "RGB5A1", "RGBA4" };
	return format < ARRAY_LEN(names) ? names[format] : "?";
}

static void print_fact(enum fact fact, const struct tally *t) {
	char label[32];
	snprintf(label, sizeof(label), "%s", fact_key(fact));
	for (char *c = label; *c; c++) {
		*c = *c == '_' ? ' ' : *c;
	}
	tally_print(label, t);
}

static void print_missing(const struct info *info) {
	output_title("missing in the capture");
	for (unsigned i = 0; i < info->missing.n; i++) {
		const struct pica_capture_lack *l = &info->missing.row[i];
		const struct missing_kind *kind = missing_kind(l->what);
		printf("  %s", kind->text);
		if (l->count) {
			printf(": %" PRIu64 " %s%s, first 0x%08" PRIx32, l->count, kind->unit,
					plural(l->count), l->first);
		}
		putchar('\n');
	}
	for (unsigned i = 0; i < info->n_left_out; i++) {
		printf("  %" PRIu64 " %s\n", info->left_out[i].count, info->left_out[i].text);
	}
	if (!info->missing.n && !info->n_left_out) {
		puts("  nothing");
	}
}

static void print_text(const struct info *info) {
	const struct pica_stats *s = &info->stats;
	char size[OUTPUT_SIZE];
	output_page();
	printf("%-16s ", "capture");
	plain_write(stdout, info->name);
	printf(" (%s)\n", form_name(info->file.form));
	printf("%-16s %" PRIu32, "frames", info->file.frames);
	if (info->file.first_frame && info->file.frames) {
		printf(" (%" PRIu32 " to %" PRIu32 " of what it was cut from)",
				info->file.first_frame,
				info->file.first_frame + (info->file.frames - 1));
	}
	putchar('\n');
	printf("%-16s %" PRIu64 " (%" PRIu64 " word%s, %" PRIu64 " jump%s)\n", "lists", s->lists,
			s->list_words, plural(s->list_words), info->walk.jumps,
			plural(info->walk.jumps));
	printf("%-16s %" PRIu64 "\n", "draws", s->draws);
	printf("%-16s %" PRIu64 "\n", "vertices", s->vertices);
	printf("%-16s %" PRIu64 " sent; %" PRIu64 " drawn, pieces of clipped ones counted each\n",
			"triangles", s->triangles, s->drawn_triangles);
	printf("%-16s %" PRIu64 "\n", "fragments", s->fragments);
	output_size(info->file.load_bytes, size);
	printf("%-16s %" PRIu32 " (%s)\n", "memory loads", info->file.loads, size);
	printf("%-16s %" PRIu64 " fill%s, %" PRIu64 " transfer%s, %" PRIu64 " %s\n",
			"copy engines", s->fills, plural(s->fills), s->transfers,
			plural(s->transfers), s->copies, s->copies == 1 ? "copy" : "copies");
	for (unsigned i = 0; i < 2; i++) {
		const struct pica_screen *screen = &info->screen[i];
		if (screen->is_solid) {
			printf("%-16s %s, solid colour\n", "screen", screen_names[i]);
		} else if (screen->is_set) {
			printf("%-16s %s, %" PRIu32 "x%" PRIu32 " %s at 0x%08" PRIx32 "%s\n",
				"screen", screen_names[i], screen->width, screen->height,
				shown_format(screen->format), screen->addr,
				screen->has_right ? ", two eyes" : "");
		}
	}
	output_title("used, by draws");
	for (unsigned i = 0; i < FACT_COUNT; i++) {
		print_fact((enum fact)i, &info->facts.tally[i]);
	}
	print_missing(info);
	bool heading = false;
	for (unsigned i = 0; i < PICA_FEATURE_COUNT; i++) {
		if (s->guessed[i]) {
			if (!heading) {
				output_title("drawn by a guess");
			}
			printf("  %s (%" PRIu64 " draw%s)\n",
					pica_feature_name((enum pica_feature)i), s->guessed[i],
					plural(s->guessed[i]));
			heading = true;
		}
	}
	heading = false;
	for (unsigned i = 0; i < PICA_FAULT_COUNT; i++) {
		if (s->faults[i]) {
			if (!heading) {
				output_title("ignored or repaired");
			}
			printf("  %s (%" PRIu64 ")\n", pica_fault_name((enum pica_fault)i),
					s->faults[i]);
			if (i == PICA_FAULT_BAD_ADDRESS && info->is_outside) {
				fputs("    first: ", stdout);
				lint_print_where(&info->outside);
				putchar('\n');
			}
			heading = true;
		}
	}
}

static json_t *missing_json(const struct info *info) {
	json_t *rows = json_array();
	for (unsigned i = 0; i < info->missing.n; i++) {
		const struct pica_capture_lack *l = &info->missing.row[i];
		const struct missing_kind *kind = missing_kind(l->what);
		json_t *row = json_pack("{ss sI ss*}", "what", kind->text, "flag",
				(json_int_t)l->what, "name", kind->name);
		if (l->count) {
			json_object_update_new(row,
					json_pack("{sI ss so}", "count", (json_int_t)l->count,
							"unit", kind->unit, "first",
							json_addr(l->first)));
		}
		json_array_append_new(rows, row);
	}
	for (unsigned i = 0; i < info->n_left_out; i++) {
		json_array_append_new(rows,
				json_pack("{ss sI}", "what", info->left_out[i].text, "count",
						(json_int_t)info->left_out[i].count));
	}
	return rows;
}

static json_t *report_of(const struct info *info) {
	const struct pica_stats *s = &info->stats;
	const struct pica_capture_info *f = &info->file;
	json_t *report = json_report("info");
	json_object_set_new(report, "path", json_text(info->path));
	json_object_set_new(report, "name", json_text(info->name));
	json_object_set_new(report, "form", json_string(form_name(f->form)));
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "frames", f->frames },
		{ "first_frame", f->first_frame },
		{ "elements", f->elements },
		{ "loads", f->loads },
		{ "load_bytes", f->load_bytes },
		{ "reg_writes", f->reg_writes },
		{ "lists", s->lists },
		{ "list_words", s->list_words },
		{ "jumps", info->walk.jumps },
		{ "draws", s->draws },
		{ "vertices", s->vertices },
		{ "triangles", s->triangles },
		{ "drawn_triangles", s->drawn_triangles },
		{ "fragments", s->fragments },
		{ "fills", s->fills },
		{ "transfers", s->transfers },
		{ "copies", s->copies },
	};
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		json_object_set_new(
			report, numbers[i].key, json_integer((json_int_t)numbers[i].value));
	}
	json_t *screens = json_array();
	for (unsigned i = 0; i < 2; i++) {
		const struct pica_screen *screen = &info->screen[i];
		if (screen->is_set) {
			json_array_append_new(screens,
					json_pack("{ss sI sI ss so sb sb}", "screen",
							screen_names[i], "width",
							(json_int_t)screen->width, "height",
							(json_int_t)screen->height, "format",
							shown_format(screen->format), "addr",
							json_addr(screen->addr), "solid",
							screen->is_solid, "stereo",
							screen->has_right));
		}
	}
	json_object_set_new(report, "screens", screens);
	json_t *used = json_object();
	for (unsigned i = 0; i < FACT_COUNT; i++) {
		json_object_set_new(
			used, fact_key((enum fact)i), json_tally(&info->facts.tally[i]));
	}
	json_object_set_new(report, "used", used);
	json_object_set_new(report, "missing", missing_json(info));
	json_add_counters(report, s);
	if (info->is_outside) {
		json_object_set_new(report, "outside", lint_finding_json(&info->outside));
	}
	json_object_set(report, "per_frame", info->frames);
	return report;
}

/* One capture. reports: of several, or NULL. */
static int info_of(const void *options, const char *path, json_t *reports) {
	const struct options *o = options;
	struct capture_here c;
	struct info info = { .path = path };
	int exit = capture_here_open(&c, path, NULL);
	if (exit == EXIT_FINE && c.info.chip == PICA_CHIP_VC4) {
		exit = videocore_info(&c, o->json, reports);
	} else if (exit == EXIT_FINE) {
		info.name = c.name;
		info.file = c.info;
		info.frames = o->json ? json_array() : NULL;
		const int ret = gather(&info, c.ctx, c.capture);
		log_end();
		info.is_outside = ret == 0 && info.stats.faults[PICA_FAULT_BAD_ADDRESS] &&
				lint_outside(path, &info.outside);
		if (ret < 0) {
			exit = capture_failed(c.capture, path, ret);
		} else if (o->json) {
			exit = json_put(report_of(&info), reports, EXIT_FINE);
		} else {
			print_text(&info);
		}
		exit = ret < 0 ? exit : worse(exit, replay_job_failed(&info.replay, path));
	}
	json_decref(info.frames);
	facts_finish(&info.facts);
	capture_here_close(&c);
	return exit;
}

int verb_info(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "json", 0, NULL, "Report on stdout as JSON, with a row for each frame", OPTION_FLAG,
				.at = offsetof(struct options, json) },
		PROGRESS_ROW(offsetof(struct options, progress), false),
	};
	static const struct option_spec spec = {
		SPEC_CAPTURES,
		.doc = "Reports the contents of captures: frames, command lists, draws, triangles, the "
		       "formats and features that their draws use, and missing data.",
		.tables = { OPTION_TABLE(rows, 0, 0) },
	};
	struct options o = { 0 };
	const struct option_args captures = options_parse(&spec, argc, argv, &o);
	log_show_progress(o.progress);
	return json_each("info", &captures, o.json, info_of, &o);
}
