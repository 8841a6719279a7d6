/* A good container and a copy to damage, for the tests of damaged containers. */
#ifndef BOX_DAMAGE_H
#define BOX_DAMAGE_H

#include "box_file.h"
#include "capture/container/box.h"
#include "tests/folder.h"

static char path[64];
static struct pica_state states[2];
static uint8_t *good, *bad;
static size_t good_size;

/* A file of this version's making, or a released one. */
static void load_good(const char *sample) {
	if (!sample) {
		write_box(path, states, false);
	}
	FILE *f = fopen(sample ? sample : path, "rb");
	ck_assert_ptr_nonnull(f);
	good = malloc(1 << 24);
	bad = malloc(1 << 24);
	good_size = fread(good, 1, 1 << 24, f);
	memcpy(bad, good, good_size);
	fclose(f);
}

static void drop_good(void) {
	free(good);
	free(bad);
}

/* Copies the head of the chunk at `at` of a file. Returns where the next chunk begins. */
static size_t after_chunk(const uint8_t *file, size_t at, struct box_chunk *head) {
	memcpy(head, file + at, sizeof(*head));
	return at + BOX_CHUNK + box_padded(head->stored);
}

/* Returns whether a message names the place: a chunk by name or number, or the header. */
static bool names_place(const char *text) {
	return strstr(text, "chunk") || strstr(text, "header");
}

/* Returns the name of a byte's chunk, or "header"; *offset: where it starts. */
static const char *place_of(size_t byte, size_t *offset) {
	static struct box_name name;
	struct box_chunk head;
	*offset = 0;
	if (byte < BOX_HEADER) {
		return "header";
	}
	for (size_t next = BOX_HEADER; next <= byte;) {
		*offset = next;
		next = after_chunk(good, next, &head);
	}
	name = box_fourcc_name(head.fourcc);
	return name.text;
}

/* Returns whether to damage the byte: each one of heads, and each PICA_TEST_SAMPLEth (8) of their
 * contents. */
static bool is_tried(size_t at) {
	static size_t every;
	size_t offset;
	if (every == 0) {
		const char *sample = getenv("PICA_TEST_SAMPLE");
		every = sample ? strtoul(sample, NULL, 10) : 8;
		every = every ? every : 1;
	}
	place_of(at, &offset);
	return at - offset < BOX_CHUNK || at % every == 0;
}

#endif
