/*
 * Checks docs/protocol.md against the headers: protocol-page PAGE
 *
 * Structures, fields, offsets, sizes and numbers in the page's tables must be those of the headers,
 * fields must cover their structure, and nothing in the headers may be missing. protocol-page
 * --print prints the tables.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pica_hello.h"
#include "pica_job.h"
#include "pica_ring.h"

struct field {
	const char *owner, *name;
	size_t offset, size_bytes;
	bool is_seen;
};

/* protocol_rows.h has a FIELD or a NUMBER for everything in the headers. */
#define FIELD(type, member) \
	{ #type, #member, offsetof(struct type, member), \
			sizeof(((struct type *)NULL)->member), false },
#define NUMBER(name)
static struct field fields[] = {
#include <protocol_rows.h>
};
#undef FIELD
#undef NUMBER
enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]) };

struct constant {
	const char *name;
	uint64_t value;
	bool is_seen;
};

#define FIELD(type, member)
#define NUMBER(name) { #name, (uint64_t)(name), false },
static struct constant constants[] = {
#include <protocol_rows.h>
};
enum { N_CONSTANTS = sizeof(constants) / sizeof(constants[0]) };

static unsigned mistakes;

static void complain(int line, const char *what, const char *name) {
	printf("line %d: %s: %s\n", line, what, name);
	mistakes++;
}

/* Bytes of a structure: the end of its last field. */
static size_t size_of(const char *owner) {
	size_t size = 0;
	for (unsigned i = 0; i < N_FIELDS; i++) {
		if (strcmp(fields[i].owner, owner) == 0) {
			size = fields[i].offset + fields[i].size_bytes;
		}
	}
	return size;
}

static void print_tables(void) {
	const char *owner = "";
	for (unsigned i = 0; i < N_FIELDS; i++) {
		const struct field *f = &fields[i];
		if (strcmp(owner, f->owner) != 0) {
			owner = f->owner;
			printf("\n`struct %s`, %zu bytes:\n\n| offset | bytes | field | |\n|---:|---:|---|---|\n", owner,
					size_of(owner));
		}
		printf("| %zu | %zu | `%s` | |\n", f->offset, f->size_bytes, f->name);
	}
	printf("\n| name | value | |\n|---|---:|---|\n");
	for (unsigned i = 0; i < N_CONSTANTS; i++) {
		printf("| `%s` | %" PRIu64 " | |\n", constants[i].name, constants[i].value);
	}
}

/* "| 16 | 4 | `name` |": of the structure named last. */
static void check_field(int line, const char *owner, size_t *next, size_t offset, size_t size_bytes,
		const char *name) {
	for (unsigned i = 0; i < N_FIELDS; i++) {
		struct field *f = &fields[i];
		if (strcmp(f->owner, owner) == 0 && strcmp(f->name, name) == 0) {
			if (f->offset != offset || f->size_bytes != size_bytes) {
				complain(line, "another offset or size than in the header", name);
			}
			if (f->is_seen || offset != *next) {
				complain(line, "not after the field before it", name);
			}
			f->is_seen = true;
			*next = offset + size_bytes;
			return;
		}
	}
	complain(line, "no field of the structure above", name);
}

static void check_constant(int line, const char *name, const char *value) {
	for (unsigned i = 0; i < N_CONSTANTS; i++) {
		if (strcmp(constants[i].name, name) == 0) {
			if (strtoull(value, NULL, 0) != constants[i].value) {
				complain(line, "another value than in the header", name);
			}
			constants[i].is_seen = true;
			return;
		}
	}
	complain(line, "not in the headers", name);
}

static void check_page(FILE *f) {
	char line[1024], owner[64] = "", name[64], value[64];
	size_t offset, size_bytes, next = 0;
	for (int n = 1; fgets(line, sizeof(line), f); n++) {
		if (sscanf(line, "`struct %63[a-z0-9_]`, %zu bytes", owner, &size_bytes) == 2) {
			if (size_of(owner) != size_bytes) {
				complain(n, "another size than in the header", owner);
			}
			next = 0;
		} else if (sscanf(line, "| %zu | %zu | `%63[a-zA-Z0-9_]` |", &offset, &size_bytes, name) == 3) {
			check_field(n, owner, &next, offset, size_bytes, name);
		} else if (sscanf(line, "| `PICA_%58[A-Z0-9_]` | %63[0-9a-fA-Fx] |", name, value) == 2) {
			char whole[72];
			snprintf(whole, sizeof(whole), "PICA_%s", name);
			check_constant(n, whole, value);
		}
	}
}

int main(int argc, char **argv) {
	if (argc != 2) {
		fprintf(stderr, "usage: protocol-page PAGE|--print\n");
		return 2;
	}
	if (strcmp(argv[1], "--print") == 0) {
		print_tables();
		return 0;
	}
	FILE *f = fopen(argv[1], "r");
	if (!f) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	check_page(f);
	fclose(f);
	for (unsigned i = 0; i < N_FIELDS; i++) {
		if (!fields[i].is_seen) {
			printf("%s.%s is not in the page\n", fields[i].owner, fields[i].name);
			mistakes++;
		}
	}
	for (unsigned i = 0; i < N_CONSTANTS; i++) {
		if (!constants[i].is_seen) {
			printf("%s is not in the page\n", constants[i].name);
			mistakes++;
		}
	}
	printf("%d fields, %d numbers: %u mistakes\n", (int)N_FIELDS, (int)N_CONSTANTS, mistakes);
	return mistakes != 0;
}
