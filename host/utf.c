/* Unicode in units of 8, 16 and 32 bits. */
#include "host.h"

#include <string.h>

#include <3ds/util/utf.h>

enum { MOST = 0x10FFFF, SURROGATE = 0xD800, LOW_SURROGATE = 0xDC00, AFTER_SURROGATES = 0xE000 };

static bool is_code(uint32_t code) {
	return code <= MOST && !(code >= SURROGATE && code < AFTER_SURROGATES);
}

PICA_EXPORT ssize_t decode_utf8(uint32_t *out, const uint8_t *in) {
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned head = in[0];
	const unsigned more = head < 0x80 ? 0 : head >> 5 == 6 ? 1 : head >> 4 == 14 ? 2 : 3;
	if (more == 3 && head >> 3 != 30) {
		return -1;
	}
	uint32_t code = more ? head & (0x3Fu >> more) : head;
	for (unsigned i = 1; i <= more; i++) {
		if (in[i] >> 6 != 2) {
			return -1;
		}
		code = code << 6 | (in[i] & 0x3F);
	}
	if (code < least[more] || !is_code(code)) {
		return -1;
	}
	*out = code;
	return code ? (ssize_t)more + 1 : 0;
}

PICA_EXPORT ssize_t decode_utf16(uint32_t *out, const uint16_t *in) {
	if (in[0] < SURROGATE || in[0] >= AFTER_SURROGATES) {
		*out = in[0];
		return in[0] != 0;
	}
	if (in[0] >= LOW_SURROGATE || in[1] < LOW_SURROGATE || in[1] >= AFTER_SURROGATES) {
		return -1;
	}
	*out = 0x10000 + ((in[0] & 0x3FFu) << 10 | (in[1] & 0x3FF));
	return 2;
}

static ssize_t decode_utf32(uint32_t *out, const uint32_t *in) {
	*out = *in;
	return is_code(*in) ? *in != 0 : -1;
}

PICA_EXPORT ssize_t encode_utf8(uint8_t *out, uint32_t in) {
	const unsigned more = in < 0x80 ? 0 : in < 0x800 ? 1 : in < 0x10000 ? 2 : 3;
	if (!is_code(in)) {
		return -1;
	}
	for (unsigned i = 0; out && i <= more; i++) {
		const uint32_t bits = in >> 6 * (more - i);
		out[i] = (uint8_t)(i ? 0x80 | (bits & 0x3F) : bits);
	}
	if (out && more) {
		out[0] |= (uint8_t)(0xFF00u >> (more + 1)); /* 110, 1110, 11110 */
	}
	return (ssize_t)more + 1;
}

PICA_EXPORT ssize_t encode_utf16(uint16_t *out, uint32_t in) {
	const bool is_pair = in >= 0x10000;
	if (!is_code(in)) {
		return -1;
	}
	if (out) {
		out[0] = (uint16_t)(is_pair ? SURROGATE | (in - 0x10000) >> 10 : in);
	}
	if (out && is_pair) {
		out[1] = (uint16_t)(LOW_SURROGATE | (in & 0x3FF));
	}
	return 1 + is_pair;
}

static ssize_t encode_utf32(uint32_t *out, uint32_t in) {
	if (out) {
		*out = in;
	}
	return 1;
}

#define CONVERT(from, from_type, to, to_type)                                                      \
	PICA_EXPORT ssize_t from##_to_##to(to_type *out, const from_type *in, size_t len) {        \
		ssize_t total = 0;                                                                 \
		uint32_t code;                                                                     \
		for (ssize_t n; (n = decode_##from(&code, in)) != 0; in += n) {                    \
			to_type units[4];                                                          \
			const ssize_t m = n < 0 ? -1 : encode_##to(units, code);                   \
			if (m < 0) {                                                               \
				return -1;                                                         \
			}                                                                          \
			if (out && (size_t)(total + m) <= len) {                                   \
				memcpy(out + total, units, (size_t)m * sizeof(*units));            \
			}                                                                          \
			total += m;                                                                \
		}                                                                                  \
		return total;                                                                      \
	}

CONVERT(utf8, uint8_t, utf16, uint16_t)
CONVERT(utf8, uint8_t, utf32, uint32_t)
CONVERT(utf16, uint16_t, utf8, uint8_t)
CONVERT(utf16, uint16_t, utf32, uint32_t)
CONVERT(utf32, uint32_t, utf8, uint8_t)
CONVERT(utf32, uint32_t, utf16, uint16_t)
