/* The report of pica conform as one page, with pictures inside. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/markup.h"
#include "conform.h"
#include "pica.h"
#include "pictures/writer.h"

enum { ENLARGED = 6 };

static const char style[] = "img{image-rendering:pixelated;background:#000;border:1px solid #888;"
			    "margin:.3rem .6rem .3rem 0}\n";

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

static void write_difference(FILE *f, const struct conform_case *k) {
	struct picture p = { 0 };
	if (k->has_pixel && picture_show_difference(&p, &k->drawn, &k->expected) == 0) {
		write_image(f, &p, "difference");
	}
	picture_finish(&p);
}

/* The feature is the first word of the name. */
static int feature_length(const struct conform_case *k) {
	return (int)strcspn(k->name, "-");
}

static bool is_first_of_feature(const struct conform *c, unsigned i) {
	const int n = feature_length(&c->cases[i]);
	unsigned first = 0;
	while (!c->cases[first].is_chosen || feature_length(&c->cases[first]) != n ||
			strncmp(c->cases[first].name, c->cases[i].name, (size_t)n) != 0) {
		first++;
	}
	return first == i;
}

/* Writes a list to choose one feature from, whose cases are then shown alone. */
static void write_features(FILE *f, const struct conform *c) {
	fputs("<p><select aria-label=\"feature\"><option>all features\n", f);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < c->n; i++) {
			const struct conform_case *k = &c->cases[i];
			const int n = feature_length(k);
			if (k->is_chosen && is_first_of_feature(c, i)) {
				fprintf(f, pass ? "body:has([value=\"%.*s\"]:checked) tr[class]:not(.k-%.*s)"
						  "{display:none}\n" :
						  "<option value=\"%.*s\">%.*s\n",
						n, k->name, n, k->name);
			}
		}
		fputs(pass ? "</style>\n" : "</select></p>\n<style>\n", f);
	}
}

static void write_case(FILE *f, const struct conform_case *k) {
	fprintf(f, "<tr class=\"k-%.*s\"><td><code>%s</code><td>%s<td>", feature_length(k), k->name,
			k->name, conform_origins[k->origin]);
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

enum state { FAILED, PASSED, GUESSES, STATE_COUNT };

static enum state state_of(const struct conform_case *k) {
	return k->origin == CONFORM_GUESS ? GUESSES : k->has_passed ? PASSED : FAILED;
}

static void write_cases(FILE *f, const struct conform *c, const char *name, enum state state) {
	fprintf(f, "<div class=\"s-%s\">\n<h2 id=\"%s\">%s</h2>\n<table>\n"
		   "<tr><th>case<th>provenance<th>rule<th>result%s\n",
			name, name, name,
			state == PASSED ? "" : " (expected, drawn, difference)");
	for (unsigned i = 0; i < c->n; i++) {
		if (c->cases[i].is_chosen && state_of(&c->cases[i]) == state) {
			write_case(f, &c->cases[i]);
		}
	}
	fputs("</table>\n</div>\n", f);
}

void conform_html(FILE *f, const struct conform *c, const char *command) {
	struct markup_filter filters[STATE_COUNT] = { [FAILED] = { "failed", "bad", 0 },
		[PASSED] = { "passed", "pass", 0 }, [GUESSES] = { "guesses", "warn", 0 } };
	for (unsigned i = 0; i < c->n; i++) {
		filters[state_of(&c->cases[i])].n += c->cases[i].is_chosen;
	}
	markup_page(f, "pica conform", style);
	fputs("<h1>pica conform</h1>\n", f);
	write_origin(f, command);
	fprintf(f, "<p>%u of %u bit-identical", conform_counted(c->passed),
			conform_counted(c->by_origin));
	for (unsigned i = 0; i < CONFORM_ORIGINS; i++) {
		fprintf(f, "; %s: %u of %u", conform_origins[i], c->passed[i], c->by_origin[i]);
	}
	fputs(" (not counted)</p>\n", f);
	markup_filters(f, filters, STATE_COUNT, "");
	write_features(f, c);
	for (unsigned i = 0; i < STATE_COUNT; i++) {
		if (filters[i].n) {
			write_cases(f, c, filters[i].name, (enum state)i);
		}
	}
	fputs("</body></html>\n", f);
}
