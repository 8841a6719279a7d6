/* The tables of the look-up ports: pictures and names. */
#ifndef PICA_DUMP_LUTS_H
#define PICA_DUMP_LUTS_H

#include <stdint.h>

#include "files.h"

/*
 * Each table that holds anything as lut-NAME.png: curves, or strips of colours. Returns how many.
 */
unsigned dump_luts(struct dump_files *f, const struct snapshot *s);

#endif
