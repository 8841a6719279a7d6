/*
 * Each fuzz target is a file fuzz_NAME.c with the entry point that libFuzzer calls. A build with
 * -Dfuzz=true links it with libFuzzer, others with replay.c, which feeds it the corpus.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs the target on data. Ends the process if libpica breaks a promise. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise, also in builds without assertions. */
#define FUZZ_CHECK(promise) do { \
		if (!(promise)) { \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #promise); \
			abort(); \
		} \
	} while (0)

#endif
