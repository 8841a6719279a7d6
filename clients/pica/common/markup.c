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
