#include "tests/suite.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct suite_entry *first, **last = &first;
static bool is_forked;

void suite_add(struct suite_entry *entry) {
	*last = entry;
	last = &entry->next;
}

void suite_fork(void) {
	is_forked = true;
}

int suite_run(void) {
	Suite *suite = suite_create(first ? first->file : "no test");
	TCase *tc = NULL;
	const char *file = NULL;
	for (const struct suite_entry *e = first; e; e = e->next) {
		if (!e->test || !file || strcmp(e->file, file) != 0) {
			tc = tcase_create(e->file);
			tcase_set_timeout(tc, 0); /* meson has one for the program */
			suite_add_tcase(suite, tc);
			file = e->file;
		}
		if (e->test) {
			tcase_add_loop_test(tc, e->test, 0, e->count());
		} else {
			tcase_add_checked_fixture(tc, e->setup, e->teardown);
		}
	}
	SRunner *runner = srunner_create(suite);
	srunner_set_fork_status(runner, is_forked ? CK_FORK : CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	const bool is_good = first && srunner_ntests_failed(runner) == 0;
	srunner_free(runner);
	return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
