/* One client: its socket, rings, memory and contexts. Private to the service. */
#ifndef SERVICE_SESSION_H
#define SERVICE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"
#include "ring.h"
#include "service/loop.h"
#include "service/region.h"
#include "service/server.h"
#include "sock.h"

struct present_client;
struct present_frame;
struct recording;
struct session;

/* A control request that waits until its context is idle. */
struct request {
	struct request *next;
	union {
		struct pica_message head;
		struct pica_msg_transfer transfer;
		struct pica_msg_query query;
		struct pica_msg_object object;
		struct pica_msg_region region;
	} u;
	struct session *session; /* counts it in n_requests */
	struct region *memory;   /* counted, or NULL */
	int fd;                  /* REGION_IMPORT: to be closed; else -1 */
};

/* A submission before it goes to the engine; request: not a job, but the place of a request. */
struct entry {
	struct pica_job job;
	struct request *request;
	uint64_t arrived_ns;
};

/* jobs of a context in the engine at a time; the others can be cancelled */
enum { ENGINE_DEPTH = 128 };

enum ticket_kind {
	TICKET_ENGINE,
	TICKET_FLIP, /* drawn, and waits for the display */
	TICKET_SIGNAL,
	TICKET_DONE,
	TICKET_FENCE, /* a barrier of our own, which nobody is told about */
};

/* What will complete, in the context's order. */
struct ticket {
	uint64_t user_data;
	uint64_t arrived_ns;
	uint64_t value;        /* TICKET_SIGNAL */
	struct region *memory; /* counted: its bytes are in use */
	struct present_frame *frame; /* a PRESENT's in the engine; NULL: none, or the presenter's */
	bool is_queued;        /* counted in session.presents */
	bool is_done;          /* TICKET_FENCE */
	int32_t result;        /* TICKET_DONE */
	uint32_t flags;        /* likewise */
	uint8_t kind;
	uint8_t op;
};

struct context {
	struct context *next; /* session.contexts */
	struct session *session;
	uint32_t handle;
	uint32_t slot; /* in the ring's timelines */
	struct pica_ctx *ctx;
	struct loop_watch *done_watch;

	struct entry *queue; /* ring of cap_queue, a power of two */
	uint32_t queue_head, queue_tail, cap_queue;
	struct ticket *tickets; /* likewise */
	uint32_t ticket_head, ticket_tail, cap_tickets;
	uint32_t engine_jobs;
	/* The job that is in front in the engine, by number, and since when: for job-seconds. */
	struct loop_timer job_timer;
	bool is_job_watched;
	uint64_t engine_done; /* jobs that came out of the engine */
	uint64_t watched_job, watched_at_ns, watched_cpu_ns;
	uint32_t next_engine; /* no ticket before it is in the engine */
	uint64_t memory_bytes; /* its own windows, counted in the session's */

	uint64_t timeline, completed;
	/* A WAIT at the head of the queue that is not satisfied yet. */
	bool is_waiting;
	struct loop_timer wait_timer;
	bool is_pumping;
	struct pica_job batch[ENGINE_DEPTH]; /* begun, and not handed to the engine yet */
	uint32_t n_batch;
	bool may_draw_on; /* after REG_WRITE: draws may wait in the engine for what comes next */
	struct recording *recording; /* record.h; NULL: none */
};

enum session_state {
	SESSION_GREETING, /* HELLO is to come */
	SESSION_OPEN,
	SESSION_BROKEN,   /* the protocol was broken: freed at the end of the round */
};

enum { LATENCIES = 256, MAX_REQUESTS = 64 };

struct session {
	struct session *next; /* server.sessions */
	struct server *server;
	enum session_state state;
	uint64_t id;
	pid_t pid;
	uid_t uid;
	bool is_admin;
	char name[PICA_NAME_BYTES];
	int32_t priority;
	int sock;
	struct loop_watch *sock_watch;
	struct loop_timer hello_timer;
	struct loop_timer turn_timer; /* set: it had its turn and there is more */
	bool is_admitted;             /* counted as one that has greeted */
	const char *over_quota; /* what was used up, for all but looking; or NULL */
	/* Bells: we read bell_in and write bell_out. */
	int bell_in, bell_out;
	struct loop_watch *bell_watch;
	struct region *ring_memory;
	struct ring_server ring;
	uint32_t outstanding; /* popped and not pushed */
	/* Quota of processor time. */
	int64_t cpu_allowance;
	uint64_t cpu_used, cpu_at_ns; /* at the last look */
	bool is_throttled;            /* until cpu_timer */
	struct loop_timer cpu_timer;
	bool needs_publish;
	bool is_draining;
	bool is_recorded; /* its contexts shall be */
	uint32_t n_recordings;

	struct pica_limits limits;
	struct context *contexts;
	uint32_t n_contexts;
	struct dying *dying; /* reaper.h */
	uint64_t used_slots; /* bit per slot of timelines */
	struct region **regions;
	uint32_t n_regions, cap_regions;
	uint64_t memory_bytes;
	uint32_t next_handle;
	uint32_t n_requests; /* that wait */
	/* NULL: nothing was presented yet, or there is no display */
	struct present_client *present;
	uint32_t presents;              /* that wait for the display, or are being drawn */
	/* Numbers. */
	uint64_t jobs, lost;
	struct pica_usage gone; /* of contexts that are destroyed */
	uint32_t latency_us[LATENCIES];
	uint32_t n_latencies;
};

/* ---- session.c ---- */
/* Takes sock. pid 0: of this process. */
int session_create(struct session **out, struct server *server, int sock, pid_t pid, uid_t uid,
		bool is_admin);
/* What it has said by now, without waiting for the loop to tell. */
void session_hear(struct session *s);
/* Gives what may still be in use to the reaper and frees the rest. */
void session_destroy(struct session *s);
/* The client broke the protocol (-EPROTO) or a rule: it is told and dropped. */
void session_break(struct session *s, int error, const char *why);
/* Publishes what was pushed and rings. */
void session_publish(struct session *s);
/* It has had its turn and may have more to do: goes on when the others have had theirs. */
void session_again(struct session *s);
void session_event(struct session *s, const struct pica_event *event);
struct region *session_region(struct session *s, uint32_t handle);
struct context *session_context(struct session *s, uint32_t handle);
/* Answers. Failing to send (the client does not read) breaks the session. */
void session_send(struct session *s, void *message, size_t size_bytes, const int *fds,
		unsigned n_fds);
void session_reply_error(
		struct session *s, const struct pica_message *to, int error, const char *text);
/* WELCOME: with the rings' descriptors, or as the answer to LIMITS (NULL). */
void session_welcome(
		struct session *s, const struct pica_message *to, uint64_t wanted, const int *fds);
void session_reply_done(struct session *s, const struct pica_message *to, int32_t result);

/* ---- message.c ---- */
/* Handles one control message of an open session. Descriptors that it wants are taken from m. */
void message_handle(struct session *s, struct sock_message *m);
/* A request whose context is idle now. Frees it. */
void request_run(struct context *c, struct request *r);
void request_free(struct request *r);

/* ---- usage.c ---- */
void usage_add(struct pica_usage *sum, const struct pica_usage *more);
/* Of all its contexts since it began; never waits. */
void session_usage(const struct session *s, struct pica_usage *sum);
/* Adds what its contexts of now have used. */
void session_live_usage(const struct session *s, struct pica_usage *sum);
/* The context is going to be destroyed: its numbers stay with the session and the service. */
void context_usage_ends(const struct context *c);

/* False: it has used up its processor time; session_drain() is called when there is some again. */
bool session_may_run(struct session *s);
/* A job went to the engine: one that takes too long ends the session. */
void context_watch_job(struct context *c);

/* ---- context.c ---- */
int context_create(
		struct context **out, struct session *s, const struct pica_msg_context_create *m);
/*
 * Takes the context out of its session; its engine part goes to the reaper. Waiters get -ECANCELED.
 */
void context_destroy(struct context *c);
/* Goes on after its recording has begun. */
void context_resume(struct context *c);
/* Pops what the client has submitted, as far as there is room, and sets it going. */
void session_drain(struct session *s);
/* Puts a request behind everything that was popped. Takes it; -ENOMEM: not. */
int context_add_request(struct context *c, struct request *r);
/*
 * The PRESENT of a ticket was shown, or had its time: its user_data. False: there is no such ticket
 * any more.
 */
bool context_flipped(struct context *c, uint32_t ticket, uint64_t *user_data);
/* True: nothing that the client submitted is queued or in flight. */
bool context_is_idle(const struct context *c);
/* True: nor is a fence of ours: what the engine would wait for is done. */
bool context_is_settled(const struct context *c);

#endif
