/*
 * Descriptors that clients send, and sockets in which such may lie unread. The last close of a
 * socket may wait for its peer (SO_LINGER), and that of a file for its file system, for as long as
 * the client likes: not on the loop's thread. Memory (memfd) is closed at once.
 */
#ifndef SERVICE_FOREIGN_H
#define SERVICE_FOREIGN_H

#include <stdbool.h>
#include <sys/socket.h>

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

struct dying;

/* Whether the descriptor is memory. Never waits. */
bool foreign_is_memory(int fd);
/* Closes it, by a thread of its own where that may wait, which counts in user.closing; or NULL. */
void foreign_close(int fd, struct dying *user);
/* The same for the socket of a client; nothing more can be sent to it. */
void foreign_close_socket(int sock, struct dying *user);
/*
 * Whether the socket, or those that are accepted from it, take descriptors. Without effect before
 * Linux 6.16.
 */
void foreign_allow(int sock, bool on);

#endif
