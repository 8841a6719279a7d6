/*
 * A picture for each eye. Each eye's view is sheared, so that objects at a certain distance are at
 * the same position in both pictures: nearer ones appear in front of the screen, farther ones
 * behind it. The distance of the eyes grows from frame to frame, as with the console's slider.
 * Bottom: an anaglyph for red and cyan glasses.
 */
#include "kit.h"

enum { FRAMES = 3, GATES = 9, BALLS = 26 };

static struct {
	struct mesh gate[2], ball, gem;
} own;

static const double eye_distance = 0.34, screen_distance = 6;

static void store(struct recorder *r) {
	static const float gem[][2] = { { 0, 1 }, { 0.5f, 0.62f }, { 0.5f, 0.62f },
		{ 0.85f, 0.25f }, { 0.85f, 0.25f }, { 0, -1.1f } };
	own.gate[0] = solid_ring(r, 2.3f, 0.2f, 0x3C78E0FF, 0xE8F0FFFF, 12);
	own.gate[1] = solid_ring(r, 2.3f, 0.2f, 0xE09030FF, 0xFFF0D8FF, 12);
	own.ball = solid_ball(r, 0xF0F0FFFF, 0x8090B0FF);
	own.gem = solid_lathe(r, gem, COUNT(gem), 6, 0xFF80C0FF, 0xC02080FF);
	recorder_stereo(r);
}

/* eye: -0.5 left, 0.5 right, times the slider. */
static struct mat4 eye_view(double aspect, double eye) {
	const double aside = eye * eye_distance;
	/* x' = x - aside - z aside / distance: points at -z = distance do not move. */
	struct mat4 shear = mat4_identity();
	shear.m[0][2] = (float)(-aside / screen_distance);
	shear.m[0][3] = (float)-aside;
	struct mat4 view = mat4_mul(mat4_perspective(48 / 360.0, aspect, 1, 60), shear);
	return mat4_tilt(view);
}

/* A tunnel of gates that bends to the right, with balls along it, and a gem in front of the
 * screen. */
static void draw_tunnel(struct recorder *r, struct mat4 view, unsigned frame) {
	struct solid_light light = { .lamp = { -0.48f, 0.6f, 0.64f, 0.3f }, .gloss = { 24, 0.5f } };
	for (unsigned i = GATES; i-- > 0;) {
		const float z = -4.2f - 3.2f * (float)i, bend = 0.018f * (z + 4) * (z + 4);
		/* Darker with distance. */
		const float near = 1 / (1 + 0.09f * (float)i * (float)i);
		for (unsigned k = 0; k < 3; k++) {
			light.tint[k] = near + (1 - near) * 0.06f * (float)k;
		}
		light.tint[3] = 1;
		solid_use(r, view, &light);
		struct mat4 model = mat4_mul3(mat4_translate(bend, -0.1f, z),
				mat4_rotate_y(-0.008 * i), mat4_rotate_z(frame / 30.0 + i * 0.02));
		solid_draw(r, &own.gate[i % 2], model);
		for (unsigned k = 0; k < BALLS / GATES + 1; k++) {
			const double turn = k / 3.0 + i * 0.13 + frame / 40.0;
			model = mat4_translate(bend + 1.3f * (float)turn_cos(turn),
					-0.1f + 1.3f * (float)turn_sin(turn), z - 1.5f);
			model = mat4_mul(model, mat4_scale(0.2f, 0.2f, 0.2f));
			solid_draw(r, &own.ball, model);
		}
	}
	light.tint[0] = light.tint[1] = light.tint[2] = 1;
	solid_use(r, view, &light);
	struct mat4 model = mat4_place(-0.55f, -0.35f, -3.1f, 0.36f);
	model = mat4_mul3(model, mat4_rotate_z(0.05), mat4_rotate_y(frame / 20.0));
	solid_draw(r, &own.gem, model);
}

static void use_depth(struct recorder *r, uint32_t color_mask) {
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, color_mask);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	use_units(r, 0);
	blend_off(r);
	tev_primary(r);
}

static void end_depth(struct recorder *r) {
	depth_off(r);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static void draw(struct recorder *r, unsigned frame) {
	enum { RED = 1, GREEN_BLUE = 6 };
	const double slider = (double)frame / (FRAMES - 1);
	char text[32];
	for (unsigned eye = 0; eye < 2; eye++) {
		if (eye == 0) {
			recorder_draw_top(r);
		} else {
			recorder_draw_top_right(r);
		}
		struct mat4 view = eye_view(
				(double)TOP_WIDTH / SCREEN_HEIGHT, slider * (eye ? 0.5 : -0.5));
		use_depth(r, 0xF);
		draw_tunnel(r, view, frame);
		end_depth(r);
		canvas_text(r, 4, 228, eye ? 0x60E0E0FF : 0xFF7060FF, eye ? "right eye" :
				"left eye");
		canvas_draw(r);
	}
	recorder_draw_bottom(r);
	for (unsigned eye = 0; eye < 2; eye++) {
		struct mat4 view = eye_view(
				(double)BOTTOM_WIDTH / SCREEN_HEIGHT, slider * (eye ? 0.5 : -0.5));
		if (eye) {
			/* Resets depth to the far plane, without writing colour. */
			pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, true, 0);
			canvas_rect(r, 0, 0, BOTTOM_WIDTH, SCREEN_HEIGHT, 0);
			canvas_draw(r);
		}
		use_depth(r, eye ? GREEN_BLUE : RED);
		draw_tunnel(r, view, frame);
		end_depth(r);
	}
	snprintf(text, sizeof(text), "slider at %u %%", 100 * frame / (FRAMES - 1));
	canvas_text(r, 4, 228, 0xFFFFFFFF, text);
	canvas_draw(r);
}

const struct scene scene_stereo = {
	.name = "stereo",
	.what = "a tunnel for both eyes, which the slider moves apart; both in red and cyan",
	.frames = FRAMES, .has_canvas = true, .top = 0x06081AFF, .bottom = 0x06081AFF,
	.store = store, .draw = draw,
};
