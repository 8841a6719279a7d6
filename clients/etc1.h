/*
 * A small ETC1 encoder: it takes the mode and the split with the least error; each half has its
 * best table around the mean.
 */
#ifndef CLIENTS_ETC1_H
#define CLIENTS_ETC1_H

#include <stdint.h>

/* Texel k = x * 4 + y of a 4x4 block, RGBA (alpha is ignored) -> the block as a 64-bit number. */
uint64_t etc1_encode(const uint8_t texels[16][4]);

#endif
