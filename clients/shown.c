#include "shown.h"

#include <errno.h>
#include <string.h>

#include "pictures/drawing.h"

enum { TOP_WIDTH = 400, BOTTOM_WIDTH = 320, HEIGHT = 240 };

static const struct {
	const char *name;
	enum pica_screen_id screen;
	enum pica_eye eye;
} views[SHOWN_COUNT] = {
	[SHOWN_TOP] = { "top", PICA_SCREEN_TOP, PICA_EYE_LEFT },
	[SHOWN_TOP_RIGHT] = { "top-right", PICA_SCREEN_TOP, PICA_EYE_RIGHT },
	[SHOWN_BOTTOM] = { "bottom", PICA_SCREEN_BOTTOM, PICA_EYE_LEFT },
	[SHOWN_PICTURE] = { .name = "picture" },
	[SHOWN_BUFFER] = { .name = "buffer" },
};

const char *shown_name(enum shown_view view) {
	return views[view].name;
}

int shown_take(struct shown *s, struct pica_ctx *ctx) {
	int n = 0;
	memset(s->is_set, 0, sizeof(s->is_set));
	const int picture = gpu_read_picture(&s->picture[SHOWN_PICTURE], gpu_here(ctx));
	if (picture != -EOPNOTSUPP) {
		s->is_set[SHOWN_PICTURE] = picture == 0;
		return picture == 0 ? 1 : picture == -ENODATA ? 0 : picture;
	}
	for (unsigned i = 0; i < SHOWN_PICTURE; i++) {
		struct pica_screen info;
		int ret = pica_ctx_screen(ctx, views[i].screen, &info);
		if (ret < 0) {
			return ret;
		}
		if (!info.is_set || (views[i].eye == PICA_EYE_RIGHT && !info.has_right)) {
			continue;
		}
		ret = gpu_read_screen(
				&s->picture[i], gpu_here(ctx), views[i].screen, views[i].eye);
		if (ret < 0) {
			return ret;
		}
		s->is_set[i] = true;
		n++;
	}
	return n;
}

void shown_take_buffer(struct shown *s, struct pica_ctx *ctx) {
	uint32_t regs[PICA_REG_COUNT];
	struct pica_target target;
	s->is_set[SHOWN_BUFFER] = pica_ctx_read_regs(ctx, 0, PICA_REG_COUNT, regs) == 0 &&
			pica_target_from_regs(&target, regs) == 0 &&
			gpu_read_target(&s->picture[SHOWN_BUFFER], gpu_here(ctx), &target) == 0;
}

void shown_finish(struct shown *s) {
	for (unsigned i = 0; i < SHOWN_COUNT; i++) {
		picture_finish(&s->picture[i]);
	}
	memset(s->is_set, 0, sizeof(s->is_set));
}

int shown_blank(struct picture *out, unsigned screens) {
	const bool has_top = screens >> PICA_SCREEN_TOP & 1;
	const bool has_bottom = screens >> PICA_SCREEN_BOTTOM & 1;
	return drawing_begin(out, has_top ? TOP_WIDTH : BOTTOM_WIDTH,
			has_top && has_bottom ? 2 * HEIGHT : HEIGHT, 0);
}

/* Merges pairs of columns of the wide mode, which are half as wide. */
static void narrow(struct picture *p) {
	for (uint32_t i = 0; i < p->width / 2 * p->height; i++) {
		for (unsigned c = 0; c < 3; c++) {
			const unsigned sum = p->rgb[6 * i + c] + p->rgb[6 * i + 3 + c];
			p->rgb[3 * i + c] = (uint8_t)((sum + 1) / 2);
		}
	}
	p->width /= 2;
}

int shown_compose(struct picture *out, struct gpu gpu, unsigned screens, enum pica_eye top) {
	struct picture p = { 0 };
	int ret = gpu_read_picture(out, gpu), y = 0;
	if (ret != -EOPNOTSUPP) {
		return ret == -ENODATA ? shown_blank(out, screens) : ret;
	}
	ret = shown_blank(out, screens);
	for (unsigned i = 0; ret == 0 && i < 2; i++) {
		if (!(screens >> i & 1)) {
			continue;
		}
		ret = gpu_read_screen(&p, gpu, (enum pica_screen_id)i,
				i == PICA_SCREEN_TOP ? top : PICA_EYE_LEFT);
		if (ret == 0) {
			if (p.width > TOP_WIDTH) {
				narrow(&p);
			}
			drawing_copy(out, ((int)out->width - (int)p.width) / 2, y, &p);
		}
		ret = ret == -ENODATA ? 0 : ret;
		y += HEIGHT;
	}
	picture_finish(&p);
	return ret;
}
