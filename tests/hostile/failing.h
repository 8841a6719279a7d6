/*
 * Makes the k-th allocation, or the k-th call for files, fail. The linker redirects the library's
 * calls here (--wrap, see meson.build).
 */
#ifndef HOSTILE_FAILING_H
#define HOSTILE_FAILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum failing_calls {
	FAILING_MEMORY, /* allocations */
	FAILING_FILES,  /* open, read, write, fsync, link, rename, dup */
};

enum failing_mode {
	FAILING_ONE,
	FAILING_FROM,      /* that call, and all after it */
	FAILING_INTERRUPT, /* returns EINTR once */
	FAILING_KILL,      /* the process is killed before it */
	FAILING_KILL_IN,   /* a write is half done; other calls are done */
};

struct failing_plan {
	enum failing_calls calls;
	enum failing_mode mode;
	unsigned at;   /* from 0; UINT_MAX: never */
	int error;     /* errno of files; memory: always ENOMEM */
	bool nameless; /* O_TMPFILE works */
	bool short_io; /* no read or write does more than half */
};

/* From here on. */
void failing_begin(const struct failing_plan *plan);
/* Ends the failures. Returns the number of calls of the plan's kind. */
unsigned failing_end(void);
/* While paused, calls work and are not counted. */
void failing_pause(bool is_on);
/* Whether a call failed (or was interrupted) since failing_begin(). */
bool failing_did(void);

/*
 * After a power loss: *data (borrowed) is what the disk certainly has of the file that was renamed
 * last; NULL if none was. is_name_safe: the folder was synced afterwards.
 */
const uint8_t *failing_after_power_loss(const char *name, size_t *size, bool *is_name_safe);

#endif
