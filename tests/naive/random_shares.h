/*
 * In how many of the random draws each feature took part: of what no draw uses, a comparison
 * without a difference says nothing.
 */
#ifndef RANDOM_SHARES_H
#define RANDOM_SHARES_H

#include <stdbool.h>

#include "naive.h"

struct shares;

struct shares *shares_create(void); /* exits with 2 without memory */
void shares_destroy(struct shares *s);
/* Counts what this renderer draws from now on, draws that write a pixel. */
void shares_watch(struct shares *s, struct naive *n);
/* Prints all of them, and on lines of their own those that should be there and are not. */
bool shares_print(const struct shares *s);

#endif
