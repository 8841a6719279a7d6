/*
 * The right to use the screen. libseat (by seatd, logind or alone) gives access to the card without
 * root and revokes it while another virtual terminal is shown. The seat "none" opens the node
 * directly. Display thread only.
 */
#ifndef SERVICE_SEAT_H
#define SERVICE_SEAT_H

#include <stdbool.h>

#include "service/server_log.h"

struct seat;

/* Called by seat_dispatch() when we get the screen (again), or have lost it. */
typedef void seat_fn(void *owner, bool is_active);

/*
 * name: "none", "seatd", "logind", "builtin", "any" of the last three, or "auto": any, else none. A
 * seat of libseat becomes active in seat_dispatch(); "none" is active from the start, and fn is
 * not called for it. Returns 0, -EOPNOTSUPP if this build has no libseat, or an error of libseat.
 */
int seat_open(struct seat **out, const char *name, seat_fn *fn, void *owner);
/* Close its devices first. NULL is allowed. */
void seat_close(struct seat *seat);
bool seat_is_active(const struct seat *seat);
/* Returns whether it is a seat of libseat. */
bool seat_is_kept(const struct seat *seat);
/*
 * Return whether the terminal of the seat is known (logind's, by $XDG_VTNR), and whether that
 * terminal is in front, which may differ from the seat's own state.
 */
bool seat_has_terminal(const struct seat *seat);
bool seat_is_in_front(const struct seat *seat);
/* Returns a descriptor for poll(2), or -1. */
int seat_fd(const struct seat *seat);
/* Returns 0, or a negative errno if the seat is lost for good. */
int seat_dispatch(struct seat *seat);

struct seat_device {
	int fd; /* non-blocking */
	int id; /* libseat's */
};

int seat_open_device(struct seat *seat, const char *path, struct seat_device *out);
void seat_close_device(struct seat *seat, struct seat_device *device);

#endif
