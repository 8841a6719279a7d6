#include "solid.h"

#include <stdbool.h>
#include <string.h>

/* 12 bytes. */
struct vertex {
	int16_t position[3]; /* in units of 1/2048 */
	int8_t normal[3];    /* of 127 */
	uint8_t color[3];
};

enum {
	MAX_VERTICES = (SOLID_MAX_RINGS + 1) * SOLID_MAX_SIDES,
	MAX_INDICES = SOLID_MAX_RINGS * SOLID_MAX_SIDES * 6,
};

static const char program_source[] =
		".fvec projection[4], model[4], lamp, half_way, gloss, tint, map[3]\n"
		".constf k(0.0, 1.0, 0.00048828125, 0.003921569)\n"
		".constf byte(0.007874016, 0.0, 0.0, 0.0)\n"
		OUT_COLOR
		".out out_tex texcoord0\n"
		".out out_tex_w texcoord0w\n"
		".in in_pos v0\n"
		".in in_normal v1\n"
		".in in_color v2\n"
		".proc main\n"
		"	mul r0.xyz, k.zzz, in_pos.xyz\n"
		PLACE
		"	dp4 out_tex.x, map[0], r1\n"
		"	dp4 out_tex.y, map[1], r1\n"
		"	dp4 out_tex_w.x, map[2], r1\n"
		"	mul r2.xyz, byte.xxx, in_normal.xyz\n"
		NORMAL3("r3", "model", "r2")
		UNIT("r3")
		"	mul r4.xyz, k.www, in_color.xyz\n"
		"	dp3 r5.x, lamp, r3\n"
		"	dp3 r5.y, half_way, r3\n"
		"	max r5.xy, k.xx, r5.xy\n"
		"	; the highlight: 2 ^ (exponent * log2)\n"
		"	lg2 r6.x, r5.y\n"
		"	mul r6.x, gloss.x, r6.x\n"
		"	ex2 r6.x, r6.x\n"
		"	mul r6.x, gloss.y, r6.x\n"
		"	mov r7, lamp\n"
		"	add r5.x, r7.w, r5.x\n"
		"	mad r4.xyz, r4.xyz, r5.xxx, r6.xxx\n"
		"	mul r4.xyz, tint.xyz, r4.xyz\n"
		"	min out_color.xyz, k.yyy, r4.xyz\n"
		"	mov r8, tint\n"
		"	mov out_color.w, r8.w\n"
		END;

static struct vertex vertex(const float p[3], const float n[3], uint32_t rgba) {
	struct vertex v;
	for (unsigned k = 0; k < 3; k++) {
		v.position[k] = (int16_t)(p[k] * 2048);
		v.normal[k] = (int8_t)(n[k] * 127);
	}
	put_color(v.color, 3, rgba);
	return v;
}

static const struct vertex_format format = { sizeof(struct vertex), 3,
	{ { PICA_ATTRIB_TYPE_S16, 3 }, { PICA_ATTRIB_TYPE_S8, 3 }, { PICA_ATTRIB_TYPE_U8, 3 } } };

/* Rings of sides vertices, joined by triangles; is_closed joins the last ring to the first. */
static struct mesh store_rings(struct recorder *r, const struct vertex *v, unsigned rings,
		unsigned sides, bool is_closed) {
	static uint16_t index[MAX_INDICES];
	uint16_t *end = index;
	for (unsigned i = 0; i + !is_closed < rings; i++) {
		end = put_ring(end, i * sides, (i + 1) % rings * sides, sides);
	}
	return mesh_store_indexed(r, &format, PICA_PRIMITIVE_LIST, v, rings * sides, index,
			(uint32_t)(end - index));
}

/* Normal of the outline at point i: perpendicular to the line between its neighbours. */
static void outline_normal(const float (*outline)[2], unsigned i, unsigned n, float normal[2]) {
	unsigned before = i > 0 ? i - 1 : i, after = i + 1 < n ? i + 1 : i;
	/* At an edge only the point's own side counts. */
	if (before != i && memcmp(outline[before], outline[i], sizeof(outline[i])) == 0) {
		before = i;
	}
	if (after != i && memcmp(outline[after], outline[i], sizeof(outline[i])) == 0) {
		after = i;
	}
	normal[0] = outline[before][1] - outline[after][1];
	normal[1] = outline[after][0] - outline[before][0];
}

struct mesh solid_lathe(struct recorder *r, const float (*outline)[2], unsigned n,
		unsigned sides, uint32_t top, uint32_t bottom) {
	static struct vertex v[MAX_VERTICES];
	const float high = outline[0][1], low = outline[n - 1][1];
	for (unsigned i = 0; i < n; i++) {
		float normal[2];
		outline_normal(outline, i, n, normal);
		const double t = (high - outline[i][1]) / (high - low);
		const uint32_t color = mix_color(top, bottom, t < 0 ? 0 : t > 1 ? 1 : t);
		for (unsigned k = 0; k < sides; k++) {
			const double turn = (double)k / sides;
			const float c = (float)turn_cos(turn), d = (float)turn_sin(turn);
			const float p[3] = { outline[i][0] * c, outline[i][1], -outline[i][0] * d };
			float around[3] = { normal[0] * c, normal[1], -normal[0] * d };
			vec3_normalize(around);
			v[i * sides + k] = vertex(p, around, color);
		}
	}
	return store_rings(r, v, n, sides, false);
}

struct mesh solid_ring(struct recorder *r, float radius, float thickness, uint32_t a,
		uint32_t b, unsigned stripes) {
	enum { RINGS = 48, SIDES = 20 };
	struct vertex v[RINGS * SIDES];
	for (unsigned i = 0; i < RINGS; i++) {
		const double along = (double)i / RINGS;
		const float c = (float)turn_cos(along), d = (float)turn_sin(along);
		for (unsigned k = 0; k < SIDES; k++) {
			const double turn = (double)k / SIDES;
			const float out = (float)turn_cos(turn), up = (float)turn_sin(turn);
			const float normal[3] = { out * c, out * d, up };
			const float p[3] = { (radius + thickness * out) * c,
				(radius + thickness * out) * d, thickness * up };
			v[i * SIDES + k] = vertex(p, normal, i * stripes * 2 / RINGS % 2 ? b : a);
		}
	}
	return store_rings(r, v, RINGS, SIDES, true);
}

struct mesh solid_board(struct recorder *r, unsigned n, uint32_t a, uint32_t b) {
	enum { MAX = 20 };
	static struct vertex v[MAX * MAX * 4];
	static uint16_t index[MAX * MAX * 6];
	static const float up[3] = { 0, 1, 0 };
	uint16_t *end = index;
	for (unsigned i = 0; i < n * n; i++) {
		for (unsigned k = 0; k < 4; k++) {
			const float p[3] = { (float)(i % n + (k & 1)) - (float)n / 2, 0,
				(float)n / 2 - (float)(i / n + (k >> 1)) };
			v[i * 4 + k] = vertex(p, up, (i % n + i / n) % 2 ? b : a);
		}
		end = put_quad(end, i * 4, i * 4 + 1, i * 4 + 2, i * 4 + 3);
	}
	return mesh_store_indexed(r, &format, PICA_PRIMITIVE_LIST, v, n * n * 4, index, n * n * 6);
}

struct mesh solid_ball(struct recorder *r, uint32_t top, uint32_t bottom) {
	enum { RINGS = 16 };
	float outline[RINGS + 1][2];
	for (unsigned i = 0; i <= RINGS; i++) {
		outline[i][0] = (float)turn_sin(0.5 * i / RINGS);
		outline[i][1] = (float)turn_cos(0.5 * i / RINGS);
	}
	outline[0][0] = 0;
	outline[RINGS][0] = 0;
	return solid_lathe(r, (const float (*)[2])outline, RINGS + 1, 32, top, bottom);
}

void solid_use(struct recorder *r, struct mat4 projection, const struct solid_light *light) {
	float half_way[4] = { light->lamp[0], light->lamp[1], light->lamp[2] + 1, 0 };
	vec3_normalize(half_way);
	use_projected(r, program_source, projection);
	set_uniform(r, "lamp", light->lamp, 1);
	set_uniform(r, "half_way", half_way, 1);
	set_uniform(r, "gloss", light->gloss, 1);
	set_uniform(r, "tint", light->tint, 1);
}

void solid_map(struct recorder *r, float rows[3][4]) {
	set_uniform(r, "map", rows[0], 3);
}

void solid_draw(struct recorder *r, const struct mesh *m, struct mat4 model) {
	set_matrix(r, "model", model);
	mesh_draw(r, m);
}
