#include "markup.h"

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

void markup_base64(FILE *f, const uint8_t *bytes, size_t n) {
	static const char digits[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
