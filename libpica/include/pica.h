/*
 * libpica: a software renderer of two GPUs: the PICA200 of the Nintendo 3DS and the VideoCore IV of
 * the Raspberry Pi.
 *
 * A device owns worker threads and kernels. A context is one emulated GPU of either chip, with its
 * registers and memory. A unit of work is a struct pica_job (pica_job.h). It is submitted with
 * pica_submit(); the jobs of a context complete in order.
 *
 * Errors: a function that can fail returns 0 (or a count) or a negative errno:
 *   -EINVAL      malformed argument or job
 *   -ENOMEM      out of memory
 *   -ERANGE      address outside every window
 *   -EEXIST      windows would overlap
 *   -EDQUOT      a budget of the context is exceeded (pica_budget_name() names it; an error is
 *                logged)
 *   -EOPNOTSUPP  known, but not available; also the result of a call that does not apply to the
 *                chip of the context
 *   -ETIME       the timeout passed
 *   -ECANCELED   the context is being destroyed
 *
 * Threads: one thread at a time may call functions of a context; contexts are independent. Several
 * threads may use one device. With n_threads = 0 all work runs inside pica_submit().
 *
 * "[fidelity: NAME]" in these headers names a row of docs/fidelity.md, section 8, installed as
 * doc/libpica/fidelity.md.
 */
#ifndef PICA_H
#define PICA_H

#include <stddef.h>
#include <stdint.h>

#include "pica_job.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PICA_VERSION_MAJOR 0
#define PICA_VERSION_MINOR 1
#define PICA_VERSION_PATCH 0

/* Returns the version of the library at run time: major << 16 | minor << 8 | patch. */
uint32_t pica_version(void);

/* ---- Log ---- */

enum pica_log_level {
	PICA_LOG_ERROR,
	PICA_LOG_WARNING,
	PICA_LOG_INFO,
	PICA_LOG_DEBUG,
};

/* Receives one line without a newline, on any thread of the device. Must not call libpica. */
typedef void pica_log_fn(void *user, enum pica_log_level level, const char *line);
/* Receives a line about a context. owner: pica_ctx_settings.owner of that context. */
typedef void pica_owner_log_fn(
		void *user, uint64_t owner, enum pica_log_level level, const char *line);

/* ---- Timeline ---- */

enum pica_span_kind {
	PICA_SPAN_JOB, /* one job on the command thread; index: its enum pica_op */
	/*
	 * A unit of work, from its start to its end. Spans of units overlap. index: for a PASS the
	 * number of draws, otherwise 0.
	 */
	PICA_SPAN_PASS,
	PICA_SPAN_FILL,
	PICA_SPAN_TRANSFER,
	PICA_SPAN_COPY,
	PICA_SPAN_SHOTS, /* the shown framebuffers are copied for a display */
	/* Tasks of a unit. Each slice of a task is a span, on one thread. index: of the task. */
	PICA_SPAN_VERTICES,
	PICA_SPAN_TILE,
	PICA_SPAN_STRIPE, /* part of a fill, transfer or copy; or one whole shot */
	PICA_SPAN_COUNT
};

/* Work with a begin and an end. */
struct pica_span {
	enum pica_span_kind kind;
	/*
	 * 1 and above: a worker. 0: the command thread, or the caller if it does that thread's work
	 * (no threads, or PICA_CTX_AT_ONCE).
	 */
	uint32_t thread;
	uint32_t index;
	uint32_t context; /* number of the context in its device, from 1 */
	uint64_t job;     /* sequence number in its context */
	uint64_t unit;    /* number of the unit in the device; 0 for PICA_SPAN_JOB */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
};

/*
 * Called at the end of each span, on the thread of the span. The spans of one thread nest, except
 * those of units. Must return quickly.
 */
typedef void pica_trace_fn(void *user, const struct pica_span *span);

/* ---- Device ---- */

enum pica_float {
	PICA_FLOAT_F24, /* the deterministic model of the hardware's 24-bit arithmetic */
	PICA_FLOAT_F32, /* binary32, as in emulators of the Citra family; for comparison */
};

/* How the texture combiner rounds products to 8 bits. Does not affect dot3. */
enum pica_combiner {
	/* to the nearest 1/255, as measured on hardware */
	PICA_COMBINER_NEAREST,
	PICA_COMBINER_TRUNCATE, /* as in software renderers of the Citra family; for comparison */
};

struct pica_settings {
	uint32_t size;      /* sizeof(struct pica_settings), set by pica_settings_init() */
	/* workers beside the command thread, 0..64; 0: no threads, the caller does all work */
	uint32_t n_threads;
	/* "c", "sse4.1", ...; NULL: $PICA_ISA, or the best of this CPU. Borrowed during create. */
	const char *isa;
	enum pica_float float_mode;
	enum pica_combiner combiner;
	pica_log_fn *log; /* NULL: silent */
	void *log_user;
	enum pica_log_level log_level;
	uint64_t texture_cache_bytes; /* decoded textures of one context, default 64 MiB */
	pica_trace_fn *trace;         /* NULL: no trace; the cost is then one branch per task */
	void *trace_user;
	/*
	 * Number of workers that process vertices only; the others process pixels and copies only.
	 * Less than n_threads. 0 (default): every worker does all kinds of work, so that none is
	 * idle while there is work.
	 */
	uint32_t n_vertex_threads;
	/*
	 * Time in microseconds after which a task yields to the tasks that wait; it continues after
	 * them. 0: the default, 1000. Pictures do not depend on it.
	 */
	uint32_t slice_us;
	/* used instead of log for contexts with an owner; NULL: log is used for all */
	pica_owner_log_fn *owner_log;
	uint64_t reserved[4];         /* zero */
};

/* Fills *settings with the defaults: no threads, best isa, f24, nearest, no log. */
void pica_settings_init(struct pica_settings *settings);

struct pica_device;

/*
 * Creates a device and its threads. Returns 0. On failure leaves *out unchanged and returns -EINVAL
 * (bad settings, or an unknown isa name), -EOPNOTSUPP (this CPU lacks the isa), -ENOMEM, or -EAGAIN
 * (the system refuses more threads).
 */
int pica_device_create(struct pica_device **out, const struct pica_settings *settings);
/*
 * Drops the caller's reference to a device; the caller must not use the pointer again. The device,
 * its threads and its callbacks remain until its last context is destroyed and its last recorder is
 * finished. Until then contexts and recorders work as before. NULL is allowed.
 */
void pica_device_destroy(struct pica_device *device);
/* Returns the name of the instruction set in use, e.g. "sse4.1". Static storage. */
const char *pica_device_isa(const struct pica_device *device);

/* ---- Context ---- */

/* The chip of a context. A call or job that only one chip has says so in its description. */
enum pica_chip {
	/* registers, command lists, copy engines, screens, interrupts */
	PICA_CHIP_PICA200,
	/*
	 * Control lists (PICA_OP_CONTROL_LISTS). Only memory keeps its contents between jobs. Each
	 * of these jobs ends a frame; pica_ctx_picture() describes its picture.
	 */
	PICA_CHIP_VC4,
};

/* Returns "pica200" or "vc4"; "?" for other values. Static storage. */
const char *pica_chip_name(enum pica_chip chip);

enum pica_interrupt {
	PICA_INTERRUPT_PSC0,
	PICA_INTERRUPT_PSC1,
	PICA_INTERRUPT_PDC0, /* PRESENT of the top screen */
	PICA_INTERRUPT_PDC1, /* PRESENT of the bottom screen */
	PICA_INTERRUPT_PPF,
	PICA_INTERRUPT_P3D,
};

/*
 * Called in stream order, on the command thread (on the caller's thread with n_threads = 0 or
 * PICA_CTX_AT_ONCE). May call pica_submit() and pica_ctx_write_reg(), but no other function of
 * libpica.
 */
typedef void pica_interrupt_fn(void *user, enum pica_interrupt interrupt);

/*
 * Limits on the work of one job. They are counts, charged in stream order before the work is done,
 * so that pictures never depend on time. A job that exceeds a budget ends with -EDQUOT; what it has
 * drawn until then remains. 0: the default.
 *
 * For a VideoCore IV the members limit:
 *   list_words    records of both lists, at most 4 Mi
 *   list_jumps    branches to lists, sub-lists and tile lists
 *   vertices      primitives
 *   shader_steps  nothing: the limit is always 65,536 instructions for each run of a program
 *   pixels        pixels in the bounding boxes of triangles, counted each time their bin is drawn
 *   job_steps     QPU instructions on 16 lanes. Vertices have one such budget and fragments
 *                 another; the tasks that draw tiles share the second equally.
 * Lists are read before drawing begins: a job that exceeds list_words, list_jumps or vertices draws
 * nothing.
 */
struct pica_budgets {
	/* words of command lists, default 16 Mi; each pass counts as 64 more */
	uint64_t list_words;
	uint64_t list_jumps;   /* CMDBUF jumps, default 64 Ki */
	uint64_t vertices;     /* default 64 Mi */
	/*
	 * Instructions of one shader invocation, default 1 Mi. A longer invocation is cut off and
	 * counted as PICA_FAULT_SHADER_BUDGET, and its job ends.
	 */
	uint64_t shader_steps;
	/*
	 * Pixels in the bounding boxes of triangles, default 4 Gi. Each counts as 64 if the target
	 * is drawn pixel by pixel (it extends beyond memory, or colour and depth overlap). The same
	 * limit applies to a second count: the texels of textures that are decoded or compared with
	 * memory, and the pixels of display transfers, which count as 64 each.
	 */
	uint64_t pixels;
	/*
	 * Instructions of all shader invocations, default 1 Gi; each word of a new program counts
	 * as 16 more. Draws with a geometry shader have one such budget, and draws without have
	 * another.
	 */
	uint64_t job_steps;
};

/* Fills *budgets with the default numbers (not with 0). */
void pica_budgets_init(struct pica_budgets *budgets);

enum {
	PICA_CTX_ARITHMETIC = 1, /* float_mode and combiner of pica_ctx_settings apply */
	/*
	 * For programs that call pica_reap() after every pica_submit(): short jobs do not wake a
	 * thread. If the command thread sleeps, pica_submit() itself runs barriers, fills,
	 * transfers and copies, for at most 200 us. Jobs that complete within the call do not make
	 * pica_done_fd() readable.
	 */
	PICA_CTX_AT_ONCE = 2,
};

/*
 * An account counts the memory of contexts: states and vertices of draws, decoded textures, plans,
 * programs, indices, and buffers that are kept for reuse. It does not count windows. An account may
 * have a parent (for a user, or for all users), which counts the same memory as well.
 *
 * When a limit is reached, memory that is kept for reuse is freed first, from its largest user. If
 * that does not suffice, a context waits until its own earlier work is finished, and may then
 * exceed the limit; only one context at a time does so. Pictures do not depend on that. A pass that
 * needs more than a quarter of the smallest limit, estimated from the counts of its draws, ends its
 * job with -EDQUOT (PICA_BUDGET_MEMORY).
 */
struct pica_memory;

/*
 * Creates an account without a limit. parent may be NULL; the account holds a reference to it.
 * Returns 0. On failure returns -ENOMEM, and leaves *out unchanged.
 */
int pica_memory_create(struct pica_memory **out, struct pica_memory *parent);
/* Drops the caller's reference. Contexts and child accounts hold their own. NULL is allowed. */
void pica_memory_destroy(struct pica_memory *memory);
/* Sets the limit. This and the next two functions may be called from any thread. */
void pica_memory_limit(struct pica_memory *memory, uint64_t limit_bytes);
/* Adds memory of the caller, or subtracts it (size_bytes < 0). The parent does not count it. */
void pica_memory_add(struct pica_memory *memory, int64_t size_bytes);
/* Returns the bytes in use. */
uint64_t pica_memory_used(const struct pica_memory *memory);
/*
 * Frees memory that contexts of the device keep for reuse, if their account is over its limit.
 * Returns at once, and the command thread frees it soon; without threads, frees it before it
 * returns. Call it after lowering a limit.
 */
void pica_device_trim(struct pica_device *device);

/*
 * A VideoCore IV starts without windows, and ignores fcram_bytes, vram_bytes, interrupt,
 * float_mode, combiner and PICA_CTX_ARITHMETIC.
 */
struct pica_ctx_settings {
	uint32_t size;       /* set by pica_ctx_settings_init() */
	/* FCRAM at 0x20000000: 128 MiB (default) or 256 MiB; 0: the caller maps it */
	uint32_t fcram_bytes;
	uint32_t vram_bytes;  /* at 0x18000000: 6 MiB (default); 0: the caller maps it */
	/*
	 * -10..10; ten more means ten times the processor time. The contexts of a device take
	 * turns; a turn is one job or a slice of it. The next turn goes to the user (0: none) that
	 * has had the least processor time, within it to the owner (0: the context itself) that has
	 * had the least, and within that to the context with the highest rank. Times are weighted
	 * by the priority of the owner's first context. The time of a user is kept after its last
	 * context is destroyed.
	 */
	int32_t priority;
	struct pica_budgets budgets;
	pica_interrupt_fn *interrupt; /* NULL: none */
	void *interrupt_user;
	uint64_t owner;
	int32_t rank;
	uint32_t flags; /* PICA_CTX_* */
	/*
	 * With PICA_CTX_ARITHMETIC. Without it both must be 0, and the settings of the device
	 * apply.
	 */
	enum pica_float float_mode;
	enum pica_combiner combiner;
	uint64_t user;
	/* account of the context's memory; the context holds a reference; NULL: no limit */
	struct pica_memory *memory;
	enum pica_chip chip; /* PICA_CHIP_PICA200 by default */
	uint32_t reserved0;
	uint64_t reserved[2];
};

/* Fills *settings with the defaults. */
void pica_ctx_settings_init(struct pica_ctx_settings *settings);

struct pica_ctx;

/*
 * Creates a context. settings NULL: the defaults, a PICA200. Memory is zero and registers are in
 * their reset state [fidelity: reset-state]. Returns 0. On failure returns -EINVAL or -ENOMEM, and
 * leaves *out unchanged.
 */
int pica_ctx_create(struct pica_ctx **out, struct pica_device *device,
		const struct pica_ctx_settings *settings);
/*
 * Cancels queued jobs (-ECANCELED), waits for the work in flight and destroys the context. If the
 * device was destroyed and this is its last context, ends the threads of the device. NULL is
 * allowed.
 */
void pica_ctx_destroy(struct pica_ctx *ctx);
/*
 * Cancels all jobs, queued or in flight, as soon as possible (-ECANCELED); their remaining work is
 * not drawn. Call it before pica_ctx_destroy() if the results are no longer needed. May be called
 * from any thread.
 */
void pica_ctx_abandon(struct pica_ctx *ctx);

enum {
	PICA_MAP_READ_ONLY = 1, /* writes of the GPU are dropped and counted */
};

/*
 * Maps host memory at physical addresses [phys, phys + size_bytes). phys and size_bytes: multiples
 * of 4096; host: aligned to 16. The caller owns the memory, which must outlive the window. Waits
 * for idle. Returns 0. On failure returns -EEXIST (overlaps a window in physical space or in host
 * memory), -EINVAL, or -ENOMEM (there are 32 windows already).
 */
int pica_ctx_map(struct pica_ctx *ctx, uint32_t phys, uint32_t size_bytes, void *host,
		uint32_t flags);
/* Removes the window that starts at phys. Waits for idle. Returns 0; -ENOENT if there is none. */
int pica_ctx_unmap(struct pica_ctx *ctx, uint32_t phys);
/* A window: memory of the caller (pica_ctx_map()) or of the context. */
struct pica_window {
	uint32_t phys, size_bytes;
	uint32_t flags; /* PICA_MAP_* */
	uint32_t reserved0;
	void *host;
};

/* Copies up to n windows, ascending by address. Waits for idle. Returns the number of windows. */
unsigned pica_ctx_windows(struct pica_ctx *ctx, struct pica_window *out, unsigned n);
/* Zeroes all windows, also mapped ones, as a write by the caller would. Waits for idle. */
void pica_ctx_zero_memory(struct pica_ctx *ctx);
/*
 * Returns the host address of [phys, phys + size_bytes), or NULL if that range is not inside one
 * window. Valid while the window is mapped. The caller synchronises with pica_wait() and announces
 * its writes with PICA_OP_INVALIDATE.
 */
void *pica_ctx_host(struct pica_ctx *ctx, uint32_t phys, uint32_t size_bytes);

/* ---- Work ---- */

/*
 * Queues n jobs in order. The jobs are copied, but not the memory that they name: the caller must
 * not touch that memory until the job completes. *seq (seq may be NULL) receives the sequence
 * number of the last job; the first job of a context has number 1. Returns 0. On failure returns
 * -EINVAL (a job is malformed), and queues nothing.
 *
 * LIST, FILL, TRANSFER, COPY and REG_WRITE exist on the PICA200 only, CONTROL_LISTS on the
 * VideoCore IV only; on the other chip such a job completes with -EOPNOTSUPP. PRESENT does nothing
 * on a VideoCore IV.
 *
 * CONTROL_LISTS completes with 0, -EINVAL (not a record, or a record that is invalid at its place),
 * -EOPNOTSUPP (known, but not implemented), -ERANGE (outside every window), or -EDQUOT. The log
 * names the record. Except for -EDQUOT, pica_done.flags names it too (PICA_DONE_PLACE).
 */
int pica_submit(struct pica_ctx *ctx, const struct pica_job *jobs, size_t n, uint64_t *seq);
/*
 * Waits until all jobs up to seq are complete. timeout_ns < 0: no timeout; 0: does not wait.
 * Returns 0 when they are, regardless of their results (see pica_reap()); -ETIME otherwise.
 */
int pica_wait(struct pica_ctx *ctx, uint64_t seq, int64_t timeout_ns);
/*
 * Takes up to n completions, in the order of the jobs. Returns their number. At most 65536
 * completions are kept; beyond that the oldest are dropped.
 */
int pica_reap(struct pica_ctx *ctx, struct pica_done *done, size_t n);
/*
 * Returns an eventfd that is readable while completions wait for pica_reap(). Owned by the context.
 * With threads, several completions share one wake-up: it comes at most 100 us after the first of
 * them, and before pica_wait() returns or a longer job starts.
 */
int pica_done_fd(struct pica_ctx *ctx);

/*
 * ---- Registers and memory (each function waits until the context is idle) ----
 *
 * Only the PICA200 has registers, states and screens: for other contexts these functions return
 * -EOPNOTSUPP.
 */

enum {
	PICA_REG_COUNT = 0x300,
	PICA_EXTERNAL_WORDS = 0x1000 / 4, /* 0x10400000..0x10400FFF */
	PICA_LCD_WORDS = 0x1000 / 4,      /* 0x10202000..0x10202FFF */
};

/* Copies n internal registers, starting with number first. Returns 0, or -EINVAL. */
int pica_ctx_read_regs(struct pica_ctx *ctx, uint32_t first, uint32_t n, uint32_t *out);
/*
 * Writes one register as a command list would: id 0..0x2FF, value, byte mask 1..15 (bit k: byte k).
 * For emulators that decode lists themselves. Does not wait, but queues a job of type REG_WRITE.
 * Draws collect in an open pass, which runs when FINALIZE is written, when a job of another type
 * follows, or when any function waits. *seq as for pica_submit().
 */
int pica_ctx_write_reg(
		struct pica_ctx *ctx, uint32_t id, uint32_t value, uint32_t mask, uint64_t *seq);
/*
 * Reads a GPU (0x10400000-0x10401FFF) or LCD (0x10202000-0x10202FFF) register by its physical
 * address. Returns 0; -EINVAL if addr is not a multiple of 4; -ERANGE.
 */
int pica_ctx_read_external(struct pica_ctx *ctx, uint32_t addr, uint32_t *value);
/*
 * Copy physical memory out or in. Return 0, or -ERANGE if a part is outside all windows: that part
 * reads as 0 and is not written.
 */
int pica_ctx_read_memory(struct pica_ctx *ctx, uint32_t phys, void *out, uint32_t size_bytes);
int pica_ctx_write_memory(struct pica_ctx *ctx, uint32_t phys, const void *data,
		uint32_t size_bytes);

/*
 * The memories of one shader unit. Uniforms are f24 words (24 bits) x, y, z, w.
 *
 * uniforms_f32 holds the same values as binary32, since f24 cannot represent all of them
 * (PICA_FLOAT_F32, inputs of a geometry shader, NaN). A component is ignored unless it narrows to
 * the f24 word in `uniforms`; so a state that is filled in by hand may leave uniforms_f32 zero.
 */
struct pica_shader_state {
	uint32_t code[4096]; /* the vertex unit uses the first 512 */
	uint32_t operand_descriptors[128];
	uint32_t uniforms[96][4];
	uint32_t uniforms_f32[96][4];
};

/* The tables that the look-up ports fill, as the words that were written. */
struct pica_tables {
	uint32_t light[32][256]; /* by table number, bits 8-12 of 0x1C5 */
	uint32_t fog[128];
	uint32_t proctex[16][256]; /* by table number, bits 8-11 of 0x0AF */
	uint32_t gas[16];
};

/* Positions of the upload ports of one shader unit. */
struct pica_upload_state {
	/* the next word or vector to be written */
	uint32_t code_index, descriptor_index, uniform_index;
	uint32_t n_words, words[4]; /* words of an incomplete uniform, 0..3 of them */
};

/* The attribute port (0x232-0x235): fixed attributes and immediate mode. */
struct pica_attribute_port {
	uint32_t index;             /* 0..14, or 15: immediate mode */
	uint32_t n_words, words[3]; /* words of an incomplete vector, 0..2 of them */
	uint32_t attribute;         /* immediate mode: the next attribute of the current vertex */
	/* attributes of the current vertex so far, then those of the one before; binary32 */
	uint32_t vertex[16][4];
};

/*
 * State of the geometry unit that persists between its runs [fidelity: geometry-shader]. Vectors
 * are binary32.
 */
struct pica_geometry_state {
	uint32_t v[16][4], r[16][4]; /* input and temporary registers */
	uint32_t o[2][16][4];        /* two output banks */
	uint32_t bank;               /* the current one */
	uint32_t a[2], al;           /* address and loop registers, two's complement */
	uint32_t cmp[2];             /* condition flags */
	uint32_t emit_id, emit_prim, emit_invert; /* last SETEMIT */
	/* point mode: input vectors so far, 0..15 of them */
	uint32_t gathered[16][4], n_gathered;
	/* variable mode: vertices to come, and how many of those are stored whole */
	uint32_t remaining, main_left;
	uint32_t cursor;               /* uniform that receives the next input vector */
	uint32_t n_vertices;           /* fixed mode: vertices so far */
	uint32_t emitted[3][16][4];    /* packed output vectors of the three vertex slots */
};

/* The primitive assembler, which keeps vertices from one draw to the next [fidelity: assembly]. */
struct pica_assembler_state {
	uint32_t n;         /* lists: vertices held; strips, fans: the slot that is written next */
	uint32_t is_ready;  /* strips, fans: both slots are filled */
	uint32_t is_invert; /* inverts the winding of the next geometry-shader triangle */
	uint32_t slot[2][24]; /* binary32, by output semantic 0x00..0x17 (fidelity: semantics) */
};

enum {
	/*
	 * pica_state.vs_upload, gs_upload and attribute_port are valid. Without this flag the ports
	 * are at the positions that their index registers hold, between two vectors.
	 */
	PICA_STATE_PORTS = 1,
	/*
	 * PICA_STATE_UNWRITTEN_ATTRIBUTE << i: fixed attribute i, 0..15, was never written. It
	 * reads (0,0,0,1) if no array loads it and the fixed mask does not name it.
	 */
	PICA_STATE_UNWRITTEN_ATTRIBUTE = 1 << 16,
};

/*
 * A whole state between two jobs, without memory. Loading it triggers nothing [fidelity:
 * citrace-replay]. A context that loads the state and memory of another one continues exactly, to
 * the bit, like that one.
 */
struct pica_state {
	uint32_t regs[PICA_REG_COUNT];
	uint32_t external[PICA_EXTERNAL_WORDS];
	uint32_t lcd[PICA_LCD_WORDS];
	uint32_t fixed_attributes[16][4]; /* f24 words */
	struct pica_shader_state vs;
	struct pica_shader_state gs;
	uint32_t flags; /* PICA_STATE_* */
	struct pica_tables tables;
	struct pica_upload_state vs_upload, gs_upload;
	struct pica_attribute_port attribute_port;
	struct pica_geometry_state geometry;
	struct pica_assembler_state assembler;
};

/*
 * Replaces the whole state of a context except its memory. Accepts any words: a value that no
 * context can have (an index past the end of an array of 16) is brought into range. Waits for idle.
 * Returns 0.
 */
int pica_ctx_load_state(struct pica_ctx *ctx, const struct pica_state *state);
/*
 * Copies the whole state of a context except its memory, after drawing the pending vertices of
 * immediate mode. Waits for idle. Returns 0.
 */
int pica_ctx_save_state(struct pica_ctx *ctx, struct pica_state *state);

/* ---- Screens ---- */

enum pica_screen_id {
	PICA_SCREEN_TOP,
	PICA_SCREEN_BOTTOM,
};

enum pica_eye {
	PICA_EYE_LEFT,
	PICA_EYE_RIGHT,
};

struct pica_screen {
	uint32_t width;   /* 400, 800 (wide mode) or 320 */
	uint32_t height;  /* 240 */
	int is_set;       /* a framebuffer address was set, or is_solid */
	int has_right;    /* stereo mode: the right eye has its own picture */
	int is_solid;     /* the LCD shows a solid colour */
	uint32_t addr;    /* physical address of the shown (left) framebuffer */
	uint32_t format;  /* 0 RGBA8, 1 RGB8, 2 RGB565, 3 RGB5A1, 4 RGBA4 */
};

/* Describes what a display controller shows now [fidelity: displays]. Waits for idle. Returns 0, or
 * -EINVAL. */
int pica_ctx_screen(struct pica_ctx *ctx, enum pica_screen_id screen, struct pica_screen *out);
/*
 * Copies the screen upright as RGB8 rows from the top; stride_bytes >= 3 * width. Without stereo
 * the right eye is the left picture. Returns 0; -ENODATA if the screen was never set (is_set = 0).
 */
int pica_ctx_read_screen(struct pica_ctx *ctx, enum pica_screen_id screen, enum pica_eye eye,
		uint8_t *rgb, size_t stride_bytes);
/*
 * Decodes a tiled GPU surface (a render target or texture in memory) into RGBA8 rows, memory row 0
 * first. format: texture format number 0..13. width and height: multiples of 8, 8..2048. Returns 0;
 * -EINVAL; -ERANGE if the surface is not inside one window.
 */
int pica_ctx_read_surface(struct pica_ctx *ctx, uint32_t phys, uint32_t format, uint32_t width,
		uint32_t height, uint8_t *rgba, size_t stride_bytes);
/*
 * Decodes n_rows of these rows, starting with first_row: for callers that must not block for long.
 * Both are multiples of 8. rgba is the place of row 0. Returns 0; -EINVAL; -ERANGE as above.
 */
int pica_ctx_read_surface_rows(struct pica_ctx *ctx, uint32_t phys, uint32_t format, uint32_t width,
		uint32_t height, uint32_t first_row, uint32_t n_rows, uint8_t *rgba,
		size_t stride_bytes);

/* ---- The picture of a VideoCore IV (-EOPNOTSUPP for other contexts) ---- */

/* A render target: record TILE_RENDERING_MODE of pica_vc4_records.def. */
struct pica_picture {
	uint32_t addr;          /* without the alias bits 31:30 */
	uint32_t width, height; /* pixels, 0 to 65535 */
	uint32_t format;        /* PICA_VC4_FORMAT_* (pica_vc4_emit.h) */
	uint32_t layout;        /* PICA_VC4_LAYOUT_* */
};

/*
 * Describes the target of the last job that had one, as its last TILE_RENDERING_MODE sets it. Waits
 * for idle. Returns 0; -ENODATA if no job has had a target yet.
 */
int pica_ctx_picture(struct pica_ctx *ctx, struct pica_picture *out);
/*
 * Copies the picture as it is in memory now: width * height pixels with the bytes R, G, B, A,
 * memory row 0 first; stride_bytes >= 4 * width. Components of 16-bit pixels are widened by
 * repeating their upper bits; their A is 255. Waits for idle. Returns 0; -ENODATA as above;
 * -EINVAL; -ERANGE if the picture is not inside one window, has no pixels, or has a side of more
 * than 16,384 pixels.
 */
int pica_ctx_read_picture(struct pica_ctx *ctx, uint8_t *rgba, size_t stride_bytes);

/* ---- Statistics ---- */

/*
 * Features whose equations are not verified (docs/fidelity.md, section 4); index of
 * pica_stats.guessed.
 */
enum pica_feature {
	PICA_FEATURE_GAS,
	PICA_FEATURE_COUNT,
};

/* Returns a short English name, e.g. "gas". Static storage. */
const char *pica_feature_name(enum pica_feature feature);

/* Kinds of input that was ignored or repaired; index of pica_stats.faults. */
enum pica_fault {
	PICA_FAULT_UNKNOWN_REGISTER,   /* id outside the register file, or CPU-only */
	PICA_FAULT_TRUNCATED_LIST,
	PICA_FAULT_NO_FINALIZE,
	PICA_FAULT_BAD_INDEX,          /* upload index outside its memory */
	PICA_FAULT_PARTIAL_PORT_WRITE, /* FIFO written with a byte mask other than F */
	PICA_FAULT_BAD_ADDRESS,        /* memory outside every window */
	PICA_FAULT_BAD_TARGET,         /* framebuffer size or format that cannot be drawn to */
	PICA_FAULT_BAD_TEXTURE,        /* texture size or format that cannot be sampled */
	/* NaN or out of range after the viewport transform: the triangle is dropped */
	PICA_FAULT_BAD_VERTEX,
	PICA_FAULT_UNLOADED_ATTRIBUTE, /* attribute neither in an array nor fixed */
	PICA_FAULT_SHADER_BUDGET,      /* a shader invocation was cut off */
	PICA_FAULT_SHADER_OPCODE,      /* unknown opcode, BREAK outside a loop; QPU: rows of VPM */
	PICA_FAULT_BAD_TRANSFER,       /* copy-engine parameters that would hang hardware */
	/* bytes of a load in a capture that differ from libpica's own rendering */
	PICA_FAULT_KEPT_RENDERED,
	PICA_FAULT_COUNT,
};

/* Returns a short English phrase. Static storage. */
const char *pica_fault_name(enum pica_fault fault);
/*
 * Returns the name of the budget that a job with -EDQUOT exceeded, e.g. "jumps". flags: those of
 * its pica_done. Static storage.
 */
const char *pica_budget_name(uint32_t flags);

/*
 * For a VideoCore IV, lists counts the lists of jobs, list_words the records in them, frames the
 * jobs with lists, and vertices the vertices of draws or their indices.
 */
struct pica_stats {
	uint32_t size; /* set by the caller to sizeof(struct pica_stats) */
	uint32_t reserved0;
	uint64_t jobs, lists, list_words, draws, vertices, shaded_vertices, triangles,
			drawn_triangles;
	/* fragments: covered pixels that enter the pipe */
	uint64_t passes, tiles, batches, fragments;
	uint64_t fills, transfers, copies, writes, written_bytes;
	uint64_t textures_decoded, frames;
	uint64_t guessed[PICA_FEATURE_COUNT]; /* draws that used the feature */
	uint64_t faults[PICA_FAULT_COUNT];
	/* Thread time in ns: command (and tasks that its thread runs), vertex, tile, copy. */
	uint64_t ns_command, ns_vertex, ns_tile, ns_copy;
	uint64_t yields; /* tasks that yielded (pica_settings.slice_us) */
	/* VideoCore IV: vertices whose vertex program ran: a tile has a triangle of theirs */
	uint64_t completed_vertices;
	uint64_t reserved[14];
};

/*
 * Copies the counters since the context was created. Waits for idle. Returns 0; -EINVAL if
 * out->size is wrong.
 */
int pica_stats(struct pica_ctx *ctx, struct pica_stats *out);

/* The resources that a context has used so far, for accounting. */
struct pica_usage {
	uint32_t size; /* set by the caller to sizeof(struct pica_usage) */
	uint32_t reserved0;
	/* processor time of finished work and of finished tasks */
	uint64_t cpu_ns;
	/* as in pica_stats, of finished work */
	uint64_t jobs, list_words, vertices, pixels, written_bytes;
	uint64_t running_ns; /* since its current job got the command thread; 0: none has it */
	uint64_t memory_bytes; /* memory of the context now, without its windows */
	uint64_t reserved[6];
};

/*
 * Copies the usage of the context so far. Never waits; may be called from any thread while the
 * context exists. Returns 0; -EINVAL if out->size is wrong.
 */
int pica_usage(struct pica_ctx *ctx, struct pica_usage *out);

#ifdef __cplusplus
}
#endif

#endif
