#include "service/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/say.h"

enum { FIRST_PASSED = 3, BACKLOG = 64 };

/* ---- Socket activation [spec/protocol-notes.md 3] ---- */

static int passed_socket(int *out) {
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	if (!pid || !fds || strtol(pid, NULL, 10) != (long)getpid()) {
		return 0;
	}
	long n = strtol(fds, NULL, 10);
	int type = 0, accepts = 0;
	socklen_t size = sizeof(type);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	if (n != 1 || getsockopt(FIRST_PASSED, SOL_SOCKET, SO_TYPE, &type, &size) < 0 ||
			type != SOCK_SEQPACKET ||
			(size = sizeof(accepts),
					getsockopt(FIRST_PASSED, SOL_SOCKET, SO_ACCEPTCONN,
							&accepts, &size) < 0) ||
			!accepts) {
		say("expected one listening SOCK_SEQPACKET socket from the service manager");
		return -EINVAL;
	}
	fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST_PASSED, F_SETFL, fcntl(FIRST_PASSED, F_GETFL) | O_NONBLOCK);
	*out = FIRST_PASSED;
	return 1;
}

/* ---- Our own ---- */

static int choose_path(struct listening *l, const char *path) {
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int n;
	if (path && !path[0]) {
		say("the path of the socket is empty");
		return -EINVAL;
	}
	if (path) {
		n = snprintf(l->path, sizeof(l->path), "%s", path);
	} else if (runtime && runtime[0]) {
		n = snprintf(l->path, sizeof(l->path), "%s/pica/0", runtime);
	} else {
		n = snprintf(l->path, sizeof(l->path), "/run/pica/0");
	}
	if (n <= 0 || (size_t)n >= sizeof(l->path)) {
		say("the path of the socket is longer than %zu bytes",
				sizeof(l->path) - 1);
		return -ENAMETOOLONG;
	}
	return 0;
}

static int make_folder(struct listening *l) {
	char copy[sizeof(l->path)];
	snprintf(copy, sizeof(copy), "%s", l->path);
	const char *folder = dirname(copy);
	l->made_folder = mkdir(folder, 0755) == 0;
	if (!l->made_folder && errno != EEXIST) {
		int ret = -errno;
		say("%s: %s", folder, strerror(errno));
		return ret;
	}
	return 0;
}

/*
 * Whether the file that is open as fd is the one at path: another service may have removed it
 * before we locked it.
 */
static bool is_still_there(int fd, const char *path) {
	struct stat open_one, named;
	return fstat(fd, &open_one) == 0 && lstat(path, &named) == 0 &&
			open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

/* One service a path: who holds the lock may replace the socket. */
static int take_lock(struct listening *l) {
	char path[128];
	snprintf(path, sizeof(path), "%s.lock", l->path);
	for (;;) {
		l->lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (l->lock < 0) {
			int ret = -errno;
			say("%s: %s", path, strerror(errno));
			return ret;
		}
		bool is_ours = flock(l->lock, LOCK_EX | LOCK_NB) == 0;
		if (is_ours && is_still_there(l->lock, path)) {
			return 0;
		}
		close(l->lock);
		l->lock = -1;
		if (!is_ours) {
			struct stat st;
			say(lstat(l->path, &st) < 0 ?
					"%s: another picad serves this socket, whose file was removed: "
					"nobody can reach it before that one is started again" :
					"%s: another picad serves this socket",
					l->path);
			return -EADDRINUSE;
		}
	}
}

static int bind_path(struct listening *l, int type, enum server_access access, gid_t group) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	memcpy(addr.sun_path, l->path, sizeof(addr.sun_path));
	struct stat st;
	if (lstat(l->path, &st) == 0 && !S_ISSOCK(st.st_mode)) {
		say("%s: something that is no socket is in the way", l->path);
		return -EEXIST;
	}
	unlink(l->path); /* of a service that is gone: we have the lock */
	l->sock = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The rights of the file are a first fence, SO_PEERCRED is what counts. */
	mode_t mode = access == SERVER_ACCESS_ALL ? 0666 : access == SERVER_ACCESS_GROUP ? 0660 :
			0600;
	mode_t before = umask(0777 & ~mode);
	int ret = l->sock < 0 || bind(l->sock, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
					listen(l->sock, BACKLOG) < 0 ? -errno : 0;
	umask(before);
	l->is_bound = ret == 0;
	if (ret == 0 && access == SERVER_ACCESS_GROUP && chown(l->path, (uid_t)-1, group) < 0) {
		ret = -errno;
	}
	if (ret < 0) {
		say("%s: %s", l->path, strerror(-ret));
	}
	return ret;
}

void listen_init(struct listening *l) {
	*l = (struct listening){ .sock = -1, .lock = -1 };
}

static int open_own(struct listening *l, const char *path, int type, enum server_access access,
		gid_t group) {
	int ret = choose_path(l, path);
	ret = ret < 0 ? ret : make_folder(l);
	ret = ret < 0 ? ret : take_lock(l);
	ret = ret < 0 ? ret : bind_path(l, type, access, group);
	if (ret < 0) {
		listen_close(l);
	}
	return ret;
}

int listen_open(struct listening *l, const char *path, enum server_access access, gid_t group) {
	listen_init(l);
	int ret = passed_socket(&l->sock);
	return ret < 0 ? ret : ret > 0 ? 0 : open_own(l, path, SOCK_SEQPACKET, access, group);
}

int listen_open_stream(
		struct listening *l, const char *path, enum server_access access, gid_t group) {
	listen_init(l);
	return open_own(l, path, SOCK_STREAM, access, group);
}

void listen_close(struct listening *l) {
	if (l->sock >= 0) {
		close(l->sock);
	}
	if (l->lock >= 0) {
		char path[128];
		if (l->is_bound) {
			unlink(l->path);
		}
		snprintf(path, sizeof(path), "%s.lock", l->path);
		unlink(path);
		close(l->lock);
	}
	l->sock = l->lock = -1;
}

/* ---- The service manager ---- */

/* Connected to it, or -1: there is none. */
static int manager = -1;

void listen_notify_open(void) {
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	if (!path || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof(addr.sun_path)) {
		return;
	}
	size_t n = strlen(path);
	memcpy(addr.sun_path, path, n);
	if (path[0] == '@') {
		addr.sun_path[0] = 0;
	}
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (manager >= 0 && connect(manager, (struct sockaddr *)&addr,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) < 0) {
		close(manager);
		manager = -1;
	}
}

void listen_notify(const char *state) {
	if (manager >= 0) {
		ssize_t sent = send(manager, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT);
		(void)sent; /* a manager that does not listen is its own problem */
	}
}
