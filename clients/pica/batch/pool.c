#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "common/json.h"
#include "core/base/attributes.h"
#include "pictures/file.h"

enum { LOG_KEPT = 64 << 10, TICK_MS = 100, LONG_MS = 3600 * 1000 };

static const char not_stored[] = "its result cannot be stored";

struct worker {
	pid_t pid;
	unsigned unit;
	uint64_t start_ns, deadline_ns; /* 0: none */
	bool is_late;
	char *folder; /* ours, in work */
};

struct pool {
	const struct batch_plan *plan;
	const struct batch_limits *limits;
	const struct batch_store *store;
	batch_report_fn *report;
	void *user;
	struct worker *workers; /* of limits->jobs; the first n_workers are busy */
	unsigned n_workers;
	struct batch_done done;
	uint64_t start_ns;
	bool is_stopped;
	int exit;
	sigset_t signals;
};

/* Starts no more units; those in progress may still be reported. */
static void stop(struct pool *p, const char *path, const char *what, int ret) {
	log_line("%s: %s: %s; stopped, another run continues from here", path, what, strerror(-ret));
	p->is_stopped = true;
	p->exit = EXIT_TROUBLE;
}

static void show_progress(const struct pool *p) {
	const struct batch_done *d = &p->done;
	const double seconds = (double)(now_ns() - p->start_ns) / 1e9;
	const unsigned drawn = d->done - d->skipped;
	if (!drawn || seconds <= 0) {
		log_status("%u/%u unit%s", d->done, d->total, plural(d->total));
		return;
	}
	const double rate = drawn / seconds;
	const uint64_t left = (uint64_t)((d->total - d->done) / rate + 0.5);
	log_status("%u/%u unit%s, %u failed, %.*f a second, %u:%02u:%02u left", d->done,
			d->total, plural(d->total), d->failed, rate < 10 ? 2 : 0, rate,
			(unsigned)(left / 3600),
			(unsigned)(left / 60 % 60), (unsigned)(left % 60));
}

/* Reports a unit and all that share its result. */
static void report_failures(struct pool *p, unsigned unit, enum batch_state state,
		const json_t *result,
		bool is_kept) {
	p->done.is_kept = is_kept;
	p->done.is_shared = false;
	do {
		const struct batch_unit *u = &p->plan->units[unit];
		p->done.done++;
		p->done.skipped += is_kept || p->done.is_shared || u->error;
		p->done.failed += state != BATCH_PASS;
		p->report(p->user, u, state, result, &p->done);
		p->done.is_shared = true;
		unit = u->next;
	} while (unit);
	show_progress(p);
}

/* ---- In the worker ---- */

static void limit_memory(uint64_t bytes) {
	/* Sanitizers reserve more address space than any limit would allow. */
	if (bytes && !PICA_SANITIZED) {
		setrlimit(RLIMIT_AS,
				&(struct rlimit){ .rlim_cur = (rlim_t)bytes,
						.rlim_max = (rlim_t)bytes });
	}
}

/* Runs a worker; does not return. */
static void be_worker(const struct pool *p, const struct worker *w, int log, pid_t parent) {
	/* The signals that end a batch stay blocked here: the parent decides. */
	sigset_t mask;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGCHLD);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) {
		_exit(UNIT_ERROR + ESRCH); /* it was killed already */
	}
	if (p->store->claim >= 0) {
		close(p->store->claim); /* it is the parent's, and ends with it */
	}
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	log_show_progress(PROGRESS_NEVER);
	limit_memory(p->limits->memory_bytes);
	const int exit = batch_unit_draw(
			p->plan, &p->plan->units[w->unit], &p->limits->engine, w->folder);
	fflush(stderr);
	_exit(exit);
}

/* Returns 0, or a negative errno if no worker was started. */
static int begin(struct pool *p, unsigned unit) {
	struct worker *w = &p->workers[p->n_workers];
	*w = (struct worker){ .unit = unit };
	int ret = batch_store_begin(p->store, unit, &w->folder);
	char *path = ret == 0 ? file_in(w->folder, "log.txt") : NULL;
	const int log = path ?
			open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666) :
			-1;
	if (log < 0) {
		ret = ret < 0 ? ret : path ? -errno : -ENOMEM;
	} else {
		const pid_t parent = getpid();
		fflush(NULL);
		w->start_ns = now_ns();
		w->deadline_ns = p->limits->timeout_ns ? w->start_ns + p->limits->timeout_ns : 0;
		w->pid = fork();
		if (w->pid == 0) {
			be_worker(p, w, log, parent);
		}
		ret = w->pid < 0 ? -errno : 0;
		close(log);
	}
	free(path);
	if (ret < 0) {
		if (w->folder) {
			batch_store_remove(w->folder);
		}
		free(w->folder);
	} else {
		p->n_workers++;
	}
	return ret;
}

/* ---- The end of a worker ---- */

/* Returns the last line of a log, for a message; changes text. */
static const char *last_line(char *text, size_t size) {
	while (size && text[size - 1] == '\n') {
		text[--size] = '\0';
	}
	const char *newline = memrchr(text, '\n', size);
	return newline ? newline + 1 : text;
}

/* Leaves out an empty log. Returns its last line (caller frees), or NULL. */
static char *take_log(const struct worker *w) {
	char *path = file_in(w->folder, "log.txt"), *line = NULL;
	void *data;
	size_t size;
	if (path && file_read(path, &data, &size, LOG_KEPT) == 0) {
		if (size == 0) {
			unlink(path);
		} else {
			line = strdup(last_line(data, size));
		}
		free(data);
	}
	free(path);
	return line;
}

/* Returns why a worker could not write its result; 0: it did, or it crashed. */
static int store_error(int status) {
	const int code = WIFEXITED(status) ? WEXITSTATUS(status) : UNIT_DONE;
	return code > UNIT_ERROR && code < UNIT_ERRORS_END ? code - UNIT_ERROR : 0;
}

static enum batch_state crash_state(const struct worker *w, int status) {
	if (w->is_late) {
		return BATCH_TIMEOUT;
	}
	return store_error(status) == ENOMEM ? BATCH_MEMORY : BATCH_CRASH;
}

/* Writes a result instead of the one that the worker could not write. */
static int write_failure(
		const struct pool *p, const struct worker *w, int status, const char *log) {
	char message[512];
	const enum batch_state state = crash_state(w, status);
	if (state == BATCH_TIMEOUT) {
		snprintf(message, sizeof(message), "not done after %.9g seconds",
			(double)p->limits->timeout_ns / 1e9);
	} else if (state == BATCH_MEMORY) {
		batch_memory_text(message, sizeof(message),
			PICA_SANITIZED ? 0 : p->limits->memory_bytes);
	} else if (WIFSIGNALED(status)) {
		snprintf(message, sizeof(message), "ended by signal %d (%s)%s%s", WTERMSIG(status),
			strsignal(WTERMSIG(status)), log ? ": " : "", log ? log : "");
	} else {
		snprintf(message, sizeof(message), "ended with status %d%s%s", WEXITSTATUS(status),
			log ? ": " : "", log ? log : "");
	}
	return batch_unit_fail(&p->plan->units[w->unit], state, message, w->folder);
}

static double seconds_of(const struct timeval *t) {
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static int write_run(const struct worker *w, const struct rusage *usage) {
	char host[256] = "", ended[32] = "", *path = file_in(w->folder, "run.json");
	const time_t now = time(NULL);
	struct tm tm;
	gethostname(host, sizeof(host) - 1);
	strftime(ended, sizeof(ended), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &tm));
	json_t *json = json_pack("{so ss so so sI}", "host", json_text(host), "ended", ended,
			"seconds",
			json_rounded((double)(now_ns() - w->start_ns) / 1e9, 6), "cpu_seconds",
			json_rounded(seconds_of(&usage->ru_utime) + seconds_of(&usage->ru_stime),
					6),
			"peak_kib", (json_int_t)usage->ru_maxrss);
	const int ret = path ? json_write(json, path) : -ENOMEM;
	free(path);
	return ret;
}

/* Stores the worker's result, and prints it. */
static void settle(struct pool *p, const struct worker *w, int status, const struct rusage *usage) {
	const struct batch_unit *unit = &p->plan->units[w->unit];
	char *log = take_log(w);
	int ret = 0;
	const int error = store_error(status);
	if (error && error != ENOMEM) {
		free(log);
		stop(p, unit->path, not_stored, -error);
		return;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != UNIT_DONE) {
		ret = write_failure(p, w, status, log);
	}
	free(log);
	ret = ret < 0 ? ret : write_run(w, usage);
	ret = ret < 0 ? ret : batch_store_publish(p->store, unit->key, w->folder);
	if (ret < 0) {
		stop(p, unit->path, not_stored, ret);
		return;
	}
	const char *what;
	json_t *result = batch_store_load(p->store, unit->key, &what);
	if (!result) {
		stop(p, unit->path, not_stored, -EIO);
		return;
	}
	report_failures(p, w->unit, batch_result_state(result), result, false);
	json_decref(result);
}

static void drop(struct pool *p, unsigned i) {
	batch_store_remove(p->workers[i].folder);
	free(p->workers[i].folder);
	p->workers[i] = p->workers[--p->n_workers];
}

static void reap(struct pool *p) {
	for (unsigned i = 0; i < p->n_workers;) {
		int status;
		struct rusage usage;
		const pid_t pid = wait4(p->workers[i].pid, &status, WNOHANG, &usage);
		if (pid == p->workers[i].pid) {
			settle(p, &p->workers[i], status, &usage);
			drop(p, i);
		} else {
			i++;
		}
	}
}

static void kill_all(struct pool *p) {
	while (p->n_workers) {
		const pid_t pid = p->workers[0].pid;
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
		}
		drop(p, 0);
	}
}

/* ---- The loop ---- */

/* Kills late workers. Returns the milliseconds until the next deadline or display of progress. */
static uint64_t look_at_deadlines(struct pool *p) {
	const uint64_t now = now_ns();
	uint64_t wait_ms = log_shows_progress() ? TICK_MS : LONG_MS;
	for (unsigned i = 0; i < p->n_workers; i++) {
		struct worker *w = &p->workers[i];
		if (!w->deadline_ns || w->is_late) {
			continue;
		}
		const uint64_t left_ms =
				w->deadline_ns > now ? (w->deadline_ns - now) / 1000000 + 1 : 0;
		if (!left_ms) {
			w->is_late = true;
			kill(w->pid, SIGKILL);
		} else if (left_ms < wait_ms) {
			wait_ms = left_ms;
		}
	}
	return wait_ms;
}

/*
 * Waits for a worker, a deadline or a signal, at most until the limit. Returns a signal that ends
 * the batch, or 0. Settles ended workers in any case, since only this takes their signal.
 */
static int wait_for_something(struct pool *p, uint64_t limit_ms) {
	const uint64_t next_ms = look_at_deadlines(p), ms = next_ms < limit_ms ? next_ms : limit_ms;
	const struct timespec timeout = { .tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)(ms % 1000) * 1000000 };
	const int got = sigtimedwait(&p->signals, NULL, &timeout);
	reap(p);
	show_progress(p);
	return got > 0 && got != SIGCHLD ? got : 0;
}

/* Returns whether a unit has a valid result, after reporting it. */
static bool skip(struct pool *p, unsigned unit) {
	const struct batch_unit *u = &p->plan->units[unit];
	json_t *result = batch_store_load(p->store, u->key, NULL);
	const enum batch_state state = result ? batch_result_state(result) : BATCH_MISSING;
	const bool is_kept = result && !p->plan->settings.bless && batch_state_is_final(state) &&
			     batch_store_has_pictures(p->store, u->key, result) &&
			     batch_golden_is_current(&p->plan->settings, u, result);
	if (is_kept) {
		report_failures(p, unit, state, result, true);
	}
	json_decref(result);
	return is_kept;
}

/* Reports unreadable files, and the number of all units. */
static void report_unreadable(struct pool *p, const unsigned *units, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		for (unsigned u = p->plan->units[units[i]].next; u; u = p->plan->units[u].next) {
			p->done.total++;
		}
	}
	for (unsigned i = 0; i < p->plan->n; i++) {
		p->done.total += p->plan->units[i].error != 0;
	}
	for (unsigned i = 0; i < p->plan->n; i++) {
		if (p->plan->units[i].error) {
			report_failures(p, i, BATCH_TROUBLE, NULL, false);
		}
	}
}

static void run(struct pool *p, const unsigned *units, unsigned n, int *signal_number) {
	unsigned next = 0;
	while (!*signal_number && (p->n_workers || (next < n && !p->is_stopped))) {
		int ret = 0;
		while (next < n && !*signal_number && !p->is_stopped &&
				p->n_workers < p->limits->jobs) {
			if (skip(p, units[next])) {
				next++;
				*signal_number = wait_for_something(p, 0);
				continue;
			}
			ret = begin(p, units[next]);
			if (ret < 0) {
				break;
			}
			next++;
		}
		/* Too many processes or files: continues after a worker has ended. */
		if (ret < 0 &&
				(p->n_workers == 0 ||
						(ret != -EAGAIN && ret != -EMFILE &&
								ret != -ENFILE &&
								ret != -ENOMEM))) {
			stop(p, p->plan->units[units[next]].path, "it cannot be begun", ret);
		}
		if (!*signal_number && p->n_workers) {
			*signal_number = wait_for_something(p, LONG_MS);
		}
	}
}

/* Ignored signals (nohup, background jobs) stay ignored. */
static void choose_signals(sigset_t *set) {
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (unsigned i = 0; i < ARRAY_LEN(ends); i++) {
		struct sigaction old;
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
			sigaddset(set, ends[i]);
		}
	}
}

int batch_pool_run(const struct batch_plan *plan, const unsigned *units, unsigned n,
		const struct batch_limits *limits, const struct batch_store *store,
		batch_report_fn *report, void *user, int *signal_number) {
	struct pool p = { .plan = plan,
		.limits = limits,
		.store = store,
		.report = report,
		.user = user,
		.start_ns = now_ns(),
		.done = { .total = n },
		.exit = EXIT_FINE };
	sigset_t before;
	*signal_number = 0;
	p.workers = calloc(limits->jobs, sizeof(*p.workers));
	if (!p.workers) {
		return log_no_memory();
	}
	signal(SIGCHLD, SIG_DFL); /* if ignored, no process could be waited for */
	choose_signals(&p.signals);
	sigprocmask(SIG_BLOCK, &p.signals, &before);
	report_unreadable(&p, units, n);
	run(&p, units, n, signal_number);
	kill_all(&p);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(p.workers);
	log_end();
	return *signal_number ? EXIT_TROUBLE : p.exit;
}
