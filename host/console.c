/*
 * Text on the screens. Standard output and error are custom streams from the start: their bytes are
 * forwarded to the original descriptors and, once there is a console, drawn in cells of 8x8 pixels,
 * unbuffered: text is in the picture when printf() returns.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <3ds/console.h>

#include "pictures/font.h"

enum { CELL = 8, LINE_PX = GSP_SCREEN_WIDTH, GLYPHS = 128, MAX_ARGS = 16, N_SCREENS = 2 };

static u8 letters[GLYPHS][CELL]; /* rows from the top; the highest bit is the left pixel */

static const PrintConsole fresh = { .font = { letters[0], 0, GLYPHS },
	.cursorX = 1,
	.cursorY = 1,
	.consoleWidth = 40,
	.consoleHeight = 30,
	.windowX = 1,
	.windowY = 1,
	.windowWidth = 40,
	.windowHeight = 30,
	.tabSize = 3,
	.fg = 7 };
static PrintConsole usual, *selected = &usual;

/* By descriptor: its text is drawn on a screen; its last line is incomplete. */
static bool is_drawn[3], is_open_line[3];

/* A partial escape sequence. */
static struct {
	enum { PLAIN, ESCAPE, ARGUMENTS } state;
	int args[MAX_ARGS];
	unsigned n;
} sequence;

/* Buffers that were drawn into since the last vertical blank. */
static struct {
	u16 *pixels;
	u32 size;
} drawn[N_SCREENS];

/* ---- Pixels ---- */

/* Returns a pixel of a letter of pictures/font.h, which is 1 to 5 pixels wide. */
static bool has_ink(unsigned code, unsigned x, unsigned y) {
	u8 rgba[4];
	picture_font(code % (FONT_SIZE / FONT_CELL) * FONT_CELL + x,
			code / (FONT_SIZE / FONT_CELL) * FONT_CELL + y, FONT_SIZE, rgba);
	return rgba[3];
}

/* Letters of that font, widened to cells by repeating columns other than stems. */
static void make_letters(void) {
	for (unsigned code = ' ' + 1; code < GLYPHS - 1; code++) {
		const unsigned width = font_advance((char)code) - 1;
		bool has_stem = width < 3;
		for (unsigned y = 0; width == 3 && y < CELL; y++) {
			has_stem |= has_ink(code, 1, y) && !has_ink(code, 0, y) &&
					!has_ink(code, 2, y);
		}
		const unsigned more = has_stem ? 0 : width > 3 ? 2 : 1;
		unsigned to = (CELL - width - more) / 2;
		for (unsigned x = 0; x < width; x++) {
			const bool is_twice = more && (x == 1 || x == width - 2);
			for (unsigned n = 0; n < 1u + is_twice; n++, to++) {
				for (unsigned y = 0; y < CELL; y++) {
					letters[code][y] |=
							(u8)(has_ink(code, x, y) ? 0x80 >> to : 0);
				}
			}
		}
	}
}

/* Notes that the buffer must be flushed. */
static void touch(const PrintConsole *c) {
	for (unsigned i = 0; i < N_SCREENS; i++) {
		if (!drawn[i].pixels || drawn[i].pixels == c->frameBuffer) {
			drawn[i].pixels = c->frameBuffer;
			drawn[i].size = (u32)(c->consoleWidth * CELL * LINE_PX * 2);
			return;
		}
	}
}

void host_console_flush(void) {
	for (unsigned i = 0; i < N_SCREENS; i++) {
		if (drawn[i].pixels) {
			GSPGPU_FlushDataCache(drawn[i].pixels, drawn[i].size);
		}
		drawn[i].pixels = NULL;
	}
}

/* Returns the column of pixels at x of the screen, from the lowest pixel on. */
static u16 *column(const PrintConsole *c, int x) {
	return c->frameBuffer + (ptrdiff_t)x * LINE_PX;
}

/* Draws a cell of the window, counted from 1; skips cells outside the screen. */
static void draw_cell(
		const PrintConsole *c, int x, int y, const u8 rows[CELL], u16 ink, u16 paper) {
	x += c->windowX - 2;
	y += c->windowY - 2;
	if (!c->frameBuffer || x < 0 || y < 0 || x >= c->consoleWidth || y >= c->consoleHeight) {
		return;
	}
	touch(c);
	for (int i = 0; i < CELL; i++) {
		u16 *top = column(c, x * CELL + i) + LINE_PX - 1 - y * CELL;
		for (int row = 0; row < CELL; row++) {
			top[-row] = rows[row] & 0x80 >> i ? ink : paper;
		}
	}
}

/* ---- Colours ---- */

/* One of eight colours: bits for red, green and blue. */
static u16 plain_color(unsigned color, bool is_bright, bool is_faint) {
	const unsigned on = is_bright ? 255 :
			is_faint      ? (color == 7 ? 96 : 64) :
					(color == 7 ? 192 : 128);
	const unsigned off = is_bright && color == 0 ? 128 : 0;
	const unsigned r = color & 1 ? on : off, g = color & 2 ? on : off, b = color & 4 ? on : off;
	return (u16)RGB8_to_565(r, g, b);
}

static u16 paper_of(const PrintConsole *c) {
	return c->flags & CONSOLE_BG_CUSTOM ?
			c->bg :
			plain_color(c->bg & 7, c->flags & CONSOLE_COLOR_BG_BRIGHT, false);
}

static u16 ink_of(const PrintConsole *c) {
	const bool is_bright = c->flags & (CONSOLE_COLOR_BOLD | CONSOLE_COLOR_FG_BRIGHT);
	return c->flags & CONSOLE_FG_CUSTOM ?
			c->fg :
			plain_color(c->fg & 7, is_bright, c->flags & CONSOLE_COLOR_FAINT);
}

static void set_color(PrintConsole *c, bool is_paper, u16 color, int flags) {
	c->flags &= is_paper ? ~(CONSOLE_BG_CUSTOM | CONSOLE_COLOR_BG_BRIGHT) :
			       ~(CONSOLE_FG_CUSTOM | CONSOLE_COLOR_FG_BRIGHT);
	c->flags |= flags;
	*(is_paper ? &c->bg : &c->fg) = color;
}

static void set_plain(PrintConsole *c, bool is_paper, int color, bool is_bright) {
	set_color(c, is_paper, (u16)color,
			!is_bright               ? 0 :
					is_paper ? CONSOLE_COLOR_BG_BRIGHT :
						   CONSOLE_COLOR_FG_BRIGHT);
}

/* "5;N": one of 256 colours, "2;R;G;B". Returns the number of arguments used. */
static unsigned set_custom(PrintConsole *c, bool is_paper, const int *args, unsigned n) {
	const int custom = is_paper ? CONSOLE_BG_CUSTOM : CONSOLE_FG_CUSTOM;
	if (n >= 4 && args[0] == 2) {
		const u16 color = (u16)RGB8_to_565(args[1], args[2], args[3]);
		set_color(c, is_paper, color, custom);
		return 4;
	}
	const int i = n >= 2 ? args[1] : 0;
	if (n < 2 || args[0] != 5 || i > 255) {
		return n < 2 ? n : 2;
	}
	if (i < 16) {
		set_plain(c, is_paper, i & 7, i > 7);
		return 2;
	}
	int rgb[3] = { (i - 16) / 36, (i - 16) / 6 % 6, (i - 16) % 6 };
	for (unsigned k = 0; k < 3; k++) {
		rgb[k] = i >= 232 ? 8 + 10 * (i - 232) : rgb[k] ? 55 + 40 * rgb[k] : 0;
	}
	set_color(c, is_paper, (u16)RGB8_to_565(rgb[0], rgb[1], rgb[2]), custom);
	return 2;
}

/* Flags set and cleared by a code of the sequence "m". */
static const struct {
	int code, sets, clears;
} looks[] = {
	{ 1, CONSOLE_COLOR_BOLD, CONSOLE_COLOR_FAINT },
	{ 2, CONSOLE_COLOR_FAINT, CONSOLE_COLOR_BOLD },
	{ 3, CONSOLE_ITALIC, 0 },
	{ 4, CONSOLE_UNDERLINE, 0 },
	{ 5, CONSOLE_BLINK_SLOW, CONSOLE_BLINK_FAST },
	{ 6, CONSOLE_BLINK_FAST, CONSOLE_BLINK_SLOW },
	{ 7, CONSOLE_COLOR_REVERSE, 0 },
	{ 8, CONSOLE_CONCEAL, 0 },
	{ 9, CONSOLE_CROSSED_OUT, 0 },
	{ 21, 0, CONSOLE_COLOR_BOLD },
	{ 22, 0, CONSOLE_COLOR_BOLD | CONSOLE_COLOR_FAINT },
	{ 23, 0, CONSOLE_ITALIC },
	{ 24, 0, CONSOLE_UNDERLINE },
	{ 25, 0, CONSOLE_BLINK_SLOW | CONSOLE_BLINK_FAST },
	{ 27, 0, CONSOLE_COLOR_REVERSE },
	{ 28, 0, CONSOLE_CONCEAL },
	{ 29, 0, CONSOLE_CROSSED_OUT },
};

static void set_look(PrintConsole *c, int code) {
	for (unsigned i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		if (looks[i].code == code) {
			c->flags = (c->flags & ~looks[i].clears) | looks[i].sets;
		}
	}
}

static void set_looks(PrintConsole *c, const int *args, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		const int code = args[i], ten = code / 10, color = code % 10;
		const bool is_paper = ten == 4 || ten == 10, is_bright = ten >= 9;
		if (code == 0) {
			c->flags = 0;
			c->fg = 7;
			c->bg = 0;
		} else if (ten < 3) {
			set_look(c, code);
		} else if (ten > 10 || (ten > 4 && !is_bright)) {
			continue;
		} else if (color < 8) {
			set_plain(c, is_paper, color, is_bright);
		} else if (color == 9 && !is_bright) {
			set_plain(c, is_paper, is_paper ? 0 : 7, false);
		} else if (color == 8 && !is_bright) {
			i += set_custom(c, is_paper, args + i + 1, n - i - 1);
		}
	}
}

/* ---- The window ---- */

static int clamp(int value, int most) {
	return value < 1 ? 1 : value > most ? most : value;
}

/* Erases n cells of the window from one on, in reading order. */
static void erase(const PrintConsole *c, int x, int y, int n) {
	static const u8 empty[CELL];
	for (; n > 0 && y <= c->windowHeight; n--) {
		draw_cell(c, x, y, empty, 0, paper_of(c));
		x = x < c->windowWidth ? x + 1 : (y++, 1);
	}
}

/* 0: from the cursor on, 1: up to it, 2: all. */
static void erase_window(PrintConsole *c, int what) {
	const int width = c->windowWidth, before = (c->cursorY - 1) * width + c->cursorX - 1;
	if (what == 2) {
		c->cursorX = c->cursorY = 1;
	}
	if (what == 0) {
		erase(c, c->cursorX, c->cursorY, width * c->windowHeight - before);
	} else {
		erase(c, 1, 1, what == 2 ? width * c->windowHeight : before);
	}
}

static void erase_line(const PrintConsole *c, int what) {
	if (what == 0) {
		erase(c, c->cursorX, c->cursorY, c->windowWidth - c->cursorX + 1);
	} else {
		erase(c, 1, c->cursorY, what == 2 ? c->windowWidth : c->cursorX - 1);
	}
}

/* Scrolls the window up by one row. */
static void scroll(const PrintConsole *c) {
	const int left = c->windowX - 1, top = c->windowY - 1;
	const int right = left + c->windowWidth < c->consoleWidth ? left + c->windowWidth :
								    c->consoleWidth;
	const int bottom = top + c->windowHeight < c->consoleHeight ? top + c->windowHeight :
								      c->consoleHeight;
	for (int x = left * CELL; c->frameBuffer && bottom > top && x < right * CELL; x++) {
		u16 *lowest = column(c, x) + LINE_PX - bottom * CELL;
		memmove(lowest + CELL, lowest,
				sizeof(*lowest) * CELL * (unsigned)(bottom - top - 1));
	}
	erase(c, 1, c->windowHeight, c->windowWidth);
}

static void next_line(PrintConsole *c) {
	c->cursorX = 1;
	if (++c->cursorY > c->windowHeight) {
		c->cursorY = c->windowHeight;
		scroll(c);
	}
}

static void draw_letter(const PrintConsole *c, unsigned char code) {
	u16 ink = ink_of(c), paper = paper_of(c);
	u8 rows[CELL] = { 0 };
	const int i = code - c->font.asciiOffset;
	if (c->font.gfx && i >= 0 && i < c->font.numChars && !(c->flags & CONSOLE_CONCEAL)) {
		memcpy(rows, c->font.gfx + i * CELL, CELL);
	}
	if (c->flags & CONSOLE_UNDERLINE) {
		rows[CELL - 1] = 0xFF;
	}
	if (c->flags & CONSOLE_CROSSED_OUT) {
		rows[CELL / 2 - 1] = 0xFF;
	}
	if (c->flags & CONSOLE_COLOR_REVERSE) {
		const u16 other = ink;
		ink = paper;
		paper = other;
	}
	draw_cell(c, c->cursorX, c->cursorY, rows, ink, paper);
}

static void print(PrintConsole *c, unsigned char code) {
	if (code == 0 || (c->PrintChar && c->PrintChar(c, code))) {
		return;
	}
	switch (code) {
	case '\b':
		if (c->cursorX > 1) {
			c->cursorX--;
		} else if (c->cursorY > 1) {
			c->cursorX = c->windowWidth;
			c->cursorY--;
		}
		draw_letter(c, ' ');
		break;
	case '\t':
		do {
			print(c, ' ');
		} while (c->tabSize > 0 && (c->cursorX - 1) % c->tabSize);
		break;
	case '\n':
		next_line(c);
		break;
	case '\r':
		c->cursorX = 1;
		break;
	default:
		if (c->cursorX > c->windowWidth) {
			next_line(c);
		}
		draw_letter(c, code);
		c->cursorX++;
		break;
	}
}

/* ---- Escape sequences ---- */

static void do_sequence(PrintConsole *c, char name) {
	const int *args = sequence.args, n = args[0];
	const int steps = n ? n : 1;
	switch (name) {
	case 'A':
		c->cursorY = clamp(c->cursorY - steps, c->windowHeight);
		break;
	case 'B':
		c->cursorY = clamp(c->cursorY + steps, c->windowHeight);
		break;
	case 'C':
		c->cursorX = clamp(c->cursorX + steps, c->windowWidth);
		break;
	case 'D':
		c->cursorX = clamp(c->cursorX - steps, c->windowWidth);
		break;
	case 'H':
	case 'f':
		c->cursorY = clamp(n, c->windowHeight);
		c->cursorX = clamp(args[1], c->windowWidth);
		break;
	case 'J':
		erase_window(c, n);
		break;
	case 'K':
		erase_line(c, n);
		break;
	case 's':
		c->prevCursorX = c->cursorX;
		c->prevCursorY = c->cursorY;
		break;
	case 'u':
		c->cursorX = clamp(c->prevCursorX, c->windowWidth);
		c->cursorY = clamp(c->prevCursorY, c->windowHeight);
		break;
	case 'm':
		set_looks(c, args, sequence.n);
		break;
	default:
		break; /* another one of terminals */
	}
}

static void take(PrintConsole *c, char byte) {
	int *last = &sequence.args[sequence.n ? sequence.n - 1 : 0];
	switch (sequence.state) {
	case PLAIN:
		if (byte == '\x1b') {
			sequence.state = ESCAPE;
		} else {
			print(c, (unsigned char)byte);
		}
		break;
	case ESCAPE:
		memset(&sequence, 0, sizeof(sequence));
		if (byte == '[') {
			sequence.state = ARGUMENTS;
			sequence.n = 1;
		}
		break;
	case ARGUMENTS:
		if (byte >= '0' && byte <= '9') {
			*last = *last < 10000 ? *last * 10 + (byte - '0') : *last;
		} else if (byte == ';') {
			sequence.n += sequence.n < MAX_ARGS;
		} else if (byte >= '@') { /* other bytes below it are of other sequences */
			sequence.state = PLAIN;
			do_sequence(c, byte);
		}
		break;
	}
}

/* ---- Streams ---- */

/* Ignores errors: the screen still shows the text. */
static void forward(int fd, const char *text, size_t size) {
	for (size_t at = 0; at < size;) {
		const ssize_t n = write(fd, text + at, size - at);
		if (n < 0 && errno != EINTR) {
			return;
		}
		at += n > 0 ? (size_t)n : 0;
	}
}

/*
 * Draws text, and forwards it to the descriptor in lines. Omits escape sequences, which a terminal
 * would obey; cursor movement ends a line.
 */
static void draw(int fd, const char *text, size_t size) {
	char line[256];
	size_t n = 0;
	for (size_t i = 0; i < size; i++) {
		const bool was_plain = sequence.state == PLAIN;
		take(selected, text[i]);
		const bool is_letter = was_plain && sequence.state == PLAIN && text[i] != '\r';
		const bool is_end = text[i] == '\r' ||
				(!was_plain && sequence.state == PLAIN && text[i] != 'm');
		if (is_letter || (is_end && is_open_line[fd])) {
			line[n++] = is_letter ? text[i] : '\n';
			is_open_line[fd] = line[n - 1] != '\n';
		}
		if (n == sizeof(line) || i + 1 == size) {
			forward(fd, line, n);
			n = 0;
		}
	}
}

static ssize_t stream_write(void *cookie, const char *text, size_t size) {
	const int fd = cookie ? STDERR_FILENO : STDOUT_FILENO;
	if (is_drawn[fd] && selected->consoleInitialised) {
		draw(fd, text, size);
	} else {
		forward(fd, text, size);
	}
	return (ssize_t)size;
}

static FILE *open_stream(bool is_error) {
	static char any;
	FILE *f = fopencookie(is_error ? &any : NULL, "w",
			(cookie_io_functions_t){ .write = stream_write });
	if (!f) {
		host_fail("no stream: %s", strerror(errno));
	}
	return f;
}

__attribute__((destructor)) static void end(void) {
	fflush(stdout);
	if (is_open_line[STDOUT_FILENO]) {
		forward(STDOUT_FILENO, "\n", 1);
	}
}

void host_console_begin(void) {
	usual = fresh;
	stdout = open_stream(false);
	stderr = open_stream(true);
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* what was said before a crash is not lost */
	setvbuf(stderr, NULL, _IONBF, 0);
}

/* ---- Calls ---- */

PICA_EXPORT PrintConsole *consoleGetDefault(void) {
	return &usual;
}

PICA_EXPORT PrintConsole *consoleSelect(PrintConsole *console) {
	PrintConsole *old = selected;
	selected = console ? console : &usual;
	return old;
}

PICA_EXPORT PrintConsole *consoleInit(gfxScreen_t screen, PrintConsole *console) {
	static bool is_begun;
	if (!is_begun) {
		is_begun = true;
		make_letters();
		setvbuf(stdout, NULL, _IONBF, 0);
		is_drawn[STDOUT_FILENO] = is_drawn[STDERR_FILENO] = true;
	}
	consoleSelect(console);
	*selected = fresh;
	selected->consoleWidth = screen == GFX_BOTTOM ? 40 : gfxIsWide() ? 100 : 50;
	selected->windowWidth = selected->consoleWidth;
	if (!gfxGetFramebuffer(screen, GFX_LEFT, NULL, NULL)) {
		host_log("consoleInit: nothing is drawn: expected a call of gfxInit() before");
		return selected;
	}
	gfxSetScreenFormat(screen, GSP_RGB565_OES);
	gfxSetDoubleBuffering(screen, false);
	gfxScreenSwapBuffers(screen, false);
	gspWaitForVBlank();
	selected->frameBuffer = (u16 *)(void *)gfxGetFramebuffer(screen, GFX_LEFT, NULL, NULL);
	selected->consoleInitialised = true;
	consoleClear();
	return selected;
}

PICA_EXPORT void consoleSetWindow(PrintConsole *console, int x, int y, int width, int height) {
	console = console ? console : selected;
	console->windowX = x < 1 ? 1 : x;
	console->windowY = y < 1 ? 1 : y;
	console->windowWidth = width;
	console->windowHeight = height;
	console->cursorX = console->cursorY = 1;
}

PICA_EXPORT void consoleSetFont(PrintConsole *console, ConsoleFont *font) {
	console = console ? console : selected;
	console->font = font ? *font : fresh.font;
}

PICA_EXPORT void consoleDebugInit(debugDevice device) {
	is_drawn[STDERR_FILENO] = device == debugDevice_CONSOLE;
}

PICA_EXPORT void consoleClear(void) {
	erase_window(selected, 2);
}
