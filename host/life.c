/* The main loop, text, and the end of a program. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <3ds/console.h>
#include <3ds/os.h>
#include <3ds/services/apt.h>

enum { LOOP_TICKS = SYSCLOCK_ARM11 / 10000 };

/* ---- The main loop ---- */

static aptHookCookie *hooks;

PICA_EXPORT bool aptShouldClose(void) {
	return host_options.frames && host_frames >= host_options.frames;
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
	host_say("svcBreak: %s", (unsigned)reason < 5 ? names[reason] : "?");
	abort();
}

/* ---- Text ---- */

PICA_EXPORT Result svcOutputDebugString(const char *text, s32 length) {
	fprintf(stderr, "%.*s\n", length < 0 ? 0 : length, text);
	return 0;
}

static PrintConsole usual = { .consoleWidth = 50,
	.consoleHeight = 30,
	.windowWidth = 50,
	.windowHeight = 30,
	.tabSize = 3,
	.fg = 7 };
static PrintConsole *selected = &usual;

PICA_EXPORT PrintConsole *consoleGetDefault(void) {
	return &usual;
}

PICA_EXPORT PrintConsole *consoleSelect(PrintConsole *console) {
	PrintConsole *old = selected;
	selected = console ? console : &usual;
	return old;
}

PICA_EXPORT PrintConsole *consoleInit(gfxScreen_t screen, PrintConsole *console) {
	static bool said;
	host_say_once(&said, "consoleInit: text goes to the standard output, and is not drawn");
	console = console ? console : &usual;
	*console = usual;
	console->consoleWidth = console->windowWidth = screen == GFX_BOTTOM ? 40 : 50;
	console->consoleInitialised = true;
	consoleSelect(console);
	return console;
}

PICA_EXPORT void consoleSetWindow(PrintConsole *console, int x, int y, int width, int height) {
	console = console ? console : selected;
	console->windowX = x;
	console->windowY = y;
	console->windowWidth = width;
	console->windowHeight = height;
}

PICA_EXPORT void consoleSetFont(PrintConsole *console, ConsoleFont *font) {
	console = console ? console : selected;
	console->font = font ? *font : usual.font;
}

PICA_EXPORT void consoleDebugInit(debugDevice device) {
	(void)device;
}

PICA_EXPORT void consoleClear(void) {
	fputs("\x1b[2J", stdout);
}
