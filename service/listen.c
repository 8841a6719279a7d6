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
#include <time.h>
#include <unistd.h>

#include "service/log.h"

enum { FIRST_PASSED = 3, BACKLOG = 64, PATH_BYTES = 128 };

/* How long the one who was there before may take to go. */
enum { PATIENCE_MS = 2000, REST_MS = 10 };

/* ---- Socket activation ---- */

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
		log_error("expected one listening SOCK_SEQPACKET socket from the service manager");
		return -EINVAL;
	}
	fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST_PASSED, F_SETFL, fcntl(FIRST_PASSED, F_GETFL) | O_NONBLOCK);
	*out = FIRST_PASSED;
	return 1;
}

/* ---- Our own ---- */

void listen_default_path(char out[108], uid_t uid) {
	char own[32];
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	if (uid != geteuid()) {
		struct stat st;
		snprintf(own, sizeof(own), "/run/user/%u", uid);
		const bool is_there = stat(own, &st) == 0 && S_ISDIR(st.st_mode);
		runtime = is_there && st.st_uid == uid ? own : NULL;
	}
	int n = runtime && runtime[0] ? snprintf(out, 108, "%s/pica/0", runtime) : -1;
	if (n < 0 || n >= 108) {
		snprintf(out, 108, "/run/pica/0");
	}
}

static int take_path(struct listening *l, const char *path) {
	if (!path[0]) {
		log_error("the path of the socket is empty");
		return -EINVAL;
	}
	if (strlen(path) >= sizeof(l->path)) {
		log_error("the path of the socket is longer than %zu bytes", sizeof(l->path) - 1);
		return -ENAMETOOLONG;
	}
	memcpy(l->path, path, strlen(path) + 1);
	return 0;
}

static void lock_path(const struct listening *l, char path[PATH_BYTES]) {
	snprintf(path, PATH_BYTES, "%s.lock", l->path);
}

static void rest(void) {
	const struct timespec t = { .tv_nsec = REST_MS * 1000000 };
	nanosleep(&t, NULL);
}

/* Files that we made belong to the user of the service. */
static int own(const struct listening *l, const char *path) {
	return l->owner != (uid_t)-1 && lchown(path, l->owner, l->owner_group) < 0 ? -errno : 0;
}

static int own_lock(const struct listening *l) {
	return l->owner != (uid_t)-1 && fchown(l->lock, l->owner, l->owner_group) < 0 ? -errno : 0;
}

static int make_folder(struct listening *l) {
	char copy[sizeof(l->path)];
	snprintf(copy, sizeof(copy), "%s", l->path);
	const char *folder = dirname(copy);
	const bool is_new = mkdir(folder, 0755) == 0;
	int ret = is_new ? own(l, folder) : errno == EEXIST ? 0 : -errno;
	l->made_folder |= is_new;
	if (ret < 0) {
		log_error("%s: %s", folder, strerror(-ret));
	}
	return ret;
}

/*
 * Whether the file that is open as fd is still the one at path.
 */
static bool is_still_there(int fd, const char *path) {
	struct stat open_one, named;
	return fd >= 0 && fstat(fd, &open_one) == 0 && lstat(path, &named) == 0 &&
			open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

static bool is_our_socket(const struct listening *l) {
	struct stat st;
	return l->is_bound && lstat(l->path, &st) == 0 && st.st_ino == l->inode &&
			st.st_dev == l->device;
}

/* Whether a service listens there. */
static bool is_served(const struct listening *l) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	memcpy(addr.sun_path, l->path, sizeof(addr.sun_path));
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0) {
		return true; /* unknown */
	}
	const bool is = connect(sock, (struct sockaddr *)&addr, sizeof(addr)) == 0 ||
			(errno != ECONNREFUSED && errno != ENOENT);
	close(sock);
	return is;
}

/* 1: it is ours; 0: another has it. A file that is removed while we wait for it is made again. */
static int try_lock(struct listening *l, const char *path) {
	for (;;) {
		int lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (lock < 0) {
			int ret = -errno;
			log_error("%s: %s", path, strerror(errno));
			return ret;
		}
		const bool is_ours = flock(lock, LOCK_EX | LOCK_NB) == 0;
		if (is_ours && is_still_there(lock, path)) {
			if (l->lock >= 0) {
				close(l->lock);
			}
			l->lock = lock;
			return 1;
		}
		close(lock);
		if (!is_ours) {
			return 0;
		}
	}
}

/*
 * One service a path: the holder of the lock may replace the socket. A killed service holds it
 * until its keeper has noticed.
 */
static int take_lock(struct listening *l, unsigned patience_ms) {
	char path[PATH_BYTES];
	lock_path(l, path);
	int ret = try_lock(l, path);
	for (unsigned ms = 0; ret == 0 && ms < patience_ms; ms += REST_MS) {
		rest();
		ret = try_lock(l, path);
	}
	if (ret == 0) {
		struct stat st;
		log_error(lstat(l->path, &st) < 0 ?
				"%s: another picad serves this socket, whose file was removed: "
				"nobody can reach it before that one is started again" :
				"%s: another picad serves this socket",
				l->path);
		return -EADDRINUSE;
	}
	return ret < 0 ? ret : own_lock(l);
}

/* Removes the socket of a service that is gone. We have the lock. */
static int clear_path(const struct listening *l, unsigned patience_ms) {
	struct stat st;
	if (lstat(l->path, &st) < 0) {
		return 0;
	}
	if (!S_ISSOCK(st.st_mode)) {
		log_error("%s: something that is no socket is in the way", l->path);
		return -EEXIST;
	}
	for (unsigned ms = 0; is_served(l); ms += REST_MS) {
		if (ms >= patience_ms) {
			log_error("%s: somebody else listens on this socket", l->path);
			return -EADDRINUSE;
		}
		rest();
	}
	unlink(l->path);
	return 0;
}

/* The rights of the file are a first fence, SO_PEERCRED is what counts. */
static mode_t mode_for(enum server_access access) {
	return access == SERVER_ACCESS_ALL ? 0666 : access == SERVER_ACCESS_GROUP ? 0660 : 0600;
}

/*
 * The socket's file itself, not a link: another user may own its folder, and put a link to a
 * foreign file in its place.
 */
static int open_file(const struct listening *l) {
	struct stat st;
	int fd = open(l->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		return -errno;
	}
	if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_ino == l->inode &&
			st.st_dev == l->device) {
		return fd;
	}
	close(fd);
	return -ENOENT;
}

/* group: that of other users who may connect, or of the owner. */
static int own_socket(int file, const struct listening *l, gid_t owner_group) {
	const gid_t group = l->access == SERVER_ACCESS_GROUP ? l->group : owner_group;
	return (l->owner != (uid_t)-1 || group != (gid_t)-1) &&
					fchownat(file, "", l->owner, group, AT_EMPTY_PATH) < 0 ?
			-errno :
			0;
}

static int bind_path(struct listening *l, unsigned patience_ms) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;
	memcpy(addr.sun_path, l->path, sizeof(addr.sun_path));
	int ret = clear_path(l, patience_ms);
	if (ret < 0) {
		return ret;
	}
	l->sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t before = umask(0777 & ~mode_for(l->access));
	ret = l->sock < 0 || bind(l->sock, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? -errno : 0;
	umask(before);
	ret = ret < 0 ? ret : listen(l->sock, BACKLOG) < 0 || lstat(l->path, &st) < 0 ? -errno : 0;
	if (ret == 0) {
		l->is_bound = true;
		l->device = st.st_dev;
		l->inode = st.st_ino;
		int file = open_file(l);
		ret = file < 0 ? file : own_socket(file, l, l->owner_group);
		if (file >= 0) {
			close(file);
		}
	}
	if (ret < 0) {
		log_error("%s: %s", l->path, strerror(-ret));
	}
	return ret;
}

int listen_give(struct listening *l, uid_t owner, gid_t group) {
	char path[PATH_BYTES];
	l->owner = owner;
	l->owner_group = group;
	if (!l->is_bound) {
		return 0;
	}
	int file = open_file(l);
	int ret = file < 0 ? file : own_socket(file, l, group);
	if (file >= 0) {
		close(file);
	}
	ret = ret < 0 ? ret : own_lock(l);
	snprintf(path, sizeof(path), "%s", l->path);
	return ret < 0 || !l->made_folder ? ret : own(l, dirname(path));
}

int listen_open_to(struct listening *l, enum server_access access, gid_t group) {
	const bool leaves_group = l->access == SERVER_ACCESS_GROUP && access != l->access;
	l->access = access;
	l->group = group;
	int file = open_file(l);
	if (file < 0) {
		return 0; /* made again, it will be as it should */
	}
	int ret = own_socket(file, l,
			leaves_group && l->owner_group == (gid_t)-1 ? getegid() : l->owner_group);
	if (ret == 0) {
		char name[32]; /* fchmod() takes no O_PATH */
		snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
		ret = chmod(name, mode_for(access)) < 0 ? -errno : 0;
	}
	close(file);
	return ret;
}

int listen_renew(struct listening *l) {
	char path[PATH_BYTES];
	lock_path(l, path);
	int ret = 0;
	if (!is_still_there(l->lock, path)) {
		ret = make_folder(l);
		ret = ret < 0 ? ret : take_lock(l, 0);
	}
	if (ret < 0 || is_our_socket(l)) {
		return ret;
	}
	ret = bind_path(l, 0);
	if (ret < 0 && l->sock >= 0) {
		close(l->sock);
		l->sock = -1;
	}
	return ret < 0 ? ret : 1;
}

void listen_init(struct listening *l) {
	*l = (struct listening){
		.sock = -1, .lock = -1, .owner = (uid_t)-1, .owner_group = (gid_t)-1
	};
}

static int open_own(
		struct listening *l, const char *path, enum server_access access, gid_t group) {
	l->access = access;
	l->group = group;
	int ret = take_path(l, path);
	ret = ret < 0 ? ret : make_folder(l);
	ret = ret < 0 ? ret : take_lock(l, PATIENCE_MS);
	ret = ret < 0 ? ret : bind_path(l, PATIENCE_MS);
	if (ret < 0) {
		listen_close(l);
	}
	return ret;
}

int listen_open(struct listening *l, const char *path, enum server_access access, gid_t group) {
	listen_init(l);
	int ret = passed_socket(&l->sock);
	return ret < 0 ? ret : ret > 0 ? 0 : open_own(l, path, access, group);
}

void listen_remove(const struct listening *l) {
	char path[PATH_BYTES];
	if (is_our_socket(l)) {
		unlink(l->path);
	}
	lock_path(l, path);
	if (is_still_there(l->lock, path)) {
		unlink(path);
	}
}

void listen_close(struct listening *l) {
	if (l->sock >= 0) {
		close(l->sock);
	}
	if (l->lock >= 0) {
		listen_remove(l);
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
