/* Times of frames, each submitted and awaited before the next. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/json.h"

/* ---- Samples ---- */

static int compare_samples(const void *a, const void *b) {
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

void bench_sort(uint64_t *samples, size_t n) {
	qsort(samples, n, sizeof(*samples), compare_samples);
}

void bench_samples_reset(struct bench_samples *s) {
	*s = (struct bench_samples){ .wall_ns = s->wall_ns, .cap = s->cap };
}

void bench_samples_sort(struct bench_samples *s) {
	if (s->n) {
		bench_sort(s->wall_ns, s->n);
	}
}

double bench_median_ms(const struct bench_samples *s) {
	return s->n ? (double)(s->wall_ns[(s->n - 1) / 2] + s->wall_ns[s->n / 2]) / 2e6 : 0;
}

double bench_cpu_ms(const struct bench_samples *s) {
	return s->n ? (double)s->cpu_ns / (double)s->n / 1e6 : 0;
}

static int add_sample(struct bench_samples *s, uint64_t wall_ns, uint64_t cpu_ns) {
	uint64_t *samples = array_room(s->wall_ns, s->n, &s->cap, sizeof(*samples));
	if (!samples) {
		return -ENOMEM;
	}
	s->wall_ns = samples;
	s->wall_ns[s->n++] = wall_ns;
	s->total_ns += wall_ns;
	s->cpu_ns += cpu_ns;
	return 0;
}

static void add_stats(struct bench_samples *s, const struct pica_stats *a,
		const struct pica_stats *b) {
	s->fragments += b->fragments - a->fragments;
	s->triangles += b->triangles - a->triangles;
	s->stage_ns[STAGE_COMMAND] += b->ns_command - a->ns_command;
	s->stage_ns[STAGE_VERTEX] += b->ns_vertex - a->ns_vertex;
	s->stage_ns[STAGE_TILE] += b->ns_tile - a->ns_tile;
	s->stage_ns[STAGE_COPY] += b->ns_copy - a->ns_copy;
}

/* ---- Frames ---- */

static int draw_frame(struct replay *replay) {
	int ret = replay_frame(replay);
	return ret < 0 ? ret : replay_wait(replay);
}

static int timed_frame(struct bench_samples *s, struct replay *replay) {
	struct pica_stats before = { .size = sizeof(before) }, after = { .size = sizeof(after) };
	int ret = replay->gpu.impl->stats(replay->gpu, &before);
	uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), wall = now_ns();
	ret = ret < 0 ? ret : draw_frame(replay);
	wall = now_ns() - wall;
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	ret = ret < 0 ? ret : replay->gpu.impl->stats(replay->gpu, &after);
	if (ret < 0) {
		return ret;
	}
	add_stats(s, &before, &after);
	return add_sample(s, wall, cpu);
}

int bench_start(const struct bench_capture *c, struct replay *replay) {
	/*
	 * Captures begin with zeroed memory, and omit writes of zeros
	 * [fidelity: citrace-replay].
	 */
	const struct gpu gpu = gpu_here(c->ctx);
	int ret = gpu.impl->zero_memory(gpu);
	return ret < 0 ? ret : replay_start(replay, gpu, c->capture, 0);
}

int bench_frames(const struct bench_capture *c, struct replay *replay,
		struct bench_samples *samples) {
	const uint32_t end = frame_list_end(&c->o->frames, c->n_frames);
	int ret = 0;
	for (uint32_t frame = 0; ret == 0 && frame <= end; frame++) {
		const bool is_timed = samples &&
				frame_list_has(&c->o->frames, c->n_frames, frame);
		ret = is_timed ? timed_frame(samples, replay) : draw_frame(replay);
	}
	return ret < 0 ? ret : replay->worst;
}

/* ---- Captures ---- */

static int measure(struct bench_capture *c, struct pica_device *device,
		const struct bench_kind *kind, void *user) {
	int exit = capture_open(&c->capture, c->path);
	if (exit != EXIT_FINE) {
		return exit;
	}
	c->n_frames = capture_frames(c->capture);
	c->name = capture_name(c->path);
	if (!capture_has_frame(c->path, c->n_frames, frame_list_end(&c->o->frames, c->n_frames))) {
		return EXIT_TROUBLE;
	}
	int ret = c->name ? replay_create_ctx(&c->ctx, device, c->capture) : -ENOMEM;
	ret = ret < 0 ? ret : kind->measure(user, c);
	if (ret == -ECANCELED) {
		return EXIT_TROUBLE;
	}
	if (ret < 0 && ret == c->replay.worst && !capture_is_damaged(c->capture, ret)) {
		return replay_job_failed(&c->replay, c->path);
	}
	return ret < 0 ? capture_failed(c->capture, c->path, ret) : EXIT_FINE;
}

int bench_all(const struct bench_options *o, struct pica_device *device,
		const struct bench_kind *kind, void *user, json_t *report) {
	json_t *rows = report ? json_array() : NULL, *errors = report ? json_array() : NULL;
	bool is_first = true;
	int exit = EXIT_FINE;
	for (unsigned i = 0; i < o->n_captures; i++) {
		struct bench_capture c = { .o = o, .path = o->captures[i] };
		const int code = measure(&c, device, kind, user);
		exit = worse(exit, code);
		log_end();
		if (code != EXIT_FINE) {
			json_array_append_new(errors, json_error_of(c.path));
		} else if (report) {
			json_t *row = json_pack("{so so}", "path", json_text(c.path), "name",
					json_text(c.name));
			json_object_update_new(row, kind->json(user, &c));
			json_array_append_new(rows, row);
		} else {
			kind->print(user, &c, is_first);
			fflush(stdout);
			is_first = false;
		}
		free(c.name);
		pica_ctx_destroy(c.ctx);
		pica_capture_close(c.capture);
	}
	if (report) {
		json_object_set_new(report, "repeat", json_integer(o->repeat));
		json_object_set_new(report, "captures", rows);
		json_object_set_new(report, "errors", errors);
	}
	return exit;
}
