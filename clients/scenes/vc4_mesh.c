/*
 * Scenes of the VideoCore IV with programs of their own: links of a chain, transformed by matrices
 * from uniforms, lit and textured per pixel; thin triangles with and without multisampling.
 */
#include <string.h>

#include "lit.h"
#include "math3.h"
#include "texture.h"
#include "vc4.h"
#include "vc4/tex/layout.h"

enum {
	AROUND = 48, ACROSS = 20,
	N_VERTICES = (AROUND + 1) * (ACROSS + 1),
	N_INDICES = 6 * AROUND * ACROSS,
	INDICES = VC4_VERTICES + 0x20000,
	MAP = 64, /* texels a side */
	LINKS = 3,
	OF_LINK = 0x100, /* bytes of records and of uniforms */
	FRAGMENT_UNIFORMS = 0x80, /* in those of a link */
};

/* ---- Programs ---- */

#define READ_3 "or ra0, vpm, -\nor ra1, vpm, -\nor ra2, vpm, -\n"
/* A row of the matrix times the vertex. */
#define ROW(to)                                                                                    \
	"fmul r0, ra0, unif\nfmul r1, ra1, unif\nfadd r0, r0, r1; fmul r1, ra2, unif\n"            \
	"fadd r0, r0, r1\nfadd " to ", r0, unif\n"
/* ra4 to ra7 are the clip coordinates, r3 becomes 1/Wc. [fidelity: qpu-sfu] */
#define POSITION                                                                                   \
	ROW("ra4") ROW("ra5") ROW("ra6") ROW("ra7")                                                \
	"nop\nmov recip, ra7\nnop\nnop\n"                                                          \
	"fmul r0, ra7, r4\nfsub r0, 2.0, r0\nfmul r3, r4, r0\n"
/* Screen coordinates, Z and 1/Wc, after a setup of the VPM. */
#define SCREEN                                                                                     \
	"fmul r0, ra4, unif\nfmul r0, r0, r3\nftoi r0, r0\n"                                       \
	"fmul r1, ra5, unif\nfmul r1, r1, r3\nftoi r1, r1\n"                                       \
	"or.pack16a ra8, r0, r0\nfmul r0, ra6, unif\n"                                             \
	"or.pack16b ra8, r1, r1\nfmul r0, r0, r3\nfadd r0, r0, unif\n"                             \
	"or vpm, ra8, -\nmov vpm, r0\nmov vpm, r3\n"
#define WRITE "ldi vw_setup, 0x1a00\n"
#define THE_END "nop; thrend\nnop\nnop\n"

static const char coordinate[] = "ldi vr_setup, 0x00301a00\nnop\nnop\nnop\n" READ_3 POSITION WRITE
		"or vpm, ra4, -\nor vpm, ra5, -\nor vpm, ra6, -\nor vpm, ra7, -\n" SCREEN THE_END;

static const char vertex[] = "ldi vr_setup, 0x00801a00\nnop\nnop\nnop\n" READ_3
		"or ra9, vpm, -\nor ra10, vpm, -\nor ra11, vpm, -\nor ra12, vpm, -\nor ra13, vpm, -\n"
		POSITION WRITE SCREEN
		"or vpm, ra9, -\nor vpm, ra10, -\nor vpm, ra11, -\nor vpm, ra12, -\nor vpm, ra13, -\n" THE_END;

/* The normal, of any length, times a direction of length 1; r4: its inverse length. */
#define ALONG                                                                                      \
	"fmul r0, ra0, unif\nfmul r1, ra1, unif\nfadd r0, r0, r1; fmul r1, ra2, unif\n"            \
	"fadd r0, r0, r1\nfmul r0, r0, ra3\nfmax r0, r0, 0\n"
#define CHANNEL(byte)                                                                              \
	"fmul.pm.unpack8" byte " r0, r2, r4\nfadd r0, r0, r3\nfmul.pm.pack8" byte " r1, r0, 1.0\n"

/* texel * (0.25 + light) + highlight^32 / 2 */
static const char fragment[] =
		"fmul r0, ra15, vary\nfadd ra0, r0, r5; fmul r0, ra15, vary\n"
		"fadd ra1, r0, r5; fmul r0, ra15, vary\nfadd ra2, r0, r5; fmul r0, ra15, vary\n"
		"fadd r1, r0, r5; fmul r0, ra15, vary\nfadd t0t, r0, r5\nmov t0s, r1\n"
		"fmul r0, ra0, ra0\nfmul r1, ra1, ra1\nfadd r0, r0, r1; fmul r1, ra2, ra2\n"
		"fadd r0, r0, r1\nmov rsqrt, r0\nnop\nnop\nor ra3, r4, r4\nnop\n"
		ALONG "fadd r2, r0, 0.25\n"
		ALONG "fmul r0, r0, r0\nfmul r0, r0, r0\nfmul r0, r0, r0\nfmul r0, r0, r0\n"
		"fmul r0, r0, r0\nfmul r3, r0, 0.5\nldi r1, 0xff000000\nnop; ldtmu0\n"
		CHANNEL("a") CHANNEL("b") CHANNEL("c")
		"mov tlbz, rb15; sbwait\nmov tlbc, r1\nnop; thrend\nnop\nnop; sbdone\n";

/* ---- Data ---- */

struct row {
	float place[3], normal[3], s, t;
};

/* A torus. */
static void put_body(struct vc4_recorder *r) {
	struct row rows[N_VERTICES], *at = rows;
	uint16_t index[N_INDICES], *next = index;
	for (unsigned i = 0; i <= AROUND; i++) {
		for (unsigned k = 0; k <= ACROSS; k++, at++) {
			const double u = (double)i / AROUND, v = (double)k / ACROSS;
			double p[3];
			lit_ring(u, v, p);
			*at = (struct row){ { (float)p[0], (float)p[1], (float)p[2] },
				{ (float)(turn_cos(u) * turn_cos(v)),
						(float)(turn_sin(u) * turn_cos(v)),
						(float)turn_sin(v) },
				(float)(6 * u), (float)(2 * v) };
			if (i < AROUND && k < ACROSS) {
				const unsigned a = i * (ACROSS + 1) + k, b = a + ACROSS + 1;
				const unsigned quad[6] = { a, b, a + 1, a + 1, b, b + 1 };
				for (unsigned j = 0; j < 6; j++) {
					*next++ = (uint16_t)quad[j];
				}
			}
		}
	}
	vc4_scene_put(r, VC4_VERTICES, rows, sizeof(rows));
	vc4_scene_put(r, INDICES, index, sizeof(index));
}

static void put_map(struct vc4_recorder *r) {
	static uint8_t bytes[4 * MAP * MAP];
	const struct vc4_image image = { VC4_IMAGE_T, 4, MAP, MAP };
	for (unsigned y = 0; y < MAP; y++) {
		for (unsigned x = 0; x < MAP; x++) {
			picture_tiles(x, y, MAP, bytes + vc4_image_offset(&image, x, y));
		}
	}
	vc4_scene_put(r, VC4_TEXTURE, bytes, sizeof(bytes));
}

/* Transforms a direction from eye space to the space of a body that is only rotated, so that rows
 * are axes. */
static void turn_back(const struct mat4 *body, const float v[3], float out[3]) {
	for (unsigned i = 0; i < 3; i++) {
		out[i] = body->m[0][i] * v[0] + body->m[1][i] * v[1] + body->m[2][i] * v[2];
	}
}

/* ---- A chain ---- */

static void put_uniforms(struct vc4_recorder *r, unsigned link, struct mat4 projection,
		struct mat4 body) {
	float light[3] = { -0.5f, 0.6f, 0.7f }, half[3];
	const float sizes[4] = { 16 * 320, -16 * 240, 0.5f, 0.5f };
	const uint32_t at = VC4_UNIFORMS + OF_LINK * link;
	const struct mat4 clip = mat4_mul(projection, body);
	const uint32_t texture[2] = { VC4_TEXTURE, MAP << 20 | MAP << 8 }; /* linear, repeated */
	float directions[2][3];
	vec3_normalize(light);
	vec3_set(half, light[0], light[1], light[2] + 1); /* the eye is on +z */
	vec3_normalize(half);
	turn_back(&body, light, directions[0]);
	turn_back(&body, half, directions[1]);
	vc4_scene_put(r, at, clip.m, sizeof(clip.m));
	vc4_scene_put(r, at + sizeof(clip.m), sizes, sizeof(sizes));
	vc4_scene_put(r, at + FRAGMENT_UNIFORMS, texture, sizeof(texture));
	vc4_scene_put(r, at + FRAGMENT_UNIFORMS + sizeof(texture), directions, sizeof(directions));
}

static void draw_link(struct vc4_recorder *r, unsigned link) {
	const uint32_t uniforms = VC4_UNIFORMS + OF_LINK * link, at = VC4_RECORDS + OF_LINK * link;
	const struct pica_vc4_gl_shader s = {
		.fragment = { VC4_FRAGMENT, uniforms + FRAGMENT_UNIFORMS, 0 },
		.vertex = { VC4_VERTEX, uniforms, 2 },
		.coordinate = { VC4_COORDINATE, uniforms, 1 },
		.n_varyings = 5,
		.clip = true,
		.n_arrays = 2,
		.array = { { VC4_VERTICES, sizeof(struct row), 12 },
				{ VC4_VERTICES, sizeof(struct row), sizeof(struct row) } }
	};
	struct pica_vc4_emit record;
	pica_vc4_emit_init(&record);
	pica_vc4_emit_gl_record(&record, &s);
	vc4_scene_emitted(r, at, &record);
	pica_vc4_emit_finish(&record);
	pica_vc4_emit_gl_shader_state(&r->list[0], at, s.n_arrays);
	pica_vc4_emit_draw_indexed(&r->list[0], PICA_VC4_MODE_TRIANGLES, 2, INDICES, N_INDICES,
			N_VERTICES - 1);
}

/* Interlocked links, from two sides. */
void vc4_mesh(struct vc4_recorder *r) {
	struct mat4 projection = mat4_perspective(0.13, 4.0 / 3, 1, 12);
	for (unsigned i = 0; i < 4; i++) { /* from depth -w..0 to -w..w */
		projection.m[2][i] = 2 * projection.m[2][i] + projection.m[3][i];
	}
	r->frame.clear_color = 0xFF402818;
	put_body(r);
	put_map(r);
	vc4_scene_program(r, VC4_FRAGMENT, fragment);
	vc4_scene_program(r, VC4_VERTEX, vertex);
	vc4_scene_program(r, VC4_COORDINATE, coordinate);
	for (unsigned frame = 0; frame < 2; frame++) {
		vc4_scene_begin(r, "DRAW_FRONT=1 CLOCKWISE_FRONT=1 DEPTH_FUNCTION=lt UPDATE_Z=1");
		vc4_scene_center(r, "X=320 Y=240");
		pica_vc4_emit_named(&r->list[0], "CLIPPER_XY_SCALING",
				"HALF_WIDTH=5120 HALF_HEIGHT=-3840");
		pica_vc4_emit_named(&r->list[0], "CLIPPER_Z_SCALE_OFFSET", "SCALE=0.5 OFFSET=0.5");
		for (unsigned link = 0; link < LINKS; link++) {
			const struct mat4 view = mat4_mul(mat4_translate(0, 0, -4.2f),
					mat4_rotate_x(0.06 - 0.2 * frame));
			const struct mat4 turn = mat4_mul(mat4_rotate_z(0.04),
					mat4_rotate_x(0.25 * link + 0.07));
			const struct mat4 place = mat4_translate(1.1f * (float)link - 1.1f, 0, 0);
			put_uniforms(r, link, projection, mat4_mul3(view, place, turn));
			draw_link(r, link);
		}
		vc4_scene_run(r);
	}
}

/* ---- Thin triangles ---- */

struct spoke {
	int16_t x_fx4, y_fx4;
	float z, iw, rgb[3];
};

void vc4_samples(struct vc4_recorder *r) {
	enum { SPOKES = 48 };
	struct spoke v[3 * SPOKES];
	for (unsigned i = 0; i < SPOKES; i++) {
		const double at = (double)i / SPOKES, half = 0.12 / SPOKES;
		const float rgb[3] = { (float)(0.5 + 0.5 * turn_cos(at)),
			(float)(0.5 + 0.5 * turn_cos(at + 1.0 / 3)),
			(float)(0.5 + 0.5 * turn_cos(at + 2.0 / 3)) };
		for (unsigned k = 0; k < 3; k++) {
			const double turn = at + (k == 1 ? -half : half), far = k ? 3600 : 400;
			v[3 * i + k] = (struct spoke){ (int16_t)(far * turn_cos(turn)),
				(int16_t)(far * turn_sin(turn)), 0.5f, 1,
				{ rgb[0], rgb[1], rgb[2] } };
		}
	}
	r->frame.clear_color = 0xFF000000;
	vc4_scene_put(r, VC4_VERTICES, v, sizeof(v));
	vc4_scene_put(r, VC4_FRAGMENT, vc4_colors, sizeof(vc4_colors));
	for (unsigned frame = 0; frame < 2; frame++) {
		r->frame.multisample = frame == 0;
		vc4_scene_begin(r, r->frame.multisample ? "DRAW_FRONT=1 DRAW_BACK=1 OVERSAMPLE=4x" :
						    "DRAW_FRONT=1 DRAW_BACK=1");
		vc4_scene_center(r, "X=320 Y=240");
		vc4_scene_use_nv(r, 3);
		pica_vc4_emit_draw_arrays(&r->list[0], PICA_VC4_MODE_TRIANGLES, 0, 3 * SPOKES);
		vc4_scene_run(r);
	}
}
