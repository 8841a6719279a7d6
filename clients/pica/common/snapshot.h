/* The state at a draw: as text, as JSON, and compared with another. */
#ifndef PICA_SNAPSHOT_H
#define PICA_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "facts.h"
#include "pica.h"
#include "step.h"

struct snapshot {
	struct step_draw draw;
	struct pica_state state;
};

/* All groups of registers; bit i: enum pica_reg_group i. */
enum { SNAPSHOT_ALL = (1 << PICA_GROUP_COUNT) - 1 };

/*
 * groups: which registers; uniforms go with the groups of their units, fixed attributes with
 * geometry.
 */
void snapshot_text(const struct snapshot *s, uint32_t groups, FILE *out);
json_t *snapshot_json(const struct snapshot *s, uint32_t groups);
/*
 * Writes all groups, without registers that are 0, and without the geometry unit if it has no
 * program of its own; of each table only a hash.
 */
void snapshot_short_text(const struct snapshot *s, FILE *out);

/*
 * Prints the differences from a to b; returns the number of registers, uniforms, attributes and
 * programs that differ.
 */
unsigned snapshot_diff_text(
		const struct snapshot *a, const struct snapshot *b, uint32_t groups, FILE *out);
json_t *snapshot_diff_json(const struct snapshot *a, const struct snapshot *b, uint32_t groups);

/*
 * Writes both short texts in one listing: common lines once, after two blanks; lines of only one
 * after "A " or "B ". Returns 0 or -ENOMEM.
 */
int snapshot_both_text(const struct snapshot *a, const struct snapshot *b, FILE *out);

/* {"RGB0": "texture0", "VALUE": 200.0}: the fields of a register, shared with lists of writes. */
json_t *snapshot_fields_json(uint32_t id, uint32_t word);
/* The target; the textures of those chosen units (bit u: unit u) that are on. */
json_t *snapshot_target_json(const uint32_t *regs);
json_t *snapshot_textures_json(const uint32_t *regs, uint32_t chosen);
/* A hash of the code and operand descriptors of a shader unit, in hexadecimal. */
void snapshot_program(const struct pica_shader_state *unit, char text[17]);
/* "frame 3 draw 7: elements, 36 vertices, list". */
void snapshot_title(const struct snapshot *s, FILE *out);

enum { SNAPSHOT_TABLE_NAME = 24 };

/* "light-D0", "light-SP3", "light-24": name of a lighting table.  [fidelity: lighting-tables] */
void snapshot_light_table(unsigned index, char name[SNAPSHOT_TABLE_NAME]);

/* Shows each table of the chosen groups, which are those of the ports that write them. */
void snapshot_tables(const struct pica_tables *t, uint32_t groups,
		void (*show)(void *user, const char *name, const uint32_t *words, unsigned n),
		void *user);

/* Returns whether a table contains only zeros. */
bool snapshot_is_empty(const uint32_t *words, unsigned n);

/* ---- Values of registers ---- */

/* Returns whether a register is state of these groups; ports and triggers keep no state. */
bool snapshot_is_state(uint32_t id, uint32_t groups);
#endif
