/* Shots: screens copied from guest memory, and pictures of the host. */
#include "pica/xfer/show.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/attributes.h"
#include "pica/xfer/mem.h"

enum { MAX_RGB_PX = 8192 };

PICA_EXPORT int pica_shot_create(struct pica_shot **out) {
	struct pica_shot *s = calloc(1, sizeof(*s));
	if (!s) {
		return -ENOMEM;
	}
	/* For the largest screen: unused pages are never touched. */
	s->px[0] = malloc(SHOT_LEFT_BYTES + SHOT_RIGHT_BYTES);
	if (!s->px[0]) {
		free(s);
		return -ENOMEM;
	}
	s->px[1] = s->px[0] + SHOT_LEFT_BYTES;
	atomic_init(&s->refs, 1);
	*out = s;
	return 0;
}

PICA_EXPORT struct pica_shot *pica_shot_get(struct pica_shot *s) {
	if (s) {
		atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	}
	return s;
}

PICA_EXPORT void pica_shot_put(struct pica_shot *s) {
	/* Release this owner's accesses; the last owner acquires those of the others. */
	if (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1) {
		free(s->px[0]);
		free(s);
	}
}

PICA_EXPORT int pica_shot_set_rgb(struct pica_shot *s, uint32_t width, uint32_t height,
		const uint8_t *rgb, size_t stride_bytes) {
	if (width < 1 || width > MAX_RGB_PX || height < 1 || height > MAX_RGB_PX ||
			stride_bytes < 3 * (size_t)width) {
		return -EINVAL;
	}
	const size_t bytes = 4 * (size_t)width * height;
	if (bytes > SHOT_LEFT_BYTES + SHOT_RIGHT_BYTES) {
		uint8_t *px = realloc(s->px[0], bytes);
		if (!px) {
			return -ENOMEM;
		}
		s->px[0] = px;
		s->px[1] = px + SHOT_LEFT_BYTES;
	}
	uint32_t *to = (uint32_t *)(void *)s->px[0];
	for (uint32_t y = 0; y < height; y++) {
		const uint8_t *row = rgb + y * stride_bytes;
		for (uint32_t x = 0; x < width; x++, row += 3) {
			*to++ = row[0] | (uint32_t)row[1] << 8 | (uint32_t)row[2] << 16 |
					0xFF000000;
		}
	}
	s->info = (struct pica_screen){ .width = width, .height = height, .is_set = 1 };
	s->is_rows = true;
	s->n_lines = height;
	s->line_px = width;
	s->line_bytes = 4 * width;
	return 0;
}

PICA_EXPORT void pica_shot_screen(const struct pica_shot *s, struct pica_screen *out) {
	*out = s->info;
}

static uint32_t take_lines(uint8_t *to, uint32_t line_bytes, uint32_t n, int64_t addr,
		int32_t stride_bytes, const struct space *space) {
	uint64_t outside = 0;
	for (uint32_t i = 0; i < n; i++) {
		outside += mem_read(space, addr + (int64_t)i * stride_bytes,
				to + (size_t)i * line_bytes, line_bytes);
	}
	return saturate32(outside);
}

uint32_t shot_take(struct pica_shot *shot, const struct scanout *s, const struct space *space) {
	shot->info = s->info;
	memcpy(shot->solid, s->solid, sizeof(shot->solid));
	shot->is_rows = false;
	shot->n_lines = s->info.width;
	shot->line_px = SHOT_LINE_PX;
	shot->line_bytes = SHOT_LINE_PX * xfer_format_bytes(s->info.format);
	if (s->info.is_solid || !s->info.is_set) {
		return 0;
	}
	uint32_t outside = take_lines(shot->px[0], shot->line_bytes, shot->n_lines, s->info.addr,
			s->stride_bytes, space);
	if (s->info.has_right) {
		outside += take_lines(shot->px[1], shot->line_bytes, shot->n_lines, s->addr_right,
				s->stride_bytes, space);
	}
	return outside;
}

void shot_line(const struct pica_shot *s, const struct xfer_kernels *k, unsigned eye, uint32_t line,
		uint32_t first, unsigned n, uint32_t *rgba) {
	const uint8_t *from = s->px[eye && s->info.has_right] + (size_t)line * s->line_bytes;
	if (s->is_rows) {
		memcpy(rgba, from + 4 * (size_t)first, 4 * (size_t)n);
	} else {
		k->decode[s->info.format](
				rgba, from + first * xfer_format_bytes(s->info.format), n);
	}
}

/* Not performance-critical. */
PICA_EXPORT int pica_shot_read(const struct pica_shot *s, enum pica_eye eye, uint8_t *rgb,
		size_t stride_bytes) {
	if (!s->info.is_set) {
		return -ENODATA;
	}
	if ((unsigned)eye > PICA_EYE_RIGHT || stride_bytes < 3 * (size_t)s->info.width) {
		return -EINVAL;
	}
	struct xfer_kernels k;
	xfer_kernels_init(&k, ISA_C);
	for (uint32_t y = 0; y < s->info.height; y++) {
		uint8_t *to = rgb + y * stride_bytes;
		for (uint32_t x = 0; x < s->info.width; x++, to += 3) {
			uint32_t px = s->solid[0] | (uint32_t)s->solid[1] << 8 |
					(uint32_t)s->solid[2] << 16;
			if (!s->info.is_solid) {
				shot_line(s, &k, eye, s->is_rows ? y : x, s->is_rows ? x :
						SHOT_LINE_PX - 1 - y,
						1, &px);
			}
			to[0] = (uint8_t)px;
			to[1] = (uint8_t)(px >> 8);
			to[2] = (uint8_t)(px >> 16);
		}
	}
	return 0;
}
