/*
 * Clients that mean harm, one a case. Each case says what must happen to the offender; the runner
 * (hostile.c) then asks whether the service lives, gave back its descriptors and mappings, and
 * draws the neighbour's picture right.
 */
#ifndef SERVICE_HOSTILE_H
#define SERVICE_HOSTILE_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "scene.h"

struct bench {
	struct daemon *daemon;
	struct neighbour neighbour;
};

struct hostile_case {
	const char *name;
	bool (*fn)(struct bench *b);
};

extern const struct hostile_case hello_cases[], message_cases[], memory_cases[], ring_cases[],
		list_cases[];
extern const unsigned n_hello_cases, n_message_cases, n_memory_cases, n_ring_cases, n_list_cases;

/* What the service of the matrix is told; cases know these numbers. */
enum {
	MATRIX_SESSIONS = 12,
	MATRIX_GREETING = 8,
	MATRIX_REGIONS = 16,
	MATRIX_REGION_BYTES = 16 << 20,
	MATRIX_MEMORY_BYTES = 32 << 20,
	MATRIX_CONTEXTS = 4,
	MATRIX_JOBS = 64,
};

/* Dropped with an ERROR of that errno, whose sentence has text in it. Closes. */
bool is_told(struct raw *r, int error, const char *text);
/* A request's answer. */
bool is_refused(const struct raw *r, int ret, int error, const char *text);
/* The neighbour's picture is right now. */
bool neighbour_is_well(struct bench *b);

#endif
