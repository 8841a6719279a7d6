/* The kernel's reports of hotplugged displays: uevents of the DRM subsystem, without udev. */
#ifndef SERVICE_UEVENT_H
#define SERVICE_UEVENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns a non-blocking descriptor for poll(2), which the caller closes, or -EPERM,
 * -EPROTONOSUPPORT, ...
 */
int uevent_open(void);
/* Reads all messages. Returns whether one concerned displays. */
bool uevent_read(int fd);
/* Returns whether a kernel message ("ACTION@path\0KEY=value\0...") is about displays. Any bytes. */
bool uevent_is_display(const char *message, size_t size_bytes);

#endif
