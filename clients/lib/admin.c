/* Requests about the service and its sessions. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "core/base/attributes.h"

enum { MAX_TEXT = 64 << 20, MAX_SIDE = 16384 };

PICA_EXPORT int pica_client_sessions(
		struct pica_client *c, uint64_t after, struct pica_session_info *out, size_t n) {
	static const size_t max = PICA_SESSIONS_A_MESSAGE;
	size_t got = 0;
	while (got < n) {
		struct pica_msg_object m;
		struct pica_msg_session_list list;
		memset(&m, 0, sizeof(m));
		m.head.type = PICA_MSG_SESSIONS;
		m.id = after;
		int ret = client_request(c, &m, sizeof(m), -1, PICA_MSG_SESSION_LIST, &list,
				sizeof(list), NULL);
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

/* A request about a session, whose answer says no more than that it was done. */
static int act(struct pica_client *c, enum pica_message_type type, uint64_t session,
		uint32_t value) {
	struct pica_msg_object m;
	struct pica_msg_done answer;
	memset(&m, 0, sizeof(m));
	m.head.type = (uint16_t)type;
	m.id = session;
	m.value = value;
	return client_request(c, &m, sizeof(m), -1, PICA_MSG_DONE, &answer, sizeof(answer), NULL);
}

PICA_EXPORT int pica_client_kick(struct pica_client *c, uint64_t session) {
	return act(c, PICA_MSG_KICK, session, 0);
}

PICA_EXPORT int pica_client_record(struct pica_client *c, uint64_t session, int is_on) {
	return act(c, PICA_MSG_RECORD, session, is_on != 0);
}

PICA_EXPORT int pica_client_focus(struct pica_client *c, uint64_t session) {
	return act(c, PICA_MSG_FOCUS, session, 0);
}

static int read_all(int fd, void *bytes, size_t n) {
	char *text = bytes;
	size_t at = 0;
	while (at < n) {
		ssize_t got = pread(fd, text + at, n - at, (off_t)at);
		if (got == 0) {
			return -EPROTO; /* shorter than was said */
		}
		if (got < 0 && errno != EINTR) {
			return -errno;
		}
		at += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

PICA_EXPORT int pica_client_metrics(struct pica_client *c, char **text) {
	struct pica_msg_object m;
	struct pica_msg_text answer;
	int fd;
	memset(&m, 0, sizeof(m));
	m.head.type = PICA_MSG_METRICS;
	int ret = client_request(c, &m, sizeof(m), -1, PICA_MSG_TEXT, &answer, sizeof(answer), &fd);
	if (ret < 0) {
		return ret;
	}
	char *copy = answer.size_bytes <= MAX_TEXT ? malloc((size_t)answer.size_bytes + 1) : NULL;
	ret = copy ? read_all(fd, copy, (size_t)answer.size_bytes) :
			answer.size_bytes > MAX_TEXT ? -EPROTO : -ENOMEM;
	close(fd);
	if (ret < 0) {
		free(copy);
		return ret;
	}
	copy[answer.size_bytes] = 0;
	*text = copy;
	return 0;
}

static bool is_picture(const struct pica_msg_screen_info *m) {
	return m->width > 0 && m->width <= MAX_SIDE && m->height > 0 && m->height <= MAX_SIDE &&
			m->stride_bytes == 3 * m->width;
}

PICA_EXPORT int pica_client_screenshot(struct pica_client *c, uint32_t output, uint32_t *width,
		uint32_t *height, uint8_t **rgb) {
	struct pica_msg_object m;
	struct pica_msg_screen_info answer;
	int fd;
	memset(&m, 0, sizeof(m));
	m.head.type = PICA_MSG_SCREENSHOT;
	m.value = output;
	int ret = client_request(
			c, &m, sizeof(m), -1, PICA_MSG_SCREEN_INFO, &answer, sizeof(answer), &fd);
	if (ret < 0) {
		return ret;
	}
	const size_t size_bytes =
			is_picture(&answer) ? 3 * (size_t)answer.width * answer.height : 0;
	uint8_t *copy = size_bytes ? malloc(size_bytes) : NULL;
	ret = copy ? read_all(fd, copy, size_bytes) : size_bytes ? -ENOMEM : -EPROTO;
	close(fd);
	if (ret < 0) {
		free(copy);
		return ret;
	}
	*width = answer.width;
	*height = answer.height;
	*rgb = copy;
	return 0;
}
