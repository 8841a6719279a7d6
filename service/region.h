/*
 * Memory that a session and the service share: memfds of fixed size. The service makes them and
 * seals their size, or imports a client's if its size is sealed, so that no access raises SIGBUS.
 *
 * The kernel charges pages to the process that touches them first, here the service, for as long as
 * anybody holds the file. Therefore each region is charged to its user until the file is gone:
 *
 *     live -> dying, the jobs in flight have it -> released by the reaper -> kept -> gone
 *
 * The release of a made region gives its pages back, unless the service ended the session; pages
 * that its client writes afterwards are charged to the client. A file that another process still
 * holds is kept: an inotify watch reports its last close, and which regions are of one file.
 */
#ifndef SERVICE_REGION_H
#define SERVICE_REGION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct reaper;
struct retired;

enum region_kind {
	REGION_MADE,     /* released: zeros, and charged as a kept descriptor */
	REGION_RINGS,    /* stays charged after release: its client reads the last words there */
	REGION_IMPORTED, /* charged in full after release: the service may have touched it */
	REGION_WINDOWS,  /* memory of a context, owned by libpica: a charge only */
};

enum { REGION_BUCKETS = 1024 };

struct pica_memory;
struct region_account;

/* All regions of a service. */
struct regions {
	struct reaper *reaper;
	int inotify;  /* -1: none, so nothing stays charged after its release */
	pthread_mutex_t mutex; /* covers what follows */
	pthread_cond_t cond;   /* a slice of pages was given back */
	struct region *bucket[REGION_BUCKETS]; /* by watch */
	struct region_account *accounts;       /* of users that have regions */
	uint64_t charged_bytes; /* to all */
	/*
	 * The engine's memory of all sessions, without regions: regions of some users must not take
	 * the room that others work in. Accounts belong to it.
	 */
	struct pica_memory *memory;
	uint64_t user_bytes; /* limit of an account */
	uint64_t kept_bytes;    /* at least, of a kept one */
};

/* Counted: by its session, jobs in flight that use its bytes, and struct retired (reaper.h). */
struct region {
	struct regions *all;
	struct region *next; /* of its bucket */
	struct retired *end; /* of it, for the reaper */
	atomic_uint refs;
	uint32_t handle;
	uint32_t size_bytes;
	uint32_t context; /* 0: not addressable by lists */
	uint32_t phys;
	enum region_kind kind;
	bool may_come_back; /* set before the drop: its client may import it, so its pages stay */
	uint8_t *host;
	int fault; /* of fault.h; -1: no mapping */
	/* Covered by regions.mutex. */
	struct region_account *account;
	int watch; /* -1: none */
	uint64_t charge_bytes;
	bool is_dying, is_kept;
	bool is_gone; /* no other process holds the file */
	bool is_punching;      /* a slice of its pages is being given back */
	uint32_t punched_bytes; /* the reaper's: freed so far, from its start */
};

/* Returns 0, -ENOMEM without regions.memory, or the errno of inotify; regions work without it. */
int regions_init(struct regions *all, struct reaper *reaper);
/* All regions must have been released. */
void regions_finish(struct regions *all);
/*
 * The quotas of all and of a user; user_bytes 0: none. Bounds the number of kept regions, and so of
 * watches and events. The engine may use half of total_bytes in addition to the regions.
 */
void regions_limit(struct regions *all, uint64_t total_bytes, uint64_t user_bytes);
/* Looks for kept regions that are gone. */
void regions_update(struct regions *all);

struct region_charges {
	uint64_t bytes, of_user, dying_of_user;
};
struct region_charges regions_charges(struct regions *all, uid_t uid);

/*
 * Creates zeroed memory of size_bytes (a multiple of 4096). *fd becomes a descriptor for the
 * client, which the caller closes. Returns 0, or -ENOMEM, -EMFILE, -ENOSPC, ...
 */
int region_create(struct region **out, struct regions *all, uid_t uid, enum region_kind kind,
		uint32_t size_bytes, int *fd);
/*
 * Maps a client's descriptor, which the caller owns. Returns 0 or a negative errno; -EINVAL for
 * anything but a memfd of exactly size_bytes whose size is sealed, and for one of huge pages, which
 * can be missing when they are touched.
 */
int region_import(
		struct region **out, struct regions *all, uid_t uid, int fd, uint32_t size_bytes);
/* Creates a region of kind REGION_WINDOWS. Returns 0 or -ENOMEM. */
int region_charge(struct region **out, struct regions *all, uid_t uid, uint32_t size_bytes);
/* Returns the memory account of its user. Borrowed. */
struct pica_memory *region_memory(const struct region *r);
struct region *region_get(struct region *r);
/* NULL is allowed. Any thread; dropping the last reference gives it to the reaper. */
void region_put(struct region *r);
/* Puts the reference of its owner: from now on it is dying. NULL is allowed. */
void region_drop(struct region *r);
/*
 * For the reaper, once r is unused. Frees a slice of its pages; after the last slice frees r and
 * returns true.
 */
bool region_release(struct region *r);

/*
 * Returns a sealed memfd with bytes that a client may read, for the caller to close, or a negative
 * errno.
 */
int sealed_file(const char *name, const void *bytes, size_t size_bytes);

#endif
