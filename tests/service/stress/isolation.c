/*
 * No client sees another's memory: isolation PICAD LOOP JOBS [SEED]
 *
 * One client stores a secret in all its memory: regions, textures, targets, a private FCRAM, tables
 * of its state; it reconnects repeatedly, so that its memory is reused. Another client runs JOBS
 * random jobs and requests over the whole address space and looks for the secret in every byte that
 * it can read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon.h"
#include "pica.h"
#include "pica_emit.h"
#include "rng.h"
#include "scene.h"

enum { STAGING_BYTES = 0x20000, FCRAM_BYTES = 128 << 20, BATCH = 16 };

/* Two unlikely words, which differ. */
static const uint32_t secret[2] = { 0xC35A96E1, 0x71D4B82F };

static void fill_secret(uint8_t *p, size_t size_bytes) {
	for (size_t i = 0; i < size_bytes; i += 4) {
		memcpy(p + i, &secret[i / 4 % 2], 4);
	}
}

/* Both words side by side, in either order, at any byte. */
static bool has_secret(const void *bytes, size_t size_bytes) {
	const uint8_t *p = bytes;
	uint64_t a, b;
	memcpy(&a, secret, 8);
	b = a << 32 | a >> 32;
	for (size_t i = 0; i + 8 <= size_bytes; i++) {
		uint64_t w;
		memcpy(&w, p + i, 8);
		if (w == a || w == b) {
			return true;
		}
	}
	return false;
}

static uint64_t scanned;

static bool is_clean(const char *what, const void *bytes, size_t size_bytes) {
	scanned += size_bytes;
	if (has_secret(bytes, size_bytes)) {
		printf("the secret is in %s\n", what);
		return false;
	}
	return true;
}

/* ---- Who has the secret ---- */

struct keeper {
	struct neighbour n;
	uint8_t *state;
	uint32_t state_handle;
	uint32_t private_context;
};

static uint32_t private_context(struct raw *r) {
	const int64_t handle = raw_context_of(r, (struct pica_msg_context_create){
			.fcram_bytes = FCRAM_BYTES, .vram_bytes = 6 << 20 });
	return handle > 0 ? (uint32_t)handle : 0;
}

static bool keep(struct keeper *k, const char *path) {
	memset(k, 0, sizeof(*k));
	if (neighbour_open(&k->n, path) < 0) {
		return false;
	}
	int64_t handle = raw_region(&k->n.raw, 0, 0, STAGING_BYTES, &k->state, NULL);
	k->state_handle = (uint32_t)handle;
	k->private_context = private_context(&k->n.raw);
	return handle > 0 && k->private_context;
}

/*
 * Loads a state whose tables, uniforms and code are the secret, draws with it, and fills private
 * memory with it.
 */
static bool spread(struct keeper *k, struct rng *r) {
	struct pica_msg_transfer load = { .context = k->n.context, .region = k->state_handle,
		.size_bytes = sizeof(struct pica_state) };
	fill_secret(k->state, STAGING_BYTES);
	if (sizeof(struct pica_state) > STAGING_BYTES ||
			raw_ask(&k->n.raw, &load, PICA_MSG_LOAD_STATE, sizeof(load)) < 0) {
		return false;
	}
	fill_secret(k->n.vram, SCENE_VRAM_BYTES);
	fill_secret(k->n.fcram, SCENE_LIST - SCENE_FCRAM);
	neighbour_put(&k->n, 1);
	if (raw_run(&k->n.raw) < 0) {
		return false;
	}
	for (unsigned i = 0; i < 4; i++) {
		struct pica_job *job = raw_slot(&k->n.raw, k->private_context, PICA_OP_WRITE, 2);
		job->u.write.addr = below(r, 2) ? 0x18000000 :
						  0x20000000 + (below(r, FCRAM_BYTES) & ~0xFFFFFu);
		job->u.write.size_bytes = STAGING_BYTES;
		job->u.write.data = (uint64_t)k->state_handle << 32;
		if (raw_run(&k->n.raw) < 0) {
			return false;
		}
	}
	return true;
}

/* ---- Who looks for it ---- */

struct seeker {
	struct neighbour n;
	struct rng rng;
	uint8_t *staging;
	uint32_t staging_handle, private_context;
	unsigned rounds;
};

static bool seek(struct seeker *s, const char *path) {
	if (neighbour_open_wide(&s->n, path, 2 * BATCH) < 0) {
		return false;
	}
	int64_t handle = raw_region(&s->n.raw, 0, 0, STAGING_BYTES, &s->staging, NULL);
	s->staging_handle = (uint32_t)handle;
	s->private_context = private_context(&s->n.raw);
	return handle > 0 && s->private_context;
}

/* Its own memory, anybody's, none. */
static uint32_t address(struct rng *r) {
	switch (below(r, 6)) {
	case 0:
		return word(r) & ~15u;
	case 1:
		return 0x18000000 + (below(r, 6 << 20) & ~15u);
	case 2:
		return 0x20000000 + (below(r, FCRAM_BYTES) & ~15u);
	case 3:
		return SCENE_FCRAM + (below(r, SCENE_FCRAM_BYTES) & ~15u);
	default:
		return SCENE_VRAM + (below(r, SCENE_VRAM_BYTES) & ~15u);
	}
}

/* Writes the scene's list, with vertices, texels and tables read from anywhere, and its own
 * target. */
static uint32_t write_list(struct seeker *s) {
	struct rng *r = &s->rng;
	struct pica_emit e;
	scene_emit_state(&e);
	pica_emit_reg(&e, PICA_REG_TEXUNIT0_ADDR1, address(r) >> 3);
	pica_emit_reg(&e, PICA_REG_TEXUNIT0_TYPE, below(r, 14));
	if (below(r, 2)) {
		pica_emit_reg(&e, PICA_REG_ATTRIBBUFFERS_LOC, address(r) >> 3);
	}
	for (unsigned i = below(r, 4); i > 0; i--) {
		pica_emit_reg(&e, below(r, PICA_REG_COUNT), word(r));
	}
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, below(r, 2) ? 0 : word(r) & 0xFFFF, 90);
	return scene_write_list(s->n.fcram, &e);
}

static void put_job(struct seeker *s) {
	static const enum pica_op ops[] = { PICA_OP_LIST, PICA_OP_LIST, PICA_OP_TRANSFER,
		PICA_OP_COPY, PICA_OP_COPY, PICA_OP_FILL, PICA_OP_WRITE, PICA_OP_STATS,
		PICA_OP_PRESENT, PICA_OP_REG_WRITE };
	struct rng *r = &s->rng;
	struct raw *raw = &s->n.raw;
	const enum pica_op op = ops[below(r, 10)];
	const uint32_t region = below(r, 16) ? s->staging_handle : below(r, 64);
	const uint64_t data = (uint64_t)region << 32 | (below(r, 0x1F000) & ~7u);
	struct pica_job *job =
			raw_slot(raw, below(r, 4) ? s->n.context : s->private_context, op, 1);
	switch (op) {
	case PICA_OP_LIST:
		job->u.list.addr = SCENE_LIST;
		job->u.list.size_bytes = s->n.list_bytes;
		break;
	case PICA_OP_TRANSFER:
		job->u.transfer = (struct pica_job_transfer){ .src = address(r),
			.dst = SCENE_VRAM + (below(r, 0x20000) & ~15u),
			.out_dim = (8 * below(r, 16)) << 16 | 16 * below(r, 8),
			.in_dim = (8 * below(r, 16)) << 16 | 16 * below(r, 8),
			.flags = word(r) & 0x3FFFFFF };
		break;
	case PICA_OP_COPY:
		job->u.copy = (struct pica_job_copy){ .src = address(r),
			.dst = SCENE_VRAM + (below(r, 0x20000) & ~15u),
			.size_bytes = 16 * below(r, 0x1000),
			.in_line = word(r) & 0x000F000F,
			.out_line = word(r) & 0x000F000F };
		break;
	case PICA_OP_FILL:
		job->u.fill = (struct pica_job_fill){ .start = SCENE_VRAM,
			.end = SCENE_VRAM + 16 * below(r, 0x1000),
			.control = 0x200 };
		break;
	case PICA_OP_WRITE:
		job->u.write = (struct pica_job_write){
			.addr = address(r), .size_bytes = below(r, 0x1000), .data = data
		};
		break;
	case PICA_OP_STATS:
		job->u.stats = (struct pica_job_stats){ .data = data & ~(uint64_t)0xFFFF,
			.size_bytes = 0x200 };
		break;
	case PICA_OP_REG_WRITE: /* framebuffers of the screens */
		job->u.reg_write.addr = 0x10400400 + 4 * below(r, 0x68);
		job->u.reg_write.value = address(r);
		break;
	default:
		break;
	}
}

static bool run_jobs(struct seeker *s, unsigned n) {
	struct pica_done done;
	s->n.list_bytes = write_list(s);
	for (unsigned i = 0; i < n; i++) {
		put_job(s);
	}
	raw_publish(&s->n.raw);
	for (unsigned i = 0; i < n; i++) {
		int ret = raw_wait(&s->n.raw, &done, RAW_PATIENCE_MS);
		if (ret < 0) {
			printf("a completion is missing: %s\n", strerror(-ret));
			return false;
		}
	}
	return true;
}

/* Sends a request, and checks its answer and the staging memory for the secret. */
static bool ask(struct seeker *s, const char *what, void *message, enum pica_message_type type,
		size_t size_bytes) {
	uint8_t answer[PICA_MESSAGE_MAX];
	int fd = -1;
	memset(answer, 0, sizeof(answer));
	raw_head(&s->n.raw, message, type, size_bytes);
	int ret = raw_request(&s->n.raw, message, -1, answer, &fd);
	if (fd >= 0) {
		uint8_t text[65536];
		ssize_t got = pread(fd, text, sizeof(text), 0);
		close(fd);
		if (got > 0 && !is_clean("a memory file", text, (size_t)got)) {
			return false;
		}
	}
	return ret != -ETIME && ret != -ECONNRESET && is_clean(what, answer, sizeof(answer)) &&
			is_clean("an answer's memory", s->staging, STAGING_BYTES);
}

static bool look_in(struct seeker *s) {
	struct rng *r = &s->rng;
	const uint32_t contexts[] = { s->n.context, s->private_context, below(r, 64) };
	const uint32_t context = contexts[below(r, 3)];
	struct pica_msg_transfer t = {
		.context = context, .region = s->staging_handle, .size_bytes = STAGING_BYTES
	};
	struct pica_msg_query q = { .context = context, .count = PICA_REG_COUNT };
	struct pica_msg_object o = { .id = 0 };
	switch (below(r, 7)) {
	case 0:
		t.size_bytes = sizeof(struct pica_state);
		return ask(s, "a state", &t, PICA_MSG_SAVE_STATE, sizeof(t));
	case 1:
		t.args[0] = address(r);
		t.args[1] = below(r, 14);
		t.args[2] = t.args[3] = 128;
		t.args[4] = 512;
		return ask(s, "a surface", &t, PICA_MSG_READ_SURFACE, sizeof(t));
	case 2:
		t.size_bytes = 0x20000;
		t.args[0] = below(r, 2);
		t.args[2] = 3 * 400;
		return ask(s, "a screen", &t, PICA_MSG_READ_SCREEN, sizeof(t));
	case 3:
		return ask(s, "registers", &q, PICA_MSG_READ_REGS, sizeof(q));
	case 4:
		q.first = 0x10400000 + 4 * below(r, 0x400);
		return ask(s, "an external register", &q, PICA_MSG_READ_EXTERNAL, sizeof(q));
	case 5:
		return ask(s, "the sessions", &o, PICA_MSG_SESSIONS, sizeof(o));
	default:
		return ask(s, "the metrics", &o, PICA_MSG_METRICS, sizeof(o));
	}
}

/* Checks that new regions, and new private memory as far as copies show it, are zero. */
static bool take_fresh_memory(struct seeker *s) {
	int fd;
	int64_t handle = raw_region(&s->n.raw, 0, 0, 1 << 20, NULL, &fd);
	if (handle < 0) {
		printf("no fresh region: %d\n", (int)handle);
		return false;
	}
	const uint8_t *host = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	bool ok = host != MAP_FAILED && host[0] == 0 && memcmp(host, host + 1, (1 << 20) - 1) == 0;
	if (!ok) {
		printf("a fresh region is not zero\n");
	}
	munmap((void *)(uintptr_t)host, 1 << 20);
	return raw_object(&s->n.raw, PICA_MSG_REGION_DESTROY, (uint64_t)handle) == 0 && ok;
}

static bool search(struct seeker *s) {
	return is_clean("VRAM", s->n.vram, SCENE_VRAM_BYTES) &&
			is_clean("FCRAM", s->n.fcram, SCENE_FCRAM_BYTES) &&
			is_clean("staging memory", s->staging, STAGING_BYTES) &&
			is_clean("the ring", s->n.raw.ring, s->n.raw.ring_bytes);
}

/* The search finds what is there. */
static bool search_works(void) {
	uint8_t bytes[64] = { 0 };
	bool before = has_secret(bytes, sizeof(bytes));
	fill_secret(bytes + 13, 12);
	return !before && has_secret(bytes, sizeof(bytes));
}

static bool run(struct daemon *d, char **argv) {
	const char *path = d->socket;
	const int64_t jobs = atoll(argv[3]);
	struct keeper keeper;
	struct seeker s = { .rng = rng_of(argv[4]) };
	int64_t done = 0;
	if (!search_works() || !keep(&keeper, path) || !seek(&s, path)) {
		printf("no sessions to begin with\n");
		return false;
	}
	for (unsigned round = 0; done < jobs; round++) {
		if (round % 4 == 0 && !spread(&keeper, &s.rng)) {
			printf("the secret could not be spread\n");
			return false;
		}
		if (!run_jobs(&s, BATCH) || !look_in(&s) || (round % 8 == 0 && !search(&s))) {
			return false;
		}
		done += BATCH;
		if (round % 16 == 15) { /* its memory is freed, and maybe ours next */
			neighbour_close(&keeper.n);
			if (!take_fresh_memory(&s) || !keep(&keeper, path)) {
				return false;
			}
		}
		if (round % 64 == 63) {
			neighbour_close(&s.n);
			neighbour_close(&keeper.n);
			s.rounds++;
			if (!seek(&s, path) || !search(&s) || !keep(&keeper, path)) {
				return false;
			}
		}
	}
	bool ok = search(&s);
	neighbour_close(&keeper.n);
	neighbour_close(&s.n);
	printf("%lld jobs, %llu MiB read: %s\n", (long long)done,
			(unsigned long long)(scanned >> 20),
			ok ? "nothing of the other's" : "the other's secret");
	return ok;
}

int main(int argc, char **argv) {
	return daemon_main(argv, 3, "isolation PICAD LOOP JOBS [SEED]",
			"--threads 1 --log-level warning --job-steps 2000000 --pixels 8000000 --vertices 100000",
			run);
}
