/*
 * The share of random draws that use each feature: a comparison says nothing about a feature that
 * no draw uses.
 */
#ifndef RANDOM_SHARES_H
#define RANDOM_SHARES_H

#include <stdbool.h>

#include "naive.h"

struct shares;

struct shares *shares_create(void); /* exits with 2 without memory */
void shares_destroy(struct shares *s);
/* Counts the features of this renderer's later draws that write a pixel. */
void shares_watch(struct shares *s, struct naive *n);
/* Prints all shares, and the missing ones on lines of their own. */
bool shares_print(const struct shares *s);

#endif
