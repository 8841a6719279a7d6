/* Calls of the system that do nothing here. */
#include "host.h"

#include <3ds/noops.h>

#define QUIET(name)
#define SAYS(name)                                                                                 \
	static bool said;                                                                          \
	host_log_once(&said, #name ": not here: it does nothing");
#define NOOP(says, type, name, params, value)                                                      \
	PICA_EXPORT type name params {                                                             \
		says(name) return value;                                                           \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <3ds/noops.def>
