/* Pictures of the VideoCore IV: the article's triangle, a console's triangle. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "tests/suite.h"
#include "vc4_rig.h"
#include "vc4_seed.h"

enum { WIDTH = 640, HEIGHT = 480, PICTURE_BYTES = WIDTH * HEIGHT * 4 };

static struct vc4_rig rig;

/* The article's programs, word for word, and program A of the reference: white. */
static void put_article(void) {
	rig_hex(&rig, RIG_SHADERS,
			"00709E00E7090010 C01A341A670C02E0 00709E00E7090010"
			"00709E00E7090010 00709E00E7090010 F77DC21527000210 F77DC21567000210"
			"F77DC215A7000210 C01ABC17671C02E0 F77D0215270C0210 F77D0615270C0210"
			"F77D0A15270C0210 00709E00E7090050 00709E00E7090030 00709E00E7090010"
			"00709E00E7090010");
	rig_hex(&rig, RIG_SHADERS + 0x100,
			"00709E00E7090010 C01A741A670C02E0 00709E00E7090010"
			"00709E00E7090010 00709E00E7090010 F77DC21527000210 F77DC21567000210"
			"F77DC215A7000210 F77DC215E7000210 F77DC21527010210 F77DC21567010210"
			"F77DC215A7010210 C01ABC17671C02E0 F77D0215270C0210 F77D0615270C0210"
			"F77D0A15270C0210 F77D0E15270C0210 F77D1215270C0210 F77D1615270C0210"
			"F77D1A15270C0210 00709E00E7090050 00709E00E7090030 00709E00E7090010"
			"00709E00E7090010");
	rig_hex(&rig, RIG_SHADERS + 0x200,
			"00709E00E7090010 00709E00E7090010 00709E00E7090040"
			"FFFFFFFFA70B02E0 00709E00E7090030 00709E00E7090010 00709E00E7090050");
	/* GL record, NV record, streams of the vertex and of the coordinate program. */
	rig_hex(&rig, RIG_SHADERS + 0x300,
			"0400 00 00 00021100 00000000 0000 01 0C 00001100"
			"00000000 0000 02 1C 00011100 00000000 00801100 0B 0C 00 00"
			"40801100 1B 1C 00 00");
	rig_hex(&rig, RIG_SHADERS + 0x340, "00 0C 00 00 00021100 00000000 00801100");
	rig_hex(&rig, RIG_VERTICES,
			"0014 0002 0000803F 0000803F 0002 001C 0000803F 0000803F"
			"0026 001C 0000803F 0000803F");
	rig_hex(&rig, RIG_VERTICES + 0x40,
			"D91ECD3A A0CB5DBF 0000803F 0000803F 0014 0002"
			"0000803F 0000803F 255C66BF 43DD5E3F 0000803F 0000803F 0002 001C 0000803F"
			"0000803F 4429673F 43DD5E3F 0000803F 0000803F 0026 001C 0000803F 0000803F");
}

/* T3. Both modes draw the same, whatever threads and instruction sets do. */
TEST_LOOP(the_articles_triangle, 2 * ISA_COUNT * 2) {
	const enum isa isa = (enum isa)(_i / 4);
	const bool is_nv = _i & 1;
	if (isa != ISA_C && !isa_available(isa)) {
		return;
	}
	rig_open(&rig, isa, _i & 2);
	put_article();
	rig_begin(&rig, WIDTH, HEIGHT, 0xFF00FFFF, 0);
	rig_list(&rig, 0, "60 03 00 02 67 0000 0000");
	rig_list(&rig, 0, is_nv ? "41 40031100" : "40 02031100");
	rig_list(&rig, 0, "21 04 03000000 00000000");
	rig_end(&rig);
	ck_assert_int_eq(rig_run(&rig), 0);
	ck_assert_uint_eq(seed_crc32(rig_at(&rig, RIG_TARGET), PICTURE_BYTES), 0x3389075A);
	rig_close(&rig);
}

/* ---- Pictures of a console's screen (Surati's d50 and d53) ---- */

/* Program B of the reference, red in byte 2: three varyings, alpha 255. */
static void put_color_program(void) {
	rig_hex(&rig, RIG_SHADERS + 0x200,
			"000000FF E70802E0 37303E20 E0490010 77313E21 21480210"
			"77333E21 62480240 47059E21 A34862D1 0F009E20 E34950D1 17009E20 E34940D1"
			"C0769E15 A70B0210 00709E00 E7090030 00709E00 E7090010 00709E00 E7090050");
}

/* NV vertices: Xs, Ys, Zs, 1/Wc, then red, green, blue. */
static void put_vertices(const int16_t xy[3][2], float w) {
	uint8_t *at = rig_at(&rig, RIG_VERTICES);
	for (unsigned i = 0; i < 3; i++) {
		const float rest[5] = { 0.94f, w, i == 0, i == 1, i == 2 };
		memcpy(at + 24 * i, xy[i], 4);
		memcpy(at + 24 * i + 4, rest, sizeof(rest));
	}
}

static const char nv_record[] = "00 18 00 03 00021100 00000000 00801100";

/* The console's frame buffer: bytes R, G, B. */
static uint8_t *read_picture(const char *path) {
	png_image image = { .version = PNG_IMAGE_VERSION };
	ck_assert_msg(png_image_begin_read_from_file(&image, path) != 0, "%s: %s", path,
			image.message);
	ck_assert_uint_eq(image.width, WIDTH);
	ck_assert_uint_eq(image.height, HEIGHT);
	image.format = PNG_FORMAT_RGB;
	uint8_t *rgb = malloc(PNG_IMAGE_SIZE(image));
	ck_assert(rgb && png_image_finish_read(&image, NULL, rgb, 0, NULL));
	return rgb;
}

/*
 * The same pixels are drawn; components are at most 1 off, and at most `most` of them are off.
 * The clear colour is yellow.
 */
static void expect_picture(const char *path, unsigned n_drawn, unsigned most) {
	uint8_t *want = read_picture(path);
	const uint8_t *got = rig_at(&rig, RIG_TARGET);
	unsigned drawn = 0, off = 0;
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
		/* Bytes B, G, R in memory. */
		const uint8_t rgb[3] = { got[4 * i + 2], got[4 * i + 1], got[4 * i] };
		static const uint8_t yellow[3] = { 255, 255, 0 };
		const bool is_drawn = memcmp(rgb, yellow, 3) != 0;
		ck_assert_msg(is_drawn == (memcmp(want + 3 * i, yellow, 3) != 0), "(%u, %u)",
				i % WIDTH, i / WIDTH);
		drawn += is_drawn;
		for (unsigned k = 0; k < 3; k++) {
			const int difference = rgb[k] - want[3 * i + k];
			ck_assert_int_le(abs(difference), 1);
			off += difference != 0;
		}
	}
	ck_assert_uint_eq(drawn, n_drawn);
	ck_assert_uint_le(off, most);
	free(want);
}

static void draw_console_triangle(const char *state, unsigned flags) {
	rig_begin(&rig, WIDTH, HEIGHT, 0xFFFFFF00, flags);
	rig_list(&rig, 0, "60 05 00 00 67 0014 000F");
	rig_list(&rig, 0, state);
	rig_list(&rig, 0, "21 04 03000000 00000000");
	rig_end(&rig);
	ck_assert_int_eq(rig_run(&rig), 0);
}

static const int16_t d50[3][2] = { { 0, -3193 }, { -3195, 3193 }, { 3195, 3193 } };

/* T5: at most 0.5 % of 240,000 components are 1 off. */
TEST(a_triangle_as_on_a_console) {
	rig_open(&rig, isa_best(), 0);
	put_color_program();
	put_vertices(d50, 0.25f);
	rig_hex(&rig, RIG_SHADERS + 0x340, nv_record);
	draw_console_triangle("41 40031100", 0);
	expect_picture(TEST_DATA "/videocore/d50.png", 80000, 1200);
	rig_close(&rig);
}

/* T9: at most 2 components of the 898 pixels on edges, which all samples do not cover. */
TEST(four_samples_as_on_a_console) {
	static const int16_t xy[3][2] = { { 0, -3193 }, { -3194, 3193 }, { 3194, 3193 } };
	rig_open(&rig, isa_best(), 0);
	put_color_program();
	put_vertices(xy, 0x1.fff8p-3f);
	rig_hex(&rig, RIG_SHADERS + 0x340, nv_record);
	draw_console_triangle("41 40031100", 1);
	expect_picture(TEST_DATA "/videocore/d53.png", 79202 + 99 + 697 + 102, 1200);
	rig_close(&rig);
}

/* T6: through programs that copy, from two arrays that share memory. */
TEST(programs_that_copy_draw_the_same) {
	static const char copy[] = "ldi vr_setup, %s\nnop\nnop\nnop\nor ra0, vpm, -\n"
				   "or ra1, vpm, -\nor ra2, vpm, -\nor ra3, vpm, -\n"
				   "or ra4, vpm, -\nor ra5, vpm, -\n%s"
				   "ldi vw_setup, 0x1a00\nor vpm, ra0, ra0\nor vpm, ra1, ra1\n"
				   "or vpm, ra2, ra2\nor vpm, ra3, ra3\nor vpm, ra4, ra4\n"
				   "or vpm, ra5, ra5\n%snop; thrend\nnop\nnop\n";
	char vertex[600], coordinate[600];
	snprintf(vertex, sizeof(vertex), copy, "0x00601a00", "", "");
	snprintf(coordinate, sizeof(coordinate), copy, "0x00701a00", "or ra6, vpm, -\n",
			"or vpm, ra6, ra6\n");
	rig_open(&rig, isa_best(), 0);
	put_color_program();
	put_vertices(d50, 0.25f);
	rig_hex(&rig, RIG_SHADERS + 0x340, nv_record);
	draw_console_triangle("41 40031100", 0);
	const uint32_t crc = seed_crc32(rig_at(&rig, RIG_TARGET), PICTURE_BYTES);

	/* Clip coordinates, then the rows of the vertices above: 40 bytes each. */
	uint8_t vertices[3 * 40];
	for (unsigned i = 0; i < 3; i++) {
		const float clip[4] = { (float)d50[i][0] / 1280, (float)d50[i][1] / 960, 3.5f, 4 };
		memcpy(vertices + 40 * i, clip, sizeof(clip));
		memcpy(vertices + 40 * i + 16, (uint8_t *)rig_at(&rig, RIG_VERTICES) + 24 * i, 24);
	}
	memcpy(rig_at(&rig, RIG_VERTICES + 0x100), vertices, sizeof(vertices));
	memset(rig_at(&rig, RIG_TARGET), 0, PICTURE_BYTES);
	rig_program(&rig, RIG_SHADERS, vertex);
	rig_program(&rig, RIG_SHADERS + 0x100, coordinate);
	rig_hex(&rig, RIG_SHADERS + 0x300,
			"0400 00 03 00021100 00000000 0000 02 18 00001100"
			"00000000 0000 01 1C 00011100 00000000 00811100 1B 28 00 00"
			"10811100 17 28 00 00");
	draw_console_triangle("40 02031100", 0);
	ck_assert_uint_eq(seed_crc32(rig_at(&rig, RIG_TARGET), PICTURE_BYTES), crc);
	rig_close(&rig);
}

enum { SCREEN = 0x01000000, SCREEN_WIDTH = 1920, SCREEN_HEIGHT = 1080 };

/*
 * T12, of hackdriver: W is 1 and is not multiplied; byte indices; the list ends with a flush and a
 * halt; tiles column by column. Corners (960, 200), (560, 800), (1360, 800).
 */
TEST(a_triangle_of_a_large_screen) {
	static const int16_t xy[3][2] = { { 960 * 16, 200 * 16 }, { 560 * 16, 800 * 16 },
		{ 1360 * 16, 800 * 16 } };
	const size_t size = (size_t)SCREEN_WIDTH * SCREEN_HEIGHT * 4;
	uint8_t *screen = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
	char text[64];
	ck_assert_ptr_nonnull(screen);
	rig_open(&rig, isa_best(), 2);
	ck_assert_int_eq(pica_ctx_map(rig.ctx, SCREEN, (uint32_t)size, screen, 0), 0);
	put_vertices(xy, 1);
	rig_program(&rig, RIG_SHADERS + 0x200,
			"or r0, vary, -\nfadd r0, r0, r5\nor r1, vary, -\nfadd r1, r1, r5\n"
			"or r2, vary, -\nfadd r2, r2, r5\nldi r3, 0xff000000\n"
			"fmul.pm.pack8a r3, r0, 1.0\nfmul.pm.pack8b r3, r1, 1.0\n"
			"fmul.pm.pack8c r3, r2, 1.0\nmov tlbc, r3; sbwait\n"
			"nop; thrend\nnop\nnop; sbdone\n");
	rig_hex(&rig, RIG_SHADERS + 0x340, nv_record);
	rig_hex(&rig, RIG_VERTICES + 0x100, "00 01 02");
	rig_begin(&rig, SCREEN_WIDTH, SCREEN_HEIGHT, 0xFF000000, 0);
	rig_hex(&rig, RIG_RENDERING + 15, "00000001"); /* the target */
	rig_list(&rig, 0, "60 03 00 00 67 0000 0000 41 40031100");
	rig_list(&rig, 0, "20 04 03000000 00811100 02000000 05 00");
	for (unsigned tile = 0; tile < rig.columns * rig.rows; tile++) {
		const unsigned x = tile / rig.rows, y = tile % rig.rows;
		const uint32_t bin = RIG_TILES + 32 * (y * rig.columns + x);
		snprintf(text, sizeof(text), "73 %02X%02X 11 %02X%02X%02X%02X %02X", x, y,
				bin & 255, bin >> 8 & 255, bin >> 16 & 255, bin >> 24,
				tile + 1 < rig.columns * rig.rows ? 0x18 : 0x19);
		rig_list(&rig, 1, text);
	}
	ck_assert_int_eq(rig_run(&rig), 0);
	unsigned drawn = 0;
	for (int i = 0; i < SCREEN_WIDTH * SCREEN_HEIGHT; i++) {
		const int x = i % SCREEN_WIDTH, y = i / SCREEN_WIDTH, down = 2 * (y - 200) + 1;
		const uint8_t *px = screen + 4 * (size_t)i;
		const int at = 6 * x + 3; /* the centre, in sixths of a pixel; on no edge */
		const bool is_in = y >= 200 && y < 800 && at > 5760 - 2 * down &&
				at <= 5760 + 2 * down;
		ck_assert_msg((px[0] | px[1] | px[2]) == 0 ? !is_in : is_in, "(%d, %d)", x, y);
		drawn += is_in;
		if (is_in) { /* weights of the corners */
			const double red = 1 - (y + 0.5 - 200) / 600;
			const double blue = (x + 0.5 - 960) / 800 + (1 - red) / 2;
			ck_assert(fabs(px[0] - 255 * red) <= 1.5);
			ck_assert(fabs(px[2] - 255 * blue) <= 1.5);
			ck_assert(fabs(px[1] - 255 * (1 - red - blue)) <= 1.5);
		}
	}
	ck_assert_uint_eq(drawn, 800 * 600 / 2);
	rig_close(&rig);
	free(screen);
}

/*
 * T8: a matrix from uniforms by a subroutine that is called, the reciprocal of the table. An exact
 * one would give -3195 for -3194, and another picture than the console's.
 */
TEST(programs_that_compute_draw_the_consoles_triangle) {
#define CALL(row) "bra ra31, 0x110800\nnop\nnop\nnop\nmov " row ", r0\n"
#define POSITION "or ra0, vpm, -\nor ra1, vpm, -\nor ra2, vpm, -\nor ra3, vpm, -\n"
#define RECIPROCAL "mov recip, ra7\nnop\nnop\nmov ra8, r4\n"
#define SCREEN(to, from) "fmul r0, " from ", unif\nfmul r0, r0, r4\nftoi " to ", r0\n"
#define PACK "ldi r1, 0xffff\nand r2, r2, r1\nldi r1, 16\nshl r3, r3, r1\nor ra9, r2, r3\n"
#define DEPTH "fmul r0, ra6, r4\nldi r1, 0x3f800000\nfadd r0, r0, r1\n" \
	      "ldi r1, 0x3f000000\nfmul ra10, r0, r1\n"
#define TRANSFORM POSITION CALL("ra4") CALL("ra5") CALL("ra6") CALL("ra7") RECIPROCAL \
	SCREEN("r2", "ra4") SCREEN("r3", "ra5") PACK DEPTH
#define REST "or vpm, ra9, ra9\nor vpm, ra10, ra10\nor vpm, ra8, ra8\n"
#define END "nop; thrend\nnop\nnop\n"
	static const float uniforms[] = { 1 / 20.f, 0, 0, 0, 0, 1 / 15.f, 0, 0, 0, 0, -1.5f, -2.5f,
		0, 0, -1, 0, 319.5f * 16, -239.5f * 16 };
	static const float vertices[3][7] = { { 0, 50, -4, 1, 1, 0, 0 },
		{ -50, -50, -4, 1, 0, 1, 0 }, { 50, -50, -4, 1, 0, 0, 1 } };
	rig_open(&rig, isa_best(), 0);
	put_color_program();
	memcpy(rig_at(&rig, RIG_SHADERS + 0x1000), uniforms, sizeof(uniforms));
	memcpy(rig_at(&rig, RIG_VERTICES), vertices, sizeof(vertices));
	rig_program(&rig, RIG_SHADERS + 0x800,
			"fmul r0, ra0, unif\nfmul r1, ra1, unif\n"
			"fadd r0, r0, r1\nfmul r1, ra2, unif\nfadd r0, r0, r1\n"
			"fmul r1, ra3, unif\nbra -, ra31 + 0\nfadd r0, r0, r1\nnop\nnop\n");
	rig_program(&rig, RIG_SHADERS,
			"ldi vr_setup, 0x00701a00\nnop\nnop\nnop\n" TRANSFORM
			"or ra11, vpm, -\nor ra12, vpm, -\nor ra13, vpm, -\n"
			"ldi vw_setup, 0x1a00\n" REST
			"or vpm, ra11, ra11\nor vpm, ra12, ra12\nor vpm, ra13, ra13\n" END);
	rig_program(&rig, RIG_SHADERS + 0x400,
			"ldi vr_setup, 0x00401a00\nnop\nnop\nnop\n" TRANSFORM
			"ldi vw_setup, 0x1a00\nor vpm, ra4, ra4\nor vpm, ra5, ra5\n"
			"or vpm, ra6, ra6\nor vpm, ra7, ra7\n" REST END);
	rig_hex(&rig, RIG_SHADERS + 0x300,
			"0400 00 03 00021100 00000000 0000 03 1C 00001100"
			"00101100 0000 01 10 00041100 00101100 00801100 0F 1C 00 00"
			"10801100 0B 1C 10 00");
	draw_console_triangle("40 02031100", 1);
	expect_picture(TEST_DATA "/videocore/d53.png", 79202 + 99 + 697 + 102, 1200);
	rig_close(&rig);
}
