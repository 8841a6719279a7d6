/*
 * Text on a screen: after consoleInit(), standard output and error are drawn there, in letters of
 * 8x8 pixels, as well as forwarded. Escape sequences are "ESC [" and A, B, C, D (move the cursor),
 * H or f (row; column, from 1), J and K (erase), s and u (save and restore the cursor), m (style:
 * 0-2, 4, 7-9, 21-29, 30-39, 40-49, 90-97, 100-107, 38;5;N, 38;2;R;G;B; italic and blinking letters
 * are plain). Characters beyond ASCII are empty; a custom font may have 256.
 */
#ifndef CTRU_CONSOLE_H
#define CTRU_CONSOLE_H

#include <3ds/gfx.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONSOLE_ESC(x) "\x1b[" #x
#define CONSOLE_RESET CONSOLE_ESC(0m)
#define CONSOLE_BLACK CONSOLE_ESC(30m)
#define CONSOLE_RED CONSOLE_ESC(31;1m)
#define CONSOLE_GREEN CONSOLE_ESC(32;1m)
#define CONSOLE_YELLOW CONSOLE_ESC(33;1m)
#define CONSOLE_BLUE CONSOLE_ESC(34;1m)
#define CONSOLE_MAGENTA CONSOLE_ESC(35;1m)
#define CONSOLE_CYAN CONSOLE_ESC(36;1m)
#define CONSOLE_WHITE CONSOLE_ESC(37;1m)

/* Draws a character at the cursor and moves the cursor. Returns false to have it printed as
 * usual. */
typedef bool (*ConsolePrint)(void *console, int c);

typedef struct ConsoleFont {
	u8 *gfx; /* 8 bytes a character: rows from the top, the highest bit is the left pixel */
	u16 asciiOffset, numChars; /* of the first one; how many */
} ConsoleFont;

typedef struct PrintConsole {
	ConsoleFont font;
	u16 *frameBuffer; /* RGB565 */
	int cursorX, cursorY, prevCursorX, prevCursorY; /* in the window, from 1 */
	int consoleWidth, consoleHeight; /* of the screen, in characters */
	int windowX, windowY, windowWidth, windowHeight; /* from 1 */
	int tabSize;
	u16 fg, bg; /* 0-7, or a colour with CONSOLE_FG_CUSTOM, CONSOLE_BG_CUSTOM */
	int flags; /* CONSOLE_... */
	ConsolePrint PrintChar;
	bool consoleInitialised;
} PrintConsole;

#define CONSOLE_COLOR_BOLD BIT(0)
#define CONSOLE_COLOR_FAINT BIT(1)
#define CONSOLE_ITALIC BIT(2)
#define CONSOLE_UNDERLINE BIT(3)
#define CONSOLE_BLINK_SLOW BIT(4)
#define CONSOLE_BLINK_FAST BIT(5)
#define CONSOLE_COLOR_REVERSE BIT(6)
#define CONSOLE_CONCEAL BIT(7)
#define CONSOLE_CROSSED_OUT BIT(8)
#define CONSOLE_FG_CUSTOM BIT(9)
#define CONSOLE_BG_CUSTOM BIT(10)
#define CONSOLE_COLOR_FG_BRIGHT BIT(11)
#define CONSOLE_COLOR_BG_BRIGHT BIT(12)

typedef enum {
	debugDevice_NULL, debugDevice_SVC, debugDevice_CONSOLE, debugDevice_3DMOO = debugDevice_SVC,
} debugDevice;

/*
 * Makes the console cover a whole screen (50x30 characters, 100x30 in wide mode; the bottom screen
 * 40x30), clears and selects it. Call after gfxInit(): the screen becomes RGB565 with one buffer.
 * Waits for a vertical blank. console NULL: the default one. Returns the console.
 */
PrintConsole *consoleInit(gfxScreen_t screen, PrintConsole *console);
/* Returns the usual one. */
PrintConsole *consoleGetDefault(void);
/* Selects a console for printing; NULL: the default one. Returns the previous one. */
PrintConsole *consoleSelect(PrintConsole *console);
/* Restricts output to a part of the screen; x and y count from 1. console NULL: the selected
 * one. */
void consoleSetWindow(PrintConsole *console, int x, int y, int width, int height);
/* console NULL: the selected one. font NULL: the built-in one. */
void consoleSetFont(PrintConsole *console, ConsoleFont *font);
/* Standard error is drawn with debugDevice_CONSOLE only, and forwarded in any case. */
void consoleDebugInit(debugDevice device);
/* Empties the window. */
void consoleClear(void);

#ifdef __cplusplus
}
#endif

#endif
