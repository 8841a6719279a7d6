/*
 * Memory that a session and the service share: memfds of fixed size. The service creates them and
 * seals their size, or imports a client's memfd of sealed size, so that no access raises SIGBUS.
 *
 * The kernel charges a page to the process that touches it first, here the service, for as long as
 * any process holds the file. Therefore each region is charged to its user until the file is gone:
 *
 *     live -> dying, the jobs in flight have it -> released by the reaper -> kept -> gone
 *
 * The release of a REGION_MADE gives its pages back, unless the service ended the session; pages
 * that its client writes afterwards are charged to the client. A file that another process still
 * holds is kept: an inotify watch reports its last close, and identifies regions of the same file.
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
	REGION_MADE,     /* after release: zeros, and charged as a kept descriptor */
	REGION_RINGS,    /* stays charged after release: the client reads final messages there */
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
	 * The engine's memory of all sessions, without regions, since regions of some users must
	 * not take the memory that others work in. Accounts belong to it.
	 */
	struct pica_memory *memory;
	uint64_t user_bytes; /* limit of an account */
	uint64_t kept_bytes;    /* minimum charge of a kept region */
};

/* Reference-counted: by its session, jobs in flight that use it, and struct retired (reaper.h). */
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
 * Sets the quotas of all users and of one user; user_bytes 0: no limit. They bound the number of
 * kept regions, and so of watches and events. The engine may use half of total_bytes in addition to
 * the regions.
 */
void regions_limit(struct regions *all, uint64_t total_bytes, uint64_t user_bytes);
/* Finds kept regions whose files are gone. */
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
 * Maps a client's descriptor, which the caller owns. Returns 0 or a negative errno: -EINVAL unless
 * it is a memfd of exactly size_bytes whose size is sealed, and for a memfd of huge pages, which
 * can be unavailable when touched.
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
/* Drops the owner's reference; the region is then dying. NULL is allowed. */
void region_drop(struct region *r);
/*
 * For the reaper, once r is unused. Frees a slice of its pages; after the last slice frees r and
 * returns true.
 */
bool region_release(struct region *r);

/*
 * Returns a sealed memfd with a copy of the bytes for a client to read (caller closes), or a
 * negative errno.
 */
int sealed_file(const char *name, const void *bytes, size_t size_bytes);

#endif
