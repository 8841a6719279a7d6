/* A console program that checks calls and prints failures to the standard error. */
#include <3ds.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/attributes.h"

static int wrong;

#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                 \
			wrong++;                                                                   \
		}                                                                                  \
	} while (0)

static u32 virt(const void *p) {
	return (u32)(uintptr_t)p;
}

/* ---- Memory ---- */

static void check_linear(void) {
	static const char elsewhere;
	u8 *a = linearAlloc(1), *b = linearAlloc(0x81), *c = linearMemAlign(16, 0x1000);
	CHECK(virt(a) == 0x30000000);
	CHECK(b == a + 0x80 && c == a + 0x1000);
	CHECK(osConvertVirtToPhys(a) == 0x20000000 && osConvertVirtToPhys(b + 5) == 0x20000085);
	CHECK(osConvertVirtToPhys(&elsewhere) == 0 && osConvertVirtToPhys(NULL) == 0);
	CHECK(linearGetSize(b) == 0x100);
	const u32 left = linearSpaceFree();
	CHECK(left == __ctru_linear_heap_size - 0x80 - 0x100 - 0x80);
	linearFree(b);
	CHECK(linearSpaceFree() == left + 0x100);
	CHECK(linearAlloc(0x100) == b); /* the first gap that is large enough */
	CHECK(linearAlloc(__ctru_linear_heap_size) == NULL);
	memset(a, 7, linearGetSize(a));
	u8 *d = linearRealloc(a, 0x400);
	CHECK(d && d != a && d[0x7F] == 7);
	linearFree(NULL);
	CHECK(osGetMemRegionFree(MEMREGION_APPLICATION) == linearSpaceFree());
	CHECK(osGetMemRegionSize(MEMREGION_ALL) == envGetHeapSize() + envGetLinearHeapSize());
	s64 used = 0;
	CHECK(svcGetSystemInfo(&used, 0, MEMREGION_APPLICATION) == 0 &&
			used == osGetMemRegionUsed(MEMREGION_APPLICATION));
	CHECK(svcGetSystemInfo(&used, 0x10000, 0) < 0 && used == 0);
	CHECK(osGetMemRegionUsed(MEMREGION_SYSTEM) == 0);
	CHECK(strcmp(osStrError((Result)0xD8E007F7), "invalid argument") == 0);
	CHECK(virt(osConvertOldLINEARMemToNew((void *)0x14000123)) == 0x30000123);
}

static void check_vram(void) {
	u8 *a = vramAlloc(0x200000), *b = vramAlloc(0x200000), *c = vramAllocAt(64, VRAM_ALLOC_A);
	CHECK(virt(a) == 0x1F000000 && virt(b) == 0x1F300000 && c == a + 0x200000);
	CHECK(osConvertVirtToPhys(a) == 0x18000000 && osConvertVirtToPhys(b) == 0x18300000);
	CHECK(vramAllocAt(0x200000, VRAM_ALLOC_B) == NULL); /* no block crosses the banks */
	CHECK(vramAlloc(0x300001) == NULL);
	CHECK(vramSpaceFree() == 0x200000 - 0x80);
	vramFree(a);
	vramFree(b);
	vramFree(c);
	CHECK(vramSpaceFree() == 0x600000);
	u32 *mapped = mappableAlloc(0x1800);
	CHECK(virt(mapped) == 0x10000000 && mapped[0x5FF] == 0 && osConvertVirtToPhys(mapped) == 0);
	CHECK(virt(mappableAlloc(1)) == 0x10002000);
}

/* ---- Lists ---- */

static void check_commands(void) {
	static const u32 values[] = { 1, 2, 3, 4 };
	static u32 buffer[600];
	u32 *list, n;
	GPUCMD_SetBuffer(buffer, 600, 0);
	GPUCMD_AddWrite(GPUREG_TEXENV0_COLOR, 0x11223344);
	GPUCMD_AddMaskedWrite(GPUREG_PRIMITIVE_CONFIG, 2, 0x100);
	GPUCMD_AddIncrementalWrites(GPUREG_VIEWPORT_WIDTH, values, 4);
	/* value, header; value, header, values, a word of padding */
	static const u32 expected[] = { 0x11223344, 0x000F00C3, 0x100, 0x0002025E, 1, 0x803F0041, 2,
		3, 4, 0 };
	CHECK(gpuCmdBufOffset == 10 && memcmp(buffer, expected, sizeof(expected)) == 0);
	GPUCMD_Split(&list, &n);
	CHECK(list == buffer && n == 12 && buffer[10] == 0x12345678 && buffer[11] == 0x00080010);
	CHECK(gpuCmdBuf == buffer + 12 && gpuCmdBufSize == 588 && gpuCmdBufOffset == 0);
	/* more values than a command takes */
	static u32 many[300];
	GPUCMD_AddWrites(GPUREG_VSH_FLOATUNIFORM_DATA, many, 300);
	CHECK(gpuCmdBuf[1] == 0x0FFF02C1 && gpuCmdBuf[258] == 0 && gpuCmdBuf[259] == 0x02BF02C1);
	CHECK(gpuCmdBufOffset == 258 + 46);
	GPUCMD_AddWrites(GPUREG_VSH_FLOATUNIFORM_DATA, many, 256); /* fits */
	CHECK(gpuCmdBufOffset == 562);
	GPUCMD_AddWrites(GPUREG_VSH_FLOATUNIFORM_DATA, many, 26); /* does not */
	CHECK(gpuCmdBufOffset == 562);
}

static void check_floats(void) {
	CHECK(f32tof24(1.0f) == 0x3F0000 && f32tof24(-2.5f) == 0xC04000 && f32tof24(0) == 0);
	CHECK(f32tof16(1.0f) == 0x3C00 && f32tof16(0.5f) == 0x3800);
	CHECK(f32tof20(1.0f) == 0x3F000);
	CHECK(f32tof31(1.0f) == 0x1F800000 && f32tof31(2.0f / 400) == 0x1BA3D70A);
}

/* ---- The GPU ---- */

static int calls[GSPGPU_EVENT_MAX];

static void count(void *data) {
	++*(int *)data;
}

static int done;

static void on_queue(gxCmdQueue_s *queue) {
	done = queue->lastEntry;
	gxCmdQueueStop(queue);
	gxCmdQueueClear(queue);
}

static void check_queue(void) {
	gxCmdEntry_s entries[4];
	gxCmdQueue_s queue = { .entries = entries, .maxEntries = 4 };
	u32 *a = linearAlloc(256), *b = linearAlloc(256);
	for (u32 i = 0; i < 64; i++) {
		a[i] = i;
	}
	for (int i = 0; i < GSPGPU_EVENT_MAX; i++) {
		gspSetEventCallback((GSPGPU_Event)i, count, &calls[i], i == GSPGPU_EVENT_PPF);
	}
	GX_BindQueue(&queue);
	gxCmdQueueSetCallback(&queue, on_queue, NULL);
	GX_RequestDma(a, b, 128);
	GX_TextureCopy(a + 32, 0, b + 32, 0, 128, 8);
	GX_MemoryFill(a, 0xABCD, a + 32, GX_FILL_TRIGGER | GX_FILL_16BIT_DEPTH, NULL, 0, NULL, 0);
	CHECK(queue.numEntries == 3 && b[1] == 0 && !gxCmdQueueWait(&queue, 0));
	gxCmdQueueRun(&queue);
	CHECK(queue.curEntry == 3 && queue.lastEntry == 0); /* not heard of yet */
	CHECK(gxCmdQueueWait(&queue, -1) && done == 3 && queue.numEntries == 0);
	CHECK(b[1] == 1 && b[63] == 63 && a[0] == 0xABCDABCD && a[31] == 0xABCDABCD && a[32] == 32);
	CHECK(calls[GSPGPU_EVENT_DMA] == 1 && calls[GSPGPU_EVENT_PPF] == 1 &&
			calls[GSPGPU_EVENT_PSC0] == 1 && calls[GSPGPU_EVENT_PSC1] == 0);
	GX_BindQueue(NULL);
	GX_TextureCopy(a, 0, b, 0, 64, 8);
	gspWaitForPPF();
	CHECK(calls[GSPGPU_EVENT_PPF] == 1 && b[0] == 0xABCDABCD); /* once, as it was asked */
	CHECK(GX_TextureCopy(a, 0, (u32 *)&queue, 0, 64, 8) < 0); /* not memory of the GPU */
	CHECK(GX_TextureCopy((u32 *)0x1000, 0, b, 0, 64, 8) < 0);
}

static void check_time(void) {
	const int blanks = calls[GSPGPU_EVENT_VBlank0];
	gspWaitForVBlank();
	const u64 first = svcGetSystemTick();
	for (int i = 0; i < 3; i++) {
		gspWaitForVBlank();
	}
	const u64 ticks = svcGetSystemTick() - first;
	CHECK(ticks == 3 * 4481136); /* 451 dots of 24 ticks, 414 lines */
	CHECK(calls[GSPGPU_EVENT_VBlank0] == blanks + 4 &&
			calls[GSPGPU_EVENT_VBlank1] == blanks + 4);
	const u64 before = svcGetSystemTick();
	svcSleepThread(1000000000);
	const u64 slept = svcGetSystemTick() - before;
	CHECK(slept >= 268111856 && slept <= 268111856 + 1000);
	TickCounter counter;
	osTickCounterStart(&counter);
	svcSleepThread(5000000);
	osTickCounterUpdate(&counter);
	CHECK(PICA_SANITIZED || time(NULL) == 946684801); /* the second second of 2000 */
	CHECK(osTickCounterRead(&counter) > 4.99 && osTickCounterRead(&counter) < 5.01);
}

/* ---- The kernel ---- */

static Handle sticky, oneshot, mutex, semaphore;
static int woken;

static void wait_for_both(void *user) {
	const Handle handles[2] = { sticky, oneshot };
	s32 first = -1;
	CHECK(svcWaitSynchronizationN(&first, handles, 2, true, -1) == 0 && first == 0);
	woken += *(int *)user;
}

static void lock_and_end(void *user) {
	CHECK(svcWaitSynchronization(mutex, -1) == 0);
	woken += *(int *)user;
}

static Handle timer;

static void set_timer(void *user) {
	svcSleepThread(*(int *)user);
	CHECK(svcSetTimer(timer, 2000000, 5000000) == 0);
}

/* A wait for a timer that another thread sets: 1 ms and 2 ms, then every 5 ms. */
static void check_timer(void) {
	enum { LATE = 0x09401BFE, MS = 268112 };
	static int soon = 1000000;
	CHECK(svcCreateTimer(&timer, RESET_ONESHOT) == 0);
	CHECK(svcWaitSynchronization(timer, 1000) == LATE);
	Thread setter = threadCreate(set_timer, &soon, 0, 0x2F, -2, false);
	const u64 begin = svcGetSystemTick();
	for (int i = 0; i < 3; i++) {
		CHECK(svcWaitSynchronization(timer, 20000000) == 0);
		const u64 ms = (svcGetSystemTick() - begin + MS / 2) / MS;
		CHECK(ms == 3u + 5 * (unsigned)i);
	}
	CHECK(svcWaitSynchronization(timer, 4000000) == LATE);
	CHECK(svcCancelTimer(timer) == 0 && svcWaitSynchronization(timer, 20000000) == LATE);
	CHECK(svcSetTimer(timer, 0, 0) == 0 && svcClearTimer(timer) == 0);
	CHECK(svcWaitSynchronization(timer, 0) == LATE && svcCancelTimer(oneshot) < 0);
	threadFree(setter);
}

static void check_kernel(void) {
	enum { LATE = 0x09401BFE };
	static int ten = 10, hundred = 100;
	s32 first = -1, count = -1;
	u32 id, other;
	CHECK(svcCreateEvent(&sticky, RESET_STICKY) == 0 && svcCreateMutex(&mutex, true) == 0);
	CHECK(svcCreateEvent(&oneshot, RESET_ONESHOT) == 0);
	CHECK(svcWaitSynchronization(oneshot, 0) == LATE);
	const u64 before = svcGetSystemTick();
	CHECK(svcWaitSynchronization(oneshot, 1000000) == LATE);
	CHECK(svcGetSystemTick() - before >= 268111);
	CHECK(svcSignalEvent(oneshot) == 0 && svcSignalEvent(sticky) == 0);
	const Handle events[2] = { oneshot, sticky };
	CHECK(svcWaitSynchronizationN(&first, events, 2, false, -1) == 0 && first == 0);
	CHECK(svcWaitSynchronizationN(&first, events, 2, false, -1) == 0 && first == 1);
	CHECK(svcWaitSynchronizationN(&first, events, 2, true, 0) == LATE);
	/* for two threads, of which one gets the event that wakes one */
	Thread a = threadCreate(wait_for_both, &ten, 0, 0x2F, -2, false);
	Thread b = threadCreate(wait_for_both, &hundred, 0, 0x2F, -2, false);
	CHECK(svcSignalEvent(oneshot) == 0 && woken == 10);
	CHECK(svcWaitSynchronization(threadGetHandle(a), 0) == 0);
	CHECK(svcWaitSynchronization(threadGetHandle(b), 1000) == LATE);
	CHECK(svcClearEvent(sticky) == 0 && svcSignalEvent(oneshot) == 0 && woken == 10);
	CHECK(svcSignalEvent(sticky) == 0 && woken == 110);
	threadFree(a);
	threadFree(b);
	/* a mutex is its owner's, as often as it was locked, and free after the owner's end */
	a = threadCreate(lock_and_end, &ten, 0, 0x2F, -2, false);
	CHECK(svcWaitSynchronization(mutex, 0) == 0 && svcReleaseMutex(mutex) == 0);
	CHECK(woken == 110 && svcReleaseMutex(mutex) == 0 && woken == 120);
	CHECK(svcReleaseMutex(mutex) < 0 && svcWaitSynchronization(mutex, 0) == 0);
	threadFree(a);
	CHECK(svcCreateSemaphore(&semaphore, 3, 2) < 0);
	CHECK(svcCreateSemaphore(&semaphore, 1, 2) == 0);
	CHECK(svcWaitSynchronization(semaphore, 0) == 0 &&
			svcWaitSynchronization(semaphore, 0) == LATE);
	CHECK(svcReleaseSemaphore(&count, semaphore, 2) == 0 && count == 0);
	CHECK(svcReleaseSemaphore(&count, semaphore, 1) < 0);
	CHECK(svcCloseHandle(semaphore) == 0 && svcCloseHandle(semaphore) < 0);
	CHECK(svcWaitSynchronization(semaphore, 0) < 0 && svcSignalEvent(mutex) < 0);
	CHECK(svcGetThreadId(&id, CUR_THREAD_HANDLE) == 0 && svcGetProcessorID() == 0);
	CHECK(svcGetThreadId(&other, 0x12345) < 0 && id != 0);
}

/* ---- Shaders ---- */

/* Only for reading, and nothing beside it. */
static void check_romfs(void) {
	static const char *const modes[] = { "w", "a", "r+", "rb+", "wx" };
	static const int flags[] = { O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDONLY | O_CREAT };
	static const char *const outside[] = { "romfs:/../secret", "romfs:..//secret",
		"romfs:/a/./../../secret", "romfs:/link/secret", "romfs:/link/romfs/cube.shbin",
		"romfs:/way" };
	const char *name = "romfs:/cube.shbin";
	struct stat st;
	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		errno = 0;
		CHECK(fopen(name, modes[i]) == NULL && errno == EROFS);
	}
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		errno = 0;
		CHECK(open(name, flags[i], 0666) < 0 && errno == EROFS);
	}
	errno = 0;
	CHECK(remove(name) < 0 && errno == EROFS && unlink(name) < 0);
	CHECK(rename(name, "romfs:/b") < 0 && rename(name, "b") < 0 && rename("b", name) < 0);
	CHECK(errno == EROFS && mkdir("romfs:/new", 0777) < 0 && rmdir("romfs:/new") < 0);
	CHECK(errno == EROFS && access(name, W_OK) < 0 && access(name, R_OK) == 0);
	for (unsigned i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
		errno = 0;
		CHECK(fopen(outside[i], "r") == NULL && errno == ENOENT);
		CHECK(stat(outside[i], &st) < 0 && open(outside[i], O_RDONLY) < 0);
	}
	CHECK(access("romfs:/in/side", R_OK) == 0 && access("romfs:/in/none", R_OK) < 0);
	CHECK(stat("romfs:/./../cube.shbin", &st) < 0 && stat("romfs:/.//cube.shbin", &st) == 0);
}

static void check_shader(void) {
	static u32 data[1024], buffer[4096];
	FILE *f = fopen("romfs:/cube.shbin", "rb");
	CHECK(f == NULL); /* not mounted yet */
	CHECK(romfsInit() == 0 && (f = fopen("romfs:/cube.shbin", "rb")));
	const u32 size = f ? (u32)fread(data, 1, sizeof(data), f) : 0;
	DVLB_s *file = DVLB_ParseFile(data, size);
	if (f) {
		fclose(f);
	}
	check_romfs();
	CHECK(fopen("romfs:/none", "rb") == NULL && romfsExit() == 0);
	CHECK(fopen("romfs:/cube.shbin", "rb") == NULL);
	CHECK(DVLB_ParseFile(data, size / 2) == NULL);
	CHECK(file && file->numDVLE == 1 && file->DVLE[0].type == VERTEX_SHDR);
	shaderProgram_s program;
	CHECK(shaderProgramInit(&program) == 0 && shaderProgramUse(&program) < 0);
	if (!file) {
		return;
	}
	CHECK(shaderProgramSetGsh(&program, &file->DVLE[0], 0) < 0);
	CHECK(shaderProgramSetVsh(&program, &file->DVLE[0]) == 0);
	const shaderInstance_s *vs = program.vertexShader;
	CHECK(shaderInstanceGetUniformLocation(program.vertexShader, "transform") == 0);
	CHECK(shaderInstanceGetUniformLocation(program.vertexShader, "none") == -1);
	/* .constf ends(0, 1, 0, 0) is c95: w z | z y | y x */
	CHECK(vs->numFloat24Uniforms == 1 && vs->float24Uniforms[0].id == 95);
	CHECK(vs->float24Uniforms[0].data[0] == 0 && vs->float24Uniforms[0].data[1] == 0x3F00 &&
			vs->float24Uniforms[0].data[2] == 0);
	const DVLE_s *entry = &file->DVLE[0];
	CHECK(entry->outmapMask == 3 && entry->outmapData[0] == 2);
	CHECK(entry->outmapData[1] == 0x03020100 && entry->outmapData[2] == 0x0B0A0908);
	GPUCMD_SetBuffer(buffer, 4096, 0);
	shaderProgramConfigure(&program, false, false);
	const u32 bare = gpuCmdBufOffset;
	shaderProgramConfigure(&program, true, false);
	const u32 with_code = gpuCmdBufOffset - 2 * bare;
	/* index, code, end, index, descriptors */
	CHECK(with_code ==
			2 + ((file->DVLP.codeSize + 2) & ~1u) + 2 + 2 +
					((file->DVLP.opdescSize + 2) & ~1u));
	bool value = true;
	CHECK(shaderInstanceSetBool(program.vertexShader, 3, true) == 0 &&
			shaderInstanceGetBool(program.vertexShader, 3, &value) == 0 && value);
	CHECK(shaderInstanceSetBool(program.vertexShader, 16, true) < 0);
	shaderProgramFree(&program);
	DVLB_Free(file);
}

/* ---- Data ---- */

/* Checks that the data unpacks to text, and its first n - 1 bytes to an error. */
static void check_unpack(const char *text, const u8 *packed, size_t n) {
	u8 out[600] = { 0 };
	decompressType type;
	size_t size = 0;
	CHECK(decompressHeader(&type, &size, NULL, (void *)(uintptr_t)packed, n) == 4);
	CHECK((u8)type == packed[0] && size == strlen(text));
	CHECK(decompress(out, size, NULL, (void *)(uintptr_t)packed, n));
	CHECK(memcmp(out, text, size) == 0);
	CHECK(!decompress(out, size, NULL, (void *)(uintptr_t)packed, n - 1));
	const decompressIOVec two[2] = { { out + 300, 1 }, { out + 400, size - 1 } };
	CHECK(decompressV(two, 2, NULL, (void *)(uintptr_t)packed, n));
	CHECK(out[300] == (u8)text[0] && memcmp(out + 400, text + 1, size - 1) == 0);
}

static void check_unpacking(void) {
	static const u8 raw[] = { 0, 3, 0, 0, 'a', 'b', 'c' };
	static const u8 lz10[] = { 0x10, 9, 0, 0, 0x10, 'a', 'b', 'c', 0x30, 2 };
	static const u8 lz11[] = { 0x11, 9, 0, 0, 0x10, 'a', 'b', 'c', 0x50, 2 };
	static const u8 rle[] = { 0x30, 7, 0, 0, 0x81, 'x', 2, 'a', 'b', 'c' };
	static const u8 huff8[] = { 0x28, 4, 0, 0, 1, 0xC0, 'A', 'B', 0, 0, 0, 0x60 };
	static const u8 huff4[] = { 0x24, 1, 0, 0, 1, 0xC0, 1, 4, 0, 0, 0, 0x40 }; /* 0x41 */
	check_unpack("abc", raw, sizeof(raw));
	check_unpack("abcabcabc", lz10, sizeof(lz10));
	check_unpack("abcabcabc", lz11, sizeof(lz11));
	check_unpack("xxxxabc", rle, sizeof(rle));
	check_unpack("ABBA", huff8, sizeof(huff8));
	check_unpack("A", huff4, sizeof(huff4));
	/* the two longer forms of LZ11: 0x21 and 0x116 bytes */
	static const u8 longer[] = { 0x11, 0x38, 1, 0, 0x60, 'z', 0x01, 0x00, 0x00, 0x10, 0x00,
		0x50, 0x00 };
	u8 out[0x138];
	CHECK(decompress(out, sizeof(out), NULL, (void *)(uintptr_t)longer, sizeof(longer)));
	CHECK(out[0] == 'z' && out[0x137] == 'z');
	static const u8 too_far[] = { 0x10, 4, 0, 0, 0x80, 0x10, 0x00 };
	CHECK(!decompress(out, 4, NULL, (void *)(uintptr_t)too_far, sizeof(too_far)));
}

static void check_unicode(void) {
	static const u8 text[] = { 'a', 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 0 };
	static const u16 expected[] = { 'a', 0xE9, 0x20AC, 0xD83D, 0xDE00 };
	static const u8 overlong[] = { 0xC0, 0x80 }, cut[] = { 0xE2, 0x82, 0 };
	u16 wide[8] = { 0 };
	u8 back[16] = { 0 };
	u32 code = 0;
	CHECK(utf8_to_utf16(wide, text, 8) == 5 && memcmp(wide, expected, sizeof(expected)) == 0);
	CHECK(utf16_to_utf8(back, wide, 16) == 10 && memcmp(back, text, 11) == 0);
	CHECK(decode_utf8(&code, text + 6) == 4 && code == 0x1F600);
	CHECK(decode_utf8(&code, overlong) == -1 && decode_utf8(&code, cut) == -1);
	CHECK(encode_utf8(NULL, 0xD800) == -1 && encode_utf16(NULL, 0x10FFFF) == 2);
}

static void check_font(void) {
	CFNT_s *font = fontGetSystemFont();
	fontGlyphPos_s at;
	CHECK(font && fontGlyphIndexFromCodePoint(NULL, 'A') == 'A' - ' ');
	CHECK(fontGlyphIndexFromCodePoint(NULL, 0x3042) == '?' - ' ');
	CHECK(osConvertVirtToPhys(fontGetGlyphSheetTex(NULL, 0)) != 0);
	/*
	 * The sheet has cells of 24 by 24 pixels that lie 1 pixel apart; the letter A is in column
	 * 3 and row 3. It advances by 5 pixels of the font, each 3 pixels of the sheet.
	 */
	fontCalcGlyphPos(&at, font, 'A' - ' ', GLYPH_POS_CALC_VTXCOORD | GLYPH_POS_AT_BASELINE, 2,
			0.5f);
	CHECK(at.sheetIndex == 0 && at.xAdvance == 30 && at.width == 30);
	CHECK(at.texcoord.left == 76 / 256.0f && at.texcoord.top == 1 - 76 / 256.0f);
	CHECK(at.texcoord.bottom == 1 - 100 / 256.0f && at.texcoord.right == 91 / 256.0f);
	CHECK(at.vtxcoord.top == -10.5f && at.vtxcoord.bottom == 1.5f && at.vtxcoord.left == 0);
}

/* ---- The SD card ---- */

static void check_card(void) {
	struct stat st;
	if (archiveMountSdmc() < 0) {
		CHECK(fopen("sdmc:/new/a", "w") == NULL && mkdir("sdmc:/new", 0777) < 0);
		return;
	}
	CHECK(mkdir("sdmc:/new", 0777) == 0);
	FILE *f = fopen("sdmc:/new/a", "w");
	CHECK(f && fputs("text", f) >= 0 && fclose(f) == 0);
	CHECK(rename("sdmc:/new/a", "sdmc:/b") == 0 && stat("sdmc:/b", &st) == 0);
	CHECK(st.st_size == 4 && unlink("sdmc:/new/none") < 0 && rmdir("sdmc:/new") == 0);
	CHECK(romfsMountSelf("sdmc") < 0);
}

/* ---- What is not here ---- */

static void check_absent(void) {
	bool flag = true;
	u8 level = 9;
	char text[8] = "old";
	Handle file = 7;
	SwkbdState keyboard;
	MiiSelectorReturn mii = { 0 };
	CHECK(APT_CheckNew3DS(&flag) < 0 && !flag);
	CHECK(PTMU_GetBatteryLevel(&level) < 0 && level == 0);
	swkbdInit(&keyboard, SWKBD_TYPE_NORMAL, 2, 7);
	CHECK(swkbdInputText(&keyboard, text, sizeof(text)) == SWKBD_BUTTON_NONE && !text[0]);
	miiSelectorLaunch(NULL, &mii);
	CHECK(mii.no_mii_selected);
	CHECK(FSUSER_OpenFileDirectly(&file, ARCHIVE_SDMC, fsMakePath(PATH_EMPTY, ""),
			      fsMakePath(PATH_ASCII, "/x"), FS_OPEN_READ, 0) < 0);
	CHECK(file == 0 && fsMakePath(PATH_UTF16, u"ab").size == 6);
	CHECK(fsMakePath(PATH_ASCII, "ab").size == 3 && ndspInit() < 0);
	ndspSetMasterVol(1);
}

int main(void) {
	check_unpacking();
	check_unicode();
	check_linear();
	check_vram();
	check_commands();
	check_floats();
	gfxInitDefault();
	check_shader();
	check_queue();
	check_time();
	check_kernel();
	check_timer();
	check_font();
	check_absent();
	check_card();
	gfxExit();
	return wrong ? 9 : 0;
}
