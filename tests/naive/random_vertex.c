/* Random vertices in arrays or in the list, random primitives, and the trigger. */
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"

enum {
	MAX_VERTICES = 16,
	MAX_RECORDS = 0x2000,
};

/* ---- Positions ---- */

/* The ranges from which a draw's positions are chosen. */
struct scatter {
	float x, y, spread, z, z_spread;
	enum {
		GRID_NONE,
		GRID_HALF_PIXELS, /* corners and centres of pixels */
		GRID_TIES,        /* half way between two 12.4 coordinates */
		GRID_RECTANGLE,   /* corners of a rectangle whose sides are powers of two */
	} grid;
	unsigned side[2]; /* of the rectangle, in pixels */
	unsigned corner; /* three points in a row are never on a line */
	float texels_per_pixel;
	unsigned w_kind;
};

static struct scatter random_scatter(struct rng *r) {
	struct scatter s = {.spread = rng_float(r, 0.8f, 1.6f), .z = -0.5f, .z_spread = 0.5f};
	const unsigned kind = rng_below(r, 100);
	if (kind < 22) {
		s.x = rng_float(r, -0.8f, 0.8f);
		s.y = rng_float(r, -0.8f, 0.8f);
		s.spread = rng_float(r, 0.04f, 0.5f);
	} else if (kind < 34) {
		s.spread = 4.0f;
	}
	if (rng_chance(r, 12)) {
		s.z_spread = 1.2f;
	}
	if (rng_chance(r, 10)) {
		s.z = 0.0f;
		s.z_spread = rng_chance(r, 50) ? 0.0f
					       : 4e-8f; /* about the tolerance of the clip planes */
	}
	const unsigned grid = rng_below(r, 100);
	s.grid = grid < 15 ? GRID_HALF_PIXELS : grid < 25 ? GRID_TIES : grid < 42 ? GRID_RECTANGLE :
			GRID_NONE;
	s.corner = rng_below(r, 4);
	s.side[0] = 8u << rng_below(r, 4);
	s.side[1] = 8u << rng_below(r, 4);
	s.texels_per_pixel = 0.25f * (float)(1u << rng_below(r, 4));
	s.w_kind = rng_below(r, 100);
	return s;
}

struct position {
	float clip[4];
	float pixel[2]; /* of a rectangle's corner */
};

static float snap(const struct scatter *s, float ndc, unsigned side, float corner) {
	const float steps = (float)side; /* of half a pixel */
	switch (s->grid) {
	case GRID_NONE:
		break;
	case GRID_HALF_PIXELS:
		return floorf(ndc * steps + 0.5f) / steps;
	case GRID_TIES:
		return (floorf(ndc * steps * 8) + 0.5f) / (steps * 8);
	case GRID_RECTANGLE:
		return 2.0f * corner / steps - 1.0f;
	}
	return ndc;
}

static void random_position(struct gen *gen, struct scatter *s, struct position *p) {
	struct rng *r = &gen->r;
	float w = 1.0f;
	if (s->w_kind >= 60) {
		w = rng_float(r, 0.3f, 3.0f);
	}
	if (s->w_kind >= 92) {
		w = rng_float(r, 0.01f, 0.3f);
	}
	if (s->w_kind >= 97) {
		w = rng_float(r, -1.0f, 1.0f);
	}
	if (gen->attribute[0].count < 4) {
		w = 1.0f; /* what a missing component reads */
	}
	float x = s->x + rng_float(r, -s->spread, s->spread);
	float y = s->y + rng_float(r, -s->spread, s->spread);
	for (unsigned k = 0; k < 2; k++) {
		p->pixel[k] = s->corner >> k & 1 ? (float)s->side[k] : 0.0f;
	}
	s->corner++;
	p->clip[0] = snap(s, x, gen->target.width, p->pixel[0]) * w;
	p->clip[1] = snap(s, y, gen->target.height, p->pixel[1]) * w;
	p->clip[2] = (s->z + rng_float(r, -s->z_spread, s->z_spread)) * w;
	p->clip[3] = w;
}

/* ---- Attribute values ---- */

/*
 * Values of attribute a of a vertex at position p, before the program scales it. On rectangles,
 * floats are texture coordinates whose texels per pixel make the level of detail a whole number.
 */
static void random_values(struct gen *gen, const struct scatter *s, unsigned a,
		const struct position *p, float v[4]) {
	struct rng *r = &gen->r;
	const struct attribute *at = &gen->attribute[a];
	static const float lo[4] = {-128, 0, -32768, -1.5f}, hi[4] = {127, 255, 32767, 1.5f};
	for (unsigned k = 0; k < 4; k++) {
		if (a == 0) {
			v[k] = (p->clip[k] - at->offset[k]) / at->scale[k];
			if (at->type != ATTRIB_TYPE_F32) {
				v[k] = floorf(v[k] + 0.5f);
			}
		} else if (s->grid == GRID_RECTANGLE && at->type == ATTRIB_TYPE_F32) {
			const unsigned texels = k % 2 ? gen->tex_height : gen->tex_width;
			v[k] = p->pixel[k % 2] * s->texels_per_pixel / (float)texels;
		} else {
			v[k] = rng_float(r, lo[at->type], hi[at->type]);
		}
		v[k] = at->type == ATTRIB_TYPE_F32 ? v[k] : v[k] < lo[at->type] ? lo[at->type] :
				v[k] > hi[at->type] ? hi[at->type] : v[k];
	}
	if (a > 0 && at->type == ATTRIB_TYPE_F32 && rng_chance(r, 2)) {
		static const uint32_t odd[] = { 0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000,
			0x00000001, 0x1F000000, 0x60000000, 0x7F7FFFFF };
		v[rng_below(r, 4)] = f32_from_bits(odd[rng_below(r, ARRAY_LEN(odd))]);
	}
}

static unsigned element_size(unsigned type) {
	static const unsigned size[4] = {1, 1, 2, 4};
	return size[type];
}

static void store_values(uint8_t *out, const struct attribute *at, const float v[4]) {
	for (unsigned k = 0; k < at->count; k++) {
		const unsigned size = element_size(at->type);
		const uint32_t word =
			at->type == ATTRIB_TYPE_F32 ? f32_bits(v[k]) : (uint32_t)(int32_t)v[k];
		for (unsigned i = 0; i < size; i++) {
			out[k * size + i] = (uint8_t)(word >> (8 * i));
		}
	}
}

/* ---- Arrays ---- */

struct loader {
	unsigned component[12], count;
	unsigned at[12]; /* byte of attribute a in the record */
	unsigned end, stride;
	uint32_t offset; /* of the array in the draw's bytes */
};

struct arrays {
	struct loader loader[12];
	unsigned n_loaders;
	unsigned loader_of[12];
	uint8_t bytes[MAX_RECORDS];
	uint32_t n_bytes;
};

static unsigned align(unsigned x, unsigned to) {
	return (x + to - 1) / to * to;
}

static void add_component(struct loader *l, const struct gen *gen, unsigned c) {
	l->component[l->count++] = c;
	if (c >= 12) {
		l->end = align(l->end, 4) + 4 * (c - 11);
		return;
	}
	const struct attribute *at = &gen->attribute[c];
	l->end = align(l->end, element_size(at->type));
	l->at[c] = l->end;
	l->end += at->count * element_size(at->type);
}

/* Spreads the attributes over loaders in any order, with padding here and there. */
static void random_layout(struct gen *gen, struct arrays *ar) {
	struct rng *r = &gen->r;
	unsigned order[12], n = 0;
	memset(ar->loader, 0, sizeof(ar->loader));
	for (unsigned a = 0; a < gen->shape.n_attributes; a++) {
		if (!gen->attribute[a].is_fixed) {
			order[n++] = a;
		}
	}
	for (unsigned i = n; i > 1; i--) {
		const unsigned k = rng_below(r, i), swap = order[i - 1];
		order[i - 1] = order[k];
		order[k] = swap;
	}
	ar->n_loaders = rng_chance(r, 50) ? 1 : 1 + rng_below(r, 12);
	for (unsigned i = 0; i < n; i++) {
		const unsigned which = rng_below(r, ar->n_loaders);
		struct loader *l = &ar->loader[which];
		ar->loader_of[order[i]] = which;
		if (rng_chance(r, 12) && l->count < 11) {
			add_component(l, gen, 12 + rng_below(r, 4));
		}
		add_component(l, gen, order[i]);
	}
	for (unsigned i = 0; i < ar->n_loaders; i++) {
		struct loader *l = &ar->loader[i];
		l->stride = align(l->end, 4) + (rng_chance(r, 20) ? 4 * rng_below(r, 4) : 0);
		if (i != ar->loader_of[0] && rng_chance(r, 5)) {
			l->stride = 0; /* one record for all */
		}
	}
}

static void fill_arrays(struct gen *gen, struct arrays *ar, unsigned n_vertices) {
	struct rng *r = &gen->r;
	struct scatter s = random_scatter(r);
	ar->n_bytes = 0;
	for (unsigned i = 0; i < ar->n_loaders; i++) {
		struct loader *l = &ar->loader[i];
		ar->n_bytes = align(ar->n_bytes, 4) + (rng_chance(r, 10) ? rng_below(r, 4) : 0);
		l->offset = ar->n_bytes;
		ar->n_bytes += l->stride * (n_vertices - 1) + l->end;
		if (ar->n_bytes > MAX_RECORDS) {
			abort();
		}
	}
	rng_bytes(r, ar->bytes, ar->n_bytes);
	for (unsigned v = 0; v < n_vertices; v++) {
		struct position p;
		float values[4];
		random_position(gen, &s, &p);
		for (unsigned a = 0; a < gen->shape.n_attributes; a++) {
			if (gen->attribute[a].is_fixed) {
				continue;
			}
			const struct loader *l = &ar->loader[ar->loader_of[a]];
			random_values(gen, &s, a, &p, values);
			store_values(ar->bytes + l->offset + l->stride * v + l->at[a],
				&gen->attribute[a], values);
		}
	}
}

static void put_arrays(struct gen *gen, struct group *g, const struct arrays *ar, uint32_t addr) {
	struct rng *r = &gen->r;
	uint32_t words[36] = {0};
	uint32_t format[2] = {0, 0};
	uint32_t fixed = 0;
	const uint32_t base = rng_chance(r, 50) ? VERTEX_AREA : WIN_FCRAM + 16 * rng_below(r, 256);
	gen->array_base = base;
	for (unsigned a = 0; a < gen->shape.n_attributes; a++) {
		const struct attribute *at = &gen->attribute[a];
		format[a / 8] |= (at->type | (at->count - 1) << 2) << (4 * (a % 8));
		/*
		 * The mask bit of a loaded attribute is ignored; a fixed one reads the same without
		 * it.
		 */
		fixed |= (uint32_t)(rng_chance(r, 3) ? !at->is_fixed : at->is_fixed) << a;
	}
	for (unsigned i = 0; i < ar->n_loaders; i++) {
		const struct loader *l = &ar->loader[i];
		words[3 * i] = addr + l->offset - base;
		for (unsigned k = 0; k < l->count; k++) {
			words[3 * i + 1 + k / 8] |= l->component[k] << (4 * (k % 8));
		}
		words[3 * i + 2] |= ATTRIBBUFFER_CONFIG2_STRIDE_SET(l->stride) |
				ATTRIBBUFFER_CONFIG2_COUNT_SET(l->count);
	}
	group_put(g, REG_ATTRIBBUFFERS_LOC, base >> 3);
	group_put(g, REG_ATTRIBBUFFERS_FORMAT_LOW, format[0]);
	group_put(g, REG_ATTRIBBUFFERS_FORMAT_HIGH, format[1] |
			ATTRIBBUFFERS_FORMAT_HIGH_FIXED_MASK_SET(fixed) |
			ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1_SET(gen->shape.n_attributes - 1));
	group_burst(g, REG_ATTRIBBUFFER0_OFFSET, words, 36, true);
}

/*
 * Writes the bytes of a draw: before the group begins, beside those of other draws, or, by a job
 * just before the draw, over bytes that the group's earlier draws have read.
 */
static uint32_t place_bytes(struct gen *gen, struct group *g, const uint8_t *bytes, uint32_t n,
		unsigned alignment) {
	if (g->n_vertices > n && rng_chance(&gen->r, 8) && g->n_data + n < GROUP_MAX_DATA) {
		const uint32_t addr = VERTEX_AREA +
				rng_below(&gen->r, (g->n_vertices - n) / alignment + 1) * alignment;
		struct pica_job job = {.op = PICA_OP_WRITE};
		memcpy(g->data + g->n_data, bytes, n);
		job.u.write.addr = addr;
		job.u.write.size_bytes = n;
		job.u.write.data = (uint64_t)(uintptr_t)(g->data + g->n_data);
		g->n_data += n;
		g->item[g->n_items++] = (struct item){.job = job, .target = gen->target};
		return addr;
	}
	g->n_vertices = align(g->n_vertices, alignment);
	if (g->n_vertices + n > VERTEX_AREA_BYTES) {
		abort();
	}
	memcpy(g->vertices + g->n_vertices, bytes, n);
	g->n_vertices += n;
	return VERTEX_AREA + g->n_vertices - n;
}

/* ---- Triggers ---- */

static void vec4_words(const float v[4], uint32_t out[3]) {
	f24_pack_vec4(v, out);
}

static void fixed_attributes(struct gen *gen, struct group *g) {
	if (gen->is_fresh) { /* all in one go: the index advances by itself */
		uint32_t words[12 * 3];
		for (unsigned a = 0; a < 12; a++) {
			const float v[4] = { rng_float(&gen->r, -1, 1), rng_float(&gen->r, -1, 1),
				0.5f, 1.0f };
			vec4_words(v, &words[3 * a]);
		}
		group_put(g, REG_FIXEDATTRIB_INDEX, 0);
		group_burst(g, REG_FIXEDATTRIB_DATA1, words, 12 * 3, false);
		return;
	}
	for (unsigned a = 0; a < 12; a++) {
		const bool wanted = a < gen->shape.n_attributes && gen->attribute[a].is_fixed;
		if (!wanted || !rng_chance(&gen->r, 60)) {
			continue;
		}
		const float v[4] = {rng_float(&gen->r, -1, 1), rng_float(&gen->r, -1, 1),
			rng_float(&gen->r, -1, 1), rng_float(&gen->r, -1, 1)};
		uint32_t words[4] = {a};
		vec4_words(v, &words[1]);
		group_burst(g, REG_FIXEDATTRIB_INDEX, words, 4, true);
	}
}

static unsigned vertex_count(struct gen *gen) {
	struct rng *r = &gen->r;
	if (rng_chance(r, 8)) {
		return 1 + rng_below(r, 8);
	}
	if (gen->topology == PRIMITIVE_STRIP || gen->topology == PRIMITIVE_FAN) {
		return 3 + rng_below(r, 6);
	}
	return 3 * (1 + rng_below(r, 4));
}

static void draw_immediate(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	struct scatter s = random_scatter(r);
	const unsigned n = vertex_count(gen);
	group_put_masked(g, REG_FIXEDATTRIB_INDEX, 15, rng_chance(r, 80) ? 1 : 15);
	for (unsigned v = 0; v < n; v++) {
		uint32_t words[12 * 3];
		struct position p;
		float values[4];
		random_position(gen, &s, &p);
		for (unsigned a = 0; a < gen->shape.n_attributes; a++) {
			random_values(gen, &s, a, &p, values);
			for (unsigned k = 0; k < 4; k++) {
				values[k] = f24_truncate(values[k]);
			}
			vec4_words(values, &words[3 * a]);
		}
		group_burst(g, REG_FIXEDATTRIB_DATA0 + rng_below(r, 3), words,
			3 * gen->shape.n_attributes, false);
		if (rng_chance(r, 3)) { /* state changes between vertices */
			group_put(g, REG_TEXENV0_COLOR, rng_word(r));
		}
	}
	if (rng_chance(r, 5)) { /* less than a vertex, dropped by the next index */
		group_put(g, REG_FIXEDATTRIB_DATA0, rng_word(r));
	}
}

static void draw_indexed(struct gen *gen, struct group *g, unsigned n_vertices) {
	struct rng *r = &gen->r;
	const bool is_u16 = rng_chance(r, 60);
	const bool counts = gen->gs_on && gen->gs.mode == GS_KIND_VARIABLE;
	uint8_t bytes[256];
	unsigned n = 0, left = 0, i = counts ? 4 * gen->gs.n_vertices : vertex_count(gen);
	if (gen->gs_on && !counts && rng_chance(r, 80)) {
		i = 16 + rng_below(r, 112); /* enough for runs that are drawn together */
	}
	while (i > 0 || left > 0) {
		uint32_t index = rng_below(r, n_vertices);
		if (counts && left == 0) {
			index = left =
				gen->gs.n_vertices + rng_below(r, 2); /* full ones, and one more */
		} else if (counts) {
			left--;
		}
		i -= i > 0;
		bytes[n * (is_u16 ? 2 : 1)] = (uint8_t)index;
		if (is_u16) {
			bytes[n * 2 + 1] = 0;
		}
		n++;
	}
	const uint32_t addr = place_bytes(gen, g, bytes, n * (is_u16 ? 2 : 1), is_u16 ? 2 : 1);
	group_put(g, REG_INDEXBUFFER_CONFIG, INDEXBUFFER_CONFIG_OFFSET_SET(addr - gen->array_base) |
			INDEXBUFFER_CONFIG_IS_U16_SET(is_u16));
	group_put(g, REG_NUMVERTICES, n);
	group_put(g, REG_VERTEX_OFFSET, rng_chance(r, 80) ? 0 : rng_word(r)); /* ignored [HW] */
	group_put(g, REG_DRAWELEMENTS, rng_word(r));
}

static bool samples_target(const struct gen *gen) {
	for (unsigned unit = 0; unit < 3; unit++) {
		if (ranges_overlap(gen->tex[unit], gen->target.color) ||
			ranges_overlap(gen->tex[unit], gen->target.depth)) {
			return true;
		}
	}
	for (unsigned i = 0; i < ARRAY_LEN(gen->face); i++) {
		if (ranges_overlap(gen->face[i], gen->target.color) ||
			ranges_overlap(gen->face[i], gen->target.depth)) {
			return true;
		}
	}
	return false;
}

static void random_topology(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	if (gen->is_fresh || rng_chance(r, 60)) {
		gen->topology =
			gen->gs_on && rng_chance(r, 85) ? PRIMITIVE_GEOMETRY : rng_below(r, 4);
		group_put_masked(g, REG_PRIMITIVE_CONFIG,
			PRIMITIVE_CONFIG_MODE_SET(gen->topology) |
				PRIMITIVE_CONFIG_NUM_OUTPUTS_M1_SET(gen->shape.n_slots - 1),
			rng_chance(r, 60) ? 2 : 15);
	}
	if (rng_chance(r, 60)) {
		group_put(g, REG_RESTART_PRIMITIVE, 1);
	}
}

void random_trigger(struct gen *gen, struct group *g) {
	static struct arrays ar; /* large, and one thread */
	struct rng *r = &gen->r;
	const bool counts = gen->gs_on && gen->gs.mode == GS_KIND_VARIABLE;
	random_topology(gen, g);
	fixed_attributes(gen, g);
	if (!counts && rng_chance(r, 20) && !samples_target(gen)) {
		draw_immediate(gen, g);
		return;
	}
	if (gen->can_repeat && rng_chance(r, 20) && !counts) {
		group_put(g, REG_NUMVERTICES, 1 + rng_below(r, gen->repeat_vertices));
		group_put(g, REG_VERTEX_OFFSET, 0);
		group_put(g, REG_DRAWARRAYS, 1);
		return;
	}
	const unsigned skip = rng_below(r, 4);
	const unsigned n = vertex_count(gen);
	random_layout(gen, &ar);
	fill_arrays(gen, &ar, n + skip);
	const uint32_t addr = place_bytes(gen, g, ar.bytes, ar.n_bytes, 4);
	put_arrays(gen, g, &ar, addr);
	gen->can_repeat = true;
	gen->repeat_vertices = n + skip;
	if (counts || rng_chance(r, 45)) {
		draw_indexed(gen, g, n + skip);
		return;
	}
	group_put(g, REG_INDEXBUFFER_CONFIG,
		rng_chance(r, 80) ? 0x80000000 : rng_word(r)); /* ignored */
	group_put(g, REG_NUMVERTICES, n);
	group_put(g, REG_VERTEX_OFFSET, skip);
	group_put(g, REG_DRAWARRAYS, rng_word(r));
}
