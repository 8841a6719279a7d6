/* Writing command lists, and the GPU's floats. */
#ifndef CTRU_GPU_H
#define CTRU_GPU_H

#include <3ds/gpu/enums.h>
#include <3ds/gpu/registers.h>

/* incremental: to consecutive registers from reg on, not all to reg. mask: written bytes. */
#define GPUCMD_HEADER(incremental, mask, reg) \
	((u32)(incremental) << 31 | ((mask) & 0xF) << 16 | ((reg) & 0x3FF))

/* The buffer, its size and its use so far in words. */
extern u32 *gpuCmdBuf;
extern u32 gpuCmdBufSize, gpuCmdBufOffset;

static inline void GPUCMD_SetBuffer(u32 *buffer, u32 size, u32 offset) {
	gpuCmdBuf = buffer;
	gpuCmdBufSize = size;
	gpuCmdBufOffset = offset;
}
static inline void GPUCMD_SetBufferOffset(u32 offset) {
	gpuCmdBufOffset = offset;
}
static inline void GPUCMD_GetBuffer(u32 **buffer, u32 *size, u32 *offset) {
	if (buffer) {
		*buffer = gpuCmdBuf;
	}
	if (size) {
		*size = gpuCmdBufSize;
	}
	if (offset) {
		*offset = gpuCmdBufOffset;
	}
}

/*
 * Commands that do not fit are dropped, with one message. More than 256 values become several
 * commands.
 */
void GPUCMD_AddRawCommands(const u32 *words, u32 n);
void GPUCMD_Add(u32 header, const u32 *values, u32 n);
/*
 * Ends the list, padded to 16 bytes, and stores its start and size; the next list begins after it.
 */
void GPUCMD_Split(u32 **list, u32 *n_words);

static inline void GPUCMD_AddSingleParam(u32 header, u32 value) {
	GPUCMD_Add(header, &value, 1);
}
#define GPUCMD_AddMaskedWrite(reg, mask, value) \
	GPUCMD_AddSingleParam(GPUCMD_HEADER(0, mask, reg), value)
#define GPUCMD_AddWrite(reg, value) GPUCMD_AddMaskedWrite(reg, 0xF, value)
#define GPUCMD_AddMaskedWrites(reg, mask, values, n) \
	GPUCMD_Add(GPUCMD_HEADER(0, mask, reg), values, n)
#define GPUCMD_AddWrites(reg, values, n) GPUCMD_AddMaskedWrites(reg, 0xF, values, n)
#define GPUCMD_AddMaskedIncrementalWrites(reg, mask, values, n) \
	GPUCMD_Add(GPUCMD_HEADER(1, mask, reg), values, n)
#define GPUCMD_AddIncrementalWrites(reg, values, n) \
	GPUCMD_AddMaskedIncrementalWrites(reg, 0xF, values, n)

/* Truncate to floats with 5, 7, 7 and 7 bits of exponent and 10, 12, 16 and 23 of mantissa. */
u32 f32tof16(float f);
u32 f32tof20(float f);
u32 f32tof24(float f);
u32 f32tof31(float f);

#endif
