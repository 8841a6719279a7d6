/* A list under construction and its decoded form: shared by the suites of the emit room. */
#ifndef EMIT_RIG_H
#define EMIT_RIG_H

#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pica_emit.h"

static struct pica_emit em;

static inline void setup(void) {
	pica_emit_init(&em);
}

static inline void teardown(void) {
	pica_emit_finish(&em);
}

static inline void check_words(const uint32_t *expected, size_t n) {
	ck_assert_int_eq(em.error, 0);
	ck_assert_uint_eq(em.count, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(em.words[i] == expected[i], "word %zu: %08X, expected %08X", i,
				em.words[i], expected[i]);
	}
	pica_emit_reset(&em);
}
#define CHECK_WORDS(...) \
	do { \
		static const uint32_t expected_words[] = { __VA_ARGS__ }; \
		check_words(expected_words, ARRAY_LEN(expected_words)); \
	} while (0)

/* One register write, as a reader of the list sees it. */
struct write {
	uint32_t id, value, mask;
};

/* The decoder of [fidelity: command-list]; stops at `max` writes. */
static inline size_t decode(const uint32_t *w, size_t nwords, struct write *out, size_t max) {
	size_t pos = 0, n = 0;
	while (pos + 2 <= nwords) {
		uint32_t p0 = w[pos], h = w[pos + 1];
		pos += 2;
		uint32_t id = h & 0xFFFF, mask = h >> 16 & 0xF;
		uint32_t extra = h >> 20 & 0xFF, inc = h >> 31;
		if (n < max) {
			out[n] = (struct write){ id, p0, mask };
		}
		n++;
		for (uint32_t k = 0; k < extra; k++) {
			ck_assert_uint_lt(pos, nwords);
			id += inc;
			if (n < max) {
				out[n] = (struct write){ id, w[pos], mask };
			}
			n++;
			pos++;
		}
		pos = (pos + 1) & ~(size_t)1;
	}
	ck_assert_uint_eq(pos, nwords);
	return n;
}

static inline void check_writes(const struct write *expected, size_t n) {
	static struct write got[2048];
	ck_assert_int_eq(em.error, 0);
	size_t count = decode(em.words, em.count, got, ARRAY_LEN(got));
	for (size_t i = 0; i < n && i < count; i++) {
		ck_assert_msg(got[i].id == expected[i].id && got[i].value == expected[i].value &&
						got[i].mask == expected[i].mask,
				"write %zu: %03X = %08X mask %X, expected %03X = %08X mask %X", i,
				got[i].id, got[i].value, got[i].mask, expected[i].id,
				expected[i].value, expected[i].mask);
	}
	ck_assert_uint_eq(count, n);
	pica_emit_reset(&em);
}
#define CHECK_WRITES(...) \
	do { \
		static const struct write expected_writes[] = { __VA_ARGS__ }; \
		check_writes(expected_writes, ARRAY_LEN(expected_writes)); \
	} while (0)

/* The call just made must have failed and written nothing. */
static inline void check_fails(int error, const char *what) {
	ck_assert_msg(pica_emit_error(&em) == error, "%s: %d", what, pica_emit_error(&em));
	ck_assert_msg(em.count == 0, "%s wrote %zu words", what, em.count);
	pica_emit_reset(&em);
	ck_assert_int_eq(pica_emit_error(&em), 0);
}
#define REFUSED_AS(error, call) \
	do { \
		call; \
		check_fails(error, #call); \
	} while (0)
#define REFUSED(call) REFUSED_AS(-EINVAL, call)
/* bad is usual but for one field; the call uses bad. */
#define REFUSED_FIELD(usual, field, value, call) \
	do { \
		bad = usual; \
		bad.field = value; \
		call; \
		check_fails(-EINVAL, #field " = " #value); \
	} while (0)

#endif
