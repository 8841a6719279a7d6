/*
 * pica lint: replays a capture draw by draw and reports violations of the hardware's rules. The
 * rules are a table, rules.def; each file of lint/ checks one subject.
 */
#ifndef PICA_LINT_H
#define PICA_LINT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/engines.h"
#include "common/facts.h"
#include "common/options.h"
#include "common/snapshot.h"
#include "common/upload.h"
#include "core/base/attributes.h"
#include "pica.h"
#include "pica_capture.h"
#include "pica_history.h"
#include "pica_inspect.h"
#include "step.h"

enum lint_rule {
#define RULE(name, id, severity, title, source) LINT_##name,
#include "rules.def"
#undef RULE
	LINT_RULES,
};

struct lint_rule_info {
	const char *id, *severity, *title, *source;
};

/*
 * A place: list and draw are counted from 0 in each frame, -1 means none.
 */
struct lint_place {
	uint32_t frame;
	int64_t list, draw;
	uint32_t addr;   /* of the word in a list, 0: none */
	uint64_t offset; /* of the event in the capture; LINT_NO_OFFSET: there is none */
};

#define LINT_NO_OFFSET UINT64_MAX

/* The findings of a rule about one register. */
struct lint_finding {
	enum lint_rule rule;
	uint32_t reg;            /* number, or physical address of an external one; LINT_NO_REG */
	uint32_t value;          /* and the rest: of the first time */
	struct lint_place place;
	char detail[96];
	uint64_t count;
};

#define LINT_NO_REG UINT32_MAX

/* [begin, end) of physical memory; 64 bits, so that ends do not wrap. */
struct lint_range {
	uint64_t begin, end;
};

enum { LINT_DIRTY = 16, LINT_VERTICES = 64, LINT_MAX_VERTICES = 1 << 16 };

/* Vertices that lint shades itself. */
struct lint_vertices {
	float attributes[LINT_VERTICES][16][4]; /* of n vertices in the list */
	struct pica_vertex out[LINT_VERTICES];
	uint32_t n, first;
	bool is_done; /* the draw has had its finding, or cannot have one */
};

/* The callbacks of another verb, in addition to the rules. A nonzero result ends the replay. */
struct lint_guest {
	/* Before a draw, after the rules; and when it is done. */
	int (*draw)(void *user, const struct step_draw *draw, const uint32_t *regs);
	int (*drawn)(void *user, const struct step_draw *draw);
	/* Before a load, fill, transfer or copy; from: empty without a source. */
	int (*moved)(void *user, enum pica_history_kind kind, struct lint_range from,
			struct lint_range to);
	/* At each PRESENT; may be NULL. */
	int (*shown)(void *user);
	void *user;
};

struct lint {
	struct pica_ctx *ctx;    /* borrowed */
	const struct lint_guest *guest; /* or NULL */
	const char *teller; /* name for messages of findings as they appear; NULL: there are none */
	/* The first finding since the previous draw or job, or -1. */
	int64_t heard;
	struct step step;
	const struct edits *edits; /* borrowed, or NULL */
	struct lint_place here;
	struct lint_finding *findings; /* owned, in order of appearance */
	unsigned n;
	size_t cap;
	int error;               /* -ENOMEM */
	const char *until; /* if a program did not end well: how far it is clean; else NULL */
	unsigned n_refused; /* mistakes of a program that libpica-ctru told of: in no job */

	/* The current list: list.c. */
	uint32_t size_word[2], addr_word[2];
	int64_t next_list;
	uint64_t jumps;
	bool has_ended, is_cut, has_drawn;
	uint32_t blend_entry;
	uint32_t blend[2]; /* BLEND_FUNC, LOGIC_OP before the write */
	uint32_t blend_before; /* the one changed by the previous write, or 0 */
	bool has_restarted; /* since the last draw */
	/* Fixed attributes: the current one, and those that are not finite. */
	struct {
		uint32_t index, word[3], bad;
		unsigned n_words;
	} fixed;
	struct uploads uploads;

	/* Drawn, and not flushed. */
	struct lint_range dirty[LINT_DIRTY];
	unsigned n_dirty;

	struct engines engines; /* copy.c */

	/* Programs: shader.c. */
	bool program_changed;
	struct pica_state *state; /* owned, scratch */

	struct lint_vertices vertices; /* position.c */

	/* Nonempty tables: effects.c. */
	struct {
		bool is_known; /* includes the initial tables of the capture */
		uint32_t light, proctex; /* bit n: table n */
		bool has_fog, has_gas;
	} tables;

	struct facts_reads reads; /* of the draw: unread state has no finding */

	struct pica_stats stats; /* after the last draw */
};

/* Reports at l->here. fmt: describes the value. */
PICA_PRINTF(5, 6)
void lint_report(struct lint *l, enum lint_rule rule, uint32_t reg, uint32_t value, const char *fmt,
		...);

/* The same about a register with its value at the draw. */
#define lint_reg(l, rule, regs, reg, ...) lint_report(l, rule, reg, (regs)[reg], __VA_ARGS__)

/* Returns whether the draw's result depends on a combiner source, PICA_TEV_SOURCE_*. */
bool lint_reads_source(const struct lint *l, unsigned source);

/* Reports fields of a register that are floats and not finite. */
void lint_finite(struct lint *l, enum lint_rule rule, const uint32_t *regs, uint32_t reg);
static inline bool lint_is_finite_f24(uint32_t word) {
	return (word >> 16 & 0x7F) != 0x7F;
}
/* For "%g": clears the meaningless sign of a NaN, which would be printed. */
double lint_number(double value);

/* ---- Memory ---- */

struct lint_range lint_range(uint64_t begin, uint64_t size);
bool lint_overlaps(struct lint_range a, struct lint_range b);
bool lint_in_memory(const struct lint *l, struct lint_range r);
/* Returns whether pixels in the range were drawn and not flushed. */
bool lint_is_dirty(const struct lint *l, struct lint_range r);

/* ---- Subjects ---- */

/* Of a step_visitor; user is the struct lint. */
void lint_list_begin(void *user, uint32_t addr, uint32_t size_bytes, bool is_jump);
void lint_list_end(void *user);
void lint_list_write(void *user, const struct pica_list_write *w, bool from_list);
void lint_position_vertex(void *user, const uint32_t (*attributes)[4], unsigned n);
/* Calls the guest after the rules. */
void lint_moved(struct lint *l, enum pica_history_kind kind, struct lint_range from,
		struct lint_range to);
/* Before a PICA_OP_LIST. */
void lint_list_job(struct lint *l, const struct pica_job_list *job);

/* Checks of a draw. lint_draw() also records the memory that it writes. */
void lint_draw(struct lint *l, const uint32_t *regs);
void lint_texture(struct lint *l, const uint32_t *regs);
void lint_vertex(struct lint *l, const uint32_t *regs, enum draw_kind kind);
void lint_shader(struct lint *l, const uint32_t *regs);
void lint_effects(struct lint *l, const uint32_t *regs);
/* A write to a table's port. */
void lint_effects_write(struct lint *l, const struct pica_list_write *w);
/* Called at the draw and, if its vertices are in the list, after it. */
void lint_position_draw(struct lint *l, const uint32_t *regs, enum draw_kind kind);
void lint_position_end(struct lint *l);
/* Ranges that a draw may write: colour and depth; empty if it writes none. */
void lint_targets(const uint32_t *regs, struct lint_range *color, struct lint_range *depth);

void lint_copy_event(struct lint *l, const struct pica_job *job);

/* Checks a whole capture of the VideoCore IV; sets step.replay. Returns 0 or a negative errno. */
int lint_videocore(struct lint *l, const struct capture_here *c);

/* ---- For other verbs ---- */

/*
 * Replays the frames of a capture on l->ctx, with l->guest. Returns 0 or a negative errno. Call
 * lint_finish() in any case.
 */
int lint_gather(struct lint *l, struct pica_capture *capture, const char *name, uint32_t n_frames);
void lint_finish(struct lint *l);
/* The severity and the id of a finding's rule. */
const struct lint_rule_info *lint_rule(enum lint_rule rule);
/* Replays a capture. Returns whether it accesses addresses outside memory; *out: the first such
 * finding. */
bool lint_outside(const char *path, struct lint_finding *out);
/* Prints place, register and detail. */
void lint_print_where(const struct lint_finding *f);
json_t *lint_finding_json(const struct lint_finding *f);
/*
 * Gathers the findings of a program that runs: next() gives its jobs, which l->ctx executes, whose
 * memory is the program's at that time. Logs the first finding of each rule when it appears, with
 * the name l->teller. Returns 0 or a negative errno. Call lint_finish() in any case.
 */
int lint_program(struct lint *l, replay_next_fn *next, void *user);
/* Prints findings under a name. Returns the exit code of pica lint. */
int lint_print(struct lint *l, const char *name);
/* Returns all findings of a capture, or NULL after logging. A job that fails is not logged. */
json_t *lint_findings(const char *path);

#endif
