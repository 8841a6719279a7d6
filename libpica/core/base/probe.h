/*
 * Static probes (USDT) for perf, bpftrace and systemtap. Each is a no-op until a tool attaches.
 * `readelf -n` lists them under the provider "pica".
 */
#ifndef BASE_PROBE_H
#define BASE_PROBE_H

#ifdef HAVE_SDT
#include <sys/sdt.h>

#ifdef __clang__
/*
 * The macros of sdt.h omit variadic arguments; clang warns at each use.
 */
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif

#define PROBE(name, a, b, c) DTRACE_PROBE3(pica, name, a, b, c)
#else
#define PROBE(name, a, b, c) ((void)0)
#endif

#endif
