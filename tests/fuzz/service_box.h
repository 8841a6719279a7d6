/*
 * For fuzz targets: a service in this process, run step by step on its only thread, and a raw
 * client at the other end of a socketpair.
 */
#ifndef SERVICE_BOX_H
#define SERVICE_BOX_H

#include <stdint.h>

#include "pica_hello.h"
#include "pica_job.h"
#include "pica_ring.h"
#include "service/server.h"

enum {
	BOX_VRAM = 0x18000000,
	BOX_FCRAM = 0x20000000,
	BOX_WINDOW_BYTES = 0x40000,
	BOX_STAGING_BYTES = 0x10000,
	BOX_WINDOWS = 2,
};

/* A session with a context, two windows and staging memory. */
struct box_client {
	int sock, bell_out, bell_in;
	uint8_t *ring;
	size_t ring_bytes;
	struct pica_ring_control *control;
	struct pica_job *sq;
	const struct pica_done *cq;
	uint32_t sq_entries, cq_entries, sq_tail, cq_head;
	uint32_t context, region[BOX_WINDOWS], staging_handle;
	uint8_t *window[BOX_WINDOWS], *staging;
};

/* Small budgets for the service's jobs, so that each input ends soon. */
extern const struct pica_budgets box_budgets;

/* The client's end of a new connection, non-blocking. */
int box_connect(void);
/* Runs the service until it is idle. */
void box_settle(void);
/* Reads and drops the service's messages. Returns their number; -1: it has disconnected. */
int box_drain(int sock);
void box_say_hello(int sock);
/* Opens a session with a context and memory, or ends the process: a valid client is always
 * served. */
void box_client_open(struct box_client *c);
void box_client_close(struct box_client *c);
/* Checks that no session is left when all clients have disconnected. */
void box_check_empty(void);

#endif
