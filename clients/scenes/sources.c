/*
 * Where the combiner's colours come from. Top: each source alone on a ball that is lit, coloured,
 * textured by three units and procedurally. Bottom: all of them in one material, as it looks after
 * each of the six stages.
 */
#include <string.h>

#include "canvas.h"
#include "lit.h"
#include "recorder.h"
#include "scenes.h"
#include "texture.h"

enum {
	FRAMES = 1,
	SOURCES = 10,
	STAGES = 6,
	PANEL_W = 76,
	PANEL_H = 96,
	STEP_W = 100,
	STEP_H = 96
};

/* Vertices of lit.h; the colour is the place, and the three sets of coordinates differ in scale. */
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
		"	mov r0.w, k.y\n"
		"	dp4 r1.x, model[0], r0\n"
		"	dp4 r1.y, model[1], r0\n"
		"	dp4 r1.z, model[2], r0\n"
		"	mov r1.w, k.y\n"
		"	dp4 out_pos.x, projection[0], r1\n"
		"	dp4 out_pos.y, projection[1], r1\n"
		"	dp4 out_pos.z, projection[2], r1\n"
		"	dp4 out_pos.w, projection[3], r1\n"
		"	mov out_view.xyz, -r1.xyz\n"
		"	; turn * in_quat\n"
		"	mov r2, in_quat\n"
		"	mov r3, turn\n"
		"	mul r4.xyz, r3.www, r2.xyz\n"
		"	mad r4.xyz, r2.www, r3.xyz, r4.xyz\n"
		"	mad r4.xyz, r3.yzx, r2.zxy, r4.xyz\n"
		"	mad out_quat.xyz, -r3.zxy, r2.yzx, r4.xyz\n"
		"	dp3 r5.x, r3, r2\n"
		"	mul r5.y, r3.w, r2.w\n"
		"	add out_quat.w, r5.y, -r5.x\n"
		"	mov r6, k\n"
		"	mad out_color.xyz, r0.xyz, r6.zzz, r6.zzz\n"
		"	mov out_color.w, k.y\n"
		"	mov r7.xy, in_uv.xy\n"
		"	mov out_tex0.xy, r7.xy\n"
		"	mul out_tex1.xy, k.ww, r7.xy\n"
		"	mul out_tex2.xy, k.zz, r7.xy\n"
		"	end\n"
		".end\n";

struct sources {
	struct canvas canvas;
	struct program p;
	struct lit_body ball;
	struct pica_texture texture[3];
};

/* ---- What the units hold ---- */

static float straight(float x, void *arg) {
	return x;
}

/* A table of the procedural unit. */
static void emit_map(struct recorder *r, uint32_t table, float (*f)(float, void *)) {
	float values[129];
	uint32_t entries[128];
	for (unsigned i = 0; i < 129; i++) {
		values[i] = f((float)i / 128, NULL);
	}
	pica_proctex_map(entries, values);
	pica_emit_proctex_lut(&r->list, table, 0, entries, 128);
}

/* Rings around a middle, bent by noise, from violet to white. */
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
	emit_map(r, PICA_PROCTEX_TABLE_NOISE, straight);
	emit_map(r, PICA_PROCTEX_TABLE_RGB_MAP, straight);
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
	light.position[0] = -0.7f;
	light.position[1] = 0.75f;
	light.position[2] = 0.8f;
	light.is_directional = true;
	pica_emit_light(&r->list, 0, &light);
	lit_table(r, PICA_LIGHT_TABLE_D0, true, lit_power, &sharp);
}

static void use_units(struct recorder *r, const struct sources *s) {
	for (unsigned i = 0; i < 3; i++) {
		pica_emit_texture(&r->list, i, &s->texture[i]);
	}
	pica_emit_texture_units(&r->list, 0xF, 2, false);
}

/* ---- Stages ---- */

/* Replaces the colour by a source. */
static void put_source(struct recorder *r, unsigned stage, uint32_t source, uint32_t operand,
		uint32_t constant) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = source;
	tev.rgb_operand[0] = operand;
	tev.color = constant;
	pica_emit_tev(&r->list, stage, &tev);
}

/* One source; buffer and previous get something to hold first. */
static void use_source(struct recorder *r, uint32_t source) {
	for (unsigned stage = 0; stage < STAGES; stage++) {
		pica_emit_tev(&r->list, stage, NULL);
	}
	pica_emit_tev_buffer(&r->list, 0, 0, 0);
	if (source == PICA_TEV_SOURCE_PREVIOUS_BUFFER) {
		/* Stage 0 goes into the buffer, stage 1 is forgotten, stage 2 reads. */
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
	uint32_t op, source[3], operand[3], constant;
} stages[STAGES] = {
	{ "0 texture0 * diffuse", PICA_TEV_OP_MODULATE,
			{ PICA_TEV_SOURCE_TEXTURE0, PICA_TEV_SOURCE_FRAGMENT_PRIMARY }, { 0 }, 0 },
	{ "1 * colour", PICA_TEV_OP_MODULATE, { PICA_TEV_SOURCE_PREVIOUS, PICA_TEV_SOURCE_PRIMARY },
			{ 0 }, 0 },
	{ "2 texture1 in yellow", PICA_TEV_OP_INTERPOLATE,
			{ PICA_TEV_SOURCE_CONSTANT, PICA_TEV_SOURCE_PREVIOUS,
					PICA_TEV_SOURCE_TEXTURE1 },
			{ 0, 0, PICA_TEV_OPERAND_RGB_ALPHA }, 0xFF50D8FF },
	{ "3 + texture2 * texture3", PICA_TEV_OP_MULTIPLY_ADD,
			{ PICA_TEV_SOURCE_TEXTURE2, PICA_TEV_SOURCE_TEXTURE3,
					PICA_TEV_SOURCE_PREVIOUS },
			{ 0 }, 0 },
	{ "4 half the buffer", PICA_TEV_OP_INTERPOLATE,
			{ PICA_TEV_SOURCE_PREVIOUS, PICA_TEV_SOURCE_PREVIOUS_BUFFER,
					PICA_TEV_SOURCE_CONSTANT },
			{ 0 }, 0xFF808080 },
	{ "5 + highlights", PICA_TEV_OP_ADD,
			{ PICA_TEV_SOURCE_PREVIOUS, PICA_TEV_SOURCE_FRAGMENT_SECONDARY }, { 0 },
			0 },
};

/* The stages up to one, the others pass; stage 0 goes into the buffer. */
static void use_stages(struct recorder *r, unsigned last) {
	for (unsigned stage = 0; stage < STAGES; stage++) {
		struct pica_tev tev;
		pica_tev_init(&tev);
		tev.rgb_op = stages[stage].op;
		tev.color = stages[stage].constant;
		for (unsigned k = 0; k < 3; k++) {
			tev.rgb_source[k] = stages[stage].source[k];
			tev.rgb_operand[k] = stages[stage].operand[k];
		}
		pica_emit_tev(&r->list, stage, stage <= last ? &tev : NULL);
	}
	pica_emit_tev_buffer(&r->list, 1, 0, 0);
}

/* ---- Draw ---- */

static void begin_balls(
		struct recorder *r, const struct sources *s, unsigned width, unsigned height) {
	/* The narrower the panel, the more is seen above and below. */
	const double view = width < height ? 31 / 360.0 : 24 / 360.0;
	const struct mat4 lens = mat4_tilt(mat4_perspective(view, (double)width / height, 1, 10));
	pica_emit_blend(&r->list, NULL);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	use_units(r, s);
	use_light(r);
	use_procedural(r);
	lit_use(r, &s->p, &lens);
}

static void draw_ball(struct recorder *r, const struct sources *s) {
	const struct mat4 model = mat4_mul(mat4_translate(0, 0, -5.2f),
			mat4_mul(mat4_rotate_x(0.05), mat4_rotate_y(0.1)));
	lit_draw(r, &s->p, &s->ball, &model);
}

static void end_balls(struct recorder *r) {
	pica_emit_lighting(&r->list, NULL);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	pica_emit_tev_buffer(&r->list, 0, 0, 0);
	for (unsigned stage = 1; stage < STAGES; stage++) {
		pica_emit_tev(&r->list, stage, NULL);
	}
}

static void draw_top(struct recorder *r, struct sources *s) {
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
	recorder_draw_top(r);
	begin_balls(r, s, PANEL_W, PANEL_H);
	for (unsigned i = 0; i < SOURCES; i++) {
		const int x = 2 + (int)(i % 5) * 80, y = 14 + (int)(i / 5) * 113;
		use_source(r, sources[i].source);
		recorder_viewport(r, TOP_WIDTH, x, y, PANEL_W, PANEL_H);
		draw_ball(r, s);
		canvas_text_centered(&s->canvas, x + PANEL_W / 2, y + PANEL_H + 2, 0xD8DCE8FF,
				sources[i].name);
	}
	end_balls(r);
	recorder_viewport(r, TOP_WIDTH, 0, 0, TOP_WIDTH, SCREEN_HEIGHT);
	canvas_text_centered(
			&s->canvas, TOP_WIDTH / 2, 3, 0xFFC080FF, "the sources of the combiner");
	canvas_draw(&s->canvas, r, TOP_WIDTH);
}

static void draw_bottom(struct recorder *r, struct sources *s) {
	recorder_draw_bottom(r);
	begin_balls(r, s, STEP_W, STEP_H);
	for (unsigned i = 0; i < STAGES; i++) {
		const int x = 5 + (int)(i % 3) * 105, y = 14 + (int)(i / 3) * 113;
		use_stages(r, i);
		recorder_viewport(r, BOTTOM_WIDTH, x, y, STEP_W, STEP_H);
		draw_ball(r, s);
		canvas_text_centered(&s->canvas, x + STEP_W / 2, y + STEP_H + 2, 0xD8DCE8FF,
				stages[i].name);
	}
	end_balls(r);
	recorder_viewport(r, BOTTOM_WIDTH, 0, 0, BOTTOM_WIDTH, SCREEN_HEIGHT);
	canvas_text_centered(&s->canvas, BOTTOM_WIDTH / 2, 3, 0xFFC080FF,
			"one material, stage by stage");
	canvas_draw(&s->canvas, r, BOTTOM_WIDTH);
}

static void store(struct recorder *r, struct sources *s) {
	recorder_store_texture(r, &s->texture[0], PICA_TEXTURE_FORMAT_RGB565, 64, 1, picture_tiles);
	recorder_store_texture(r, &s->texture[1], PICA_TEXTURE_FORMAT_IA8, 64, 1, picture_star);
	recorder_store_texture(r, &s->texture[2], PICA_TEXTURE_FORMAT_I8, 64, 1, picture_weave);
	for (unsigned i = 0; i < 3; i++) {
		s->texture[i].wrap_s = PICA_WRAP_REPEAT;
		s->texture[i].wrap_t = PICA_WRAP_REPEAT;
	}
	lit_patch(r, &s->ball, lit_ball, 56, 28, 4, 2);
}

static int record(struct recorder *r) {
	struct sources s;
	memset(&s, 0, sizeof(s));
	int ret = canvas_init(&s.canvas, r);
	if (ret == 0) {
		ret = program_create(&s.p, "sources", program_source, NULL);
	}
	if (ret == 0) {
		store(r, &s);
		recorder_frame_begin(r, 0x1C2030FF, 0x1C2030FF);
		draw_top(r, &s);
		draw_bottom(r, &s);
		recorder_frame_end(r);
	}
	program_destroy(&s.p);
	canvas_finish(&s.canvas);
	return ret;
}

const struct scene scene_sources = {
	.name = "sources",
	.what = "chart of all sources of the combiner, and of a material of six stages",
	.frames = FRAMES,
	.record = record,
};
