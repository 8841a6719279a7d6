#include "pica/frag/kernels.h"

#include "pica/frag/frag.h"

#define OP_ENTRY(set, id, name, n) [FRAG_OP_##id] = frag_op_##name##_##set,
#define TRUNC_ENTRY(set, id, name, n) [FRAG_OP_##id] = frag_op_##name##_trunc_##set,
#define TABLE(set, PRODUCT_ENTRY) { \
	.op = { FRAG_OPS_FIXED(OP_ENTRY, set) FRAG_OPS_PRODUCT(PRODUCT_ENTRY, set) }, \
	.color = frag_color_##set, \
	.color_block = frag_color_block_##set, \
	.fog = frag_fog_##set, \
	.shadow = frag_shadow_##set, \
	.gas_add = frag_gas_add_##set, \
	.gas_shade = frag_gas_shade_##set, \
	.alpha = frag_alpha_##set, \
	.depth = { \
		[FRAG_DEPTH_Z] = { frag_depth_z16_##set, frag_depth_z24_##set }, \
		[FRAG_DEPTH_W] = { frag_depth_w16_##set, frag_depth_w24_##set }, \
		[FRAG_DEPTH_IW] = { frag_depth_iw16_##set, frag_depth_iw24_##set }, \
	}, \
	.test = { \
		[FRAG_TEST_D16] = frag_test_d16_##set, \
		[FRAG_TEST_D24] = frag_test_d24_##set, \
		[FRAG_TEST_D24S8] = frag_test_d24s8_##set, \
		[FRAG_TEST_STENCIL] = frag_test_stencil_##set, \
	}, \
	.test_block = frag_test_block_##set, \
	.load = { \
		[COLOR_RGBA8] = frag_load_rgba8_##set, \
		[COLOR_RGB8] = frag_load_rgb8_##set, \
		[COLOR_RGB5A1] = frag_load_rgb5a1_##set, \
		[COLOR_RGB565] = frag_load_rgb565_##set, \
		[COLOR_RGBA4] = frag_load_rgba4_##set, \
	}, \
	.store = { \
		[COLOR_RGBA8] = frag_store_rgba8_##set, \
		[COLOR_RGB8] = frag_store_rgb8_##set, \
		[COLOR_RGB5A1] = frag_store_rgb5a1_##set, \
		[COLOR_RGB565] = frag_store_rgb565_##set, \
		[COLOR_RGBA4] = frag_store_rgba4_##set, \
	}, \
	.load_block = frag_load_block_##set, \
	.store_block = frag_store_block_##set, \
	.proctex = &proctex_kernels_##set, \
	.light = &light_kernels_##set, \
}

#define TABLE_OF(id, set, PRODUCT_ENTRY) [ISA_##id] = TABLE(set, PRODUCT_ENTRY),
#define TABLES(PRODUCT_ENTRY) { \
	TABLE_OF(C, c, PRODUCT_ENTRY) \
	ISA_BUILT(TABLE_OF, PRODUCT_ENTRY) \
}

static const struct frag_kernels nearest[ISA_COUNT] = TABLES(OP_ENTRY);
static const struct frag_kernels truncating[ISA_COUNT] = TABLES(TRUNC_ENTRY);

const struct frag_kernels *frag_kernels_for(enum isa isa) {
	return &nearest[isa_available(isa) ? isa : ISA_C];
}

const struct frag_kernels *frag_kernels_truncating(enum isa isa) {
	return &truncating[isa_available(isa) ? isa : ISA_C];
}

#define OP_NAME(set, id, name, n) [FRAG_OP_##id] = #name,
#define OP_INPUTS(set, id, name, n) [FRAG_OP_##id] = (n),

const char *frag_op_name(enum frag_op op) {
	static const char *const names[FRAG_OP_COUNT] = { FRAG_OPS(OP_NAME, _) };
	return names[op];
}

unsigned frag_op_inputs(enum frag_op op) {
	static const uint8_t inputs[FRAG_OP_COUNT] = { FRAG_OPS(OP_INPUTS, _) };
	return inputs[op];
}
