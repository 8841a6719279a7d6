/* Addresses of the console's memory, its clock, and its slider. */
#ifndef CTRU_OS_H
#define CTRU_OS_H

#include <3ds/svc.h>

#define SYSCLOCK_SOC 16756991u
#define SYSCLOCK_SYS (SYSCLOCK_SOC * 2)
#define SYSCLOCK_SDMMC (SYSCLOCK_SYS * 2)
#define SYSCLOCK_ARM9 (SYSCLOCK_SYS * 4)
#define SYSCLOCK_ARM11 (SYSCLOCK_ARM9 * 2)
#define SYSCLOCK_ARM11_LGR1 (SYSCLOCK_ARM11 * 2)
#define SYSCLOCK_ARM11_LGR2 (SYSCLOCK_ARM11 * 3)
#define SYSCLOCK_ARM11_NEW SYSCLOCK_ARM11_LGR2
#define CPU_TICKS_PER_MSEC (SYSCLOCK_ARM11 / 1000.0)
#define CPU_TICKS_PER_USEC (SYSCLOCK_ARM11 / 1000000.0)

#define OS_MAP_AREA_BEGIN 0x10000000
#define OS_MAP_AREA_END 0x14000000
#define OS_OLD_FCRAM_VADDR 0x14000000
#define OS_OLD_FCRAM_PADDR 0x20000000
#define OS_OLD_FCRAM_SIZE 0x08000000
#define OS_VRAM_VADDR 0x1F000000
#define OS_VRAM_PADDR 0x18000000
#define OS_VRAM_SIZE 0x00600000
#define OS_FCRAM_VADDR 0x30000000
#define OS_FCRAM_PADDR 0x20000000
#define OS_FCRAM_SIZE 0x10000000

#define SYSTEM_VERSION(major, minor, revision) ((major) << 24 | (minor) << 16 | (revision) << 8)
#define GET_VERSION_MAJOR(version) ((version) >> 24)
#define GET_VERSION_MINOR(version) ((version) >> 16 & 0xFF)
#define GET_VERSION_REVISION(version) ((version) >> 8 & 0xFF)

/* Start and size of the linear heap, which exists before main(). */
extern u32 __ctru_linear_heap, __ctru_linear_heap_size;

/* Of malloc(): nominal, the C library has no limit here. */
extern u32 __ctru_heap_size;
/*
 * Memory of MEMREGION_APPLICATION and MEMREGION_ALL: both heaps, malloc()'s counts as used. Other
 * regions have none.
 */
u32 osGetMemRegionSize(MemRegion region);
u32 osGetMemRegionUsed(MemRegion region);
u32 osGetMemRegionFree(MemRegion region);

/* Returns the physical address in the linear heap or VRAM, and 0 for all other memory. */
u32 osConvertVirtToPhys(const void *address);
/* From the old map's linear memory to the new one's. */
void *osConvertOldLINEARMemToNew(const void *address);

typedef struct {
	u64 elapsed, reference; /* ticks */
} TickCounter;

static inline void osTickCounterStart(TickCounter *counter) {
	counter->reference = svcGetSystemTick();
}
static inline void osTickCounterUpdate(TickCounter *counter) {
	const u64 now = svcGetSystemTick();
	counter->elapsed = now - counter->reference;
	counter->reference = now;
}
/* Returns milliseconds. */
double osTickCounterRead(const TickCounter *counter);

/* Milliseconds since 1900. Each run begins at the start of 2000. */
u64 osGetTime(void);
/* 0 to 1, from the input script. */
float osGet3DSliderState(void);
static inline u8 osGetWifiStrength(void) {
	return 0;
}
static inline bool osIsHeadsetConnected(void) {
	return false;
}
/* Returns words for a result, by its summary. */
const char *osStrError(Result error);

#endif
