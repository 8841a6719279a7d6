/*
 * Measures how other users delay a client: neighbours [OPTIONS] PICAD [ATTACK...]
 *
 * The victim draws small frames (a fill, a triangle, a barrier) as one user, while 1 and 8 sessions
 * of another user attack the service, which runs as a third. Each of the three has a kernel
 * session, so that the scheduler shares the processors between them and not between processes. A
 * run measures the victim alone, then beside each attack, and sends SIGTERM to the service during
 * the attack. Results are medians over the runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "neighbours.h"
#include "tests/service/stress/daemon.h"

enum {
	PICAD_UID = 64000, VICTIM_UID, ATTACKER_UID,
	MOST_RUNS = 100, MOST_SAMPLES = 1 << 20,
	WARM_UP = 50, PAUSE_US = 1000,
	LEAST_P99_US = 5000, MOST_MAX_US = 50000, MOST_STOP_MS = 2000, PATIENCE_MS = 10000,
	CHURN_BYTES = 256 << 20,
	HOSTILE_SESSIONS = 1000, HOSTILE_MS = 60, HOSTILE_LIMIT_MS = 180000, SETTLE_MS = 20000,
};

static struct {
	const char *picad;
	unsigned seconds, runs;
	const char *memory; /* of a cgroup for picad, or NULL */
	const char *socket; /* of a service that is attacked and not measured, or NULL */
	bool json;
} options = { .seconds = 10, .runs = 10 };

/* Shared between the processes. */
static struct shared {
	atomic_uint opened; /* sessions of attackers, including reconnected ones */
	atomic_bool is_ready, is_on;
	int error;
	uint32_t n;
	uint32_t us[MOST_SAMPLES];
} *shared;

static void die(const char *what) {
	fprintf(stderr, "neighbours: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Becomes that user; the process ends with its parent. */
static void become(uid_t uid) {
	if (setgid(uid) < 0 || setuid(uid) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) {
		_exit(127);
	}
}

/* ---- A cgroup ---- */

static char cgroup[96];

static bool put(const char *file, const char *text) {
	char path[192];
	snprintf(path, sizeof(path), "%s/%s", cgroup, file);
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0) {
		close(fd);
	}
	return ok;
}

/* In the unified hierarchy, else in that of memory. */
static bool cgroup_create(const char *bytes) {
	static const char *const kind[][2] = { { "/sys/fs/cgroup", "memory.max" },
		{ "/sys/fs/cgroup/memory", "memory.limit_in_bytes" } };
	for (unsigned i = 0; i < 2; i++) {
		snprintf(cgroup, sizeof(cgroup), "%s/neighbours-%d", kind[i][0], (int)getpid());
		if (mkdir(cgroup, 0755) == 0) {
			if (put(kind[i][1], bytes)) {
				return true;
			}
			rmdir(cgroup);
		}
	}
	return false;
}

/* ---- picad ---- */

static void before_picad(void) {
	if (options.memory && !put("cgroup.procs", "0")) {
		_exit(127);
	}
	setsid();
	become(PICAD_UID);
}

/* Sends SIGTERM, and SIGKILL after PATIENCE_MS. Returns the time until the end. */
static int64_t stop_ms(struct daemon *d) {
	const int64_t begin = raw_now_ms();
	kill(d->pid, SIGTERM);
	while (daemon_is_alive(d) && raw_now_ms() < begin + PATIENCE_MS) {
		raw_nap_us(PAUSE_US);
	}
	const int64_t ms = raw_now_ms() - begin;
	daemon_kill(d);
	return ms;
}

static void start(struct daemon *d, bool is_wide) {
	daemon_init(d, options.picad);
	/* 65 sessions: the silent ones and the victim */
	daemon_options(d, "--threads 2 --access all --log-level error%s",
			is_wide ? " --max-sessions 65" : "");
	d->before_exec = before_picad;
	if (chown(d->folder, PICAD_UID, PICAD_UID) < 0 || chmod(d->folder, 0711) < 0) {
		die(d->folder);
	}
	if (!daemon_start(d)) {
		exit(2);
	}
}

/* ---- The victim ---- */

_Noreturn static void be_victim(const char *path, void (*emit)(struct pica_emit *)) {
	struct neighbour n = { .context = 0 };
	int ret = raw_open(&n.raw, path, 8);
	ret = ret < 0 ? ret : attack_furnish(&n, emit);
	for (unsigned i = 0; i < WARM_UP && ret == 0; i++) {
		ret = victim_frame(&n, PATIENCE_MS);
	}
	atomic_store(&shared->is_ready, true);
	while (!atomic_load(&shared->is_on)) {
		raw_nap_us(PAUSE_US);
	}
	const uint64_t end = now_ns() + (uint64_t)options.seconds * 1000000000;
	while (ret == 0 && now_ns() < end && shared->n < MOST_SAMPLES) {
		const uint64_t begin = now_ns();
		ret = victim_frame(&n, PATIENCE_MS);
		shared->us[shared->n++] = (uint32_t)((now_ns() - begin) / 1000);
		raw_nap_us(PAUSE_US);
	}
	shared->error = ret;
	_exit(0);
}

static pid_t start_victim(const char *path, void (*emit)(struct pica_emit *)) {
	memset(shared, 0, offsetof(struct shared, us));
	const pid_t pid = fork();
	if (pid == 0) {
		setsid();
		become(VICTIM_UID);
		be_victim(path, emit);
	}
	while (pid > 0 && !atomic_load(&shared->is_ready) && waitpid(pid, NULL, WNOHANG) == 0) {
		raw_nap_us(PAUSE_US);
	}
	return pid;
}

/* ---- Attackers ---- */

/* A process that has them as children, in a group of its own. */
static pid_t start_attack(const char *path, const struct attack *what, unsigned n, unsigned users) {
	const pid_t leader = fork();
	if (leader != 0) {
		return leader;
	}
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < n; i++) {
		if (fork() == 0) {
			struct attacker a = {
				.path = path, .attack = what, .opened = &shared->opened,
				.churn_bytes = CHURN_BYTES
			};
			become(ATTACKER_UID + i % users);
			attack(&a);
		}
	}
	for (;;) {
		pause();
	}
}

static void end_attack(pid_t leader) {
	kill(leader, SIGKILL); /* first, since it may not be in its group yet */
	kill(-leader, SIGKILL);
	waitpid(leader, NULL, 0);
}

/* ---- A measurement ---- */

enum value { P50, P99, MAX, FRAMES, SESSIONS, STOP_MS, VALUES };

struct row {
	const char *name;
	const struct attack *attack; /* NULL: alone */
	unsigned sessions;
	void (*emit)(struct pica_emit *); /* the victim's list */
	double run[VALUES][MOST_RUNS], median[VALUES];
	unsigned deaths; /* of the service */
	unsigned failures; /* of the victim: its session ended, or a frame took PATIENCE_MS */
};

static int by_us(const void *a, const void *b) {
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static int by_value(const void *a, const void *b) {
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static double p(unsigned percent) {
	const uint32_t rank = (shared->n * percent + 99) / 100;
	return shared->n ? shared->us[rank ? rank - 1 : 0] : 0;
}

static void measure(struct row *row, unsigned run) {
	struct daemon d;
	pid_t leader = 0;
	const bool is_silent = row->attack == &attacks[n_attacks];
	start(&d, is_silent);
	const pid_t victim = start_victim(d.socket, row->emit);
	if (row->attack) {
		leader = start_attack(d.socket, row->attack, row->sessions,
				is_silent ? USERS_OF_SILENT : 1);
		/* Quotas may let fewer in. */
		for (int64_t end = raw_now_ms() + 2000;
				atomic_load(&shared->opened) < row->sessions &&
				raw_now_ms() < end;) {
			raw_nap_us(PAUSE_US);
		}
	}
	atomic_store(&shared->is_on, true);
	waitpid(victim, NULL, 0);
	const bool is_dead = !daemon_is_alive(&d);
	row->deaths += is_dead;
	row->failures += !is_dead && shared->error < 0;
	row->run[STOP_MS][run] = is_dead ? 0 : (double)stop_ms(&d);
	if (leader) {
		end_attack(leader);
	}
	daemon_finish(&d);
	qsort(shared->us, shared->n, sizeof(*shared->us), by_us);
	row->run[P50][run] = p(50);
	row->run[P99][run] = p(99);
	row->run[MAX][run] = p(100);
	row->run[FRAMES][run] = shared->n;
	row->run[SESSIONS][run] = atomic_load(&shared->opened);
}

static void take_medians(struct row *row) {
	for (unsigned v = 0; v < VALUES; v++) {
		qsort(row->run[v], options.runs, sizeof(double), by_value);
		row->median[v] = (row->run[v][(options.runs - 1) / 2] +
						 row->run[v][options.runs / 2]) /
				2;
	}
	row->median[STOP_MS] = row->run[STOP_MS][options.runs - 1]; /* a limit of each */
}

/* NULL: it keeps its promises. */
static const char *broken(const struct row *row, const struct row *alone) {
	const double p99 = 3 * alone->median[P99];
	if (row->deaths) {
		return "died";
	}
	if (row->failures) {
		return "no frame";
	}
	if (row->median[STOP_MS] > MOST_STOP_MS) {
		return "stops too late";
	}
	if (row == alone) {
		return NULL;
	}
	if (row->emit == emit_heavy) {
		return row->median[FRAMES] < 0.9 * alone->median[FRAMES] ? "slower" : NULL;
	}
	if (row->median[P99] > (p99 > LEAST_P99_US ? p99 : LEAST_P99_US)) {
		return "p99";
	}
	return row->median[MAX] > MOST_MAX_US ? "max" : NULL;
}

static bool print_row(const struct row *row, const struct row *alone, bool is_last) {
	const double *m = row->median;
	const char *what = broken(row, alone);
	if (options.json) {
		printf("    {\"victim\": \"%s\", \"attack\": \"%s\", \"sessions\": %u, \"opened\": %.0f, "
		       "\"frames\": %.0f, \"p50_us\": %.0f, \"p99_us\": %.0f, \"max_us\": %.0f, "
		       "\"stop_ms\": %.0f, \"deaths\": %u, \"failures\": %u, \"broken\": \"%s\"}%s\n",
				row->name, row->attack ? row->attack->name : "", row->sessions,
				m[SESSIONS], m[FRAMES], m[P50], m[P99], m[MAX], m[STOP_MS],
				row->deaths, row->failures, what ? what : "", is_last ? "" : ",");
	} else {
		printf("%-6s %-10s %2u %6.0f %7.0f %9.2f %9.2f %9.2f %7.0f  %s\n", row->name,
				row->attack ? row->attack->name : "-", row->sessions, m[SESSIONS],
				m[FRAMES], m[P50] / 1e3, m[P99] / 1e3, m[MAX] / 1e3, m[STOP_MS],
				what ? what : "ok");
	}
	fflush(stdout);
	return !what;
}

/* ---- Memory after hostile sessions ---- */

static bool keeps_no_memory(void) {
	struct daemon d;
	long before, after;
	start(&d, false);
	const pid_t victim = start_victim(d.socket, emit_small);
	before = after = process_rss_kib(d.pid);
	const int64_t limit = raw_now_ms() + HOSTILE_LIMIT_MS;
	for (unsigned i = 0; atomic_load(&shared->opened) < HOSTILE_SESSIONS &&
			raw_now_ms() < limit && daemon_is_alive(&d);
			i++) {
		const pid_t leader =
				start_attack(d.socket, &attacks[i % n_attacks], MANY, 1);
		raw_nap_us(HOSTILE_MS * 1000);
		end_attack(leader);
	}
	for (int64_t end = raw_now_ms() + SETTLE_MS; raw_now_ms() < end;) {
		after = process_rss_kib(d.pid);
		if (after <= before + before / 10) {
			break;
		}
		raw_nap_us(100000);
	}
	atomic_store(&shared->is_on, true);
	waitpid(victim, NULL, 0);
	const bool ok = daemon_is_alive(&d) && shared->error == 0 && after <= before + before / 10;
	if (options.json) {
		printf("  \"rss\": {\"sessions\": %u, \"before_kib\": %ld, \"after_kib\": %ld, \"broken\": \"%s\"}\n",
				atomic_load(&shared->opened), before, after, ok ? "" : "rss");
	} else {
		printf("rss    %u hostile sessions: %ld KiB before, %ld KiB after  %s\n",
				atomic_load(&shared->opened), before, after, ok ? "ok" : "rss");
	}
	daemon_kill(&d);
	daemon_finish(&d);
	return ok;
}

/* ---- All of them ---- */

enum { MOST_ROWS = 2 * MOST_ATTACKS + 4 };

static struct row rows[MOST_ROWS];
static unsigned n_rows;

static bool is_wanted(char **names, const char *name) {
	bool any = !*names;
	for (; *names && !any; names++) {
		any = strcmp(*names, name) == 0;
	}
	return any;
}

static void add(const struct attack *what, unsigned sessions, void (*emit)(struct pica_emit *)) {
	rows[n_rows++] = (struct row){ .name = emit == emit_heavy ? "heavy" : "small",
		.attack = what,
		.sessions = sessions,
		.emit = emit };
}

static bool run_rows(char **names) {
	const struct attack *silent = &attacks[n_attacks];
	const struct row *alone = rows;
	bool ok = true;
	add(NULL, 0, emit_small);
	for (unsigned i = 0; i < n_attacks; i++) {
		if (is_wanted(names, attacks[i].name)) {
			add(&attacks[i], 1, emit_small);
			add(&attacks[i], MANY, emit_small);
		}
	}
	if (is_wanted(names, "silent")) {
		add(silent, SILENT_SESSIONS, emit_small);
	}
	if (is_wanted(names, "heavy")) {
		add(NULL, 0, emit_heavy);
		add(silent, 1, emit_heavy);
	}
	for (unsigned run = 0; run < options.runs; run++) {
		for (unsigned i = 0; i < n_rows; i++) {
			measure(&rows[i], run);
			fprintf(stderr, "run %u of %u: %u of %u\n", run + 1, options.runs, i + 1,
					n_rows);
		}
	}
	for (unsigned i = 0; i < n_rows; i++) {
		take_medians(&rows[i]);
		alone = rows[i].attack ? alone : &rows[i];
		ok = print_row(&rows[i], alone, i == n_rows - 1) && ok;
	}
	return ok;
}

static bool run_all(char **names) {
	bool ok = true;
	if (options.json) {
		printf("{\n  \"schema\": 1, \"seconds\": %u, \"runs\": %u, \"memory\": \"%s\",\n  \"rows\": [\n",
				options.seconds, options.runs,
				options.memory ? options.memory : "");
	} else {
		printf("victim attack     of opened  frames  p50 (ms)  p99 (ms)  max (ms) stop (ms)\n");
	}
	ok = run_rows(names);
	if (options.json) {
		printf("  ]%s\n", is_wanted(names, "rss") ? "," : "");
	}
	if (is_wanted(names, "rss")) {
		ok = keeps_no_memory() && ok;
	}
	if (options.json) {
		printf("}\n");
	}
	return ok;
}

/* Attacks as the current user until killed. */
static int attack_service(const char *name) {
	const struct attack *what = attacks;
	while (what <= &attacks[n_attacks] && strcmp(what->name, name) != 0) {
		what++;
	}
	if (what > &attacks[n_attacks]) {
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < MANY; i++) {
		if (fork() == 0) {
			struct attacker a = { .path = options.socket, .attack = what,
				.opened = &shared->opened, .churn_bytes = CHURN_BYTES };
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			attack(&a);
		}
	}
	for (;;) {
		pause();
	}
}

static int usage(void) {
	fprintf(stderr, "usage: neighbours [--seconds N] [--runs N] [--memory BYTES] [--json] PICAD [ATTACK...]\n"
			"       neighbours --socket PATH ATTACK\n");
	for (unsigned i = 0; i <= n_attacks; i++) {
		fprintf(stderr, "  %-12s %s\n", attacks[i].name, attacks[i].what);
	}
	fprintf(stderr,
			"  heavy        a victim that draws much, beside one that does nothing\n"
			"  rss          memory after 1,000 hostile sessions\n");
	return 2;
}

int main(int argc, char **argv) {
	static const struct option long_options[] = { { "seconds", required_argument, NULL, 's' },
		{ "runs", required_argument, NULL, 'r' },
		{ "memory", required_argument, NULL, 'm' }, { "json", no_argument, NULL, 'j' },
		{ "socket", required_argument, NULL, 'k' },
		{ NULL, 0, NULL, 0 } };
	for (int c; (c = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
		switch (c) {
		case 's':
			options.seconds = (unsigned)atoi(optarg);
			break;
		case 'r':
			options.runs = (unsigned)atoi(optarg);
			break;
		case 'm':
			options.memory = optarg;
			break;
		case 'j':
			options.json = true;
			break;
		case 'k':
			options.socket = optarg;
			break;
		default:
			return usage();
		}
	}
	if (optind == argc || options.seconds < 1 || options.runs < 1 || options.runs > MOST_RUNS) {
		return usage();
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	if (shared == MAP_FAILED) {
		die("shared memory");
	}
	if (options.socket) {
		return attack_service(argv[optind]);
	}
	options.picad = argv[optind];
	setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1); /* as in the shipped units */
	if (getuid() != 0) {
		fprintf(stderr, "neighbours: only root can start processes of several users\n");
		return 77;
	}
	if (options.memory && !cgroup_create(options.memory)) {
		fprintf(stderr, "neighbours: no cgroup with a limit of memory can be made here\n");
		return 77;
	}
	const bool ok = run_all(argv + optind + 1);
	if (options.memory) {
		rmdir(cgroup);
	}
	return ok ? 0 : 1;
}
