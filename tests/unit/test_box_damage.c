/*
 * Damaged containers: every truncation, every byte flipped, and damage whose hashes are right.
 * Always an error that names the place, or the original data; never a crash, and never more memory
 * than the file declares.
 */
#include <malloc.h>
#include <unistd.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "box_file.h"
#include "capture/container/box.h"
#include "tests/folder.h"

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

/* ---- Files ---- */

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

/* What the header allows, and the fixed parts: states, index, messages. */
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

/* Opens and reads all of it. 0, or the first error, whose message is in text. */
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

/* Whether a message says where: a chunk by name or number, or the header. */
static bool names_place(const char *text) {
	return strstr(text, "chunk") || strstr(text, "header");
}

/* The chunk that a byte belongs to; *offset: where it starts. "header" at the front. */
static const char *place_of(size_t byte, size_t *offset) {
	size_t at = BOX_HEADER;
	*offset = 0;
	if (byte < at) {
		return "header";
	}
	for (;;) {
		struct box_chunk head;
		memcpy(&head, good + at, sizeof(head));
		const size_t next = at + BOX_CHUNK + box_padded(head.stored);
		if (byte < next) {
			static struct box_name name;
			name = box_fourcc_name(head.fourcc);
			*offset = at;
			return name.text;
		}
		at = next;
	}
}

/* Bytes of heads are tried one by one, and of what they hold each PICA_TEST_SAMPLEth (8). */
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

/* ---- Tests ---- */

TEST_LOOP(every_truncation_names_the_chunk, 2) {
	char text[PICA_CAPTURE_MESSAGE];
	load_good(_i == 0 ? TEST_DATA "/version-1/jobs.pica" : NULL);
	ck_assert_msg(read_all(good, good_size, text) == 0, "%s", text);
	for (size_t size = 0; size < good_size; size++) {
		if (!is_tried(size)) {
			continue;
		}
		/* A copy of its own size, so that a checker sees a byte too far. */
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
			memcpy(&head, bad + at, sizeof(head));
			offset = at;
			at += BOX_CHUNK + box_padded(head.stored);
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
		memcpy(&head, bad + at, sizeof(head));
		size_t event = at + BOX_CHUNK + sizeof(struct box_events),
		       end = at + BOX_CHUNK + head.stored;
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
		at += BOX_CHUNK + box_padded(head.stored);
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

/* The index is all that says how many blobs there are, and tables are made for them. */
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

	/* As many as there may be: the last ones are missed where they would begin. */
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

	struct box_header h;
	memcpy(bad, good, good_size);
	memcpy(&h, bad, sizeof(h));
	const struct box_header was = h;
	h.max_chunk = ((uint64_t)1 << 30) + 1;
	memcpy(bad, &h, sizeof(h));
	hash_again(bad, good_size);
	ck_assert_int_eq(read_all(bad, good_size, text), -EFBIG);
	h = was;
	h.min_reader = 2;
	memcpy(bad, &h, sizeof(h));
	hash_again(bad, good_size);
	ck_assert_int_eq(read_all(bad, good_size, text), -EOPNOTSUPP);
	h = was;
	h.features = 1;
	memcpy(bad, &h, sizeof(h));
	hash_again(bad, good_size);
	ck_assert_int_eq(read_all(bad, good_size, text), -EOPNOTSUPP);
	h = was;
	h.version = 9; /* a later writer that older readers understand */
	memcpy(bad, &h, sizeof(h));
	hash_again(bad, good_size);
	ck_assert_int_eq(read_all(bad, good_size, text), 0);
	h = was;
	h.blob_bytes = 100;
	memcpy(bad, &h, sizeof(h));
	hash_again(bad, good_size);
	ck_assert_int_eq(read_all(bad, good_size, text), -EINVAL);
	ck_assert_ptr_nonnull(strstr(text, "BLOB"));
	drop_good();
}

static void store(const uint8_t *bytes, size_t size) {
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
}

/* The rest of a file is a beginning of it, of any length. */
TEST(recovery_gives_what_is_whole) {
	load_good(NULL);
	unsigned recovered = 0;
	uint32_t last = 0;
	for (size_t size = 0; size <= good_size; size++) {
		if (size < good_size && !is_tried(size)) {
			continue;
		}
		store(good, size);
		int ret = pica_capture_recover(&capture, path, &error);
		if (ret < 0) {
			/* more bytes, not less to see */
			ck_assert_msg(recovered == 0, "%zu: %s", size, error.message);
			continue;
		}
		ck_assert_int_eq(ret, size < good_size);
		recovered++;
		struct pica_capture_info i = info();
		ck_assert_int_eq((i.missing & PICA_CAPTURE_LOST_END) != 0, size < good_size);
		ck_assert_msg(size == good_size || names_place(error.message), "%s", error.message);
		ck_assert_uint_ge(i.frames, last);
		last = i.frames;
		struct pica_capture_event e;
		uint32_t frames = 0, n;
		while ((ret = pica_capture_next(capture, &e)) > 0) {
			frames += e.kind == PICA_CAPTURE_FRAME;
		}
		ck_assert_msg(ret == 0 && frames == i.frames, "%zu: %s", size,
				pica_capture_error(capture)->message);
		pica_capture_expected(capture, frames, &n);
		ck_assert_uint_eq(n, 0);
		ck_assert_int_eq(pica_capture_verify(capture), 0);
		done();
	}
	ck_assert_uint_gt(recovered, 100);
	ck_assert_uint_eq(last, BOX_FRAMES);

	/* A flip in the middle: the part before it. In the header: everything. */
	size_t second_key = 0;
	for (size_t at = BOX_HEADER, keys = 0; keys < 2;) {
		struct box_chunk head;
		memcpy(&head, good + at, sizeof(head));
		keys += head.fourcc == BOX_KEYF;
		second_key = at;
		at += BOX_CHUNK + box_padded(head.stored);
	}
	bad[second_key + BOX_CHUNK] ^= 4;
	store(bad, good_size);
	/* The index is whole: opening shows no damage, reading on to it does. */
	ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
	uint32_t at;
	ck_assert_int_eq(pica_capture_seek(capture, 2, &at), -EINVAL);
	ck_assert_ptr_nonnull(strstr(pica_capture_error(capture)->message, "KEYF chunk"));
	ck_assert_int_eq(pica_capture_verify(capture), -EINVAL);
	done();
	/* All events are there: only a key is lost. */
	ck_assert_int_eq(pica_capture_recover(&capture, path, &error), 1);
	ck_assert_ptr_nonnull(strstr(error.message, "KEYF chunk"));
	ck_assert_uint_eq(info().missing & PICA_CAPTURE_LOST_END, 0);
	ck_assert_uint_eq(info().frames, BOX_FRAMES);
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	expect_box_from(0);
	done();
	memcpy(bad, good, good_size);
	bad[20] ^= 4;
	store(bad, good_size);
	ck_assert_int_eq(pica_capture_recover(&capture, path, &error), 1);
	ck_assert_ptr_nonnull(strstr(error.message, "header"));
	expect_box_from(0);
	done();
	drop_good();
}

/* Where chunk number `n` of a kind begins in `good`. */
static size_t nth_chunk(uint32_t fourcc, unsigned n) {
	for (size_t at = BOX_HEADER; at < good_size;) {
		struct box_chunk head;
		memcpy(&head, good + at, sizeof(head));
		if (head.fourcc == fourcc && n-- == 0) {
			return at;
		}
		at += BOX_CHUNK + box_padded(head.stored);
	}
	ck_abort_msg("no such chunk");
}

/* The events of frame 2, which is the first one now. */
static void expect_last_frame(void) {
	struct pica_job jobs[16];
	const unsigned n = box_jobs(2, jobs);
	uint32_t n_expected;
	ck_assert_uint_eq(info().frames, 1);
	ck_assert_uint_eq(info().first_frame, 7 + 2);
	ck_assert_uint_eq(info().keys, 1);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(next().kind, PICA_CAPTURE_MEMORY);
	}
	for (unsigned i = 0; i < n; i++) {
		const struct pica_capture_event e = next();
		ck_assert_uint_eq(e.frame, 0);
		ck_assert_int_eq(e.job.op, jobs[i].op);
	}
	expect_frame(0);
	ck_assert_int_eq(next().job.op, PICA_OP_BARRIER);
	expect_end();
	const struct pica_expected *e = pica_capture_expected(capture, 0, &n_expected);
	ck_assert_uint_eq(n_expected, 2);
	const struct pica_expected want = box_expected(2, 0);
	ck_assert_mem_eq(e->hash, want.hash, sizeof(want.hash));
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	ck_assert_int_eq(pica_capture_rewind(capture), 0);
	ck_assert_int_eq(next().kind, PICA_CAPTURE_MEMORY);
}

/* Frames 0 and 1 are of one chunk of events, frame 2 begins with a key. */
TEST(what_begins_behind_damage_can_be_saved) {
	struct pica_capture_part parts[2];
	static const uint32_t kinds[] = { BOX_EVTS, BOX_KEYF, BOX_GEOM, BOX_MEMP };
	load_good(NULL);
	for (unsigned i = 0; i < ARRAY_LEN(kinds); i++) {
		memcpy(bad, good, good_size);
		bad[nth_chunk(kinds[i], 0) + BOX_CHUNK] ^= 1;
		store(bad, good_size);
		ck_assert_int_eq(pica_capture_recover(&capture, path, &error), 1);
		ck_assert_msg(names_place(error.message), "%s", error.message);
		ck_assert_uint_eq(pica_capture_parts(capture, parts, 2), 1);
		ck_assert_uint_eq(parts[0].first, 2);
		ck_assert_uint_eq(parts[0].frames, 1);
		ck_assert_uint_eq(parts[0].is_open, 1);
		expect_last_frame();
		done();
		ck_assert_int_eq(pica_capture_recover_at(&capture, path, 1, &error), -EINVAL);
		ck_assert_msg(strstr(error.message, "frame 1 is not whole, or not there: frames 2-2 are"),
				"%s", error.message);
	}
	/* The last events are lost, or what they name: the frames before. */
	for (unsigned i = 0; i < 2; i++) {
		memcpy(bad, good, good_size);
		bad[nth_chunk(BOX_EVTS, 1) + BOX_CHUNK + i] ^= 1;
		store(bad, good_size);
		ck_assert_int_eq(pica_capture_recover_at(&capture, path, i, &error), 1);
		ck_assert_uint_eq(info().frames, 2);
		ck_assert(info().missing & PICA_CAPTURE_LOST_END);
		ck_assert_uint_eq(pica_capture_lacks(capture, NULL, 0), 2);
		ck_assert_int_eq(pica_capture_verify(capture), 0);
		done();
		ck_assert_int_eq(pica_capture_recover_at(&capture, path, 2, &error), -EINVAL);
	}
	/* Without the end there is the beginning alone. */
	store(good, good_size - 1);
	ck_assert_int_eq(pica_capture_recover_at(&capture, path, 2, &error), 1);
	ck_assert_uint_eq(pica_capture_parts(capture, parts, 2), 0);
	done();
	ck_assert_int_eq(pica_capture_recover_at(&capture, path, 3, &error), -EINVAL);
	/* Of a whole file every frame is. */
	store(good, good_size);
	ck_assert_int_eq(pica_capture_recover_at(&capture, path, 2, &error), 0);
	expect_box_from(0);
	done();
	drop_good();
}

/* A chunk of data that is lost costs the events that need it. */
TEST(lost_data_costs_who_names_it) {
	unsigned saved = 0;
	load_good(NULL);
	for (size_t at = BOX_HEADER; at < good_size;) {
		struct box_chunk head;
		memcpy(&head, good + at, sizeof(head));
		if (head.fourcc == BOX_BLOB) {
			memcpy(bad, good, good_size);
			bad[at + BOX_CHUNK] ^= 1;
			store(bad, good_size);
			const int ret = pica_capture_recover(&capture, path, &error);
			ck_assert_msg(strstr(error.message, "BLOB chunk"), "%s", error.message);
			if (ret >= 0) {
				struct pica_capture_event e;
				int more;
				while ((more = pica_capture_next(capture, &e)) > 0) {
				}
				ck_assert_int_eq(more, 0);
				ck_assert_int_eq(pica_capture_verify(capture), 0);
				saved++;
				done();
			}
		}
		at += BOX_CHUNK + box_padded(head.stored);
	}
	ck_assert_uint_gt(saved, 0);
	drop_good();
}

int main(void) {
	return run_in_folder(path, "box.pica");
}
