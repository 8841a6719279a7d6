/* Attribute fetch in vectors: VF_LANES vertices at a time, where a window holds their records. */
#include "core/base/attributes.h"
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

/* Lanes that more is done with than to clear their low bits: all but normal numbers and +0. */
static inline vi is_unusual(vf x) {
	const vi bits = vi_as_vf_bits(x), magnitude = vi_and(bits, vi_set1(0x7FFFFFFF));
	/* Unsigned: magnitude - 0x20800000 > 0x3EFFFFFF. */
	const vi from_least = vi_add(magnitude, vi_set1(INT32_MAX - 0x207FFFFF));
	return vi_andnot(vi_eq(bits, vi_zero()),
			vi_gt(from_least, vi_set1(INT32_MIN + 0x3EFFFFFF)));
}

/* In all three: byte offsets of the lanes' elements from p; lanes a multiple of VF_LANES. */

static inline void fetch_f32(const uint8_t *p, const uint32_t *off, unsigned lanes, unsigned count,
		bool narrow, float v[4][SHADER_LANES]) {
	for (unsigned i = 0; i < lanes; i += VF_LANES) {
		vf row[4];
		vf_load_rows(p, off + i, count, row);
		vi unusual = vi_zero();
		for (unsigned c = 0; c < count && narrow; c++) {
			unusual = vi_or(unusual, is_unusual(row[c]));
		}
		if (PICA_UNLIKELY(vi_movemask(unusual))) {
			for (unsigned c = 0; c < count; c++) {
				vf_store(&v[c][i], truncate_f24(row[c]));
			}
			continue;
		}
		const vf kept = vf_as_vi_bits(vi_set1(narrow ? ~0x7F : -1));
		for (unsigned c = 0; c < count; c++) {
			vf_store(&v[c][i], vf_and(row[c], kept));
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

/* Lanes 0..lanes-1, a multiple of VF_LANES; constant component counts for the compiler. */
static void fetch_window(const struct fetch_attribute *a, const uint8_t *host,
		const uint32_t *relative, unsigned lanes, bool narrow, float v[4][SHADER_LANES]) {
	/* All elements lie in one window, so offsets from its first one fit 32 bits. */
	PICA_ALIGNED(64) uint32_t off[SHADER_LANES];
	const vi stride = vi_set1((int32_t)a->stride_bytes);
	for (unsigned i = 0; i < lanes; i += VF_LANES) {
		vi_store(&off[i], vi_mul(vi_load(&relative[i]), stride));
	}
	switch (FORMAT(a->type, a->count)) {
	FOR_COUNTS(FETCH_S8, fetch_bytes(host, off, lanes, COUNT, true, v))
	FOR_COUNTS(FETCH_U8, fetch_bytes(host, off, lanes, COUNT, false, v))
	FOR_COUNTS(FETCH_S16, fetch_halves(host, off, lanes, COUNT, v))
	FOR_COUNTS(FETCH_F32, fetch_f32(host, off, lanes, COUNT, narrow, v))
	}
	for (unsigned c = a->count; c < 4; c++) {
		vf missing = vf_set1(c == 3 ? 1.0f : 0.0f);
		for (unsigned i = 0; i < lanes; i += VF_LANES) {
			vf_store(&v[c][i], missing);
		}
	}
}

/* Element by element, where some of it lies outside. */
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

static void fill_lanes(float *v, unsigned from, float x) {
	for (unsigned i = from; i < SHADER_LANES; i++) {
		v[i] = x;
	}
}

static void fetch(const struct fetch_layout *l, const struct space *space, const uint32_t *index,
		unsigned n, enum pica_float mode, struct shader_batch *b,
		uint64_t *outside) {
	if (n == 0) {
		return;
	}
	uint32_t min, max;
	fetch_min_max(index, n, &min, &max);
	unsigned lanes = (n + VF_LANES - 1) / VF_LANES * VF_LANES;
	PICA_ALIGNED(64) uint32_t relative[SHADER_LANES];
	for (unsigned i = 0; i < n; i++) {
		relative[i] = index[i] - min;
	}
	for (unsigned i = n; i < lanes; i++) {
		relative[i] = index[0] - min;
	}
	unsigned taken = 0;
	for (unsigned a = l->n_attributes; a-- > 0;) {
		const struct fetch_attribute *attr = &l->attr[a];
		if (!fetch_takes(l, a, &taken) || attr->source != FETCH_ARRAY) {
			continue;
		}
		float (*v)[SHADER_LANES] = b->v[attr->input];
		bool narrow = attr->type == FETCH_F32 && mode == PICA_FLOAT_F24;
		const uint8_t *host = fetch_host(attr, space, min, max);
		if (host) {
			fetch_window(attr, host, relative, lanes, narrow, v);
		} else {
			fetch_scattered(attr, space, index, n, v, outside);
			for (unsigned c = 0; c < 4; c++) {
				fill_lanes(v[c], n, v[c][0]);
				for (unsigned i = 0; narrow && i < lanes; i += VF_LANES) {
					vf_store(&v[c][i], truncate_f24(vf_load(&v[c][i])));
				}
			}
		}
		for (unsigned c = 0; c < 4; c++) {
			fill_lanes(v[c], n, v[c][0]);
		}
	}
}

void VFN(geom_kernels_init)(struct geom_kernels *k) {
	k->fetch = fetch;
	VFN(geom_project_init)(k);
}
