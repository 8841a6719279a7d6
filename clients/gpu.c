#include "gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PICTURE_PX = 16384 }; /* a side: pica_ctx_read_picture() */

/*
 * Reads the kernel's entry of each page of private anonymous memory: 0 if the page was never
 * touched, so that it reads as 0. All ones if the kernel does not provide them.
 */
static void read_entries(uint64_t *entry, size_t n, const void *host, size_t page_bytes) {
	const size_t size_bytes = n * sizeof(*entry);
	const off_t at = (off_t)((uintptr_t)host / page_bytes * sizeof(*entry));
	const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, entry, size_bytes, at) != (ssize_t)size_bytes) {
		memset(entry, 0xFF, size_bytes);
	}
	if (fd >= 0) {
		close(fd);
	}
}

/* Writes the touched parts of w to out, at most one for every two pages. Returns their number. */
static unsigned find_touched(struct pica_window *out, const struct pica_window *w,
		uint64_t *entry, size_t page_bytes) {
	const size_t pages = (w->size_bytes + page_bytes - 1) / page_bytes;
	unsigned n = 0;
	read_entries(entry, pages, w->host, page_bytes);
	for (size_t i = 0; i < pages; i++) {
		const uint32_t at = (uint32_t)(i * page_bytes), left = w->size_bytes - at;
		if (!entry[i]) {
			continue;
		}
		if (i == 0 || !entry[i - 1]) {
			out[n++] = (struct pica_window){
				.phys = w->phys + at, .host = (uint8_t *)w->host + at
			};
		}
		out[n - 1].size_bytes += left < page_bytes ? left : (uint32_t)page_bytes;
	}
	return n;
}

int gpu_touched(struct pica_window **out, struct pica_ctx *ctx) {
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct pica_window window[GPU_WINDOWS];
	const unsigned n_windows = pica_ctx_windows(ctx, window, GPU_WINDOWS);
	size_t pages = n_windows, parts = n_windows;
	for (unsigned i = 0; i < n_windows; i++) {
		pages += window[i].size_bytes / page_bytes;
		parts += window[i].size_bytes / page_bytes / 2 + 1;
	}
	uint64_t *entry = calloc(pages + 1, sizeof(*entry));
	*out = calloc(parts + 1, sizeof(**out));
	int n = entry && *out ? 0 : -ENOMEM;
	for (unsigned i = 0; i < n_windows && n >= 0; i++) {
		n += (int)find_touched(*out + n, &window[i], entry, page_bytes);
	}
	free(entry);
	return n;
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

static int picture(struct gpu gpu, struct pica_picture *out) {
	return pica_ctx_picture(gpu.ctx, out);
}

static int read_picture(struct gpu gpu, uint8_t *rgba, size_t stride_bytes) {
	return pica_ctx_read_picture(gpu.ctx, rgba, stride_bytes);
}

static int stats(struct gpu gpu, struct pica_stats *out) {
	return pica_stats(gpu.ctx, out);
}

static int zero_memory(struct gpu gpu) {
	struct pica_window *part;
	const int n = gpu_touched(&part, gpu.ctx);
	int ret = n < 0 ? n : 0;
	for (int i = 0; i < n && ret == 0; i++) {
		struct pica_job job = { .op = PICA_OP_INVALIDATE,
			.u.invalidate = { .addr = part[i].phys,
				.size_bytes = part[i].size_bytes } };
		memset(part[i].host, 0, part[i].size_bytes);
		ret = pica_submit(gpu.ctx, &job, 1, NULL);
	}
	free(part);
	return ret;
}

struct gpu gpu_here(struct pica_ctx *ctx) {
	static const struct gpu_impl impl = { load, submit, wait_for, reap, read_regs, screen_info,
		read_screen, read_surface, read_color, picture, read_picture, stats,
		zero_memory };
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
	int ret = gpu.impl->picture(gpu, &info);
	if (ret < 0) {
		return ret;
	}
	if (info.width > MAX_PICTURE_PX || info.height > MAX_PICTURE_PX) {
		return -ERANGE;
	}
	const size_t stride = 4 * (size_t)info.width;
	uint8_t *rgba = malloc(stride * info.height + 1);
	ret = rgba ? gpu.impl->read_picture(gpu, rgba, stride) : -ENOMEM;
	return take_rgba(p, rgba, info.width, info.height, ret);
}
