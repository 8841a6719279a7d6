/* Attribute fetch in vectors: VF_LANES vertices at a time, where a window holds their records. */
#include "core/base/attributes.h"
#include "core/vec/extent.h"
#include "core/vec/vec.h"
#include "pica/geom/fetch_element.h"
#include "pica/geom/geom.h"
#include "pica/geom/tables.h"

/* f24_truncate() of core/base/f24.h. */
static inline vf truncate_f24(vf x) {
	const vi max_inf = vi_set1(0x7F800000);
	vi bits = vi_as_vf_bits(x);
	vi magnitude = vi_and(bits, vi_set1(0x7FFFFFFF));
	vi r = vi_and(bits, vi_set1(~0x7F));
	vi infinity = vi_or(vi_xor(bits, magnitude), max_inf);
	r = vi_select(vi_gt(magnitude, vi_set1(0x5F7FFFFF)), infinity, r);
	r = vi_select(vi_gt(vi_set1(0x20800000), magnitude), vi_zero(), r);
	r = vi_select(vi_gt(magnitude, max_inf), bits, r);
	return vf_as_vi_bits(r);
}

/* For these three: byte offsets of the lanes' elements from p; lanes is a multiple of VF_LANES. */

static inline void fetch_f32(const uint8_t *p, const uint32_t *off, unsigned lanes, unsigned count,
		float v[4][SHADER_LANES]) {
	for (unsigned i = 0; i < lanes; i += VF_LANES) {
		vf row[4];
		vf_load_rows(p, off + i, count, row);
		for (unsigned c = 0; c < count; c++) {
			vf_store(&v[c][i], row[c]);
		}
	}
}

/*
 * f24 mode: for 0 and numbers in the normal range this clears only low bits, and the sign of a
 * zero.
 */
static inline void fetch_f24(const uint8_t *p, const uint32_t *off, unsigned lanes, unsigned count,
		float v[4][SHADER_LANES], struct extent *extent) {
	const vf kept = vf_as_vi_bits(vi_set1(~0x7F));
	struct extent e = extent_none();
	for (unsigned i = 0; i < lanes; i += VF_LANES) {
		vf row[4];
		vf_load_rows(p, off + i, count, row);
		for (unsigned c = 0; c < count; c++) {
			extent_add(&e, row[c]);
			vf_store(&v[c][i], vf_and(vf_add(row[c], vf_zero()), kept));
		}
	}
	*extent = e;
	if (PICA_LIKELY(extent_within(&e, 0x20800000, 0x5F800000))) {
		return;
	}
	fetch_f32(p, off, lanes, count, v);
	for (unsigned c = 0; c < count; c++) {
		for (unsigned i = 0; i < lanes; i += VF_LANES) {
			vf_store(&v[c][i], truncate_f24(vf_load(&v[c][i])));
		}
	}
}

/* Component c of four bytes, by way of the top byte: the shift back brings the sign. */
#define BYTE_TO_FLOAT(word, c, is_signed) \
	vf_from_vi((is_signed) ? vi_sra(vi_sll(word, 24 - 8 * (c)), 24) : \
				vi_srl(vi_sll(word, 24 - 8 * (c)), 24))

static inline void fetch_bytes(const uint8_t *p, const uint32_t *off, unsigned lanes,
		unsigned count, bool is_signed, float v[4][SHADER_LANES]) {
	for (unsigned i = 0; i < lanes; i += VF_LANES) {
		vi word = vi_load_words(p, off + i, count);
		vf_store(&v[0][i], BYTE_TO_FLOAT(word, 0, is_signed));
		if (count > 1) {
			vf_store(&v[1][i], BYTE_TO_FLOAT(word, 1, is_signed));
		}
		if (count > 2) {
			vf_store(&v[2][i], BYTE_TO_FLOAT(word, 2, is_signed));
		}
		if (count > 3) {
			vf_store(&v[3][i], BYTE_TO_FLOAT(word, 3, is_signed));
		}
	}
}

static inline void fetch_halves(const uint8_t *p, const uint32_t *off, unsigned lanes,
		unsigned count, float v[4][SHADER_LANES]) {
	for (unsigned i = 0; i < lanes; i += VF_LANES) {
		for (unsigned c = 0; c < count; c += 2) {
			vi word = vi_load_words(p + 2 * c, off + i, count - c >= 2 ? 4 : 2);
			vf_store(&v[c][i], vf_from_vi(vi_sra(vi_sll(word, 16), 16)));
			if (c + 1 < count) {
				vf_store(&v[c + 1][i], vf_from_vi(vi_sra(word, 16)));
			}
		}
	}
}

/* A further type: f32 that become f24. */
enum { NARROW_TYPE = 4, NARROW = NARROW_TYPE << 2 };

#define FORMAT(type, count) ((type) << 2 | ((count) - 1))
#define FOR_COUNTS(type, call) \
	case FORMAT(type, 1): { \
		enum { COUNT = 1 }; \
		call; \
		break; \
	} \
	case FORMAT(type, 2): { \
		enum { COUNT = 2 }; \
		call; \
		break; \
	} \
	case FORMAT(type, 3): { \
		enum { COUNT = 3 }; \
		call; \
		break; \
	} \
	case FORMAT(type, 4): { \
		enum { COUNT = 4 }; \
		call; \
		break; \
	}

/*
 * Lanes 0..lanes-1, a multiple of VF_LANES; constant component counts for the compiler. host: of
 * vertex min. Returns whether all is tame.
 */
static bool fetch_window(const struct fetch_attribute *a, const uint8_t *host,
		const uint32_t *index, uint32_t min, unsigned lanes, bool narrow,
		float v[4][SHADER_LANES]) {
	/* All elements lie in one window, so offsets from its first one fit 32 bits. */
	PICA_ALIGNED(64) uint32_t off[SHADER_LANES];
	const vi stride = vi_set1((int32_t)a->stride_bytes);
	const vi first = vi_set1((int32_t)(min * a->stride_bytes));
	for (unsigned i = 0; i < lanes; i += VF_LANES) {
		vi_store(&off[i], vi_sub(vi_mul(vi_loadu(&index[i]), stride), first));
	}
	struct extent e = extent_none();
	const unsigned format = FORMAT(a->type, a->count);
	switch (narrow ? format | NARROW : format) {
	FOR_COUNTS(FETCH_S8, fetch_bytes(host, off, lanes, COUNT, true, v))
	FOR_COUNTS(FETCH_U8, fetch_bytes(host, off, lanes, COUNT, false, v))
	FOR_COUNTS(FETCH_S16, fetch_halves(host, off, lanes, COUNT, v))
	FOR_COUNTS(FETCH_F32, fetch_f32(host, off, lanes, COUNT, v))
	FOR_COUNTS(FETCH_F32 | NARROW_TYPE, fetch_f24(host, off, lanes, COUNT, v, &e))
	}
	for (unsigned c = a->count; c < 4; c++) {
		vf missing = vf_set1(c == 3 ? 1.0f : 0.0f);
		for (unsigned i = 0; i < lanes; i += VF_LANES) {
			vf_store(&v[c][i], missing);
		}
	}
	/* Integers are. */
	return (a->type != FETCH_F32 || narrow) &&
			extent_within(&e, SHADER_TAME_LEAST, SHADER_TAME_END);
}

/* Element by element, if some are outside. */
static void fetch_scattered(const struct fetch_attribute *a, const struct space *space,
		const uint32_t *index, unsigned n, float v[4][SHADER_LANES], uint64_t *outside) {
	for (unsigned i = 0; i < n; i++) {
		uint8_t raw[16];
		float out[4];
		*outside += fetch_element(
				space, fetch_address(a, index[i]), fetch_element_bytes(a), raw);
		fetch_convert(a, raw, out);
		for (unsigned c = 0; c < 4; c++) {
			v[c][i] = out[c];
		}
	}
}

/* Lanes from n on copy lane 0. */
static void fill_lanes(float v[4][SHADER_LANES], unsigned n) {
	for (unsigned c = 0; c < 4; c++) {
		for (unsigned i = n; i < SHADER_LANES; i++) {
			v[c][i] = v[c][0];
		}
	}
}

/* Returns whether all values are known to be tame. */
static bool fetch_attribute(const struct fetch_attribute *a, const struct space *space,
		const uint32_t *index, unsigned n, uint32_t min, uint32_t max, bool narrow,
		float v[4][SHADER_LANES], uint64_t *outside) {
	const unsigned lanes = (n + VF_LANES - 1) / VF_LANES * VF_LANES;
	const uint8_t *host = fetch_host(a, space, min, max);
	bool tame = false;
	if (PICA_LIKELY(host)) {
		tame = fetch_window(a, host, index, min, lanes, narrow, v);
	} else {
		fetch_scattered(a, space, index, n, v, outside);
		for (unsigned i = 0; narrow && i < 4 * SHADER_LANES; i += VF_LANES) {
			float *const at = &v[i / SHADER_LANES][i % SHADER_LANES];
			vf_store(at, truncate_f24(vf_load(at)));
		}
	}
	if (n < SHADER_LANES) {
		fill_lanes(v, n);
	}
	return tame;
}

static void fetch(const struct fetch_layout *l, const struct space *space, const uint32_t *index,
		unsigned n, enum pica_float mode, struct shader_batch *b,
		uint64_t *outside) {
	if (n == 0) {
		return;
	}
	uint32_t min, max, whole[SHADER_LANES];
	fetch_min_max(index, n, &min, &max);
	if (n % VF_LANES) {
		for (unsigned i = 0; i < SHADER_LANES; i++) {
			whole[i] = index[i < n ? i : 0];
		}
		index = whole;
	}
	unsigned taken = 0;
	for (unsigned a = l->n_attributes; a-- > 0;) {
		const struct fetch_attribute *attr = &l->attr[a];
		if (!fetch_takes(l, a, &taken) || attr->source != FETCH_ARRAY) {
			continue;
		}
		const bool narrow = attr->type == FETCH_F32 && mode == PICA_FLOAT_F24;
		const bool tame = fetch_attribute(attr, space, index, n, min, max, narrow,
				b->v[attr->input], outside);
		b->tame = (uint16_t)((b->tame & ~(1u << attr->input)) | tame << attr->input);
	}
}

void VFN(geom_kernels_init)(struct geom_kernels *k) {
	k->fetch = fetch;
	VFN(geom_project_init)(k);
}
