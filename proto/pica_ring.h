/*
 * The shared memory of one session: submissions from a client to the service, completions and
 * events back. It is libpica's own format, modelled on io_uring; the kernel's rings are not shared
 * between processes.
 *
 * The service makes one memfd, seals its size and sends it with WELCOME (pica_hello.h):
 *
 *     0      struct pica_ring_header, written once before it is sent
 *     4096   struct pica_ring_control
 *     ...    completions, submissions, events, at the offsets in the header
 *
 * Indices are 32-bit, free-running, and used modulo the number of entries, a power of two. The
 * producer writes an entry, then publishes the tail with release order; the consumer loads the tail
 * with acquire order, reads the entry, then publishes its head with release order. Before a side
 * sleeps, it sets its NEED_WAKEUP, executes a sequentially consistent fence and reads the tail once
 * more. A side that publishes a tail then executes such a fence, and rings the other side's bell if
 * the flag is set. Bells are pipes: one byte rings them, written without blocking.
 *
 * The service never reads back its own words, because the client may have changed them, and copies
 * the client's data before it checks them.
 */
#ifndef PICA_RING_H
#define PICA_RING_H

#include <stddef.h>
#include <stdint.h>

#include "pica_job.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PICA_RING_MAGIC = 0x52434950, /* "PICR" */
	PICA_RING_VERSION = 1,
	PICA_RING_CONTROL_OFFSET = 4096,
	PICA_RING_MIN_ENTRIES = 8,
	PICA_RING_MAX_ENTRIES = 4096, /* submissions; twice as many completions */
	PICA_RING_EVENTS = 64,
	PICA_RING_TIMELINES = 64,     /* maximum number of contexts of a session */
};

struct pica_ring_header {
	uint32_t magic, version;
	uint32_t size_bytes; /* of the memfd */
	uint32_t sq_entries; /* submissions: struct pica_job */
	uint32_t cq_entries; /* completions: struct pica_done, 2 * sq_entries */
	uint32_t event_entries;
	uint32_t control_offset, cq_offset, sq_offset, event_offset; /* bytes from the start */
	uint32_t reserved[6];
};

/* Bits of client_flags and service_flags. */
enum {
	PICA_RING_NEED_WAKEUP = 1, /* asleep or about to sleep: ring the bell */
	/* service_flags: the service takes no more submissions; completions are final */
	PICA_RING_DEAD = 2,
};

/* Atomic words; each group has a cache line of its own. */
struct pica_ring_control {
	/* Written by the client. */
	uint32_t sq_tail;
	uint32_t pad0[15];
	uint32_t cq_head;
	uint32_t client_flags;
	/*
	 * With NEED_WAKEUP: ring for completions only when cq_tail reaches this value (modulo
	 * 2^32). Events and the end of the session always ring.
	 */
	uint32_t cq_wanted;
	uint32_t pad1[13];
	/* Written by the service. */
	uint32_t sq_head;
	uint32_t pad2[15];
	uint32_t cq_tail;
	uint32_t service_flags;
	uint32_t event_tail;
	uint32_t pad3[13];
	/*
	 * Of the context in slot i: its timeline, the largest value signalled (PICA_OP_SIGNAL); and
	 * how many of its jobs are complete, with any result.
	 */
	uint64_t timeline[PICA_RING_TIMELINES];
	uint64_t completed[PICA_RING_TIMELINES];
};

enum pica_event_type {
	PICA_EVENT_NONE,
	PICA_EVENT_PRESENTED,    /* value: user_data of the PRESENT; time_ns: of the flip */
	PICA_EVENT_FOCUS,        /* value 1: the session is shown, 0: it is not */
	PICA_EVENT_DISPLAY,      /* value: number of outputs; one was added, removed or changed */
	PICA_EVENT_RELOADED = 5, /* limits changed: ask for them again */
};

/*
 * An event, sent without a request. The service never waits for a reader: it overwrites the oldest
 * entry. A reader copies an entry and keeps the copy only if seq is the event's index + 1 both
 * before and after copying; otherwise the event was lost.
 */
struct pica_event {
	uint32_t seq; /* index + 1 when complete, 0 while it is being written */
	uint16_t type;
	uint16_t flags;
	uint32_t handle;
	uint32_t reserved;
	uint64_t value;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
};

#ifdef __cplusplus
}
#else
_Static_assert(sizeof(struct pica_ring_header) == 64, "the header is 64 bytes");
_Static_assert(offsetof(struct pica_ring_control, cq_head) == 64, "one writer a cache line");
_Static_assert(offsetof(struct pica_ring_control, sq_head) == 128, "one writer a cache line");
_Static_assert(offsetof(struct pica_ring_control, cq_tail) == 192, "one writer a cache line");
_Static_assert(offsetof(struct pica_ring_control, timeline) == 256, "timelines follow");
_Static_assert(sizeof(struct pica_ring_control) == 256 + 16 * PICA_RING_TIMELINES,
		"no padding at the end");
_Static_assert(sizeof(struct pica_event) == 32, "an event is 32 bytes");
#endif

#endif
