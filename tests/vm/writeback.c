#include "tests/vm/writeback.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

enum { PATIENCE_MS = 10000 };

/* 0: there is none of that name. */
static uint32_t property(int fd, uint32_t connector, const char *name) {
	uint32_t id = 0;
	drmModeObjectProperties *all =
			drmModeObjectGetProperties(fd, connector, DRM_MODE_OBJECT_CONNECTOR);
	for (uint32_t i = 0; all && i < all->count_props; i++) {
		drmModePropertyRes *p = drmModeGetProperty(fd, all->props[i]);
		if (p && strcmp(p->name, name) == 0) {
			id = p->prop_id;
		}
		drmModeFreeProperty(p);
	}
	drmModeFreeObjectProperties(all);
	return id;
}

static int find_connector(struct writeback *w) {
	const int fd = w->kms->fd;
	/* Requires the atomic capability, which the display has set. */
	if (drmSetClientCap(fd, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1) < 0) {
		return -errno;
	}
	drmModeRes *res = drmModeGetResources(fd);
	for (int i = 0; res && i < res->count_connectors; i++) {
		drmModeConnector *c = drmModeGetConnector(fd, res->connectors[i]);
		if (c && c->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
			w->connector = c->connector_id;
		}
		drmModeFreeConnector(c);
	}
	drmModeFreeResources(res);
	w->crtc_id = property(fd, w->connector, "CRTC_ID");
	w->fb_id = property(fd, w->connector, "WRITEBACK_FB_ID");
	w->fence_ptr = property(fd, w->connector, "WRITEBACK_OUT_FENCE_PTR");
	return w->crtc_id && w->fb_id && w->fence_ptr ? 0 : -ENODEV;
}

int writeback_init(struct writeback *w, struct kms *kms, const struct kms_pipe *pipe) {
	*w = (struct writeback){ .kms = kms, .pipe = pipe };
	int ret = find_connector(w);
	ret = ret < 0 ? ret :
			dumb_create(&w->dumb, kms->fd, pipe->mode.hdisplay, pipe->mode.vdisplay,
					8 * display_pixel_bytes(pipe->format));
	return ret < 0 ? ret :
			kms_add_framebuffer(kms, w->dumb.handle, w->dumb.width, w->dumb.height,
					w->dumb.stride_bytes, pipe->format, &w->framebuffer);
}

void writeback_finish(struct writeback *w) {
	if (w->framebuffer) {
		kms_remove_framebuffer(w->kms, w->framebuffer);
	}
	dumb_destroy(&w->dumb, w->kms->fd);
}

static int add(drmModeAtomicReq *req, uint32_t object, uint32_t id, uint64_t value) {
	return drmModeAtomicAddProperty(req, object, id, value) < 0 ? -ENOMEM : 0;
}

/* The CRTC feeds the display, or with a fence the buffer: planes and mode stay as they are. */
static int feed(struct writeback *w, int32_t *fence) {
	const struct kms_pipe *p = w->pipe;
	drmModeAtomicReq *req = drmModeAtomicAlloc();
	int ret = req ? 0 : -ENOMEM;
	ret = ret < 0 ? ret : add(req, p->connector, p->connector_crtc_id, fence ? 0 : p->crtc);
	ret = ret < 0 ? ret : add(req, w->connector, w->crtc_id, fence ? p->crtc : 0);
	if (fence) {
		ret = ret < 0 ? ret : add(req, w->connector, w->fb_id, w->framebuffer);
		ret = ret < 0 ? ret : add(req, w->connector, w->fence_ptr, (uintptr_t)fence);
	}
	if (ret == 0 && drmModeAtomicCommit(w->kms->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET,
			NULL) < 0) {
		ret = -errno;
	}
	drmModeAtomicFree(req);
	return ret;
}

int writeback_take(struct writeback *w) {
	int32_t fence = -1;
	memset(w->dumb.host, 0x55, w->dumb.size_bytes);
	int ret = feed(w, &fence);
	if (ret < 0) {
		return ret;
	}
	struct pollfd written = { .fd = fence, .events = POLLIN };
	ret = poll(&written, 1, PATIENCE_MS) == 1 && (written.revents & POLLIN) ? 0 : -ETIMEDOUT;
	close(fence);
	const int other = feed(w, NULL);
	return ret < 0 ? ret : other;
}
