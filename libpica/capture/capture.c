/* Captures: opening a file of either form, and reading it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* XXH3_state_t by value */
#include <xxhash.h>

#include "capture/citrace/ctf.h"
#include "capture/container/box.h"
#include "capture/disk/disk.h"
#include "capture/disk/zst.h"

enum { HEAD_BYTES = 64 }; /* enough to recognise the form of a file */

/* ---- Opening ---- */

/* Reads a whole file. It may change meanwhile; only the bytes that were read count. */
static int read_file(int fd, uint8_t **data, uint64_t *size) {
	struct stat st;
	if (fstat(fd, &st) < 0) {
		return -errno;
	}
	if (!S_ISREG(st.st_mode)) {
		return S_ISDIR(st.st_mode) ? -EISDIR : -ESPIPE;
	}
	if (st.st_size > (off_t)UINT32_MAX) {
		return -EFBIG;
	}
	const uint64_t want = (uint64_t)st.st_size;
	uint8_t *bytes = malloc(want > 0 ? want : 1);
	if (!bytes) {
		return -ENOMEM;
	}
	/* If the file shrank, there are fewer bytes; the checks will report its end. */
	const int64_t have = disk_read_at(fd, 0, bytes, want);
	if (have < 0) {
		free(bytes);
		return (int)have;
	}
	*data = bytes;
	*size = (uint64_t)have;
	return 0;
}

/* Takes over owned (may be NULL), also on failure. */
static int open_bytes(struct pica_capture **out, const uint8_t *data, uint64_t size, uint8_t *owned,
		const char *name, struct pica_capture_error *err) {
	struct capture_source source = { .name = name };
	if (zst_is_compressed(data, size)) {
		uint8_t *plain;
		int ret = zst_decompress(&plain, &size, data, size, ZST_MAX_BYTES, name, err);
		free(owned);
		if (ret < 0) {
			return ret;
		}
		data = owned = plain;
		source.is_decompressed = true;
	}
	int ret;
	if (box_is(data, size)) {
		struct box_file file = { .fd = -1, .data = data, .owned = owned, .size = size };
		ret = box_open(out, &file, NULL, &source, err);
	} else {
		ret = ctf_open(out, data, size, owned, &source, err);
	}
	if (ret < 0) {
		free(owned);
	}
	return ret;
}

PICA_EXPORT int pica_capture_open_memory(struct pica_capture **out, const void *data,
		size_t size_bytes, const char *name, struct pica_capture_error *err) {
	return open_bytes(out, data, size_bytes, NULL, name ? name : "memory", err);
}

static int fail_to_read(
		const struct capture_source *source, struct pica_capture_error *err, int ret) {
	const char *why = strerror(-ret);
	if (ret == -EISDIR) {
		why = "expected a capture, this is a folder";
	} else if (ret == -ESPIPE) {
		why = "expected a capture in a regular file, this is a device or a pipe";
	} else if (ret == -EFBIG) {
		why = "expected at most 4 GiB, which 32-bit offsets can name";
	}
	return capture_fail(source, err, ret, UINT64_MAX, "%s", why);
}

/* Returns whether the file begins like a container; keeps its position. */
static bool is_box(int fd, struct box_file *file) {
	struct stat st;
	uint8_t head[BOX_MAGIC_BYTES];
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		return false;
	}
	ssize_t n = pread(fd, head, sizeof(head), 0);
	*file = (struct box_file){ .fd = fd, .size = (uint64_t)st.st_size };
	return n > 0 && box_is(head, (uint64_t)n);
}

static int open_path(struct pica_capture **out, const char *path, const struct box_rescue *rescue,
		struct pica_capture_error *err) {
	const struct capture_source source = { .name = path };
	struct box_file file;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		int ret = -errno;
		return capture_fail(&source, err, ret, UINT64_MAX, "%s", strerror(-ret));
	}
	if (is_box(fd, &file)) {
		int ret = box_open(out, &file, rescue, &source, err);
		if (ret < 0) {
			close(fd);
		}
		return ret;
	}
	uint8_t head[HEAD_BYTES];
	struct stat st;
	const bool is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	const ssize_t n = is_file ? pread(fd, head, sizeof(head), 0) : 0;
	if (n > 0 && !zst_is_compressed(head, (uint64_t)n) && !ctf_is(head, (uint64_t)n)) {
		close(fd); /* not a capture, by its first bytes */
		return open_bytes(out, head, (uint64_t)n, NULL, path, err);
	}
	uint8_t *data = NULL;
	uint64_t size = 0;
	int ret = read_file(fd, &data, &size);
	close(fd);
	if (ret < 0) {
		return fail_to_read(&source, err, ret);
	}
	return open_bytes(out, data, size, data, path, err);
}

PICA_EXPORT int pica_ctf_writer_review(struct pica_ctf_writer *w, struct pica_capture **out,
		struct pica_capture_error *err) {
	const struct disk_file *file;
	int ret = ctf_writer_end(w, &file);
	if (ret < 0) {
		return ret;
	}
	const struct capture_source source = { .name = file->path };
	uint8_t *data = NULL;
	uint64_t size = 0;
	ret = read_file(file->fd, &data, &size);
	return ret < 0 ? fail_to_read(&source, err, ret) :
			 open_bytes(out, data, size, data, file->path, err);
}

PICA_EXPORT int pica_capture_open(
		struct pica_capture **out, const char *path, struct pica_capture_error *err) {
	return open_path(out, path, NULL, err);
}

PICA_EXPORT int pica_capture_recover(
		struct pica_capture **out, const char *path, struct pica_capture_error *err) {
	return open_path(out, path, &(struct box_rescue){ NULL }, err);
}

PICA_EXPORT int pica_capture_recover_at(struct pica_capture **out, const char *path, uint32_t frame,
		struct pica_capture_error *err) {
	return open_path(out, path, &(struct box_rescue){ &frame }, err);
}

PICA_EXPORT unsigned pica_capture_parts(
		const struct pica_capture *c, struct pica_capture_part *out, unsigned n) {
	for (unsigned i = 0; i < n && i < c->n_parts; i++) {
		out[i] = c->part[i];
	}
	return c->n_parts;
}

PICA_EXPORT void pica_capture_close(struct pica_capture *c) {
	if (!c) {
		return;
	}
	c->form->finish(c);
	free(c->part);
	free(c->expected);
	free(c->windows);
	free(c->name);
	free(c);
}

/* ---- Reading ---- */

PICA_EXPORT const struct pica_state *pica_capture_state(const struct pica_capture *c) {
	return &c->state;
}

PICA_EXPORT void pica_capture_info(const struct pica_capture *c, struct pica_capture_info *out) {
	*out = c->info;
}

PICA_EXPORT unsigned pica_capture_lacks(
		const struct pica_capture *c, struct pica_capture_lack *out, unsigned n) {
	for (unsigned i = 0; i < n && i < c->n_lacks; i++) {
		out[i] = c->lack[i];
	}
	return c->n_lacks;
}

PICA_EXPORT void pica_capture_trust_loads(struct pica_capture *c, int trust) {
	c->trust_loads = trust != 0;
}

PICA_EXPORT int pica_capture_next(struct pica_capture *c, struct pica_capture_event *event) {
	return c->form->next(c, event);
}

PICA_EXPORT int pica_capture_seek(struct pica_capture *c, uint32_t frame, uint32_t *at) {
	uint32_t ignored;
	return c->form->seek(c, frame, at ? at : &ignored);
}

PICA_EXPORT int pica_capture_rewind(struct pica_capture *c) {
	return pica_capture_seek(c, 0, NULL);
}

PICA_EXPORT int pica_capture_verify_all(
		struct pica_capture *c, pica_capture_found_fn *found, void *user) {
	return c->form->verify ? c->form->verify(c, found, user) : 0;
}

PICA_EXPORT int pica_capture_verify(struct pica_capture *c) {
	return pica_capture_verify_all(c, NULL, NULL);
}

PICA_EXPORT const struct pica_capture_error *pica_capture_error(const struct pica_capture *c) {
	return &c->error;
}

PICA_EXPORT const struct pica_expected *pica_capture_expected(
		const struct pica_capture *c, uint32_t frame, uint32_t *n) {
	uint32_t lo = 0, hi = c->n_expected;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (c->expected[mid].frame < frame) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	*n = 0;
	while (lo + *n < c->n_expected && c->expected[lo + *n].frame == frame) {
		++*n;
	}
	return *n ? &c->expected[lo] : NULL;
}

PICA_EXPORT unsigned pica_capture_windows(
		const struct pica_capture *c, struct pica_window *out, unsigned n) {
	for (unsigned i = 0; i < n && i < c->n_windows; i++) {
		out[i] = c->windows[i];
	}
	return c->n_windows;
}

PICA_EXPORT void pica_picture_hash(const uint8_t *rgb, uint32_t width, uint32_t height,
		size_t stride_bytes, uint8_t hash[16]) {
	XXH3_state_t state;
	const uint32_t size[2] = { width, height };
	XXH128_canonical_t canonical;
	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, size, sizeof(size));
	for (uint32_t y = 0; y < height; y++) {
		XXH3_128bits_update(&state, rgb + y * stride_bytes, 3 * (size_t)width);
	}
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
	memcpy(hash, canonical.digest, 16);
}
