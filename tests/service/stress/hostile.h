/*
 * Hostile clients, one in each case. The case checks the result for the offender; the runner
 * (hostile.c) then checks that the service is alive, has freed its descriptors and mappings, and
 * draws the neighbour's picture correctly.
 */
#ifndef SERVICE_HOSTILE_H
#define SERVICE_HOSTILE_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/attributes.h"
#include "daemon.h"
#include "scene.h"

struct bench {
	struct daemon *daemon;
	struct neighbour neighbour;
};

struct hostile_case {
	const char *name;
	bool (*fn)(struct bench *b);
	struct hostile_case *next;
};

void hostile_add(struct hostile_case *c);

/* HOSTILE_CASE(name) { ... }: a case of the matrix. Cases run in the order of their files. */
#define HOSTILE_CASE(case_name) \
	static bool case_name(struct bench *b); \
	PICA_CONSTRUCTOR static void case_name##_register(void) { \
		static struct hostile_case c = { .name = #case_name, .fn = case_name }; \
		hostile_add(&c); \
	} \
	static bool case_name(struct bench *b)

/* A case that is one call. */
#define CALL_CASE(case_name, call) \
	HOSTILE_CASE(case_name) { \
		return call; \
	}

/* A case with a thing that is open before it, by an expression, and closed after it. */
#define OPEN_CASE(case_name, type, var, open, close) \
	static bool case_name##_with(struct bench *b, type *var); \
	HOSTILE_CASE(case_name) { \
		type thing, *var = &thing; \
		EXPECT(open); \
		const bool ok = case_name##_with(b, var); \
		close; \
		return ok; \
	} \
	static bool case_name##_with(struct bench *b, type *var)
/* With a session r of the offender; with a neighbour evil. */
#define SESSION_CASE(case_name) \
	OPEN_CASE(case_name, struct raw, r, raw_open(r, b->daemon->socket, 8) == 0, raw_close(r))
#define NEIGHBOUR_CASE(case_name) \
	OPEN_CASE(case_name, struct neighbour, evil, \
			neighbour_open(evil, b->daemon->socket) == 0, neighbour_close(evil))

/* Options of the matrix's service; cases know these numbers. */
enum {
	MATRIX_SESSIONS = 12,
	MATRIX_GREETING = 8,
	MATRIX_REGIONS = 16,
	MATRIX_REGION_BYTES = 16 << 20,
	MATRIX_MEMORY_BYTES = 32 << 20,
	MATRIX_CONTEXTS = 4,
	MATRIX_JOBS = 64,
};

/* Returns whether the session ended with that error, in a message that contains text. Closes it. */
bool is_told(struct raw *r, int error, const char *text);
/* A request's answer. */
bool is_refused(const struct raw *r, int ret, int error, const char *text);
/* No context is made of these settings. */
bool is_context_refused(struct raw *r, struct pica_msg_context_create m, int error,
		const char *text);
/* The neighbour's picture is right now. */
bool neighbour_is_well(struct bench *b);

#endif
