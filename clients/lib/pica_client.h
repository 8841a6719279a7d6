/*
 * libpica-client: a renderer that lives in another process, or in this one.
 *
 * A client connects to picad, makes contexts (emulated GPUs) and memory that both processes see,
 * puts jobs (pica_job.h) into a shared ring and takes completions out of another:
 *
 *	struct pica_client *client;
 *	struct pica_client_ctx *ctx;
 *	struct pica_client_memory *vram;
 *	struct pica_done done;
 *	if (pica_client_connect(&client, NULL, NULL, NULL) < 0 ||
 *			pica_client_ctx_create(&ctx, client, NULL) < 0 ||
 *			pica_client_map(&vram, ctx, 0x18000000, 6 << 20, 0) < 0) ...
 *	struct pica_job *job = pica_client_slot(ctx);
 *	job->op = PICA_OP_LIST; ...
 *	pica_client_submit(client);
 *	pica_client_wait(client, &done, 1, -1);
 *
 * Where names a service: NULL ($PICA_SOCKET, else $XDG_RUNTIME_DIR/pica/0, else /run/pica/0), the
 * path of a socket, or "builtin:" - the same service inside of this process, on threads of its own
 * ("builtin:N" with N worker threads).
 *
 * Errors are negative errnos; what a service refuses comes with a sentence: pica_client_error().
 *   -ECONNRESET the service is gone: everything in flight ends with it; see pica_client_reconnect()
 *   -EDQUOT     a quota (pica_client_limits()); the sentence names it. As a job's result: a budget,
 *               named by pica_budget_name() of pica.h
 *   -EPROTO     the other side is no picad      -EBUSY  jobs are in flight
 *   -ENOENT     nothing to wait for             -ETIME  the timeout passed
 *   -EMFILE     the service or this process has no descriptors left; the session goes on
 *
 * Threads: a client, its contexts and its memory are used by one thread at a time; which one may
 * change, if the program orders the calls (a mutex, or a hand-over). Several clients are
 * independent of each other. There are two exceptions: bytes behind pica_client_host() may be
 * touched by any thread as long as no job in flight reads or writes them, and
 * pica_client_timeline() and pica_client_completed() may be called by any thread while neither a
 * reconnection nor a close is under way. Nothing calls back; no signal is used, and none raised:
 * SIGPIPE does not come from here. "builtin:" has threads of its own, which take no signals.
 *
 * pica-client(7) is the longer manual; each function has a page in section 3.
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
	/* sizeof(struct pica_client_settings), set by pica_client_settings_init() */
	uint32_t size;
	uint32_t sq_entries; /* submission slots, 8..4096, rounded up; default 256 */
	/*
	 * Shown to people, who see 31 bytes of it, with '_' for what is not printable in ASCII, for
	 * spaces, quotes and backslashes; default: the program's
	 */
	const char *name;
	int32_t priority;    /* -10..10; the service may lower it */
	uint32_t reserved0;
	uint64_t required;   /* PICA_FEATURE_BIT_*: refuse without */
	/* "builtin:" alone: what its threads do (pica.h), until the client is closed; NULL: nobody
	 * follows */
	pica_trace_fn *trace;
	void *trace_user;
	uint64_t reserved[2];
};

/*
 * Fills *settings with the defaults: 256 slots, the program's name, priority 0, nothing required,
 * nobody follows.
 */
void pica_client_settings_init(struct pica_client_settings *settings);

/*
 * Connects to a service, or starts one inside of this process (where, see above). settings: NULL
 * for the defaults.
 *
 * -ENOENT, -ECONNREFUSED: no service there; -EACCES: it does not serve this user; -EPROTONOSUPPORT:
 * no common version; -EOPNOTSUPP: a required feature is not there; -ETIME: no answer within 5 s;
 * -EAGAIN: too many connect at a time; -EINVAL: settings, or what follows "builtin:", make no
 * sense; -ENAMETOOLONG, -EMFILE, -ENOMEM ...
 * *out is untouched on failure. message (NULL or PICA_TEXT_BYTES) gets a sentence about it.
 */
int pica_client_connect(struct pica_client **out, const char *where,
		const struct pica_client_settings *settings, char *message);
/*
 * The path that where NULL stands for now, to name it to people: at most size bytes with the final
 * 0. -ENAMETOOLONG.
 */
int pica_client_default_path(char *out, size_t size);
/*
 * Ends the session and frees all of the client: contexts, memory (pointers to it end here) and jobs
 * in flight, which are dropped. NULL is allowed.
 */
void pica_client_close(struct pica_client *client);
/*
 * What was said about the call before, a sentence in English: "" where it succeeded, or its errno
 * says all. When the service is gone: why, until a reconnection. Valid until the next call.
 */
const char *pica_client_error(const struct pica_client *client);
/*
 * What was agreed on: version, features (PICA_FEATURE_BIT_*), limits, number of the session, the
 * service's instruction set and threads. Valid until the client is closed; changed by a
 * reconnection.
 */
const struct pica_msg_welcome *pica_client_welcome(const struct pica_client *client);
/*
 * Asks for the limits as they are now, which pica_client_welcome() has from then on, too: behind a
 * PICA_EVENT_RELOADED. -ECONNRESET.
 */
int pica_client_limits(struct pica_client *client, struct pica_limits *out);
/*
 * A descriptor for poll(2), POLLIN: completions or events may be there, or the service is gone.
 * Never read it. In a loop: pica_client_peek() until it returns 0, which asks the service to ring;
 * then pica_client_event() until it returns 0; then poll. A pica_client_wait() that returns -ETIME
 * asks for it, too; one that takes completions, and pica_client_wait_slot(), may take it back.
 * Owned by the client, another one after a reconnection.
 */
int pica_client_fd(struct pica_client *client);

/* ---- Contexts and memory ---- */

struct pica_client_ctx_settings {
	/* sizeof(struct pica_client_ctx_settings), set by pica_client_ctx_settings_init() */
	uint32_t size;
	int32_t rank;   /* -10..10: of the client's contexts, those of the highest go first */
	uint32_t flags; /* PICA_CTX_ARITHMETIC: float_mode and combiner are the context's own */
	uint32_t reserved0;
	/* without that flag 0: the context computes as the service does */
	enum pica_float float_mode;
	enum pica_combiner combiner;
	uint64_t reserved[4];
};

/* Fills *settings with the defaults: rank 0, arithmetic as the service's. */
void pica_client_ctx_settings_init(struct pica_client_ctx_settings *settings);

/*
 * Makes a context, an emulated GPU without memory. settings: NULL for the defaults. It lives until
 * it is destroyed or the client is closed, and comes back with its settings by
 * pica_client_reconnect().
 *
 * -EINVAL: settings make no sense; -EOPNOTSUPP: a service that cannot do arithmetic of the
 * context's own (PICA_FEATURE_BIT_ARITHMETIC); -EDQUOT: limits.contexts; -ENOMEM; -ECONNRESET.
 */
int pica_client_ctx_create(struct pica_client_ctx **out, struct pica_client *client,
		const struct pica_client_ctx_settings *settings);
/*
 * Ends a context; its jobs in flight end with -ECANCELED. -EBUSY: memory is mapped in it, which
 * must be freed before. Where the service is gone it is freed all the same.
 */
int pica_client_ctx_destroy(struct pica_client_ctx *ctx);
/* The context field of PICA_OP_WAIT. Another one after a reconnection. */
uint32_t pica_client_ctx_handle(const struct pica_client_ctx *ctx);

/*
 * Makes memory that both processes see, zeroed, at phys in the context's physical address space.
 * phys and size_bytes: multiples of 4096. flags: 0, or PICA_MAP_READ_ONLY (the GPU's writes are
 * dropped).
 *
 * -EEXIST: overlaps a window of the context; -EBUSY: the context has jobs in flight; -EDQUOT:
 * limits.memory_bytes, region_bytes or regions; -EINVAL; -ENOMEM; -ECONNRESET. Freed with
 * pica_client_free() or with the client.
 */
int pica_client_map(struct pica_client_memory **out, struct pica_client_ctx *ctx, uint32_t phys,
		uint32_t size_bytes, uint32_t flags);
/*
 * Makes shared memory that no list can address, zeroed, for the data of PICA_OP_WRITE and
 * PICA_OP_STATS. Errors as of pica_client_map().
 */
int pica_client_alloc(
		struct pica_client_memory **out, struct pica_client *client, uint32_t size_bytes);
/*
 * Takes memory away from the GPU and from this process. -EBUSY: it is mapped in a context that has
 * jobs in flight. Where the service is gone it is freed all the same.
 */
int pica_client_free(struct pica_client_memory *memory);
/*
 * The first byte, aligned to a page. The same until the memory is freed, reconnections included.
 * What is written before pica_client_submit() is seen by the jobs submitted then; what was decoded
 * from it earlier (textures) is looked at anew behind a PICA_OP_INVALIDATE.
 */
void *pica_client_host(const struct pica_client_memory *memory);
/* The data field of PICA_OP_WRITE and PICA_OP_STATS: bytes of the memory from offset on. */
uint64_t pica_client_data(const struct pica_client_memory *memory, uint32_t offset);

/* ---- Work ---- */

/*
 * A zeroed job of this context to fill in (pica_job.h), in place; nothing happens before
 * pica_client_submit(). NULL: all slots are taken (submit, then pica_client_wait_slot()), or the
 * service is gone.
 */
struct pica_job *pica_client_slot(struct pica_client_ctx *ctx);
/*
 * Waits until a slot is free. The service takes submissions before they are complete, as far as
 * limits.jobs and the places for completions go, of which there are two for each slot.
 *
 * -EBUSY: none becomes free before completions are taken (pica_client_wait()); -ENOENT: all slots
 * are handed out and none was submitted; -ETIME after timeout_ns (< 0: never); -ECONNRESET.
 */
int pica_client_wait_slot(struct pica_client *client, int64_t timeout_ns);
/*
 * Hands over the slots filled in so far, of all contexts. Returns their number; -ECONNRESET;
 * -ENOMEM (nothing was handed over). Makes a system call only where the service sleeps.
 */
int pica_client_submit(struct pica_client *client);
/*
 * Takes up to n completions that are there: their number, or -ECONNRESET when none is left for
 * ever. Where it returns 0, pica_client_fd() becomes readable for the next ones.
 */
int pica_client_peek(struct pica_client *client, struct pica_done *done, size_t n);
/*
 * Waits for at least one completion, takes up to n; returns how many. Jobs of one context complete
 * in order, but for those that are answered at once: malformed ones (-EINVAL), PICA_OP_CANCEL, and
 * those that it ends (-ECANCELED). -ETIME after timeout_ns (< 0: never), and pica_client_fd()
 * becomes readable for what comes later; -ENOENT: none is in flight. When the service is gone, each
 * job in flight completes with -ECONNRESET, then this returns -ECONNRESET.
 */
int pica_client_wait(
		struct pica_client *client, struct pica_done *done, size_t n, int64_t timeout_ns);
/*
 * Waits for several completions at a time: as pica_client_wait(), but sleeps until `least` are
 * there (or all that are in flight), which saves the service and the client most of their system
 * calls. When the time is over: what is there, -ETIME for nothing.
 */
int pica_client_wait_many(struct pica_client *client, struct pica_done *done, size_t n,
		size_t least, int64_t timeout_ns);
/* The number of jobs that were submitted and whose completions were not taken. */
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

/* Copies the counters. -EINVAL: out->size is another. */
int pica_client_counters(const struct pica_client *client, struct pica_client_counters *out);
/*
 * The context's timeline, a fence without completions: the largest value of a PICA_OP_SIGNAL that
 * was reached.
 */
uint64_t pica_client_timeline(const struct pica_client_ctx *ctx);
/*
 * How many jobs of the context are complete, taken or not, with whatever result. Both are reads of
 * shared memory.
 */
uint64_t pica_client_completed(const struct pica_client_ctx *ctx);
/*
 * The next event that the service has to tell unasked (enum pica_event_type): 1, or 0 where there
 * is none. An event that nobody takes is overwritten after 63 others.
 */
int pica_client_event(struct pica_client *client, struct pica_event *event);

/*
 * ---- Looking in: these wait for the context's jobs that were submitted before. Of the errors each
 * can have -ECONNRESET, -ENOMEM, and -EDQUOT for the memory through which the bytes go. ----
 */

/* Replaces all of a context's state but its memory, as pica_ctx_load_state(). */
int pica_client_load_state(struct pica_client_ctx *ctx, const struct pica_state *state);
/* Copies all of a context's state but its memory, as pica_ctx_save_state(). */
int pica_client_save_state(struct pica_client_ctx *ctx, struct pica_state *state);
/*
 * Copies n internal registers from number first on, as pica_ctx_read_regs(). -EINVAL: there are
 * 0x300.
 */
int pica_client_read_regs(struct pica_client_ctx *ctx, uint32_t first, uint32_t n, uint32_t *out);
/* Reads a GPU or LCD register by its physical address, as pica_ctx_read_external(). */
int pica_client_read_external(struct pica_client_ctx *ctx, uint32_t addr, uint32_t *value);
/*
 * The context's counters, as pica_stats(). -EBUSY: the client has jobs in flight; -EINVAL:
 * out->size.
 */
int pica_client_stats(struct pica_client_ctx *ctx, struct pica_stats *out);
/* What a display controller shows now, as pica_ctx_screen(). */
int pica_client_screen(
		struct pica_client_ctx *ctx, enum pica_screen_id screen, struct pica_screen *out);
/*
 * A screen upright as RGB8 rows from the top, stride_bytes apart, as pica_ctx_read_screen().
 * -ENODATA: it was never set; -EINVAL: rows are longer than the stride.
 */
int pica_client_read_screen(struct pica_client_ctx *ctx, enum pica_screen_id screen,
		enum pica_eye eye, uint8_t *rgb, size_t stride_bytes);
/*
 * Decodes a tiled surface into RGBA8 rows, memory row 0 first, stride_bytes apart, as
 * pica_ctx_read_surface(). format: texture format 0..13; width and height: 8..2048, multiples of 8.
 * -ERANGE: not wholly inside the context's memory; -EINVAL.
 */
int pica_client_read_surface(struct pica_client_ctx *ctx, uint32_t phys, uint32_t format,
		uint32_t width, uint32_t height, uint8_t *rgba, size_t stride_bytes);

/* ---- After the service was restarted ---- */

/*
 * Registers jobs that bring a context to where it can go on: its tables, programs, constants. They
 * run with each reconnection. Copied; they must name memory that is mapped (it survives). Replaces
 * earlier ones; n = 0: none. -ENOMEM.
 */
int pica_client_set_init_jobs(struct pica_client_ctx *ctx, const struct pica_job *jobs, size_t n);
/*
 * Connects again, makes every context anew, gives the service the memory that both had (its bytes
 * are untouched), and runs the init jobs. Completions that were not taken stay: of jobs that were
 * in flight with -ECONNRESET. Slots that were not submitted are lost.
 *
 * 1: the state of the contexts was lost (the usual case); 0: the connection still stands and
 * nothing was done. Errors are those of pica_client_connect(), quotas of the new service (-EDQUOT),
 * or the result of an init job that failed; it can be tried again.
 */
int pica_client_reconnect(struct pica_client *client);

/* ---- Administration ---- */

/*
 * Copies what is known of up to n sessions with numbers above `after`, ascending; returns how many.
 * Others than one's own are listed for PICA_FEATURE_BIT_ADMIN only.
 */
int pica_client_sessions(struct pica_client *client, uint64_t after, struct pica_session_info *out,
		size_t n);
/*
 * Ends a session, whose client is told. Needs PICA_FEATURE_BIT_ADMIN (-EPERM). -ENOENT: there is no
 * such session.
 */
int pica_client_kick(struct pica_client *client, uint64_t session);
/*
 * Begins or ends the recording of a session's contexts (is_on: 1 or 0), as the service is set up
 * for it. Needs PICA_FEATURE_BIT_ADMIN (-EPERM). -ENOENT: there is no such session; -EOPNOTSUPP:
 * the service records nothing.
 */
int pica_client_record(struct pica_client *client, uint64_t session, int is_on);
/*
 * Shows that session from now on, until it is gone; 0: whom the service's policy chooses. Needs
 * PICA_FEATURE_BIT_ADMIN (-EPERM). -ENOENT: no such session; -EOPNOTSUPP: the service has no
 * display.
 */
int pica_client_focus(struct pica_client *client, uint64_t session);
/*
 * What an output of the display shows, from 0 on as the service counts them: RGB8 rows from the top
 * without gaps, which the caller frees. Needs PICA_FEATURE_BIT_ADMIN (-EPERM). -ENODATA: nothing is
 * connected; -ENOENT: so many are not; -EOPNOTSUPP: the service has no display.
 */
int pica_client_screenshot(struct pica_client *client, uint32_t output, uint32_t *width,
		uint32_t *height, uint8_t **rgb);
/*
 * The numbers of the service as text for Prometheus, which the caller frees. Needs
 * PICA_FEATURE_BIT_ADMIN
 * (-EPERM).
 */
int pica_client_metrics(struct pica_client *client, char **text);

#ifdef __cplusplus
}
#endif

#endif
