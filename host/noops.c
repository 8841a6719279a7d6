/* Calls of the system that do nothing here. */
#include "host.h"

#include <string.h>

#include <3ds/noops.h>

enum { MAX_SUBJECTS = 32 };

/* Prints once for each subject. */
static void say(const char *subject, const char *name) {
	static const char *said[MAX_SUBJECTS];
	unsigned i = 0;
	while (i < MAX_SUBJECTS && said[i] && strcmp(said[i], subject) != 0) {
		i++;
	}
	if (i < MAX_SUBJECTS && !said[i]) {
		said[i] = subject;
		host_log("%s: there is no %s here: such calls do nothing", name, subject);
	}
}

#define NOOP(subject, type, name, params, value)                                                   \
	PICA_EXPORT type name params {                                                             \
		if (subject) {                                                                     \
			say(subject, #name);                                                       \
		}                                                                                  \
		return value;                                                                      \
	}
#define OUT(subject, type, name, params, out, value)                                               \
	PICA_EXPORT type name params {                                                             \
		say(subject, #name);                                                               \
		memset(out, 0, sizeof(*(out)));                                                    \
		return value;                                                                      \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <3ds/noops.def>
