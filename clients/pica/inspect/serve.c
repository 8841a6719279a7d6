/*
 * The page and the calls over HTTP, for this machine only: the address contains an unguessable
 * token, and requests by pages of another origin are refused. There is one thread, so a call delays
 * later ones.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/random.h>

#include "inspect/engine.h"
#include "inspect/page_text.h"
#include "options/options.h"

enum {
	TOKEN_BYTES = 16,
	CONNECTIONS = 256,
	TIMEOUT_S = 10, /* of a silent connection */
	HEADER_BYTES = 1 << 15, /* of a connection; its headers must fit */
	POLL_MS = 1000,
};

struct server {
	struct inspect_engine *e;
	char token[2 * TOKEN_BYTES + 1];
	uint16_t port;
};

struct body {
	char *bytes; /* owned */
	size_t n;
	bool is_too_long;
	bool is_refused; /* it has no token, or another page sent it: it is not kept */
};

static volatile sig_atomic_t has_ended;

static void on_signal(int number) {
	has_ended = 1;
}

/* ---- Answers ---- */

/* Takes the text. */
static enum MHD_Result answer(
		struct MHD_Connection *c, unsigned status, const char *type, char *text, size_t n) {
	struct MHD_Response *r = text ?
			MHD_create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE) :
			NULL;
	if (!r) {
		free(text);
		return MHD_NO;
	}
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Content-Security-Policy", inspect_page_policy);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
	MHD_add_response_header(r, "Cache-Control", "no-store");
	if (status != MHD_HTTP_OK) {
		MHD_add_response_header(r, "Connection", "close");
	}
	const enum MHD_Result ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result say(struct MHD_Connection *c, unsigned status, const char *text) {
	char *line = NULL;
	const int n = asprintf(&line, "%s\n", text);
	return answer(c, status, "text/plain; charset=utf-8", n < 0 ? NULL : line,
			n < 0 ? 0 : (size_t)n);
}

static enum MHD_Result page(struct inspect_engine *e, struct MHD_Connection *c, bool of_two) {
	const char *asked = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "frame");
	uint64_t frame = FRAME_LAST;
	if (asked && !parse_number(asked, FRAME_LAST - 1, &frame)) {
		return say(c, MHD_HTTP_NOT_FOUND, "frame: expected a number, counted from 0");
	}
	log_hold();
	const int exit = of_two ? EXIT_FINE : inspect_engine_steps(e, (uint32_t)frame);
	log_release();
	if (exit != EXIT_FINE) {
		return say(c, MHD_HTTP_NOT_FOUND, log_last()->message);
	}
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int ret = !f ? -ENOMEM :
			of_two ? inspect_page_print_two(e->here.name, e->other->here.name, f) :
				 inspect_page_print(&e->steps, &e->here, NULL, f);
	if (f && fclose(f) && ret == 0) {
		ret = -ENOMEM;
	}
	if (ret < 0) {
		free(text);
		return say(c, MHD_HTTP_INTERNAL_SERVER_ERROR, strerror(-ret));
	}
	return answer(c, MHD_HTTP_OK, "text/html; charset=utf-8", text, n);
}

/* ---- Requests ---- */

/* Returns whether the request uses our own name: foreign names may resolve to this address, too. */
static bool is_our_host(const struct server *s, const char *host) {
	char numeric[32], named[32];
	snprintf(numeric, sizeof(numeric), "127.0.0.1:%u", s->port);
	snprintf(named, sizeof(named), "localhost:%u", s->port);
	return host && (strcmp(host, numeric) == 0 || strcmp(host, named) == 0);
}

/* Programs send no origin, browsers that of the requesting page. */
static bool is_our_origin(const struct server *s, const char *origin) {
	static const char scheme[] = "http://";
	return !origin ||
			(strncmp(origin, scheme, strlen(scheme)) == 0 &&
					is_our_host(s, origin + strlen(scheme)));
}

/* Returns the rest of a path after "/TOKEN", or NULL for another beginning. Takes constant time. */
static const char *after_token(const struct server *s, const char *path) {
	const size_t n = 2 * TOKEN_BYTES;
	unsigned wrong = 0;
	if (strlen(path) <= n || path[0] != '/') {
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		wrong |= (unsigned char)(path[1 + i] ^ s->token[i]);
	}
	return wrong ? NULL : path + 1 + n;
}

static enum MHD_Result take_body(struct body *b, const char *data, size_t *n) {
	char *more = *n <= INSPECT_REQUEST_BYTES - b->n && !b->is_too_long && !b->is_refused ?
			realloc(b->bytes, b->n + *n) :
			NULL;
	if (more) {
		memcpy(more + b->n, data, *n);
		b->bytes = more;
		b->n += *n;
	} else {
		b->is_too_long = true; /* the rest is read and dropped */
	}
	*n = 0;
	return MHD_YES;
}

static enum MHD_Result call(
		struct inspect_engine *e, struct MHD_Connection *c, const struct body *b) {
	if (b->is_too_long) {
		return say(c, MHD_HTTP_CONTENT_TOO_LARGE, "expected a request of at most 8MiB");
	}
	char *text = inspect_answer(e, b->n ? b->bytes : "", b->n);
	return answer(c, MHD_HTTP_OK, "application/json", text, text ? strlen(text) : 0);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *c, const char *path,
		const char *method, const char *version, const char *data, size_t *n,
		void **state) {
	struct server *s = user;
	struct body *b = *state;
	const char *rest = after_token(s, path);
	if (!b) {
		const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
		const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");
		*state = b = calloc(1, sizeof(*b));
		if (b) {
			b->is_refused = !is_our_host(s, host) || !is_our_origin(s, origin) || !rest;
		}
		return b ? MHD_YES : MHD_NO;
	}
	if (*n) {
		return take_body(b, data, n);
	}
	if (b->is_refused) {
		return say(c, MHD_HTTP_FORBIDDEN, "expected the address that pica inspect printed");
	}
	/* Of two captures, each has a page and calls of its own. */
	struct inspect_engine *e = s->e;
	const bool is_one = e->other &&
			(strncmp(rest, "/a/", 3) == 0 || strncmp(rest, "/b/", 3) == 0);
	if (is_one) {
		e = rest[1] == 'a' ? e : e->other;
		rest += 2;
	}
	if (strcmp(rest, "/") == 0) {
		return strcmp(method, "GET") == 0 ?
				page(e, c, s->e->other && !is_one) :
				say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "expected GET");
	}
	if (strcmp(rest, "/rpc") == 0) {
		return strcmp(method, "POST") == 0 ?
				call(e, c, b) :
				say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "expected POST");
	}
	return say(c, MHD_HTTP_NOT_FOUND, "expected / or /rpc after the token");
}

static void on_completed(void *user, struct MHD_Connection *c, void **state,
		enum MHD_RequestTerminationCode code) {
	struct body *b = *state;
	if (b) {
		free(b->bytes);
	}
	free(b);
	*state = NULL;
}

/* ---- The server ---- */

static int make_token(char token[2 * TOKEN_BYTES + 1]) {
	uint8_t bytes[TOKEN_BYTES];
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		return log_fail("random numbers: %s", strerror(errno));
	}
	for (unsigned i = 0; i < TOKEN_BYTES; i++) {
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	}
	return EXIT_FINE;
}

/* A second signal ends the process at once: a call may take long. */
static void take_signals(void) {
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action = (struct sigaction){ .sa_handler = SIG_IGN };
	sigaction(SIGPIPE, &action, NULL);
}

int inspect_serve(struct inspect_engine *e, uint32_t port) {
	struct server s = { .e = e };
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int exit = make_token(s.token);
	if (exit != EXIT_FINE) {
		return exit;
	}
	take_signals();
	struct MHD_Daemon *d = MHD_start_daemon(MHD_USE_EPOLL, (uint16_t)port, NULL, NULL,
			on_request, &s, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT,
			(unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
			MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES,
			MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
	const union MHD_DaemonInfo *info =
			d ? MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	if (!info) {
		return log_fail("127.0.0.1:%" PRIu32 ": cannot listen: %s", port,
				strerror(errno ? errno : EADDRINUSE));
	}
	s.port = info->port;
	printf("http://127.0.0.1:%u/%s/\n", s.port, s.token);
	fflush(stdout);
	log_status("Ctrl-C ends it");
	while (!has_ended && MHD_run_wait(d, POLL_MS) == MHD_YES) {
	}
	log_end();
	MHD_stop_daemon(d);
	return has_ended ? EXIT_FINE : log_fail("127.0.0.1:%u: the server failed", s.port);
}
