/*
 * Charts among the bundled captures show the effect of registers, which these tests compute again
 * for each value.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pictures/picture.h"
#include "replay.h"
#include "scenes/texture.h"
#include "tests/suite.h"

static struct picture screens[2];

/* Pictures of the first frame. */
static void draw(const char *name) {
	struct pica_settings settings;
	struct pica_device *device;
	struct pica_ctx *ctx;
	struct pica_capture *capture;
	struct pica_capture_error error;
	struct replay r;
	char path[1024];
	snprintf(path, sizeof(path), "%s/tests/captures/%s.pica", SOURCE_ROOT, name);
	pica_settings_init(&settings);
	ck_assert_int_eq(pica_device_create(&device, &settings), 0);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
	int ret = pica_capture_open(&capture, path, &error);
	ck_assert_msg(ret == 0, "%s", error.message);
	ck_assert_int_eq(replay_start(&r, gpu_here(ctx), capture, 0), 0);
	ck_assert_int_eq(replay_frame(&r), 1);
	ck_assert_int_eq(replay_wait(&r), 0);
	for (unsigned i = 0; i < 2; i++) {
		ret = gpu_read_screen(
				&screens[i], gpu_here(ctx), (enum pica_screen_id)i, PICA_EYE_LEFT);
		ck_assert_int_eq(ret, 0);
	}
	pica_capture_close(capture);
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
}

/* 0xRRGGBB */
static uint32_t pixel(enum pica_screen_id screen, int x, int y) {
	const struct picture *p = &screens[screen];
	const uint8_t *c = p->rgb + 3 * ((size_t)y * p->width + (size_t)x);
	return (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];
}

/* ---- README ---- */

/* README.md shows current pictures: the scenes have the hash of each. */
TEST_LOOP(pictures_of_the_readme, 4) {
	static const char *const shown[4] = { "octopus", "mirror", "planet", "strips" };
	const char *name = shown[_i];
	char path[1024], hash[PICTURE_HASH_TEXT], line[256];
	struct picture p = { 0 };
	snprintf(path, sizeof(path), "%s/docs/scene-%s.png", SOURCE_ROOT, name);
	ck_assert_int_eq(picture_read_png(&p, path, 0), 0);
	picture_hash(&p, hash);
	picture_finish(&p);
	snprintf(path, sizeof(path), "%s/tests/golden/scenes.txt", SOURCE_ROOT);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	bool found = false;
	while (fgets(line, sizeof(line), f)) {
		found |= strncmp(line, name, strlen(name)) == 0 && strstr(line, hash);
	}
	fclose(f);
	ck_assert_msg(found, "docs/scene-%s.png is not a picture of that scene", name);
}

/* ---- logic ---- */

static uint8_t logic(unsigned op, uint8_t s, uint8_t d) {
	const unsigned results[16] = { 0, s & d, s & ~d, s, 255, ~s, d, ~d, ~(s & d), s | d,
		~(s | d), s ^ d, ~(s ^ d), ~s & d, s | ~d, ~s | d };
	return (uint8_t)results[op];
}

TEST(logic_discs_are_truth_tables) {
	/* Outside both discs, in one of them, in both: dx from the middle of a cell. */
	static const struct {
		int dx;
		uint8_t s, d;
	} regions[4] = { { -28, 0, 0 }, { -18, 0, 255 }, { 0, 255, 255 }, { 18, 255, 0 } };
	draw("logic");
	for (int op = 0; op < 16; op++) {
		const int x = 50 + op % 4 * 98, y = 39 + op / 4 * 56;
		for (unsigned k = 0; k < 4; k++) {
			const uint32_t gray = logic((unsigned)op, regions[k].s, regions[k].d);
			ck_assert_uint_eq(pixel(PICA_SCREEN_TOP, x + regions[k].dx, y),
					gray * 0x010101);
		}
	}
}

TEST(logic_bytes) {
	draw("logic");
	for (int op = 0; op < 16; op++) {
		const int left = 16 + op % 4 * 80, top = 2 + op / 4 * 60;
		for (int y = 0; y < 48; y++) {
			for (int x = 0; x < 48; x++) {
				const uint8_t s = (uint8_t)(x / 3 * 17), d = (uint8_t)(y / 3 * 17);
				const uint32_t red = logic((unsigned)op, s, d);
				const uint32_t green = logic((unsigned)op, 255 - s, d);
				const uint32_t blue = logic((unsigned)op, s, 255 - d);
				ck_assert_uint_eq(pixel(PICA_SCREEN_BOTTOM, left + x, top + y),
						red << 16 | green << 8 | blue);
			}
		}
	}
}

/* ---- blend ---- */

/* Colours of a blended pixel: r, g, b and a of source and destination, and the constant. */
struct blended {
	int s[4], d[4];
};

static int factor(unsigned number, const struct blended *p, int channel) {
	static const int constant[4] = { 0xA0, 0xE0, 0x60, 0x80 };
	const int kept = 255 - p->d[3];
	const int values[15] = { 0, 255, p->s[channel], 255 - p->s[channel], p->d[channel],
		255 - p->d[channel], p->s[3], 255 - p->s[3], p->d[3], 255 - p->d[3],
		constant[channel], 255 - constant[channel], constant[3], 255 - constant[3],
		p->s[3] < kept ? p->s[3] : kept };
	return values[number];
}

/* Pixel (x, y) of the cell of two factors. */
static uint32_t blend_pixel(int src, int dst, int x, int y) {
	return pixel(PICA_SCREEN_TOP, 33 + 24 * src + x, 25 + 14 * dst + y);
}

TEST(blend_factors) {
	draw("blend");
	for (int y = 0; y < 12; y++) {
		for (int x = 0; x < 22; x++) {
			/* Two of the cells show only the source or only the destination. */
			const uint32_t s = blend_pixel(1, 0, x, y), d = blend_pixel(0, 1, x, y);
			struct blended p;
			for (int c = 0; c < 3; c++) {
				p.s[c] = (int)(s >> (16 - 8 * c) & 255);
				p.d[c] = (int)(d >> (16 - 8 * c) & 255);
			}
			/* The source's red and the destination's blue grow as their alphas do. */
			p.s[3] = p.s[0];
			p.d[3] = p.d[2];
			for (int i = 0; i < 15 * 15; i++) {
				for (int c = 0; c < 3; c++) {
					const int sum = p.s[c] * factor((unsigned)i % 15, &p, c) +
							p.d[c] * factor((unsigned)i / 15, &p, c);
					const int expected = sum / 255 > 255 ? 255 : sum / 255;
					const uint32_t got = blend_pixel(i % 15, i / 15, x,
							y) >> (16 - 8 * c) & 255;
					ck_assert_int_eq((int)got, expected);
				}
			}
		}
	}
}

/* ---- depth ---- */

/*
 * Returns whether the compare function keeps a depth that is nearer (1), equal (0) or farther (-1)
 * than the stored one.
 */
static bool keeps(int function, int nearer) {
	const bool results[8] = { false, true, nearer == 0, nearer != 0, nearer < 0, nearer <= 0,
		nearer > 0, nearer >= 0 };
	return results[function];
}

TEST(depth_compare_functions) {
	draw("depth");
	for (int i = 0; i < 8; i++) {
		/* The orange quad falls to the right across the blue one; below they are equal. */
		static const struct {
			int x, y, nearer;
		} places[3] = { { 20, 25, 1 }, { 52, 25, -1 }, { 36, 65, 0 } };
		for (unsigned k = 0; k < 3; k++) {
			const uint32_t rgb = pixel(PICA_SCREEN_BOTTOM, 6 + i % 4 * 79 + places[k].x,
					20 + i / 4 * 112 + places[k].y);
			const bool is_orange = (rgb >> 16) > (rgb & 255);
			ck_assert_int_eq(is_orange, keeps(i, places[k].nearer));
		}
	}
}

/* ---- wrap ---- */

/* Texel for coordinate i of n texels, or -1 for the border. [fidelity: wrap] */
static int wrapped(unsigned mode, int i, int n) {
	const int repeat = (i % n + n) % n, turn = (i % (2 * n) + 2 * n) % (2 * n);
	switch (mode) {
	case 0:
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	case 1:
		return i < 0 || i >= n ? -1 : i;
	case 3:
		return turn < n ? turn : 2 * n - 1 - turn;
	case 4:
		return i >= n ? n - 1 : repeat;
	case 5:
		return i >= n ? -1 : repeat;
	default:
		return repeat;
	}
}

static uint32_t letter_rgb565(int x, int row) {
	uint8_t c[4];
	picture_letter((unsigned)x, (unsigned)row, 32, c);
	const uint32_t r = c[0] >> 3, g = c[1] >> 2, b = c[2] >> 3;
	return (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2);
}

TEST(wrap_modes_on_both_axes) {
	draw("wrap");
	for (int mode = 0; mode < 8; mode++) {
		const int left = 3 + mode % 4 * 99, top = 14 + mode / 4 * 112;
		for (int y = 0; y < 96; y++) {
			for (int x = 0; x < 96; x++) {
				const int near_x = x < 31 ? x - 31 : x > 64 ? 64 - x : 0;
				const int near_y = y < 31 ? y - 31 : y > 64 ? 64 - y : 0;
				const int is_inside = x > 31 && x < 64 && y > 31 && y < 64;
				if (near_x == 0 && near_y == 0 && !is_inside) {
					continue; /* the frame around the texture */
				}
				const int s = wrapped((unsigned)mode, x - 32, 32);
				const int t = wrapped((unsigned)mode, 63 - y, 32);
				const uint32_t expected = s < 0 || t < 0 ? 0xF08000 :
									   letter_rgb565(s, 31 - t);
				ck_assert_msg(pixel(PICA_SCREEN_TOP, left + x, top + y) == expected,
						"mode %d at %d, %d: %06X, expected %06X", mode, x,
						y, pixel(PICA_SCREEN_TOP, left + x, top + y),
						expected);
			}
		}
	}
}

int main(void) {
	int failed = suite_run();
	for (unsigned i = 0; i < 2; i++) {
		picture_finish(&screens[i]);
	}
	return failed;
}
