/*
 * Vertices in the command list itself, without arrays. Top: curves of a wheel that rolls inside a
 * wheel, as strips. Bottom: a clock of fans, strips and triangles; only its shadow is an array,
 * with positions alone and a fixed attribute as the colour.
 */
#include "kit.h"

enum { FRAMES = 3, POINTS = 420, ROUND = 72 };

static const char program_source[] =
		".fvec projection[4]\n"
		OUT_COLOR
		".in in_pos v0\n"
		".in in_color v1\n"
		".proc main\n"
		PROJECT("in_pos")
		"	mov out_color, in_color\n"
		END;

static struct {
	uint32_t disc;
} own;

/* ---- Vertices ---- */

static void vertex(struct recorder *r, double x, double y, uint32_t rgba) {
	float v[8] = { (float)x, (float)y, 0, 1 };
	put_color_float(v + 4, rgba);
	pica_emit_immediate(&r->list, v, 2);
}

static void disc(struct recorder *r, double x, double y, double radius, uint32_t middle,
		uint32_t rim) {
	pica_emit_immediate_begin(&r->list, PICA_PRIMITIVE_FAN);
	vertex(r, x, y, middle);
	for (unsigned k = 0; k <= ROUND; k++) {
		const double turn = (double)k / ROUND;
		vertex(r, x + radius * turn_cos(turn), y + radius * turn_sin(turn), rim);
	}
	pica_emit_immediate_end(&r->list);
}

/* A part of a ring, between two angles in turns. */
static void arc(struct recorder *r, double x, double y, double inner, double outer, double from,
		double to, uint32_t first, uint32_t last) {
	pica_emit_immediate_begin(&r->list, PICA_PRIMITIVE_STRIP);
	for (unsigned k = 0; k <= ROUND; k++) {
		const double t = (double)k / ROUND, turn = from + (to - from) * t;
		const uint32_t color = mix_color(first, last, t);
		vertex(r, x + inner * turn_cos(turn), y + inner * turn_sin(turn), color);
		vertex(r, x + outer * turn_cos(turn), y + outer * turn_sin(turn), color);
	}
	pica_emit_immediate_end(&r->list);
}

/* Two triangles along a ray, between two distances, tapering outwards. */
static void bar(struct recorder *r, double x, double y, double turn, double from, double to,
		double wide, double thin, uint32_t rgba) {
	const double c = turn_cos(turn), s = turn_sin(turn);
	vertex(r, x + from * c - wide * s, y + from * s + wide * c, rgba);
	vertex(r, x + from * c + wide * s, y + from * s - wide * c, rgba);
	vertex(r, x + to * c - thin * s, y + to * s + thin * c, rgba);
	vertex(r, x + to * c - thin * s, y + to * s + thin * c, rgba);
	vertex(r, x + from * c + wide * s, y + from * s - wide * c, rgba);
	vertex(r, x + to * c + thin * s, y + to * s - thin * c, rgba);
}

/* ---- Top: curves ---- */

/* A pen on a wheel that rolls inside a circle of radius 1. */
struct curve {
	double wheel, pen, size;
	unsigned rounds; /* until it closes */
	double hue;
};

static void curve_point(const struct curve *c, double t, double p[2]) {
	const double around = t * c->rounds, roll = around * (1 - c->wheel) / c->wheel;
	p[0] = c->size * ((1 - c->wheel) * turn_cos(around) + c->pen * turn_cos(roll));
	p[1] = c->size * ((1 - c->wheel) * turn_sin(around) - c->pen * turn_sin(roll));
}

static void draw_curve(struct recorder *r, const struct curve *c, double x, double y, double turn,
		float half, unsigned alpha) {
	const double co = turn_cos(turn), si = turn_sin(turn);
	pica_emit_immediate_begin(&r->list, PICA_PRIMITIVE_STRIP);
	for (unsigned k = 0; k <= POINTS; k++) {
		const double t = (double)k / POINTS;
		double p[2], next[2];
		curve_point(c, t, p);
		curve_point(c, t + 1e-4, next);
		float along[3] = { (float)(next[0] - p[0]), (float)(next[1] - p[1]), 0 };
		vec3_normalize(along);
		const uint32_t color = (hsv(c->hue + 0.45 * t, 0.65, 1) & ~0xFFu) | alpha;
		for (int side = -1; side <= 1; side += 2) {
			const double px = p[0] - side * half * along[1],
				     py = p[1] + side * half * along[0];
			vertex(r, x + px * co - py * si, y + px * si + py * co, color);
		}
	}
	pica_emit_immediate_end(&r->list);
}

static void draw_top(struct recorder *r, unsigned frame) {
	static const struct curve curves[3] = {
		{ .wheel = 0.3, .pen = 0.22, .size = 104, .rounds = 3, .hue = 0.5 },
		{ .wheel = 0.4, .pen = 0.55, .size = 62, .rounds = 2, .hue = 0.05 },
		{ .wheel = 0.2, .pen = 0.2, .size = 58, .rounds = 1, .hue = 0.3 },
	};
	/* Curve, position and rotation. */
	static const struct {
		unsigned curve;
		double x, y, turns;
	} places[4] = { { 0, 200, 120, 0.02 }, { 2, 200, 120, -0.02 }, { 1, 62, 120, 0.03 },
		{ 1, 338, 120, -0.03 } };
	use_projected(r, program_source, screen_pixels(TOP_WIDTH));
	tev_primary(r);
	pica_emit_inputs(&r->list, 2, PICA_IDENTITY_INPUTS);
	disc(r, 200, 120, 250, 0x241C48FF, 0x080812FF);
	blend_add(r);
	for (unsigned i = 0; i < 4; i++) {
		const struct curve *c = &curves[places[i].curve];
		const double turn = 0.06 + places[i].turns * frame;
		/* A wide faint stroke under a narrow bright one. */
		draw_curve(r, c, places[i].x, places[i].y, turn, 4.5f, 26);
		draw_curve(r, c, places[i].x, places[i].y, turn, 2.0f, 60);
		draw_curve(r, c, places[i].x, places[i].y, turn, 0.8f, 200);
	}
	blend_off(r);
}

/* ---- Bottom: a clock ---- */

static void store(struct recorder *r) {
	float v[ROUND + 2][2] = { { 0, 0 } };
	for (unsigned k = 0; k <= ROUND; k++) {
		v[k + 1][0] = (float)turn_cos((double)k / ROUND);
		v[k + 1][1] = (float)turn_sin((double)k / ROUND);
	}
	own.disc = recorder_store(r, v, sizeof(v));
}

/* Attribute 0 from the array, attribute 1 fixed. */
static void draw_shadow(struct recorder *r, double x, double y, double radius) {
	struct mat4 m = mat4_tilt(mat4_mul3(mat4_pixels(BOTTOM_WIDTH, SCREEN_HEIGHT),
			mat4_translate((float)x, (float)y, 0), mat4_scale((float)radius,
			(float)radius, 1)));
	set_matrix(r, "projection", m);
	const struct pica_attributes a = { .base = ARRAY_BASE,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 2 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.fixed_mask = 1 << 1,
		.n_loaders = 1,
		.loader = { { .offset = own.disc - ARRAY_BASE,
				.stride = 2 * sizeof(float),
				.n = 1 } } };
	pica_emit_attributes(&r->list, &a);
	pica_emit_fixed_attribute(&r->list, 1, 0, 0, 0.05f, 0.11f);
	blend_over(r);
	for (unsigned i = 0; i < 4; i++) {
		/* Four discs make a soft edge. */
		m = mat4_mul(m, mat4_scale(0.97f, 0.97f, 1));
		set_matrix(r, "projection", m);
		pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_FAN, 0, ROUND + 2);
	}
	blend_off(r);
}

static void draw_hands(struct recorder *r, double x, double y, double seconds) {
	const double minutes = seconds / 60, hours = minutes / 60;
	pica_emit_immediate_begin(&r->list, PICA_PRIMITIVE_LIST);
	for (unsigned i = 0; i < 60; i++) {
		const double turn = i / 60.0;
		if (i % 5 == 0) {
			bar(r, x, y, turn, 80, 92, 2, 2, 0x303848FF);
		} else {
			bar(r, x, y, turn, 88, 92, 0.8, 0.8, 0x8890A0FF);
		}
	}
	bar(r, x, y, 0.25 - hours / 12, -12, 52, 4, 2, 0x202430FF);
	bar(r, x, y, 0.25 - minutes / 60, -14, 78, 3, 1.2, 0x202430FF);
	bar(r, x, y, 0.25 - seconds / 60, -20, 84, 1.2, 0.8, 0xE03830FF);
	pica_emit_immediate_end(&r->list);
	disc(r, x, y, 5, 0xF06858FF, 0xC02820FF);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	static const uint32_t wall[4] = { 0x5A7888FF, 0x4A6474FF, 0x30444EFF, 0x24343EFF };
	const double x = BOTTOM_WIDTH / 2, y = SCREEN_HEIGHT / 2;
	canvas_gradient(r, 0, 0, BOTTOM_WIDTH, SCREEN_HEIGHT, wall);
	canvas_draw(r);
	use_units(r, 0);
	tev_primary(r);
	use_program(r, program_source);
	draw_shadow(r, x + 7, y - 9, 118);
	set_matrix(r, "projection", screen_pixels(BOTTOM_WIDTH));
	pica_emit_inputs(&r->list, 2, PICA_IDENTITY_INPUTS);
	arc(r, x, y, 98, 112, 0.125, 0.625, 0xF0F4F8FF, 0x606870FF);
	arc(r, x, y, 98, 112, 0.625, 1.125, 0x606870FF, 0xF0F4F8FF);
	disc(r, x, y, 99, 0xFFFFFFFF, 0xE4E8ECFF);
	/* How much of the minute has passed. */
	const double seconds = 10 * 3600 + 8 * 60 + 36 + frame;
	arc(r, x, y, 64, 70, 0.25, 0.25 - (36.0 + frame) / 60, 0xF0B040FF, 0xE04830FF);
	draw_hands(r, x, y, seconds);
	blend_off(r);
}

const struct scene scene_immediate = {
	.name = "immediate",
	.what = "vertices in the command list: curves of strips, a clock of all primitives",
	.frames = FRAMES, .has_canvas = true, .top = 0x080812FF, .bottom = 0x24343EFF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
