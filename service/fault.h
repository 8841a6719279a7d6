/*
 * SIGBUS on memory of clients: a page that is unavailable when it is touched, because the system is
 * at its limit of committed memory, or a disk or the memory itself is bad. An empty page takes its
 * place, so that the thread that touched it continues, and the loop ends the session.
 */
#ifndef SERVICE_FAULT_H
#define SERVICE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the whole process, before there are threads. Returns 0 or a negative errno. */
int fault_begin(void);
/* Returns a descriptor that is readable after a fault, or -1: fault_begin() was not called. */
int fault_fd(void);

/* Any thread. Covers a mapping. Returns its number, or -ENOMEM. */
int fault_cover(const void *host, size_t size_bytes);
/* Call before the mapping is unmapped. A negative number is allowed. */
void fault_uncover(int number);
/* Returns whether a page of the mapping was unavailable. A negative number is allowed. */
bool fault_has_been(int number);

#endif
