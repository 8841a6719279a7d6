/* The engine rig for long lists that draw squares of any size. */
#ifndef HOSTILE_LIMITS_RIG_H
#define HOSTILE_LIMITS_RIG_H

#include "tests/unit/engine_rig.h"

enum { TEXTURES = FCRAM + 0x400000 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SLOW = 1 }; /* and memory cannot be measured */
#else
enum { IS_SLOW = 0 };
#endif

enum { N_LIMIT_THREADS = 3 };
extern const unsigned limit_threads[N_LIMIT_THREADS];
#define LIMIT_TEST(name) ENGINE_TEST_WITH(name, N_LIMIT_THREADS, limit_threads[_i], NULL)
#define LIMIT_TEST_WITHIN(name, ...) \
	ENGINE_TEST_WITH(name, N_LIMIT_THREADS, limit_threads[_i], \
			(&(struct pica_budgets){ __VA_ARGS__ }))

extern const uint32_t endless_code[1]; /* jumps to itself (jmpu !b0, 0) */

struct pica_stats stats(void);

void emit_square(struct pica_emit *e, uint32_t color, uint32_t side);
/* Begins a list: the program, a target of side x side pixels, vertices at VERTICES. */
void emit_limit_state(struct pica_emit *e, uint32_t side);
void emit_texture(struct pica_emit *e, uint32_t addr, uint32_t side);
/* n triangles over the whole target, or small ones. */
void put_triangles(unsigned n, float size);
uint64_t checksum(uint32_t addr, uint32_t bytes);

#endif
