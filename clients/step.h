/*
 * Replays a capture draw by draw: submits the words of its lists as single register writes, which
 * gives the same bits as running the lists [fidelity: embedding; tests/golden --step], and calls a
 * visitor in between. A list ends at the first word that uses up a budget
 * of shader steps.
 */
#ifndef CLIENTS_STEP_H
#define CLIENTS_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "edit.h"
#include "list_walk.h"
#include "replay.h"

/*
 * A draw: a write to a draw trigger, or a run of vertices in a list. Draws are counted from 0 in
 * each frame, in stream order.
 */
struct step_draw {
	uint32_t frame, draw;
	enum draw_kind kind;
	uint64_t offset; /* of the event in the capture */
	uint32_t addr;   /* of the word that starts it in a list, or of the register */
};

/* Each may be NULL. Nonzero ends the replay. */
struct step_visitor {
	/* A job that is about to run. */
	int (*event)(void *user, const struct pica_capture_event *event);
	void (*list)(void *user, uint32_t addr, uint32_t size_bytes, bool is_jump);
	void (*list_end)(void *user);
	void (*write)(void *user, const struct pica_list_write *w, bool from_list);
	/* The context is idle, in the state at the start of the draw. */
	int (*draw)(void *user, const struct step_draw *draw);
	/* A vertex of an immediate draw; after draw(). Does not wait for the context. */
	void (*vertex)(void *user, const uint32_t (*attributes)[4], unsigned n);
	/* The context is idle, and the draw is done. */
	int (*drawn)(void *user, const struct step_draw *draw);
};

enum { STEP_BATCH = 64 };

struct step {
	struct replay replay;
	const struct step_visitor *visitor;
	void *user;
	const struct edits *edits; /* set after the start, or NULL; borrowed */
	/* Private: */
	struct list_walk walk;
	bool is_silent; /* the visitor is not called */
	struct step_draw draw; /* the open draw, or the number of the next one */
	int error;
	uint64_t offset;       /* of the current event */
	struct pica_job job[STEP_BATCH];
	unsigned n_jobs;
};

/* Like replay_start(). Visiting needs a GPU of this process. */
int step_start(struct step *s, struct gpu gpu, struct pica_capture *capture, uint32_t frame,
		const struct step_visitor *visitor, void *user);
/* The same for events of a context in any state. */
void step_start_events(struct step *s, struct gpu gpu, replay_next_fn *next, void *next_user,
		const struct step_visitor *visitor, void *user);
/*
 * Runs the next frame. Returns 1, 0 at the end, or a negative errno, like replay_frame();
 * -ECANCELED: the visitor ended it. look: calls the visitor; otherwise the frame runs without
 * waiting, unless it has edits.
 */
int step_frame(struct step *s, bool look);

#endif
