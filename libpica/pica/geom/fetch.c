#include "pica/geom/geom.h"

#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/geom/fetch_element.h"
#include "pica/regs/regs.h"

enum {
	N_LOADERS = 12,
	N_ARRAY_ATTRIBUTES = 12, /* attributes 12-15 exist in the permutation only */
	MAX_COMPONENTS = 12,
	FIRST_PADDING = 12, /* component nibbles C-F: 4 to 16 bytes of padding */
	LOADER_REGS = REG_ATTRIBBUFFER1_OFFSET - REG_ATTRIBBUFFER0_OFFSET,
};

/* Nibble k of a table of nibbles that runs over two registers, low one first. */
static unsigned nibble(uint32_t low, uint32_t high, unsigned k) {
	return (k < 8 ? low >> 4 * k : high >> 4 * (k - 8)) & 0xF;
}

static uint32_t round_up(uint32_t x, uint32_t power_of_two) {
	return (x + power_of_two - 1) & ~(power_of_two - 1);
}

/*
 * Binds the attributes of one loader. The component nibble is the attribute number; elements are
 * aligned to their component size, relative to the record, padding to 4. An attribute listed twice
 * keeps the later place. [HW: attribute-alignment test; fidelity: vertex-layout]
 */
static void walk_loader(struct fetch_layout *l, const uint32_t *regs, unsigned loader,
		uint32_t base, unsigned n_arrays) {
	const uint32_t *r = regs + REG_ATTRIBBUFFER0_OFFSET + loader * LOADER_REGS;
	uint32_t addr = base + ATTRIBBUFFER_OFFSET_OFFSET(r[0]);
	uint32_t stride = ATTRIBBUFFER_CONFIG2_STRIDE(r[2]);
	unsigned count = ATTRIBBUFFER_CONFIG2_COUNT(r[2]);
	if (count > MAX_COMPONENTS) {
		count = MAX_COMPONENTS;
	}
	uint32_t cur = 0;
	for (unsigned k = 0; k < count; k++) {
		unsigned c = nibble(r[1], r[2], k);
		if (c >= FIRST_PADDING) {
			cur = round_up(cur, 4) + 4 * (c - FIRST_PADDING + 1);
			continue;
		}
		struct fetch_attribute *a = &l->attr[c];
		cur = round_up(cur, fetch_component_bytes(a->type));
		/* Attributes beyond the count are not loaded. */
		if (c < n_arrays) {
			a->source = FETCH_ARRAY;
			a->addr = addr + cur;
			a->stride_bytes = stride;
		}
		cur += fetch_element_bytes(a);
	}
}

void fetch_layout_from_regs(struct fetch_layout *l, const uint32_t *regs, const float fixed[16][4],
		uint32_t unwritten, const struct space *space) {
	l->n_unloaded = 0;
	memcpy(l->fixed, fixed, sizeof(l->fixed));

	const uint32_t high = regs[REG_ATTRIBBUFFERS_FORMAT_HIGH];
	/* A nibble for each attribute. */
	uint64_t formats = (uint64_t)(high & 0xFFFF) << 32 | regs[REG_ATTRIBBUFFERS_FORMAT_LOW];
	uint64_t inputs16 = (uint64_t)regs[REG_VSH_ATTRIBUTES_PERMUTATION_HIGH] << 32 |
			regs[REG_VSH_ATTRIBUTES_PERMUTATION_LOW];
	unsigned n_arrays = ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1(high) + 1;
	unsigned fixed_mask = ATTRIBBUFFERS_FORMAT_HIGH_FIXED_MASK(high);
	for (unsigned a = 0; a < 16; a++, formats >>= 4, inputs16 >>= 4) {
		l->attr[a] = (struct fetch_attribute){ .source = FETCH_NONE,
			.type = formats & 3,
			.count = (uint8_t)((formats >> 2 & 3) + 1),
			.input = inputs16 & 15 };
	}

	uint32_t base = ATTRIBBUFFERS_LOC_ADDR16(regs[REG_ATTRIBBUFFERS_LOC]) << 4;
	uint32_t avail;
	l->base_in_memory = space_host_from(space, base, &avail) != NULL;
	for (unsigned i = 0; i < N_LOADERS; i++) {
		walk_loader(l, regs, i, base, n_arrays);
	}

	/*
	 * An array wins over the fixed-attribute mask [HW: vertex-loading test]; an attribute with
	 * neither keeps an old value on hardware, here it is the fixed attribute's, (0,0,0,1) if
	 * that was never written. [guess; fidelity: attribute-source; Azahar on Vulkan gives
	 * (0,0,0,1)]
	 */
	static const float missing[4] = { 0, 0, 0, 1 };
	uint32_t inputs = regs[REG_VSH_INPUTBUFFER_CONFIG];
	l->n_attributes = (uint8_t)(SH_INPUTBUFFER_CONFIG_COUNT_M1(inputs) + 1);
	for (unsigned a = 0; a < l->n_attributes; a++) {
		struct fetch_attribute *attr = &l->attr[a];
		if (attr->source == FETCH_NONE && a < N_ARRAY_ATTRIBUTES && a < n_arrays &&
				(fixed_mask >> a & 1)) {
			attr->source = FETCH_FIXED;
		}
		l->n_unloaded += attr->source == FETCH_NONE;
		if (attr->source == FETCH_NONE && (unwritten >> a & 1)) {
			memcpy(l->fixed[a], missing, sizeof(missing));
		}
	}
}

enum {
	LONGEST_EXPECTED = 128, /* most lines of longer records are not read */
	LINE_BYTES = 64,
};

void fetch_expect(const struct fetch_layout *l, const struct space *space, uint32_t first,
		uint32_t last) {
	uint32_t before = 0; /* attributes of one record lie in the same lines */
	for (unsigned i = 0; i < l->n_attributes; i++) {
		const struct fetch_attribute *a = &l->attr[i];
		const uint32_t bytes = (last - first) * a->stride_bytes;
		if (a->source != FETCH_ARRAY || a->stride_bytes > LONGEST_EXPECTED ||
				a->addr - before < a->stride_bytes) {
			continue;
		}
		before = a->addr;
		const uint8_t *host = fetch_host(a, space, first, last);
		if (!host) {
			continue;
		}
		/* Not unrolled: the processor drops some of many prefetches in a burst. */
		for (size_t at = 0; at <= bytes; at += LINE_BYTES) {
			PICA_PREFETCH(host + at);
		}
	}
}

unsigned fetch_ranges(const struct fetch_layout *l, uint32_t first, uint32_t last,
		struct range out[16]) {
	unsigned n = 0;
	for (unsigned a = 0; a < l->n_attributes; a++) {
		if (l->attr[a].source != FETCH_ARRAY) {
			continue;
		}
		uint64_t begin, end;
		if (first > last || !fetch_span(&l->attr[a], first, last, &begin, &end) ||
				end - begin > UINT32_MAX) {
			out[0] = (struct range){ .addr = 0, .size = UINT32_MAX };
			return 1;
		}
		struct range r = { .addr = (uint32_t)begin, .size = (uint32_t)(end - begin) };
		unsigned k = 0;
		while (k < n && !ranges_overlap(out[k], r)) {
			k++;
		}
		if (k == n) {
			out[n++] = r;
			continue;
		}
		uint64_t old_end = (uint64_t)out[k].addr + out[k].size;
		uint64_t new_end = (uint64_t)r.addr + r.size;
		out[k].addr = out[k].addr < r.addr ? out[k].addr : r.addr;
		uint64_t size = (old_end > new_end ? old_end : new_end) - out[k].addr;
		out[k].size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	}
	return n;
}

bool fetch_indices(const struct space *space, uint32_t addr, bool is_u16, uint32_t n, uint32_t *out,
		uint32_t *min, uint32_t *max) {
	*min = 0;
	*max = 0;
	if (n == 0) {
		return true;
	}
	uint64_t size = (uint64_t)n << is_u16;
	if (size > UINT32_MAX) {
		return false;
	}
	const uint8_t *p = space_host(space, addr, (uint32_t)size);
	if (!p) {
		return false;
	}
	uint32_t lo = UINT32_MAX, hi = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t index;
		if (is_u16) {
			uint16_t word;
			memcpy(&word, p + 2 * (size_t)i, sizeof(word));
			index = word;
		} else {
			index = p[i];
		}
		/* Only the copy in out is used from here on: the memory may change. */
		out[i] = index;
		lo = index < lo ? index : lo;
		hi = index > hi ? index : hi;
	}
	*min = lo;
	*max = hi;
	return true;
}

void fetch_inline(const struct fetch_layout *l, const float (*attributes)[4], unsigned lane,
		struct shader_batch *b) {
	for (unsigned r = 0; r < 16; r++) {
		for (unsigned c = 0; c < 4; c++) {
			b->v[r][c][lane] = 0.0f;
		}
	}
	for (unsigned a = 0; a < l->n_attributes; a++) {
		for (unsigned c = 0; c < 4; c++) {
			b->v[l->attr[a].input][c][lane] = attributes[a][c];
		}
	}
}

bool fetch_element(const struct space *space, uint32_t addr, uint32_t size_bytes, uint8_t raw[16]) {
	uint64_t end = (uint64_t)addr + size_bytes;
	uint32_t wrapped = end > (uint64_t)UINT32_MAX + 1 ? (uint32_t)end : 0;
	uint32_t straight = size_bytes - wrapped;
	uint32_t outside = space_read(space, addr, raw, straight);
	if (wrapped) {
		outside += space_read(space, 0, raw + straight, wrapped);
	}
	return outside != 0;
}

void fetch_convert(const struct fetch_attribute *a, const uint8_t *raw, float out[4]) {
	out[0] = 0.0f;
	out[1] = 0.0f;
	out[2] = 0.0f;
	out[3] = 1.0f; /* missing components: 0, 0, 1 [HW: vertex-loading test] */
	for (unsigned c = 0; c < a->count; c++) {
		switch (a->type) {
		case FETCH_S8:
			out[c] = (float)(int8_t)raw[c];
			break;
		case FETCH_U8:
			out[c] = (float)raw[c];
			break;
		case FETCH_S16: {
			int16_t half;
			memcpy(&half, raw + 2 * c, sizeof(half));
			out[c] = (float)half;
			break;
		}
		default:
			memcpy(&out[c], raw + 4 * c, sizeof(float));
			break;
		}
	}
}

bool fetch_leave_out(struct fetch_layout *l, const struct space *space, unsigned inputs,
		uint32_t first, uint32_t last) {
	for (unsigned a = 0; a < l->n_attributes; a++) {
		struct fetch_attribute *attr = &l->attr[a];
		if (attr->source == FETCH_ARRAY && !fetch_host(attr, space, first, last)) {
			return false;
		}
		if (!(inputs >> attr->input & 1)) {
			attr->source = FETCH_NONE;
		}
	}
	return true;
}

static bool is_tame(const float x[4]) {
	bool is = true;
	for (unsigned c = 0; c < 4; c++) {
		const uint32_t magnitude = f32_bits(x[c]) & 0x7FFFFFFF;
		is = is && (magnitude == 0 || (magnitude >= SHADER_TAME_LEAST &&
				magnitude < SHADER_TAME_END));
	}
	return is;
}

void fetch_constants(const struct fetch_layout *l, struct shader_batch *b) {
	unsigned taken = 0;
	b->tame = 0;
	for (unsigned a = l->n_attributes; a-- > 0;) {
		const struct fetch_attribute *attr = &l->attr[a];
		if (!fetch_takes(l, a, &taken) || attr->source == FETCH_ARRAY) {
			continue;
		}
		b->tame |= (uint16_t)(is_tame(l->fixed[a]) << attr->input);
		for (unsigned c = 0; c < 4; c++) {
			for (unsigned i = 0; i < SHADER_LANES; i++) {
				b->v[attr->input][c][i] = l->fixed[a][c];
			}
		}
	}
	for (unsigned r = 0; r < 16;) {
		unsigned end = r;
		while (end < 16 && !(taken >> end & 1)) {
			end++;
		}
		memset(&b->v[r], 0, (end - r) * sizeof(b->v[r]));
		r = end + 1;
	}
	b->tame |= (uint16_t)~taken;
}
