/*
 * One control message with its file descriptors over a SOCK_SEQPACKET socket (pica_hello.h).
 * Nothing blocks; descriptors arrive close-on-exec.
 */
#ifndef PROTO_SOCK_H
#define PROTO_SOCK_H

#include <stddef.h>
#include <stdint.h>

#include "pica_hello.h"

/* A message as it arrived. Descriptors belong to the struct until they are taken (set to -1). */
struct sock_message {
	_Alignas(8) uint8_t bytes[PICA_MESSAGE_MAX];
	size_t size_bytes;
	int fd[PICA_MESSAGE_FDS]; /* -1 beyond n_fds */
	unsigned n_fds;
};

/*
 * Sends size_bytes that begin with struct pica_message, whose magic and size are set here, with
 * n_fds borrowed descriptors. Returns 0, -EAGAIN (the peer does not read), -EPIPE or -ECONNRESET
 * (it is gone), or another error of sendmsg(2).
 */
int sock_send(int sock, void *message, size_t size_bytes, const int *fds, unsigned n_fds);
/*
 * Receives one message. Returns 1 if *m holds a message with a valid header (magic, size); 0 if the
 * peer has closed; -EAGAIN if none is there; -EPROTO for a message that is not ours, is cut off, or
 * has more descriptors than PICA_MESSAGE_FDS; -EMFILE if this process has no descriptors left for
 * those that came (*m holds the message without any); or another error of recvmsg(2).
 * The last close of a descriptor may wait for its peer or its file system. Therefore a message that
 * is -EPROTO and has descriptors stays unread: the caller closes the socket.
 */
int sock_receive(int sock, struct sock_message *m);
/* The header; the rest follows it in m->bytes. */
static inline const struct pica_message *sock_head(const struct sock_message *m) {
	return (const struct pica_message *)(const void *)m->bytes;
}
/*
 * Copies the message to out. Returns 0, or -EPROTO if its size or number of descriptors is not the
 * expected one.
 */
int sock_take(const struct sock_message *m, void *out, size_t size_bytes, unsigned n_fds);
/* Closes the descriptors that were not taken. */
void sock_drop(struct sock_message *m);

#endif
