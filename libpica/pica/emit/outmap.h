/* Maps the output registers of a program to semantics and slots. [fidelity: dvle-binding] */
#ifndef EMIT_OUTMAP_H
#define EMIT_OUTMAP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	OUTMAP_SLOTS = 7,
	OUTMAP_NONE = 0x1F1F1F1F, /* a slot without semantics */
};

struct outmap {
	uint32_t mask; /* output registers in use */
	uint32_t by_reg[16];
	uint32_t clock, mode;
};

void outmap_init(struct outmap *m);
/* reg: 0..15; mask: bit 0 is x. An unknown type is ignored, and the function returns false. */
bool outmap_add(struct outmap *m, unsigned type, unsigned reg, unsigned mask);
/*
 * Stores the semantics of the k-th enabled register in slot k, and OUTMAP_NONE in unused slots.
 * Returns the number of slots in use.
 */
unsigned outmap_slots(const struct outmap *m, uint32_t slot[OUTMAP_SLOTS]);

#endif
