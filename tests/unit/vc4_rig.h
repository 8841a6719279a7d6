/* A context of the VideoCore IV: memory, lists, programs, one job at a time. */
#ifndef UNIT_VC4_RIG_H
#define UNIT_VC4_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/vec/cpu.h"
#include "pica.h"

enum {
	RIG_BASE = 0x00100000,
	RIG_SIZE = 0x00400000,
	RIG_BINNING = 0x100000,
	RIG_RENDERING = 0x101000, /* 32 KiB */
	RIG_SHADERS = 0x110000,
	RIG_VERTICES = 0x118000,
	RIG_STATE = 0x120000,
	RIG_TILES = 0x140000,
	RIG_TARGET = 0x180000,
};

struct vc4_rig {
	struct pica_device *device;
	struct pica_ctx *ctx;
	uint8_t *memory; /* RIG_SIZE bytes at RIG_BASE */
	uint32_t end[2]; /* of the lists so far */
	unsigned columns, rows;
	struct pica_done done; /* of the last job */
	char log[200];   /* the last line */
};

void rig_open(struct vc4_rig *r, enum isa isa, unsigned n_threads);
void rig_close(struct vc4_rig *r);
/* The host address of a bus address. */
void *rig_at(struct vc4_rig *r, uint32_t addr);
/* Appends bytes to list 0 or 1: "70 00201000", spaces anywhere. */
void rig_list(struct vc4_rig *r, unsigned list, const char *hex);
/* The same anywhere in memory. */
void rig_hex(struct vc4_rig *r, uint32_t addr, const char *hex);
/* Assembles a program. */
void rig_program(struct vc4_rig *r, uint32_t addr, const char *text);
/*
 * Empties the lists and begins both: a target of width times height, clear colour, tiles in order.
 * flags of 0x70 and 0x71 beside what the size says: bit 0 is multisample.
 */
void rig_begin(struct vc4_rig *r, unsigned width, unsigned height, uint32_t clear, unsigned flags);
/* Ends the binning list; the rendering list draws and stores each tile. */
void rig_end(struct vc4_rig *r);
/* Runs the job; waits. Returns its result. */
int rig_run(struct vc4_rig *r);

/* Contexts with a window of RIG_SIZE zeros at RIG_BASE. budgets: or NULL. */
struct pica_ctx *rig_context(struct pica_device *device, const struct pica_budgets *budgets);
void rig_drop(struct pica_ctx *ctx);
/* The job of the lists. */
struct pica_job rig_job(const struct vc4_rig *r);
/* Submits, waits, and returns the only completion. */
struct pica_done rig_submit(struct pica_ctx *ctx, const struct pica_job *job);
struct pica_stats rig_stats(struct pica_ctx *ctx);

#endif
