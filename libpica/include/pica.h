/*
 * libpica: a software renderer of the PICA200, the GPU of the Nintendo 3DS, and of the VideoCore
 * IV, that of the Raspberry Pi.
 *
 * A device owns worker threads and kernels. A context is one emulated GPU of either chip with its
 * registers and memory. Work is described by struct pica_job (pica_job.h), submitted with
 * pica_submit(), and completes in order.
 *
 * Errors: a function that can fail returns 0 (or a count) or a negative errno:
 *   -EINVAL      malformed argument or job
 *   -ENOMEM      out of memory
 *   -ERANGE      address outside every window
 *   -EEXIST      windows would overlap
 *   -EDQUOT      a budget of the context is exceeded (pica_budget_name(); an error in the log)
 *   -EOPNOTSUPP  known, but not available here: also calls for a context of the other chip
 *   -ETIME       the timeout passed
 *   -ECANCELED   the context is being destroyed
 *
 * Threads: one thread at a time calls functions of a context; contexts are independent. Several
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

/* Receives one line without a newline, from any thread of the device. Must not call libpica. */
typedef void pica_log_fn(void *user, enum pica_log_level level, const char *line);
/* Receives a line about a context, with the owner that the settings of the context name. */
typedef void pica_owner_log_fn(
		void *user, uint64_t owner, enum pica_log_level level, const char *line);

/* ---- Timeline ---- */

enum pica_span_kind {
	PICA_SPAN_JOB, /* the command thread works on a job; index: its enum pica_op */
	/*
	 * From the start of a unit of work to its end; these spans overlap. index: 0, or the number
	 * of draws.
	 */
	PICA_SPAN_PASS,
	PICA_SPAN_FILL,
	PICA_SPAN_TRANSFER,
	PICA_SPAN_COPY,
	PICA_SPAN_SHOTS, /* what the screens show is copied for a display */
	/*
	 * Tasks of a unit, each on one thread, one span for each slice of a task. index: number of
	 * the task.
	 */
	PICA_SPAN_VERTICES,
	PICA_SPAN_TILE,
	PICA_SPAN_STRIPE, /* of a fill, transfer or copy; a shot */
	PICA_SPAN_COUNT
};

/* Work with a begin and an end. */
struct pica_span {
	enum pica_span_kind kind;
	/*
	 * 0: the command thread, or the caller where it does that thread's work (no threads, or
	 * PICA_CTX_AT_ONCE); workers from 1 on
	 */
	uint32_t thread;
	uint32_t index;
	uint32_t context; /* number of the context in its device, from 1 on */
	uint64_t job;     /* sequence number in its context */
	uint64_t unit;    /* number of the unit in the device; JOB: 0 */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
};

/*
 * Called at the end of each span on its thread. The spans of one thread nest, except those of
 * units. Must be quick.
 */
typedef void pica_trace_fn(void *user, const struct pica_span *span);

/* ---- Device ---- */

enum pica_float {
	PICA_FLOAT_F24, /* the deterministic model of the hardware's 24-bit arithmetic */
	PICA_FLOAT_F32, /* binary32, as emulators of the Citra family compute; for comparison */
};

/* How the texture combiner rounds products to 8 bits; dot3 has one way only. */
enum pica_combiner {
	/* rounded to the nearest 1/255, as the hardware's multiplier was measured */
	PICA_COMBINER_NEAREST,
	PICA_COMBINER_TRUNCATE, /* as software renderers of the Citra family do; for comparison */
};

struct pica_settings {
	uint32_t size;      /* sizeof(struct pica_settings), set by pica_settings_init() */
	/* workers in addition to the command thread, 0..64; 0: everything in the caller */
	uint32_t n_threads;
	/* "c", "sse4.1", ...; NULL: $PICA_ISA, or the best of this CPU. Borrowed during create */
	const char *isa;
	enum pica_float float_mode;
	enum pica_combiner combiner;
	pica_log_fn *log; /* NULL: silent */
	void *log_user;
	enum pica_log_level log_level;
	uint64_t texture_cache_bytes; /* of a context's decoded textures, default 64 MiB */
	pica_trace_fn *trace;         /* NULL: no trace, which costs one branch a task */
	void *trace_user;
	/*
	 * Number of workers that process vertices only; the others process pixels and copies only.
	 * Less than n_threads. 0 (default): every worker does everything, which leaves none idle
	 * while there is work.
	 */
	uint32_t n_vertex_threads;
	/*
	 * Time in microseconds after which a task yields to waiting tasks; it continues after them.
	 * 0: the default of 1000. Pictures do not depend on it.
	 */
	uint32_t slice_us;
	/* used instead of log for contexts with an owner; NULL: log is used */
	pica_owner_log_fn *owner_log;
	uint64_t reserved[4];         /* zero */
};

/* Fills *settings with the defaults: n_threads = 0, best isa, f24, nearest, no log. */
void pica_settings_init(struct pica_settings *settings);

struct pica_device;

/*
 * Creates a device and its threads. Returns 0. On failure leaves *out unchanged and returns -EINVAL
 * (bad settings, or an unknown isa name), -EOPNOTSUPP (this CPU lacks the isa), -ENOMEM, or -EAGAIN
 * (no more threads).
 */
int pica_device_create(struct pica_device **out, const struct pica_settings *settings);
/*
 * Releases the caller's reference to a device: the pointer must not be used again. The device, its
 * threads and the callbacks of its settings stay until its last context is destroyed and its last
 * recorder is finished; all calls on those work as before. NULL is allowed.
 */
void pica_device_destroy(struct pica_device *device);
/* Returns the name of the kernels in use, e.g. "sse4.1". Static storage. */
const char *pica_device_isa(const struct pica_device *device);

/* ---- Context ---- */

/* The chip of a context. The documentation of a call or job names the chip if only one has it. */
enum pica_chip {
	/* registers, command lists, copy engines, screens, interrupts */
	PICA_CHIP_PICA200,
	/*
	 * Control lists (PICA_OP_CONTROL_LISTS) and nothing else that lasts from job to job but
	 * memory. A frame ends with each of these jobs; its picture is pica_ctx_picture().
	 */
	PICA_CHIP_VC4,
};

/* Returns "pica200" or "vc4"; "?" for other values. Static storage. */
const char *pica_chip_name(enum pica_chip chip);

enum pica_interrupt {
	PICA_INTERRUPT_PSC0,
	PICA_INTERRUPT_PSC1,
	PICA_INTERRUPT_PDC0, /* a PRESENT of the top screen */
	PICA_INTERRUPT_PDC1, /* of the bottom screen */
	PICA_INTERRUPT_PPF,
	PICA_INTERRUPT_P3D,
};

/*
 * Called on the command thread (on the caller's with n_threads = 0 or PICA_CTX_AT_ONCE), in stream
 * order. May call pica_submit() and pica_ctx_write_reg(), and no other function of libpica.
 */
typedef void pica_interrupt_fn(void *user, enum pica_interrupt interrupt);

/*
 * Limits on the work of one job. They are counts, charged in stream order before the work is done,
 * so that pictures never depend on time. A job that exceeds one ends with -EDQUOT and keeps what it
 * has drawn. 0 means the default.
 *
 * On a VideoCore IV the members count:
 *   list_words    records of both lists, at most 4 Mi
 *   list_jumps    branches to lists, sub-lists and tile lists
 *   vertices      primitives
 *   shader_steps  nothing: one run of a program may take 65,536 instructions
 *   pixels        pixels in the bounding boxes of triangles, each time their bin is drawn
 *   job_steps     QPU instructions on 16 lanes. Vertices and fragments have this budget each;
 *                 the tasks that draw tiles share that of the fragments equally.
 * Lists are read before drawing begins: a job that exceeds list_words, list_jumps or vertices draws
 * nothing.
 */
struct pica_budgets {
	uint64_t list_words;   /* words of command lists, default 16 Mi; each pass adds 64 */
	uint64_t list_jumps;   /* CMDBUF jumps, default 64 Ki */
	uint64_t vertices;     /* default 64 Mi */
	/*
	 * Instructions of one shader invocation, default 1 Mi. A longer invocation is cut off and
	 * counted (PICA_FAULT_SHADER_BUDGET), and its job ends.
	 */
	uint64_t shader_steps;
	/*
	 * Pixels in the bounding boxes of triangles, default 4 Gi. Each counts 64 times if the
	 * target is drawn pixel by pixel (it leaves memory, or colour and depth overlap). A second
	 * count with the same limit: texels of textures that are decoded or compared with memory,
	 * and pixels of display transfers, 64 for each.
	 */
	uint64_t pixels;
	/*
	 * Instructions of all shader invocations, default 1 Gi, plus 16 for each word of a new
	 * program. Draws with a geometry shader and draws without one have this budget each.
	 */
	uint64_t job_steps;
};

/* Fills *budgets with the defaults as numbers. */
void pica_budgets_init(struct pica_budgets *budgets);

enum {
	PICA_CTX_ARITHMETIC = 1, /* float_mode and combiner are the context's own */
	/*
	 * For programs that call pica_reap() after every pica_submit(): short jobs wake no thread.
	 * While the command thread sleeps, pica_submit() itself runs barriers, fills, transfers and
	 * copies, for at most 200 us. Jobs that complete by then do not make pica_done_fd()
	 * readable.
	 */
	PICA_CTX_AT_ONCE = 2,
};

/*
 * An account of the memory of contexts: states and vertices of draws, decoded textures, plans,
 * programs, indices, and buffers that are kept for reuse; windows do not count. An account may have
 * a parent (of a user, of all users), which counts the same memory too.
 *
 * At a limit, memory that is kept for reuse is freed first, from the largest user. Then a context
 * waits until its own earlier work has finished, and may exceed the limit; one context at a time
 * does. Pictures do not depend on that. A pass that needs more than a quarter of the smallest
 * limit, by the counts of its draws, ends its job with -EDQUOT (PICA_BUDGET_MEMORY).
 */
struct pica_memory;

/*
 * Creates an account without a limit. parent: or NULL; holds a reference to it. Returns 0. On
 * failure returns -ENOMEM, and leaves *out unchanged.
 */
int pica_memory_create(struct pica_memory **out, struct pica_memory *parent);
/* Drops the caller's reference; contexts and child accounts hold others. NULL is allowed. */
void pica_memory_destroy(struct pica_memory *memory);
/* The next three may be called from any thread. Sets the limit. */
void pica_memory_limit(struct pica_memory *memory, uint64_t limit_bytes);
/* Adds memory of the caller, or subtracts it (size_bytes < 0); the parent does not count it. */
void pica_memory_add(struct pica_memory *memory, int64_t size_bytes);
/* Returns the bytes in use. */
uint64_t pica_memory_used(const struct pica_memory *memory);
/*
 * Frees memory that the device's contexts keep for reuse, where an account is over its limit: soon,
 * or before it returns if the device has no threads. Call it after lowering a limit.
 */
void pica_device_trim(struct pica_device *device);

/*
 * A VideoCore IV starts without windows, and ignores fcram_bytes, vram_bytes, interrupt,
 * float_mode, combiner and PICA_CTX_ARITHMETIC.
 */
struct pica_ctx_settings {
	uint32_t size;       /* set by pica_ctx_settings_init() */
	/* 128 MiB (default) or 256 MiB at 0x20000000; 0: the caller maps it */
	uint32_t fcram_bytes;
	uint32_t vram_bytes;  /* 6 MiB at 0x18000000 (default); 0: the caller maps it */
	/*
	 * -10..10; ten more means ten times the processor time. The contexts of a device take turns
	 * of one job or a slice of it. The turn goes to the user (0: none), then to the owner (0:
	 * the context itself), that has had the least processor time, weighted by the priority of
	 * the owner's first context; then to the highest rank. A user's time is remembered after
	 * its last context is gone.
	 */
	int32_t priority;
	struct pica_budgets budgets;
	pica_interrupt_fn *interrupt; /* NULL: none */
	void *interrupt_user;
	uint64_t owner;
	int32_t rank;
	uint32_t flags; /* PICA_CTX_* */
	/* with PICA_CTX_ARITHMETIC; without it both are 0, and the device's settings apply */
	enum pica_float float_mode;
	enum pica_combiner combiner;
	uint64_t user;
	/* the account of the context's memory, to which it holds a reference; NULL: no limit */
	struct pica_memory *memory;
	enum pica_chip chip; /* PICA_CHIP_PICA200 by default */
	uint32_t reserved0;
	uint64_t reserved[2];
};

/* Fills *settings with the defaults. */
void pica_ctx_settings_init(struct pica_ctx_settings *settings);

struct pica_ctx;

/*
 * Creates a context. settings NULL: the defaults, a PICA200. Memory is zeroed, registers are in
 * their reset state [fidelity: reset-state]. Returns 0. On failure returns -EINVAL, -ENOMEM, and
 * leaves *out unchanged.
 */
int pica_ctx_create(struct pica_ctx **out, struct pica_device *device,
		const struct pica_ctx_settings *settings);
/*
 * Cancels queued jobs (-ECANCELED), waits for the work in flight and destroys the context. The last
 * context of a destroyed device ends the device's threads. NULL is allowed.
 */
void pica_ctx_destroy(struct pica_ctx *ctx);
/*
 * Cancels all jobs, queued or in flight, as soon as possible (-ECANCELED), and does not draw the
 * rest of them: call it before pica_ctx_destroy() if the results are no longer needed. May be
 * called from any thread.
 */
void pica_ctx_abandon(struct pica_ctx *ctx);

enum {
	PICA_MAP_READ_ONLY = 1, /* the GPU's writes are dropped and counted */
};

/*
 * Makes host memory visible at [phys, phys + size). phys and size: multiples of 4096; host: aligned
 * to 16. The caller owns the memory, which must outlive the window. Waits for idle. Returns 0;
 * -EEXIST if it overlaps a window in physical space or in host memory; -EINVAL; -ENOMEM if there
 * are 32 windows already.
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
/* Zeroes all windows, those of the caller too, as if it had written zeros. Waits for idle. */
void pica_ctx_zero_memory(struct pica_ctx *ctx);
/*
 * Returns the host address of [phys, phys + size), or NULL if that does not lie inside one window.
 * Valid while the window is mapped. The caller synchronises with pica_wait() and announces writes
 * with PICA_OP_INVALIDATE.
 */
void *pica_ctx_host(struct pica_ctx *ctx, uint32_t phys, uint32_t size_bytes);

/* ---- Work ---- */

/*
 * Queues n jobs in order. Copies the jobs, not the memory that they name: the caller must not touch
 * that until the job completes. *seq (may be NULL) receives the sequence number of the last job;
 * the first job of a context has number 1. Returns 0; -EINVAL if a job is malformed (nothing was
 * queued). A job that the chip of the context does not have completes with -EOPNOTSUPP: LIST, FILL,
 * TRANSFER, COPY and REG_WRITE are of the PICA200, CONTROL_LISTS of the VideoCore IV, on which a
 * PRESENT does nothing.
 *
 * CONTROL_LISTS completes with -EINVAL (not a record, or one that makes no sense there),
 * -EOPNOTSUPP (known, but not built), -ERANGE (outside every window), or -EDQUOT; but for -EDQUOT
 * the flags name the record (PICA_DONE_PLACE), and the log names all of them.
 */
int pica_submit(struct pica_ctx *ctx, const struct pica_job *jobs, size_t n, uint64_t *seq);
/*
 * Waits until all jobs up to seq are complete. timeout_ns < 0: no timeout; 0: does not wait.
 * Returns 0 whatever the results of the jobs are (see pica_reap()); -ETIME if they are not
 * complete.
 */
int pica_wait(struct pica_ctx *ctx, uint64_t seq, int64_t timeout_ns);
/*
 * Takes up to n completions, in the order of the jobs. Returns their number. Up to 65536
 * completions are kept; beyond that the oldest are dropped, and their worst result stays in
 * pica_stats().
 */
int pica_reap(struct pica_ctx *ctx, struct pica_done *done, size_t n);
/*
 * Returns an eventfd that is readable while completions wait to be reaped. Owned by the context.
 * With threads one wake-up covers many completions: it comes at most 100 us after the first of
 * them, and before pica_wait() returns or a longer job starts.
 */
int pica_done_fd(struct pica_ctx *ctx);

/*
 * ---- Registers and memory (each waits for the context to be idle) ----
 *
 * Registers, states and screens are of the PICA200: for another context these functions return
 * -EOPNOTSUPP.
 */

enum {
	PICA_REG_COUNT = 0x300,
	PICA_EXTERNAL_WORDS = 0x1000 / 4, /* 0x10400000..0x10400FFF */
	PICA_LCD_WORDS = 0x1000 / 4,      /* 0x10202000..0x10202FFF */
};

/* Copies n internal registers from number first on. Returns 0, or -EINVAL. */
int pica_ctx_read_regs(struct pica_ctx *ctx, uint32_t first, uint32_t n, uint32_t *out);
/*
 * Writes one register as a command list would: id 0..0x2FF, value, byte mask (bit k = byte k,
 * 1..15). For emulators that decode lists themselves. Does not wait: it queues a job of type
 * REG_WRITE. Draws collect in an open pass, which runs when FINALIZE is written, when a job of
 * another type follows, or when any function waits. *seq as for pica_submit().
 */
int pica_ctx_write_reg(
		struct pica_ctx *ctx, uint32_t id, uint32_t value, uint32_t mask, uint64_t *seq);
/*
 * Reads a GPU (0x10400000-0x10401FFF) or LCD (0x10202000-0x10202FFF) register by its physical
 * address. Returns 0; -EINVAL if addr is not a multiple of 4; -ERANGE.
 */
int pica_ctx_read_external(struct pica_ctx *ctx, uint32_t addr, uint32_t *value);
/*
 * Copies physical memory out or in. Parts outside of windows read 0 and are not written; then
 * -ERANGE is returned.
 */
int pica_ctx_read_memory(struct pica_ctx *ctx, uint32_t phys, void *out, uint32_t size_bytes);
int pica_ctx_write_memory(struct pica_ctx *ctx, uint32_t phys, const void *data,
		uint32_t size_bytes);

/*
 * The memories of one shader unit. Uniforms are f24 words (24 bits) x, y, z, w.
 *
 * uniforms_f32 holds the same values as binary32, for values that f24 cannot hold (PICA_FLOAT_F32,
 * inputs of a geometry shader, NaN). A component is used if it narrows to the f24 word of
 * `uniforms`; otherwise that word is used. So a state that is filled in by hand may leave it 0.
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
	uint32_t n_words, words[4]; /* of a uniform that is not complete yet: 0..3 */
};

/* The attribute port (0x232-0x235): fixed attributes and immediate mode. */
struct pica_attribute_port {
	uint32_t index;             /* 0..14, or 15: immediate mode */
	uint32_t n_words, words[3]; /* of a vector that is not complete yet: 0..2 */
	uint32_t attribute;         /* immediate mode: attribute of the vertex that comes next */
	/* its attributes so far (and those of the last one), binary32 */
	uint32_t vertex[16][4];
};

/*
 * State of the geometry unit that lasts from run to run [fidelity: geometry-shader]. Vectors are
 * binary32.
 */
struct pica_geometry_state {
	uint32_t v[16][4], r[16][4]; /* input and temporary registers */
	uint32_t o[2][16][4];        /* two output banks */
	uint32_t bank;               /* the current one */
	uint32_t a[2], al;           /* address and loop registers, two's complement */
	uint32_t cmp[2];             /* condition flags */
	uint32_t emit_id, emit_prim, emit_invert; /* last SETEMIT */
	uint32_t gathered[16][4], n_gathered;     /* point mode: input vectors so far, 0..15 */
	uint32_t remaining, main_left; /* variable mode: vertices to come; of those, stored whole */
	uint32_t cursor;               /* uniform that receives the next input vector */
	uint32_t n_vertices;           /* fixed mode: vertices so far */
	uint32_t emitted[3][16][4];    /* packed output vectors of the three vertex slots */
};

/* The primitive assembler: what a draw leaves for the next one [fidelity: assembly]. */
struct pica_assembler_state {
	uint32_t n;         /* vertices it holds (lists) or the slot written next (strips, fans) */
	uint32_t is_ready;  /* strips, fans: both slots are filled */
	uint32_t is_invert; /* inverts the winding of the next geometry-shader triangle */
	uint32_t slot[2][24]; /* binary32, by output semantic 0x00..0x17 (fidelity: semantics) */
};

enum {
	/*
	 * pica_state.vs_upload, gs_upload and attribute_port are set. Without this flag the ports
	 * are where their index registers say, between two vectors.
	 */
	PICA_STATE_PORTS = 1,
	/*
	 * Shifted left by 0..15: this fixed attribute was never written. An attribute that nothing
	 * else loads then reads (0,0,0,1).
	 */
	PICA_STATE_UNWRITTEN_ATTRIBUTE = 1 << 16,
};

/*
 * A whole state between two jobs, without memory. Loading executes no trigger [fidelity:
 * citrace-replay]. A context that loads state and memory continues, to the bit, as the one that
 * saved them.
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
 * Replaces the whole state of a context except its memory. Accepts any words; a value that no
 * context can have (an index past the end of a list of 16) is brought into range. Waits for idle.
 * Returns 0.
 */
int pica_ctx_load_state(struct pica_ctx *ctx, const struct pica_state *state);
/*
 * Copies the whole state of a context except its memory. Draws the vertices that wait in immediate
 * mode first. Waits for idle. Returns 0.
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
	int is_set;       /* a framebuffer address was set, or a solid fill is on */
	int has_right;    /* stereo mode: the right eye is a picture of its own */
	int is_solid;     /* the LCD shows a solid colour */
	uint32_t addr;    /* physical address of the shown (left) framebuffer */
	uint32_t format;  /* 0 RGBA8, 1 RGB8, 2 RGB565, 3 RGB5A1, 4 RGBA4 */
};

/* Describes what a display controller shows now [fidelity: displays]. Waits for idle. Returns 0, or
 * -EINVAL. */
int pica_ctx_screen(struct pica_ctx *ctx, enum pica_screen_id screen, struct pica_screen *out);
/*
 * Copies the screen upright as RGB8 rows from the top, stride_bytes >= 3 * width apart. The right
 * eye without stereo is the left picture. Returns 0; -ENODATA if the screen was never set (is_set =
 * 0).
 */
int pica_ctx_read_screen(struct pica_ctx *ctx, enum pica_screen_id screen, enum pica_eye eye,
		uint8_t *rgb, size_t stride_bytes);
/*
 * Decodes a tiled GPU surface (a render target or texture in memory) into RGBA8 rows, memory row 0
 * first. format: texture format number 0..13. width and height: multiples of 8, 8..2048. Returns 0;
 * -EINVAL; -ERANGE if it does not lie inside one window.
 */
int pica_ctx_read_surface(struct pica_ctx *ctx, uint32_t phys, uint32_t format, uint32_t width,
		uint32_t height, uint8_t *rgba, size_t stride_bytes);
/*
 * Decodes only n_rows of these rows, from first_row on: for callers that must not be held up. Both
 * are multiples of 8. rgba is where row 0 goes. Returns 0; -EINVAL; -ERANGE as above.
 */
int pica_ctx_read_surface_rows(struct pica_ctx *ctx, uint32_t phys, uint32_t format, uint32_t width,
		uint32_t height, uint32_t first_row, uint32_t n_rows, uint8_t *rgba,
		size_t stride_bytes);

/* ---- The picture of a VideoCore IV (-EOPNOTSUPP for other contexts) ---- */

/* A target of rendering: record TILE_RENDERING_MODE of pica_vc4_records.def. */
struct pica_picture {
	uint32_t addr;          /* less the alias bits 31:30 */
	uint32_t width, height; /* pixels, 0 to 65535 */
	uint32_t format;        /* PICA_VC4_FORMAT_* (pica_vc4_emit.h) */
	uint32_t layout;        /* PICA_VC4_LAYOUT_* */
};

/*
 * Describes the target of the last job that had one: of its last rendering mode. Waits for idle.
 * Returns 0; -ENODATA if no job had one yet.
 */
int pica_ctx_picture(struct pica_ctx *ctx, struct pica_picture *out);
/*
 * Copies the picture as it is in memory now: width * height pixels R, G, B, A as bytes, memory row
 * 0 on top, rows stride_bytes >= 4 * width apart. A 16-bit pixel gets the upper bits of its
 * components again below, and A 255. Waits for idle. Returns 0; -ENODATA as above; -EINVAL;
 * -ERANGE if it does not lie inside one window, has no pixels, or more than 16,384 a side.
 */
int pica_ctx_read_picture(struct pica_ctx *ctx, uint8_t *rgba, size_t stride_bytes);

/* ---- Statistics ---- */

/*
 * Features drawn by unverified equations (docs/fidelity.md, section 4); index of
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
	/* NaN or out of range after the viewport: triangle dropped */
	PICA_FAULT_BAD_VERTEX,
	PICA_FAULT_UNLOADED_ATTRIBUTE, /* attribute neither in an array nor fixed */
	PICA_FAULT_SHADER_BUDGET,      /* a shader invocation was cut off */
	PICA_FAULT_SHADER_OPCODE,      /* unknown opcode, or BREAK outside a loop */
	PICA_FAULT_BAD_TRANSFER,       /* copy-engine parameters that hang hardware */
	/* bytes of a capture load that differ from our own rendering */
	PICA_FAULT_KEPT_RENDERED,
	PICA_FAULT_COUNT,
};

/* Returns an English phrase for a fault. Static storage. */
const char *pica_fault_name(enum pica_fault fault);
/*
 * Returns the name of the budget that a job with -EDQUOT exceeded, e.g. "jumps". flags: of
 * pica_done. Static storage.
 */
const char *pica_budget_name(uint32_t flags);

/*
 * Of a VideoCore IV: lists are those of jobs, list_words their records, frames jobs with lists;
 * vertices are those of draws, or their indices.
 */
struct pica_stats {
	uint32_t size; /* set by the caller to sizeof(struct pica_stats) */
	uint32_t reserved0;
	uint64_t jobs, lists, list_words, draws, vertices, shaded_vertices, triangles,
			drawn_triangles;
	/* fragments: covered pixels entering the pipe */
	uint64_t passes, tiles, batches, fragments;
	uint64_t fills, transfers, copies, writes, written_bytes;
	uint64_t textures_decoded, frames;
	uint64_t guessed[PICA_FEATURE_COUNT]; /* draws that used it */
	uint64_t faults[PICA_FAULT_COUNT];
	/* Thread time by stage in ns: command (and what its thread draws), vertex, tile, copy. */
	uint64_t ns_command, ns_vertex, ns_tile, ns_copy;
	uint64_t yields; /* tasks that yielded (pica_settings.slice_us) */
	/* VideoCore IV: those whose vertex program ran, since a tile has a triangle of theirs */
	uint64_t completed_vertices;
	uint64_t reserved[14];
};

/*
 * Copies the counters since the context was created. Waits for idle. Returns 0; -EINVAL if
 * out->size is wrong.
 */
int pica_stats(struct pica_ctx *ctx, struct pica_stats *out);

/* The cost of a context so far, for accounting. */
struct pica_usage {
	uint32_t size; /* set by the caller to sizeof(struct pica_usage) */
	uint32_t reserved0;
	/* processor time of finished work and of tasks that have ended */
	uint64_t cpu_ns;
	/* as in pica_stats, of finished work */
	uint64_t jobs, list_words, vertices, pixels, written_bytes;
	uint64_t running_ns; /* since its present job got the command thread; 0: none has it */
	uint64_t memory_bytes; /* that the context has now, without its windows */
	uint64_t reserved[6];
};

/*
 * Copies what the context has cost so far. Never waits; may be called from any thread while the
 * context exists. Returns 0; -EINVAL if out->size is wrong.
 */
int pica_usage(struct pica_ctx *ctx, struct pica_usage *out);

#ifdef __cplusplus
}
#endif

#endif
