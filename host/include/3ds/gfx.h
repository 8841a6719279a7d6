/* Buffers of both screens. */
#ifndef CTRU_GFX_H
#define CTRU_GFX_H

#include <3ds/services/gspgpu.h>

#define RGB565(r, g, b) (((b) & 0x1f) | ((g) & 0x3f) << 5 | ((r) & 0x1f) << 11)
#define RGB8_to_565(r, g, b) (((b) >> 3 & 0x1f) | ((g) >> 2 & 0x3f) << 5 | ((r) >> 3 & 0x1f) << 11)

typedef enum {
	GFX_TOP = GSP_SCREEN_TOP,
	GFX_BOTTOM = GSP_SCREEN_BOTTOM,
} gfxScreen_t;

typedef enum {
	GFX_LEFT = 0,
	GFX_RIGHT = 1, /* in 3D only */
} gfx3dSide_t;

/* gfxInit(GSP_BGR8_OES, GSP_BGR8_OES, false). */
void gfxInitDefault(void);
/* Makes two black buffers for each screen, in VRAM or the linear heap, and shows them. */
void gfxInit(GSPGPU_FramebufferFormat top, GSPGPU_FramebufferFormat bottom, bool in_vram);
void gfxExit(void);

/* Top screen: a picture for each eye, or 800 lines. Initially off; each disables the other. */
void gfxSet3D(bool enable);
bool gfxIs3D(void);
void gfxSetWide(bool enable);
bool gfxIsWide(void);

void gfxSetScreenFormat(gfxScreen_t screen, GSPGPU_FramebufferFormat format);
GSPGPU_FramebufferFormat gfxGetScreenFormat(gfxScreen_t screen);
/* Initially on. Off: the program draws into the shown buffer. */
void gfxSetDoubleBuffering(gfxScreen_t screen, bool enable);

/*
 * Returns the buffer to draw into: columns of 240 pixels from the left side of the screen, each
 * from its lower end. width (240) and height may be NULL.
 */
u8 *gfxGetFramebuffer(gfxScreen_t screen, gfx3dSide_t side, u16 *width, u16 *height);
/* Announces the program's own drawing to the GPU. */
void gfxFlushBuffers(void);
/* Shows that buffer from the next vertical blank on. stereo: in 3D, show both eyes' pictures. */
void gfxScreenSwapBuffers(gfxScreen_t screen, bool stereo);
CTR_DEPRECATED void gfxConfigScreen(gfxScreen_t screen, bool immediate);
/* Both screens. */
void gfxSwapBuffers(void);
void gfxSwapBuffersGpu(void);

#endif
