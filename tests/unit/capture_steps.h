/* Reading a capture in tests, step by step. */
#ifndef CAPTURE_STEPS_H
#define CAPTURE_STEPS_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "job.h"
#include "pica_capture.h"
#include "tests/suite.h"

static struct pica_capture_error error;
static struct pica_capture *capture;

static PICA_UNUSED void done(void) {
	pica_capture_close(capture);
	capture = NULL;
}

static PICA_UNUSED struct pica_capture_info info(void) {
	struct pica_capture_info i;
	pica_capture_info(capture, &i);
	return i;
}

static struct pica_capture_event next(void) {
	struct pica_capture_event e;
	ck_assert_int_eq(pica_capture_next(capture, &e), 1);
	const char *reason;
	ck_assert_msg(job_check(&e.job, &reason) == 0, "%s", reason);
	return e;
}

static void expect_frame(uint32_t n) {
	struct pica_capture_event e = next();
	ck_assert_int_eq(e.kind, PICA_CAPTURE_FRAME);
	ck_assert_int_eq(e.job.op, PICA_OP_PRESENT);
	ck_assert_uint_eq(e.job.u.present.screens, 3);
	ck_assert_uint_eq(e.frame, n);
}

static PICA_UNUSED void expect_reg(uint32_t addr, uint32_t value) {
	struct pica_capture_event e = next();
	ck_assert_int_eq(e.kind, PICA_CAPTURE_JOB);
	ck_assert_int_eq(e.job.op, PICA_OP_REG_WRITE);
	ck_assert_uint_eq(e.job.u.reg_write.addr, addr);
	ck_assert_uint_eq(e.job.u.reg_write.value, value);
}

static PICA_UNUSED void expect_load(uint32_t addr, const void *data, uint32_t size) {
	struct pica_capture_event e = next();
	ck_assert_int_eq(e.kind, PICA_CAPTURE_JOB);
	ck_assert_int_eq(e.job.op, PICA_OP_WRITE);
	ck_assert_int_eq(e.job.flags, PICA_WRITE_KEEP_RENDERED);
	ck_assert_uint_eq(e.job.u.write.addr, addr);
	ck_assert_uint_eq(e.job.u.write.size_bytes, size);
	ck_assert_mem_eq((const void *)(uintptr_t)e.job.u.write.data, data, size);
}

static void expect_end(void) {
	struct pica_capture_event e;
	ck_assert_int_eq(pica_capture_next(capture, &e), 0);
	ck_assert_int_eq(pica_capture_next(capture, &e), 0);
}

#endif
