/*
 * The sources of the combiner. Top: each source alone on a ball with light, vertex colours, three
 * textures and a procedural one. Bottom: all of them in one material, after each of the six stages.
 */
#include "kit.h"

enum {
	FRAMES = 1, SOURCES = 10, STAGES = 6, PANEL_W = 76, PANEL_H = 96, STEP_W = 100,
	STEP_H = 96,
};

/* For vertices of lit.h; the position is the colour, and the three coordinate sets differ in
 * scale. */
static const char program_source[] =
		".fvec projection[4], model[4], turn\n"
		".constf k(0.0, 1.0, 0.5, 2.0)\n"
		".out out_pos position\n"
		".out out_quat normalquat\n"
		".out out_view view\n"
		".out out_color color\n"
		".out out_tex0 texcoord0\n"
		".out out_tex1 texcoord1\n"
		".out out_tex2 texcoord2\n"
		".in in_pos v0\n"
		".in in_quat v1\n"
		".in in_uv v2\n"
		".proc main\n"
		"	mov r0.xyz, in_pos.xyz\n"
		PLACE
		"	mov out_view.xyz, -r1.xyz\n"
		"	; turn * in_quat\n"
		LIT_TURN
		"	mov r6, k\n"
		"	mad out_color.xyz, r0.xyz, r6.zzz, r6.zzz\n"
		"	mov out_color.w, k.y\n"
		"	mov r7.xy, in_uv.xy\n"
		"	mov out_tex0.xy, r7.xy\n"
		"	mul out_tex1.xy, k.ww, r7.xy\n"
		"	mul out_tex2.xy, k.zz, r7.xy\n"
		END;

static struct {
	struct mesh ball;
	struct pica_texture texture[3];
} own;

/* ---- Contents of the units ---- */

static float straight(float x) {
	return x;
}

/* Concentric rings, bent by noise, from violet to white. */
static void use_procedural(struct recorder *r) {
	struct pica_proctex unit;
	uint32_t colors[128];
	pica_proctex_init(&unit);
	unit.u_clamp = unit.v_clamp = PICA_PROCTEX_CLAMP_MIRRORED_REPEAT;
	unit.rgb_map = PICA_PROCTEX_MAP_SQRT2;
	unit.noise = true;
	unit.u_amplitude = unit.v_amplitude = 0.35f;
	unit.u_frequency = unit.v_frequency = 0.4f;
	pica_emit_proctex(&r->list, &unit);
	emit_proctex_map(r, PICA_PROCTEX_TABLE_NOISE, straight);
	emit_proctex_map(r, PICA_PROCTEX_TABLE_RGB_MAP, straight);
	for (unsigned i = 0; i < 128; i++) {
		const double wave = 0.5 + 0.5 * turn_sin(i / 24.0);
		colors[i] = mix_color(0xFF601840, 0xFFFFF0E0, wave); /* R in the low byte */
	}
	pica_emit_proctex_colors(&r->list, 0, colors, 128);
}

static void use_light(struct recorder *r) {
	unsigned sharp = 24;
	struct pica_lighting lighting;
	struct pica_light light;
	pica_lighting_init(&lighting);
	lighting.ambient = 0x281C18;
	lighting.d0.enable = true;
	pica_emit_lighting(&r->list, &lighting);
	pica_light_init(&light);
	light.diffuse = 0xC8E0F0;
	light.specular0 = 0xFFFFFF;
	vec3_set(light.position, -0.7f, 0.75f, 0.8f);
	light.is_directional = true;
	pica_emit_light(&r->list, 0, &light);
	lit_table(r, PICA_LIGHT_TABLE_D0, true, lit_power, &sharp);
}

static void use_all_units(struct recorder *r) {
	for (unsigned i = 0; i < 3; i++) {
		pica_emit_texture(&r->list, i, &own.texture[i]);
	}
	pica_emit_texture_units(&r->list, 0xF, 2, false);
}

/* ---- Stages ---- */

/* Replaces the colour by a source. */
static void put_source(struct recorder *r, unsigned stage, uint32_t source, uint32_t operand,
		uint32_t constant) {
	TEV(r, stage, .rgb_source = { source }, .rgb_operand = { operand }, ALPHA1(PREVIOUS),
			.color = constant);
}

/* Shows one source; sets the buffer and the previous result first. */
static void use_source(struct recorder *r, uint32_t source) {
	tev_pass(r, 0, STAGES - 1);
	pica_emit_tev_buffer(&r->list, 0, 0, 0);
	if (source == PICA_TEV_SOURCE_PREVIOUS_BUFFER) {
		/* Stage 0 writes the buffer, stage 1 has no effect, stage 2 reads. */
		pica_emit_tev_buffer(&r->list, 1, 0, 0);
		put_source(r, 0, PICA_TEV_SOURCE_TEXTURE0, PICA_TEV_OPERAND_RGB_COLOR, 0);
		put_source(r, 1, PICA_TEV_SOURCE_CONSTANT, PICA_TEV_OPERAND_RGB_COLOR, 0);
		put_source(r, 2, source, PICA_TEV_OPERAND_RGB_COLOR, 0);
	} else if (source == PICA_TEV_SOURCE_PREVIOUS) {
		put_source(r, 0, PICA_TEV_SOURCE_TEXTURE0, PICA_TEV_OPERAND_RGB_COLOR, 0);
		put_source(r, 1, source, PICA_TEV_OPERAND_RGB_ONE_MINUS_COLOR, 0);
	} else {
		put_source(r, 0, source, PICA_TEV_OPERAND_RGB_COLOR, 0xFF40A0F0);
	}
}

static const struct {
	const char *name;
	struct pica_tev tev;
} stages[STAGES] = {
	{ "0 texture0 * diffuse",
			{ RGB2(MODULATE, TEXTURE0, FRAGMENT_PRIMARY), ALPHA1(PREVIOUS) } },
	{ "1 * colour", { RGB2(MODULATE, PREVIOUS, PRIMARY), ALPHA1(PREVIOUS) } },
	{ "2 texture1 in yellow", { RGB3(INTERPOLATE, CONSTANT, PREVIOUS, TEXTURE1),
			ALPHA1(PREVIOUS), .rgb_operand = { 0, 0, PICA_TEV_OPERAND_RGB_ALPHA },
			.color = 0xFF50D8FF } },
	{ "3 + texture2 * texture3",
			{ RGB3(MULTIPLY_ADD, TEXTURE2, TEXTURE3, PREVIOUS), ALPHA1(PREVIOUS) } },
	{ "4 half the buffer", { RGB3(INTERPOLATE, PREVIOUS, PREVIOUS_BUFFER, CONSTANT),
			ALPHA1(PREVIOUS), .color = 0xFF808080 } },
	{ "5 + highlights", { RGB2(ADD, PREVIOUS, FRAGMENT_SECONDARY), ALPHA1(PREVIOUS) } },
};

/* Uses the stages up to last, the others pass; stage 0 writes the buffer. */
static void use_stages(struct recorder *r, unsigned last) {
	for (unsigned stage = 0; stage < STAGES; stage++) {
		pica_emit_tev(&r->list, stage, stage <= last ? &stages[stage].tev : NULL);
	}
	pica_emit_tev_buffer(&r->list, 1, 0, 0);
}

/* ---- Draw ---- */

static void begin_balls(struct recorder *r, unsigned width, unsigned height) {
	/* Narrow panels show more above and below. */
	const double view = width < height ? 31 / 360.0 : 24 / 360.0;
	const struct mat4 lens = mat4_tilt(mat4_perspective(view, (double)width / height, 1, 10));
	blend_off(r);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	use_all_units(r);
	use_light(r);
	use_procedural(r);
	use_projected(r, program_source, lens);
}

static void draw_ball(struct recorder *r) {
	lit_draw(r, &own.ball, mat4_mul3(mat4_translate(0, 0, -5.2f), mat4_rotate_x(0.05),
			mat4_rotate_y(0.1)));
}

static void end_balls(struct recorder *r) {
	pica_emit_lighting(&r->list, NULL);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	pica_emit_tev_buffer(&r->list, 0, 0, 0);
	tev_pass(r, 1, STAGES - 1);
}

static void draw_top(struct recorder *r, unsigned frame) {
	static const struct {
		const char *name;
		uint32_t source;
	} sources[SOURCES] = { { "0 colour", PICA_TEV_SOURCE_PRIMARY },
		{ "1 diffuse", PICA_TEV_SOURCE_FRAGMENT_PRIMARY },
		{ "2 specular", PICA_TEV_SOURCE_FRAGMENT_SECONDARY },
		{ "3 texture0", PICA_TEV_SOURCE_TEXTURE0 },
		{ "4 texture1", PICA_TEV_SOURCE_TEXTURE1 },
		{ "5 texture2", PICA_TEV_SOURCE_TEXTURE2 },
		{ "6 procedural", PICA_TEV_SOURCE_TEXTURE3 },
		{ "13 buffer", PICA_TEV_SOURCE_PREVIOUS_BUFFER },
		{ "14 constant", PICA_TEV_SOURCE_CONSTANT },
		{ "15 previous, 1 - x", PICA_TEV_SOURCE_PREVIOUS } };
	begin_balls(r, PANEL_W, PANEL_H);
	for (unsigned i = 0; i < SOURCES; i++) {
		const int x = 2 + (int)(i % 5) * 80, y = 14 + (int)(i / 5) * 113;
		use_source(r, sources[i].source);
		recorder_viewport(r, x, y, PANEL_W, PANEL_H);
		draw_ball(r);
		canvas_label(r, x + PANEL_W / 2, y + PANEL_H + 2, sources[i].name);
	}
	end_balls(r);
	recorder_viewport(r, 0, 0, TOP_WIDTH, SCREEN_HEIGHT);
	canvas_title(r, "the sources of the combiner");
	canvas_draw(r);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	begin_balls(r, STEP_W, STEP_H);
	for (unsigned i = 0; i < STAGES; i++) {
		const int x = 5 + (int)(i % 3) * 105, y = 14 + (int)(i / 3) * 113;
		use_stages(r, i);
		recorder_viewport(r, x, y, STEP_W, STEP_H);
		draw_ball(r);
		canvas_label(r, x + STEP_W / 2, y + STEP_H + 2, stages[i].name);
	}
	end_balls(r);
	recorder_viewport(r, 0, 0, BOTTOM_WIDTH, SCREEN_HEIGHT);
	canvas_title(r, "one material, stage by stage");
	canvas_draw(r);
}

static void store(struct recorder *r) {
	own.texture[0] = store_texture(r, PICA_TEXTURE_FORMAT_RGB565, 64, 1, picture_tiles);
	own.texture[1] = store_texture(r, PICA_TEXTURE_FORMAT_IA8, 64, 1, picture_star);
	own.texture[2] = store_texture(r, PICA_TEXTURE_FORMAT_I8, 64, 1, picture_weave);
	for (unsigned i = 0; i < 3; i++) {
		set_wrap(&own.texture[i], PICA_WRAP_REPEAT);
	}
	own.ball = lit_patch(r, lit_ball, 56, 28, 4, 2);
}

const struct scene scene_sources = {
	.name = "sources",
	.what = "chart of all sources of the combiner, and of a material of six stages",
	.frames = FRAMES, .has_canvas = true, .top = 0x1C2030FF, .bottom = 0x1C2030FF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
