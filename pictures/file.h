/* Whole files: read at once, written aside and named when complete. Shared by the tools. */
#ifndef PICTURES_FILE_H
#define PICTURES_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct disk_file;

/*
 * A file that appears under its name complete, or never. It grows without a name, or, on file
 * systems without unnamed files and briefly while it replaces another file, as
 * "path.tmp-PROCESS-NUMBER", which a killed process may leave. "-" is the standard output; an
 * existing file that is not regular (a device, a pipe) is written directly.
 */
struct file_out {
	FILE *f;                /* write here */
	struct disk_file *disk; /* ours; NULL: written directly */
	char *temp;             /* owned: its temporary name, or NULL */
};

/* Returns 0, or a negative errno, after which nothing needs to be undone. */
int file_begin(struct file_out *out, const char *path);
/*
 * Closes the file. result 0: it gets its name; negative: it is dropped. Returns result, or the
 * negative errno of a failure here.
 */
int file_finish(struct file_out *out, int result);
/* Returns whether a path is "-", or leads to the standard output. */
bool file_is_stdout(const char *path);
/* Returns the path for messages: "standard output" for "-". */
const char *file_shown(const char *path);
bool file_is_folder(const char *path);
/* Returns whether both paths lead to the same existing file, so that writing one would replace the
 * other. */
bool file_is_same(const char *a, const char *b);
/* Returns "FOLDER/NAME" with one slash (caller frees), or NULL when out of memory. */
char *file_in(const char *folder, const char *name);
/* Returns whether a path is a name followed by that ending. */
bool file_ends_with(const char *path, const char *end);
/* Makes the missing folders before the last slash of a path. Returns 0 or a negative errno. */
int file_make_folders(const char *path);
/* Writes the whole file in one call. Returns 0 or a negative errno. */
int file_write(const char *path, const void *data, size_t size);
/*
 * Reads a file ("-": the standard input) into *data (caller frees), followed by a zero byte.
 * Returns 0 or a negative errno; -EFBIG: the file has more than limit bytes.
 */
int file_read(const char *path, void **data, size_t *size, size_t limit);

#endif
