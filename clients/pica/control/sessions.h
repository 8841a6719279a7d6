/* Sessions of a service, for the verbs that list and end them. */
#ifndef PICA_SESSIONS_H
#define PICA_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "pica_client.h"

/* By number, without the caller's session. */
struct session_list {
	struct pica_session_info *row; /* owned */
	size_t n;
};

/*
 * Asks the service; replaces *list. Only administrators see others: -EPERM. Other errors are those
 * of pica_client_sessions().
 */
int sessions_fetch(struct session_list *list, struct pica_client *client);
void sessions_finish(struct session_list *list);
/* Returns the row of a session, or NULL. */
const struct pica_session_info *sessions_find(const struct session_list *list, uint64_t id);
json_t *session_json(const struct pica_session_info *s);
/* {"isa": ..., "threads": ..., "protocol": ...} */
json_t *service_json(const struct pica_client *client);
/* Logs why; the exit code. */
int sessions_failed(const struct pica_client *client, int error);
/* Its state on the display: "-", "shown", "pinned" (by pica focus), "shown,pinned". */
const char *sessions_display_text(const struct pica_session_info *s);

#endif
