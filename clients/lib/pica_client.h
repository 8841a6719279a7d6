/*
 * libpica-client: renders with picad, a service in another process, or with the same service inside
 * this process.
 *
 * A client connects, creates contexts (emulated GPUs) and memory that both processes share, puts
 * jobs (pica_job.h) into a shared ring and takes their completions from another:
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
 * The argument "where" names a service: NULL, the path of a socket, or "builtin:", the service
 * inside this process on threads of its own ("builtin:N": N worker threads). NULL: $PICA_SOCKET,
 * else the first of $XDG_RUNTIME_DIR/pica/0 (/run/user/UID/pica/0 without that variable),
 * /run/pica/USER/0 and /run/pica/0 that exists, even if no service answers there yet.
 *
 * Errors are negative errnos. pica_client_error() returns the service's message about a refusal.
 *   -ECONNRESET  the service is gone and all jobs in flight are lost; see pica_client_reconnect()
 *   -EDQUOT      a quota (pica_client_limits()); the message names it. As the result of a job: a
 *                budget, which pica_budget_name() of pica.h names
 *   -EPROTO      the other side is not picad
 *   -EBUSY       jobs are in flight
 *   -ENOENT      nothing to wait for
 *   -ETIME       the timeout passed
 *   -EMFILE      the service or this process is out of descriptors; the session continues
 *
 * Threads: one thread at a time uses a client, its contexts and its memory. Another thread may take
 * over if the program orders the calls (with a mutex, or a hand-over). Different clients are
 * independent. There are two exceptions. Any thread may touch the bytes of pica_client_host() while
 * no job in flight reads or writes them. Any thread may call pica_client_timeline() and
 * pica_client_completed() while neither a reconnection nor a close is under way. The library has
 * no callbacks, uses no signals and raises none (no SIGPIPE). The threads of "builtin:" block all
 * signals.
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
	 * Shown to users: at most 31 bytes. Spaces, quotes, backslashes and bytes that are not
	 * printable ASCII become '_'. Default: the name of the program.
	 */
	const char *name;
	int32_t priority;    /* -10..10; the service may lower it */
	uint32_t reserved0;
	uint64_t required;   /* PICA_FEATURE_BIT_*: fail if one is missing */
	/* "builtin:" only: called for the work of its threads (pica.h); NULL: no trace */
	pica_trace_fn *trace;
	void *trace_user;
	uint64_t reserved[2];
};

/*
 * Fills *settings with the defaults: 256 slots, the program's name, priority 0, no required
 * features, no trace.
 */
void pica_client_settings_init(struct pica_client_settings *settings);

/*
 * Connects to a service, or starts one inside this process. where: see the top of this header, or
 * pica-client(7). settings: NULL for the defaults. On failure, message (NULL, or PICA_TEXT_BYTES
 * bytes) receives a sentence that explains it.
 *
 * Returns 0. On failure returns an error and leaves *out unchanged:
 *   -ENOENT, -ECONNREFUSED  no service is there
 *   -EACCES                 the service does not serve this user
 *   -EPROTONOSUPPORT        no common version
 *   -EOPNOTSUPP             the service lacks a required feature
 *   -ETIME                  no answer within 5 s
 *   -EAGAIN                 too many clients are connecting
 *   -EINVAL                 malformed settings, or malformed text after "builtin:"
 *   -ENAMETOOLONG, -EMFILE, -ENOMEM
 */
int pica_client_connect(struct pica_client **out, const char *where,
		const struct pica_client_settings *settings, char *message);
/*
 * Writes the path that a "where" of NULL currently stands for, for use in messages. out: size
 * bytes, including the final 0. Returns 0; -ENAMETOOLONG if the path does not fit.
 */
int pica_client_default_path(char *out, size_t size);
/*
 * Ends the session and frees the client with its contexts and memory: pointers to that memory
 * become invalid. Jobs in flight are dropped. NULL is allowed.
 */
void pica_client_close(struct pica_client *client);
/*
 * Returns an English sentence about the previous call: "" if it succeeded or its errno says
 * everything. Once the service is gone, returns the reason until a reconnection. Valid until the
 * next call.
 */
const char *pica_client_error(const struct pica_client *client);
/*
 * Returns the result of the handshake: version, features (PICA_FEATURE_BIT_*), limits, number of
 * the session, instruction set and threads of the service. Valid until the client is closed; a
 * reconnection changes it.
 */
const struct pica_msg_welcome *pica_client_welcome(const struct pica_client *client);
/*
 * Asks the service for the current limits, and also updates those of pica_client_welcome(). Call it
 * after PICA_EVENT_RELOADED. Returns 0, or -ECONNRESET.
 */
int pica_client_limits(struct pica_client *client, struct pica_limits *out);
/*
 * Returns the descriptor of the client for poll(2). POLLIN: completions or events may be available,
 * or the service is gone. Never read from it. In a loop: call pica_client_peek() until it returns
 * 0, which asks the service to ring; then pica_client_event() until it returns 0; then poll. A
 * pica_client_wait() that returns -ETIME also asks the service to ring. A pica_client_wait() that
 * takes completions, and pica_client_wait_slot(), may cancel the request. The client owns the
 * descriptor; a reconnection replaces it.
 */
int pica_client_fd(struct pica_client *client);

/* ---- Contexts and memory ---- */

struct pica_client_ctx_settings {
	/* sizeof(struct pica_client_ctx_settings), set by pica_client_ctx_settings_init() */
	uint32_t size;
	int32_t rank;   /* -10..10: the client's contexts of the highest rank go first */
	uint32_t flags; /* PICA_CTX_ARITHMETIC: float_mode and combiner are the context's own */
	/* PICA_CHIP_VC4: no choice of arithmetic; the picture is in memory that the client maps */
	enum pica_chip chip;
	/* both 0 without PICA_CTX_ARITHMETIC: the context computes as the service does */
	enum pica_float float_mode;
	enum pica_combiner combiner;
	uint64_t reserved[4];
};

/* Fills *settings with the defaults: rank 0, a PICA200, the service's arithmetic. */
void pica_client_ctx_settings_init(struct pica_client_ctx_settings *settings);

/*
 * Creates a context: an emulated GPU without memory. settings: NULL for the defaults. The context
 * lives until it is destroyed or the client is closed; pica_client_reconnect() restores it with its
 * settings.
 *
 * Returns 0. On failure leaves *out unchanged and returns -EINVAL (malformed settings), -EOPNOTSUPP
 * (the service lacks PICA_FEATURE_BIT_ARITHMETIC or PICA_FEATURE_BIT_CHIPS), -EDQUOT
 * (limits.contexts), -ENOMEM or -ECONNRESET.
 */
int pica_client_ctx_create(struct pica_client_ctx **out, struct pica_client *client,
		const struct pica_client_ctx_settings *settings);
/*
 * Destroys a context; its jobs in flight end with -ECANCELED. Returns 0; -EBUSY while memory is
 * mapped in it: free that first. Frees the context even if the service is gone.
 */
int pica_client_ctx_destroy(struct pica_client_ctx *ctx);
/* Returns the value for the context field of PICA_OP_WAIT. A reconnection changes it. */
uint32_t pica_client_ctx_handle(const struct pica_client_ctx *ctx);

/*
 * Creates memory that both processes see, zeroed, at phys in the physical address space of the
 * context. phys and size_bytes: multiples of 4096. flags: 0, or PICA_MAP_READ_ONLY (writes by the
 * GPU are dropped). Freed by pica_client_free() or with the client.
 *
 * Returns 0. On failure leaves *out unchanged and returns -EEXIST (overlaps a window of the
 * context), -EBUSY (the context has jobs in flight), -EDQUOT (limits.memory_bytes, region_bytes or
 * regions), -EINVAL, -ENOMEM or -ECONNRESET.
 */
int pica_client_map(struct pica_client_memory **out, struct pica_client_ctx *ctx, uint32_t phys,
		uint32_t size_bytes, uint32_t flags);
/*
 * Creates shared memory that no command list can address, zeroed, for the data of PICA_OP_WRITE and
 * PICA_OP_STATS. Errors as for pica_client_map().
 */
int pica_client_alloc(
		struct pica_client_memory **out, struct pica_client *client, uint32_t size_bytes);
/*
 * Unmaps memory from the GPU and from this process, and frees it. Returns 0; -EBUSY if it is mapped
 * in a context that has jobs in flight. Frees the memory even if the service is gone.
 */
int pica_client_free(struct pica_client_memory *memory);
/*
 * Returns the address of the first byte, aligned to a page. It stays the same until the memory is
 * freed, also across reconnections. Jobs see the bytes written before the pica_client_submit() that
 * submits them. A texture that was decoded earlier is decoded again only after a
 * PICA_OP_INVALIDATE.
 */
void *pica_client_host(const struct pica_client_memory *memory);
/*
 * Returns the descriptor of the memory, a memfd of size_bytes whose size is fixed, to map it
 * elsewhere or to pass it to another process. Owned by the memory.
 */
int pica_client_memory_fd(const struct pica_client_memory *memory);
/*
 * Returns the value for the data field of PICA_OP_WRITE and PICA_OP_STATS that names the bytes of
 * the memory from offset on.
 */
uint64_t pica_client_data(const struct pica_client_memory *memory, uint32_t offset);

/* ---- Work ---- */

/*
 * Returns a zeroed job of this context to fill in (pica_job.h), in place; nothing happens before
 * pica_client_submit(). Returns NULL if all slots are taken (submit, then call
 * pica_client_wait_slot()), or the service is gone.
 */
struct pica_job *pica_client_slot(struct pica_client_ctx *ctx);
/*
 * Waits until a slot is free. The service frees a slot when it takes the job, before the job is
 * complete, within limits.jobs and the room for completions, two per slot. timeout_ns < 0: no
 * timeout.
 *
 * Returns 0; -EBUSY if no slot becomes free before completions are taken (pica_client_wait());
 * -ENOENT if all slots were handed out and none was submitted; -ETIME; -ECONNRESET.
 */
int pica_client_wait_slot(struct pica_client *client, int64_t timeout_ns);
/*
 * Submits all slots handed out so far, of all contexts. Makes a system call only if the service
 * sleeps. Returns the number of jobs; -ECONNRESET; -ENOMEM (nothing was submitted).
 */
int pica_client_submit(struct pica_client *client);
/*
 * Takes up to n completions without waiting. Returns the number taken; -ECONNRESET if none is left
 * and none will come. After it returns 0, the next completion makes pica_client_fd() readable.
 */
int pica_client_peek(struct pica_client *client, struct pica_done *done, size_t n);
/*
 * Waits for at least one completion and takes up to n. Jobs of one context complete in order,
 * except for those that are answered at once: malformed ones (-EINVAL), PICA_OP_CANCEL, and those
 * that it cancels (-ECANCELED). timeout_ns < 0: no timeout.
 *
 * Returns the number taken; -ETIME, after which the next completion makes pica_client_fd()
 * readable; -ENOENT if no job is in flight. When the service is gone, each job in flight completes
 * with -ECONNRESET, then this function returns -ECONNRESET.
 */
int pica_client_wait(
		struct pica_client *client, struct pica_done *done, size_t n, int64_t timeout_ns);
/*
 * Waits for several completions: as pica_client_wait(), but sleeps until `least` of them are
 * available (or all that are in flight), which saves service and client most of their system calls.
 * After the timeout, returns those available, or -ETIME if there are none.
 */
int pica_client_wait_many(struct pica_client *client, struct pica_done *done, size_t n,
		size_t least, int64_t timeout_ns);
/* Returns the number of submitted jobs whose completions have not been taken. */
uint32_t pica_client_in_flight(const struct pica_client *client);
/* Counts since pica_client_connect(), reconnections included. */
struct pica_client_counters {
	uint32_t size; /* set by the caller to sizeof(struct pica_client_counters) */
	uint32_t reserved0;
	uint64_t submitted, completed; /* jobs */
	uint64_t submits;              /* pica_client_submit() with at least one job */
	uint64_t bells;                /* times that a sleeping service had to be woken */
	uint64_t sleeps;               /* times that pica_client_wait() slept */
	uint64_t system_calls;         /* for work, including the above; not those of requests */
	uint64_t reserved[8];
};

/* Copies the counters. Returns 0; -EINVAL if out->size is wrong. */
int pica_client_counters(const struct pica_client *client, struct pica_client_counters *out);
/*
 * Returns the timeline of the context, a fence without completions: the largest value that
 * PICA_OP_SIGNAL has raised it to.
 */
uint64_t pica_client_timeline(const struct pica_client_ctx *ctx);
/*
 * Returns how many jobs of the context are complete, taken or not, with any result. Like
 * pica_client_timeline(), this only reads shared memory.
 */
uint64_t pica_client_completed(const struct pica_client_ctx *ctx);
/*
 * Takes the next event of the service (enum pica_event_type). Returns 1, or 0 if there is none. An
 * event that is not taken is overwritten after 63 others.
 */
int pica_client_event(struct pica_client *client, struct pica_event *event);

/*
 * ---- Inspection: these functions wait for the jobs submitted earlier to the context. Each may
 * also return -ECONNRESET, -ENOMEM, and -EDQUOT for the memory of its data. ----
 */

/* Replaces the whole state of a context except its memory, as pica_ctx_load_state() does. */
int pica_client_load_state(struct pica_client_ctx *ctx, const struct pica_state *state);
/* Copies the whole state of a context except its memory, as pica_ctx_save_state() does. */
int pica_client_save_state(struct pica_client_ctx *ctx, struct pica_state *state);
/*
 * Copies n internal registers from number first on, as pica_ctx_read_regs() does. -EINVAL if the
 * range exceeds the 0x300 registers.
 */
int pica_client_read_regs(struct pica_client_ctx *ctx, uint32_t first, uint32_t n, uint32_t *out);
/* Reads a GPU or LCD register by its physical address, as pica_ctx_read_external() does. */
int pica_client_read_external(struct pica_client_ctx *ctx, uint32_t addr, uint32_t *value);
/*
 * Copies the counters of the context, as pica_stats() does. -EBUSY while the client has jobs in
 * flight; -EINVAL if out->size is wrong.
 */
int pica_client_stats(struct pica_client_ctx *ctx, struct pica_stats *out);
/* Describes what a display controller shows now, as pica_ctx_screen() does. */
int pica_client_screen(
		struct pica_client_ctx *ctx, enum pica_screen_id screen, struct pica_screen *out);
/*
 * Copies a screen upright as RGB8 rows from the top, stride_bytes apart, as pica_ctx_read_screen()
 * does. -ENODATA if it was never set; -EINVAL if rows are longer than the stride.
 */
int pica_client_read_screen(struct pica_client_ctx *ctx, enum pica_screen_id screen,
		enum pica_eye eye, uint8_t *rgb, size_t stride_bytes);
/*
 * Decodes a tiled surface into RGBA8 rows, memory row 0 first, stride_bytes apart, as
 * pica_ctx_read_surface() does. format: texture format 0..13. width and height: 8..2048, multiples
 * of 8. -ERANGE if the surface is not inside one window of the context; -EINVAL (invalid argument).
 */
int pica_client_read_surface(struct pica_client_ctx *ctx, uint32_t phys, uint32_t format,
		uint32_t width, uint32_t height, uint8_t *rgba, size_t stride_bytes);

/* ---- Reconnection after a restart of the service ---- */

/*
 * Registers n jobs that restore a context: its tables, programs and constants. Each reconnection
 * runs them. The jobs are copied, and must refer to mapped memory (which survives). Replaces the
 * earlier init jobs; n = 0 removes them. Returns 0, or -ENOMEM.
 */
int pica_client_set_init_jobs(struct pica_client_ctx *ctx, const struct pica_job *jobs, size_t n);
/*
 * Connects again, recreates every context, gives the service the shared memory (its bytes are
 * unchanged) and runs the init jobs. Completions not yet taken remain; jobs that were in flight
 * complete with -ECONNRESET. Slots that were not submitted are lost.
 *
 * Returns 1 if the state of the contexts was lost (the usual case), 0 if the connection is still up
 * and nothing was done. On failure returns an error of pica_client_connect(), -EDQUOT for a quota
 * of the new service, or the result of the init job that failed; the call may be repeated.
 */
int pica_client_reconnect(struct pica_client *client);

/* ---- Administration ---- */

/*
 * Copies descriptions of up to n sessions with numbers above `after`, ascending. Returns their
 * number. Only administrators (PICA_FEATURE_BIT_ADMIN) see sessions other than their own.
 */
int pica_client_sessions(struct pica_client *client, uint64_t after, struct pica_session_info *out,
		size_t n);
/*
 * Ends a session and tells its client. Returns 0. On failure returns -EPERM (administrators only)
 * or -ENOENT (no such session).
 */
int pica_client_kick(struct pica_client *client, uint64_t session);
/*
 * Switches the recording of a session's contexts on or off (is_on: 1 or 0). The service chooses the
 * folder. Returns 0. On failure returns -EPERM (administrators only), -ENOENT (no such session) or
 * -EOPNOTSUPP (the service does not record).
 */
int pica_client_record(struct pica_client *client, uint64_t session, int is_on);
/*
 * Shows a session on the display until it ends; 0 shows the one that the service's policy chooses.
 * Returns 0. On failure returns -EPERM (administrators only), -ENOENT (no such session) or
 * -EOPNOTSUPP (no display).
 */
int pica_client_focus(struct pica_client *client, uint64_t session);
/*
 * Copies the picture that an output of the display shows. output: index from 0, in the order of the
 * service. Stores RGB8 rows from the top without gaps in *rgb; free it with free(). Returns 0. On
 * failure returns -EPERM (administrators only), -ENODATA (nothing is connected), -ENOENT (no such
 * output) or -EOPNOTSUPP (no display).
 */
int pica_client_screenshot(struct pica_client *client, uint32_t output, uint32_t *width,
		uint32_t *height, uint8_t **rgb);
/*
 * Stores the metrics of the service as Prometheus text in *text; free it with free(). Returns 0. On
 * failure returns -EPERM (administrators only).
 */
int pica_client_metrics(struct pica_client *client, char **text);

#ifdef __cplusplus
}
#endif

#endif
