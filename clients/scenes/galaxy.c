/*
 * The three modes of geometry shaders. Top: a galaxy whose stars are points that become textured
 * squares (point mode). Bottom: ribbons, each from four control points of a curve (fixed mode), and
 * gems, fans with their number of corners in the index stream (variable mode).
 */
#include "kit.h"

enum { FRAMES = 3, STARS = 1500, RIBBONS = 6, PATCHES = 3, GEMS = 12, MAX_CORNERS = 8 };

/* ---- Programs ---- */

/* In all three programs o0 is the position for the geometry shader, o1 the colour. */
static const char star_vertex_source[] =
		".fvec model_view[3]\n"
		".constf k(0.0, 1.0, 0.003921569, 0.0)\n"
		".out out_place dummy o0\n"
		".out out_color dummy o1\n"
		".in in_star v0\n"
		".in in_color v1\n"
		".proc main\n"
		"	mov r0.xyz, in_star.xyz\n"
		"	mov r0.w, k.y\n"
		ROWS3("out_place", "model_view", "r0")
		"	mov out_place.w, in_star.w\n"
		"	mul out_color, k.zzzz, in_color\n"
		END;

#define CORNER(slot, which) \
	"	setemit " slot "\n	mov r2.xy, k." which "\n" \
	"	call corner\n"

/* v0 = position in view space and half the size, v1 = colour. */
static const char star_geometry_source[] =
		".gsh point c0\n"
		".fvec projection[4]\n"
		".constf k(-1.0, 1.0, 0.0, 0.5)\n"
		OUT_COLOR
		".out out_tex texcoord0.xy\n"
		".entry emit_all\n"
		".proc emit_all\n"
		"	mov r0.xyz, v0.xyz\n"
		"	mov r0.w, k.y\n"
		"	mov r1, v0.wwww\n"
		CORNER("0", "xx")
		CORNER("1", "yx")
		CORNER("2, prim", "yy")
		"	; in place of corner 1: turns the other way round\n"
		CORNER("1, prim inv", "xy")
		"	end\n"
		".end\n"
		".proc corner\n"
		"	mad r3.xy, r2.xy, r1.xy, r0.xy\n"
		"	mov r3.zw, r0\n"
		PROJECT("r3")
		"	mov r4, k\n"
		"	mad r5.xy, r2.xy, r4.ww, r4.ww\n"
		"	mov out_tex.xy, r5.xy\n"
		"	mov out_color, v1\n"
		"	emit\n"
		".end\n";

/* The others use pixels: x, y, half the width of a ribbon. */
static const char flat_vertex_source[] =
		".constf k(0.0, 1.0, 0.003921569, 0.0)\n"
		".out out_place dummy o0\n"
		".out out_color dummy o1\n"
		".in in_place v0\n"
		".in in_color v1\n"
		".proc main\n"
		"	mov out_place, in_place\n"
		"	mul out_color, k.zzzz, in_color\n"
		END;

/* Emits a vertex at r11 with the colour r12; VERTEX() puts it into one of the three slots. */
#define FLAT_VERTEX \
	".proc vertex\n" \
	"	mov r14.xy, r11.xy\n" \
	"	mov r14.zw, k.xxxy\n" PROJECT("r14") \
	"	mov out_color, r12\n" \
	"	emit\n" \
	".end\n"
#define VERTEX(slot, place, color) \
	"	setemit " slot "\n	mov r11, " place "\n" \
	"	mov r12, " color "\n	call vertex\n"

/* Control point i is in c[2i], its colour in c[2i+1]. */
static const char ribbon_geometry_source[] =
		".gsh fixed c8 c0 4\n"
		".fvec projection[4]\n"
		".constf k(0.0, 1.0, 3.0, 0.0625)\n"
		".consti steps(15, 0, 1, 0)\n"
		OUT_COLOR
		".entry emit_all\n"
		".proc emit_all\n"
		"	mov r10, k.xxxx\n"
		"	call curve\n"
		"	for steps\n"
		"		mov r6, r4\n"
		"		mov r7, r5\n"
		"		mov r8, r2\n"
		"		add r10.x, k.wwww, r10.xxxx\n"
		"		call curve\n"
		"		; left, right, next left, then next right in place of left\n"
		VERTEX("0", "r6", "r8")
		"		setemit 1\n"
		"		mov r11, r7\n"
		"		call vertex\n"
		VERTEX("2, prim", "r4", "r2")
		"		setemit 0, prim inv\n"
		"		mov r11, r5\n"
		"		call vertex\n"
		"	.end\n"
		"	end\n"
		".end\n"
		"; at t = r10.x: r4 and r5 the left and the right border, r2 the colour\n"
		".proc curve\n"
		"	add r10.y, k.yyyy, -r10.xxxx\n"
		"	mul r9.x, r10.yyyy, r10.yyyy\n"
		"	mul r9.y, r10.xxxx, r10.yyyy\n"
		"	mul r9.z, r10.xxxx, r10.xxxx\n"
		"	mul r3.x, r9.xxxx, r10.yyyy\n"
		"	mul r3.y, r9.xxxx, r10.xxxx\n"
		"	mul r3.z, r9.zzzz, r10.yyyy\n"
		"	mul r3.w, r9.zzzz, r10.xxxx\n"
		"	mul r3.yz, k.zzzz, r3\n"
		"	mul r0, c0, r3.xxxx\n"
		"	mad r0, r3.yyyy, c2, r0\n"
		"	mad r0, r3.zzzz, c4, r0\n"
		"	mad r0, r3.wwww, c6, r0\n"
		"	mul r2, c1, r3.xxxx\n"
		"	mad r2, r3.yyyy, c3, r2\n"
		"	mad r2, r3.zzzz, c5, r2\n"
		"	mad r2, r3.wwww, c7, r2\n"
		"	; a third of the derivative\n"
		"	add r9.w, r9.yyyy, r9.yyyy\n"
		"	mov r13.x, -r9.xxxx\n"
		"	add r13.y, r9.xxxx, -r9.wwww\n"
		"	add r13.z, r9.wwww, -r9.zzzz\n"
		"	mov r13.w, r9.zzzz\n"
		"	mul r1.xy, c0.xy, r13.xx\n"
		"	mad r1.xy, r13.yy, c2.xy, r1.xy\n"
		"	mad r1.xy, r13.zz, c4.xy, r1.xy\n"
		"	mad r1.xy, r13.ww, c6.xy, r1.xy\n"
		"	mul r14.xy, r1.xy, r1.xy\n"
		"	add r14.x, r14.xxxx, r14.yyyy\n"
		"	rsq r14.x, r14.x\n"
		"	mul r1.xy, r1.xy, r14.xx\n"
		"	; to the left of it, as far as the ribbon is wide\n"
		"	mov r15.x, -r1.yyyy\n"
		"	mov r15.y, r1.xxxx\n"
		"	mul r15.xy, r15.xy, r0.zz\n"
		"	add r4.xy, r0.xy, r15.xy\n"
		"	add r5.xy, r0.xy, -r15.xy\n"
		".end\n"
		FLAT_VERTEX;

/* c0 = number of corners; corner i is in c[1+2i], its colour in c[2+2i]. */
static const char gem_geometry_source[] =
		".gsh variable c24 8\n"
		".fvec projection[4]\n"
		".constf k(0.0, 1.0, 2.0, 0.55)\n"
		".consti many(15, 0, 1, 0)\n"
		OUT_COLOR
		".entry emit_all\n"
		".proc emit_all\n"
		"	mov r0, c0\n"
		"	; the middle: r1, its colour r2\n"
		"	mov r1, k.xxxx\n"
		"	mov r2, k.xxxx\n"
		"	mov r3, k.xxxx\n"
		"	for many\n"
		"		mova a0.x, r3.y\n"
		"		add r1, c1[a0.x], r1\n"
		"		add r2, c2[a0.x], r2\n"
		"		add r3.y, k.zzzz, r3.yyyy\n"
		"		add r3.x, k.yyyy, r3.xxxx\n"
		"		cmp r3.xx, ge, ge, r0.xx\n"
		"		breakc cmp.x\n"
		"		nop\n"
		"	.end\n"
		"	rcp r4.x, r0.x\n"
		"	mul r1, r1, r4.xxxx\n"
		"	mul r2, r2, r4.xxxx\n"
		"	; towards white\n"
		"	mov r4, k\n"
		"	add r5, k.yyyy, -r2\n"
		"	mad r2, r5, r4.wwww, r2\n"
		"	mov r3, k.xxxx\n"
		"	for many\n"
		"		mova a0.x, r3.y\n"
		"		mov r6, c1[a0.x]\n"
		"		mov r7, c2[a0.x]\n"
		"		add r3.y, k.zzzz, r3.yyyy\n"
		"		add r3.x, k.yyyy, r3.xxxx\n"
		"		; after the last corner comes the first\n"
		"		cmp r3.xx, ge, ge, r0.xx\n"
		"		ifc cmp.x\n"
		"			mov r3.y, k.xxxx\n"
		"		.end\n"
		"		mova a0.x, r3.y\n"
		VERTEX("0", "r1", "r2")
		VERTEX("1", "r6", "r7")
		VERTEX("2, prim", "c1[a0.x]", "c2[a0.x]")
		"		cmp r3.xx, ge, ge, r0.xx\n"
		"		breakc cmp.x\n"
		"		nop\n"
		"	.end\n"
		"	end\n"
		".end\n"
		FLAT_VERTEX;

/* ---- Vertices ---- */

/* Place and size or width, colour. */
struct vertex {
	float place[4];
	uint8_t color[4];
};

static struct vertex vertex(double x, double y, double z, double w, uint32_t rgba) {
	struct vertex v = { .place = { (float)x, (float)y, (float)z, (float)w } };
	put_color(v.color, 4, rgba);
	return v;
}

static const struct vertex_format format = { sizeof(struct vertex), 2,
	{ { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_U8, 4 } } };

/* 0..1 */
static double random_unit(uint32_t *state) {
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) / 16777216.0;
}

/* Returns a random number in -1..1, more often near 0. */
static double random_near(uint32_t *state) {
	double sum = random_unit(state) + random_unit(state) + random_unit(state);
	return sum / 1.5 - 1.0;
}

static struct mesh store_stars(struct recorder *r) {
	struct vertex v[STARS];
	uint32_t seed = 20110226;
	for (unsigned i = 0; i < STARS; i++) {
		double far = random_unit(&seed);
		if (i < STARS / 5) { /* the bulge */
			double radius = 0.6 * far * far;
			double turn = random_unit(&seed), size = 0.03 + 0.1 * random_unit(&seed);
			v[i] = vertex(radius * turn_cos(turn),
					0.35 * random_near(&seed) * (0.5 - radius * 0.6),
					radius * turn_sin(turn), size,
					mix_color(0xFFE8C060, 0xFF9848A0, far));
			continue;
		}
		/* Two spiral arms, which widen outwards. */
		double radius = 0.2 + 2.0 * far;
		double turn = (i & 1) * 0.5 + 0.85 * far + 0.1 * random_near(&seed) / (0.3 + far);
		double spread = 0.26 * random_near(&seed);
		uint32_t color = mix_color(0xFFD8A0A0, 0x6A8CFFA0, far * 1.2 < 1 ? far * 1.2 : 1);
		if (random_unit(&seed) < 0.12) {
			color = 0xFF5A9CB0; /* where stars are born */
		}
		double bright = random_unit(&seed);
		double size = 0.025 + 0.05 * bright * bright + (bright > 0.97 ? 0.06 : 0);
		v[i] = vertex((radius + spread) * turn_cos(turn), 0.06 * random_near(&seed),
				(radius + spread) * turn_sin(turn), size, color);
	}
	return mesh_store(r, &format, PICA_PRIMITIVE_GEOMETRY, v, COUNT(v));
}

/* Ribbons wave from left to right; the patches of one continue smoothly. */
static struct mesh store_ribbons(struct recorder *r, unsigned frame) {
	struct vertex v[RIBBONS * PATCHES * 4];
	for (unsigned i = 0; i < RIBBONS; i++) {
		double base = 30.0 + 36.0 * i, phase = i * 0.17 + frame * 0.04;
		double step = (BOTTOM_WIDTH + 40.0) / PATCHES;
		for (unsigned k = 0; k < PATCHES; k++) {
			for (unsigned c = 0; c < 4; c++) {
				/*
				 * The ends of patches lie on a line; their inner points alternate
				 * sides.
				 */
				double x = -20.0 + step * (k + c / 3.0);
				double swing = 44.0 * turn_sin(phase + k * 0.11);
				double y = base + (c == 1 ? swing : c == 2 ? -swing : 0);
				double previous = 44.0 * turn_sin(phase + (k - 1.0) * 0.11);
				if (c == 1 && k > 0) {
					/* mirrors the point before the joint */
					y = base + previous;
				}
				double at = (k + c / 3.0) / PATCHES;
				uint32_t color = hsv(0.52 + 0.06 * i + 0.22 * at, 0.7, 0.95);
				v[(i * PATCHES + k) * 4 + c] =
						vertex(x, y, 3.0 + 7.0 * turn_sin(at * 0.5), 0,
								(color & ~0xFFu) | 190);
			}
		}
	}
	return mesh_store(r, &format, PICA_PRIMITIVE_GEOMETRY, v, COUNT(v));
}

/* Places gems around an ellipse; *indices receives the stream of counts and corners. */
static struct mesh store_gems(struct recorder *r, unsigned frame, uint32_t *indices,
		uint32_t *count) {
	struct vertex v[GEMS * MAX_CORNERS];
	uint8_t stream[GEMS * (1 + MAX_CORNERS)];
	unsigned n = 0, s = 0;
	for (unsigned i = 0; i < GEMS; i++) {
		unsigned corners = 3 + i % 6;
		double turn = (double)i / GEMS + frame / 90.0;
		double x = BOTTOM_WIDTH / 2 + 122 * turn_cos(turn);
		double y = SCREEN_HEIGHT / 2 + 82 * turn_sin(turn);
		stream[s++] = (uint8_t)corners;
		for (unsigned c = 0; c < corners; c++) {
			double t = (double)c / corners + 0.25 + frame / 40.0;
			uint32_t color = hsv((double)i / GEMS, 0.85, c & 1 ? 0.62 : 0.9);
			stream[s++] = (uint8_t)n;
			v[n++] = vertex(x + 23 * turn_cos(t), y + 23 * turn_sin(t), 0, 0, color);
		}
	}
	*count = s;
	*indices = recorder_store(r, stream, s);
	return mesh_store(r, &format, PICA_PRIMITIVE_GEOMETRY, v, n);
}

/* ---- Frames ---- */

static struct pica_texture glow;
static struct mesh stars;

static void draw_stars(struct recorder *r, unsigned frame) {
	struct mat4 view = mat4_mul(mat4_rotate_z(-0.04), mat4_rotate_x(0.125));
	view = mat4_mul3(mat4_translate(0, 0, -3.9f), view, mat4_rotate_y(frame / 40.0));
	use_geometry_program(r, star_vertex_source, star_geometry_source);
	set_uniform(r, "model_view", &view.m[0][0], 3);
	set_matrix(r, "projection", mat4_tilt(screen_lens(TOP_WIDTH, 50, 0.2, 20)));

	/* Colour of the star, shape from the texture's alpha. */
	tev_shape(r);
	use_texture(r, &glow);
	blend_add(r);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	mesh_draw(r, &stars);
}

static void draw_ribbons(struct recorder *r, unsigned frame) {
	uint32_t indices, count;
	use_units(r, 0);
	tev_primary(r);
	blend_over(r);
	use_geometry_program(r, flat_vertex_source, ribbon_geometry_source);
	set_matrix(r, "projection", screen_pixels(BOTTOM_WIDTH));
	const struct mesh ribbons = store_ribbons(r, frame);
	mesh_draw(r, &ribbons);

	use_geometry_program(r, flat_vertex_source, gem_geometry_source);
	set_matrix(r, "projection", screen_pixels(BOTTOM_WIDTH));
	const struct mesh gems = store_gems(r, frame, &indices, &count);
	mesh_use(r, &gems);
	blend_off(r);
	pica_emit_draw_elements(
			&r->list, PICA_PRIMITIVE_GEOMETRY, indices - ARRAY_BASE, false, count);
	/* Other lists use no geometry shader. */
	pica_emit_geometry(&r->list, NULL);
}

static void store(struct recorder *r) {
	glow = store_texture(r, PICA_TEXTURE_FORMAT_A8, 64, 1, picture_glow);
	stars = store_stars(r);
}

const struct scene scene_galaxy = {
	.name = "galaxy",
	.what = "geometry shaders: stars from points, ribbons from curves, gems of 3 to 8 corners",
	.frames = FRAMES, .top = 0x04050CFF, .bottom = 0x12162AFF,
	.store = store, .draw_top = draw_stars, .draw_bottom = draw_ribbons,
};
