/* A program of the console that checks calls by itself: what is wrong goes to the standard error.
 */
#include <3ds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	CHECK(linearAlloc(0x100) == b); /* the first gap that takes it */
	CHECK(linearAlloc(__ctru_linear_heap_size) == NULL);
	memset(a, 7, 0x80);
	u8 *d = linearRealloc(a, 0x400);
	CHECK(d && d != a && d[0x7F] == 7);
	linearFree(NULL);
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
	/* value, header; value, header, values, a word that makes it even */
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
	CHECK(osTickCounterRead(&counter) > 4.99 && osTickCounterRead(&counter) < 5.01);
}

/* ---- Shaders ---- */

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

int main(void) {
	check_linear();
	check_vram();
	check_commands();
	check_floats();
	gfxInitDefault();
	check_shader();
	check_queue();
	check_time();
	gfxExit();
	return wrong ? 9 : 0;
}
