/* Compiler attributes. GNU extensions appear in this file only. */
#ifndef BASE_ATTRIBUTES_H
#define BASE_ATTRIBUTES_H

#define PICA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define PICA_ALIGNED(n) __attribute__((aligned(n)))
#define PICA_LIKELY(x) __builtin_expect(!!(x), 1)
#define PICA_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PICA_UNUSED __attribute__((unused))
/* For functions whose inner loops test constant arguments: inlining removes the tests. */
#define PICA_INLINE inline __attribute__((always_inline))
/* Memory that will be read soon. */
#define PICA_PREFETCH(p) __builtin_prefetch(p)
/* For a loop that waits for another thread: yields the core to its other hardware thread. */
#if defined(__x86_64__) || defined(__i386__)
#define PICA_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PICA_PAUSE() __asm__ volatile("yield")
#else
#define PICA_PAUSE() ((void)0)
#endif
/* The address to which the function returns. */
#define PICA_CALLER() __builtin_return_address(0)
#define PICA_EXPORT __attribute__((visibility("default")))
/* Runs before main(), in the order of the file. */
#define PICA_CONSTRUCTOR __attribute__((constructor))

/*
 * 1 in a build with the address or thread sanitizer, which need more address space than programs
 * do.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PICA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PICA_SANITIZED 1
#endif
#endif
#ifndef PICA_SANITIZED
#define PICA_SANITIZED 0
#endif

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Number of set bits and index of the lowest one (x must not be 0). */
#define popcount64(x) ((unsigned)__builtin_popcountll(x))
#define ctz64(x) ((unsigned)__builtin_ctzll(x))
#define ctz32(x) ((unsigned)__builtin_ctz(x))

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "libpica needs a little-endian host"
#endif

/* Before a loop with few iterations: prevents unrolling, which would cost more than the loop. */
#if defined(__clang__)
#define PICA_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define PICA_NO_UNROLL _Pragma("GCC unroll 1")
#endif

#endif
