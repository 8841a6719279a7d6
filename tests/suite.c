#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

static struct suite_entry *first, **last = &first;
static const char *chosen; /* the file whose tests run; NULL: all */

void suite_add(struct suite_entry *entry) {
	*last = entry;
	last = &entry->next;
}

static bool is_chosen(const struct suite_entry *e) {
	return !chosen || strcmp(e->file, chosen) == 0;
}

/* Whether the path is that of test_NAME.c; NULL names every file. */
static bool is_named(const char *path, const char *name) {
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const size_t len = name ? strlen(name) : 0;
	return !name || (strncmp(base, "test_", 5) == 0 && strncmp(base + 5, name, len) == 0 &&
			strcmp(base + 5 + len, ".c") == 0);
}

/* Entries of a file follow one another. */
int suite_run_file(const char *name) {
	int failed = 0;
	for (const struct suite_entry *e = first; e; e = e->next) {
		if ((chosen && is_chosen(e)) || !is_named(e->file, name)) {
			continue;
		}
		chosen = e->file;
		int (*run)(void) = suite_run;
		for (const struct suite_entry *f = e; f && is_chosen(f); f = f->next) {
			run = f->run ? f->run : run;
		}
		failed |= run();
	}
	return chosen ? failed : EXIT_FAILURE;
}

int suite_run(void) {
	Suite *suite = suite_create(chosen ? chosen : first ? first->file : "no test");
	TCase *tc = NULL;
	const char *file = NULL;
	bool is_forked = false, is_empty = true;
	for (const struct suite_entry *e = first; e; e = e->next) {
		if (!is_chosen(e)) {
			continue;
		}
		is_forked |= e->is_forked;
		const bool is_fixture = e->setup || e->teardown;
		if (is_fixture || (e->test && (!file || strcmp(e->file, file) != 0))) {
			tc = tcase_create(e->file);
			tcase_set_timeout(tc, 0); /* meson has one for the program */
			suite_add_tcase(suite, tc);
			file = e->file;
		}
		if (is_fixture) {
			tcase_add_checked_fixture(tc, e->setup, e->teardown);
		}
		if (e->test) {
			tcase_add_loop_test(tc, e->test, 0, e->count());
			is_empty = false;
		}
	}
	SRunner *runner = srunner_create(suite);
	srunner_set_fork_status(runner, is_forked ? CK_FORK : CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	const bool is_good = !is_empty && srunner_ntests_failed(runner) == 0;
	srunner_free(runner);
	return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
