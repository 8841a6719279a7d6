#include "service/spare.h"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

void spare_init(struct spare *s) {
	struct rlimit files;
	const bool is_known = getrlimit(RLIMIT_NOFILE, &files) == 0;
	s->n = 0;
	/* if few are available, most are for sessions */
	s->wanted = is_known && files.rlim_cur / 4 < SPARE_MOST ? (unsigned)(files.rlim_cur / 4) :
								  SPARE_MOST;
}

bool spare_fill(struct spare *s) {
	while (s->n < s->wanted) {
		int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (fd < 0) {
			return false;
		}
		s->fd[s->n++] = fd;
	}
	return true;
}

bool spare_release(struct spare *s) {
	const bool has_some = s->n > 0;
	while (s->n > 0) {
		close(s->fd[--s->n]);
	}
	return has_some;
}
