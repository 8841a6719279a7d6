/* Command lists, written word by word. */
#include "host.h"

#include <string.h>

#include <3ds/gpu/gpu.h>

#include "pica_emit.h"

enum { MAX_VALUES = 256, INCREMENTAL = 31, REG_MASK = 0x3FF, FINALIZE_VALUE = 0x12345678 };

PICA_EXPORT u32 *gpuCmdBuf;
PICA_EXPORT u32 gpuCmdBufSize, gpuCmdBufOffset;

/* Returns room for n words, or NULL. */
static u32 *room(u32 n) {
	static bool said;
	if (!gpuCmdBuf || n > gpuCmdBufSize || gpuCmdBufOffset > gpuCmdBufSize - n) {
		if (!said) {
			host_refuse("a command does not fit: the buffer has %u words",
					gpuCmdBuf ? gpuCmdBufSize : 0);
		}
		said = true;
		return NULL;
	}
	u32 *at = gpuCmdBuf + gpuCmdBufOffset;
	gpuCmdBufOffset += n;
	return at;
}

PICA_EXPORT void GPUCMD_AddRawCommands(const u32 *words, u32 n) {
	u32 *at = words && n ? room(n) : NULL;
	if (at) {
		memcpy(at, words, (size_t)n * 4);
	}
}

/* Adds the first value, the header, the other values, and a word of padding to an even number. */
static void add(u32 header, const u32 *values, u32 n) {
	u32 *at = room((n + 2) & ~1u);
	if (!at) {
		return;
	}
	at[0] = values ? values[0] : 0;
	at[1] = header | (n - 1) << 20;
	for (u32 i = 1; i < n; i++) {
		at[i + 1] = values ? values[i] : 0;
	}
	if (!(n & 1)) {
		at[n + 1] = 0;
	}
}

PICA_EXPORT void GPUCMD_Add(u32 header, const u32 *values, u32 n) {
	while (n) {
		const u32 part = n < MAX_VALUES ? n : MAX_VALUES;
		add(header, values, part);
		values = values ? values + part : NULL;
		n -= part;
		if (header >> INCREMENTAL) {
			header = (header & ~(u32)REG_MASK) | ((header + part) & REG_MASK);
		}
	}
}

PICA_EXPORT void GPUCMD_Split(u32 **list, u32 *n_words) {
	do {
		GPUCMD_AddMaskedWrite(GPUREG_FINALIZE, 8, FINALIZE_VALUE);
	} while (gpuCmdBufOffset % 4 && gpuCmdBufOffset + 2 <= gpuCmdBufSize);
	if (list) {
		*list = gpuCmdBuf;
	}
	if (n_words) {
		*n_words = gpuCmdBufOffset;
	}
	if (gpuCmdBuf) {
		gpuCmdBuf += gpuCmdBufOffset;
		gpuCmdBufSize -= gpuCmdBufOffset;
	}
	gpuCmdBufOffset = 0;
}

PICA_EXPORT u32 f32tof16(float f) {
	return pica_f16(f);
}

PICA_EXPORT u32 f32tof20(float f) {
	return pica_f20(f);
}

PICA_EXPORT u32 f32tof24(float f) {
	return pica_f24(f);
}

/* The registers have it one bit further up. */
PICA_EXPORT u32 f32tof31(float f) {
	return pica_f31(f) >> 1;
}
