/*
 * The engine with hostile input: command lists of noise and of traps, jobs with any arguments,
 * awkward windows, and a client that writes to memory while the engine reads it. Nothing may crash
 * or hang, and results must be the same for every number of threads and set of kernels (unless the
 * client writes).
 *
 * --threads, --isa: compares only this engine with the plain one. A failure names the seed of its
 * group, to be run again with --lists 1.
 */
#include "hostile.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "clock.h"
#include "options/options.h"

#if defined(__SANITIZE_THREAD__)
enum { SLOWNESS = 15, CAN_SCRIBBLE = 0 };
#elif defined(__SANITIZE_ADDRESS__)
enum { SLOWNESS = 6, CAN_SCRIBBLE = 1 };
#else
enum { SLOWNESS = 1, CAN_SCRIBBLE = 1 };
#endif

enum {
	GROUP_LISTS = 16,
	DEFAULT_LISTS = 3000,
	GROUP_SECONDS = 20, /* for what takes some milliseconds */
	MAX_ENGINES = 6,
};

struct options {
	uint64_t seed;
	uint32_t lists;
	int threads;
	const char *isa;
	bool verbose;
};

struct engine {
	const char *isa;
	unsigned threads;
	struct pica_device *device;
	struct memory memory;
};

/* The results of a run; equal for equal scripts. */
struct result {
	uint64_t memory[2];
	uint64_t calls; /* completions, results of calls, registers, counters */
	struct pica_stats stats;
};

static char alarm_text[128]; /* which group runs */

static void on_alarm(int signal_number) {
	ssize_t written = write(STDERR_FILENO, alarm_text, strlen(alarm_text));
	(void)written;
	abort();
}

static void trouble(const char *what, int error) {
	fprintf(stderr, "hostile: %s: %s\n", what, strerror(error));
	exit(2);
}

/* ---- One group on one engine ---- */

struct run {
	struct pica_ctx *ctx;
	const struct script *s;
	struct memory *memory;
	XXH3_state_t *calls;
	uint64_t seq, reaped;
	bool failed;
};

static void note(struct run *run, const void *data, size_t size_bytes) {
	XXH3_64bits_update(run->calls, data, size_bytes);
}

static void note_int(struct run *run, int value) {
	note(run, &value, sizeof(value));
}

static void wait_for_all(struct run *run) {
	int ret = pica_wait(run->ctx, run->seq, (int64_t)GROUP_SECONDS * SLOWNESS * 1000000000);
	if (ret < 0) {
		fprintf(stderr, "hostile: pica_wait: %s\n", strerror(-ret));
		run->failed = true;
	}
}

/* Checks that completions arrive in order, whenever they are fetched. */
static void reap(struct run *run) {
	struct pica_done done[16];
	int n;
	while ((n = pica_reap(run->ctx, done, 16)) > 0) {
		for (int i = 0; i < n; i++) {
			note(run, &done[i], sizeof(done[i]));
		}
		run->reaped += (uint64_t)n;
	}
}

static void submit(struct run *run, const struct step *step) {
	const struct pica_job *jobs = &run->s->job[step->first];
	if (step->kind == STEP_SUBMIT) {
		note_int(run, pica_submit(run->ctx, jobs, step->n, &run->seq));
		return;
	}
	for (uint32_t i = 0; i < step->n; i++) {
		note_int(run, pica_submit(run->ctx, &jobs[i], 1, &run->seq));
	}
}

static void read_screens(struct run *run) {
	static uint8_t rgb[240 * 800 * 3];
	for (unsigned i = 0; i < 4; i++) {
		struct pica_screen screen;
		memset(&screen, 0, sizeof(screen));
		enum pica_screen_id id = i & 1 ? PICA_SCREEN_BOTTOM : PICA_SCREEN_TOP;
		note_int(run, pica_ctx_screen(run->ctx, id, &screen));
		note(run, &screen, sizeof(screen));
		memset(rgb, 0, sizeof(rgb));
		note_int(run,
				pica_ctx_read_screen(run->ctx, id,
						i & 2 ? PICA_EYE_RIGHT : PICA_EYE_LEFT, rgb,
						(size_t)screen.width * 3));
		note(run, rgb, sizeof(rgb));
	}
}

static void read_surface(struct run *run, const struct step *step) {
	static uint8_t rgba[160 * 160 * 4];
	const uint32_t *a = step->args;
	memset(rgba, 0, sizeof(rgba));
	note_int(run,
			pica_ctx_read_surface(
					run->ctx, a[0], a[1], a[2], a[3], rgba, (size_t)a[2] * 4));
	note(run, rgba, sizeof(rgba));
}

static void swap_state(struct run *run, const struct step *step) {
	static struct pica_state state;
	note_int(run, pica_ctx_save_state(run->ctx, &state));
	note(run, &state, sizeof(state));
	if (step->args[0]) {
		state.regs[step->args[1]] = step->args[2];
	}
	note_int(run, pica_ctx_load_state(run->ctx, &state));
}

static void move_bytes(struct run *run, const struct step *step) {
	static uint8_t bytes[SCRIPT_NOISE];
	if (step->kind == STEP_WRITE_MEMORY) {
		note_int(run,
				pica_ctx_write_memory(run->ctx, step->args[0], run->s->noise,
						step->args[1]));
		return;
	}
	note_int(run, pica_ctx_read_memory(run->ctx, step->args[0], bytes, step->args[1]));
	note(run, bytes, step->args[1]);
}

static int map(struct run *run, unsigned window) {
	const struct window_place *w = &window_places[window];
	return pica_ctx_map(run->ctx, w->phys, w->bytes, run->memory->block[window], w->flags);
}

static void remap(struct run *run, const struct step *step) {
	const struct window_place *w = &window_places[step->args[0]];
	uint8_t *host = run->memory->block[step->args[0]];
	note_int(run, map(run, step->args[0]));
	/* -EEXIST */
	note_int(run, pica_ctx_map(run->ctx, w->phys + 0x40000000, w->bytes, host, 0));
	note_int(run, pica_ctx_unmap(run->ctx, w->phys + 0x1000));
	note_int(run, pica_ctx_unmap(run->ctx, w->phys));
	note_int(run, map(run, step->args[0]));
}

static void run_step(struct run *run, const struct step *step) {
	uint32_t regs[PICA_REG_COUNT];
	switch (step->kind) {
	case STEP_JOBS:
	case STEP_SUBMIT:
		submit(run, step);
		break;
	case STEP_WAIT:
		wait_for_all(run);
		break;
	case STEP_SCREENS:
		read_screens(run);
		break;
	case STEP_SURFACE:
		read_surface(run, step);
		break;
	case STEP_STATE:
		swap_state(run, step);
		break;
	case STEP_READ_REGS:
		note_int(run, pica_ctx_read_regs(run->ctx, 0, PICA_REG_COUNT, regs));
		note(run, regs, sizeof(regs));
		break;
	case STEP_WRITE_MEMORY:
	case STEP_READ_MEMORY:
		move_bytes(run, step);
		break;
	case STEP_REMAP:
		remap(run, step);
		break;
	case STEP_LOOK:
		pica_wait(run->ctx, run->seq, 0);
		break;
	}
}

/* Counters of results only: tiles and batches depend on the tile size. */
static void note_stats(struct run *run, const struct pica_stats *st) {
	const uint64_t counts[] = { st->jobs, st->lists, st->list_words, st->draws, st->vertices,
		st->shaded_vertices, st->triangles, st->drawn_triangles, st->passes, st->fragments,
		st->fills, st->transfers, st->copies, st->writes, st->written_bytes, st->frames };
	note(run, counts, sizeof(counts));
	note(run, st->guessed, sizeof(st->guessed));
	note(run, st->faults, sizeof(st->faults));
}

static bool run_group(struct engine *e, const struct script *s, const struct memory *start,
		struct result *result) {
	struct pica_ctx_settings settings;
	struct run run = { .s = s, .memory = &e->memory };
	pica_ctx_settings_init(&settings);
	settings.fcram_bytes = settings.vram_bytes = 0;
	settings.budgets = s->budgets;
	snprintf(alarm_text, sizeof(alarm_text),
			"hostile: seed %" PRIu64 " on %s, %u threads, does not end\n", s->seed,
			e->isa, e->threads);
	alarm(GROUP_SECONDS * SLOWNESS * 2);
	memory_copy(&e->memory, start);
	int ret = pica_ctx_create(&run.ctx, e->device, &settings);
	if (ret < 0) {
		trouble("pica_ctx_create", -ret);
	}
	for (unsigned i = 0; i < WINDOW_COUNT; i++) {
		ret = map(&run, i);
		if (ret < 0) {
			trouble("pica_ctx_map", -ret);
		}
	}
	run.calls = XXH3_createState();
	XXH3_64bits_reset(run.calls);
	for (unsigned i = 0; i < s->n_steps && !run.failed; i++) {
		run_step(&run, &s->step[i]);
	}
	wait_for_all(&run);
	reap(&run);
	if (run.reaped != run.seq) {
		fprintf(stderr, "hostile: %" PRIu64 " jobs, %" PRIu64 " completions\n", run.seq,
				run.reaped);
		run.failed = true;
	}
	memset(&result->stats, 0, sizeof(result->stats));
	result->stats.size = sizeof(result->stats);
	pica_stats(run.ctx, &result->stats);
	note_stats(&run, &result->stats);
	const struct step state = { .kind = STEP_STATE };
	swap_state(&run, &state);
	/* Destruction with work in flight: nothing may write to its memory afterwards. */
	struct pica_job last = { .op = PICA_OP_FILL };
	last.u.fill.start = window_places[WINDOW_VRAM].phys;
	last.u.fill.end = last.u.fill.start + 0x100;
	struct pica_job barrier = { .op = PICA_OP_BARRIER };
	memory_hash(&e->memory, result->memory);
	pica_submit(run.ctx, &last, 1, NULL);
	pica_submit(run.ctx, &barrier, 1, NULL);
	pica_ctx_destroy(run.ctx);
	result->calls = XXH3_64bits_digest(run.calls);
	XXH3_freeState(run.calls);
	alarm(0);
	return !run.failed;
}

static void print_stats(const char *name, const struct pica_stats *st) {
	printf("  %s: lists %" PRIu64 " words %" PRIu64 " draws %" PRIu64 " vertices %" PRIu64
	       " shaded %" PRIu64 " triangles %" PRIu64 " drawn %" PRIu64 " passes %" PRIu64
	       " fragments %" PRIu64 "\n",
			name, st->lists, st->list_words, st->draws, st->vertices,
			st->shaded_vertices, st->triangles, st->drawn_triangles, st->passes,
			st->fragments);
	for (unsigned i = 0; i < PICA_FAULT_COUNT; i++) {
		if (st->faults[i]) {
			printf("    %s: %" PRIu64 "\n", pica_fault_name((enum pica_fault)i),
					st->faults[i]);
		}
	}
}

/* ---- Engines ---- */

static void on_log(void *user, enum pica_log_level level, const char *line) {
	if (*(const bool *)user) {
		fprintf(stderr, "  log: %s\n", line);
	}
}

/* False: this machine lacks the instruction set. */
static bool open_engine(struct engine *e, const char *isa, unsigned threads, bool *verbose) {
	struct pica_settings settings;
	pica_settings_init(&settings);
	settings.isa = isa;
	settings.n_threads = threads;
	settings.log = on_log;
	settings.log_user = verbose;
	settings.texture_cache_bytes = 256 * 1024;
	int ret = pica_device_create(&e->device, &settings);
	if (ret == -EOPNOTSUPP) {
		return false;
	}
	if (ret < 0) {
		trouble("pica_device_create", -ret);
	}
	if (!memory_create(&e->memory)) {
		trouble("memory", ENOMEM);
	}
	e->isa = pica_device_isa(e->device);
	e->threads = threads;
	return true;
}

static void close_engine(struct engine *e) {
	pica_device_destroy(e->device);
	memory_destroy(&e->memory);
}

static unsigned open_engines(struct engine *e, struct options *o) {
	static const struct {
		const char *isa;
		unsigned threads;
	} all[] = { { "c", 0 }, { "sse4.1", 0 }, { NULL, 1 }, { NULL, 3 }, { "emul", 2 } };
	unsigned n = 0;
	n += open_engine(&e[n], "c", 0, &o->verbose);
	if (o->isa || o->threads >= 0) {
		n += open_engine(&e[n], o->isa ? o->isa : "c", o->threads < 0 ? 0 :
				(unsigned)o->threads,
				&o->verbose);
		return n;
	}
	for (unsigned i = 1; i < sizeof(all) / sizeof(all[0]); i++) {
		n += open_engine(&e[n], all[i].isa, all[i].threads, &o->verbose);
	}
	return n;
}

/* ---- Scribbling ---- */

struct scribbler {
	struct memory *memory;
	atomic_bool stop;
	uint64_t seed;
};

static void *scribble(void *arg) {
	struct scribbler *w = arg;
	struct rng r;
	rng_seed(&r, w->seed, 1);
	while (!atomic_load_explicit(&w->stop, memory_order_relaxed)) {
		for (unsigned i = 0; i < 64; i++) {
			unsigned window = rng_below(&r, WINDOW_COUNT);
			volatile uint8_t *at = w->memory->block[window] + rng_below(&r,
					window_places[window].bytes);
			*at ^= (uint8_t)(1u << rng_below(&r, 8));
		}
		/* Mostly in the lists: checked words must not be read again. */
		for (unsigned i = 0; i < 64; i++) {
			volatile uint8_t *at = w->memory->block[WINDOW_LISTS] +
					rng_below(&r, window_places[WINDOW_LISTS].bytes);
			*at = (uint8_t)rng_word(&r);
		}
	}
	return NULL;
}

static bool run_scribbled(struct engine *e, const struct script *s, const struct memory *start) {
	struct scribbler w = { .memory = &e->memory, .seed = s->seed };
	struct result result;
	pthread_t thread;
	atomic_init(&w.stop, false);
	int err = pthread_create(&thread, NULL, scribble, &w);
	if (err) {
		trouble("pthread_create", err);
	}
	bool ok = run_group(e, s, start, &result);
	atomic_store_explicit(&w.stop, true, memory_order_relaxed);
	pthread_join(thread, NULL);
	return ok;
}

/* ---- Command line ---- */

#define AT(member) offsetof(struct options, member)
static const struct option_row rows[] = {
	{ "seed", 0, "N", "Of the random numbers (1)", OPTION_U64, .at = AT(seed),
			.max = UINT64_MAX },
	{ "lists", 0, "N", "That many, by default as many as $PICA_TEST_DRAWS wants", OPTION_U32,
			.at = AT(lists), .max = UINT32_MAX },
	{ "threads", 0, "N", "Workers", OPTION_U32, .at = AT(threads), .max = 64 },
	{ "isa", 0, "NAME", "Instruction set", OPTION_TEXT, .at = AT(isa) },
	{ "verbose", 0, NULL, "What the engine logs", OPTION_FLAG, .at = AT(verbose) },
};
static const struct option_spec spec = {
	.doc = "Runs hostile command lists and jobs on several engines, which must agree.",
	.tables = { OPTION_TABLE(rows, 0, 0) },
};

static bool same(const struct result *a, const struct result *b) {
	return a->memory[0] == b->memory[0] && a->memory[1] == b->memory[1] && a->calls == b->calls;
}

static double seconds(void) {
	return (double)now_ns() / 1e9;
}

int main(int argc, char **argv) {
	struct options o = { .seed = 1, .lists = DEFAULT_LISTS, .threads = -1 };
	static struct script script;
	static struct engine engine[MAX_ENGINES];
	struct memory start;
	struct pica_stats total = { 0 };
	double slowest = 0;
	const char *draws = getenv("PICA_TEST_DRAWS"); /* of slow builds, as for random-draws */
	if (draws) {
		o.lists = (uint32_t)(strtoull(draws, NULL, 10) * 2 / 5);
	}
	options_parse(&spec, argc, argv, &o);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, on_alarm);
	unsigned n_engines = open_engines(engine, &o);
	if (n_engines < 2 || !memory_create(&start)) {
		printf("hostile: nothing to compare with\n");
		return 77;
	}
	bool ok = true;
	unsigned groups = (o.lists + GROUP_LISTS - 1) / GROUP_LISTS;
	for (unsigned g = 0; g < groups && ok; g++) {
		struct result result[MAX_ENGINES];
		script_make(&script, &start, o.seed + g, GROUP_LISTS);
		for (unsigned i = 0; i < n_engines; i++) {
			double begin = seconds();
			if (o.verbose) {
				printf("seed %" PRIu64 ": %s, %u threads\n", script.seed,
						engine[i].isa, engine[i].threads);
			}
			bool good = run_group(&engine[i], &script, &start, &result[i]);
			double took = seconds() - begin;
			slowest = took > slowest ? took : slowest;
			if (!good || !same(&result[0], &result[i])) {
				bool memory = result[0].memory[0] != result[i].memory[0];
				printf("seed %" PRIu64 ": %s, %u threads: %s\n", script.seed,
						engine[i].isa, engine[i].threads,
						!good                  ? "failed" :
								memory ? "other memory" :
									 "other results");
				print_stats("first", &result[0].stats);
				print_stats("this", &result[i].stats);
				ok = false;
			}
		}
		for (unsigned f = 0; f < PICA_FAULT_COUNT; f++) {
			total.faults[f] += result[0].stats.faults[f];
		}
		total.lists += result[0].stats.lists;
		total.list_words += result[0].stats.list_words;
		total.draws += result[0].stats.draws;
		total.vertices += result[0].stats.vertices;
		total.shaded_vertices += result[0].stats.shaded_vertices;
		total.triangles += result[0].stats.triangles;
		total.drawn_triangles += result[0].stats.drawn_triangles;
		total.passes += result[0].stats.passes;
		total.fragments += result[0].stats.fragments;
		if (CAN_SCRIBBLE && ok && g % 4 == 0) {
			ok = run_scribbled(&engine[n_engines - 1], &script, &start);
			if (!ok) {
				printf("seed %" PRIu64 ": failed while the client scribbled\n",
						script.seed);
			}
		}
	}
	printf("%u groups on %u engines, slowest %.2f s\n", groups, n_engines, slowest);
	print_stats("total", &total);
	memory_destroy(&start);
	for (unsigned i = 0; i < n_engines; i++) {
		close_engine(&engine[i]);
	}
	return ok ? 0 : 1;
}
