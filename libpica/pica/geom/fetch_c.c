/* Attribute fetch, the plain version. */
#include "core/base/f24.h"
#include "pica/geom/fetch_element.h"
#include "pica/geom/geom.h"
#include "pica/geom/tables.h"

static void fetch_attribute(const struct fetch_attribute *a, const struct space *space,
		const uint32_t *index, unsigned n, uint32_t min, uint32_t max, enum pica_float mode,
		float v[4][SHADER_LANES], uint64_t *outside) {
	/* One check for all lanes if their records lie in one window. */
	const uint8_t *host = fetch_host(a, space, min, max);
	for (unsigned i = 0; i < n; i++) {
		uint8_t raw[16];
		const uint8_t *from = raw;
		if (host) {
			from = host + (size_t)(index[i] - min) * a->stride_bytes;
		} else {
			uint32_t addr = fetch_address(a, index[i]);
			*outside += fetch_element(space, addr, fetch_element_bytes(a), raw);
		}
		float out[4];
		fetch_convert(a, from, out);
		for (unsigned c = 0; c < 4; c++) {
			bool narrow = a->type == FETCH_F32 && mode == PICA_FLOAT_F24;
			v[c][i] = narrow ? f24_truncate(out[c]) : out[c];
		}
	}
	for (unsigned i = n; i < SHADER_LANES; i++) {
		for (unsigned c = 0; c < 4; c++) {
			v[c][i] = v[c][0];
		}
	}
}

void geom_fetch_c(const struct fetch_layout *l, const struct space *space,
		const uint32_t *index, unsigned n, enum pica_float mode, struct shader_batch *b,
		uint64_t *outside) {
	if (n == 0) {
		return;
	}
	uint32_t min, max;
	fetch_min_max(index, n, &min, &max);
	unsigned taken = 0;
	for (unsigned a = l->n_attributes; a-- > 0;) {
		const struct fetch_attribute *attr = &l->attr[a];
		if (fetch_takes(l, a, &taken) && attr->source == FETCH_ARRAY) {
			fetch_attribute(attr, space, index, n, min, max, mode, b->v[attr->input],
					outside);
		}
	}
}
