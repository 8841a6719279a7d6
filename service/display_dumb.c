#include "service/display_dumb.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <xf86drm.h>

int dumb_probe(int card) {
	uint64_t has = 0;
	return drmGetCap(card, DRM_CAP_DUMB_BUFFER, &has) == 0 && has ? 0 : -EOPNOTSUPP;
}

static void destroy_handle(int card, uint32_t handle) {
	struct drm_mode_destroy_dumb destroy = { .handle = handle };
	drmIoctl(card, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy);
}

int dumb_create(struct dumb_buffer *out, int card, uint32_t width, uint32_t height, uint32_t bits) {
	struct drm_mode_create_dumb create = { .width = width, .height = height, .bpp = bits };
	if (drmIoctl(card, DRM_IOCTL_MODE_CREATE_DUMB, &create) < 0) {
		return -errno;
	}
	int ret = -EINVAL;
	if (create.pitch < (uint64_t)width * bits / 8 || create.size / create.pitch < height ||
			create.size > SIZE_MAX) {
		goto err; /* a driver that rounds down is not supported */
	}
	struct drm_mode_map_dumb map = { .handle = create.handle };
	if (drmIoctl(card, DRM_IOCTL_MODE_MAP_DUMB, &map) < 0) {
		ret = -errno;
		goto err;
	}
	void *host = mmap(NULL, (size_t)create.size, PROT_READ | PROT_WRITE, MAP_SHARED, card,
			(off_t)map.offset);
	if (host == MAP_FAILED) {
		ret = -errno;
		goto err;
	}
	memset(host, 0, (size_t)create.size); /* some drivers return old contents */
	*out = (struct dumb_buffer){ .host = host,
		.size_bytes = (size_t)create.size,
		.handle = create.handle,
		.stride_bytes = create.pitch,
		.width = width,
		.height = height,
		.bits = bits };
	return 0;

err:
	destroy_handle(card, create.handle);
	return ret;
}

void dumb_destroy(struct dumb_buffer *buffer, int card) {
	if (!buffer->host) {
		return;
	}
	munmap(buffer->host, buffer->size_bytes);
	destroy_handle(card, buffer->handle);
	memset(buffer, 0, sizeof(*buffer));
}
