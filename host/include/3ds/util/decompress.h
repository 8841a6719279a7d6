/*
 * Decompression of the console's formats (GBATEK, "LZ Decompression Functions"), as used by tex3ds.
 * Huffman: symbols of 1, 2, 4 and 8 bits.
 */
#ifndef CTRU_DECOMPRESS_H
#define CTRU_DECOMPRESS_H

#include <3ds/types.h>

typedef enum {
	DECOMPRESS_DUMMY = 0x00, DECOMPRESS_LZSS = 0x10, DECOMPRESS_LZ10 = 0x10,
	DECOMPRESS_LZ11 = 0x11, DECOMPRESS_HUFF1 = 0x21, DECOMPRESS_HUFF2 = 0x22,
	DECOMPRESS_HUFF3 = 0x23, DECOMPRESS_HUFF4 = 0x24, DECOMPRESS_HUFF5 = 0x25,
	DECOMPRESS_HUFF6 = 0x26, DECOMPRESS_HUFF7 = 0x27, DECOMPRESS_HUFF8 = 0x28,
	DECOMPRESS_HUFF = 0x28, DECOMPRESS_RLE = 0x30,
} decompressType;

/* A piece of the output. */
typedef struct {
	void *data;
	size_t size;
} decompressIOVec;

/* Reads up to size bytes. Returns their number; 0 or less: end. */
typedef ssize_t (*decompressCallback)(void *user, void *buffer, size_t size);

#ifdef __cplusplus
extern "C" {
#endif

/* user: an int *, a FILE *. */
ssize_t decompressCallback_FD(void *user, void *buffer, size_t size);
ssize_t decompressCallback_Stdio(void *user, void *buffer, size_t size);

/*
 * For all functions: callback NULL: user is the compressed data, insize bytes. Otherwise bytes read
 * beyond the end are lost.
 */

/* Reads the header. Returns its bytes, or -1. */
ssize_t decompressHeader(decompressType *type, size_t *size, decompressCallback callback,
		void *user, size_t insize);
/* With a header. Returns false if the data is bad, or does not fill all pieces. */
bool decompressV(const decompressIOVec *iov, size_t n, decompressCallback callback, void *user,
		size_t insize);
/* Without one. */
bool decompressV_LZSS(const decompressIOVec *iov, size_t n, decompressCallback callback, void *user,
		size_t insize);
bool decompressV_LZ11(const decompressIOVec *iov, size_t n, decompressCallback callback, void *user,
		size_t insize);
bool decompressV_Huff(size_t bits, const decompressIOVec *iov, size_t n,
		decompressCallback callback, void *user, size_t insize);
bool decompressV_RLE(const decompressIOVec *iov, size_t n, decompressCallback callback, void *user,
		size_t insize);

/* The same into one piece. */
#define CTRU_DECOMPRESS(name) \
	static inline bool decompress##name(void *output, size_t size, \
			decompressCallback callback, void *user, size_t insize) { \
		const decompressIOVec iov = { output, size }; \
		return decompressV##name(&iov, 1, callback, user, insize); \
	}
CTRU_DECOMPRESS()
CTRU_DECOMPRESS(_LZSS)
CTRU_DECOMPRESS(_LZ11)
CTRU_DECOMPRESS(_RLE)
#undef CTRU_DECOMPRESS
static inline bool decompress_Huff(size_t bits, void *output, size_t size,
		decompressCallback callback, void *user, size_t insize) {
	const decompressIOVec iov = { output, size };
	return decompressV_Huff(bits, &iov, 1, callback, user, insize);
}

#ifdef __cplusplus
}
#endif

#endif
