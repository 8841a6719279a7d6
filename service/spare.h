/*
 * Reserved descriptors: administrators can still connect when clients have used up all others.
 * Loop's thread only.
 */
#ifndef SERVICE_SPARE_H
#define SERVICE_SPARE_H

#include <stdbool.h>

/*
 * Descriptors for the rings of sessions beyond a quota, and for those open only while they are
 * created.
 */
enum { SPARE_MOST = 24 };

struct spare {
	int fd[SPARE_MOST];
	unsigned n, wanted; /* wanted 0: none are held */
};

/* Derives the wanted number from the current limit of descriptors. Reserves none yet. */
void spare_init(struct spare *s);
/* Reserves as many as possible. Returns whether all wanted ones are reserved. */
bool spare_fill(struct spare *s);
/* Releases the reserved descriptors for use. Returns false if there were none. */
bool spare_release(struct spare *s);

#endif
