#include "pictures/plain.h"

#include <string.h>

/* Returns the length of the UTF-8 sequence at text; 0: none, or a control character. */
static size_t sequence(const unsigned char *text, size_t len) {
	const unsigned char first = text[0];
	if (first < 0x80) {
		return first >= 0x20 && first != 0x7F;
	}
	const size_t n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
	/* Overlong forms begin with C0, C1, E0 80-9F, F0 80-8F; beyond U+10FFFF with F4 90, F5. */
	if (first < 0xC2 || first > 0xF4 || n > len) {
		return 0;
	}
	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xC0) != 0x80) {
			return 0;
		}
	}
	const unsigned char second = text[1];
	const bool is_control = first == 0xC2 && second < 0xA0;
	const bool is_overlong =
			(first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
	const bool is_surrogate = first == 0xED && second >= 0xA0;
	const bool is_beyond = first == 0xF4 && second >= 0x90;
	return is_control || is_overlong || is_surrogate || is_beyond ? 0 : n;
}

size_t plain_text(char *out, size_t size, const char *text, size_t len, bool keep_newlines) {
	const unsigned char *in = (const unsigned char *)text;
	size_t have = 0;
	for (size_t i = 0; i < len;) {
		size_t n = in[i] == '\n' && keep_newlines ? 1 : sequence(in + i, len - i);
		if (have + (n ? n : 4) >= size) {
			break;
		}
		if (n == 0) {
			have += (size_t)snprintf(out + have, size - have, "\\x%02X", in[i]);
			n = 1;
		} else {
			for (size_t k = 0; k < n; k++) {
				out[have++] = text[i + k];
			}
		}
		i += n;
	}
	if (size) {
		out[have] = '\0';
	}
	return have;
}

enum { PIECE = 256 };

void plain_write(FILE *f, const char *text) {
	const unsigned char *in = (const unsigned char *)text;
	for (size_t len = strlen(text); len;) {
		size_t n = sequence(in, len);
		if (n) {
			fwrite(in, 1, n, f);
		} else {
			fprintf(f, "\\x%02X", *in);
			n = 1;
		}
		in += n;
		len -= n;
	}
}

/* ---- The standard error of getopt ---- */

static FILE *plain, *before;

static ssize_t write_plain(void *cookie, const char *bytes, size_t size) {
	FILE *to = cookie;
	for (size_t at = 0; at < size;) {
		char text[4 * PIECE + 1];
		size_t n = size - at < PIECE ? size - at : PIECE;
		/* Does not split a character. */
		while (at + n < size && n > PIECE - 4 &&
				((unsigned char)bytes[at + n] & 0xC0) == 0x80) {
			n--;
		}
		fwrite(text, 1, plain_text(text, sizeof(text), bytes + at, n, true), to);
		at += n;
	}
	fflush(to);
	return (ssize_t)size;
}

void plain_stderr_begin(void) {
	before = stderr;
	plain = fopencookie(stderr, "w", (cookie_io_functions_t){ .write = write_plain });
	if (plain) {
		setvbuf(plain, NULL, _IOLBF, BUFSIZ);
		stderr = plain;
	}
}

void plain_stderr_end(void) {
	if (plain) {
		stderr = before;
		fclose(plain);
		plain = NULL;
	}
}
