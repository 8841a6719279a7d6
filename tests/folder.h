/* Runs a test program in a temporary folder, which must be empty at the end. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/suite.h"

static char dir[] = "/tmp/libpica_test.XXXXXX";

static PICA_UNUSED unsigned files_in_dir(void) {
	DIR *d = opendir(dir);
	ck_assert_ptr_nonnull(d);
	unsigned n = 0;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		n += e->d_name[0] != '.';
	}
	closedir(d);
	return n;
}

static PICA_UNUSED size_t file_size(const char *name) {
	struct stat st;
	ck_assert_int_eq(stat(name, &st), 0);
	return (size_t)st.st_size;
}

/*
 * For SUITE_MAIN or main(). Stores the file's path in path, unless NULL; removes the file at the
 * end.
 */
static int run_in_folder(char path[64], const char *file) {
	if (!mkdtemp(dir)) {
		perror(dir);
		return 2;
	}
	if (path) {
		snprintf(path, 64, "%s/%s", dir, file);
	}
	int failed = suite_run();
	if (path) {
		unlink(path);
	}
	return failed | (rmdir(dir) != 0);
}

#endif
