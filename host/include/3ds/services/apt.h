/* The program's life cycle; it is never suspended here. */
#ifndef CTRU_APT_H
#define CTRU_APT_H

#include <3ds/types.h>

typedef enum {
	APTHOOK_ONSUSPEND = 0, APTHOOK_ONRESTORE, APTHOOK_ONSLEEP, APTHOOK_ONWAKEUP, APTHOOK_ONEXIT,
	APTHOOK_COUNT,
} APT_HookType;

typedef void (*aptHookFn)(APT_HookType hook, void *param);

/* The program's memory; in a list from aptHook() to aptUnhook(). */
typedef struct tag_aptHookCookie {
	struct tag_aptHookCookie *next;
	aptHookFn callback;
	void *param;
} aptHookCookie;

/* Returns false after host-run's number of frames, and then calls the hooks once, with ONEXIT. */
bool aptMainLoop(void);
bool aptShouldClose(void);
void aptHook(aptHookCookie *cookie, aptHookFn callback, void *param);
void aptUnhook(aptHookCookie *cookie);

#endif
