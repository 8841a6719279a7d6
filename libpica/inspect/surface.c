/* Render targets, decoded where they lie in memory. */
#include "pica_inspect.h"

#include <errno.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/morton.h"
#include "pica/front/ctx.h"

PICA_EXPORT int pica_target_from_regs(struct pica_target *out, const uint32_t *regs) {
	struct target t;
	bool ok = target_from_regs(&t, regs);
	*out = (struct pica_target){ .width = t.width,
		.height = t.height,
		.color_addr = t.color_addr,
		.depth_addr = t.depth_addr,
		.color_format = t.color_format,
		.depth_format = t.depth_format,
		.block32 = t.block32,
		.flip = t.flip };
	return ok ? 0 : -EINVAL;
}

static bool is_size(const struct pica_target *t) {
	return t->width && t->width % 8 == 0 && t->width <= 2048 && t->height && t->height <= 2048;
}

/* The buffer, whole blocks; NULL: not inside one window. */
static const uint8_t *buffer(struct pica200 *ctx, const struct pica_target *t, uint32_t addr,
		unsigned pixel_bytes) {
	const uint32_t round = t->block32 ? 31 : 7;
	const uint32_t pixels = ((t->width + round) & ~round) * ((t->height + round) & ~round);
	ctx_idle(&ctx->base);
	return space_host(&ctx->base.space, addr, pixels * pixel_bytes);
}

PICA_EXPORT int pica_ctx_read_color(struct pica_ctx *base, const struct pica_target *t,
		uint8_t *rgba, size_t stride_bytes) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	/* The numbers of colour formats are those of textures. [fidelity: register-map] */
	if (!is_size(t) || t->color_format >= COLOR_COUNT || stride_bytes < 4 * (size_t)t->width) {
		return -EINVAL;
	}
	const unsigned bytes = color_format_bytes(t->color_format);
	const uint8_t *host = buffer(ctx, t, t->color_addr, bytes);
	if (!host) {
		return -ERANGE;
	}
	for (uint32_t y = 0; y < t->height; y += 8) {
		for (uint32_t x = 0; x < t->width; x += 8) {
			uint32_t block[64];
			const size_t px = block_index(x / 8, y / 8, t->width / 8, t->block32);
			ctx->kernels.tex.decode[t->color_format](
					block, 8, host + px * bytes);
			for (uint32_t row = 0; row < 8 && y + row < t->height; row++) {
				memcpy(rgba + (y + row) * stride_bytes + 4 * (size_t)x,
						&block[8 * row], 32);
			}
		}
	}
	return 0;
}

PICA_EXPORT int pica_ctx_read_depth(struct pica_ctx *base, const struct pica_target *t,
		uint32_t *words, size_t stride_px) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	const unsigned bytes = depth_format_bytes(t->depth_format);
	if (!is_size(t) || !bytes || stride_px < t->width) {
		return -EINVAL;
	}
	const uint8_t *host = buffer(ctx, t, t->depth_addr, bytes);
	if (!host) {
		return -ERANGE;
	}
	for (uint32_t y = 0; y < t->height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			uint32_t word = 0;
			memcpy(&word,
					host +
							(size_t)tiled_index(x, y, t->width,
									t->block32) *
									bytes,
					bytes);
			words[y * stride_px + x] = word;
		}
	}
	return 0;
}
