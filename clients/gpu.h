/*
 * An emulated GPU: a context of libpica in this process, or one of a service. Replays, pictures and
 * expectations are the same for both.
 */
#ifndef CLIENTS_GPU_H
#define CLIENTS_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "pica.h"
#include "pica_capture.h"
#include "pica_inspect.h"
#include "pictures/picture.h"

struct gpu_impl;

/* Passed by value; its pointers are borrowed. */
struct gpu {
	const struct gpu_impl *impl;
	struct pica_ctx *ctx; /* a context of this process, for all of pica.h; NULL: a service */
	void *service;        /* of the implementation */
};

/* Like the functions of pica.h of these names; also returns -ECONNRESET: the service has gone. */
struct gpu_impl {
	int (*load)(struct gpu gpu, struct pica_capture *capture);
	int (*submit)(struct gpu gpu, const struct pica_job *jobs, size_t n, uint64_t *seq);
	int (*wait)(struct gpu gpu, uint64_t seq);
	int (*reap)(struct gpu gpu, struct pica_done *done, size_t n);
	int (*read_regs)(struct gpu gpu, uint32_t first, uint32_t n, uint32_t *out);
	int (*screen)(struct gpu gpu, enum pica_screen_id screen, struct pica_screen *out);
	int (*read_screen)(struct gpu gpu, enum pica_screen_id screen, enum pica_eye eye,
			uint8_t *rgb, size_t stride_bytes);
	int (*read_surface)(struct gpu gpu, uint32_t addr, uint32_t format, uint32_t width,
			uint32_t height, uint8_t *rgba, size_t stride_bytes);
	int (*read_color)(struct gpu gpu, const struct pica_target *target, uint8_t *rgba,
			size_t stride_bytes);
	/* Of a VideoCore IV; -EOPNOTSUPP: another chip. */
	int (*picture)(struct gpu gpu, struct pica_picture *out);
	int (*read_picture)(struct gpu gpu, uint8_t *rgba, size_t stride_bytes);
	int (*stats)(struct gpu gpu, struct pica_stats *out);
	/*
	 * Zeroes all windows, as if the client had written them. Clears only existing pages, which
	 * stay mapped; untouched ones stay unmapped.
	 */
	int (*zero_memory)(struct gpu gpu);
};

enum { GPU_WINDOWS = 32 }; /* of a context, at most */

/* The context of this process. */
struct gpu gpu_here(struct pica_ctx *ctx);
/*
 * Finds the parts of a context's own windows that were ever accessed; the rest reads as 0. Not for
 * memory of pica_ctx_map(). *out: ascending; the caller frees it, also on failure. Returns their
 * number, or -ENOMEM.
 */
int gpu_touched(struct pica_window **out, struct pica_ctx *ctx);

/* Reads a screen into *p. Returns 0. On failure returns -ENODATA (never set) or as gpu_impl. */
int gpu_read_screen(struct picture *p, struct gpu gpu, enum pica_screen_id screen,
		enum pica_eye eye);
/*
 * Reads the picture of a VideoCore IV. Returns 0. On failure returns -EOPNOTSUPP (another chip), or
 * as pica_ctx_read_picture().
 */
int gpu_read_picture(struct picture *p, struct gpu gpu);
/*
 * Decodes a tiled surface as it lies in memory, row 0 first, with its alpha. format 0..13 as for
 * textures.
 */
int gpu_read_surface(struct picture *p, struct gpu gpu, uint32_t addr, uint32_t format,
		uint32_t width, uint32_t height);
/* The same for the colour buffer of a target. */
int gpu_read_target(struct picture *p, struct gpu gpu, const struct pica_target *target);

#endif
