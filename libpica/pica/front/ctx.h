/* A context of the PICA200: private to the front room and the rooms above it. */
#ifndef FRONT_CTX_H
#define FRONT_CTX_H

#include "core/ctx/ctx.h"
#include "pica/front/bill.h"
#include "pica/front/count.h"
#include "pica/front/list.h"
#include "pica/front/parts.h"
#include "pica/front/vertex.h"
#include "pica/history/history.h"
#include "pica/regs/regfile.h"

/* The counts of registers 05A-05C. */
struct raster_counts {
	uint64_t vertices, triangles, displayed;
};

/*
 * All but the queue belongs to the command thread (while the context is idle: to the context's
 * caller).
 */
struct pica200 {
	struct pica_ctx base; /* first */
	struct kernels kernels; /* with the context's combiner */
	struct tex_cache textures;
	struct frag_cache *plans;
	struct regfile regs;
	uint32_t external[PICA_EXTERNAL_WORDS];
	uint32_t lcd[PICA_LCD_WORDS];
	struct shader_unit vs, gs;
	struct frag_luts luts; /* tables written through ports */
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
	struct history *history; /* pica_ctx_watch(); or NULL */
	struct frag_costs *costs; /* pica_ctx_find_costs(); or NULL; owned */
	struct pica_costs costs_before; /* the sums when pica_ctx_find_costs() was called */
	uint64_t command_steps; /* of programs run on the command thread for geometry shaders */
	struct bills *bills;    /* pica_ctx_count_jobs(); or NULL; owned */
	bool counting;          /* pica_ctx_count() */
	struct counted *counted;
	unsigned n_counted;
	uint32_t reported; /* features whose use was logged */
	uint64_t assembled; /* vertices that reached the primitive assembler */
	struct raster_counts counted_before; /* as already shown in registers 05A-05C */
	bool gas_pending; /* passes that add gas may be in flight, or one is open */
	uint32_t *indices; /* of the running draw */
	uint32_t cap_indices;
	struct shader_batch batch; /* vertices that the command thread shades */
};

/* Returns the context if its chip is the PICA200, else NULL. */
static inline struct pica200 *pica200_from(struct pica_ctx *base) {
	return base->chip->id == PICA_CHIP_PICA200 ? (struct pica200 *)base : NULL;
}

static inline const struct kernels *device_kernels(const struct pica_device *dev) {
	return dev->kernels[PICA_CHIP_PICA200];
}

/* ---- work.c ---- */
extern const struct chip pica200_chip;
/* Called by the context's caller while the context is idle. */
void front_clear_textures(struct pica200 *ctx);

/* ---- jobs.c ---- */
/* Runs the command thread's part of a job; leaves result and flags in ctx->run. */
void job_run(struct pica200 *ctx, const struct pica_job *job);

/* Returns the size of immediate.vertices in bytes. */
size_t front_immediate_bytes(const struct pica200 *ctx);

/* Returns the register (external, internal or LCD) at a physical address, or NULL. */
uint32_t *front_register(struct pica200 *ctx, uint32_t addr);

/* ---- present.c ---- */
/* Fills the shots of the running PRESENT. No pass may be open. */
void front_present(struct pica200 *ctx);

/* ---- state.c; the context is idle ---- */
void state_load(struct pica200 *ctx, const struct pica_state *state);
void state_save(struct pica200 *ctx, struct pica_state *state);

/* ---- status.c ---- */
/*
 * Brings registers 032, 033, 05A-05C up to date. Nothing may be in flight, and no pass open.
 */
void status_settle(struct pica200 *ctx);
/* Returns the bits of 10400034 that an unfinished job sets. Any thread. */
uint32_t front_status(const struct pica_job *job);

#endif
