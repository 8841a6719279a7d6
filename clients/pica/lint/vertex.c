/* Checks of a draw: vertex arrays, indices, the map of outputs. */
#include "common/log.h"
#include "fields.h"
#include "lint.h"

enum {
	LOADERS = 12,
	LOADER_REGS = PICA_REG_ATTRIBBUFFER1_OFFSET - PICA_REG_ATTRIBBUFFER0_OFFSET,
	MAX_COMPONENTS = 12,
	FIRST_PADDING = 12,
};

static unsigned nibble(uint32_t low, uint32_t high, unsigned k) {
	return (k < 8 ? low >> 4 * k : high >> 4 * (k - 8)) & 0xF;
}

static uint32_t round_up(uint32_t x, uint32_t power_of_two) {
	return (x + power_of_two - 1) & ~(power_of_two - 1);
}

static unsigned count_bits(uint32_t bits) {
	unsigned n = 0;
	for (; bits; bits &= bits - 1) {
		n++;
	}
	return n;
}

/* ---- Arrays ---- */

struct array {
	uint32_t end;    /* of a vertex: after its last component */
	uint32_t align;  /* bytes of its largest element */
	uint32_t loaded; /* bit a: attribute a is in it */
};

/* Walks like the hardware's loader. [fidelity: vertex-layout] */
static struct array walk(struct lint *l, const uint32_t *regs, unsigned loader) {
	static const uint8_t element_bytes[4] = { 1, 1, 2, 4 };
	const uint32_t reg = PICA_REG_ATTRIBBUFFER0_OFFSET + loader * LOADER_REGS;
	const uint32_t *r = regs + reg;
	const uint32_t low = regs[PICA_REG_ATTRIBBUFFERS_FORMAT_LOW],
			high = regs[PICA_REG_ATTRIBBUFFERS_FORMAT_HIGH];
	struct array a = { .align = 1 };
	unsigned count = get_ATTRIBBUFFER_CONFIG2_COUNT(r[2]);
	if (count > MAX_COMPONENTS) {
		lint_report(l, LINT_COMPONENTS, reg + 2, r[2], "%u components", count);
		count = MAX_COMPONENTS;
	}
	for (unsigned k = 0; k < count; k++) {
		const unsigned c = nibble(r[1], r[2], k);
		if (c >= FIRST_PADDING) {
			a.end = round_up(a.end, 4) + 4 * (c - FIRST_PADDING + 1);
			continue;
		}
		const unsigned format = nibble(low, high, c), bytes = element_bytes[format & 3];
		if (a.end % bytes) {
			lint_report(l, LINT_ATTRIBUTE_ALIGNMENT, reg + 1, r[1],
					"attribute %u of %s at byte %u", c,
					field_text("ATTRIB_TYPE", format & 3), a.end);
		}
		a.end = round_up(a.end, bytes) + bytes * ((format >> 2) + 1);
		a.align = bytes > a.align ? bytes : a.align;
		a.loaded |= 1u << c;
	}
	return a;
}

static uint32_t array_base(const uint32_t *regs) {
	return get_ATTRIBBUFFERS_LOC_ADDR16(regs[PICA_REG_ATTRIBBUFFERS_LOC]) << 4;
}

/* Vertices that DRAWARRAYS reads. */
static void check_array_memory(struct lint *l, const uint32_t *regs, uint32_t reg, uint64_t addr,
		uint32_t stride, uint32_t end) {
	const uint32_t n = regs[PICA_REG_NUMVERTICES], first = regs[PICA_REG_VERTEX_OFFSET];
	const struct lint_range r = lint_range(addr + (uint64_t)first * stride,
			(uint64_t)(n - 1) * stride + end);
	if (n && !lint_in_memory(l, r)) {
		lint_reg(l, LINT_VERTEX_MEMORY, regs, reg, "vertices %u to %u at 0x%08X", first,
				first + n - 1, (unsigned)addr);
	}
}

/* Returns the attributes that arrays hold. */
static uint32_t check_arrays(struct lint *l, const uint32_t *regs, enum draw_kind kind) {
	const uint32_t base = array_base(regs);
	uint32_t loaded = 0;
	for (unsigned loader = 0; loader < LOADERS; loader++) {
		const uint32_t reg = PICA_REG_ATTRIBBUFFER0_OFFSET + loader * LOADER_REGS;
		if (!get_ATTRIBBUFFER_CONFIG2_COUNT(regs[reg + 2])) {
			continue;
		}
		const struct array a = walk(l, regs, loader);
		const uint32_t stride = get_ATTRIBBUFFER_CONFIG2_STRIDE(regs[reg + 2]);
		const uint32_t offset = get_ATTRIBBUFFER_OFFSET_OFFSET(regs[reg]);
		loaded |= a.loaded;
		/* With stride 0 all vertices have one record. */
		if (stride && stride != a.end && stride != round_up(a.end, 4)) {
			lint_reg(l, LINT_STRIDE, regs, reg + 2,
					"stride %u of components with %u bytes", stride, a.end);
		}
		if (offset % a.align) {
			lint_reg(l, LINT_ARRAY_ALIGNMENT, regs, reg, "0x%08X", base + offset);
		}
		if (kind == DRAW_ARRAYS) {
			check_array_memory(l, regs, reg, (uint64_t)base + offset, stride, a.end);
		}
	}
	return loaded;
}

static void check_indices(struct lint *l, const uint32_t *regs) {
	const uint32_t config = regs[PICA_REG_INDEXBUFFER_CONFIG];
	const bool is_u16 = get_INDEXBUFFER_CONFIG_IS_U16(config);
	const uint64_t addr = (uint64_t)array_base(regs) + get_INDEXBUFFER_CONFIG_OFFSET(config);
	if (is_u16 && (addr & 1)) {
		lint_report(l, LINT_INDEX_ALIGNMENT, PICA_REG_INDEXBUFFER_CONFIG, config, "0x%08X",
				(unsigned)addr);
	}
	const struct lint_range r =
			lint_range(addr, (uint64_t)regs[PICA_REG_NUMVERTICES] << is_u16);
	if (r.end > r.begin && !lint_in_memory(l, r)) {
		lint_report(l, LINT_VERTEX_MEMORY, PICA_REG_INDEXBUFFER_CONFIG, config,
				"%u %s at 0x%08X", regs[PICA_REG_NUMVERTICES],
				regs[PICA_REG_NUMVERTICES] == 1 ? "index" : "indices",
				(unsigned)addr);
	}
}

static void check_counts(
		struct lint *l, const uint32_t *regs, enum draw_kind kind, uint32_t loaded) {
	const uint32_t inputs =
			get_SH_INPUTBUFFER_CONFIG_COUNT_M1(regs[PICA_REG_VSH_INPUTBUFFER_CONFIG]) +
			1;
	const uint32_t immediate = get_VSH_NUM_ATTR_NUM_ATTR_M1(regs[PICA_REG_VSH_NUM_ATTR]) + 1;
	const uint32_t high = regs[PICA_REG_ATTRIBBUFFERS_FORMAT_HIGH];
	const uint32_t arrays = get_ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1(high) + 1;
	if (immediate != inputs) {
		lint_reg(l, LINT_ATTRIBUTE_COUNT, regs, PICA_REG_VSH_NUM_ATTR,
				"%u attribute%s for %u input%s", immediate, plural(immediate),
				inputs, plural(inputs));
	}
	if (kind == DRAW_IMMEDIATE) {
		return;
	}
	if (arrays != inputs) {
		lint_report(l, LINT_ATTRIBUTE_COUNT, PICA_REG_ATTRIBBUFFERS_FORMAT_HIGH, high,
				"%u attribute%s for %u input%s", arrays, plural(arrays), inputs,
				plural(inputs));
	}
	const uint32_t known = loaded | get_ATTRIBBUFFERS_FORMAT_HIGH_FIXED_MASK(high);
	for (uint32_t a = 0; a < arrays && a < MAX_COMPONENTS; a++) {
		if ((l->fixed.bad & ~loaded) >> a & 1) {
			lint_report(l, LINT_ATTRIBUTE_NAN, PICA_REG_FIXEDATTRIB_INDEX, a,
					"fixed attribute %u", a);
		}
		if (!(known >> a & 1)) {
			lint_report(l, LINT_ATTRIBUTE_MISSING, PICA_REG_ATTRIBBUFFERS_FORMAT_HIGH,
					high, "attribute %u", a);
		}
	}
}

/* ---- Sequences ---- */

static const char *are(unsigned n) {
	return n == 1 ? " is" : "s are";
}

static void check_sequence(struct lint *l, const uint32_t *regs, enum draw_kind kind) {
	const uint32_t mode = get_PRIMITIVE_CONFIG_MODE(regs[PICA_REG_PRIMITIVE_CONFIG]);
	const uint32_t n = regs[PICA_REG_NUMVERTICES];
	const bool is_list = !facts_has_geometry(regs) && (mode == PICA_PRIMITIVE_LIST ||
			(mode == PICA_PRIMITIVE_GEOMETRY && kind == DRAW_ELEMENTS));
	if (regs[PICA_REG_START_DRAW_FUNC0] & 1) {
		lint_reg(l, LINT_CONFIGURING, regs, PICA_REG_START_DRAW_FUNC0, "expected 0");
	}
	if (kind == DRAW_IMMEDIATE && !l->has_restarted &&
			(mode == PICA_PRIMITIVE_STRIP || mode == PICA_PRIMITIVE_FAN)) {
		lint_reg(l, LINT_STRIP_RESTART, regs, PICA_REG_PRIMITIVE_CONFIG, "mode %s",
				field_text("PRIMITIVE", mode));
	}
	if (kind != DRAW_IMMEDIATE && is_list && n % 3) {
		lint_report(l, LINT_LEFT_OVER, PICA_REG_NUMVERTICES, n, "%u vert%s", n,
				n == 1 ? "ex" : "ices");
	}
	static const uint16_t bits[] = { PICA_REG_GEOSTAGE_CONFIG, PICA_REG_GEOSTAGE_CONFIG2 };
	for (unsigned i = 0; i < ARRAY_LEN(bits); i++) {
		const bool is_set = regs[bits[i]] >> 8 & 1;
		if (is_set ? kind != DRAW_ELEMENTS : kind == DRAW_ELEMENTS && is_list) {
			lint_reg(l, LINT_INDEXED_MODE, regs, bits[i], "bit 8 is %d for %s", is_set,
					draw_kind_name(kind));
		}
	}
}

/* ---- Outputs ---- */

static void check_outputs(struct lint *l, const uint32_t *regs) {
	/* Clocks and the semantics that need them.  [fidelity: dvle-binding] */
	static const struct {
		uint32_t clock, semantics;
		const char *name;
	} clocks[] = {
		{ 1u << 0, 1u << PICA_SEMANTIC_POSITION_Z, "position.z" },
		{ 1u << 1, 0xFu << PICA_SEMANTIC_COLOR_R, "colour" },
		{ 1u << 8, 3u << PICA_SEMANTIC_TEXCOORD0_U, "texcoord0" },
		{ 1u << 9, 3u << PICA_SEMANTIC_TEXCOORD1_U, "texcoord1" },
		{ 1u << 10, 3u << PICA_SEMANTIC_TEXCOORD2_U, "texcoord2" },
		{ 1u << 16, 1u << PICA_SEMANTIC_TEXCOORD0_W, "texcoord0.w" },
		{ 1u << 24, 0xFu << PICA_SEMANTIC_QUATERNION_X | 7u << PICA_SEMANTIC_VIEW_X,
		"quaternion or view" },
	};
	const bool is_flat = get_TEXUNIT_PARAM_TYPE(regs[PICA_REG_TEXUNIT0_PARAM]) ==
			PICA_TEXTURE_TYPE_2D;
	/* Unread outputs need no clock. */
	const bool is_read[ARRAY_LEN(clocks)] = { true,
		lint_reads_source(l, PICA_TEV_SOURCE_PRIMARY), l->reads.sets & 1, l->reads.sets & 2,
		l->reads.sets & 4, (l->reads.units & 1) && !is_flat, l->reads.has_light };
	const uint32_t slots = get_SH_OUTMAP_TOTAL_COUNT(regs[PICA_REG_SH_OUTMAP_TOTAL]);
	const uint32_t vs_mask = regs[PICA_REG_VSH_OUTMAP_MASK] & 0xFFFF,
		       gs_mask = regs[PICA_REG_GSH_OUTMAP_MASK] & 0xFFFF;
	const uint32_t last_mask = facts_has_geometry(regs) ? gs_mask : vs_mask;
	if (slots != count_bits(last_mask)) {
		lint_reg(l, LINT_OUTMAP_COUNT, regs, PICA_REG_SH_OUTMAP_TOTAL,
				"%u output%s enabled", count_bits(last_mask),
				are(count_bits(last_mask)));
	}
	const uint32_t total = get_VSH_OUTMAP_TOTAL_COUNT_M1(regs[PICA_REG_VSH_OUTMAP_TOTAL1]) + 1;
	if (total != count_bits(vs_mask)) {
		lint_reg(l, LINT_VSH_OUTPUTS, regs, PICA_REG_VSH_OUTMAP_TOTAL1,
				"%u output%s enabled", count_bits(vs_mask),
				are(count_bits(vs_mask)));
	}
	if (get_PRIMITIVE_CONFIG_NUM_OUTPUTS_M1(regs[PICA_REG_PRIMITIVE_CONFIG]) + 1 != slots) {
		lint_reg(l, LINT_PRIMITIVE_OUTPUTS, regs, PICA_REG_PRIMITIVE_CONFIG,
				"SH_OUTMAP_TOTAL is %u", slots);
	}
	const uint32_t bits = facts_mapped_outputs(regs),
			clock = regs[PICA_REG_SH_OUTATTR_CLOCK];
	if ((bits & 0xF) != 0xF) {
		lint_reg(l, LINT_OUTMAP_POSITION, regs, PICA_REG_SH_OUTMAP_O0, "x, y, z, w: 0x%X",
				bits & 0xF);
	}
	for (unsigned i = 0; i < ARRAY_LEN(clocks); i++) {
		if (is_read[i] && (bits & clocks[i].semantics) && !(clock & clocks[i].clock)) {
			lint_report(l, LINT_OUTMAP_CLOCK, PICA_REG_SH_OUTATTR_CLOCK, clock, "%s",
					clocks[i].name);
		}
	}
	if (l->reads.sets && !get_SH_OUTATTR_MODE_TEXCOORDS(regs[PICA_REG_SH_OUTATTR_MODE])) {
		lint_reg(l, LINT_TEXCOORD_MODE, regs, PICA_REG_SH_OUTATTR_MODE, "expected 1");
	}
}

void lint_vertex(struct lint *l, const uint32_t *regs, enum draw_kind kind) {
	uint32_t loaded = 0;
	if (kind != DRAW_IMMEDIATE) {
		loaded = check_arrays(l, regs, kind);
	}
	if (kind == DRAW_ELEMENTS) {
		check_indices(l, regs);
	}
	check_counts(l, regs, kind, loaded);
	check_sequence(l, regs, kind);
	check_outputs(l, regs);
}
