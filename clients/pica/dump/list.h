/* The events of a frame and the writes of its command lists, as text or JSON. */
#ifndef PICA_DUMP_LIST_H
#define PICA_DUMP_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "step.h"

struct dump_list {
	FILE *out;       /* text, or NULL */
	json_t *events;  /* JSON: an array, borrowed, or NULL */
	uint32_t groups; /* registers that are shown, bit i: enum pica_reg_group i */
	uint32_t event;  /* number of the next one in the frame */
	json_t *parts, *writes; /* borrowed: of the list that is being read */
	struct {
		uint32_t word;  /* as it counts up */
		uint32_t known; /* bits that were written */
	} index[4];      /* registers that say where the next word of a table goes */
};

void dump_list_event(struct dump_list *d, const struct pica_capture_event *event);
void dump_list_list(struct dump_list *d, uint32_t addr, uint32_t size_bytes, bool is_jump);
void dump_list_end(struct dump_list *d);
/* Follows each write before the shown part, so that the places of words in tables are known. */
void dump_list_skip(struct dump_list *d, const struct pica_list_write *w);
void dump_list_write(struct dump_list *d, const struct pica_list_write *w, bool from_list);
/* The write that is shown next begins this draw. */
void dump_list_draw(struct dump_list *d, const struct step_draw *draw);

#endif
