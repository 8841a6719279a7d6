/*
 * The .pica container. Hashes would stop a fuzzer at the first byte that it changes, so an input is
 * a recipe for a file, which gets correct hashes and a correct index:
 *
 *	u8   0: the rest is a file as it is; else a recipe follows
 *	records: u8 kind, u8 flags, u16 size, then size bytes
 *
 * Kinds below STATES are chunks with that payload; STATES are the twelve chunks of a state, zero
 * but for the payload's words, each {u16 place in 4-byte words, u16 unused, u32 value}; PATCH
 * changes bytes of the index, each {u16 place, u8 value, u8 unused}; DAMAGE flips bytes of the
 * finished file in the same form.
 *
 * A file that opens is read, verified, and read from each frame; one that verifies can be read to
 * its end, twice with the same result.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "capture/container/box.h"
#include "job.h"

enum {
	MAX_CHUNKS = 64,
	MAX_PAYLOAD = 1 << 16,
	MAX_EVENTS = 1 << 16, /* each has 8 bytes of its own */
	STATES = 0x40,
	PATCH,
	DAMAGE,
};

static const uint32_t kinds[] = { BOX_INFO, BOX_KEYF, BOX_MEMP, BOX_EVTS, BOX_BLOB, BOX_EXPT,
	BOX_INFC, BOX_REGX, BOX_GEOM };

/* ---- The file ---- */

struct maker {
	uint8_t *bytes;
	size_t size;
	struct box_entry entry[MAX_CHUNKS];
	struct box_index index;
	const uint8_t *patch, *damage; /* records' payloads, or NULL */
	size_t n_patch, n_damage;
};

static void append(struct maker *m, const void *data, size_t n) {
	m->bytes = realloc(m->bytes, m->size + n);
	FUZZ_CHECK(m->bytes);
	memcpy(m->bytes + m->size, data, n);
	m->size += n;
}

/* Events after the last frame, as far as the payload can be read. */
static void note_tail(struct maker *m, const uint8_t *payload, size_t n) {
	struct pica_job job;
	bool is_frame;
	for (uint64_t at = sizeof(struct box_events); at < n &&
			!box_decode(payload, n, &at, &job, &is_frame);) {
		m->index.n_tail = is_frame ? 0 : m->index.n_tail + 1;
	}
}

/* payload: a head; a short one is continued with zeros. */
static void note_head(struct maker *m, struct box_entry *e, const uint8_t *payload) {
	struct box_events ev;
	struct box_blobs blobs;
	struct box_key key;
	switch (e->fourcc) {
	case BOX_EVTS:
		memcpy(&ev, payload, sizeof(ev));
		e->first = ev.first_event;
		e->n = ev.n_events;
		e->frame = ev.first_frame;
		m->index.n_frames = ev.first_frame + ev.n_frames;
		m->index.n_writes += ev.n_writes;
		m->index.n_regs += ev.n_regs;
		m->index.n_lists += ev.n_lists;
		m->index.write_bytes += ev.write_bytes;
		break;
	case BOX_BLOB:
		memcpy(&blobs, payload, sizeof(blobs));
		e->first = blobs.first_blob;
		e->n = blobs.n;
		break;
	case BOX_KEYF:
		memcpy(&key, payload, sizeof(key));
		e->first = key.event;
		e->frame = key.frame;
		break;
	default:
		break;
	}
}

static uint64_t put_chunk(struct maker *m, uint32_t fourcc, uint32_t flags, uint64_t number,
		const uint8_t *payload, size_t n) {
	static ZSTD_CCtx *zstd;
	uint8_t *bytes;
	uint64_t total, at = m->size;
	zstd = zstd ? zstd : ZSTD_createCCtx();
	FUZZ_CHECK(zstd && box_make_chunk(fourcc, flags, number, payload, n, zstd, 1, &bytes,
					   &total) == 0);
	append(m, bytes, (size_t)total);
	if (fourcc != BOX_INDX && fourcc != BOX_END && number < MAX_CHUNKS) {
		struct box_chunk head;
		struct box_entry *e = &m->entry[number];
		memcpy(&head, bytes, sizeof(head));
		*e = (struct box_entry){ .offset = at,
			.stored = head.stored,
			.plain = head.plain,
			.fourcc = fourcc,
			.flags = head.flags };
		uint8_t start[64] = { 0 };
		memcpy(start, payload, n < sizeof(start) ? n : sizeof(start));
		note_head(m, e, start);
		if (fourcc == BOX_EVTS) {
			note_tail(m, payload, n);
		}
		m->index.n = (uint32_t)number + 1;
	}
	free(bytes);
	return at;
}

static void put_states(struct maker *m, const uint8_t *data, size_t n) {
	static uint8_t payload[sizeof(struct pica_state)];
	size_t first = 0; /* word of the state where this chunk begins */
	for (unsigned i = 0; i < BOX_STATE_CHUNKS && m->index.n < MAX_CHUNKS; i++) {
		size_t size = (size_t)box_state_size(PICA_CHIP_PICA200, i);
		FUZZ_CHECK(size <= sizeof(payload));
		memset(payload, 0, size);
		for (size_t k = 0; k + 8 <= n; k += 8) {
			uint16_t place;
			memcpy(&place, data + k, sizeof(place));
			if (place >= first && place < first + size / 4) {
				memcpy(payload + 4 * (place - first), data + k + 4, 4);
			}
		}
		put_chunk(m, box_state_fourcc(PICA_CHIP_PICA200, i), 0, m->index.n, payload, size);
		first += size / 4;
	}
}

/* Corrects the hashes of the blobs that lie inside their chunk. */
static void hash_blobs(uint8_t *payload, size_t n) {
	struct box_blobs head;
	struct box_blob blob;
	if (n < sizeof(head)) {
		return;
	}
	memcpy(&head, payload, sizeof(head));
	for (size_t i = 0, at = sizeof(head); i < head.n && at + sizeof(blob) <= n;
			i++, at += sizeof(blob)) {
		memcpy(&blob, payload + at, sizeof(blob));
		if ((uint64_t)blob.offset + blob.size <= n) {
			box_hash(payload + blob.offset, blob.size, blob.hash);
			memcpy(payload + at, blob.hash, sizeof(blob.hash));
		}
	}
}

static void put_record(
		struct maker *m, unsigned kind, unsigned flags, const uint8_t *data, size_t n) {
	if (kind == STATES) {
		put_states(m, data, n);
	} else if (kind == PATCH) {
		m->patch = data;
		m->n_patch = n / 4;
	} else if (kind == DAMAGE) {
		m->damage = data;
		m->n_damage = n / 4;
	} else if (m->index.n < MAX_CHUNKS) {
		static uint8_t payload[MAX_PAYLOAD];
		const uint32_t fourcc = kinds[kind % ARRAY_LEN(kinds)];
		memcpy(payload, data, n);
		if (fourcc == BOX_BLOB) {
			hash_blobs(payload, n);
		}
		put_chunk(m, fourcc, flags & BOX_OPTIONAL, m->index.n, payload, n);
	}
}

/* Each {u16 place, u8 value, u8}; places wrap at size. */
static void apply(uint8_t *bytes, size_t size, const uint8_t *change, size_t n, bool flip) {
	for (size_t i = 0; i < n && size; i++) {
		size_t place = (change[4 * i] | (size_t)change[4 * i + 1] << 8) % size;
		bytes[place] = (uint8_t)(change[4 * i + 2] ^ (flip ? bytes[place] : 0));
	}
}

static void make_file(struct maker *m, const uint8_t *p, const uint8_t *end) {
	struct box_header header = { .version = BOX_VERSION, .min_reader = BOX_VERSION,
			.max_chunk = MAX_PAYLOAD,
		.blob_bytes = 4 * MAX_PAYLOAD, .window_bytes = 1 << 28, .max_chunks = MAX_CHUNKS };
	memcpy(header.magic, box_magic, sizeof(header.magic));
	box_hash(&header, offsetof(struct box_header, hash), header.hash);
	append(m, &header, sizeof(header));
	while (end - p >= 4) {
		size_t n = (size_t)(p[2] | p[3] << 8), left = (size_t)(end - p - 4);
		n = n < left ? n : left;
		put_record(m, p[0], p[1], p + 4, n);
		p += 4 + n;
	}
	uint8_t index[sizeof(m->index) + sizeof(m->entry)];
	size_t index_bytes = sizeof(m->index) + m->index.n * sizeof(*m->entry);
	memcpy(index, &m->index, sizeof(m->index));
	memcpy(index + sizeof(m->index), m->entry, m->index.n * sizeof(*m->entry));
	apply(index, index_bytes, m->patch, m->n_patch, false);
	uint32_t n = m->index.n;
	struct box_end last = { .index = put_chunk(m, BOX_INDX, 0, n, index, index_bytes) };
	last.size = m->size + BOX_END_BYTES;
	put_chunk(m, BOX_END, 0, n + 1, (const uint8_t *)&last, sizeof(last));
	apply(m->bytes, m->size, m->damage, m->n_damage, true);
}

/* ---- Reading it ---- */

struct walk {
	uint32_t events, frames, memory;
	uint64_t sum;
};

static void check_error(struct pica_capture *c, int ret) {
	const struct pica_capture_error *err = pica_capture_error(c);
	FUZZ_CHECK(ret == -EINVAL || ret == -ENOMEM || ret == -EFBIG || ret == -EOPNOTSUPP);
	FUZZ_CHECK(err->code == ret && err->message[0] &&
			memchr(err->message, 0, sizeof(err->message)));
}

/* Reads to the end, or to the first failure. Returns that failure or 0. */
static int walk(struct pica_capture *c, struct walk *w) {
	struct pica_capture_event event;
	int ret;
	memset(w, 0, sizeof(*w));
	while (w->events < MAX_EVENTS && (ret = pica_capture_next(c, &event)) > 0) {
		FUZZ_CHECK(job_check(&event.job, NULL) == 0);
		w->events++;
		w->frames += event.kind == PICA_CAPTURE_FRAME;
		w->memory += event.kind == PICA_CAPTURE_MEMORY;
		w->sum = w->sum * 31 + event.job.op + event.frame + event.offset;
		const struct pica_job_write *write = &event.job.u.write;
		if (event.job.op == PICA_OP_WRITE && write->size_bytes) {
			const uint8_t *data = (const uint8_t *)(uintptr_t)write->data;
			w->sum = w->sum * 31 + data[0] + data[write->size_bytes / 2] +
					data[write->size_bytes - 1];
		}
	}
	FUZZ_CHECK(w->events < MAX_EVENTS);
	if (ret < 0) {
		check_error(c, ret);
	} else {
		FUZZ_CHECK(pica_capture_next(c, &event) == 0);
	}
	return ret;
}

static void look(struct pica_capture *c) {
	struct pica_capture_info info;
	struct pica_window windows[BOX_MAX_WINDOWS];
	struct pica_ctx_settings settings;
	pica_capture_info(c, &info);
	FUZZ_CHECK(memchr(info.title, 0, sizeof(info.title)) &&
			memchr(info.tool, 0, sizeof(info.tool)));
	FUZZ_CHECK(pica_capture_windows(c, windows, BOX_MAX_WINDOWS) <= BOX_MAX_WINDOWS);
	FUZZ_CHECK(!info.all_frames || info.frames <= info.all_frames);
	pica_capture_ctx_settings(c, &settings);
	for (uint32_t frame = 0; frame < info.frames && frame < 256; frame++) {
		uint32_t n;
		const struct pica_expected *e = pica_capture_expected(c, frame, &n);
		FUZZ_CHECK(!e == !n);
		for (uint32_t i = 0; i < n; i++) {
			FUZZ_CHECK(e[i].frame == frame && e[i].screen <= PICA_SCREEN_BOTTOM);
		}
	}
}

static void on_found(void *user, const struct pica_capture_error *error) {
	unsigned *n = user;
	FUZZ_CHECK(error->code < 0 && error->message[0]);
	++*n;
}

/* Continuing after damage finds the same first error, and reports any damage that exists. */
static void check_all_damage(struct pica_capture *c, int verified) {
	const struct pica_capture_error first = *pica_capture_error(c);
	unsigned n = 0;
	const int all = pica_capture_verify_all(c, on_found, &n);
	FUZZ_CHECK(all == verified && !n == !verified);
	FUZZ_CHECK(verified == 0 || strcmp(pica_capture_error(c)->message, first.message) == 0);
}

static bool read_box(struct pica_capture *c) {
	struct pica_capture_info info;
	struct walk first, second;
	pica_capture_info(c, &info);
	look(c);
	int ret = walk(c, &first);
	int verified = pica_capture_verify(c);
	FUZZ_CHECK(verified <= 0 && (verified == 0 || pica_capture_error(c)->code == verified));
	FUZZ_CHECK(verified < 0 || ret == 0);
	check_all_damage(c, verified);
	int again = pica_capture_rewind(c);
	if (ret == 0) {
		FUZZ_CHECK(again == 0 && walk(c, &second) == 0);
		FUZZ_CHECK(memcmp(&first, &second, sizeof(first)) == 0);
	}
	for (uint32_t frame = 0; frame < 4; frame++) {
		uint32_t at = UINT32_MAX;
		again = pica_capture_seek(c, frame, &at);
		if (again < 0) {
			check_error(c, again);
			continue;
		}
		FUZZ_CHECK(at <= frame);
		again = walk(c, &second);
		FUZZ_CHECK(verified < 0 || again == 0);
	}
	pica_capture_close(c);
	return verified == 0;
}

/* Every part that a recovered file reports as playable can be saved. */
static void read_parts(const struct pica_capture *c, const struct box_file *file,
		const struct capture_source *source) {
	struct pica_capture_part part[8];
	const unsigned n = pica_capture_parts(c, part, 8);
	for (unsigned i = 0; i < n && i < 8; i++) {
		const uint32_t frame = part[i].first + (part[i].frames - 1);
		struct pica_capture *other;
		struct pica_capture_info info;
		FUZZ_CHECK(part[i].frames > 0 && frame >= part[i].first);
		if (box_open(&other, file, &(struct box_rescue){ &frame }, source, NULL) >= 0) {
			pica_capture_info(other, &info);
			FUZZ_CHECK(info.frames == part[i].frames);
			read_box(other);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct maker m = { 0 };
	struct pica_capture *c = NULL;
	struct pica_capture_error err = { 0 };
	if (size == 0) {
		return 0;
	}
	if (data[0]) {
		make_file(&m, data + 1, data + size);
	} else {
		append(&m, data + 1, size - 1);
	}
	if (!box_is(m.bytes, m.size)) {
		free(m.bytes);
		return 0;
	}
	int ret = pica_capture_open_memory(&c, m.bytes, m.size, "fuzz", &err);
	bool is_whole = false;
	if (ret == 0) {
		is_whole = read_box(c);
	} else {
		FUZZ_CHECK(ret < 0 && err.code == ret && err.message[0]);
	}
	const struct capture_source source = { .name = "fuzz" };
	const struct box_file file = { .fd = -1, .data = m.bytes, .size = m.size };
	err = (struct pica_capture_error){ 0 };
	c = NULL;
	int recovered = box_open(&c, &file, &(struct box_rescue){ NULL }, &source, &err);
	FUZZ_CHECK(!is_whole || recovered == 0);
	if (recovered >= 0) {
		FUZZ_CHECK(recovered == 0 || err.message[0]);
		read_parts(c, &file, &source);
		read_box(c);
	} else {
		FUZZ_CHECK(!c && err.message[0]);
	}
	free(m.bytes);
	return 0;
}
