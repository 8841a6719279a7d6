/*
 * bench-vc4 [--isa NAME] [--threads N] [--frames N] [--repeat N] [--picture FILE] FOLDER: times a
 * job of the VideoCore IV, as docs/vc4-shim.md has it in a folder: memory.bin and job.txt.
 *
 * Prints ms of a frame, processor time and time from start to end: the minimum over the repeats of
 * the mean of the frames. Memory is what the folder holds before the first frame alone.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vc4/draw/draw.h"
#include "vc4/tex/layout.h"

struct picture {
	uint32_t address;
	struct vc4_image image;
	const char *file;
};

struct bench {
	struct engine e;
	struct space space;
	struct exec x;
	struct vc4_unit unit;
	struct vc4_kernels k;
	struct vc4_job job;
	struct picture picture;
	int result;
};

static _Noreturn void fail(const char *what, const char *why) {
	fprintf(stderr, "bench-vc4: %s: %s\n", what, why);
	exit(1);
}

/* ---- The engine ---- */

static void *make_tile_scratch(void) {
	return tile_scratch_create(vc4_frag_stage.scratch_bytes);
}

static void drop_tile_scratch(void *s) {
	tile_scratch_destroy(s);
}

static void *make_vertex_scratch(void) {
	return vertex_scratch_create(vc4_vertex_stage.scratch_bytes);
}

static void drop_vertex_scratch(void *s) {
	vertex_scratch_destroy(s);
}

static void ignore(void *arg) {
}

static void retired(void *arg, uint64_t job, int result, enum pica_budget budget) {
	struct bench *b = arg;
	b->result = result;
}

static void open_engine(struct bench *b, enum isa isa, unsigned n_threads) {
	struct engine *e = &b->e;
	raster_kernels_init(&e->raster, isa);
	qpu_kernels_init(&b->k.qpu, isa);
	atomic_init(&e->order, 1);
	atomic_init(&e->kept_bytes, 0);
	e->slice_ns = 1000000;
	e->notify = ignore;
	if (monitor_init(&e->caches) ||
			spares_init(&e->spare_tile, n_threads, make_tile_scratch,
					drop_tile_scratch) ||
			spares_init(&e->spare_vertex, n_threads, make_vertex_scratch,
					drop_vertex_scratch) ||
			pool_create(&e->pool, n_threads, 0)) {
		fail("engine", "out of memory");
	}
	const unsigned n = engine_scratches(e);
	e->tile_scratch = calloc(n, sizeof(*e->tile_scratch));
	e->vertex_scratch = calloc(n, sizeof(*e->vertex_scratch));
	for (unsigned i = 0; i < n; i++) {
		e->tile_scratch[i] = make_tile_scratch();
		e->vertex_scratch[i] = make_vertex_scratch();
	}
	if (exec_init(&b->x, e, &b->space, &b->k, NULL)) {
		fail("engine", "out of memory");
	}
	b->x.retired = retired;
	b->x.owner = b;
	exec_join(&b->x);
}

static void close_engine(struct bench *b) {
	exec_finish(&b->x);
	const unsigned n = engine_scratches(&b->e);
	pool_destroy(b->e.pool);
	for (unsigned i = 0; i < n; i++) {
		drop_tile_scratch(b->e.tile_scratch[i]);
		drop_vertex_scratch(b->e.vertex_scratch[i]);
	}
	free(b->e.tile_scratch);
	free(b->e.vertex_scratch);
	spares_finish(&b->e.spare_tile);
	spares_finish(&b->e.spare_vertex);
	monitor_finish(&b->e.caches);
	space_finish(&b->space);
}

/* ---- The job ---- */

static FILE *open_file(const char *folder, const char *name) {
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *const file = fopen(path, "rb");
	if (!file) {
		fail(path, strerror(errno));
	}
	return file;
}

static void load(struct bench *b, const char *folder) {
	FILE *file = open_file(folder, "job.txt");
	uint32_t base = 0, size = 0, config = 0, v[4] = { 0 };
	char name[32], text[32];
	while (fscanf(file, "%31s %31s", name, text) == 2) {
		static const char *const address[] = { "ct0ca", "ct0ea", "ct1ca", "ct1ea" };
		const uint32_t value = (uint32_t)strtoul(text, NULL, 0);
		for (unsigned i = 0; i < 4; i++) {
			v[i] = strcmp(name, address[i]) == 0 ? value : v[i];
		}
		base = strcmp(name, "base") == 0 ? value : base;
		size = strcmp(name, "size") == 0 ? value : size;
		config = strcmp(name, "config") == 0 ? value : config;
		struct picture *p = &b->picture;
		p->address = strcmp(name, "target") == 0 ? value : p->address;
		p->image.width = strcmp(name, "width") == 0 ? (uint16_t)value : p->image.width;
		p->image.height = strcmp(name, "height") == 0 ? (uint16_t)value : p->image.height;
	}
	fclose(file);
	b->picture.image.layout = config >> 6 & 3;
	b->picture.image.px_bytes = 4;
	space_init(&b->space);
	if (!size || space_map(&b->space, base, (size + 4095) & ~4095u, NULL, 0)) {
		fail(folder, "memory cannot be mapped");
	}
	file = open_file(folder, "memory.bin");
	if (fread(space_host(&b->space, base, size), 1, size, file) != size) {
		fail(folder, "memory.bin is too short");
	}
	fclose(file);
	b->job = (struct vc4_job){ .job = 1,
		.start = { v[0], v[2] },
		.end = { v[1], v[3] },
		.pixels = UINT64_C(1) << 40,
		.steps = UINT64_C(1) << 40,
		.unit_opened = ignore };
}

/* PPM, the first row first. */
static void save(const struct bench *b) {
	const struct picture *p = &b->picture;
	FILE *const file = fopen(p->file, "wb");
	if (!file) {
		fail(p->file, strerror(errno));
	}
	fprintf(file, "P6\n%u %u\n255\n", p->image.width, p->image.height);
	for (uint32_t i = 0; i < (uint32_t)p->image.width * p->image.height; i++) {
		const uint32_t at =
				vc4_image_offset(&p->image, i % p->image.width, i / p->image.width);
		fwrite(space_host(&b->space, p->address + at, 4), 1, 3, file);
	}
	if (fclose(file)) {
		fail(p->file, strerror(errno));
	}
}

static void run(struct bench *b) {
	struct vc4_error error;
	const int ret = vc4_job_run(&b->unit, &b->x, &b->job, &error);
	exec_wait_all(&b->x);
	if (ret < 0 || b->result < 0) {
		fail("job", ret < 0 ? error.why : b->unit.error.why ? b->unit.error.why : "failed");
	}
}

static double now_ms(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
	static const struct option options[] = { { "isa", 1, NULL, 'i' },
		{ "threads", 1, NULL, 't' }, { "frames", 1, NULL, 'f' }, { "repeat", 1, NULL, 'r' },
		{ "picture", 1, NULL, 'p' }, { 0 } };
	static struct bench b;
	enum isa isa = isa_best();
	unsigned n_threads = 0, frames = 10, repeat = 5;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		const unsigned n = c == '?' ? 0 : (unsigned)strtoul(optarg, NULL, 10);
		switch (c) {
		case 'i': {
			const int found = isa_from_name(optarg);
			if (found < 0) {
				fail(optarg, "no such instruction set here");
			}
			isa = (enum isa)found;
			break;
		}
		case 't':
			n_threads = n;
			break;
		case 'f':
			frames = n ? n : 1;
			break;
		case 'r':
			repeat = n;
			break;
		case 'p':
			b.picture.file = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc) {
		fail("arguments", "expected one folder");
	}
	load(&b, argv[optind]);
	open_engine(&b, isa, n_threads);
	run(&b);
	if (b.picture.file) {
		save(&b);
	}
	double best[2] = { 1e9, 1e9 };
	for (unsigned i = 0; i < repeat; i++) {
		static const clockid_t clocks[2] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_MONOTONIC };
		const double start[2] = { now_ms(clocks[0]), now_ms(clocks[1]) };
		for (unsigned k = 0; k < frames; k++) {
			run(&b);
		}
		for (unsigned c = 0; c < 2; c++) {
			const double ms = (now_ms(clocks[c]) - start[c]) / frames;
			best[c] = ms < best[c] ? ms : best[c];
		}
	}
	if (repeat) {
		printf("cpu_ms %.4f frame_ms %.4f\n", best[0], best[1]);
	}
	close_engine(&b);
	return 0;
}
