/* Access of the VPM: rows of 16 words, in vectors of 16 elements. */
#include <string.h>

#include "vc4/run/machine.h"

bool vpm_set_up(struct vpm_setup *s, uint32_t word) {
	const unsigned size = word >> 8 & 3, left = word >> 20 & 15, stride = word >> 12 & 63;
	if (size == 3) {
		return false;
	}
	*s = (struct vpm_setup){
		.address = (uint8_t)word,
		.stride = (uint8_t)(stride ? stride : 64),
		.size = (uint8_t)size,
		.is_horizontal = word >> 11 & 1,
		.is_laned = word >> 10 & 1,
		.left = (uint8_t)(left ? left : 16),
	};
	return true;
}

struct place {
	uint8_t row, column, shift;
};

/*
 * Laned: an element a word, in the part that the address names. Packed: all parts of half or a
 * quarter of the words.
 */
static struct place place(const struct vpm_setup *s, unsigned i) {
	const unsigned log2_parts = 2 - s->size, parts = 1u << log2_parts;
	const unsigned base = s->address >> log2_parts, part = s->address & (parts - 1);
	const bool is_laned = s->is_laned || s->size == 2;
	const unsigned along = is_laned ? i : (part * QPU_LANES + i) / parts;
	const unsigned shift = (is_laned ? part : i & (parts - 1)) * (32 / parts);
	return s->is_horizontal ?
			(struct place){ base & 63, (uint8_t)along, (uint8_t)shift } :
			(struct place){ (uint8_t)((base & 0x30) + along), base & 15,
					(uint8_t)shift };
}

static uint32_t element_mask(const struct vpm_setup *s) {
	return 0xFFFFFFFFu >> (32 - (8 << s->size));
}

/* One row as it is. */
static bool is_plain(const struct vpm_setup *s) {
	return s->size == 2 && s->is_horizontal;
}

static void advance(struct vpm_setup *s) {
	s->address = (uint8_t)(s->address + s->stride);
}

void vpm_read(struct machine *m, uint32_t out[QPU_LANES]) {
	struct vpm_setup *s = &m->vpm_read;
	const struct qpu_run *r = m->run;
	memset(out, 0, QPU_LANES * sizeof(*out));
	if (!s->left) {
		m->run->warnings |= QPU_WARN_VPM_READ;
		return;
	}
	s->left--;
	if (is_plain(s) && (s->address & 63) < r->n_in) {
		memcpy(out, r->vpm_in[s->address & 63], sizeof(r->vpm_in[0]));
		advance(s);
		return;
	}
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const struct place p = place(s, i);
		if (p.row < r->n_in) {
			out[i] = r->vpm_in[p.row][p.column] >> p.shift & element_mask(s);
		} else {
			m->run->warnings |= QPU_WARN_VPM_READ;
		}
	}
	advance(s);
}

void vpm_write(struct machine *m, const uint32_t v[QPU_LANES], unsigned mask) {
	struct vpm_setup *s = &m->vpm_write;
	struct qpu_run *r = m->run;
	if (is_plain(s) && mask == 0xFFFF && r->vpm_out) {
		memcpy(r->vpm_out[s->address & 63], v, sizeof(r->vpm_out[0]));
		r->written |= UINT64_C(1) << (s->address & 63);
		advance(s);
		return;
	}
	for (unsigned i = 0; r->vpm_out && i < QPU_LANES; i++) {
		const struct place p = place(s, i);
		if (!(r->written >> p.row & 1)) {
			memset(r->vpm_out[p.row], 0, sizeof(r->vpm_out[p.row]));
			r->written |= UINT64_C(1) << p.row;
		}
		if (mask >> i & 1) {
			uint32_t *word = &r->vpm_out[p.row][p.column];
			*word = (*word & ~(element_mask(s) << p.shift)) |
					(v[i] & element_mask(s)) << p.shift;
		}
	}
	advance(s);
}
