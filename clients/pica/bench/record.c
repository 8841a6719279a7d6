/*
 * pica bench --record: the cost of recording. Runs without and with recording alternate, so that
 * both see the same load of the machine.
 */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "pica_record.h"

enum { PLAIN, RECORDED, SIDES };

struct recording {
	const char *path; /* of the file */
	struct bench_samples side[SIDES];
	/* of the last recording: time to finish it, and its size */
	uint64_t finish_ns, bytes;
};

static double more(double recorded, double plain) {
	return plain > 0 ? 100 * (recorded / plain - 1) : 0;
}

/* ---- Measuring ---- */

/* Records into a file and deletes it. -ECANCELED: the error was logged. */
static int run_recorded(struct recording *r, const struct bench_capture *c) {
	struct pica_recorder *recorder;
	struct pica_capture_error error;
	struct replay replay = { 0 };
	struct stat st;
	int ret = bench_start(c, &replay);
	if (ret < 0) {
		return ret;
	}
	ret = pica_recorder_start(&recorder, c->ctx, r->path, NULL);
	if (ret < 0) {
		log_line("cannot record to %s: %s", r->path, strerror(-ret));
		return -ECANCELED;
	}
	ret = bench_frames(c, &replay, &r->side[RECORDED]);
	if (ret < 0) {
		pica_recorder_destroy(recorder);
		return ret;
	}
	const uint64_t begin = now_ns();
	ret = pica_recorder_finish(recorder, &error);
	r->finish_ns = now_ns() - begin;
	if (ret < 0) {
		log_line("%s", error.message);
		return -ECANCELED;
	}
	r->bytes = stat(r->path, &st) == 0 ? (uint64_t)st.st_size : 0;
	unlink(r->path);
	return 0;
}

static int measure(void *user, struct bench_capture *c) {
	struct recording *r = user;
	bench_samples_reset(&r->side[PLAIN]);
	bench_samples_reset(&r->side[RECORDED]);
	int ret = bench_start(c, &c->replay);
	ret = ret < 0 ? ret : bench_frames(c, &c->replay, NULL);
	for (uint32_t i = 0; ret == 0 && i < c->o->repeat; i++) {
		log_progress(c->name, i + 1, c->o->repeat);
		ret = bench_start(c, &c->replay);
		ret = ret < 0 ? ret : bench_frames(c, &c->replay, &r->side[PLAIN]);
		ret = ret < 0 ? ret : run_recorded(r, c);
	}
	bench_samples_sort(&r->side[PLAIN]);
	bench_samples_sort(&r->side[RECORDED]);
	return ret;
}

/* ---- Results ---- */

static void print(void *user, const struct bench_capture *c, bool is_first) {
	const struct recording *r = user;
	const struct bench_samples *a = &r->side[PLAIN], *b = &r->side[RECORDED];
	const double median_ms = bench_median_ms(a), cpu_ms = bench_cpu_ms(a);
	if (is_first) {
		printf("%-16s %6s %9s %9s %7s %9s %9s %7s %9s %8s\n", "capture", "frames",
				"median-ms", "recorded", "more%", "cpu-ms", "recorded", "more%",
				"finish-ms", "KiB");
	}
	printf("%-16s %6zu %9.3f %9.3f %7.1f %9.3f %9.3f %7.1f %9.3f %8.1f\n", c->name,
			a->n / c->o->repeat, median_ms, bench_median_ms(b),
			more(bench_median_ms(b), median_ms), cpu_ms, bench_cpu_ms(b),
			more(bench_cpu_ms(b), cpu_ms), (double)r->finish_ns / 1e6,
			(double)r->bytes / 1024);
}

static json_t *side_json(const struct bench_samples *s) {
	return json_pack("{so so}", "median_ms", json_rounded(bench_median_ms(s), 6), "cpu_ms",
			json_rounded(bench_cpu_ms(s), 6));
}

static json_t *row_json(void *user, const struct bench_capture *c) {
	const struct recording *r = user;
	const struct bench_samples *a = &r->side[PLAIN], *b = &r->side[RECORDED];
	return json_pack("{sI so so so so so sI}", "frames", (json_int_t)(a->n / c->o->repeat),
			"plain", side_json(a), "recorded", side_json(b), "more_percent",
			json_rounded(more(bench_median_ms(b), bench_median_ms(a)), 3),
			"more_cpu_percent",
			json_rounded(more(bench_cpu_ms(b), bench_cpu_ms(a)), 3), "finish_ms",
			json_rounded((double)r->finish_ns / 1e6, 6), "bytes", (json_int_t)r->bytes);
}

static int record_all(const struct bench_options *o, struct pica_device *device, const char *path) {
	static const struct bench_kind kind = { measure, print, row_json };
	struct recording r = { .path = path };
	json_t *report = o->json ? json_report("bench") : NULL;
	json_object_set_new(report, "threads", json_integer(o->engine.threads));
	json_object_set_new(report, "isa", json_string(pica_device_isa(device)));
	int exit = bench_all(o, device, &kind, &r, report);
	free(r.side[PLAIN].wall_ns);
	free(r.side[RECORDED].wall_ns);
	return report ? json_finish(report, exit) : exit;
}

int bench_recorded(const struct bench_options *o) {
	const char *where = getenv("TMPDIR");
	char folder[256], path[sizeof(folder) + 16];
	struct pica_device *device;
	where = where && *where ? where : "/tmp";
	const int len = snprintf(folder, sizeof(folder), "%s/pica-bench.XXXXXX", where);
	const int error = len >= (int)sizeof(folder) ? ENAMETOOLONG : mkdtemp(folder) ? 0 : errno;
	if (error) {
		return log_fail("a folder for recordings in %s: %s", where, strerror(error));
	}
	snprintf(path, sizeof(path), "%s/recorded.pica", folder);
	int exit = engine_create(&device, &o->engine);
	if (exit == EXIT_FINE) {
		exit = record_all(o, device, path);
		pica_device_destroy(device);
	}
	rmdir(folder);
	return exit;
}
