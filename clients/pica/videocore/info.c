/* The contents of a VideoCore IV capture. */
#include "videocore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/array.h"
#include "common/json.h"
#include "common/output.h"
#include "common/tally.h"
#include "core/base/attributes.h"
#include "pictures/plain.h"

enum used {
	USED_SHADERS,    /* of draws: GL or NV */
	USED_PRIMITIVES,
	USED_INDICES,
	USED_VARYINGS,   /* how many */
	USED_FEATURES,
	USED_TARGETS,    /* of jobs */
	USED_MEMORY,     /* contents of stores and loads */
	USED_RECORDS,
	USED_COUNT,
};

static const char *const used_keys[USED_COUNT] = {
	[USED_SHADERS] = "shaders",
	[USED_PRIMITIVES] = "primitives",
	[USED_INDICES] = "indices",
	[USED_VARYINGS] = "varyings",
	[USED_FEATURES] = "features",
	[USED_TARGETS] = "targets",
	[USED_MEMORY] = "memory",
	[USED_RECORDS] = "records",
};

enum { ERROR_TEXT = 160 };

/* A job whose lists cannot be read. */
struct failed {
	uint32_t frame, number;
	char why[ERROR_TEXT];
};

struct info {
	const struct capture_here *c;
	struct videocore_walk walk;
	struct tally used[USED_COUNT];
	struct vc4_stats stats; /* of all jobs */
	uint64_t jobs, bins;
	struct failed *failed; /* owned */
	unsigned n_failed;
	size_t failed_cap;
	int error; /* -ENOMEM */
};

/* ---- Gathering ---- */

/* Formats and layouts are numbered as in stores. */
static const char *of_store(const char *field, uint32_t value) {
	return vc4_value_text(vc4_record(VC4_OP_STORE_GENERAL), field, value);
}

static void feature(struct info *info, bool is_used, const char *name) {
	if (is_used) {
		tally_count(&info->used[USED_FEATURES], "%s", name);
	}
}

static void count_draw(struct info *info, const struct vc4_draw *d) {
	const struct vc4_state *s = d->state;
	tally_count(&info->used[USED_SHADERS], "%s", s->shader->is_nv ? "NV" : "GL");
	tally_count(&info->used[USED_PRIMITIVES], "%s",
			vc4_value_text(vc4_record(VC4_OP_ARRAY_PRIMITIVES), "MODE", d->mode));
	tally_count(&info->used[USED_VARYINGS], "%u", s->shader->n_varyings);
	if (d->index_bytes) {
		tally_count(&info->used[USED_INDICES], "u%u", 8u * d->index_bytes);
	}
	feature(info, s->depth_function != VC4_COMPARE_ALWAYS, "depth test");
	feature(info, s->updates_z, "depth write");
	feature(info, s->early_z, "early depth test");
	feature(info, s->offsets_depth, "depth offset");
	feature(info, s->draws_front != s->draws_back, "face culling");
	feature(info, !s->draws_front && !s->draws_back, "nothing drawn");
	feature(info, s->shader->clips, "clipping");
	feature(info, s->shader->has_point_size, "point sizes of vertices");
	feature(info, s->flat, "flat shading");
	feature(info, s->oversample == VC4_SAMPLES_4, "four samples");
	feature(info, !s->shader->is_single_threaded, "threaded fragment program");
}

static void count_transfer(struct info *info, const char *verb, const struct vc4_transfer *t) {
	if (t->is_full) {
		tally_count(&info->used[USED_MEMORY], "%s tile buffers%s%s", verb,
				t->color ? " color" : "", t->z ? " zs" : "");
	} else if (t->color) {
		tally_count(&info->used[USED_MEMORY], "%s color %s %s", verb,
				of_store("FORMAT", t->format),
				of_store("LAYOUT", t->layout));
	} else if (t->z) {
		tally_count(&info->used[USED_MEMORY], "%s %s %s", verb, t->stencil ? "zs" : "z",
				of_store("LAYOUT", t->layout));
	}
}

static void add_stats(struct vc4_stats *sum, const struct vc4_stats *s) {
	sum->records += s->records;
	sum->bytes += s->bytes;
	sum->branches += s->branches;
	sum->vertices += s->vertices;
	sum->primitives += s->primitives;
	sum->draws += s->draws;
	sum->sub_lists += s->sub_lists;
}

static void add_failed(struct info *info, const struct videocore_job *job) {
	struct failed *f = array_room(
			info->failed, info->n_failed, &info->failed_cap, sizeof(*f));
	if (!f) {
		info->error = -ENOMEM;
		return;
	}
	info->failed = f;
	f += info->n_failed++;
	*f = (struct failed){ .frame = job->frame, .number = job->number };
	vc4_error_text(&job->error, f->why, sizeof(f->why));
}

static void on_record(void *user, const struct vc4_step *step) {
	struct info *info = user;
	tally_count(&info->used[USED_RECORDS], "%s", step->record->name);
}

static void on_end(void *user, const struct videocore_job *job) {
	struct info *info = user;
	const struct vc4_frame *f = &job->read;
	info->jobs++;
	add_stats(&info->stats, &f->stats);
	if (job->error.error) {
		add_failed(info, job);
		return;
	}
	for (uint32_t i = 0; i < f->n_draws; i++) {
		count_draw(info, &f->draws[i]);
	}
	for (uint32_t i = 0; i < f->n_ops; i++) {
		const struct vc4_tile_op *op = &f->ops[i];
		if (op->kind == VC4_TILE_DRAW) {
			info->bins++;
		} else {
			count_transfer(info, op->kind == VC4_TILE_LOAD ? "load" : "store",
					&f->transfers[op->value]);
		}
	}
	if (f->last.exists) {
		tally_count(&info->used[USED_TARGETS], "%ux%u %s %s", f->last.width, f->last.height,
				of_store("FORMAT", f->last.format),
				of_store("LAYOUT", f->last.layout));
	}
}

static int gather(struct info *info) {
	static const struct videocore_visitor visitor = { .record = on_record, .end = on_end };
	const struct capture_here *c = info->c;
	int ret = videocore_start(&info->walk, c, 0, &visitor, info);
	for (int more = 1; ret == 0 && more > 0;) {
		more = videocore_frame(&info->walk, true);
		ret = more < 0 ? more : info->error;
		log_progress(c->name, info->walk.replay.frames, c->info.frames);
	}
	return ret;
}

/* ---- Printing ---- */

static void print_text(const struct info *info, const struct pica_stats *s) {
	const struct capture_here *c = info->c;
	const struct space *space = info->walk.job.space;
	char size[OUTPUT_SIZE];
	output_page();
	printf("%-16s ", "capture");
	plain_write(stdout, c->name);
	printf(" (pica)\n%-16s %s\n", "chip", "VideoCore IV");
	printf("%-16s %" PRIu32 "\n%-16s %" PRIu64 "\n", "frames", c->info.frames, "jobs",
			info->jobs);
	for (unsigned i = 0; i < space->n; i++) {
		output_size(space->win[i].size_bytes, size);
		printf("%-16s %s at 0x%08" PRIx32 "\n", "memory", size, space->win[i].phys);
	}
	output_size(c->info.load_bytes, size);
	printf("%-16s %" PRIu32 " (%s)\n", "memory loads", c->info.loads, size);
	printf("%-16s %" PRIu64 " (%" PRIu64 " byte%s, %" PRIu64 " branch%s, %" PRIu32
	       " sub-list%s)\n",
			"records", info->stats.records, info->stats.bytes,
			plural(info->stats.bytes), info->stats.branches,
			info->stats.branches == 1 ? "" : "es", info->stats.sub_lists,
			plural(info->stats.sub_lists));
	printf("%-16s %" PRIu32 "\n%-16s %" PRIu64 "\n%-16s %" PRIu64 "\n", "draws",
			info->stats.draws, "vertices", info->stats.vertices, "primitives",
			info->stats.primitives);
	printf("%-16s %" PRIu64 " sent; %" PRIu64 " drawn, pieces of clipped ones counted each\n",
			"triangles", s->triangles, s->drawn_triangles);
	printf("%-16s %" PRIu64 "\n%-16s %" PRIu64 "\n", "fragments", s->fragments, "bins drawn",
			info->bins);
	output_title("used, by draws; targets by jobs; memory by tiles");
	for (unsigned i = 0; i < USED_COUNT; i++) {
		tally_print(used_keys[i], &info->used[i]);
	}
	for (unsigned i = 0; i < info->n_failed; i++) {
		if (i == 0) {
			output_title("lists that cannot be read");
		}
		printf("  frame %" PRIu32 ", job %" PRIu32 ": %s\n", info->failed[i].frame,
				info->failed[i].number, info->failed[i].why);
	}
}

static json_t *report_of(const struct info *info, const struct pica_stats *s) {
	const struct capture_here *c = info->c;
	const struct space *space = info->walk.job.space;
	json_t *report = json_report("info");
	json_object_set_new(report, "path", json_text(c->path));
	json_object_set_new(report, "name", json_text(c->name));
	json_object_set_new(report, "chip", json_string(pica_chip_name(c->info.chip)));
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "frames", c->info.frames },
		{ "jobs", info->jobs },
		{ "loads", c->info.loads },
		{ "load_bytes", c->info.load_bytes },
		{ "records", info->stats.records },
		{ "list_bytes", info->stats.bytes },
		{ "branches", info->stats.branches },
		{ "sub_lists", info->stats.sub_lists },
		{ "draws", info->stats.draws },
		{ "vertices", info->stats.vertices },
		{ "primitives", info->stats.primitives },
		{ "bins", info->bins },
		{ "triangles", s->triangles },
		{ "drawn_triangles", s->drawn_triangles },
		{ "fragments", s->fragments },
	};
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		json_object_set_new(
				report, numbers[i].key, json_integer((json_int_t)numbers[i].value));
	}
	json_t *windows = json_array(), *used = json_object(), *failed = json_array();
	for (unsigned i = 0; i < space->n; i++) {
		json_array_append_new(windows, json_pack("{so sI}", "addr",
				json_addr(space->win[i].phys), "bytes",
				(json_int_t)space->win[i].size_bytes));
	}
	for (unsigned i = 0; i < USED_COUNT; i++) {
		json_object_set_new(used, used_keys[i], json_tally(&info->used[i]));
	}
	for (unsigned i = 0; i < info->n_failed; i++) {
		json_array_append_new(failed, json_pack("{sI sI ss}", "frame",
				(json_int_t)info->failed[i].frame, "job",
				(json_int_t)info->failed[i].number, "why", info->failed[i].why));
	}
	json_object_set_new(report, "windows", windows);
	json_object_set_new(report, "used", used);
	json_object_set_new(report, "failed", failed);
	json_add_counters(report, s);
	return report;
}

int videocore_info(const struct capture_here *c, bool json, json_t *reports) {
	struct info info = { .c = c };
	struct pica_stats stats = { .size = sizeof(stats) };
	int ret = gather(&info);
	ret = ret < 0 ? ret : pica_stats(c->ctx, &stats);
	log_end();
	int exit = EXIT_FINE;
	if (ret < 0) {
		exit = capture_failed(c->capture, c->path, ret);
	} else if (json) {
		exit = json_put(report_of(&info, &stats), reports, EXIT_FINE);
	} else {
		print_text(&info, &stats);
	}
	exit = ret < 0 ? exit : worse(exit, replay_job_failed(&info.walk.replay, c->path));
	for (unsigned i = 0; i < USED_COUNT; i++) {
		tally_finish(&info.used[i]);
	}
	free(info.failed);
	videocore_finish(&info.walk);
	return exit;
}
