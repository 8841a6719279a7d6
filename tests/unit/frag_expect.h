/* The naive renderer beside the rig: random inputs, expected memory, comparison. */
#ifndef FRAG_EXPECT_H
#define FRAG_EXPECT_H

#include "frag_rig.h"
#include "tests/naive/naive_state.h"

enum { NAIVE_COLOR = 0x18000000, NAIVE_DEPTH = 0x18800000 };

/* How the kernels of the rig round products. */
static enum pica_combiner expected_rounding;

/* Sets every lane to another value, so that mixed-up planes are detected. */
static inline void random_inputs(struct rig *r) {
	struct batch *b = &r->b;
	for (unsigned i = 0; i < BATCH; i++) {
		b->f[PLANE_IW][i] = random_float(0.2f, 4.0f);
		b->f[PLANE_Z][i] = random_float(-1.1f, 0.1f);
		for (unsigned c = 0; c < 4; c++) {
			const float a = one_in(4) ? (float)(random32() & 255) / 255.0f :
					random_float(-0.1f, 1.1f);
			b->f[PLANE_COLOR + c][i] = r->rs.flat ? a : a * b->f[PLANE_IW][i];
		}
		for (unsigned p = PLANE_TC0; p < PLANE_QUAT; p++) {
			b->f[p][i] = random_float(-2.0f, 3.0f) * b->f[PLANE_IW][i];
		}
	}
}

/* A block, or distinct quads anywhere. */
static inline void random_quads(struct rig *r) {
	struct batch *b = &r->b;
	b->n_quads = one_in(2) ? 16 : 1 + random32() % 16;
	const bool block = one_in(2);
	const uint32_t first = random32() % (RIG_PX / 64) * 64;
	const uint32_t step = 2 * (random32() % 128) + 1; /* odd: visits all 256 quads */
	for (unsigned q = 0; q < b->n_quads; q++) {
		b->quad_px[q] = block ? first + 4 * q : (first / 4 + q * step) % (RIG_PX / 4) * 4;
	}
	b->live = one_in(2) ? ~(uint64_t)0 : (uint64_t)random32() << 32 | random32();
	if (b->n_quads < 16) {
		b->live &= ((uint64_t)1 << 4 * b->n_quads) - 1;
	}
}

/* The texture room's results for the lanes of the batch. */
static inline void sample_textures(struct rig *r, uint16_t out[TEX_UNITS][4][BATCH]) {
	static const unsigned plane[3] = { PLANE_TC0, PLANE_TC1, PLANE_TC2 };
	for (unsigned unit = 0; unit < TEX_UNITS; unit++) {
		struct tex_desc d;
		PICA_ALIGNED(64) float u[BATCH], v[BATCH];
		PICA_ALIGNED(64) uint16_t texels[4][BATCH];
		tex_desc_from_regs(&d, r->regs, unit);
		for (unsigned i = 0; i < BATCH; i++) {
			const float w = 1.0f / r->b.f[PLANE_IW][i];
			u[i] = r->b.f[plane[d.coord_set]][i] * w;
			v[i] = r->b.f[plane[d.coord_set] + 1][i] * w;
		}
		tex_sample(&r->tk, &d, r->image[unit], u, v, 4 * r->b.n_quads, texels);
		memcpy(out[unit], texels, sizeof(texels));
	}
}

struct expected {
	uint8_t color[RIG_PX * 4], depth[RIG_PX * 4];
	uint64_t live;
};

/* In [0, 1]. */
static inline float unit_depth(const struct rig *r, unsigned i) {
	const float offset = f24_to_f32(r->regs[REG_DEPTHMAP_OFFSET]);
	float d = r->b.f[PLANE_Z][i] * f24_to_f32(r->regs[REG_DEPTHMAP_SCALE]) + offset;
	if (!(r->regs[REG_DEPTHMAP_ENABLE] & 1)) {
		d = d * (1.0f / r->b.f[PLANE_IW][i]);
	}
	d = d > 0 ? d : 0;
	return d < 1 ? d : 1;
}

static inline uint8_t unit_byte(float x) {
	x = x > 0 ? x : 0;
	return (uint8_t)((x < 1 ? x : 1) * 255.0f + 0.5f);
}

/* Draws the batch with the naive renderer: call it before rig_draw(). */
static inline void expect(struct rig *r, struct expected *e) {
	static uint16_t texels[TEX_UNITS][4][BATCH];
	const unsigned mode = r->regs[REG_COLOR_OPERATION] & 3;
	memcpy(e->color, r->color, sizeof(e->color));
	memcpy(e->depth, r->depth, sizeof(e->depth));
	e->live = 0;
	if (mode == FRAGMENT_MODE_NOTHING) {
		return;
	}
	struct naive *n = naive_create(PICA_FLOAT_F24);
	HOLDS(n && naive_map(n, NAIVE_COLOR, sizeof(e->color), e->color) == 0 &&
			naive_map(n, NAIVE_DEPTH, sizeof(e->depth), e->depth) == 0);
	memcpy(n->regs, r->regs, sizeof(n->regs));
	memcpy(n->tables.fog, r->fog_table, sizeof(n->tables.fog));
	naive_set_combiner(n, expected_rounding);
	n->draw.color_addr = NAIVE_COLOR;
	n->draw.depth_addr = NAIVE_DEPTH;
	n->draw.color_format = mode == FRAGMENT_MODE_SHADOW ? COLOR_FORMAT_RGBA8 :
			COLORBUFFER_FORMAT_FORMAT(r->regs[REG_COLORBUFFER_FORMAT]);
	n->draw.depth_format = DEPTHBUFFER_FORMAT_FORMAT(r->regs[REG_DEPTHBUFFER_FORMAT]);
	sample_textures(r, texels);
	for (unsigned i = 0; i < 4 * r->b.n_quads; i++) {
		if (!(r->b.live >> i & 1)) {
			continue;
		}
		uint8_t primary[4], tex[4][4] = { { 0 } };
		for (unsigned c = 0; c < 4; c++) {
			const float x = r->b.f[PLANE_COLOR + c][i];
			primary[c] = unit_byte(r->rs.flat ? x : x * (1.0f / r->b.f[PLANE_IW][i]));
			for (unsigned unit = 0; unit < TEX_UNITS; unit++) {
				tex[unit][c] = (uint8_t)texels[unit][c][i];
			}
		}
		const uint64_t written = n->stats.written;
		naive_fragment(n, r->b.quad_px[i / 4] + i % 4, unit_depth(r, i), primary, tex);
		if (mode == FRAGMENT_MODE_SHADOW || n->stats.written != written) {
			e->live |= (uint64_t)1 << i;
		}
	}
	naive_destroy(n);
}

/* Compares the drawn memory with the naive one, and checks info. */
static inline void compare(struct rig *r, const struct expected *e, unsigned round) {
	for (size_t i = 0; i < sizeof(e->color); i++) {
		if (e->color[i] != r->color[i]) {
			struct frag_plan *p = frag_plan_from_regs(r->cache, r->regs, &r->consts);
			char text[4096];
			frag_plan_dump(p, text, sizeof(text));
			ck_abort_msg("round %u: colour byte %zu is %02X instead of %02X\n%s", round,
					i, r->color[i], e->color[i], text);
		}
		if (e->depth[i] != r->depth[i]) {
			ck_abort_msg("round %u: depth byte %zu is %02X instead of %02X", round, i,
					r->depth[i], e->depth[i]);
		}
	}
}

static inline uint32_t random_stage_word(uint32_t bits) {
	return random32() & bits;
}

/* Sets random registers, those that many results depend on more often. */
static inline void random_state(struct rig *r) {
	static const uint8_t sources[] = { 0, 3, 4, 5, 13, 14, 15, 15 };
	plain_state(r);
	uint32_t *regs = r->regs;
	for (unsigned s = 0; s < 6; s++) {
		if (one_in(3)) {
			continue; /* passes on */
		}
		uint32_t source = 0;
		for (unsigned k = 0; k < 6; k++) {
			const uint32_t one = one_in(8) ? random32() & 15 :
					sources[random32() % sizeof(sources)];
			source |= one << (k < 3 ? 4 * k : 16 + 4 * (k - 3));
		}
		const uint32_t operand = one_in(2) ? 0 : random_stage_word(0x00777FFF);
		const uint32_t rgb_op = one_in(16) ? random32() & 15 : random32() % 10;
		const uint32_t alpha_op = one_in(3) ? random32() & 15 : rgb_op;
		const uint32_t scale = one_in(3) ? random_stage_word(0x00030003) : 0;
		set_stage(r, s, one_in(2) ? (source & 0xFFF) * 0x10001 : source, operand,
				alpha_op << 16 | rgb_op, random32(), scale);
	}
	regs[REG_TEXENV_UPDATE_BUFFER] = random_stage_word(0x1FF08) | (one_in(3) ? 5 :
			one_in(16) ? random32() % 7 : 0); /* gas has a test of its own */
	regs[REG_FOG_COLOR] = random32();
	if (one_in(4)) {
		for (unsigned i = 0; i < FRAG_FOG_ENTRIES; i++) {
			r->fog_table[i] = random32() & (one_in(2) ? ~0u : 0xFFE07F);
		}
	}
	regs[REG_TEXENV_BUFFER_COLOR] = random32();
	regs[REG_TEXUNIT_CONFIG] = one_in(4) ? random_stage_word(0x2007) : 7;
	regs[REG_TEXUNIT0_PARAM] = one_in(16) ? 5u << 28 : 2u << 12 | 2u << 8;
	regs[REG_COLOR_OPERATION] = (one_in(4) ? 0 : 0x100) | (one_in(16) ? 2 + random32() % 2 : 0);
	regs[REG_FRAGOP_SHADOW] = one_in(3) ? random32() : 0xBC003E00; /* 1.5 - x */
	regs[REG_BLEND_FUNC] = one_in(3) ? regs[REG_BLEND_FUNC] : random32();
	if (one_in(3)) { /* alpha like RGB */
		const uint32_t f = random32();
		regs[REG_BLEND_FUNC] = (f & 7) * 0x101 | (f >> 8 & 0xFF) * 0x01010000u;
	}
	regs[REG_LOGIC_OP] = random32();
	regs[REG_BLEND_COLOR] = random32();
	if (one_in(3)) {
		regs[REG_FRAGOP_ALPHA_TEST] = random32() | 1;
	}
	if (one_in(2)) {
		regs[REG_STENCIL_TEST] = (random32() & (one_in(2) ? 0x0101FFFF : ~0u)) | 1;
		regs[REG_STENCIL_OP] = random32();
	}
	regs[REG_DEPTH_COLOR_MASK] = one_in(3) ? random32() & 0x1FFF : 0x1F00 | (random32() & 0x71);
	regs[REG_COLORBUFFER_READ] = one_in(8) ? 0 : random32() | 1;
	regs[REG_COLORBUFFER_WRITE] = one_in(8) ? 0 : random32() | 1;
	regs[REG_DEPTHBUFFER_WRITE] = one_in(4) ? random32() & 3 : 3;
	regs[REG_DEPTHBUFFER_FORMAT] = random32() & 3;
	regs[REG_COLORBUFFER_FORMAT] = random32() % 5 << 16;
	regs[REG_DEPTHMAP_SCALE] = one_in(3) ? random32() & 0xFFFFFF : 0xBF0000;
	regs[REG_DEPTHMAP_OFFSET] = one_in(3) ? random32() & 0xFFFFFF : 0;
	regs[REG_DEPTHMAP_ENABLE] = !one_in(3);
	r->rs.flat = one_in(4) ? PLANES_COLOR : 0;
}

/* Stored depth that fragments meet: near, equal, or anything. */
static inline void random_memory(struct rig *r) {
	const unsigned format = r->regs[REG_DEPTHBUFFER_FORMAT] & 3;
	const unsigned bytes = depth_format_bytes(format);
	random_bytes(r->color, sizeof(r->color));
	random_bytes(r->depth, sizeof(r->depth));
	for (unsigned i = 0; bytes && i < 4 * r->b.n_quads; i++) {
		if (one_in(3)) {
			const uint32_t beside = one_in(2) ? 0 : random32() % 3 - 1;
			const uint32_t z = beside +
					naive_depth_to_int(unit_depth(r, i), bytes == 2 ? 16 : 24);
			memcpy(r->depth + (r->b.quad_px[i / 4] + i % 4) * (size_t)bytes, &z,
					bytes == 2 ? 2 : 3);
		}
	}
}

#endif
