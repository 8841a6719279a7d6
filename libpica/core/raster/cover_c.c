/* Coverage: the definition, pixel by pixel. */
#include "core/base/morton.h"
#include "core/raster/raster.h"

static bool is_drawable(const struct tri *t, int x, int y) {
	const struct raster_state *rs = t->rs;
	if (x < t->min_x || x > t->max_x || y < t->min_y || y > t->max_y) {
		return false;
	}
	return !(rs->exclude && x >= rs->ex_min_x && x <= rs->ex_max_x && y >= rs->ex_min_y &&
			y <= rs->ex_max_y);
}

static bool is_covered(const struct tri *t, const int32_t e[3], int x, int y) {
	for (int k = 0; k < 3; k++) {
		if (e[k] + (x - t->org_x) * t->ex[k] + (y - t->org_y) * t->ey[k] < 0) {
			return false;
		}
	}
	return true;
}

static uint64_t cover(const struct tri *t, const int32_t e[3], int x, int y) {
	uint64_t mask = 0;
	for (uint32_t i = 0; i < BATCH; i++) {
		int px = x + (int)morton8_x(i), py = y + (int)morton8_y(i);
		mask |= (uint64_t)(is_drawable(t, px, py) && is_covered(t, e, px, py)) << i;
	}
	return mask;
}

uint64_t raster_cover_block_c(const struct tri *t, int x, int y) {
	return cover(t, t->e[0], x, y);
}

void raster_cover_samples_c(const struct tri *t, int x, int y, uint64_t mask[RASTER_SAMPLES]) {
	for (unsigned s = 0; s < RASTER_SAMPLES; s++) {
		mask[s] = cover(t, t->e[s], x, y);
	}
}

static unsigned cover_quad(const struct tri *t, int x, int y) {
	unsigned mask = 0;
	for (int i = 0; i < 4; i++) {
		int px = x + (i & 1), py = y + (i >> 1);
		mask |= (unsigned)(is_drawable(t, px, py) && is_covered(t, t->e[0], px, py)) << i;
	}
	return mask;
}

unsigned raster_cover_quads_c(const struct tri *t, struct raster_quad at[RASTER_SMALL_QUADS],
		uint8_t mask[RASTER_SMALL_QUADS]) {
	unsigned n = 0;
	for (int y = t->min_y & ~1; y <= t->max_y; y += 2) {
		for (int x = t->min_x & ~1; x <= t->max_x; x += 2) {
			at[n] = (struct raster_quad){ x, y };
			mask[n] = (uint8_t)cover_quad(t, x, y);
			n += mask[n] != 0;
		}
	}
	return n;
}
