#include "service/confine.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/privileges.h"
#include "service/sandbox.h"
#include "service/log.h"

enum { PATH_BYTES = 4096 };

static int fail(const char *what, int error) {
	log_error("%s: %s", what, strerror(-error));
	return error;
}

int confine_user(const struct options *o, struct listening *l, const struct server_settings *s) {
	struct identity id;
	char own[108];
	int ret = identity_find(&id, o->user);
	if (ret < 0) {
		log_error(ret == -EPERM ? "user: only root can become %s" :
						"user %s: expected NAME or NAME:GROUP that exist",
				o->user);
		return ret;
	}
	if (id.is_set) {
		l->owner = id.uid;
		l->owner_group = id.gid;
	}
	ret = listen_open(l, options_socket(o, own), s->access, s->group);
	if (ret < 0) {
		return ret;
	}
	listen_notify_open();
	ret = identity_assume(&id);
	return ret < 0 ? fail(o->user, ret) : 0;
}

/* The folder of a file, in a buffer of its own. */
static const char *folder_of(char buffer[PATH_BYTES], const char *path) {
	snprintf(buffer, PATH_BYTES, "%s", path);
	return dirname(buffer);
}

/* Returns the folder of the files of "png:PATTERN", ..., for all values of the words in braces. */
static const char *frames_folder(char buffer[PATH_BYTES], const char *where) {
	const char *path = strchr(where, ':');
	snprintf(buffer, PATH_BYTES, "%s", path ? path + 1 : where);
	char *brace = strchr(buffer, '{');
	if (brace) {
		brace[0] = 'x'; /* the folder before it is used */
		brace[1] = 0;
	}
	return dirname(buffer);
}

static int close_files(const struct options *o, const struct listening *l) {
	struct sandbox_folder folders[13];
	char frames[PATH_BYTES], trace[PATH_BYTES], config[PATH_BYTES], idle[PATH_BYTES],
			socket[32];
	unsigned n = 0;
	folders[n++] = (struct sandbox_folder){ folder_of(config, options_config(o)),
		SANDBOX_READ };
	if (l->is_bound) {
		snprintf(socket, sizeof(socket), "/proc/self/fd/%d", l->folder);
		folders[n++] = (struct sandbox_folder){ socket, SANDBOX_REMOVE };
	}
	if (o->access && strncmp(o->access, "group:", 6) == 0) {
		/* its number may change */
		folders[n++] = (struct sandbox_folder){ "/etc", SANDBOX_READ };
	}
	if (options_has_card(o)) {
		folders[n++] = (struct sandbox_folder){ "/dev/dri", SANDBOX_WRITE };
	}
	if (o->seat && strcmp(o->seat, "logind") == 0) {
		/* for logind: our session, by control groups, and its files */
		folders[n++] = (struct sandbox_folder){ "/proc/self", SANDBOX_READ };
		folders[n++] = (struct sandbox_folder){ "/proc/1", SANDBOX_READ };
		folders[n++] = (struct sandbox_folder){ "/run/systemd", SANDBOX_READ };
		/* ... and which terminal is in front */
		folders[n++] = (struct sandbox_folder){ "/sys/devices/virtual/tty/tty0",
			SANDBOX_READ };
	}
	if (o->idle) {
		/* read again with the configuration */
		folders[n++] = (struct sandbox_folder){ folder_of(idle, o->idle), SANDBOX_READ };
	}
	if (o->frames) {
		folders[n++] = (struct sandbox_folder){ frames_folder(frames, o->frames),
			SANDBOX_WRITE };
	}
	if (o->trace) {
		folders[n++] = (struct sandbox_folder){ folder_of(trace, o->trace), SANDBOX_WRITE };
	}
	if (o->record) {
		folders[n++] = (struct sandbox_folder){ o->record, SANDBOX_WRITE };
	}
	return sandbox_folders(folders, n, o->kiosk || o->exec);
}

int confine_begin(
		struct confinement *c, const struct options *o, const struct listening *l) {
	const char *mode = o->sandbox ? o->sandbox : "auto";
	*c = (struct confinement){ .wanted = strcmp(mode, "off") != 0,
		.demanded = strcmp(mode, "on") == 0 };
	/* A card that comes back is opened again through the seat. */
	c->wanted &= c->demanded || !options_has_card(o);
	if (!c->wanted) {
		return 0;
	}
	int ret = privileges_reduce();
	if (ret < 0) {
		return fail("privileges", ret);
	}
	ret = close_files(o, l);
	c->has_folders = ret == 0;
	return ret < 0 && ret != -EOPNOTSUPP ? fail("sandbox", ret) : 0;
}

int confine_finish(struct confinement *c, unsigned features, pid_t child) {
	int ret = c->wanted ? sandbox_filter(features, child) : -EOPNOTSUPP;
	c->has_filter = ret == 0;
	if (c->wanted && ret < 0 && (c->demanded || ret != -EOPNOTSUPP)) {
		return fail("sandbox: the filter of system calls", ret);
	}
	return 0;
}
