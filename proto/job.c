#include "job.h"

#include <errno.h>
#include <stdbool.h>

static const char *const names[PICA_OP_COUNT] = {
	[PICA_OP_LIST] = "list",
	[PICA_OP_FILL] = "fill",
	[PICA_OP_TRANSFER] = "transfer",
	[PICA_OP_COPY] = "copy",
	[PICA_OP_REG_WRITE] = "reg-write",
	[PICA_OP_WRITE] = "write",
	[PICA_OP_INVALIDATE] = "invalidate",
	[PICA_OP_PRESENT] = "present",
	[PICA_OP_BARRIER] = "barrier",
	[PICA_OP_SIGNAL] = "signal",
	[PICA_OP_WAIT] = "wait",
	[PICA_OP_CANCEL] = "cancel",
	[PICA_OP_STATS] = "stats",
	[PICA_OP_CONTROL_LISTS] = "control-lists",
};

/* Flags that each operation has. */
static const uint16_t known_flags[PICA_OP_COUNT] = {
	[PICA_OP_WRITE] = PICA_WRITE_KEEP_RENDERED,
};

/* Bytes of the arguments before the reserved ones. */
static const uint8_t used_bytes[PICA_OP_COUNT] = {
	[PICA_OP_LIST] = offsetof(struct pica_job_list, reserved),
	[PICA_OP_FILL] = offsetof(struct pica_job_fill, reserved),
	[PICA_OP_TRANSFER] = offsetof(struct pica_job_transfer, reserved),
	[PICA_OP_COPY] = offsetof(struct pica_job_copy, reserved),
	[PICA_OP_REG_WRITE] = offsetof(struct pica_job_reg_write, reserved),
	[PICA_OP_WRITE] = offsetof(struct pica_job_write, reserved),
	[PICA_OP_INVALIDATE] = offsetof(struct pica_job_range, reserved),
	[PICA_OP_PRESENT] = offsetof(struct pica_job_present, reserved),
	[PICA_OP_SIGNAL] = offsetof(struct pica_job_signal, reserved),
	[PICA_OP_WAIT] = offsetof(struct pica_job_wait, reserved),
	[PICA_OP_CANCEL] = offsetof(struct pica_job_cancel, reserved),
	[PICA_OP_STATS] = offsetof(struct pica_job_stats, reserved),
	[PICA_OP_CONTROL_LISTS] = offsetof(struct pica_job_control_lists, reserved),
	/* A barrier has none. */
};

enum {
	LCD_FIRST = 0x10202000,
	LCD_LAST = 0x10202FFF,
	GPU_FIRST = 0x10400000,
	GPU_LAST = 0x10401FFF,
};

const char *job_name(uint16_t op) {
	return op < PICA_OP_COUNT && names[op] ? names[op] : "unknown";
}

static bool aligned(uint32_t x, uint32_t unit) {
	return x % unit == 0;
}

static bool wraps(uint32_t addr, uint32_t size_bytes) {
	return (uint64_t)addr + size_bytes > (uint64_t)1 << 32;
}

static const char *check_list(const struct pica_job_list *a) {
	if (!aligned(a->addr, 16)) {
		return "list address is not a multiple of 16";
	}
	if (!aligned(a->size_bytes, 8)) {
		return "list size is not a multiple of 8";
	}
	return wraps(a->addr, a->size_bytes) ? "list ends beyond the address space" : NULL;
}

static const char *check_fill(const struct pica_job_fill *a) {
	if (!aligned(a->start, 16) || !aligned(a->end, 16)) {
		return "fill range is not aligned to 16 bytes";
	}
	return a->unit > 1 ? "fill unit is neither 0 nor 1" : NULL;
}

/* Registers hold addresses >> 3. */
static const char *check_addresses(uint32_t src, uint32_t dst) {
	return aligned(src, 8) && aligned(dst, 8) ? NULL :
						    "source or destination is not a multiple of 8";
}

static const char *check_reg_write(const struct pica_job_reg_write *a) {
	bool is_lcd = a->addr >= LCD_FIRST && a->addr <= LCD_LAST;
	bool is_gpu = a->addr >= GPU_FIRST && a->addr <= GPU_LAST;
	if (!is_lcd && !is_gpu) {
		return "register address is neither of the GPU nor of the LCD";
	}
	if (!aligned(a->addr, 4)) {
		return "register address is not a multiple of 4";
	}
	return a->mask > 0xF ? "byte mask has more than four bits" : NULL;
}

static const char *check_write(const struct pica_job_write *a) {
	if (a->size_bytes > 0 && a->data == 0) {
		return "write without data";
	}
	return wraps(a->addr, a->size_bytes) ? "write ends beyond the address space" : NULL;
}

static const char *check_present(const struct pica_job_present *a) {
	if (a->screens > 3) {
		return "unknown screen";
	}
	return a->eye > 1 ? "unknown eye" : NULL;
}

static const char *check_args(const struct pica_job *job) {
	switch ((enum pica_op)job->op) {
	case PICA_OP_LIST:
		return check_list(&job->u.list);
	case PICA_OP_FILL:
		return check_fill(&job->u.fill);
	case PICA_OP_TRANSFER:
		return check_addresses(job->u.transfer.src, job->u.transfer.dst);
	case PICA_OP_COPY:
		return check_addresses(job->u.copy.src, job->u.copy.dst);
	case PICA_OP_REG_WRITE:
		return check_reg_write(&job->u.reg_write);
	case PICA_OP_WRITE:
		return check_write(&job->u.write);
	case PICA_OP_INVALIDATE:
		return wraps(job->u.invalidate.addr, job->u.invalidate.size_bytes) ?
				"range ends beyond the address space" : NULL;
	case PICA_OP_PRESENT:
		return check_present(&job->u.present);
	case PICA_OP_STATS:
		return job->u.stats.data ? NULL : "statistics without a place to put them";
	case PICA_OP_BARRIER:
	case PICA_OP_SIGNAL:
	case PICA_OP_WAIT:
	case PICA_OP_CANCEL:
	case PICA_OP_CONTROL_LISTS: /* lists may end at any record */
	case PICA_OP_COUNT:
		break;
	}
	return NULL;
}

static const char *check(const struct pica_job *job) {
	if (job->op >= PICA_OP_COUNT || !names[job->op]) {
		return "unknown operation";
	}
	if (job->flags & ~known_flags[job->op]) {
		return "unknown flag";
	}
	for (unsigned i = used_bytes[job->op]; i < sizeof(job->u.args); i++) {
		if (job->u.args[i] != 0) {
			return "reserved field is not zero";
		}
	}
	return check_args(job);
}

int job_check(const struct pica_job *job, const char **reason) {
	const char *why = check(job);
	if (reason) {
		*reason = why;
	}
	return why ? -EINVAL : 0;
}
