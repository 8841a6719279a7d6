#include "impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pages and buffers ---- */

static uint32_t pages_of(uint32_t size_bytes) {
	return size_bytes / PAGE + (size_bytes % PAGE != 0);
}

int64_t pages_take(struct kernel *k, uint32_t size_bytes) {
	const uint32_t n = pages_of(size_bytes);
	uint32_t n_free = 0;
	for (uint32_t i = 0; i < k->n_pages && n; i++) {
		n_free = k->page_used[i] ? 0 : n_free + 1;
		if (n_free == n) {
			const uint32_t first = i + 1 - n;
			memset(k->page_used + first, 1, n);
			memset(k->memory + (size_t)first * PAGE, 0, (size_t)n * PAGE);
			return (int64_t)first * PAGE;
		}
	}
	return -ENOMEM;
}

void pages_free(struct kernel *k, uint32_t offset, uint32_t size_bytes) {
	memset(k->page_used + offset / PAGE, 0, pages_of(size_bytes));
}

uint32_t pages_end(const struct kernel *k) {
	uint32_t end = k->n_pages;
	while (end > 0 && !k->page_used[end - 1]) {
		end--;
	}
	return end * PAGE;
}

struct buffer *buffer_get(struct kernel *k, uint32_t handle) {
	if (handle == 0 || handle > k->n_buffers || k->buffers[handle - 1].size_bytes == 0) {
		return NULL;
	}
	return &k->buffers[handle - 1];
}

/* Returns the new buffer's handle, -ENOMEM, or -EINVAL for a size of 0. */
static int64_t buffer_create(struct kernel *k, uint32_t size_bytes) {
	uint32_t i = 0;
	while (i < k->n_buffers && k->buffers[i].size_bytes) {
		i++;
	}
	if (i == k->n_buffers) {
		struct buffer *more = realloc(k->buffers, (i + 1) * sizeof(*more));
		if (!more) {
			return -ENOMEM;
		}
		k->buffers = more;
		memset(&k->buffers[i], 0, sizeof(k->buffers[i]));
		k->n_buffers++;
	}
	if (size_bytes == 0) {
		return -EINVAL;
	}
	const int64_t offset = pages_take(k, size_bytes);
	if (offset < 0) {
		fprintf(stderr, "libpica-vc4-shim: buffer of %u bytes: no memory is left: expected a larger PICA_VC4_MIB\n",
				size_bytes);
		return offset;
	}
	k->buffers[i].offset = (uint32_t)offset;
	k->buffers[i].size_bytes = size_bytes;
	return (int64_t)i + 1;
}

static void buffer_destroy(struct kernel *k, struct buffer *b) {
	pages_free(k, b->offset, b->size_bytes);
	shader_plan_destroy(b->shader);
	memset(b, 0, sizeof(*b));
}

/* ---- Ioctls ---- */

static int create_bo(struct kernel *k, struct drm_vc4_create_bo *a) {
	const int64_t handle = a->flags ? -EINVAL : buffer_create(k, a->size);
	if (handle < 0) {
		return (int)handle;
	}
	a->handle = (uint32_t)handle;
	return 0;
}

static int create_shader_bo(struct kernel *k, struct drm_vc4_create_shader_bo *a) {
	struct shader_plan *plan;
	if (a->size == 0 || a->size % 8 || a->size > (1 << 20) || a->flags) {
		return -EINVAL;
	}
	const int64_t handle = buffer_create(k, a->size);
	if (handle < 0) {
		return (int)handle;
	}
	struct buffer *b = buffer_get(k, (uint32_t)handle);
	memcpy(k->memory + b->offset, (const void *)(uintptr_t)a->data, a->size);
	int ret = shader_plan_create(&plan, (const uint64_t *)(const void *)(k->memory + b->offset),
			a->size / 8);
	if (ret < 0) {
		buffer_destroy(k, b);
		return ret;
	}
	b->shader = plan;
	a->handle = (uint32_t)handle;
	return 0;
}

static int get_param(struct drm_vc4_get_param *a) {
	switch (a->param) {
	case DRM_VC4_PARAM_V3D_IDENT0:
		a->value = 2u << 24 | 'D' << 16 | '3' << 8 | 'V';
		return 0;
	case DRM_VC4_PARAM_V3D_IDENT1:
		a->value = 2u << 12 | 4u << 8 | 3u << 4 |
				1u; /* revision 1; 3 slices of 4 QPUs and 2 TMUs */
		return 0;
	case DRM_VC4_PARAM_SUPPORTS_BRANCHES:
	case DRM_VC4_PARAM_SUPPORTS_ETC1:
	case DRM_VC4_PARAM_SUPPORTS_THREADED_FS:
	case DRM_VC4_PARAM_SUPPORTS_FIXED_RCL_ORDER:
	case DRM_VC4_PARAM_SUPPORTS_MADVISE:
		a->value = 1;
		return 0;
	case DRM_VC4_PARAM_V3D_IDENT2:
	case DRM_VC4_PARAM_SUPPORTS_PERFMON:
		a->value = 0;
		return 0;
	}
	return -EINVAL;
}

/* Executes other requests, about a buffer. A job has ended when its submission returns. */
static int act(struct kernel *k, unsigned long request, void *arg, uint32_t handle) {
	struct buffer *const b = buffer_get(k, handle);
	if (!b) {
		return -ENOENT;
	}
	switch (request) {
	case DRM_IOCTL_GEM_CLOSE:
		buffer_destroy(k, b);
		return 0;
	case DRM_IOCTL_VC4_MMAP_BO:
		((struct drm_vc4_mmap_bo *)arg)->offset = b->offset;
		return b->shader ? -EINVAL : 0;
	case DRM_IOCTL_VC4_SET_TILING:
		b->modifier = ((const struct drm_vc4_set_tiling *)arg)->modifier;
		return 0;
	case DRM_IOCTL_VC4_GET_TILING:
		((struct drm_vc4_get_tiling *)arg)->modifier = b->modifier;
		return 0;
	case DRM_IOCTL_VC4_GEM_MADVISE:
		((struct drm_vc4_gem_madvise *)arg)->retained = 1;
		return 0;
	default:
		return 0; /* DRM_IOCTL_VC4_WAIT_BO, DRM_IOCTL_VC4_LABEL_BO */
	}
}

static int dispatch(struct kernel *k, unsigned long request, void *arg) {
	switch (request) {
	case DRM_IOCTL_VC4_SUBMIT_CL:
		return submit(k, arg);
	case DRM_IOCTL_VC4_CREATE_BO:
		return create_bo(k, arg);
	case DRM_IOCTL_VC4_CREATE_SHADER_BO:
		return create_shader_bo(k, arg);
	case DRM_IOCTL_VC4_GET_PARAM:
		return get_param(arg);
	case DRM_IOCTL_VC4_WAIT_SEQNO:
		return ((const struct drm_vc4_wait_seqno *)arg)->seqno <= k->n_jobs ? 0 : -ETIME;
	case DRM_IOCTL_GEM_CLOSE:
	case DRM_IOCTL_VC4_MMAP_BO:
	case DRM_IOCTL_VC4_WAIT_BO:
	case DRM_IOCTL_VC4_LABEL_BO:
	case DRM_IOCTL_VC4_SET_TILING:
	case DRM_IOCTL_VC4_GET_TILING:
	case DRM_IOCTL_VC4_GEM_MADVISE:
		return act(k, request, arg,
				*(const uint32_t *)arg); /* each begins with the handle */
	case DRM_IOCTL_VC4_GET_HANG_STATE:
		return -ENOENT; /* nothing hangs */
	}
	return -ENOTTY;
}

int kernel_ioctl(struct kernel *k, unsigned long request, void *arg) {
	pthread_mutex_lock(&k->lock);
	const int ret = dispatch(k, request, arg);
	pthread_mutex_unlock(&k->lock);
	return ret;
}

struct kernel *kernel_create(uint8_t *memory, uint32_t base, uint32_t size_bytes,
		kernel_run_fn *run, void *user) {
	struct kernel *k = calloc(1, sizeof(*k));
	if (!k) {
		return NULL;
	}
	k->n_pages = size_bytes / PAGE;
	k->page_used = calloc(k->n_pages, 1);
	if (!k->page_used) {
		free(k);
		return NULL;
	}
	pthread_mutex_init(&k->lock, NULL);
	k->memory = memory;
	k->base = base;
	k->run = run;
	k->user = user;
	return k;
}

void kernel_destroy(struct kernel *k) {
	if (!k) {
		return;
	}
	for (uint32_t i = 0; i < k->n_buffers; i++) {
		shader_plan_destroy(k->buffers[i].shader);
	}
	pthread_mutex_destroy(&k->lock);
	free(k->buffers);
	free(k->page_used);
	free(k);
}
