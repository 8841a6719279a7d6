/*
 * The heaps. They lie at the console's addresses, so that pointers have the same bits; physical
 * addresses are always the console's.
 *
 * The ascending list of blocks is outside the heap, so that a program that writes past a block
 * damages only its own data.
 */
#include "host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include <3ds/allocator/linear.h>
#include <3ds/allocator/mappable.h>
#include <3ds/allocator/vram.h>
#include <3ds/os.h>

enum { ALIGNMENT = 0x80, PAGE = 0x1000, LINEAR_SIZE = 0x08000000, BANK_SIZE = OS_VRAM_SIZE / 2,
	NOMINAL_HEAP = 0x02000000, GUARD_BYTES = 16, GUARD = 0xA5 };

struct block {
	uint32_t at, size; /* from the start of the heap */
	uint32_t used; /* bytes for the program; the others are the guard, if the heap has one */
};

struct heap {
	const char *name;
	uint8_t *base;
	uint32_t size, phys;
	uint32_t guard; /* bytes after each block that tell of a write past its end; 0: none */
	struct block *blocks;
	size_t n, cap;
};

/* VRAM is two heaps, one after the other. */
static struct heap linear = { .name = "linearFree", .guard = GUARD_BYTES };
static struct heap bank[2] = { { .name = "vramFree" }, { .name = "vramFree" } };
static struct heap mappable = { .name = "mappableFree" };
static uint8_t *area; /* reserved at the console's address, or NULL */
static int shared[HOST_WINDOWS] = { -1, -1 }; /* descriptors of their memory; -1: private */
static uint8_t *copies[HOST_WINDOWS];

PICA_EXPORT u32 __ctru_linear_heap, __ctru_linear_heap_size = LINEAR_SIZE;
PICA_EXPORT u32 __ctru_heap_size = NOMINAL_HEAP;

/* ---- Maps ---- */

static void *map(uintptr_t wish, size_t size) {
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *at = mmap((void *)wish, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1,
			0);
	if (at == (void *)wish) {
		return at;
	}
	if (at != MAP_FAILED) { /* an old kernel takes the address as a hint */
		munmap(at, size);
	}
	return NULL;
}

/* Anywhere below 4 GiB. */
static void *map_low(uintptr_t wish, size_t size) {
	void *at = map(wish, size);
	for (uintptr_t other = 0x40000000; !at && other + size < UINT64_C(1) << 32;
			other += 0x01000000) {
		at = map(other, size);
	}
	if (!at) {
		host_fail("no room for %zu MiB of memory below 4 GiB", size >> 20);
	}
	return at;
}

/* Conflicting addresses of the process are random: restarts it without randomisation. */
static void again_without_chance(char **argv) {
	static const char tried[] = "PICA_HOST_FIXED";
	const int now = personality(0xFFFFFFFF);
	if (now >= 0 && !getenv(tried) &&
			personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0) {
		setenv(tried, "1", 1);
		execv("/proc/self/exe", argv);
	}
	unsetenv(tried);
}

static void heap_begin(struct heap *h, uint8_t *base, uint32_t size, uint32_t phys) {
	h->base = base;
	h->size = size;
	h->phys = phys;
}

void host_memory_begin(char **argv) {
	const uint32_t size = __ctru_linear_heap_size && __ctru_linear_heap_size <= LINEAR_SIZE ?
			(__ctru_linear_heap_size + PAGE - 1) & ~(uint32_t)(PAGE - 1) :
			LINEAR_SIZE;
	uint8_t *vram = map(OS_VRAM_VADDR, OS_VRAM_SIZE), *fcram = map(OS_FCRAM_VADDR, size);
	area = map(OS_MAP_AREA_BEGIN, OS_MAP_AREA_END - OS_MAP_AREA_BEGIN);
	if (!vram || !fcram || !area) {
		again_without_chance(argv);
		host_log("a heap is not at the console's address: programs that depend on addresses may fail");
	}
	vram = vram ? vram : map_low(OS_VRAM_VADDR, OS_VRAM_SIZE);
	heap_begin(&linear, fcram ? fcram : map_low(OS_FCRAM_VADDR, size), size, OS_FCRAM_PADDR);
	heap_begin(&bank[0], vram, BANK_SIZE, OS_VRAM_PADDR);
	heap_begin(&bank[1], vram + BANK_SIZE, BANK_SIZE, OS_VRAM_PADDR + BANK_SIZE);
	__ctru_linear_heap = (u32)(uintptr_t)linear.base;
	__ctru_linear_heap_size = size;
}

struct host_window host_memory_window(unsigned i) {
	return i ? (struct host_window){ bank[0].base, OS_VRAM_PADDR, OS_VRAM_SIZE } :
		   (struct host_window){ linear.base, OS_FCRAM_PADDR, linear.size };
}

void host_memory_share(unsigned i, int fd) {
	const struct host_window w = host_memory_window(i);
	if (mmap(w.base, w.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
			MAP_FAILED) {
		host_fail("memory of the service: %s", strerror(errno));
	}
	shared[i] = fd;
}

int host_memory_fd(unsigned i) {
	return shared[i];
}

void host_memory_share_all(void) {
	for (unsigned i = 0; i < HOST_WINDOWS; i++) {
		const int fd = shared[i] < 0 ? memfd_create("pica-host", MFD_CLOEXEC) : -1;
		if (shared[i] < 0 && (fd < 0 || ftruncate(fd, host_memory_window(i).size) < 0)) {
			host_fail("memory for --lint: %s", strerror(errno));
		}
		if (fd >= 0) {
			host_memory_share(i, fd);
		}
	}
}

/* A private mapping: its writes do not reach the window, whose contents show in unwritten pages. */
static uint8_t *copy_window(unsigned i, uint32_t size) {
	const int flags = MAP_PRIVATE | MAP_NORESERVE;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, shared[i], 0);
	copies[i] = at == MAP_FAILED ? NULL : at;
	return copies[i];
}

int host_memory_map(struct pica_ctx *ctx) {
	for (unsigned i = 0; i < HOST_WINDOWS; i++) {
		const struct host_window w = host_memory_window(i);
		uint8_t *base = host_options.connect ? copy_window(i, w.size) : w.base;
		const int ret = base ? pica_ctx_map(ctx, w.phys, w.size, base, 0) : -ENOMEM;
		if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

void host_memory_renew(void) {
	for (unsigned i = 0; i < HOST_WINDOWS; i++) {
		if (copies[i]) {
			madvise(copies[i], host_memory_window(i).size, MADV_DONTNEED);
		}
	}
}

/* ---- Addresses ---- */

uint32_t host_memory_clip(const void *address, uint32_t *size) {
	const uintptr_t at = (uintptr_t)address;
	for (unsigned i = 0; i < HOST_WINDOWS; i++) {
		const struct host_window w = host_memory_window(i);
		const uintptr_t offset = at - (uintptr_t)w.base;
		if (offset < w.size) {
			const uint32_t left = w.size - (uint32_t)offset;
			*size = *size < left ? *size : left;
			return w.phys + (uint32_t)offset;
		}
	}
	return 0;
}

void *host_memory_at(uint32_t address, uint32_t size) {
	void *at = (void *)(uintptr_t)address;
	uint32_t whole = size;
	return host_memory_clip(at, &whole) && whole == size ? at : NULL;
}

/* Programs also convert the end address of a heap, which is in no heap. */
PICA_EXPORT u32 osConvertVirtToPhys(const void *address) {
	uint32_t one = 1;
	return host_memory_clip(address, &one);
}

PICA_EXPORT void *osConvertOldLINEARMemToNew(const void *address) {
	const uintptr_t offset = (uintptr_t)address - OS_OLD_FCRAM_VADDR;
	return offset < linear.size ? linear.base + offset : (void *)(uintptr_t)address;
}

/* ---- Blocks ---- */

static uint32_t rounded(size_t size) {
	return (uint32_t)((size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
}

/* First fit. Returns the index of the new block, or -1. */
static ptrdiff_t find_room(
		const struct heap *h, uint32_t size, size_t alignment, struct block *block) {
	uint64_t at = 0;
	for (size_t i = 0; i <= h->n; i++) {
		/* from the address, which the caller sees, not from the start */
		const uintptr_t base = (uintptr_t)h->base;
		at = ((base + at + alignment - 1) & ~(uint64_t)(alignment - 1)) - base;
		const uint64_t end = i < h->n ? h->blocks[i].at : h->size;
		if (at + size <= end) {
			*block = (struct block){ .at = (uint32_t)at, .size = size };
			return (ptrdiff_t)i;
		}
		at = i < h->n ? (uint64_t)h->blocks[i].at + h->blocks[i].size : at;
	}
	return -1;
}

static void *heap_alloc(struct heap *h, size_t size, size_t alignment) {
	struct block block;
	if (!size || size > h->size || alignment > h->size || (alignment & (alignment - 1))) {
		return NULL;
	}
	alignment = alignment < ALIGNMENT ? ALIGNMENT : alignment;
	ptrdiff_t i = find_room(h, rounded(size + h->guard), alignment, &block);
	if (i < 0) { /* all that is left is not too much */
		i = find_room(h, rounded(size), alignment, &block);
	}
	if (i < 0) {
		return NULL;
	}
	if (h->n == h->cap) {
		const size_t cap = h->cap ? 2 * h->cap : 64;
		struct block *more = realloc(h->blocks, cap * sizeof(*more));
		if (!more) {
			return NULL;
		}
		h->blocks = more;
		h->cap = cap;
	}
	memmove(&h->blocks[i + 1], &h->blocks[i], (h->n - (size_t)i) * sizeof(*h->blocks));
	block.used = (uint32_t)size;
	h->blocks[i] = block;
	h->n++;
	if (h->guard) {
		memset(h->base + block.at + size, GUARD, block.size - size);
	}
	return h->base + block.at;
}

static struct block *find(const struct heap *h, const void *mem) {
	const uintptr_t offset = (uintptr_t)mem - (uintptr_t)h->base;
	for (size_t i = 0; i < h->n; i++) {
		if (h->blocks[i].at == offset) {
			return &h->blocks[i];
		}
	}
	return NULL;
}

/* The program may use all that it is told. */
static size_t heap_size_of(const struct heap *h, const void *mem) {
	struct block *b = find(h, mem);
	if (!b) {
		return 0;
	}
	b->used = rounded(b->used);
	return b->used;
}

/* Tells of a block once. */
static void check_guard(const struct heap *h, struct block *b) {
	const uint8_t *mem = h->base + b->at;
	uint32_t i = b->used;
	while (i < b->size && mem[i] == GUARD) {
		i++;
	}
	if (h->guard && i < b->size) {
		host_refuse("the linear block of %u bytes at 0x%08X was written past its end: its byte %u "
			 "has changed",
				b->used, (uint32_t)(uintptr_t)mem, i);
		b->used = b->size;
	}
}

void host_memory_check(void) {
	for (size_t i = 0; i < linear.n; i++) {
		check_guard(&linear, &linear.blocks[i]);
	}
}

static void heap_free(struct heap *h, void *mem) {
	host_check_thread(h->name);
	struct block *b = mem ? find(h, mem) : NULL;
	if (mem && !b) {
		host_fault("%s(%p): no block begins there: expected one that was allocated, and not "
			   "freed since",
				h->name, mem);
	}
	if (b) {
		check_guard(h, b);
		memmove(b, b + 1, (size_t)(&h->blocks[h->n] - (b + 1)) * sizeof(*b));
		h->n--;
	}
}

static u32 heap_left(const struct heap *h) {
	u32 left = h->size;
	for (size_t i = 0; i < h->n; i++) {
		left -= h->blocks[i].size;
	}
	return left;
}

/* ---- The linear heap ---- */

PICA_EXPORT void *linearMemAlign(size_t size, size_t alignment) {
	host_check_thread(__func__);
	return heap_alloc(&linear, size, alignment);
}

PICA_EXPORT void *linearAlloc(size_t size) {
	return linearMemAlign(size, ALIGNMENT);
}

PICA_EXPORT size_t linearGetSize(void *mem) {
	return heap_size_of(&linear, mem);
}

PICA_EXPORT void linearFree(void *mem) {
	heap_free(&linear, mem);
}

PICA_EXPORT u32 linearSpaceFree(void) {
	return heap_left(&linear);
}

static void *move(void *to, void *from, size_t had, size_t size, void free_it(void *mem)) {
	if (to && from) {
		memcpy(to, from, had < size ? had : size);
		free_it(from);
	}
	return to;
}

PICA_EXPORT void *linearRealloc(void *mem, size_t size) {
	return move(linearAlloc(size), mem, linearGetSize(mem), size, linearFree);
}

/* ---- Sizes ---- */

PICA_EXPORT u32 osGetMemRegionSize(MemRegion region) {
	return region <= MEMREGION_APPLICATION ? __ctru_heap_size + linear.size : 0;
}

PICA_EXPORT u32 osGetMemRegionFree(MemRegion region) {
	return region <= MEMREGION_APPLICATION ? linearSpaceFree() : 0;
}

PICA_EXPORT u32 osGetMemRegionUsed(MemRegion region) {
	return osGetMemRegionSize(region) - osGetMemRegionFree(region);
}

PICA_EXPORT Result svcGetSystemInfo(s64 *out, u32 type, s32 param) {
	*out = type == 0 ? osGetMemRegionUsed((MemRegion)param) : 0;
	return type == 0 ? 0 :
			   MAKERESULT(RL_USAGE, RS_INVALIDARG, RM_KERNEL, RD_INVALID_ENUM_VALUE);
}

/* ---- VRAM ---- */

PICA_EXPORT void *vramMemAlignAt(size_t size, size_t alignment, vramAllocPos banks) {
	host_check_thread(__func__);
	void *mem = banks & VRAM_ALLOC_A ? heap_alloc(&bank[0], size, alignment) : NULL;
	return !mem && banks & VRAM_ALLOC_B ? heap_alloc(&bank[1], size, alignment) : mem;
}

PICA_EXPORT void *vramMemAlign(size_t size, size_t alignment) {
	return vramMemAlignAt(size, alignment, VRAM_ALLOC_ANY);
}

PICA_EXPORT void *vramAllocAt(size_t size, vramAllocPos banks) {
	return vramMemAlignAt(size, ALIGNMENT, banks);
}

PICA_EXPORT void *vramAlloc(size_t size) {
	return vramAllocAt(size, VRAM_ALLOC_ANY);
}

static struct heap *bank_of(const void *mem) {
	return &bank[(uintptr_t)mem >= (uintptr_t)bank[1].base];
}

PICA_EXPORT size_t vramGetSize(void *mem) {
	return heap_size_of(bank_of(mem), mem);
}

PICA_EXPORT void vramFree(void *mem) {
	heap_free(bank_of(mem), mem);
}

PICA_EXPORT u32 vramSpaceFree(void) {
	return heap_left(&bank[0]) + heap_left(&bank[1]);
}

PICA_EXPORT void *vramRealloc(void *mem, size_t size) {
	return move(vramAlloc(size), mem, vramGetSize(mem), size, vramFree);
}

/* ---- The mappable area ---- */

PICA_EXPORT void mappableInit(u32 first, u32 end) {
	if (mappable.base || first >= end) {
		return;
	}
	const bool is_inside = area && first >= OS_MAP_AREA_BEGIN && end <= OS_MAP_AREA_END;
	heap_begin(&mappable,
			is_inside ? area + (first - OS_MAP_AREA_BEGIN) :
				    map_low(first, end - first),
			end - first, 0);
}

PICA_EXPORT void *mappableAlloc(size_t size) {
	mappableInit(OS_MAP_AREA_BEGIN, OS_MAP_AREA_END);
	void *mem = heap_alloc(&mappable, (size + PAGE - 1) & ~(size_t)(PAGE - 1), PAGE);
	return mem ? memset(mem, 0, size) : NULL;
}

PICA_EXPORT void mappableFree(void *mem) {
	heap_free(&mappable, mem);
}
