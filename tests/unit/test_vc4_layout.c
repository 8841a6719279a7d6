/* Where pixels lie in images of the VideoCore IV: addresses by hand, and every pixel once. */
#include <stdlib.h>

#include "tests/suite.h"
#include "vc4/tex/layout.h"

static void expect(struct vc4_image image, uint32_t x, uint32_t y, uint32_t offset) {
	ck_assert_uint_eq(vc4_image_offset(&image, x, y), offset);
}

TEST(offsets_by_hand) {
	const struct vc4_image t = { VC4_IMAGE_T, 4, 256, 256 };
	expect(t, 0, 0, 0);
	expect(t, 1, 1, 16 + 4);
	expect(t, 4, 0, 64);
	expect(t, 0, 4, 4 * 64);
	expect(t, 5, 6, 5 * 64 + 2 * 16 + 4);
	expect(t, 0, 16, 1024);
	expect(t, 16, 16, 2048);
	expect(t, 16, 0, 3072);
	expect(t, 32, 0, 4096);
	/* The second row of tiles begins at the right. */
	expect(t, 255, 32, 8 * 4096 + 1024 + 3 * 64 + 12);
	expect(t, 0, 32, 15 * 4096 + 2048);
	expect(t, 16, 48, 15 * 4096);
	ck_assert_uint_eq(vc4_image_bytes(&t), 256 * 256 * 4);

	const struct vc4_image lt = { VC4_IMAGE_LT, 2, 20, 9 };
	expect(lt, 7, 3, 3 * 16 + 14);
	expect(lt, 8, 0, 64);
	expect(lt, 0, 4, 3 * 64);
	ck_assert_uint_eq(vc4_image_bytes(&lt), 3 * 3 * 64);

	const struct vc4_image raster = { VC4_IMAGE_RASTER, 4, 642, 3 };
	expect(raster, 641, 0, 641 * 4);
	expect(raster, 0, 1, 644 * 4);
	ck_assert_uint_eq(vc4_image_bytes(&raster), 644 * 4 * 3);
}

/* A small T image is rounded up to whole tiles. */
TEST(sizes_are_rounded_up) {
	const struct vc4_image t = { VC4_IMAGE_T, 1, 65, 1 };
	ck_assert_uint_eq(vc4_image_bytes(&t), 2 * 4096);
	const struct vc4_image most = { VC4_IMAGE_RASTER, 4, VC4_IMAGE_MAX, VC4_IMAGE_MAX };
	ck_assert_uint_eq(vc4_image_bytes(&most), 1u << 30);
}

/* Pixels do not share bytes, and none lies outside. */
TEST(every_pixel_once) {
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	for (unsigned i = 0; i < 4 * 3; i++) {
		const struct vc4_image image = { (uint8_t)(i % 3), sizes[i / 3], 150, 77 };
		const uint32_t bytes = vc4_image_bytes(&image);
		uint8_t *seen = calloc(1, bytes);
		ck_assert_ptr_nonnull(seen);
		for (uint32_t y = 0; y < image.height; y++) {
			for (uint32_t x = 0; x < image.width; x++) {
				const uint32_t at = vc4_image_offset(&image, x, y);
				ck_assert_uint_le(at + image.px_bytes, bytes);
				ck_assert_uint_eq(at % image.px_bytes, 0);
				uint32_t of_x, of_y;
				ck_assert(vc4_image_place(
						&image, at + image.px_bytes - 1u, &of_x, &of_y));
				ck_assert_uint_eq(of_x, x);
				ck_assert_uint_eq(of_y, y);
				ck_assert_uint_eq(seen[at], 0);
				seen[at] = 1;
			}
		}
		free(seen);
	}
}

TEST(small_textures_are_lt) {
	ck_assert_int_eq(vc4_layout_of_texture(16, 256, 4), VC4_IMAGE_LT);
	ck_assert_int_eq(vc4_layout_of_texture(17, 17, 4), VC4_IMAGE_T);
	ck_assert_int_eq(vc4_layout_of_texture(64, 16, 2), VC4_IMAGE_LT);
	ck_assert_int_eq(vc4_layout_of_texture(33, 17, 2), VC4_IMAGE_T);
	ck_assert_int_eq(vc4_layout_of_texture(33, 32, 1), VC4_IMAGE_LT);
}
