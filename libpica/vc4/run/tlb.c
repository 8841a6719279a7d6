/* The tile buffer: tests of Z and stencil, colours. [fidelity: qpu-tlb] */
#include <string.h>

#include "vc4/run/machine.h"

static uint32_t pixel(const struct qpu_tlb *t, unsigned lane, unsigned sample) {
	return t->quad_px[lane / 4] + lane % 4 + sample * t->sample_px;
}

void tlb_load(struct machine *m) {
	const struct qpu_tlb *t = m->run->tlb;
	for (unsigned i = 0; i < QPU_LANES; i += 4) {
		uint32_t *r4 = m->row[QPU_ROW_R + 4] + i;
		memset(r4, 0, 4 * sizeof(*r4));
		if (t && m->active >> i & 1) { /* whole quads */
			memcpy(r4, t->color + pixel(t, i, m->load_sample), 4 * sizeof(*r4));
		}
	}
	m->load_sample = t && m->load_sample + 1 < t->n_samples ? m->load_sample + 1 : 0;
}

/* ---- The multisample mask ---- */

void tlb_read_mask(const struct machine *m, uint32_t out[QPU_LANES]) {
	const struct qpu_tlb *t = m->run->tlb;
	for (unsigned i = 0; i < QPU_LANES; i++) {
		out[i] = 0;
		for (unsigned s = 0; t && s < t->n_samples; s++) {
			out[i] |= (uint32_t)(t->covered[s] >> i & 1) << s;
		}
	}
}

void tlb_and_mask(struct machine *m, const uint32_t v[QPU_LANES], unsigned mask) {
	struct qpu_tlb *t = m->run->tlb;
	for (unsigned i = 0; i < QPU_LANES; i++) {
		for (unsigned s = 0; t && mask >> i & 1 && s < t->n_samples; s++) {
			t->covered[s] &= (uint16_t)~((~v[i] >> s & 1) << i);
		}
	}
}

/* ---- Stencil and Z ---- */

void tlb_set_stencil(struct machine *m, uint32_t word) {
	static const uint8_t write_masks[4] = { 0x01, 0x03, 0x0F, 0xFF };
	const unsigned faces = word >> 30;
	if (faces == 0) {
		m->stencil[0].write_mask = (uint8_t)word;
		m->stencil[1].write_mask = (uint8_t)(word >> 8);
	}
	for (unsigned k = 0; k < 2; k++) {
		if (faces >> k & 1) {
			m->stencil[k] = (struct stencil_face){
				.is_on = true,
				.mask = (uint8_t)word,
				.reference = (uint8_t)(word >> 8),
				.write_mask = write_masks[word >> 28 & 3],
				.function = word >> 16 & 7,
				.on_fail = word >> 19 & 7,
				.on_pass = word >> 22 & 7,
				.on_z_fail = word >> 25 & 7,
			};
		}
	}
}

/* never < = <= > != >= always: bits 0 to 2 of the function are less, equal, greater. */
static bool compare(unsigned function, uint32_t a, uint32_t b) {
	return function >> (a < b ? 0 : a == b ? 1 : 2) & 1;
}

static uint32_t stencil_operation(unsigned operation, uint32_t v, uint32_t reference) {
	switch (operation) {
	case 0:
		return 0;
	case 2:
		return reference;
	case 3:
		return v < 255 ? v + 1 : v;
	case 4:
		return v ? v - 1 : v;
	case 5:
		return ~v & 255;
	case 6:
		return (v + 1) & 255;
	case 7:
		return (v - 1) & 255;
	default:
		return v;
	}
}

static bool fails_stencil(const struct stencil_face *f, uint32_t zs) {
	return f->is_on && !compare(f->function, f->reference & f->mask, zs & 255 & f->mask);
}

bool tlb_fails_stencil(const struct machine *m, uint32_t zs) {
	return fails_stencil(&m->stencil[m->run->tlb->is_back], zs);
}

/* Tests one sample. Returns whether it passes. */
static bool test(const struct stencil_face *f, const struct qpu_tlb *t, uint32_t *zs, uint32_t z) {
	const uint32_t old = *zs & 255;
	const bool fails = fails_stencil(f, old);
	const bool passes = !fails && compare(t->depth_function, z, *zs >> 8);
	if (f->is_on) {
		const unsigned operation = fails ? f->on_fail : passes ? f->on_pass : f->on_z_fail;
		const uint32_t stencil = stencil_operation(operation, old, f->reference);
		*zs = (*zs & ~(uint32_t)f->write_mask) | (stencil & f->write_mask);
	}
	if (passes && t->updates_z) {
		*zs = z << 8 | (*zs & 255);
	}
	return passes;
}

static void write_z(struct machine *m, const uint32_t v[QPU_LANES], unsigned mask) {
	struct qpu_tlb *t = m->run->tlb;
	const struct stencil_face *f = &m->stencil[t->is_back];
	for (unsigned s = 0; s < t->n_samples; s++) {
		t->covered[s] &= (uint16_t)mask; /* the others are discarded */
		for (unsigned lanes = t->covered[s] & m->active; lanes; lanes &= lanes - 1) {
			const unsigned i = ctz32(lanes);
			if (!test(f, t, &t->zs[pixel(t, i, s)], v[i] & 0xFFFFFF)) {
				t->covered[s] &= (uint16_t)~(1u << i);
			}
		}
	}
}

/* ---- Colours ---- */

static void write_color(struct machine *m, unsigned sample, const uint32_t v[QPU_LANES],
		unsigned mask) {
	const struct qpu_tlb *t = m->run->tlb;
	const unsigned lanes = t->covered[sample] & mask & m->active;
	for (unsigned q = 0; q < QPU_LANES / 4; q++) {
		unsigned left = lanes >> 4 * q & 15;
		if (left == 15) {
			memcpy(t->color + pixel(t, 4 * q, sample), v + 4 * q, 4 * sizeof(*v));
			continue;
		}
		for (; left; left &= left - 1) {
			const unsigned i = 4 * q + ctz32(left);
			t->color[pixel(t, i, sample)] = v[i];
		}
	}
}

void tlb_write(struct machine *m, unsigned address, const uint32_t v[QPU_LANES], unsigned mask) {
	const struct qpu_tlb *t = m->run->tlb;
	if (!t) {
		return;
	}
	switch (address) {
	case WRITE_Z:
		write_z(m, v, mask);
		break;
	case WRITE_COLOR_SAMPLE:
		write_color(m, m->store_sample, v, mask);
		m->store_sample = m->store_sample + 1 < t->n_samples ? m->store_sample + 1 : 0;
		break;
	default:
		for (unsigned s = 0; s < t->n_samples; s++) {
			write_color(m, s, v, mask);
		}
		break;
	}
}
