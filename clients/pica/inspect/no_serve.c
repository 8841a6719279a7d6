/* Replaces serve.c in builds without libmicrohttpd. */
#include "inspect/engine.h"

int inspect_serve(struct inspect_engine *e, uint32_t port) {
	return log_fail("%s: built without libmicrohttpd, so nothing is served: expected -o FILE, which "
			"writes a page, or --stdio",
			e->path);
}
