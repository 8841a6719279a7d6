/*
 * Sends and receives control messages with file descriptors over a SOCK_SEQPACKET socket
 * (pica_hello.h). No function blocks; received descriptors are close-on-exec.
 */
#ifndef PROTO_SOCK_H
#define PROTO_SOCK_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "pica_hello.h"

/* A message as it arrived. Descriptors belong to the struct until they are taken (set to -1). */
struct sock_message {
	_Alignas(8) uint8_t bytes[PICA_MESSAGE_MAX];
	size_t size_bytes;
	int fd[PICA_MESSAGE_FDS]; /* -1 beyond n_fds */
	unsigned n_fds;
};

/*
 * Sends a message of size_bytes that begins with a struct pica_message, and n_fds descriptors,
 * which stay the caller's. Sets the magic and the size in the message. Returns 0, -EINVAL (too
 * short, too long, or too many descriptors), -EAGAIN (the peer does not read), -EPIPE or
 * -ECONNRESET (the peer is gone), or another error of sendmsg(2).
 */
int sock_send(int sock, void *message, size_t size_bytes, const int *fds, unsigned n_fds);
/*
 * Receives one message. Returns 1 if *m holds a message with a valid header (magic, size); 0 if the
 * peer has closed; -EAGAIN if none has arrived; -EPROTO if the message has an invalid header, is
 * truncated, or has more than PICA_MESSAGE_FDS descriptors; -EMFILE if this process is out of
 * descriptors (*m then holds the message without any); or another error of recvmsg(2). Closing the
 * last reference to a descriptor may wait for its peer or its file system. Therefore a message with
 * descriptors that is refused with -EPROTO stays unread: the caller closes the socket.
 */
int sock_receive(int sock, struct sock_message *m);
/* Returns the header; the rest follows it in m->bytes. */
static inline const struct pica_message *sock_head(const struct sock_message *m) {
	return (const struct pica_message *)(const void *)m->bytes;
}
/*
 * Copies the message to out. Returns 0, or -EPROTO if its size is not size_bytes or it does not
 * have n_fds descriptors.
 */
int sock_take(const struct sock_message *m, void *out, size_t size_bytes, unsigned n_fds);
/* Closes the descriptors that were not taken. */
void sock_drop(struct sock_message *m);
/* Closes the descriptor, of any kind, and sets it to -1; nothing if it is negative. */
static inline void fd_close(int *fd) {
	if (*fd >= 0) {
		close(*fd);
	}
	*fd = -1;
}

#endif
