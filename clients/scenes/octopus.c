/*
 * Skinning. An octopus swims: its arms are one mesh, drawn eight times with a palette of eight
 * bones each, and every vertex follows two of them. The vertex program fetches their matrices with
 * its address registers. Bottom: the octopus from above, in the colours of its bones.
 */
#include "kit.h"

enum {
	FRAMES = 4,
	ARMS = 8,
	BONES = 8, /* of an arm */
	BONE_ROWS = 4, /* three for the matrix, one for the colour */
	RINGS = 48,
	SIDES = 12,
	ARM_VERTICES = (RINGS + 1) * SIDES,
	ARM_INDICES = RINGS * SIDES * 6,
	PROFILE = 14, /* steps of the head from top to bottom */
	HEAD_SIDES = 24,
	EYE_STEPS = 8,
	EYE_SIDES = 12,
	HEAD_VERTICES = (PROFILE + 1) * HEAD_SIDES + 2 * (EYE_STEPS + 1) * EYE_SIDES,
	HEAD_INDICES = (PROFILE * HEAD_SIDES + 2 * EYE_STEPS * EYE_SIDES) * 6, BUBBLES = 26,
};

static const float arm_length = 3.1f;

/* 16 bytes. */
struct vertex {
	int16_t position[3]; /* in units of 1/1024 */
	int8_t normal[3];    /* of 127 */
	uint8_t bones[2];    /* their first rows in the palette */
	uint8_t weights[2];  /* of 255, together 255 */
	uint8_t color[3];
};

static const struct vertex_format format = { sizeof(struct vertex), 5,
	{ { PICA_ATTRIB_TYPE_S16, 3 }, { PICA_ATTRIB_TYPE_S8, 3 }, { PICA_ATTRIB_TYPE_U8, 2 },
			{ PICA_ATTRIB_TYPE_U8, 2 }, { PICA_ATTRIB_TYPE_U8, 3 } } };

/* A vector times the first three rows of a bone. */
#define BONE(op, to, bone, from) \
	"	" op " " to ".x, palette[" bone "+0], " from "\n" \
	"	" op " " to ".y, palette[" bone "+1], " from "\n" \
	"	" op " " to ".z, palette[" bone "+2], " from "\n"

static const char program_source[] =
		".fvec projection[4], palette[32], lamp, rim\n"
		".bool show_bones\n"
		".constf k(0.0, 1.0, 0.0009765625, 0.003921569)\n"
		".constf byte(0.007874016, 0.0, 0.0, 0.0)\n"
		OUT_COLOR
		".in in_pos v0\n"
		".in in_normal v1\n"
		".in in_bones v2\n"
		".in in_weights v3\n"
		".in in_color v4\n"
		".proc main\n"
		"	mova a0.xy, in_bones\n"
		"	mul r0.xyz, k.zzz, in_pos.xyz\n"
		"	mov r0.w, k.y\n"
		"	mul r1.xyz, byte.xxx, in_normal.xyz\n"
		"	mul r2.xy, k.ww, in_weights.xy\n"
		"	; place and normal as the first bone has them\n"
		BONE("dp4", "r3", "a0.x", "r0")
		BONE("dp3", "r4", "a0.x", "r1")
		"	; as the second has them\n"
		BONE("dp4", "r5", "a0.y", "r0")
		BONE("dp3", "r6", "a0.y", "r1")
		"	; weighted\n"
		"	mul r3.xyz, r3.xyz, r2.xxx\n"
		"	mad r3.xyz, r5.xyz, r2.yyy, r3.xyz\n"
		"	mov r3.w, k.y\n"
		"	mul r4.xyz, r4.xyz, r2.xxx\n"
		"	mad r4.xyz, r6.xyz, r2.yyy, r4.xyz\n"
		UNIT("r4")
		PROJECT("r3")
		"	; the skin's colour, or those of the bones\n"
		"	ifu show_bones\n"
		"		mul r7.xyz, palette[a0.x+3].xyz, r2.xxx\n"
		"		mov r8.xyz, palette[a0.y+3].xyz\n"
		"		mad r7.xyz, r8.xyz, r2.yyy, r7.xyz\n"
		"	.else\n"
		"		mul r7.xyz, k.www, in_color.xyz\n"
		"	.end\n"
		"	; light from above, and the water's from the back\n"
		"	dp3 r9.x, lamp, r4\n"
		"	max r9.x, k.x, r9.x\n"
		"	mov r10, lamp\n"
		"	add r9.x, r10.w, r9.x\n"
		"	mul r7.xyz, r7.xyz, r9.xxx\n"
		"	max r11.x, k.x, r4.z\n"
		"	add r11.x, k.y, -r11.x\n"
		"	mul r11.x, r11.x, r11.x\n"
		"	mov r12, rim\n"
		"	mad r7.xyz, r12.xyz, r11.xxx, r7.xyz\n"
		"	min out_color.xyz, k.yyy, r7.xyz\n"
		"	mov out_color.w, k.y\n"
		END;

static struct {
	struct pica_texture bubble;
	struct mesh arm, head, water, rays;
} own;

/* ---- Meshes ---- */

static struct vertex vertex(const float p[3], const float n[3], uint32_t rgba) {
	struct vertex v;
	memset(&v, 0, sizeof(v));
	v.weights[0] = 255;
	for (unsigned k = 0; k < 3; k++) {
		v.position[k] = (int16_t)(p[k] * 1024);
		v.normal[k] = (int8_t)(n[k] * 127);
	}
	put_color(v.color, 3, rgba);
	return v;
}

/* The arm lies along +x, with its suckers below. */
static void store_arm(struct recorder *r) {
	struct vertex v[ARM_VERTICES];
	uint16_t index[ARM_INDICES], *end = index;
	for (unsigned ring = 0; ring <= RINGS; ring++) {
		const double t = (double)ring / RINGS;
		const float radius = 0.3f * (float)((1 - t) * (1 - t * 0.6)) + 0.015f;
		const float slope = 0.1f; /* the arm grows thinner: normals point a bit forward */
		/* A bone bends the middle of its segment; vertices between two bones follow
		 * both. */
		double along = t * BONES - 0.5;
		along = along < 0 ? 0 : along > BONES - 1 ? BONES - 1 : along;
		const unsigned bone = (unsigned)along;
		const unsigned next = bone + 1 < BONES ? bone + 1 : bone;
		const uint8_t weight = (uint8_t)((along - bone) * 255);
		for (unsigned s = 0; s < SIDES; s++) {
			const double turn = (double)s / SIDES;
			const float c = (float)turn_cos(turn), d = (float)turn_sin(turn);
			const float p[3] = { (float)t * arm_length, radius * d, radius * c };
			float normal[3] = { slope, d, c };
			vec3_normalize(normal);
			const bool is_below = d < -0.4f, is_sucker = ring % 4 < 2;
			const uint32_t skin = mix_color(
					0xD8503CFF, 0xF09058FF, (ring * 7 + s * 5) % 11 / 11.0);
			struct vertex *w = &v[ring * SIDES + s];
			const uint32_t below = is_sucker ? 0xFFE8D0FF : 0xE8A088FF;
			*w = vertex(p, normal, is_below ? below : skin);
			w->bones[0] = (uint8_t)(bone * BONE_ROWS);
			w->bones[1] = (uint8_t)(next * BONE_ROWS);
			w->weights[0] = (uint8_t)(255 - weight);
			w->weights[1] = weight;
		}
		if (ring < RINGS) {
			end = put_ring(end, ring * SIDES, (ring + 1) * SIDES, SIDES);
		}
	}
	own.arm = mesh_store_indexed(r, &format, PICA_PRIMITIVE_LIST, v, ARM_VERTICES, index,
			ARM_INDICES);
}

/* Radius and height from the top down: mantle, neck, and the web between the arms. */
static const float profile[PROFILE + 1][2] = { { 0, 2.1f }, { 0.3f, 2.04f }, { 0.54f, 1.88f },
	{ 0.7f, 1.64f }, { 0.77f, 1.36f }, { 0.74f, 1.08f }, { 0.64f, 0.84f }, { 0.54f, 0.64f },
	{ 0.52f, 0.46f }, { 0.58f, 0.28f }, { 0.68f, 0.12f }, { 0.72f, 0.0f }, { 0.62f, -0.14f },
	{ 0.36f, -0.24f }, { 0, -0.26f } };

static uint16_t *store_mantle(struct vertex *v, uint16_t *end) {
	for (unsigned i = 0; i <= PROFILE; i++) {
		const float *at = profile[i], *before = profile[i ? i - 1 : 0];
		const float *after = profile[i < PROFILE ? i + 1 : i];
		for (unsigned s = 0; s < HEAD_SIDES; s++) {
			const double turn = (double)s / HEAD_SIDES;
			const float c = (float)turn_cos(turn), d = (float)turn_sin(turn);
			const float p[3] = { at[0] * c, at[1], -at[0] * d };
			float normal[3] = { (before[1] - after[1]) * c, after[0] - before[0],
				-(before[1] - after[1]) * d };
			vec3_normalize(normal);
			const double spots = 0.5 +
					0.5 * turn_sin(i * 0.29) * turn_cos(s * 3.0 / HEAD_SIDES);
			v[i * HEAD_SIDES + s] = vertex(p, normal,
					mix_color(0xD04838FF, 0xF8A868FF, spots * 0.8));
		}
		if (i < PROFILE) {
			end = put_ring(end, i * HEAD_SIDES, (i + 1) * HEAD_SIDES, HEAD_SIDES);
		}
	}
	return end;
}

/* Rings around an axis that points outwards, from the pupil to the back. */
static uint16_t *store_eye(struct vertex *v, uint16_t *end, unsigned first,
		const float middle[3], const float axis[3]) {
	const float radius = 0.19f, up[3] = { 0, 1, 0 };
	float side[3], top[3];
	vec3_cross(up, axis, side);
	vec3_normalize(side);
	vec3_cross(axis, side, top);
	for (unsigned i = 0; i <= EYE_STEPS; i++) {
		const double polar = 0.5 * i / EYE_STEPS;
		const float far = (float)turn_cos(polar), out = (float)turn_sin(polar);
		for (unsigned s = 0; s < EYE_SIDES; s++) {
			const double turn = (double)s / EYE_SIDES;
			const float east = (float)turn_cos(turn), north = (float)turn_sin(turn);
			float normal[3], p[3];
			for (unsigned k = 0; k < 3; k++) {
				normal[k] = far * axis[k] + out * (east * side[k] + north * top[k]);
				p[k] = middle[k] + radius * normal[k];
			}
			v[first + i * EYE_SIDES + s] = vertex(p, normal, i <= 1 ? 0x101018FF : i ==
					2 ? 0x207080FF : 0xFFF8E8FF);
		}
		if (i < EYE_STEPS) {
			const unsigned a = first + i * EYE_SIDES;
			end = put_ring(end, a, a + EYE_SIDES, EYE_SIDES);
		}
	}
	return end;
}

static void store_head(struct recorder *r) {
	struct vertex v[HEAD_VERTICES];
	uint16_t index[HEAD_INDICES];
	unsigned first = (PROFILE + 1) * HEAD_SIDES;
	uint16_t *end = store_mantle(v, index);
	for (unsigned i = 0; i < 2; i++) {
		const float side = i ? -1 : 1, middle[3] = { side * 0.37f, 0.66f, 0.43f };
		float axis[3] = { side * 0.4f, 0.12f, 0.9f };
		vec3_normalize(axis);
		end = store_eye(v, end, first, middle, axis);
		first += (EYE_STEPS + 1) * EYE_SIDES;
	}
	own.head = mesh_store_indexed(r, &format, PICA_PRIMITIVE_LIST, v, HEAD_VERTICES, index,
			HEAD_INDICES);
}

static void store_water(struct recorder *r) {
	static const uint32_t color[4] = { 0x04142CFF, 0x06183AFF, 0x2C88A8FF, 0x48B0C0FF };
	struct color_vertex v[36];
	own.water = store_color_quad(r, -1, -1, 1, 1, color);
	/* Shafts of light, fading downwards. */
	for (unsigned i = 0; i < 12; i++) {
		const float x = -1.1f + 0.2f * (float)i,
			    wide = 0.03f + 0.04f * (float)(i * 5 % 7) / 6;
		v[i * 3] = color_vertex(x + 0.35f, 1, 0, 0xB0F0E038);
		v[i * 3 + 1] = color_vertex(x + 0.35f + wide, 1, 0, 0xB0F0E038);
		v[i * 3 + 2] = color_vertex(x - 0.1f * (float)(i % 3),
				-0.4f - 0.5f * (float)(i * 3 % 5) / 4, 0, 0xB0F0E000);
	}
	own.rays = store_colors(r, PICA_PRIMITIVE_LIST, v, COUNT(v));
}

static void picture_bubble(unsigned px, unsigned py, unsigned n, uint8_t rgba[4]) {
	const int x = 2 * (int)px + 1 - (int)n, y = 2 * (int)py + 1 - (int)n, d = x * x + y * y;
	const int gleam = (x + 5) * (x + 5) + (y + 5) * (y + 5);
	memset(rgba, 255, 3);
	rgba[3] = (uint8_t)(d > 15 * 15 ? 0 : d > 12 * 12 ? 200 : gleam < 12 ? 255 : 40 + d / 3);
}

/* ---- Bones ---- */

struct palette {
	float row[BONES * BONE_ROWS][4];
};

static void set_bone(struct palette *p, unsigned bone, struct mat4 m, uint32_t rgba) {
	memcpy(p->row[bone * BONE_ROWS], m.m, 12 * sizeof(float));
	put_color_float(p->row[bone * BONE_ROWS + 3], rgba);
}

/* Each bone rotates the arm beyond its joint, after the bones before it. */
static struct palette arm_palette(struct mat4 body, unsigned arm, unsigned frame) {
	/* Outwards and down; the tips curl up. */
	static const double rest[BONES] = { -0.09, -0.05, -0.02, 0.02, 0.05, 0.07, 0.09, 0.11 };
	struct palette p;
	const double beat = (double)frame / FRAMES + 0.13 * arm;
	struct mat4 m = mat4_mul3(body, mat4_rotate_y((arm + 0.5) / ARMS), mat4_translate(0.5f,
			0.02f, 0));
	for (unsigned bone = 0; bone < BONES; bone++) {
		const float joint = arm_length * (float)bone / BONES;
		const double swing = 0.045 * turn_sin(beat - 0.13 * bone);
		const double aside = 0.02 * turn_sin(0.37 * arm + 0.5 * beat + 0.1 * bone);
		struct mat4 turn =
				mat4_mul(mat4_rotate_z(rest[bone] + swing), mat4_rotate_y(aside));
		turn = mat4_mul3(mat4_translate(joint, 0, 0), turn, mat4_translate(-joint, 0, 0));
		m = mat4_mul(m, turn);
		set_bone(&p, bone, m, hsv(bone / 8.0 + arm * 0.02, 0.8, 1));
	}
	return p;
}

static void draw_skinned(struct recorder *r, const struct palette *p, unsigned bones,
		const struct mesh *m) {
	set_uniform(r, "palette", p->row[0], bones * BONE_ROWS);
	mesh_draw(r, m);
}

static void draw_octopus(struct recorder *r, struct mat4 projection, struct mat4 body,
		unsigned frame, bool show_bones) {
	/* Towards the light; w: the ambient light. */
	static const float lamp[4] = { 0.3f, 0.78f, 0.42f, 0.3f },
			   rim[4] = { 0.1f, 0.32f, 0.42f, 0 };
	use_projected(r, program_source, projection);
	set_uniform(r, "lamp", lamp, 1);
	set_uniform(r, "rim", rim, 1);
	pica_emit_bool_uniforms(&r->list, PICA_UNIT_VS, show_bones ? 1 : 0);
	bodies_begin(r);
	struct palette p;
	memset(&p, 0, sizeof(p));
	set_bone(&p, 0, body, 0xE8E8F0FF);
	draw_skinned(r, &p, 1, &own.head);
	for (unsigned arm = 0; arm < ARMS; arm++) {
		p = arm_palette(body, arm, frame);
		draw_skinned(r, &p, BONES, &own.arm);
	}
	bodies_end(r);
}

/* ---- Frames ---- */

static void draw_water(struct recorder *r) {
	use_color_program(r, mat4_tilt(mat4_identity()));
	tev_primary(r);
	mesh_draw(r, &own.water);
	blend_add(r);
	mesh_draw(r, &own.rays);
	blend_off(r);
}

static void draw_bubbles(struct recorder *r, unsigned frame) {
	for (unsigned i = 0; i < BUBBLES; i++) {
		const int size = 4 + (int)(i * 7 % 9);
		const int x = (int)(i * 61 % 400) + (int)((i + frame) % 3);
		const int y = 239 - (int)((i * 97 + frame * (8u + i % 5)) % 250);
		canvas_sprite(r, x, y, size, size, 0, 0, 16, 16, 0xC0F0FFB0);
	}
	tev_shape(r);
	blend_over(r);
	canvas_draw_textured(r, &own.bubble);
	use_units(r, 0);
	blend_off(r);
	tev_primary(r);
}

static void draw(struct recorder *r, unsigned frame) {
	const double bob = turn_sin((double)frame / FRAMES);
	struct mat4 body = mat4_mul(mat4_rotate_z(0.03), mat4_rotate_y(0.04));
	body = mat4_mul(mat4_translate(0, (float)(0.55 + 0.12 * bob), 0), body);

	recorder_draw_top(r);
	draw_water(r);
	struct mat4 view = screen_lens(TOP_WIDTH, 40, 1, 20);
	view = mat4_tilt(mat4_mul3(view, mat4_translate(0, -0.42f, -7.4f), mat4_rotate_x(0.045)));
	draw_octopus(r, view, body, frame, false);
	draw_bubbles(r, frame);

	recorder_draw_bottom(r);
	view = screen_lens(BOTTOM_WIDTH, 40, 1, 20);
	view = mat4_tilt(mat4_mul3(view, mat4_translate(0, 0.1f, -8.4f), mat4_rotate_x(0.15)));
	draw_octopus(r, view, body, frame, true);
}

static void store(struct recorder *r) {
	store_arm(r);
	store_head(r);
	store_water(r);
	own.bubble = store_texture(r, PICA_TEXTURE_FORMAT_A4, 16, 1, picture_bubble);
}

const struct scene scene_octopus = {
	.name = "octopus",
	.what = "a skinned mesh: an octopus swims, eight arms of eight bones; the same by its bones",
	.frames = FRAMES, .has_canvas = true, .top = 0x04142CFF, .bottom = 0x1A1C2AFF,
	.store = store, .draw = draw,
};
