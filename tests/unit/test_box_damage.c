/*
 * Damaged containers: every truncation, every byte flipped, and damage whose hashes are right.
 * Always an error that names the place, or the original data; never a crash, and never more memory
 * than the file declares.
 */
#include <malloc.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "box_damage.h"

/* ---- Memory in use (the linker sends the library's allocations here) ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);
char *__wrap_strdup(const char *text);

static size_t in_use, most, largest_request;

static void *took(void *p) {
	in_use += p ? malloc_usable_size(p) : 0;
	most = in_use > most ? in_use : most;
	return p;
}

static void asked(size_t size) {
	largest_request = size > largest_request ? size : largest_request;
}

void *__wrap_malloc(size_t size) {
	asked(size);
	return took(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size) {
	asked(n * size);
	return took(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size) {
	asked(size);
	in_use -= p ? malloc_usable_size(p) : 0;
	void *grown = __real_realloc(p, size);
	if (!grown) {
		return took(p), NULL;
	}
	return took(grown);
}

void __wrap_free(void *p) {
	in_use -= p ? malloc_usable_size(p) : 0;
	__real_free(p);
}

char *__wrap_strdup(const char *text) {
	char *copy = __wrap_malloc(strlen(text) + 1);
	return copy ? strcpy(copy, text) : NULL;
}

/* ---- Reading ---- */

/* Returns the memory that the header allows, plus fixed parts: states, index, messages. */
static size_t allowed(const uint8_t *file, size_t size) {
	struct box_header h;
	if (size < sizeof(h)) {
		return 4 * sizeof(struct pica_state) + (1 << 16);
	}
	memcpy(&h, file, sizeof(h));
	return 2 * h.max_chunk + h.blob_bytes +
			h.max_chunks * (sizeof(struct box_entry) + sizeof(struct box_pack)) +
			4 * sizeof(struct pica_state) + (1 << 16);
}

/* Opens and reads all of it. Returns 0, or the first error, with its message in text. */
static int read_all(const uint8_t *file, size_t size, char *text) {
	struct pica_capture *c;
	struct pica_capture_event event;
	size_t before = in_use;
	uint32_t frames = 0;
	most = in_use;
	largest_request = 0;
	text[0] = 0;
	int ret = pica_capture_open_memory(&c, file, size, "bad", &error);
	if (ret < 0) {
		strcpy(text, error.message);
		ck_assert_int_eq(error.code, ret);
	} else {
		while ((ret = pica_capture_next(c, &event)) > 0) {
			frames += event.kind == PICA_CAPTURE_FRAME;
			const char *reason;
			ck_assert_msg(job_check(&event.job, &reason) == 0, "%s", reason);
		}
		ck_assert_uint_le(frames, BOX_FRAMES);
		if (ret == 0) {
			ret = pica_capture_verify(c);
		}
		if (ret < 0) {
			strcpy(text, pica_capture_error(c)->message);
			ck_assert_int_eq(pica_capture_error(c)->code, ret);
		}
		pica_capture_close(c);
	}
	ck_assert_uint_eq(in_use, before);
	ck_assert_msg(most - before <= allowed(file, size), "%zu bytes, allowed %zu: %s",
			most - before, allowed(file, size), text);
	return ret;
}

/* ---- Tests ---- */

TEST_LOOP(every_truncation_names_the_chunk, 2) {
	char text[PICA_CAPTURE_MESSAGE];
	load_good(_i == 0 ? TEST_DATA "/version-1/jobs.pica" : NULL);
	ck_assert_msg(read_all(good, good_size, text) == 0, "%s", text);
	for (size_t size = 0; size < good_size; size++) {
		if (!is_tried(size)) {
			continue;
		}
		/* A copy of the exact size, so that sanitizers detect reads beyond it. */
		uint8_t *cut = malloc(size + 1);
		memcpy(cut, good, size);
		int ret = read_all(cut, size, text);
		ck_assert_msg(ret == -EINVAL, "%zu: %d", size, ret);
		if (size > 0) {
			size_t offset;
			const char *name = place_of(size, &offset);
			bool at_start = size - offset < 4; /* no name to tell yet */
			ck_assert_msg(names_place(text) && (at_start || strstr(text, name)),
					"%zu (%s): %s", size, name, text);
		}
		free(cut);
	}
	drop_good();
}

TEST_LOOP(every_flipped_byte_names_the_chunk, 2) {
	char text[PICA_CAPTURE_MESSAGE];
	load_good(_i == 0 ? TEST_DATA "/version-1/jobs.pica" : NULL);
	for (size_t i = 0; i < good_size; i++) {
		size_t offset;
		if (!is_tried(i)) {
			continue;
		}
		bad[i] = good[i] ^ (uint8_t)(1 << i % 8);
		int ret = read_all(bad, good_size, text);
		const char *name = place_of(i, &offset);
		bad[i] = good[i];
		if (i < BOX_MAGIC_BYTES) {
			ck_assert_msg(ret < 0, "%zu", i);
			continue; /* not a container at all */
		}
		/* The error names a flipped name as it reads now, with its place. */
		char where[40];
		snprintf(where, sizeof(where), "byte 0x%zX:", offset);
		ck_assert_msg(ret < 0 && names_place(text) &&
						(strstr(text, name) || strstr(text, where)),
				"%zu (%s): %d %s", i, name, ret, text);
	}
	drop_good();
}

/* Makes the hashes of all chunks and the header right. */
static void hash_again(uint8_t *file, size_t size) {
	uint8_t hash[16];
	box_hash(file, offsetof(struct box_header, hash), hash);
	memcpy(file + offsetof(struct box_header, hash), hash, sizeof(hash));
	for (size_t at = BOX_HEADER; at + BOX_CHUNK <= size;) {
		struct box_chunk head;
		memcpy(&head, file + at, sizeof(head));
		if (box_padded(head.stored) > size - at - BOX_CHUNK) {
			return;
		}
		XXH3_state_t state;
		XXH128_canonical_t c;
		XXH3_128bits_reset(&state);
		XXH3_128bits_update(&state, &head, offsetof(struct box_chunk, hash));
		XXH3_128bits_update(&state, file + at + BOX_CHUNK, box_padded(head.stored));
		XXH128_canonicalFromHash(&c, XXH3_128bits_digest(&state));
		memcpy(file + at + offsetof(struct box_chunk, hash), c.digest, 16);
		at += BOX_CHUNK + box_padded(head.stored);
	}
}

/*
 * Each chunk uncompressed, so that a flip reaches its data. The index is written again, for the
 * sizes. Returns the size of the file in bad.
 */
static size_t unpack_all(void) {
	struct box_file file = { .fd = -1, .data = good, .size = good_size };
	const struct capture_source source = { .name = "good" };
	size_t from = BOX_HEADER, to = BOX_HEADER, index_at = 0;
	static struct box_entry entry[256];
	uint64_t n = 0;
	memcpy(bad, good, BOX_HEADER);
	for (uint64_t number = 0; from < good_size; number++) {
		struct box_chunk head;
		uint8_t *payload;
		ck_assert_int_eq(box_read_chunk(&file, &source, from, number, 1 << 30, &head,
						 &payload, &error),
				0);
		from += BOX_CHUNK + box_padded(head.stored);
		if (head.fourcc == BOX_INDX) {
			index_at = to;
			memcpy(entry, payload + sizeof(struct box_index),
					(size_t)n * sizeof(entry[0]));
			for (uint64_t i = 0, at = BOX_HEADER; i < n; i++) {
				entry[i].stored = entry[i].plain;
				entry[i].flags = 0;
				entry[i].offset = at;
				at += BOX_CHUNK + box_padded(entry[i].plain);
			}
			memcpy(payload + sizeof(struct box_index), entry,
					(size_t)n * sizeof(entry[0]));
		} else if (head.fourcc == BOX_END) {
			struct box_end end = { .index = index_at, .size = to + BOX_END_BYTES };
			memcpy(payload, &end, sizeof(end));
		} else {
			n++;
		}
		head.flags = 0;
		head.stored = head.plain;
		memset(bad + to, 0, BOX_CHUNK + box_padded(head.plain));
		memcpy(bad + to, &head, BOX_CHUNK);
		memcpy(bad + to + BOX_CHUNK, payload, head.plain);
		to += BOX_CHUNK + box_padded(head.plain);
		free(payload);
	}
	hash_again(bad, to);
	return to;
}

/* Errors or none; no crash, no more memory than declared. */
TEST(lies_with_right_hashes_are_harmless) {
	char text[PICA_CAPTURE_MESSAGE];
	load_good(NULL);
	const size_t size = unpack_all();
	ck_assert_msg(read_all(bad, size, text) == 0, "%s", text);
	uint8_t *lie = malloc(size);
	uint32_t x = 12345, refused = 0;
	for (size_t i = 0; i < size;) {
		/*
		 * Words of heads, lists and events one by one; states are long and hold anything.
		 */
		struct box_chunk head;
		size_t offset = BOX_HEADER;
		for (size_t at = BOX_HEADER; at <= i;) {
			offset = at;
			at = after_chunk(bad, at, &head);
		}
		static const uint32_t values[] = { 0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
			0x100, 0x10000 };
		memcpy(lie, bad, size);
		x = x * 1664525 + 1013904223;
		uint32_t word = values[x >> 29];
		if (i % 4 == 0 && i + 4 <= size) {
			memcpy(lie + i, &word, 4);
		} else {
			lie[i] ^= (uint8_t)(1 << (x >> 29));
		}
		hash_again(lie, size);
		int ret = read_all(lie, size, text);
		refused += ret < 0;
		ck_assert_msg(ret == 0 || ret == -EINVAL || ret == -EOPNOTSUPP || ret == -EFBIG,
				"%zu: %d %s", i, ret, text);
		ck_assert_msg(ret == 0 || names_place(text) || i < BOX_MAGIC_BYTES, "%zu: %s", i,
				text);
		const bool is_long = i >= BOX_HEADER && i - offset > 400 && head.fourcc != BOX_EVTS;
		i += is_long ? 997 : 1;
	}
	ck_assert_uint_gt(refused, 1000);
	free(lie);
	drop_good();
}

/* A file cannot make its reader write through a pointer. */
TEST(jobs_with_pointers_are_refused) {
	char text[PICA_CAPTURE_MESSAGE];
	load_good(NULL);
	const size_t size = unpack_all();
	unsigned n = 0;
	for (size_t at = BOX_HEADER; at < size;) {
		struct box_chunk head;
		const size_t next = after_chunk(bad, at, &head), end = at + BOX_CHUNK + head.stored;
		size_t event = at + BOX_CHUNK + sizeof(struct box_events);
		for (; head.fourcc == BOX_EVTS && event < end; n++) {
			struct box_record record;
			memcpy(&record, bad + event, sizeof(record));
			const struct box_record stats = { .op = PICA_OP_STATS,
				.n_words = record.n_words };
			memcpy(bad + event, &stats, sizeof(stats));
			hash_again(bad, size);
			ck_assert_int_eq(read_all(bad, size, text), -EINVAL);
			ck_assert_msg(strstr(text, "STATS") != NULL, "%s", text);
			memcpy(bad + event, &record, sizeof(record));
			event += sizeof(record) + 4 * (size_t)record.n_words;
		}
		at = next;
	}
	ck_assert_uint_gt(n, BOX_FRAMES);
	drop_good();
}

/*
 * Sets the count of the last entry of a kind in the index of `bad`; returns the number of its
 * chunk.
 */
static uint64_t claim(size_t size, uint32_t fourcc, uint32_t n) {
	struct box_end end;
	struct box_index index;
	struct box_entry e;
	memcpy(&end, bad + size - sizeof(end), sizeof(end));
	uint8_t *at = bad + end.index + BOX_CHUNK;
	memcpy(&index, at, sizeof(index));
	for (uint32_t i = index.n; i-- > 0;) {
		uint8_t *entry = at + sizeof(index) + i * sizeof(e);
		memcpy(&e, entry, sizeof(e));
		if (e.fourcc == fourcc) {
			e.n = n;
			memcpy(entry, &e, sizeof(e));
			hash_again(bad, size);
			return i;
		}
	}
	ck_abort_msg("no such chunk");
}

/* Only the index has the number of blobs, by which tables are allocated. */
TEST(a_chunk_has_no_more_blobs_than_bytes_for_them) {
	char text[PICA_CAPTURE_MESSAGE], name[32];
	struct pica_capture *c;
	load_good(NULL);
	const size_t size = unpack_all();
	snprintf(name, sizeof(name), "BLOB chunk %u", (unsigned)claim(size, BOX_BLOB, 0x10000000));
	ck_assert_int_eq(read_all(bad, size, text), -EINVAL);
	ck_assert_msg(strstr(text, name) && strstr(text, "more blobs than"), "%s", text);
	ck_assert_int_eq(pica_capture_open_memory(&c, bad, size, "bad", &error), -EINVAL);
	drop_good();
}

/* So many in the index of `bad`. */
static void claim_frames(size_t size, uint32_t n) {
	struct box_end end;
	struct box_index index;
	memcpy(&end, bad + size - sizeof(end), sizeof(end));
	memcpy(&index, bad + end.index + BOX_CHUNK, sizeof(index));
	index.n_frames = n;
	memcpy(bad + end.index + BOX_CHUNK, &index, sizeof(index));
	hash_again(bad, size);
}

/* Reading all frames of a file of a few bytes does not take hours. */
TEST(there_are_no_more_frames_than_events_that_end_them) {
	char text[PICA_CAPTURE_MESSAGE], name[32];
	struct pica_capture *c;
	struct pica_capture_event event;
	load_good(NULL);
	const size_t size = unpack_all();
	claim_frames(size, UINT32_MAX);
	ck_assert_int_eq(pica_capture_open_memory(&c, bad, size, "bad", &error), -EINVAL);
	ck_assert_msg(strstr(error.message, "INDX chunk: 4294967295 frames"), "%s", error.message);

	/* Of the most frames allowed, the last ones are missing where they should begin. */
	claim_frames(size, BOX_FRAMES + 1);
	for (uint32_t from = 0; from < BOX_FRAMES; from += 2) {
		uint32_t frames = from, at;
		ck_assert_int_eq(pica_capture_open_memory(&c, bad, size, "bad", &error), 0);
		ck_assert_int_eq(pica_capture_seek(c, from, &at), 0);
		ck_assert_uint_eq(at, from);
		int ret;
		while ((ret = pica_capture_next(c, &event)) > 0) {
			frames += event.kind == PICA_CAPTURE_FRAME;
		}
		ck_assert_int_eq(ret, -EINVAL);
		ck_assert_uint_eq(frames, BOX_FRAMES);
		ck_assert_msg(strstr(pica_capture_error(c)->message, "expected 4 frames, found 3"),
				"%s", pica_capture_error(c)->message);
		pica_capture_close(c);
	}

	claim_frames(size, BOX_FRAMES);
	ck_assert_msg(read_all(bad, size, text) == 0, "%s", text);
	snprintf(name, sizeof(name), "EVTS chunk %u", (unsigned)claim(size, BOX_EVTS, UINT32_MAX));
	ck_assert_int_eq(read_all(bad, size, text), -EINVAL);
	ck_assert_msg(strstr(text, name) && strstr(text, "more events than"), "%s", text);
	drop_good();
}

/* Whatever frame is sought, there is a key at or before it. */
TEST(the_first_key_is_at_frame_0) {
	char text[PICA_CAPTURE_MESSAGE];
	struct box_end end;
	struct box_entry e;
	struct box_chunk head;
	struct box_key key;
	load_good(false);
	const size_t size = unpack_all();
	memcpy(&end, bad + size - sizeof(end), sizeof(end));
	uint8_t *entry = bad + end.index + BOX_CHUNK + sizeof(struct box_index) + sizeof(e);
	memcpy(&e, entry, sizeof(e));
	ck_assert_uint_eq(e.fourcc, BOX_KEYF);
	memcpy(&head, bad + e.offset, sizeof(head));
	ck_assert_uint_eq(head.plain, sizeof(key));
	memcpy(&key, bad + e.offset + BOX_CHUNK, sizeof(key));
	e.frame = key.frame = 1;
	memcpy(entry, &e, sizeof(e));
	memcpy(bad + e.offset + BOX_CHUNK, &key, sizeof(key));
	hash_again(bad, size);
	ck_assert_int_eq(read_all(bad, size, text), -EINVAL);
	ck_assert_msg(strstr(text, "KEYF chunk 1") && strstr(text, "frame 0"), "%s", text);
	drop_good();
}

/* A small file that promises large things. */
TEST(nothing_is_allocated_beyond_the_limits) {
	char text[PICA_CAPTURE_MESSAGE];
	struct box_chunk head;
	load_good(NULL);
	memcpy(&head, bad + BOX_HEADER, sizeof(head)); /* INFO */
	head.plain = (uint64_t)1 << 29;
	head.flags |= BOX_ZSTD;
	memcpy(bad + BOX_HEADER, &head, sizeof(head));
	hash_again(bad, good_size);
	ck_assert_int_eq(read_all(bad, good_size, text), -EINVAL);
	ck_assert_ptr_nonnull(strstr(text, "INFO chunk 0"));
	ck_assert_uint_lt(largest_request, 1 << 22);

	struct box_header was;
	memcpy(bad, good, good_size);
	memcpy(&was, bad, sizeof(was));
	struct box_header large = was, newer = was, unknown = was, later = was, few = was;
	large.max_chunk = ((uint64_t)1 << 30) + 1;
	newer.min_reader = 2;
	unknown.features = 1;
	later.version = 9; /* of a later writer that older readers understand */
	few.blob_bytes = 100;
	const struct {
		const struct box_header *h;
		int result;
	} cases[] = { { &large, -EFBIG }, { &newer, -EOPNOTSUPP }, { &unknown, -EOPNOTSUPP },
		{ &later, 0 }, { &few, -EINVAL } };
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		memcpy(bad, cases[i].h, sizeof(was));
		hash_again(bad, good_size);
		ck_assert_int_eq(read_all(bad, good_size, text), cases[i].result);
	}
	ck_assert_ptr_nonnull(strstr(text, "BLOB"));
	drop_good();
}

static int in_folder(void) {
	return run_in_folder(path, "box.pica");
}
SUITE_MAIN(in_folder)
