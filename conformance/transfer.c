/* The copy engines: memory before and after, from a console test or by the rules. */
#include "kit.h"

enum {
	IN_ADDR = 0x20400000,
	OUT_ADDR = 0x20600000,
	PART = 0x200000,
	LINES_ADDR = 0x18280000,
	LINE_BYTES = 720,
	UNIT = 16,
	TO_TILED = 1 << 1,
	KEEP = 1 << 5,
	BIT16 = 1 << 16,
};

enum { RGBA8, RGB8, RGB565, RGB5A1, RGBA4 };

static const unsigned format_bytes[5] = { 4, 3, 2, 2, 2 };

static void write_bytes(struct maker *m, uint32_t addr, const void *data, uint32_t n) {
	case_job(m,
			&(struct pica_job){ .op = PICA_OP_WRITE,
					.u.write = { .addr = addr,
							.size_bytes = n,
							.data = (uint64_t)(uintptr_t)data } });
}

static void copy(struct maker *m, uint32_t from, uint32_t to, uint32_t n, uint32_t in,
		uint32_t out) {
	case_job(m,
			&(struct pica_job){ .op = PICA_OP_COPY,
					.u.copy = { .src = from,
							.dst = to,
							.size_bytes = n,
							.in_line = in,
							.out_line = out } });
}

/* Shows 16 bytes of memory as line `line` of the screen: five pixels of B, G, R and one of B. */
static void show_line(struct maker *m, unsigned line, uint32_t addr, const uint8_t bytes[UNIT]) {
	copy(m, addr & ~15u, LINES_ADDR + line * LINE_BYTES, UNIT, 0, 0);
	for (unsigned i = 0; i < UNIT; i++) {
		set_channel(&m->want[m->height - 1 - line][i / 3], 2 - i % 3, bytes[i]);
	}
}

static bool begin(struct maker *m, enum origin origin, const char *rule, const char *name) {
	const bool is_open = case_begin(m, origin, rule, 8, 16, "%s", name);
	if (is_open) {
		case_show_lines(m, LINES_ADDR);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = 0;
		}
	}
	return is_open;
}

/* ---- Display transfers ---- */

struct word {
	uint32_t index, value; /* in words of 32 bits; of the output, of 16 bits with such formats
				*/
};

/*
 * tests/data/pica/console_values.md: words of the input, of the output. Rows of one name make a
 * case. Buffers are 128x128; as_screen: 512x400 to 240x400.
 */
static const struct row {
	const char *name;
	uint8_t from, to;
	uint32_t flags;
	struct word in[3], out[3];
	bool as_screen;
} rows[] = {
#define CONVERT(name, from, to, a, b)                                                              \
	{ "transfer-" name, from, to, 0, { { 0, a } }, { { 0, b } }, false }
	CONVERT("rgba4-to-rgb5a1", RGBA4, RGB5A1, 0xF000, 0xF800),
	CONVERT("rgba4-to-rgb5a1", RGBA4, RGB5A1, 0x0F00, 0x07C0),
	CONVERT("rgba4-to-rgb5a1", RGBA4, RGB5A1, 0x00F0, 0x003E),
	CONVERT("rgba4-to-rgb5a1", RGBA4, RGB5A1, 0x000F, 0x0001),
	CONVERT("rgba4-to-rgb5a1", RGBA4, RGB5A1, 0x0008, 0x0001),
	CONVERT("rgba4-to-rgb5a1", RGBA4, RGB5A1, 0x0007, 0x0000),
	CONVERT("rgba8-to-rgba8", RGBA8, RGBA8, 0xFF000000, 0xFF000000),
	CONVERT("rgba8-to-rgba8", RGBA8, RGBA8, 0x00FF0000, 0x00FF0000),
	CONVERT("rgba8-to-rgba8", RGBA8, RGBA8, 0x0000FF00, 0x0000FF00),
	CONVERT("rgba8-to-rgba8", RGBA8, RGBA8, 0x000000FF, 0x000000FF),
	CONVERT("rgba8-to-rgb8", RGBA8, RGB8, 0xFF000000, 0x00FF0000),
	CONVERT("rgba8-to-rgb8", RGBA8, RGB8, 0x00FF0000, 0x0000FF00),
	CONVERT("rgba8-to-rgb8", RGBA8, RGB8, 0x0000FF00, 0x000000FF),
	CONVERT("rgba8-to-rgb8", RGBA8, RGB8, 0x000000FF, 0x00000000),
	CONVERT("rgba8-to-rgb565", RGBA8, RGB565, 0xFF000000, 0xF800),
	CONVERT("rgba8-to-rgb565", RGBA8, RGB565, 0x00FF0000, 0x07E0),
	CONVERT("rgba8-to-rgb565", RGBA8, RGB565, 0x0000FF00, 0x001F),
	CONVERT("rgba8-to-rgb565", RGBA8, RGB565, 0x000000FF, 0x0000),
	CONVERT("rgba8-to-rgb5a1", RGBA8, RGB5A1, 0xFF000000, 0xF800),
	CONVERT("rgba8-to-rgb5a1", RGBA8, RGB5A1, 0x00FF0000, 0x07C0),
	CONVERT("rgba8-to-rgb5a1", RGBA8, RGB5A1, 0x0000FF00, 0x003E),
	CONVERT("rgba8-to-rgb5a1", RGBA8, RGB5A1, 0x000000FF, 0x0001),
	CONVERT("rgba8-to-rgb5a1", RGBA8, RGB5A1, 0x00000064, 0x0000),
	CONVERT("rgba8-to-rgb5a1", RGBA8, RGB5A1, 0x0000007F, 0x0000),
	CONVERT("rgba8-to-rgb5a1", RGBA8, RGB5A1, 0x00000080, 0x0001),
	CONVERT("rgba8-to-rgb5a1", RGBA8, RGB5A1, 0x000000FE, 0x0001),
	CONVERT("rgba8-to-rgba4", RGBA8, RGBA4, 0xFF000000, 0xF000),
	CONVERT("rgba8-to-rgba4", RGBA8, RGBA4, 0x00FF0000, 0x0F00),
	CONVERT("rgba8-to-rgba4", RGBA8, RGBA4, 0x0000FF00, 0x00F0),
	CONVERT("rgba8-to-rgba4", RGBA8, RGBA4, 0x000000FF, 0x000F),
	CONVERT("rgba8-to-rgba4", RGBA8, RGBA4, 0x00000064, 0x0006),
	CONVERT("rgba8-to-rgba4", RGBA8, RGBA4, 0x0000007F, 0x0007),
	CONVERT("rgba8-to-rgba4", RGBA8, RGBA4, 0x00000080, 0x0008),
	CONVERT("rgba8-to-rgba4", RGBA8, RGBA4, 0x000000FE, 0x000F),
	CONVERT("rgb8-to-rgb8", RGB8, RGB8, 0xFF0000, 0xFF0000),
	CONVERT("rgb8-to-rgb8", RGB8, RGB8, 0x00FF00, 0x00FF00),
	CONVERT("rgb8-to-rgb8", RGB8, RGB8, 0x0000FF, 0x0000FF),
	CONVERT("rgb5a1-to-rgb5a1", RGB5A1, RGB5A1, 0xF800, 0xF800),
	CONVERT("rgb5a1-to-rgb5a1", RGB5A1, RGB5A1, 0x07C0, 0x07C0),
	CONVERT("rgb5a1-to-rgb5a1", RGB5A1, RGB5A1, 0x003E, 0x003E),
	CONVERT("rgb5a1-to-rgb5a1", RGB5A1, RGB5A1, 0x0001, 0x0001),
	CONVERT("rgb5a1-to-rgb565", RGB5A1, RGB565, 0xF800, 0xF800),
	CONVERT("rgb5a1-to-rgb565", RGB5A1, RGB565, 0x07C0, 0x07E0),
	CONVERT("rgb5a1-to-rgb565", RGB5A1, RGB565, 0x003E, 0x001F),
	CONVERT("rgb5a1-to-rgb565", RGB5A1, RGB565, 0x0001, 0x0000),
	CONVERT("rgb5a1-to-rgba4", RGB5A1, RGBA4, 0xF800, 0xF000),
	CONVERT("rgb5a1-to-rgba4", RGB5A1, RGBA4, 0x07C0, 0x0F00),
	CONVERT("rgb5a1-to-rgba4", RGB5A1, RGBA4, 0x003E, 0x00F0),
	CONVERT("rgb5a1-to-rgba4", RGB5A1, RGBA4, 0x0001, 0x000F),
#undef CONVERT
#define MOVE(name, flags, in, out)                                                                 \
	{ "transfer-" name, RGBA8, RGBA8, flags, in, out, false }
#define ONE(a, b)                                                                                  \
	{                                                                                          \
		{ a, b }                                                                           \
	}
#define TWO(a, b, c, d)                                                                            \
	{                                                                                          \
		{ a, b }, {                                                                        \
			c, d                                                                       \
		}                                                                                  \
	}
#define THREE(a, b, c, d, e, f)                                                                    \
	{                                                                                          \
		{ a, b }, { c, d }, {                                                              \
			e, f                                                                       \
		}                                                                                  \
	}
	MOVE("half-width", TRANSFER_HALF_X, ONE(0, 0xFF000000), ONE(0, 0x7F000000)),
	MOVE("half-width", TRANSFER_HALF_X, ONE(0, 0xFFFF0000), ONE(0, 0x7F7F0000)),
	MOVE("half-width", TRANSFER_HALF_X, TWO(0, 0xFFFF0000, 1, 0xFF000000), ONE(0, 0xFF7F0000)),
	MOVE("half-width", TRANSFER_HALF_X, TWO(0, 0xFFFF0000, 1, 0xFF0000FF), ONE(0, 0xFF7F007F)),
	MOVE("half-width", TRANSFER_HALF_X, THREE(0, 0xFFFF0000, 1, 0x00FF0000, 2, 0xFF000000),
			TWO(0, 0x7FFF0000, 0x40, 0x7F000000)),
	MOVE("half-size", TRANSFER_HALF_XY, TWO(0, 0xFFFF0000, 1, 0xFF0000FF), ONE(0, 0x7F3F003F)),
	MOVE("tiled-to-linear", 0, THREE(1, 0xABCDE, 2, 0xDEF00, 13, 0xAAAAAA),
			THREE(1, 0xABCDE, 128, 0xDEF00, 259, 0xAAAAAA)),
	MOVE("linear-to-tiled", TO_TILED, THREE(1, 0xABCDE, 128, 0xDEF00, 259, 0xAAAAAA),
			THREE(1, 0xABCDE, 2, 0xDEF00, 13, 0xAAAAAA)),
	MOVE("bit-16-first-tile", BIT16, THREE(1, 0xABCDE, 2, 0xDEF00, 13, 0xAAAAAA),
			THREE(1, 0xABCDE, 128, 0xDEF00, 259, 0xAAAAAA)),
	MOVE("keeps-order", KEEP, THREE(1, 0xABCDE, 2, 0xDEF00, 13, 0xAAAAAA),
			THREE(1, 0xABCDE, 2, 0xDEF00, 13, 0xAAAAAA)),
	MOVE("keeps-order", KEEP | TO_TILED, THREE(1, 0xABCDE, 2, 0xDEF00, 13, 0xAAAAAA),
			THREE(1, 0xABCDE, 2, 0xDEF00, 13, 0xAAAAAA)),
	{ "transfer-lines-of-the-output-width", RGBA8, RGB8, 0,
			THREE(0, 0xFF000000, 512 * 400 - 1, 0x0000FF00, 240 * 400 - 1, 0x00FF0000),
			TWO(0, 0x00FF0000, 0x1193F, 0x00FF0000), true },
#undef MOVE
};

static void transfer(struct maker *m, const struct row *row, unsigned *line, unsigned k) {
	const uint32_t in = IN_ADDR + k * PART, out = in + PART / 2;
	const unsigned unit = format_bytes[row->to] == 2 ? 2 : 4;
	for (unsigned i = 0; i < 3; i++) {
		if (row->in[i].value) {
			write_bytes(m, in + 4 * row->in[i].index, &row->in[i].value, 4);
		}
	}
	const uint32_t size = 128 | 128 << 16;
	case_job(m,
			&(struct pica_job){ .op = PICA_OP_TRANSFER,
					.u.transfer = { .src = in,
							.dst = out,
							.in_dim = row->as_screen ? 512 | 400 << 16 :
										   size,
							.out_dim = row->as_screen ?
									240 | 400 << 16 :
									size,
							.flags = row->flags |
									(uint32_t)row->from << 8 |
									(uint32_t)row->to
											<< 12 } });
	for (unsigned i = 0; i < 3 && (i == 0 || row->out[i].index); i++) {
		/* The 16 bytes around the word, including other words in them. */
		const uint32_t block = row->out[i].index * unit & ~15u;
		uint8_t bytes[UNIT] = { 0 };
		for (unsigned n = 0; n < 3; n++) {
			const uint32_t at = row->out[n].index * unit - block;
			for (unsigned b = 0; row->out[n].value && at < UNIT && b < unit; b++) {
				bytes[at + b] = (uint8_t)(row->out[n].value >> 8 * b);
			}
		}
		show_line(m, (*line)++, out + block, bytes);
	}
}

static void make_transfers(struct maker *m) {
	for (unsigned i = 0; i < ARRAY_LEN(rows);) {
		const unsigned first = i;
		unsigned line = 0;
		const bool is_move = rows[i].from == rows[i].to;
		if (!begin(m, ORIGIN_CONSOLE, is_move ? "display-transfer" : "transfer-numbers",
				    rows[i].name)) {
			return;
		}
		for (; i < ARRAY_LEN(rows) && strcmp(rows[i].name, rows[first].name) == 0; i++) {
			transfer(m, &rows[i], &line, i - first);
		}
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "display-transfer", 16, 16, "transfer-upside-down")) {
		m->shown_flags = TRANSFER_FLIP;
		EACH_PIXEL(m, x, y) {
			m->texels[y][x] = edge_color(x, y, 2);
			m->want[15 - y][x] = m->texels[y][x];
		}
		case_texture(m, 0, 1);
		tev_texture(&m->r);
		BOX(m, .rgba = 0xFFFFFFFF);
		case_end(m);
	}
}

/* ---- Fills and copies ---- */

static void make_fills(struct maker *m) {
	static const struct {
		const char *name;
		enum origin origin;
		unsigned unit, width; /* 0: 16 bits, 1: 24, 2: 32 */
		uint32_t value;
		uint8_t bytes[12]; /* the period, four times */
	} fills[] = {
		{ "fill-32-of-unit-1", ORIGIN_CONSOLE, 1, 2, 0x00FFFFFF,
				{ 255, 255, 255, 0, 255, 255, 255, 0, 255, 255, 255, 0 } },
		{ "fill-32-half", ORIGIN_CONSOLE, 1, 2, 0x0000FFFF,
				{ 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0 } },
		{ "fill-24-white", ORIGIN_CONSOLE, 0, 1, 0x00FFFFFF,
				{ 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 } },
		{ "fill-24-ignores-the-top-byte", ORIGIN_CONSOLE, 0, 1, 0xFFFFFFFF,
				{ 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 } },
		{ "fill-24-cyan", ORIGIN_CONSOLE, 0, 1, 0x00FFFF00,
				{ 0, 255, 255, 0, 255, 255, 0, 255, 255, 0, 255, 255 } },
		{ "fill-16", ORIGIN_RULE, 0, 0, 0x12345678,
				{ 0x78, 0x56, 0x78, 0x56, 0x78, 0x56, 0x78, 0x56, 0x78, 0x56, 0x78,
						0x56 } },
		{ "fill-width-3-is-24", ORIGIN_RULE, 0, 3, 0x00123456,
				{ 0x56, 0x34, 0x12, 0x56, 0x34, 0x12, 0x56, 0x34, 0x12, 0x56, 0x34,
						0x12 } },
	};
	enum { ADDR = 0x18300000, BYTES = 48 };
	for (unsigned i = 0; i < ARRAY_LEN(fills); i++) {
		if (!begin(m, fills[i].origin, "fill", fills[i].name)) {
			return;
		}
		case_job(m,
				&(struct pica_job){ .op = PICA_OP_FILL,
						.u.fill = { .start = ADDR,
								.end = ADDR + BYTES,
								.value = fills[i].value,
								.control = fills[i].width << 8,
								.unit = fills[i].unit } });
		/* The last line is the memory after the output: 0. */
		for (unsigned line = 0; line < 4; line++) {
			uint8_t bytes[UNIT] = { 0 };
			for (unsigned k = 0; line < 3 && k < UNIT; k++) {
				bytes[k] = fills[i].bytes[(line * UNIT + k) % 12];
			}
			show_line(m, line, ADDR + line * UNIT, bytes);
		}
		case_end(m);
	}
}

static void make_copies(struct maker *m) {
	static const struct {
		const char *name;
		unsigned size, in_width, in_gap, out_width,
				out_gap; /* widths and gaps in 16 bytes */
		uint8_t from[8]; /* source of each 16 bytes of the output, from 1; 0: none */
	} copies[] = {
		{ "copy-all", 64, 0, 0, 0, 0, { 1, 2, 3, 4 } },
		{ "copy-size-is-rounded-down", 63, 0, 0, 0, 0, { 1, 2, 3 } },
		{ "copy-width-without-gap", 64, 1, 0, 1, 0, { 1, 2, 3, 4 } },
		{ "copy-gap-in-source", 64, 1, 1, 0, 0, { 1, 3, 5, 7 } },
		{ "copy-gap-in-output", 64, 0, 0, 1, 1, { 1, 0, 2, 0, 3, 0, 4 } },
		{ "copy-both-gaps", 64, 2, 1, 1, 1, { 1, 0, 2, 0, 4, 0, 5 } },
	};
	uint8_t source[8 * UNIT];
	for (unsigned i = 0; i < sizeof(source); i++) {
		source[i] = (uint8_t)(29 * i + 17);
	}
	for (unsigned i = 0; i < ARRAY_LEN(copies); i++) {
		if (!begin(m, ORIGIN_RULE, "texture-copy", copies[i].name)) {
			return;
		}
		write_bytes(m, IN_ADDR, source, sizeof(source));
		copy(m, IN_ADDR, OUT_ADDR, copies[i].size,
				copies[i].in_width | copies[i].in_gap << 16,
				copies[i].out_width | copies[i].out_gap << 16);
		for (unsigned line = 0; line < 8; line++) {
			static const uint8_t zeros[UNIT];
			const unsigned from = copies[i].from[line];
			show_line(m, line, OUT_ADDR + line * UNIT,
					from ? source + (from - 1) * UNIT : zeros);
		}
		case_end(m);
	}
}

void make_transfer(struct maker *m) {
	make_transfers(m);
	make_fills(m);
	make_copies(m);
}
