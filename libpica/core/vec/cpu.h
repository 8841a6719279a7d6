/* Which instruction sets this CPU has, and which of them the vector kernels are built for. */
#ifndef VEC_CPU_H
#define VEC_CPU_H

/*
 * In rising order of preference. ISA_C: the plain C kernels; ISA_EMUL: vector sources in plain C.
 */
enum isa {
	ISA_C,
	ISA_EMUL,
	ISA_SSE41,
	ISA_COUNT,
};

/* "c", "emul", "sse4.1". */
const char *isa_name(enum isa isa);
/* The set with that name, or -EINVAL (no such name) or -EOPNOTSUPP (not on this CPU or build). */
int isa_from_name(const char *name);
/* Built and runnable here. */
int isa_available(enum isa isa);
/* The best available set. ISA_EMUL is never the best: it is for tests. */
enum isa isa_best(void);

#endif
