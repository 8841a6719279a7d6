/*
 * Physical memory: windows onto host memory, bounds, and a write stamp for each 4 KiB page. Stamps
 * are changed by the command thread only, in stream order; pass/ orders the units that use it.
 */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

enum { SPACE_MAX_WINDOWS = 32, SPACE_PAGE_BITS = 12 };

struct window {
	uint32_t phys;
	uint32_t size_bytes;
	uint8_t *host;
	uint32_t flags;      /* PICA_MAP_* */
	bool owned;          /* host is our mapping: munmap on removal */
	uint64_t *stamp;     /* a page: space.clock at its last write */
	uint64_t *gpu_stamp; /* a page: frame + 1 if the renderer wrote it last, else 0 */
};

struct space {
	struct window win[SPACE_MAX_WINDOWS]; /* sorted by phys */
	unsigned n;
	uint64_t clock; /* raised by every write */
};

/* A range of physical memory, [addr, addr + size). size may be 0: overlaps nothing. */
struct range {
	uint32_t addr;
	uint32_t size;
};

static inline bool ranges_overlap(struct range a, struct range b) {
	return a.size && b.size && a.addr < (uint64_t)b.addr + b.size &&
			b.addr < (uint64_t)a.addr + a.size;
}

void space_init(struct space *s);
void space_finish(struct space *s);
/* host NULL: zeroed memory of our own. Returns 0 or an error of pica_ctx_map(). */
int space_map(struct space *s, uint32_t phys, uint32_t size_bytes, void *host, uint32_t flags);
int space_unmap(struct space *s, uint32_t phys);

/* Returns the host address if the whole range lies in one window, else NULL. size 0: NULL. */
uint8_t *space_host(const struct space *s, uint32_t phys, uint32_t size_bytes);
/* The same, with NULL for a read-only window. */
uint8_t *space_host_writable(const struct space *s, uint32_t phys, uint32_t size_bytes);
/*
 * Returns the host address of phys and stores in *avail_bytes how much of its window follows; NULL
 * outside.
 */
uint8_t *space_host_from(const struct space *s, uint32_t phys, uint32_t *avail_bytes);
/*
 * Copies; what lies outside windows reads 0 or is dropped, and read-only windows drop writes.
 * Returns the bytes that were outside or dropped. Addresses do not wrap: what lies past 2^32 is
 * outside. space_write() touches its range as a client's write.
 */
uint32_t space_read(const struct space *s, uint32_t phys, void *out, uint32_t size_bytes);
uint32_t space_store(const struct space *s, uint32_t phys, const void *data, uint32_t size_bytes);
/* The same as a client's write: raises the stamps. Command thread. */
uint32_t space_write(struct space *s, uint32_t phys, const void *data, uint32_t size_bytes);
/* All windows become zero, as a client's write. Command thread. */
void space_zero(struct space *s);

/*
 * Raises the stamps of the pages that the range touches. gpu_frame: the renderer's frame number
 * + 1, or 0 for a client's write.
 */
void space_touch(struct space *s, struct range r, uint64_t gpu_frame);
/*
 * Returns the newest stamp of the pages of the range; 0 where nothing is mapped. Mapping raises
 * stamps.
 */
uint64_t space_stamp(const struct space *s, struct range r);
/*
 * Returns whether the renderer, with this gpu_frame, was the last to write every page of the range.
 * False for an empty range, for gpu_frame 0 and if the range leaves the windows.
 */
bool space_rendered_in(const struct space *s, struct range r, uint64_t gpu_frame);

#endif
