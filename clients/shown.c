#include "shown.h"

#include <string.h>

static const struct {
	const char *name;
	enum pica_screen_id screen;
	enum pica_eye eye;
} views[SHOWN_COUNT] = {
	[SHOWN_TOP] = { "top", PICA_SCREEN_TOP, PICA_EYE_LEFT },
	[SHOWN_TOP_RIGHT] = { "top-right", PICA_SCREEN_TOP, PICA_EYE_RIGHT },
	[SHOWN_BOTTOM] = { "bottom", PICA_SCREEN_BOTTOM, PICA_EYE_LEFT },
	[SHOWN_BUFFER] = { .name = "buffer" },
};

const char *shown_name(enum shown_view view) {
	return views[view].name;
}

int shown_take(struct shown *s, struct pica_ctx *ctx) {
	int n = 0;
	memset(s->is_set, 0, sizeof(s->is_set));
	for (unsigned i = 0; i < SHOWN_BUFFER; i++) {
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
