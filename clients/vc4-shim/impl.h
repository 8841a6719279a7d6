/* Private to the files of this folder. */
#ifndef VC4_SHIM_IMPL_H
#define VC4_SHIM_IMPL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"

#include <vc4_drm.h>

enum { PAGE = 4096, NO_BUFFER = -1 };

/* The uniforms of a shader that need an address, as word numbers. */
struct shader_plan {
	uint32_t n_uniforms;
	uint32_t n_samples, n_resets;
	uint32_t *samples; /* for each texture access, the word that holds the texture's address */
	uint32_t *resets; /* words that hold the address of the uniforms themselves */
};

struct buffer {
	uint32_t offset, size_bytes; /* size_bytes 0: the handle is free */
	uint64_t modifier;
	struct shader_plan *shader; /* NULL: data */
};

struct kernel {
	pthread_mutex_t lock; /* covers everything below, and the region's allocation */
	uint8_t *memory;
	uint32_t base, n_pages;
	uint8_t *page_used; /* of each page: 1 if it belongs to a buffer */
	struct buffer *buffers; /* by handle - 1 */
	uint32_t n_buffers;
	uint64_t n_jobs;
	kernel_run_fn *run;
	void *user;
};

/* Allocates zeroed pages. Returns their offset, or -ENOMEM. */
int64_t pages_take(struct kernel *k, uint32_t size_bytes);
void pages_free(struct kernel *k, uint32_t offset, uint32_t size_bytes);
/* Returns the end of the last page in use. */
uint32_t pages_end(const struct kernel *k);

/* Returns the buffer, or NULL. */
struct buffer *buffer_get(struct kernel *k, uint32_t handle);

/* Walks the code. Returns -EINVAL if it does not end, or -ENOMEM, and leaves *out unchanged. */
int shader_plan_create(struct shader_plan **out, const uint64_t *code, uint32_t n_words);
void shader_plan_destroy(struct shader_plan *plan);

int submit(struct kernel *k, struct drm_vc4_submit_cl *args);

/* A submission on its way into the region. */
struct submission {
	struct kernel *k;
	const struct drm_vc4_submit_cl *args;
	/* Offsets in the region */
	uint32_t block, block_bytes; /* with the binning list first, then: */
	uint32_t records, uniforms, render;
	uint32_t tile_state, tile_lists, tile_bytes; /* 0 bytes before record 0x70 */
	uint32_t n_bin_bytes; /* of the binning list for the chip */
	uint32_t tiles_x, tiles_y; /* 0 before record 0x70 */
};

/* Returns the buffer at that index of the submission's handles, or NULL. */
struct buffer *submission_buffer(const struct submission *s, uint32_t index);
/* Prints to stderr why a submission is refused. Returns -EINVAL. */
int submission_refuse(const struct submission *s, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

/* Upper bound of the size of the rendering list. */
uint32_t render_list_bytes(const struct drm_vc4_submit_cl *args);
/* Writes the rendering list. Returns 0, with its size, or -EINVAL. */
int render_list_write(const struct submission *s, uint32_t *n_bytes);

#endif
