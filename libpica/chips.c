/*
 * Public functions of contexts of one chip: registers, states and screens of the PICA200, the
 * picture of the VideoCore IV.
 */
#include <errno.h>
#include <string.h>

#include "pica.h"

#include "pica/front/ctx.h"
#include "pica/xfer/ports.h"
#include "vc4/front/front.h"

/* ---- Registers ---- */

PICA_EXPORT int pica_ctx_read_regs(
		struct pica_ctx *base, uint32_t first, uint32_t n, uint32_t *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	if (first > REG_COUNT || n > REG_COUNT - first) {
		return -EINVAL;
	}
	ctx_idle(base);
	status_settle(ctx);
	memcpy(out, &ctx->regs.w[first], n * sizeof(*out));
	return 0;
}

PICA_EXPORT int pica_ctx_write_reg(
		struct pica_ctx *base, uint32_t id, uint32_t value, uint32_t mask, uint64_t *seq) {
	if (!pica200_from(base)) {
		return -EOPNOTSUPP;
	}
	if (id >= REG_COUNT || mask == 0 || mask > 15) {
		return -EINVAL;
	}
	struct pica_job job = { .op = PICA_OP_REG_WRITE };
	job.u.reg_write.addr = INTERNAL_BASE + 4 * id;
	job.u.reg_write.value = value;
	job.u.reg_write.mask = mask;
	return pica_submit(base, &job, 1, seq);
}

PICA_EXPORT int pica_ctx_read_external(struct pica_ctx *base, uint32_t addr, uint32_t *value) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	if (addr & 3) {
		return -EINVAL;
	}
	ctx_idle(base);
	status_settle(ctx);
	const uint32_t *word = front_register(ctx, addr);
	if (!word) {
		return -ERANGE;
	}
	*value = *word;
	return 0;
}

PICA_EXPORT int pica_ctx_load_state(struct pica_ctx *base, const struct pica_state *state) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	observe_replaced(base);
	state_load(ctx, state);
	return 0;
}

PICA_EXPORT int pica_ctx_save_state(struct pica_ctx *base, struct pica_state *state) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	state_save(ctx, state);
	return 0;
}

/* ---- Screens ---- */

PICA_EXPORT int pica_ctx_screen(
		struct pica_ctx *base, enum pica_screen_id screen, struct pica_screen *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	if ((unsigned)screen > PICA_SCREEN_BOTTOM) {
		return -EINVAL;
	}
	ctx_idle(base);
	struct scanout s;
	scanout_from_regs(&s, ctx->external, ctx->lcd, screen);
	*out = s.info;
	return 0;
}

PICA_EXPORT int pica_ctx_read_screen(struct pica_ctx *base, enum pica_screen_id screen,
		enum pica_eye eye, uint8_t *rgb, size_t stride_bytes) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	if ((unsigned)screen > PICA_SCREEN_BOTTOM || (unsigned)eye > PICA_EYE_RIGHT) {
		return -EINVAL;
	}
	ctx_idle(base);
	struct scanout s;
	scanout_from_regs(&s, ctx->external, ctx->lcd, screen);
	if (!s.info.is_set) {
		return -ENODATA;
	}
	if (stride_bytes < 3 * (size_t)s.info.width) {
		return -EINVAL;
	}
	scanout_run(&s, &device_kernels(base->device)->xfer, &base->space, eye, rgb, stride_bytes);
	return 0;
}

PICA_EXPORT int pica_ctx_read_surface(struct pica_ctx *base, uint32_t phys, uint32_t format,
		uint32_t width, uint32_t height, uint8_t *rgba, size_t stride_bytes) {
	return pica_ctx_read_surface_rows(
			base, phys, format, width, height, 0, height, rgba, stride_bytes);
}

PICA_EXPORT int pica_ctx_read_surface_rows(struct pica_ctx *base, uint32_t phys, uint32_t format,
		uint32_t width, uint32_t height, uint32_t first_row, uint32_t n_rows, uint8_t *rgba,
		size_t stride_bytes) {
	if (!pica200_from(base)) {
		return -EOPNOTSUPP;
	}
	if (format >= TEX_FORMATS || width < 8 || width > 2048 || height < 8 || height > 2048 ||
			(width & 7) || (height & 7) || stride_bytes < 4 * (size_t)width ||
			(first_row & 7) || (n_rows & 7) || first_row > height ||
			n_rows > height - first_row) {
		return -EINVAL;
	}
	ctx_idle(base);
	uint32_t tile_bytes = 64 * tex_format_bits(format) / 8;
	const uint8_t *host = space_host(&base->space, phys, width / 8 * (height / 8) * tile_bytes);
	if (!host) {
		return -ERANGE;
	}
	host += width / 8 * (first_row / 8) * tile_bytes;
	for (uint32_t y = first_row; y < first_row + n_rows; y += 8) {
		for (uint32_t x = 0; x < width; x += 8) {
			uint32_t block[64];
			device_kernels(base->device)->tex.decode[format](block, 8, host);
			host += tile_bytes;
			for (uint32_t row = 0; row < 8; row++) {
				memcpy(rgba + (y + row) * stride_bytes + 4 * (size_t)x,
						&block[8 * row], 32);
			}
		}
	}
	return 0;
}

/* ---- The picture of a VideoCore IV ---- */

PICA_EXPORT int pica_ctx_picture(struct pica_ctx *base, struct pica_picture *out) {
	const struct vc4_ctx *ctx = vc4_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	return vc4_picture(ctx, out);
}

PICA_EXPORT int pica_ctx_read_picture(
		struct pica_ctx *base, uint8_t *rgba, size_t stride_bytes) {
	struct pica_picture picture;
	const int ret = pica_ctx_picture(base, &picture);
	if (ret < 0) {
		return ret;
	}
	return stride_bytes < 4 * (size_t)picture.width ?
			-EINVAL : vc4_picture_read(&base->space, &picture, rgba, stride_bytes);
}
