/*
 * The copy engines: values that console tests expect [HW: hwtests, through data/pica/console_values],
 * spec/transfer.md 8, and a second, simpler transfer written from spec/transfer.md 4.1.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/morton.h"
#include "xfer/xfer.h"

enum {
	FCRAM = 0x20000000,
	FCRAM_BYTES = 2 << 20,
	VRAM = 0x18000000,
	VRAM_BYTES = 1 << 20,
	ROM = 0x1FF00000,
	ROM_BYTES = 0x1000,
	IN = FCRAM + 0x1000,
	OUT = FCRAM + 0x100000,
};

static uint8_t *fcram, *vram, *rom;
static struct space space;
static struct xfer_kernels kernels;
static struct pica_job_transfer job;

/* Every test runs once for each instruction set: _i is an enum isa. */
static void setup(void) {
	fcram = calloc(1, FCRAM_BYTES);
	vram = calloc(1, VRAM_BYTES);
	rom = calloc(1, ROM_BYTES);
	ck_assert(fcram && vram && rom);
	space = (struct space){ .n = 3,
		.win = {
			{ .phys = VRAM, .size_bytes = VRAM_BYTES, .host = vram },
			{ .phys = ROM, .size_bytes = ROM_BYTES, .host = rom, .flags = PICA_MAP_READ_ONLY },
			{ .phys = FCRAM, .size_bytes = FCRAM_BYTES, .host = fcram },
		} };
	memset(&job, 0, sizeof(job));
}

static void teardown(void) {
	free(fcram);
	free(vram);
	free(rom);
}

static bool use_isa(int isa) {
	xfer_kernels_init(&kernels, (enum isa)isa);
	return isa_available((enum isa)isa);
}

static uint8_t *host(uint32_t addr) {
	return addr >= FCRAM ? fcram + (addr - FCRAM) : addr >= ROM ? rom + (addr - ROM) : vram + (addr - VRAM);
}

static uint32_t get32(uint32_t addr) {
	uint32_t w;
	memcpy(&w, host(addr), 4);
	return w;
}

static void put32(uint32_t addr, uint32_t w) {
	memcpy(host(addr), &w, 4);
}

static uint32_t dim(uint32_t width, uint32_t height) {
	return width | height << 16;
}

static uint32_t formats(uint32_t in, uint32_t out) {
	return in << 8 | out << 12;
}

enum {
	FLIP = 1 << 0,
	TO_TILED = 1 << 1,
	CROP = 1 << 2,
	RAW_COPY = 1 << 3,
	KEEP_ORDER = 1 << 5,
	BIT_16 = 1 << 16,
	HALF_X = 1 << 24,
	HALF_XY = 1 << 25,
};

static uint32_t run_job(void) {
	if (transfer_flags_copy(job.flags)) {
		struct copy c;
		copy_from_transfer_job(&c, &job);
		return copy_run(&c, &space);
	}
	struct transfer t;
	transfer_from_job(&t, &job);
	return transfer_run(&t, &kernels, &space, 0, 1);
}

/* The console test's frame: 128x128, buffers zeroed. */
static void square_job(uint32_t flags) {
	memset(host(IN), 0, 0x10000);
	memset(host(OUT), 0, 0x10000);
	job = (struct pica_job_transfer){ .src = IN, .dst = OUT, .out_dim = dim(128, 128),
		.in_dim = dim(128, 128), .flags = flags };
}

/* ---- Console values ---- */

START_TEST(console_conversions) {
	enum { RGBA8 = XFER_RGBA8, RGB8 = XFER_RGB8, RGB565 = XFER_RGB565, RGB5A1 = XFER_RGB5A1, RGBA4 = XFER_RGBA4 };
	static const struct {
		uint32_t in_format, out_format, in, out;
	} cases[] = {
		{ RGBA4, RGB5A1, 0xF000, 0xF800 },
		{ RGBA4, RGB5A1, 0x0F00, 0x07C0 },
		{ RGBA4, RGB5A1, 0x00F0, 0x003E },
		{ RGBA4, RGB5A1, 0x000F, 0x0001 },
		{ RGBA4, RGB5A1, 0x0008, 0x0001 },
		{ RGBA4, RGB5A1, 0x0007, 0x0000 },
		{ RGBA8, RGBA8, 0xFF000000, 0xFF000000 },
		{ RGBA8, RGBA8, 0x00FF0000, 0x00FF0000 },
		{ RGBA8, RGBA8, 0x0000FF00, 0x0000FF00 },
		{ RGBA8, RGBA8, 0x000000FF, 0x000000FF },
		{ RGBA8, RGB8, 0xFF000000, 0x00FF0000 },
		{ RGBA8, RGB8, 0x00FF0000, 0x0000FF00 },
		{ RGBA8, RGB8, 0x0000FF00, 0x000000FF },
		{ RGBA8, RGB8, 0x000000FF, 0x00000000 },
		{ RGBA8, RGB565, 0xFF000000, 0xF800 },
		{ RGBA8, RGB565, 0x00FF0000, 0x07E0 },
		{ RGBA8, RGB565, 0x0000FF00, 0x001F },
		{ RGBA8, RGB565, 0x000000FF, 0x0000 },
		{ RGBA8, RGB5A1, 0xFF000000, 0xF800 },
		{ RGBA8, RGB5A1, 0x00FF0000, 0x07C0 },
		{ RGBA8, RGB5A1, 0x0000FF00, 0x003E },
		{ RGBA8, RGB5A1, 0x000000FF, 0x0001 },
		{ RGBA8, RGB5A1, 0x00000064, 0x0000 },
		{ RGBA8, RGB5A1, 0x0000007F, 0x0000 },
		{ RGBA8, RGB5A1, 0x00000080, 0x0001 },
		{ RGBA8, RGB5A1, 0x000000FE, 0x0001 },
		{ RGBA8, RGBA4, 0xFF000000, 0xF000 },
		{ RGBA8, RGBA4, 0x00FF0000, 0x0F00 },
		{ RGBA8, RGBA4, 0x0000FF00, 0x00F0 },
		{ RGBA8, RGBA4, 0x000000FF, 0x000F },
		{ RGBA8, RGBA4, 0x00000064, 0x0006 },
		{ RGBA8, RGBA4, 0x0000007F, 0x0007 },
		{ RGBA8, RGBA4, 0x00000080, 0x0008 },
		{ RGBA8, RGBA4, 0x000000FE, 0x000F },
		{ RGB8, RGB8, 0xFF0000, 0xFF0000 },
		{ RGB8, RGB8, 0x00FF00, 0x00FF00 },
		{ RGB8, RGB8, 0x0000FF, 0x0000FF },
		/* These freeze a console: the values its test file would expect are what we give. */
		{ RGB8, RGB565, 0xFF0000, 0xF800 },
		{ RGB8, RGB565, 0x00FF00, 0x07E0 },
		{ RGB8, RGB565, 0x0000FF, 0x001F },
		{ RGB8, RGB5A1, 0xFF0000, 0xF801 },
		{ RGB8, RGB5A1, 0x00FF00, 0x07C1 },
		{ RGB8, RGB5A1, 0x0000FF, 0x003F },
		{ RGB8, RGB5A1, 0x000000, 0x0001 },
		{ RGB8, RGBA4, 0xFF0000, 0xF00F },
		{ RGB8, RGBA4, 0x00FF00, 0x0F0F },
		{ RGB8, RGBA4, 0x0000FF, 0x00FF },
		{ RGB8, RGBA4, 0x000000, 0x000F },
		{ RGB5A1, RGB5A1, 0xF800, 0xF800 },
		{ RGB5A1, RGB5A1, 0x07C0, 0x07C0 },
		{ RGB5A1, RGB5A1, 0x003E, 0x003E },
		{ RGB5A1, RGB5A1, 0x0001, 0x0001 },
		{ RGB5A1, RGB565, 0xF800, 0xF800 },
		{ RGB5A1, RGB565, 0x07C0, 0x07E0 },
		{ RGB5A1, RGB565, 0x003E, 0x001F },
		{ RGB5A1, RGB565, 0x0001, 0x0000 },
		{ RGB5A1, RGBA4, 0xF800, 0xF000 },
		{ RGB5A1, RGBA4, 0x07C0, 0x0F00 },
		{ RGB5A1, RGBA4, 0x003E, 0x00F0 },
		{ RGB5A1, RGBA4, 0x0001, 0x000F },
	};
	if (!use_isa(_i)) {
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		square_job(formats(cases[i].in_format, cases[i].out_format));
		put32(IN, cases[i].in);
		ck_assert_uint_eq(run_job(), 0);
		/* The frozen pairs: other pixels have alpha 255, so only pixel 0 compares. */
		bool freezes = cases[i].in_format == RGB8 && xfer_format_bytes(cases[i].out_format) == 2;
		uint32_t mask = freezes ? 0xFFFF : 0xFFFFFFFF;
		ck_assert_uint_eq(get32(OUT) & mask, cases[i].out);
		struct transfer t;
		transfer_from_job(&t, &job);
		ck_assert_int_eq(t.bad, freezes);
	}
}
END_TEST

START_TEST(console_scaled_blending) {
	static const struct {
		uint32_t in[3], flags, out, out_0x40;
	} cases[] = {
		{ { 0xFF000000, 0, 0 }, HALF_X, 0x7F000000, 0 },
		{ { 0xFF000000, 0, 0 }, 0, 0xFF000000, 0 },
		{ { 0xFFFF0000, 0, 0 }, HALF_X, 0x7F7F0000, 0 },
		{ { 0xFFFF0000, 0xFF000000, 0 }, HALF_X, 0xFF7F0000, 0 },
		{ { 0xFFFF0000, 0xFF0000FF, 0 }, HALF_X, 0xFF7F007F, 0 },
		{ { 0xFFFF0000, 0x00FF0000, 0xFF000000 }, HALF_X, 0x7FFF0000, 0x7F000000 },
		{ { 0xFFFF0000, 0xFF0000FF, 0 }, HALF_XY, 0x7F3F003F, 0 },
	};
	if (!use_isa(_i)) {
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		square_job(formats(XFER_RGBA8, XFER_RGBA8) | cases[i].flags);
		for (uint32_t p = 0; p < 3; p++) {
			put32(IN + 4 * p, cases[i].in[p]);
		}
		ck_assert_uint_eq(run_job(), 0);
		ck_assert_uint_eq(get32(OUT), cases[i].out);
		ck_assert_uint_eq(get32(OUT + 4 * 0x40), cases[i].out_0x40);
	}
}
END_TEST

START_TEST(console_different_sizes) {
	static const uint32_t first[][2] = { { 0xFF000000, 0x00FF0000 }, { 0x00FF0000, 0x0000FF00 },
		{ 0x0000FF00, 0x000000FF }, { 0x000000FF, 0x00000000 } };
	if (!use_isa(_i)) {
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(first); i++) {
		memset(fcram, 0, FCRAM_BYTES);
		job = (struct pica_job_transfer){ .src = IN, .dst = OUT, .out_dim = dim(0xF0, 0x190),
			.in_dim = dim(0x200, 0x190), .flags = formats(XFER_RGBA8, XFER_RGB8) };
		put32(IN, first[i][0]);
		put32(IN + 4 * (0x200 * 0x190 - 1), 0x0000FF00);
		put32(IN + 4 * (0xF0 * 0x190 - 1), 0x00FF0000);
		ck_assert_uint_eq(run_job(), 0);
		ck_assert_uint_eq(get32(OUT), first[i][1]);
		ck_assert_uint_eq(get32(OUT + 4 * (0xF0 * 0x190 - 1)), 0);
		/* Input pixel 95999 is the last output pixel (239,399), green. */
		ck_assert_uint_eq(get32(OUT + 4 * 0x1193F), 0x00FF0000);
		ck_assert_uint_eq(host(OUT)[95999 * 3 + 1], 0xFF);
	}
}
END_TEST

/* Words 1, 2 and 13 in the order of the tiled side, and where they lie in lines of 128. */
static const uint32_t z_word[3] = { 0xABCDE, 0xDEF00, 0xAAAAAA };
static const uint32_t z_tiled[3] = { 1, 2, 13 };
static const uint32_t z_linear[3] = { 1, 128, 2 * 128 + 3 };

static void check_order(uint32_t flags, const uint32_t *in, const uint32_t *out) {
	square_job(flags);
	for (int i = 0; i < 3; i++) {
		put32(IN + 4 * in[i], z_word[i]);
	}
	ck_assert_uint_eq(run_job(), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(get32(OUT + 4 * out[i]), z_word[i]);
	}
	uint32_t others = 0;
	for (uint32_t i = 0; i < 0x4000; i++) {
		others += get32(OUT + 4 * i) != 0;
	}
	ck_assert_uint_eq(others, 3);
}

START_TEST(console_orders) {
	if (!use_isa(_i)) {
		return;
	}
	uint32_t rgba8 = formats(XFER_RGBA8, XFER_RGBA8), rgb8 = formats(XFER_RGBA8, XFER_RGB8);
	check_order(rgba8, z_tiled, z_linear);
	check_order(rgba8 | TO_TILED, z_linear, z_tiled);
	check_order(rgba8 | BIT_16, z_tiled, z_linear);
	check_order(rgba8 | KEEP_ORDER, z_tiled, z_tiled);
	check_order(rgba8 | KEEP_ORDER | TO_TILED, z_tiled, z_tiled);
	check_order(rgb8 | RAW_COPY, z_tiled, z_tiled);
	check_order(rgb8 | RAW_COPY | TO_TILED, z_tiled, z_tiled);
}
END_TEST

START_TEST(console_fills) {
	static const struct {
		uint32_t value, control, unit;
		uint8_t period, bytes[4];
	} cases[] = {
		{ 0x00FFFFFF, 0x201, 1, 4, { 0xFF, 0xFF, 0xFF, 0x00 } },
		{ 0x0000FFFF, 0x201, 1, 4, { 0xFF, 0xFF, 0x00, 0x00 } },
		{ 0x00FFFFFF, 0x101, 0, 3, { 0xFF, 0xFF, 0xFF } },
		{ 0xFFFFFFFF, 0x101, 0, 3, { 0xFF, 0xFF, 0xFF } },
		{ 0x00FFFF00, 0x101, 0, 3, { 0x00, 0xFF, 0xFF } },
		/* By the register's description: 3 is 24 bits too, 0 the low 16 bits. */
		{ 0x11223344, 0x301, 0, 3, { 0x44, 0x33, 0x22 } },
		{ 0x11223344, 0x001, 0, 2, { 0x44, 0x33 } },
		{ 0x11223344, 0x201, 0, 4, { 0x44, 0x33, 0x22, 0x11 } },
	};
	if (!use_isa(_i)) {
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		memset(vram, 0xCC, 128);
		struct pica_job_fill fill = { .start = VRAM + 16, .end = VRAM + 64, .value = cases[i].value,
			.control = cases[i].control, .unit = cases[i].unit };
		struct fill f;
		fill_from_job(&f, &fill);
		ck_assert_uint_eq(fill_writes(&f).addr, VRAM + 16);
		ck_assert_uint_eq(fill_writes(&f).size, 48);
		ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 0);
		for (unsigned b = 0; b < 128; b++) {
			unsigned want = b < 16 || b >= 64 ? 0xCC : cases[i].bytes[(b - 16) % cases[i].period];
			ck_assert_uint_eq(vram[b], want);
		}
	}
}
END_TEST

/* ---- Fill ---- */

START_TEST(fill_stripes_and_windows) {
	/* 24 bits from just before FCRAM: the phase goes on over the hole, stripes do not show. */
	if (!use_isa(_i)) {
		return;
	}
	for (unsigned n = 1; n <= 7; n++) {
		memset(fcram, 0xCC, 0x9000);
		struct pica_job_fill fill = { .start = FCRAM - 0x20, .end = FCRAM + 0x8010, .value = 0x332211,
			.control = 0x100 };
		struct fill f;
		fill_from_job(&f, &fill);
		uint32_t outside = 0;
		for (unsigned i = n; i-- > 0;) {
			outside += fill_run(&f, &kernels, &space, i, n);
		}
		ck_assert_uint_eq(outside, 0x20);
		for (uint32_t b = 0; b < 0x9000; b++) {
			ck_assert_uint_eq(fcram[b], b < 0x8010 ? 0x11 * ((b + 0x20) % 3 + 1) : 0xCC);
		}
	}
}
END_TEST

START_TEST(fill_of_nothing) {
	use_isa(ISA_C);
	struct fill f;
	fill_from_job(&f, &(struct pica_job_fill){ .start = 0, .end = FCRAM + 16, .control = 0x200 });
	ck_assert_uint_eq(fill_writes(&f).size, 0); /* start 0 completes without a fill [HW] */
	ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 0);
	fill_from_job(&f, &(struct pica_job_fill){ .start = FCRAM + 16, .end = FCRAM, .control = 0x200 });
	ck_assert_uint_eq(fill_writes(&f).size, 0);
	ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 0);
	/* Addresses count in 16 bytes; a read-only window drops everything. */
	fill_from_job(&f, &(struct pica_job_fill){ .start = ROM + 8, .end = ROM + 24, .value = 1 });
	ck_assert_uint_eq(f.start, ROM);
	ck_assert_uint_eq(f.end, ROM + 16);
	ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 16);
	ck_assert_uint_eq(rom[0], 0);
}
END_TEST

START_TEST(fill_from_registers) {
	/* spec/captures.md 6: 0x18000000 to 0x18000010 with 0x11223344, control 0x201. */
	use_isa(ISA_C);
	static uint32_t external[0x400];
	memset(external, 0, sizeof(external));
	external[0x10 / 4] = 0x03000000;
	external[0x14 / 4] = 0x03000002;
	external[0x18 / 4] = 0x11223344;
	external[0x1C / 4] = 0x201;
	external[0x20 / 4] = 0x04000000;
	external[0x24 / 4] = 0x04000004;
	external[0x28 / 4] = 0x5566;
	struct fill f;
	fill_from_regs(&f, external, 0);
	ck_assert_uint_eq(fill_run(&f, &kernels, &space, 0, 1), 0);
	ck_assert_mem_eq(vram, "\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\x44\x33\x22\x11\0", 17);
	fill_from_regs(&f, external, 1);
	ck_assert_uint_eq(f.start, FCRAM);
	ck_assert_uint_eq(f.end, FCRAM + 32);
	ck_assert_uint_eq(f.period, 2);
}
END_TEST

/* ---- Transfer against a second implementation ---- */

static uint32_t peek(int64_t addr, const uint8_t *f, const uint8_t *v) {
	if (addr >= FCRAM && addr < FCRAM + FCRAM_BYTES) {
		return f[addr - FCRAM];
	}
	return addr >= VRAM && addr < VRAM + VRAM_BYTES ? v[addr - VRAM] : 0;
}

static void poke(int64_t addr, uint32_t byte, uint8_t *f, uint8_t *v) {
	if (addr >= FCRAM && addr < FCRAM + FCRAM_BYTES) {
		f[addr - FCRAM] = (uint8_t)byte;
	} else if (addr >= VRAM && addr < VRAM + VRAM_BYTES) {
		v[addr - VRAM] = (uint8_t)byte;
	}
}

static int64_t naive_index(bool tiled, bool block32, int64_t x, int64_t y, int64_t w) {
	if (!tiled) {
		return y * w + x;
	}
	if (!block32) {
		return (y / 8 * (w / 8) + x / 8) * 64 + morton8((uint32_t)x & 7, (uint32_t)y & 7);
	}
	/* Z order over 5 bits, blocks row-major.  [spec/frag-output.md 8] */
	int64_t z = 0;
	for (int bit = 0; bit < 5; bit++) {
		z |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
	}
	return (y / 32 * ((w / 8 + 3) / 4) + x / 32) * 1024 + z;
}

/* Channels r g b a of the pixel at addr. */
static void naive_decode(uint32_t format, int64_t addr, const uint8_t *f, const uint8_t *v, uint32_t c[4]) {
	uint32_t b0 = peek(addr, f, v), b1 = peek(addr + 1, f, v);
	uint32_t w = b0 | b1 << 8;
	c[3] = 255;
	switch (format) {
	case XFER_RGBA8:
		c[0] = peek(addr + 3, f, v);
		c[1] = peek(addr + 2, f, v);
		c[2] = b1;
		c[3] = b0;
		break;
	case XFER_RGB8:
		c[0] = peek(addr + 2, f, v);
		c[1] = b1;
		c[2] = b0;
		break;
	case XFER_RGB565:
		c[0] = (w >> 11) * 8 + (w >> 11) / 4;
		c[1] = (w >> 5 & 63) * 4 + (w >> 5 & 63) / 16;
		c[2] = (w & 31) * 8 + (w & 31) / 4;
		break;
	case XFER_RGB5A1:
		for (int i = 0; i < 3; i++) {
			uint32_t n = w >> (11 - 5 * i) & 31;
			c[i] = n * 8 + n / 4;
		}
		c[3] = w & 1 ? 255 : 0;
		break;
	default:
		for (int i = 0; i < 4; i++) {
			c[i] = (w >> (12 - 4 * i) & 15) * 17;
		}
		break;
	}
}

static void naive_encode(uint32_t format, int64_t addr, uint8_t *f, uint8_t *v, const uint32_t c[4]) {
	uint32_t w;
	switch (format) {
	case XFER_RGBA8:
		for (int i = 0; i < 4; i++) {
			poke(addr + i, c[3 - i], f, v);
		}
		return;
	case XFER_RGB8:
		for (int i = 0; i < 3; i++) {
			poke(addr + i, c[2 - i], f, v);
		}
		return;
	case XFER_RGB565:
		w = c[0] / 8 << 11 | c[1] / 4 << 5 | c[2] / 8;
		break;
	case XFER_RGB5A1:
		w = c[0] / 8 << 11 | c[1] / 8 << 6 | c[2] / 8 << 1 | c[3] / 128;
		break;
	default:
		w = c[0] / 16 << 12 | c[1] / 16 << 8 | c[2] / 16 << 4 | c[3] / 16;
		break;
	}
	poke(addr, w & 255, f, v);
	poke(addr + 1, w >> 8, f, v);
}

static void naive_transfer(const struct pica_job_transfer *j, uint8_t *f, uint8_t *v) {
	static const int64_t bytes[] = { 4, 3, 2, 2, 2 };
	uint32_t in_format = j->flags >> 8 & 7, out_format = j->flags >> 12 & 7, scale = j->flags >> 24 & 3;
	int64_t width = j->out_dim & 0xFFF8, height = j->out_dim >> 16 & 0xFFF8;
	int64_t in_w = j->flags & CROP ? j->in_dim & 0xFFFF : width;
	int sx = scale != 0, sy = scale >= 2;
	int64_t ow = width >> sx, oh = height >> sy, src = j->src & ~15u, dst = j->dst & ~15u;
	bool in_tiled = !(j->flags & TO_TILED);
	bool out_tiled = j->flags & KEEP_ORDER ? in_tiled : !in_tiled;
	bool block32 = j->flags & BIT_16;
	if (in_w == 0) {
		return;
	}
	for (int64_t y = 0; y < oh; y++) {
		for (int64_t x = 0; x < ow; x++) {
			uint32_t sum[4] = { 0, 0, 0, 0 }, n = 0;
			for (int64_t dy = 0; dy <= sy; dy++) {
				for (int64_t dx = 0; dx <= sx; dx++, n++) {
					uint32_t c[4];
					int64_t at = naive_index(in_tiled, block32, (x << sx) + dx, (y << sy) + dy, in_w);
					naive_decode(in_format, src + at * bytes[in_format], f, v, c);
					for (int i = 0; i < 4; i++) {
						sum[i] += c[i];
					}
				}
			}
			for (int i = 0; i < 4; i++) {
				sum[i] /= n;
			}
			int64_t oy = j->flags & FLIP ? oh - 1 - y : y;
			int64_t at = naive_index(out_tiled, block32, x, oy, ow);
			if ((j->flags & (FLIP | CROP)) == (FLIP | CROP)) {
				at += (in_w - ow) * (oh - 1);
			}
			naive_encode(out_format, dst + at * bytes[out_format], f, v, sum);
		}
	}
}

static uint64_t seed = 88172645463325252u;

static uint32_t rnd(uint32_t below) {
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % below;
}

static uint32_t random_addr(void) {
	static const uint32_t base[] = { FCRAM, FCRAM + 0x8000, FCRAM + 0x10000, FCRAM + FCRAM_BYTES - 0x3000, VRAM,
		VRAM + VRAM_BYTES - 0x800, FCRAM - 0x1000, 0xFFFFF000, 0, ROM };
	uint32_t at = base[rnd(10) < 6 ? rnd(3) : rnd(ARRAY_LEN(base))];
	return at + (rnd(3) ? 0 : 16 * rnd(64));
}

static void random_job(void) {
	job.src = random_addr();
	job.dst = rnd(8) ? random_addr() + 0x20000 * rnd(2) : job.src + 16 * rnd(256);
	job.out_dim = dim(rnd(4) ? 8 * rnd(14) : rnd(100), rnd(4) ? 8 * rnd(10) : rnd(80));
	if (rnd(16) == 0) {
		job.out_dim = dim(8 * (30 + rnd(40)), 8 * rnd(3));
	}
	job.in_dim = dim(rnd(3) ? 8 * rnd(20) : rnd(200), rnd(100));
	job.flags = formats(rnd(5), rnd(5)) | (rnd(3) ? 0 : FLIP) | (rnd(3) ? 0 : TO_TILED) | (rnd(3) ? 0 : CROP) |
			(rnd(3) ? 0 : KEEP_ORDER) | (rnd(3) ? 0 : BIT_16) | (rnd(2) ? 0 : rnd(4) << 24);
}

static bool inside(int64_t at, struct range r) {
	return at >= r.addr && at < (int64_t)r.addr + r.size;
}

START_TEST(random_transfers_equal_the_simple_ones) {
	if (!use_isa(_i)) {
		return;
	}
	struct xfer_kernels plain;
	xfer_kernels_init(&plain, ISA_C);
	uint8_t *before = malloc(FCRAM_BYTES + VRAM_BYTES), *want = malloc(FCRAM_BYTES + VRAM_BYTES);
	ck_assert(before && want);
	for (uint32_t i = 0; i < FCRAM_BYTES + VRAM_BYTES; i++) {
		before[i] = (uint8_t)rnd(256);
	}
	memcpy(want, before, FCRAM_BYTES + VRAM_BYTES);
	memcpy(fcram, before, FCRAM_BYTES);
	memcpy(vram, before + FCRAM_BYTES, VRAM_BYTES);
	for (int round = 0; round < 400; round++) {
		random_job();
		struct transfer t;
		transfer_from_job(&t, &job);
		struct range writes = transfer_writes(&t);
		bool overlap = ranges_overlap(transfer_reads(&t), writes);
		naive_transfer(&job, want, want + FCRAM_BYTES);

		uint32_t outside = 0;
		if (rnd(4) == 0) {
			outside = transfer_run_pixels(&t, &plain, &space);
		} else {
			unsigned wanted = 1 + rnd(9), n = transfer_stripes(&t, wanted);
			ck_assert_uint_ge(n, 1);
			ck_assert_uint_le(n, wanted);
			ck_assert(n == 1 || !overlap);
			for (unsigned s = 0; s < n; s++) { /* the last stripe first */
				uint32_t o = transfer_run(&t, &kernels, &space, n - 1 - s, n);
				outside = outside ? outside : o;
			}
		}
		ck_assert_msg(memcmp(fcram, want, FCRAM_BYTES) == 0 && memcmp(vram, want + FCRAM_BYTES, VRAM_BYTES) == 0,
				"round %d: %08X -> %08X out %08X in %08X flags %08X", round, job.src, job.dst, job.out_dim,
				job.in_dim, job.flags);
		bool all_mapped = t.nothing ||
				(space.win[2].phys <= writes.addr &&
						writes.addr + (uint64_t)writes.size <= (uint64_t)FCRAM + FCRAM_BYTES &&
						transfer_reads(&t).addr >= FCRAM &&
						transfer_reads(&t).addr + (uint64_t)transfer_reads(&t).size <=
								(uint64_t)FCRAM + FCRAM_BYTES);
		if (all_mapped) {
			ck_assert_uint_eq(outside, 0);
		}
		/* The footprint holds everything that changed. */
		for (uint32_t at = 0; at < FCRAM_BYTES; at += 64) {
			if (memcmp(before + at, want + at, 64) != 0) {
				for (uint32_t b = at; b < at + 64; b++) {
					ck_assert(before[b] == want[b] || inside((int64_t)FCRAM + b, writes));
					before[b] = want[b];
				}
			}
		}
	}
	free(before);
	free(want);
}
END_TEST

START_TEST(wide_transfers_cross_chunks) {
	/* 1024 and 400 pixels wide: more than the engine holds at once. */
	if (!use_isa(_i)) {
		return;
	}
	uint8_t *want = malloc(FCRAM_BYTES + VRAM_BYTES);
	ck_assert(want);
	for (int round = 0; round < 24; round++) {
		for (uint32_t i = 0; i < 0x40000; i += 4) {
			put32(FCRAM + i, rnd(0x7FFFFFFF) * 3);
		}
		memcpy(want, fcram, FCRAM_BYTES);
		memcpy(want + FCRAM_BYTES, vram, VRAM_BYTES);
		job = (struct pica_job_transfer){ .src = FCRAM, .dst = OUT,
			.out_dim = dim(round & 1 ? 1024 : 400, 24), .in_dim = dim(1024, 0),
			.flags = formats((uint32_t)round % 5, (uint32_t)round / 5) | (round & 2 ? FLIP : 0) |
					(round & 4 ? TO_TILED : 0) | (round & 8 ? CROP : 0) |
					(uint32_t)(round % 3) << 24 };
		naive_transfer(&job, want, want + FCRAM_BYTES);
		ck_assert_uint_eq(run_job(), 0);
		ck_assert_mem_eq(fcram, want, FCRAM_BYTES);
	}
	free(want);
}
END_TEST

START_TEST(flip_with_crop_skews) {
	/* Row k of the source lands at dst + (in_w*(oh-1) - ow*k)*bytes. [HW, spec/transfer.md 4.1] */
	if (!use_isa(_i)) {
		return;
	}
	memset(fcram, 0, FCRAM_BYTES);
	job = (struct pica_job_transfer){ .src = IN, .dst = OUT, .out_dim = dim(8, 16), .in_dim = dim(24, 99),
		.flags = formats(XFER_RGBA8, XFER_RGBA8) | FLIP | CROP };
	for (uint32_t y = 0; y < 16; y++) {
		put32(IN + 4 * tiled_index(0, y, 24, 0), 0x100 + y);
	}
	ck_assert_uint_eq(run_job(), 0);
	for (uint32_t k = 0; k < 16; k++) {
		ck_assert_uint_eq(get32(OUT + 4 * (24 * 15 - 8 * k)), 0x100 + k);
	}
	struct transfer t;
	transfer_from_job(&t, &job);
	ck_assert_uint_eq(transfer_writes(&t).addr, OUT + 4 * 16 * 15);
	ck_assert_uint_eq(transfer_writes(&t).size, 4 * 8 * 16);
}
END_TEST

START_TEST(zero_sizes_do_nothing) {
	use_isa(ISA_C);
	static const uint32_t dims[][2] = { { 0, 16 }, { 16, 0 }, { 7, 16 }, { 16, 7 } };
	for (size_t i = 0; i < ARRAY_LEN(dims); i++) {
		job = (struct pica_job_transfer){ .src = IN, .dst = OUT, .out_dim = dim(dims[i][0], dims[i][1]) };
		struct transfer t;
		transfer_from_job(&t, &job);
		ck_assert(t.nothing);
		ck_assert_uint_eq(transfer_writes(&t).size, 0);
		ck_assert_uint_eq(transfer_reads(&t).size, 0);
		ck_assert_uint_eq(transfer_stripes(&t, 8), 1);
		ck_assert_uint_eq(transfer_run(&t, &kernels, &space, 0, 1), 0);
	}
}
END_TEST

START_TEST(largest_transfer_ends_soon) {
	use_isa((int)isa_best());
	for (uint32_t variant = 0; variant < 8; variant++) {
		job = (struct pica_job_transfer){ .src = 0x40000000, .dst = variant & 4 ? 0 : 0xE0000000,
			.out_dim = 0xFFFFFFFF, .in_dim = 0xFFFFFFFF,
			.flags = (variant & 1 ? FLIP | CROP : 0) | (variant & 2 ? TO_TILED | BIT_16 : 0) };
		struct transfer t;
		transfer_from_job(&t, &job);
		ck_assert_uint_eq(t.out_width, 65528);
		ck_assert_uint_gt(transfer_run(&t, &kernels, &space, 0, 1), 0);
	}
	struct copy c;
	copy_from_job(&c, &(struct pica_job_copy){ .src = 0, .dst = 0, .size_bytes = 0xFFFFFFFF,
				.in_line = 0x00010001, .out_line = 0xFFFF0001 });
	ck_assert_uint_gt(copy_run(&c, &space), 0);
}
END_TEST

/* ---- Texture copy ---- */

START_TEST(copy_left_half_of_a_texture) {
	/* A 32x32 RGB8 tiled texture, left half packed: input width 24, gap 24, size 1536. */
	use_isa(ISA_C);
	for (uint32_t i = 0; i < 32 * 32 * 3; i++) {
		host(IN)[i] = (uint8_t)rnd(256);
	}
	struct copy c;
	copy_from_job(&c, &(struct pica_job_copy){ .src = IN, .dst = OUT, .size_bytes = 1536,
				.in_line = 24 | 24 << 16, .out_line = 0 });
	ck_assert_uint_eq(copy_reads(&c).size, 4 * 384 + 3 * 384);
	ck_assert_uint_eq(copy_writes(&c).size, 1536);
	ck_assert_uint_eq(copy_run(&c, &space), 0);
	for (uint32_t y = 0; y < 32; y++) {
		for (uint32_t x = 0; x < 16; x++) {
			ck_assert_mem_eq(host(OUT) + 3 * tiled_index(x, y, 16, 0), host(IN) + 3 * tiled_index(x, y, 32, 0),
					3);
		}
	}
	ck_assert_uint_eq(get32(OUT + 1536), 0);
}
END_TEST

START_TEST(copy_rounds_the_size_down_and_ignores_width_without_gap) {
	use_isa(ISA_C);
	memset(host(IN), 0x77, 64);
	struct copy c;
	copy_from_job(&c, &(struct pica_job_copy){ .src = IN, .dst = OUT, .size_bytes = 47, .in_line = 1,
				.out_line = 0 });
	ck_assert_uint_eq(copy_run(&c, &space), 0);
	ck_assert_uint_eq(host(OUT)[31], 0x77);
	ck_assert_uint_eq(host(OUT)[32], 0);
}
END_TEST

START_TEST(copy_lines_of_different_length) {
	use_isa(ISA_C);
	for (uint32_t i = 0; i < 1024; i++) {
		host(IN)[i] = (uint8_t)(i / 16 + 1);
	}
	struct copy c; /* read 2, skip 1; write 3, skip 2: units of 16 bytes */
	copy_from_job(&c, &(struct pica_job_copy){ .src = IN, .dst = OUT, .size_bytes = 16 * 8,
				.in_line = 2 | 1 << 16, .out_line = 3 | 2 << 16 });
	ck_assert_uint_eq(copy_run(&c, &space), 0);
	static const uint8_t want[] = { 1, 2, 4, 0, 0, 5, 7, 8, 0, 0, 10, 11, 0, 0 };
	for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
		ck_assert_uint_eq(host(OUT)[16 * i], want[i]);
		ck_assert_uint_eq(host(OUT)[16 * i + 15], want[i]);
	}
	ck_assert_uint_eq(copy_writes(&c).size, 16 * (3 + 2 + 3 + 2 + 2));
	ck_assert_uint_eq(copy_reads(&c).size, 16 * 11);
}
END_TEST

START_TEST(copy_that_freezes_hardware_does_nothing) {
	use_isa(ISA_C);
	static const struct pica_job_copy jobs[] = {
		{ .src = IN, .dst = OUT, .size_bytes = 0 },
		{ .src = IN, .dst = OUT, .size_bytes = 15 },
		{ .src = IN, .dst = OUT, .size_bytes = 64, .in_line = 1 << 16 },
		{ .src = IN, .dst = OUT, .size_bytes = 64, .out_line = 1 << 16 },
	};
	put32(IN, 1);
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
		struct copy c;
		copy_from_job(&c, &jobs[i]);
		ck_assert(c.nothing && c.bad);
		ck_assert_uint_eq(copy_reads(&c).size, 0);
		ck_assert_uint_eq(copy_writes(&c).size, 0);
		ck_assert_uint_eq(copy_run(&c, &space), 0);
		ck_assert_uint_eq(get32(OUT), 0);
	}
}
END_TEST

START_TEST(overlapping_copy_goes_forward) {
	use_isa(ISA_C);
	for (uint32_t i = 0; i < 16; i++) {
		memset(host(IN) + 16 * i, (int)i + 1, 16);
	}
	struct copy c;
	copy_from_job(&c, &(struct pica_job_copy){ .src = IN, .dst = IN + 32, .size_bytes = 16 * 8 });
	ck_assert_uint_eq(copy_run(&c, &space), 0);
	for (uint32_t i = 0; i < 12; i++) { /* the first two steps repeat */
		ck_assert_uint_eq(host(IN)[16 * i], i < 10 ? i % 2 + 1 : i + 1);
	}
}
END_TEST

START_TEST(random_copies_equal_bytewise_ones) {
	use_isa(ISA_C);
	uint8_t *want = malloc(FCRAM_BYTES + VRAM_BYTES);
	ck_assert(want);
	for (uint32_t i = 0; i < FCRAM_BYTES; i++) {
		fcram[i] = (uint8_t)rnd(256);
	}
	memcpy(want, fcram, FCRAM_BYTES);
	memcpy(want + FCRAM_BYTES, vram, VRAM_BYTES);
	for (int round = 0; round < 500; round++) {
		struct pica_job_copy cj = { .src = random_addr(), .dst = random_addr(), .size_bytes = rnd(0x4000),
			.in_line = rnd(2) ? rnd(40) | rnd(20) << 16 : rnd(40),
			.out_line = rnd(2) ? rnd(40) | rnd(20) << 16 : rnd(40) };
		if (rnd(4) == 0) {
			cj.dst = cj.src + 16 * rnd(40);
		}
		struct copy c;
		copy_from_job(&c, &cj);
		uint32_t outside = 0;
		if (!c.nothing) {
			for (int64_t pos = 0; pos < c.size_bytes; pos += 16) {
				uint8_t step[16];
				int64_t s = c.src + pos / c.in_line * (c.in_line + c.in_gap) + pos % c.in_line;
				int64_t d = c.dst + pos / c.out_line * (c.out_line + c.out_gap) + pos % c.out_line;
				for (int b = 0; b < 16; b++) {
					step[b] = (uint8_t)peek(s + b, want, want + FCRAM_BYTES);
				}
				for (int b = 0; b < 16; b++) {
					poke(d + b, step[b], want, want + FCRAM_BYTES);
				}
				bool d_in = inside(d, (struct range){ FCRAM, FCRAM_BYTES }) ||
						inside(d, (struct range){ VRAM, VRAM_BYTES });
				bool s_in = inside(s, (struct range){ FCRAM, FCRAM_BYTES }) ||
						inside(s, (struct range){ VRAM, VRAM_BYTES }) ||
						inside(s, (struct range){ ROM, ROM_BYTES });
				outside += d_in && s_in ? 0 : 16;
				if (d_in) {
					ck_assert(inside(d, copy_writes(&c)) && inside(d + 15, copy_writes(&c)));
				}
			}
		}
		ck_assert_uint_eq(copy_run(&c, &space), outside);
		ck_assert_mem_eq(fcram, want, FCRAM_BYTES);
		ck_assert_mem_eq(vram, want + FCRAM_BYTES, VRAM_BYTES);
	}
	free(want);
}
END_TEST

START_TEST(copy_and_transfer_from_registers) {
	use_isa(ISA_C);
	static uint32_t external[0x400];
	memset(external, 0, sizeof(external));
	external[0xC00 / 4] = 0x03000000;
	external[0xC04 / 4] = 0x04011940;
	external[0xC08 / 4] = 0x019000F0;
	external[0xC0C / 4] = 0x01900200;
	external[0xC10 / 4] = 0x1000;
	external[0xC20 / 4] = 0x107;
	external[0xC24 / 4] = 0x00020001;
	struct transfer t; /* what every capture does at the end of a frame */
	transfer_from_regs(&t, external);
	ck_assert_uint_eq(t.src, 0x18000000);
	ck_assert_uint_eq(t.dst, 0x2008CA00);
	ck_assert_uint_eq(t.out_width, 240);
	ck_assert_uint_eq(t.out_height, 400);
	ck_assert_uint_eq(t.in_width, 240);
	ck_assert_uint_eq(t.in_format, XFER_RGBA8);
	ck_assert_uint_eq(t.out_format, XFER_RGB8);
	ck_assert(!t.flip && !t.to_tiled && !t.bad && !t.nothing);
	ck_assert_uint_eq(transfer_reads(&t).size, 240 * 400 * 4);
	ck_assert_uint_eq(transfer_writes(&t).size, 240 * 400 * 3);
	ck_assert_uint_eq(transfer_stripes(&t, 100), 50);
	ck_assert(!transfer_flags_copy(0xFFFFFFF7) && transfer_flags_copy(8));
	struct copy c;
	copy_from_regs(&c, external);
	ck_assert_uint_eq(c.src, 0x18000000);
	ck_assert_uint_eq(c.dst, 0x2008CA00);
	ck_assert_uint_eq(c.size_bytes, 0x100);
	ck_assert_uint_eq(c.in_line, 16);
	ck_assert_uint_eq(c.in_gap, 32);
	ck_assert_uint_eq(c.out_line, 0x100);
	ck_assert_uint_eq(c.out_gap, 0);
}
END_TEST

/* ---- Screens ---- */

static uint32_t external[0x400], lcd[0x400];
static uint8_t picture[800 * 240 * 3];

static void pdc(unsigned unit, uint32_t offset, uint32_t word) {
	external[(0x400 + 0x100 * unit + offset) / 4] = word;
}

static void screen_setup(void) {
	memset(external, 0, sizeof(external));
	memset(lcd, 0, sizeof(lcd));
	memset(picture, 0xEE, sizeof(picture));
	pdc(0, 0x68, FCRAM);
	pdc(0, 0x6C, FCRAM + 0x60000);
	pdc(0, 0x94, FCRAM + 0xC0000);
	pdc(0, 0x98, FCRAM + 0x120000);
	pdc(0, 0x70, 0x80341); /* 2D, RGB8 */
	pdc(0, 0x90, 720);
	pdc(1, 0x68, FCRAM + 0x180000);
	pdc(1, 0x70, 0x80301);
	pdc(1, 0x90, 720);
}

static const uint8_t *at(const struct scanout *s, uint32_t x, uint32_t y) {
	return picture + ((size_t)y * s->info.width + x) * 3;
}

static struct scanout show(enum pica_screen_id screen, enum pica_eye eye) {
	struct scanout s;
	scanout_from_regs(&s, external, lcd, screen);
	scanout_run(&s, &kernels, &space, eye, picture, 3 * (size_t)s.info.width);
	return s;
}

START_TEST(screen_stands_upright) {
	if (!use_isa(_i)) {
		return;
	}
	screen_setup();
	/* (0,239) -> offset 0, (0,0) -> 717, (399,0) -> 287997; bytes B G R. */
	memcpy(fcram, "\x01\x02\x03", 3);
	memcpy(fcram + 717, "\x04\x05\x06", 3);
	memcpy(fcram + 287997, "\x07\x08\x09", 3);
	memcpy(fcram + 399 * 720, "\x0A\x0B\x0C", 3);
	struct scanout s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert_uint_eq(s.info.width, 400);
	ck_assert_uint_eq(s.info.height, 240);
	ck_assert_uint_eq(s.info.addr, FCRAM);
	ck_assert_uint_eq(s.info.format, XFER_RGB8);
	ck_assert(s.info.is_set && !s.info.has_right && !s.info.is_solid);
	ck_assert_mem_eq(at(&s, 0, 239), "\x03\x02\x01", 3);
	ck_assert_mem_eq(at(&s, 0, 0), "\x06\x05\x04", 3);
	ck_assert_mem_eq(at(&s, 399, 0), "\x09\x08\x07", 3);
	ck_assert_mem_eq(at(&s, 399, 239), "\x0C\x0B\x0A", 3);
	ck_assert_uint_eq(scanout_reads(&s, PICA_EYE_LEFT).addr, FCRAM);
	ck_assert_uint_eq(scanout_reads(&s, PICA_EYE_LEFT).size, 288000);
	/* Buffer 1; without stereo the right eye is the left picture. */
	pdc(0, 0x78, 1);
	fcram[0x60000 + 717] = 0x55;
	s = show(PICA_SCREEN_TOP, PICA_EYE_RIGHT);
	ck_assert_uint_eq(s.info.addr, FCRAM + 0x60000);
	ck_assert_uint_eq(at(&s, 0, 0)[2], 0x55);
}
END_TEST

START_TEST(bottom_screen_has_320_lines) {
	if (!use_isa(_i)) {
		return;
	}
	screen_setup();
	memcpy(fcram + 0x180000 + 319 * 720 + 717, "\x07\x08\x09", 3);
	struct scanout s = show(PICA_SCREEN_BOTTOM, PICA_EYE_RIGHT);
	ck_assert_uint_eq(s.info.width, 320);
	ck_assert(!s.info.has_right);
	ck_assert_mem_eq(at(&s, 319, 0), "\x09\x08\x07", 3);
}
END_TEST

START_TEST(stereo_and_wide_modes) {
	if (!use_isa(_i)) {
		return;
	}
	screen_setup();
	pdc(0, 0x70, 0x80321); /* bit 5: left and right */
	fcram[717] = 0x11;
	fcram[0xC0000 + 717] = 0x22;
	struct scanout s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert_uint_eq(s.info.width, 400);
	ck_assert(s.info.has_right);
	ck_assert_uint_eq(at(&s, 0, 0)[2], 0x11);
	s = show(PICA_SCREEN_TOP, PICA_EYE_RIGHT);
	ck_assert_uint_eq(at(&s, 0, 0)[2], 0x22);
	ck_assert_uint_eq(scanout_reads(&s, PICA_EYE_RIGHT).addr, FCRAM + 0xC0000);
	pdc(0, 0x78, 1);
	scanout_from_regs(&s, external, lcd, PICA_SCREEN_TOP);
	ck_assert_uint_eq(s.addr_right, FCRAM + 0x120000);

	pdc(0, 0x78, 0);
	pdc(0, 0x70, 0x80301); /* neither bit: 800 lines */
	fcram[799 * 720 + 717] = 0x33;
	s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert_uint_eq(s.info.width, 800);
	ck_assert(!s.info.has_right);
	ck_assert_uint_eq(at(&s, 799, 0)[2], 0x33);
}
END_TEST

START_TEST(screen_formats) {
	static const struct {
		uint32_t format, bytes;
		uint8_t pixel[4], rgb[3];
	} cases[] = {
		{ 0, 4, { 0x00, 0x33, 0x22, 0x11 }, { 0x11, 0x22, 0x33 } }, /* alpha ignored */
		{ 1, 3, { 0x33, 0x22, 0x11 }, { 0x11, 0x22, 0x33 } },
		{ 2, 2, { 0x41, 0x88 }, { 0x8C, 0x08, 0x08 } }, /* 10001 000010 00001 */
		{ 3, 2, { 0x42, 0x88 }, { 0x8C, 0x08, 0x08 } }, /* 10001 00001 00001 0 */
		{ 4, 2, { 0x3F, 0x12 }, { 0x11, 0x22, 0x33 } },
		{ 7, 2, { 0x3F, 0x12 }, { 0x11, 0x22, 0x33 } },
	};
	if (!use_isa(_i)) {
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		screen_setup();
		memset(fcram, 0, 0x60000);
		pdc(0, 0x70, 0x80340 | cases[i].format);
		pdc(0, 0x90, 240 * cases[i].bytes);
		memcpy(fcram + (240 * 7 + 239 - 5) * cases[i].bytes, cases[i].pixel, cases[i].bytes);
		struct scanout s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
		ck_assert_mem_eq(at(&s, 7, 5), cases[i].rgb, 3);
		ck_assert_mem_eq(at(&s, 7, 4), "\0\0\0", 3);
		ck_assert_mem_eq(at(&s, 8, 5), "\0\0\0", 3);
	}
}
END_TEST

START_TEST(negative_stride_mirrors) {
	if (!use_isa(_i)) {
		return;
	}
	screen_setup();
	pdc(0, 0x68, FCRAM + 399 * 720);
	pdc(0, 0x90, (uint32_t)-720);
	fcram[717] = 0x11;
	struct scanout s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert_int_eq(s.stride_bytes, -720);
	ck_assert_uint_eq(at(&s, 399, 0)[2], 0x11);
	ck_assert_uint_eq(scanout_reads(&s, PICA_EYE_LEFT).addr, FCRAM);
	ck_assert_uint_eq(scanout_reads(&s, PICA_EYE_LEFT).size, 288000);
	/* Lines before the window are black; the most negative stride is a number like any other. */
	pdc(0, 0x68, FCRAM);
	memset(fcram, 0x44, 720);
	s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert_uint_eq(at(&s, 0, 0)[2], 0x44);
	ck_assert_uint_eq(at(&s, 1, 0)[2], 0);
	pdc(0, 0x90, 0x80000000);
	s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert_int_eq(s.stride_bytes, INT32_MIN);
	ck_assert_uint_eq(at(&s, 399, 0)[2], 0);
}
END_TEST

START_TEST(solid_unset_and_disabled_screens) {
	use_isa(ISA_C);
	screen_setup();
	lcd[0x204 / 4] = 0x01332211;
	struct scanout s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert(s.info.is_solid && s.info.is_set);
	ck_assert_mem_eq(at(&s, 123, 45), "\x11\x22\x33", 3);
	ck_assert_uint_eq(scanout_reads(&s, PICA_EYE_LEFT).size, 0);
	scanout_from_regs(&s, external, lcd, PICA_SCREEN_BOTTOM);
	ck_assert(!s.info.is_solid);
	lcd[0xA04 / 4] = 0x01000080;
	s = show(PICA_SCREEN_BOTTOM, PICA_EYE_LEFT);
	ck_assert_mem_eq(at(&s, 319, 239), "\x80\0\0", 3);
	lcd[0x204 / 4] = 0x00332211; /* not enabled */
	scanout_from_regs(&s, external, lcd, PICA_SCREEN_TOP);
	ck_assert(!s.info.is_solid && s.info.is_set);

	pdc(0, 0x68, 0);
	scanout_from_regs(&s, external, lcd, PICA_SCREEN_TOP);
	ck_assert(!s.info.is_set);
	pdc(0, 0x78, 1); /* the other buffer is set */
	scanout_from_regs(&s, external, lcd, PICA_SCREEN_TOP);
	ck_assert(s.info.is_set);

	/* Recorders leave the control word 0 though frames are shown; a written one counts. */
	pdc(0, 0x74, 0x10501);
	scanout_from_regs(&s, external, lcd, PICA_SCREEN_TOP);
	ck_assert(s.info.is_set && !s.info.is_solid);
	pdc(0, 0x74, 0x10500);
	s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert(s.info.is_set && s.info.is_solid);
	ck_assert_mem_eq(at(&s, 0, 0), "\0\0\0", 3);
}
END_TEST

int main(void) {
	Suite *suite = suite_create("xfer");
	TCase *tc = tcase_create("xfer");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, console_conversions, 0, ISA_COUNT);
	tcase_add_loop_test(tc, console_scaled_blending, 0, ISA_COUNT);
	tcase_add_loop_test(tc, console_different_sizes, 0, ISA_COUNT);
	tcase_add_loop_test(tc, console_orders, 0, ISA_COUNT);
	tcase_add_loop_test(tc, console_fills, 0, ISA_COUNT);
	tcase_add_loop_test(tc, fill_stripes_and_windows, 0, ISA_COUNT);
	tcase_add_test(tc, fill_of_nothing);
	tcase_add_test(tc, fill_from_registers);
	tcase_add_loop_test(tc, random_transfers_equal_the_simple_ones, 0, ISA_COUNT);
	tcase_add_loop_test(tc, wide_transfers_cross_chunks, 0, ISA_COUNT);
	tcase_add_loop_test(tc, flip_with_crop_skews, 0, ISA_COUNT);
	tcase_add_test(tc, zero_sizes_do_nothing);
	tcase_add_test(tc, largest_transfer_ends_soon);
	tcase_add_test(tc, copy_left_half_of_a_texture);
	tcase_add_test(tc, copy_rounds_the_size_down_and_ignores_width_without_gap);
	tcase_add_test(tc, copy_lines_of_different_length);
	tcase_add_test(tc, copy_that_freezes_hardware_does_nothing);
	tcase_add_test(tc, overlapping_copy_goes_forward);
	tcase_add_test(tc, random_copies_equal_bytewise_ones);
	tcase_add_test(tc, copy_and_transfer_from_registers);
	tcase_add_loop_test(tc, screen_stands_upright, 0, ISA_COUNT);
	tcase_add_loop_test(tc, bottom_screen_has_320_lines, 0, ISA_COUNT);
	tcase_add_loop_test(tc, stereo_and_wide_modes, 0, ISA_COUNT);
	tcase_add_loop_test(tc, screen_formats, 0, ISA_COUNT);
	tcase_add_loop_test(tc, negative_stride_mirrors, 0, ISA_COUNT);
	tcase_add_test(tc, solid_unset_and_disabled_screens);
	suite_add_tcase(suite, tc);
	SRunner *runner = srunner_create(suite);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
