/*
 * The Linux kernel's part of a VideoCore IV submission: buffers, the ioctls of vc4_drm.h, and
 * turning each DRM_VC4_SUBMIT_CL into a job that the chip can run. Facts about the kernel are from
 * its public source (drivers/gpu/drm/vc4); [kernel: file] names the file.
 *
 * All buffers lie in one region of memory; a bus address is the region's base plus an offset.
 * Threads may call kernel_ioctl() together.
 */
#ifndef VC4_SHIM_KERNEL_H
#define VC4_SHIM_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* A job for the chip. Addresses are bus addresses. */
struct kernel_job {
	uint64_t number; /* from 1 */
	uint32_t ct0ca, ct0ea; /* binning list; equal if there is none */
	uint32_t ct1ca, ct1ea; /* rendering list */
	uint32_t target; /* 0: the job stores no picture */
	uint32_t width, height; /* in pixels */
	uint32_t config; /* the flags of record 0x71 */
	uint32_t used_bytes; /* of the region, from its start to the last byte in use */
};

/* Runs a job to its end. Returns 0 or a negative errno, which the submission then returns. */
typedef int kernel_run_fn(void *user, const struct kernel_job *job);

struct kernel;

/*
 * memory, base, size_bytes: the region; multiples of 4096. The caller owns it. Returns NULL when
 * out of memory.
 */
struct kernel *kernel_create(uint8_t *memory, uint32_t base, uint32_t size_bytes,
		kernel_run_fn *run, void *user);
void kernel_destroy(struct kernel *k);
/*
 * Executes an ioctl of vc4_drm.h, or DRM_IOCTL_GEM_CLOSE. Returns 0; -ENOENT for an unknown handle,
 * -EINVAL (for a submission, with the reason on stderr), -ENOMEM, -ENOTTY for another request.
 */
int kernel_ioctl(struct kernel *k, unsigned long request, void *arg);

#endif
