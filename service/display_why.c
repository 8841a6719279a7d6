#include "service/display_why.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { DRM_MAJOR = 226, FIRST_RENDER_MINOR = 128 };

void why_failed(const struct display_settings *settings, const char *fmt, ...) {
	va_list args;
	if (settings->why) {
		va_start(args, fmt);
		vsnprintf(settings->why, DISPLAY_WHY_BYTES, fmt, args);
		va_end(args);
	}
}

static const char *why_not_by_logind(int error) {
	switch (error) {
	case -EACCES:
	case -EPERM:
		return "logind refuses the terminal: polkit has to run, and the session to be "
		       "ours, by User= of the unit";
	case -EBUSY:
		return "another program has the screen of our session";
	case -ENODATA:
	case -ENXIO:
		return "logind has no session for us: a unit needs User=, PAMName=login, TTYPath=";
	default:
		return "logind does not answer: it needs the bus of the system";
	}
}

const char *why_no_seat(const char *name, int error) {
	if (error == -EOPNOTSUPP) {
		return "this picad was built without libseat: seat = none opens the card itself";
	}
	if (strcmp(name, "seatd") == 0) {
		return error == -EACCES || error == -EPERM ?
				"seatd does not serve this user: expected a member of its socket's group" :
				"seatd does not run, or not where $SEATD_SOCK says";
	}
	if (strcmp(name, "logind") == 0) {
		return why_not_by_logind(error);
	}
	return "this needs root, and a virtual terminal: seatd or logind give the card to others";
}

const char *why_never_card(const char *path) {
	struct stat st;
	if (stat(path, &st) < 0) {
		return NULL;
	}
	if (!S_ISCHR(st.st_mode) || major(st.st_rdev) != DRM_MAJOR) {
		return "not a card: expected /dev/dri/card0 or the like";
	}
	return minor(st.st_rdev) < FIRST_RENDER_MINOR ?
			NULL :
			"a render node has no display: expected its card, /dev/dri/card0 or the like";
}

const char *why_no_card(const char *path, int error, int has_seat) {
	const char *never = path ? why_never_card(path) : NULL;
	if (never) {
		return never;
	}
	switch (error) {
	case -EACCES:
	case -EPERM:
		return has_seat ? "the seat refuses it" :
				"this user may not open it: seatd, logind or the group video help";
	case -EBUSY:
		return "another program has it";
	case -ENOENT:
		return "no such node; waiting for it";
	case -ENODEV:
		return "no node of /dev/dri is a card that could show something; waiting for one";
	default:
		return "trying again";
	}
}
