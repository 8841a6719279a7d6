/* Integers of fixed sizes, results, handles. */
#ifndef CTRU_TYPES_H
#define CTRU_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef volatile u8 vu8;
typedef volatile u16 vu16;
typedef volatile u32 vu32;
typedef volatile u64 vu64;
typedef volatile s8 vs8;
typedef volatile s16 vs16;
typedef volatile s32 vs32;
typedef volatile s64 vs64;

/* An object of the system; here 0 or an unused number. */
typedef u32 Handle;
/* Negative: failure. See result.h. */
typedef s32 Result;
typedef void (*ThreadFunc)(void *argument);
typedef void (*voidfn)(void);

#define U64_MAX UINT64_MAX
#define BIT(n) (1U << (n))
#define CTR_ALIGN(bytes) __attribute__((aligned(bytes)))
#define CTR_PACKED __attribute__((packed))
#ifdef CTR_NO_DEPRECATION
#define CTR_DEPRECATED
#else
#define CTR_DEPRECATED __attribute__((deprecated))
#endif

#endif
