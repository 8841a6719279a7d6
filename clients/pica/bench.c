/* pica bench: how fast captures are drawn. Each frame is submitted and awaited before the next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "common/json.h"
#include "common/options.h"
#include "common/remote.h"
#include "verbs.h"

enum { MAX_REPEAT = 100000 };

static const char *const stage_names[STAGE_COUNT] = {
	[STAGE_COMMAND] = "command",
	[STAGE_VERTEX] = "vertex",
	[STAGE_TILE] = "tile",
	[STAGE_COPY] = "copy",
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

/* ---- Results ---- */

struct bench {
	struct bench_samples samples; /* of one capture */
	unsigned n;                   /* captures so far */
	double median_ms, p99_ms, cpu_ms; /* over all captures: sums of logarithms, then geometric
	 * means */
};

/* The smallest sample that 99 of 100 do not exceed (nearest rank). */
static double p99_ms(const struct bench_samples *s) {
	const size_t rank = (size_t)ceil(0.99 * (double)s->n);
	return (double)s->wall_ns[rank > 0 ? rank - 1 : 0] / 1e6;
}

/* Millions a second of wall time. */
static double rate_m(const struct bench_samples *s, uint64_t count) {
	return s->total_ns ? (double)count * 1e3 / (double)s->total_ns : 0;
}

static double stage_percent(const struct bench_samples *s, unsigned stage) {
	uint64_t sum = 0;
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		sum += s->stage_ns[i];
	}
	return sum ? 100.0 * (double)s->stage_ns[stage] / (double)sum : 0;
}

static int measure(void *user, struct bench_capture *c) {
	struct bench *b = user;
	struct bench_samples *s = &b->samples;
	bench_samples_reset(s);
	int ret = bench_start(c, &c->replay);
	ret = ret < 0 ? ret : bench_frames(c, &c->replay, NULL);
	for (uint32_t i = 0; ret == 0 && i < c->o->repeat; i++) {
		log_progress(c->name, i + 1, c->o->repeat);
		ret = bench_start(c, &c->replay);
		ret = ret < 0 ? ret : bench_frames(c, &c->replay, s);
	}
	if (ret == 0) {
		bench_samples_sort(s);
		b->n++;
		/* The clock may not advance during an empty frame. */
		b->median_ms += log(fmax(bench_median_ms(s), 1e-6));
		b->p99_ms += log(fmax(p99_ms(s), 1e-6));
		b->cpu_ms += log(fmax(bench_cpu_ms(s), 1e-6));
	}
	return ret;
}

static void print(void *user, const struct bench_capture *c, bool is_first) {
	const struct bench_samples *s = &((const struct bench *)user)->samples;
	if (is_first) {
		printf("%-16s %6s %9s %9s %9s %8s %8s", "capture", "frames", "median-ms", "p99-ms",
				"cpu-ms", "Mpixel/s", "Mtri/s");
		for (unsigned i = 0; i < STAGE_COUNT; i++) {
			printf(" %7s%%", stage_names[i]);
		}
		putchar('\n');
	}
	printf("%-16s %6zu %9.3f %9.3f %9.3f %8.1f %8.3f", c->name, s->n / c->o->repeat,
			bench_median_ms(s), p99_ms(s), bench_cpu_ms(s), rate_m(s, s->fragments),
			rate_m(s, s->triangles));
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		printf(" %8.1f", stage_percent(s, i));
	}
	putchar('\n');
}

static json_t *row_json(void *user, const struct bench_capture *c) {
	const struct bench_samples *s = &((const struct bench *)user)->samples;
	json_t *stages = json_object();
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		json_object_set_new(stages, stage_names[i],
				json_rounded(stage_percent(s, i) / 100, 4));
	}
	return json_pack("{sI sI so so so so so so}", "frames", (json_int_t)(s->n / c->o->repeat),
			"samples", (json_int_t)s->n, "median_ms",
			json_rounded(bench_median_ms(s), 6), "p99_ms", json_rounded(p99_ms(s), 6),
			"cpu_ms", json_rounded(bench_cpu_ms(s), 6), "mpixel_s",
			json_rounded(rate_m(s, s->fragments), 3), "mtri_s",
			json_rounded(rate_m(s, s->triangles), 6), "stages", stages);
}

static json_t *begin_report(const struct bench_options *o, const char *isa) {
	const bool is_f24 = o->engine.float_mode == PICA_FLOAT_F24;
	const bool is_nearest = o->engine.combiner == PICA_COMBINER_NEAREST;
	json_t *report = json_report("bench");
	json_object_set_new(report, "threads", json_integer(o->engine.threads));
	json_object_set_new(report, "isa", json_string(isa));
	json_object_set_new(report, "float", json_string(is_f24 ? "f24" : "f32"));
	json_object_set_new(report, "combiner", json_string(is_nearest ? "nearest" : "truncate"));
	return report;
}

/* ---- The verb ---- */

#define AT(member) offsetof(struct bench_options, member)

static const struct option_row rows[] = {
	{ "repeat", 0, "N", "Runs to measure, after one to warm up (default: 5)", OPTION_U32,
			.at = AT(repeat), 1, MAX_REPEAT },
	{ "frames", 0, "LIST", "0,3-7,last or all, counted from 0 (default: all)", OPTION_CALL,
			.at = AT(frames), .words = frames_words, .parse = frames_option,
			.given = BENCH_FRAMES },
	{ "connect", 0, "SOCKET", "Measure a service: round trips, load, captures", OPTION_TEXT,
			.at = AT(where), .given = BENCH_CONNECT, .is_arg_optional = true },
	{ "name", 0, "NAME", "Of the session there (default: pica)", OPTION_CALL, .at = AT(name),
			.parse = remote_name_option },
	{ "service-pid", 0, "PID", "With --connect: also system calls and CPU time of that process",
			OPTION_U32, .at = AT(pid), 1, INT32_MAX,
					.expected = "the number of a process" },
	{ "record", 0, NULL, "Measure recording: runs with and without it, in turn", OPTION_FLAG,
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
	static const struct bench_kind kind = { measure, print, row_json };
	struct bench b = { .n = 0 };
	struct pica_device *device;
	int exit = engine_create(&device, &o.engine);
	if (exit != EXIT_FINE) {
		return exit;
	}
	json_t *report = o.json ? begin_report(&o, pica_device_isa(device)) : NULL;
	exit = bench_all(&o, device, &kind, &b, report);
	const double n = b.n ? b.n : 1;
	b.median_ms = exp(b.median_ms / n);
	b.p99_ms = exp(b.p99_ms / n);
	b.cpu_ms = exp(b.cpu_ms / n);
	if (report) {
		json_object_set_new(report, "geometric_mean", b.n == 0 ? json_null() :
				json_pack("{so so so}", "median_ms", json_rounded(b.median_ms, 6),
						"p99_ms", json_rounded(b.p99_ms, 6), "cpu_ms",
						json_rounded(b.cpu_ms, 6)));
		exit = json_finish(report, exit);
	} else if (b.n > 1) {
		printf("%-16s %6s %9.3f %9.3f %9.3f\n", "geometric-mean", "", b.median_ms,
				b.p99_ms, b.cpu_ms);
	}
	free(b.samples.wall_ns);
	pica_device_destroy(device);
	return exit;
}
