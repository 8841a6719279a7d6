/* The picture of a context: the target of its last rendering mode. [fidelity: vc4-picture] */
#include <errno.h>
#include <string.h>

#include "vc4/front/front.h"
#include "vc4/tex/layout.h"

int vc4_picture(const struct vc4_ctx *ctx, struct pica_picture *out) {
	const struct vc4_rendering *t = &ctx->unit.target;
	if (!t->exists) {
		return -ENODATA;
	}
	*out = (struct pica_picture){ .addr = t->address,
		.width = t->width,
		.height = t->height,
		.format = t->format,
		.layout = t->layout };
	return 0;
}

static struct vc4_image image_of(const struct pica_picture *picture) {
	return (struct vc4_image){ .layout = (uint8_t)picture->layout,
		.px_bytes = picture->format == VC4_FORMAT_RGBA8888 ? 4 : 2,
		.width = (uint16_t)picture->width,
		.height = (uint16_t)picture->height };
}

static const uint8_t *find(const struct space *space, const struct pica_picture *picture) {
	const struct vc4_image image = image_of(picture);
	const bool fits = picture->width <= VC4_IMAGE_MAX && picture->height <= VC4_IMAGE_MAX;
	return fits ? space_host(space, picture->addr, vc4_image_bytes(&image)) : NULL;
}

bool vc4_picture_is_there(const struct space *space, const struct pica_picture *picture) {
	return find(space, picture) != NULL;
}

int vc4_picture_read_rows(const struct space *space, const struct pica_picture *picture,
		uint32_t first, uint32_t n, uint8_t *rgba, size_t stride_bytes) {
	const struct vc4_image image = image_of(picture);
	const uint8_t *host = find(space, picture);
	if (!host) {
		return -ERANGE;
	}
	for (uint32_t y = first; y < first + n; y++, rgba += stride_bytes) {
		for (uint32_t x = 0; x < picture->width; x++) {
			uint32_t v = 0;
			memcpy(&v, host + vc4_image_offset(&image, x, y), image.px_bytes);
			v = image.px_bytes == 2 ? vc4_rgba_from_565(v) : v;
			memcpy(rgba + 4 * (size_t)x, &v, sizeof(v));
		}
	}
	return 0;
}

int vc4_picture_read(const struct space *space, const struct pica_picture *picture, uint8_t *rgba,
		size_t stride_bytes) {
	return vc4_picture_read_rows(space, picture, 0, picture->height, rgba, stride_bytes);
}
