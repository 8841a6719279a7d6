#include "service/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/log.h"
#include "sock.h"

enum { LOOK_MS = 1000, END_MS = 5000 };

/* Messages between picad and its keeper, framed as those of clients are. */
struct report_message {
	struct pica_message head;
	int32_t error;
	uint32_t reserved;
	uint64_t device, inode; /* of the new socket's file */
	char why[256];
};

struct request_message {
	struct pica_message head;
	uint32_t again; /* make the socket again; else access and group */
	uint32_t access, group;
	uint32_t reserved;
};

/* ---- The keeper ---- */

static void send_report(int sock, struct listening *l, int error, const char *why) {
	struct report_message m;
	memset(&m, 0, sizeof(m));
	m.error = error;
	m.device = l->device;
	m.inode = l->inode;
	memcpy(m.why, why, strnlen(why, sizeof(m.why) - 1));
	/* If picad does not read it, the next look finds the same again. */
	sock_send(sock, &m, sizeof(m), &l->sock, error == 0);
	if (l->sock >= 0) {
		close(l->sock);
		l->sock = -1;
	}
}

/* Each trouble is reported once. */
static void look(int sock, struct listening *l, int *trouble) {
	char why[256] = "";
	log_capture(why, sizeof(why));
	int ret = listen_renew(l);
	log_capture(NULL, 0);
	if (ret > 0 || (ret < 0 && ret != *trouble)) {
		send_report(sock, l, ret > 0 ? 0 : ret, why[0] ? why : strerror(-ret));
	}
	*trouble = ret < 0 ? ret : 0;
}

/* Returns false if picad has ended, or wants the keeper to end. */
static bool handle_request(int sock, struct listening *l) {
	struct sock_message m;
	struct request_message r;
	int ret = sock_receive(sock, &m);
	if (ret == -EAGAIN) {
		return true;
	}
	const bool is_request = ret > 0 && sock_take(&m, &r, sizeof(r), 0) == 0 &&
			r.access <= SERVER_ACCESS_ALL;
	if (ret > 0) {
		sock_drop(&m);
	}
	if (is_request && r.again) {
		listen_remove(l);
	} else if (is_request) {
		listen_open_to(l, (enum server_access)r.access, r.group);
	}
	return is_request;
}

/* All of picad's descriptors but the lock and the connection, and the standard streams. */
static void close_others(int sock, struct listening *l) {
	const unsigned a = (unsigned)(sock < l->lock ? sock : l->lock),
		       b = (unsigned)(sock < l->lock ? l->lock : sock);
	l->sock = -1;
	/* A reader of picad's output waits for the end of picad alone. */
	if (a > 0) {
		close_range(0, a - 1, 0);
	}
	if (b > a + 1) {
		close_range(a + 1, b - 1, 0);
	}
	close_range(b + 1, ~0u, 0);
}

static _Noreturn void keep(int sock, struct listening *l) {
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE };
	int trouble = 0;
	struct pollfd p = { .fd = sock, .events = POLLIN };
	for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		signal(ignored[i], SIG_IGN); /* it ends when picad has */
	}
	prctl(PR_SET_NAME, "picad-keeper");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	close_others(sock, l);
	struct pica_message ready = { .type = 0 };
	sock_send(sock, &ready, sizeof(ready), NULL, 0);
	do {
		look(sock, l, &trouble);
		poll(&p, 1, LOOK_MS);
	} while (!p.revents || handle_request(sock, l));
	listen_remove(l);
	_exit(0);
}

/* ---- picad ---- */

int keeper_start(struct keeper *k, struct listening *l) {
	int pair[2];
	*k = (struct keeper){ .sock = -1, .listening = l };
	if (!l->is_bound) {
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		return -errno;
	}
	const pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		keep(pair[1], l);
	}
	const int ret = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (ret < 0) {
		close(pair[0]);
		return ret;
	}
	/* Until the keeper holds nothing that would keep a socket alive. */
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

int keeper_receive(struct keeper *k, struct keeper_report *report) {
	struct sock_message m;
	struct report_message r;
	int ret = sock_receive(k->sock, &m);
	if (ret < 0) {
		return ret == -ECONNRESET ? 0 : ret;
	}
	const bool is_sound = ret > 0 && (sock_take(&m, &r, sizeof(r), 1) == 0 ||
			sock_take(&m, &r, sizeof(r), 0) == 0) &&
			(r.error == 0) == (m.n_fds == 1);
	if (is_sound) {
		*report = (struct keeper_report){ .error = r.error, .sock = m.fd[0] };
		memcpy(report->why, r.why, sizeof(r.why) - 1);
		m.fd[0] = -1;
	}
	if (is_sound && r.error == 0) {
		k->listening->device = r.device;
		k->listening->inode = r.inode;
	}
	if (ret > 0) {
		sock_drop(&m);
	}
	return is_sound || ret == 0 ? ret : -EPROTO;
}

static void send_request(const struct keeper *k, struct request_message m) {
	if (k->sock >= 0) {
		sock_send(k->sock, &m, sizeof(m), NULL, 0);
	}
}

void keeper_open_to(const struct keeper *k, enum server_access access, gid_t group) {
	send_request(k, (struct request_message){ .access = access, .group = group });
}

void keeper_ask_again(const struct keeper *k) {
	send_request(k, (struct request_message){ .again = 1 });
}

void keeper_stop(struct keeper *k) {
	struct keeper_report report;
	if (k->sock < 0) {
		return;
	}
	shutdown(k->sock, SHUT_WR);
	struct pollfd p = { .fd = k->sock, .events = POLLIN };
	/* It ends soon; a file system that hangs delays the keeper, not picad. */
	while (poll(&p, 1, END_MS) > 0) {
		int ret = keeper_receive(k, &report);
		if (ret <= 0 && ret != -EPROTO) {
			break;
		}
		if (ret > 0 && report.sock >= 0) {
			close(report.sock);
		}
	}
	close(k->sock);
	k->sock = -1;
}
