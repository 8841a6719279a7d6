/* The card's side of libdrm: its objects, their properties, and calls that change them. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "mock_drm.h"

static const char *const prop_names[P_COUNT] = { "CRTC_ID", "ACTIVE", "MODE_ID", "type", "FB_ID",
	"CRTC_ID", "SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y", "CRTC_W", "CRTC_H",
	"FB_DAMAGE_CLIPS" };

/* ---- Memory ---- */

void *__real_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t length);
int __wrap_munmap(void *addr, size_t length);

void *__wrap_mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset) {
	if (fd < 0 || fd != mock.card) {
		return __real_mmap(addr, length, prot, flags, fd, offset);
	}
	if (mock_enter() < 0) {
		return MAP_FAILED;
	}
	mock.maps++;
	void *host = __real_mmap(NULL, length, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mock.dumb[offset / 4096 - 1].host = host;
	return host;
}

void *__wrap_mmap64(void *addr, size_t length, int prot, int flags, int fd, off_t offset) {
	return __wrap_mmap(addr, length, prot, flags, fd, offset);
}

int __wrap_munmap(void *addr, size_t length) {
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (mock.dumb[i].is_used && mock.dumb[i].host == addr) {
			mock.maps--;
			mock.dumb[i].host = NULL;
		}
	}
	return __real_munmap(addr, length);
}

static int create_dumb(struct drm_mode_create_dumb *c) {
	for (unsigned i = 0; i < OBJECTS; i++) {
		struct dumb *d = &mock.dumb[i];
		if (!d->is_used) {
			*d = (struct dumb){ true, c->width, c->height, c->bpp,
				(c->width * c->bpp / 8 + 63) / 64 * 64, NULL };
			c->handle = i + 1;
			c->pitch = d->pitch;
			c->size = ((uint64_t)d->pitch * d->height + 4095) / 4096 * 4096;
			return 0;
		}
	}
	errno = ENOSPC;
	return -1;
}

int drmIoctl(int fd, unsigned long request, void *arg) {
	if (request == DRM_IOCTL_MODE_DESTROY_DUMB) {
		struct drm_mode_destroy_dumb *d = arg;
		mock.wrongs += mock.dumb[d->handle - 1].host != NULL;
		mock.dumb[d->handle - 1].is_used = false;
		return 0;
	}
	if (mock_enter() < 0) {
		return -1;
	}
	if (request == DRM_IOCTL_MODE_CREATE_DUMB) {
		return create_dumb(arg);
	}
	struct drm_mode_map_dumb *m = arg;
	m->offset = (uint64_t)m->handle * 4096;
	return 0;
}

int drmModeAddFB2(int fd, uint32_t width, uint32_t height, uint32_t format,
		const uint32_t handles[4], const uint32_t pitches[4], const uint32_t offsets[4],
		uint32_t *id, uint32_t flags) {
	if (mock_enter() < 0) {
		return -errno;
	}
	const struct dumb *d = &mock.dumb[handles[0] - 1];
	if (!d->is_used || d->pitch != pitches[0] || d->width < width || d->height < height) {
		return -EINVAL;
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (!mock.fb[i].is_used) {
			mock.fb[i] = (struct framebuffer){ true, handles[0], width, height,
				format };
			*id = FB_ID + i;
			return 0;
		}
	}
	return -ENOSPC;
}

int drmModeRmFB(int fd, uint32_t id) {
	struct framebuffer *fb = mock_find_fb(id);
	mock.wrongs += !fb;
	for (unsigned i = 0; i < MOCK_CRTCS; i++) {
		if (mock.crtc[i].fb == id) {
			mock.crtc[i].fb = 0;
			mock.crtc[i].is_on = false;
		}
	}
	if (fb) {
		fb->is_used = false;
	}
	return 0;
}

/* ---- Objects ---- */

int drmGetCap(int fd, uint64_t capability, uint64_t *value) {
	*value = capability == DRM_CAP_DUMB_BUFFER;
	return mock_enter();
}

int drmSetClientCap(int fd, uint64_t capability, uint64_t value) {
	if (mock_enter() < 0) {
		return -1;
	}
	if ((capability == DRM_CLIENT_CAP_ATOMIC && !mock.has_atomic) ||
			(capability == DRM_CLIENT_CAP_UNIVERSAL_PLANES && !mock.has_planes)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return 0;
}

int drmIsMaster(int fd) {
	return !mock.is_master_taken && !mock.is_seat_silent;
}

int drmSetMaster(int fd) {
	if (mock.is_master_taken || mock.is_seat_silent) {
		errno = EBUSY;
		return -1;
	}
	return mock_enter();
}

drmModeResPtr drmModeGetResources(int fd) {
	static uint32_t crtcs[MOCK_CRTCS], connectors[MOCK_CONNECTORS];
	if (mock_enter() < 0) {
		return NULL;
	}
	drmModeRes *res = mock_make(sizeof(*res));
	for (unsigned i = 0; i < MOCK_CRTCS; i++) {
		crtcs[i] = CRTC_ID + i;
	}
	for (unsigned i = 0; i < MOCK_CONNECTORS; i++) {
		connectors[i] = CONNECTOR_ID + i;
	}
	res->count_crtcs = MOCK_CRTCS;
	res->crtcs = crtcs;
	res->count_connectors = MOCK_CONNECTORS;
	res->connectors = connectors;
	return res;
}

drmModeConnectorPtr drmModeGetConnector(int fd, uint32_t id) {
	static uint32_t encoders[MOCK_CONNECTORS];
	if (mock_enter() < 0) {
		return NULL;
	}
	unsigned i = id - CONNECTOR_ID;
	drmModeConnector *c = mock_make(sizeof(*c));
	encoders[i] = ENCODER_ID + i;
	c->connector_id = id;
	c->connector_type = DRM_MODE_CONNECTOR_VIRTUAL;
	c->connector_type_id = i + 1;
	c->connection = mock.n_modes[i] ? DRM_MODE_CONNECTED : DRM_MODE_DISCONNECTED;
	c->count_modes = mock.n_modes[i];
	c->modes = mock.mode[i];
	c->count_encoders = 1;
	c->encoders = &encoders[i];
	c->encoder_id = i < MOCK_CRTCS ? ENCODER_ID + i : 0;
	return c;
}

drmModeConnectorPtr drmModeGetConnectorCurrent(int fd, uint32_t id) {
	return drmModeGetConnector(fd, id);
}

const char *drmModeGetConnectorTypeName(uint32_t type) {
	return "Virtual";
}

drmModeEncoderPtr drmModeGetEncoder(int fd, uint32_t id) {
	if (mock_enter() < 0) {
		return NULL;
	}
	drmModeEncoder *e = mock_make(sizeof(*e));
	e->encoder_id = id;
	e->crtc_id = mock.crtc_of[id - ENCODER_ID];
	e->possible_crtcs = (1u << MOCK_CRTCS) - 1;
	return e;
}

drmModeCrtcPtr drmModeGetCrtc(int fd, uint32_t id) {
	if (mock_enter() < 0) {
		return NULL;
	}
	unsigned i = id - CRTC_ID;
	drmModeCrtc *c = mock_make(sizeof(*c));
	c->crtc_id = id;
	c->buffer_id = mock.crtc[i].fb;
	c->mode = mock.crtc[i].mode;
	c->mode_valid = mock.crtc[i].is_on;
	return c;
}

drmModePlaneResPtr drmModeGetPlaneResources(int fd) {
	static uint32_t planes[MOCK_CRTCS];
	if (mock_enter() < 0) {
		return NULL;
	}
	drmModePlaneRes *res = mock_make(sizeof(*res));
	for (unsigned i = 0; i < MOCK_CRTCS; i++) {
		planes[i] = PLANE_ID + i;
	}
	res->count_planes = mock.has_planes ? MOCK_CRTCS : 0;
	res->planes = planes;
	return res;
}

drmModePlanePtr drmModeGetPlane(int fd, uint32_t id) {
	static uint32_t formats[2];
	if (mock_enter() < 0) {
		return NULL;
	}
	drmModePlane *p = mock_make(sizeof(*p));
	p->plane_id = id;
	p->possible_crtcs = 1u << (id - PLANE_ID);
	p->formats = formats;
	if (mock.formats & 32) {
		formats[p->count_formats++] = DRM_FORMAT_XRGB8888;
	}
	if (mock.formats & 16) {
		formats[p->count_formats++] = DRM_FORMAT_RGB565;
	}
	return p;
}

drmModeObjectPropertiesPtr drmModeObjectGetProperties(int fd, uint32_t id, uint32_t type) {
	static uint32_t ids[P_COUNT];
	static uint64_t values[P_COUNT];
	if (mock_enter() < 0) {
		return NULL;
	}
	unsigned from = type == DRM_MODE_OBJECT_CONNECTOR ? P_CONNECTOR_CRTC :
			type == DRM_MODE_OBJECT_CRTC ? P_ACTIVE : P_TYPE;
	unsigned to = type == DRM_MODE_OBJECT_CONNECTOR ? P_ACTIVE :
			type == DRM_MODE_OBJECT_CRTC ? P_TYPE :
			P_COUNT;
	drmModeObjectProperties *all = mock_make(sizeof(*all));
	for (unsigned i = from; i < to; i++) {
		ids[all->count_props] = PROP_ID + i;
		values[all->count_props++] = i == P_TYPE ? DRM_PLANE_TYPE_PRIMARY : 0;
	}
	all->props = ids;
	all->prop_values = values;
	return all;
}

drmModePropertyPtr drmModeGetProperty(int fd, uint32_t id) {
	if (mock_enter() < 0) {
		return NULL;
	}
	drmModePropertyRes *p = mock_make(sizeof(*p));
	p->prop_id = id;
	strcpy(p->name, prop_names[id - PROP_ID]);
	return p;
}

#define FREES(name, pointer) \
	void drmModeFree##name(pointer object) { \
		mock_unmake(object); \
	}

FREES(Resources, drmModeResPtr)
FREES(Connector, drmModeConnectorPtr)
FREES(Encoder, drmModeEncoderPtr)
FREES(Crtc, drmModeCrtcPtr)
FREES(PlaneResources, drmModePlaneResPtr)
FREES(Plane, drmModePlanePtr)
FREES(ObjectProperties, drmModeObjectPropertiesPtr)
FREES(Property, drmModePropertyPtr)

/* ---- Changing it ---- */

static int may_change(void) {
	if (mock_enter() < 0) {
		return -errno;
	}
	return mock.is_master_taken || mock.is_seat_silent || !mock.is_ours ? -EACCES : 0;
}

int drmModeSetCrtc(int fd, uint32_t id, uint32_t fb, uint32_t x, uint32_t y, uint32_t *connectors,
		int n, drmModeModeInfoPtr mode) {
	unsigned i = id - CRTC_ID;
	int ret = may_change();
	if (ret < 0) {
		return ret;
	}
	if (fb && fb != CONSOLE_FB && !mock_find_fb(fb)) {
		return -ENOENT;
	}
	mock.mode_sets++;
	mock.crtc[i].is_on = fb != 0;
	mock.crtc[i].fb = fb;
	if (mode) {
		mock.crtc[i].mode = *mode;
	}
	return 0;
}

static int begin_flip(unsigned crtc, uint32_t fb, void *data) {
	if (!mock_find_fb(fb)) {
		return -ENOENT;
	}
	if (mock.crtc[crtc].is_flipping || !mock.crtc[crtc].is_on) {
		return -EBUSY;
	}
	mock.crtc[crtc].is_flipping = true;
	mock.crtc[crtc].next_fb = fb;
	mock.crtc[crtc].data = (uint64_t)(uintptr_t)data;
	if (!mock.has_vblank) {
		mock_vblank();
	}
	return 0;
}

int drmModePageFlip(int fd, uint32_t id, uint32_t fb, uint32_t flags, void *data) {
	int ret = may_change();
	return ret < 0 ? ret : begin_flip(id - CRTC_ID, fb, data);
}

struct _drmModeAtomicReq {
	unsigned n;
	struct {
		uint32_t object;
		enum prop prop;
		uint64_t value;
	} item[128];
};

drmModeAtomicReqPtr drmModeAtomicAlloc(void) {
	return mock_enter_library() < 0 ? NULL : mock_make(sizeof(drmModeAtomicReq));
}

void drmModeAtomicFree(drmModeAtomicReqPtr req) {
	mock_unmake(req);
}

int drmModeAtomicAddProperty(
		drmModeAtomicReqPtr req, uint32_t object, uint32_t prop, uint64_t value) {
	if (mock_enter_library() < 0) {
		return -errno;
	}
	req->item[req->n].object = object;
	req->item[req->n].prop = (enum prop)(prop - PROP_ID);
	req->item[req->n].value = value;
	return (int)++req->n;
}

int drmModeCreatePropertyBlob(int fd, const void *data, size_t size, uint32_t *id) {
	if (mock_enter() < 0) {
		return -1;
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (!mock.blob[i]) {
			mock.blob[i] = true;
			memcpy(mock.blob_bytes[i], data,
					size < sizeof(mock.blob_bytes[i]) ?
							size :
							sizeof(mock.blob_bytes[i]));
			*id = BLOB_ID + i;
			return 0;
		}
	}
	errno = ENOSPC;
	return -1;
}

int drmModeDestroyPropertyBlob(int fd, uint32_t id) {
	mock.blob[id - BLOB_ID] = false;
	return 0;
}

static bool is_busy(const drmModeAtomicReq *req) {
	for (unsigned i = 0; i < req->n; i++) {
		unsigned crtc = req->item[i].object - PLANE_ID;
		if (req->item[i].prop == P_FB &&
				(mock.crtc[crtc].is_flipping || !mock.crtc[crtc].is_on)) {
			return true;
		}
	}
	return false;
}

int drmModeAtomicCommit(int fd, const drmModeAtomicReqPtr req, uint32_t flags, void *data) {
	unsigned n = 0;
	int ret = may_change();
	if (ret < 0) {
		return ret;
	}
	if (!(flags & DRM_MODE_ATOMIC_ALLOW_MODESET) && is_busy(req)) {
		return -EBUSY;
	}
	for (unsigned i = 0; i < req->n && ret == 0; i++) {
		uint32_t object = req->item[i].object;
		uint64_t value = req->item[i].value;
		switch (req->item[i].prop) {
		case P_MODE:
			memcpy(&mock.crtc[object - CRTC_ID].mode, mock.blob_bytes[value - BLOB_ID],
					sizeof(drmModeModeInfo));
			mock.crtc[object - CRTC_ID].is_on = true;
			mock.mode_sets++;
			break;
		case P_FB:
			n++;
			if (flags & DRM_MODE_ATOMIC_ALLOW_MODESET) {
				mock.crtc[object - PLANE_ID].fb = (uint32_t)value;
			} else {
				ret = begin_flip(object - PLANE_ID, (uint32_t)value, data);
			}
			break;
		default:
			break;
		}
	}
	mock.largest_commit = n > mock.largest_commit ? n : mock.largest_commit;
	return ret;
}
