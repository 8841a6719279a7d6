#include "frag/kernels.h"

#include "frag/frag.h"

#define OP_ENTRY(set, id, name, n) [FRAG_OP_##id] = frag_op_##name##_##set,
#define TABLE(set) { \
	.op = { FRAG_OPS(OP_ENTRY, set) }, \
	.color = frag_color_##set, \
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
}

static const struct frag_kernels tables[ISA_COUNT] = {
	[ISA_C] = TABLE(c),
	[ISA_EMUL] = TABLE(emul),
#ifdef HAVE_SSE41
	[ISA_SSE41] = TABLE(sse41),
#endif
};

const struct frag_kernels *frag_kernels_for(enum isa isa) {
	return isa_available(isa) ? &tables[isa] : &tables[ISA_C];
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
