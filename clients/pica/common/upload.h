/* The meaning of writes to the upload ports of shader units: uniforms, code, descriptors. */
#ifndef PICA_UPLOAD_H
#define PICA_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "pica_inspect.h"

/* Ports of a shader unit, known from the first write to their index registers on. */
struct upload_unit {
	bool has_uniform, has_code, has_descriptor;
	uint32_t uniform, code, descriptor; /* where the next one goes */
	bool is_f32;
	unsigned n_words;
	uint32_t word[4];
};

struct uploads {
	struct upload_unit unit[2]; /* geometry unit, vertex units */
};

enum upload_kind {
	UPLOAD_NOTHING,
	UPLOAD_UNIFORM, /* this word completes a vector */
	UPLOAD_CODE,
	UPLOAD_DESCRIPTOR,
};

struct upload {
	enum upload_kind kind;
	bool is_vs;
	uint32_t index; /* of the uniform, word or descriptor; it may lie beyond the memory */
	bool is_f32;
	uint32_t value[4]; /* of a uniform: x, y, z, w as f24 or f32 words */
};

/* Follows a write to any register. Returns the upload; UPLOAD_NOTHING if it is not known. */
struct upload upload_write(struct uploads *u, const struct pica_list_write *w);

#endif
