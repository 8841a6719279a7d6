/*
 * The observers of a context's work: the recorder, and the search for memory that was never written
 * (unwritten.c). Memory accesses are reported to both by one call, ctx_access().
 */
#ifndef FRONT_OBSERVE_H
#define FRONT_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/space/space.h"
#include "pica_inspect.h"
#include "pica_job.h"

struct pica_ctx;

/* Why memory is read or written. */
enum access {
	ACCESS_LIST,
	ACCESS_VERTICES, /* attributes or indices */
	ACCESS_TEXTURE,  /* whole; its parts, as far as the draw can sample them, are: */
	ACCESS_TEXELS,   /*   level 0 */
	ACCESS_LEVELS,   /*   the smaller levels */
	ACCESS_FACES,    /*   a cube's faces but the first */
	ACCESS_SOURCE,   /* of a transfer or a copy */
	ACCESS_SCREEN,
	ACCESS_KEPT,     /* part of a target, neither tested nor written */
	ACCESS_TESTED,   /* read by tests, not written */
	ACCESS_BLENDED,  /* read and written */
	ACCESS_WRITTEN,  /* without being read */
	ACCESS_UPLOAD,   /* by a job of the client */
	ACCESS_HOST,     /* by the client, with no job */
	ACCESS_COUNT
};

/*
 * An observer of everything: the recorder. Called on the command thread (the caller where the
 * context is idle), in stream order.
 */
struct observer {
	/*
	 * The running job is about to access memory. Returns true if the memory was changed from
	 * outside before; its write stamps are raised then.
	 */
	bool (*access)(struct observer *o, struct range r, enum access why);
	/* The open pass was closed: the writes of its draws are in flight from now on. */
	void (*pass_closed)(struct observer *o);
	/* Nothing is in flight; a pass may be open. */
	void (*settled)(struct observer *o);
	/* Follows settled(); all accesses of the job have been reported. */
	void (*job_done)(struct observer *o, const struct pica_job *job);
	/* The context's state or its windows are replaced from outside. */
	void (*replaced)(struct observer *o);
	/* The context is being destroyed. */
	void (*gone)(struct observer *o);
};

/* Reports to the observers. Returns the result of observer.access(). */
bool observe_access(struct pica_ctx *ctx, struct range r, enum access why);
/* Returns true if the access writes. */
bool access_writes(enum access why);
/* Waits for all units except the open pass, then calls settled(). */
void observe_settled(struct pica_ctx *ctx);
/* The running job has ended; as above. */
void observe_job_done(struct pica_ctx *ctx, const struct pica_job *job);
void observe_replaced(struct pica_ctx *ctx);

/* ---- unwritten.c ---- */
/* Discards earlier results, and starts again or stops. Returns 0 or -ENOMEM. */
int unwritten_switch(struct pica_ctx *ctx, bool on);
/* The range is or will be written: later reads of it are not reported. */
void unwritten_mark(struct pica_ctx *ctx, struct range r);
void unwritten_read(struct pica_ctx *ctx, struct range r, enum pica_read reader);
/* Returns NULL if the search is off. */
const struct pica_unwritten *unwritten_sum(const struct pica_ctx *ctx, enum pica_read reader);

#endif
