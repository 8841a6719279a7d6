/* What the files of the naive renderer's own tests share. */
#ifndef TEST_NAIVE_H
#define TEST_NAIVE_H

#include <check.h>
#include <stdint.h>

#include "naive_state.h"

enum {
	VRAM = 0x18000000,
	VRAM_BYTES = 0x200000,
	FCRAM = 0x20000000,
	FCRAM_BYTES = 0x10000,
};

extern struct naive *n;
extern uint8_t *vram;
extern uint8_t *fcram;

void setup(void);
void teardown(void);

/* A whole register. */
void put(uint32_t id, uint32_t value);
void put_f24(uint32_t id, float f);
/* Runs words as a list; returns the PICA_DONE_* flags. */
uint32_t run_words(const uint32_t *words, unsigned count);
/* Code at word 0 and descriptors at 0 of the vertex unit. */
void upload(const uint32_t *code, unsigned n_code, const uint32_t *desc, unsigned n_desc);
/*
 * A target of RGBA8 at VRAM, no depth buffer access, memory row = window row, everything passes;
 * the viewport makes clip coordinates of w = 1 pixels: x' = (x + 1) * w / 2. The vertex program
 * copies v0 to the position and v1 to the colour; the combiner hands the primary colour on.
 */
void plain_target(unsigned width, unsigned height);
/* One immediate vertex at window position x, y. Begin with put(REG_FIXEDATTRIB_INDEX, 15). */
void vertex(float x, float y, const float color[4]);
/* An RGBA8 pixel of the plain target as R << 24 | G << 16 | B << 8 | A. */
uint32_t pixel_at(unsigned x, unsigned row);
uint32_t word_at(const uint8_t *p);
void put_word(uint8_t *p, uint32_t word);

#endif
