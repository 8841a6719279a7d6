#include "mock_drm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "service/seat.h"
#include "service/uevent.h"

enum { CRTC_ID = 10, ENCODER_ID = 20, CONNECTOR_ID = 30, PLANE_ID = 40, PROP_ID = 100, FB_ID = 1000,
		BLOB_ID = 2000,
	CONSOLE_FB = 999, OBJECTS = 64, EVENTS = 16 };

/* Properties of all objects, in one row. */
enum prop {
	P_CONNECTOR_CRTC,
	P_ACTIVE,
	P_MODE,
	P_TYPE,
	P_FB,
	P_CRTC,
	P_SRC_X,
	P_SRC_Y,
	P_SRC_W,
	P_SRC_H,
	P_X,
	P_Y,
	P_W,
	P_H,
	P_DAMAGE,
	P_COUNT
};
static const char *const prop_names[P_COUNT] = { "CRTC_ID", "ACTIVE", "MODE_ID", "type", "FB_ID",
	"CRTC_ID", "SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y", "CRTC_W", "CRTC_H",
	"FB_DAMAGE_CLIPS" };

struct dumb {
	bool is_used;
	uint32_t width, height, bits, pitch;
	void *host;
};

struct framebuffer {
	bool is_used;
	uint32_t handle, width, height, format;
};

struct event {
	uint64_t data;
	uint32_t crtc;
};

static struct mock {
	bool has_atomic, has_vblank, has_planes, is_unbound, is_master_taken, swallows;
	unsigned formats;
	bool wants_atomic;
	drmModeModeInfo mode[MOCK_CONNECTORS]; /* hdisplay 0: unplugged */
	uint32_t crtc_of[MOCK_CONNECTORS];
	struct {
		uint32_t fb;
		bool is_on;
		drmModeModeInfo mode;
		bool is_flipping;
		uint32_t next_fb;
		uint64_t data;
	} crtc[MOCK_CRTCS];
	struct dumb dumb[OBJECTS];
	struct framebuffer fb[OBJECTS];
	bool blob[OBJECTS];
	char blob_bytes[OBJECTS][sizeof(drmModeModeInfo)];
	struct event events[EVENTS];
	unsigned n_events;
	unsigned calls, fail_at, fail_n;
	int fail_error;
	unsigned mode_sets, largest_commit, wrongs;
	int objects;  /* of libdrm */
	int files, maps;
	int card, uevents; /* eventfds, or -1 */
	bool is_ours, is_told_ours;
	seat_fn *seat_fn;
	void *seat_owner;
	char path[32];
} mock = { .card = -1, .uevents = -1 };

/* ---- The test's side ---- */

void mock_reset(void) {
	memset(&mock, 0, sizeof(mock));
	mock.card = mock.uevents = -1;
	mock.has_atomic = mock.has_vblank = mock.has_planes = mock.is_ours = true;
	mock.formats = 48;
	for (unsigned i = 0; i < MOCK_CRTCS; i++) {
		/* The text console. */
		mock.crtc[i].is_on = true;
		mock.crtc[i].fb = CONSOLE_FB;
		mock.crtc[i].mode.hdisplay = 640;
		mock.crtc[i].mode.vdisplay = 480;
		mock.crtc_of[i] = CRTC_ID + i;
	}
}

void mock_set_atomic(bool has) {
	mock.has_atomic = has;
}

void mock_set_vblank(bool has) {
	mock.has_vblank = has;
}

void mock_set_planes(bool has) {
	mock.has_planes = has;
}

void mock_set_formats(unsigned bits) {
	mock.formats = bits;
}

void mock_uevent(void) {
	uint64_t one = 1;
	if (mock.uevents >= 0 && write(mock.uevents, &one, sizeof(one)) < 0) {
		abort();
	}
}

void mock_plug(unsigned connector, unsigned width, unsigned height) {
	drmModeModeInfo *m = &mock.mode[connector];
	memset(m, 0, sizeof(*m));
	m->hdisplay = (uint16_t)width;
	m->vdisplay = (uint16_t)height;
	m->htotal = (uint16_t)(width + 100);
	m->vtotal = (uint16_t)(height + 20);
	m->vrefresh = 60;
	m->clock = m->htotal * m->vtotal * 60u / 1000;
	m->type = DRM_MODE_TYPE_PREFERRED;
	mock_uevent();
}

void mock_unplug(unsigned connector) {
	memset(&mock.mode[connector], 0, sizeof(mock.mode[connector]));
	mock_uevent();
}

void mock_unbind(void) {
	mock.is_unbound = true;
}

void mock_bind(void) {
	mock.is_unbound = false;
	mock_uevent();
}

const char *mock_path(void) {
	return mock.path;
}

void mock_switch(bool is_ours) {
	mock.is_ours = is_ours;
}

void mock_take_master(bool is_taken) {
	mock.is_master_taken = is_taken;
}

static void ring_card(void) {
	uint64_t one = 1;
	if (mock.card >= 0 && write(mock.card, &one, sizeof(one)) < 0) {
		abort();
	}
}

void mock_vblank(void) {
	for (unsigned i = 0; i < MOCK_CRTCS; i++) {
		if (mock.crtc[i].is_flipping && !mock.swallows) {
			mock.crtc[i].is_flipping = false;
			mock.crtc[i].fb = mock.crtc[i].next_fb;
			mock.events[mock.n_events++] =
					(struct event){ mock.crtc[i].data, CRTC_ID + i };
			ring_card();
		}
	}
}

void mock_swallow_flips(bool does) {
	mock.swallows = does;
}

unsigned mock_calls(void) {
	return mock.calls;
}

void mock_fail(unsigned number, unsigned n, int error) {
	mock.fail_at = number;
	mock.fail_n = n;
	mock.fail_error = error;
}

static struct framebuffer *find_fb(uint32_t id) {
	return id >= FB_ID && id < FB_ID + OBJECTS && mock.fb[id - FB_ID].is_used ?
			&mock.fb[id - FB_ID] :
			NULL;
}

int64_t mock_pixel(unsigned crtc) {
	const struct framebuffer *fb = mock.crtc[crtc].is_on ? find_fb(mock.crtc[crtc].fb) : NULL;
	if (!fb || !mock.dumb[fb->handle - 1].is_used) {
		return -1;
	}
	uint32_t word = 0;
	memcpy(&word, mock.dumb[fb->handle - 1].host, fb->format == DRM_FORMAT_RGB565 ? 2 : 4);
	return word;
}

unsigned mock_width(unsigned crtc) {
	return mock.crtc[crtc].is_on ? mock.crtc[crtc].mode.hdisplay : 0;
}

unsigned mock_mode_sets(void) {
	return mock.mode_sets;
}

unsigned mock_largest_commit(void) {
	return mock.largest_commit;
}

unsigned mock_left(void) {
	int left = mock.objects + mock.files + mock.maps + (mock.uevents >= 0);
	for (unsigned i = 0; i < OBJECTS; i++) {
		left += mock.dumb[i].is_used + mock.fb[i].is_used + mock.blob[i];
	}
	return (unsigned)left;
}

unsigned mock_wrongs(void) {
	return mock.wrongs;
}

/* ---- Failing ---- */

/* Every call that can fail for want of memory passes here. 0, or -1 with errno. */
static int enter_library(void) {
	mock.calls++;
	if (mock.fail_at && mock.calls >= mock.fail_at && mock.calls < mock.fail_at + mock.fail_n) {
		errno = mock.fail_error;
		return -1;
	}
	return 0;
}

/* ... and every call of the card here. */
static int enter(void) {
	if (mock.is_unbound) {
		errno = ENODEV;
		return -1;
	}
	return enter_library();
}

static void *make(size_t size_bytes) {
	mock.objects++;
	return calloc(1, size_bytes);
}

static void unmake(void *object) {
	if (object) {
		mock.objects--;
		free(object);
	}
}

/* ---- The seat and the uevents ---- */

struct seat {
	int unused;
};

int seat_open(struct seat **out, const char *name, seat_fn *fn, void *owner) {
	*out = make(sizeof(**out));
	mock.seat_fn = fn;
	mock.seat_owner = owner;
	mock.is_told_ours = mock.is_ours;
	return 0;
}

void seat_close(struct seat *seat) {
	unmake(seat);
}

bool seat_is_active(const struct seat *seat) {
	return mock.is_told_ours;
}

int seat_fd(const struct seat *seat) {
	return -1;
}

int seat_dispatch(struct seat *seat) {
	if (mock.is_told_ours != mock.is_ours) {
		mock.is_told_ours = mock.is_ours;
		mock.seat_fn(mock.seat_owner, mock.is_ours);
	}
	return 0;
}

int seat_open_device(struct seat *seat, const char *path, struct seat_device *out) {
	if (enter() < 0) {
		return -errno;
	}
	mock.files++;
	snprintf(mock.path, sizeof(mock.path), "%s", path);
	mock.card = out->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mock.n_events = 0;
	return 0;
}

void seat_close_device(struct seat *seat, struct seat_device *device) {
	mock.files--;
	mock.wrongs += mock.maps != 0; /* a mapping keeps the file alive */
	close(device->fd);
	device->fd = mock.card = -1;
}

int uevent_open(void) {
	mock.uevents = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return mock.uevents;
}

bool uevent_read(int fd) {
	uint64_t n;
	return read(fd, &n, sizeof(n)) == (ssize_t)sizeof(n);
}

/* close() of the uevents goes past us: the test says so. */
void mock_uevents_closed(void);
void mock_uevents_closed(void) {
	mock.uevents = -1;
}

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
	if (enter() < 0) {
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
	if (enter() < 0) {
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
	if (enter() < 0) {
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
	struct framebuffer *fb = find_fb(id);
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

/* ---- What there is ---- */

int drmGetCap(int fd, uint64_t capability, uint64_t *value) {
	*value = capability == DRM_CAP_DUMB_BUFFER;
	return enter();
}

int drmSetClientCap(int fd, uint64_t capability, uint64_t value) {
	if (enter() < 0) {
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
	return !mock.is_master_taken;
}

int drmSetMaster(int fd) {
	if (mock.is_master_taken) {
		errno = EBUSY;
		return -1;
	}
	return enter();
}

drmModeResPtr drmModeGetResources(int fd) {
	static uint32_t crtcs[MOCK_CRTCS], connectors[MOCK_CONNECTORS];
	if (enter() < 0) {
		return NULL;
	}
	drmModeRes *res = make(sizeof(*res));
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

void drmModeFreeResources(drmModeResPtr ptr) {
	unmake(ptr);
}

drmModeConnectorPtr drmModeGetConnector(int fd, uint32_t id) {
	static uint32_t encoders[MOCK_CONNECTORS];
	if (enter() < 0) {
		return NULL;
	}
	unsigned i = id - CONNECTOR_ID;
	drmModeConnector *c = make(sizeof(*c));
	bool is_plugged = mock.mode[i].hdisplay != 0;
	encoders[i] = ENCODER_ID + i;
	c->connector_id = id;
	c->connector_type = DRM_MODE_CONNECTOR_VIRTUAL;
	c->connector_type_id = i + 1;
	c->connection = is_plugged ? DRM_MODE_CONNECTED : DRM_MODE_DISCONNECTED;
	c->count_modes = is_plugged;
	c->modes = &mock.mode[i];
	c->count_encoders = 1;
	c->encoders = &encoders[i];
	c->encoder_id = i < MOCK_CRTCS ? ENCODER_ID + i : 0;
	return c;
}

drmModeConnectorPtr drmModeGetConnectorCurrent(int fd, uint32_t id) {
	return drmModeGetConnector(fd, id);
}

void drmModeFreeConnector(drmModeConnectorPtr ptr) {
	unmake(ptr);
}

const char *drmModeGetConnectorTypeName(uint32_t type) {
	return "Virtual";
}

drmModeEncoderPtr drmModeGetEncoder(int fd, uint32_t id) {
	if (enter() < 0) {
		return NULL;
	}
	drmModeEncoder *e = make(sizeof(*e));
	e->encoder_id = id;
	e->crtc_id = mock.crtc_of[id - ENCODER_ID];
	e->possible_crtcs = (1u << MOCK_CRTCS) - 1;
	return e;
}

void drmModeFreeEncoder(drmModeEncoderPtr ptr) {
	unmake(ptr);
}

drmModeCrtcPtr drmModeGetCrtc(int fd, uint32_t id) {
	if (enter() < 0) {
		return NULL;
	}
	unsigned i = id - CRTC_ID;
	drmModeCrtc *c = make(sizeof(*c));
	c->crtc_id = id;
	c->buffer_id = mock.crtc[i].fb;
	c->mode = mock.crtc[i].mode;
	c->mode_valid = mock.crtc[i].is_on;
	return c;
}

void drmModeFreeCrtc(drmModeCrtcPtr ptr) {
	unmake(ptr);
}

drmModePlaneResPtr drmModeGetPlaneResources(int fd) {
	static uint32_t planes[MOCK_CRTCS];
	if (enter() < 0) {
		return NULL;
	}
	drmModePlaneRes *res = make(sizeof(*res));
	for (unsigned i = 0; i < MOCK_CRTCS; i++) {
		planes[i] = PLANE_ID + i;
	}
	res->count_planes = mock.has_planes ? MOCK_CRTCS : 0;
	res->planes = planes;
	return res;
}

void drmModeFreePlaneResources(drmModePlaneResPtr ptr) {
	unmake(ptr);
}

drmModePlanePtr drmModeGetPlane(int fd, uint32_t id) {
	static uint32_t formats[2];
	if (enter() < 0) {
		return NULL;
	}
	drmModePlane *p = make(sizeof(*p));
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

void drmModeFreePlane(drmModePlanePtr ptr) {
	unmake(ptr);
}

drmModeObjectPropertiesPtr drmModeObjectGetProperties(int fd, uint32_t id, uint32_t type) {
	static uint32_t ids[P_COUNT];
	static uint64_t values[P_COUNT];
	if (enter() < 0) {
		return NULL;
	}
	unsigned from = type == DRM_MODE_OBJECT_CONNECTOR ? P_CONNECTOR_CRTC :
			type == DRM_MODE_OBJECT_CRTC ? P_ACTIVE : P_TYPE;
	unsigned to = type == DRM_MODE_OBJECT_CONNECTOR ? P_ACTIVE :
			type == DRM_MODE_OBJECT_CRTC ? P_TYPE :
			P_COUNT;
	drmModeObjectProperties *all = make(sizeof(*all));
	for (unsigned i = from; i < to; i++) {
		ids[all->count_props] = PROP_ID + i;
		values[all->count_props++] = i == P_TYPE ? DRM_PLANE_TYPE_PRIMARY : 0;
	}
	all->props = ids;
	all->prop_values = values;
	return all;
}

void drmModeFreeObjectProperties(drmModeObjectPropertiesPtr ptr) {
	unmake(ptr);
}

drmModePropertyPtr drmModeGetProperty(int fd, uint32_t id) {
	if (enter() < 0) {
		return NULL;
	}
	drmModePropertyRes *p = make(sizeof(*p));
	p->prop_id = id;
	strcpy(p->name, prop_names[id - PROP_ID]);
	return p;
}

void drmModeFreeProperty(drmModePropertyPtr ptr) {
	unmake(ptr);
}

/* ---- Changing it ---- */

static int may_change(void) {
	if (enter() < 0) {
		return -errno;
	}
	return mock.is_master_taken || !mock.is_ours ? -EACCES : 0;
}

int drmModeSetCrtc(int fd, uint32_t id, uint32_t fb, uint32_t x, uint32_t y, uint32_t *connectors,
		int n, drmModeModeInfoPtr mode) {
	unsigned i = id - CRTC_ID;
	int ret = may_change();
	if (ret < 0) {
		return ret;
	}
	if (fb && fb != CONSOLE_FB && !find_fb(fb)) {
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
	if (!find_fb(fb)) {
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
	return enter_library() < 0 ? NULL : make(sizeof(drmModeAtomicReq));
}

void drmModeAtomicFree(drmModeAtomicReqPtr req) {
	unmake(req);
}

int drmModeAtomicAddProperty(
		drmModeAtomicReqPtr req, uint32_t object, uint32_t prop, uint64_t value) {
	if (enter_library() < 0) {
		return -errno;
	}
	req->item[req->n].object = object;
	req->item[req->n].prop = (enum prop)(prop - PROP_ID);
	req->item[req->n].value = value;
	return (int)++req->n;
}

int drmModeCreatePropertyBlob(int fd, const void *data, size_t size, uint32_t *id) {
	if (enter() < 0) {
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

int drmWaitVBlank(int fd, drmVBlankPtr blank) {
	if (enter() < 0) {
		return -1;
	}
	errno = EOPNOTSUPP;
	return mock.has_vblank ? 0 : -1;
}

int drmHandleEvent(int fd, drmEventContextPtr context) {
	uint64_t n;
	struct timespec t;
	if (mock.is_unbound) {
		/* as the kernel: a card that is gone has no events, and no error either */
		return 0;
	}
	if (read(fd, &n, sizeof(n)) < 0) {
		return -1;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	unsigned n_events = mock.n_events;
	mock.n_events = 0;
	for (unsigned i = 0; i < n_events; i++) {
		context->page_flip_handler2(fd, 0, (unsigned)t.tv_sec, (unsigned)(t.tv_nsec / 1000),
				mock.events[i].crtc, (void *)(uintptr_t)mock.events[i].data);
	}
	return 0;
}
