/* pica bench --connect: the cost of rendering through a service. */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/json.h"
#include "common/remote.h"
#include "core/base/attributes.h"
#include "replay.h"

enum {
	ROUNDS = 5000,          /* of a round trip */
	LOAD_MS = 60,           /* of each load, for each repeat */
	LOAD_REPEATS = 5,       /* further repeats do not lengthen a load */
	MAX_DEPTH = 256, /* the ring is full */
	SCENE_DEPTHS = 3,
	SAMPLE_MS = 100, /* minimum duration of a sample of a capture, roughly */
	MAX_ROUNDS = 1000,
	SMALL_ADDR = 0x18000000, /* what small jobs fill */
	SMALL_BYTES = 256,
};

static const unsigned load_depths[] = { 1, 8, 64, MAX_DEPTH };
static const unsigned scene_depths[SCENE_DEPTHS] = { 1, 2, 4 };

struct trip {
	double p50_us, p99_us;
};

struct load {
	unsigned depth;
	bool is_fill;
	double jobs_s, bells, sleeps, system_calls; /* the last three: of the client, per job */
	double service_calls; /* a job; where they are counted */
};

/* Medians of all pairs. */
struct compared {
	double here_ms, there_ms; /* a frame */
	double ratio;
	/* Its 95 % confidence interval, assuming independent pairs. */
	double low, high;
	double cpu_ratio; /* ratio of processor times of all processes; if known */
	double calls; /* of the service per frame, if counted */
};

struct scene {
	const char *path; /* borrowed */
	char *name;
	uint32_t frames;
	struct compared at[SCENE_DEPTHS];
};

struct bench {
	const struct bench_options *o;
	struct pica_client *client;
	struct pica_device *device;
	struct bench_process *process; /* the service's, or NULL */
	struct trip pipe, barrier;
	struct load loads[2 * ARRAY_LEN(load_depths)];
	struct scene *scenes;
	unsigned n_scenes;
	struct replay replay; /* the last one, whose job failed if any did */
	json_t *errors; /* of captures; NULL: no report */
};

/* ---- Round trips ---- */

static struct trip trip_from(uint64_t *ns, size_t n) {
	bench_sort(ns, n);
	return (struct trip){ (double)ns[n / 2] / 1e3, (double)ns[n * 99 / 100] / 1e3 };
}

/* A process that echoes each byte. */
static void echo(int in, int out) {
	char byte;
	while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1) {
	}
	_exit(0);
}

static int pipe_rounds(int out, int in, uint64_t *ns) {
	char byte = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t start = now_ns();
		if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1) {
			return -EPIPE;
		}
		ns[i] = now_ns() - start;
	}
	return 0;
}

/* The lower bound: two bare pipes between two processes. */
static int measure_pipe(struct bench *b, uint64_t *ns) {
	int there[2], back[2];
	if (pipe(there) < 0) {
		return -errno;
	}
	if (pipe(back) < 0) {
		int ret = -errno;
		close(there[0]);
		close(there[1]);
		return ret;
	}
	pid_t child = fork();
	if (child == 0) {
		close(there[1]);
		close(back[0]);
		echo(there[0], back[1]);
	}
	int ret = child < 0 ? -errno : 0;
	close(there[0]);
	close(back[1]);
	ret = ret < 0 ? ret : pipe_rounds(there[1], back[0], ns);
	close(there[1]);
	close(back[0]);
	if (child > 0) {
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
		}
	}
	b->pipe = trip_from(ns, ROUNDS);
	return ret;
}

static struct pica_job *put_job(struct pica_client_ctx *ctx, bool is_fill) {
	struct pica_job *job = pica_client_slot(ctx);
	if (job && is_fill) {
		job->op = PICA_OP_FILL;
		job->u.fill.start = SMALL_ADDR;
		job->u.fill.end = SMALL_ADDR + SMALL_BYTES;
		job->u.fill.control = 2 << 8; /* words of 32 bits */
	} else if (job) {
		job->op = PICA_OP_BARRIER;
	}
	return job;
}

static int worst(const struct pica_done *done, int n) {
	for (int i = 0; i < n; i++) {
		if (done[i].result < 0) {
			return done[i].result;
		}
	}
	return n;
}

static int measure_barrier(struct bench *b, struct pica_client_ctx *ctx, uint64_t *ns) {
	struct pica_done done;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t start = now_ns();
		int ret = put_job(ctx, false) ? pica_client_submit(b->client) : -ECONNRESET;
		ret = ret < 0 ? ret : pica_client_wait(b->client, &done, 1, -1);
		if (ret < 0 || (ret = worst(&done, 1)) < 0) {
			return ret;
		}
		ns[i] = now_ns() - start;
	}
	b->barrier = trip_from(ns, ROUNDS);
	return 0;
}

/* ---- Load ---- */

/* Keeps `depth` jobs in flight for a while, waiting for half of them at a time. */
static int measure_load(struct bench *b, struct pica_client_ctx *ctx, struct load *l) {
	struct pica_client_counters before = { .size = sizeof(before) }, after = before;
	struct pica_done done[MAX_DEPTH];
	uint64_t end, start = now_ns(), jobs = 0;
	unsigned in_flight = 0;
	bool is_over = false;
	const uint32_t repeat = b->o->repeat < LOAD_REPEATS ? b->o->repeat : LOAD_REPEATS;
	pica_client_counters(b->client, &before);
	const struct bench_process_use used = bench_process_look(b->process);
	while (!is_over || in_flight) {
		while (!is_over && in_flight < l->depth && put_job(ctx, l->is_fill)) {
			in_flight++;
		}
		int ret = pica_client_submit(b->client);
		ret = ret < 0 ? ret :
				pica_client_wait_many(
						b->client, done, MAX_DEPTH, (l->depth + 1) / 2, -1);
		ret = ret < 0 ? ret : worst(done, ret);
		if (ret < 0) {
			return ret;
		}
		in_flight -= (unsigned)ret;
		jobs += (unsigned)ret;
		end = now_ns();
		is_over = end - start >= repeat * LOAD_MS * UINT64_C(1000000);
	}
	pica_client_counters(b->client, &after);
	const uint64_t calls = bench_process_look(b->process).calls - used.calls;
	l->service_calls = (double)calls / (double)jobs;
	l->jobs_s = (double)jobs * 1e9 / (double)(end - start);
	l->bells = (double)(after.bells - before.bells) / (double)jobs;
	l->sleeps = (double)(after.sleeps - before.sleeps) / (double)jobs;
	l->system_calls = (double)(after.system_calls - before.system_calls) / (double)jobs;
	return 0;
}

/* Logs the error before the next request, which clears it. */
static int told(const struct bench *b, int ret) {
	if (ret < 0) {
		log_line("%s", remote_error(b->client, ret));
	}
	return ret;
}

/* Logs what is wrong. */
static int measure_rings(struct bench *b) {
	struct pica_client_ctx *ctx;
	struct pica_client_memory *memory;
	uint64_t *ns = malloc(ROUNDS * sizeof(*ns));
	int ret = ns ? pica_client_ctx_create(&ctx, b->client, NULL) : -ENOMEM;
	if (ret < 0) {
		free(ns);
		return told(b, ret);
	}
	ret = told(b, pica_client_map(&memory, ctx, SMALL_ADDR, 4096, 0));
	if (ret == 0) {
		ret = measure_pipe(b, ns);
		ret = ret < 0 ? ret : measure_barrier(b, ctx, ns);
		for (unsigned i = 0; ret == 0 && i < ARRAY_LEN(b->loads); i++) {
			b->loads[i].is_fill = i >= ARRAY_LEN(load_depths);
			b->loads[i].depth = load_depths[i % ARRAY_LEN(load_depths)];
			ret = measure_load(b, ctx, &b->loads[i]);
		}
		told(b, ret);
		int freed = pica_client_free(memory);
		ret = ret < 0 ? ret : told(b, freed);
	}
	int destroyed = pica_client_ctx_destroy(ctx);
	free(ns);
	return ret < 0 ? ret : told(b, destroyed);
}

/* ---- Scenes ---- */

/* The cost of drawing: time, and processor time of this process and the service's. */
struct sample {
	uint64_t ns, cpu_ns;
	uint64_t calls; /* system calls of the service */
};

/* All frames, `depth` of them in flight; adds their times. */
static int run_scene(struct bench *b, struct gpu gpu, struct pica_capture *capture,
		unsigned depth, struct sample *sum) {
	uint64_t last[SCENE_DEPTHS + 1] = { 0 };
	struct replay *replay = &b->replay;
	int more = 1, ret = gpu.impl->zero_memory(gpu);
	ret = ret < 0 ? ret : replay_start(replay, gpu, capture, 0);
	const struct bench_process_use before = bench_process_look(b->process);
	const uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	const uint64_t start = now_ns();
	for (unsigned frame = 0; ret == 0 && more > 0; frame++) {
		more = replay_frame(replay);
		ret = more < 0 ? more : 0;
		if (ret == 0) {
			/* of the frame depth - 1 earlier */
			const uint64_t earlier = last[(frame + 1) % depth];
			last[frame % depth] = replay->seq;
			ret = replay_wait_for(replay, depth == 1 ? replay->seq : earlier);
		}
	}
	ret = ret < 0 ? ret : replay_wait(replay);
	sum->ns += now_ns() - start;
	const struct bench_process_use after = bench_process_look(b->process);
	sum->cpu_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	sum->cpu_ns += after.cpu_ns - before.cpu_ns;
	sum->calls += after.calls - before.calls;
	return ret < 0 ? ret : replay->worst;
}

static int run_rounds(struct bench *b, struct gpu gpu, struct pica_capture *capture,
		unsigned depth, unsigned rounds, struct sample *sum) {
	int ret = 0;
	*sum = (struct sample){ 0 };
	for (unsigned i = 0; ret == 0 && i < rounds; i++) {
		ret = run_scene(b, gpu, capture, depth, sum);
	}
	return ret;
}

static int compare_values(const void *a, const void *b) {
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, uint32_t n) {
	qsort(values, n, sizeof(*values), compare_values);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The index of the lower bound of the median's 95 % confidence interval among n sorted values. */
static uint32_t first_inside(uint32_t n) {
	/* Binomial with p = 1/2: 1.96 deviations below the mean. */
	const double rank = n / 2.0 - 1.96 * sqrt(n) / 2;
	return rank < 1.5 ? 0 : (uint32_t)(rank - 0.5);
}

enum { VALUES = 5 }; /* that compare() finds for a pair */

/* values: room for n * VALUES. */
static struct compared compare(struct sample (*pair)[2], uint32_t n, uint64_t frames,
		double *values) {
	double *here = values, *there = here + n, *ratio = there + n, *cpu = ratio + n,
	       *calls = cpu + n;
	for (uint32_t i = 0; i < n; i++) {
		const struct sample *a = &pair[i][0], *b = &pair[i][1];
		here[i] = (double)a->ns / 1e6 / (double)frames;
		there[i] = (double)b->ns / 1e6 / (double)frames;
		ratio[i] = (double)b->ns / (double)a->ns;
		cpu[i] = (double)b->cpu_ns / (double)a->cpu_ns;
		calls[i] = (double)b->calls / (double)frames;
	}
	struct compared c = { .here_ms = median(here, n), .there_ms = median(there, n),
		.ratio = median(ratio, n), .cpu_ratio = median(cpu, n), .calls = median(calls, n) };
	c.low = ratio[first_inside(n)];
	c.high = ratio[n - 1 - first_inside(n)];
	return c;
}

/*
 * Pairs of samples, here and through the service, every second pair in reverse order, so that
 * changes of the machine's speed affect both.
 */
static int compare_scene(struct bench *b, const struct gpu gpu[2],
		struct pica_capture *capture, struct scene *s) {
	const uint32_t n = b->o->repeat;
	struct sample(*pair)[2] = malloc(n * sizeof(*pair)), warm = { 0 };
	double *values = malloc(VALUES * n * sizeof(*values));
	int ret = pair && values ? run_scene(b, gpu[1], capture, 1, &warm) : -ENOMEM;
	warm = (struct sample){ 0 };
	ret = ret < 0 ? ret : run_scene(b, gpu[0], capture, 1, &warm);
	const uint64_t wanted = SAMPLE_MS * UINT64_C(1000000) / (warm.ns + 1) + 1;
	const unsigned rounds = wanted < MAX_ROUNDS ? (unsigned)wanted : MAX_ROUNDS;
	for (unsigned i = 0; ret == 0 && i < SCENE_DEPTHS; i++) {
		for (uint32_t k = 0; ret == 0 && k < 2 * n; k++) {
			const unsigned side = (k ^ k / 2) & 1;
			log_progress(s->name, 2 * i * n + k + 1, 2 * SCENE_DEPTHS * n);
			ret = run_rounds(b, gpu[side], capture, scene_depths[i], rounds,
					&pair[k / 2][side]);
		}
		if (ret == 0) {
			s->at[i] = compare(pair, n, (uint64_t)s->frames * rounds, values);
		}
	}
	free(pair);
	free(values);
	return ret;
}

static int measure_scene(struct bench *b, const char *path, struct scene *s) {
	struct pica_capture *capture;
	struct pica_ctx *ctx = NULL;
	struct remote *remote = NULL;
	char message[PICA_TEXT_BYTES] = ""; /* why the connection failed */
	int exit = capture_open(&capture, path);
	if (exit != EXIT_FINE) {
		return exit;
	}
	s->frames = capture_frames(capture);
	s->name = capture_name(path);
	b->replay = (struct replay){ .worst = 0 };
	int ret = s->name ? replay_create_ctx(&ctx, b->device, capture) : -ENOMEM;
	ret = ret < 0 ? ret : remote_create(&remote, b->client, capture, NULL, message);
	if (ret == 0) {
		const struct gpu gpu[2] = { gpu_here(ctx), remote_gpu(remote) };
		ret = compare_scene(b, gpu, capture, s);
	}
	if (ret < 0 && capture_is_damaged(capture, ret)) {
		exit = capture_failed(capture, path, ret);
	} else if (ret < 0 && ret == b->replay.worst) {
		exit = replay_job_failed(&b->replay, path);
	} else if (ret < 0) {
		log_line("%s: %s", path, message[0] ? message : remote_error(b->client, ret));
		exit = remote_exit(ret);
	}
	remote_destroy(remote);
	pica_ctx_destroy(ctx);
	pica_capture_close(capture);
	return exit;
}

/* Creates a device like the service's: its number of threads, its instruction set. */
static int create_device(struct bench *b) {
	const struct pica_msg_welcome *w = pica_client_welcome(b->client);
	struct engine_options engine = b->o->engine;
	char isa[sizeof(w->isa) + 1];
	snprintf(isa, sizeof(isa), "%.*s", (int)sizeof(w->isa), w->isa);
	engine.isa = isa;
	engine.threads = w->n_threads;
	return engine_create(&b->device, &engine);
}

/* Called before measuring: drops unreadable captures. */
static int find_scenes(struct bench *b) {
	int exit = EXIT_FINE;
	b->scenes = calloc(b->o->n_captures ? b->o->n_captures : 1, sizeof(*b->scenes));
	if (!b->scenes) {
		return log_no_memory();
	}
	for (unsigned i = 0; i < b->o->n_captures; i++) {
		struct pica_capture *capture;
		int code = capture_open(&capture, b->o->captures[i]);
		if (code == EXIT_FINE) {
			pica_capture_close(capture);
			b->scenes[b->n_scenes++].path = b->o->captures[i];
		} else {
			json_array_append_new(b->errors, json_error_of(b->o->captures[i]));
		}
		exit = worse(exit, code);
	}
	return exit;
}

static int measure_scenes(struct bench *b) {
	const unsigned n = b->n_scenes;
	int exit = n ? create_device(b) : EXIT_FINE;
	b->n_scenes = 0;
	for (unsigned i = 0; i < n; i++) {
		struct scene s = { .path = b->scenes[i].path };
		int code = b->device ? measure_scene(b, s.path, &s) : EXIT_FINE;
		if (code == EXIT_FINE && b->device) {
			b->scenes[b->n_scenes++] = s;
		} else {
			free(s.name);
		}
		if (code != EXIT_FINE) {
			json_array_append_new(b->errors, json_error_of(s.path));
		}
		exit = worse(exit, code);
	}
	return exit;
}

/* ---- Results ---- */

static void print_results(const struct bench *b) {
	printf("%-16s %9s %9s\n", "round-trip", "p50-us", "p99-us");
	printf("%-16s %9.2f %9.2f\n", "pipe", b->pipe.p50_us, b->pipe.p99_us);
	printf("%-16s %9.2f %9.2f\n", "barrier", b->barrier.p50_us, b->barrier.p99_us);
	const bool counts = bench_process_counts(b->process);
	printf("\n%-16s %9s %12s %10s %10s %12s%s\n", "load", "depth", "jobs/s", "bells/job",
			"sleeps/job", "syscalls/job", counts ? " service-syscalls/job" : "");
	for (unsigned i = 0; i < ARRAY_LEN(b->loads); i++) {
		const struct load *l = &b->loads[i];
		printf("%-16s %9u %12.0f %10.4f %10.4f %12.4f",
				l->is_fill ? "fill-256" : "barrier", l->depth, l->jobs_s, l->bells,
				l->sleeps, l->system_calls);
		if (counts) {
			printf(" %20.4f", l->service_calls);
		}
		putchar('\n');
	}
	if (b->n_scenes) {
		printf("\n%-16s %6s %6s %9s %11s %6s %6s %6s%s%s\n", "capture", "frames", "depth",
				"here-ms", "service-ms", "ratio", "from", "to",
				b->process ? " cpu-ratio" : "", counts ? " syscalls/frame" : "");
	}
	for (unsigned i = 0; i < b->n_scenes; i++) {
		const struct scene *s = &b->scenes[i];
		for (unsigned k = 0; k < SCENE_DEPTHS; k++) {
			const struct compared *c = &s->at[k];
			printf("%-16s %6" PRIu32 " %6u %9.3f %11.3f %6.3f %6.3f %6.3f", s->name,
					s->frames, scene_depths[k], c->here_ms, c->there_ms,
					c->ratio, c->low, c->high);
			if (b->process) {
				printf(" %9.3f", c->cpu_ratio);
			}
			if (counts) {
				printf(" %14.1f", c->calls);
			}
			putchar('\n');
		}
	}
}

static json_t *trip_json(const struct trip *t) {
	return json_pack("{so so}", "p50_us", json_rounded(t->p50_us, 3), "p99_us",
			json_rounded(t->p99_us, 3));
}

static json_t *load_json(const struct load *l, bool counts) {
	json_t *row = json_pack("{ss sI so so so so}", "job", l->is_fill ? "fill-256" : "barrier",
			"depth", (json_int_t)l->depth, "jobs_s", json_rounded(l->jobs_s, 1),
			"bells_per_job", json_rounded(l->bells, 6), "sleeps_per_job",
			json_rounded(l->sleeps, 6), "system_calls_per_job",
			json_rounded(l->system_calls, 6));
	if (counts) {
		json_object_set_new(row, "service_calls_per_job",
				json_rounded(l->service_calls, 6));
	}
	return row;
}

static json_t *compared_json(
		const struct scene *s, unsigned i, const struct bench_process *process) {
	const struct compared *c = &s->at[i];
	json_t *row = json_pack("{so sI sI so so so so so}", "name", json_text(s->name), "frames",
			(json_int_t)s->frames, "depth", (json_int_t)scene_depths[i], "here_ms",
			json_rounded(c->here_ms, 6), "service_ms", json_rounded(c->there_ms, 6),
			"ratio", json_rounded(c->ratio, 4), "ratio_from", json_rounded(c->low, 4),
			"ratio_to", json_rounded(c->high, 4));
	if (process) {
		json_object_set_new(row, "cpu_ratio", json_rounded(c->cpu_ratio, 4));
	}
	if (bench_process_counts(process)) {
		json_object_set_new(row, "service_calls_per_frame", json_rounded(c->calls, 2));
	}
	return row;
}

static json_t *report(const struct bench *b) {
	json_t *report = json_report("bench"), *loads = json_array(), *scenes = json_array();
	for (unsigned i = 0; i < ARRAY_LEN(b->loads); i++) {
		json_array_append_new(loads,
				load_json(&b->loads[i], bench_process_counts(b->process)));
	}
	for (unsigned i = 0; i < b->n_scenes * SCENE_DEPTHS; i++) {
		json_array_append_new(scenes,
				compared_json(&b->scenes[i / SCENE_DEPTHS], i % SCENE_DEPTHS,
						b->process));
	}
	const struct pica_msg_welcome *w = pica_client_welcome(b->client);
	json_object_set_new(report, "threads", json_integer((json_int_t)w->n_threads));
	json_object_set_new(report, "pipe", trip_json(&b->pipe));
	json_object_set_new(report, "barrier", trip_json(&b->barrier));
	json_object_set_new(report, "loads", loads);
	json_object_set_new(report, "captures", scenes);
	json_object_set(report, "errors", b->errors);
	return report;
}

int bench_service(const struct bench_options *o) {
	struct bench b = { .o = o, .errors = o->json ? json_array() : NULL };
	if (o->json) {
		json_promise("bench", NULL);
	}
	const int found = find_scenes(&b);
	int exit = found;
	if (b.n_scenes || !o->n_captures) { /* otherwise there is nothing to compare */
		exit = remote_connect_named(&b.client, o->where, o->name);
	}
	if (b.client && o->pid && bench_process_open(&b.process, o->pid) < 0) {
		exit = EXIT_TROUBLE;
	}
	int ret = b.client && exit == EXIT_FINE ? measure_rings(&b) : 0;
	if (ret < 0) {
		exit = remote_exit(ret);
	} else if (b.client && exit == EXIT_FINE) {
		exit = measure_scenes(&b);
		exit = worse(exit, found);
		log_end();
		if (o->json) {
			exit = json_finish(report(&b), exit);
		} else {
			print_results(&b);
		}
	}
	if (o->json && !b.client && exit == found && exit != EXIT_FINE) {
		json_t *report = json_report("bench");
		json_object_set(report, "errors", b.errors);
		json_print(report);
	}
	for (unsigned i = 0; i < b.n_scenes; i++) {
		free(b.scenes[i].name);
	}
	free(b.scenes);
	json_decref(b.errors);
	pica_device_destroy(b.device);
	pica_client_close(b.client);
	bench_process_close(b.process);
	return exit;
}
