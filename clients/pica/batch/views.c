/*
 * The pictures of a unit in the report, with a mark around the differences, and the first one
 * enlarged. All sizes are whole multiples, so that no pixel is lost.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "common/json.h"
#include "common/markup.h"
#include "core/base/attributes.h"
#include "pictures/file.h"

/* The magnification, and the size of the enlarged part in pixels. */
enum { ZOOM = 8, ZOOM_WIDTH = 48, ZOOM_HEIGHT = 30, MAX_EMBEDDED = 64 << 20 };

struct area {
	json_int_t x, y, width, height;
};

static struct area area_of(const json_t *row) {
	return (struct area){ json_number_of(row, "x"), json_number_of(row, "y"),
		json_number_of(row, "width"), json_number_of(row, "height") };
}

void batch_embed(FILE *f, const struct batch_row *row, const char *file) {
	char *path = file_in(row->folder, file);
	void *data = NULL;
	size_t size = 0;
	fputs("data:image/png;base64,", f); /* of nothing: the picture cannot be read */
	if (path && file_read(path, &data, &size, MAX_EMBEDDED) == 0) {
		markup_base64(f, data, size);
	}
	free(data);
	free(path);
}

void batch_image(FILE *f, const struct batch_row *row, const char *file, const char *what,
		const char *size) {
	fputs("<img loading=\"lazy\" alt=\"", f);
	markup_text(f, what);
	fprintf(f, "\" %s src=\"", size);
	batch_embed(f, row, file);
	fputs("\">", f);
}

/* "frame 12, top" */
static void write_where(FILE *f, const json_t *picture) {
	fprintf(f, "frame %" JSON_INTEGER_FORMAT ", ", json_number_of(picture, "frame"));
	markup_text(f, json_text_of(picture, "screen"));
}

/* A mark around an area, magnified by scale. */
static void write_mark(FILE *f, struct area a, int scale) {
	fprintf(f,
		"<i style=\"left:%" JSON_INTEGER_FORMAT "px;top:%" JSON_INTEGER_FORMAT
		"px;width:%" JSON_INTEGER_FORMAT "px;height:%" JSON_INTEGER_FORMAT "px\"></i>",
		scale * a.x, scale * a.y, scale * a.width, scale * a.height);
}

static json_int_t clamp(json_int_t x, json_int_t max) {
	return x > max ? max : x < 0 ? 0 : x;
}

/* The enlarged part of a picture: around the mark. */
static struct area zoomed(const json_t *picture, struct area mark) {
	struct area all = area_of(picture), z = { .width = ZOOM_WIDTH, .height = ZOOM_HEIGHT };
	z.width = z.width > all.width ? all.width : z.width;
	z.height = z.height > all.height ? all.height : z.height;
	z.x = clamp(mark.x + mark.width / 2 - z.width / 2, all.width - z.width);
	z.y = clamp(mark.y + mark.height / 2 - z.height / 2, all.height - z.height);
	return z;
}

static void write_zoom(FILE *f, char variable, const json_t *picture, struct area mark) {
	if (mark.width > ZOOM_WIDTH || mark.height > ZOOM_HEIGHT) { /* then the first pixel */
		const json_t *differing = json_object_get(picture, "differing");
		const json_t *first = json_array_get(json_object_get(differing, "first"), 0);
		mark = area_of(first);
		mark.width = mark.height = 1;
	}
	const struct area z = zoomed(picture, mark);
	fprintf(f,
		"<div class=\"zoom\" style=\"width:%" JSON_INTEGER_FORMAT
		"px;height:%" JSON_INTEGER_FORMAT "px\"><b role=\"img\" aria-label=\"enlarged\" "
		"style=\"width:%" JSON_INTEGER_FORMAT "px;height:%" JSON_INTEGER_FORMAT
		"px;left:%" JSON_INTEGER_FORMAT "px;top:%" JSON_INTEGER_FORMAT
		"px;background-image:var(--%c)\"></b>",
		ZOOM * z.width, ZOOM * z.height, ZOOM * json_number_of(picture, "width"),
		ZOOM * json_number_of(picture, "height"), -ZOOM * z.x, -ZOOM * z.y, variable);
	mark.x -= z.x;
	mark.y -= z.y;
	write_mark(f, mark, ZOOM);
	fputs("</div>", f);
}

/* A picture that the page contains once, as a variable of its style. */
static void write_layer(FILE *f, char variable, const json_t *picture, const char *class,
		const char *what) {
	fprintf(f,
		"<b class=\"%s\" role=\"img\" aria-label=\"%s\" style=\"width:%" JSON_INTEGER_FORMAT
		"px;height:%" JSON_INTEGER_FORMAT "px;background-image:var(--%c)\"></b>",
		class, what, json_number_of(picture, "width"), json_number_of(picture, "height"),
		variable);
}

static const struct view {
	char variable;
	const char *member, *what;
} views[] = { { 'e', "expected_file", "expected" }, { 'd', "file", "drawn" },
	{ 'x', "difference_file", "difference" } };

/* An expected picture without a difference has another size than the drawn one. */
static bool has_own_size(const json_t *picture, const struct view *view) {
	return view->variable == 'e' && !json_text_of(picture, "difference_file");
}

static void write_figure(FILE *f, const struct batch_row *row, const json_t *picture,
		const struct view *view) {
	const char *what = view->what, *file = json_text_of(picture, view->member);
	const struct area mark = area_of(
			json_object_get(json_object_get(picture, "differing"), "box"));
	if (!file) {
		return;
	}
	fputs("<figure><div class=\"shot\">", f);
	if (has_own_size(picture, view)) {
		batch_image(f, row, file, what, "");
	} else {
		write_layer(f, view->variable, picture, "layer", what);
	}
	if (mark.width) {
		write_mark(f, mark, 1);
	}
	fprintf(f, "</div><figcaption>%s", what);
	if (!json_text_of(picture, "expected_file")) {
		fputs(", ", f);
		write_where(f, picture);
	}
	fputs("</figcaption>", f);
	if (mark.width) {
		write_zoom(f, view->variable, picture, mark);
	}
	fputs("</figure>\n", f);
}

/* The drawn picture over the expected one: its edge can be dragged, or it can blink. */
static void write_compare(FILE *f, const json_t *picture) {
	fputs("<figure><div class=\"shot compare\">", f);
	write_layer(f, 'e', picture, "layer", "expected");
	fputs("<div class=\"wipe\">", f);
	write_layer(f, 'd', picture, "layer", "drawn");
	fputs("</div></div><figcaption>drawn over expected: drag the corner, or "
	      "<label><input type=\"checkbox\" class=\"blink\"> blink</label></figcaption>"
	      "</figure>\n", f);
}

/* Begins the figures of a picture, whose files are in variables. */
static void open_picture(FILE *f, const struct batch_row *row, const json_t *picture) {
	fputs("<div class=\"picture\" style=\"", f);
	for (unsigned i = 0; i < ARRAY_LEN(views); i++) {
		const char *file = json_text_of(picture, views[i].member);
		if (file && !has_own_size(picture, &views[i])) {
			fprintf(f, "--%c:url(", views[i].variable);
			batch_embed(f, row, file);
			fputs(");", f);
		}
	}
	fputs("\">\n", f);
}

/* Returns whether text is "#rrggbb", which is safe in a style. */
static bool is_color(const char *text) {
	return text && text[0] == '#' && strlen(text) == 7 &&
			strspn(text + 1, "0123456789abcdef") == 6;
}

static void write_color(FILE *f, const char *color) {
	if (is_color(color)) {
		fprintf(f, "<td><b style=\"background:%s\"></b> <code>%s</code>", color, color);
	}
}

static void write_pixels(FILE *f, const json_t *differing) {
	const json_t *first = json_object_get(differing, "first"), *pixel;
	const json_int_t beyond = json_number_of(differing, "beyond");
	size_t i;
	fputs("<table class=\"pixels\"><tr><th>column<th>row<th>expected<th>drawn\n", f);
	json_array_foreach(first, i, pixel) {
		fprintf(f, "<tr><td>%" JSON_INTEGER_FORMAT "<td>%" JSON_INTEGER_FORMAT,
			json_number_of(pixel, "x"), json_number_of(pixel, "y"));
		write_color(f, json_text_of(pixel, "expected"));
		write_color(f, json_text_of(pixel, "drawn"));
		fputc('\n', f);
	}
	fputs("</table>\n", f);
	if (beyond > (json_int_t)i) {
		fprintf(f, "<p class=\"more\">and %" JSON_INTEGER_FORMAT " more</p>\n",
			beyond - (json_int_t)i);
	}
}

/* A line about the difference, above the pictures. */
static void write_summary(FILE *f, const json_t *picture) {
	const json_t *differing = json_object_get(picture, "differing");
	const struct area mark = area_of(json_object_get(differing, "box"));
	fputs("<p class=\"what\">", f);
	write_where(f, picture);
	if (mark.width) {
		const json_int_t n = json_number_of(differing, "beyond");
		fprintf(f,
			": %" JSON_INTEGER_FORMAT " pixel%s, by %" JSON_INTEGER_FORMAT
			" at most, in columns %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT
			", rows %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT,
			n, n == 1 ? "" : "s", json_number_of(differing, "max"), mark.x,
			mark.x + mark.width - 1, mark.y, mark.y + mark.height - 1);
	}
	fputs("</p>\n", f);
}

static bool is_wrong(const json_t *picture) {
	const char *golden = json_text_of(picture, "golden");
	return json_object_get(picture, "expected_hash") || (golden && strcmp(golden, "same") != 0);
}

static bool is_shown(const json_t *picture) {
	return is_wrong(picture) && json_text_of(picture, "file");
}

bool batch_has_views(const struct batch_row *row) {
	const json_t *pictures = json_object_get(row->result, "pictures"), *picture;
	size_t i;
	json_array_foreach(pictures, i, picture) {
		if (is_shown(picture)) {
			return true;
		}
	}
	return false;
}

/* Writes the draw or other work that made the first differing pixel. */
static void write_maker(FILE *f, const json_t *picture) {
	const char *maker = json_text_of(picture, "made_by");
	if (maker) {
		fputs("<p class=\"maker\">", f);
		markup_text(f, maker);
		fputs("</p>\n", f);
	}
}

/*
 * Kept wrong pictures: each on a line with the expected one, the difference, and the overlay; or,
 * if only hashes were expected, one after the other.
 */
void batch_views(FILE *f, const struct batch_row *row) {
	const json_t *pictures = json_object_get(row->result, "pictures"), *picture;
	size_t i;
	bool is_open = false;
	json_array_foreach(pictures, i, picture) {
		if (!is_shown(picture)) {
			continue;
		}
		const bool is_alone = !json_text_of(picture, "expected_file");
		if (is_open && !is_alone) {
			fputs("</div>\n", f);
			is_open = false;
		}
		if (!is_alone) {
			write_summary(f, picture);
			write_maker(f, picture);
		}
		if (!is_open) {
			fputs("<div class=\"views\">\n", f);
		}
		open_picture(f, row, picture);
		for (unsigned k = 0; k < ARRAY_LEN(views); k++) {
			write_figure(f, row, picture, &views[k]);
		}
		if (json_text_of(picture, "difference_file")) { /* of one size */
			write_compare(f, picture);
		}
		fputs(is_alone ? "</div>" : "</div></div>\n", f);
		is_open = is_alone;
		if (json_object_get(json_object_get(picture, "differing"), "first")) {
			write_pixels(f, json_object_get(picture, "differing"));
		}
	}
	if (is_open) {
		fputs("</div>\n", f);
	}
}
