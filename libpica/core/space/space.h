/*
 * Physical memory: windows onto host memory, bounds checks, and a write stamp for each 4 KiB page.
 * Only the command thread changes stamps, in stream order; pass/ orders the units that use memory.
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
	bool owned;          /* host is our mapping, which removal unmaps */
	uint64_t *stamp;     /* per page: space.clock at its last write */
	uint64_t *gpu_stamp; /* per page: frame + 1 if the renderer wrote it last, else 0 */
};

struct space {
	struct window win[SPACE_MAX_WINDOWS]; /* sorted by phys */
	unsigned n;
	uint64_t clock; /* raised by every write */
};

/* A range of physical memory, [addr, addr + size). With size 0 it overlaps nothing. */
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
/* If host is NULL, allocates zeroed memory. Returns 0 or an error of pica_ctx_map(). */
int space_map(struct space *s, uint32_t phys, uint32_t size_bytes, void *host, uint32_t flags);
int space_unmap(struct space *s, uint32_t phys);

/* Returns the host address if one window has the whole range, else NULL. NULL for size 0. */
uint8_t *space_host(const struct space *s, uint32_t phys, uint32_t size_bytes);
/* Like space_host(), but returns NULL for a read-only window. */
uint8_t *space_host_writable(const struct space *s, uint32_t phys, uint32_t size_bytes);
/*
 * Returns the host address of phys and sets *avail_bytes to the number of bytes from there to the
 * end of its window. Returns NULL outside all windows.
 */
uint8_t *space_host_from(const struct space *s, uint32_t phys, uint32_t *avail_bytes);
/*
 * Copy from and to physical memory. Bytes outside all windows read as 0, and writes there or to
 * read-only windows are dropped. Return the number of bytes that were outside or dropped. Addresses
 * do not wrap: bytes beyond 2^32 are outside. space_store() raises no stamps.
 */
uint32_t space_read(const struct space *s, uint32_t phys, void *out, uint32_t size_bytes);
uint32_t space_store(const struct space *s, uint32_t phys, const void *data, uint32_t size_bytes);
/* Like space_store(), as a client's write: raises the stamps. Command thread only. */
uint32_t space_write(struct space *s, uint32_t phys, const void *data, uint32_t size_bytes);
/* Clears all windows to zero, as a client's write. Command thread only. */
void space_zero(struct space *s);

/*
 * Raises the stamps of the pages that the range touches. gpu_frame is the renderer's frame number
 * + 1, or 0 for a client's write.
 */
void space_touch(struct space *s, struct range r, uint64_t gpu_frame);
/*
 * Returns the newest stamp of the pages of the range, or 0 if none is mapped. Mapping raises
 * stamps.
 */
uint64_t space_stamp(const struct space *s, struct range r);
/*
 * Returns whether the last write to every page of the range was the renderer's, with this
 * gpu_frame. Returns false for an empty range, for gpu_frame 0, and if part of the range is outside
 * all windows.
 */
bool space_rendered_in(const struct space *s, struct range r, uint64_t gpu_frame);

#endif
