/* Pictures drawn with integers, and their conversion to the PICA's texture formats. */
#ifndef SCENES_TEXTURE_H
#define SCENES_TEXTURE_H

#include <stddef.h>
#include <stdint.h>

/* Colour of pixel (x, y) of a picture of n x n, row 0 at the top. */
typedef void picture_fn(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]);

picture_fn picture_rings;   /* a target of petals and rings, opaque */
picture_fn picture_bricks;  /* a brick wall */
picture_fn picture_wood;    /* grain */
picture_fn picture_marble;  /* veins */
picture_fn picture_tiles;   /* a checkered floor with joints */
picture_fn picture_weave;   /* strands over and under */
picture_fn picture_leaf;    /* a leaf on transparent ground */
picture_fn picture_glow;    /* white, alpha falls off from the middle */
picture_fn picture_star;    /* a star on transparent ground */
picture_fn picture_letter;  /* an R on four colours: shows every turn and mirroring */
picture_fn picture_sunset;  /* smooth colours; the corners fade to transparent */

/* A planet's map, poles at the top and bottom, and its layers. */
picture_fn picture_planet;  /* seas, land, ice */
picture_fn picture_clouds;  /* white, alpha where clouds are */
picture_fn picture_lights;  /* cities by night, on black */

/* Bytes of an n x n texture and its mip levels; n a power of two, n >> levels >= 4. */
size_t texture_bytes(uint32_t format, unsigned n, unsigned levels);
/*
 * Draws level 0 with fn, halves it for the others by 2x2 means, and writes all as the PICA reads
 * them: 8x8 tiles in Z order, the top row first. format: PICA_TEXTURE_FORMAT_*. Returns NULL when
 * out of memory. The caller frees the result.
 */
uint8_t *texture_create(uint32_t format, unsigned n, unsigned levels, picture_fn *fn);

#endif
