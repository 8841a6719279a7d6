/* Finds the chunks of a container: from its index, or by scanning all of them. */
#include "capture/container/box.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int box_load(struct box *b, uint64_t entry, uint8_t **payload, struct pica_capture_error *err) {
	const struct box_entry *e = &b->entry[entry];
	struct box_chunk head;
	int ret = box_read_chunk(&b->file, &b->base.source, e->offset, entry, b->header.max_chunk,
			&head, payload, err);
	if (ret == 0 &&
			(head.fourcc != e->fourcc || head.stored != e->stored ||
					head.plain != e->plain || head.flags != e->flags)) {
		free(*payload);
		ret = box_wrong(b, entry, err, "it is not what the index says");
	}
	return ret;
}

int box_wrong(struct box *b, uint64_t entry, struct pica_capture_error *err, const char *why) {
	const struct box_entry *e = &b->entry[entry];
	return box_fail(&b->base.source, err, -EINVAL, e->fourcc, entry, e->offset, "%s", why);
}

int box_load_checked(struct box *b, uint64_t entry, box_check_fn *check, uint8_t **payload,
		struct pica_capture_error *err) {
	const int ret = box_load(b, entry, payload, err);
	const char *why = ret == 0 ? check(b, entry, *payload) : NULL;
	if (why) {
		free(*payload);
		return box_wrong(b, entry, err, why);
	}
	return ret;
}

/* ---- From the index ---- */

static int read_end(struct box *b, struct box_chunk *head, struct box_end *end,
		struct pica_capture_error *err) {
	const uint64_t at = b->file.size - BOX_END_BYTES;
	uint8_t *payload;
	if (b->file.size < BOX_HEADER + BOX_END_BYTES) {
		return capture_fail(&b->base.source, err, -EINVAL, b->file.size,
				"the file ends before its first chunk");
	}
	int ret = box_read(&b->file, at, head, BOX_CHUNK);
	if (ret == 0 && head->fourcc != BOX_END) {
		return capture_fail(
				&b->base.source, err, -EINVAL, at, "END chunk: missing");
	}
	ret = ret < 0 ? ret :
			box_read_chunk(&b->file, &b->base.source, at, head->number, sizeof(*end),
					head, &payload, err);
	if (ret < 0) {
		return ret;
	}
	if (head->plain == sizeof(*end)) {
		memcpy(end, payload, sizeof(*end));
	} else {
		ret = box_fail(&b->base.source, err, -EINVAL, BOX_END, head->number, at,
				"wrong size");
	}
	free(payload);
	if (ret == 0 && (end->size != b->file.size || end->index < BOX_HEADER || end->index > at ||
			head->number < 1)) {
		ret = box_fail(&b->base.source, err, -EINVAL, BOX_END, head->number, at,
				"expected a file of %" PRIu64 " bytes, found %" PRIu64, end->size,
						b->file.size);
	}
	return ret;
}

/* The chunks follow each other without gaps, up to the index. */
static bool is_contiguous(const struct box *b, uint64_t index_at) {
	uint64_t at = BOX_HEADER;
	for (uint64_t i = 0; i < b->n_entries; i++) {
		const struct box_entry *e = &b->entry[i];
		if (e->offset != at || e->plain > b->header.max_chunk || e->stored > e->plain) {
			return false;
		}
		at += BOX_CHUNK + box_padded(e->stored);
		if (at > index_at) {
			return false;
		}
	}
	return at == index_at;
}

static int take_index(struct box *b, const uint8_t *payload, uint64_t size) {
	if (size < sizeof(b->index)) {
		return -EINVAL;
	}
	memcpy(&b->index, payload, sizeof(b->index));
	if (size != sizeof(b->index) + b->index.n * sizeof(*b->entry)) {
		return -EINVAL;
	}
	b->entry = malloc(size);
	if (!b->entry) {
		return -ENOMEM;
	}
	b->n_entries = b->index.n;
	memcpy(b->entry, payload + sizeof(b->index), b->n_entries * sizeof(*b->entry));
	return 0;
}

int box_read_index(struct box *b, struct pica_capture_error *err) {
	struct box_chunk head, end_head;
	struct box_end end;
	uint8_t *payload;
	int ret = read_end(b, &end_head, &end, err);
	if (ret < 0) {
		return ret;
	}
	const uint64_t number = end_head.number - 1;
	const uint64_t max_bytes = sizeof(b->index) + b->header.max_chunks * sizeof(*b->entry);
	ret = box_read_chunk(&b->file, &b->base.source, end.index, number, max_bytes, &head,
			&payload, err);
	if (ret < 0) {
		return ret;
	}
	ret = take_index(b, payload, head.plain);
	free(payload);
	if (ret == -ENOMEM) {
		return capture_no_memory(&b->base.source, err);
	}
	if (ret < 0 || head.fourcc != BOX_INDX || b->n_entries != number ||
			!is_contiguous(b, end.index) ||
			end.index + BOX_CHUNK + box_padded(head.stored) + BOX_END_BYTES !=
					b->file.size) {
		return box_fail(&b->base.source, err, -EINVAL, BOX_INDX, number, end.index,
				"the chunks that it names do not make up the file");
	}
	return 0;
}

/* ---- By scanning ---- */

static int add_entry(struct box *b, const struct box_chunk *head, uint64_t offset,
		const uint8_t *payload) {
	if ((b->n_entries & (b->n_entries - 1)) == 0) {
		uint64_t room = b->n_entries ? 2 * b->n_entries : 1;
		struct box_entry *grown = realloc(b->entry, room * sizeof(*grown));
		if (!grown) {
			return -ENOMEM;
		}
		b->entry = grown;
	}
	struct box_entry *e = &b->entry[b->n_entries];
	*e = (struct box_entry){ .offset = offset, .stored = head->stored, .plain = head->plain,
		.fourcc = head->fourcc, .flags = head->flags };
	if (head->fourcc == BOX_EVTS && head->plain >= sizeof(struct box_events)) {
		struct box_events ev;
		memcpy(&ev, payload, sizeof(ev));
		e->first = ev.first_event;
		e->n = ev.n_events;
		e->frame = ev.first_frame;
		b->index.n_frames = ev.first_frame + ev.n_frames;
		box_add_sums(&b->index, &ev);
	} else if (head->fourcc == BOX_BLOB && head->plain >= sizeof(struct box_blobs)) {
		struct box_blobs blobs;
		memcpy(&blobs, payload, sizeof(blobs));
		e->first = blobs.first_blob;
		e->n = blobs.n;
	} else if (head->fourcc == BOX_KEYF && head->plain >= sizeof(struct box_key)) {
		struct box_key key;
		memcpy(&key, payload, sizeof(key));
		e->first = key.event;
		e->frame = key.frame;
	}
	b->n_entries++;
	return 0;
}

int box_scan(struct box *b, struct pica_capture_error *err) {
	free(b->entry);
	b->entry = NULL;
	b->n_entries = 0;
	b->index = (struct box_index){ 0 };
	uint64_t at = BOX_HEADER;
	for (uint64_t number = 0;; number++) {
		struct box_chunk head;
		uint8_t *payload;
		int ret = box_read_chunk(&b->file, &b->base.source, at, number,
				b->header.max_chunk, &head, &payload, err);
		if (ret < 0) {
			return ret;
		}
		const bool is_end = head.fourcc == BOX_END, is_index = head.fourcc == BOX_INDX;
		ret = is_end || is_index ? 0 : add_entry(b, &head, at, payload);
		free(payload);
		if (ret < 0) {
			return capture_no_memory(&b->base.source, err);
		}
		at += BOX_CHUNK + box_padded(head.stored);
		if (is_end) {
			return at == b->file.size ?
					0 :
					box_fail(&b->base.source, err, -EINVAL, BOX_END, number, at,
							"expected the end of the file after it, found %" PRIu64
							" more bytes",
							b->file.size - at);
		}
	}
}

/* ---- Whether they make sense ---- */

enum pica_chip box_key_chip(const struct box *b, uint64_t i) {
	return i + 1 < b->n_entries && b->entry[i + 1].fourcc == BOX_CHIP ? PICA_CHIP_VC4 :
									    PICA_CHIP_PICA200;
}

uint64_t box_after_key(const struct box *b, uint64_t i) {
	const enum pica_chip chip = box_key_chip(b, i);
	if (b->entry[i].plain != sizeof(struct box_key)) {
		return 0;
	}
	i++;
	for (unsigned k = 0; k < box_state_chunks(chip); k++, i++) {
		if (i >= b->n_entries || b->entry[i].fourcc != box_state_fourcc(chip, k) ||
				b->entry[i].plain != box_state_size(chip, k)) {
			return 0;
		}
	}
	while (i < b->n_entries && b->entry[i].fourcc == BOX_BLOB) {
		i++;
	}
	return i < b->n_entries && b->entry[i].fourcc == BOX_MEMP ? i + 1 : 0;
}

void box_drop_partial_key(struct box *b) {
	for (uint64_t i = 0; i < b->n_entries; i++) {
		if (b->entry[i].fourcc == BOX_KEYF && !box_after_key(b, i)) {
			b->n_entries = i;
		}
	}
}

struct counts {
	uint64_t event, blob, blob_bytes, packs;
	uint32_t frame;
	uint64_t most_frames; /* so far, since an event ends at most one */
};

static const char *check_entry(struct box *b, uint64_t i, struct counts *n) {
	const struct box_entry *e = &b->entry[i];
	switch (e->fourcc) {
	case BOX_INFO:
		return i == 0 ? NULL : "a second one";
	case BOX_KEYF:
		if (!box_after_key(b, i)) {
			return "chunks of its state are missing";
		}
		if (box_key_chip(b, i) != b->base.info.chip) {
			return "of another chip than the first one";
		}
		if (i == b->first_key && e->frame != 0) {
			/* earlier frames would have no key */
			return "the first one is not at frame 0";
		}
		return e->first == n->event && e->frame >= n->frame &&
						e->frame <= n->most_frames &&
						e->frame <= b->index.n_frames ?
				NULL :
				"it is not at a place in the stream";
	case BOX_EVTS:
		if (e->first != n->event || e->frame < n->frame || e->frame > n->most_frames ||
				e->frame > b->index.n_frames || e->n == 0) {
			return "its events do not follow those before";
		}
		if (e->n > e->plain / sizeof(struct box_record)) {
			return "more events than it has bytes for"; /* frames are counted by them */
		}
		n->event += e->n;
		n->frame = e->frame;
		n->most_frames = (uint64_t)e->frame + e->n;
		return NULL;
	case BOX_BLOB:
		if (e->first != n->blob || e->n == 0) {
			return "its blobs do not follow those before";
		}
		if (e->n > e->plain / sizeof(struct box_blob)) {
			return "more blobs than it has bytes for"; /* tables are made for them */
		}
		n->blob += e->n;
		n->blob_bytes += e->plain;
		n->packs++;
		return n->blob_bytes <= b->header.blob_bytes ? NULL :
							       "more data than the header declares";
	case BOX_LOST_DATA:
		n->blob += e->n;
		return NULL;
	case BOX_EXPT:
	case BOX_LACK:
	case BOX_INFC:
	case BOX_MEMP:
		return NULL;
	default:
		for (unsigned k = 0; k < box_state_chunks(b->base.info.chip); k++) {
			if (e->fourcc == box_state_fourcc(b->base.info.chip, k)) {
				return NULL; /* counted by the key before */
			}
		}
		return e->flags & BOX_OPTIONAL ? NULL : "unknown";
	}
}

static int make_packs(struct box *b, uint64_t n, struct pica_capture_error *err) {
	b->pack = calloc(n ? n : 1, sizeof(*b->pack));
	if (!b->pack) {
		return capture_no_memory(&b->base.source, err);
	}
	for (uint64_t i = 0; i < b->n_entries; i++) {
		const struct box_entry *e = &b->entry[i];
		if (e->fourcc == BOX_BLOB) {
			b->pack[b->n_packs++] = (struct box_pack){
				.entry = i, .first = e->first, .n = e->n
			};
		}
	}
	return 0;
}

int box_check_entries(struct box *b, struct pica_capture_error *err) {
	struct counts n = { 0 };
	if (b->n_entries <= b->first_key || (b->entry[0].fourcc != BOX_INFO && !b->no_info) ||
			b->entry[b->first_key].fourcc != BOX_KEYF) {
		return capture_fail(&b->base.source, err, -EINVAL, BOX_HEADER,
				"expected an INFO and a KEYF chunk first");
	}
	if (b->n_entries > b->header.max_chunks) {
		return capture_fail(&b->base.source, err, -EINVAL, 0,
				"header: declares at most %" PRIu64 " chunks, found %" PRIu64,
				b->header.max_chunks, b->n_entries);
	}
	b->base.info.chip = box_key_chip(b, b->first_key);
	for (uint64_t i = 0; i < b->n_entries; i++) {
		const char *why = check_entry(b, i, &n);
		if (why) {
			int ret = box_wrong(b, i, err, why);
			if (b->entry[i].flags & BOX_OPTIONAL || strcmp(why, "unknown") != 0) {
				return ret;
			}
			if (err) {
				err->code = -EOPNOTSUPP;
			}
			return -EOPNOTSUPP;
		}
	}
	if (b->index.n_frames > n.most_frames) {
		return capture_fail(&b->base.source, err, -EINVAL, UINT64_MAX,
				"INDX chunk: %" PRIu32 " frames, which its events cannot end",
				b->index.n_frames);
	}
	b->n_blobs = n.blob;
	b->n_events = n.event;
	return make_packs(b, n.packs, err);
}
