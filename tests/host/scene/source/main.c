/*
 * A program in citro3d's public interface: a turning square with a texture, in fog, on both
 * screens. host/try-citro3d builds and runs it with a checkout.
 */
#include <3ds.h>
#include <citro3d.h>
#include <scene_shbin.h> /* made of scene.v.pica */
#include <string.h>

#define TRANSFER                                                                                   \
	(GX_TRANSFER_IN_FORMAT(GX_TRANSFER_FMT_RGBA8) |                                            \
			GX_TRANSFER_OUT_FORMAT(GX_TRANSFER_FMT_RGB8))

enum { TEX_SIDE = 8 };

struct vertex {
	float position[3], uv[2];
};

static const struct vertex square[4] = { { { -1, -1, 0 }, { 0, 0 } }, { { 1, -1, 0 }, { 1, 0 } },
	{ { -1, 1, 0 }, { 0, 1 } }, { { 1, 1, 0 }, { 1, 1 } } };

static C3D_Tex texture;
static C3D_FogLut fog;
static shaderProgram_s program;
static int projection_at;

static void set_up(void) {
	u32 texels[TEX_SIDE * TEX_SIDE];
	DVLB_s *file = DVLB_ParseFile((u32 *)scene_shbin, scene_shbin_size);
	shaderProgramInit(&program);
	shaderProgramSetVsh(&program, &file->DVLE[0]);
	projection_at = shaderInstanceGetUniformLocation(program.vertexShader, "projection");
	C3D_BindProgram(&program);

	void *vertices = linearAlloc(sizeof(square));
	memcpy(vertices, square, sizeof(square));
	C3D_AttrInfo *attributes = C3D_GetAttrInfo();
	AttrInfo_Init(attributes);
	AttrInfo_AddLoader(attributes, 0, GPU_FLOAT, 3);
	AttrInfo_AddLoader(attributes, 1, GPU_FLOAT, 2);
	C3D_BufInfo *buffers = C3D_GetBufInfo();
	BufInfo_Init(buffers);
	BufInfo_Add(buffers, vertices, sizeof(struct vertex), 2, 0x10);

	for (u32 i = 0; i < TEX_SIDE * TEX_SIDE; i++) {
		texels[i] = (i & 1 ? 0xF0402000 : 0x2080F000) | 0xFF;
	}
	C3D_TexInit(&texture, TEX_SIDE, TEX_SIDE, GPU_RGBA8);
	C3D_TexUpload(&texture, texels);
	C3D_TexSetFilter(&texture, GPU_LINEAR, GPU_NEAREST);
	C3D_TexBind(0, &texture);

	C3D_TexEnv *stage = C3D_GetTexEnv(0);
	C3D_TexEnvInit(stage);
	C3D_TexEnvSrc(stage, C3D_Both, GPU_TEXTURE0, GPU_PRIMARY_COLOR, 0);
	C3D_TexEnvFunc(stage, C3D_Both, GPU_MODULATE);
	C3D_CullFace(GPU_CULL_NONE);
	FogLut_Exp(&fog, 0.2f, 1.5f, 0.1f, 10.0f);
	C3D_FogGasMode(GPU_FOG, GPU_PLAIN_DENSITY, false);
	C3D_FogColor(0x604020);
	C3D_FogLutBind(&fog);
}

static void draw(C3D_RenderTarget *target, float aspect, float angle, u32 background) {
	C3D_Mtx projection, view, both;
	C3D_RenderTargetClear(target, C3D_CLEAR_ALL, background, 0);
	C3D_FrameDrawOn(target);
	Mtx_PerspTilt(&projection, C3D_AngleFromDegrees(60), aspect, 0.1f, 10.0f, false);
	Mtx_Identity(&view);
	Mtx_Translate(&view, 0, 0, -2.5f, true);
	Mtx_RotateY(&view, angle, true);
	Mtx_RotateZ(&view, angle / 2, true);
	Mtx_Multiply(&both, &projection, &view);
	C3D_FVUnifMtx4x4(GPU_VERTEX_SHADER, projection_at, &both);
	C3D_DrawArrays(GPU_TRIANGLE_STRIP, 0, 4);
}

int main(void) {
	gfxInitDefault();
	C3D_Init(C3D_DEFAULT_CMDBUF_SIZE);
	C3D_RenderTarget *top =
			C3D_RenderTargetCreate(240, 400, GPU_RB_RGBA8, GPU_RB_DEPTH24_STENCIL8);
	C3D_RenderTarget *bottom =
			C3D_RenderTargetCreate(240, 320, GPU_RB_RGBA8, GPU_RB_DEPTH24_STENCIL8);
	C3D_RenderTargetSetOutput(top, GFX_TOP, GFX_LEFT, TRANSFER);
	C3D_RenderTargetSetOutput(bottom, GFX_BOTTOM, GFX_LEFT, TRANSFER);
	set_up();
	for (float angle = 0; aptMainLoop(); angle += 0.1f) {
		C3D_FrameBegin(C3D_FRAME_SYNCDRAW);
		draw(top, C3D_AspectRatioTop, angle, 0x204060FF);
		draw(bottom, C3D_AspectRatioBot, -angle, 0x602040FF);
		C3D_FrameEnd(0);
	}
	C3D_Fini();
	gfxExit();
	return 0;
}
