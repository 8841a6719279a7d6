/*
 * One unit of GPU work. An API call, a slot of a shared ring and a record of a capture all use this
 * struct (64 bytes, little-endian, fixed-width fields). Reserved fields must be zero.
 */
#ifndef PICA_JOB_H
#define PICA_JOB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pica_op {
	PICA_OP_LIST = 1,       /* run a command list */
	PICA_OP_FILL = 2,       /* memory fill (PSC) */
	PICA_OP_TRANSFER = 3,   /* display transfer (PPF) */
	PICA_OP_COPY = 4,       /* texture copy (PPF) */
	/* write of an external, LCD or internal register by its physical address */
	PICA_OP_REG_WRITE = 5,
	PICA_OP_WRITE = 6,      /* client data into physical memory */
	PICA_OP_INVALIDATE = 7, /* the client changed mapped memory itself */
	PICA_OP_PRESENT = 8,    /* frame boundary; in a service: show the screens */
	PICA_OP_BARRIER = 9,    /* completes when all earlier jobs of the context have */
	PICA_OP_SIGNAL = 10,    /* raise the session's timeline (service) */
	PICA_OP_WAIT = 11,      /* wait for a timeline value (service) */
	PICA_OP_CANCEL = 12,    /* drop queued jobs with this user_data (service) */
	PICA_OP_STATS = 13,     /* snapshot of counters into a buffer */
	PICA_OP_CONTROL_LISTS = 14, /* run the two control lists of a VideoCore IV */
	PICA_OP_COUNT
};

/* Flags of PICA_OP_WRITE. */
enum {
	/*
	 * The data was recorded from a texture that the renderer itself may have drawn. If the
	 * renderer was the last to write every page, after the previous PRESENT, and the size is
	 * that of a configured texture, the job only counts bytes that differ
	 * [fidelity: citrace-replay].
	 */
	PICA_WRITE_KEEP_RENDERED = 1,
};

/* Lists: start 16-byte aligned, size_bytes a multiple of 8. */
struct pica_job_list {
	uint32_t addr;
	uint32_t size_bytes;
	uint32_t reserved[10];
};

/* [start, end) in bytes, 16-byte aligned; control bits 8-9: width as in register 0x1040001C. */
struct pica_job_fill {
	uint32_t start;
	uint32_t end;
	uint32_t value;
	uint32_t control;
	uint32_t unit; /* 0 PSC0, 1 PSC1: which interrupt is raised */
	uint32_t reserved[7];
};

/*
 * Dimensions as in registers: width in bits 0-15, height in bits 16-31 (fidelity: transfer-fields).
 */
struct pica_job_transfer {
	uint32_t src;
	uint32_t dst;
	uint32_t out_dim;
	uint32_t in_dim;
	uint32_t flags;
	uint32_t reserved[7];
};

/* Line width in bits 0-15, gap in bits 16-31, both in 16-byte units (fidelity: texture-copy). */
struct pica_job_copy {
	uint32_t src;
	uint32_t dst;
	uint32_t size_bytes;
	uint32_t in_line;
	uint32_t out_line;
	uint32_t reserved[7];
};

/*
 * addr: 0x10202000-0x10202FFF (LCD) or 0x10400000-0x10401FFF (GPU), multiple of 4. mask: bytes to
 * write (bit k = byte k); 0 means all four. The mask matters for internal registers only.
 */
struct pica_job_reg_write {
	uint32_t addr;
	uint32_t value;
	uint32_t mask;
	uint32_t reserved[9];
};

/*
 * data: in-process, a pointer that stays readable until the job completes; in the service,
 * region << 32 | offset.
 */
struct pica_job_write {
	uint32_t addr;
	uint32_t size_bytes;
	uint64_t data;
	uint32_t reserved[8];
};

struct pica_job_range {
	uint32_t addr;
	uint32_t size_bytes;
	uint32_t reserved[10];
};

/*
 * screens: bit 0 top, bit 1 bottom; the other screens keep their pictures. eye: the eye of a stereo
 * top screen that a display shows, 0 left, 1 right. In a service with a display, the job completes
 * when the picture is shown or, while another session is shown, when it would have been shown. A
 * VideoCore IV shows its picture, whatever screens says.
 */
struct pica_job_present {
	uint32_t screens;
	uint32_t eye;
	uint32_t reserved[10];
};

/* Raises the timeline of the context to value, if the timeline is lower (service). */
struct pica_job_signal {
	uint64_t value;
	uint32_t reserved[10];
};

/*
 * Delays later jobs of this context until the timeline of `context` (a handle of the same session)
 * is at least value (service). Ends with -ETIME after timeout_ns (0: no timeout), or -ECANCELED
 * when that context is destroyed.
 */
struct pica_job_wait {
	uint64_t value;
	uint64_t timeout_ns;
	uint32_t context;
	uint32_t reserved[7];
};

/*
 * Cancels the jobs of this context that have this user_data and have not begun: they end with
 * -ECANCELED (service).
 */
struct pica_job_cancel {
	uint64_t user_data;
	uint32_t reserved[10];
};

/*
 * Copies struct pica_stats when all earlier jobs are complete. data: in-process, a pointer to
 * size_bytes = sizeof(struct pica_stats) bytes; in the service, region << 32 | offset.
 */
struct pica_job_stats {
	uint64_t data;
	uint32_t size_bytes;
	uint32_t reserved[9];
};

/*
 * Runs the binning list and then the rendering list of a frame. The fields are bus addresses, of
 * which bits 31:30 (alias) are ignored. A list runs up to, but not including, its end address, or
 * to a record that halts it. start = end: the list is empty.
 */
struct pica_job_control_lists {
	uint32_t binning_start;
	uint32_t binning_end;
	uint32_t rendering_start;
	uint32_t rendering_end;
	uint32_t reserved[8];
};

struct pica_job {
	uint64_t user_data; /* returned with the completion */
	uint16_t op;        /* enum pica_op */
	uint16_t flags;
	uint32_t handle;    /* service: context; in-process: 0 */
	union {
		uint8_t args[48];
		struct pica_job_list list;
		struct pica_job_fill fill;
		struct pica_job_transfer transfer;
		struct pica_job_copy copy;
		struct pica_job_reg_write reg_write;
		struct pica_job_write write;
		struct pica_job_range invalidate;
		struct pica_job_present present;
		struct pica_job_signal signal;
		struct pica_job_wait wait;
		struct pica_job_cancel cancel;
		struct pica_job_stats stats;
		struct pica_job_control_lists control_lists;
	} u;
};

/* A completion, 16 bytes. */
struct pica_done {
	uint64_t user_data;
	int32_t result; /* 0 or a negative errno */
	uint32_t flags; /* PICA_DONE_* */
};

enum {
	/* the list ended without FINALIZE; hardware would never signal */
	PICA_DONE_NO_FINALIZE = 1,
	PICA_DONE_TRUNCATED = 2,   /* an entry ran past the end of the list */
	PICA_DONE_BAD_INPUT = 4,   /* input was ignored or repaired; see the counters */
	/*
	 * The result is about a record of a control list: bits 31:5 hold its offset in bytes from
	 * the start of the list (all ones if it does not fit). PICA_DONE_BUDGET_* apply only
	 * without this flag.
	 */
	PICA_DONE_PLACE = 8,
	PICA_DONE_RENDERING = 16, /* with PICA_DONE_PLACE: the rendering list, else binning */
	PICA_DONE_PLACE_SHIFT = 5,
	PICA_DONE_BUDGET_SHIFT = 8, /* if result is -EDQUOT: bits 8-11 are enum pica_budget */
	PICA_DONE_BUDGET_MASK = 15,
};

/* The budget that a job exceeded (struct pica_budgets); 0: not a budget of a context. */
enum pica_budget {
	PICA_BUDGET_LIST_WORDS = 1,
	PICA_BUDGET_JUMPS = 2,
	PICA_BUDGET_VERTICES = 3,
	PICA_BUDGET_PIXELS = 4,
	PICA_BUDGET_TEXELS = 5,
	PICA_BUDGET_SHADER_STEPS = 6,     /* of all invocations of the job */
	PICA_BUDGET_INVOCATION_STEPS = 7, /* of one */
	/* needed at once by a part of the job: a quarter of the smallest limit (pica.h) */
	PICA_BUDGET_MEMORY = 8,
};

#ifdef __cplusplus
}
static_assert(sizeof(struct pica_job) == 64, "struct pica_job is 64 bytes");
static_assert(sizeof(struct pica_done) == 16, "struct pica_done is 16 bytes");
#else
_Static_assert(sizeof(struct pica_job) == 64, "struct pica_job is 64 bytes");
_Static_assert(offsetof(struct pica_job, u) == 16, "arguments start at byte 16");
_Static_assert(sizeof(struct pica_job_list) == 48 && sizeof(struct pica_job_fill) == 48 &&
		sizeof(struct pica_job_transfer) == 48 && sizeof(struct pica_job_copy) == 48 &&
		sizeof(struct pica_job_reg_write) == 48 && sizeof(struct pica_job_write) == 48 &&
		sizeof(struct pica_job_range) == 48 && sizeof(struct pica_job_present) == 48 &&
		sizeof(struct pica_job_signal) == 48 && sizeof(struct pica_job_wait) == 48 &&
		sizeof(struct pica_job_cancel) == 48 && sizeof(struct pica_job_stats) == 48 &&
		sizeof(struct pica_job_control_lists) == 48,
		"every argument layout fills the 48 bytes");
_Static_assert(sizeof(struct pica_done) == 16, "struct pica_done is 16 bytes");
#endif

#endif
