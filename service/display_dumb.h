/* Dumb buffers: memory that any card can show and the processor can write. */
#ifndef SERVICE_DISPLAY_DUMB_H
#define SERVICE_DISPLAY_DUMB_H

#include <stddef.h>
#include <stdint.h>

struct dumb_buffer {
	uint8_t *host; /* NULL: there is none */
	size_t size_bytes;
	uint32_t handle; /* GEM, of the card's file; never 0 */
	uint32_t stride_bytes;
	uint32_t width, height, bits; /* of a pixel */
};

/* Returns 0 if the card has dumb buffers, or -EOPNOTSUPP. */
int dumb_probe(int card);
/*
 * Creates a buffer of zeroed memory. Returns 0, or -ENOMEM, -EINVAL, -ENODEV, ... from the driver;
 * *out is written on success only.
 */
int dumb_create(struct dumb_buffer *out, int card, uint32_t width, uint32_t height, uint32_t bits);
/*
 * Unmaps, then frees: a remaining mapping would keep the card's file open, and with it the right to
 * show pictures. Remove the buffer's framebuffer before. Does nothing if host is NULL.
 */
void dumb_destroy(struct dumb_buffer *buffer, int card);

#endif
