/*
 * The command queue of the operating system's graphics service (GSP), for emulators: translates
 * commands in the memory that a program and the service share into jobs. [fidelity: gsp-queue]
 *
 * The memory is 4096 bytes, 4-byte aligned, little-endian. The client may write to it at any time,
 * even while these functions read it: they read each word once and trust nothing in it. Only one
 * thread at a time may serve the queues of a client.
 *
 *     struct pica_gsp_command c;
 *     while (pica_gsp_take(shared, client, NULL, NULL, &c) > 0) {
 *         if (c.dma_bytes) { wait; copy the bytes; }
 *         pica_submit(ctx, c.jobs, c.n_jobs, &seq);
 *         ... when seq is complete: pica_gsp_interrupt() for each bit of c.interrupts
 *     }
 */
#ifndef PICA_GSP_H
#define PICA_GSP_H

#include "pica.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PICA_GSP_SHARED_BYTES = 0x1000,
	PICA_GSP_CLIENTS = 4,
	PICA_GSP_MAX_JOBS = 20,
};

enum pica_gsp_id {
	PICA_GSP_REQUEST_DMA,
	PICA_GSP_PROCESS_LIST,
	PICA_GSP_MEMORY_FILL,
	PICA_GSP_DISPLAY_TRANSFER,
	PICA_GSP_TEXTURE_COPY,
	PICA_GSP_FLUSH_REGIONS,
	PICA_GSP_ID_COUNT
};

/* Interrupt numbers in a client's queue: those of enum pica_interrupt, then that of the DMA. */
enum { PICA_GSP_INTERRUPT_DMA = PICA_INTERRUPT_P3D + 1 };

struct pica_gsp_command {
	uint32_t words[8]; /* as read from the queue */
	uint32_t id;       /* from words[0]: enum pica_gsp_id, or any other number up to 255 */
	/*
	 * 0; -EINVAL if id is unknown or pica_submit() would refuse a job; -ERANGE if translate
	 * failed. On failure there are no jobs.
	 */
	int32_t result;
	/* bit i: send interrupt i to the client when the last job is complete */
	uint32_t interrupts;
	/*
	 * RequestDMA: a copy between physical addresses that the caller makes, as the processor
	 * or DMA engine does, after all jobs that it submitted before are complete. The jobs here
	 * then tell the GPU of the change.
	 */
	uint32_t dma_src, dma_dst, dma_bytes;
	uint32_t updates_gas; /* ProcessCommandList: word 3; its effect is not known */
	uint32_t n_jobs;
	struct pica_job jobs[PICA_GSP_MAX_JOBS]; /* for pica_submit(); user_data and handle are 0 */
};

/*
 * Sets *phys to the physical address of the size_bytes bytes (0 means one) at virtual address virt.
 * Returns 0, or a negative number if they have none.
 */
typedef int pica_gsp_translate_fn(void *user, uint32_t virt, uint32_t size_bytes, uint32_t *phys);

/*
 * Takes the next command off a client's queue. If translate is NULL, the usual map of a program
 * applies: VRAM at 0x1F000000, FCRAM at 0x14000000 (128 MiB) and at 0x30000000 (256 MiB), and the
 * newer model's memory at 0x1E800000; any other address becomes physical 0, as on the console.
 *
 * Returns 1 if *out was filled in, even with a negative result; 0 if the queue is empty, or halted
 * by a command's flag or by the client (pica_gsp_trigger() resumes it); -EINVAL, with nothing
 * taken, if client is 4 or more, or the queue's index or count is out of range.
 */
int pica_gsp_take(void *shared, unsigned client, pica_gsp_translate_fn *translate, void *user,
		struct pica_gsp_command *out);
/* Resumes a halted queue. Call it when the client asks for that. Returns 0, or -EINVAL as above. */
int pica_gsp_trigger(void *shared, unsigned client);
/* Marks the queue as failed, with a code for the client. Returns 0, or -EINVAL as above. */
int pica_gsp_set_error(void *shared, unsigned client, uint32_t code);
/*
 * Appends an interrupt (0..6) to a client's queue. Returns 1 if the caller must wake the client; 0
 * if the client does not want PDC0 and PDC1 and this is one, or its queue of 52 is full (the queue
 * then records this and counts missed PDC0 and PDC1); -EINVAL if client or interrupt, or the
 * queue's index or count, is out of range.
 */
int pica_gsp_interrupt(void *shared, unsigned client, unsigned interrupt);

#ifdef __cplusplus
}
#endif

#endif
