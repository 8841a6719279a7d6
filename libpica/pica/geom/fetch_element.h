/* Shared by the fetch kernels: the address of an attribute, and reads that may leave memory. */
#ifndef GEOM_FETCH_ELEMENT_H
#define GEOM_FETCH_ELEMENT_H

#include "pica/geom/geom.h"

/* enum values of fetch_attribute.type */
enum { FETCH_S8, FETCH_U8, FETCH_S16, FETCH_F32 };

/* Size of one component. [fidelity: vertex-fetch] */
static inline uint32_t fetch_component_bytes(unsigned type) {
	return type == FETCH_F32 ? 4 : type == FETCH_S16 ? 2 : 1;
}

static inline uint32_t fetch_element_bytes(const struct fetch_attribute *a) {
	return a->count * fetch_component_bytes(a->type);
}

/* Address of the attribute for a vertex, modulo 2^32. [fidelity: vertex-layout] */
static inline uint32_t fetch_address(const struct fetch_attribute *a, uint32_t vertex) {
	return a->addr + a->stride_bytes * vertex;
}

/*
 * Computes the bytes that vertices min..max of an array attribute touch, before the modulo:
 * [*begin, *end). Returns whether they are still one range after the modulo.
 */
static inline bool fetch_span(const struct fetch_attribute *a, uint32_t min, uint32_t max,
		uint64_t *begin, uint64_t *end) {
	*begin = a->addr + (uint64_t)a->stride_bytes * min;
	*end = a->addr + (uint64_t)a->stride_bytes * max + fetch_element_bytes(a);
	return *begin >> 32 == (*end - 1) >> 32;
}

/* Returns the host address of vertex min if vertices min..max lie in one window, else NULL. */
static inline const uint8_t *fetch_host(const struct fetch_attribute *a, const struct space *space,
		uint32_t min, uint32_t max) {
	uint64_t begin, end;
	if (!fetch_span(a, min, max, &begin, &end)) {
		return NULL;
	}
	uint32_t avail;
	const uint8_t *host = space_host_from(space, (uint32_t)begin, &avail);
	return host && end - begin <= avail ? host : NULL;
}

/*
 * Copies the element at addr into raw[0..15]. Addresses wrap at 2^32; bytes outside the windows
 * read 0. Returns whether there were such bytes.
 */
bool fetch_element(const struct space *space, uint32_t addr, uint32_t size_bytes, uint8_t raw[16]);
/*
 * Converts one element. Integers keep their value, f32 is copied; missing y, z, w become 0, 0, 1.
 */
void fetch_convert(const struct fetch_attribute *a, const uint8_t *raw, float out[4]);

/*
 * For loops from the highest attribute down: returns whether attribute a is the one that its input
 * register receives. If several name one register, the highest wins. [fidelity: input-map]
 */
static inline bool fetch_takes(const struct fetch_layout *l, unsigned a, unsigned *taken) {
	unsigned bit = 1u << l->attr[a].input;
	bool takes = !(*taken & bit);
	*taken |= bit;
	return takes;
}

static inline void fetch_min_max(const uint32_t *index, unsigned n, uint32_t *min, uint32_t *max) {
	uint32_t lo = index[0], hi = index[0];
	for (unsigned i = 1; i < n; i++) {
		lo = index[i] < lo ? index[i] : lo;
		hi = index[i] > hi ? index[i] : hi;
	}
	*min = lo;
	*max = hi;
}

#endif
