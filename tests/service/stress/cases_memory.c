/* Memory: descriptors of other files, false sizes, truncated files. */
#include "hostile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20, SEALS = F_SEAL_SHRINK | F_SEAL_GROW };

static const char not_a_memfd[] = "not a memfd of exactly that size, sealed";

static int make_memfd(unsigned flags, off_t size, int seals) {
	int fd = memfd_create("evil", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
	if (fd >= 0 && (ftruncate(fd, size) < 0 || (seals && fcntl(fd, F_ADD_SEALS, seals) < 0))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Checks that an import fails with the error and that the session continues. Closes fd. */
static bool import_fails(struct bench *b, int fd, int error) {
	struct raw r;
	EXPECT(fd >= 0);
	EXPECT(raw_open(&r, b->daemon->socket, 8) == 0);
	int64_t context = raw_context(&r);
	EXPECT(context > 0);
	EXPECT(is_refused(&r, (int)raw_import(&r, 0, 0, SIZE, fd), error, not_a_memfd));
	EXPECT(is_refused(&r, (int)raw_import(&r, (uint32_t)context, SCENE_VRAM, SIZE, fd), error,
			not_a_memfd));
	EXPECT(raw_region(&r, 0, 0, 4096, NULL, NULL) > 0);
	raw_close(&r);
	close(fd);
	return true;
}

CALL_CASE(import_dev_zero, import_fails(b, open("/dev/zero", O_RDWR | O_CLOEXEC), -EINVAL))

HOSTILE_CASE(import_pipe) {
	int fds[2];
	EXPECT(pipe2(fds, O_CLOEXEC) == 0);
	close(fds[1]);
	return import_fails(b, fds[0], -EINVAL);
}

CALL_CASE(import_directory, import_fails(b, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), -EINVAL))
CALL_CASE(import_path_only, import_fails(b, open("/dev/zero", O_PATH | O_CLOEXEC), -EINVAL))
CALL_CASE(import_eventfd, import_fails(b, eventfd(0, EFD_CLOEXEC), -EINVAL))
CALL_CASE(import_own_socket, import_fails(b, raw_dial(b->daemon->socket), -EINVAL))

HOSTILE_CASE(import_file_on_disk) {
	char path[] = "/tmp/picad-import-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);
	EXPECT(fd >= 0);
	unlink(path);
	EXPECT(ftruncate(fd, SIZE) == 0);
	return import_fails(b, fd, -EINVAL);
}

CALL_CASE(import_unsealed, import_fails(b, make_memfd(0, SIZE, 0), -EINVAL))

HOSTILE_CASE(import_half_sealed) {
	EXPECT(import_fails(b, make_memfd(0, SIZE, F_SEAL_GROW), -EINVAL));
	return import_fails(b, make_memfd(0, SIZE, F_SEAL_SHRINK), -EINVAL);
}

HOSTILE_CASE(import_of_another_size) {
	EXPECT(import_fails(b, make_memfd(0, SIZE - 4096, SEALS), -EINVAL));
	EXPECT(import_fails(b, make_memfd(0, 0, SEALS), -EINVAL));
	return import_fails(b, make_memfd(0, (off_t)1 << 40, SEALS), -EINVAL);
}

HOSTILE_CASE(import_write_sealed) {
	EXPECT(import_fails(b, make_memfd(0, SIZE, SEALS | F_SEAL_WRITE), -EINVAL));
	return import_fails(b, make_memfd(0, SIZE, SEALS | F_SEAL_FUTURE_WRITE), -EINVAL);
}

HOSTILE_CASE(import_read_only) {
	char path[64];
	int fd = make_memfd(0, SIZE, SEALS);
	EXPECT(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int read_only = open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	return import_fails(b, read_only, -EACCES);
}

/* Missing huge pages kill a process that touches them, even if sealed. */
HOSTILE_CASE(import_huge_pages) {
	struct raw r;
	int fd = make_memfd(MFD_HUGETLB, 4 << 20, SEALS);
	if (fd < 0) {
		printf("  (no huge pages on this machine: not tried)\n");
		return true;
	}
	EXPECT(raw_open(&r, b->daemon->socket, 8) == 0);
	EXPECT(is_refused(&r, (int)raw_import(&r, 0, 0, 4 << 20, fd), -EINVAL, not_a_memfd));
	raw_close(&r);
	close(fd);
	return true;
}

/*
 * One memory at two addresses, with colour in one, and list and vertices in the other: any picture
 * is correct.
 */
HOSTILE_CASE(same_memory_twice) {
	struct neighbour evil = { .list_bytes = 0 };
	int fd = make_memfd(0, SCENE_FCRAM_BYTES, SEALS);
	EXPECT(fd >= 0 && raw_open(&evil.raw, b->daemon->socket, 8) == 0);
	int64_t context = raw_context(&evil.raw);
	EXPECT(context > 0);
	EXPECT(raw_import(&evil.raw, (uint32_t)context, SCENE_VRAM, SCENE_FCRAM_BYTES, fd) > 0);
	EXPECT(raw_import(&evil.raw, (uint32_t)context, SCENE_FCRAM, SCENE_FCRAM_BYTES, fd) > 0);
	EXPECT(is_refused(&evil.raw,
			(int)raw_import(&evil.raw, (uint32_t)context, SCENE_FCRAM + 4096,
					SCENE_FCRAM_BYTES, fd),
			-EEXIST, "overlaps"));
	uint8_t *host = mmap(NULL, SCENE_FCRAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT(host != MAP_FAILED);
	uint32_t size = scene_write(host);
	for (unsigned i = 0; i < 20; i++) {
		struct pica_job *job = raw_slot(&evil.raw, (uint32_t)context, PICA_OP_LIST, i);
		job->u.list.addr = SCENE_LIST;
		job->u.list.size_bytes = size;
		int ret = raw_run(&evil.raw);
		EXPECT(ret != -ETIME && ret != -ECONNRESET);
	}
	munmap(host, SCENE_FCRAM_BYTES);
	close(fd);
	raw_close(&evil.raw);
	return true;
}

static void submit_scene(struct neighbour *n, unsigned times) {
	for (unsigned i = 0; i < times; i++) {
		neighbour_put(n, i);
	}
	raw_publish(&n->raw);
}

static bool reap(struct raw *r, unsigned n) {
	struct pica_done done;
	for (unsigned i = 0; i < n; i++) {
		EXPECT(raw_wait(r, &done, RAW_PATIENCE_MS) == 0);
	}
	return true;
}

/* No process gets SIGBUS: the service's seals hold, and a hole reads as zeros. */
HOSTILE_CASE(truncates_and_punches_while_drawing) {
	struct neighbour evil = { .list_bytes = 0 };
	int fd;
	EXPECT(raw_open(&evil.raw, b->daemon->socket, 8) == 0);
	int64_t context = raw_context(&evil.raw);
	EXPECT(context > 0);
	evil.context = (uint32_t)context;
	EXPECT(raw_region(&evil.raw, evil.context, SCENE_VRAM, SCENE_VRAM_BYTES, &evil.vram, NULL) >
			0);
	EXPECT(raw_region(&evil.raw, evil.context, SCENE_FCRAM, SCENE_FCRAM_BYTES, &evil.fcram,
			       &fd) > 0);
	evil.list_bytes = scene_write(evil.fcram);
	submit_scene(&evil, 8);
	EXPECT(ftruncate(fd, 4096) < 0 && errno == EPERM);
	EXPECT(ftruncate(fd, 2 * SCENE_FCRAM_BYTES) < 0 && errno == EPERM);
	EXPECT(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) < 0);
	EXPECT(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, SCENE_FCRAM_BYTES) ==
			0);
	EXPECT(reap(&evil.raw, 8));
	close(fd);
	neighbour_close(&evil);
	return true;
}

NEIGHBOUR_CASE(frees_memory_that_is_in_use) {
	/* A WAIT keeps jobs in flight. */
	raw_put_wait(&evil->raw, evil->context, 9, evil->context, 1, 0);
	submit_scene(evil, 1);
	/* Handles are given in order: context, then its two regions. */
	EXPECT(is_refused(&evil->raw,
			raw_object(&evil->raw, PICA_MSG_REGION_DESTROY, evil->context + 1), -EBUSY,
			"in flight"));
	EXPECT(is_refused(&evil->raw,
			raw_object(&evil->raw, PICA_MSG_REGION_DESTROY, evil->context + 2), -EBUSY,
			"in flight"));
	EXPECT((int)raw_region(&evil->raw, evil->context, 0x30000000, 4096, NULL, NULL) == -EBUSY);
	EXPECT(raw_object(&evil->raw, PICA_MSG_CONTEXT_DESTROY, evil->context) == 0);
	for (unsigned i = 0; i < 2; i++) {
		struct pica_done done;
		EXPECT(raw_wait(&evil->raw, &done, RAW_PATIENCE_MS) == 0 &&
				done.result == -ECANCELED);
	}
	EXPECT(raw_object(&evil->raw, PICA_MSG_REGION_DESTROY, evil->context + 1) == 0);
	return true;
}

SESSION_CASE(regions_of_impossible_shape) {
	static const uint32_t shapes[][2] = { { 0, 0 }, { 0, 4095 }, { 1, 4096 },
		{ 0xFFFFF000, 0x2000 }, { 0x18000000, 0xFFFFF000 }, { 0x18000800, 4096 } };
	int64_t context = raw_context(r);
	EXPECT(context > 0);
	for (unsigned i = 0; i < 6; i++) {
		int ret = (int)raw_region(
				r, (uint32_t)context, shapes[i][0], shapes[i][1], NULL, NULL);
		EXPECT(ret == -EINVAL);
	}
	EXPECT(raw_region(r, 4242, 0x18000000, 4096, NULL, NULL) == -ENOENT);
	/* the last page is one */
	EXPECT(raw_region(r, (uint32_t)context, 0xFFFFF000, 4096, NULL, NULL) > 0);
	return true;
}

SESSION_CASE(regions_without_end) {
	unsigned n = 0;
	int64_t ret;
	while ((ret = raw_region(r, 0, 0, 4096, NULL, NULL)) > 0) {
		n++;
	}
	EXPECT(n == MATRIX_REGIONS);
	EXPECT(is_refused(r, (int)ret, -EDQUOT, "quota of regions"));
	return true;
}

SESSION_CASE(memory_without_end) {
	EXPECT(is_refused(r, (int)raw_region(r, 0, 0, MATRIX_REGION_BYTES + 4096, NULL, NULL),
			-EDQUOT, "region_bytes"));
	EXPECT(raw_region(r, 0, 0, MATRIX_REGION_BYTES, NULL, NULL) > 0);
	EXPECT(raw_region(r, 0, 0, MATRIX_REGION_BYTES, NULL, NULL) > 0);
	EXPECT(is_refused(
			r, (int)raw_region(r, 0, 0, 4096, NULL, NULL), -EDQUOT, "memory_bytes"));
	return true;
}

/* More windows than a context has room for. */
SESSION_CASE(windows_without_end) {
	unsigned n = 0;
	int64_t context = raw_context(r), ret = 1;
	EXPECT(context > 0);
	while (n < 100 &&
			(ret = raw_region(r, (uint32_t)context, 0x20000000 + 0x2000 * n, 4096,
					 NULL, NULL)) > 0) {
		n++;
	}
	EXPECT(n == MATRIX_REGIONS && ret == -EDQUOT);
	return true;
}
