/*
 * Commands of the system's graphics service, and queues of them.
 *
 * A command is executed before the call that submits it returns. The event, the next state of the
 * queue and the callbacks follow when the program next waits or polls. Addresses are those of the
 * linear heap or VRAM.
 */
#ifndef CTRU_GX_H
#define CTRU_GX_H

#include <3ds/types.h>

/* Of a transfer: width and height in pixels. Of a copy: bytes of a line and of the gap / 16. */
#define GX_BUFFER_DIM(width, height) ((height) << 16 | ((width) & 0xFFFF))

typedef enum {
	GX_TRANSFER_FMT_RGBA8 = 0, GX_TRANSFER_FMT_RGB8 = 1, GX_TRANSFER_FMT_RGB565 = 2,
	GX_TRANSFER_FMT_RGB5A1 = 3, GX_TRANSFER_FMT_RGBA4 = 4,
} GX_TRANSFER_FORMAT;

/* Averages 2x1 or 2x2 pixels. */
typedef enum {
	GX_TRANSFER_SCALE_NO = 0, GX_TRANSFER_SCALE_X = 1, GX_TRANSFER_SCALE_XY = 2,
} GX_TRANSFER_SCALE;

typedef enum {
	GX_FILL_TRIGGER = 0x001, GX_FILL_FINISHED = 0x002,
	GX_FILL_16BIT_DEPTH = 0x000, GX_FILL_24BIT_DEPTH = 0x100, GX_FILL_32BIT_DEPTH = 0x200,
} GX_FILL_CONTROL;

#define GX_TRANSFER_FLIP_VERT(on) ((on) << 0)
#define GX_TRANSFER_OUT_TILED(on) ((on) << 1)
#define GX_TRANSFER_RAW_COPY(on) ((on) << 3)
#define GX_TRANSFER_IN_FORMAT(format) ((format) << 8)
#define GX_TRANSFER_OUT_FORMAT(format) ((format) << 12)
#define GX_TRANSFER_SCALING(scale) ((scale) << 24)

#define GX_CMDLIST_UPDATE_GAS_ACC BIT(0)
#define GX_CMDLIST_FLUSH BIT(1)

typedef union {
	u32 data[8];
	__extension__ struct {
		u8 type, unk1, unk2, unk3;
		u32 args[7];
	};
} gxCmdEntry_s;

typedef struct tag_gxCmdQueue_s {
	gxCmdEntry_s *entries;
	u16 maxEntries;
	u16 numEntries; /* in the queue */
	u16 curEntry;   /* handed over */
	u16 lastEntry;  /* number of completed entries, as reported to the program */
	void (*callback)(struct tag_gxCmdQueue_s *queue);
	void *user;
} gxCmdQueue_s;

/* Empties a queue. */
void gxCmdQueueClear(gxCmdQueue_s *queue);
/* If the queue is full, ends the program with a message. */
void gxCmdQueueAdd(gxCmdQueue_s *queue, const gxCmdEntry_s *entry);
/* Submits its commands, including those added later, until it is stopped. */
void gxCmdQueueRun(gxCmdQueue_s *queue);
void gxCmdQueueStop(gxCmdQueue_s *queue);
/* Waits for the queue. Returns false after timeout_ns; -1: no timeout. */
bool gxCmdQueueWait(gxCmdQueue_s *queue, s64 timeout_ns);
/* Sets a function to call when all commands of the running queue are done. */
static inline void gxCmdQueueSetCallback(
		gxCmdQueue_s *queue, void (*callback)(gxCmdQueue_s *queue), void *user) {
	queue->callback = callback;
	queue->user = user;
}
/* GX_ functions will add to this queue. NULL: they submit their commands directly. */
void GX_BindQueue(gxCmdQueue_s *queue);

Result GX_RequestDma(u32 *src, u32 *dst, u32 length);
/* size: bytes. flags: GX_CMDLIST_... */
Result GX_ProcessCommandList(u32 *list, u32 size, u8 flags);
/* Two fills; a start of NULL: none. Control: GX_FILL_... */
Result GX_MemoryFill(u32 *start0, u32 value0, u32 *end0, u16 control0, u32 *start1, u32 value1,
		u32 *end1, u16 control1);
Result GX_DisplayTransfer(u32 *src, u32 src_dim, u32 *dst, u32 dst_dim, u32 flags);
Result GX_TextureCopy(u32 *src, u32 src_dim, u32 *dst, u32 dst_dim, u32 size, u32 flags);
/* Never queued. */
Result GX_FlushCacheRegions(u32 *start0, u32 size0, u32 *start1, u32 size1, u32 *start2, u32 size2);

#endif
