/* pica bench: how fast captures are drawn. Frames are submitted and waited for one by one. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "common/json.h"
#include "common/options.h"
#include "common/remote.h"
#include "replay.h"
#include "verbs.h"

enum { MAX_REPEAT = 100000 };

enum stage { STAGE_COMMAND, STAGE_VERTEX, STAGE_TILE, STAGE_COPY, STAGE_COUNT };

static const char *const stage_names[STAGE_COUNT] = {
	[STAGE_COMMAND] = "command",
	[STAGE_VERTEX] = "vertex",
	[STAGE_TILE] = "tile",
	[STAGE_COPY] = "copy",
};

/* Measurements of one capture, over the timed frames. */
struct result {
	char *name;
	uint64_t *wall_ns; /* of each frame; sorted in the end */
	size_t n, cap;
	uint64_t cpu_ns, total_ns;
	uint64_t fragments, triangles;
	uint64_t stage_ns[STAGE_COUNT];
	uint32_t frames; /* timed in one run */
};

static void check(void *input, struct option_args args) {
	struct bench_options *o = input;
	const bool is_remote = o->given & BENCH_CONNECT, frames_given = o->given & BENCH_FRAMES;
	o->captures = args.v;
	o->n_captures = args.n;
	if (o->pid && !is_remote) {
		options_fail("--service-pid: only with --connect");
	}
	if (o->name && !is_remote) {
		options_fail("--name: only with --connect");
	}
	if (!is_remote && !o->n_captures) {
		options_fail("expected a capture");
	}
	if (is_remote && o->record) {
		options_fail("--record and --connect are measured one by one");
	}
	if (is_remote && (o->engine.given & ~(unsigned)ENGINE_VERBOSE || frames_given)) {
		options_fail("--connect: %s",
				frames_given ? "all frames are drawn" :
					       "threads and arithmetic are the service's own");
	}
}

/* ---- Measuring ---- */

static int add_sample(struct result *r, uint64_t wall_ns) {
	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 256;
		uint64_t *samples = realloc(r->wall_ns, cap * sizeof(*samples));
		if (!samples) {
			return -ENOMEM;
		}
		r->wall_ns = samples;
		r->cap = cap;
	}
	r->wall_ns[r->n++] = wall_ns;
	r->total_ns += wall_ns;
	return 0;
}

static void add_stats(struct result *r, const struct pica_stats *a, const struct pica_stats *b) {
	r->fragments += b->fragments - a->fragments;
	r->triangles += b->triangles - a->triangles;
	r->stage_ns[STAGE_COMMAND] += b->ns_command - a->ns_command;
	r->stage_ns[STAGE_VERTEX] += b->ns_vertex - a->ns_vertex;
	r->stage_ns[STAGE_TILE] += b->ns_tile - a->ns_tile;
	r->stage_ns[STAGE_COPY] += b->ns_copy - a->ns_copy;
}

static int timed_frame(struct result *r, struct replay *replay) {
	struct pica_stats before = { .size = sizeof(before) }, after = { .size = sizeof(after) };
	int ret = replay->gpu.impl->stats(replay->gpu, &before);
	uint64_t cpu = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
		 wall = bench_clock_ns(CLOCK_MONOTONIC);
	if (ret == 0) {
		ret = replay_frame(replay);
	}
	if (ret >= 0) {
		ret = replay_wait(replay);
	}
	wall = bench_clock_ns(CLOCK_MONOTONIC) - wall;
	cpu = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	if (ret == 0) {
		ret = replay->gpu.impl->stats(replay->gpu, &after);
	}
	if (ret < 0) {
		return ret;
	}
	add_stats(r, &before, &after);
	r->cpu_ns += cpu;
	return add_sample(r, wall);
}

/* One pass over the capture; r NULL: to warm up. *replay: as it ended. */
static int run(struct result *r, const struct bench_options *o, struct gpu gpu,
		struct pica_capture *capture, uint32_t n_frames, struct replay *replay) {
	/*
	 * Captures begin with zeroed memory, and omit writes of zeros
	 * [fidelity: citrace-replay].
	 */
	int ret = gpu.impl->zero_memory(gpu);
	ret = ret < 0 ? ret : replay_start(replay, gpu, capture, 0);
	uint32_t end = frame_list_end(&o->frames, n_frames);
	for (uint32_t frame = 0; ret == 0 && frame <= end; frame++) {
		if (r && frame_list_has(&o->frames, n_frames, frame)) {
			ret = timed_frame(r, replay);
		} else {
			ret = replay_frame(replay);
			ret = ret < 0 ? ret : replay_wait(replay);
		}
	}
	return ret < 0 ? ret : replay->worst;
}

static int compare_samples(const void *a, const void *b) {
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

void bench_sort(uint64_t *samples, size_t n) {
	qsort(samples, n, sizeof(*samples), compare_samples);
}

int bench_job_failed(const char *path, const struct replay *replay) {
	log_at(path, replay->worst_offset, "%s", replay_error(replay->worst, replay->worst_flags));
	return replay->worst == -ENOMEM ? EXIT_TROUBLE : EXIT_BAD_CAPTURE;
}

static int measure(struct result *r, const struct bench_options *o, struct pica_device *device,
		const char *path) {
	struct pica_capture *capture;
	struct pica_capture_error error;
	struct pica_ctx *ctx = NULL;
	int exit = capture_open(&capture, path, &error);
	if (exit != EXIT_FINE) {
		return exit;
	}
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	uint32_t n_frames = info.frames ? info.frames : 1;
	uint32_t end = frame_list_end(&o->frames, n_frames);
	struct replay replay = { .worst = 0 };
	int ret = 0;
	r->name = capture_name(path);
	if (end >= n_frames) {
		log_line("%s: frame %" PRIu32 " was asked for, but the last one is %" PRIu32, path, end,
			n_frames - 1);
		exit = EXIT_TROUBLE;
	} else {
		ret = r->name ? replay_create_ctx(&ctx, device, capture) : -ENOMEM;
		ret = ret ? ret : run(NULL, o, gpu_here(ctx), capture, n_frames, &replay);
	}
	for (uint32_t i = 0; exit == EXIT_FINE && ret == 0 && i < o->repeat; i++) {
		log_progress(r->name, i + 1, o->repeat);
		ret = run(r, o, gpu_here(ctx), capture, n_frames, &replay);
	}
	if (ret < 0) {
		if (capture_is_damaged(capture, ret)) {
			exit = capture_failed(capture, path, ret);
		} else if (ret == replay.worst) {
			exit = bench_job_failed(path, &replay);
		} else {
			log_line("%s: %s", path, strerror(-ret));
			exit = EXIT_TROUBLE;
		}
	} else if (exit == EXIT_FINE) {
		bench_sort(r->wall_ns, r->n);
		r->frames = (uint32_t)(r->n / o->repeat);
	}
	pica_ctx_destroy(ctx);
	pica_capture_close(capture);
	return exit;
}

/* ---- Results ---- */

/* The smallest sample that a share of all does not exceed (nearest rank), in ms. */
static double rank_ms(const struct result *r, double share) {
	size_t rank = (size_t)ceil(share * (double)r->n);
	return (double)r->wall_ns[rank > 0 ? rank - 1 : 0] / 1e6;
}

static double median_ms(const struct result *r) {
	return r->n % 2 ? rank_ms(r, 0.5) :
			(double)(r->wall_ns[r->n / 2 - 1] + r->wall_ns[r->n / 2]) / 2e6;
}

static double cpu_ms(const struct result *r) {
	return (double)r->cpu_ns / (double)r->n / 1e6;
}

/* Millions a second of wall time. */
static double rate_m(const struct result *r, uint64_t count) {
	return r->total_ns ? (double)count * 1e3 / (double)r->total_ns : 0;
}

static double stage_percent(const struct result *r, enum stage stage) {
	uint64_t sum = 0;
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		sum += r->stage_ns[i];
	}
	return sum ? 100.0 * (double)r->stage_ns[stage] / (double)sum : 0;
}

struct total {
	unsigned n;
	double median_ms, p99_ms, cpu_ms; /* sums of logarithms, then geometric means */
};

static void total_add(struct total *t, const struct result *r) {
	t->n++;
	/* A clock may stand still for a frame that does nothing. */
	t->median_ms += log(fmax(median_ms(r), 1e-6));
	t->p99_ms += log(fmax(rank_ms(r, 0.99), 1e-6));
	t->cpu_ms += log(fmax(cpu_ms(r), 1e-6));
}

static void total_finish(struct total *t) {
	t->median_ms = exp(t->median_ms / t->n);
	t->p99_ms = exp(t->p99_ms / t->n);
	t->cpu_ms = exp(t->cpu_ms / t->n);
}

static void print_heading(void) {
	printf("%-16s %6s %9s %9s %9s %8s %8s", "capture", "frames", "median-ms", "p99-ms",
		"cpu-ms", "Mpixel/s", "Mtri/s");
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		printf(" %7s%%", stage_names[i]);
	}
	putchar('\n');
}

static void print_result(const struct result *r) {
	printf("%-16s %6" PRIu32 " %9.3f %9.3f %9.3f %8.1f %8.3f", r->name, r->frames, median_ms(r),
		rank_ms(r, 0.99), cpu_ms(r), rate_m(r, r->fragments), rate_m(r, r->triangles));
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		printf(" %8.1f", stage_percent(r, (enum stage)i));
	}
	putchar('\n');
	fflush(stdout);
}

static json_t *result_json(const struct result *r, const char *path) {
	json_t *stages = json_object();
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		json_object_set_new(stages, stage_names[i],
			json_rounded(stage_percent(r, (enum stage)i) / 100, 4));
	}
	return json_pack("{so so sI sI so so so so so so}", "path", json_text(path), "name",
		json_text(r->name), "frames", (json_int_t)r->frames, "samples", (json_int_t)r->n,
		"median_ms", json_rounded(median_ms(r), 6), "p99_ms",
		json_rounded(rank_ms(r, 0.99), 6), "cpu_ms", json_rounded(cpu_ms(r), 6), "mpixel_s",
		json_rounded(rate_m(r, r->fragments), 3), "mtri_s",
		json_rounded(rate_m(r, r->triangles), 6), "stages", stages);
}

static int print_report(const struct bench_options *o, const char *isa, json_t *captures,
		json_t *errors, const struct total *t) {
	json_t *report = json_report("bench");
	json_object_set_new(report, "threads", json_integer(o->engine.threads));
	json_object_set_new(report, "isa", json_string(isa));
	json_object_set_new(report, "float",
			json_string(o->engine.float_mode == PICA_FLOAT_F24 ? "f24" : "f32"));
	json_object_set_new(report, "combiner",
			json_string(o->engine.combiner == PICA_COMBINER_NEAREST ? "nearest" :
					"truncate"));
	json_object_set_new(report, "repeat", json_integer(o->repeat));
	json_object_set_new(report, "captures", captures);
	json_object_set_new(report, "errors", errors);
	json_t *mean = json_null();
	if (t->n) {
		mean = json_pack("{so so so}", "median_ms", json_rounded(t->median_ms, 6), "p99_ms",
			json_rounded(t->p99_ms, 6), "cpu_ms", json_rounded(t->cpu_ms, 6));
	}
	json_object_set_new(report, "geometric_mean", mean);
	return json_print(report);
}

#define AT(member) offsetof(struct bench_options, member)

static const struct option_row rows[] = {
	{ "repeat", 0, "N", "Runs to measure, after one to warm up (default: 5)", OPTION_U32,
			.at = AT(repeat), 1, MAX_REPEAT },
	{ "frames", 0, "LIST", "0,3-7,last or all, counted from 0 (default: all)", OPTION_CALL,
			.at = AT(frames), .words = frames_words, .parse = frames_option,
			.given = BENCH_FRAMES },
	{ "connect", 0, "SOCKET", "What a service costs: round trips, load, captures", OPTION_TEXT,
			.at = AT(where), .given = BENCH_CONNECT, .is_arg_optional = true },
	{ "name", 0, "NAME", "Of the session there (default: pica)", OPTION_CALL, .at = AT(name),
			.parse = remote_name_option },
	{ "service-pid", 0, "PID", "With --connect: also system calls and CPU time of that process",
			OPTION_U32, .at = AT(pid), 1, INT32_MAX,
					.expected = "the number of a process" },
	{ "record", 0, NULL, "What recording costs: runs with and without it, in turn", OPTION_FLAG,
			.at = AT(record) },
	JSON_ROW(AT(json)),
	PROGRESS_ROW(AT(progress), false),
};

int verb_bench(int argc, char **argv) {
	static const struct option_spec spec = {
		.forms = "CAPTURE...\n--connect [CAPTURE...]",
		.doc = "Measures how fast captures are drawn, frame by frame: time (median, 99th "
		       "percentile), CPU time of the process, pixels and triangles a second, and the share "
		       "of each stage in the time of all threads. The last line is the geometric mean over "
		       "the captures.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)), ENGINE_TABLES(AT(engine)) },
		.max_args = OPTION_ANY,
		.check = check,
	};
	struct bench_options o = { .repeat = 5 };
	engine_options_init(&o.engine);
	frame_list_parse(&o.frames, "all");
	options_parse(&spec, argc, argv, &o);
	log_show_progress(o.progress);
	if (o.given & BENCH_CONNECT) {
		return bench_service(&o);
	}
	if (o.record) {
		return bench_recorded(&o);
	}
	struct pica_device *device;
	int exit = engine_create(&device, &o.engine);
	if (exit != EXIT_FINE) {
		return exit;
	}
	json_t *captures = o.json ? json_array() : NULL, *errors = o.json ? json_array() : NULL;
	struct total total = { 0 };
	for (unsigned i = 0; i < o.n_captures; i++) {
		struct result r = { 0 };
		int code = measure(&r, &o, device, o.captures[i]);
		exit = code > exit ? code : exit;
		log_end();
		if (code == EXIT_FINE) {
			if (o.json) {
				json_array_append_new(captures, result_json(&r, o.captures[i]));
			} else {
				if (total.n == 0) {
					print_heading();
				}
				print_result(&r);
			}
			total_add(&total, &r);
		} else {
			json_t *row = json_last_error();
			json_object_set_new(row, "path", json_text(o.captures[i]));
			json_array_append_new(errors, row);
		}
		free(r.name);
		free(r.wall_ns);
	}
	if (total.n) {
		total_finish(&total);
	}
	if (o.json) {
		if (print_report(&o, pica_device_isa(device), captures, errors, &total) < 0) {
			log_line("%s", strerror(ENOMEM));
			exit = exit < EXIT_TROUBLE ? EXIT_TROUBLE : exit;
		}
	} else if (total.n > 1) {
		printf("%-16s %6s %9.3f %9.3f %9.3f\n", "geometric-mean", "", total.median_ms,
			total.p99_ms, total.cpu_ms);
	}
	pica_device_destroy(device);
	return exit;
}
