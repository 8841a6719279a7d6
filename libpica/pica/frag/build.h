/* The interface between resolve.c (resolves a key) and build.c (makes the list of steps). */
#ifndef FRAG_BUILD_H
#define FRAG_BUILD_H

#include "pica/frag/plan.h"

/* A colour: RGB and alpha may come from different places. */
struct frag_value {
	struct frag_ref rgb, alpha;
};

/* An operand before it is materialised. */
struct frag_operand {
	struct frag_ref ref;
	bool inverted; /* 255 - ref */
};

/* Operations in the order they were requested; each writes its own planes. */
struct frag_builder {
	const struct frag_key *key;
	struct frag_step op[FRAG_MAX_OPS];
	unsigned n_ops;
	unsigned n_combiner; /* ops before the blender's */
	/* depth is computed after the combiner: by late tests, or for another step */
	bool late_depth;
	bool live[FRAG_PLANES];
	/* The stages as the registers describe them, for frag_watch(). */
	struct {
		struct frag_operand rgb[3], alpha[3];
		struct frag_value out;
	} stage[FRAG_STAGES];
};

static inline bool frag_ref_same(struct frag_ref a, struct frag_ref b) {
	return a.plane == b.plane && a.stride == b.stride;
}

/* R, G, B or A of a colour as one plane. */
static inline struct frag_ref frag_channel(struct frag_value v, unsigned c) {
	if (c == 3) {
		return v.alpha;
	}
	return (struct frag_ref){ (uint8_t)(v.rgb.plane + c * v.rgb.stride), 0 };
}

static inline struct frag_value frag_slot_value(unsigned slot) {
	return (struct frag_value){ { (uint8_t)(slot * 4), 1 }, { (uint8_t)(slot * 4 + 3), 0 } };
}

static inline struct frag_value frag_zero_value(void) {
	return (struct frag_value){ { FRAG_PLANE_ZERO, 0 }, { FRAG_PLANE_ZERO, 0 } };
}

/* Appends the combiner's operations. Returns the planes of the fragment's colour. */
struct frag_value frag_resolve_combiner(struct frag_builder *b);
/*
 * Appends the operations of the blender or the logic unit on source s and on destination d as it
 * was read. Returns the planes of the colour to store, before channel masks.
 */
struct frag_value frag_resolve_output(struct frag_builder *b, struct frag_value s,
		struct frag_value d);

#endif
