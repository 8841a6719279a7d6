/* The zstd compression around a capture: bytes in, bytes out.  [RFC 8878] */
#ifndef CAPTURE_ZST_H
#define CAPTURE_ZST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pica_capture_error;

/* 1 GiB: the largest size of a decompressed capture, in reader and writer. */
#define ZST_MAX_BYTES (UINT64_C(1) << 30)

/* Whether data begins like a zstd frame (28 B5 2F FD). */
bool zst_is_compressed(const uint8_t *data, uint64_t size);

/*
 * Decompresses all frames into *out (caller frees), of *out_size bytes, at most limit. Memory grows
 * with the output, not with the announced sizes; in addition there is one window of at most
 * 128 MiB, of which only the used part is touched. *err (may be NULL) names compressed bytes.
 *   -EINVAL  damaged, cut off, or followed by something else     -EFBIG  more than limit bytes
 *   -EOPNOTSUPP  a window of more than 128 MiB, a dictionary     -ENOMEM
 */
int zst_decompress(uint8_t **out, uint64_t *out_size, const uint8_t *data, uint64_t size,
		uint64_t limit, const char *name, struct pica_capture_error *err);

/*
 * Compresses size bytes from the position of `in` to `out`: one frame of level 19 with its content
 * size and checksum. Returns 0. On failure returns -EIO (in ends early), -ENOMEM or an error of
 * stdio.
 */
int zst_compress_file(FILE *in, uint64_t size, FILE *out);

#endif
