#include "service/region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "pica.h"
#include "service/fault.h"
#include "service/reaper.h"

enum {
	TMPFS_SUPER = 0x01021994,
	SLICE_BYTES = 2 << 20, /* of pages that are given back, 0.3 ms */
	KEPT_BYTES = 64 << 10, /* for a file's inode, watch and other kernel memory */
	MOST_KEPT = 8192,      /* half of the events that inotify queues by default */
};

/* Of a user. */
struct region_account {
	struct region_account *next; /* regions.accounts */
	uid_t uid;
	uint32_t n_regions;
	uint64_t charged_bytes, dying_bytes;
	struct pica_memory *memory; /* with what is charged */
};

/* ---- Charges: mutex held ---- */

static struct region_account *find_account(const struct regions *all, uid_t uid) {
	struct region_account *a = all->accounts;
	while (a && a->uid != uid) {
		a = a->next;
	}
	return a;
}

static int open_account(struct region *r, uid_t uid) {
	struct regions *all = r->all;
	struct region_account *a = find_account(all, uid);
	if (!a) {
		a = calloc(1, sizeof(*a));
		if (!a) {
			return -ENOMEM;
		}
		const int ret = pica_memory_create(&a->memory, all->memory);
		if (ret < 0) {
			free(a);
			return ret;
		}
		pica_memory_limit(a->memory, all->user_bytes);
		a->uid = uid;
		a->next = all->accounts;
		all->accounts = a;
	}
	a->n_regions++;
	r->account = a;
	return 0;
}

static void close_account(struct region *r) {
	struct region_account **link = &r->all->accounts, *a = r->account;
	if (--a->n_regions == 0) {
		while (*link != a) {
			link = &(*link)->next;
		}
		*link = a->next;
		pica_memory_destroy(a->memory);
		free(a);
	}
}

static void charge(struct region *r, uint64_t bytes, bool is_dying) {
	struct region_account *a = r->account;
	r->all->charged_bytes += bytes - r->charge_bytes;
	a->charged_bytes += bytes - r->charge_bytes;
	pica_memory_add(a->memory, (int64_t)(bytes - r->charge_bytes));
	a->dying_bytes -= r->is_dying ? r->charge_bytes : 0;
	a->dying_bytes += is_dying ? bytes : 0;
	r->charge_bytes = bytes;
	r->is_dying = is_dying;
}

/* ---- The list: mutex held ---- */

static struct region **bucket_of(struct regions *all, int watch) {
	return &all->bucket[(unsigned)watch % REGION_BUCKETS];
}

static void forget(struct region *r) {
	struct region **link = bucket_of(r->all, r->watch);
	while (*link != r) {
		link = &(*link)->next;
	}
	*link = r->next;
	charge(r, 0, false);
	close_account(r);
	free(r);
}

/* Returns another region of the same file, kept or not; or NULL. */
static struct region *find_twin(const struct region *r, bool is_kept) {
	struct region *twin = r->watch < 0 ? NULL : *bucket_of(r->all, r->watch);
	while (twin && (twin == r || twin->watch != r->watch || twin->is_kept != is_kept)) {
		twin = twin->next;
	}
	return twin;
}

/* Returns whether pages of the same file are being given back. */
static bool is_being_punched(const struct region *r) {
	const struct region *twin = r->watch < 0 ? NULL : *bucket_of(r->all, r->watch);
	while (twin && (twin->watch != r->watch || !twin->is_punching)) {
		twin = twin->next;
	}
	return twin;
}

/* Called when the watch has ended: the last descriptor and the last mapping are gone. */
static void file_is_gone(struct regions *all, int watch) {
	for (struct region *r = *bucket_of(all, watch), *next; r; r = next) {
		next = r->next;
		r->is_gone |= r->watch == watch;
		if (r->is_gone && r->is_kept) {
			forget(r);
		}
	}
}

static void read_events(struct regions *all) {
	struct inotify_event event; /* none has a name */
	char bytes[64 * sizeof(event)];
	ssize_t got;
	while ((got = read(all->inotify, bytes, sizeof(bytes))) > 0) {
		for (ssize_t at = 0; at < got; at += (ssize_t)sizeof(event)) {
			memcpy(&event, bytes + at, sizeof(event));
			if (event.mask & IN_IGNORED) {
				file_is_gone(all, event.wd);
			}
		}
	}
}

/* ---- All of them ---- */

int regions_init(struct regions *all, struct reaper *reaper) {
	*all = (struct regions){ .reaper = reaper,
		.inotify = -1,
		.kept_bytes = KEPT_BYTES,
		.user_bytes = UINT64_MAX };
	pthread_mutex_init(&all->mutex, NULL);
	pthread_cond_init(&all->cond, NULL);
	const int ret = pica_memory_create(&all->memory, NULL);
	if (ret < 0) {
		return ret;
	}
	all->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	return all->inotify < 0 ? -errno : 0;
}

void regions_finish(struct regions *all) {
	for (unsigned i = 0; i < REGION_BUCKETS; i++) {
		while (all->bucket[i]) {
			forget(all->bucket[i]);
		}
	}
	if (all->inotify >= 0) {
		close(all->inotify);
	}
	pica_memory_destroy(all->memory);
	pthread_cond_destroy(&all->cond);
	pthread_mutex_destroy(&all->mutex);
}

void regions_limit(struct regions *all, uint64_t total_bytes, uint64_t user_bytes) {
	const uint64_t least = total_bytes / MOST_KEPT;
	pthread_mutex_lock(&all->mutex);
	all->kept_bytes = least > KEPT_BYTES ? least : KEPT_BYTES;
	all->user_bytes = user_bytes ? user_bytes : UINT64_MAX;
	pica_memory_limit(all->memory, total_bytes / 2);
	for (const struct region_account *a = all->accounts; a; a = a->next) {
		pica_memory_limit(a->memory, all->user_bytes);
	}
	pthread_mutex_unlock(&all->mutex);
}

void regions_update(struct regions *all) {
	pthread_mutex_lock(&all->mutex);
	read_events(all);
	pthread_mutex_unlock(&all->mutex);
}

struct region_charges regions_charges(struct regions *all, uid_t uid) {
	pthread_mutex_lock(&all->mutex);
	read_events(all);
	const struct region_account *a = find_account(all, uid);
	const struct region_charges charges = { all->charged_bytes, a ? a->charged_bytes : 0,
		a ? a->dying_bytes : 0 };
	pthread_mutex_unlock(&all->mutex);
	return charges;
}

/* ---- Making one ---- */

static void free_unlisted(struct region *r) {
	free(r->end);
	free(r);
}

static struct region *new_region(struct regions *all, enum region_kind kind) {
	struct region *r = calloc(1, sizeof(*r));
	struct retired *end = calloc(1, sizeof(*end));
	if (!r || !end) {
		free(r);
		free(end);
		return NULL;
	}
	end->released = r;
	atomic_init(&r->refs, 1);
	r->all = all;
	r->end = end;
	r->kind = kind;
	r->watch = -1;
	r->fault = -1;
	return r;
}

/* The least charge of a file, with or without pages. */
static uint64_t cost(const struct regions *all, uint64_t bytes) {
	return bytes > all->kept_bytes ? bytes : all->kept_bytes;
}

/* Charges the region from now on, in place of a kept region of the same file. fd < 0: no file. */
static int enlist(struct region *r, uid_t uid, uint64_t bytes, int fd) {
	struct regions *all = r->all;
	char path[32];
	int ret = 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	pthread_mutex_lock(&all->mutex);
	if (all->inotify >= 0 && fd >= 0) {
		/* No such event occurs, only the end of the watch. */
		r->watch = inotify_add_watch(all->inotify, path, IN_MOVE_SELF);
		ret = r->watch < 0 ? -errno : 0;
	}
	ret = ret < 0 ? ret : open_account(r, uid);
	if (ret == 0) {
		struct region **bucket = bucket_of(all, r->watch), *kept = find_twin(r, true);
		r->end->uid = uid;
		if (kept) {
			forget(kept);
		}
		charge(r, bytes && fd >= 0 ? cost(all, bytes) : bytes, false);
		r->next = *bucket;
		*bucket = r;
		while (is_being_punched(r)) {
			pthread_cond_wait(&all->cond, &all->mutex);
		}
	}
	pthread_mutex_unlock(&all->mutex);
	return ret;
}

static int map(struct region **out, struct regions *all, uid_t uid, enum region_kind kind, int fd,
		uint32_t size_bytes) {
	struct region *r = new_region(all, kind);
	if (!r) {
		return -ENOMEM;
	}
	r->size_bytes = size_bytes;
	r->host = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->host == MAP_FAILED) {
		const int ret = -errno;
		free_unlisted(r);
		return ret;
	}
	r->fault = fault_cover(r->host, size_bytes);
	const int ret = r->fault < 0 ? r->fault :
				       enlist(r, uid, kind == REGION_RINGS ? 0 : size_bytes, fd);
	if (ret < 0) {
		fault_uncover(r->fault);
		munmap(r->host, size_bytes);
		free_unlisted(r);
		return ret;
	}
	*out = r;
	return 0;
}

int region_create(struct region **out, struct regions *all, uid_t uid, enum region_kind kind,
		uint32_t size_bytes, int *fd) {
	int memfd = memfd_create("pica-region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd < 0) {
		return -errno;
	}
	int ret = 0;
	if (ftruncate(memfd, size_bytes) < 0 ||
			fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
		ret = -errno;
	}
	ret = ret < 0 ? ret : map(out, all, uid, kind, memfd, size_bytes);
	if (ret < 0) {
		close(memfd);
		return ret;
	}
	*fd = memfd;
	return 0;
}

int region_import(
		struct region **out, struct regions *all, uid_t uid, int fd, uint32_t size_bytes) {
	struct stat st;
	struct statfs fs;
	/* Seals are read before the size, which cannot change once sealed. */
	int seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW) ||
			(seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))) {
		return -EINVAL;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != (off_t)size_bytes ||
			fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS_SUPER) {
		return -EINVAL;
	}
	return map(out, all, uid, REGION_IMPORTED, fd, size_bytes);
}

int region_charge(struct region **out, struct regions *all, uid_t uid, uint32_t size_bytes) {
	struct region *r = new_region(all, REGION_WINDOWS);
	if (!r) {
		return -ENOMEM;
	}
	r->size_bytes = size_bytes;
	const int ret = enlist(r, uid, size_bytes, -1);
	if (ret < 0) {
		free_unlisted(r);
		return ret;
	}
	*out = r;
	return 0;
}

struct pica_memory *region_memory(const struct region *r) {
	return r->account->memory;
}

/* ---- Its end ---- */

struct region *region_get(struct region *r) {
	atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
	return r;
}

void region_put(struct region *r) {
	if (r && atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) == 1) {
		reaper_add(r->all->reaper, r->end);
	}
}

void region_drop(struct region *r) {
	if (r) {
		pthread_mutex_lock(&r->all->mutex);
		charge(r, r->charge_bytes, true);
		pthread_mutex_unlock(&r->all->mutex);
		region_put(r);
	}
}

/*
 * Frees a slice of pages; an import of the same file waits for that. Returns false if it cannot, or
 * if the file is imported, so that its pages belong to the other region.
 */
static bool punch(struct region *r) {
	struct regions *all = r->all;
	const uint32_t left = r->size_bytes - r->punched_bytes;
	const uint32_t n = left < SLICE_BYTES ? left : SLICE_BYTES;
	pthread_mutex_lock(&all->mutex);
	r->is_punching = !find_twin(r, false);
	pthread_mutex_unlock(&all->mutex);
	if (!r->is_punching) {
		return false;
	}
	const bool is_done = madvise(r->host + r->punched_bytes, n, MADV_REMOVE) == 0;
	pthread_mutex_lock(&all->mutex);
	r->is_punching = false;
	pthread_cond_broadcast(&all->cond);
	pthread_mutex_unlock(&all->mutex);
	r->punched_bytes += is_done ? n : 0;
	return is_done;
}

bool region_release(struct region *r) {
	struct regions *all = r->all;
	const bool has_pages = r->kind != REGION_MADE || r->may_come_back || !punch(r);
	if (!has_pages && r->punched_bytes < r->size_bytes) {
		return false;
	}
	fault_uncover(r->fault);
	if (r->host) {
		munmap(r->host, r->size_bytes);
	}
	pthread_mutex_lock(&all->mutex);
	read_events(all);
	if (r->watch < 0 || r->is_gone || find_twin(r, false)) {
		forget(r);
	} else {
		r->is_kept = true;
		charge(r, cost(all, has_pages ? r->size_bytes : 0), false);
	}
	pthread_mutex_unlock(&all->mutex);
	return true;
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
