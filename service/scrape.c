#include "service/scrape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/acceptor.h"
#include "service/metrics.h"
#include "service/server_impl.h"

enum { REQUEST_BYTES = 4096, VISITORS = 8 };

/* How long a visitor may take for everything. */
static const uint64_t visit_ns = 5 * UINT64_C(1000000000);

struct visitor {
	struct scrape *scrape;
	int fd; /* -1: nobody */
	struct loop_watch *watch;
	struct loop_timer timer;
	char request[REQUEST_BYTES];
	size_t n_request;
	char *answer; /* NULL: the request is not complete */
	size_t n_answer, sent;
};

struct scrape {
	struct server *server;
	struct acceptor acceptor;
	struct visitor visitor[VISITORS];
};

static void leave(struct visitor *v) {
	struct loop *loop = server_loop(v->scrape->server);
	loop_timer_unset(loop, &v->timer);
	loop_watch_remove(loop, v->watch);
	close(v->fd);
	free(v->answer);
	v->watch = NULL;
	v->answer = NULL;
	v->fd = -1;
}

static void on_late(void *owner) {
	leave(owner);
}

/* ---- Answering ---- */

static int compose(struct visitor *v, const char *status, const char *body, size_t n_body) {
	FILE *out = open_memstream(&v->answer, &v->n_answer);
	if (!out) {
		return -ENOMEM;
	}
	fprintf(out, "HTTP/1.0 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
			"Content-Length: %zu\r\nConnection: close\r\n%s\r\n",
			status, n_body, strncmp(status, "405", 3) == 0 ? "Allow: GET\r\n" : "");
	fwrite(body, 1, n_body, out);
	if (fclose(out) != 0) {
		free(v->answer);
		v->answer = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int refuse(struct visitor *v, const char *status) {
	char body[64];
	int n = snprintf(body, sizeof(body), "%s\n", status + 4); /* behind the number */
	return compose(v, status, body, (size_t)n);
}

/* "GET PATH" and what follows it on its line. */
static bool asks_for(const char *request, const char *path) {
	size_t n = strlen(path);
	return strncmp(request, "GET ", 4) == 0 && strncmp(request + 4, path, n) == 0 &&
			(request[4 + n] == ' ' || request[4 + n] == '?' || request[4 + n] == '\r' ||
					request[4 + n] == '\n');
}

static int answer(struct visitor *v) {
	char *text;
	size_t n_text;
	if (strncmp(v->request, "GET ", 4) != 0) {
		return refuse(v, "405 Method Not Allowed");
	}
	if (!asks_for(v->request, "/metrics") && !asks_for(v->request, "/")) {
		return refuse(v, "404 Not Found");
	}
	int ret = metrics_text(v->scrape->server, &text, &n_text);
	if (ret == 0) {
		ret = compose(v, "200 OK", text, n_text);
		free(text);
	}
	return ret;
}

/* ---- Reading and writing ---- */

/* What it says after its request is nobody's business; it goes when it has read the answer. */
static void on_farewell(void *owner, uint32_t events) {
	struct visitor *v = owner;
	ssize_t n;
	do {
		n = recv(v->fd, v->request, sizeof(v->request), MSG_DONTWAIT);
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n == 0 || errno != EAGAIN) {
		leave(v);
	}
}

static void watch(struct visitor *v, uint32_t events, loop_fn *fn) {
	struct loop *loop = server_loop(v->scrape->server);
	loop_watch_remove(loop, v->watch);
	v->watch = NULL;
	if (loop_watch_add(loop, &v->watch, v->fd, events, fn, v) < 0) {
		leave(v);
	}
}

static void on_writable(void *owner, uint32_t events);

static void send_more(struct visitor *v, bool is_watched) {
	while (v->sent < v->n_answer) {
		ssize_t n = send(v->fd, v->answer + v->sent, v->n_answer - v->sent,
				MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0 && errno == EAGAIN) {
			if (!is_watched) {
				watch(v, LOOP_WRITE, on_writable);
			}
			return;
		}
		if (n < 0) {
			leave(v);
			return;
		}
		v->sent += (size_t)n;
	}
	/* Closing it with something unread would take the answer back. */
	shutdown(v->fd, SHUT_WR);
	watch(v, LOOP_READ, on_farewell);
}

static void on_writable(void *owner, uint32_t events) {
	send_more(owner, true);
}

/* False: more is to come, or nobody is there any more. */
static bool receive(struct visitor *v) {
	for (;;) {
		ssize_t n = recv(v->fd, v->request + v->n_request,
				sizeof(v->request) - 1 - v->n_request, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0 && errno == EAGAIN) {
			return false;
		}
		if (n <= 0) {
			leave(v);
			return false;
		}
		v->n_request += (size_t)n;
		v->request[v->n_request] = 0; /* a 0 of the visitor's only ends its text earlier */
		bool is_whole = strstr(v->request, "\r\n\r\n") || strstr(v->request, "\n\n");
		if (is_whole || v->n_request == sizeof(v->request) - 1) {
			return true;
		}
	}
}

static void on_request(void *owner, uint32_t events) {
	struct visitor *v = owner;
	if (!receive(v)) {
		return;
	}
	int ret = v->n_request == sizeof(v->request) - 1 ?
			refuse(v, "431 Request Header Fields Too Large") :
			answer(v);
	if (ret < 0) {
		leave(v);
	} else {
		send_more(v, false);
	}
}

/* ---- Coming ---- */

/* Who came before the other, and among those who have asked nothing yet, if there are any. */
static bool is_before(const struct visitor *a, const struct visitor *b) {
	return !a->answer != !b->answer ? !a->answer :
					  a->timer.deadline_ns < b->timer.deadline_ns;
}

/* Where all places are taken, the one who has been silent longest gives way, if he still is. */
static struct visitor *find_place(struct scrape *s) {
	struct visitor *oldest = &s->visitor[0];
	for (unsigned i = 0; i < VISITORS; i++) {
		struct visitor *v = &s->visitor[i];
		if (v->fd < 0) {
			return v;
		}
		oldest = is_before(v, oldest) ? v : oldest;
	}
	if (!oldest->answer) {
		on_request(oldest, LOOP_READ);
	}
	if (oldest->fd >= 0) {
		leave(oldest);
	}
	return oldest;
}

static void receive_visitor(void *owner, int fd, bool is_last) {
	struct scrape *s = owner;
	if (!server_is_for_administrator(fd)) {
		close(fd);
		return;
	}
	struct visitor *v = find_place(s);
	v->n_request = v->n_answer = v->sent = 0;
	v->fd = fd;
	if (loop_watch_add(server_loop(s->server), &v->watch, fd, LOOP_READ, on_request, v) < 0) {
		leave(v);
		return;
	}
	loop_timer_set(server_loop(s->server), &v->timer, loop_now_ns() + visit_ns);
}

/* ---- Life ---- */

int scrape_listen(struct scrape *s, int listener) {
	return acceptor_listen(&s->acceptor, listener);
}

int scrape_create(struct scrape **out, struct server *server, int listener) {
	struct scrape *s = calloc(1, sizeof(*s));
	if (!s) {
		close(listener);
		return -ENOMEM;
	}
	s->server = server;
	acceptor_init(&s->acceptor, server, receive_visitor, s);
	for (unsigned i = 0; i < VISITORS; i++) {
		s->visitor[i].scrape = s;
		s->visitor[i].fd = -1;
		s->visitor[i].timer.fn = on_late;
		s->visitor[i].timer.owner = &s->visitor[i];
	}
	int ret = scrape_listen(s, listener);
	if (ret < 0) {
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

void scrape_destroy(struct scrape *s) {
	if (!s) {
		return;
	}
	for (unsigned i = 0; i < VISITORS; i++) {
		if (s->visitor[i].fd >= 0) {
			leave(&s->visitor[i]);
		}
	}
	acceptor_close(&s->acceptor);
	free(s);
}
