/* Types of texture unit 0: cubes, projection, shadow maps. */
#include "kit.h"

/* Two triangles with coordinates (u, v, q) of their own in each corner. */
static void draw_corners(struct maker *m, const float uvq[4][3], float w) {
	struct vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		v[k] = (struct vertex){ k & 1 ? w : -w, k & 2 ? w : -w, 0, w, 1, 1, 1, 1, uvq[k][0],
			uvq[k][1], uvq[k][2] };
	}
	case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
}

/* A cube face fills the picture: its major axis is constant, the others go from -1 to 1. */
static void make_cubes(struct maker *m) {
	static const char *const names[6] = { "plus-x", "minus-x", "plus-y", "minus-y", "plus-z",
		"minus-z" };
	for (unsigned face = 0; face < 6; face++) {
		struct pica_texture t = {
			.width = 16, .height = 16, .type = PICA_TEXTURE_TYPE_CUBE
		};
		float corner[4][3];
		if (!case_begin(m, ORIGIN_RULE, "cube", 16, 16, "cube-%s", names[face])) {
			return;
		}
		for (unsigned i = 0; i < 6; i++) {
			EACH_PIXEL(m, x, y) {
				m->texels[y][x] =
						(edge_color(x, y, 2) & 0xFFFF00FF) | (40 * i) << 8;
			}
			const uint32_t addr = case_store_texels(m);
			*(i ? &t.faces[i - 1] : &t.addr) = addr;
		}
		use_texture(&m->r, &t);
		tev_texture(&m->r);
		for (unsigned k = 0; k < 4; k++) {
			const float s = k & 1 ? 1 : -1, v = k & 2 ? 1 : -1;
			/* The direction to (s, t) on the face: the inverse of the table of
			 * faces. */
			const float directions[6][3] = { { 1, -v, -s }, { -1, -v, s }, { s, 1, v },
				{ s, -1, -v }, { s, -v, 1 }, { -s, -v, -1 } };
			memcpy(corner[k], directions[face], sizeof(corner[k]));
			/* Slightly inside, so that no corner belongs to two faces. */
			for (unsigned a = 0; a < 3; a++) {
				corner[k][a] *= a == face / 2 ? 2.0f : 1.9375f;
			}
		}
		draw_corners(m, (const float(*)[3])corner, 1);
		EACH_PIXEL(m, x, y) {
			/* Pixel centres in 1/32, scaled by 31/32 from the middle. */
			const int s = (2 * (int)x - 15) * 31, v = (2 * (int)y - 15) * 31;
			const unsigned i = (unsigned)((s + 512) * 16 / 1024),
				       j = (unsigned)((v + 512) * 16 / 1024);
			m->want[y][x] = (edge_color(i, j, 2) & 0xFFFF00FF) | (40 * face) << 8;
		}
		case_end(m);
	}
	/* Ties between axes, and the direction 0. */
	static const struct {
		const char *name;
		float u, v, w;
	} ties[] = { { "x-and-y", 1, 1, 0.5f }, { "x-and-z", 1, 0.5f, -1 },
		{ "y-and-z", 0.5f, -1, 1 }, { "zero", 0, 0, 0 } };
	static const unsigned won[] = { 2, 5, 4, 5 };
	for (unsigned n = 0; n < ARRAY_LEN(ties); n++) {
		struct pica_texture t = {
			.width = 16, .height = 16, .type = PICA_TEXTURE_TYPE_CUBE
		};
		if (!case_begin(m, ORIGIN_RULE, "cube", 16, 16, "cube-tie-%s", ties[n].name)) {
			return;
		}
		for (unsigned i = 0; i < 6; i++) {
			EACH_PIXEL(m, x, y) {
				m->texels[y][x] = 0x204060FF + (40 * i << 24);
			}
			*(i ? &t.faces[i - 1] : &t.addr) = case_store_texels(m);
		}
		use_texture(&m->r, &t);
		tev_texture(&m->r);
		const float c[3] = { ties[n].u, ties[n].v, ties[n].w };
		draw_corners(m,
				(const float[4][3]){ { c[0], c[1], c[2] }, { c[0], c[1], c[2] },
						{ c[0], c[1], c[2] }, { c[0], c[1], c[2] } },
				1);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = 0x204060FF + (40 * won[n] << 24);
		}
		case_end(m);
	}
}

static void make_projection(struct maker *m) {
	static const char *const names[3] = { "by-w", "2d-ignores-w", "perspective" };
	for (unsigned i = 0; i < 3; i++) {
		static const float flat[4][3] = { { 0, 0, 2 }, { 2, 0, 2 }, { 0, 2, 2 },
			{ 2, 2, 2 } };
		static const float plain[4][3] = { { 0, 0, 4 }, { 1, 0, 4 }, { 0, 1, 4 },
			{ 1, 1, 4 } };
		if (!case_begin(m, i == 2 ? ORIGIN_RENDERERS : ORIGIN_RULE, "coordinates", 16, 16,
				    "projection-%s", names[i])) {
			return;
		}
		EACH_PIXEL(m, x, y) {
			m->texels[y][x] = m->want[y][x] = edge_color(x, y, 2);
		}
		struct pica_texture t = case_texture(m, 0, 1);
		t.type = i == 1 ? PICA_TEXTURE_TYPE_2D : PICA_TEXTURE_TYPE_PROJECTION;
		use_texture(&m->r, &t);
		tev_texture(&m->r);
		if (i == 2) {
			draw_corners(m,
					(const float[4][3]){ { 0, 0, 1 }, { 2, 0, 2 }, { 0, 1, 1 },
							{ 3, 3, 3 } },
					1);
		} else {
			draw_corners(m, i ? plain : flat, 1);
		}
		case_end(m);
	}
}

/* Depths of 8x8 texels are column/8; a fragment's depth is 1/2. */
static void make_shadow_textures(struct maker *m) {
	static const struct {
		const char *name;
		bool divides, is_cube;
		float bias;
		enum origin origin;
	} rows[] = { { "2d", false, false, 0, ORIGIN_RENDERERS },
		{ "2d-divided", true, false, 0, ORIGIN_RENDERERS },
		{ "2d-bias", false, false, 0.25f, ORIGIN_RENDERERS },
		{ "2d-outside", false, false, 0, ORIGIN_RENDERERS },
		{ "cube", false, true, 0, ORIGIN_RENDERERS },
		{ "cube-bias", false, true, 0.25f, ORIGIN_RENDERERS } };
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		static uint8_t bytes[6][256];
		if (!case_begin(m, rows[i].origin, "shadow-texture", 32, 32, "shadow-texture-%s",
				    rows[i].name)) {
			return;
		}
		for (unsigned k = 0; k < 6 * 64; k++) {
			const unsigned x = k % 8, row = k / 8 % 8, at = 4 * texel_index(x, row, 8);
			const uint32_t depth = 0xFFFFFF / 8 * (x + 1);
			uint8_t *p = bytes[k / 64] + at;
			p[0] = (uint8_t)(depth >> 16);
			p[1] = (uint8_t)(depth >> 8);
			p[2] = (uint8_t)depth;
			p[3] = edge_byte(row * 2 + 1);
		}
		struct pica_texture t = { .width = 8,
			.height = 8,
			.type = rows[i].is_cube ? PICA_TEXTURE_TYPE_SHADOW_CUBE :
						  PICA_TEXTURE_TYPE_SHADOW_2D };
		for (unsigned k = 0; k < 6; k++) {
			*(k ? &t.faces[k - 1] : &t.addr) =
					recorder_store(&m->r, bytes[k], sizeof(bytes[k]));
		}
		use_texture(&m->r, &t);
		pica_emit_shadow_texture(m->list, rows[i].divides, rows[i].bias);
		tev_texture(&m->r);
		if (rows[i].is_cube) {
			draw_corners(m,
					(const float[4][3]){ { 0.5f, -1, -1 }, { 0.5f, -1, 1 },
							{ 0.5f, 1, -1 }, { 0.5f, 1, 1 } },
					1);
		} else if (i == 3) {
			draw_corners(m,
					(const float[4][3]){ { -1, -1, 0.5f }, { 2, -1, 0.5f },
							{ -1, 2, 0.5f }, { 2, 2, 0.5f } },
					1);
		} else {
			const float end = rows[i].divides ? 0.5f : 1;
			draw_corners(m,
					(const float[4][3]){ { 0, 0, 0.5f }, { end, 0, 0.5f },
							{ 0, end, 0.5f }, { end, end, 0.5f } },
					1);
		}
		case_end(m);
	}
}

void make_unit0(struct maker *m) {
	make_cubes(m);
	make_projection(m);
	make_shadow_textures(m);
}
