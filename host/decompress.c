/*
 * Unpacking. The whole output is produced first, since copies refer back to it, and then returned
 * piece by piece.
 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <3ds/util/decompress.h>

enum {
	IN_BYTES = 4096,
	LARGE = 0x80, /* flag of the type: a size of 32 bits follows */
	MAX_TREE = 512,
};

struct input {
	decompressCallback callback;
	void *user;
	uint8_t buffer[IN_BYTES];
	const uint8_t *at, *end;
	bool is_over; /* it was read beyond its end */
};

struct output {
	uint8_t *data;
	size_t size, n;
};

/* ---- Bytes ---- */

static struct input input_of(decompressCallback callback, void *user, size_t insize) {
	struct input in = { .callback = callback, .user = user };
	if (!callback) {
		in.at = user;
		in.end = in.at ? in.at + insize : NULL;
	}
	return in;
}

static uint8_t next(struct input *in) {
	if (in->at == in->end && in->callback) {
		const ssize_t n = in->callback(in->user, in->buffer, sizeof(in->buffer));
		in->at = in->buffer;
		in->end = in->buffer + (n > 0 ? (size_t)n : 0);
	}
	if (in->at == in->end) {
		in->is_over = true;
		return 0;
	}
	return *in->at++;
}

static bool is_full(const struct output *out) {
	return out->n == out->size;
}

static void put(struct output *out, uint8_t byte) {
	if (out->n < out->size) {
		out->data[out->n++] = byte;
	}
}

/* Returns false if back is beyond the start. */
static bool copy(struct output *out, size_t back, size_t n) {
	if (back > out->n) {
		return false;
	}
	for (; n && !is_full(out); n--) {
		put(out, out->data[out->n - back]);
	}
	return true;
}

/* ---- Formats ---- */

static bool take_dummy(struct input *in, struct output *out) {
	while (!is_full(out) && !in->is_over) {
		put(out, next(in));
	}
	return true;
}

static bool copy_lz10(struct input *in, struct output *out) {
	const unsigned a = next(in), b = next(in);
	return copy(out, ((a & 15) << 8 | b) + 1, (a >> 4) + 3);
}

static bool copy_lz11(struct input *in, struct output *out) {
	unsigned word = next(in);
	unsigned more = 0, base = 1; /* extra bytes of the length; its least value */
	if (word >> 4 == 0) {
		more = 1;
		base = 0x11;
	} else if (word >> 4 == 1) {
		more = 2;
		base = 0x111;
		word &= 15;
	}
	for (unsigned i = 0; i < more; i++) {
		word = word << 8 | next(in);
	}
	const unsigned length = (word >> 4) + base;
	return copy(out, ((word & 15) << 8 | next(in)) + 1, length);
}

static bool take_lz(struct input *in, struct output *out,
		bool copy_some(struct input *in, struct output *out)) {
	while (!is_full(out) && !in->is_over) {
		unsigned flags = next(in);
		for (unsigned i = 0; i < 8 && !is_full(out) && !in->is_over; i++, flags <<= 1) {
			if (!(flags & 0x80)) {
				put(out, next(in));
			} else if (!copy_some(in, out)) {
				return false;
			}
		}
	}
	return true;
}

static bool take_rle(struct input *in, struct output *out) {
	while (!is_full(out) && !in->is_over) {
		const unsigned head = next(in);
		const bool is_run = head & 0x80;
		const uint8_t byte = is_run ? next(in) : 0;
		for (unsigned n = is_run ? (head & 0x7F) + 3 : head + 1; n && !is_full(out); n--) {
			put(out, is_run ? byte : next(in));
		}
	}
	return true;
}

/* A node: distance to its children in bits 0-5; bits 7, 6: child 0, 1 is a symbol. */
static bool take_huff(struct input *in, struct output *out, unsigned bits) {
	uint8_t tree[MAX_TREE] = { next(in) };
	const unsigned n = (tree[0] + 1u) * 2;
	for (unsigned i = 1; i < n; i++) {
		tree[i] = next(in);
	}
	unsigned node = 1, filled = 0;
	uint8_t byte = 0;
	while (!is_full(out) && !in->is_over) {
		uint32_t word = 0;
		for (unsigned i = 0; i < 4; i++) {
			word |= (uint32_t)next(in) << 8 * i;
		}
		for (unsigned i = 0; i < 32 && !is_full(out); i++, word <<= 1) {
			const unsigned bit = word >> 31;
			const bool is_symbol = tree[node] >> (7 - bit) & 1;
			node = (node & ~1u) + (tree[node] & 0x3Fu) * 2 + 2 + bit;
			if (node >= n) {
				return false;
			}
			if (!is_symbol) {
				continue;
			}
			byte |= (uint8_t)((tree[node] & ((1u << bits) - 1)) << filled);
			node = 1;
			filled += bits;
			if (filled == 8) {
				put(out, byte);
				byte = 0;
				filled = 0;
			}
		}
	}
	return true;
}

static bool take(struct input *in, struct output *out, unsigned type) {
	switch (type) {
	case DECOMPRESS_DUMMY:
		return take_dummy(in, out);
	case DECOMPRESS_LZ10:
		return take_lz(in, out, copy_lz10);
	case DECOMPRESS_LZ11:
		return take_lz(in, out, copy_lz11);
	case DECOMPRESS_HUFF1:
	case DECOMPRESS_HUFF2:
	case DECOMPRESS_HUFF4:
	case DECOMPRESS_HUFF8:
		return take_huff(in, out, type & 15);
	case DECOMPRESS_RLE:
		return take_rle(in, out);
	default:
		return false;
	}
}

/* ---- Programs ---- */

/* Returns the bytes of the header, or -1. */
static ssize_t take_header(struct input *in, unsigned *type, size_t *size) {
	*type = next(in);
	const unsigned bytes = *type & LARGE ? 7 : 3;
	*size = 0;
	for (unsigned i = 0; i < bytes; i++) {
		*size |= i < 4 ? (size_t)next(in) << 8 * i : (size_t)next(in) * 0;
	}
	*type &= ~(unsigned)LARGE;
	return in->is_over ? -1 : (ssize_t)bytes + 1;
}

/* Decompresses data without a header, until the pieces are full. */
static bool fill(const decompressIOVec *iov, size_t n, struct input *in, unsigned type) {
	struct output out = { .n = 0 };
	for (size_t i = 0; i < n; i++) {
		out.size += iov[i].size;
	}
	out.data = malloc(out.size + 1);
	const bool is_fine = out.data && take(in, &out, type) && !in->is_over && is_full(&out);
	size_t at = 0;
	for (size_t i = 0; is_fine && i < n; i++) {
		memcpy(iov[i].data, out.data + at, iov[i].size);
		at += iov[i].size;
	}
	free(out.data);
	return is_fine;
}

PICA_EXPORT bool decompressV(const decompressIOVec *iov, size_t n, decompressCallback callback,
		void *user, size_t insize) {
	struct input in = input_of(callback, user, insize);
	unsigned type;
	size_t size;
	return take_header(&in, &type, &size) >= 0 && fill(iov, n, &in, type);
}

PICA_EXPORT ssize_t decompressHeader(decompressType *type, size_t *size,
		decompressCallback callback, void *user, size_t insize) {
	struct input in = { .callback = NULL };
	uint8_t head[8];
	unsigned kind;
	size_t bytes;
	if (callback) {
		/* no byte more than it has */
		if (callback(user, head, 4) != 4 ||
				(head[0] & LARGE && callback(user, head + 4, 4) != 4)) {
			return -1;
		}
		in.at = head;
		in.end = head + (head[0] & LARGE ? 8 : 4);
	} else {
		in = input_of(NULL, user, insize);
	}
	const ssize_t n = take_header(&in, &kind, &bytes);
	if (n >= 0 && type) {
		*type = (decompressType)kind;
	}
	if (n >= 0 && size) {
		*size = bytes;
	}
	return n;
}

static bool without_header(const decompressIOVec *iov, size_t n, decompressCallback callback,
		void *user, size_t insize, unsigned type) {
	struct input in = input_of(callback, user, insize);
	return fill(iov, n, &in, type);
}

PICA_EXPORT bool decompressV_LZSS(const decompressIOVec *iov, size_t n, decompressCallback callback,
		void *user, size_t insize) {
	return without_header(iov, n, callback, user, insize, DECOMPRESS_LZ10);
}

PICA_EXPORT bool decompressV_LZ11(const decompressIOVec *iov, size_t n, decompressCallback callback,
		void *user, size_t insize) {
	return without_header(iov, n, callback, user, insize, DECOMPRESS_LZ11);
}

PICA_EXPORT bool decompressV_RLE(const decompressIOVec *iov, size_t n, decompressCallback callback,
		void *user, size_t insize) {
	return without_header(iov, n, callback, user, insize, DECOMPRESS_RLE);
}

PICA_EXPORT bool decompressV_Huff(size_t bits, const decompressIOVec *iov, size_t n,
		decompressCallback callback, void *user, size_t insize) {
	return bits <= 8 && without_header(iov, n, callback, user, insize, 0x20 | (unsigned)bits);
}

PICA_EXPORT ssize_t decompressCallback_FD(void *user, void *buffer, size_t size) {
	return read(*(int *)user, buffer, size);
}

PICA_EXPORT ssize_t decompressCallback_Stdio(void *user, void *buffer, size_t size) {
	return (ssize_t)fread(buffer, 1, size, user);
}
