/*
 * A GPU in a service, for replays and pictures (gpu.h): one context with the memory that a capture
 * wants.
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
 * Connects to a service; where as for pica_client_connect(). Logs errors and returns an exit code;
 * EXIT_FINE: *out is set.
 */
int remote_connect(struct pica_client **out, const char *where);
/* The same, with a name for the session; NULL: the program's. */
int remote_connect_named(struct pica_client **out, const char *where, const char *name);
/* The same, with settings of the verb's own. */
int remote_connect_as(struct pica_client **out, const char *where,
		const struct pica_client_settings *settings);
/* Whether it is "builtin:" or "builtin:N"; N, or 0, is the number of its threads. */
bool remote_is_builtin(const char *where);
unsigned remote_builtin_threads(const char *where);
/*
 * Logs why pica_client_connect() failed and where that was, with its message. Returns the exit
 * code.
 */
int remote_refused(const char *where, int error, const char *message);
/* The exit code of an error of libpica-client: EXIT_NO_SERVICE, EXIT_TIMEOUT, or EXIT_TROUBLE. */
int remote_exit(int error);
/* A sentence about an error: the service's own if it sent one. */
const char *remote_error(const struct pica_client *client, int error);
/* Logs it; its exit code. */
int remote_failed(const struct pica_client *client, int error);
/*
 * A context and memory, that of a context by default for capture NULL. The client is borrowed.
 * settings: NULL, or how the context is to be. message gets a sentence about a failure.
 */
int remote_create(struct remote **out, struct pica_client *client,
		const struct pica_capture *capture, const struct pica_client_ctx_settings *settings,
		char message[PICA_TEXT_BYTES]);
/* Waits for jobs in flight. NULL is allowed. */
void remote_destroy(struct remote *r);
struct gpu remote_gpu(struct remote *r);
/* The bytes at [addr, addr + size_bytes), NULL: not wholly inside memory. */
const void *remote_host(const struct remote *r, uint32_t addr, uint32_t size_bytes);

#endif
