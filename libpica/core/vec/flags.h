/*
 * The processor's flags of operations on floats, in vector sources too. After float_flags_clear(),
 * float_flags() says whether an operation was invalid or had a denormal operand, or its result was
 * tiny and inexact. Where FLOAT_HAS_FLAGS is 0 the processor cannot say, and the answer is true.
 */
#ifndef VEC_FLAGS_H
#define VEC_FLAGS_H

#include <stdbool.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#define FLOAT_HAS_FLAGS 1
/* Of MXCSR: invalid, denormal, underflow. */
enum { FLOAT_FLAGS = 1 << 0 | 1 << 1 | 1 << 4 };
static inline void float_flags_clear(void) { _mm_setcsr(_mm_getcsr() & ~(unsigned)FLOAT_FLAGS); }
static inline bool float_flags(void) { return _mm_getcsr() & FLOAT_FLAGS; }
#else
#define FLOAT_HAS_FLAGS 0
static inline void float_flags_clear(void) {}
static inline bool float_flags(void) { return true; }
#endif

#endif
