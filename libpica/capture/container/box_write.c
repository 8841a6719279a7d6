/*
 * Writes containers. Blobs, events and expected pictures are collected until there are enough for a
 * chunk; blobs are written before the chunks that refer to them. The header holds the maxima of the
 * format, and at the end the actual values of the file.
 */
#include "capture/container/box_write.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <zstd.h>

#include "job.h"

enum {
	PACK_BYTES = 1 << 20,
	EVENTS_BYTES = 256 << 10,
	PAGE_BYTES = 4096,
	DEFAULT_LEVEL = 3,
	VRAM_ADDR = 0x18000000,
	VRAM_BYTES = 6 << 20,
	FCRAM_ADDR = 0x20000000,
	FCRAM_BYTES = 128 << 20,
};

static int fail(struct pica_capture_writer *w, int error) {
	if (w->error == 0) {
		w->error = error;
	}
	return w->error;
}

/* ---- Buffers ---- */

static int put(struct pica_capture_writer *w, struct box_buffer *b, const void *data,
		uint64_t size) {
	if (w->error) {
		return w->error;
	}
	if (b->room - b->size < size) {
		uint64_t room = b->room ? b->room : 4096;
		while (room - b->size < size) {
			room *= 2;
		}
		uint8_t *grown = realloc(b->bytes, room);
		if (!grown) {
			return fail(w, -ENOMEM);
		}
		b->bytes = grown;
		b->room = room;
	}
	if (size > 0) {
		memcpy(b->bytes + b->size, data, size);
	}
	b->size += size;
	return 0;
}

static void put_padding(struct pica_capture_writer *w, struct box_buffer *b) {
	static const uint8_t zeros[BOX_ALIGN];
	put(w, b, zeros, box_padded(b->size) - b->size);
}

/* ---- Chunks ---- */

static uint64_t larger(uint64_t a, uint64_t b) {
	return a > b ? a : b;
}

/* first, n, frame: of the index. */
static int put_chunk(struct pica_capture_writer *w, uint32_t fourcc, const void *payload,
		uint64_t size, uint64_t first, uint32_t n, uint32_t frame) {
	uint8_t *bytes;
	uint64_t total;
	if (w->error) {
		return w->error;
	}
	if (size > BOX_MAX_CHUNK || w->index.n == BOX_MAX_CHUNKS) {
		return fail(w, -EFBIG);
	}
	const uint32_t flags = fourcc == BOX_LACK || fourcc == BOX_INFC ? BOX_OPTIONAL : 0;
	int ret = box_make_chunk(fourcc, flags, w->index.n, payload, size, w->zstd, w->level,
			&bytes, &total);
	if (ret < 0) {
		return fail(w, ret);
	}
	struct box_chunk head;
	memcpy(&head, bytes, sizeof(head));
	const struct box_entry entry = { .offset = w->size,
		.stored = head.stored,
		.plain = head.plain,
		.fourcc = fourcc,
		.flags = head.flags,
		.first = first,
		.n = n,
		.frame = frame };
	ret = disk_write(&w->file, bytes, total);
	free(bytes);
	if (ret < 0) {
		return fail(w, ret);
	}
	w->size += total;
	w->header.max_chunk = larger(w->header.max_chunk, size);
	if (fourcc != BOX_INDX && fourcc != BOX_END) {
		put(w, &w->entries, &entry, sizeof(entry));
	}
	w->index.n++;
	return w->error;
}

/* A head, then two buffers. */
static int put_chunk_of(struct pica_capture_writer *w, uint32_t fourcc, const void *head,
		uint64_t head_size, const struct box_buffer *a, const struct box_buffer *b,
		uint64_t first, uint32_t n, uint32_t frame) {
	struct box_buffer payload = { 0 };
	put(w, &payload, head, head_size);
	put(w, &payload, a->bytes, a->size);
	if (b) {
		put_padding(w, &payload);
		put(w, &payload, b->bytes, b->size);
	}
	put_chunk(w, fourcc, payload.bytes, payload.size, first, n, frame);
	free(payload.bytes);
	return w->error;
}

static int flush_blobs(struct pica_capture_writer *w) {
	if (!w->n_pending_blobs) {
		return w->error;
	}
	const uint32_t n = w->n_pending_blobs;
	const struct box_blobs head = { .first_blob = w->n_blobs - n, .n = n };
	const uint64_t data_at = box_padded(sizeof(head) + w->blob_list.size);
	for (uint32_t i = 0; i < n && !w->error; i++) {
		struct box_blob blob;
		memcpy(&blob, w->blob_list.bytes + i * sizeof(blob), sizeof(blob));
		blob.offset += (uint32_t)data_at;
		memcpy(w->blob_list.bytes + i * sizeof(blob), &blob, sizeof(blob));
	}
	w->header.blob_bytes += data_at + w->blob_data.size;
	if (w->header.blob_bytes > BOX_MAX_BLOB_BYTES) {
		fail(w, -EFBIG);
	}
	put_chunk_of(w, BOX_BLOB, &head, sizeof(head), &w->blob_list, &w->blob_data,
			head.first_blob, n, 0);
	w->blob_list.size = w->blob_data.size = 0;
	w->n_pending_blobs = 0;
	return w->error;
}

static int flush(struct pica_capture_writer *w) {
	flush_blobs(w);
	struct box_events *h = &w->head;
	if (h->n_events) {
		put_chunk_of(w, BOX_EVTS, h, sizeof(*h), &w->events, NULL, h->first_event,
				h->n_events, h->first_frame);
		box_add_sums(&w->index, h);
		*h = (struct box_events){ .first_event = w->n_events,
			.first_frame = w->index.n_frames };
		w->events.size = 0;
	}
	if (w->n_expected) {
		const struct box_list head = { .n = w->n_expected };
		put_chunk_of(w, BOX_EXPT, &head, sizeof(head), &w->expected, NULL, 0, 0, 0);
		w->expected.size = 0;
		w->n_expected = 0;
	}
	return w->error;
}

/* ---- Blobs ---- */

/* Returns the number of the blob with this data, new or old. */
static uint64_t put_blob(struct pica_capture_writer *w, const void *data, uint32_t size) {
	int is_new;
	struct dedup_entry *e = w->error ? NULL : dedup_find(&w->dedup, data, size, &is_new);
	if (!e) {
		fail(w, -ENOMEM);
		return 0;
	}
	if (!is_new) {
		return e->place;
	}
	e->place = w->n_blobs++;
	struct box_blob blob = { .size = size, .offset = (uint32_t)w->blob_data.size };
	XXH128_canonical_t hash;
	XXH128_canonicalFromHash(&hash, e->hash);
	memcpy(blob.hash, hash.digest, sizeof(blob.hash));
	const uint64_t place = e->place;
	put(w, &w->blob_list, &blob, sizeof(blob));
	put(w, &w->blob_data, data, size);
	put_padding(w, &w->blob_data);
	w->n_pending_blobs++;
	if (w->blob_data.size >= PACK_BYTES) {
		flush_blobs(w);
	}
	return place;
}

/* ---- Creation ---- */

PICA_EXPORT void pica_capture_writer_settings_init(struct pica_capture_writer_settings *s) {
	static const struct pica_window usual[] = {
		{ .phys = VRAM_ADDR, .size_bytes = VRAM_BYTES },
		{ .phys = FCRAM_ADDR, .size_bytes = FCRAM_BYTES },
	};
	memset(s, 0, sizeof(*s));
	s->size = sizeof(*s);
	s->level = DEFAULT_LEVEL;
	s->source = PICA_CAPTURE_PICA;
	s->windows = usual;
	s->n_windows = ARRAY_LEN(usual);
}

static uint32_t source_number(uint32_t form) {
	switch ((enum pica_capture_form)form) {
	case PICA_CAPTURE_CTF_2015_04:
		return 1;
	case PICA_CAPTURE_CTF_2015_05:
		return 2;
	case PICA_CAPTURE_CTF_BYTES:
		return 3;
	case PICA_CAPTURE_PICA:
		break;
	}
	return 0;
}

static void put_text(char out[64], const char *text) {
	if (text) {
		size_t len = strlen(text);
		memcpy(out, text, len < 63 ? len : 63);
	}
}

static int put_info(struct pica_capture_writer *w, const struct pica_capture_writer_settings *s) {
	struct box_info info = {
		.source = source_number(s->source),
		.missing = s->missing,
		.first_frame = s->first_frame,
		.float_mode = (uint32_t)s->float_mode,
		.combiner = (uint32_t)s->combiner,
		.n_windows = s->n_windows,
		.budgets = { s->budgets.list_words, s->budgets.list_jumps, s->budgets.vertices,
			s->budgets.shader_steps, s->budgets.pixels, s->budgets.job_steps },
	};
	struct box_buffer list = { 0 };
	uint64_t end = 0;
	put_text(info.title, s->title);
	put_text(info.tool, s->tool);
	for (uint32_t i = 0; i < s->n_windows; i++) {
		const struct pica_window *from = &s->windows[i];
		struct box_window to = { .phys = from->phys, .size = from->size_bytes };
		if (to.phys < end || !to.size || ((to.phys | to.size) & (PAGE_BYTES - 1))) {
			fail(w, -EINVAL);
		}
		if (from->flags) {
			/* a replay could not write this memory to restore it */
			fail(w, -EOPNOTSUPP);
		}
		end = (uint64_t)to.phys + to.size;
		w->header.window_bytes += to.size;
		w->windows[i] = *from;
		put(w, &list, &to, sizeof(to));
	}
	if (w->header.window_bytes > BOX_MAX_WINDOW_BYTES) {
		fail(w, -EFBIG);
	}
	put(w, &w->info, &info, sizeof(info));
	put(w, &w->info, list.bytes, list.size);
	free(list.bytes);
	return put_chunk(w, BOX_INFO, w->info.bytes, w->info.size, 0, 0, 0);
}

static int put_header(struct pica_capture_writer *w, const struct box_header *limits) {
	struct box_header h = *limits;
	memcpy(h.magic, box_magic, sizeof(h.magic));
	h.version = h.min_reader = BOX_VERSION;
	box_hash(&h, offsetof(struct box_header, hash), h.hash);
	int ret = w->error ? w->error : disk_write_at(&w->file, 0, &h, sizeof(h));
	return ret < 0 ? fail(w, ret) : 0;
}

/* Makes an unfinished copy of the file readable. */
static int put_first_header(struct pica_capture_writer *w) {
	static const uint8_t zeros[BOX_HEADER];
	const struct box_header most = { .max_chunk = BOX_MAX_CHUNK,
		.blob_bytes = BOX_MAX_BLOB_BYTES,
		.window_bytes = BOX_MAX_WINDOW_BYTES,
		.max_chunks = BOX_MAX_CHUNKS };
	int ret = disk_write(&w->file, zeros, sizeof(zeros)); /* sets the position for writing */
	w->size = BOX_HEADER;
	return ret < 0 ? fail(w, ret) : put_header(w, &most);
}

PICA_EXPORT int pica_capture_writer_create(struct pica_capture_writer **out, const char *path,
		const struct pica_capture_writer_settings *settings) {
	if (settings->size != sizeof(*settings) || settings->level < 1 || settings->level > 19 ||
			settings->n_windows > BOX_MAX_WINDOWS ||
			settings->source > PICA_CAPTURE_PICA ||
			(unsigned)settings->chip > PICA_CHIP_VC4 || settings->reserved0) {
		return -EINVAL;
	}
	for (size_t i = 0; i < ARRAY_LEN(settings->reserved); i++) {
		if (settings->reserved[i]) {
			return -EINVAL;
		}
	}
	struct pica_capture_writer *w = calloc(1, sizeof(*w));
	if (!w) {
		return -ENOMEM;
	}
	w->file = (struct disk_file){ .fd = -1, .folder = -1 };
	w->level = (int)settings->level;
	w->chip = settings->chip;
	w->n_windows = settings->n_windows;
	w->windows = calloc(settings->n_windows + 1, sizeof(*w->windows));
	w->zstd = ZSTD_createCCtx();
	int ret = w->windows && w->zstd ? disk_begin(&w->file, path) : -ENOMEM;
	if (ret == 0) {
		put_first_header(w);
		ret = put_info(w, settings);
	}
	if (ret < 0) {
		pica_capture_writer_destroy(w);
		return ret;
	}
	*out = w;
	return 0;
}

/* ---- Keys ---- */

static bool is_zero(const uint8_t *page, uint32_t size) {
	return page[0] == 0 && memcmp(page, page + 1, size - 1) == 0;
}

static int put_memory(struct pica_capture_writer *w, const struct pica_window *memory, unsigned n) {
	struct box_buffer list = { 0 };
	struct box_list head = { 0 };
	uint64_t end = 0;
	for (unsigned i = 0; i < n && !w->error; i++) {
		const struct pica_window *m = &memory[i];
		if (m->phys < end ||
				!box_in_windows(w->windows, w->n_windows, m->phys, m->size_bytes)) {
			fail(w, -ERANGE);
		}
		end = (uint64_t)m->phys + m->size_bytes;
		// One call instead of a page fault for each untouched page; it may fail.
		(void)madvise(m->host, m->size_bytes, MADV_POPULATE_READ);
		for (uint32_t at = 0; at < m->size_bytes && !w->error; at += PAGE_BYTES) {
			const uint8_t *page = (const uint8_t *)m->host + at;
			const uint32_t size = m->size_bytes - at < PAGE_BYTES ? m->size_bytes - at :
										PAGE_BYTES;
			if (!is_zero(page, size)) {
				const struct box_memory entry = { .phys = m->phys + at,
					.size = size,
					.blob = put_blob(w, page, size) };
				put(w, &list, &entry, sizeof(entry));
				head.n++;
			}
		}
	}
	flush_blobs(w);
	put_chunk_of(w, BOX_MEMP, &head, sizeof(head), &list, NULL, 0, 0, 0);
	free(list.bytes);
	return w->error;
}

PICA_EXPORT int pica_capture_writer_key(struct pica_capture_writer *w,
		const struct pica_state *state, const struct pica_window *memory, unsigned n) {
	flush(w);
	const struct box_key key = { .frame = w->index.n_frames, .event = w->n_events };
	put_chunk(w, BOX_KEYF, &key, sizeof(key), key.event, 0, key.frame);
	uint64_t largest = 0;
	const unsigned n_chunks = box_state_chunks(w->chip);
	for (unsigned i = 0; i < n_chunks; i++) {
		largest = larger(largest, box_state_size(w->chip, i));
	}
	uint8_t *payload = malloc(largest);
	if (!payload) {
		return fail(w, -ENOMEM);
	}
	for (unsigned i = 0; i < n_chunks; i++) {
		box_state_pack(w->chip, i, state, payload);
		put_chunk(w, box_state_fourcc(w->chip, i), payload, box_state_size(w->chip, i), 0,
				0, 0);
	}
	free(payload);
	w->has_key = true;
	return put_memory(w, memory, n);
}

/* ---- Events ---- */

static int put_record(struct pica_capture_writer *w, uint16_t op, const struct pica_job *job) {
	uint32_t words[sizeof(job->u) / 4];
	struct box_record record = { .op = op, .flags = job->flags, .n_words = ARRAY_LEN(words) };
	memcpy(words, &job->u, sizeof(words));
	while (record.n_words > 0 && words[record.n_words - 1] == 0) {
		record.n_words--;
	}
	put(w, &w->events, &record, sizeof(record));
	put(w, &w->events, words, 4 * (uint64_t)record.n_words);
	box_count(&w->head, job);
	w->head.n_events++;
	w->n_events++;
	w->index.n_tail++;
	return w->error;
}

PICA_EXPORT int pica_capture_writer_job(struct pica_capture_writer *w, const struct pica_job *job) {
	/* STATS changes nothing, and its pointer has no meaning in a file. */
	if (!w->has_key || job->op == PICA_OP_STATS || job_check(job, NULL) < 0) {
		return fail(w, -EINVAL);
	}
	struct pica_job copy = *job;
	if (job->op == PICA_OP_WRITE) {
		const struct pica_job_write *from = &job->u.write;
		copy.u.write.data = from->size_bytes ?
				put_blob(w, (const void *)(uintptr_t)from->data, from->size_bytes) :
				0;
	}
	put_record(w, job->op, &copy);
	return w->events.size >= EVENTS_BYTES ? flush(w) : w->error;
}

PICA_EXPORT int pica_capture_writer_frame(
		struct pica_capture_writer *w, const struct pica_job *present) {
	if (!w->has_key || present->op != PICA_OP_PRESENT || job_check(present, NULL) < 0) {
		return fail(w, -EINVAL);
	}
	if (w->index.n_frames == UINT32_MAX) {
		return fail(w, -EFBIG);
	}
	put_record(w, BOX_OP_FRAME, present);
	w->head.n_frames++;
	w->index.n_frames++;
	w->index.n_tail = 0;
	return w->error;
}

PICA_EXPORT int pica_capture_writer_expect(
		struct pica_capture_writer *w, const struct pica_expected *expected) {
	const bool is_known = w->chip == PICA_CHIP_PICA200 ?
			expected->screen <= PICA_SCREEN_BOTTOM && expected->eye <= PICA_EYE_RIGHT :
			expected->screen == PICA_CAPTURE_PICTURE && expected->eye == 0;
	if (w->index.n_frames == 0 || !is_known) {
		return fail(w, -EINVAL);
	}
	struct box_expected e = { .frame = w->index.n_frames - 1,
		.screen = (uint8_t)expected->screen,
		.eye = (uint8_t)expected->eye,
		.width = expected->width,
		.height = expected->height };
	memcpy(e.hash, expected->hash, sizeof(e.hash));
	w->n_expected++;
	w->n_pictures++;
	return put(w, &w->expected, &e, sizeof(e));
}

PICA_EXPORT int pica_capture_writer_lack(
		struct pica_capture_writer *w, const struct pica_capture_lack *lack) {
	const struct box_lack row = { lack->what, lack->first, lack->count };
	if (!row.what || (row.what & (row.what - 1)) || (row.what & w->lacking) || !row.count) {
		return fail(w, -EINVAL);
	}
	w->lacking |= row.what;
	w->n_lacks++;
	return put(w, &w->lacks, &row, sizeof(row));
}

/* ---- End ---- */

int box_writer_end(struct pica_capture_writer *w) {
	flush(w);
	if (!w->has_key) {
		return fail(w, -EINVAL);
	}
	if (w->n_lacks) {
		const struct box_list list = { .n = w->n_lacks };
		put_chunk_of(w, BOX_LACK, &list, sizeof(list), &w->lacks, NULL, 0, 0, 0);
	}
	put_chunk(w, BOX_INFC, w->info.bytes, w->info.size, 0, 0, 0);
	w->header.max_chunks = w->index.n;
	const struct box_end end = { .index = w->size };
	const struct box_index head = w->index;
	put_chunk_of(w, BOX_INDX, &head, sizeof(head), &w->entries, NULL, 0, 0, 0);
	struct box_end whole = end;
	whole.size = w->size + BOX_END_BYTES;
	put_chunk(w, BOX_END, &whole, sizeof(whole), 0, 0, 0);
	return put_header(w, &w->header);
}

PICA_EXPORT int pica_capture_writer_finish(struct pica_capture_writer *w) {
	int ret = box_writer_end(w);
	ret = ret < 0 ? ret : disk_commit(&w->file);
	pica_capture_writer_destroy(w);
	return ret;
}

PICA_EXPORT void pica_capture_writer_destroy(struct pica_capture_writer *w) {
	if (!w) {
		return;
	}
	struct box_buffer *const buffers[] = { &w->blob_list, &w->blob_data, &w->events,
		&w->expected, &w->lacks, &w->entries, &w->info };
	for (size_t i = 0; i < ARRAY_LEN(buffers); i++) {
		free(buffers[i]->bytes);
	}
	disk_drop(&w->file);
	dedup_finish(&w->dedup);
	ZSTD_freeCCtx(w->zstd);
	free(w->windows);
	free(w);
}
