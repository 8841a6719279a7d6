#include "service/region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { TMPFS_SUPER = 0x01021994 };

static int map(struct region **out, int fd, uint32_t size_bytes) {
	struct region *r = calloc(1, sizeof(*r));
	if (!r) {
		return -ENOMEM;
	}
	void *host = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (host == MAP_FAILED) {
		int ret = -errno;
		free(r);
		return ret;
	}
	atomic_init(&r->refs, 1);
	r->size_bytes = size_bytes;
	r->host = host;
	*out = r;
	return 0;
}

int region_create(struct region **out, uint32_t size_bytes, int *fd) {
	int memfd = memfd_create("pica-region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd < 0) {
		return -errno;
	}
	int ret = 0;
	if (ftruncate(memfd, size_bytes) < 0 ||
			fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
		ret = -errno;
	}
	ret = ret < 0 ? ret : map(out, memfd, size_bytes);
	if (ret < 0) {
		close(memfd);
		return ret;
	}
	*fd = memfd;
	return 0;
}

int region_import(struct region **out, int fd, uint32_t size_bytes) {
	struct stat st;
	struct statfs fs;
	/* Seals before sizes: once it is sealed the size stays. */
	int seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW) ||
			(seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))) {
		return -EINVAL;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != (off_t)size_bytes ||
			fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS_SUPER) {
		return -EINVAL;
	}
	return map(out, fd, size_bytes);
}

struct region *region_get(struct region *r) {
	atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
	return r;
}

void region_put(struct region *r) {
	if (r && atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) == 1) {
		munmap(r->host, r->size_bytes);
		free(r);
	}
}

static int write_all(int fd, const char *bytes, size_t n) {
	while (n) {
		ssize_t written = write(fd, bytes, n);
		if (written < 0 && errno != EINTR) {
			return -errno;
		}
		bytes += written > 0 ? written : 0;
		n -= written > 0 ? (size_t)written : 0;
	}
	return 0;
}

int sealed_file(const char *name, const void *bytes, size_t size_bytes) {
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
	const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0) {
		return -errno;
	}
	int ret = write_all(fd, bytes, size_bytes);
	if (ret == 0 && (fcntl(fd, F_ADD_SEALS, seals) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
		ret = -errno;
	}
	if (ret < 0) {
		close(fd);
	}
	return ret < 0 ? ret : fd;
}
