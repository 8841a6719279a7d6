/*
 * Test suites with Check. A test registers itself, in the order of the file:
 *
 * TEST(name) { ... }              runs once.
 * TEST_LOOP(name, count) { ... }  runs with _i = 0 .. count - 1. suite_run() evaluates the count.
 * FIXTURE(setup, teardown)        runs around each test that follows in this file. Either may be
 *                                 NULL.
 * FORKED_TESTS                    runs each test of this file in a process of its own.
 * SUITE_MAIN(run)                 int run(void) stands around the tests of this file: it returns
 *                                 the value of suite_run().
 *
 * A program links with lib_suite, which brings main(). Its argument is the NAME of a file
 * test_NAME.c; without one all tests run. A program that needs more has a main() of its own.
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>

#include "core/base/attributes.h"

/* Check would record the place of each passed assertion with write(2): half the time of some
 * tests. */
#define _mark_point(file, line) ((void)0)

struct suite_entry {
	const char *file;
	const TTest *test;
	int (*count)(void);
	void (*setup)(void), (*teardown)(void);
	int (*run)(void);
	bool is_forked;
	struct suite_entry *next;
};

void suite_add(struct suite_entry *entry);
/* Runs the tests of test_NAME.c: as its SUITE_MAIN says, if it has one. NULL: all tests. */
int suite_run_file(const char *name);
/* Runs the registered tests. Returns the exit status for main(): 0 or 1. */
int suite_run(void);

#define TEST(name) TEST_LOOP(name, 1)
#define TEST_LOOP(name, n) \
	static void name##_body(int _i); \
	static int name##_count(void) { \
		return (int)(n); \
	} \
	START_TEST(name) { \
		name##_body(_i); \
	} \
	END_TEST \
	PICA_CONSTRUCTOR static void name##_register(void) { \
		static struct suite_entry entry = { .file = __FILE__, .count = name##_count }; \
		entry.test = name; \
		suite_add(&entry); \
	} \
	static void name##_body(int _i PICA_UNUSED)
#define SUITE_ENTRY(name, ...) \
	PICA_CONSTRUCTOR static void name(void) { \
		static struct suite_entry entry = { .file = __FILE__, __VA_ARGS__ }; \
		suite_add(&entry); \
	}
#define FIXTURE(begin, end) \
	SUITE_ENTRY(register_##begin##_##end, .setup = begin, .teardown = end)
#define FORKED_TESTS SUITE_ENTRY(register_fork, .is_forked = true)
#define SUITE_MAIN(function) SUITE_ENTRY(register_main, .run = function)

#endif
