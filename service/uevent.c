#include "service/uevent.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>

enum { KERNEL_GROUP = 1, MESSAGE_BYTES = 8192 };

int uevent_open(void) {
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);
	if (fd < 0) {
		return -errno;
	}
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

bool uevent_is_display(const char *message, size_t size_bytes) {
	static const char wanted[] = "SUBSYSTEM=drm";
	const char *end = message + size_bytes;
	for (const char *p = message; p < end;) {
		size_t n = strnlen(p, (size_t)(end - p));
		if (n == sizeof(wanted) - 1 && memcmp(p, wanted, n) == 0) {
			return true;
		}
		p += n + 1;
	}
	return false;
}

bool uevent_read(int fd) {
	char message[MESSAGE_BYTES];
	bool found = false;
	for (;;) {
		struct sockaddr_nl from;
		socklen_t from_bytes = sizeof(from);
		ssize_t n = recvfrom(fd, message, sizeof(message), 0, (struct sockaddr *)&from,
				&from_bytes);
		if (n < 0) {
			if (errno == EINTR) {
				continue;
			}
			/* -ENOBUFS: messages were lost, so anything may have changed. */
			if (errno == ENOBUFS) {
				found = true;
				continue;
			}
			return found;
		}
		if (from_bytes == sizeof(from) && from.nl_pid == 0) {
			found |= uevent_is_display(message, (size_t)n);
		}
	}
}
