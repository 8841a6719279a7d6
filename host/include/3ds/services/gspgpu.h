/*
 * The graphics service: events, the vertical blank, the screens' buffers, caches, registers.
 *
 * Events are delivered when the program waits or polls. Callbacks run on the waiting thread.
 */
#ifndef CTRU_GSPGPU_H
#define CTRU_GSPGPU_H

#include <3ds/types.h>

/* Screens are rotated: 240 pixels wide. */
#define GSP_SCREEN_TOP 0
#define GSP_SCREEN_BOTTOM 1
#define GSP_SCREEN_WIDTH 240
#define GSP_SCREEN_HEIGHT_TOP 400
#define GSP_SCREEN_HEIGHT_TOP_2X 800
#define GSP_SCREEN_HEIGHT_BOTTOM 320

typedef enum {
	GSP_RGBA8_OES = 0, GSP_BGR8_OES = 1, GSP_RGB565_OES = 2, GSP_RGB5_A1_OES = 3,
	GSP_RGBA4_OES = 4,
} GSPGPU_FramebufferFormat;

typedef enum {
	GSPGPU_EVENT_PSC0 = 0, /* the first fill */
	GSPGPU_EVENT_PSC1,     /* the second one */
	GSPGPU_EVENT_VBlank0,  /* of the top screen */
	GSPGPU_EVENT_VBlank1,  /* of the bottom screen */
	GSPGPU_EVENT_PPF,      /* a transfer or copy */
	GSPGPU_EVENT_P3D,      /* a command list */
	GSPGPU_EVENT_DMA,
	GSPGPU_EVENT_MAX,
} GSPGPU_Event;

typedef struct {
	u32 active_framebuf;
	u32 *framebuf0_vaddr, *framebuf1_vaddr; /* left, right */
	u32 framebuf_widthbytesize;
	u32 format;
	u32 framebuf_dispselect;
	u32 unk;
} GSPGPU_FramebufferInfo;

static inline unsigned gspGetBytesPerPixel(GSPGPU_FramebufferFormat format) {
	return format == GSP_RGBA8_OES ? 4 : format == GSP_BGR8_OES ? 3 : 2;
}

/* Creates the GPU and starts counting frames. Calls are counted. */
Result gspInit(void);
void gspExit(void);
bool gspHasGpuRight(void);

/*
 * Shows this buffer from the next vertical blank on (b: the right eye's, in mode bit 5). swap: the
 * set of registers, 0 or 1. stride: bytes from line to line. Returns whether it replaced a pending
 * one.
 */
bool gspPresentBuffer(unsigned screen, unsigned swap, const void *a, const void *b, u32 stride,
		u32 mode);
bool gspIsPresentPending(unsigned screen);

/* callback NULL: none. one_shot: call it once. */
void gspSetEventCallback(GSPGPU_Event id, ThreadFunc callback, void *data, bool one_shot);
/* next: ignore events that have already arrived. */
void gspWaitForEvent(GSPGPU_Event id, bool next);
/* Returns the last event since the last call, or the next one. */
GSPGPU_Event gspWaitForAnyEvent(void);

#define gspWaitForPSC0() gspWaitForEvent(GSPGPU_EVENT_PSC0, false)
#define gspWaitForPSC1() gspWaitForEvent(GSPGPU_EVENT_PSC1, false)
#define gspWaitForVBlank() gspWaitForVBlank0()
#define gspWaitForVBlank0() gspWaitForEvent(GSPGPU_EVENT_VBlank0, true)
#define gspWaitForVBlank1() gspWaitForEvent(GSPGPU_EVENT_VBlank1, true)
#define gspWaitForPPF() gspWaitForEvent(GSPGPU_EVENT_PPF, false)
#define gspWaitForP3D() gspWaitForEvent(GSPGPU_EVENT_P3D, false)
#define gspWaitForDMA() gspWaitForEvent(GSPGPU_EVENT_DMA, false)

/* Submits a command; see gx.h. */
Result gspSubmitGxCommand(const u32 command[8]);

/* Announces the program's changes of memory to the GPU. */
Result GSPGPU_FlushDataCache(const void *address, u32 size);
/* Does nothing: the program and the GPU share the memory. */
Result GSPGPU_InvalidateDataCache(const void *address, u32 size);
/*
 * Registers by their offset from 0x1EB00000: 0x400000 is the GPU. size: bytes. At the first that
 * does not exist a message tells its offset, and an error is returned.
 */
Result GSPGPU_WriteHWRegs(u32 reg, const u32 *data, u8 size);
Result GSPGPU_WriteHWRegsWithMask(
		u32 reg, const u32 *data, u8 size, const u32 *mask, u8 mask_size);
Result GSPGPU_ReadHWRegs(u32 reg, u32 *data, u8 size);
/* flags: not 0: both screens are black. */
Result GSPGPU_SetLcdForceBlack(u8 flags);
/* As gspPresentBuffer(). */
Result GSPGPU_SetBufferSwap(u32 screen, const GSPGPU_FramebufferInfo *info);

#endif
