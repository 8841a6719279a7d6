/*
 * Two banners in the wind, lit from the left and, bluish, from behind: folds that face away from
 * one-sided light are dark, two-sided light shines through. The normal map, on texture unit 1, is a
 * weave; the quaternions of neighbouring folds often have opposite signs. Bottom: one banner from
 * the side and from behind.
 */
#include "kit.h"

enum { FRAMES = 2 };

static double wind; /* phase of the wave, in turns */

/* The banner hangs from its upper edge, 1.6 wide and 2 high; the wave grows downwards. */
static void banner_point(double u, double v, double p[3]) {
	const double loose = 1 - v, phase = 1.1 * u + 0.35 * loose - wind;
	p[0] = (u - 0.5) * 1.6 + 0.04 * loose * turn_sin(2 * phase);
	p[1] = (v - 0.5) * 2;
	p[2] = (0.06 + 0.2 * loose) * turn_sin(phase) + 0.07 * loose * turn_sin(2.3 * u + wind);
}

static double weave(double u, double v) {
	const double a = turn_cos(u * 24), b = turn_cos(v * 30);
	return 0.25 * (a + b) + 0.2 * a * b;
}

/* Stripes and a disc. */
static void banner_picture(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	static const uint8_t colors[3][3] = { { 200, 40, 52 }, { 240, 232, 214 },
		{ 232, 168, 48 } };
	const int dx = 2 * (int)x + 1 - (int)n, dy = 2 * (int)y + 1 - (int)n;
	const int far = dx * dx + dy * dy, side = (int)n;
	unsigned which = y * 6 / n % 2;
	if (far < side * side / 4) {
		which = far < side * side / 9 ? 2 : 1;
	}
	for (unsigned k = 0; k < 3; k++) {
		rgba[k] = colors[which][k];
	}
	rgba[3] = 255;
}

static struct {
	struct mesh banner[FRAMES];
	struct pica_texture picture, weave;
} own;

static void emit_lights(struct recorder *r, bool is_two_sided) {
	struct pica_lighting lighting;
	struct pica_light light;
	unsigned gloss = 16;
	pica_lighting_init(&lighting);
	lighting.count = 2;
	lighting.ambient = 0x181410;
	lighting.d0.enable = true;
	lighting.d0.is_signed = false; /* absolute N.H: both sides shine */
	lighting.bump = PICA_BUMP_NORMAL;
	lighting.bump_unit = 1;
	lighting.clamp_highlights = true;
	pica_emit_lighting(&r->list, &lighting);
	lit_table(r, PICA_LIGHT_TABLE_D0, false, lit_power, &gloss);
	pica_light_init(&light);
	light.is_two_sided = is_two_sided;
	light.diffuse = 0xC8E0F0;
	light.specular0 = 0x405060;
	vec3_set(light.position, -1, 0.5f, 0.35f);
	pica_emit_light(&r->list, 0, &light);
	light.diffuse = 0xC07830;
	light.specular0 = 0x604020;
	vec3_set(light.position, 0.8f, 0.2f, -0.9f);
	pica_emit_light(&r->list, 1, &light);
}

/* Stage 0: texture 0 times primary; stage 1: secondary on it. */
static void emit_stages(struct recorder *r) {
	TEV(r, 0, RGB2(MODULATE, TEXTURE0, FRAGMENT_PRIMARY), ALPHA1(TEXTURE0));
	TEV(r, 1, RGB2(ADD, PREVIOUS, FRAGMENT_SECONDARY), ALPHA1(PREVIOUS));
}

static void draw_banner(struct recorder *r, unsigned frame, float x, double turn, bool is_two_sided)
		{
	emit_lights(r, is_two_sided);
	lit_draw(r, &own.banner[frame], mat4_mul(mat4_translate(x, -0.03f, -5),
			mat4_rotate_y(turn)));
}

static void draw_screen(struct recorder *r, unsigned frame) {
	const unsigned width = r->width;
	const bool is_top = width == TOP_WIDTH;
	const int middle = (int)width / 2, apart = is_top ? 78 : 68;
	canvas_sky(r, 0, 0, (int)width, SCREEN_HEIGHT, 0x4C6C98FF, 0xC8C0B8FF);
	canvas_draw(r);
	blend_off(r);
	depth_on(r);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	emit_stages(r);
	pica_emit_texture(&r->list, 0, &own.picture);
	pica_emit_texture(&r->list, 1, &own.weave);
	use_units(r, 3);
	lit_use(r, mat4_tilt(screen_lens(width, 28, 1, 20)));
	draw_banner(r, frame, is_top ? -0.95f : -0.75f, is_top ? 0.02 : 0.12, !is_top);
	draw_banner(r, frame, is_top ? 0.95f : 0.75f, is_top ? 0.02 : 0.46, true);
	pica_emit_lighting(&r->list, NULL);
	depth_off(r);
	tev_pass(r, 1, 1);
	canvas_text_centered(r, middle - apart, 228, 0x101828FF, is_top ? "one side" :
			"from the side");
	canvas_text_centered(r, middle + apart, 228, 0x101828FF, is_top ? "two sides" :
			"from behind");
	canvas_draw(r);
}

static void store(struct recorder *r) {
	own.picture = store_texture(r, PICA_TEXTURE_FORMAT_RGB565, 128, 1, banner_picture);
	own.weave = lit_normal_map(r, 128, 1, weave, 0.004);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		wind = frame / 6.0;
		own.banner[frame] = lit_patch(r, banner_point, 40, 40, 1, 1);
	}
}

const struct scene scene_cloth = {
	.name = "cloth",
	.what = "banners in the wind under lights of one side and of two, with a weave as map of normals",
	.frames = FRAMES, .has_canvas = true, .top = 0x000000FF, .bottom = 0x000000FF,
	.store = store, .draw_top = draw_screen, .draw_bottom = draw_screen,
};
