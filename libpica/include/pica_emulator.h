/*
 * For emulators that drive libpica while the emulated processor runs: waits for one range of
 * memory, the status of the engines without a wait, and estimates of the hardware's time. An
 * emulator's loop is shown in docs/embedding.md and docs/example-emulator.c (installed below
 * doc/libpica).
 *
 * Threads: as in pica.h, one thread at a time calls functions of a context. None of these may be
 * called from an interrupt's callback.
 */
#ifndef PICA_EMULATOR_H
#define PICA_EMULATOR_H

#include "pica.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Waiting for a range of memory ---- */

/* What the caller is going to do with the range. */
enum pica_range_access {
	PICA_RANGE_READ,  /* waits for jobs that write it */
	PICA_RANGE_WRITE, /* waits for jobs that read or write it */
};

/*
 * Waits until no job up to seq (0: the last one that was submitted) accesses [phys, phys +
 * size_bytes): what these jobs write there is in memory, and they will not touch it again. Jobs
 * after seq, and work on other memory, may continue. If the accesses of a job are not known yet, as
 * of a command list that has not been read, waits until they are. Draws that wait in an open
 * pass (pica_ctx_write_reg()) are started only if they touch the range.
 *
 * The range may be empty, end beyond 2^32 (it is cut there) or lie outside of all windows, where
 * nothing is accessed. Footprints are whole surfaces and arrays, so the wait for memory beside a
 * target may be longer than necessary, never shorter.
 *
 * timeout_ns as for pica_wait(); 0: asks the command thread, which answers within about 1 ms.
 * Returns 0; -ETIME; -EINVAL if seq was not submitted yet or access is not one of enum
 * pica_range_access. Completions are neither taken nor needed.
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
 * Returns the engines that have work, as bits of register 0x10400034: of jobs that were submitted
 * and are not complete, FILL counts for PSC0 or PSC1, TRANSFER and COPY for PPF, LIST and writes of
 * internal registers for P3D, and a write that starts an engine for that one. Never waits. (A read
 * of the register by pica_ctx_read_external() waits until it is 0.) Always 0 without threads,
 * after pica_submit() has returned, but for draws that wait in an open pass. 0 for a VideoCore IV.
 */
uint32_t pica_ctx_status(struct pica_ctx *ctx);

/* ---- Estimates of the hardware's time ---- */

/* Cycles of the GPU in a second. [fidelity: timing-model] */
enum { PICA_CYCLES_PER_SECOND = 268111856 };

/* What a job had the hardware do. The same on every machine, with every number of threads. */
struct pica_job_counts {
	uint32_t size; /* set by the caller to sizeof(struct pica_job_counts) */
	uint32_t reserved0;
	uint64_t list_words;   /* of command lists */
	uint64_t draws;
	uint64_t vertices;     /* of draws, or their indices */
	uint64_t shader_steps; /* instructions of vertex and geometry programs, one a vertex */
	uint64_t triangles;    /* that leave the primitive assembler */
	uint64_t pixels;       /* that triangles cover, before any test */
	uint64_t filled_bytes;
	/*
	 * Bytes that transfers and copies write: [0] the source is not in VRAM, [1] it is; then the
	 * same of the destination.
	 */
	uint64_t moved_bytes[2][2];
	uint64_t reserved[4];
};

/* Prices, in cycles for 1024 of a kind. */
struct pica_rates {
	uint32_t job; /* cycles of any job, not of 1024 */
	uint32_t list_word, vertex, shader_step, triangle, pixel, filled_byte;
	uint32_t moved_byte[2][2];
	uint32_t reserved[4]; /* zero */
};

/* Fills *rates with the defaults, most of which are assumptions. [fidelity: timing-model] */
void pica_rates_init(struct pica_rates *rates);
/*
 * Returns the cycles that the hardware is estimated to take for counted work: job + list words +
 * the greatest of vertices with their steps, triangles, and pixels + what the copy engines move.
 * The units of a draw are thought to overlap, those of different kinds of work not. Textures,
 * blending and the state of caches are left out. rates NULL: the defaults. At most UINT64_MAX.
 */
uint64_t pica_job_cycles(const struct pica_job_counts *counts, const struct pica_rates *rates);

enum { PICA_COUNTED_JOBS = 4096 };

/*
 * Starts or stops to count the work of each job. The counts of the last PICA_COUNTED_JOBS jobs are
 * kept; starting again forgets them. Waits for idle. Returns 0; -ENOMEM; -EOPNOTSUPP for a
 * VideoCore IV.
 */
int pica_ctx_count_jobs(struct pica_ctx *ctx, int on);
/*
 * Copies the counts of a job that is complete (its interrupt's callback has returned). Vertices of
 * immediate mode count for the job that draws them. Never waits. Returns 0; -EAGAIN if it is not
 * complete; -ENODATA if it was not counted, is too old, or was cancelled; -EINVAL if it was not
 * submitted yet or out->size is wrong.
 */
int pica_ctx_job_counts(struct pica_ctx *ctx, uint64_t seq, struct pica_job_counts *out);

#ifdef __cplusplus
}
#endif

#endif
