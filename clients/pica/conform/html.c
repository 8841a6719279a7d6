/* The report of pica conform as one page, with pictures inside. */
#include <stdlib.h>
#include <time.h>

#include "common/markup.h"
#include "conform.h"
#include "pica.h"
#include "pictures/writer.h"

enum { ENLARGED = 6 };

static const char head[] =
		"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
		"content=\"width=device-width\">\n<title>pica conform</title>\n<style>\n"
		":root{color-scheme:light dark}body{margin:0 auto;padding:1.5rem;max-width:70rem;"
		"font:15px/1.5 system-ui,sans-serif}\n"
		"table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .75rem;"
		"border-bottom:1px solid #8884;vertical-align:top}\n"
		".bad{color:#c62a2f;font-weight:600}.pass{color:#1a7f48}code{overflow-wrap:anywhere}\n"
		"img{image-rendering:pixelated;background:#000;border:1px solid #888;"
		"margin:.3rem .6rem .3rem 0}\n</style></head>\n<body>\n"
		"<h1>pica conform</h1>\n";

static void write_image(FILE *f, const struct picture *p, const char *title) {
	char *bytes = NULL;
	size_t n = 0;
	FILE *png = p->rgb ? open_memstream(&bytes, &n) : NULL;
	if (!png) {
		return;
	}
	writer_png.write(png, p, "");
	if (fclose(png) == 0) {
		fprintf(f, "<img title=\"%s\" alt=\"%s\" width=\"%u\" height=\"%u\" src=\"data:image/png;base64,",
				title, title, ENLARGED * p->width, ENLARGED * p->height);
		markup_base64(f, (const uint8_t *)bytes, n);
		fputs("\">", f);
	}
	free(bytes);
}

/* Red to white where the pictures differ, by how much; grey elsewhere. */
static void write_difference(FILE *f, const struct conform_case *k) {
	struct picture p = { 0 };
	if (k->has_pixel && picture_show_difference(&p, &k->drawn, &k->expected) == 0) {
		write_image(f, &p, "difference");
	}
	picture_finish(&p);
}

static void write_case(FILE *f, const struct conform_case *k) {
	fprintf(f, "<tr><td><code>%s</code><td>%s<td>", k->name, conform_origins[k->origin]);
	markup_text(f, k->rule);
	fprintf(f, "<td class=\"%s\">%s", k->has_passed ? "pass" : "bad",
			k->has_passed ? "passed" : "");
	if (!k->has_passed) {
		markup_text(f, k->message ? k->message : "out of memory");
		fputs("<br>", f);
		write_image(f, &k->expected, "expected");
		write_image(f, &k->drawn, "drawn");
		write_difference(f, k);
	}
	fputc('\n', f);
}

/* Writes what drew this, and when. */
static void write_origin(FILE *f, const char *command) {
	const uint32_t v = pica_version();
	const time_t now = time(NULL);
	struct tm tm;
	char date[32];
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &tm));
	fputs("<p><code>", f);
	markup_text(f, command);
	fprintf(f, "</code><br>libpica %u.%u.%u, %s</p>\n", v >> 16, v >> 8 & 0xFF, v & 0xFF,
			date);
}

void conform_html(FILE *f, const struct conform *c, const char *command) {
	fputs(head, f);
	write_origin(f, command);
	fprintf(f, "<p>%u of %u bit-identical", conform_counted(c->passed),
			conform_counted(c->by_origin));
	for (unsigned i = 0; i < CONFORM_ORIGINS; i++) {
		fprintf(f, "; %s: %u of %u", conform_origins[i], c->passed[i], c->by_origin[i]);
	}
	fputs("</p>\n<table>\n<tr><th>case<th>provenance<th>rule<th>result (expected, drawn, difference)\n", f);
	for (unsigned passed = 0; passed < 2; passed++) {
		for (unsigned i = 0; i < c->n; i++) {
			if (c->cases[i].is_chosen && c->cases[i].has_passed == (passed != 0)) {
				write_case(f, &c->cases[i]);
			}
		}
	}
	fputs("</table>\n</body></html>\n", f);
}
