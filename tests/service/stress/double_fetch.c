/*
 * Shared words that change while they are read: double-fetch PICAD LOOP SUBMISSIONS [SEED]
 *
 * A thread flips words that the service reads (submission slots, lists, vertices, indices,
 * textures, staging memory) or writes, and at times the ring's indices, which ends the session, so
 * that a new one is opened. The service must survive, with the neighbour's picture correct.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "pica_emit.h"
#include "rng.h"
#include "scene.h"

enum {
	STAGING_BYTES = 0x10000,
	BATCH = 32,
	STUCK_MS = 1000,
	LIFE = 2048,
	SMALL_LIST = SCENE_LIST + 0x8000
};

struct victim {
	struct neighbour n;
	uint32_t staging_handle;
	uint8_t *staging;
	uint32_t small_bytes;
};

static atomic_bool stop;
static atomic_ullong flips;
/* Serialises the two threads here, but not the service, which reads at any time. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_asked; /* for the turn, by the thread that submits */

static void ask_turn(void) {
	atomic_store(&is_asked, true);
	pthread_mutex_lock(&turn);
	atomic_store(&is_asked, false);
}

static void end_turn(void) {
	pthread_mutex_unlock(&turn);
}

/* ---- The thread that flips, which owns victim while it runs ---- */

static uint32_t damage(struct rng *r, uint32_t old) {
	static const uint32_t nasty[] = { 0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x7FC00000,
		0xFF800000, 0xFFFFFFF0 };
	switch (below(r, 4)) {
	case 0:
		return nasty[below(r, 8)];
	case 1:
		return word(r);
	default:
		return old ^ 1u << below(r, 32);
	}
}

static void flip(struct rng *r, uint8_t *base, size_t from, size_t to) {
	uint32_t *p = (uint32_t *)(void *)(base +
			((from + below(r, (uint32_t)(to - from))) & ~(size_t)3));
	uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED), bad = damage(r, old);
	__atomic_store_n(p, bad, __ATOMIC_RELAXED);
	if (below(r, 4)) { /* back again: most lists stay lists */
		__atomic_store_n(p, old, __ATOMIC_RELAXED);
	}
	atomic_fetch_add_explicit(&flips, 1, memory_order_relaxed);
}

static void *flip_for_ever(void *arg) {
	struct victim *v = arg;
	struct rng r = { 0x9E3779B97F4A7C15u ^ (uintptr_t)v->n.raw.ring ^ (uint64_t)raw_now_ms() };
	struct raw *raw = &v->n.raw;
	const size_t sq = (size_t)((uint8_t *)raw->sq - raw->ring);
	for (unsigned i = 0; !atomic_load_explicit(&stop, memory_order_relaxed); i++) {
		while (atomic_load(&is_asked)) {
			sched_yield();
		}
		pthread_mutex_lock(&turn);
		switch (below(&r, 8)) {
		case 0:
			flip(&r, raw->ring, sq, sq + raw->sq_entries * sizeof(struct pica_job));
			break;
		case 1: /* the header, and what the service writes */
			flip(&r, raw->ring, 0, PICA_RING_CONTROL_OFFSET);
			flip(&r, raw->ring, PICA_RING_CONTROL_OFFSET + 256,
					PICA_RING_CONTROL_OFFSET + sizeof(*raw->control));
			break;
		case 2:
			flip(&r, v->n.fcram, 0, 32 * 3 * SCENE_TRIANGLES);
			break;
		case 3:
			flip(&r, v->n.fcram, SCENE_TEXTURE - SCENE_FCRAM,
					SCENE_TEXTURE - SCENE_FCRAM + 0x4000);
			break;
		case 4:
			flip(&r, v->staging, 0, STAGING_BYTES);
			break;
		case 5:
			flip(&r, v->n.vram, 0, SCENE_VRAM_BYTES);
			break;
		default:
			flip(&r, v->n.fcram, SCENE_LIST - SCENE_FCRAM,
					SCENE_LIST - SCENE_FCRAM + v->n.list_bytes);
			flip(&r, v->n.fcram, SMALL_LIST - SCENE_FCRAM,
					SMALL_LIST - SCENE_FCRAM + v->small_bytes);
			break;
		}
		if (i % 200000 == 199999) {
			flip(&r, raw->ring, PICA_RING_CONTROL_OFFSET,
					PICA_RING_CONTROL_OFFSET + 72);
			raw_ring(raw);
		}
		end_turn();
	}
	return NULL;
}

/* ---- Submissions ---- */

/* Three vertices by index, on a target of 8x8. */
static void write_small_list(struct victim *v) {
	struct pica_emit e;
	const struct pica_framebuffer fb = { .color_addr = SCENE_VRAM + 0x30000,
		.depth_addr = SCENE_VRAM + 0x38000,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = 8,
		.height = 8 };
	scene_emit_state(&e);
	pica_emit_framebuffer(&e, &fb);
	pica_emit_viewport(&e, 0, 0, 8, 8);
	pica_emit_draw_elements(&e, PICA_PRIMITIVE_LIST, 0x4000, true, 3);
	if (pica_emit_finalize(&e) < 0) {
		abort();
	}
	v->small_bytes = (uint32_t)(4 * e.count);
	memcpy(v->n.fcram + (SMALL_LIST - SCENE_FCRAM), e.words, v->small_bytes);
	pica_emit_finish(&e);
}

static void put_job(struct rng *r, struct victim *v, uint64_t user_data) {
	static const enum pica_op ops[] = { PICA_OP_LIST, PICA_OP_LIST, PICA_OP_FILL,
		PICA_OP_TRANSFER, PICA_OP_COPY, PICA_OP_WRITE, PICA_OP_STATS, PICA_OP_INVALIDATE,
		PICA_OP_PRESENT, PICA_OP_SIGNAL, PICA_OP_REG_WRITE };
	const uint64_t data = (uint64_t)v->staging_handle << 32;
	struct pica_job job = {
		.user_data = user_data, .op = (uint16_t)ops[below(r, 11)], .handle = v->n.context
	};
	switch ((enum pica_op)job.op) {
	case PICA_OP_LIST:
		job.u.list.addr = below(r, 16) ? SMALL_LIST : SCENE_LIST;
		job.u.list.size_bytes =
				job.u.list.addr == SMALL_LIST ? v->small_bytes : v->n.list_bytes;
		break;
	case PICA_OP_FILL:
		job.u.fill = (struct pica_job_fill){
			.start = SCENE_VRAM + 0x20000, .end = SCENE_VRAM + 0x20400, .control = 0x200
		};
		break;
	case PICA_OP_TRANSFER:
		job.u.transfer = (struct pica_job_transfer){ .src = SCENE_VRAM + 0x30000,
			.dst = SCENE_VRAM + 0x28000,
			.out_dim = 0x00080008,
			.in_dim = 0x00080008 };
		break;
	case PICA_OP_COPY:
		job.u.copy = (struct pica_job_copy){
			.src = SCENE_TEXTURE, .dst = SCENE_VRAM + 0x24000, .size_bytes = 0x200
		};
		break;
	case PICA_OP_WRITE:
		job.u.write = (struct pica_job_write){
			.addr = SCENE_TEXTURE, .size_bytes = 0x400, .data = data + 0x1000
		};
		break;
	case PICA_OP_STATS:
		job.u.stats = (struct pica_job_stats){ .data = data, .size_bytes = 0x180 };
		break;
	case PICA_OP_INVALIDATE:
		job.u.invalidate = (struct pica_job_range){ .addr = SCENE_TEXTURE,
			.size_bytes = 0x4000 };
		break;
	case PICA_OP_REG_WRITE:
		job.u.reg_write = (struct pica_job_reg_write){
			.addr = 0x10401000 + 4 * PICA_REG_DRAWARRAYS, .value = 1
		};
		break;
	case PICA_OP_SIGNAL:
		job.u.signal.value = user_data;
		break;
	default:
		break;
	}
	v->n.raw.sq[v->n.raw.sq_tail++ & (v->n.raw.sq_entries - 1)] = job;
}

/*
 * Returns how many of n completed: fewer if a flipped index ended the session or a flipped job
 * waits forever.
 */
static unsigned reap(struct raw *r, unsigned n) {
	struct pica_done done;
	for (unsigned i = 0; i < n; i++) {
		if (raw_wait(r, &done, STUCK_MS) < 0) {
			return i;
		}
	}
	return n;
}

static bool open_victim(struct victim *v, const char *path) {
	memset(v, 0, sizeof(*v));
	if (neighbour_open_wide(&v->n, path, 2 * BATCH) < 0) {
		return false;
	}
	int64_t handle = raw_region(&v->n.raw, 0, 0, STAGING_BYTES, &v->staging, NULL);
	v->staging_handle = (uint32_t)handle;
	write_small_list(v);
	memcpy(v->n.fcram + 0x4000, (const uint16_t[]){ 0, 1, 2 }, 6);
	return handle > 0;
}

/* Opens a session and submits until it ends, at most n times. */
static int64_t life(const char *path, struct rng *r, int64_t n) {
	struct victim v;
	pthread_t thread;
	int64_t sent = 0;
	if (!open_victim(&v, path)) {
		return -1;
	}
	atomic_store(&stop, false);
	if (pthread_create(&thread, NULL, flip_for_ever, &v) != 0) {
		return -1;
	}
	/* After a while its memory is rubble: then comes the next one. */
	while (sent < n && sent < LIFE) {
		ask_turn();
		for (unsigned i = 0; i < BATCH; i++) {
			put_job(r, &v, (uint64_t)sent + i);
		}
		end_turn();
		raw_publish(&v.n.raw);
		unsigned got = reap(&v.n.raw, BATCH);
		sent += got;
		if (got < BATCH) {
			break;
		}
		if (sent % 640 == 0) { /* the lists are lists again */
			ask_turn();
			v.n.list_bytes = scene_write(v.n.fcram);
			write_small_list(&v);
			end_turn();
		}
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	neighbour_close(&v.n);
	return sent;
}

static bool run(struct daemon *d, char **argv) {
	const int64_t n = atoll(argv[3]);
	struct neighbour good;
	struct rng r = rng_of(argv[4]);
	int64_t sent = 0;
	unsigned lives = 0, pictures = 0, idle = 0;
	if (neighbour_open(&good, d->socket) < 0) {
		return false;
	}
	while (sent < n) {
		int64_t got = life(d->socket, &r, n - sent);
		if (got < 0 || !daemon_is_alive(d)) {
			printf("after %lld submissions: %s\n", (long long)sent,
					got < 0 ? "no new session" : "the service died");
			return false;
		}
		idle = got > 0 ? 0 : idle + 1;
		if (idle == 100) {
			printf("after %lld submissions: no session gets anything done\n",
					(long long)sent);
			return false;
		}
		sent += got;
		lives++;
		int ret = neighbour_frame(&good);
		if (ret < 0) {
			printf("after %lld submissions: the neighbour: %s\n", (long long)sent,
					strerror(-ret));
			return false;
		}
		pictures++;
	}
	neighbour_close(&good);
	printf("%lld submissions by %u sessions under %llu flips; %u pictures of the neighbour right\n",
			(long long)sent, lives, (unsigned long long)atomic_load(&flips), pictures);
	return true;
}

int main(int argc, char **argv) {
	return daemon_main(argv, 3, "double-fetch PICAD LOOP SUBMISSIONS [SEED]",
			"--threads 1 --log-level warning --job-steps 2000000 --pixels 4000000 "
			"--vertices 100000 --list-words 100000 --list-jumps 100",
			run);
}
