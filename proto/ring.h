/*
 * The two sides of a session's rings (pica_ring.h). One thread uses a side at a time. Nothing here
 * waits or makes a system call: the *_publish functions say whether a bell must be rung, the
 * *_sleep functions whether the caller may sleep.
 */
#ifndef PROTO_RING_H
#define PROTO_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pica_ring.h"

/*
 * Fills in the header of rings for sq_entries submissions (rounded up to a power of two, clamped to
 * PICA_RING_MIN_ENTRIES..PICA_RING_MAX_ENTRIES). Sets header->size_bytes to the size of the memory
 * that they need.
 */
void ring_layout(struct pica_ring_header *header, uint32_t sq_entries);
/*
 * Checks a header from the other side. Returns 0 if its rings are where ring_layout() places them
 * and fit into size_bytes of memory, else -EPROTO.
 */
int ring_check(const struct pica_ring_header *header, size_t size_bytes);

/* ---- The service's side: keeps its own indices, reads each word of the client once ---- */

struct ring_server {
	struct pica_ring_control *control;
	struct pica_job *sq;
	struct pica_done *cq;
	struct pica_event *events;
	uint32_t sq_mask, cq_mask, event_mask;
	uint32_t sq_head, cq_tail, cq_head, event_tail;
	uint32_t flags; /* our service_flags */
	bool must_ring; /* the next publication rings a sleeping client */
};

/* base: header->size_bytes of zeroed memory. header: from ring_layout(); copied to base. */
void ring_server_init(struct ring_server *r, void *base, const struct pica_ring_header *header);
/*
 * Copies the next submission to private memory. Returns 1, 0 if there is none, or -EPROTO if the
 * client's tail is ahead by more than the length of the ring.
 */
int ring_server_pop(struct ring_server *r, struct pica_job *job);
/* Lets the client reuse the slots that were popped. Call after a batch of pops. */
void ring_server_release(struct ring_server *r);
/* Returns how many completions can be pushed now, or -EPROTO if the client's head is invalid. */
int ring_server_room(struct ring_server *r);
/*
 * Writes a completion. The caller must have seen room for it with ring_server_room().
 * ring_server_publish() publishes it.
 */
void ring_server_push(struct ring_server *r, const struct pica_done *done);
/*
 * Publishes completions, freed submission slots and events. Returns true if the caller must ring
 * the client's bell.
 */
bool ring_server_publish(struct ring_server *r);
/* Adds an event. If the client does not read its events, the oldest one is overwritten. */
void ring_server_event(struct ring_server *r, const struct pica_event *event);
/*
 * Stores the timeline (the largest value signalled) and the number of completed jobs of the
 * context in a slot (below PICA_RING_TIMELINES).
 */
void ring_server_timeline(
		struct ring_server *r, uint32_t slot, uint64_t timeline, uint64_t completed);
/*
 * Call before sleeping: asks to be woken, then checks once more. Returns true if nothing arrived:
 * the caller may sleep, and a bell will wake it. ring_server_awake() withdraws the request.
 * for_room: submissions wait for room for their completions, so only reaping by the client ends the
 * sleep.
 */
bool ring_server_sleep(struct ring_server *r, bool for_room);
void ring_server_awake(struct ring_server *r);
/* Marks the rings dead: no more submissions are taken. The caller must ring the client's bell. */
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

/* base: the whole mapping of size_bytes. Returns 0, or -EPROTO if the header is invalid. */
int ring_client_init(struct ring_client *r, void *base, size_t size_bytes);
/* Returns a zeroed slot to fill in, as io_uring_get_sqe() does, or NULL if all are taken. */
struct pica_job *ring_client_slot(struct ring_client *r);
/* Returns true if a slot is free. */
bool ring_client_has_slot(const struct ring_client *r);
/*
 * Returns true if the completion ring is fully used: the service takes no more submissions until
 * the client reaps completions.
 */
bool ring_client_must_reap(const struct ring_client *r);
/* Returns the number of slots handed out and not yet published. */
uint32_t ring_client_pending(const struct ring_client *r);
/*
 * Publishes the slots handed out so far. Returns true if the caller must ring the service's bell.
 */
bool ring_client_publish(struct ring_client *r);
/* Copies the next completion. Returns 1, 0 if there is none, or -EPROTO. */
int ring_client_pop(struct ring_client *r, struct pica_done *done);
/*
 * Call after a batch of pops. Returns true if the service waits for room: the caller must ring its
 * bell.
 */
bool ring_client_reaped(struct ring_client *r);
/* Copies the next event that was not overwritten. Returns 1, or 0 if there is none. */
int ring_client_event(struct ring_client *r, struct pica_event *event);
/*
 * As ring_server_sleep(), but sleeps until `completions` of them (1 or more) are available.
 * for_slot: every publication of the service rings the bell, and a free submission slot also ends
 * the sleep. New events ring the bell. Events that are already there do not end the sleep: a caller
 * that reads events checks for them after this call.
 */
bool ring_client_sleep(struct ring_client *r, uint32_t completions, bool for_slot);
void ring_client_awake(struct ring_client *r);
bool ring_client_is_dead(const struct ring_client *r);
uint64_t ring_client_timeline(const struct ring_client *r, uint32_t slot);
uint64_t ring_client_completed(const struct ring_client *r, uint32_t slot);

#endif
