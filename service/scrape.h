/*
 * Numbers (metrics.h) for who scrapes them: GET / or /metrics in HTTP/1.0 on a unix socket, one
 * answer a connection. Loop's thread only.
 */
#ifndef SERVICE_SCRAPE_H
#define SERVICE_SCRAPE_H

#include "service/server.h"

struct scrape;

/*
 * Serves a listening SOCK_STREAM socket (non-blocking), which it owns from then on, also on
 * failure.
 */
int scrape_create(struct scrape **out, struct server *server, int listener);
/* The same for a further socket, which takes the place of the first. */
int scrape_listen(struct scrape *s, int listener);
/* NULL is allowed. Before the server is destroyed. */
void scrape_destroy(struct scrape *s);

#endif
