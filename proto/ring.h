/*
 * The two sides of a session's rings (pica_ring.h). One thread uses a side at a time. Nothing here
 * waits or makes a system call: the *_publish functions say when a bell must be rung, the *_sleep
 * functions whether one may go to sleep.
 */
#ifndef PROTO_RING_H
#define PROTO_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pica_ring.h"

/*
 * Fills in the header of rings for sq_entries submissions (rounded up to a power of two, kept
 * inside PICA_RING_MIN_ENTRIES..PICA_RING_MAX_ENTRIES). header->size_bytes is the size of the
 * memory.
 */
void ring_layout(struct pica_ring_header *header, uint32_t sq_entries);
/*
 * Whether a header that came from elsewhere describes rings that lie inside size_bytes of memory as
 * ring_layout() would place them. 0 or -EPROTO.
 */
int ring_check(const struct pica_ring_header *header, size_t size_bytes);

/* ---- The service's side: its own indices, the client's words looked at once ---- */

struct ring_server {
	struct pica_ring_control *control;
	struct pica_job *sq;
	struct pica_done *cq;
	struct pica_event *events;
	uint32_t sq_mask, cq_mask, event_mask;
	uint32_t sq_head, cq_tail, cq_head, event_tail;
	uint32_t flags; /* our service_flags */
	uint64_t dropped_events;
	bool must_ring; /* a sleeping client, with the next publication */
};

/* base: memory that was laid out with ring_layout() by us, zeroed; writes the header. */
void ring_server_init(struct ring_server *r, void *base, const struct pica_ring_header *header);
/*
 * The next submission, copied to private memory: 1, 0 (none), or -EPROTO (the client's tail is
 * further ahead than the ring is long: it lies).
 */
int ring_server_pop(struct ring_server *r, struct pica_job *job);
/* Lets the client use the slots that were popped: after a batch of pops. */
void ring_server_release(struct ring_server *r);
/* Completions that can be pushed now; -EPROTO: the client's head is nowhere near. */
int ring_server_room(struct ring_server *r);
/* Writes one; the caller saw room. Published with ring_server_publish(). */
void ring_server_push(struct ring_server *r, const struct pica_done *done);
/* Publishes completions, freed submission slots and events. True: ring the client's bell. */
bool ring_server_publish(struct ring_server *r);
/* The oldest event is overwritten where the client does not read. */
void ring_server_event(struct ring_server *r, const struct pica_event *event);
/* timeline: one that was signalled; completed: jobs. slot below PICA_RING_TIMELINES. */
void ring_server_timeline(
		struct ring_server *r, uint32_t slot, uint64_t timeline, uint64_t completed);
/*
 * Before sleeping: asks to be woken, then looks once more. True: nothing came, sleep; a bell will
 * ring. False: go on. ring_server_awake() withdraws the wish. for_room: submissions are there, but
 * no room for their completions: only the client's reaping is a reason to go on.
 */
bool ring_server_sleep(struct ring_server *r, bool for_room);
void ring_server_awake(struct ring_server *r);
/* No more submissions are taken. The bell must be rung. */
void ring_server_kill(struct ring_server *r);

/* ---- The client's side ---- */

struct ring_client {
	struct pica_ring_control *control;
	struct pica_job *sq;
	const struct pica_done *cq;
	const struct pica_event *events;
	uint32_t sq_entries, cq_entries, event_entries;
	uint32_t sq_tail;    /* slots handed out */
	uint32_t sq_shown;   /* published */
	uint32_t cq_head, event_head;
	uint64_t lost_events;
};

/* base: the whole mapping of size_bytes. -EPROTO: the header makes no sense. */
int ring_client_init(struct ring_client *r, void *base, size_t size_bytes);
/* A slot to fill in, zeroed, as io_uring_get_sqe(); NULL: all are taken. */
struct pica_job *ring_client_slot(struct ring_client *r);
/* Whether there is one. */
bool ring_client_has_slot(const struct ring_client *r);
/*
 * As many submissions were taken as there are places for completions: no more will be, before the
 * client takes some of those.
 */
bool ring_client_must_reap(const struct ring_client *r);
/* Slots that are handed out and not yet published. */
uint32_t ring_client_pending(const struct ring_client *r);
/* Publishes the slots handed out so far. True: ring the service's bell. */
bool ring_client_publish(struct ring_client *r);
/* The next completion: 1, 0 (none) or -EPROTO. */
int ring_client_pop(struct ring_client *r, struct pica_done *done);
/* After a batch of pops. True: the service waits for room, ring its bell. */
bool ring_client_reaped(struct ring_client *r);
/* The next event that was not overwritten: 1 or 0. */
int ring_client_event(struct ring_client *r, struct pica_event *event);
/*
 * As ring_server_sleep(): until so many completions are there, 1 or more. for_slot: whatever the
 * service publishes rings, and a free submission slot is a reason to stay awake, too. Events ring,
 * but those that are there already are no reason: their reader looks behind this call, or does not
 * care.
 */
bool ring_client_sleep(struct ring_client *r, uint32_t completions, bool for_slot);
void ring_client_awake(struct ring_client *r);
bool ring_client_is_dead(const struct ring_client *r);
uint64_t ring_client_timeline(const struct ring_client *r, uint32_t slot);
uint64_t ring_client_completed(const struct ring_client *r, uint32_t slot);

#endif
