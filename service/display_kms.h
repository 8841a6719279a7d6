/*
 * A thin layer over libdrm's mode setting, used by display_card.c. Its only state is that read from
 * the card. Private to the display. Display thread only.
 *
 * Errors are the kernel's negative errnos: -EACCES not master, -EBUSY a flip is pending
 * (or the CRTC is off), -EINVAL, -ENOSPC, -ERANGE refused, -ENODEV the card is gone.
 */
#ifndef SERVICE_DISPLAY_KMS_H
#define SERVICE_DISPLAY_KMS_H

#include <stdbool.h>
#include <stdint.h>

#include <drm_mode.h>

#include "service/display.h"

enum { KMS_CRTCS = 32, KMS_PLANE_PROPS = 13, KMS_CRTC_PROPS = 2 };

/* A connector, the CRTC that feeds it, and the plane that the CRTC shows. */
struct kms_pipe {
	char name[DISPLAY_NAME_BYTES];
	uint32_t connector, crtc, plane; /* object ids; plane 0: unknown, legacy calls only */
	unsigned crtc_index;
	struct drm_mode_modeinfo mode;
	enum display_format format;
	/* Property ids, 0 where there is none. */
	uint32_t connector_crtc_id;
	uint32_t crtc_props[KMS_CRTC_PROPS];
	uint32_t plane_props[KMS_PLANE_PROPS];
};

enum { KMS_NAMES_BYTES = 256 };

/* Requests for outputs. NULL or 0: none. */
struct kms_wish {
	/* comma-separated names in the order of the outputs; others stay dark */
	const char *connectors;
	uint32_t width, height; /* of the mode */
	uint32_t refresh_mhz;
	bool has_format;
	enum display_format format;
};

struct kms {
	int fd; /* borrowed */
	bool is_atomic;
	/* The state of the screens as found, to be restored. */
	void *saved[KMS_CRTCS];
	uint32_t saved_connector[KMS_CRTCS]; /* 0: none */
	unsigned n_saved;
	/* part of the last scan failed; a repetition may succeed */
	bool is_incomplete;
	/*
	 * From kms_scan(), comma-separated: present connectors, and requested ones that are missing
	 */
	char names[KMS_NAMES_BYTES], missing[KMS_NAMES_BYTES];
};

/* One pipe of a commit. */
struct kms_show {
	const struct kms_pipe *pipe;
	uint32_t framebuffer;
	uint64_t tag; /* comes back with the flip's event */
	const struct display_rect *damage;
	unsigned n_damage;
};

/* A flip of a CRTC is done, at time_ns (CLOCK_MONOTONIC). */
typedef void kms_flip_fn(void *owner, uint64_t tag, uint32_t crtc, uint64_t time_ns);

/* Returns 0 if the card can set modes and has dumb buffers; otherwise a negative errno. */
int kms_probe(int fd);
/*
 * Reads the present state of the screens. allow_atomic: false for legacy calls only. Returns 0 or a
 * negative errno.
 */
int kms_open(struct kms *kms, int fd, bool allow_atomic);
/* Restores the saved state of the screens, as far as possible, and frees it. */
void kms_close(struct kms *kms, bool restore);
/*
 * Probes the connectors (slow on real displays) and finds a pipe for each connected one, n at most.
 * Connectors of `old` keep their CRTCs. Returns the number of pipes, or a negative errno.
 */
int kms_scan(struct kms *kms, const struct kms_wish *wish, const struct kms_pipe *old,
		unsigned n_old, struct kms_pipe *out, unsigned n);
/* Returns the refresh rate in thousandths of a hertz, computed from the mode's timings. */
uint32_t kms_refresh_mhz(const struct drm_mode_modeinfo *mode);

int kms_add_framebuffer(struct kms *kms, uint32_t handle, uint32_t width, uint32_t height,
		uint32_t stride_bytes, enum display_format format, uint32_t *out);
void kms_remove_framebuffer(struct kms *kms, uint32_t framebuffer);

/*
 * Sets modes and shows; blocks until it is done. Atomic: all or none. Returns 0 or a negative
 * errno.
 */
int kms_set(struct kms *kms, const struct kms_show *shows, unsigned n);
/*
 * Shows framebuffers at the next vertical blank; each flip is reported by one event. Legacy: one
 * pipe per call. Returns 0 or a negative errno.
 */
int kms_flip(struct kms *kms, const struct kms_show *shows, unsigned n);
void kms_off(struct kms *kms, const struct kms_pipe *pipe);
/* Returns whether the driver reports vertical blanks. The pipe must show something. */
bool kms_has_vblank(struct kms *kms, const struct kms_pipe *pipe);
/* Reads the pending events. Returns 0 or a negative errno. */
int kms_read_events(struct kms *kms, kms_flip_fn *fn, void *owner);

int kms_set_master(struct kms *kms);

#endif
