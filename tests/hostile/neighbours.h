/* The attacks of the neighbours benchmark. Each session is a process of its own. */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <stdatomic.h>

#include "tests/service/stress/scene.h"

struct pica_emit;

enum { MANY = 8, USERS_OF_SILENT = 8, SILENT_SESSIONS = 64, MOST_ATTACKS = 16 };

struct attacker {
	const char *path; /* of the service */
	const struct attack *attack;
	struct neighbour n;
	uint32_t region; /* handle of memory that no list can address */
	atomic_uint *opened; /* counts its sessions */
	uint32_t churn_bytes; /* of the regions that it makes and destroys */
};

struct attack {
	const char *name;
	const char *what;
	void (*emit)(struct pica_emit *e); /* its command list; NULL: none */
	/* Attacks until the session ends. */
	void (*run)(struct attacker *a);
};

extern const struct attack attacks[];
extern const unsigned n_attacks; /* not counting the silent one at the end */

/* Replaces the scene's list, and adds large triangles. Returns 0 or a negative errno. */
int attack_furnish(struct neighbour *n, void (*emit)(struct pica_emit *));
/* Lists of 1 and of 40 million pixels. */
void emit_small(struct pica_emit *e);
void emit_heavy(struct pica_emit *e);
/* Draws a frame: a fill, the list, a barrier. Returns 0, or the error of waiting. */
int victim_frame(struct neighbour *n, int timeout_ms);
/* Opens sessions and attacks with them until the process is killed. */
_Noreturn void attack(struct attacker *a);

#endif
