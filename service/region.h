/*
 * Memory that a session and the service share: memfds of fixed size. The service makes them and
 * seals their size, or imports a client's if it is sealed likewise, so that no access raises
 * SIGBUS.
 *
 */
#ifndef SERVICE_REGION_H
#define SERVICE_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counted: by its session, by each job in flight that uses its bytes, by remains (reaper.h). */
struct region {
	atomic_uint refs;
	uint32_t handle;
	uint32_t size_bytes;
	uint32_t context; /* whose lists can address it; 0: nobody's */
	uint32_t phys;
	uint8_t *host;
};

/*
 * New zeroed memory of size_bytes (a multiple of 4096). *fd becomes a descriptor for the client, to
 * be closed by the caller. -ENOMEM, -EMFILE, -ENOSPC ...
 */
int region_create(struct region **out, uint32_t size_bytes, int *fd);
/*
 * Maps a client's descriptor, which stays the caller's. -EINVAL: no memfd of exactly size_bytes
 * whose size is sealed, or one of huge pages, which can fail to be there when they are touched.
 */
int region_import(struct region **out, int fd, uint32_t size_bytes);
struct region *region_get(struct region *r);
void region_put(struct region *r);

/* A sealed memfd with bytes that a client may read, the caller's to close; or a negative errno. */
int sealed_file(const char *name, const void *bytes, size_t size_bytes);

#endif
