/* The report as one page: what failed stands first, with its pictures side by side. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch_report.h"

enum { MAX_THUMBS = 6 }; /* of a unit that passed */

static const char style[] =
	":root{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--paper:#f6f7f9;--card:#fff;--line:#dfe2e6;"
	"--pass:#1a7f48;--bad:#c62a2f;--warn:#a15c00}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#edeef0;--dim:#a0a4ac;--paper:#111316;--card:#1a1d21;"
	"--line:#30343a;--pass:#4cc38a;--bad:#ff6369;--warn:#f1a10d}}\n"
	"*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem;max-width:84rem;background:var(--paper);"
	"color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2rem 0 .75rem}\n"
	"code,.name,.messages{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;font-size:.9em;"
	"overflow-wrap:anywhere}\n"
	".about{color:var(--dim);margin:0 0 "
	"1rem}.counts{display:flex;flex-wrap:wrap;gap:.75rem;padding:0;margin:0}\n"
	".counts li{list-style:none;background:var(--card);border:1px solid var(--line);border-radius:.5rem;"
	"padding:.5rem 1rem;min-width:7rem}.counts b{display:block;font-size:1.5rem;line-height:1.2}\n"
	".pass{color:var(--pass)}.bad{color:var(--bad)}.warn{color:var(--warn)}\n"
	"section{background:var(--card);border:1px solid var(--line);border-left:.3rem solid var(--bad);"
	"border-radius:.5rem;padding:.75rem 1rem;margin:0 0 1rem}section.w{border-left-color:var(--warn)}\n"
	"section h3{margin:0;font-size:1rem;font-weight:600}.state{font-weight:600;margin-right:.5rem}\n"
	".messages{margin:.5rem 0;padding-left:1.2rem}\n"
	".views{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.75rem;margin:.75rem 0 0}\n"
	"figure{margin:0}figcaption{color:var(--dim);font-size:.85em;margin-top:.2rem}\n"
	"img{display:block;width:100%;height:auto;background:#000;border-radius:.25rem;image-rendering:"
	"pixelated}\n"
	"a{color:inherit}.more{color:var(--dim);font-size:.85em;margin-left:.5rem}\n"
	"table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line)}"
	"th,td{text-align:left;padding:.35rem .75rem;border-bottom:1px solid var(--line);vertical-align:top}"
	"th{color:var(--dim);font-weight:500}.n{text-align:right;white-space:nowrap;"
	"font-variant-numeric:tabular-nums}\n"
	".thumbs{display:flex;flex-wrap:wrap;gap:.4rem;margin-top:.3rem}.thumbs "
	"img{width:10rem;image-rendering:auto}\n"
	"@media(max-width:40rem){.views{grid-template-columns:1fr}}\n";

/* ---- Pieces ---- */

static const char *text_of(const json_t *row, const char *member) {
	return json_string_value(json_object_get(row, member));
}

static const char *class_of(enum batch_state state) {
	return state == BATCH_PASS ? "pass" :
			state == BATCH_REFUSED || state == BATCH_MISSING ? "warn" : "bad";
}

static void write_link(FILE *f, const struct batch_row *row, const char *file) {
	fputs("results/", f);
	batch_markup_text(f, row->unit->key);
	fputc('/', f);
	batch_markup_text(f, file);
}

static void write_image(FILE *f, const struct batch_row *row, const char *file, const char *what) {
	fputs("<a href=\"", f);
	write_link(f, row, file);
	fputs("\"><img loading=\"lazy\" alt=\"", f);
	batch_markup_text(f, what);
	fputs("\" src=\"", f);
	write_link(f, row, file);
	fputs("\"></a>", f);
}

/* "frame 12, top" */
static void write_where(FILE *f, const json_t *picture) {
	fprintf(f, "frame %" JSON_INTEGER_FORMAT ", ",
			json_integer_value(json_object_get(picture, "frame")));
	batch_markup_text(f, text_of(picture, "screen"));
}

static void write_figure(
	FILE *f, const struct batch_row *row, const json_t *picture, const char *member,
			const char *what) {
	const char *file = text_of(picture, member);
	if (!file) {
		return;
	}
	fputs("<figure>", f);
	write_image(f, row, file, what);
	fprintf(f, "<figcaption>%s, ", what);
	write_where(f, picture);
	fputs("</figcaption></figure>\n", f);
}

static bool is_wrong(const json_t *picture) {
	const char *golden = text_of(picture, "golden");
	return json_object_get(picture, "expected_hash") || (golden && strcmp(golden, "same") != 0);
}

/*
 * What was drawn wrong, as far as it was kept: each with what was expected and the difference on a
 * line of its own, or, where only hashes were expected, one behind the other.
 */
static void write_views(FILE *f, const struct batch_row *row) {
	const json_t *pictures = json_object_get(row->result, "pictures");
	const json_t *picture;
	size_t i;
	bool is_open = false;
	json_array_foreach(pictures, i, picture) {
		if (!is_wrong(picture) || !text_of(picture, "file")) {
			continue;
		}
		const bool is_alone = !text_of(picture, "expected_file");
		if (is_open && !is_alone) {
			fputs("</div>\n", f);
			is_open = false;
		}
		if (!is_open) {
			fputs("<div class=\"views\">\n", f);
		}
		write_figure(f, row, picture, "expected_file", "expected");
		write_figure(f, row, picture, "file", "drawn");
		write_figure(f, row, picture, "difference_file", "difference");
		is_open = is_alone;
		if (!is_open) {
			fputs("</div>\n", f);
		}
	}
	if (is_open) {
		fputs("</div>\n", f);
	}
}

static void write_messages(FILE *f, const struct batch_row *row) {
	const char *message = batch_row_message(row, 0);
	if (!message) {
		return;
	}
	fputs("<ul class=\"messages\">", f);
	for (size_t i = 0; (message = batch_row_message(row, i)); i++) {
		fputs("<li>", f);
		batch_markup_text(f, message);
	}
	fputs("</ul>\n", f);
}

/* ---- Parts ---- */

static void write_failed(FILE *f, const struct batch_row *row) {
	fprintf(f, "<section class=\"%c\"><h3><span class=\"state %s\">%s</span> <span class=\"name\">",
		class_of(row->state)[0], class_of(row->state), batch_state_name(row->state));
	batch_markup_text(f, row->name);
	fputs("</span>", f);
	if (row->result) {
		fprintf(f, "<span class=\"more\">%.3f s</span>", row->seconds);
	}
	fputs("</h3>\n", f);
	write_messages(f, row);
	write_views(f, row);
	fputs("</section>\n", f);
}

static void write_passed(FILE *f, const struct batch_row *row) {
	const json_t *pictures = json_object_get(row->result, "pictures");
	const json_t *picture;
	size_t i;
	unsigned n = 0;
	fputs("<tr><td><span class=\"name\">", f);
	batch_markup_text(f, row->name);
	fputs("</span>", f);
	write_messages(f, row);
	json_array_foreach(pictures, i, picture) {
		const char *file = text_of(picture, "file");
		if (file && n < MAX_THUMBS) {
			fputs(n++ ? "" : "<div class=\"thumbs\">", f);
			write_image(f, row, file, text_of(picture, "screen"));
		}
	}
	fputs(n ? "</div>" : "", f);
	fprintf(f, "<td class=\"n\">%zu<td class=\"n\">%.3f\n", json_array_size(pictures), row->seconds);
}

static void write_head(FILE *f, const struct batch_report *report) {
	const struct batch_settings *s = &report->plan->settings;
	const uint32_t v = pica_version();
	fprintf(f,
		"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
		"content=\"width=device-width\">\n<title>%u unit%s</title>\n<style>\n%s</style></head>\n<body>\n"
		"<h1>pica batch</h1>\n<p class=\"about\">",
		report->n, plural(report->n), style);
	fprintf(f, "libpica %u.%u.%u, build <code>%.12s</code>; frames ", v >> 16, v >> 8 & 0xFF, v & 0xFF,
		report->plan->program);
	batch_markup_text(f, s->frames_text);
	fprintf(f, "; %s arithmetic", s->float_mode == PICA_FLOAT_F32 ? "f32" : "f24");
	fputs(s->combiner == PICA_COMBINER_TRUNCATE ? ", combiner truncates" : "", f);
	fputs(s->verify ? "; compared with what the captures expect" : "", f);
	if (s->golden) {
		fputs("; compared with the pictures in <code>", f);
		batch_markup_text(f, s->golden);
		fprintf(f, "</code> (tolerance %" PRIu32 ", pixels %" PRIu32 ")", s->tolerance,
				s->allowed);
	}
	fputs(".</p>\n<ul class=\"counts\">\n", f);
	for (unsigned i = 0; i < BATCH_STATE_COUNT; i++) {
		if (report->counts[i]) {
			fprintf(f, "<li class=\"%s\"><b>%u</b>%s</li>\n", class_of((enum batch_state)i),
				report->counts[i], batch_state_name((enum batch_state)i));
		}
	}
	fprintf(f, "<li><b>%.1f s</b>of work</li>\n</ul>\n", report->seconds);
}

int batch_html_write(FILE *f, const struct batch_report *report) {
	const unsigned n_failed = report->n - report->counts[BATCH_PASS];
	write_head(f, report);
	if (n_failed) {
		fprintf(f, "<h2>%u failed</h2>\n", n_failed);
	}
	for (unsigned i = 0; i < report->n; i++) {
		if (report->rows[i].state != BATCH_PASS) {
			write_failed(f, &report->rows[i]);
		}
	}
	if (report->counts[BATCH_PASS]) {
		fprintf(f,
			"<h2>%u passed</h2>\n<table>\n<tr><th>capture<th class=\"n\">pictures<th "
			"class=\"n\">seconds\n",
			report->counts[BATCH_PASS]);
	}
	for (unsigned i = 0; i < report->n; i++) {
		if (report->rows[i].state == BATCH_PASS) {
			write_passed(f, &report->rows[i]);
		}
	}
	fputs(report->counts[BATCH_PASS] ? "</table>\n" : "", f);
	fputs("</body></html>\n", f);
	return 0;
}
