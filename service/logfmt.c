#include "service/logfmt.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char cut[] = "...\"";

struct line {
	char *out;
	size_t n, most; /* after this many bytes there is room for cut and the final 0 */
	bool in_quotes, is_full;
};

static void put(struct line *l, const char *text, size_t n) {
	if (l->is_full || n > l->most - l->n) {
		l->is_full = true; /* never part of an escape or number */
		return;
	}
	memcpy(l->out + l->n, text, n);
	l->n += n;
}

static void put_value(struct line *l, const char *text) {
	static const char plain[] = "\"\\\n\r\t", letter[] = "\"\\nrt";
	for (; *text && !l->is_full; text++) {
		const unsigned char c = (unsigned char)*text;
		const char *special = strchr(plain, c);
		char escape[8] = { '\\' };
		if (special) {
			escape[1] = letter[special - plain];
			put(l, escape, 2);
		} else if (c < 0x20 || c == 0x7F) {
			put(l, escape, (size_t)snprintf(escape, sizeof(escape), "\\x%02x", c));
		} else {
			put(l, text, 1);
		}
	}
}

/* Appends a number by its specification, spec[0..n), which ends in d, u or x. */
static void put_number(struct line *l, const char *spec, size_t n, va_list *args) {
	char format[16], text[32];
	const char kind = spec[n - 1];
	const size_t longs = (n > 2 && spec[n - 2] == 'l') + (size_t)(n > 3 && spec[n - 3] == 'l');
	const bool is_size = n > 2 && spec[n - 2] == 'z';
	const size_t flags = n - 2 - (is_size ? 1 : longs); /* between % and the length */
	int len;
	if (flags > 4) {
		return;
	}
	if (kind == 'd') {
		long long v = is_size ? (long long)va_arg(*args, ptrdiff_t) :
				longs == 2    ? va_arg(*args, long long) :
				longs         ? va_arg(*args, long) :
						va_arg(*args, int);
		snprintf(format, sizeof(format), "%.*slld", (int)(1 + flags), spec);
		len = snprintf(text, sizeof(text), format, v);
	} else {
		unsigned long long v = is_size ? va_arg(*args, size_t) :
				longs == 2     ? va_arg(*args, unsigned long long) :
				longs          ? va_arg(*args, unsigned long) :
						 va_arg(*args, unsigned);
		snprintf(format, sizeof(format), "%.*sll%c", (int)(1 + flags), spec, kind);
		len = snprintf(text, sizeof(text), format, v);
	}
	put(l, text, len > 0 && (size_t)len < sizeof(text) ? (size_t)len : 0);
}

void logfmt_line(char *out, size_t size, const char *fmt, va_list args) {
	struct line l = { .out = out, .most = size - sizeof(cut) };
	va_list rest;
	va_copy(rest, args);
	while (*fmt) {
		size_t n = strcspn(fmt, "%\"");
		put(&l, fmt, n);
		fmt += n;
		if (*fmt == '"') {
			put(&l, fmt++, 1);
			l.in_quotes ^= !l.is_full;
		} else if (*fmt == '%') {
			n = 1 + strspn(fmt + 1, "0123456789lz") + 1;
			const char kind = fmt[n - 1];
			if (kind == 's') {
				const char *text = va_arg(rest, const char *);
				text = text ? text : "";
				if (l.in_quotes) {
					put_value(&l, text);
				} else {
					put(&l, text, strlen(text));
				}
			} else if (kind == '%') {
				put(&l, "%", 1);
			} else {
				put_number(&l, fmt, n, &rest);
			}
			fmt += n;
		}
	}
	va_end(rest);
	if (l.is_full) {
		memcpy(out + l.n, cut, sizeof(cut));
		l.n += sizeof(cut) - 1 - !l.in_quotes;
	}
	out[l.n] = 0;
}

void logfmt_log(server_log_fn *log, void *user, enum log_level level, const char *fmt, ...) {
	char line[512];
	va_list args;
	if (log) {
		va_start(args, fmt);
		logfmt_line(line, sizeof(line), fmt, args);
		va_end(args);
		log(user, level, line);
	}
}
