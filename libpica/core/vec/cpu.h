/* The sets of vector kernels, and the test of which of them this CPU runs. */
#ifndef VEC_CPU_H
#define VEC_CPU_H

/*
 * One row per set, in ascending order of preference: X(ID, suffix, "name", whether this CPU runs
 * it, a, b), where a and b are the caller's. A new set needs a row here, a header next to
 * vec_avx2.h, and its flags in meson.build, which defines HAVE_<ID> as 1 or 0.
 * __builtin_cpu_supports() checks CPUID, and with XGETBV whether the system saves the wide
 * registers. Emulations run everywhere and are never the best; the narrow ones are for tests, in
 * builds with -Disas=emul4,emul8.
 */
#define ISA_TEST_SETS(X, a, b) \
	X(EMUL4, emul4, "emul4", 1, a, b) \
	X(EMUL8, emul8, "emul8", 1, a, b)
#define ISA_USER_SETS(X, a, b) \
	X(EMUL16, emul16, "emul", 1, a, b) \
	X(NEON, neon, "neon", 1, a, b) \
	X(SSE41, sse41, "sse4.1", __builtin_cpu_supports("sse4.1"), a, b) \
	X(AVX2, avx2, "avx2", __builtin_cpu_supports("avx2"), a, b) \
	X(AVX512, avx512, "avx512", __builtin_cpu_supports("avx512bw") && \
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"), \
			a, b)
#define ISA_SETS(X, a, b) ISA_TEST_SETS(X, a, b) ISA_USER_SETS(X, a, b)

#define ISA_ENUM(id, set, name, runs, a, b) ISA_##id,
enum isa {
	ISA_C, /* the plain C kernels */
	ISA_SETS(ISA_ENUM, , )
	ISA_COUNT,
};

/* The names for users as one string: c, then the others, each preceded by `between`. */
#define ISA_NAME_AFTER(id, set, name, runs, between, b) between name
#define ISA_NAMES(between) "c" ISA_USER_SETS(ISA_NAME_AFTER, between, )

/* X(ID, suffix, arg) for each set in this build. */
#define ISA_IF_0(x)
#define ISA_IF_1(x) x
#define ISA_PASTE_IF(have) ISA_IF_##have
#define ISA_IF(have) ISA_PASTE_IF(have)
#define ISA_IF_BUILT(id, set, name, runs, X, arg) ISA_IF(HAVE_##id)(X(id, set, arg))
#define ISA_BUILT(X, arg) ISA_SETS(ISA_IF_BUILT, X, arg)

/*
 * For a room with a table `struct ROOM_kernels`: ISA_KERNELS(ROOM) declares the functions
 * ROOM_kernels_init_<suffix>(), each of which replaces plain kernels by those of its set, and
 * ISA_INIT calls the one for `isa`.
 */
#define ISA_DECLARE_INIT(id, set, room) \
	void room##_kernels_init_##set(struct room##_kernels *k);
#define ISA_KERNELS(room) ISA_BUILT(ISA_DECLARE_INIT, room)
#define ISA_CASE_INIT(id, set, room) \
	case ISA_##id: \
		room##_kernels_init_##set(k); \
		break;
#define ISA_INIT(room, isa, k) \
	switch (isa) { \
		ISA_BUILT(ISA_CASE_INIT, room) \
	default: \
		break; \
	}

const char *isa_name(enum isa isa);
/*
 * Returns the set with this name. On failure returns -EINVAL (no such name) or -EOPNOTSUPP (not on
 * this CPU or in this build).
 */
int isa_from_name(const char *name);
/* Returns whether the set is in this build and runs on this CPU. */
int isa_available(enum isa isa);
/* Returns the best available set that is not an emulation. */
enum isa isa_best(void);

#endif
