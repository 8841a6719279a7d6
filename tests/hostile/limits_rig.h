/* One engine without limits on what harms it but those under test, and what lists are made of. */
#ifndef HOSTILE_LIMITS_RIG_H
#define HOSTILE_LIMITS_RIG_H

#include <stddef.h>
#include <stdint.h>

#include <check.h>

#include "pica.h"
#include "pica_emit.h"

enum {
	VRAM = 0x18000000,
	COLOR = VRAM,
	FCRAM = 0x20000000,
	VERTICES = FCRAM + 0x10000,
	TEXTURES = FCRAM + 0x400000,
	LIST = FCRAM + 0x2000000,
	SIDE = 64,
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SLOW = 1 }; /* and memory cannot be measured */
#else
enum { IS_SLOW = 0 };
#endif

enum { N_THREAD_COUNTS = 3 };
extern const unsigned thread_counts[N_THREAD_COUNTS];

extern struct pica_device *device;
extern struct pica_ctx *ctx;

/* Copies v0 and v1; jumps to itself (jmpu !b0, 0); the one operand descriptor of both. */
extern const uint32_t pass_code[3], endless_code[1], descriptor[1];

/* budgets NULL: the defaults. */
void open_engine(unsigned threads, const struct pica_budgets *budgets);
void close_engine(void);
/* Adds FINALIZE, runs, frees; the result. */
int run_list(struct pica_emit *e);
struct pica_stats stats(void);

void emit_program(struct pica_emit *e, const uint32_t *code, size_t n);
void emit_target(struct pica_emit *e, uint32_t color, uint32_t side);
/* Begins a list: the program, a target of side x side pixels, vertices at VERTICES. */
void emit_state(struct pica_emit *e, uint32_t side);
void emit_texture(struct pica_emit *e, uint32_t addr, uint32_t side);
/* n triangles over the whole target, or small ones. */
void put_triangles(unsigned n, float size);
uint64_t checksum(uint32_t addr, uint32_t bytes);

#endif
