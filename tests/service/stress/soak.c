/*
 * Clients that connect, work and die, for a while: soak PICAD LOOP SECONDS
 *
 * Eight at a time: they draw, own much memory, inspect, wait, are killed, or send noise. Prints
 * memory, descriptors and threads of the service over time, with the slope of the second half; at
 * the end none may be left that were not there at the beginning.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "pica.h"
#include "scene.h"

enum { CLIENTS = 8, MOST_SAMPLES = 4096 };

/* ---- Work of clients, in processes of their own; false: the service failed ---- */

static bool paint(struct neighbour *n, unsigned times) {
	for (unsigned i = 0; i < times; i++) {
		if (neighbour_frame(n) < 0) {
			return false;
		}
	}
	return true;
}

static bool own(struct neighbour *n, unsigned times) {
	for (unsigned i = 0; i < times; i++) {
		int64_t region[8];
		for (unsigned k = 0; k < 8; k++) {
			region[k] = raw_region(&n->raw, 0, 0, 4 << 20, NULL, NULL);
		}
		int64_t context = raw_context(&n->raw);
		if (context < 0 ||
				raw_object(&n->raw, PICA_MSG_CONTEXT_DESTROY, (uint64_t)context) <
						0) {
			return false;
		}
		for (unsigned k = 0; k < 8; k++) {
			if (region[k] < 0 ||
					raw_object(&n->raw, PICA_MSG_REGION_DESTROY,
							(uint64_t)region[k]) < 0) {
				return false;
			}
		}
	}
	return true;
}

static bool look_in(struct neighbour *n, unsigned times) {
	int64_t region = raw_region(&n->raw, 0, 0, 0x40000, NULL, NULL);
	for (unsigned i = 0; i < times && region > 0; i++) {
		struct pica_msg_transfer t = { .context = n->context, .region = (uint32_t)region,
			.size_bytes = sizeof(struct pica_state) };
		struct pica_msg_query q = { .context = n->context, .count = PICA_REG_COUNT };
		struct pica_msg_object o = { .id = 0 };
		int fd;
		int ret = raw_ask(&n->raw, &t, PICA_MSG_SAVE_STATE, sizeof(t));
		ret = ret < 0 ? ret : raw_ask(&n->raw, &q, PICA_MSG_READ_REGS, sizeof(q));
		raw_head(&n->raw, &o, PICA_MSG_METRICS, sizeof(o));
		ret = ret < 0 ? ret : raw_request(&n->raw, &o, -1, NULL, &fd);
		if (ret < 0 || !paint(n, 2)) {
			return false;
		}
		close(fd);
	}
	return region > 0;
}

static bool wait_and_cancel(struct neighbour *n, unsigned times) {
	for (unsigned i = 0; i < times; i++) {
		raw_put_wait(&n->raw, n->context, 1, n->context, i + 1000000, 1000000);
		raw_put_wait(&n->raw, n->context, 2, n->context, i + 1000000, 0);
		struct pica_job *job = raw_slot(&n->raw, n->context, PICA_OP_CANCEL, 3);
		job->u.cancel.user_data = 2;
		raw_publish(&n->raw);
		for (unsigned k = 0; k < 3; k++) {
			struct pica_done done;
			if (raw_wait(&n->raw, &done, RAW_PATIENCE_MS) < 0) {
				return false;
			}
		}
	}
	return paint(n, 1);
}

/* Whatever comes of it. */
static bool send_noise(struct neighbour *n, unsigned times) {
	uint32_t x = (uint32_t)getpid();
	for (unsigned i = 0; i < times; i++) {
		for (unsigned k = 0; k < SCENE_FCRAM_BYTES; k += 4) {
			x = x * 1664525 + 1013904223;
			memcpy(n->fcram + k, &x, 4);
		}
		struct pica_job *job = raw_slot(&n->raw, n->context, PICA_OP_LIST, 1);
		job->u.list.addr = SCENE_LIST;
		job->u.list.size_bytes = 0x4000;
		raw_run(&n->raw);
	}
	const uint8_t rubbish[64] = { 1, 2, 3 };
	raw_send(n->raw.sock, rubbish, sizeof(rubbish), NULL, 0);
	return raw_is_closed(&n->raw);
}

/* Runs a client of this kind. Returns the exit status, 0 if the service worked. */
static int live(const char *path, unsigned kind) {
	static bool (*const kinds[])(struct neighbour *n, unsigned times) = { paint, own, look_in,
			wait_and_cancel, paint,
		send_noise };
	struct neighbour n;
	if (neighbour_open(&n, path) < 0) {
		return 1;
	}
	bool ok = kinds[kind % 6](&n, 20 + kind % 50);
	neighbour_close(&n);
	return ok ? 0 : 1;
}

/* ---- The service over time ---- */

struct sample {
	double seconds;
	long rss_kib;
	int fds, threads;
};

/* Returns the change of a column per hour over the samples from first on: least squares. */
static double slope(const struct sample *s, unsigned first, unsigned n, int column) {
	double sx = 0, sy = 0, sxx = 0, sxy = 0, m = n - first;
	for (unsigned i = first; i < n; i++) {
		double x = s[i].seconds / 3600;
		double y = column == 0 ? (double)s[i].rss_kib : column == 1 ? s[i].fds :
				s[i].threads;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	double d = m * sxx - sx * sx;
	return d > 0 ? (m * sxy - sx * sy) / d : 0;
}

struct soak {
	struct daemon *d;
	pid_t pid[CLIENTS];
	bool is_doomed[CLIENTS];
	int64_t doom_ms[CLIENTS];
	unsigned lives, killed, failed;
	struct sample sample[MOST_SAMPLES];
	unsigned n_samples;
};

static void start_life(struct soak *s, unsigned i) {
	unsigned kind = s->lives++;
	fflush(stdout);
	s->pid[i] = fork();
	if (s->pid[i] == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(live(s->d->socket, kind));
	}
	s->is_doomed[i] = kind % 3 == 0;
	s->doom_ms[i] = raw_now_ms() + kind * 37 % 200;
}

static void look_after(struct soak *s, unsigned i) {
	int status;
	if (s->is_doomed[i] && raw_now_ms() >= s->doom_ms[i]) {
		kill(s->pid[i], SIGKILL);
	}
	if (s->pid[i] > 0 && waitpid(s->pid[i], &status, WNOHANG) == s->pid[i]) {
		s->killed += WIFSIGNALED(status) != 0;
		s->failed += WIFEXITED(status) && WEXITSTATUS(status) != 0;
		s->pid[i] = 0;
	}
}

static void take_sample(struct soak *s, int64_t start) {
	if (s->n_samples < MOST_SAMPLES) {
		s->sample[s->n_samples++] = (struct sample){ (double)(raw_now_ms() - start) / 1000,
			process_rss_kib(s->d->pid), process_fds(s->d->pid),
			process_threads(s->d->pid) };
	}
}

static bool run(struct daemon *d, char **argv) {
	static struct soak soak;
	struct soak *s = &soak;
	const unsigned seconds = (unsigned)atoi(argv[3]);
	s->d = d;
	struct neighbour n; /* warms up what is made once */
	const int empty = process_memfds(s->d->pid);
	if (neighbour_open(&n, s->d->socket) < 0 || !paint(&n, 20)) {
		return false;
	}
	neighbour_close(&n);
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS;
			process_memfds(s->d->pid) != empty && raw_now_ms() < end;) {
		raw_nap_us(5000);
	}
	raw_nap_us(300000);
	const struct counts before = process_counts(s->d->pid);
	const int64_t start = raw_now_ms(), end = start + (int64_t)seconds * 1000;
	const int64_t every = (int64_t)seconds * 1000 / 200 + 1;
	int64_t next = start;
	while (raw_now_ms() < end && daemon_is_alive(s->d)) {
		for (unsigned i = 0; i < CLIENTS; i++) {
			if (s->pid[i] <= 0) {
				start_life(s, i);
			}
			look_after(s, i);
		}
		if (raw_now_ms() >= next) {
			take_sample(s, start);
			next += every;
		}
		raw_nap_us(2000);
	}
	for (unsigned i = 0; i < CLIENTS; i++) {
		while (s->pid[i] > 0) {
			look_after(s, i);
			raw_nap_us(1000);
		}
	}
	const struct sample *first = &s->sample[s->n_samples / 2],
			    *last = &s->sample[s->n_samples - 1];
	printf("%u s, %u clients, %u killed, %u served wrongly\n", seconds, s->lives, s->killed,
			s->failed);
	printf("RSS %ld -> %ld KiB, %+.0f KiB/h; descriptors %d -> %d, %+.1f/h; threads %d -> %d, %+.1f/h "
	       "(slopes from %.0f s on)\n",
			s->sample[0].rss_kib, last->rss_kib,
			slope(s->sample, s->n_samples / 2, s->n_samples, 0), s->sample[0].fds,
			last->fds, slope(s->sample, s->n_samples / 2, s->n_samples, 1),
			s->sample[0].threads, last->threads,
			slope(s->sample, s->n_samples / 2, s->n_samples, 2), first->seconds);
	/* As many command threads may remain as contexts were parked at once. */
	return s->failed == 0 && s->killed > 0 && process_settles(s->d->pid, before, CLIENTS);
}

int main(int argc, char **argv) {
	return daemon_main(argv, 3, "soak PICAD LOOP SECONDS",
			"--threads 2 --log-level error --job-steps 5000000", run);
}
