/*
 * Static probes (USDT) for perf, bpftrace and systemtap: a no-operation each until somebody
 * attaches. `readelf -n` lists them under the provider "pica".
 */
#ifndef BASE_PROBE_H
#define BASE_PROBE_H

#ifdef HAVE_SDT
#include <sys/sdt.h>

#ifdef __clang__
/*
 * The macros of sdt.h leave out what they pass on. Said where they are used, not where they stand.
 */
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif

#define PROBE(name, a, b, c) DTRACE_PROBE3(pica, name, a, b, c)
#else
#define PROBE(name, a, b, c) ((void)0)
#endif

#endif
