/* The buffers of the screens. */
#include "host.h"

#include <string.h>

#include <3ds/allocator/linear.h>
#include <3ds/allocator/vram.h>
#include <3ds/gfx.h>

/* Bits of a mode beyond the format [fidelity: displays]; the last one is what programs write. */
enum { MODE_STEREO = BIT(5), MODE_DOUBLE = BIT(6), MODE_USUAL = BIT(8) };

struct screen {
	u8 *buffer[2];
	u32 size;
	GSPGPU_FramebufferFormat format;
	unsigned current; /* the buffer that the program draws into */
	bool is_double;
};

static struct screen screens[2];
static bool is_3d, is_wide, in_vram, is_open;

static void *make(u32 size) {
	void *mem = in_vram ? vramAlloc(size) : linearAlloc(size);
	if (!mem) {
		host_fault("gfxInit: no room for a screen's buffer of %u bytes", size);
	}
	return memset(mem, 0, size);
}

static void drop(void *mem) {
	if (in_vram) {
		vramFree(mem);
	} else {
		linearFree(mem);
	}
}

static u32 lines_of(gfxScreen_t id) {
	return id == GFX_BOTTOM ? GSP_SCREEN_HEIGHT_BOTTOM :
			is_wide ? GSP_SCREEN_HEIGHT_TOP_2X :
				  GSP_SCREEN_HEIGHT_TOP;
}

static u32 stride_of(const struct screen *s) {
	return GSP_SCREEN_WIDTH * gspGetBytesPerPixel(s->format);
}

/* Room for 800 lines, or for both eyes. */
static void make_buffers(gfxScreen_t id) {
	struct screen *s = &screens[id];
	const u32 lines = id == GFX_TOP ? GSP_SCREEN_HEIGHT_TOP_2X : GSP_SCREEN_HEIGHT_BOTTOM;
	s->size = lines * stride_of(s);
	for (unsigned i = 0; i < 2; i++) {
		s->buffer[i] = make(s->size);
	}
}

static void drop_buffers(struct screen *s) {
	for (unsigned i = 0; i < 2; i++) {
		drop(s->buffer[i]);
		s->buffer[i] = NULL;
	}
}

static u8 *eye_of(const struct screen *s, gfx3dSide_t side) {
	return s->buffer[s->current] +
			(side == GFX_RIGHT ? GSP_SCREEN_HEIGHT_TOP * stride_of(s) : 0);
}

static void present(gfxScreen_t id, bool stereo) {
	const struct screen *s = &screens[id];
	u32 mode = (u32)s->format | MODE_USUAL;
	if (id == GFX_TOP) {
		mode |= is_3d ? MODE_STEREO : is_wide ? 0 : MODE_DOUBLE;
	}
	gspPresentBuffer((unsigned)id, s->current, eye_of(s, GFX_LEFT),
			eye_of(s, id == GFX_TOP && is_3d && stereo ? GFX_RIGHT : GFX_LEFT),
			stride_of(s), mode);
}

PICA_EXPORT void gfxInit(GSPGPU_FramebufferFormat top, GSPGPU_FramebufferFormat bottom, bool vram) {
	if (is_open) {
		return;
	}
	gspInit();
	is_open = true;
	in_vram = vram;
	is_3d = is_wide = false;
	const GSPGPU_FramebufferFormat formats[2] = { top, bottom };
	for (unsigned i = 0; i < 2; i++) {
		screens[i] = (struct screen){ .format = formats[i], .is_double = true };
		make_buffers((gfxScreen_t)i);
		present((gfxScreen_t)i, false);
		screens[i].current = 1;
	}
	GSPGPU_SetLcdForceBlack(0);
}

PICA_EXPORT void gfxInitDefault(void) {
	gfxInit(GSP_BGR8_OES, GSP_BGR8_OES, false);
}

PICA_EXPORT void gfxExit(void) {
	if (is_open) {
		is_open = false;
		drop_buffers(&screens[0]);
		drop_buffers(&screens[1]);
		gspExit();
	}
}

PICA_EXPORT void gfxSet3D(bool enable) {
	is_3d = enable;
	is_wide = is_wide && !enable;
}

PICA_EXPORT bool gfxIs3D(void) {
	return is_3d;
}

PICA_EXPORT void gfxSetWide(bool enable) {
	is_wide = enable;
	is_3d = is_3d && !enable;
}

PICA_EXPORT bool gfxIsWide(void) {
	return is_wide;
}

PICA_EXPORT void gfxSetScreenFormat(gfxScreen_t id, GSPGPU_FramebufferFormat format) {
	struct screen *s = &screens[id];
	const u32 had = s->size;
	s->format = format;
	if (is_open &&
			had < (id == GFX_TOP ? (u32)GSP_SCREEN_HEIGHT_TOP_2X :
					       (u32)GSP_SCREEN_HEIGHT_BOTTOM) *
							stride_of(s)) {
		drop_buffers(s);
		make_buffers(id);
	}
}

PICA_EXPORT GSPGPU_FramebufferFormat gfxGetScreenFormat(gfxScreen_t id) {
	return screens[id].format;
}

PICA_EXPORT void gfxSetDoubleBuffering(gfxScreen_t id, bool enable) {
	screens[id].is_double = enable;
	screens[id].current = enable ? screens[id].current : 0;
}

PICA_EXPORT u8 *gfxGetFramebuffer(gfxScreen_t id, gfx3dSide_t side, u16 *width, u16 *height) {
	if (width) {
		*width = GSP_SCREEN_WIDTH;
	}
	if (height) {
		*height = (u16)lines_of(id);
	}
	return eye_of(&screens[id], id == GFX_TOP && is_3d ? side : GFX_LEFT);
}

PICA_EXPORT void gfxFlushBuffers(void) {
	for (unsigned i = 0; i < 2; i++) {
		GSPGPU_FlushDataCache(screens[i].buffer[screens[i].current], screens[i].size);
	}
}

PICA_EXPORT void gfxScreenSwapBuffers(gfxScreen_t id, bool stereo) {
	present(id, stereo);
	screens[id].current ^= screens[id].is_double;
}

PICA_EXPORT void gfxConfigScreen(gfxScreen_t id, bool immediate) {
	(void)immediate;
	gfxScreenSwapBuffers(id, true);
}

PICA_EXPORT void gfxSwapBuffers(void) {
	gfxScreenSwapBuffers(GFX_TOP, true);
	gfxScreenSwapBuffers(GFX_BOTTOM, true);
}

PICA_EXPORT void gfxSwapBuffersGpu(void) {
	gfxSwapBuffers();
}
