/* Texture kernels: decoding of each format, nearest, bilinear and mip blending against C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/morton.h"
#include "kern.h"
#include "pica/regs/regs.h"
#include "pica/tex/private.h"
#include "pica/tex/tex.h"

static struct tex_kernels c;

/* ---- Decoding ---- */

static void test_decode(enum isa isa, const struct tex_kernels *k) {
	for (unsigned format = 0; format < TEX_FORMATS; format++) {
		size_t bytes = 8 * tex_format_bits(format);
		for (unsigned round = 0; round < 400; round++) {
			/* Any alignment and stride; upward, as images are decoded, or downward. */
			ptrdiff_t stride = 8 + (ptrdiff_t)kern_random_in(0, 9);
			size_t words = (size_t)(8 * stride), skew = (size_t)kern_random_in(0, 7);
			uint8_t *src = kern_buffer(bytes + skew);
			uint32_t *want = kern_buffer(words * 4), *got = kern_buffer(words * 4);
			kern_random_bytes(src, bytes + skew);
			if (round % 8 == 0) {
				memset(src + skew, (int)kern_random_in(0, 1) * 255, bytes);
			}
			bool up = kern_random() >> 40 & 1;
			size_t first = up ? (size_t)(7 * stride) : 0;
			c.decode[format](want + first, up ? -stride : stride, src + skew);
			k->decode[format](got + first, up ? -stride : stride, src + skew);
			kern_same(tex_format_name(format), isa, want, got, words * 4);
			kern_done(src);
		}
	}
}

/* ---- Sampling ---- */

struct picture {
	struct tex_desc d;
	struct tex_level level;
	uint32_t *texels; /* a kern_buffer */
};

static void picture_init(struct picture *p, unsigned width, unsigned height, unsigned wrap_s,
		unsigned wrap_t) {
	memset(p, 0, sizeof(*p));
	p->d = (struct tex_desc){ .addr = 8, .enabled = 1, .valid = 1, .width = (uint16_t)width,
		.height = (uint16_t)height, .format = TEXTURE_FORMAT_RGBA8,
		.wrap_s = (uint8_t)wrap_s, .wrap_t = (uint8_t)wrap_t,
		.border = (uint32_t)(kern_random() >> 32) };
	p->level.width = width;
	p->level.height = height;
	p->level.stride_px = width + 2;
	size_t bytes = (size_t)width * height * 4;
	uint8_t *src = malloc(bytes);
	if (!src) {
		abort();
	}
	for (size_t i = 0; i < bytes; i += 8) { /* bytes are multiples of 256 */
		uint64_t r = kern_random();
		memcpy(src + i, &r, 8);
	}
	p->texels = kern_buffer(tex_level_words(&p->level) * 4);
	for (unsigned band = 0; band < tex_level_bands(&p->level); band++) {
		tex_band_decode(p->texels, &p->level, &p->d, &(struct tex_source){ .src = src }, &c,
				band);
	}
	free(src);
}

static void picture_finish(struct picture *p) {
	kern_done(p->texels);
}

/* Returns a coordinate near the edges, at texel borders or centres, several repeats away, huge, or
 * NaN. */
static float random_coord(unsigned size) {
	float n = (float)size;
	switch (kern_random() >> 33 & 7) {
	case 0:
		return kern_random_float();
	case 1: /* within two texels of a multiple of the size */
		return (float)kern_random_in(-3, 3) + (float)kern_random_in(-512, 512) / 256.0f / n;
	case 2: /* exact halves and quarters of texels */
		return (float)kern_random_in(-8 * (int64_t)size, 8 * (int64_t)size) / 4.0f / n;
	case 3: /* the neighbours of a half: fractions that round to 1 */
		return nextafterf((float)kern_random_in(-1, 2 * (int64_t)size) / 2.0f / n,
				kern_random() >> 40 & 1 ? 9.0f : -9.0f);
	case 4:
		return (float)kern_random_in(-1000000, 1000000) / 1000.0f;
	case 5: /* around the clamp, and where no fraction is left */
		return (float)kern_random_in(-3, 3) * 0x1p30f / n + (float)kern_random_in(-9, 9);
	default:
		return (float)kern_random_in(-2000000, 2000000) / 1000000.0f;
	}
}

typedef void sample_fn(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]);

static void compare(const char *name, enum isa isa, sample_fn *want_fn, sample_fn *got_fn,
		const struct picture *p, unsigned rounds) {
	float *u = kern_buffer(BATCH * sizeof(*u)), *v = kern_buffer(BATCH * sizeof(*v));
	uint16_t(*want)[BATCH] = kern_buffer(4 * BATCH * sizeof(uint16_t));
	uint16_t(*got)[BATCH] = kern_buffer(4 * BATCH * sizeof(uint16_t));
	for (unsigned round = 0; round < rounds; round++) {
		unsigned n = round % 2 ? BATCH : 4 * (unsigned)kern_random_in(1, BATCH / 4);
		for (unsigned i = 0; i < BATCH; i++) {
			u[i] = random_coord(p->d.width);
			v[i] = random_coord(p->d.height);
		}
		/* Lanes from n on stay as they are. */
		memset(want, 0xC3, 4 * BATCH * sizeof(uint16_t));
		memset(got, 0xC3, 4 * BATCH * sizeof(uint16_t));
		want_fn(&p->level, &p->d, u, v, n, want);
		got_fn(&p->level, &p->d, u, v, n, got);
		if (!kern_same(name, isa, want, got, 4 * BATCH * sizeof(uint16_t))) {
			break;
		}
	}
	kern_done(u);
}

static void test_sample(enum isa isa, const struct tex_kernels *k) {
	static const unsigned sides[][2] = { { 8, 8 }, { 8, 1024 }, { 16, 32 }, { 64, 8 },
		{ 128, 128 }, { 1024, 16 }, { 24, 40 }, { 64, 56 }, { 2040, 8 } };
	for (unsigned side = 0; side < ARRAY_LEN(sides); side++) {
		for (unsigned wrap = 0; wrap < 64; wrap++) {
			struct picture p;
			picture_init(&p, sides[side][0], sides[side][1], wrap & 7, wrap >> 3);
			compare("nearest", isa, c.nearest, k->nearest, &p, 8);
			compare("bilinear", isa, c.bilinear, k->bilinear, &p, 16);
			picture_finish(&p);
		}
	}
	struct picture p;
	picture_init(&p, 1024, 1024, kern_random() >> 33 & 7, kern_random() >> 33 & 7);
	compare("nearest", isa, c.nearest, k->nearest, &p, 100);
	compare("bilinear", isa, c.bilinear, k->bilinear, &p, 100);
	picture_finish(&p);
}

/* ---- Coordinates with w, shadow maps ---- */

/* Returns any component, often one of equal magnitude, zero, or one of a few. */
static float random_component(float other) {
	switch (kern_random() >> 33 & 7) {
	case 0:
		return kern_random() >> 40 & 1 ? other : -other;
	case 1:
		return kern_random() >> 40 & 1 ? 0.0f : -0.0f;
	case 2:
		return (float)kern_random_in(-2, 2) / 2.0f;
	case 3:
		return kern_random_float();
	default:
		return (float)kern_random_in(-2000000, 2000000) / 1000000.0f;
	}
}

/* All NaNs are equivalent: they take index 0. */
static void same_nans(float *p, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		p[i] = isnan(p[i]) ? NAN : p[i];
	}
}

static void test_coordinates(enum isa isa, const struct tex_kernels *k) {
	float *u = kern_buffer(BATCH * sizeof(*u)), *v = kern_buffer(BATCH * sizeof(*v));
	float *w = kern_buffer(BATCH * sizeof(*w));
	struct tex_direction *want = kern_buffer(sizeof(*want)), *got = kern_buffer(sizeof(*got));
	for (unsigned round = 0; round < 4000; round++) {
		unsigned n = round % 2 ? BATCH : 4 * (unsigned)kern_random_in(1, BATCH / 4);
		for (unsigned i = 0; i < BATCH; i++) {
			u[i] = random_component(1.0f);
			v[i] = random_component(u[i]);
			w[i] = random_component(v[i]);
		}
		memset(want, 0xC3, sizeof(*want));
		memset(got, 0xC3, sizeof(*got));
		const uint32_t want_faces = c.cube(want, u, v, w, n);
		const uint32_t got_faces = k->cube(got, u, v, w, n);
		kern_check("cube", isa, want_faces == got_faces);
		same_nans(want->s, n);
		same_nans(got->s, n);
		same_nans(want->t, n);
		same_nans(got->t, n);
		same_nans(want->major, n);
		same_nans(got->major, n);
		kern_forget(got, want, 3, n, sizeof(float));
		kern_forget(got->face, want->face, 1, n, sizeof(got->face[0]));
		kern_same("cube", isa, want, got, sizeof(*want));
		c.project(want->s, want->t, u, v, w, n);
		k->project(got->s, got->t, u, v, w, n);
		same_nans(want->s, n);
		same_nans(got->s, n);
		same_nans(want->t, n);
		same_nans(got->t, n);
		kern_same("project", isa, want, got, sizeof(*want));
	}
	kern_done(u);
}

/* Returns a depth that, less the bias, is often that of a texel, or next to it. */
static float random_depth(const struct picture *p) {
	const uint32_t texel = p->texels[p->level.stride_px + 1];
	switch (kern_random() >> 33 & 3) {
	case 0:
		return kern_random_float();
	case 1: {
		const int64_t depth = (texel >> 8) + p->d.shadow_bias + kern_random_in(-1, 1);
		return (float)depth / 16777215.0f;
	}
	default:
		return (float)kern_random_in(-1100000, 1100000) / 1000000.0f;
	}
}

static void compare_shadow(enum isa isa, const struct tex_kernels *k, struct picture *p) {
	float *s = kern_buffer(BATCH * sizeof(*s)), *t = kern_buffer(BATCH * sizeof(*t));
	float *z = kern_buffer(BATCH * sizeof(*z));
	uint16_t(*want)[BATCH] = kern_buffer(4 * BATCH * sizeof(uint16_t));
	uint16_t(*got)[BATCH] = kern_buffer(4 * BATCH * sizeof(uint16_t));
	for (unsigned round = 0; round < 200; round++) {
		unsigned n = round % 2 ? BATCH : 4 * (unsigned)kern_random_in(1, BATCH / 4);
		p->d.type = kern_random() >> 40 & 1 ? TEX_SHADOW_2D : TEX_SHADOW_CUBE;
		p->d.shadow_bias = (uint32_t)kern_random_in(0, 0x7FFFFF) >> kern_random_in(0, 23)
						<< 1;
		/* Half of the rounds around one texel, whose depth others share. */
		for (unsigned i = 0; i < BATCH; i++) {
			s[i] = round & 2 ? 0.0f : random_coord(p->d.width);
			t[i] = round & 2 ? 0.0f : random_coord(p->d.height);
			z[i] = random_depth(p);
		}
		memset(want, 0xC3, 4 * BATCH * sizeof(uint16_t));
		memset(got, 0xC3, 4 * BATCH * sizeof(uint16_t));
		c.shadow(&p->level, &p->d, s, t, z, n, want);
		k->shadow(&p->level, &p->d, s, t, z, n, got);
		kern_same("shadow", isa, want, got, 4 * BATCH * sizeof(uint16_t));
	}
	kern_done(s);
}

static void test_shadow(enum isa isa, const struct tex_kernels *k) {
	static const unsigned sides[][2] = { { 8, 8 }, { 64, 16 }, { 24, 40 }, { 1024, 8 },
		{ 8, 2040 } };
	for (unsigned side = 0; side < ARRAY_LEN(sides); side++) {
		struct picture p;
		picture_init(&p, sides[side][0], sides[side][1], TEX_WRAP_EDGE, TEX_WRAP_EDGE);
		compare_shadow(isa, k, &p);
		picture_finish(&p);
	}
}

static void test_mip_blend(enum isa isa, const struct tex_kernels *k) {
	uint16_t(*a)[BATCH] = kern_buffer(4 * BATCH * sizeof(uint16_t));
	uint16_t(*b)[BATCH] = kern_buffer(4 * BATCH * sizeof(uint16_t));
	uint16_t(*want)[BATCH] = kern_buffer(4 * BATCH * sizeof(uint16_t));
	uint16_t(*got)[BATCH] = kern_buffer(4 * BATCH * sizeof(uint16_t));
	uint16_t *f = kern_buffer(BATCH * sizeof(*f));
	/* Every pair of extremes with every fraction, then anything. */
	for (unsigned round = 0; round < 2000; round++) {
		bool extreme = round < 20;
		unsigned n = round % 2 ? BATCH : 4 * (unsigned)kern_random_in(1, BATCH / 4);
		for (unsigned i = 0; i < BATCH; i++) {
			for (unsigned plane = 0; plane < 4; plane++) {
				unsigned x = (plane & 1) * 255, y = (plane >> 1) * 255;
				a[plane][i] = (uint16_t)(extreme ? x : kern_random_in(0, 255));
				b[plane][i] = (uint16_t)(extreme ? y : kern_random_in(0, 255));
			}
			unsigned fraction = (round * 31 + i * 5) % 257;
			f[i] = (uint16_t)(extreme ? fraction : kern_random_in(0, 256));
		}
		memset(want, 0xC3, 4 * BATCH * sizeof(uint16_t));
		memset(got, 0xC3, 4 * BATCH * sizeof(uint16_t));
		c.mip_blend(want, (const uint16_t(*)[BATCH])a, (const uint16_t(*)[BATCH])b, f, n);
		k->mip_blend(got, (const uint16_t(*)[BATCH])a, (const uint16_t(*)[BATCH])b, f, n);
		kern_same("mip_blend", isa, want, got, 4 * BATCH * sizeof(uint16_t));
	}
	kern_done(a);
}

/* ---- Bench ---- */

static void bench(enum isa isa) {
	static const struct {
		const char *nearest, *bilinear;
		unsigned wrap;
	} wraps[] = { { "nearest_repeat", "bilinear_repeat", TEX_WRAP_REPEAT },
		{ "nearest_edge", "bilinear_edge", TEX_WRAP_EDGE },
		{ "nearest_mirror", "bilinear_mirror", TEX_WRAP_MIRROR },
		{ "nearest_border", "bilinear_border", TEX_WRAP_BORDER } };
	PICA_ALIGNED(64) static float u[16][BATCH], v[16][BATCH]; /* blocks of a magnified quad */
	PICA_ALIGNED(64) static uint16_t out[4][BATCH], fraction[BATCH];
	const uint16_t(*in)[BATCH] = (const uint16_t(*)[BATCH])out;
	struct tex_direction to;
	struct tex_kernels k;
	struct picture p;
	unsigned i = 0; /* the block */
	tex_kernels_init(&k, isa);
	uint8_t *src = kern_buffer(16 * 256);
	uint32_t *dst = kern_buffer(64 * 8 * 4);
	kern_random_bytes(src, 16 * 256);
	for (unsigned format = 0; format < TEX_FORMATS; format++) {
		char name[32] = "decode_";
		strcat(name, tex_format_name(format));
		KERN_BENCH(name, isa, 16 * 64) {
			for (unsigned at = 0; at < 16; at++) {
				const uint8_t *block = src + at * 8 * tex_format_bits(format);
				k.decode[format](dst + 8 * (at & 3), 64, block);
			}
		}
	}
	/* Blocks in Morton order, turned a little, 0.7 texels a pixel. */
	for (unsigned px = 0; px < 16 * BATCH; px++) {
		const unsigned block = px / BATCH, at = px % BATCH;
		const float x = (float)(morton8_x(at) + block % 4 * 8);
		const float y = (float)(morton8_y(at) + block / 4 * 8);
		u[block][at] = (0.7f * x + 0.1f * y) / 256.0f;
		v[block][at] = (0.7f * y - 0.1f * x) / 256.0f;
	}
	for (unsigned wrap = 0; wrap < ARRAY_LEN(wraps); wrap++) {
		picture_init(&p, 256, 256, wraps[wrap].wrap, wraps[wrap].wrap);
		KERN_BENCH(wraps[wrap].nearest, isa, BATCH) {
			i = (i + 1) & 15;
			k.nearest(&p.level, &p.d, u[i], v[i], BATCH, out);
		}
		KERN_BENCH(wraps[wrap].bilinear, isa, BATCH) {
			i = (i + 1) & 15;
			k.bilinear(&p.level, &p.d, u[i], v[i], BATCH, out);
		}
		picture_finish(&p);
	}
	KERN_BENCH("mip_blend", isa, BATCH) k.mip_blend(out, in, in, fraction, BATCH);
	KERN_BENCH("project", isa, BATCH) {
		i = (i + 1) & 15;
		k.project(to.s, to.t, u[i], v[i], u[i], BATCH);
	}
	KERN_BENCH("cube", isa, BATCH) {
		i = (i + 1) & 15;
		k.cube(&to, u[i], v[i], v[15 - i], BATCH);
	}
	picture_init(&p, 256, 256, TEX_WRAP_EDGE, TEX_WRAP_EDGE);
	p.d.type = TEX_SHADOW_2D;
	KERN_BENCH("shadow", isa, BATCH) {
		i = (i + 1) & 15;
		k.shadow(&p.level, &p.d, u[i], v[i], v[i], BATCH, out);
	}
	picture_finish(&p);

	/* Whole units: one level, and trilinear with a footprint of about 0.7 * 2^1.3 texels. */
	static const struct {
		const char *name;
		unsigned mag_linear, max_level, lod_bias;
	} units[] = { { "sample_bilinear", 1, 0, 0 }, { "sample_mag_min", 0, 0, 0 },
		{ "sample_trilinear", 0, 5, 0x14D } };
	struct tex_desc d = { .addr = 8, .enabled = 1, .valid = 1, .width = 256, .height = 256,
		.wrap_s = TEX_WRAP_REPEAT, .wrap_t = TEX_WRAP_REPEAT, .mag_linear = 1,
		.min_linear = 1, .mip_linear = 1, .max_level = 5 };
	struct space space;
	space_init(&space);
	struct tex_image *image = tex_image_create(&d, &space, false);
	if (!image) {
		abort();
	}
	for (unsigned unit = 0; unit < ARRAY_LEN(units); unit++) {
		d.mag_linear = units[unit].mag_linear & 1;
		d.max_level = (uint8_t)units[unit].max_level;
		d.lod_bias = (int16_t)units[unit].lod_bias;
		KERN_BENCH(units[unit].name, isa, BATCH) {
			i = (i + 1) & 15;
			tex_sample(&k, &d, image, u[i], v[i], BATCH, out);
		}
	}
	tex_image_put(image);
	space_finish(&space);
	kern_done(src);
}

static void open_plain(void) {
	tex_kernels_init(&c, ISA_C);
}

static void check(enum isa isa) {
	struct tex_kernels k;
	tex_kernels_init(&k, isa);
	kern_slots(isa, "tex", &c, &k, sizeof(k));
	test_decode(isa, &k);
	test_sample(isa, &k);
	test_coordinates(isa, &k);
	test_shadow(isa, &k);
	test_mip_blend(isa, &k);
}

const struct kern_suite kern_suite = { "tex", open_plain, check, bench, NULL };
