/* Text on the screens: checks places and colours of the letters. */
#include <3ds.h>
#include <stdio.h>
#include <string.h>

static int wrong;

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			svcOutputDebugString(#what, sizeof(#what));                                \
			wrong++;                                                                   \
		}                                                                                  \
	} while (0)

static PrintConsole *top, bottom;

/* A pixel of a cell of the screen, both from 0. */
static u16 pixel(const PrintConsole *c, int x, int y, int px, int py) {
	return c->frameBuffer[(x * 8 + px) * 240 + 239 - (y * 8 + py)];
}

static int count(const PrintConsole *c, int x, int y, u16 color) {
	int n = 0;
	for (int i = 0; i < 64; i++) {
		n += pixel(c, x, y, i % 8, i / 8) == color;
	}
	return n;
}

static bool is_at(const PrintConsole *c, int x, int y) {
	return c->cursorX == x && c->cursorY == y;
}

static bool is_printed(void *console, int c) {
	PrintConsole *p = console;
	p->cursorX += c == '#' ? 3 : 0;
	return c == '#';
}

static void check_moves(void) {
	CHECK(is_at(top, 1, 1) && top->consoleWidth == 50 && top->consoleHeight == 30);
	printf("ab\tc"); /* a tab ends at a multiple of 3 */
	CHECK(is_at(top, 5, 1));
	printf("\x1b[10;20H");
	CHECK(is_at(top, 20, 10));
	printf("\x1b[s\x1b[3A\x1b[2D\x1b[C");
	CHECK(is_at(top, 19, 7));
	printf("\x1b[u\x1b[B");
	CHECK(is_at(top, 20, 11));
	printf("\x1b[99;99H");
	CHECK(is_at(top, 50, 30));
	printf("\x1b[H\x1b[0;0H\x1b[99A\x1b[99D");
	CHECK(is_at(top, 1, 1));
	printf("%50s", "|"); /* the line is full, and ends with the next letter only */
	CHECK(is_at(top, 51, 1));
	printf("x\b\b");
	CHECK(is_at(top, 50, 1));
	printf("y\r");
	CHECK(is_at(top, 1, 1));
	printf("\x1b[4;4f\x1b[?25l"); /* another one of terminals */
	CHECK(is_at(top, 4, 4));
	consoleClear();
	CHECK(is_at(top, 1, 1) && count(top, 49, 0, 0) == 64);
}

static void check_colors(void) {
	printf("\x1b[7m \x1b[0;41m \x1b[44;1m \x1b[101m \x1b[0;48;5;9m \x1b[48;5;214m \x1b[48;5;240m "
	       "\x1b[48;2;255;128;8m \x1b[49m \x1b[0m");
	static const u16 colors[] = { RGB8_to_565(192, 192, 192), RGB8_to_565(128, 0, 0),
		RGB8_to_565(0, 0, 128), RGB8_to_565(255, 0, 0), RGB8_to_565(255, 0, 0),
		RGB8_to_565(255, 175, 0), RGB8_to_565(88, 88, 88), RGB8_to_565(255, 128, 8), 0 };
	for (int i = 0; i < 9; i++) {
		CHECK(count(top, i, 0, colors[i]) == 64);
	}
	printf("\n\x1b[31mI\x1b[1mI\x1b[2mI\x1b[4;9mI\x1b[24;29;39mI\x1b[8mI\x1b[0m");
	/* I: two rows of three pixels and five of one */
	CHECK(count(top, 0, 1, RGB8_to_565(128, 0, 0)) == 11);
	CHECK(pixel(top, 0, 1, 3, 0) == RGB8_to_565(128, 0, 0) && pixel(top, 0, 1, 0, 0) == 0);
	CHECK(count(top, 1, 1, RGB8_to_565(255, 0, 0)) == 11);
	CHECK(count(top, 2, 1, RGB8_to_565(64, 0, 0)) == 11);
	CHECK(count(top, 3, 1, RGB8_to_565(64, 0, 0)) == 11 + 8 + 7);
	CHECK(count(top, 4, 1, RGB8_to_565(96, 96, 96)) == 11 && count(top, 5, 1, 0) == 64);
	consoleClear();
}

static void check_erase(void) {
	for (int i = 0; i < 4; i++) {
		printf("IIIIII\n");
	}
	printf("\x1b[1;4H\x1b[K\x1b[2;4H\x1b[1K\x1b[3;3H\x1b[J");
	static const char left[4][7] = { "III   ", "   III", "II    ", "      " };
	for (int i = 0; i < 24; i++) {
		CHECK((count(top, i % 6, i / 6, 0) == 64) == (left[i / 6][i % 6] == ' '));
	}
	printf("\x1b[2;5H\x1b[1J");
	CHECK(count(top, 0, 0, 0) == 64 && count(top, 3, 1, 0) == 64 && count(top, 4, 1, 0) < 64);
	consoleClear();
}

static void check_window(void) {
	CHECK(consoleSelect(&bottom) == top);
	consoleSetWindow(NULL, 3, 4, 5, 2);
	printf("IIIII\nI\n"); /* scrolls once: the first line is gone */
	CHECK(is_at(&bottom, 1, 2));
	CHECK(count(&bottom, 2, 3, 0) < 64 && count(&bottom, 3, 3, 0) == 64);
	CHECK(count(&bottom, 2, 4, 0) == 64 && count(&bottom, 2, 2, 0) == 64);
	consoleSetWindow(&bottom, 39, 29, 5, 5); /* beyond the screen */
	printf("IIIII\nI\n\n\n\n\n");
	consoleClear();
	CHECK(consoleSelect(top) == &bottom);
}

static void check_font(void) {
	static u8 one[8] = { 0x80, 0, 0, 0, 0, 0, 0, 0x01 };
	ConsoleFont font = { one, 'z', 1 };
	top->PrintChar = is_printed;
	consoleSetFont(NULL, &font);
	printf("z#y");
	CHECK(is_at(top, 6, 1) && count(top, 0, 0, 0) == 62 && count(top, 4, 0, 0) == 64);
	CHECK(pixel(top, 0, 0, 0, 0) && pixel(top, 0, 0, 7, 7));
	consoleSetFont(top, NULL);
	top->PrintChar = NULL;
	fputs("\x1b[H\x1b[2Jok", stderr);
	CHECK(is_at(top, 3, 1));
	consoleDebugInit(debugDevice_NULL);
	fputs("ok", stderr);
	CHECK(is_at(top, 3, 1));
}

int main(void) {
	static PrintConsole none;
	printf("before\n");
	gfxInitDefault();
	top = consoleInit(GFX_TOP, NULL);
	CHECK(top == consoleGetDefault());
	consoleInit(GFX_BOTTOM, &bottom);
	CHECK(bottom.consoleWidth == 40 && consoleSelect(&none) == &bottom);
	printf("nowhere\n");
	consoleSelect(top);
	check_moves();
	check_colors();
	check_erase();
	check_window();
	check_font();
	printf("\x1b[2J\x1b[15;20HHello \x1b[32;1mworld\x1b[0m!\n");
	consoleSelect(&bottom);
	consoleSetWindow(&bottom, 2, 2, 38, 28);
	printf("On the bottom screen, without a line's end");
	while (aptMainLoop()) {
		gspWaitForVBlank();
	}
	gfxExit();
	return wrong ? 9 : 0;
}
