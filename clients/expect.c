#include "expect.h"

#include <errno.h>
#include <string.h>

#include "pictures/picture.h"

/* -ENODATA: the screen was never set. */
static int take(struct gpu gpu, struct pica_expected *e, uint32_t screen, uint32_t eye) {
	struct picture p = { 0 };
	*e = (struct pica_expected){ .screen = screen, .eye = eye };
	int ret = screen == PICA_CAPTURE_PICTURE ? gpu_read_picture(&p, gpu) :
			gpu_read_screen(&p, gpu, (enum pica_screen_id)screen, (enum pica_eye)eye);
	ret = ret == -ERANGE ? -ENODATA : ret;
	if (ret == 0) {
		e->width = p.width;
		e->height = p.height;
		pica_picture_hash(p.rgb, p.width, p.height, 3 * (size_t)p.width, e->hash);
	}
	picture_finish(&p);
	return ret;
}

int expect_from_screens(struct gpu gpu, struct pica_expected out[EXPECT_MAX]) {
	static const struct {
		uint32_t screen, eye;
	} all[EXPECT_MAX] = {
		{ PICA_SCREEN_TOP, PICA_EYE_LEFT },
		{ PICA_SCREEN_TOP, PICA_EYE_RIGHT },
		{ PICA_SCREEN_BOTTOM, PICA_EYE_LEFT },
	};
	int n = 0, picture = take(gpu, &out[0], PICA_CAPTURE_PICTURE, 0);
	if (picture != -EOPNOTSUPP) {
		return picture == -ENODATA ? 0 : picture < 0 ? picture : 1;
	}
	for (unsigned i = 0; i < EXPECT_MAX; i++) {
		struct pica_screen info;
		int ret = gpu.impl->screen(gpu, (enum pica_screen_id)all[i].screen, &info);
		if (ret < 0) {
			return ret;
		}
		if (!info.is_set || (all[i].eye == PICA_EYE_RIGHT && !info.has_right)) {
			continue;
		}
		ret = take(gpu, &out[n], all[i].screen, all[i].eye);
		if (ret < 0) {
			return ret;
		}
		n++;
	}
	return n;
}

int expect_compare(struct gpu gpu, const struct pica_capture *capture, uint32_t frame, uint32_t *n,
		struct pica_expected *want, struct pica_expected *have) {
	const struct pica_expected *e = pica_capture_expected(capture, frame, n);
	for (uint32_t i = 0; i < *n; i++) {
		int ret = take(gpu, have, e[i].screen, e[i].eye);
		if (ret < 0 && ret != -ENODATA) {
			return ret;
		}
		if (have->width != e[i].width || have->height != e[i].height ||
				memcmp(have->hash, e[i].hash, sizeof(have->hash)) != 0) {
			*want = e[i];
			return 1;
		}
	}
	return 0;
}

const char *expect_none(const struct pica_capture *capture) {
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	if (info.form != PICA_CAPTURE_PICA) {
		return "a CiTrace file expects no pictures: pica convert makes a .pica that does";
	}
	if (info.frames == 0) {
		return "it expects no pictures, for no frame ends in it: nothing to compare with";
	}
	for (uint32_t frame = 0; frame < info.frames; frame++) {
		uint32_t n;
		pica_capture_expected(capture, frame, &n);
		if (n) {
			return "it expects no pictures of these frames: nothing to compare with";
		}
	}
	return "it expects no pictures, for no screen was set when it was made: nothing to compare with; "
	       "pica batch --golden compares the last colour buffer";
}

const char *expect_screen_name(const struct pica_expected *e) {
	if (e->screen == PICA_CAPTURE_PICTURE) {
		return "picture";
	}
	if (e->screen == PICA_SCREEN_BOTTOM) {
		return "bottom";
	}
	return e->eye == PICA_EYE_RIGHT ? "top-right" : "top";
}
