/*
 * The triangle of the article on vertex and coordinate shaders, as an image of memory: lists,
 * records, vertices and programs at the addresses below, all else zero.
 */
#ifndef UNIT_VC4_SEED_H
#define UNIT_VC4_SEED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	SEED_BASE = 0x00100000,
	SEED_BYTES = 0x200000,
	SEED_BINNING = 0x100000,
	SEED_BINNING_END = SEED_BINNING + 51,
	SEED_RENDERING = 0x100100,
	SEED_RENDERING_END = SEED_RENDERING + 755,
	SEED_SHADER_STATE = SEED_BINNING + 35, /* the record that names a shader record */
	SEED_GL_RECORD = 0x100800,
	SEED_NV_RECORD = 0x100840,
	SEED_TILE_LISTS = 0x102000,
	SEED_TARGET = 0x110000,
	SEED_COLUMNS = 10,
	SEED_ROWS = 8,
	SEED_PICTURE_BYTES = 640 * 480 * 4,
	SEED_CRC = 0x3389075A, /* of the picture */
};

/* As zlib has it. */
static inline uint32_t seed_crc32(const void *data, size_t size) {
	const uint8_t *byte = data;
	uint32_t crc = ~0u;
	for (size_t i = 0; i < size; i++) {
		crc ^= byte[i];
		for (unsigned k = 0; k < 8; k++) {
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
		}
	}
	return ~crc;
}

/* Writes bytes given as hexadecimal digits, in which blanks do not count; returns how many. */
static inline size_t put_hex(uint8_t *at, const char *hex) {
	size_t n = 0;
	char digits[3] = { 0 };
	for (; *hex; hex++) {
		if (*hex == ' ') {
			continue;
		}
		digits[n & 1] = *hex;
		if (n++ & 1) {
			at[n / 2 - 1] = (uint8_t)strtoul(digits, NULL, 16);
		}
	}
	return n / 2;
}

static inline void put_word(uint8_t *at, uint32_t word) {
	memcpy(at, &word, sizeof(word));
}

/*
 * Writes a program that copies n rows of the VPM: 16 and 24 words for the vertex and the coordinate
 * shader.
 */
static inline void seed_copy_rows(uint8_t *at, uint32_t read_setup, unsigned n) {
	static const uint32_t nop[] = { 0x009E7000, 0x100009E7 };
	uint32_t w[24][2];
	unsigned i = 0;
	memcpy(w[i++], nop, sizeof(nop));
	memcpy(w[i++], ((uint32_t[]){ read_setup, 0xE0020C67 }), sizeof(nop));
	for (unsigned k = 0; k < 3; k++) {
		memcpy(w[i++], nop, sizeof(nop));
	}
	for (unsigned k = 0; k < n; k++) { /* or raK, vpm, - */
		memcpy(w[i++], ((uint32_t[]){ 0x15C27DF7, 0x10020027 + (k << 6) }), sizeof(nop));
	}
	memcpy(w[i++], ((uint32_t[]){ 0x17BC1AC0, 0xE0021C67 }), sizeof(nop));
	for (unsigned k = 0; k < n; k++) { /* or vpm, raK, - */
		memcpy(w[i++], ((uint32_t[]){ 0x15027DF7 + (k << 18), 0x10020C27 }), sizeof(nop));
	}
	memcpy(w[i++], ((uint32_t[]){ 0x009E7000, 0x500009E7 }), sizeof(nop));
	memcpy(w[i++], ((uint32_t[]){ 0x009E7000, 0x300009E7 }), sizeof(nop));
	memcpy(w[i++], nop, sizeof(nop));
	memcpy(w[i++], nop, sizeof(nop));
	memcpy(at, w, i * sizeof(nop));
}

/* m: SEED_BYTES, zeros. */
static inline void seed_fill(uint8_t *m, bool is_nv) {
	put_hex(m, "70 00201000 00200000 00101000 0A 08 04 06 66 0000 0000 8002 E001 60 03 00 02 "
			"67 0000 0000 40 02081000 21 04 03000000 00000000 04");
	if (is_nv) {
		put_hex(m + SEED_SHADER_STATE - SEED_BASE, "41 40081000");
	}
	uint8_t *r = m + SEED_RENDERING - SEED_BASE;
	r += put_hex(r, "72 FFFF00FF FFFF00FF 000000 00 00 71 00001100 8002 E001 0400 73 00 00 "
			"1C 0000 00000000");
	for (unsigned tile = 0; tile < SEED_COLUMNS * SEED_ROWS; tile++) {
		r[0] = 0x73;
		r[1] = (uint8_t)(tile % SEED_COLUMNS);
		r[2] = (uint8_t)(tile / SEED_COLUMNS);
		r[3] = 0x11;
		put_word(r + 4, SEED_TILE_LISTS + 32 * tile);
		r[8] = tile + 1 < SEED_COLUMNS * SEED_ROWS ? 0x18 : 0x19;
		r += 9;
	}
	put_hex(m + 0x800, "0400 00 00 000C1000 00000000 0000 01 0C 000A1000 00000000 "
			"0000 02 1C 000B1000 00000000 00091000 0B 0C 00 00 40091000 1B 1C 00 00");
	put_hex(m + 0x840, "00 0C 00 00 000C1000 00000000 00091000");
	put_hex(m + 0x900, "0014 0002 0000803F 0000803F 0002 001C 0000803F 0000803F "
			"0026 001C 0000803F 0000803F");
	put_hex(m + 0x940, "D91ECD3A A0CB5DBF 0000803F 0000803F 0014 0002 0000803F 0000803F "
			"255C66BF 43DD5E3F 0000803F 0000803F 0002 001C 0000803F 0000803F "
			"4429673F 43DD5E3F 0000803F 0000803F 0026 001C 0000803F 0000803F");
	seed_copy_rows(m + 0xA00, 0x1A341AC0, 3);
	seed_copy_rows(m + 0xB00, 0x1A741AC0, 7);
	/* solid white */
	put_hex(m + 0xC00, "00709E00 E7090010 00709E00 E7090010 00709E00 E7090040 FFFFFFFF A70B02E0 "
			"00709E00 E7090030 00709E00 E7090010 00709E00 E7090050");
}

#endif
