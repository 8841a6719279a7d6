/* The inside of a context and of a device, private to the front room and lib.c. */
#ifndef FRONT_CTX_H
#define FRONT_CTX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pass/pass.h"
#include "core/sched/monitor.h"
#include "core/space/space.h"
#include "pica.h"
#include "pica/front/observe.h"
#include "pica/regs/regfile.h"
#include "pica/tex/tex.h"

/* One shader unit's memories and upload ports (fidelity: shader-state, shader-upload). */
struct shader_unit {
	uint32_t code[SHADER_GS_WORDS];
	uint32_t descriptors[128];
	struct shader_uniforms u;
	uint32_t fifo[4]; /* words of an unfinished vec4 */
	unsigned n_fifo;
	uint32_t code_index, descriptor_index, uniform_index;
	struct prog *prog; /* counted; NULL: code or descriptors changed */
	bool uniforms_dirty;
};

/* Tables behind the look-up ports; read by lighting, fog, procedural texture and gas. */
struct luts {
	uint32_t light[32][256]; /* by table number of 1C5 bits 8-12 */
	uint32_t fog[128];
	uint32_t proctex[16][256];
	uint32_t gas[16];
};

/*
 * The primitive assembler (fidelity: assembly). A slot that a plain draw left behind is lazy: its
 * vertex is shaded again from `left` when it is needed, before memory can change.
 */
struct assembler {
	unsigned n;
	bool ready, invert;
	struct clip_vertex slot[2];
	bool lazy[2];
	uint32_t lazy_number[2];        /* vertex number for the fetch */
	float lazy_attributes[2][16][4]; /* inline vertices */
};

/* State of the draw that left lazy vertices behind. */
struct left_over {
	struct vertex_part part;
	struct shader_uniforms uniforms;
	struct prog *prog; /* counted, or NULL */
	uint64_t job;      /* whose draw it was */
	bool is_inline;
};

/* Geometry stage: gathered inputs and emitted vertices (fidelity: geometry-shader). */
struct geometry {
	struct shader_gs unit;
	float gathered[16][4];
	unsigned n_gathered;  /* point mode */
	uint32_t remaining;   /* variable mode: vertices of the primitive still to come */
	uint32_t main_left;   /* variable mode: vertices stored whole */
	uint32_t cursor;      /* next uniform */
	uint32_t n_vertices;  /* fixed mode: vertices stored */
	float emitted[3][16][4]; /* packed outputs: mapped when they are submitted */
	struct out_map map;   /* of the running draw */
	struct clip_vertex *out; /* triangles of the running draw, 3 vertices each */
	uint32_t n_out, cap_out;
	struct geometry_kept {   /* pica_ctx_keep_geometry() */
		bool on;
		int error;       /* -ENOMEM: some are missing */
		struct clip_vertex *v;
		uint32_t n, cap;
	} kept;
};

/* Immediate mode: vertices waiting to be drawn together; attributes have a stride of 16 vectors. */
struct immediate {
	float current[16][4];
	unsigned attribute;
	float (*vertices)[16][4];
	uint32_t n;
};

enum { IMMEDIATE_MAX = 1536 };

/*
 * Decoded tables of the procedural texture unit in the open pass; NULL: not yet, or changed since.
 */
struct proctex_parts {
	const struct proctex_map *noise, *map[2]; /* map: RGB, alpha */
	const struct proctex_colors *colors;
};

/* Lighting in the open pass; NULL: to be made anew. */
struct light_part {
	const struct light_draw *draw; /* of the registers as they were when it was made */
	const struct light_entry *table[LIGHT_TABLES];
};

/* Parts of the current draw state, derived lazily; valid in the open pass. */
struct parts {
	uint32_t dirty; /* PART_* */
	const struct vertex_part *vertex;
	const struct shader_uniforms *uniforms;
	const struct geom_state *geom;
	const struct frag_draw *frag;
	const uint32_t *fog_table; /* NULL: not copied yet, or written since */
	struct proctex_parts proctex;
	struct light_part light;
	struct target target; /* host pointers not set */
	bool target_ok;
	struct frag_info info;
	struct range tex[TEX_UNITS + TEX_FACES - 1];
	unsigned n_tex;
	bool touched_color, touched_depth; /* stamps were raised for the open pass */
	struct fetch_layout layout; /* of the registers, while layout_valid */
	bool layout_valid;
};

/* The job that the command thread works on. */
struct job_run {
	uint64_t seq;
	uint64_t words_left, jumps_left, vertices_left;
	uint64_t steps_left;  /* of the command thread's own shader runs */
	uint64_t texels_left; /* that may be decoded or copied */
	int result;
	uint32_t flags;      /* PICA_DONE_* */
	uint32_t interrupts; /* bit i: enum pica_interrupt i */
	struct range list;   /* words being read */
	struct pica_shot *shot[2]; /* of a PRESENT, or NULL; the slot's */
};

/* A job from submission to completion; under device.mon. */
struct job_slot {
	struct pica_job job;
	int result;
	uint32_t flags;
	uint32_t interrupts;
	enum pica_budget pass_budget; /* what a pass of it ran out of, or 0 */
	unsigned units; /* in flight */
	bool parsed;
	struct pica_shot *shot[2]; /* top, bottom: counted, put at completion */
};

/* Work per pixel of one target. */
struct counted {
	struct target target;
	struct tile_counts counts; /* entered is owned, the others lie behind it */
};

/* What registers 05A-05C count. */
struct raster_counts {
	uint64_t vertices, triangles, displayed;
};

struct pica_ctx {
	struct pica_device *device;
	struct pica_ctx *next; /* device.contexts */
	struct pica_ctx_settings settings;

	/* Command thread only (the caller when the context is idle). */
	struct space space;
	struct exec exec;
	struct tex_cache textures;
	struct frag_cache *plans;
	struct regfile regs;
	uint32_t external[PICA_EXTERNAL_WORDS];
	uint32_t lcd[PICA_LCD_WORDS];
	struct shader_unit vs, gs;
	struct luts luts;
	uint32_t light_written; /* bit t: lighting table t was uploaded, or reported */
	uint32_t fixed_raw[16][4];
	float fixed[16][4];
	uint32_t fixed_unwritten; /* bit i: fixed attribute i was never written */
	uint32_t attr_fifo[3];
	unsigned n_attr_fifo;
	uint32_t attr_index; /* 0-14, or 15: immediate mode */
	struct assembler assembler;
	struct left_over left;
	struct geometry geometry;
	struct immediate immediate;
	struct parts parts;
	struct job_run run;
	struct observer *observer; /* or NULL */
	uint64_t frame; /* PRESENTs so far */
	struct pica_stats stats;
	bool counting;          /* pica_ctx_count() */
	struct unwritten *unwritten; /* pica_ctx_find_unwritten(); or NULL */
	struct counted *counted;
	unsigned n_counted;
	uint32_t reported; /* features whose use was logged */
	uint64_t assembled; /* vertices that reached the primitive assembler */
	struct raster_counts counts_told; /* as far as registers 05A-05C know */
	bool gas_pending; /* passes that add gas may be in flight, or one is open */
	uint32_t *indices; /* of the running draw */
	uint32_t cap_indices;

	/* Under device.mon. */
	struct job_slot *slots; /* ring, by sequence number */
	uint64_t cap_slots;
	uint64_t submitted, parsed, completed; /* sequence numbers */
	unsigned in_flight;   /* units that are not reaped */
	uint64_t held;        /* job that waits for its immediate vertices to be drawn, or 0 */
	bool want_flush;      /* somebody waits: do not keep a pass open */
	uint64_t awaited;     /* for this job, or 0: completions before it wake nobody */
	bool is_pending;      /* set by the command thread: an open pass, or vertices that wait */
	bool closing;
	struct share *share;  /* turns.c */
	uint64_t charged;     /* of its work so far */
	/* as of the last job or unit; without the workers' time (exec_busy_ns()) */
	struct pica_usage usage;
	struct pica_done *done;
	uint64_t done_head, done_tail;
	bool is_untold; /* done_fd is not readable yet, though there are some */
	int done_fd;
};

/* A run of jobs whose time is being measured; ctx NULL: none. */
struct clocked {
	struct pica_ctx *ctx;
	uint64_t busy_ns, begun_ns; /* exec_busy_ns() and the time at its start */
	/* The thread's time, as far as it is known to be counted; when its clock was asked last. */
	uint64_t thread_ns, asked_ns;
};

struct pica_device {
	struct engine engine;
	/*
	 * Covers the fields named in struct pica_ctx; woken by submissions, retired units,
	 * completions.
	 */
	struct monitor mon;
	struct pica_ctx *contexts;
	struct share *shares, *turn; /* turns.c: all, and who is asked first */
	const struct pica_ctx *stepping; /* whose job the command thread works on, since step_ns */
	uint64_t step_ns;
	uint32_t n_created; /* contexts so far */
	bool stop, notified;
	/*
	 * The command thread sleeps for want of work; a submitter does its work (command_help()),
	 * and it waits for that to end.
	 */
	bool is_resting, is_helped, wants_back;
	/* Some context may be untold; since when, at least. */
	bool has_untold;
	uint64_t untold_ns;
	bool threaded;
	struct clocked clocked; /* command thread without its helpers, or who is inside */
	/* Without threads: one caller at a time does the work of all contexts. */
	bool inside;
	pthread_t insider;
	pthread_t command;
};

enum { DONE_RING = 65536 };

/* ---- command.c ---- */
int command_start(struct pica_device *device);
void command_stop(struct pica_device *device);
/*
 * A submission of short jobs while the command thread sleeps: the caller does them, which spares
 * two wake-ups. False: there is more, or others wait; wake the command thread. Lock held.
 */
bool command_help(struct pica_ctx *ctx);
/* Lets everything that is queued run; returns when the context is idle. */
void command_idle(struct pica_ctx *ctx);
/* Parses and completes what it can in the caller (no threads). */
void command_run_inline(struct pica_ctx *ctx, bool flush);
/* Only one thread at a time is between these two. False: this thread is inside already. */
bool command_enter(struct pica_device *device);
void command_leave(struct pica_device *device);
/* Somebody is going to wait for the context. Lock held. */
void command_want_flush(struct pica_ctx *ctx);
/* Makes done_fd readable, if it is to be. Lock held. */
void command_tell(struct pica_ctx *ctx);
/* A unit was opened for the running job. */
void command_unit_opened(struct pica_ctx *ctx);
void command_retired(void *arg, uint64_t job, int result, enum pica_budget budget);

/* ---- turns.c; device.mon is held ---- */
/* Takes the context into its owner's share. Negative: memory is out. */
int turns_join(struct pica_ctx *ctx);
void turns_leave(struct pica_ctx *ctx);
/* What it drew since the last call is paid for. */
void turns_charge(struct pica_ctx *ctx);
/*
 * The context's next job is paid for as one that was chosen. False: it is not its turn, since
 * another one waits.
 */
bool turns_take(struct pica_ctx *ctx);
/* The context whose next job comes, which is paid for; NULL: none waits. */
struct pica_ctx *turns_choose(struct pica_device *device);

/* ---- jobs.c ---- */
/* Runs one job as far as the command thread does; result and flags in ctx->run. */
void job_run(struct pica_ctx *ctx, const struct pica_job *job);
/* What pica_stats() tells; exact when nothing is in flight. */
void front_stats(struct pica_ctx *ctx, struct pica_stats *out);

/* ---- passes.c ---- */
/* No more draws for now: draws the immediate vertices that wait, and closes the open pass. */
void passes_end(struct pica_ctx *ctx);
/* Words of a list are read from here on; waits for units that write them. */
void passes_before_list(struct pica_ctx *ctx, struct range words);
/* The command thread reads memory, as all draws so far leave it; waits for those. */
void passes_before_read(struct pica_ctx *ctx, const struct range *r, unsigned n);
/* A draw with these vertices comes. */
void passes_before_draw(struct pica_ctx *ctx, const struct range *vertices, unsigned n);
/* A draw was added. samples_target: it must stay alone. */
void passes_after_draw(struct pica_ctx *ctx, bool samples_target);
/* Afterwards a pass is open that can take a draw with the target and textures in parts. */
void passes_for_target(struct pica_ctx *ctx, bool samples_target);
/* Memory of the open pass. NULL: the job ends with -ENOMEM. */
void *front_pass_alloc(struct pica_ctx *ctx, size_t size_bytes);

/* ---- present.c ---- */
/* The running PRESENT fills its shots. No pass is open. */
void front_present(struct pica_ctx *ctx);

/* An access to memory, for those who observe the context: see observe.h. */
static inline bool front_access(struct pica_ctx *c, struct range r, enum access why) {
	return (c->observer || c->unwritten) && observe_access(c, r, why);
}

/* ---- cmdlist.c ---- */
void cmdlist_run(struct pica_ctx *ctx, uint32_t addr, uint32_t size_bytes);
enum act { ACT_NONE, ACT_STOP, ACT_JUMP0, ACT_JUMP1, ACT_ABORT };
/* One register write with its side effects. from_cpu: CPU-only registers may be written. */
enum act reg_write(struct pica_ctx *ctx, uint32_t id, uint32_t value, uint32_t mask, bool from_cpu);
/* Counts, and marks the running job. */
void front_fault(struct pica_ctx *ctx, enum pica_fault fault);
/* Says which. */
void front_used_up(struct pica_ctx *ctx, uint64_t job, enum pica_budget budget);
/* Takes n from a budget of the running job. False: it is used up, the job ends with -EDQUOT. */
bool front_charge(struct pica_ctx *ctx, uint64_t *left, uint64_t n, enum pica_budget what);
/* Takes the steps of a run on the command thread, which was not to be cut off. -EDQUOT as above. */
void front_charge_shader(struct pica_ctx *ctx, const struct shader_result *result);

/* ---- ports.c ---- */
/* Consumes a write to a port, or notes what a plain register changes in a unit. */
void ports_write(struct pica_ctx *ctx, uint32_t id, uint32_t value);
/* Uniforms and other mirrors of the registers after a state was loaded. */
void ports_reload(struct pica_ctx *ctx);

/* ---- state.c ---- */
/* The context is idle: nothing waits to be drawn. */
void state_load(struct pica_ctx *ctx, const struct pica_state *state);
void state_save(struct pica_ctx *ctx, struct pica_state *state);

/* ---- status.c ---- */
/*
 * Registers 032, 033, 05A-05C are what they should be. Nothing is in flight, and no pass is open.
 */
void status_settle(struct pica_ctx *ctx);

/* ---- count.c ---- */
/*
 * The counters of a target, new ones if it has none. False: no memory (the job's result says so).
 */
bool count_find(struct pica_ctx *ctx, const struct target *t, struct tile_counts *out);
/* Forgets them. The context is idle. */
void count_clear(struct pica_ctx *ctx);

/* ---- draw.c ---- */
/* The parts lie in a pass that is not open any more. */
void parts_forget(struct pica_ctx *ctx);
void draw_arrays(struct pica_ctx *ctx);
void draw_elements(struct pica_ctx *ctx);
/* A complete immediate vertex is in ctx->immediate.current. */
void draw_immediate_vertex(struct pica_ctx *ctx);
void draw_immediate_flush(struct pica_ctx *ctx);

/* A draw's stream before it is split: what fills struct draw. */
struct stream {
	uint32_t n, first;
	const uint32_t *index; /* in the pass's arena or ctx memory, or NULL */
	const float (*inline_attributes)[4];
	uint32_t min, max;     /* vertex numbers, for footprints */
};

/*
 * The vertex part for the registers as they are. uniforms: where it points to. False: no memory, or
 * a budget (the job's result says so). The program stays the context's: take a reference to keep
 * it.
 */
bool vertex_part_make(struct pica_ctx *ctx, struct vertex_part *part,
		const struct shader_uniforms *uniforms);
/* Decodes a unit's program if it is new; false as above. */
bool shader_unit_prepare(struct pica_ctx *ctx, struct shader_unit *unit, unsigned n_words);
/* Steps that one invocation on the command thread may take; front_charge() what it took. */
uint64_t front_step_budget(const struct pica_ctx *ctx);

/* ---- frag_part.c ---- */
/*
 * Derives plan, target, raster state and textures from the registers, in an open pass that fits
 * them. False: nothing is drawn, or memory is out (the job's result says so). *own_target: the draw
 * samples what it writes.
 */
bool frag_part_make(struct pica_ctx *ctx, bool *own_target);

/* ---- fog_part.c ---- */
/* The fog table as it is now, in the open pass. NULL: the job ends with -ENOMEM. */
const uint32_t *fog_part_make(struct pica_ctx *ctx);

/* ---- proctex_part.c ---- */
/* A word for one of the unit's tables. */
void proctex_table_write(struct pica_ctx *ctx, unsigned table, uint32_t index, uint32_t word);
/*
 * The unit for the registers and tables as they are, in the open pass. NULL: no memory (as above).
 */
const struct frag_proctex *proctex_part_make(struct pica_ctx *ctx);

/* ---- light_part.c ---- */
/* The lighting that parts.info asks for, in the open pass. NULL: memory is out. */
const struct light_draw *light_part_make(struct pica_ctx *ctx);
/* An entry of the table is no more what it was. */
void light_table_changed(struct pica_ctx *ctx, unsigned table);

/* ---- gas.c ---- */
/* A unit was reaped: what it says about register 125. */
void gas_result(struct pica_ctx *ctx);
/* Waits until register 125 knows all draws so far. */
void gas_settle(struct pica_ctx *ctx);

static inline struct range color_range(const struct target *t) {
	return (struct range){ t->color_addr, t->color_bytes };
}

static inline struct range depth_range(const struct target *t) {
	return (struct range){ t->depth_addr, t->depth_bytes };
}

/* ---- assemble.c ---- */
void assembler_reset(struct pica_ctx *ctx);
/* Vertices that the assembler holds, in stream order (0..2), into out; resolves lazy ones. */
unsigned assembler_prefix(struct pica_ctx *ctx, struct clip_vertex out[2], unsigned *parity);
/* What stays in the assembler after a plain draw. */
void assembler_after(struct pica_ctx *ctx, const struct draw *d);
/* Shades lazy vertices now. */
void assembler_resolve(struct pica_ctx *ctx);
/* Geometry shader: one vertex; a finished triangle goes to ctx->geometry.out. */
void assembler_submit(struct pica_ctx *ctx, const struct clip_vertex *v);

/* ---- geometry.c ---- */
/* Draws a stream through the geometry shader, on the command thread. */
void geometry_draw(struct pica_ctx *ctx, const struct stream *s, bool indexed);
/* Adds a draw of ready clip vertices (a list of triangles). */
void draw_clip_list(struct pica_ctx *ctx, const struct clip_vertex *v, uint32_t n);
void geometry_config_changed(struct pica_ctx *ctx);

#endif
