/* Unicode in units of 8, 16 and 32 bits. */
#ifndef CTRU_UTF_H
#define CTRU_UTF_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the first code point. Returns its number of units; 0 at the end; -1: not Unicode. */
ssize_t decode_utf8(uint32_t *out, const uint8_t *in);
ssize_t decode_utf16(uint32_t *out, const uint16_t *in);
/* Stores a code point unless out is NULL. Returns its number of units (at most 4, 2), or -1. */
ssize_t encode_utf8(uint8_t *out, uint32_t in);
ssize_t encode_utf16(uint16_t *out, uint32_t in);

/*
 * Convert up to the final zero, which is not stored. len: size of out in units; stores what fits.
 * Returns the units of the whole text, or -1.
 */
ssize_t utf8_to_utf16(uint16_t *out, const uint8_t *in, size_t len);
ssize_t utf8_to_utf32(uint32_t *out, const uint8_t *in, size_t len);
ssize_t utf16_to_utf8(uint8_t *out, const uint16_t *in, size_t len);
ssize_t utf16_to_utf32(uint32_t *out, const uint16_t *in, size_t len);
ssize_t utf32_to_utf8(uint8_t *out, const uint32_t *in, size_t len);
ssize_t utf32_to_utf16(uint16_t *out, const uint32_t *in, size_t len);

#ifdef __cplusplus
}
#endif

#endif
