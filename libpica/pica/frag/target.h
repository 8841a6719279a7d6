/* The PICA's formats of colour and depth buffers. */
#ifndef FRAG_TARGET_H
#define FRAG_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/raster/target.h"
#include "pica_inspect.h"

/* Register 117 bits 16-18. */
enum color_format { COLOR_RGBA8, COLOR_RGB8, COLOR_RGB5A1, COLOR_RGB565, COLOR_RGBA4, COLOR_COUNT };
/* Register 116. */
enum depth_format { DEPTH_D16, DEPTH_INVALID, DEPTH_D24, DEPTH_D24S8, DEPTH_COUNT };

/* Returns the bytes per pixel. */
unsigned color_format_bytes(unsigned format);
unsigned depth_format_bytes(unsigned format);
const char *color_format_name(unsigned format);
const char *depth_format_name(unsigned format);

/*
 * Fills the target that registers 100, 116, 117, 11B-11E describe, with host pointers NULL. Returns
 * false if it cannot be drawn to: width 0 or not a multiple of 8, height 0, colour format above 4.
 */
bool target_from_regs(struct target *t, const uint32_t *regs);
/* Returns the description of a target, for tools. */
struct pica_target target_described(const struct target *t);

#endif
