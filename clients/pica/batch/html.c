/* The report as one page: failures come first, with their pictures side by side. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "common/json.h"
#include "common/markup.h"

enum { MAX_THUMBS = 6 /* of a unit that passed */, MAX_HOSTS = 8 };

static const char style[] =
	"section{background:var(--card);border:1px solid var(--line);border-left:.3rem solid var(--bad);"
	"border-radius:.5rem;padding:.75rem 1rem;margin:0 0 1rem}section.w{border-left-color:var(--warn)}\n"
	"section h3{margin:0;font-size:1rem;font-weight:600}.state{font-weight:600;margin-right:.5rem}\n"
	".messages{margin:.5rem 0;padding-left:1.2rem}\n"
	".views{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start;margin:.75rem 0}\n"
	"figure{margin:0}figcaption{color:var(--dim);font-size:.85em;margin:.3rem 0}\n"
	"img{display:block;background:#000;image-rendering:pixelated}\n"
	".shot,.zoom{position:relative;width:max-content}.zoom{overflow:hidden}.zoom img{position:absolute}\n"
	".shot i,.zoom i{position:absolute;outline:2px solid #f0f;outline-offset:2px;pointer-events:none}"
	".shot i::after{content:\"\";position:absolute;inset:-5px;outline:1px solid #fff}\n"
	".what{margin:.75rem 0 0;font-weight:600}.pixels{width:auto;margin:0 0 .5rem}.pixels b{"
	"display:inline-block;width:1em;height:1em;border:1px solid var(--line);vertical-align:-.15em}\n"
	".names{margin:.5rem 0;padding-left:1.2rem}\n"
	".more{color:var(--dim);font-size:.85em;margin-left:.5rem}\n"
	".picture{display:contents}.layer{display:block;background:#000 0 0/100% 100%;image-rendering:pixelated}\n"
	".zoom b{position:absolute;background-size:100% 100%;image-rendering:pixelated}\n"
	".compare .wipe{position:absolute;inset:0 auto auto 0;width:50%;min-width:1.5rem;max-width:100%;"
	"height:100%;overflow:hidden;resize:horizontal;border-right:2px solid #f0f}\n"
	"figure:has(.blink:checked) .wipe{width:100%!important;animation:blink 2s steps(1) infinite}"
	"@keyframes blink{50%{visibility:hidden}}\n"
	".maker{margin:.2rem 0}\n"
	".thumbs{display:flex;flex-wrap:wrap;gap:.4rem;margin-top:.3rem}.thumbs img{image-rendering:auto}\n";

/* ---- Pieces ---- */

static const char *class_of(enum batch_state state) {
	return state == BATCH_PASS ? "pass" :
			state == BATCH_REFUSED || state >= BATCH_MISSING ? "warn" : "bad";
}

static void write_messages(FILE *f, const struct batch_row *row) {
	const char *message = batch_row_message(row, 0);
	if (!message) {
		return;
	}
	fputs("<ul class=\"messages\">", f);
	for (size_t i = 0; (message = batch_row_message(row, i)); i++) {
		fputs("<li>", f);
		markup_text(f, message);
	}
	fputs("</ul>\n", f);
}

/* Writes its name, and where more is beside the page; not as links, since the page may be alone. */
static void write_name(FILE *f, const struct batch_row *row) {
	fputs("<span class=\"name\">", f);
	markup_text(f, row->name);
	fputs("</span>", f);
	if (row->result) {
		fprintf(f, "<span class=\"more\">%.3f s, <code>results/%s</code></span>", row->seconds,
				row->unit->key);
	}
}

/* ---- Failures ---- */

/* Order of two rows, as strcmp(). */
static int compare_messages(const struct batch_row *a, const struct batch_row *b) {
	int order = 0;
	for (size_t i = 0; order == 0; i++) {
		const char *x = batch_row_message(a, i), *y = batch_row_message(b, i);
		if (!x || !y) {
			return !!x - !!y;
		}
		order = strcmp(x, y);
	}
	return order;
}

/* Order: by state; then rows with pictures by path, the others by their messages. */
static int compare_failed(const void *a, const void *b) {
	const struct batch_row *x = *(const struct batch_row *const *)a;
	const struct batch_row *y = *(const struct batch_row *const *)b;
	if (x->state != y->state) {
		return x->state < y->state ? -1 : 1;
	}
	const bool has_views = batch_has_views(x);
	if (has_views != batch_has_views(y)) {
		return has_views ? -1 : 1;
	}
	const int order = has_views ? 0 : compare_messages(x, y);
	return order ? order : x < y ? -1 : x > y;
}

/* One row with pictures, or all rows with the same message. */
static void write_failed(FILE *f, const struct batch_row *const *rows, unsigned n) {
	const struct batch_row *row = rows[0];
	fprintf(f, "<section class=\"%c\"><h3><span class=\"state %s\">%s</span> ",
		class_of(row->state)[0], class_of(row->state), batch_state_name(row->state));
	if (n == 1) {
		write_name(f, row);
	} else {
		fprintf(f, "%u %s", n, row->state == BATCH_UNUSED ? "pictures" : "captures");
	}
	fputs("</h3>\n", f);
	batch_views(f, row);
	write_messages(f, row);
	for (unsigned i = 0; n > 1 && i < n; i++) {
		fputs(i ? "<li>" : "<ul class=\"names\"><li>", f);
		write_name(f, rows[i]);
		fputs(i + 1 < n ? "\n" : "</ul>\n", f);
	}
	fputs("</section>\n", f);
}

static int write_all_failed(FILE *f, const struct batch_report *report) {
	const struct batch_row **rows = calloc((size_t)report->n + 1, sizeof(*rows));
	unsigned n = 0;
	if (!rows) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < report->n; i++) {
		if (report->rows[i].state != BATCH_PASS) {
			rows[n++] = &report->rows[i];
		}
	}
	qsort(rows, n, sizeof(*rows), compare_failed);
	for (unsigned i = 0, end; i < n; i = end) {
		if (i == 0 || rows[i - 1]->state != rows[i]->state) {
			const enum batch_state state = rows[i]->state;
			const char *name = batch_state_name(state);
			fprintf(f, "%s<div class=\"s-%s\">\n<h2 id=\"%s\">%u %s</h2>\n",
				i ? "</div>\n" : "", name, name, report->counts[state], name);
		}
		end = i + 1;
		while (end < n && !batch_has_views(rows[i]) && !batch_has_views(rows[end]) &&
				rows[end]->state == rows[i]->state &&
				compare_messages(rows[end], rows[i]) == 0) {
			end++;
		}
		write_failed(f, rows + i, end - i);
	}
	fputs(n ? "</div>\n" : "", f);
	free(rows);
	return 0;
}

/* ---- Passed captures ---- */

static void write_passed(FILE *f, const struct batch_row *row) {
	const json_t *pictures = json_object_get(row->result, "pictures");
	const json_t *picture;
	size_t i;
	unsigned n = 0;
	fputs("<tr><td>", f);
	write_name(f, row);
	write_messages(f, row);
	json_array_foreach(pictures, i, picture) {
		const char *file = json_text_of(picture, "file");
		if (file && n < MAX_THUMBS) {
			char size[48];
			snprintf(size, sizeof(size), "width=\"%" JSON_INTEGER_FORMAT "\"",
				json_number_of(picture, "width") / 2);
			fputs(n++ ? "" : "<div class=\"thumbs\">", f);
			batch_image(f, row, file, json_text_of(picture, "screen"), size);
		}
	}
	fputs(n ? "</div>" : "", f);
	fprintf(f, "<td class=\"n\">%zu\n", json_array_size(pictures));
}

static void write_all_passed(FILE *f, const struct batch_report *report) {
	const unsigned n = report->counts[BATCH_PASS];
	if (!n) {
		return;
	}
	fprintf(f,
		"<div class=\"s-pass\">\n<h2 id=\"pass\">%u passed</h2>\n<table>\n<tr><th>capture<th class=\"n\">pictures\n",
		n);
	for (unsigned i = 0; i < report->n; i++) {
		if (report->rows[i].state == BATCH_PASS) {
			write_passed(f, &report->rows[i]);
		}
	}
	fputs("</table>\n</div>\n", f);
}

/* ---- Head ---- */

/* Writes the origin and the time of the results, which differ from the report's. */
static void write_origin(FILE *f, const struct batch_report *report) {
	const char *hosts[MAX_HOSTS + 1] = { NULL }, *first = NULL, *last = NULL;
	unsigned n = 0, known;
	for (unsigned i = 0; i < report->n; i++) {
		const char *host = json_text_of(report->rows[i].run, "host");
		const char *end = json_text_of(report->rows[i].run, "ended");
		if (host && n < MAX_HOSTS && !option_word(hosts, host, &known)) {
			hosts[n++] = host;
		}
		first = end && (!first || strcmp(end, first) < 0) ? end : first;
		last = end && (!last || strcmp(end, last) > 0) ? end : last;
	}
	for (unsigned i = 0; i < n; i++) {
		fputs(i ? ", " : "<br>drawn on ", f);
		markup_text(f, hosts[i]);
	}
	if (n && first) {
		fputs(", ", f);
		markup_text(f, first);
		fputs(strcmp(first, last) == 0 ? "" : " to ", f);
		markup_text(f, strcmp(first, last) == 0 ? "" : last);
	}
}

static void write_head(FILE *f, const struct batch_report *report) {
	const struct batch_settings *s = &report->plan->settings;
	const uint32_t v = pica_version();
	struct markup_filter filters[BATCH_STATE_COUNT];
	char text[64];
	snprintf(text, sizeof(text), "%u unit%s", report->plan->n, plural(report->plan->n));
	markup_page(f, text, style);
	fputs("<h1>pica batch</h1>\n<p class=\"about\"><code>", f);
	markup_text(f, report->command);
	fprintf(f, "</code><br>libpica %u.%u.%u, build <code>%.12s</code>; frames ", v >> 16,
		v >> 8 & 0xFF, v & 0xFF, report->plan->program);
	markup_text(f, s->frames_text);
	fprintf(f, "; %s arithmetic", float_words[s->float_mode]);
	fputs(s->combiner == PICA_COMBINER_TRUNCATE ? ", combiner truncates" : "", f);
	fputs(s->verify ? "; compared with what the captures expect" : "", f);
	if (s->golden) {
		fputs("; compared with the pictures in <code>", f);
		markup_text(f, s->golden);
		fprintf(f, "</code> (tolerance %" PRIu32 ", pixels %" PRIu32 ")", s->tolerance,
				s->allowed);
	}
	write_origin(f, report);
	fputs("</p>\n", f);
	for (unsigned i = 0; i < BATCH_STATE_COUNT; i++) {
		const enum batch_state state = (enum batch_state)i;
		filters[i] = (struct markup_filter){ batch_state_name(state), class_of(state),
			report->counts[i] };
	}
	snprintf(text, sizeof(text), "<li><b>%.1f s</b>of work</li>\n", report->seconds);
	markup_filters(f, filters, BATCH_STATE_COUNT, text);
}

int batch_html_write(FILE *f, const struct batch_report *report) {
	write_head(f, report);
	const int ret = write_all_failed(f, report);
	write_all_passed(f, report);
	fputs("</body></html>\n", f);
	return ret;
}
