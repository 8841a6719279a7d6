#include "core/pass/footprint.h"

void footprint_clear(struct footprint *f) {
	f->n = 0;
}

static struct range hull(struct range a, struct range b) {
	uint64_t end_a = (uint64_t)a.addr + a.size, end_b = (uint64_t)b.addr + b.size;
	uint32_t start = a.addr < b.addr ? a.addr : b.addr;
	uint64_t size = (end_a > end_b ? end_a : end_b) - start;
	return (struct range){ start, size > UINT32_MAX ? UINT32_MAX : (uint32_t)size };
}

void footprint_add(struct footprint *f, struct range r) {
	if (!r.size) {
		return;
	}
	for (unsigned i = 0; i < f->n; i++) {
		uint64_t end_i = (uint64_t)f->r[i].addr + f->r[i].size,
			 end = (uint64_t)r.addr + r.size;
		if (r.addr <= end_i && f->r[i].addr <= end) {
			f->r[i] = hull(f->r[i], r);
			return;
		}
	}
	if (f->n == FOOTPRINT_RANGES) {
		f->r[f->n - 1] = hull(f->r[f->n - 1], r);
		return;
	}
	f->r[f->n++] = r;
}

bool footprint_hits(const struct footprint *f, struct range r) {
	for (unsigned i = 0; i < f->n; i++) {
		if (ranges_overlap(f->r[i], r)) {
			return true;
		}
	}
	return false;
}

bool footprints_overlap(const struct footprint *a, const struct footprint *b) {
	for (unsigned i = 0; i < b->n; i++) {
		if (footprint_hits(a, b->r[i])) {
			return true;
		}
	}
	return false;
}
