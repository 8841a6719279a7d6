#include "step.h"

#include <errno.h>
#include <stddef.h>

enum { INTERNAL_BASE = 0x10401000 };

/* Keeps the first error, including a visitor's request to end. */
static void settle(struct step *s, int ret) {
	if (ret < 0 && s->error == 0) {
		s->error = ret;
	}
}

static void visited(struct step *s, int ret) {
	if (ret && s->error == 0) {
		s->error = -ECANCELED;
	}
}

static void flush(struct step *s) {
	if (s->n_jobs) {
		settle(s, pica_submit(s->replay.gpu.ctx, s->job, s->n_jobs, &s->replay.seq));
		s->n_jobs = 0;
	}
}

static void flush_and_wait(struct step *s) {
	flush(s);
	settle(s, replay_wait(&s->replay));
}

/*
 * Each word has the budget of a job: the first that uses up that of shader steps ends the list, for
 * which nothing would be left.
 */
static void wait_and_check(struct step *s) {
	flush_and_wait(s);
	const uint32_t budget =
			s->replay.worst_flags >> PICA_DONE_BUDGET_SHIFT & PICA_DONE_BUDGET_MASK;
	s->walk.ends |= s->replay.worst == -EDQUOT && (budget == PICA_BUDGET_SHADER_STEPS ||
			budget == PICA_BUDGET_INVOCATION_STEPS);
}

static void feed(struct step *s, const struct pica_list_write *w) {
	if (s->n_jobs == STEP_BATCH) {
		wait_and_check(s);
	}
	if (s->walk.ends) {
		return;
	}
	struct pica_job *job = &s->job[s->n_jobs++];
	*job = (struct pica_job){ .op = PICA_OP_REG_WRITE, .user_data = s->offset };
	job->u.reg_write.addr = INTERNAL_BASE + 4 * w->id;
	job->u.reg_write.value = w->value;
	job->u.reg_write.mask = w->mask;
}

/*
 * Does not submit writes that are forbidden in lists, which a processor's write would do, nor
 * jumps, which would run the list itself.
 */
static bool is_fed(const struct pica_list_write *w, bool from_list) {
	const enum pica_reg_kind kind = pica_reg_kind(w->id);
	return w->mask && w->id < PICA_REG_COUNT && !(kind == PICA_KIND_CPU && from_list) &&
			w->id != PICA_REG_CMDBUF_JUMP0 && w->id != PICA_REG_CMDBUF_JUMP1;
}

/* Makes the edits of the draw that begins; the walk continues with the changed registers. */
static void make_edits(struct step *s) {
	flush_and_wait(s);
	if (s->error == 0) {
		struct pica_ctx *ctx = s->replay.gpu.ctx;
		settle(s, edits_make(s->edits, ctx, s->draw.frame, s->draw.draw));
		pica_ctx_read_regs(ctx, 0, PICA_REG_COUNT, s->walk.regs);
	}
}

/* The visitor, or one that does nothing. */
static const struct step_visitor *visitor(const struct step *s) {
	static const struct step_visitor nobody;
	return s->is_silent ? &nobody : s->visitor;
}

static void on_write(void *user, const struct pica_list_write *w, bool from_list) {
	struct step *s = user;
	if (s->error == 0 && visitor(s)->write) {
		visitor(s)->write(s->user, w, from_list);
	}
	if (s->error == 0 && is_fed(w, from_list)) {
		feed(s, w);
	}
}

static void on_draw(void *user, const uint32_t *regs, enum draw_kind kind) {
	struct step *s = user;
	s->draw.kind = kind;
	s->draw.offset = s->offset;
	s->draw.addr = s->walk.current->addr;
	if (s->error == 0 && edits_at(s->edits, s->draw.frame, s->draw.draw)) {
		make_edits(s);
	}
	if (s->error == 0 && visitor(s)->draw) {
		flush_and_wait(s);
		visited(s, visitor(s)->draw(s->user, &s->draw));
	}
}

static void on_vertex(void *user, const uint32_t (*attributes)[4], unsigned n) {
	struct step *s = user;
	if (s->error == 0 && visitor(s)->vertex) {
		visitor(s)->vertex(s->user, attributes, n);
	}
	wait_and_check(s); /* of the vertices before: each may use up a budget */
}

/* Draws may write later words of the list, so always wait for them. */
static void on_drawn(void *user) {
	struct step *s = user;
	if (s->error == 0) {
		wait_and_check(s);
	}
	if (s->error == 0 && visitor(s)->drawn) {
		visited(s, visitor(s)->drawn(s->user, &s->draw));
	}
	s->draw.draw++;
}

static void on_list(void *user, uint32_t addr, uint32_t size_bytes, bool is_jump) {
	struct step *s = user;
	if (s->error == 0 && visitor(s)->list) {
		visitor(s)->list(s->user, addr, size_bytes, is_jump);
	}
}

static void on_list_end(void *user) {
	struct step *s = user;
	if (s->error == 0 && visitor(s)->list_end) {
		visitor(s)->list_end(s->user);
	}
}

static int on_event(void *user, const struct pica_capture_event *event) {
	struct step *s = user;
	s->offset = event->offset;
	if (!list_walk_reads(&event->job)) {
		list_walk_job(&s->walk, &event->job); /* ends a run of vertices */
	}
	if (s->error == 0 && visitor(s)->event) {
		visited(s, visitor(s)->event(s->user, event));
	}
	if (s->error || !list_walk_reads(&event->job)) {
		return s->error;
	}
	const uint64_t lists = s->walk.lists, unreadable = s->walk.unreadable;
	const int worst = s->replay.worst;
	const uint32_t flags = s->replay.worst_flags;
	const uint64_t offset = s->replay.worst_offset;
	s->replay.worst = 0; /* of this job */
	list_walk_job(&s->walk, &event->job);
	flush_and_wait(s);
	if (worst) {
		s->replay.worst = worst;
		s->replay.worst_flags = flags;
		s->replay.worst_offset = offset;
	}
	if (s->walk.lists == lists && s->walk.unreadable != unreadable) {
		return s->error; /* a list outside memory: the job itself fails */
	}
	if (s->walk.cut && s->replay.worst == 0) {
		s->replay.worst = -EDQUOT;
		s->replay.worst_flags = 0;
		s->replay.worst_offset = s->offset;
	}
	return s->error ? s->error : REPLAY_TAKEN;
}

int step_start(struct step *s, struct gpu gpu, struct pica_capture *capture,
		uint32_t frame, const struct step_visitor *visitor, void *user) {
	*s = (struct step){ .visitor = visitor, .user = user };
	return replay_start(&s->replay, gpu, capture, frame);
}

void step_start_events(struct step *s, struct gpu gpu, replay_next_fn *next, void *next_user,
		const struct step_visitor *visitor, void *user) {
	*s = (struct step){ .visitor = visitor, .user = user };
	s->replay = (struct replay){ .gpu = gpu, .next = next, .next_user = next_user };
}

int step_frame(struct step *s, bool look) {
	static const struct list_visitor walker = { on_write, on_draw, on_vertex, on_drawn, on_list,
		on_list_end };
	s->draw.frame = (uint32_t)s->replay.frames;
	s->draw.draw = 0;
	const bool walks = look || edits_in_frame(s->edits, s->draw.frame);
	s->is_silent = !look;
	s->replay.look = walks ? on_event : NULL;
	s->replay.look_user = s;
	if (walks) {
		list_walk_init(&s->walk, s->replay.gpu.ctx, &walker, s);
	}
	int got = replay_frame(&s->replay);
	int ret = got < 0 || !walks ? got : replay_wait(&s->replay);
	return ret < 0 ? ret : got;
}
