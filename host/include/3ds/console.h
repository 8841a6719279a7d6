/* Text: printf() goes to the standard output, with its escape sequences. Nothing is drawn. */
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

typedef bool (*ConsolePrint)(void *console, int c);

typedef struct ConsoleFont {
	u8 *gfx;
	u16 asciiOffset, numChars;
} ConsoleFont;

/* A place for what programs set; nothing reads it. */
typedef struct PrintConsole {
	ConsoleFont font;
	u16 *frameBuffer;
	int cursorX, cursorY, prevCursorX, prevCursorY;
	int consoleWidth, consoleHeight;
	int windowX, windowY, windowWidth, windowHeight;
	int tabSize;
	u16 fg, bg;
	int flags;
	ConsolePrint PrintChar;
	bool consoleInitialised;
} PrintConsole;

typedef enum {
	debugDevice_NULL, debugDevice_SVC, debugDevice_CONSOLE, debugDevice_3DMOO = debugDevice_SVC,
} debugDevice;

PrintConsole *consoleInit(gfxScreen_t screen, PrintConsole *console);
PrintConsole *consoleGetDefault(void);
PrintConsole *consoleSelect(PrintConsole *console);
void consoleSetWindow(PrintConsole *console, int x, int y, int width, int height);
void consoleSetFont(PrintConsole *console, ConsoleFont *font);
void consoleDebugInit(debugDevice device);
void consoleClear(void);

#ifdef __cplusplus
}
#endif

#endif
