/*
 * For emulators that drive libpica while the emulated processor runs: waiting for one range of
 * memory, reading the status of the engines without waiting, and estimating the hardware's time.
 * docs/embedding.md and docs/example-emulator.c (installed under doc/libpica) show an emulator's
 * main loop.
 *
 * Threads: as in pica.h, only one thread at a time may call functions of a context. None of these
 * functions may be called from an interrupt callback.
 */
#ifndef PICA_EMULATOR_H
#define PICA_EMULATOR_H

#include "pica.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Waiting for a range of memory ---- */

/* How the caller will access the range. */
enum pica_range_access {
	PICA_RANGE_READ,  /* wait for jobs that write it */
	PICA_RANGE_WRITE, /* wait for jobs that read or write it */
};

/*
 * Waits until the jobs up to and including seq (0: the last submitted job) are done with [phys,
 * phys + size_bytes): their writes to it are in memory, and they will not access it again. Later
 * jobs and work on other memory may continue. If it is not yet known what a job accesses, for
 * example because its command list has not been read, waits until it is known. Draws that wait in
 * an open pass (pica_ctx_write_reg()) are started only if they touch the range.
 *
 * The range may be empty, end beyond 2^32 (it is clipped there) or lie outside all windows, where
 * nothing is accessed. Footprints cover whole surfaces and arrays, so the wait for memory next to
 * a target may be longer than necessary, but never shorter.
 *
 * timeout_ns is as for pica_wait(), except that 0 waits for the command thread's answer, which
 * takes about 1 ms at most. Returns 0. On failure returns -ETIME, or -EINVAL if seq has not been
 * submitted yet or access is not one of enum pica_range_access. Neither takes nor needs
 * completions.
 */
int pica_wait_range(struct pica_ctx *ctx, uint64_t seq, uint32_t phys, uint32_t size_bytes,
		enum pica_range_access access, int64_t timeout_ns);

/* ---- Status ---- */

/* Bits of register 0x10400034. [fidelity: external-registers] */
enum {
	PICA_STATUS_PSC0 = 1 << 26,
	PICA_STATUS_PSC1 = 1 << 27,
	PICA_STATUS_PPF = 1 << 30,
};
#define PICA_STATUS_P3D (UINT32_C(1) << 31)

/*
 * Returns the busy engines, as bits of register 0x10400034. An engine is busy if a job for it has
 * been submitted and is not complete: FILL occupies PSC0 or PSC1; TRANSFER and COPY occupy PPF;
 * LIST and writes to internal registers occupy P3D; a register write that starts an engine occupies
 * that engine. Never waits, whereas pica_ctx_read_external() of this register waits until it is 0.
 * On a device without threads the result is 0 once pica_submit() has returned, except for draws
 * that wait in an open pass. Returns 0 for a VideoCore IV.
 */
uint32_t pica_ctx_status(struct pica_ctx *ctx);

/* ---- Estimates of the hardware's time ---- */

/* GPU cycles per second. [fidelity: timing-model] */
enum { PICA_CYCLES_PER_SECOND = 268111856 };

/* The work of a job. Does not depend on the machine or the number of threads. */
struct pica_job_counts {
	uint32_t size; /* set by the caller to sizeof(struct pica_job_counts) */
	uint32_t reserved0;
	uint64_t list_words;   /* words of command lists */
	uint64_t draws;
	uint64_t vertices;     /* vertices of draws; of indexed draws: indices */
	uint64_t shader_steps; /* vertex and geometry program instructions, counted per vertex */
	uint64_t triangles;    /* output of the primitive assembler */
	uint64_t pixels;       /* covered by triangles, before any test */
	uint64_t filled_bytes;
	/*
	 * Bytes written by transfers and copies. First index: 1 if the source is in VRAM, else 0;
	 * second index: the same for the destination.
	 */
	uint64_t moved_bytes[2][2];
	uint64_t reserved[4];
};

/* Costs, in cycles per 1024 items. */
struct pica_rates {
	uint32_t job; /* cycles per job, not per 1024 */
	uint32_t list_word, vertex, shader_step, triangle, pixel, filled_byte;
	uint32_t moved_byte[2][2];
	uint32_t reserved[4]; /* zero */
};

/* Sets *rates to the defaults, most of which are assumptions. [fidelity: timing-model] */
void pica_rates_init(struct pica_rates *rates);
/*
 * Returns the estimated cycles that the hardware takes for counted work: job + list words +
 * max(vertices and shader steps, triangles, pixels) + filled bytes + moved bytes. The model assumes
 * that vertex, triangle and pixel work overlap and that other kinds of work do not. It ignores
 * textures, blending and caches. rates may be NULL: the defaults. The result saturates at
 * UINT64_MAX.
 */
uint64_t pica_job_cycles(const struct pica_job_counts *counts, const struct pica_rates *rates);

enum { PICA_COUNTED_JOBS = 4096 };

/*
 * Starts (on != 0) or stops counting the work of each job. The counts of the last PICA_COUNTED_JOBS
 * jobs are kept; each call discards earlier counts. Waits for idle. Returns 0. On failure returns
 * -ENOMEM, or -EOPNOTSUPP for a VideoCore IV.
 */
int pica_ctx_count_jobs(struct pica_ctx *ctx, int on);
/*
 * Copies the counts of a complete job (its interrupt callback has returned). Immediate-mode
 * vertices count towards the job that draws them. Never waits. Returns 0. On failure returns:
 *   -EAGAIN   the job is not complete
 *   -ENODATA  the job was not counted, is too old, or was cancelled
 *   -EINVAL   the job has not been submitted yet, or out->size is wrong
 */
int pica_ctx_job_counts(struct pica_ctx *ctx, uint64_t seq, struct pica_job_counts *out);

#ifdef __cplusplus
}
#endif

#endif
