/* A plan: the units of a batch, their settings, and their distribution over machines. */
#ifndef PICA_BATCH_PLAN_H
#define PICA_BATCH_PLAN_H

#include "batch.h"

/*
 * Fills *plan from captures, folders and lists, and hashes them all. An unreadable file becomes a
 * unit with an error. Logs errors, and returns an exit code; batch_plan_finish() is allowed in any
 * case.
 */
int batch_plan_make(struct batch_plan *plan, const struct batch_settings *settings, char **args,
		unsigned n);
/*
 * Fills *plan from a file, and checks that program and golden pictures are those of the plan. Logs
 * errors; returns an exit code.
 */
int batch_plan_load(struct batch_plan *plan, const char *path, bool is_run);
/* Writes it; refuses units with errors. Logs errors; returns an exit code. */
int batch_plan_save(const struct batch_plan *plan, const char *path);
void batch_plan_finish(struct batch_plan *plan);
/*
 * The units of a shard, in the order in which they should be taken: large ones first. Those that
 * share another's result are left out. The shards of a plan are about equal in bytes; each depends
 * on the plan, shard and n_shards alone. *out: indices, to be freed. Returns how many, or -ENOMEM.
 */
int batch_plan_shard(
		const struct batch_plan *plan, unsigned shard, unsigned n_shards, unsigned **out);

/* ---- inputs.c ---- */

/*
 * Adds the units of the arguments, sorted by path, without hashes. Logs errors; returns an exit
 * code.
 */
int batch_inputs_find(struct batch_plan *plan, char **args, unsigned n);

/* ---- hash.c ---- */

/*
 * XXH3-128 of a file's bytes as text, and its size (may be NULL). Negative errno; -EINVAL: not a
 * regular file.
 */
int batch_hash_file(const char *path, char text[BATCH_HASH], uint64_t *size_bytes);
/* Of bytes. */
void batch_hash_bytes(const void *data, size_t size, char text[BATCH_HASH]);
/* Of this program's own file. Negative errno. */
int batch_hash_program(char text[BATCH_HASH]);
/* Of the names and contents of all PNG files of a folder, which may be missing. Negative errno. */
int batch_hash_pictures(const char *folder, char text[BATCH_HASH]);
/* Sets the keys of all units, and the first of each. -ENOMEM. */
int batch_hash_keys(struct batch_plan *plan);
/* Whether it is 32 hexadecimal digits. */
bool batch_is_hash(const char *text);

#endif
