/*
 * Three clients draw a little while one floods: fairness PICAD LOOP [FRAMES]
 *
 * Prints the p50 and p99 of the time of the three clients' pictures, with and without the flood,
 * and their ratios. The goal is a ratio of at most 2 for p99. As machines are noisy, it fails only
 * when both ratios exceed TOO_UNFAIR and the p99 is noticeable.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "pica_emit.h"
#include "scene.h"

enum { LIGHT = 3, MOST_FRAMES = 5000, TOO_UNFAIR = 10, SEEN_US = 100000, PAUSE_US = 2000 };

static atomic_bool over;
static atomic_uint flooded;

/* ---- The flood: as many jobs as fit, each a picture of many layers ---- */

static void *flood(void *arg) {
	struct neighbour n;
	struct pica_emit e;
	memset(&n, 0, sizeof(n));
	if (raw_open(&n.raw, arg, 64) < 0 || neighbour_furnish(&n) < 0) {
		return NULL;
	}
	scene_emit_state(&e);
	for (unsigned i = 0; i < 8; i++) {
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3 * SCENE_TRIANGLES);
	}
	n.list_bytes = scene_write_list(n.fcram, &e);
	uint32_t sent = 0, done = 0;
	while (!atomic_load(&over)) {
		while (sent - done < 64) {
			neighbour_put(&n, sent++);
		}
		raw_publish(&n.raw);
		struct pica_done completion;
		if (raw_wait(&n.raw, &completion, RAW_PATIENCE_MS) < 0) {
			break;
		}
		done++;
		atomic_fetch_add(&flooded, 1);
	}
	raw_close(&n.raw);
	return NULL;
}

/* ---- Those who draw a little ---- */

struct light {
	pthread_t thread;
	const char *path;
	unsigned frames;
	uint32_t us[MOST_FRAMES];
	int error;
};

static void *draw(void *arg) {
	struct light *l = arg;
	struct neighbour n;
	l->error = neighbour_open(&n, l->path);
	for (unsigned i = 0; i < l->frames && l->error == 0; i++) {
		const uint64_t start = now_ns();
		l->error = neighbour_frame(&n);
		l->us[i] = (uint32_t)((now_ns() - start) / 1000);
		raw_nap_us(PAUSE_US);
	}
	if (l->error == 0) {
		neighbour_close(&n);
	}
	return NULL;
}

static int by_value(const void *a, const void *b) {
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* p50 and p99 of all three, in microseconds. */
static bool measure(const char *path, unsigned frames, uint32_t out[2]) {
	static struct light l[LIGHT];
	static uint32_t all[LIGHT * MOST_FRAMES];
	bool ok = true;
	for (unsigned i = 0; i < LIGHT; i++) {
		l[i].path = path;
		l[i].frames = frames;
		ok = pthread_create(&l[i].thread, NULL, draw, &l[i]) == 0 && ok;
	}
	for (unsigned i = 0; i < LIGHT; i++) {
		pthread_join(l[i].thread, NULL);
		if (l[i].error < 0) {
			printf("a light client: %s\n", strerror(-l[i].error));
			ok = false;
		}
		memcpy(all + i * frames, l[i].us, frames * sizeof(*all));
	}
	qsort(all, LIGHT * frames, sizeof(*all), by_value);
	out[0] = all[LIGHT * frames / 2];
	out[1] = all[LIGHT * frames * 99 / 100];
	return ok;
}

static bool run(struct daemon *d, char **argv) {
	const char *path = d->socket;
	unsigned frames = argv[3] ? (unsigned)atoi(argv[3]) : 200;
	frames = frames < 1 ? 1 : frames > MOST_FRAMES ? MOST_FRAMES : frames;
	uint32_t alone[2], beside[2];
	pthread_t thread;
	union {
		const char *in;
		void *out;
	} arg = { .in = path };
	scene_expected();
	if (!measure(path, frames, alone) || pthread_create(&thread, NULL, flood, arg.out) != 0) {
		return false;
	}
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS;
			atomic_load(&flooded) < 10 && raw_now_ms() < end;) {
		raw_nap_us(1000);
	}
	bool ok = atomic_load(&flooded) >= 10 && measure(path, frames, beside);
	unsigned heavy = atomic_load(&flooded);
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	if (!ok) {
		return false;
	}
	double p50 = (double)beside[0] / alone[0], p99 = (double)beside[1] / alone[1];
	printf("alone p50 %u us, p99 %u us; beside %u heavy jobs p50 %u us (x %.2f), p99 %u us (x %.2f)\n",
			alone[0], alone[1], heavy, beside[0], p50, beside[1], p99);
	return p50 <= TOO_UNFAIR || p99 <= TOO_UNFAIR || beside[1] < SEEN_US;
}

int main(int argc, char **argv) {
	return daemon_main(argv, 2, "fairness PICAD LOOP [FRAMES]",
			"--threads 1 --log-level error", run);
}
