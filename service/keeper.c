#include "service/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/say.h"
#include "sock.h"

enum { MAX_SOCKETS = 2, LOOK_MS = 1000, END_MS = 5000 };

/* Messages of their own, framed as those of clients are. */
struct found {
	struct pica_message head;
	uint32_t which;
	int32_t error;
	uint64_t device, inode; /* of the new socket's file */
	char why[256];
};

struct wish {
	struct pica_message head;
	uint32_t again; /* the sockets; else what follows */
	uint32_t access, group;
	uint32_t reserved;
};

/* ---- The keeper ---- */

static void tell(int sock, struct listening *l, unsigned which, int error, const char *why) {
	struct found f;
	memset(&f, 0, sizeof(f));
	f.which = which;
	f.error = error;
	f.device = l->device;
	f.inode = l->inode;
	memcpy(f.why, why, strnlen(why, sizeof(f.why) - 1));
	/* Who does not read it now sees at his end what there is. */
	sock_send(sock, &f, sizeof(f), &l->sock, error == 0);
	if (l->sock >= 0) {
		close(l->sock);
		l->sock = -1;
	}
}

/* Each trouble is told once. */
static void look(int sock, struct listening *l, unsigned which, int *trouble) {
	char why[256] = "";
	say_keep(why, sizeof(why));
	int ret = listen_renew(l);
	say_keep(NULL, 0);
	if (ret > 0 || (ret < 0 && ret != *trouble)) {
		tell(sock, l, which, ret > 0 ? 0 : ret, why[0] ? why : strerror(-ret));
	}
	*trouble = ret < 0 ? ret : 0;
}

/* False: it has ended, or wants to. */
static bool hear_wish(int sock, struct listening *l, unsigned n) {
	struct sock_message m;
	struct wish w;
	int ret = sock_receive(sock, &m);
	if (ret == -EAGAIN) {
		return true;
	}
	const bool is_wish = ret > 0 && sock_take(&m, &w, sizeof(w), 0) == 0 &&
			w.access <= SERVER_ACCESS_ALL;
	if (ret > 0) {
		sock_drop(&m);
	}
	for (unsigned i = 0; is_wish && i < n; i++) {
		if (l[i].is_bound && w.again) {
			listen_remove(&l[i]);
		} else if (l[i].is_bound && l[i].type == SOCK_SEQPACKET) {
			/* that of the metrics is for who may see all sessions */
			listen_open_to(&l[i], (enum server_access)w.access, w.group);
		}
	}
	return is_wish;
}

/* Nothing of picad's but the locks and the way to it. */
static void close_others(int sock, struct listening *l, unsigned n) {
	int keep[1 + MAX_SOCKETS];
	unsigned n_keep = 0, next = 3;
	keep[n_keep++] = sock;
	for (unsigned i = 0; i < n; i++) {
		l[i].sock = -1;
		if (l[i].lock >= 0) {
			keep[n_keep++] = l[i].lock;
		}
	}
	while (n_keep > 0) {
		unsigned least = 0;
		for (unsigned i = 1; i < n_keep; i++) {
			least = keep[i] < keep[least] ? i : least;
		}
		const unsigned fd = (unsigned)keep[least];
		keep[least] = keep[--n_keep];
		if (fd > next) {
			close_range(next, fd - 1, 0);
		}
		next = fd + 1;
	}
	close_range(next, ~0u, 0);
}

static _Noreturn void keep(int sock, struct listening *l, unsigned n) {
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE };
	int trouble[MAX_SOCKETS] = { 0 };
	struct pollfd p = { .fd = sock, .events = POLLIN };
	for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		signal(ignored[i], SIG_IGN); /* it ends when picad has */
	}
	prctl(PR_SET_NAME, "picad-keeper");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	close_others(sock, l, n);
	/* Who reads what picad writes waits for the end of picad alone. */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	struct pica_message ready = { .type = 0 };
	sock_send(sock, &ready, sizeof(ready), NULL, 0);
	do {
		for (unsigned i = 0; i < n; i++) {
			if (l[i].is_bound) {
				look(sock, &l[i], i, &trouble[i]);
			}
		}
		poll(&p, 1, LOOK_MS);
	} while (!p.revents || hear_wish(sock, l, n));
	for (unsigned i = 0; i < n; i++) {
		if (l[i].is_bound) {
			listen_remove(&l[i]);
		}
	}
	_exit(0);
}

/* ---- picad ---- */

int keeper_start(struct keeper *k, struct listening *l, unsigned n) {
	bool is_needed = false;
	int pair[2];
	*k = (struct keeper){ .sock = -1, .listening = l, .n = n };
	for (unsigned i = 0; i < n; i++) {
		is_needed |= l[i].is_bound;
	}
	if (!is_needed) {
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		return -errno;
	}
	const pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		keep(pair[1], l, n);
	}
	const int ret = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (ret < 0) {
		close(pair[0]);
		return ret;
	}
	/* Until it holds nothing of ours that would keep a socket alive. */
	struct pollfd p = { .fd = pair[0], .events = POLLIN };
	struct sock_message m;
	if (poll(&p, 1, END_MS) <= 0 || sock_receive(pair[0], &m) <= 0) {
		close(pair[0]);
		return -EIO;
	}
	sock_drop(&m);
	k->sock = pair[0];
	return 0;
}

int keeper_hear(struct keeper *k, struct keeper_word *word) {
	struct sock_message m;
	struct found f;
	int ret = sock_receive(k->sock, &m);
	if (ret < 0) {
		return ret == -ECONNRESET ? 0 : ret;
	}
	const bool is_sound = ret > 0 && (sock_take(&m, &f, sizeof(f), 1) == 0 ||
			sock_take(&m, &f, sizeof(f), 0) == 0) && f.which < k->n &&
			(f.error == 0) == (m.n_fds == 1);
	if (is_sound) {
		*word = (struct keeper_word){ .which = f.which, .error = f.error, .sock = m.fd[0] };
		memcpy(word->why, f.why, sizeof(f.why) - 1);
		m.fd[0] = -1;
	}
	if (is_sound && f.error == 0) {
		k->listening[f.which].device = f.device;
		k->listening[f.which].inode = f.inode;
	}
	if (ret > 0) {
		sock_drop(&m);
	}
	return is_sound || ret == 0 ? ret : -EPROTO;
}

static void wish(const struct keeper *k, struct wish w) {
	if (k->sock >= 0) {
		sock_send(k->sock, &w, sizeof(w), NULL, 0);
	}
}

void keeper_open_to(const struct keeper *k, enum server_access access, gid_t group) {
	wish(k, (struct wish){ .access = access, .group = group });
}

void keeper_ask_again(const struct keeper *k) {
	wish(k, (struct wish){ .again = 1 });
}

void keeper_stop(struct keeper *k) {
	struct keeper_word word;
	if (k->sock < 0) {
		return;
	}
	shutdown(k->sock, SHUT_WR);
	struct pollfd p = { .fd = k->sock, .events = POLLIN };
	/* It is gone soon; a file system that hangs keeps it, not us. */
	while (poll(&p, 1, END_MS) > 0) {
		int ret = keeper_hear(k, &word);
		if (ret <= 0 && ret != -EPROTO) {
			break;
		}
		if (ret > 0 && word.sock >= 0) {
			close(word.sock);
		}
	}
	close(k->sock);
	k->sock = -1;
}
