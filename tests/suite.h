/*
 * Test suites with Check. A test registers itself, in the order of the file:
 *
 * TEST(name) { ... }              runs once.
 * TEST_LOOP(name, count) { ... }  runs with _i = 0 .. count - 1. suite_run() evaluates the count.
 * FIXTURE(setup, teardown)        runs around each test that follows in this file. Either may be
 *                                 NULL.
 * FORKED_TESTS                    runs each test of the program in a process of its own.
 *
 * A program links with lib_suite, which brings main(). A program that needs more around its tests
 * has a main() of its own that returns the value of suite_run().
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

#include "core/base/attributes.h"

/* Check notes the place of each assertion that holds, by write(2): half the time of some tests. */
#define _mark_point(file, line) ((void)0)

struct suite_entry {
	const char *file;
	const TTest *test; /* NULL: a fixture */
	int (*count)(void);
	void (*setup)(void), (*teardown)(void);
	struct suite_entry *next;
};

void suite_add(struct suite_entry *entry);
void suite_fork(void);
/* Runs every registered test. Returns the exit status for main(): 0 or 1. */
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
#define FIXTURE(begin, end) \
	PICA_CONSTRUCTOR static void register_##begin##_##end(void) { \
		static struct suite_entry entry = { \
			.file = __FILE__, .setup = begin, .teardown = end \
		}; \
		suite_add(&entry); \
	}
#define FORKED_TESTS \
	PICA_CONSTRUCTOR static void register_fork(void) { \
		suite_fork(); \
	}

#endif
