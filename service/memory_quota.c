#include "service/memory_quota.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/server_impl.h"
#include "service/session.h"

/* ---- Available memory ---- */

/* The limit in a file of a control group; UINT64_MAX: none, or no such file. */
static uint64_t limit_in(const char *path) {
	uint64_t bytes;
	FILE *f = fopen(path, "re");
	if (!f) {
		return UINT64_MAX;
	}
	if (fscanf(f, "%" SCNu64, &bytes) != 1) { /* "max" */
		bytes = UINT64_MAX;
	}
	fclose(f);
	return bytes;
}

static uint64_t least(uint64_t a, uint64_t b) {
	return a < b ? a : b;
}

/* The least limit of the control group at path, "/" or "/a/b", and its ancestors, root included. */
static uint64_t limit_of_groups(const char *root, char *path, const char *file) {
	uint64_t bytes = UINT64_MAX;
	for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
		char name[640];
		*end = 0;
		snprintf(name, sizeof(name), "%s%s/%s", root, path, file);
		bytes = least(bytes, limit_in(name));
	}
	return bytes;
}

/*
 * The limit of this process's control group, version 2 or 1. In a container the path may not exist
 * below root: root is our group there.
 */
static uint64_t group_limit(void) {
	uint64_t bytes = UINT64_MAX;
	char line[512];
	FILE *f = fopen("/proc/self/cgroup", "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		char *of_v1 = strstr(line, ":memory:/");
		if (strncmp(line, "0::/", 4) == 0) {
			bytes = least(bytes,
					limit_of_groups("/sys/fs/cgroup", line + 3, "memory.max"));
		} else if (of_v1) {
			bytes = least(bytes,
					limit_of_groups("/sys/fs/cgroup/memory",
							of_v1 + strlen(":memory:"),
							"memory.limit_in_bytes"));
		}
	}
	if (f) {
		fclose(f);
	}
	return bytes;
}

uint64_t memory_quota_default(void) {
	/* Cached, since the sandbox forbids reading the files. 0: not read yet; relaxed. */
	static atomic_uint_fast64_t known;
	uint64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
	if (bytes == 0) {
		const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
		bytes = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes :
						      UINT64_MAX;
		bytes = least(bytes, group_limit()) / 2 & ~(uint64_t)0xFFF;
		atomic_store_explicit(&known, bytes, memory_order_relaxed);
	}
	return bytes;
}

/* ---- Used memory ---- */

/* A reload may have made the quota smaller than the used memory. */
static bool is_beyond(uint64_t used_bytes, uint64_t more_bytes, uint64_t quota_bytes) {
	return used_bytes > quota_bytes || more_bytes > quota_bytes - used_bytes;
}

const char *memory_quota_error(
		const struct session *s, uint64_t size_bytes, uint64_t uncharged_bytes) {
	const struct server_settings *settings = &s->server->settings;
	const struct region_charges charges = regions_charges(&s->server->regions, s->uid);
	if (is_beyond(s->memory_bytes, size_bytes, s->limits.memory_bytes)) {
		return "quota of memory_bytes used up";
	}
	if (is_beyond(charges.bytes, uncharged_bytes, settings->total_memory_bytes)) {
		return "quota of total-memory used up";
	}
	if (settings->user_memory_bytes &&
			is_beyond(charges.of_user, uncharged_bytes, settings->user_memory_bytes)) {
		return "quota of user-memory used up";
	}
	return NULL;
}

bool memory_quota_is_full(const struct session *s) {
	const uint64_t of_user = s->server->settings.user_memory_bytes;
	return pica_memory_used(s->memory) > s->limits.memory_bytes ||
			(of_user && pica_memory_used(region_memory(s->ring_memory)) > of_user);
}

bool memory_quota_recovers(const struct session *s) {
	const struct server_settings *settings = &s->server->settings;
	const struct region_charges charges = regions_charges(&s->server->regions, s->uid);
	const uint64_t has = s->memory_bytes, quota = s->limits.memory_bytes;
	const uint64_t most = quota > has ? quota - has : 0;
	const uint64_t of_user =
			settings->user_memory_bytes ? settings->user_memory_bytes : UINT64_MAX;
	return charges.dying_of_user &&
			(is_beyond(charges.of_user, most, of_user) ||
					is_beyond(charges.bytes, most,
							settings->total_memory_bytes));
}
