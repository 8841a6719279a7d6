/*
 * kept PICAD LOOP ROUNDS MIB: clients keep descriptors of memory that they have freed; the service
 * must still limit it by their user's quota.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon.h"
#include "scene.h"

enum { MOST_ROUNDS = 400, RING_ENTRIES = 4096, PAGE = 4096 };

static unsigned rounds;
static uint32_t size_bytes; /* of a region; a user may have four */

/* ---- What the descriptors keep ---- */

static int kept[MOST_ROUNDS];
static unsigned n_kept;

static uint64_t kept_bytes(void) {
	uint64_t sum = 0;
	for (unsigned i = 0; i < n_kept; i++) {
		struct stat st;
		sum += fstat(kept[i], &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
	}
	return sum;
}

static void let_go(void) {
	while (n_kept > 0) {
		close(kept[--n_kept]);
	}
}

/* Pages that the service gives back in its own time. */
static bool settles_at(uint64_t bytes) {
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; raw_now_ms() < end; raw_nap_us(2000)) {
		if (kept_bytes() <= bytes) {
			return true;
		}
	}
	return false;
}

/* ---- Rounds ---- */

static int fill(struct raw *r, int64_t context) {
	struct pica_job *job = raw_slot(r, (uint32_t)context, PICA_OP_FILL, 1);
	job->u.fill.start = SCENE_FCRAM;
	job->u.fill.end = SCENE_FCRAM + size_bytes;
	job->u.fill.value = 0x01010101;
	job->u.fill.control = 2 << 8;
	return raw_run(r);
}

static int sealed_memfd(void) {
	const int fd = memfd_create("kept", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, size_bytes) < 0 ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0) {
		perror("memfd");
		exit(2);
	}
	return fd;
}

/* Makes a region, which the service fills, and keeps its descriptor. Returns its handle or an
 * error. */
static int64_t filled(struct raw *r, int64_t context, bool is_imported) {
	int fd = is_imported ? sealed_memfd() : -1;
	const int64_t region = is_imported ?
			raw_import(r, (uint32_t)context, SCENE_FCRAM, size_bytes, fd) :
			raw_region(r, (uint32_t)context, SCENE_FCRAM, size_bytes, NULL, &fd);
	if (region < 0) {
		if (is_imported) {
			close(fd);
		}
		return region;
	}
	kept[n_kept++] = fd;
	const int ret = fill(r, context);
	return ret < 0 ? ret : region;
}

static bool destroys_and_keeps(struct daemon *d) {
	struct raw r;
	EXPECT(raw_open(&r, d->socket, 8) == 0);
	const int64_t context = raw_context(&r);
	for (unsigned i = 0; i < rounds; i++) {
		const int64_t region = filled(&r, context, false);
		EXPECT(region > 0);
		EXPECT(raw_object(&r, PICA_MSG_REGION_DESTROY, (uint64_t)region) == 0);
		EXPECT(kept_bytes() <= 4 * (uint64_t)size_bytes);
		EXPECT((uint64_t)process_shmem_kib(d->pid) <= 4 * (size_bytes >> 10) + 1024);
	}
	EXPECT(settles_at(0));
	raw_close(&r);
	return true;
}

static bool disconnects_and_keeps(struct daemon *d) {
	for (unsigned i = 0; i < rounds; i++) {
		struct raw r;
		EXPECT(raw_open(&r, d->socket, 8) == 0);
		EXPECT(filled(&r, raw_context(&r), false) > 0);
		raw_close(&r);
		EXPECT(kept_bytes() <= 4 * (uint64_t)size_bytes);
		EXPECT((uint64_t)process_shmem_kib(d->pid) <= 4 * (size_bytes >> 10) + 1024);
	}
	return settles_at(0);
}

/* Pages of a client's own file cannot be freed: they stay charged until it is gone. */
static bool imports_and_keeps(struct daemon *d) {
	struct raw r;
	int64_t region = 1;
	EXPECT(raw_open(&r, d->socket, 8) == 0);
	const int64_t context = raw_context(&r);
	while (n_kept < rounds && (region = filled(&r, context, true)) > 0) {
		EXPECT(raw_object(&r, PICA_MSG_REGION_DESTROY, (uint64_t)region) == 0);
	}
	EXPECT(region == -EDQUOT && strstr(r.error.text, "user-memory"));
	EXPECT(n_kept == 4 && kept_bytes() == 4 * (uint64_t)size_bytes);
	raw_close(&r);
	EXPECT(raw_open(&r, d->socket, 8) == 0);
	EXPECT(raw_region(&r, 0, 0, size_bytes, NULL, NULL) == -EDQUOT);
	/* One of them again is charged once. */
	EXPECT(raw_import(&r, 0, 0, size_bytes, kept[0]) > 0);
	EXPECT(filled(&r, raw_context(&r), true) == -EDQUOT);
	let_go();
	EXPECT(raw_region(&r, 0, 0, size_bytes, NULL, NULL) > 0);
	raw_close(&r);
	return true;
}

/* A client that lost its session may need the bytes after reconnecting: until then they are
 * charged. */
static bool is_ended_and_keeps(struct daemon *d) {
	struct raw r;
	uint8_t *host = NULL;
	for (unsigned i = 0; i < 4; i++) {
		int fd;
		EXPECT(raw_open(&r, d->socket, 8) == 0);
		EXPECT(raw_region(&r, 0, 0, size_bytes, &host, &fd) > 0);
		kept[n_kept++] = fd;
		host[0] = 7;
		host[size_bytes - 1] = 7;
		EXPECT(raw_send(r.sock, "", 1, NULL, 0) == 0 && raw_is_told(&r));
		raw_close(&r);
	}
	EXPECT(kept_bytes() == 8 * PAGE);
	EXPECT(raw_open(&r, d->socket, 8) == 0);
	EXPECT(raw_region(&r, 0, 0, size_bytes, NULL, NULL) == -EDQUOT);
	EXPECT(raw_import(&r, 0, 0, size_bytes, kept[0]) > 0);
	raw_close(&r);
	let_go();
	EXPECT(raw_open(&r, d->socket, 8) == 0);
	EXPECT(raw_region(&r, 0, 0, 3 * size_bytes, NULL, NULL) > 0);
	raw_close(&r);
	return true;
}

/* The same file twice: its pages stay until both regions are gone. */
static bool imports_what_was_made(struct daemon *d) {
	struct raw r;
	uint8_t *host = NULL;
	int fd;
	EXPECT(raw_open(&r, d->socket, 8) == 0);
	const int64_t made = raw_region(&r, 0, 0, size_bytes, &host, &fd);
	EXPECT(made > 0);
	memset(host, 7, size_bytes);
	kept[n_kept++] = fd;
	for (unsigned i = 0; i < 3; i++) {
		const int64_t twin = raw_import(&r, 0, 0, size_bytes, fd);
		EXPECT(twin > 0);
		if (i == 0) {
			EXPECT(raw_object(&r, PICA_MSG_REGION_DESTROY, (uint64_t)made) == 0);
		}
		EXPECT(raw_object(&r, PICA_MSG_REGION_DESTROY, (uint64_t)twin) == 0);
	}
	EXPECT(kept_bytes() == size_bytes && host[size_bytes - 1] == 7);
	raw_close(&r);
	return true;
}

/* Rings have their last words: they are charged instead. */
static bool keeps_rings(struct daemon *d) {
	struct raw r;
	uint8_t *ring[MOST_ROUNDS];
	size_t ring_bytes[MOST_ROUNDS];
	unsigned n = 0;
	int64_t region = 1;
	for (; n < MOST_ROUNDS && region > 0; n++) {
		EXPECT(raw_open(&r, d->socket, RING_ENTRIES) == 0);
		ring[n] = r.ring;
		ring_bytes[n] = r.ring_bytes;
		r.ring = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		r.ring_bytes = PAGE;
		region = raw_region(&r, 0, 0, 4 * size_bytes - size_bytes / 2, NULL, NULL);
		raw_close(&r);
	}
	EXPECT(region == -EDQUOT && strstr(r.error.text, "user-memory"));
	while (n > 0) {
		n--;
		munmap(ring[n], ring_bytes[n]);
	}
	EXPECT(raw_open(&r, d->socket, 8) == 0);
	EXPECT(raw_region(&r, 0, 0, 4 * size_bytes - size_bytes / 2, NULL, NULL) > 0);
	raw_close(&r);
	return true;
}

/* ---- Runs ---- */

int main(int argc, char **argv) {
	if (argc != 5) {
		fprintf(stderr, "usage: kept PICAD LOOP ROUNDS MIB\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	rounds = (unsigned)strtoul(argv[3], NULL, 10);
	size_bytes = (uint32_t)strtoul(argv[4], NULL, 10) << 20;
	if (rounds > MOST_ROUNDS) {
		return 2;
	}
	static const struct {
		const char *name;
		bool (*fn)(struct daemon *);
	} cases[] = {
		{ "destroys and keeps", destroys_and_keeps },
		{ "disconnects and keeps", disconnects_and_keeps },
		{ "imports and keeps", imports_and_keeps },
		{ "is ended and keeps", is_ended_and_keeps },
		{ "imports what was made", imports_what_was_made },
		{ "keeps rings", keeps_rings },
	};
	const unsigned four_kib = 4 * (size_bytes >> 10);
	char options[160];
	bool ok = true;
	snprintf(options, sizeof(options),
			"%s --region %uK --memory %uK --user-memory %uK --total-memory 2G", argv[2],
			four_kib, four_kib, four_kib);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ok = daemon_case(cases[i].name, argv[1], options, NULL, cases[i].fn) && ok;
		let_go();
	}
	return ok ? 0 : 1;
}
