/*
 * Descriptors that clients send, and sockets that may hold such descriptors unread. The last close
 * of a socket may wait for its peer (SO_LINGER), and that of a file for its file system; a client
 * can prolong both without limit. Therefore neither happens on the loop's thread. Memory (memfd) is
 * closed at once.
 */
#ifndef SERVICE_FOREIGN_H
#define SERVICE_FOREIGN_H

#include <stdbool.h>
#include <sys/socket.h>

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

struct user_account;

/* Returns whether the descriptor is a memfd. Never waits. */
bool foreign_is_memory(int fd);
/*
 * Closes the descriptor, on a separate thread if that may block. Such threads are counted in
 * user->closing, unless user is NULL.
 */
void foreign_close(int fd, struct user_account *user);
/* The same for the socket of a client; nothing more can be sent to it. */
void foreign_close_socket(int sock, struct user_account *user);
/*
 * Sets whether the socket, and sockets accepted from it, can receive descriptors. Has no effect
 * before Linux 6.16.
 */
void foreign_allow(int sock, bool on);

#endif
