/*
 * Unit 0 when it looks at w: projection, cube maps, shadow maps.  [fidelity:
 * coordinates, cube, shadow-texture, texture-numbers]
 */
#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "tex_rig.h"
#include "tests/suite.h"

/* ---- Registers ---- */

FIXTURE(setup, teardown)

TEST(faces_share_the_upper_bits_of_the_first) {
	uint32_t regs[REG_COUNT] = { 0 };
	regs[REG_TEXUNIT0_ADDR1] = 0xF3012345; /* bits above 27 are none of the address */
	regs[REG_TEXUNIT0_ADDR2] = 0x00000001;
	regs[REG_TEXUNIT0_ADDR3] = 0x003FFFFF;
	regs[REG_TEXUNIT0_ADDR4] = 0xFFC00002; /* nor those above 21 here */
	regs[REG_TEXUNIT0_ADDR6] = 0x00200000;
	static const uint32_t want[TEX_FACES] = { 0x18091A28, 0x18000008, 0x19FFFFF8, 0x18000010,
		0x18000000, 0x19000000 };
	for (unsigned face = 0; face < TEX_FACES; face++) {
		ck_assert_uint_eq(tex_face_addr(regs, face), want[face]);
	}
}

TEST(shadow_types_have_registers_of_their_own) {
	uint32_t regs[REG_COUNT] = { 0 };
	regs[REG_TEXUNIT_CONFIG] = 0x00001003;
	regs[REG_TEXUNIT0_DIM] = regs[REG_TEXUNIT1_DIM] = 64u << 16 | 64;
	regs[REG_TEXUNIT0_LOD] = 1u << 24 | 3u << 16 | 0x0100;
	regs[REG_TEXUNIT0_SHADOW] = 0xFF000201;
	static const struct {
		uint32_t type, bias, ortho, linear, max_level, wrap;
	} cases[] = {
		{ TEX_2D, 0, 0, 1, 3, TEX_WRAP_MIRROR },
		{ TEX_CUBE, 0, 0, 1, 3, TEX_WRAP_MIRROR },
		{ TEX_SHADOW_2D, 0x200, 1, 0, 0, TEX_WRAP_EDGE },
		{ TEX_PROJECTION, 0, 0, 1, 3, TEX_WRAP_MIRROR },
		{ TEX_SHADOW_CUBE, 0x200, 0, 0, 0, TEX_WRAP_EDGE },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tex_desc d;
		regs[REG_TEXUNIT0_PARAM] = cases[i].type << 28 | 3u << 12 | 3u << 8 | 6 | 1u << 24;
		tex_desc_from_regs(&d, regs, 0);
		ck_assert_uint_eq(d.type, cases[i].type);
		ck_assert_uint_eq(d.enabled, 1);
		ck_assert_uint_eq(d.shadow_bias, cases[i].bias);
		ck_assert_uint_eq(d.ortho, cases[i].ortho);
		ck_assert_uint_eq(d.mag_linear, cases[i].linear);
		ck_assert_uint_eq(d.mip_linear, cases[i].linear);
		ck_assert_uint_eq(d.max_level, cases[i].max_level);
		ck_assert_uint_eq(d.wrap_s, cases[i].wrap);
		/* Faces have the size of a 2D texture; a map is its first level. */
		ck_assert_uint_eq(tex_size_bytes(&d),
				cases[i].max_level ? 16384 + 4096 + 1024 + 256 : 16384);
		regs[REG_TEXUNIT1_PARAM] = regs[REG_TEXUNIT0_PARAM];
		tex_desc_from_regs(&d, regs, 1);
		ck_assert_uint_eq(d.type, TEX_2D);
		ck_assert_uint_eq(d.shadow_bias, 0);
	}
	regs[REG_TEXUNIT0_PARAM] = 2u << 28;
	regs[REG_TEXUNIT0_SHADOW] = 0x00FFFFFE;
	struct tex_desc d;
	tex_desc_from_regs(&d, regs, 0);
	ck_assert_uint_eq(d.shadow_bias, 0xFFFFFE);
	ck_assert_uint_eq(d.ortho, 0);
}

/* ---- Sampling one place ---- */

static uint32_t pack(const uint16_t (*out)[BATCH], unsigned lane) {
	return out[0][lane] | (uint32_t)out[1][lane] << 8 | (uint32_t)out[2][lane] << 16 |
			(uint32_t)out[3][lane] << 24;
}

static uint32_t sample_w(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, const struct tex_cube *cube, float u, float v, float w) {
	float us[4] = { u, u, u, u }, vs[4] = { v, v, v, v }, ws[4] = { w, w, w, w };
	uint16_t out[4][BATCH];
	tex_sample_w(k, d, image, cube, us, vs, ws, 4, out);
	for (unsigned lane = 1; lane < 4; lane++) {
		ck_assert_uint_eq(pack((const uint16_t(*)[BATCH])out, lane),
				pack((const uint16_t(*)[BATCH])out, 0));
	}
	return pack((const uint16_t(*)[BATCH])out, 0);
}

/* ---- Projection ---- */

/* 8x8 RGBA8 at MEM: R = s, G = t. */
static void put_ramp(uint32_t offset) {
	for (unsigned t = 0; t < 8; t++) {
		for (unsigned s = 0; s < 8; s++) {
			set_texel(offset, 8, 8, s, t, s | t << 8);
		}
	}
}

TEX_TEST(projection_divides_by_w) {
	put_ramp(0);
	struct tex_desc d = texture(TEXTURE_FORMAT_RGBA8, 8, 8);
	d.type = TEX_PROJECTION;
	struct tex_image *image = tex_image_create(&d, &space, false);
	ck_assert_uint_eq(sample_w(&k, &d, image, NULL, 1.125f, 1.625f, 2.0f), 0x0604);
	ck_assert_uint_eq(sample_w(&k, &d, image, NULL, 1.125f, 1.625f, 1.0f), 0x0501);
	ck_assert_uint_eq(sample_w(&k, &d, image, NULL, -0.5625f, -0.8125f, -1.0f), 0x0604);
	/* Division by 0 has no place: index 0. */
	ck_assert_uint_eq(sample_w(&k, &d, image, NULL, 0.5f, -0.5f, 0.0f), 0);
	ck_assert_uint_eq(sample_w(&k, &d, image, NULL, 0.0f, 0.0f, 0.0f), 0);
	ck_assert_uint_eq(sample_w(&k, &d, image, NULL, 0.5625f, 0.8125f, NAN), 0);
	ck_assert_uint_eq(sample_w(&k, &d, image, NULL, 0.5f, 0.5f, INFINITY), 0);
	tex_image_put(image);
}

/* A 64x64 RGBA8 texture whose level n is R = 10n + first everywhere. */
static struct tex_desc levels(uint32_t offset, unsigned first) {
	struct tex_desc d = texture(TEXTURE_FORMAT_RGBA8, 64, 64);
	d.addr += offset;
	d.max_level = 3;
	for (unsigned n = 0; n < 4; n++) {
		uint32_t size = tex_level_size(&d, n);
		for (uint32_t i = 0; i < size; i += 4) {
			mem[offset + tex_level_offset(&d, n) + i + 3] = (uint8_t)(10 * n + first);
		}
	}
	return d;
}

TEX_TEST(projection_takes_its_level_from_the_divided_coordinates) {
	struct tex_desc d = levels(0, 10);
	d.type = TEX_PROJECTION;
	struct tex_image *image = tex_image_create(&d, &space, false);
	/* 8 texels a pixel before the division, 4 with w = 2: level 2. */
	float u[4] = { 0.0f, 8.0f / 64, 0.0f, 8.0f / 64 }, v[4] = { 0 },
	      w[4] = { 2, 2, 2, 2 };
	uint16_t out[4][BATCH];
	tex_sample_w(&k, &d, image, NULL, u, v, w, 4, out);
	ck_assert_uint_eq(out[0][0], 30);
	/*
	 * The same u, and a w that makes the step: 32/64 to 32/64/2 are 16 texels, level 4.
	 */
	const float same[4] = { 0.5f, 0.5f, 0.5f, 0.5f }, by[4] = { 1, 2, 1, 2 };
	tex_sample_w(&k, &d, image, NULL, same, v, by, 4, out);
	ck_assert_uint_eq(out[0][0], 40);
	tex_image_put(image);
}

/* ---- Cubes ---- */

enum { PX, NX, PY, NY, PZ, NZ };

TEX_TEST(face_table) {
	static const struct {
		float u, v, w;
		unsigned face;
		float s, t, major;
	} cases[] = {
		{ 2, 1, -0.5f, PX, 0.625f, 0.25f, 2 },
		{ -2, 1, -0.5f, NX, 0.375f, 0.25f, 2 },
		{ 1, 2, -0.5f, PY, 0.75f, 0.375f, 2 },
		{ 1, -2, -0.5f, NY, 0.75f, 0.625f, 2 },
		{ 1, -0.5f, 2, PZ, 0.75f, 0.625f, 2 },
		{ 1, -0.5f, -2, NZ, 0.25f, 0.625f, 2 },
		/* Ties go down the list. */
		{ 1, 1, 0, PY, 1, 0.5f, 1 },
		{ 1, -1, 0, NY, 1, 0.5f, 1 },
		{ 1, 0, 1, PZ, 1, 0.5f, 1 },
		{ 1, 0, -1, NZ, 0, 0.5f, 1 },
		{ 0, 1, 1, PZ, 0.5f, 0, 1 },
		{ 0, -1, 1, PZ, 0.5f, 1, 1 },
		{ 1, 1, 1, PZ, 1, 0, 1 },
		{ -1, -1, -1, NZ, 1, 1, 1 },
		/* No direction. */
		{ 0, 0, 0, NZ, 0.5f, 0.5f, 0 },
		{ -0.0f, -0.0f, -0.0f, NZ, 0.5f, 0.5f, 0 },
		/* Not numbers: a NaN is greater than nothing. */
		{ NAN, 1, 0.5f, PY, NAN, 0.75f, 1 },
		{ 1, NAN, 0.5f, PZ, 1.5f, NAN, 0.5f },
		{ 1, 0.5f, NAN, NZ, NAN, NAN, NAN },
		{ INFINITY, 1, 1, PX, 0.5f, 0.5f, INFINITY },
		{ INFINITY, INFINITY, 1, PY, NAN, 0.5f, INFINITY },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tex_direction to;
		float u[4], v[4], w[4];
		for (unsigned lane = 0; lane < 4; lane++) {
			u[lane] = cases[i].u;
			v[lane] = cases[i].v;
			w[lane] = cases[i].w;
		}
		const unsigned face = cases[i].face;
		ck_assert_msg(k.cube(&to, u, v, w, 4) == 1u << face, "case %zu", i);
		for (unsigned lane = 0; lane < 4; lane++) {
			const float want[3] = { cases[i].s, cases[i].t, cases[i].major };
			const float got[3] = { to.s[lane], to.t[lane], to.major[lane] };
			ck_assert_uint_eq(to.face[lane], 1u << face);
			for (unsigned n = 0; n < 3; n++) {
				ck_assert_msg(isnan(want[n]) ? isnan(got[n]) :
							       got[n] == want[n],
						"case %zu, value %u: %g", i, n,
						(double)got[n]);
			}
		}
	}
}

static void open_faces(struct tex_cube *cube, const struct tex_desc *d, uint32_t distance) {
	for (unsigned i = 0; i < TEX_FACES; i++) {
		struct tex_desc face = *d;
		face.addr = d->addr + i * distance;
		cube->addr[i] = face.addr;
		cube->image[i] = tex_image_create(&face, &space, false);
		ck_assert_ptr_nonnull(cube->image[i]);
	}
}

static void close_faces(struct tex_cube *cube) {
	for (unsigned i = 0; i < TEX_FACES; i++) {
		tex_image_put(cube->image[i]);
	}
}

/* 8x8 faces, 256 bytes apart: B = 16 * face, R = s, G = t. */
static struct tex_desc put_faces(void) {
	for (unsigned i = 0; i < TEX_FACES; i++) {
		for (unsigned t = 0; t < 8; t++) {
			for (unsigned s = 0; s < 8; s++) {
				set_texel(256 * i, 8, 8, s, t, s | t << 8 | i << 20);
			}
		}
	}
	struct tex_desc d = texture(TEXTURE_FORMAT_RGBA8, 8, 8);
	d.type = TEX_CUBE;
	d.wrap_s = d.wrap_t = TEX_WRAP_EDGE;
	return d;
}

TEX_TEST(directions_find_their_faces) {
	static const struct {
		float u, v, w;
		uint32_t texel;
	} cases[] = {
		{ 4, 1, -1, 0x000305 }, /* s 0.625, t 0.375 */
		{ -4, 1, -1, 0x100303 },
		{ 1, 4, -1, 0x200305 },
		{ 1, -4, -1, 0x300505 },
		{ 1, 1, 4, 0x400305 },
		{ 1, 1, -4, 0x500303 },
		{ 0, 0, 0, 0x500404 },
		{ 1, -1, 1, 0x400707 }, /* the corner: index 8 is clamped */
	};
	struct tex_desc d = put_faces();
	struct tex_cube cube;
	open_faces(&cube, &d, 256);
	float u[BATCH], v[BATCH], w[BATCH];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		/* Alone, then lane by lane among all the others. */
		ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, cases[i].u, cases[i].v,
						  cases[i].w),
				cases[i].texel);
		for (unsigned lane = (unsigned)i; lane < BATCH; lane += ARRAY_LEN(cases)) {
			u[lane] = cases[i].u;
			v[lane] = cases[i].v;
			w[lane] = cases[i].w;
		}
	}
	for (unsigned n = 8; n <= BATCH; n += 28) {
		uint16_t out[4][BATCH];
		memset(out, 0xC3, sizeof(out));
		tex_sample_w(&k, &d, NULL, &cube, u, v, w, n, out);
		for (unsigned lane = 0; lane < n; lane++) {
			ck_assert_uint_eq(pack((const uint16_t(*)[BATCH])out, lane),
					cases[lane % ARRAY_LEN(cases)].texel);
		}
		for (unsigned lane = n; lane < BATCH; lane++) {
			ck_assert_uint_eq(out[lane % 4][lane], 0xC3C3);
		}
	}
	close_faces(&cube);
}

TEX_TEST(filters_stay_on_their_face) {
	struct tex_desc d = put_faces();
	d.mag_linear = d.min_linear = 1;
	struct tex_cube cube;
	open_faces(&cube, &d, 256);
	/*
	 * s = 15/16 + 1/32, between texel 7 and nothing; t = 9/16, the middle of texel 4.
	 */
	const float v = -1.0f / 8;
	ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, 15.0f / 16, v, 1), 0x400407);
	close_faces(&cube);
	/* Repeating, the other end of the same face: 0.75 * 7 + 0.25 * 0. */
	d.wrap_s = TEX_WRAP_REPEAT;
	open_faces(&cube, &d, 256);
	ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, 15.0f / 16, v, 1), 0x400405);
	close_faces(&cube);
}

TEX_TEST(faces_have_mip_chains_of_their_own) {
	const uint32_t distance = 32768;
	struct tex_desc d = { 0 };
	for (unsigned i = 0; i < TEX_FACES; i++) {
		d = levels(i * distance, 1 + i);
	}
	d.addr = MEM;
	d.type = TEX_CUBE;
	struct tex_cube cube;
	open_faces(&cube, &d, distance);
	/* Two texels a pixel on each face in turn: 4/64 of the diameter is level 1. */
	float u[BATCH], v[BATCH], w[BATCH];
	for (unsigned q = 0; q < TEX_FACES; q++) {
		for (unsigned i = 0; i < 4; i++) {
			const float a = i & 1 ? 4.0f / 64 : 0.0f, b = i & 2 ? 4.0f / 64 :
					0.0f;
			const float major = q & 1 ? -1.0f : 1.0f;
			u[4 * q + i] = q < 2 ? major : a;
			v[4 * q + i] = q >= 2 && q < 4 ? major : q < 2 ? a : b;
			w[4 * q + i] = q >= 4 ? major : b;
		}
	}
	uint16_t out[4][BATCH];
	tex_sample_w(&k, &d, NULL, &cube, u, v, w, 4 * TEX_FACES, out);
	for (unsigned lane = 0; lane < 4 * TEX_FACES; lane++) {
		ck_assert_uint_eq(out[0][lane], 11 + lane / 4);
	}
	/* Half a level more, blended: (a + a + 10) / 2. */
	d.mip_linear = 1;
	d.lod_bias = 128;
	tex_sample_w(&k, &d, NULL, &cube, u, v, w, 4 * TEX_FACES, out);
	for (unsigned lane = 0; lane < 4 * TEX_FACES; lane++) {
		ck_assert_uint_eq(out[0][lane], 16 + lane / 4);
	}
	/*
	 * A quad around an edge: lanes 0 and 2 on +Z at s = 1, lane 1 on +X at s = 0. 64
	 * texels a pixel: the last level, each lane on its own face.
	 */
	d.mip_linear = 0;
	d.lod_bias = 0;
	const float eu[4] = { 1, 1, 1, 1 }, ev[4] = { 0 }, ew[4] = { 1, 0.999f, 1, 0.999f };
	tex_sample_w(&k, &d, NULL, &cube, eu, ev, ew, 4, out);
	ck_assert_uint_eq(out[0][0], 30 + 5);
	ck_assert_uint_eq(out[0][1], 30 + 1);
	ck_assert_uint_eq(out[0][2], 30 + 5);
	ck_assert_uint_eq(out[0][3], 30 + 1);
	close_faces(&cube);
}

TEX_TEST(faces_that_are_not_there) {
	struct tex_desc d = put_faces();
	struct tex_cube cube;
	open_faces(&cube, &d, 256);
	tex_image_put(cube.image[NX]);
	cube.image[NX] = NULL;
	/* out of memory */
	ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, -1, 0, 0), 0);
	cube.addr[NX] = 0;
	for (unsigned type = TEX_CUBE; type <= TEX_SHADOW_CUBE;
			type += TEX_SHADOW_CUBE - TEX_CUBE) {
		d.type = (uint8_t)type;
		ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, -1, 0, 0), 0xFF000000);
	}
	d.type = TEX_CUBE;
	ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, 1, 0, 0), 0x000404);
	d.enabled = 0;
	ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, 1, 0, 0), 0);
	ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, -1, 0, 0), 0);
	close_faces(&cube);
}

/* ---- Shadows ---- */

/* An 8x8 map of one texel, bytes as in memory: depth from the top, density. */
static struct tex_desc put_map(uint32_t depth, unsigned density) {
	for (unsigned i = 0; i < 64; i++) {
		mem[4 * i] = (uint8_t)(depth >> 16);
		mem[4 * i + 1] = (uint8_t)(depth >> 8);
		mem[4 * i + 2] = (uint8_t)depth;
		mem[4 * i + 3] = (uint8_t)density;
	}
	struct tex_desc d = texture(TEXTURE_FORMAT_RGBA8, 8, 8);
	d.type = TEX_SHADOW_2D;
	return d;
}

/* The value that R, G, B and A share, in the middle of the map. */
static unsigned shadow_at(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, float s, float t, float w) {
	const float by = d->ortho ? 1.0f : w;
	const uint32_t value = sample_w(k, d, image, NULL, s * by, t * by, w);
	ck_assert_uint_eq(value, (value & 255) * 0x01010101u);
	return value & 255;
}

TEX_TEST(shadow_numbers) {
	/*
	 * w = 0.5 less 200h is 7FFDFFh: equal depths are in shadow. [fidelity:
	 * texture-numbers]
	 */
	struct tex_desc d = put_map(0x7FFDFF, 0xC8);
	d.shadow_bias = 0x200;
	struct tex_image *image = tex_image_create(&d, &space, false);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 0.5f), 0);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, -0.5f), 0);
	d.shadow_bias = 0x202;
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 0.5f), 0xC8);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, -0.5f), 0xC8); /* |w| */
	d.ortho = 1; /* u and v as they are, the depth is still w */
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 0.5f), 0xC8);
	d.shadow_bias = 0x200;
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 0.5f), 0);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, NAN), 0xC8); /* depth 0 */
	tex_image_put(image);
}

TEX_TEST(shadow_depth_is_clamped) {
	/*
	 * The nearest depth of a map: nothing lies before it, and a large bias stays at 0.
	 */
	struct tex_desc d = put_map(0, 0xFF);
	d.ortho = 1;
	struct tex_image *image = tex_image_create(&d, &space, false);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 0.0f), 0);
	d.shadow_bias = 0xFFFFFE;
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 0.25f), 0);
	tex_image_put(image);
	d = put_map(1, 0x40);
	d.ortho = 1;
	d.shadow_bias = 0xFFFFFE;
	image = tex_image_create(&d, &space, false);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 0.25f), 0x40);
	/* FFFFFF less the bias is 1 */
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 9.0f), 0);
	tex_image_put(image);
	/* Beyond 1 there is only the last depth, which is behind itself never. */
	d = put_map(0xFFFFFF, 0x80);
	d.ortho = 1;
	image = tex_image_create(&d, &space, false);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 1.0f), 0);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 1e30f), 0);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 0.5f, 0x1.FFFFFEp-1f), 0x80);
	tex_image_put(image);
}

TEX_TEST(shadow_filter_weighs_comparisons) {
	struct tex_desc d = put_map(0x400000, 0xFF);
	d.ortho = 1;
	set_texel(0, 8, 8, 4, 3, 0xC0000000 | 200); /* depth C00000, density 200 */
	set_texel(0, 8, 8, 3, 4, 0x80000100 | 100); /* depth 800001, density 100 */
	struct tex_image *image = tex_image_create(&d, &space, false);
	/* s = 3.5 + 0.25 texels, t = 3.5 + 0.5: depth 0.5 is behind the two of them. */
	const float s = 4.25f / 8 - 0.5f / 8 + 0.5f / 8, t = 4.0f / 8;
	/* Weights of (3,3) (4,3) (3,4) (4,4): 1/8, 3/8, 1/8, 3/8. 75 + 12.5, rounded up. */
	ck_assert_uint_eq(shadow_at(&k, &d, image, s, t, 0.5f), 88);
	/* Nearer than all: 31.875 + 75 + 12.5 + 95.625. */
	ck_assert_uint_eq(shadow_at(&k, &d, image, s, t, 0.125f), 215);
	/* On the middle of a texel it is alone. */
	ck_assert_uint_eq(shadow_at(&k, &d, image, 4.5f / 8, 3.5f / 8, 0.5f), 200);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 3.5f / 8, 4.5f / 8, 0.5f), 100);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 3.5f / 8, 3.5f / 8, 0.5f), 0);
	tex_image_put(image);
}

TEX_TEST(outside_of_a_map_is_light) {
	struct tex_desc d = put_map(0, 0x80); /* all in shadow */
	d.ortho = 1;
	struct tex_image *image = tex_image_create(&d, &space, false);
	/*
	 * Half a tap of the four outside, then three quarters, then all of them; wrapping
	 * does not matter.
	 */
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.0f, 0.5f, 2.0f), 128);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 1.0f, 0.5f, 2.0f), 128);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.0f, 1.0f, 2.0f), 191);
	ck_assert_uint_eq(shadow_at(&k, &d, image, -0.25f, 0.5f, 2.0f), 255);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 0.5f, 1e9f, 2.0f), 255);
	ck_assert_uint_eq(shadow_at(&k, &d, image, 1e30f, -1e30f, 2.0f), 255);
	/* Places without a value are texel (0, 0). */
	ck_assert_uint_eq(shadow_at(&k, &d, image, NAN, INFINITY, 2.0f), 0);
	tex_image_put(image);
}

TEX_TEST(shadow_cube_compares_the_major_axis) {
	struct tex_desc d = texture(TEXTURE_FORMAT_RGBA8, 8, 8);
	d.type = TEX_SHADOW_CUBE;
	/*
	 * Face i: depth (i+1)/8, density 16*(i+1), but its column 0 is as near as can be.
	 */
	for (unsigned i = 0; i < TEX_FACES; i++) {
		for (unsigned t = 0; t < 8; t++) {
			for (unsigned s = 0; s < 8; s++) {
				set_texel(256 * i, 8, 8, s, t,
						s == 0 ? 0xFF :
							 (i + 1) << 29 | 16 * (i + 1));
			}
		}
	}
	struct tex_cube cube;
	open_faces(&cube, &d, 256);
	static const float axis[TEX_FACES][3] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 },
		{ 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
	float u[BATCH], v[BATCH], w[BATCH];
	for (unsigned i = 0; i < TEX_FACES; i++) {
		const float far = (float)(i + 1) / 8, near = far - 1.0f / 16;
		const unsigned lit = 16 * (i + 1) * 0x01010101u;
		ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, axis[i][0] * near,
						  axis[i][1] * near, axis[i][2] * near),
				lit);
		ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, axis[i][0] * far * 1.01f,
				axis[i][1] * far * 1.01f, axis[i][2] * far * 1.01f), 0);
		for (unsigned lane = 0; lane < 2; lane++) {
			u[2 * i + lane] = axis[i][0] * (lane ? far * 1.01f : near);
			v[2 * i + lane] = axis[i][1] * (lane ? far * 1.01f : near);
			w[2 * i + lane] = axis[i][2] * (lane ? far * 1.01f : near);
		}
	}
	uint16_t out[4][BATCH];
	tex_sample_w(&k, &d, NULL, &cube, u, v, w, 12, out);
	for (unsigned lane = 0; lane < 12; lane++) {
		ck_assert_uint_eq(pack((const uint16_t(*)[BATCH])out, lane),
				lane % 2 ? 0 : 16 * (lane / 2 + 1) * 0x01010101u);
	}
	/* At s = 0 both taps are column 0: clamped to the face, nothing is lit. */
	ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, -0.25f, 0, 0.25f), 0);
	ck_assert_uint_eq(sample_w(&k, &d, NULL, &cube, 0.25f, 0, 0.25f), 0x50505050);
	close_faces(&cube);
}

TEST(maps_share_their_image_with_plain_textures) {
	struct tex_cache cache;
	tex_cache_init(&cache, 1 << 20, NULL);
	struct tex_desc plain = put_map(1, 2), map = plain;
	plain.type = TEX_2D;
	plain.wrap_s = plain.wrap_t = TEX_WRAP_EDGE;
	map.wrap_s = map.wrap_t = TEX_WRAP_EDGE;
	map.shadow_bias = 0x1234;
	map.ortho = 1;
	struct tex_image *a = tex_cache_get(&cache, &plain, &space);
	struct tex_image *b = tex_cache_get(&cache, &map, &space);
	ck_assert_ptr_eq(a, b);
	ck_assert_uint_eq(cache.decoded, 1);
	tex_image_put(a);
	tex_image_put(b);
	tex_cache_finish(&cache);
}
