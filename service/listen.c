#include "service/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "service/log.h"
#include "sock.h"

/* NAME_BYTES: room in an address after /proc/self/fd/NUMBER/ */
enum { FIRST_PASSED = 3, BACKLOG = 64, NAME_BYTES = 82, PATH_BYTES = 128 };

/* Maximum wait for the previous service to end. */
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
	const char *slash = strrchr(l->path, '/');
	l->name = slash ? slash + 1 : l->path;
	if (!l->name[0] || strlen(l->name) > NAME_BYTES) {
		log_error("%s: expected a name of 1 to %u bytes in its folder", l->path, NAME_BYTES);
		return -EINVAL;
	}
	return 0;
}

static void rest(void) {
	const struct timespec t = { .tv_nsec = REST_MS * 1000000 };
	nanosleep(&t, NULL);
}

/*
 * In a folder of the service's user, acts with that user's rights instead of root's, since the
 * owner may put links to foreign files there. For folder -1, acts with all rights of the process.
 */
static void act_in(const struct listening *l, int folder) {
	struct stat st;
	const bool is_its = folder >= 0 && fstat(folder, &st) == 0 && st.st_uid == l->owner;
	setfsgid(is_its ? l->owner_group : getegid());
	setfsuid(is_its ? l->owner : geteuid());
}

/* As root, follows no link, since another user may have made it. */
static int open_folder(int at, const char *path) {
	const struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = (at == AT_FDCWD ? 0 : RESOLVE_BENEATH) |
				(at == AT_FDCWD && geteuid() != 0 ? 0 : RESOLVE_NO_SYMLINKS) };
	const int fd = (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

/* path can be changed. */
static int make_folder(const struct listening *l, char *path) {
	char copy[sizeof(l->path)];
	memcpy(copy, path, sizeof(copy));
	const char *name = basename(copy);
	const int parent = open_folder(AT_FDCWD, dirname(path));
	if (parent < 0) {
		return parent;
	}
	act_in(l, parent);
	const bool is_new = mkdirat(parent, name, 0755) == 0;
	int folder = is_new || errno == EEXIST ? open_folder(parent, name) : -errno;
	act_in(l, -1);
	struct stat st;
	if (is_new && folder >= 0 && l->owner != (uid_t)-1 && fstat(parent, &st) == 0 &&
			st.st_uid != l->owner &&
			fchownat(folder, "", l->owner, l->owner_group, AT_EMPTY_PATH) < 0) {
		const int ret = -errno;
		close(folder);
		folder = ret;
	}
	close(parent);
	return folder;
}

/*
 * Opens the folder of the socket. The rest works in this folder, even if its owner moves it or
 * replaces its name.
 */
static int take_folder(struct listening *l) {
	char copy[sizeof(l->path)];
	memcpy(copy, l->path, sizeof(copy));
	char *path = dirname(copy);
	int ret = open_folder(AT_FDCWD, path);
	ret = ret == -ENOENT ? make_folder(l, path) : ret;
	if (ret < 0) {
		memcpy(copy, l->path, sizeof(copy));
		log_error(ret == -ELOOP ? "%s: a symbolic link on the way: expected none, for root" : "%s: %s",
				dirname(copy), strerror(-ret));
		return ret;
	}
	l->folder = ret;
	return 0;
}

/* Returns whether the file that is open as fd still has that name. */
static bool is_still_there(const struct listening *l, int fd, const char *name) {
	struct stat open_one, named;
	return fd >= 0 && fstat(fd, &open_one) == 0 &&
			fstatat(l->folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
			open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

/* Returns the socket's address in the open folder. */
static struct sockaddr_un address(const struct listening *l) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/%.*s", l->folder,
			NAME_BYTES, l->name);
	return addr;
}

/* Whether a service listens there. */
static bool is_served(const struct listening *l) {
	const struct sockaddr_un addr = address(l);
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0) {
		return true; /* unknown */
	}
	const bool is = connect(sock, (const struct sockaddr *)&addr, sizeof(addr)) == 0 ||
			(errno != ECONNREFUSED && errno != ENOENT);
	close(sock);
	return is;
}

static void lock_name(const struct listening *l, char name[PATH_BYTES]) {
	snprintf(name, PATH_BYTES, "%s.lock", l->name);
}

/*
 * Returns 1 if the lock is ours, 0 if another process has it. A file removed during the wait is
 * created again.
 */
static int try_lock(struct listening *l) {
	char name[PATH_BYTES];
	lock_name(l, name);
	for (;;) {
		int lock = openat(l->folder, name, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (lock < 0) {
			int ret = -errno;
			log_error("%s.lock: %s", l->path, strerror(errno));
			return ret;
		}
		const bool is_ours = flock(lock, LOCK_EX | LOCK_NB) == 0;
		if (is_ours && is_still_there(l, lock, name)) {
			l->lock = lock;
			return 1;
		}
		close(lock);
		if (!is_ours) {
			return 0;
		}
	}
}

/* One service a path: the holder of the lock may replace the socket. */
static int take_lock(struct listening *l) {
	int ret = try_lock(l);
	for (unsigned ms = 0; ret == 0 && ms < PATIENCE_MS; ms += REST_MS) {
		rest();
		ret = try_lock(l);
	}
	if (ret == 0) {
		struct stat st;
		log_error(fstatat(l->folder, l->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ?
				"%s: another picad serves this socket, whose file was removed: "
				"no client can reach it until that one is restarted" :
				"%s: another picad serves this socket",
				l->path);
		return -EADDRINUSE;
	}
	return ret < 0 ? ret : 0;
}

/* Removes the socket of a service that is gone. The lock is held. */
static int clear_path(const struct listening *l) {
	struct stat st;
	if (fstatat(l->folder, l->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		return 0;
	}
	if (!S_ISSOCK(st.st_mode)) {
		log_error("%s: not a socket: expected a socket or a free name", l->path);
		return -EEXIST;
	}
	for (unsigned ms = 0; is_served(l); ms += REST_MS) {
		if (ms >= PATIENCE_MS) {
			log_error("%s: in use: another process listens on this socket", l->path);
			return -EADDRINUSE;
		}
		rest();
	}
	unlinkat(l->folder, l->name, 0);
	return 0;
}

/* The mode of the file is only a first barrier; SO_PEERCRED decides. */
static mode_t mode_for(enum server_access access) {
	return access == SERVER_ACCESS_ALL ? 0666 : access == SERVER_ACCESS_GROUP ? 0660 : 0600;
}

/*
 * Gives the file to the user of the service and to the group that may connect. Changes only the
 * created file: the owner of the folder may have replaced it.
 */
static int give(struct listening *l, uid_t maker) {
	struct stat st;
	const gid_t group = l->access == SERVER_ACCESS_GROUP ? l->group : l->owner_group;
	const int file = openat(l->folder, l->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int ret = file < 0 || fstat(file, &st) < 0 ? -errno : 0;
	if (ret == 0 && (!S_ISSOCK(st.st_mode) || st.st_uid != maker)) {
		ret = -ENOENT;
	}
	if (ret == 0) {
		l->is_bound = true;
		l->device = st.st_dev;
		l->inode = st.st_ino;
	}
	if (ret == 0 && (l->owner != (uid_t)-1 || group != (gid_t)-1) &&
			fchownat(file, "", l->owner, group, AT_EMPTY_PATH) < 0) {
		ret = -errno;
	}
	if (file >= 0) {
		close(file);
	}
	return ret;
}

static int bind_path(struct listening *l) {
	const struct sockaddr_un addr = address(l);
	int ret = clear_path(l);
	if (ret < 0) {
		return ret;
	}
	l->sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t before = umask(0777 & ~mode_for(l->access));
	ret = l->sock < 0 || bind(l->sock, (const struct sockaddr *)&addr, sizeof(addr)) < 0 ||
					listen(l->sock, BACKLOG) < 0 ?
			-errno :
			0;
	umask(before);
	const uid_t maker = (uid_t)setfsuid((uid_t)-1); /* changes nothing */
	act_in(l, -1);
	ret = ret < 0 ? ret : give(l, maker);
	if (ret < 0) {
		log_error("%s: %s", l->path, strerror(-ret));
	}
	return ret;
}

void listen_init(struct listening *l) {
	*l = (struct listening){ .sock = -1,
		.lock = -1,
		.folder = -1,
		.owner = (uid_t)-1,
		.owner_group = (gid_t)-1 };
}

int listen_open(struct listening *l, const char *path, enum server_access access, gid_t group) {
	int ret = passed_socket(&l->sock);
	if (ret != 0) {
		return ret < 0 ? ret : 0;
	}
	l->access = access;
	l->group = group;
	ret = take_path(l, path);
	ret = ret < 0 ? ret : take_folder(l);
	act_in(l, l->folder);
	ret = ret < 0 ? ret : take_lock(l);
	ret = ret < 0 ? ret : bind_path(l);
	act_in(l, -1);
	if (ret < 0) {
		listen_close(l);
	}
	return ret;
}

/* Removes the files that were made, unless another service owns them by now. */
static void remove_files(const struct listening *l) {
	char name[PATH_BYTES];
	struct stat st;
	if (l->is_bound && fstatat(l->folder, l->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			st.st_ino == l->inode && st.st_dev == l->device) {
		unlinkat(l->folder, l->name, 0);
	}
	lock_name(l, name);
	if (is_still_there(l, l->lock, name)) {
		unlinkat(l->folder, name, 0);
	}
}

void listen_close(struct listening *l) {
	fd_close(&l->sock);
	remove_files(l);
	fd_close(&l->lock);
	fd_close(&l->folder);
}

/* ---- The service manager ---- */

/* A socket connected to the service manager; -1: none. */
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
		(void)sent; /* a manager that does not read it is not an error here */
	}
}
