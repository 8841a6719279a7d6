#include "gpu.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_PICTURE_PX = 16384 }; /* a side: pica_ctx_read_picture() */

int gpu_clear_pages(void *host, size_t size_bytes) {
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = size_bytes / page;
	uint8_t *bytes = host;
	unsigned char *resident = malloc(n);
	if (!resident) {
		return -ENOMEM;
	}
	bool known = mincore(host, size_bytes, resident) == 0;
	for (size_t i = 0; i < n; i++) {
		if (!known || (resident[i] & 1)) {
			memset(bytes + i * page, 0, page);
		}
	}
	free(resident);
	return 0;
}

static int load(struct gpu gpu, struct pica_capture *capture) {
	return pica_capture_load(capture, gpu.ctx);
}

static int submit(struct gpu gpu, const struct pica_job *jobs, size_t n, uint64_t *seq) {
	return pica_submit(gpu.ctx, jobs, n, seq);
}

static int wait_for(struct gpu gpu, uint64_t seq) {
	return pica_wait(gpu.ctx, seq, -1);
}

static int reap(struct gpu gpu, struct pica_done *done, size_t n) {
	return pica_reap(gpu.ctx, done, n);
}

static int read_regs(struct gpu gpu, uint32_t first, uint32_t n, uint32_t *out) {
	return pica_ctx_read_regs(gpu.ctx, first, n, out);
}

static int screen_info(struct gpu gpu, enum pica_screen_id screen, struct pica_screen *out) {
	return pica_ctx_screen(gpu.ctx, screen, out);
}

static int read_screen(struct gpu gpu, enum pica_screen_id screen, enum pica_eye eye, uint8_t *rgb,
		size_t stride_bytes) {
	return pica_ctx_read_screen(gpu.ctx, screen, eye, rgb, stride_bytes);
}

static int read_surface(struct gpu gpu, uint32_t addr, uint32_t format, uint32_t width,
		uint32_t height, uint8_t *rgba, size_t stride_bytes) {
	return pica_ctx_read_surface(gpu.ctx, addr, format, width, height, rgba, stride_bytes);
}

static int read_color(struct gpu gpu, const struct pica_target *target, uint8_t *rgba,
		size_t stride_bytes) {
	return pica_ctx_read_color(gpu.ctx, target, rgba, stride_bytes);
}

static int stats(struct gpu gpu, struct pica_stats *out) {
	return pica_stats(gpu.ctx, out);
}

static int zero_window(struct pica_ctx *ctx, const struct pica_window *w) {
	struct pica_job job = { .op = PICA_OP_INVALIDATE,
		.u.invalidate = { .addr = w->phys, .size_bytes = w->size_bytes } };
	int ret = gpu_clear_pages(w->host, w->size_bytes);
	return ret < 0 ? ret : pica_submit(ctx, &job, 1, NULL);
}

static int zero_memory(struct gpu gpu) {
	struct pica_window window[GPU_WINDOWS];
	unsigned n = pica_ctx_windows(gpu.ctx, window, GPU_WINDOWS);
	int ret = 0;
	for (unsigned i = 0; i < n && ret == 0; i++) {
		ret = zero_window(gpu.ctx, &window[i]);
	}
	return ret;
}

struct gpu gpu_here(struct pica_ctx *ctx) {
	static const struct gpu_impl impl = { load, submit, wait_for, reap, read_regs, screen_info,
		read_screen, read_surface, read_color, stats, zero_memory };
	return (struct gpu){ .impl = &impl, .ctx = ctx };
}

int gpu_read_screen(struct picture *p, struct gpu gpu, enum pica_screen_id screen,
		enum pica_eye eye) {
	struct pica_screen info;
	int ret = gpu.impl->screen(gpu, screen, &info);
	if (ret < 0) {
		return ret;
	}
	if (!info.is_set) {
		return -ENODATA;
	}
	ret = picture_alloc(p, info.width, info.height);
	return ret < 0 ? ret :
			 gpu.impl->read_screen(gpu, screen, eye, p->rgb, 3 * (size_t)info.width);
}

/* Frees rgba, which may be NULL if ret is an error. */
static int take_rgba(struct picture *p, uint8_t *rgba, uint32_t width, uint32_t height, int ret) {
	if (ret == 0) {
		ret = picture_from_rgba(p, rgba, width, height);
	}
	free(rgba);
	return ret;
}

int gpu_read_surface(struct picture *p, struct gpu gpu, uint32_t addr, uint32_t format,
		uint32_t width, uint32_t height) {
	if (width > 2048 || height > 2048) {
		return -EINVAL;
	}
	uint8_t *rgba = malloc(4 * (size_t)width * height + 1);
	int ret = rgba ? gpu.impl->read_surface(gpu, addr, format, width, height, rgba,
					 4 * (size_t)width) :
			 -ENOMEM;
	return take_rgba(p, rgba, width, height, ret);
}

int gpu_read_target(struct picture *p, struct gpu gpu, const struct pica_target *t) {
	if (t->width > 2048 || t->height > 2048) {
		return -EINVAL;
	}
	uint8_t *rgba = malloc(4 * (size_t)t->width * t->height + 1);
	int ret = rgba ? gpu.impl->read_color(gpu, t, rgba, 4 * (size_t)t->width) : -ENOMEM;
	return take_rgba(p, rgba, t->width, t->height, ret);
}

int gpu_read_picture(struct picture *p, struct gpu gpu) {
	struct pica_picture info;
	int ret = gpu.ctx ? pica_ctx_picture(gpu.ctx, &info) : -EOPNOTSUPP;
	if (ret < 0) {
		return ret;
	}
	if (info.width > MAX_PICTURE_PX || info.height > MAX_PICTURE_PX) {
		return -ERANGE;
	}
	const size_t stride = 4 * (size_t)info.width;
	uint8_t *rgba = malloc(stride * info.height + 1);
	ret = rgba ? pica_ctx_read_picture(gpu.ctx, rgba, stride) : -ENOMEM;
	return take_rgba(p, rgba, info.width, info.height, ret);
}
