/* One client: its socket, rings, memory and contexts. Private to the service. */
#ifndef SERVICE_SESSION_H
#define SERVICE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"
#include "ring.h"
#include "service/loop.h"
#include "service/metrics.h"
#include "service/reaper.h"
#include "service/region.h"
#include "service/server.h"
#include "sock.h"

struct context;
struct present_client;
struct session;

enum session_state {
	SESSION_GREETING, /* waits for HELLO */
	SESSION_OPEN,
	SESSION_BROKEN,   /* ended by session_break(); freed at the end of the round */
};

enum { LATENCIES = 256 };

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
	struct loop_timer cleanup_timer; /* set: its messages wait (must_wait_for_cleanup()) */
	struct loop_task task;         /* posted: the session is marked */
	bool has_mail;                 /* there may be messages to read */
	uint64_t run_until_ns;         /* after this, further requests wait for the next run */
	bool has_run_request;          /* in this run; the first one always runs */
	bool is_admitted;             /* counted as one that has greeted */
	bool has_waited;               /* long enough for recordings to be finished */
	bool has_left;                 /* closed by its client, which will not reconnect */
	const char *over_quota; /* the exceeded quota, for everything except inspection; or NULL */
	/* Bells: we read bell_in and write bell_out. */
	int bell_in, bell_out;
	struct loop_watch *bell_watch;
	struct region *ring_memory;
	struct ring_server ring;
	uint32_t outstanding; /* popped and not pushed */
	/* Quota of processor time. */
	struct cpu_bucket cpu;
	uint64_t cpu_used; /* at the last look */
	bool is_throttled;            /* until cpu_timer */
	struct loop_timer cpu_timer;
	bool needs_publish;
	bool has_signalled; /* a timeline has moved: WAITs are checked again */
	bool is_recorded; /* its contexts are to be recorded */
	uint32_t n_recordings;

	struct pica_limits limits;
	struct context *contexts;
	uint32_t n_contexts;
	struct context *last_context; /* of the job that was taken last, or NULL */
	struct user_account *account; /* its user's, reaper.h */
	uint64_t used_timelines; /* a bit each */
	struct region **regions;
	uint32_t n_regions, cap_regions;
	uint64_t memory_bytes; /* regions and windows */
	struct pica_memory *memory; /* with them, and of its user; NULL: no HELLO yet */
	uint32_t next_handle;
	uint32_t n_requests; /* that wait */
	uint32_t sent_fds;   /* since it last had read all */
	/* NULL: nothing was presented yet, or no display */
	struct present_client *present;
	uint32_t presents;              /* that wait for the display, or are being drawn */
	uint64_t picture_bytes;         /* charged for the pictures of its frames */
	/* Numbers. */
	uint64_t jobs, lost;
	struct pica_usage gone; /* of contexts that are destroyed */
	uint32_t latency_us[LATENCIES];
	struct latencies latencies;
};

/* ---- session.c ---- */
/* Takes ownership of sock. pid 0: a client in this process. Returns 0 or a negative errno. */
int session_create(struct session **out, struct server *server, int sock, pid_t pid, uid_t uid,
		bool is_admin);
/* Gives objects that may still be in use to the reaper and frees the rest. */
void session_destroy(struct session *s);
/* The client violated the protocol (-EPROTO) or a rule: sends the error and ends the session. */
void session_break(struct session *s, int error, const char *why);
/* Publishes pushed completions and rings the client's bell. */
void session_publish(struct session *s);
/* Marks the session: the loop runs it once after this round of events. */
void session_mark(struct session *s);
/* Handles one message. Returns true if there may be more. */
bool session_read_message(struct session *s);
void session_event(struct session *s, const struct pica_event *event);
/*
 * Charges memory of regions and windows; a negative size returns it. The engine then evicts memory
 * beyond a limit.
 */
void session_charge(struct session *s, int64_t size_bytes);
struct region *session_region(struct session *s, uint32_t handle);
struct context *session_context(struct session *s, uint32_t handle);
/*
 * Sends an answer of this type; the caller fills in everything but its head. fd: a descriptor to
 * send, or -1. Breaks the session if the answer cannot be sent because the client does not read.
 */
void session_reply(struct session *s, const struct pica_message *to, enum pica_message_type type,
		void *answer, size_t size_bytes, int fd);
void session_reply_error(
		struct session *s, const struct pica_message *to, int error, const char *text);
/* Sends WELCOME with the rings' descriptors; fds NULL: as the answer to LIMITS. */
void session_welcome(
		struct session *s, const struct pica_message *to, uint64_t wanted, const int *fds);
void session_reply_done(struct session *s, const struct pica_message *to, int32_t result);

/* ---- usage.c ---- */
void usage_add(struct pica_usage *sum, const struct pica_usage *more);
/* Sums the usage of all its contexts since the session began; never waits. */
void session_usage(const struct session *s, struct pica_usage *sum);
/* Adds the usage of its current contexts to sum. */
void session_live_usage(const struct session *s, struct pica_usage *sum);
/* Returns whether half a second's time or more was left when it was last charged. */
bool session_has_ample_time(const struct session *s);
/*
 * Returns false if the session, or its user, has exhausted its processor time; the session is
 * marked when it has time again.
 */
bool session_may_run(struct session *s);
/* Call when the quotas have changed: checks again whether it has time. */
void session_unthrottle(struct session *s);
/* Charges the processor time used since the last call, if the session's or user's is limited. */
void session_meter(struct session *s);

/* ---- run.c ---- */
/* Does all due work. Not to be called while a message or request of the session is handled. */
void session_run(struct session *s);
/*
 * Returns whether another request, or a slice of one, may run. If not, marks the session, so that
 * others run first.
 */
bool session_may_run_request(struct session *s);
/* Takes the jobs submitted so far. Returns false if the session was broken. */
bool session_catch_up(struct session *s);
/* Puts a completion into the ring. */
void session_push_done(
		struct session *s, const struct pica_job *job, int32_t result, uint32_t flags);
void session_count_latency(struct session *s, uint64_t arrived_ns);

#endif
