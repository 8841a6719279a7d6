/* The job validator: what passes, what is refused and why. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "tests/suite.h"

static const char *reason;

static int check_job(const struct pica_job *job) {
	reason = "untouched";
	return job_check(job, &reason);
}

static struct pica_job job_of(enum pica_op op) {
	struct pica_job job;
	memset(&job, 0, sizeof(job));
	job.op = (uint16_t)op;
	if (op == PICA_OP_REG_WRITE) {
		job.u.reg_write.addr = 0x10400010;
	} else if (op == PICA_OP_STATS) {
		job.u.stats.data = 1;
	}
	return job;
}

TEST(every_operation_passes_and_has_a_name) {
	for (int op = 1; op < PICA_OP_COUNT; op++) {
		struct pica_job job = job_of((enum pica_op)op);
		ck_assert_int_eq(check_job(&job), 0);
		ck_assert_ptr_null(reason);
		ck_assert_str_ne(job_name((uint16_t)op), "unknown");
	}
	ck_assert_str_eq(job_name(PICA_OP_LIST), "list");
	ck_assert_str_eq(job_name(PICA_OP_REG_WRITE), "reg-write");
}

TEST(unknown_operations_are_refused) {
	static const uint16_t ops[] = { 0, PICA_OP_COUNT, 100, 0xFFFF };
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		struct pica_job job = job_of(PICA_OP_BARRIER);
		job.op = ops[i];
		ck_assert_int_eq(check_job(&job), -EINVAL);
		ck_assert_str_eq(reason, "unknown operation");
		ck_assert_str_eq(job_name(ops[i]), "unknown");
	}
}

TEST(reason_may_be_null) {
	struct pica_job job = job_of(PICA_OP_BARRIER);
	ck_assert_int_eq(job_check(&job, NULL), 0);
	job.op = 0;
	ck_assert_int_eq(job_check(&job, NULL), -EINVAL);
}

TEST(flags_belong_to_operations) {
	struct pica_job job = job_of(PICA_OP_WRITE);
	job.flags = PICA_WRITE_KEEP_RENDERED;
	ck_assert_int_eq(check_job(&job), 0);
	job.flags = 2;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job = job_of(PICA_OP_LIST);
	job.flags = PICA_WRITE_KEEP_RENDERED;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	ck_assert_str_eq(reason, "unknown flag");
}

TEST(every_reserved_byte_must_be_zero) {
	static const size_t used[PICA_OP_COUNT] = { [PICA_OP_LIST] = 8,
		[PICA_OP_FILL] = 20,
		[PICA_OP_TRANSFER] = 20,
		[PICA_OP_COPY] = 20,
		[PICA_OP_REG_WRITE] = 12,
		[PICA_OP_WRITE] = 16,
		[PICA_OP_INVALIDATE] = 8,
		[PICA_OP_PRESENT] = 8,
		[PICA_OP_SIGNAL] = 8,
		[PICA_OP_WAIT] = 20,
		[PICA_OP_CANCEL] = 8,
		[PICA_OP_STATS] = 12,
		[PICA_OP_CONTROL_LISTS] = 16 };
	for (int op = 1; op < PICA_OP_COUNT; op++) {
		for (size_t i = used[op]; i < 48; i++) {
			struct pica_job job = job_of((enum pica_op)op);
			job.u.args[i] = 1;
			ck_assert_int_eq(check_job(&job), -EINVAL);
			ck_assert_str_eq(reason, "reserved field is not zero");
		}
	}
}

TEST(list_alignment_and_end) {
	struct pica_job job = job_of(PICA_OP_LIST);
	job.u.list.addr = 0x20000010;
	job.u.list.size_bytes = 0x18;
	ck_assert_int_eq(check_job(&job), 0);
	job.u.list.addr = 0x20000008;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job.u.list.addr = 0x20000010;
	job.u.list.size_bytes = 0x1C;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job.u.list.addr = 0xFFFFFFF0;
	job.u.list.size_bytes = 0x10;
	ck_assert_int_eq(check_job(&job), 0); /* up to the last byte */
	job.u.list.size_bytes = 0x18;
	ck_assert_int_eq(check_job(&job), -EINVAL);
}

TEST(fill_alignment_and_unit) {
	struct pica_job job = job_of(PICA_OP_FILL);
	job.u.fill.start = 0x18000000;
	job.u.fill.end = 0x18000010;
	job.u.fill.control = 0x201;
	job.u.fill.unit = 1;
	ck_assert_int_eq(check_job(&job), 0);
	job.u.fill.end = 0; /* before the start: nothing is done, but it is a fill */
	ck_assert_int_eq(check_job(&job), 0);
	job.u.fill.end = 0x18000018;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job.u.fill.end = 0x18000020;
	job.u.fill.unit = 2;
	ck_assert_int_eq(check_job(&job), -EINVAL);
}

TEST(transfer_and_copy_alignment) {
	struct pica_job job = job_of(PICA_OP_TRANSFER);
	job.u.transfer.flags = 0xFFFFFFFF; /* register values are hardware's business */
	job.u.transfer.src = 0x18000008;
	ck_assert_int_eq(check_job(&job), 0);
	job.u.transfer.dst = 4;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job = job_of(PICA_OP_COPY);
	job.u.copy.size_bytes = 17;
	ck_assert_int_eq(check_job(&job), 0);
	job.u.copy.src = 1;
	ck_assert_int_eq(check_job(&job), -EINVAL);
}

TEST(register_addresses) {
	static const struct {
		uint32_t addr;
		int ret;
	} cases[] = {
		{ 0x10202000, 0 },
		{ 0x10202FFC, 0 },
		{ 0x10203000, -EINVAL },
		{ 0x10201FFC, -EINVAL },
		{ 0x10400000, 0 },
		{ 0x10401FFC, 0 },
		{ 0x10402000, -EINVAL },
		{ 0x103FFFFC, -EINVAL },
		{ 0x10400002, -EINVAL },
		{ 0x10401FFF, -EINVAL },
		{ 0, -EINVAL },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pica_job job = job_of(PICA_OP_REG_WRITE);
		job.u.reg_write.addr = cases[i].addr;
		ck_assert_int_eq(check_job(&job), cases[i].ret);
	}
}

TEST(register_byte_masks) {
	struct pica_job job = job_of(PICA_OP_REG_WRITE);
	for (uint32_t mask = 0; mask < 16; mask++) {
		job.u.reg_write.mask = mask;
		ck_assert_int_eq(check_job(&job), 0);
	}
	job.u.reg_write.mask = 16;
	ck_assert_int_eq(check_job(&job), -EINVAL);
}

TEST(writes_need_data_and_end_in_the_address_space) {
	uint8_t data[16];
	struct pica_job job = job_of(PICA_OP_WRITE);
	ck_assert_int_eq(check_job(&job), 0); /* nothing at all */
	job.u.write.size_bytes = 16;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job.u.write.data = (uint64_t)(uintptr_t)data;
	ck_assert_int_eq(check_job(&job), 0);
	job.u.write.addr = 0xFFFFFFF0;
	ck_assert_int_eq(check_job(&job), 0);
	job.u.write.addr = 0xFFFFFFF1;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job = job_of(PICA_OP_STATS);
	ck_assert_int_eq(check_job(&job), 0);
	job.u.stats.data = 0;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job = job_of(PICA_OP_INVALIDATE);
	job.u.invalidate.addr = 0x80000000;
	job.u.invalidate.size_bytes = 0x80000000;
	ck_assert_int_eq(check_job(&job), 0);
	job.u.invalidate.addr++;
	ck_assert_int_eq(check_job(&job), -EINVAL);
}

TEST(present_names_screens_and_eye) {
	struct pica_job job = job_of(PICA_OP_PRESENT);
	job.u.present.screens = 3;
	job.u.present.eye = 1;
	ck_assert_int_eq(check_job(&job), 0);
	job.u.present.screens = 4;
	ck_assert_int_eq(check_job(&job), -EINVAL);
	job.u.present.screens = 1;
	job.u.present.eye = 2;
	ck_assert_int_eq(check_job(&job), -EINVAL);
}
