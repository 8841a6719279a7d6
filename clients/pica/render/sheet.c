#include "render.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "pictures/drawing.h"

enum {
	MAX_ITEMS = 4096,
	THUMB_SIDE = 200, /* pictures are shrunk by whole factors until they fit */
	SHEET_WIDTH = 1660,
	MARGIN = 8,
	PAPER = 0x202020,
	INK = 0xE0E0E0,
};

int sheet_add(struct sheet *s, const struct picture *p, const char *text) {
	if (s->n == MAX_ITEMS) {
		s->is_full = true;
		return 0;
	}
	struct sheet_item *items = array_room(s->items, s->n, &s->cap, sizeof(*items));
	if (!items) {
		return -ENOMEM;
	}
	s->items = items;
	struct sheet_item *item = &s->items[s->n];
	*item = (struct sheet_item){ .picture.rgb = NULL };
	const uint32_t side = p->width > p->height ? p->width : p->height;
	int ret = drawing_shrink(&item->picture, p, (side + THUMB_SIDE - 1) / THUMB_SIDE);
	if (ret == 0) {
		snprintf(item->text, sizeof(item->text), "%s", text);
		s->n++;
	}
	return ret;
}

int sheet_compose(const struct sheet *s, const char *title, struct picture *out) {
	uint32_t width = 0, height = 0;
	for (unsigned i = 0; i < s->n; i++) {
		const struct picture *p = &s->items[i].picture;
		const uint32_t text = drawing_text_width(s->items[i].text);
		width = p->width > width ? p->width : width;
		width = text > width ? text : width;
		height = p->height > height ? p->height : height;
	}
	if (!s->n) {
		return -ENODATA;
	}
	const uint32_t cell_x = width + MARGIN, cell_y = height + DRAWING_LINE + MARGIN;
	uint32_t columns = (SHEET_WIDTH - MARGIN) / cell_x;
	columns = columns < s->n ? columns : s->n;
	columns = columns ? columns : 1;
	const uint32_t rows = (s->n + columns - 1) / columns, head = DRAWING_LINE + MARGIN;
	uint32_t sheet_width = columns * cell_x + MARGIN;
	const uint32_t title_width = drawing_text_width(title) + 2 * MARGIN;
	sheet_width = title_width > sheet_width ? title_width : sheet_width;
	int ret = drawing_begin(out, sheet_width, rows * cell_y + head + MARGIN, PAPER);
	if (ret < 0) {
		return ret;
	}
	drawing_text(out, MARGIN, MARGIN, INK, title);
	for (unsigned i = 0; i < s->n; i++) {
		const int x = (int)(MARGIN + i % columns * cell_x),
				y = (int)(MARGIN + head + i / columns * cell_y);
		drawing_copy(out, x, y, &s->items[i].picture);
		drawing_text(out, x, y + (int)s->items[i].picture.height + 2, INK,
				s->items[i].text);
	}
	return 0;
}

void sheet_finish(struct sheet *s) {
	for (unsigned i = 0; i < s->n; i++) {
		picture_finish(&s->items[i].picture);
	}
	free(s->items);
	*s = (struct sheet){ 0 };
}
