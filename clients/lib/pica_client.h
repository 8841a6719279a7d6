/*
 * libpica-client: a renderer that lives in another process, or in this one.
 *
 * A client connects to picad, makes contexts (emulated GPUs) and memory that both processes see, puts
 * jobs (pica_job.h) into a shared ring and takes completions out of another:
 *
 *	struct pica_client *client;
 *	struct pica_client_ctx *ctx;
 *	struct pica_client_memory *vram;
 *	if (pica_client_connect(&client, NULL, NULL) < 0 || pica_client_ctx_create(&ctx, client, NULL) < 0 ||
 *			pica_client_map(&vram, ctx, 0x18000000, 6 << 20, 0) < 0) ...
 *	struct pica_job *job = pica_client_slot(ctx);
 *	job->op = PICA_OP_LIST; ...
 *	pica_client_submit(client);
 *	struct pica_done done;
 *	pica_client_wait(client, &done, 1, -1);
 *
 * Where names a service: NULL ($PICA_SOCKET, else $XDG_RUNTIME_DIR/pica/0, else /run/pica/0), the path
 * of a socket, or "builtin:" - the same service inside of this process, on threads of its own
 * ("builtin:N" with N worker threads).
 *
 * Errors are negative errnos; what a service refuses comes with a sentence: pica_client_error().
 *   -ECONNRESET the service is gone: everything in flight ends with it; see pica_client_reconnect()
 *   -EDQUOT a quota (pica_client_limits()); the sentence names it    -EPROTO the other side is no picad
 *   -EBUSY jobs are in flight     -EAGAIN no free slot now          -ETIME the timeout passed
 *
 * Threads: calls on one client and what belongs to it come from one thread at a time. Memory may be
 * written by any, as long as no job in flight reads it.
 */
#ifndef PICA_CLIENT_H
#define PICA_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "pica.h"
#include "pica_hello.h"
#include "pica_job.h"
#include "pica_ring.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pica_client;
struct pica_client_ctx;
struct pica_client_memory;

struct pica_client_settings {
	uint32_t size;       /* sizeof(struct pica_client_settings), set by pica_client_settings_init() */
	uint32_t sq_entries; /* submission slots, 8..4096, rounded up; default 256 */
	const char *name;    /* shown to people; default: the program's */
	int32_t priority;    /* -10..10; the service may lower it */
	uint32_t reserved0;
	uint64_t required;   /* PICA_FEATURE_BIT_*: refuse without */
	uint64_t reserved[4];
};

void pica_client_settings_init(struct pica_client_settings *settings);

/*
 * -ENOENT, -ECONNREFUSED: no service there; -EACCES: it does not serve this user; -EPROTONOSUPPORT: no
 * common version; -ETIME: no answer within 5 s. *out is untouched on failure. message (NULL or
 * PICA_TEXT_BYTES) gets a sentence about it.
 */
int pica_client_connect(struct pica_client **out, const char *where,
		const struct pica_client_settings *settings, char *message);
/* Everything of it ends, jobs in flight are dropped. NULL is allowed. */
void pica_client_close(struct pica_client *client);
/* The last refusal as a sentence, "" if there was none. Valid until the next call. */
const char *pica_client_error(const struct pica_client *client);
/* What was agreed on: version, features, limits, the service's instruction set and threads. */
const struct pica_msg_welcome *pica_client_welcome(const struct pica_client *client);
/*
 * A descriptor for poll(2), POLLIN: completions or events may be there, or the service is gone. Never read
 * it. In a loop: pica_client_peek() until it returns 0, which asks the service to ring; then
 * pica_client_event() until it returns 0; then poll. Owned by the client, another one after a reconnection.
 */
int pica_client_fd(struct pica_client *client);

/* ---- Contexts and memory ---- */

/*
 * A context without memory. reserved: NULL. -EDQUOT: limits.contexts. The client owns what it gets here
 * until it destroys it or closes.
 */
int pica_client_ctx_create(struct pica_client_ctx **out, struct pica_client *client, const void *reserved);
/* Its jobs in flight end with -ECANCELED. Memory that is mapped in it must be freed before. */
int pica_client_ctx_destroy(struct pica_client_ctx *ctx);
/* For the context field of PICA_OP_WAIT. Another one after a reconnection. */
uint32_t pica_client_ctx_handle(const struct pica_client_ctx *ctx);

/*
 * Memory that both processes see, zeroed: at phys in the context's physical address space (multiples of
 * 4096; flags: PICA_MAP_READ_ONLY), or outside of it, for PICA_OP_WRITE, statistics, pictures and
 * states. -EEXIST: overlaps; -EBUSY: the context has jobs in flight; -EDQUOT.
 */
int pica_client_map(struct pica_client_memory **out, struct pica_client_ctx *ctx, uint32_t phys,
		uint32_t size_bytes, uint32_t flags);
int pica_client_alloc(struct pica_client_memory **out, struct pica_client *client, uint32_t size_bytes);
int pica_client_free(struct pica_client_memory *memory);
void *pica_client_host(const struct pica_client_memory *memory);
/* The data field of PICA_OP_WRITE and PICA_OP_STATS for bytes of the memory. */
uint64_t pica_client_data(const struct pica_client_memory *memory, uint32_t offset);

/* ---- Work ---- */

/* A zeroed job of this context to fill in; NULL: all slots are taken, submit and wait. */
struct pica_job *pica_client_slot(struct pica_client_ctx *ctx);
/* Hands over the slots filled in so far. Returns their number, or -ECONNRESET. */
int pica_client_submit(struct pica_client *client);
/*
 * Takes up to n completions that are there: their number, or -ECONNRESET when none is left for ever. Where
 * it returns 0, pica_client_fd() becomes readable for the next ones.
 */
int pica_client_peek(struct pica_client *client, struct pica_done *done, size_t n);
/*
 * Waits for at least one completion, takes up to n. -ETIME after timeout_ns (< 0: never), -ENOENT: none
 * is in flight.
 */
int pica_client_wait(struct pica_client *client, struct pica_done *done, size_t n, int64_t timeout_ns);
/*
 * The same for several at a time: sleeps until `least` are there (or all that are in flight), which saves
 * the service and the client most of their system calls. When the time is over: what is there.
 */
int pica_client_wait_many(struct pica_client *client, struct pica_done *done, size_t n, size_t least,
		int64_t timeout_ns);
/* Jobs submitted whose completions were not taken. */
uint32_t pica_client_in_flight(const struct pica_client *client);
/* What the library did since pica_client_connect(), reconnections included. */
struct pica_client_counters {
	uint32_t size; /* set by the caller to sizeof(struct pica_client_counters) */
	uint32_t reserved0;
	uint64_t submitted, completed; /* jobs */
	uint64_t submits;              /* pica_client_submit() with at least one job */
	uint64_t bells;                /* times that a sleeping service had to be woken */
	uint64_t sleeps;               /* times that pica_client_wait() slept */
	uint64_t system_calls;         /* for work, these included; not those of requests */
	uint64_t reserved[8];
};

/* -EINVAL: another size. */
int pica_client_counters(const struct pica_client *client, struct pica_client_counters *out);
/* Fences without completions: the context's timeline (PICA_OP_SIGNAL) and number of complete jobs. */
uint64_t pica_client_timeline(const struct pica_client_ctx *ctx);
uint64_t pica_client_completed(const struct pica_client_ctx *ctx);
/* The next event of the service (pica_ring.h): 1, or 0. */
int pica_client_event(struct pica_client *client, struct pica_event *event);

/* ---- Looking in; each waits for the context's jobs that were submitted before ---- */

int pica_client_load_state(struct pica_client_ctx *ctx, const struct pica_state *state);
int pica_client_save_state(struct pica_client_ctx *ctx, struct pica_state *state);
int pica_client_read_regs(struct pica_client_ctx *ctx, uint32_t first, uint32_t n, uint32_t *out);
int pica_client_read_external(struct pica_client_ctx *ctx, uint32_t addr, uint32_t *value);
int pica_client_stats(struct pica_client_ctx *ctx, struct pica_stats *out);
/* As the functions of pica.h. */
int pica_client_screen(struct pica_client_ctx *ctx, enum pica_screen_id screen, struct pica_screen *out);
int pica_client_read_screen(struct pica_client_ctx *ctx, enum pica_screen_id screen, enum pica_eye eye,
		uint8_t *rgb, size_t stride_bytes);
int pica_client_read_surface(struct pica_client_ctx *ctx, uint32_t phys, uint32_t format, uint32_t width,
		uint32_t height, uint8_t *rgba, size_t stride_bytes);

/* ---- After the service was restarted ---- */

/*
 * Jobs that bring a context to where it can go on: its tables, programs, constants. Copied; they must
 * name memory that is mapped (it survives). Replaces earlier ones; n = 0: none.
 */
int pica_client_set_init_jobs(struct pica_client_ctx *ctx, const struct pica_job *jobs, size_t n);
/*
 * Connects again, makes every context anew, gives the service the memory that both had (its bytes are
 * untouched), and runs the init jobs. 1: the state of the contexts was lost (the usual case), 0: the
 * connection still stands and nothing was done. What connect() says otherwise; can be tried again.
 */
int pica_client_reconnect(struct pica_client *client);

/* ---- Administration ---- */

/* Up to n sessions with numbers above `after`: how many. Others than one's own need PICA_FEATURE_BIT_ADMIN. */
int pica_client_sessions(struct pica_client *client, uint64_t after, struct pica_session_info *out, size_t n);
int pica_client_kick(struct pica_client *client, uint64_t session);
/*
 * The numbers of the service as text for Prometheus, which the caller frees. Needs PICA_FEATURE_BIT_ADMIN
 * (-EPERM).
 */
int pica_client_metrics(struct pica_client *client, char **text);

#ifdef __cplusplus
}
#endif

#endif
