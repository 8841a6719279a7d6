/*
 * Kills at random moments: kills PICAD LOOP CLIENTS SERVICES
 *
 * Kills a client CLIENTS times; the service must soon free its descriptors, mappings and session,
 * and draw for others. Then kills the service SERVICES times, with four clients that reconnect and
 * must get the correct picture.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "pica_client.h"
#include "rng.h"
#include "scene.h"

enum { SETTLE_MS = RAW_PATIENCE_MS, SURVIVORS = 4 };

static struct rng rng;

/* ---- Clients that die ---- */

/* Draws, waits, makes regions and contexts, repeatedly, until it is killed. */
static void live(const char *path) {
	for (unsigned k = 0;; k++) {
		struct neighbour n;
		if (neighbour_open(&n, path) < 0) {
			continue;
		}
		for (unsigned i = 0; i < 8; i++) {
			for (unsigned j = 0; j < 6; j++) {
				neighbour_put(&n, j);
			}
			raw_publish(&n.raw);
			raw_region(&n.raw, 0, 0, 1 << 20, NULL, NULL);
			for (unsigned j = 0; j < 6; j++) {
				struct pica_done done;
				raw_wait(&n.raw, &done, RAW_PATIENCE_MS);
			}
			raw_context(&n.raw);
		}
		neighbour_close(&n);
	}
}

/* Sessions by the service's own count, asked by the neighbour. */
static int count_sessions(struct raw *r) {
	struct pica_msg_object m = { .id = 0 };
	union {
		struct pica_msg_session_list list;
		uint8_t bytes[PICA_MESSAGE_MAX];
	} answer;
	raw_head(r, &m, PICA_MSG_SESSIONS, sizeof(m));
	int ret = raw_request(r, &m, -1, &answer, NULL);
	return ret < 0 ? ret : (int)answer.list.count;
}

/* Milliseconds until nothing of the dead is left, or -1. */
static int settle(struct neighbour *n, const struct daemon *d, int fds, int memfds) {
	int64_t start = raw_now_ms();
	while (process_fds(d->pid) != fds || process_memfds(d->pid) != memfds ||
			count_sessions(&n->raw) != 1) {
		if (raw_now_ms() - start > SETTLE_MS) {
			printf("kept: %d descriptors of %d, %d mappings of %d, %d sessions\n",
					process_fds(d->pid), fds, process_memfds(d->pid), memfds,
					count_sessions(&n->raw));
			return -1;
		}
		raw_nap_us(1000);
	}
	return (int)(raw_now_ms() - start);
}

static bool kill_clients(struct daemon *d, unsigned times) {
	struct neighbour n;
	if (neighbour_open(&n, d->socket) < 0 || neighbour_frame(&n) < 0) {
		return false;
	}
	int fds = process_fds(d->pid), memfds = process_memfds(d->pid), worst = 0;
	unsigned late = 0;
	long rss = process_rss_kib(d->pid);
	for (unsigned i = 0; i < times; i++) {
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			live(d->socket);
		}
		raw_nap_us(below(&rng, 12000));
		if (i % 8 == 0 && neighbour_frame(&n) < 0) {
			printf("kill %u: the neighbour's picture is wrong beside the living\n", i);
			return false;
		}
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		int ms = settle(&n, d, fds, memfds);
		if (ms < 0 || neighbour_frame(&n) < 0 || !daemon_is_alive(d)) {
			printf("kill %u: %s\n", i,
					ms < 0 ? "something stays" :
						 "the neighbour's picture is wrong");
			return false;
		}
		worst = ms > worst ? ms : worst;
		late += ms > 1000;
	}
	printf("%u clients killed: everything back after %d ms at most, %u later than 1000 ms; RSS %ld -> %ld KiB\n",
			times, worst, late, rss, process_rss_kib(d->pid));
	neighbour_close(&n);
	return true;
}

/* ---- Services that die ---- */

static atomic_llong killed_at; /* ms */
static atomic_int worst_ms;
static atomic_uint losses, frames, wrong;
static atomic_bool over;

struct survivor {
	pthread_t thread;
	const char *path;
	uint64_t expected;
	struct pica_client *client;
	struct pica_client_ctx *ctx;
	struct pica_client_memory *vram, *fcram;
	struct pica_job job;
};

static void complain(const char *what, int ret) {
	printf("a client: %s: %s\n", what, strerror(-ret));
	atomic_fetch_add(&wrong, 1);
}

/* 0, -ECONNRESET, or what else went wrong. */
static int draw(struct survivor *s) {
	struct pica_done done;
	uint8_t *vram = pica_client_host(s->vram);
	memset(vram, 0, SCENE_VRAM_BYTES);
	struct pica_job *job = pica_client_slot(s->ctx);
	if (!job) {
		return -ECONNRESET;
	}
	uint32_t handle = job->handle;
	*job = s->job;
	job->handle = handle;
	int ret = pica_client_submit(s->client);
	ret = ret < 0 ? ret :
			pica_client_wait(s->client, &done, 1, RAW_PATIENCE_MS * INT64_C(1000000));
	if (ret != 1) {
		return ret < 0 ? ret : -EPROTO;
	}
	return done.result < 0 ? done.result : scene_hash(vram) == s->expected ? 0 : -EIO;
}

static bool furnish(struct survivor *s) {
	if (pica_client_connect(&s->client, s->path, NULL, NULL) < 0 ||
			pica_client_ctx_create(&s->ctx, s->client, NULL) < 0 ||
			pica_client_map(&s->vram, s->ctx, SCENE_VRAM, SCENE_VRAM_BYTES, 0) < 0 ||
			pica_client_map(&s->fcram, s->ctx, SCENE_FCRAM, SCENE_FCRAM_BYTES, 0) < 0) {
		return false;
	}
	s->job = (struct pica_job){ .op = PICA_OP_LIST };
	s->job.u.list.addr = SCENE_LIST;
	s->job.u.list.size_bytes = scene_write(pica_client_host(s->fcram));
	return pica_client_set_init_jobs(s->ctx, &s->job, 1) == 0;
}

/* Until there is a service again. */
static void come_back(struct survivor *s) {
	int64_t deadline = raw_now_ms() + RAW_PATIENCE_MS;
	int ret;
	while ((ret = pica_client_reconnect(s->client)) < 0 && raw_now_ms() < deadline) {
		raw_nap_us(2000);
	}
	if (ret != 1) {
		complain(ret == 0 ? "nothing was lost, says reconnect" : "does not come back", ret);
		atomic_store(&over, true);
	}
}

static void *survive(void *arg) {
	struct survivor *s = arg;
	while (!atomic_load(&over)) {
		int ret = draw(s);
		if (ret == 0) {
			atomic_fetch_add(&frames, 1);
			continue;
		}
		if (ret != -ECONNRESET) {
			complain("another error than that the service is gone", ret);
			break;
		}
		int ms = (int)(raw_now_ms() - atomic_load(&killed_at));
		for (int seen = atomic_load(&worst_ms);
				ms > seen && !atomic_compare_exchange_weak(&worst_ms, &seen, ms);) {
		}
		atomic_fetch_add(&losses, 1);
		come_back(s);
	}
	return NULL;
}

static bool kill_services(struct daemon *d, unsigned times) {
	struct survivor s[SURVIVORS] = { { .path = d->socket } };
	signal(SIGPIPE, SIG_DFL); /* the library must not send it to a program that has not asked */
	uint64_t expected = scene_expected();
	for (unsigned i = 0; i < SURVIVORS; i++) {
		s[i].path = d->socket;
		s[i].expected = expected;
		if (!furnish(&s[i]) || pthread_create(&s[i].thread, NULL, survive, &s[i]) != 0) {
			return false;
		}
	}
	unsigned killed = 0;
	bool started = true;
	while (killed < times && started && !atomic_load(&wrong)) {
		unsigned before = atomic_load(&frames);
		raw_nap_us(below(&rng, 40000));
		/* Somebody has drawn since the last time, mostly. */
		for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; killed % 4 &&
				!atomic_load(&wrong) && atomic_load(&frames) == before &&
				raw_now_ms() < end;) {
			raw_nap_us(1000);
		}
		atomic_store(&killed_at, raw_now_ms());
		daemon_kill(d);
		killed++;
		started = daemon_start(d);
	}
	unsigned before = atomic_load(&frames);
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS;
			atomic_load(&frames) < before + 40 && raw_now_ms() < end;) {
		raw_nap_us(10000);
	}
	atomic_store(&over, true);
	for (unsigned i = 0; i < SURVIVORS; i++) {
		pthread_join(s[i].thread, NULL);
		pica_client_close(s[i].client);
	}
	printf("%u services killed: %u losses noticed after %d ms at most, %u pictures right, %u wrong\n",
			killed, atomic_load(&losses), atomic_load(&worst_ms), atomic_load(&frames),
			atomic_load(&wrong));
	return started && killed == times && !atomic_load(&wrong) &&
			atomic_load(&frames) >= before + 40 &&
			2 * atomic_load(&losses) >=
			times; /* who is still on its way back loses nothing */
}

static bool run(struct daemon *d, char **argv) {
	rng = rng_of(NULL);
	return kill_clients(d, (unsigned)atoi(argv[3])) &&
			kill_services(d, (unsigned)atoi(argv[4]));
}

int main(int argc, char **argv) {
	return daemon_main(argv, 4, "kills PICAD LOOP CLIENTS SERVICES",
			"--threads 1 --log-level error", run);
}
