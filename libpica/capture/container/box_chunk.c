/* Chunks of the container: bytes, hashes, compression. */
#include "capture/container/box.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_STATIC_LINKING_ONLY /* XXH3_state_t by value */
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "capture/disk/disk.h"

enum {
	SMALL_BYTES = 64, /* not worth compressing */
};

const uint8_t box_magic[BOX_MAGIC_BYTES] = { 0x89, 'P', 'I', 'C', 'A', '\r', '\n', 0x1A };

bool box_is(const uint8_t *data, uint64_t size) {
	return size > 0 &&
			memcmp(data, box_magic, size < BOX_MAGIC_BYTES ? size : BOX_MAGIC_BYTES) ==
			0;
}

struct box_name box_fourcc_name(uint32_t fourcc) {
	struct box_name name = { "" };
	for (unsigned i = 0; i < 4; i++) {
		char c = (char)(fourcc >> (8 * i));
		name.text[i] = c < ' ' || c > '~' ? '?' : c;
	}
	/* "END " */
	for (unsigned i = 4; i > 0 && name.text[i - 1] == ' '; i--) {
		name.text[i - 1] = 0;
	}
	return name;
}

int box_fail(const struct capture_source *source, struct pica_capture_error *err, int code,
		uint32_t fourcc, uint64_t number, uint64_t offset, const char *fmt, ...) {
	char text[PICA_CAPTURE_MESSAGE / 2];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return capture_fail(source, err, code, offset, "%s chunk %" PRIu64 ": %s",
			box_fourcc_name(fourcc).text, number, text);
}

static void canonical(XXH128_hash_t hash, uint8_t out[16]) {
	XXH128_canonical_t c;
	XXH128_canonicalFromHash(&c, hash);
	memcpy(out, c.digest, 16);
}

void box_hash(const void *data, uint64_t size, uint8_t hash[16]) {
	canonical(XXH3_128bits(data, size), hash);
}

static void chunk_hash(const struct box_chunk *head, const uint8_t *stored, uint64_t padded,
		uint8_t hash[16]) {
	XXH3_state_t state;
	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, head, offsetof(struct box_chunk, hash));
	XXH3_128bits_update(&state, stored, padded);
	canonical(XXH3_128bits_digest(&state), hash);
}

/* ---- Reading ---- */

int box_read(const struct box_file *file, uint64_t offset, void *out, uint64_t n) {
	if (file->fd < 0) {
		memcpy(out, file->data + offset, n);
		return 0;
	}
	const int64_t got = disk_read_at(file->fd, offset, out, n);
	return got < 0 ? (int)got : (uint64_t)got < n ? -EIO : 0; /* it shrank */
}

/* Checks that need no memory. */
static int check_head(const struct box_file *file, const struct capture_source *source,
		uint64_t offset, uint64_t number, uint64_t max_plain, const struct box_chunk *head,
		struct pica_capture_error *err) {
	const uint64_t room = file->size - offset - BOX_CHUNK;
	if (head->number != number) {
		return box_fail(source, err, -EINVAL, head->fourcc, number,
				offset + offsetof(struct box_chunk, number),
				"expected %" PRIu64 " as the chunk's number, found %" PRIu64,
				number, head->number);
	}
	if (head->plain > max_plain || head->plain > SIZE_MAX / 2) {
		return box_fail(source, err, -EINVAL, head->fourcc, number, offset,
				"expected at most the %" PRIu64
				" bytes that the header declares, found %" PRIu64,
				max_plain, head->plain);
	}
	if (head->stored > head->plain ||
			(!(head->flags & BOX_ZSTD) && head->stored != head->plain)) {
		return box_fail(source, err, -EINVAL, head->fourcc, number, offset,
				"expected %s%" PRIu64 " stored bytes, found %" PRIu64,
				head->flags & BOX_ZSTD ? "at most " : "", head->plain,
				head->stored);
	}
	const uint64_t padded = box_padded(head->stored);
	if (padded > room) {
		return box_fail(source, err, -EINVAL, head->fourcc, number, offset,
				"the file ends inside of it, after %" PRIu64 " of %" PRIu64
				" bytes",
				room, padded);
	}
	return 0;
}

static int decompress(const struct capture_source *source, uint64_t offset,
		const struct box_chunk *head, const uint8_t *stored, uint8_t **out,
		struct pica_capture_error *err) {
	uint8_t *plain = malloc(head->plain > 0 ? head->plain : 1);
	if (!plain) {
		return capture_no_memory(source, err);
	}
	size_t got = ZSTD_decompress(plain, head->plain, stored, head->stored);
	if (ZSTD_isError(got) || got != head->plain) {
		free(plain);
		if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation) {
			return capture_no_memory(source, err);
		}
		return box_fail(source, err, -EINVAL, head->fourcc, head->number, offset,
				"zstd: %s",
				ZSTD_isError(got) ? ZSTD_getErrorName(got) :
						    "fewer bytes than it declares");
	}
	*out = plain;
	return 0;
}

/* The file ends in a chunk's header, perhaps after its name. */
static int no_head(const struct box_file *file, const struct capture_source *source,
		uint64_t offset, uint64_t number, struct pica_capture_error *err) {
	uint32_t fourcc;
	if (offset < file->size && file->size - offset >= sizeof(fourcc) &&
			box_read(file, offset, &fourcc, sizeof(fourcc)) == 0) {
		return box_fail(source, err, -EINVAL, fourcc, number, offset,
				"the file ends in its header");
	}
	return capture_fail(source, err, -EINVAL, offset,
			"the file ends where chunk %" PRIu64 " should begin", number);
}

int box_read_chunk(const struct box_file *file, const struct capture_source *source,
		uint64_t offset, uint64_t number, uint64_t max_plain, struct box_chunk *head,
		uint8_t **payload, struct pica_capture_error *err) {
	if (offset > file->size || file->size - offset < BOX_CHUNK) {
		return no_head(file, source, offset, number, err);
	}
	int ret = box_read(file, offset, head, BOX_CHUNK);
	if (ret < 0) {
		return capture_fail(source, err, ret, offset, "chunk %" PRIu64 ": %s", number,
				strerror(-ret));
	}
	ret = check_head(file, source, offset, number, max_plain, head, err);
	if (ret < 0) {
		return ret;
	}
	const uint64_t padded = box_padded(head->stored);
	uint8_t hash[16], *stored = malloc(padded > 0 ? padded : 1);
	if (!stored) {
		return capture_no_memory(source, err);
	}
	ret = box_read(file, offset + BOX_CHUNK, stored, padded);
	if (ret < 0) {
		free(stored);
		return box_fail(source, err, ret, head->fourcc, number, offset, "%s",
				strerror(-ret));
	}
	chunk_hash(head, stored, padded, hash);
	if (memcmp(hash, head->hash, sizeof(hash)) != 0) {
		free(stored);
		return box_fail(source, err, -EINVAL, head->fourcc, number, offset,
				"damaged: its hash is not that of its bytes");
	}
	if (!(head->flags & BOX_ZSTD)) {
		*payload = stored;
		return 0;
	}
	ret = decompress(source, offset, head, stored, payload, err);
	free(stored);
	return ret;
}

/* ---- Writing ---- */

int box_make_chunk(uint32_t fourcc, uint32_t flags, uint64_t number, const void *payload,
		uint64_t size, ZSTD_CCtx *zstd, int level, uint8_t **bytes, uint64_t *total) {
	const size_t room = ZSTD_compressBound(size) > size ? ZSTD_compressBound(size) : size;
	uint8_t *out = calloc(1, BOX_CHUNK + box_padded(room));
	if (!out) {
		return -ENOMEM;
	}
	struct box_chunk head = {
		.fourcc = fourcc, .flags = flags, .stored = size, .plain = size, .number = number
	};
	uint8_t *to = out + BOX_CHUNK;
	size_t packed = size;
	if (size >= SMALL_BYTES) {
		packed = ZSTD_compressCCtx(zstd, to, room, payload, size, level);
	}
	if (!ZSTD_isError(packed) && packed < size) {
		head.stored = packed;
		head.flags |= BOX_ZSTD;
	} else if (size > 0) {
		memcpy(to, payload, size);
	}
	const uint64_t padded = box_padded(head.stored);
	memset(to + head.stored, 0, padded - head.stored);
	chunk_hash(&head, to, padded, head.hash);
	memcpy(out, &head, BOX_CHUNK);
	*bytes = out;
	*total = BOX_CHUNK + padded;
	return 0;
}
