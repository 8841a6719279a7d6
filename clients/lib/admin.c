/* Requests about the service and its sessions. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "client.h"
#include "core/base/attributes.h"

enum { MAX_TEXT = 64 << 20, MAX_SIDE = 16384 };

PICA_EXPORT int pica_client_sessions(
		struct pica_client *c, uint64_t after, struct pica_session_info *out, size_t n) {
	static const size_t max = PICA_SESSIONS_A_MESSAGE;
	size_t got = 0;
	while (got < n) {
		struct pica_msg_session_list list;
		int ret = client_request_object(c, PICA_MSG_SESSIONS, after, 0,
				PICA_MSG_SESSION_LIST, &list, sizeof(list), NULL);
		if (ret < 0) {
			return ret;
		}
		if (list.count > max) {
			return -EPROTO;
		}
		for (uint32_t i = 0; i < list.count && got < n; i++) {
			list.session[i].name[PICA_NAME_BYTES - 1] = 0;
			after = list.session[i].id;
			out[got++] = list.session[i];
		}
		if (!list.more) {
			break;
		}
	}
	return (int)got;
}

PICA_EXPORT int pica_client_kick(struct pica_client *c, uint64_t session) {
	return client_act(c, PICA_MSG_KICK, session, 0);
}

PICA_EXPORT int pica_client_record(struct pica_client *c, uint64_t session, int is_on) {
	return client_act(c, PICA_MSG_RECORD, session, is_on != 0);
}

PICA_EXPORT int pica_client_focus(struct pica_client *c, uint64_t session) {
	return client_act(c, PICA_MSG_FOCUS, session, 0);
}

/* Takes the answer's bytes into memory that the caller frees, a zero after them, and closes fd. */
static int take_bytes(int fd, size_t n, void **out) {
	char *copy = malloc(n + 1);
	int ret = copy ? 0 : -ENOMEM;
	for (size_t at = 0; ret == 0 && at < n;) {
		const ssize_t got = pread(fd, copy + at, n - at, (off_t)at);
		if (got == 0) {
			ret = -EPROTO; /* shorter than announced */
		} else if (got < 0 && errno != EINTR) {
			ret = -errno;
		}
		at += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	if (ret < 0) {
		free(copy);
		return ret;
	}
	copy[n] = 0;
	*out = copy;
	return 0;
}

PICA_EXPORT int pica_client_metrics(struct pica_client *c, char **text) {
	struct pica_msg_text answer;
	void *copy;
	int fd;
	int ret = client_request_object(
			c, PICA_MSG_METRICS, 0, 0, PICA_MSG_TEXT, &answer, sizeof(answer), &fd);
	if (ret < 0) {
		return ret;
	}
	if (answer.size_bytes > MAX_TEXT) {
		close(fd);
		return -EPROTO;
	}
	ret = take_bytes(fd, (size_t)answer.size_bytes, &copy);
	if (ret == 0) {
		*text = copy;
	}
	return ret;
}

static bool is_picture(const struct pica_msg_screen_info *m) {
	return m->width > 0 && m->width <= MAX_SIDE && m->height > 0 && m->height <= MAX_SIDE &&
			m->stride_bytes == 3 * m->width;
}

PICA_EXPORT int pica_client_screenshot(struct pica_client *c, uint32_t output, uint32_t *width,
		uint32_t *height, uint8_t **rgb) {
	struct pica_msg_screen_info answer;
	void *copy;
	int fd;
	int ret = client_request_object(c, PICA_MSG_SCREENSHOT, 0, output, PICA_MSG_SCREEN_INFO,
			&answer, sizeof(answer), &fd);
	if (ret < 0) {
		return ret;
	}
	if (!is_picture(&answer)) {
		close(fd);
		return -EPROTO;
	}
	ret = take_bytes(fd, 3 * (size_t)answer.width * answer.height, &copy);
	if (ret == 0) {
		*width = answer.width;
		*height = answer.height;
		*rgb = copy;
	}
	return ret;
}
