/*
 * A console program with the system's library alone: draws a turning cube on both screens with its
 * own command lists. A makes the background red, the circle pad turns the cube, START exits, L
 * raises SIGSEGV, R hangs. The shader is in romfs:/.
 */
#include <3ds.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LIST_WORDS = 0x4000,
	WIDTH = 240, /* of both screens, which lie on their side */
	TOP_LINES = 400,
	BOTTOM_LINES = 320,
	TRANSFER = GX_TRANSFER_IN_FORMAT(GX_TRANSFER_FMT_RGBA8) |
			GX_TRANSFER_OUT_FORMAT(GX_TRANSFER_FMT_RGB8),
	SIDES = 6,
};

struct vertex {
	float position[3];
	float color[3];
};

static struct vertex *vertices; /* four of each side */
static u8 *indices;
static u32 *list, *color, *depth;
static shaderProgram_s program;
static int transform;

/* ---- The cube ---- */

static void make_cube(void) {
	static const u8 corners[6] = { 0, 1, 2, 2, 1, 3 };
	vertices = linearAlloc(4 * SIDES * sizeof(*vertices));
	indices = linearAlloc(6 * SIDES);
	for (int side = 0; side < SIDES; side++) {
		const int axis = side / 2;
		const float sign = side % 2 ? 1.0f : -1.0f;
		for (int corner = 0; corner < 4; corner++) {
			struct vertex *v = &vertices[4 * side + corner];
			v->position[axis] = sign;
			v->position[(axis + 1) % 3] = corner & 1 ? 1.0f : -1.0f;
			v->position[(axis + 2) % 3] = corner & 2 ? sign : -sign;
			for (int i = 0; i < 3; i++) {
				v->color[i] = 0.5f + 0.5f * v->position[i];
			}
		}
		for (int i = 0; i < 6; i++) {
			indices[6 * side + i] = (u8)(4 * side + corners[i]);
		}
	}
}

/* Rotation, translation and perspective; x and y are swapped since the screens are turned. */
static void make_rows(float rows[4][4], float turn, float tilt, float aspect) {
	const float s = sinf(turn), c = cosf(turn), t = sinf(tilt), u = cosf(tilt);
	const float m[3][3] = { { c, 0, s }, { t * s, u, -t * c }, { -u * s, t, u * c } };
	const float focus = 1.8f, away = 4.0f, near = 1.0f, far = 8.0f;
	memset(rows, 0, 16 * sizeof(float));
	for (int i = 0; i < 3; i++) {
		rows[0][i] = focus * m[1][i];
		rows[1][i] = -focus / aspect * m[0][i];
		/* z from -w (near) to 0 (far) */
		rows[2][i] = -near / (far - near) * m[2][i];
		rows[3][i] = -m[2][i];
	}
	rows[2][3] = near / (far - near) * away - near * far / (far - near);
	rows[3][3] = away;
}

/* ---- Commands ---- */

static void write_uniforms(int reg, float rows[4][4]) {
	u32 words[16];
	for (int i = 0; i < 16; i++) {
		const float f = rows[i / 4][3 - i % 4]; /* w first */
		memcpy(&words[i], &f, 4);
	}
	GPUCMD_AddWrite(GPUREG_VSH_FLOATUNIFORM_CONFIG, 0x80000000 | (u32)reg);
	GPUCMD_AddWrites(GPUREG_VSH_FLOATUNIFORM_DATA, words, 16);
}

static void bind_target(u32 lines) {
	const u32 dim = 0x01000000 | (lines - 1) << 12 | WIDTH;
	const u32 target[3] = { osConvertVirtToPhys(depth) >> 3, osConvertVirtToPhys(color) >> 3,
		dim };
	const u32 access[4] = { 0xF, 0xF, 2, 2 };
	const u32 view[4] = { f32tof24(WIDTH / 2.0f), f32tof31(2.0f / WIDTH) << 1,
		f32tof24((float)lines / 2.0f), f32tof31(2.0f / (float)lines) << 1 };
	const u32 scissor[3] = { GPU_SCISSOR_DISABLE, 0, 0 };
	GPUCMD_AddWrite(GPUREG_FRAMEBUFFER_INVALIDATE, 1);
	GPUCMD_AddIncrementalWrites(GPUREG_DEPTHBUFFER_LOC, target, 3);
	GPUCMD_AddWrite(GPUREG_RENDERBUF_DIM, dim);
	GPUCMD_AddWrite(GPUREG_DEPTHBUFFER_FORMAT, GPU_RB_DEPTH24_STENCIL8);
	GPUCMD_AddWrite(GPUREG_COLORBUFFER_FORMAT, 2);
	GPUCMD_AddWrite(GPUREG_FRAMEBUFFER_BLOCK32, 0);
	GPUCMD_AddIncrementalWrites(GPUREG_COLORBUFFER_READ, access, 4);
	GPUCMD_AddIncrementalWrites(GPUREG_VIEWPORT_WIDTH, view, 4);
	GPUCMD_AddWrite(GPUREG_VIEWPORT_XY, 0);
	GPUCMD_AddIncrementalWrites(GPUREG_SCISSORTEST_MODE, scissor, 3);
}

/* Vertex colours; a greater depth is nearer; back faces are culled. */
static void bind_state(void) {
	const u32 stage[5] = { GPU_TEVSOURCES(GPU_PRIMARY_COLOR, 0, 0) |
				(u32)GPU_TEVSOURCES(GPU_PRIMARY_COLOR, 0, 0) << 16,
		0, 0, 0xFFFFFFFF, 0 };
	const u32 pass_on[5] = { GPU_TEVSOURCES(GPU_PREVIOUS, 0, 0) |
				(u32)GPU_TEVSOURCES(GPU_PREVIOUS, 0, 0) << 16,
		0, 0, 0xFFFFFFFF, 0 };
	static const u32 others[5] = { GPUREG_TEXENV1_SOURCE, GPUREG_TEXENV2_SOURCE,
		GPUREG_TEXENV3_SOURCE, GPUREG_TEXENV4_SOURCE, GPUREG_TEXENV5_SOURCE };
	GPUCMD_AddWrite(GPUREG_DEPTHMAP_ENABLE, 1);
	GPUCMD_AddWrite(GPUREG_DEPTHMAP_SCALE, f32tof24(-1.0f));
	GPUCMD_AddWrite(GPUREG_DEPTHMAP_OFFSET, 0);
	GPUCMD_AddWrite(GPUREG_FACECULLING_CONFIG, GPU_CULL_BACK_CCW);
	GPUCMD_AddWrite(GPUREG_DEPTH_COLOR_MASK, 1 | GPU_GREATER << 4 | GPU_WRITE_ALL << 8);
	GPUCMD_AddWrite(GPUREG_STENCIL_TEST, 0);
	GPUCMD_AddWrite(GPUREG_FRAGOP_ALPHA_TEST, 0);
	GPUCMD_AddMaskedWrite(GPUREG_COLOR_OPERATION, 7, 0xE40100);
	GPUCMD_AddWrite(GPUREG_BLEND_FUNC, GPU_ONE << 16 | GPU_ONE << 24);
	GPUCMD_AddWrite(GPUREG_LIGHTING_ENABLE0, 0);
	GPUCMD_AddWrite(GPUREG_LIGHTING_ENABLE1, 1);
	GPUCMD_AddMaskedWrite(GPUREG_TEXUNIT_CONFIG, 0xB, 0x1000);
	GPUCMD_AddIncrementalWrites(GPUREG_TEXENV0_SOURCE, stage, 5);
	for (int i = 0; i < 5; i++) {
		GPUCMD_AddIncrementalWrites(others[i], pass_on, 5);
	}
}

static void draw(float rows[4][4]) {
	const u32 base = osConvertVirtToPhys(vertices);
	const u32 attributes[3] = { base >> 3,
		GPU_ATTRIBFMT(0, 3, GPU_FLOAT) | GPU_ATTRIBFMT(1, 3, GPU_FLOAT),
		0xFFC << 16 | 1U << 28 };
	const u32 buffer[3] = { 0, 0x10, 2U << 28 | sizeof(struct vertex) << 16 };
	const u32 permutation[2] = { 0x10, 0 };
	shaderProgramUse(&program);
	GPUCMD_AddWrite(GPUREG_VSH_INPUTBUFFER_CONFIG, 0xA0000000 | 1);
	GPUCMD_AddWrite(GPUREG_VSH_NUM_ATTR, 1);
	GPUCMD_AddIncrementalWrites(GPUREG_VSH_ATTRIBUTES_PERMUTATION_LOW, permutation, 2);
	GPUCMD_AddIncrementalWrites(GPUREG_ATTRIBBUFFERS_LOC, attributes, 3);
	GPUCMD_AddIncrementalWrites(GPUREG_ATTRIBBUFFER0_OFFSET, buffer, 3);
	write_uniforms(transform, rows);
	GPUCMD_AddMaskedWrite(GPUREG_PRIMITIVE_CONFIG, 2, GPU_TRIANGLES);
	GPUCMD_AddWrite(GPUREG_RESTART_PRIMITIVE, 1);
	GPUCMD_AddWrite(GPUREG_INDEXBUFFER_CONFIG, osConvertVirtToPhys(indices) - base);
	GPUCMD_AddWrite(GPUREG_NUMVERTICES, 6 * SIDES);
	GPUCMD_AddWrite(GPUREG_VERTEX_OFFSET, 0);
	GPUCMD_AddMaskedWrite(GPUREG_GEOSTAGE_CONFIG, 2, 0x100);
	GPUCMD_AddMaskedWrite(GPUREG_GEOSTAGE_CONFIG2, 2, 0x100);
	GPUCMD_AddMaskedWrite(GPUREG_START_DRAW_FUNC0, 1, 0);
	GPUCMD_AddWrite(GPUREG_DRAWELEMENTS, 1);
	GPUCMD_AddMaskedWrite(GPUREG_START_DRAW_FUNC0, 1, 1);
	GPUCMD_AddMaskedWrite(GPUREG_GEOSTAGE_CONFIG, 2, 0);
	GPUCMD_AddMaskedWrite(GPUREG_GEOSTAGE_CONFIG2, 2, 0);
	GPUCMD_AddWrite(GPUREG_VTX_FUNC, 1);
	GPUCMD_AddWrite(GPUREG_FRAMEBUFFER_FLUSH, 1);
}

/* ---- Frames ---- */

static void show(gfxScreen_t screen, u32 background, float rows[4][4]) {
	const u32 lines = screen == GFX_TOP ? TOP_LINES : BOTTOM_LINES;
	u32 *commands, size;
	GX_MemoryFill(color, background, color + WIDTH * lines,
			GX_FILL_TRIGGER | GX_FILL_32BIT_DEPTH, depth, 0, depth + WIDTH * lines,
			GX_FILL_TRIGGER | GX_FILL_32BIT_DEPTH);
	gspWaitForPSC0();
	GPUCMD_SetBuffer(list, LIST_WORDS, 0);
	bind_target(lines);
	bind_state();
	draw(rows);
	GPUCMD_Split(&commands, &size);
	GX_ProcessCommandList(commands, size * 4, GX_CMDLIST_FLUSH);
	gspWaitForP3D();
	GX_DisplayTransfer(color, GX_BUFFER_DIM(WIDTH, lines),
			(u32 *)(void *)gfxGetFramebuffer(screen, GFX_LEFT, NULL, NULL),
			GX_BUFFER_DIM(WIDTH, lines), TRANSFER);
	gspWaitForPPF();
	gfxScreenSwapBuffers(screen, false);
}

static bool load_shader(void) {
	static u32 data[1024];
	FILE *f = fopen("romfs:/cube.shbin", "rb");
	const size_t size = f ? fread(data, 1, sizeof(data), f) : 0;
	DVLB_s *binary = size ? DVLB_ParseFile(data, (u32)size) : NULL;
	if (f) {
		fclose(f);
	}
	shaderProgramInit(&program);
	if (!binary || shaderProgramSetVsh(&program, &binary->DVLE[0]) < 0) {
		return false;
	}
	transform = shaderInstanceGetUniformLocation(program.vertexShader, "transform");
	return transform >= 0;
}

int main(void) {
	float turn = 0.5f, tilt = 0.4f, rows[4][4];
	gfxInitDefault();
	if (romfsInit() < 0 || !load_shader()) {
		fprintf(stderr, "no shader in romfs:/cube.shbin\n");
		return 3;
	}
	make_cube();
	list = linearAlloc(LIST_WORDS * 4);
	color = vramAllocAt(WIDTH * TOP_LINES * 4, VRAM_ALLOC_A);
	depth = vramAllocAt(WIDTH * TOP_LINES * 4, VRAM_ALLOC_B);
	while (aptMainLoop()) {
		circlePosition pad;
		hidScanInput();
		if (hidKeysDown() & KEY_START) {
			break;
		}
		if (hidKeysDown() & KEY_L) {
			raise(SIGSEGV);
		}
		while (hidKeysDown() & KEY_R) {
		}
		hidCircleRead(&pad);
		turn += 0.03f + (float)pad.dx / 1000.0f;
		tilt += (float)pad.dy / 1000.0f;
		make_rows(rows, turn, tilt, (float)TOP_LINES / WIDTH);
		show(GFX_TOP, hidKeysHeld() & KEY_A ? 0xC03020FF : 0x203040FF, rows);
		make_rows(rows, -turn, 0.9f, (float)BOTTOM_LINES / WIDTH);
		show(GFX_BOTTOM, 0x404040FF, rows);
		gspWaitForVBlank();
	}
	gfxExit();
	return hidKeysDown() & KEY_START ? 7 : 0;
}
