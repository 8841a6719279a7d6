/* The main loop, and the end of a program. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <3ds/noops.h>
#include <3ds/os.h>
#include <3ds/services/apt.h>

enum { LOOP_TICKS = SYSCLOCK_ARM11 / 10000 };

/* ---- The main loop ---- */

static aptHookCookie *hooks;

bool host_has_told_end;

PICA_EXPORT bool aptShouldClose(void) {
	host_has_told_end |= host_options.frames && host_frames >= host_options.frames;
	return host_has_told_end;
}

PICA_EXPORT bool aptMainLoop(void) {
	static bool has_ended;
	host_spend(LOOP_TICKS);
	if (!aptShouldClose()) {
		return true;
	}
	for (aptHookCookie *c = has_ended ? NULL : hooks; c; c = c->next) {
		c->callback(APTHOOK_ONEXIT, c->param);
	}
	has_ended = true;
	return false;
}

PICA_EXPORT void aptHook(aptHookCookie *cookie, aptHookFn callback, void *param) {
	if (callback) {
		*cookie = (aptHookCookie){ hooks, callback, param };
		hooks = cookie;
	}
}

PICA_EXPORT void aptUnhook(aptHookCookie *cookie) {
	for (aptHookCookie **p = &hooks; *p; p = &(*p)->next) {
		if (*p == cookie) {
			*p = cookie->next;
			return;
		}
	}
}

PICA_EXPORT void svcExitProcess(void) {
	exit(0);
}

PICA_EXPORT void svcBreak(UserBreakType reason) {
	static const char *const names[] = { "panic", "assert", "user", "load RO", "unload RO" };
	host_fault("svcBreak: %s", (unsigned)reason < 5 ? names[reason] : "?");
}

PICA_EXPORT const char *osStrError(Result error) {
	static const char *const words[] = { "success", "no effect", "it would block",
		"out of resources", "not found", "invalid state", "not supported",
		"invalid argument", "wrong argument", "cancelled", "the status changed",
		"internal error" };
	const u32 summary = R_SUMMARY((u32)error);
	return summary < sizeof(words) / sizeof(*words) ? words[summary] : "unknown error";
}

PICA_EXPORT void errorText(errorConf *error, const char *text) {
	(void)error;
	host_log("errorText: %s", text);
}

PICA_EXPORT Result svcOutputDebugString(const char *text, s32 length) {
	dprintf(STDERR_FILENO, "%.*s\n", length < 0 ? 0 : length, text);
	return 0;
}
