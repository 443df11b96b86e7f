/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fixed-width names, limits and the handful of macros every file uses. */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
__extension__ typedef unsigned __int128 u128;

/* Logical CPUs one machine may have; a multiple of 64. The build of a machine may say otherwise. */
#ifndef MAX_CPUS
#define MAX_CPUS 256
#endif

enum {
	MAX_NODES = 64,	 /* NUMA nodes */
	CACHE_LINE = 64, /* bytes; every x86-64 part */
};

#define NSEC_PER_USEC 1000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_SEC  1000000000ull

/* Functions return 0 or one of these, negated. */
enum {
	E_NOENT = 2,  /* no such thing */
	E_NOMEM = 12, /* out of memory */
	E_INVAL = 22, /* malformed input */
	E_RANGE = 34, /* value outside its range */
};

#define static_assert _Static_assert
#define ARRAY_SIZE(a)		      (sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
#define likely(x)		      __builtin_expect(!!(x), 1)
#define unlikely(x)		      __builtin_expect(!!(x), 0)
#define cache_aligned		      __attribute__((aligned(64)))
#define printf_like(f, a)	      __attribute__((format(printf, f, a)))

/* One load or store of a variable that another CPU may change at the same time. */
#define READ_ONCE(x)	    __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)    __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define LOAD_ACQUIRE(x)	    __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE_RELEASE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELEASE)

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* The index of the highest set bit; v must not be 0. */
static inline unsigned ilog2(u64 v)
{
	return 63 - (unsigned)__builtin_clzll(v);
}

#endif
