/*
 * Control messages between a client and the service, over a unix socket of type SOCK_SEQPACKET: one
 * message per packet, little-endian, fixed-width fields, at most PICA_MESSAGE_MAX bytes, with file
 * descriptors as SCM_RIGHTS. Work travels in the rings (pica_ring.h), not here.
 *
 * The client speaks first: HELLO, answered by WELCOME or ERROR. Every later request has a cookie,
 * which its only answer repeats; requests may be answered out of order. Reserved fields must be
 * zero. A message whose size does not match its type is refused. A message that the service cannot
 * parse ends the session: the service sends ERROR with cookie 0, then closes the socket.
 */
#ifndef PICA_HELLO_H
#define PICA_HELLO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PICA_MESSAGE_MAGIC = 0x41434950, /* "PICA" */
	PICA_MESSAGE_MAX = 4096,
	PICA_MESSAGE_FDS = 3,
	PICA_PROTOCOL_VERSION = 1,
	PICA_NAME_BYTES = 32, /* with the final 0 */
	PICA_TEXT_BYTES = 160,
};

enum pica_message_type {
	/* To the service. */
	PICA_MSG_HELLO = 1,
	PICA_MSG_LIMITS,          /* -> WELCOME without descriptors, with the current limits */
	PICA_MSG_CONTEXT_CREATE,  /* -> HANDLE */
	PICA_MSG_CONTEXT_DESTROY, /* -> DONE */
	PICA_MSG_REGION_CREATE,   /* -> HANDLE with a memfd */
	PICA_MSG_REGION_IMPORT,   /* with a memfd -> HANDLE */
	PICA_MSG_REGION_DESTROY,  /* -> DONE */
	PICA_MSG_LOAD_STATE,      /* state from a region -> DONE */
	PICA_MSG_SAVE_STATE,      /* into a region -> DONE */
	PICA_MSG_READ_REGS,       /* -> WORDS */
	PICA_MSG_READ_EXTERNAL,   /* -> WORDS */
	PICA_MSG_SCREEN,          /* -> SCREEN_INFO */
	PICA_MSG_READ_SCREEN,     /* into a region -> DONE */
	PICA_MSG_READ_SURFACE,    /* into a region -> DONE */
	PICA_MSG_SESSIONS,        /* -> SESSION_LIST, in parts */
	PICA_MSG_KICK,            /* -> DONE */
	PICA_MSG_METRICS,         /* -> TEXT with a memfd that holds Prometheus text */
	PICA_MSG_FOCUS,           /* -> DONE */
	PICA_MSG_SCREENSHOT,      /* -> SCREEN_INFO with a memfd that holds RGB8 rows */
	PICA_MSG_RECORD,          /* -> DONE */
	PICA_MSG_REQUEST_END,
	/* To the client. */
	PICA_MSG_WELCOME = 64,
	PICA_MSG_ERROR,
	PICA_MSG_HANDLE,
	PICA_MSG_DONE,
	PICA_MSG_WORDS,
	PICA_MSG_SCREEN_INFO,
	PICA_MSG_SESSION_LIST,
	PICA_MSG_TEXT,
	PICA_MSG_ANSWER_END
};

struct pica_message {
	uint32_t magic;
	uint16_t type; /* enum pica_message_type */
	uint16_t flags;
	uint32_t size_bytes; /* of the whole message, this header included */
	uint32_t cookie;
};

/* Bits of pica_msg_hello.wanted and required, and of pica_msg_welcome.features. */
enum {
	PICA_FEATURE_BIT_IMPORT = 1,   /* memory of the client can be imported, if sealed */
	PICA_FEATURE_BIT_PRESENT = 2,  /* there is a display */
	PICA_FEATURE_BIT_RECORD = 4,   /* sessions can be recorded */
	PICA_FEATURE_BIT_ADMIN = 8,    /* this client may list, kick, focus, record others */
	PICA_FEATURE_BIT_ARITHMETIC = 16, /* a context may choose its arithmetic */
	PICA_FEATURE_BIT_CHIPS = 32,      /* a context may choose its chip */
};

struct pica_msg_hello {
	struct pica_message head;
	uint32_t min_version, max_version;
	uint64_t wanted;   /* features; the answer omits those that are missing */
	uint64_t required; /* features; -EOPNOTSUPP if one is missing */
	uint32_t sq_entries; /* 0: the service's default; else rounded up to a power of two */
	int32_t priority;    /* -10 (background) .. 10; above 0 only if the policy allows */
	char name[PICA_NAME_BYTES]; /* shown to users; printable ASCII, else replaced by '_' */
	uint64_t reconnect; /* session id of an earlier connection, or 0; for the log only */
	uint32_t reserved[8];
};

/* Quotas of a session. Exceeding one is -EDQUOT; the message names it. */
struct pica_limits {
	uint64_t memory_bytes;  /* of all regions */
	uint64_t region_bytes;  /* of one */
	uint32_t regions;
	uint32_t contexts;
	uint32_t jobs;          /* in flight: submitted and not completed */
	/* on their way to the display; more wait in their context's queue */
	uint32_t presents;
	/* Budgets of one job (struct pica_budgets). */
	uint64_t list_words, list_jumps, vertices, shader_steps, pixels, job_steps;
	uint64_t cpu_ns_per_s;  /* processor time per second of wall time; 0: no limit */
	uint32_t reserved[10];
};

/*
 * Carries three descriptors: ring memfd, write end of the service's bell, read end of the client's
 * bell.
 */
struct pica_msg_welcome {
	struct pica_message head;
	uint32_t version;
	uint32_t sq_entries;
	uint64_t features;
	uint64_t session; /* id, unique while the service runs */
	/* random number of this run of the service: if it changes, state was lost */
	uint64_t boot;
	struct pica_limits limits;
	char isa[16];
	uint32_t n_threads;
	uint32_t reserved[7];
};

struct pica_msg_error {
	struct pica_message head;
	int32_t error; /* negative errno */
	uint16_t type; /* of the request that failed; 0: the error concerns the session */
	uint16_t reserved0;
	uint32_t min_version, max_version; /* for -EPROTONOSUPPORT, else 0 */
	char text[PICA_TEXT_BYTES];
};

/* Bits of pica_msg_context_create.arithmetic. */
enum {
	PICA_ARITHMETIC_OWN = 1,      /* as the bits below say; 0: as in the service */
	PICA_ARITHMETIC_F32 = 2,      /* shaders in binary32, else in 24 bits */
	PICA_ARITHMETIC_TRUNCATE = 4, /* products of the combiner are truncated, else rounded */
};

struct pica_msg_context_create {
	struct pica_message head;
	/* 128 or 256 MiB, created by the service and private to it; or 0: regions only */
	uint32_t fcram_bytes;
	uint32_t vram_bytes;  /* 6 MiB, or 0 */
	int32_t priority;     /* rank among the session's contexts, -10..10 */
	uint32_t arithmetic;  /* PICA_ARITHMETIC_*; nonzero only with PICA_FEATURE_BIT_ARITHMETIC */
	/*
	 * 0: PICA200; 1: VideoCore IV, only with PICA_FEATURE_BIT_CHIPS, and fcram_bytes,
	 * vram_bytes and arithmetic must be 0
	 */
	uint32_t chip;
	uint32_t reserved[3];
};

enum {
	/*
	 * A context's lists can address the region at phys; else it is a client's staging memory.
	 */
	PICA_REGION_MAPPED = 1,
	PICA_REGION_READ_ONLY = 2, /* for the GPU */
};

struct pica_msg_region {
	struct pica_message head;
	uint32_t context; /* with PICA_REGION_MAPPED: its context; else 0 */
	uint32_t flags;
	uint32_t phys;       /* multiple of 4096; 0 if not mapped */
	uint32_t size_bytes; /* multiple of 4096 */
	uint32_t reserved[4];
};

/*
 * Names the object of CONTEXT_DESTROY, REGION_DESTROY, KICK, FOCUS and RECORD. FOCUS with id 0
 * shows the session that the policy chooses. LIMITS, METRICS, SCREENSHOT: id is 0.
 */
struct pica_msg_object {
	struct pica_message head;
	uint64_t id; /* handle, or number of a session */
	uint32_t value; /* RECORD: 1 on, 0 off; SCREENSHOT: output, from 0; else 0 */
	uint32_t reserved;
};

/*
 * LOAD_STATE, SAVE_STATE, READ_SCREEN, READ_SURFACE: transfers data of a context from or to bytes
 * of a region. Runs when all jobs submitted earlier to the context are complete; later jobs wait.
 */
struct pica_msg_transfer {
	struct pica_message head;
	uint32_t context, region;
	uint32_t offset, size_bytes;
	/*
	 * READ_SCREEN: screen, eye, stride_bytes; READ_SURFACE: addr, format, width, height, stride
	 */
	uint32_t args[8];
};

/*
 * READ_REGS: first is a register id, count at most 0x300. READ_EXTERNAL: first is the address.
 * SCREEN: first is the screen.
 */
struct pica_msg_query {
	struct pica_message head;
	uint32_t context;
	uint32_t first, count;
	uint32_t reserved[5];
};

struct pica_msg_handle {
	struct pica_message head;
	uint32_t handle;
	uint32_t slot; /* of a context: its index in the ring's timelines */
	uint64_t size_bytes;
};

struct pica_msg_done {
	struct pica_message head;
	int32_t result; /* 0, a count, or a negative errno */
	uint32_t reserved[3];
};

/* Followed by count words of 32 bits. */
struct pica_msg_words {
	struct pica_message head;
	uint32_t count;
	uint32_t reserved[3];
};

struct pica_msg_screen_info {
	struct pica_message head;
	uint32_t width, height, is_set, has_right, is_solid, addr, format;
	uint32_t stride_bytes; /* SCREENSHOT: of the rows in the memfd */
};

/* Bits of pica_session_info.flags. */
enum pica_session_flag {
	PICA_SESSION_SHOWN = 1,    /* its picture is on the display */
	PICA_SESSION_RECORDED = 2, /* being recorded */
	PICA_SESSION_PINNED = 4,   /* FOCUS named it */
};

struct pica_session_info {
	uint64_t id;
	uint32_t pid, uid;
	char name[PICA_NAME_BYTES];
	uint64_t jobs, queued, pixels, memory_bytes, cpu_ns, lost;
	uint32_t p50_us, p99_us; /* from submission to completion, of recent jobs */
	uint32_t contexts;
	int32_t priority;
	uint32_t flags; /* PICA_SESSION_* */
	uint32_t reserved;
};

enum { PICA_SESSIONS_A_MESSAGE = 24 };

/* SESSIONS is a pica_msg_object whose id is the last id received (0: none yet). */
struct pica_msg_session_list {
	struct pica_message head;
	uint32_t count;
	uint32_t more; /* 1: ask again, from the last id */
	struct pica_session_info session[PICA_SESSIONS_A_MESSAGE];
};

struct pica_msg_text {
	struct pica_message head;
	uint64_t size_bytes; /* of the text in the memfd, which is sealed and positioned at 0 */
};

#ifdef __cplusplus
}
#else
_Static_assert(sizeof(struct pica_message) == 16, "16 bytes");
_Static_assert(sizeof(struct pica_msg_hello) == 120, "no padding");
_Static_assert(sizeof(struct pica_limits) == 128, "no padding");
_Static_assert(sizeof(struct pica_msg_welcome) == 48 + 128 + 16 + 32, "no padding");
_Static_assert(sizeof(struct pica_msg_error) == 32 + PICA_TEXT_BYTES, "no padding");
_Static_assert(sizeof(struct pica_msg_context_create) == 48, "no padding");
_Static_assert(sizeof(struct pica_msg_region) == 48, "no padding");
_Static_assert(sizeof(struct pica_msg_object) == 32, "no padding");
_Static_assert(sizeof(struct pica_msg_transfer) == 64, "no padding");
_Static_assert(sizeof(struct pica_msg_query) == 48, "no padding");
_Static_assert(sizeof(struct pica_msg_handle) == 32, "no padding");
_Static_assert(sizeof(struct pica_msg_done) == 32, "no padding");
_Static_assert(sizeof(struct pica_msg_words) == 32, "no padding");
_Static_assert(sizeof(struct pica_msg_screen_info) == 48, "no padding");
_Static_assert(sizeof(struct pica_session_info) == 120, "no padding");
_Static_assert(sizeof(struct pica_msg_session_list) <= PICA_MESSAGE_MAX, "fits a message");
#endif

#endif
