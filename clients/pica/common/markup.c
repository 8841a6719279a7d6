#include "markup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void markup_text(FILE *f, const char *text) {
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		switch (*c) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			if (*c == 0xEF && c[1] == 0xBF && c[2] >= 0xBE) { /* U+FFFE, U+FFFF */
				fputc('?', f);
				c += 2;
			} else {
				fputc((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7F ? '?' :
						*c, f);
			}
		}
	}
}

static const char common_style[] =
	":root{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--paper:#f6f7f9;--card:#fff;--line:#dfe2e6;"
	"--pass:#1a7f48;--bad:#c62a2f;--warn:#a15c00}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#edeef0;--dim:#a0a4ac;--paper:#111316;--card:#1a1d21;"
	"--line:#30343a;--pass:#4cc38a;--bad:#ff6369;--warn:#f1a10d}}\n"
	"*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem;max-width:84rem;background:var(--paper);"
	"color:var(--ink);font:15px/1.5 system-ui,sans-serif}a{color:inherit}\n"
	"h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2rem 0 .75rem}\n"
	"code,.name,.messages{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;font-size:.9em;"
	"overflow-wrap:anywhere}\n"
	".about{color:var(--dim);margin:0 0 "
	"1rem}.counts{display:flex;flex-wrap:wrap;gap:.75rem;padding:0;margin:0}\n"
	".counts li{list-style:none;background:var(--card);border:1px solid var(--line);border-radius:.5rem;"
	"padding:.5rem 1rem;min-width:7rem}.counts b{display:block;font-size:1.5rem;line-height:1.2}\n"
	".pass{color:var(--pass)}.bad{color:var(--bad)}.warn{color:var(--warn)}\n"
	"table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line)}"
	"th,td{text-align:left;padding:.35rem .75rem;border-bottom:1px solid var(--line);vertical-align:top}"
	"th{color:var(--dim);font-weight:500}.n{text-align:right;white-space:nowrap;"
	"font-variant-numeric:tabular-nums}\n";

void markup_page(FILE *f, const char *title, const char *style) {
	fprintf(f,
			"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
			"content=\"width=device-width\">\n<title>%s</title>\n<style>\n%s%s</style></head>\n<body>\n",
			title, common_style, style);
}

void markup_filters(FILE *f, const struct markup_filter *filters, unsigned n, const char *rest) {
	fputs("<ul class=\"counts\">\n", f);
	for (const struct markup_filter *s = filters; s < filters + n; s++) {
		if (s->n) {
			fprintf(f,
					"<li class=\"%s\"><a href=\"#%s\"><b>%u</b>%s</a> <input type=\"checkbox\" "
					"checked class=\"f-%s\" aria-label=\"show %s\"></li>\n",
					s->class, s->name, s->n, s->name, s->name, s->name);
		}
	}
	fprintf(f, "%s</ul>\n<style>\n", rest);
	for (const struct markup_filter *s = filters; s < filters + n; s++) {
		if (s->n) {
			fprintf(f, "body:has(.f-%s:not(:checked)) .s-%s{display:none}\n", s->name,
					s->name);
		}
	}
	fputs("</style>\n", f);
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void markup_base64(FILE *f, const uint8_t *bytes, size_t n) {
	for (size_t i = 0; i < n; i += 3) {
		const uint32_t left = n - i > 2 ? 3 : (uint32_t)(n - i);
		const uint32_t v = (uint32_t)bytes[i] << 16 |
				(left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				(left > 2 ? bytes[i + 2] : 0);
		for (uint32_t k = 0; k < 4; k++) {
			fputc(k <= left ? digits[v >> (18 - 6 * k) & 63] : '=', f);
		}
	}
}

uint8_t *markup_from_base64(const char *text, size_t *n) {
	const size_t len = strlen(text);
	const bool has_one = len > 1 && text[len - 1] == '=';
	const size_t filler = has_one ? 1 + (text[len - 2] == '=') : 0;
	uint8_t *out = len % 4 ? NULL : malloc(len / 4 * 3 + 1);
	uint32_t bits = 0;
	*n = 0;
	for (size_t i = 0; out && i < len - filler; i++) {
		const char *digit = strchr(digits, text[i]);
		if (!digit) {
			free(out);
			return NULL;
		}
		bits = bits << 6 | (uint32_t)(digit - digits);
		if (i % 4) {
			out[(*n)++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
		}
	}
	return out;
}
