/* A context of the VideoCore IV without its queue: memory, lists, programs, one job at a time. */
#ifndef UNIT_VC4_RIG_H
#define UNIT_VC4_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vc4/draw/draw.h"

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
	struct engine e;
	struct space space;
	struct exec x;
	struct vc4_unit unit;
	struct vc4_kernels k;
	struct vc4_error error;
	uint8_t *memory; /* RIG_SIZE bytes at RIG_BASE */
	uint32_t end[2]; /* of the lists so far */
	unsigned columns, rows;
	unsigned n_threads;
	uint64_t pixels, steps;
	int result; /* of the tasks of the last job */
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
/* Runs the job; waits. Returns what vc4_job_run() does. */
int rig_run(struct vc4_rig *r);
/* As zlib has it. */
uint32_t rig_crc32(const void *data, size_t size);

#endif
