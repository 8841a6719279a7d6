#include "core/space/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

#include "pica.h"

enum { PAGE_BYTES = 1 << SPACE_PAGE_BITS, HOST_ALIGN = 16 };

static uint64_t window_end(const struct window *w) {
	return (uint64_t)w->phys + w->size_bytes;
}

/* Index of the first window that ends after phys; s->n if none does. */
static unsigned window_index(const struct space *s, uint32_t phys) {
	unsigned lo = 0, hi = s->n;
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		if (window_end(&s->win[mid]) > phys) {
			hi = mid;
		} else {
			lo = mid + 1;
		}
	}
	return lo;
}

static const struct window *window_at(const struct space *s, uint32_t phys) {
	unsigned i = window_index(s, phys);
	return i < s->n && s->win[i].phys <= phys ? &s->win[i] : NULL;
}

static const struct window *window_of(const struct space *s, uint32_t phys, uint32_t size_bytes) {
	const struct window *w = window_at(s, phys);
	return w && size_bytes && size_bytes <= window_end(w) - phys ? w : NULL;
}

/* Part of [addr, end) that lies in a window, as an offset and a length; length 0: none. */
struct part {
	uint32_t offset;
	uint32_t size;
};

static struct part window_part(const struct window *w, uint64_t addr, uint64_t end) {
	uint64_t from = addr > w->phys ? addr : w->phys;
	uint64_t to = end < window_end(w) ? end : window_end(w);
	if (from >= to) {
		return (struct part){ 0, 0 };
	}
	return (struct part){ (uint32_t)(from - w->phys), (uint32_t)(to - from) };
}

static bool host_overlaps(const struct window *w, const uint8_t *host, uint32_t size_bytes) {
	uintptr_t a = (uintptr_t)w->host, b = (uintptr_t)host;
	return a < b + size_bytes && b < a + w->size_bytes;
}

static void window_finish(struct window *w) {
	if (w->owned) {
		munmap(w->host, w->size_bytes);
	}
	free(w->stamp);
	free(w->gpu_stamp);
}

void space_init(struct space *s) {
	memset(s, 0, sizeof(*s));
}

void space_finish(struct space *s) {
	for (unsigned i = 0; i < s->n; i++) {
		window_finish(&s->win[i]);
	}
	memset(s, 0, sizeof(*s));
}

int space_map(struct space *s, uint32_t phys, uint32_t size_bytes, void *host, uint32_t flags) {
	if (!size_bytes || (phys | size_bytes) & (PAGE_BYTES - 1) ||
			(uint64_t)phys + size_bytes > UINT64_C(1) << 32 ||
			(uintptr_t)host & (HOST_ALIGN - 1) ||
			(uintptr_t)host > UINTPTR_MAX - size_bytes ||
			flags & ~(uint32_t)PICA_MAP_READ_ONLY) {
		return -EINVAL;
	}
	unsigned at = window_index(s, phys);
	if (at < s->n && s->win[at].phys < (uint64_t)phys + size_bytes) {
		return -EEXIST;
	}
	for (unsigned i = 0; host && i < s->n; i++) {
		if (host_overlaps(&s->win[i], host, size_bytes)) {
			return -EEXIST;
		}
	}
	if (s->n == SPACE_MAX_WINDOWS) {
		return -ENOMEM;
	}
	uint32_t pages = size_bytes >> SPACE_PAGE_BITS;
	struct window w = { .phys = phys, .size_bytes = size_bytes, .host = host, .flags = flags };
	w.stamp = malloc(pages * sizeof(*w.stamp));
	w.gpu_stamp = calloc(pages, sizeof(*w.gpu_stamp));
	if (!w.stamp || !w.gpu_stamp) {
		goto err_stamps;
	}
	if (!host) {
		void *p = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED) {
			goto err_stamps;
		}
		// A page fault costs microseconds: large pages where the kernel has them.
		(void)madvise(p, size_bytes, MADV_HUGEPAGE);
		w.host = p;
		w.owned = true;
	}
	/* New memory at an address is a write: textures decoded from a former window are stale. */
	s->clock++;
	for (uint32_t i = 0; i < pages; i++) {
		w.stamp[i] = s->clock;
	}
	memmove(&s->win[at + 1], &s->win[at], (s->n - at) * sizeof(s->win[0]));
	s->win[at] = w;
	s->n++;
	return 0;

err_stamps:
	free(w.stamp);
	free(w.gpu_stamp);
	return -ENOMEM;
}

int space_unmap(struct space *s, uint32_t phys) {
	unsigned at = window_index(s, phys);
	if (at >= s->n || s->win[at].phys != phys) {
		return -ENOENT;
	}
	window_finish(&s->win[at]);
	s->clock++; /* memory read there no longer exists */
	s->n--;
	memmove(&s->win[at], &s->win[at + 1], (s->n - at) * sizeof(s->win[0]));
	memset(&s->win[s->n], 0, sizeof(s->win[0]));
	return 0;
}

uint8_t *space_host(const struct space *s, uint32_t phys, uint32_t size_bytes) {
	const struct window *w = window_of(s, phys, size_bytes);
	return w ? w->host + (phys - w->phys) : NULL;
}

uint8_t *space_host_writable(const struct space *s, uint32_t phys, uint32_t size_bytes) {
	const struct window *w = window_of(s, phys, size_bytes);
	return w && !(w->flags & PICA_MAP_READ_ONLY) ? w->host + (phys - w->phys) : NULL;
}

uint8_t *space_host_from(const struct space *s, uint32_t phys, uint32_t *avail_bytes) {
	const struct window *w = window_at(s, phys);
	*avail_bytes = w ? (uint32_t)(window_end(w) - phys) : 0;
	return w ? w->host + (phys - w->phys) : NULL;
}

uint32_t space_read(const struct space *s, uint32_t phys, void *out, uint32_t size_bytes) {
	uint64_t pos = phys, end = (uint64_t)phys + size_bytes;
	uint8_t *dst = out;
	uint32_t copied = 0;
	for (unsigned i = window_index(s, phys); size_bytes && i < s->n && s->win[i].phys < end;
			i++) {
		const struct window *w = &s->win[i];
		struct part p = window_part(w, pos, end);
		uint64_t from = (uint64_t)w->phys + p.offset;
		memset(dst + (pos - phys), 0, from - pos);
		memcpy(dst + (from - phys), w->host + p.offset, p.size);
		pos = from + p.size;
		copied += p.size;
	}
	if (pos < end) {
		memset(dst + (pos - phys), 0, end - pos);
	}
	return size_bytes - copied;
}

uint32_t space_store(const struct space *s, uint32_t phys, const void *data, uint32_t size_bytes) {
	uint64_t end = (uint64_t)phys + size_bytes;
	const uint8_t *src = data;
	uint32_t copied = 0;
	for (unsigned i = window_index(s, phys); size_bytes && i < s->n && s->win[i].phys < end;
			i++) {
		const struct window *w = &s->win[i];
		if (w->flags & PICA_MAP_READ_ONLY) {
			continue;
		}
		struct part p = window_part(w, phys, end);
		memcpy(w->host + p.offset, src + ((uint64_t)w->phys + p.offset - phys), p.size);
		copied += p.size;
	}
	return size_bytes - copied;
}

uint32_t space_write(struct space *s, uint32_t phys, const void *data, uint32_t size_bytes) {
	uint32_t outside = space_store(s, phys, data, size_bytes);
	space_touch(s, (struct range){ phys, size_bytes }, 0);
	return outside;
}

void space_zero(struct space *s) {
	for (unsigned i = 0; i < s->n; i++) {
		struct window *w = &s->win[i];
		/* Owned windows get fresh pages: most were never touched. */
		if (!w->owned || madvise(w->host, w->size_bytes, MADV_DONTNEED) < 0) {
			memset(w->host, 0, w->size_bytes);
		}
		space_touch(s, (struct range){ w->phys, w->size_bytes }, 0);
	}
}

void space_touch(struct space *s, struct range r, uint64_t gpu_frame) {
	if (!r.size) {
		return;
	}
	uint64_t end = (uint64_t)r.addr + r.size;
	s->clock++;
	for (unsigned i = window_index(s, r.addr); i < s->n && s->win[i].phys < end; i++) {
		struct window *w = &s->win[i];
		if (w->flags & PICA_MAP_READ_ONLY && gpu_frame) {
			continue; /* the renderer's writes there are dropped */
		}
		struct part p = window_part(w, r.addr, end);
		uint32_t last = (p.offset + p.size - 1) >> SPACE_PAGE_BITS;
		for (uint32_t page = p.offset >> SPACE_PAGE_BITS; page <= last; page++) {
			w->stamp[page] = s->clock;
			w->gpu_stamp[page] = gpu_frame;
		}
	}
}

uint64_t space_stamp(const struct space *s, struct range r) {
	uint64_t end = (uint64_t)r.addr + r.size, newest = 0;
	for (unsigned i = window_index(s, r.addr); r.size && i < s->n && s->win[i].phys < end;
			i++) {
		const struct window *w = &s->win[i];
		struct part p = window_part(w, r.addr, end);
		uint32_t last = (p.offset + p.size - 1) >> SPACE_PAGE_BITS;
		for (uint32_t page = p.offset >> SPACE_PAGE_BITS; page <= last; page++) {
			newest = w->stamp[page] > newest ? w->stamp[page] : newest;
		}
	}
	return newest;
}

bool space_rendered_in(const struct space *s, struct range r, uint64_t gpu_frame) {
	uint64_t pos = r.addr, end = (uint64_t)r.addr + r.size;
	if (!r.size || !gpu_frame) {
		return false;
	}
	for (unsigned i = window_index(s, r.addr); pos < end; i++) {
		if (i >= s->n || s->win[i].phys > pos) {
			return false;
		}
		const struct window *w = &s->win[i];
		struct part p = window_part(w, pos, end);
		uint32_t last = (p.offset + p.size - 1) >> SPACE_PAGE_BITS;
		for (uint32_t page = p.offset >> SPACE_PAGE_BITS; page <= last; page++) {
			if (w->gpu_stamp[page] != gpu_frame) {
				return false;
			}
		}
		pos += p.size;
	}
	return true;
}
