#include "service/display_kms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "service/display_dumb.h"

/* Order of kms_pipe.plane_props and .crtc_props. */
enum {
	PLANE_FB,
	PLANE_CRTC,
	PLANE_SRC_X,
	PLANE_SRC_Y,
	PLANE_SRC_W,
	PLANE_SRC_H,
	PLANE_X,
	PLANE_Y,
	PLANE_W,
	PLANE_H,
	PLANE_ROTATION,
	PLANE_DAMAGE,
	PLANE_TYPE
};
enum { CRTC_ACTIVE, CRTC_MODE };

static const char *const plane_names[KMS_PLANE_PROPS] = { "FB_ID", "CRTC_ID", "SRC_X", "SRC_Y",
	"SRC_W", "SRC_H", "CRTC_X", "CRTC_Y", "CRTC_W", "CRTC_H", "rotation", "FB_DAMAGE_CLIPS",
	"type" };
static const char *const crtc_names[KMS_CRTC_PROPS] = { "ACTIVE", "MODE_ID" };
static const char *const connector_names[1] = { "CRTC_ID" };

_Static_assert(sizeof(drmModeModeInfo) == sizeof(struct drm_mode_modeinfo),
		"libdrm's mode is the kernel's");

static int error_of(int ret) {
	return ret < 0 ? ret : errno ? -errno : -EIO;
}

/* ---- Properties ---- */

/* Finds ids (and values, if requested) of an object's properties by name; 0: missing. */
static void find_props(int fd, uint32_t object, uint32_t type, const char *const *names, unsigned n,
		uint32_t *ids, uint64_t *values) {
	memset(ids, 0, n * sizeof(*ids));
	drmModeObjectProperties *all = drmModeObjectGetProperties(fd, object, type);
	for (uint32_t i = 0; all && i < all->count_props; i++) {
		drmModePropertyRes *prop = drmModeGetProperty(fd, all->props[i]);
		for (unsigned k = 0; prop && k < n; k++) {
			if (strcmp(prop->name, names[k]) == 0) {
				ids[k] = prop->prop_id;
				if (values) {
					values[k] = all->prop_values[i];
				}
			}
		}
		drmModeFreeProperty(prop);
	}
	drmModeFreeObjectProperties(all);
}

/* ---- Opening, and giving back ---- */

int kms_probe(int fd) {
	drmModeRes *res = drmModeGetResources(fd);
	if (!res) {
		return -errno;
	}
	int ret = res->count_crtcs && res->count_connectors ? dumb_probe(fd) : -ENODEV;
	drmModeFreeResources(res);
	return ret;
}

static uint32_t connector_of_crtc(int fd, const drmModeRes *res, uint32_t crtc) {
	uint32_t found = 0;
	for (int i = 0; i < res->count_connectors && !found; i++) {
		drmModeConnector *c = drmModeGetConnectorCurrent(fd, res->connectors[i]);
		drmModeEncoder *e =
				c && c->encoder_id ? drmModeGetEncoder(fd, c->encoder_id) : NULL;
		if (e && e->crtc_id == crtc) {
			found = c->connector_id;
		}
		drmModeFreeEncoder(e);
		drmModeFreeConnector(c);
	}
	return found;
}

int kms_open(struct kms *kms, int fd, bool allow_atomic) {
	memset(kms, 0, sizeof(*kms));
	kms->fd = fd;
	drmModeRes *res = drmModeGetResources(fd);
	if (!res) {
		return error_of(-errno);
	}
	bool has_planes = drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) == 0;
	kms->is_atomic = allow_atomic && has_planes &&
			drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1) == 0;
	for (int i = 0; i < res->count_crtcs && kms->n_saved < KMS_CRTCS; i++) {
		drmModeCrtc *crtc = drmModeGetCrtc(fd, res->crtcs[i]);
		if (crtc) {
			kms->saved_connector[kms->n_saved] =
					connector_of_crtc(fd, res, crtc->crtc_id);
			kms->saved[kms->n_saved++] = crtc;
		}
	}
	drmModeFreeResources(res);
	return 0;
}

void kms_close(struct kms *kms, bool restore) {
	for (unsigned i = 0; i < kms->n_saved; i++) {
		drmModeCrtc *crtc = kms->saved[i];
		bool was_on = crtc->mode_valid && crtc->buffer_id && kms->saved_connector[i];
		/*
		 * If nothing was shown, or its framebuffer is gone, the kernel's console takes
		 * over.
		 */
		if (restore && was_on) {
			drmModeSetCrtc(kms->fd, crtc->crtc_id, crtc->buffer_id, crtc->x, crtc->y,
					&kms->saved_connector[i], 1, &crtc->mode);
		}
		drmModeFreeCrtc(crtc);
	}
	kms->n_saved = 0;
}

int kms_set_master(struct kms *kms) {
	return drmIsMaster(kms->fd) || drmSetMaster(kms->fd) == 0 ? 0 : -errno;
}

/* ---- Finding outputs ---- */

uint32_t kms_refresh_mhz(const struct drm_mode_modeinfo *mode) {
	uint64_t total = (uint64_t)mode->htotal * mode->vtotal;
	uint64_t mhz = total ? ((uint64_t)mode->clock * 1000000 + total / 2) / total : 0;
	if (mode->flags & DRM_MODE_FLAG_INTERLACE) {
		mhz *= 2;
	}
	if (mode->flags & DRM_MODE_FLAG_DBLSCAN) {
		mhz /= 2;
	}
	if (mode->vscan > 1) {
		mhz /= mode->vscan;
	}
	if (mhz == 0 || mhz > 1000000) {
		mhz = (uint64_t)mode->vrefresh * 1000;
	}
	return mhz > 0 && mhz <= 1000000 ? (uint32_t)mhz : 60000;
}

/*
 * Returns the requested size with the nearest rate; else the preferred mode; else the largest up to
 * full HD, since forced outputs list huge modes first; else the first.
 */
static const drmModeModeInfo *choose_mode(const drmModeConnector *c, const struct kms_wish *wish) {
	const drmModeModeInfo *best = NULL, *preferred = NULL;
	uint64_t best_rank = 0;
	for (int i = 0; i < c->count_modes; i++) {
		const drmModeModeInfo *m = &c->modes[i];
		if (m->hdisplay > DISPLAY_MAX_PX || m->vdisplay > DISPLAY_MAX_PX || !m->hdisplay ||
				!m->vdisplay) {
			continue;
		}
		if (!preferred && (m->type & DRM_MODE_TYPE_PREFERRED)) {
			preferred = m;
		}
		struct drm_mode_modeinfo mode;
		memcpy(&mode, m, sizeof(mode));
		uint32_t mhz = kms_refresh_mhz(&mode),
			 wanted = wish->refresh_mhz ? wish->refresh_mhz : 60000;
		uint32_t off = mhz > wanted ? mhz - wanted : wanted - mhz;
		bool is_wished = wish->width && m->hdisplay == wish->width &&
				m->vdisplay == wish->height;
		bool is_handy = m->hdisplay <= 1920 && m->vdisplay <= 1080;
		uint64_t pixels = is_wished || is_handy ? (uint64_t)m->hdisplay * m->vdisplay : 1;
		uint64_t rank = ((uint64_t)is_wished << 62) + (pixels << 24) +
				(0xFFFFFF - (off & 0xFFFFFF));
		if (!best || rank > best_rank) {
			best = m;
			best_rank = rank;
		}
	}
	bool has_wished = best && wish->width && best->hdisplay == wish->width &&
			best->vdisplay == wish->height;
	return preferred && !has_wished ? preferred : best;
}

/* Returns the index of the name in a comma-separated list, or -1. */
static int place_in_list(const char *list, const char *name) {
	size_t n = strlen(name);
	int place = 0;
	for (const char *p = list; *p; place++) {
		size_t len = strcspn(p, ",");
		if (len == n && strncmp(p, name, n) == 0) {
			return place;
		}
		p += len + (p[len] == ',');
	}
	return -1;
}

/* Leaves the list unchanged if it would become too long. */
static void add_to_list(char list[KMS_NAMES_BYTES], const char *name, size_t len) {
	const size_t n = strlen(list);
	if (n + 1 + len < KMS_NAMES_BYTES) {
		snprintf(list + n, KMS_NAMES_BYTES - n, "%s%.*s", n ? "," : "", (int)len, name);
	}
}

static void find_missing(struct kms *kms, const char *wished) {
	kms->missing[0] = 0;
	for (const char *p = wished; p && *p;) {
		char name[DISPLAY_NAME_BYTES];
		const size_t len = strcspn(p, ",");
		snprintf(name, sizeof(name), "%.*s", len < sizeof(name) ? (int)len : 0, p);
		if (len && place_in_list(kms->names, name) < 0) {
			add_to_list(kms->missing, p, len);
		}
		p += len + (p[len] == ',');
	}
}

static void name_connector(const drmModeConnector *c, char out[DISPLAY_NAME_BYTES]) {
	const char *type = drmModeGetConnectorTypeName(c->connector_type);
	snprintf(out, DISPLAY_NAME_BYTES, "%s-%u", type ? type : "Unknown",
			(unsigned)c->connector_type_id);
}

/* Bit i: CRTC i can feed the connector. */
static uint32_t possible_crtcs(struct kms *kms, const drmModeConnector *c) {
	uint32_t mask = 0;
	for (int i = 0; i < c->count_encoders; i++) {
		drmModeEncoder *e = drmModeGetEncoder(kms->fd, c->encoders[i]);
		kms->is_incomplete |= !e;
		mask |= e ? e->possible_crtcs : 0;
		drmModeFreeEncoder(e);
	}
	return mask;
}

static bool plane_has(const drmModePlane *plane, uint32_t format) {
	for (uint32_t i = 0; i < plane->count_formats; i++) {
		if (plane->formats[i] == format) {
			return true;
		}
	}
	return false;
}

/*
 * The format comes from the plane's list, not from errors: some drivers accept it and refuse the
 * commit.
 */
static enum display_format choose_format(const drmModePlane *plane, const struct kms_wish *wish) {
	if (wish->has_format && plane_has(plane,
			wish->format == DISPLAY_RGB565 ? DRM_FORMAT_RGB565 : DRM_FORMAT_XRGB8888)) {
		return wish->format;
	}
	return !plane_has(plane, DRM_FORMAT_XRGB8888) && plane_has(plane, DRM_FORMAT_RGB565) ?
			DISPLAY_RGB565 :
			DISPLAY_XRGB8888;
}

/*
 * The primary plane of the CRTC, its properties and the pixel format. Without planes: the legacy
 * calls.
 */
static void find_plane(struct kms *kms, struct kms_pipe *p, const struct kms_wish *wish) {
	p->plane = 0;
	p->format = wish->has_format ? wish->format : DISPLAY_XRGB8888;
	drmModePlaneRes *planes = drmModeGetPlaneResources(kms->fd);
	for (uint32_t i = 0; planes && i < planes->count_planes && !p->plane; i++) {
		drmModePlane *plane = drmModeGetPlane(kms->fd, planes->planes[i]);
		uint64_t values[KMS_PLANE_PROPS] = { 0 };
		if (plane && (plane->possible_crtcs >> p->crtc_index & 1)) {
			find_props(kms->fd, plane->plane_id, DRM_MODE_OBJECT_PLANE, plane_names,
					KMS_PLANE_PROPS, p->plane_props, values);
			if (p->plane_props[PLANE_TYPE] &&
					values[PLANE_TYPE] == DRM_PLANE_TYPE_PRIMARY) {
				p->plane = plane->plane_id;
				p->format = choose_format(plane, wish);
			}
		}
		drmModeFreePlane(plane);
	}
	drmModeFreePlaneResources(planes);
}

/* Chooses a CRTC that no other pipe has: the old one if possible, else the first that fits. */
static int choose_crtc(const drmModeRes *res, uint32_t possible, uint32_t used, uint32_t old) {
	int first = -1;
	for (int i = 0; i < res->count_crtcs && i < 32; i++) {
		if ((possible & ~used) >> i & 1) {
			if (res->crtcs[i] == old) {
				return i;
			}
			first = first < 0 ? i : first;
		}
	}
	return first;
}

struct candidate {
	drmModeConnector *connector;
	int place;
	char name[DISPLAY_NAME_BYTES];
};

static int compare_candidates(const void *a, const void *b) {
	const struct candidate *x = a, *y = b;
	return x->place != y->place ? (x->place > y->place) - (x->place < y->place) : 0;
}

/* Finds requested connectors that are connected and have modes, in order. */
static unsigned find_candidates(struct kms *kms, const drmModeRes *res, const struct kms_wish *wish,
		struct candidate *out, unsigned n_max) {
	unsigned n = 0;
	for (int i = 0; i < res->count_connectors && n < n_max; i++) {
		drmModeConnector *c = drmModeGetConnector(kms->fd, res->connectors[i]);
		struct candidate *k = &out[n];
		if (!c) {
			kms->is_incomplete = true;
			continue;
		}
		name_connector(c, k->name);
		if (c->connector_type != DRM_MODE_CONNECTOR_WRITEBACK) {
			add_to_list(kms->names, k->name, strlen(k->name));
		}
		k->place = wish->connectors && *wish->connectors ?
				place_in_list(wish->connectors, k->name) :
				i;
		/* A writeback connector has no display. */
		if (c->connection != DRM_MODE_CONNECTED || c->count_modes == 0 || k->place < 0 ||
				c->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
			drmModeFreeConnector(c);
			continue;
		}
		k->connector = c;
		n++;
	}
	qsort(out, n, sizeof(*out), compare_candidates);
	return n;
}

static uint32_t old_crtc(const struct kms_pipe *old, unsigned n_old, uint32_t connector) {
	for (unsigned i = 0; i < n_old; i++) {
		if (old[i].connector == connector) {
			return old[i].crtc;
		}
	}
	return 0;
}

int kms_scan(struct kms *kms, const struct kms_wish *wish, const struct kms_pipe *old,
		unsigned n_old, struct kms_pipe *out, unsigned n) {
	struct candidate candidates[DISPLAY_OUTPUTS];
	uint32_t used = 0;
	unsigned n_out = 0;
	kms->is_incomplete = false;
	kms->names[0] = 0;
	drmModeRes *res = drmModeGetResources(kms->fd);
	if (!res) {
		return error_of(-errno);
	}
	unsigned n_candidates = find_candidates(kms, res, wish, candidates, DISPLAY_OUTPUTS);
	find_missing(kms, wish->connectors);
	for (unsigned i = 0; i < n_candidates; i++) {
		drmModeConnector *c = candidates[i].connector;
		const drmModeModeInfo *mode = choose_mode(c, wish);
		int crtc = choose_crtc(res, possible_crtcs(kms, c), used,
				old_crtc(old, n_old, c->connector_id));
		if (mode && crtc >= 0 && n_out < n) {
			struct kms_pipe *p = &out[n_out++];
			memset(p, 0, sizeof(*p));
			memcpy(p->name, candidates[i].name, sizeof(p->name));
			memcpy(&p->mode, mode, sizeof(p->mode));
			p->connector = c->connector_id;
			p->crtc = res->crtcs[crtc];
			p->crtc_index = (unsigned)crtc;
			used |= 1u << crtc;
			find_plane(kms, p, wish);
			find_props(kms->fd, p->connector, DRM_MODE_OBJECT_CONNECTOR,
					connector_names, 1, &p->connector_crtc_id, NULL);
			find_props(kms->fd, p->crtc, DRM_MODE_OBJECT_CRTC, crtc_names,
					KMS_CRTC_PROPS, p->crtc_props, NULL);
		}
		drmModeFreeConnector(c);
	}
	drmModeFreeResources(res);
	return (int)n_out;
}

/* ---- Framebuffers ---- */

int kms_add_framebuffer(struct kms *kms, uint32_t handle, uint32_t width, uint32_t height,
		uint32_t stride_bytes, enum display_format format, uint32_t *out) {
	uint32_t handles[4] = { handle }, strides[4] = { stride_bytes }, offsets[4] = { 0 };
	uint32_t fourcc = format == DISPLAY_RGB565 ? DRM_FORMAT_RGB565 : DRM_FORMAT_XRGB8888;
	int ret = drmModeAddFB2(kms->fd, width, height, fourcc, handles, strides, offsets, out, 0);
	return ret == 0 ? 0 : error_of(ret);
}

void kms_remove_framebuffer(struct kms *kms, uint32_t framebuffer) {
	drmModeRmFB(kms->fd, framebuffer);
}

/* ---- Showing ---- */

static bool can_be_atomic(const struct kms *kms, const struct kms_show *shows, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		const struct kms_pipe *p = shows[i].pipe;
		if (!p->plane || !p->connector_crtc_id || !p->crtc_props[CRTC_ACTIVE] ||
				!p->crtc_props[CRTC_MODE]) {
			return false;
		}
		for (unsigned k = PLANE_FB; k <= PLANE_H; k++) {
			if (!p->plane_props[k]) {
				return false;
			}
		}
	}
	return kms->is_atomic;
}

static int add_plane(drmModeAtomicReq *req, const struct kms_show *s) {
	const struct kms_pipe *p = s->pipe;
	uint64_t w = p->mode.hdisplay, h = p->mode.vdisplay;
	const uint64_t values[PLANE_H + 1] = { s->framebuffer, p->crtc, 0, 0, w << 16, h << 16, 0,
		0, w, h };
	int ret = 0;
	for (unsigned k = PLANE_FB; k <= PLANE_H && ret >= 0; k++) {
		ret = drmModeAtomicAddProperty(req, p->plane, p->plane_props[k], values[k]);
	}
	if (ret >= 0 && p->plane_props[PLANE_ROTATION]) {
		/*
		 * Pictures are rotated in software, the same on every card; an earlier program may
		 * have rotated the plane.
		 */
		ret = drmModeAtomicAddProperty(req, p->plane, p->plane_props[PLANE_ROTATION],
				DRM_MODE_ROTATE_0);
	}
	return ret < 0 ? ret : 0;
}

/* Blobs that a request names are kept until it is done. */
struct blobs {
	uint32_t id[2 * DISPLAY_OUTPUTS];
	unsigned n;
};

static int add_blob(struct kms *kms, struct blobs *blobs, const void *data, size_t size_bytes,
		uint32_t *id) {
	if (drmModeCreatePropertyBlob(kms->fd, data, size_bytes, id) < 0) {
		return error_of(-errno);
	}
	blobs->id[blobs->n++] = *id;
	return 0;
}

static int add_mode(struct kms *kms, drmModeAtomicReq *req, const struct kms_pipe *p,
		struct blobs *blobs) {
	uint32_t blob;
	int ret = add_blob(kms, blobs, &p->mode, sizeof(p->mode), &blob);
	if (ret < 0) {
		return ret;
	}
	ret = drmModeAtomicAddProperty(req, p->connector, p->connector_crtc_id, p->crtc);
	ret = ret < 0 ? ret :
			drmModeAtomicAddProperty(req, p->crtc, p->crtc_props[CRTC_MODE], blob);
	ret = ret < 0 ? ret : drmModeAtomicAddProperty(req, p->crtc, p->crtc_props[CRTC_ACTIVE], 1);
	return ret < 0 ? ret : 0;
}

static int add_damage(struct kms *kms, drmModeAtomicReq *req, const struct kms_show *s,
		struct blobs *blobs) {
	struct drm_mode_rect rects[DISPLAY_DAMAGE];
	uint32_t blob;
	for (unsigned i = 0; i < s->n_damage; i++) {
		const struct display_rect *r = &s->damage[i];
		rects[i] = (struct drm_mode_rect){ .x1 = (int32_t)r->x, .y1 = (int32_t)r->y,
			.x2 = (int32_t)(r->x + r->width), .y2 = (int32_t)(r->y + r->height) };
	}
	int ret = add_blob(kms, blobs, rects, s->n_damage * sizeof(rects[0]), &blob);
	ret = ret < 0 ? ret :
			drmModeAtomicAddProperty(req, s->pipe->plane,
					s->pipe->plane_props[PLANE_DAMAGE], blob);
	return ret < 0 ? ret : 0;
}

/* libdrm passes one pointer through to the event, so each request has one tag: its first. */
static int commit(struct kms *kms, const struct kms_show *shows, unsigned n, bool is_mode_set) {
	struct blobs blobs = { .n = 0 };
	drmModeAtomicReq *req = drmModeAtomicAlloc();
	int ret = req ? 0 : -ENOMEM;
	for (unsigned i = 0; i < n && ret == 0; i++) {
		ret = is_mode_set ? add_mode(kms, req, shows[i].pipe, &blobs) : 0;
		ret = ret < 0 ? ret : add_plane(req, &shows[i]);
		if (ret == 0 && !is_mode_set && shows[i].n_damage &&
				shows[i].pipe->plane_props[PLANE_DAMAGE]) {
			ret = add_damage(kms, req, &shows[i], &blobs);
		}
	}
	if (ret == 0) {
		uint32_t flags = is_mode_set ? DRM_MODE_ATOMIC_ALLOW_MODESET
				: DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT;
		ret = drmModeAtomicCommit(kms->fd, req, flags, (void *)(uintptr_t)shows[0].tag);
		ret = ret < 0 ? error_of(ret) : 0;
	}
	drmModeAtomicFree(req);
	for (unsigned i = 0; i < blobs.n; i++) {
		drmModeDestroyPropertyBlob(kms->fd, blobs.id[i]);
	}
	return ret;
}

int kms_set(struct kms *kms, const struct kms_show *shows, unsigned n) {
	if (can_be_atomic(kms, shows, n)) {
		int ret = commit(kms, shows, n, true);
		if (ret != -EINVAL) {
			return ret;
		}
		/*
		 * Some drivers refuse one request for a change that they accept as several old
		 * ones.
		 */
	}
	for (unsigned i = 0; i < n; i++) {
		const struct kms_pipe *p = shows[i].pipe;
		uint32_t connector = p->connector;
		drmModeModeInfo mode;
		memcpy(&mode, &p->mode, sizeof(mode));
		int ret = drmModeSetCrtc(
				kms->fd, p->crtc, shows[i].framebuffer, 0, 0, &connector, 1, &mode);
		if (ret < 0) {
			return error_of(ret);
		}
	}
	return 0;
}

int kms_flip(struct kms *kms, const struct kms_show *shows, unsigned n) {
	if (can_be_atomic(kms, shows, n)) {
		return commit(kms, shows, n, false);
	}
	if (n != 1) {
		return -EINVAL;
	}
	int ret = drmModePageFlip(kms->fd, shows->pipe->crtc, shows->framebuffer,
			DRM_MODE_PAGE_FLIP_EVENT, (void *)(uintptr_t)shows->tag);
	return ret == 0 ? 0 : error_of(ret);
}

void kms_off(struct kms *kms, const struct kms_pipe *pipe) {
	drmModeSetCrtc(kms->fd, pipe->crtc, 0, 0, 0, NULL, 0, NULL);
}

bool kms_has_vblank(struct kms *kms, const struct kms_pipe *pipe) {
	drmVBlank blank;
	memset(&blank, 0, sizeof(blank));
	uint32_t type = DRM_VBLANK_RELATIVE |
			(pipe->crtc_index << DRM_VBLANK_HIGH_CRTC_SHIFT &
					DRM_VBLANK_HIGH_CRTC_MASK);
	blank.request.type = (drmVBlankSeqType)type;
	return drmWaitVBlank(kms->fd, &blank) == 0;
}

/* ---- Events ---- */

struct reading {
	kms_flip_fn *fn;
	void *owner;
};

/* The caller's arguments, since libdrm's handlers have no parameter for them. */
static _Thread_local struct reading reading;

static void on_flip(
		int fd, unsigned sequence, unsigned sec, unsigned usec, unsigned crtc, void *data) {
	reading.fn(reading.owner, (uint64_t)(uintptr_t)data, crtc,
			(uint64_t)sec * 1000000000u + (uint64_t)usec * 1000);
}

int kms_read_events(struct kms *kms, kms_flip_fn *fn, void *owner) {
	drmEventContext context = { .version = 3, .page_flip_handler2 = on_flip };
	reading = (struct reading){ fn, owner };
	errno = 0;
	int ret = drmHandleEvent(kms->fd, &context);
	return ret == 0 || errno == EAGAIN || errno == EINTR ? 0 : error_of(-errno);
}
