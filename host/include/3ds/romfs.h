/*
 * The program's files: a folder of the host, "romfs" beside the program or that of host-run's
 * --romfs. fopen(), open(), stat(), access() and opendir() know "romfs:/..." while it is mounted.
 * They and mkdir(), rmdir(), unlink(), remove() and rename() always know "sdmc:/...", the folder of
 * host-run's --sdmc.
 */
#ifndef CTRU_ROMFS_H
#define CTRU_ROMFS_H

#include <3ds/types.h>

/* Mounts the folder by a name. Returns 0, or a negative result: no folder, or too many names. */
Result romfsMountSelf(const char *name);
Result romfsMountFromCurrentProcess(const char *name);
Result romfsUnmount(const char *name);
/* Returns 0, or a negative result without --sdmc. */
Result archiveMountSdmc(void);
Result archiveUnmountAll(void);
static inline Result romfsInit(void) {
	return romfsMountSelf("romfs");
}
static inline Result romfsExit(void) {
	return romfsUnmount("romfs");
}

#endif
