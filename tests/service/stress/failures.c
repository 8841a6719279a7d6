/*
 * Calls that fail: for every k, the k-th malloc, mmap, memfd_create, pipe2, ..., or all from it on,
 * fails while a client connects, maps, submits and closes, in client and service ("builtin:", so in
 * one process). Each run must end with defined errors or the correct picture, and leave no
 * descriptor, mapping or thread, nor, as the address sanitizer checks, memory.
 */
#include "daemon.h"
#include "pica_client.h"
#include "scene.h"
#include "tests/kth.h"

WRAP_ALLOCATIONS
WRAP_MMAP(mmap)
WRAP_EVENTFD(ENFILE)
WRAP_THREADS
WRAP(char *, strdup, (const char *s), (s), NULL, ENOMEM)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), -1, ENOSPC)
WRAP(int, pipe2, (int fds[2], int flags), (fds, flags), -1, EMFILE)
WRAP(int, epoll_create1, (int flags), (flags), -1, EMFILE)
WRAP(int, socketpair, (int domain, int type, int protocol, int fds[2]),
		(domain, type, protocol, fds), -1, EMFILE)

/* ---- The scenario ---- */

struct outcome {
	bool refused; /* a call or a job reported an exhausted resource */
	bool wrong;   /* or another, unexpected error */
	bool drawn;   /* the picture was made, and is right */
};

static uint64_t expected;

/* True: continues. */
static bool look(struct outcome *o, const char *what, int ret) {
	switch (ret) {
	case -ENOMEM:
	case -EMFILE:
	case -ENFILE:
	case -ENOSPC:
	case -EAGAIN:
	case -ECONNRESET: /* the service ended the session, or could not answer */
	case -EBUSY:      /* something before it did not end */
		o->refused = true;
		return false;
	default:
		if (ret < 0) {
			printf("%s: %s\n", what, strerror(-ret));
			o->wrong = true;
		}
		return ret >= 0;
	}
}

static bool run_job(struct pica_client *client, struct pica_client_ctx *ctx,
		const struct pica_job *like, struct outcome *o) {
	struct pica_done done = { .result = 0 };
	struct pica_job *job = pica_client_slot(ctx);
	if (!job) {
		return look(o, "slot", -ECONNRESET);
	}
	uint32_t handle = job->handle;
	*job = *like;
	job->handle = handle;
	if (!look(o, "submit", pica_client_submit(client))) {
		return false;
	}
	int ret = pica_client_wait(client, &done, 1, RAW_PATIENCE_MS * INT64_C(1000000));
	return look(o, "wait", ret) && look(o, "a job", done.result);
}

/* More than the engine takes at a time: none is forgotten. */
static void run_many(struct pica_client *client, struct pica_client_ctx *ctx, struct outcome *o) {
	enum { MANY = 200 };
	struct pica_done done[MANY];
	int n = 0, got = 0;
	for (; n < MANY; n++) {
		struct pica_job *job = pica_client_slot(ctx);
		if (!job) {
			break;
		}
		job->op = PICA_OP_BARRIER;
	}
	if (!look(o, "submit", pica_client_submit(client))) {
		return;
	}
	while (n > 0) {
		got = pica_client_wait(client, done, MANY, RAW_PATIENCE_MS * INT64_C(1000000));
		if (!look(o, "wait for many", got)) {
			return;
		}
		for (int i = 0; i < got; i++, n--) {
			look(o, "one of many", done[i].result);
		}
	}
}

static void use_context(
		struct pica_client *client, struct pica_client_ctx *ctx, struct outcome *o) {
	struct pica_client_memory *vram = NULL, *fcram = NULL, *staging = NULL;
	struct pica_stats stats = { .size = sizeof(stats) };
	struct pica_job job = { .op = PICA_OP_LIST };
	uint32_t regs[4];
	if (!look(o, "map", pica_client_map(&vram, ctx, SCENE_VRAM, SCENE_VRAM_BYTES, 0)) ||
			!look(o, "map",
					pica_client_map(&fcram, ctx, SCENE_FCRAM, SCENE_FCRAM_BYTES,
							0)) ||
			!look(o, "alloc", pica_client_alloc(&staging, client, 4096))) {
		return;
	}
	bool was_armed = atomic_exchange(&armed, false); /* making the list is the test's own */
	job.u.list.addr = SCENE_LIST;
	job.u.list.size_bytes = scene_write(pica_client_host(fcram));
	atomic_store(&armed, was_armed);
	if (run_job(client, ctx, &job, o)) {
		o->drawn = true;
		o->wrong |= scene_hash(pica_client_host(vram)) != expected;
	}
	job = (struct pica_job){ .op = PICA_OP_WRITE };
	job.u.write = (struct pica_job_write){ .addr = SCENE_VRAM, .size_bytes = 64 };
	job.u.write.data = pica_client_data(staging, 0);
	run_job(client, ctx, &job, o);
	run_many(client, ctx, o);
	look(o, "statistics", pica_client_stats(ctx, &stats));
	look(o, "registers", pica_client_read_regs(ctx, 0x40, 4, regs));
	look(o, "free", pica_client_free(staging));
	look(o, "free", pica_client_free(fcram));
}

static struct outcome scenario(void) {
	struct outcome o = { false, false, false };
	struct pica_client *client;
	struct pica_client_ctx *ctx, *second;
	if (!look(&o, "connect", pica_client_connect(&client, "builtin:1", NULL, NULL))) {
		return o;
	}
	if (look(&o, "context", pica_client_ctx_create(&ctx, client, NULL))) {
		if (look(&o, "second context", pica_client_ctx_create(&second, client, NULL))) {
			look(&o, "destroy", pica_client_ctx_destroy(second));
		}
		use_context(client, ctx, &o);
	}
	pica_client_close(client);
	return o;
}

/* ---- Runs ---- */

static struct outcome run(enum failures how, unsigned at) {
	kth_begin(how, at);
	struct outcome o = scenario();
	kth_end();
	return o;
}

int main(void) {
	unsigned bad = 0, runs = 0, refused = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	expected = scene_expected();
	struct outcome o = run(FAIL_NONE, 0); /* what is made once is made */
	const struct counts before = process_counts(getpid());
	o = run(FAIL_NONE, 0);
	unsigned n = atomic_load(&calls);
	if (o.refused || o.wrong || !o.drawn || !process_settles(getpid(), before, 0)) {
		printf("fails without failures\n");
		return 1;
	}
	for (enum failures how = FAIL_ONE; how <= FAIL_FROM; how++) {
		/* A few more than were counted, since their number depends on the threads. */
		for (unsigned at = 0; at < n + 8; at++) {
			o = run(how, at);
			bool silent = !o.refused && !o.drawn;
			if (o.wrong || silent || !process_settles(getpid(), before, 0)) {
				printf("%s %u: %s\n", how == FAIL_ONE ? "call" : "calls from", at,
						o.wrong ? "another error, or another picture" :
						silent ? "no picture, and nobody said why" :
							 "leaks");
				bad++;
			}
			refused += o.refused;
			runs++;
		}
	}
	o = run(FAIL_NONE, 0);
	bad += o.refused || o.wrong || !o.drawn;
	printf("%u calls that can fail, %u runs, %u of them refused, %u bad\n", n, runs, refused,
			bad);
	return bad != 0;
}
