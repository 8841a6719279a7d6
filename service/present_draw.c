/* Draws contents onto outputs: the parts to draw, and the damage for the display. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/presenter_impl.h"

/* The places of a content on an output. */
struct scene {
	struct layout_place place[LAYOUT_PLACES];
	const struct pica_shot *shot[LAYOUT_PLACES];
	uint64_t key[LAYOUT_PLACES]; /* one for each place */
	unsigned n;
	uint64_t shape; /* as in struct drawn */
};

/* Shapes; that of a picture is made of its size, beyond these. */
enum { SHAPE_SCREENS, SHAPE_IDLE };

static enum pica_show_eyes eyes_of(
		const struct presenter *p, const struct layout_place *place, uint32_t eye) {
	const bool is_choice = p->settings.layout.stereo == LAYOUT_MONO &&
			place->screen == PICA_SCREEN_TOP;
	return is_choice && eye ? PICA_SHOW_RIGHT : place->eyes;
}

static void add_picture(const struct presenter *p, const struct content *c, uint32_t width,
		uint32_t height, struct scene *s) {
	struct pica_screen info = { .is_set = 0 };
	if (c->shot[0]) {
		pica_shot_screen(c->shot[0], &info);
	}
	s->shape = c->is_idle ? SHAPE_IDLE : (uint64_t)(info.width + 1) << 32 | info.height;
	if (!info.is_set) {
		return;
	}
	layout_picture(&p->settings.layout, width, height, info.width, info.height, &s->place[0]);
	s->shot[0] = c->shot[0];
	s->key[0] = c->serial[0];
	s->n = 1;
}

static void make_scene(const struct presenter *p, const struct content *c, unsigned output,
		unsigned n_outputs, uint32_t width, uint32_t height, struct scene *s) {
	*s = (struct scene){ .shape = SHAPE_SCREENS };
	if (c->is_idle || c->is_picture) {
		add_picture(p, c, width, height, s);
		return;
	}
	s->n = layout_places(&p->settings.layout, output, n_outputs, width, height, s->place);
	for (unsigned i = 0; i < s->n; i++) {
		struct layout_place *place = &s->place[i];
		place->eyes = eyes_of(p, place, c->eye);
		s->shot[i] = c->shot[place->screen];
		s->key[i] = c->serial[place->screen] << 2 | (uint64_t)place->eyes;
	}
}

/* Without a shot, or with a screen that was never set, the part is black. */
static struct pica_show_part part_of(const struct presenter *p, const struct scene *s, unsigned i) {
	const struct layout_place *place = &s->place[i];
	struct pica_show_part part = { .shot = s->shot[i],
		.x = place->x,
		.y = place->y,
		.width = place->width,
		.height = place->height,
		.turns = p->settings.layout.turns,
		.filter = p->settings.layout.filter,
		.eyes = place->eyes };
	if (part.shot) {
		struct pica_screen info;
		pica_shot_screen(part.shot, &info);
		/* In wide mode at 1:1 the nearest filter would drop half of the columns. */
		const uint32_t along = part.turns & 1 ? part.height : part.width;
		part.filter = along < info.width ? PICA_SHOW_BILINEAR : part.filter;
	}
	return part;
}

static bool is_new_shape(const struct drawn *have, const struct scene *s) {
	return !have->is_valid || have->shape != s->shape;
}

static bool is_new(const struct drawn *have, const struct scene *s, unsigned i) {
	return is_new_shape(have, s) || have->key[i] != s->key[i];
}

/* Draws the parts that the buffer lacks. */
static int draw_scene(const struct presenter *p, const struct scene *s, const struct drawn *have,
		const struct pica_show_target *t) {
	struct pica_show_part parts[LAYOUT_PLACES + LAYOUT_REST];
	struct display_rect rest[LAYOUT_REST];
	unsigned n = 0;
	for (unsigned i = 0; i < s->n; i++) {
		if (is_new(have, s, i)) {
			parts[n++] = part_of(p, s, i);
		}
	}
	if (is_new_shape(have, s)) {
		const unsigned n_rest = layout_rest(s->place, s->n, t->width, t->height, rest);
		for (unsigned i = 0; i < n_rest; i++) {
			parts[n++] = (struct pica_show_part){
				.color = p->settings.layout.background,
				.x = (int32_t)rest[i].x,
				.y = (int32_t)rest[i].y,
				.width = rest[i].width,
				.height = rest[i].height
			};
		}
	}
	return pica_show(p->device, t, parts, n);
}

static void note_drawn(struct drawn *d, const struct scene *s) {
	d->is_valid = true;
	d->shape = s->shape;
	memcpy(d->key, s->key, sizeof(d->key));
}

static void add_damage(struct display_flip *f, const struct drawn *shown, const struct scene *s,
		uint32_t width, uint32_t height) {
	if (is_new_shape(shown, s)) {
		return; /* everything */
	}
	for (unsigned i = 0; i < s->n; i++) {
		if (is_new(shown, s, i) &&
			layout_visible(&s->place[i], width, height, &f->damage[f->n_damage])) {
			f->n_damage++;
		}
	}
	if (!f->n_damage) {
		f->damage[f->n_damage++] = (struct display_rect){ 0, 0, 1,
			1 }; /* unchanged: the smallest possible damage */
	}
}

static int draw_output(struct presenter *p, const struct content *c, unsigned output,
		unsigned n_outputs, struct display_flip *f) {
	struct present_output *o = &p->output[output];
	struct scene s;
	int ret = p->display->impl->acquire(p->display, output, &f->buffer);
	if (ret < 0) {
		return ret;
	}
	struct display_buffer *b = &f->buffer;
	struct drawn *have = &o->buffer[b->index];
	have->is_valid &= b->age != 0;
	make_scene(p, c, output, n_outputs, b->width, b->height, &s);
	const struct pica_show_target t = { b->host, b->stride_bytes, b->width, b->height,
		b->format == DISPLAY_RGB565 ? PICA_SHOW_RGB565 : PICA_SHOW_XRGB8888 };
	ret = draw_scene(p, &s, have, &t);
	if (ret < 0) {
		have->is_valid = false;
		p->display->impl->release(p->display, output, b);
		return ret;
	}
	note_drawn(have, &s);
	f->output = output;
	add_damage(f, &o->shown, &s, b->width, b->height);
	return 0;
}

int present_draw(struct presenter *p, const struct content *c, uint64_t cookie) {
	struct display_flip flips[DISPLAY_OUTPUTS] = { { .output = 0 } };
	const unsigned n_outputs = p->n_outputs; /* changed by this thread only */
	unsigned n = 0;
	int ret = 0;
	while (ret == 0 && n < n_outputs) {
		flips[n] = (struct display_flip){ .cookie = cookie };
		ret = draw_output(p, c, n, n_outputs, &flips[n]);
		n += ret == 0;
	}
	ret = ret < 0 ? ret : p->display->impl->commit(p->display, flips, n);
	for (unsigned i = 0; i < n; i++) {
		struct present_output *o = &p->output[i];
		if (ret < 0) {
			o->buffer[flips[i].buffer.index].is_valid = false;
			p->display->impl->release(p->display, i, &flips[i].buffer);
		} else {
			o->shown = o->buffer[flips[i].buffer.index];
		}
	}
	return ret < 0 ? ret : (int)n;
}

/* ---- Screenshots ---- */

static void to_rgb(uint8_t *rgb, const uint8_t *xrgb, size_t n) {
	for (size_t i = 0; i < n; i++) {
		rgb[3 * i] = xrgb[4 * i + 2];
		rgb[3 * i + 1] = xrgb[4 * i + 1];
		rgb[3 * i + 2] = xrgb[4 * i];
	}
}

void present_picture(struct presenter *p, const struct content *c, struct present_picture *out) {
	const struct drawn nothing = { .is_valid = false };
	struct scene s;
	if (out->output >= p->n_outputs) {
		out->result = p->n_outputs ? -ENOENT : -ENODATA;
		return;
	}
	const struct display_output *mode = &p->output[out->output].mode;
	const size_t px = (size_t)mode->width * mode->height;
	uint8_t *xrgb = malloc(4 * px);
	out->rgb = malloc(3 * px);
	out->result = xrgb && out->rgb ? 0 : -ENOMEM;
	if (out->result == 0) {
		const struct pica_show_target t = { xrgb, 4 * (size_t)mode->width, mode->width,
			mode->height, PICA_SHOW_XRGB8888 };
		make_scene(p, c, out->output, p->n_outputs, mode->width, mode->height, &s);
		out->result = draw_scene(p, &s, &nothing, &t);
	}
	if (out->result == 0) {
		to_rgb(out->rgb, xrgb, px);
		out->width = mode->width;
		out->height = mode->height;
	}
	free(xrgb);
}
