/* Hostile command lists: noise, and drawing states with a few registers turned into traps. */
#include "hostile.h"

#include <string.h>

#include "pica_emit.h"

/* Clears the error after a refused call, so that the emitter continues without it. */
static void heal(struct pica_emit *e) {
	if (e->words) {
		e->error = 0;
	}
}

/* Registers that control memory, sizes and loops, and adjacent ones. */
struct family {
	uint16_t first, n;
	uint8_t weight;
};

static const struct family families[] = {
	{ PICA_REG_FRAMEBUFFER_INVALIDATE, 0x10, 10 },
	{ PICA_REG_COLOR_OPERATION, 0x10, 8 },
	{ PICA_REG_ATTRIBBUFFERS_LOC, 0x27, 12 },
	{ PICA_REG_INDEXBUFFER_CONFIG, 9, 12 },
	{ PICA_REG_FIXEDATTRIB_INDEX, 4, 3 },
	{ PICA_REG_VSH_NUM_ATTR, 0x1C, 4 },
	{ PICA_REG_PRIMITIVE_CONFIG, 2, 6 },
	{ PICA_REG_TEXUNIT_CONFIG, 0x30, 10 },
	{ PICA_REG_TEXENV0_SOURCE, 0x40, 8 },
	{ PICA_REG_FACECULLING_CONFIG, 0x30, 8 },
	{ PICA_REG_GSH_BOOLUNIFORM, 0x30, 6 },
	{ PICA_REG_VSH_BOOLUNIFORM, 0x30, 8 },
	{ PICA_REG_LIGHT0_SPECULAR0, 0xC0, 1 },
	{ 0x000, 0x300, 3 },
};

static uint32_t pick_register(struct rng *r) {
	uint32_t total = 0;
	for (unsigned i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		total += families[i].weight;
	}
	uint32_t at = rng_below(r, total);
	for (unsigned i = 0;; i++) {
		if (at < families[i].weight) {
			return families[i].first + rng_below(r, families[i].n);
		}
		at -= families[i].weight;
	}
}

/* Jumps to the start or middle of a list's slot, or to any address. */
static void jump(struct rng *r, struct pica_emit *e) {
	uint32_t channel = rng_below(r, 2);
	uint32_t addr = memory_address(r),
		 bytes = rng_chance(r, 80) ? 16 * rng_below(r, 256) : rng_word(r);
	if (rng_chance(r, 70)) {
		addr = window_places[WINDOW_LISTS].phys +
				LIST_SLOT_BYTES * rng_below(r, LIST_SLOTS);
		addr += rng_chance(r, 30) ? 16 * rng_below(r, LIST_SLOT_BYTES / 16) : 0;
	}
	pica_emit_reg(e, PICA_REG_CMDBUF_SIZE0 + channel, bytes >> 3);
	pica_emit_reg(e, PICA_REG_CMDBUF_ADDR0 + channel, addr >> 3);
	pica_emit_reg(e, PICA_REG_CMDBUF_JUMP0 + channel, 1);
}

/* Returns a word that is plausible for the register, such as an address. */
static uint32_t fitting_value(struct rng *r, uint32_t id) {
	switch (id) {
	case PICA_REG_COLORBUFFER_LOC:
	case PICA_REG_DEPTHBUFFER_LOC:
	case PICA_REG_ATTRIBBUFFERS_LOC:
	case PICA_REG_TEXUNIT0_ADDR1:
	case PICA_REG_TEXUNIT0_ADDR2:
	case PICA_REG_TEXUNIT0_ADDR3:
	case PICA_REG_TEXUNIT0_ADDR4:
	case PICA_REG_TEXUNIT0_ADDR5:
	case PICA_REG_TEXUNIT0_ADDR6:
	case PICA_REG_TEXUNIT1_ADDR:
	case PICA_REG_TEXUNIT2_ADDR:
	case PICA_REG_CMDBUF_ADDR0:
	case PICA_REG_CMDBUF_ADDR1:
		return memory_address(r) >> 3;
	case PICA_REG_FRAMEBUFFER_DIM:
		return (8 * rng_below(r, 40) + (rng_chance(r, 10) ? rng_below(r, 8) : 0)) |
				rng_below(r, rng_chance(r, 80) ? 200 : 1024) << 12 |
				rng_below(r, 2) << 24;
	case PICA_REG_TEXUNIT0_DIM:
	case PICA_REG_TEXUNIT1_DIM:
	case PICA_REG_TEXUNIT2_DIM: {
		uint32_t limit = rng_chance(r, 85) ? 17 : 257, fine = rng_chance(r, 15) ? 8 : 1;
		return (8 * rng_below(r, limit) + rng_below(r, fine)) |
				(8 * rng_below(r, limit) + rng_below(r, fine)) << 16;
	}
	case PICA_REG_NUMVERTICES:
		return rng_chance(r, 85) ? rng_below(r, 100) :
				rng_chance(r, 90) ? rng_below(r, 6000) : rng_nasty(r);
	case PICA_REG_VERTEX_OFFSET:
		return rng_chance(r, 85) ? rng_below(r, 64) : rng_nasty(r);
	case PICA_REG_INDEXBUFFER_CONFIG:
		return (rng_chance(r, 80) ? rng_below(r, 0x40000) : rng_nasty(r)) |
				rng_below(r, 2) << 31;
	default:
		return rng_nasty(r);
	}
}

static void set_register(struct rng *r, struct pica_emit *e, uint32_t id) {
	if (id >= PICA_REG_CMDBUF_SIZE0 && id <= PICA_REG_CMDBUF_JUMP1 && rng_chance(r, 70)) {
		jump(r, e);
		return;
	}
	uint32_t mask = rng_chance(r, 90) ? 15 : rng_below(r, 16);
	unsigned shape = rng_below(r, 20);
	uint32_t n = 1 + rng_below(r, shape == 0 ? 256 : 8), words[256];
	for (uint32_t k = 0; k < n; k++) {
		words[k] = fitting_value(r, shape < 2 ? id + k : id);
	}
	if (shape < 2) {
		pica_emit_burst(e, id, words, n);
	} else if (shape < 4) {
		pica_emit_fifo(e, id, words, n);
	} else {
		pica_emit_reg_masked(e, id, words[0], mask);
	}
	heal(e);
}

/* ---- Shaders ---- */

/* An instruction word with any operands; END and EMIT are frequent enough to be reached. */
static uint32_t instruction(struct rng *r) {
	static const uint8_t codes[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09,
		0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x12, 0x13, 0x18, 0x19, 0x1A, 0x1B, 0x20, 0x21,
		0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x30, 0x38,
		0x13, 0x13, 0x2A, 0x2B };
	uint32_t word = rng_word(r) & 0x03FFFFFF;
	if (rng_chance(r, 6)) {
		return 0x88000000; /* end */
	}
	if (rng_chance(r, 3)) {
		return rng_word(r);
	}
	if (rng_chance(r, 70)) { /* short jumps and blocks, low descriptors */
		word &= 0x03E7F0FF;
		word |= rng_below(r, 64) << 10 & (rng_chance(r, 50) ? 0x3FC00 : 0);
	}
	return (uint32_t)codes[rng_below(r, sizeof(codes))] << 26 | word;
}

static void random_program(struct rng *r, struct pica_emit *e, enum pica_unit unit) {
	uint32_t code[64], descriptors[32];
	uint32_t n = 1 + rng_below(r, 64);
	for (uint32_t i = 0; i < n; i++) {
		code[i] = instruction(r);
	}
	for (uint32_t i = 0; i < 32; i++) {
		descriptors[i] = rng_word(r) | (rng_chance(r, 70) ? 15 : 0);
	}
	uint32_t limit = unit == PICA_UNIT_VS ? 512 : 4096;
	pica_emit_code(e, unit, rng_chance(r, 80) ? 0 : rng_below(r, limit - n), code, n);
	pica_emit_operand_descriptors(e, unit, 0, descriptors, 32);
	pica_emit_entry_point(e, unit, rng_chance(r, 80) ? 0 : rng_below(r, limit));
	heal(e);
}

/* mov o0, v0; mov o1, v1; mov o2, v2; end */
static const uint32_t pass_code[] = { 0x4C000000, 0x4C201000, 0x4C402000, 0x88000000 };
static const uint32_t identity_descriptor[] = { 0x0000036F };

static void vertex_program(struct rng *r, struct pica_emit *e) {
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_COLOR, 1, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 2, 3 },
		{ PICA_OUTPUT_TEXCOORD1, 2, 12 },
	};
	pica_emit_code(e, PICA_UNIT_VS, 0, pass_code, 4);
	pica_emit_operand_descriptors(e, PICA_UNIT_VS, 0, identity_descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_VS, 0);
	pica_emit_outputs(e, PICA_UNIT_VS, outputs, 4);
	if (rng_chance(r, 15)) {
		random_program(r, e, PICA_UNIT_VS);
	}
}

/* Emits two inputs and a uniform as a triangle, or runs as long as it may. */
static void geometry_program(struct rng *r, struct pica_emit *e) {
	static const uint32_t triangle[] = {
		0xAC000000,             /* setemit 0 */
		0x4C000000, 0x4C201000, /* mov o0, v0; mov o1, v1 */
		0xA8000000,             /* emit */
		0xAD000000,             /* setemit 1 */
		0x4C001000,             /* mov o0, v1 */
		0xA8000000,
		0xAE800000,             /* setemit 2, prim */
		0x4C020000,             /* mov o0, c0 */
		0xA8000000,
		0x88000000,
	};
	static const uint32_t endless[] = {
		/* setemit 2, prim; mov; mov; emit */
		0xAE800000, 0x4C000000, 0x4C201000, 0xA8000000,
		0xB4000001,                                     /* jmpu !b0, 0 */
	};
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_COLOR, 1, 15 },
	};
	struct pica_geometry g = { .mode = rng_below(r, 4), .inputs = 1 + rng_below(r, 16),
		.vs_outputs = 1 + rng_below(r, 16), .fixed_first_uniform = rng_below(r, 128),
		.fixed_vertices = 1 + rng_below(r, 16), .variable_main = 1 + rng_below(r, 32) };
	if (rng_chance(r, 60)) {
		g.inputs = 1 + rng_below(r, 4);
		g.vs_outputs = 2;
	}
	pica_emit_geometry(e, &g);
	heal(e);
	vertex_program(r, e);
	pica_emit_vs_output_mask(e, rng_chance(r, 70) ? 3 : 1 + rng_below(r, 0xFFFF));
	pica_emit_outputs(e, PICA_UNIT_GS, outputs, 2);
	switch (rng_below(r, 8)) {
	case 0:
		pica_emit_code(e, PICA_UNIT_GS, 0, endless, sizeof(endless) / 4);
		break;
	case 1:
		random_program(r, e, PICA_UNIT_GS);
		break;
	default:
		pica_emit_code(e, PICA_UNIT_GS, 0, triangle, sizeof(triangle) / 4);
		break;
	}
	pica_emit_operand_descriptors(e, PICA_UNIT_GS, 0, identity_descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_GS, 0);
	heal(e);
}

/* ---- A state that draws ---- */

/* Addresses shared by the parts of one list, so that they overlap. */
struct places {
	uint32_t hot[3];
	uint32_t color, depth; /* the target that was set last */
};

static uint32_t place(struct rng *r, const struct places *p) {
	return rng_chance(r, 60) ? p->hot[rng_below(r, 3)] : memory_address(r);
}

static void emit_target(struct rng *r, struct pica_emit *e, struct places *p) {
	struct pica_framebuffer fb = { .color_addr = place(r, p) & ~63u,
		.depth_addr = place(r, p) & ~63u,
		.color_format = rng_below(r, 5),
		.depth_format = rng_below(r, 4),
		.width = 8 + 8 * rng_below(r, 12),
		.height = 1 + rng_below(r, 100),
		.bottom_row_first = rng_chance(r, 50),
		.block32 = rng_chance(r, 20) };
	if (rng_chance(r, 3)) {
		fb.width = 8 * (1 + rng_below(r, 128));
		fb.height = 1 + rng_below(r, 1024);
	}
	p->color = fb.color_addr;
	p->depth = fb.depth_addr;
	if (rng_chance(r, 15)) { /* not through the emitter, which checks */
		set_register(r, e, PICA_REG_COLORBUFFER_LOC);
		set_register(r, e, PICA_REG_DEPTHBUFFER_LOC);
		set_register(r, e, PICA_REG_FRAMEBUFFER_DIM);
	} else {
		fb.color_addr &= 0x7FFFFFFF;
		fb.depth_addr &= 0x7FFFFFFF;
		pica_emit_framebuffer(e, &fb);
	}
	heal(e);
	pica_emit_viewport(e, (int)rng_below(r, 40) - 20, (int)rng_below(r, 40) - 20,
			8 + rng_below(r, 160), 8 + rng_below(r, 160));
}

static void emit_attributes(struct rng *r, struct pica_emit *e, const struct places *p) {
	struct pica_attributes a = { .base = place(r, p) & 0xFFFFFFF0,
		.n = 3,
		.format = { { 3, 4 }, { 3, 4 }, { 3, 4 } },
		.n_loaders = 1,
		.loader = { { .offset = 0, .stride = 48, .n = 3, .component = { 0, 1, 2 } } } };
	if (rng_chance(r, 40)) {
		a.loader[0].stride = (uint8_t)(16 * rng_below(r, 4));
	}
	if (rng_chance(r, 20)) {
		a.loader[0].offset = rng_below(r, 0x100000);
		a.loader[0].stride = (uint8_t)rng_word(r);
		for (unsigned i = 0; i < 3; i++) {
			a.format[i].type = (uint8_t)rng_below(r, 4);
			a.format[i].components = (uint8_t)(1 + rng_below(r, 4));
		}
	}
	pica_emit_attributes(e, &a);
	heal(e);
}

static void emit_textures(struct rng *r, struct pica_emit *e, const struct places *p) {
	uint32_t units = rng_below(r, 8);
	for (unsigned u = 0; u < 3; u++) {
		uint32_t big = rng_chance(r, 2) ? 5 : 0;
		uint32_t addr = rng_chance(r, 70) ? place(r, p) : rng_chance(r, 50) ? p->color :
				p->depth;
		struct pica_texture t = { .addr = addr & 0x7FFFFFF8,
			.width = 8u << rng_below(r, 3 + big),
			.height = 8u << rng_below(r, 3 + big),
			.format = rng_below(r, 14),
			.mag = rng_below(r, 2),
			.min = rng_below(r, 2),
			.mip = rng_below(r, 2),
			.wrap_s = rng_below(r, 8),
			.wrap_t = rng_below(r, 8),
			.border = rng_word(r),
			.max_level = rng_below(r, 8),
			.min_level = rng_below(r, 4) };
		if (u == 0 && rng_chance(r, 40)) {
			t.type = rng_below(r, 8);
			for (unsigned i = 0; i < 5; i++) { /* in the same 32 MiB */
				const uint32_t face = rng_chance(r, 70) ? place(r, p) :
						rng_chance(r, 50) ? p->color : t.addr;
				t.faces[i] = (t.addr & 0xFE000000) | (face & 0x01FFFFF8);
			}
			pica_emit_reg(e, PICA_REG_TEXUNIT0_SHADOW,
					rng_chance(r, 60) ? rng_below(r, 0x100000) : rng_nasty(r));
		}
		pica_emit_texture(e, u, &t);
		heal(e);
	}
	pica_emit_texture_units(e, units, 0, rng_chance(r, 30));
	for (unsigned s = 0; units && s < 2; s++) {
		struct pica_tev tev;
		pica_tev_init(&tev);
		tev.rgb_source[0] = tev.alpha_source[0] =
				PICA_TEV_SOURCE_TEXTURE0 + rng_below(r, 3);
		pica_emit_tev(e, s, &tev);
	}
}

static void emit_output(struct rng *r, struct pica_emit *e) {
	if (rng_chance(r, 60)) {
		pica_emit_depth_test(e, rng_chance(r, 60), rng_below(r, 8), rng_chance(r, 60),
				rng_below(r, 16));
	}
	if (rng_chance(r, 20)) {
		pica_emit_stencil_test(e, true, rng_below(r, 8), rng_below(r, 256),
				rng_below(r, 256), rng_below(r, 256));
		pica_emit_stencil_op(e, rng_below(r, 8), rng_below(r, 8), rng_below(r, 8));
	}
	if (rng_chance(r, 30)) {
		struct pica_blend b = { rng_below(r, 5), rng_below(r, 5), rng_below(r, 15),
			rng_below(r, 15), rng_below(r, 15), rng_below(r, 15), rng_word(r) };
		pica_emit_blend(e, &b);
	} else if (rng_chance(r, 10)) {
		pica_emit_logic_op(e, rng_below(r, 16));
	}
	if (rng_chance(r, 20)) {
		pica_emit_alpha_test(e, true, rng_below(r, 8), rng_below(r, 256));
	}
	if (rng_chance(r, 10)) {
		pica_emit_cull(e, rng_below(r, 4));
	}
	if (rng_chance(r, 20)) {
		pica_emit_scissor(e, rng_below(r, 4), rng_below(r, 64), rng_below(r, 64),
				rng_below(r, 128), rng_below(r, 128));
	}
	if (rng_chance(r, 10)) {
		set_register(r, e, PICA_REG_RASTER_FLAT);
	}
	heal(e);
}

static void emit_draw(struct rng *r, struct pica_emit *e) {
	float vertex[16][4];
	switch (rng_below(r, 8)) {
	case 0: { /* immediate; an unfinished vertex at times */
		unsigned n = rng_below(r, 17);
		for (unsigned i = 0; i < n; i++) {
			for (unsigned k = 0; k < 4; k++) {
				vertex[i][k] = k == 3 ? 1.0f :
							(float)rng_below(r, 512) / 256.0f - 1.0f;
			}
		}
		pica_emit_inputs(e, 1 + rng_below(r, 3), PICA_IDENTITY_INPUTS);
		pica_emit_immediate_begin(e, rng_below(r, 4));
		pica_emit_immediate(e, vertex[0], n);
		pica_emit_immediate(e, vertex[0], n);
		if (rng_chance(r, 80)) {
			pica_emit_immediate_end(e);
		}
		break;
	}
	case 1:
	case 2:
		pica_emit_draw_elements(e, rng_below(r, 4), rng_below(r, 0x10000),
				rng_chance(r, 50), rng_below(r, 64));
		break;
	case 3: /* no restart: continues where the last draw stopped */
		pica_emit_reg(e, PICA_REG_NUMVERTICES, fitting_value(r, PICA_REG_NUMVERTICES));
		pica_emit_reg(e, rng_chance(r, 50) ? PICA_REG_DRAWARRAYS : PICA_REG_DRAWELEMENTS,
				1);
		break;
	default:
		pica_emit_draw_arrays(e, rng_below(r, 4), rng_below(r, 64), rng_below(r, 48));
		break;
	}
}

static void drawing(struct rng *r, struct pica_emit *e, struct places *p) {
	pica_emit_defaults(e);
	if (rng_chance(r, 20)) {
		geometry_program(r, e);
	} else {
		pica_emit_geometry(e, NULL);
		vertex_program(r, e);
	}
	emit_target(r, e, p);
	emit_attributes(r, e, p);
	if (rng_chance(r, 50)) {
		emit_textures(r, e, p);
	}
	emit_output(r, e);
	for (unsigned draws = 1 + rng_below(r, 6); draws; draws--) {
		for (unsigned n = rng_chance(r, 40) ? rng_below(r, 4) : 0; n; n--) {
			set_register(r, e, pick_register(r));
		}
		if (rng_chance(r, 15)) {
			emit_target(r, e, p);
		}
		if (rng_chance(r, 15)) {
			emit_attributes(r, e, p);
		}
		if (rng_chance(r, 10)) {
			emit_textures(r, e, p);
		}
		if (rng_chance(r, 10)) {
			emit_output(r, e);
		}
		if (rng_chance(r, 25)) { /* other buffers of the same target */
			pica_emit_depth_test(e, rng_chance(r, 50), PICA_COMPARE_ALWAYS,
					rng_chance(r, 50), rng_chance(r, 50) ? 15 : 0);
		}
		emit_draw(r, e);
	}
}

/* ---- Lists ---- */

static void noise(struct rng *r, struct pica_emit *e, uint32_t n_words) {
	unsigned kind = rng_below(r, 2);
	for (uint32_t i = 0; i < n_words; i += 2) {
		uint32_t pair[2] = { rng_nasty(r), rng_word(r) };
		if (kind) { /* ids that exist, short bursts */
			pair[1] = (pair[1] & 0x800F0000) | pick_register(r) |
					(rng_chance(r, 5) ? 0x00F00000 : 0);
		}
		pica_emit_words(e, pair, 2);
	}
}

uint32_t list_make(struct rng *r, uint32_t *words, uint32_t max_words) {
	struct pica_emit e;
	struct places p;
	pica_emit_init(&e);
	for (unsigned i = 0; i < 3; i++) {
		p.hot[i] = memory_address(r);
	}
	unsigned kind = rng_below(r, 10);
	if (kind == 0) {
		noise(r, &e, 2 + 2 * rng_below(r, 1000));
	} else {
		for (unsigned n = 1 + rng_below(r, 2); n; n--) {
			drawing(r, &e, &p);
		}
		for (unsigned n = kind == 1 ? rng_below(r, 200) : 0; n; n--) {
			set_register(r, &e, pick_register(r));
		}
	}
	switch (rng_below(r, 8)) {
	case 0:
		break;
	case 1:
		jump(r, &e);
		break;
	default:
		pica_emit_finalize(&e);
		break;
	}
	uint32_t n = e.count < max_words ? (uint32_t)e.count : max_words;
	if (e.words) {
		memcpy(words, e.words, n * sizeof(*words));
	}
	pica_emit_finish(&e);
	while (n % 4) {
		words[n++] = 0;
	}
	return 4 * n;
}
