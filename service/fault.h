/*
 * Handles SIGBUS on memory of clients: a page is unavailable when touched, because the system is at
 * its limit of committed memory, or because of a faulty disk or memory. The handler replaces it by
 * an empty page, so that the thread continues; the loop then ends the session.
 */
#ifndef SERVICE_FAULT_H
#define SERVICE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the whole process; call before any thread starts. Returns 0 or a negative errno. */
int fault_begin(void);
/* Returns a descriptor that is readable after a fault, or -1 if fault_begin() was not called. */
int fault_fd(void);

/* Covers a mapping. Returns its number, or -ENOMEM. Any thread. */
int fault_cover(const void *host, size_t size_bytes);
/* Call before the mapping is unmapped. A negative number is allowed. */
void fault_uncover(int number);
/* Returns whether a page of the mapping was unavailable. A negative number is allowed. */
bool fault_has_been(int number);

#endif
