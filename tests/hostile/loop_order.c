/*
 * Sessions of another user that keep the service's loop busy delay a small job by few turns. The
 * clock of the loop is simulated, the loop draws itself, and the victim submits from its thread, so
 * only the order matters.
 */
#include <errno.h>
#include <grp.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "neighbours.h"
#include "tests/service/quota_rig.h"

enum {
	FRAMES = 50,
	/*
	 * The victim's own and a few others: who has used less time has precedence. In order of
	 * arrival they would be 15. Without root, all sessions are of one user, without precedence.
	 */
	FEW_TURNS = 8,
	OTHER_USER = 65534
};

static const char *const names[] = { "regions", "state", "bell" };
enum { N_ATTACKS = 3 };

static unsigned turns; /* of sessions at the loop */

static uint64_t a_turn(void) {
	return 50000 * (uint64_t)turns++;
}

static const struct attack *find_attack(const char *name) {
	unsigned i = 0;
	while (strcmp(attacks[i].name, name) != 0) {
		ck_assert_uint_lt(++i, n_attacks);
	}
	return &attacks[i];
}

/* Its processes begin when they find the service. Root gives them to another user. */
static void begin_attack(pid_t *pids, unsigned n, const struct attack *what, atomic_uint *opened) {
	snprintf(path, sizeof(path), "%s/socket", folder);
	for (unsigned i = 0; i < n; i++) {
		pids[i] = fork();
		ck_assert_int_ge(pids[i], 0);
		if (pids[i] == 0) {
			struct attacker a = { .path = path, .attack = what, .opened = opened,
				.churn_bytes = 1 << 20 };
			if (getuid() == 0 && (setgroups(0, NULL) < 0 || setgid(OTHER_USER) < 0 ||
							     setuid(OTHER_USER) < 0)) {
				_exit(1);
			}
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			attack(&a);
		}
	}
}

static void *open_victim(void *arg) {
	open_one(arg);
	return NULL;
}

static void step(void) {
	ck_assert_int_eq(loop_step(server_loop(server), 1000000), 0);
}

/* Returns the turns that it waited for. */
static unsigned draw_frame(struct one *o) {
	const unsigned before = turns;
	struct pica_done done;
	memset(pica_client_host(o->vram), 0, SIDE * SIDE * 4);
	put_list(o, triangle_list(pica_client_host(o->fcram), 1));
	ck_assert_int_eq(pica_client_submit(o->client), 1);
	while (pica_client_wait(o->client, &done, 1, 0) != 1) {
		step();
	}
	ck_assert_int_eq(done.result, 0);
	ck_assert_uint_eq(triangle_count(pica_client_host(o->vram)), TRIANGLE_PIXELS);
	return turns - before;
}

/* Each attack by one session and by many. */
TEST_LOOP(a_frame_waits_for_few_turns_of_others, 2 * N_ATTACKS * N_LOOPS) {
	const char *name = names[_i / 2 % N_ATTACKS];
	const unsigned n = _i % 2 ? MANY : 1;
	struct one o = { .client = NULL };
	pid_t pids[MANY];
	unsigned most = 0;
	pthread_t opening;
	atomic_uint *opened = mmap(NULL, sizeof(*opened), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(opened, MAP_FAILED);
	ck_assert_int_eq(chmod(folder, 0711), 0);
	begin_attack(pids, n, find_attack(name), opened);

	default_settings();
	settings.loop = loops[_i / (2 * N_ATTACKS)];
	settings.access = SERVER_ACCESS_ALL;
	settings.device.n_threads = 0;
	create_service(&settings);
	loop_set_clock(server_loop(server), a_turn);
	ck_assert_int_eq(chmod(path, 0777), 0);
	ck_assert_int_eq(pthread_create(&opening, NULL, open_victim, &o), 0);
	while (pthread_tryjoin_np(opening, NULL) == EBUSY) {
		step();
	}
	while (atomic_load(opened) < n) {
		step();
	}
	for (unsigned i = 0; i < FRAMES; i++) {
		const unsigned took = draw_frame(&o);
		most = took > most ? took : most;
		for (unsigned k = 0; k < n; k++) {
			step();
		}
	}
	ck_assert_msg(most <= (getuid() == 0 ? FEW_TURNS : FEW_TURNS * n), "%s by %u: %u turns",
			name, n, most);
	for (unsigned i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
		ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
	}
	pica_client_close(o.client);
	server_stop(server);
	server_run(server);
	server_destroy(server);
	munmap(opened, sizeof(*opened));
}
