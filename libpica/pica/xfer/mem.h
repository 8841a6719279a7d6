/*
 * Access to physical memory by the copy engines, on any thread: windows are only looked up, and
 * write stamps are not changed (the command thread does that). Memory outside windows reads as 0.
 * Writes to it and to read-only windows are dropped. [fidelity: memory-map]
 */
#ifndef XFER_MEM_H
#define XFER_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/space/space.h"

/*
 * Addresses are signed 64-bit here: a 32-bit base plus an offset that cannot wrap. Addresses below
 * 0 or from 2^32 on are outside every window.
 */
struct piece {
	uint8_t *host; /* NULL: outside every window, or a write to a read-only one */
	uint64_t len;  /* bytes covered, 1..want */
};

static inline struct piece mem_piece(
		const struct space *s, int64_t addr, uint64_t want, bool write) {
	struct piece p = { NULL, want };
	for (unsigned i = 0; i < s->n; i++) { /* sorted by address */
		const struct window *w = &s->win[i];
		int64_t start = w->phys, end = start + w->size_bytes;
		if (addr < start) {
			uint64_t gap = (uint64_t)(start - addr);
			p.len = gap < want ? gap : want;
			return p;
		}
		if (addr < end) {
			uint64_t rest = (uint64_t)(end - addr);
			p.len = rest < want ? rest : want;
			p.host = write && (w->flags & PICA_MAP_READ_ONLY) ?
					NULL :
					w->host + (addr - start);
			return p;
		}
	}
	return p;
}

/* Returns the host address if [addr, addr + size) is in one window (writable if write), or NULL. */
static inline uint8_t *mem_host(const struct space *s, int64_t addr, uint64_t size, bool write) {
	if (size == 0) {
		return NULL;
	}
	struct piece p = mem_piece(s, addr, size, write);
	return p.len == size ? p.host : NULL;
}

/* Copies from memory to out. Returns the number of bytes outside windows, which become 0. */
static inline uint64_t mem_read(const struct space *s, int64_t addr, uint8_t *out, uint64_t size) {
	uint64_t outside = 0;
	while (size > 0) {
		struct piece p = mem_piece(s, addr, size, false);
		if (p.host) {
			memcpy(out, p.host, p.len);
		} else {
			memset(out, 0, p.len);
			outside += p.len;
		}
		out += p.len;
		addr += (int64_t)p.len;
		size -= p.len;
	}
	return outside;
}

/* Copies data to memory. Returns the number of bytes that were dropped. */
static inline uint64_t mem_write(
		const struct space *s, int64_t addr, const uint8_t *data, uint64_t size) {
	uint64_t outside = 0;
	while (size > 0) {
		struct piece p = mem_piece(s, addr, size, true);
		if (p.host) {
			memcpy(p.host, data, p.len);
		} else {
			outside += p.len;
		}
		data += p.len;
		addr += (int64_t)p.len;
		size -= p.len;
	}
	return outside;
}

static inline uint32_t saturate32(uint64_t n) {
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* Returns [start, end) clipped to the physical address space; empty if nothing is left. */
static inline struct range mem_range(int64_t start, int64_t end) {
	const int64_t top = (int64_t)1 << 32;
	if (start < 0) {
		start = 0;
	}
	if (end > top) {
		end = top;
	}
	if (end <= start) {
		return (struct range){ 0, 0 };
	}
	return (struct range){ (uint32_t)start, saturate32((uint64_t)(end - start)) };
}

#endif
