/*
 * A GPU in a service, for replays and pictures (gpu.h): one context with the memory of a capture.
 */
#ifndef PICA_REMOTE_H
#define PICA_REMOTE_H

#include "gpu.h"
#include "options/options.h"
#include "pica_capture.h"
#include "pica_client.h"

struct remote;

/* --connect=SOCKET, for verbs that are about a service; at: of a const char * in the input. */
extern const struct option_row remote_row;
#define REMOTE_TABLE(at) { &remote_row, 1, at, 0 }
/* parse() of --name: a const char *, the name of a session. */
const char *remote_name_option(void *name, char *text);
/*
 * Connects to a service; where as for pica_client_connect(). Returns EXIT_FINE. On failure logs it
 * and returns another exit code.
 */
int remote_connect(struct pica_client **out, const char *where);
/* The same, with a name for the session; NULL: the program's. */
int remote_connect_named(struct pica_client **out, const char *where, const char *name);
/* The same, with settings of the verb's own. */
int remote_connect_as(struct pica_client **out, const char *where,
		const struct pica_client_settings *settings);
/* Returns whether it is "builtin:" or "builtin:N"; the second returns N, or 0. */
bool remote_is_builtin(const char *where);
unsigned remote_builtin_threads(const char *where);
/* Logs where and why pica_client_connect() failed. Returns the exit code. */
int remote_refused(const char *where, int error, const char *message);
/* Returns the exit code of an error of libpica-client. */
int remote_exit(int error);
/* Returns a message about an error: the service's own if it sent one. */
const char *remote_error(const struct pica_client *client, int error);
/* Logs the error. Returns its exit code. */
int remote_failed(const struct pica_client *client, int error);
/*
 * Creates a context with the capture's memory; capture NULL: the default memory. The client is
 * borrowed. settings may be NULL. Returns 0. On failure returns a negative errno, with a message.
 */
int remote_create(struct remote **out, struct pica_client *client,
		const struct pica_capture *capture, const struct pica_client_ctx_settings *settings,
		char message[PICA_TEXT_BYTES]);
/* Waits for jobs in flight. NULL is allowed. */
void remote_destroy(struct remote *r);
struct gpu remote_gpu(struct remote *r);
/* Returns the bytes at [addr, addr + size_bytes), or NULL if some are outside memory. */
const void *remote_host(const struct remote *r, uint32_t addr, uint32_t size_bytes);

#endif
