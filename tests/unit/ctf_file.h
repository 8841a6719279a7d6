/* A CiTrace file under construction: shared by the suites that read one. */
#ifndef CTF_FILE_H
#define CTF_FILE_H

#include "capture_steps.h"

/* ---- A file under construction ---- */

enum { ROOM = 1 << 20, LIST = 0x20100000 };

static struct {
	uint8_t bytes[ROOM];
	size_t size;
	size_t stream; /* offset, once begun */
	size_t header;
	bool plain_writes;
} f;

static inline void set32(size_t at, uint32_t w) {
	memcpy(f.bytes + at, &w, 4);
}

static inline void add32(uint32_t w) {
	ck_assert_uint_le(f.size + 4, ROOM);
	set32(f.size, w);
	f.size += 4;
}

/* words: of each array, in the order of the header; NULL: none. All words are 0. */
static inline void begin(uint32_t header, const uint32_t *words) {
	memset(&f, 0, sizeof(f));
	add32(0x72546943);
	add32(1);
	add32(header);
	unsigned n = header == 92 ? 9 : 10;
	uint32_t at = header;
	for (unsigned i = 0; i < n; i++) {
		uint32_t count = words ? words[i] : 0;
		add32(at);
		add32(count);
		at += 4 * count;
	}
	f.header = header;
	f.size = at;
	ck_assert_uint_le(f.size, ROOM);
}

/* Offset of array i's data. */
static inline size_t array_at(unsigned i) {
	uint32_t at;
	memcpy(&at, f.bytes + 12 + 8 * i, 4);
	return at;
}

static inline uint32_t add_data(const void *data, uint32_t size) {
	uint32_t at = (uint32_t)f.size;
	memcpy(f.bytes + f.size, data, size);
	f.size += size;
	return at;
}

static inline void element(uint32_t type, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
	if (f.stream == 0) {
		f.stream = f.size;
	}
	add32(type);
	add32(a);
	add32(b);
	add32(c);
	add32(d);
}

static inline void frame(void) {
	element(0xE1, 0, 0, 0, 0);
}

static inline void load(uint32_t data, uint32_t size, uint32_t addr) {
	element(0xE2, data, size, addr, 0xDEADBEEF);
}

static inline void reg(uint32_t addr, uint32_t value) {
	if (f.plain_writes) {
		element(0xE3, addr, value, 0, 0);
	} else {
		element(0xE3, addr, 0xD3, value, 0);
	}
}

static inline void run_list(uint32_t addr, uint32_t size) {
	reg(0x104018E0, size);
	reg(0x104018E8, addr >> 3);
	reg(0x104018F0, 1);
}

static inline void end_count(void) {
	set32(f.header - 8, (uint32_t)f.stream);
	set32(f.header - 4, (uint32_t)((f.size - f.stream) / 20));
}

static inline void end_bytes(void) {
	set32(f.header - 8, (uint32_t)f.stream);
	set32(f.header - 4, (uint32_t)(f.size - f.stream));
}

static inline int open_file(void) {
	memset(&error, 0, sizeof(error));
	return pica_capture_open_memory(&capture, f.bytes, f.size, "test.ctf", &error);
}

static inline void open_ok(void) {
	int ret = open_file();
	ck_assert_msg(ret == 0, "%d: %s", ret, error.message);
}

/* n words of list; the last two are FINALIZE if asked. */
static inline uint32_t add_list(uint32_t n, bool finalize) {
	uint32_t at = (uint32_t)f.size;
	for (uint32_t i = 0; i < n; i++) {
		add32(finalize && i == n - 2 ? 0x12345678 :
				finalize && i == n - 1 ? 0x000F0010 : 0x01010101);
	}
	return at;
}

#endif
