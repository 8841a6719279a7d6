/* Public functions for emulators: waits for ranges, the status of the engines, counts of jobs. */
#include <errno.h>

#include "pica_emulator.h"

#include "pica/front/ctx.h"

PICA_EXPORT int pica_wait_range(struct pica_ctx *ctx, uint64_t seq, uint32_t phys,
		uint32_t size_bytes, enum pica_range_access access, int64_t timeout_ns) {
	if ((unsigned)access > PICA_RANGE_WRITE) {
		return -EINVAL;
	}
	struct queue_range r = { .addr = phys, .size_bytes = size_bytes,
		.for_write = access == PICA_RANGE_WRITE };
	return queue_wait_range(&ctx->queue, seq, &r, timeout_ns);
}

static void add_status(void *arg, const struct pica_job *job) {
	uint32_t *status = arg;
	*status |= front_status(job);
}

PICA_EXPORT uint32_t pica_ctx_status(struct pica_ctx *ctx) {
	uint32_t status = 0;
	if (pica200_from(ctx)) {
		queue_each_unfinished(&ctx->queue, add_status, &status);
	}
	return status;
}

PICA_EXPORT int pica_ctx_count_jobs(struct pica_ctx *base, int on) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	return bill_switch(ctx, on);
}

PICA_EXPORT int pica_ctx_job_counts(
		struct pica_ctx *base, uint64_t seq, struct pica_job_counts *out) {
	const struct pica200 *ctx = pica200_from(base);
	if (out->size != sizeof(*out)) {
		return -EINVAL;
	}
	if (!ctx) {
		return -ENODATA;
	}
	struct dispatcher *d = base->queue.dispatcher;
	monitor_lock(&d->mon);
	int ret = seq == 0 || seq > base->queue.submitted ? -EINVAL :
			seq > base->queue.completed        ? -EAGAIN :
							     0;
	/* Checks that no later job has reused the entry. */
	if (ret == 0 && base->queue.submitted - seq >= PICA_COUNTED_JOBS) {
		ret = -ENODATA;
	}
	ret = ret == 0 ? bill_find(ctx, seq, out) : ret;
	monitor_unlock(&d->mon);
	return ret;
}
