/*
 * pica bench --record: the cost of recording. Runs of a capture without and with recording
 * alternate, so that both meet the same load of the machine.
 */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "pica_record.h"
#include "replay.h"

struct side {
	uint64_t *wall_ns; /* of each frame; sorted in the end */
	size_t n, cap;
	uint64_t cpu_ns;
	double median_ms, cpu_ms; /* in the end */
};

enum { PLAIN, RECORDED, SIDES };

struct measured {
	char *name;
	struct side side[SIDES];
	/* of the last recording: to replay it and to put it in place; its size */
	uint64_t finish_ns, bytes;
	uint32_t frames;
	struct replay replay; /* the last one that was not recorded */
};

static double more(double recorded, double plain) {
	return plain > 0 ? 100 * (recorded / plain - 1) : 0;
}

/* ---- Measuring ---- */

static int add_sample(struct side *s, uint64_t wall_ns, uint64_t cpu_ns) {
	if (s->n == s->cap) {
		const size_t cap = s->cap ? 2 * s->cap : 256;
		uint64_t *samples = realloc(s->wall_ns, cap * sizeof(*samples));
		if (!samples) {
			return -ENOMEM;
		}
		s->wall_ns = samples;
		s->cap = cap;
	}
	s->wall_ns[s->n++] = wall_ns;
	s->cpu_ns += cpu_ns;
	return 0;
}

static void finish_side(struct side *s) {
	if (s->n) {
		bench_sort(s->wall_ns, s->n);
		s->median_ms = (double)(s->wall_ns[(s->n - 1) / 2] + s->wall_ns[s->n / 2]) / 2e6;
		s->cpu_ms = (double)s->cpu_ns / (double)s->n / 1e6;
	}
}

static int timed_frame(struct side *s, struct replay *replay) {
	const uint64_t cpu = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
		       wall = bench_clock_ns(CLOCK_MONOTONIC);
	int ret = replay_frame(replay);
	ret = ret < 0 ? ret : replay_wait(replay);
	return ret < 0 ? ret : add_sample(s, bench_clock_ns(CLOCK_MONOTONIC) - wall,
			bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

/* All frames that are asked for, and those before; s NULL: to warm up. */
static int run_frames(struct side *s, const struct bench_options *o, struct replay *replay,
		uint32_t n_frames) {
	const uint32_t end = frame_list_end(&o->frames, n_frames);
	int ret = 0;
	for (uint32_t frame = 0; ret >= 0 && frame <= end; frame++) {
		if (s && frame_list_has(&o->frames, n_frames, frame)) {
			ret = timed_frame(s, replay);
		} else {
			ret = replay_frame(replay);
			ret = ret < 0 ? ret : replay_wait(replay);
		}
	}
	return ret < 0 ? ret : replay->worst;
}

static int start(struct replay *replay, struct pica_ctx *ctx, struct pica_capture *capture) {
	const struct gpu gpu = gpu_here(ctx);
	int ret = gpu.impl->zero_memory(gpu);
	return ret < 0 ? ret : replay_start(replay, gpu, capture, 0);
}

/* Into a file that is deleted. -ECANCELED: the error was logged. */
static int run_recorded(struct measured *m, const struct bench_options *o, struct pica_ctx *ctx,
		struct pica_capture *capture, uint32_t n_frames, const char *path) {
	struct pica_recorder *recorder;
	struct pica_capture_error error;
	struct replay replay = { 0 };
	struct stat st;
	int ret = start(&replay, ctx, capture);
	if (ret < 0) {
		return ret;
	}
	ret = pica_recorder_start(&recorder, ctx, path, NULL);
	if (ret < 0) {
		log_line("cannot record to %s: %s", path, strerror(-ret));
		return -ECANCELED;
	}
	ret = run_frames(&m->side[RECORDED], o, &replay, n_frames);
	if (ret < 0) {
		pica_recorder_destroy(recorder);
		return ret;
	}
	const uint64_t begin = bench_clock_ns(CLOCK_MONOTONIC);
	ret = pica_recorder_finish(recorder, &error);
	m->finish_ns = bench_clock_ns(CLOCK_MONOTONIC) - begin;
	if (ret < 0) {
		log_line("%s", error.message);
		return -ECANCELED;
	}
	m->bytes = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
	unlink(path);
	return 0;
}

static int run_all(struct measured *m, const struct bench_options *o, struct pica_ctx *ctx,
		struct pica_capture *capture, uint32_t n_frames, const char *path) {
	int ret = start(&m->replay, ctx, capture);
	ret = ret < 0 ? ret : run_frames(NULL, o, &m->replay, n_frames);
	for (uint32_t i = 0; ret == 0 && i < o->repeat; i++) {
		log_progress(m->name, i + 1, o->repeat);
		ret = start(&m->replay, ctx, capture);
		ret = ret < 0 ? ret : run_frames(&m->side[PLAIN], o, &m->replay, n_frames);
		ret = ret < 0 ? ret : run_recorded(m, o, ctx, capture, n_frames, path);
	}
	for (unsigned i = 0; i < SIDES; i++) {
		finish_side(&m->side[i]);
	}
	m->frames = (uint32_t)(m->side[PLAIN].n / o->repeat);
	return ret;
}

/* Logs errors; returns an exit code. */
static int measure(struct measured *m, const struct bench_options *o, struct pica_device *device,
		const char *source, const char *path) {
	struct pica_capture *capture;
	struct pica_capture_error error;
	struct pica_capture_info info;
	struct pica_ctx *ctx = NULL;
	int exit = capture_open(&capture, source, &error);
	if (exit != EXIT_FINE) {
		return exit;
	}
	pica_capture_info(capture, &info);
	const uint32_t n_frames = info.frames ? info.frames : 1,
		       end = frame_list_end(&o->frames, n_frames);
	m->name = capture_name(source);
	int ret = 0;
	if (end >= n_frames) {
		log_line("%s: frame %" PRIu32 " was asked for, but the last one is %" PRIu32, source,
				end, n_frames - 1);
		exit = EXIT_TROUBLE;
	} else {
		ret = m->name ? replay_create_ctx(&ctx, device, capture) : -ENOMEM;
		ret = ret < 0 ? ret : run_all(m, o, ctx, capture, n_frames, path);
	}
	if (ret < 0 && ret == m->replay.worst) {
		exit = bench_job_failed(source, &m->replay);
	} else if (ret < 0) {
		exit = ret == -ECANCELED ? EXIT_TROUBLE : capture_failed(capture, source, ret);
	}
	pica_ctx_destroy(ctx);
	pica_capture_close(capture);
	return exit;
}

/* ---- Results ---- */

static void print_heading(void) {
	printf("%-16s %6s %9s %9s %7s %9s %9s %7s %9s %8s\n", "capture", "frames", "median-ms",
			"recorded", "more%", "cpu-ms", "recorded", "more%", "finish-ms", "KiB");
}

static void print_row(const struct measured *m) {
	const struct side *a = &m->side[PLAIN], *b = &m->side[RECORDED];
	printf("%-16s %6" PRIu32 " %9.3f %9.3f %7.1f %9.3f %9.3f %7.1f %9.3f %8.1f\n", m->name,
			m->frames, a->median_ms, b->median_ms, more(b->median_ms, a->median_ms),
			a->cpu_ms, b->cpu_ms, more(b->cpu_ms, a->cpu_ms),
			(double)m->finish_ns / 1e6, (double)m->bytes / 1024);
	fflush(stdout);
}

static json_t *side_json(const struct side *s) {
	return json_pack("{so so}", "median_ms", json_rounded(s->median_ms, 6), "cpu_ms",
			json_rounded(s->cpu_ms, 6));
}

static json_t *row_json(const struct measured *m, const char *path) {
	const struct side *a = &m->side[PLAIN], *b = &m->side[RECORDED];
	return json_pack("{so so sI so so so so so sI}", "path", json_text(path), "name",
			json_text(m->name), "frames", (json_int_t)m->frames, "plain", side_json(a),
			"recorded", side_json(b), "more_percent",
			json_rounded(more(b->median_ms, a->median_ms), 3), "more_cpu_percent",
			json_rounded(more(b->cpu_ms, a->cpu_ms), 3), "finish_ms",
			json_rounded((double)m->finish_ns / 1e6, 6), "bytes", (json_int_t)m->bytes);
}

static int all_captures(
		const struct bench_options *o, struct pica_device *device, const char *path) {
	json_t *rows = o->json ? json_array() : NULL, *errors = o->json ? json_array() : NULL;
	int exit = EXIT_FINE;
	unsigned n = 0;
	for (unsigned i = 0; i < o->n_captures; i++) {
		struct measured m = { .name = NULL };
		const int code = measure(&m, o, device, o->captures[i], path);
		exit = code > exit ? code : exit;
		log_end();
		if (code != EXIT_FINE) {
			json_t *row = json_last_error();
			json_object_set_new(row, "path", json_text(o->captures[i]));
			json_array_append_new(errors, row);
		} else if (o->json) {
			json_array_append_new(rows, row_json(&m, o->captures[i]));
		} else {
			if (n++ == 0) {
				print_heading();
			}
			print_row(&m);
		}
		free(m.name);
		free(m.side[PLAIN].wall_ns);
		free(m.side[RECORDED].wall_ns);
	}
	if (o->json) {
		json_t *report = json_report("bench");
		json_object_set_new(report, "threads", json_integer(o->engine.threads));
		json_object_set_new(report, "isa", json_string(pica_device_isa(device)));
		json_object_set_new(report, "repeat", json_integer(o->repeat));
		json_object_set_new(report, "captures", rows);
		json_object_set_new(report, "errors", errors);
		if (json_print(report) < 0) {
			log_line("%s", strerror(ENOMEM));
			exit = exit < EXIT_TROUBLE ? EXIT_TROUBLE : exit;
		}
	}
	return exit;
}

int bench_recorded(const struct bench_options *o) {
	const char *where = getenv("TMPDIR");
	char folder[256], path[sizeof(folder) + 16];
	struct pica_device *device;
	where = where && *where ? where : "/tmp";
	const int len = snprintf(folder, sizeof(folder), "%s/pica-bench.XXXXXX", where);
	const int error = len >= (int)sizeof(folder) ? ENAMETOOLONG : mkdtemp(folder) ? 0 : errno;
	if (error) {
		log_line("a folder for recordings in %s: %s", where, strerror(error));
		return EXIT_TROUBLE;
	}
	snprintf(path, sizeof(path), "%s/recorded.pica", folder);
	int exit = engine_create(&device, &o->engine);
	if (exit == EXIT_FINE) {
		exit = all_captures(o, device, path);
		pica_device_destroy(device);
	}
	rmdir(folder);
	return exit;
}
