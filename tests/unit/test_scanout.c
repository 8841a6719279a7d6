/* Screens: which picture the display controllers show, and how it stands.  [fidelity: displays] */
#include "xfer_memory.h"
#include "tests/suite.h"

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

FIXTURE(setup, teardown)

ISA_TEST(screen_stands_upright) {
	use_isa(_i);
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

ISA_TEST(bottom_screen_has_320_lines) {
	use_isa(_i);
	screen_setup();
	memcpy(fcram + 0x180000 + 319 * 720 + 717, "\x07\x08\x09", 3);
	struct scanout s = show(PICA_SCREEN_BOTTOM, PICA_EYE_RIGHT);
	ck_assert_uint_eq(s.info.width, 320);
	ck_assert(!s.info.has_right);
	ck_assert_mem_eq(at(&s, 319, 0), "\x09\x08\x07", 3);
}

ISA_TEST(stereo_and_wide_modes) {
	use_isa(_i);
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

ISA_TEST(screen_formats) {
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
	use_isa(_i);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		screen_setup();
		memset(fcram, 0, 0x60000);
		pdc(0, 0x70, 0x80340 | cases[i].format);
		pdc(0, 0x90, 240 * cases[i].bytes);
		memcpy(fcram + (240 * 7 + 239 - 5) * cases[i].bytes, cases[i].pixel,
				cases[i].bytes);
		struct scanout s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
		ck_assert_mem_eq(at(&s, 7, 5), cases[i].rgb, 3);
		ck_assert_mem_eq(at(&s, 7, 4), "\0\0\0", 3);
		ck_assert_mem_eq(at(&s, 8, 5), "\0\0\0", 3);
	}
}

ISA_TEST(negative_stride_mirrors) {
	use_isa(_i);
	screen_setup();
	pdc(0, 0x68, FCRAM + 399 * 720);
	pdc(0, 0x90, (uint32_t)-720);
	fcram[717] = 0x11;
	struct scanout s = show(PICA_SCREEN_TOP, PICA_EYE_LEFT);
	ck_assert_int_eq(s.stride_bytes, -720);
	ck_assert_uint_eq(at(&s, 399, 0)[2], 0x11);
	ck_assert_uint_eq(scanout_reads(&s, PICA_EYE_LEFT).addr, FCRAM);
	ck_assert_uint_eq(scanout_reads(&s, PICA_EYE_LEFT).size, 288000);
	/*
	 * Lines before the window are black; the most negative stride is a number like any other.
	 */
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

TEST(solid_unset_and_disabled_screens) {
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
