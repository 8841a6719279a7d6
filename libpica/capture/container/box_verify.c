/* Checks a whole container: every chunk, blob and event. */
#include "capture/container/box.h"

#include <errno.h>
#include <stdlib.h>

struct verify {
	struct box *b;
	uint32_t *blob_size; /* of the blobs so far */
	uint64_t n_blobs;
	uint32_t frame;
	struct box_events sums; /* of the chunk */
	struct box_index sum;
	/* Continuing after damage: */
	pica_capture_found_fn *found; /* NULL: not */
	void *user;
	struct pica_capture_error first; /* code 0: none yet */
	uint64_t last_offset; /* of the last report */
};

#define LOST_BLOB UINT32_MAX /* the size of an unreadable blob, which fits every user */

static bool is_blob(const struct verify *v, uint64_t blob, uint32_t size) {
	return blob < v->n_blobs && (v->blob_size[blob] == size || v->blob_size[blob] == LOST_BLOB);
}

static const char *verify_blobs(struct verify *v, uint64_t entry, const uint8_t *payload) {
	const char *why = box_check_blobs(v->b, entry, payload);
	v->n_blobs = v->b->entry[entry].first; /* after the lost part */
	for (uint32_t i = 0; !why && i < v->b->entry[entry].n; i++) {
		struct box_blob blob;
		uint8_t hash[16];
		memcpy(&blob, payload + sizeof(struct box_blobs) + i * sizeof(blob), sizeof(blob));
		box_hash(payload + blob.offset, blob.size, hash);
		if (memcmp(hash, blob.hash, sizeof(hash)) != 0) {
			why = "a blob does not have its hash";
		}
		v->blob_size[v->n_blobs++] = blob.size;
	}
	return why;
}

static const char *verify_memory(struct verify *v, uint64_t entry, const uint8_t *payload) {
	const char *why = box_check_memory(v->b, entry, payload);
	struct box_list head = { 0 };
	if (!why) {
		memcpy(&head, payload, sizeof(head));
	}
	for (uint32_t i = 0; i < head.n; i++) {
		struct box_memory m;
		memcpy(&m, payload + sizeof(head) + i * sizeof(m), sizeof(m));
		if (!is_blob(v, m.blob, m.size)) {
			return "a missing blob, or one of another size";
		}
	}
	return why;
}

static const char *verify_event(struct verify *v, const struct pica_job *job, bool is_frame) {
	const struct pica_job_write *w = &job->u.write;
	box_count(&v->sums, job);
	if (job->op == PICA_OP_WRITE &&
			(w->size_bytes ? !is_blob(v, w->data, w->size_bytes) : w->data != 0)) {
		return "a missing blob, or one of another size";
	}
	v->frame += is_frame;
	v->sum.n_tail = is_frame ? 0 : v->sum.n_tail + 1;
	return NULL;
}

static const char *verify_events(struct verify *v, uint64_t entry, const uint8_t *payload) {
	const struct box_entry *e = &v->b->entry[entry];
	const char *why = box_check_events(v->b, entry, payload);
	uint64_t at = sizeof(struct box_events);
	v->sums = (struct box_events){ 0 };
	if (!why && e->frame != v->frame) {
		why = "its first frame is not the one that follows";
	}
	for (uint32_t i = 0; !why && i < e->n; i++) {
		struct pica_job job;
		bool is_frame;
		why = box_decode(payload, e->plain, &at, &job, &is_frame);
		why = why ? why : verify_event(v, &job, is_frame);
	}
	box_add_sums(&v->sum, &v->sums);
	return !why && at != e->plain ? "something follows its events" : why;
}

static int verify_key(struct verify *v, uint64_t entry) {
	struct pica_capture_error *err = &v->b->base.error;
	struct pica_state *state = calloc(1, sizeof(*state));
	uint64_t memory;
	if (!state) {
		return capture_no_memory(&v->b->base.source, err);
	}
	int ret = box_read_key(v->b, entry, state, &memory, err);
	free(state);
	if (ret == 0 && v->b->entry[entry].frame != v->frame) {
		ret = box_wrong(v->b, entry, err, "its frame is not the one that follows");
	}
	return ret;
}

static int verify_entry(struct verify *v, uint64_t entry) {
	struct pica_capture_error *err = &v->b->base.error;
	const char *why = NULL;
	uint8_t *payload;
	if (v->b->entry[entry].fourcc == BOX_KEYF) {
		return verify_key(v, entry);
	}
	if (v->b->entry[entry].fourcc == BOX_LOST || v->b->entry[entry].fourcc == BOX_LOST_DATA) {
		return 0; /* recovering has said so */
	}
	int ret = box_load(v->b, entry, &payload, err);
	if (ret < 0) {
		return ret;
	}
	switch (v->b->entry[entry].fourcc) {
	case BOX_BLOB:
		why = verify_blobs(v, entry, payload);
		break;
	case BOX_MEMP:
		why = verify_memory(v, entry, payload);
		break;
	case BOX_EVTS:
		why = verify_events(v, entry, payload);
		break;
	default:
		break; /* already read, or part of a key, or unknown and optional */
	}
	free(payload);
	return why ? box_wrong(v->b, entry, err, why) : 0;
}

/* Continues after the damage, by the index. Returns 0 or -ENOMEM. */
static int go_on(struct verify *v, uint64_t entry, int ret) {
	const struct pica_capture_error *err = &v->b->base.error;
	const struct box_entry *e = &v->b->entry[entry];
	if (ret == -ENOMEM || !v->found) {
		return ret;
	}
	if (v->first.code == 0) {
		v->first = *err;
	}
	if (err->offset != v->last_offset) { /* reports damage of a key and its chunk once */
		v->found(v->user, err);
		v->last_offset = err->offset;
	}
	for (uint64_t i = 0; e->fourcc == BOX_BLOB && i < e->n; i++) {
		v->blob_size[e->first + i] = LOST_BLOB;
	}
	v->n_blobs = e->fourcc == BOX_BLOB ? e->first + e->n : v->n_blobs;
	return 0;
}

/* Takes the frame number from the next key or events, since damage interrupted the count. */
static void catch_up(struct verify *v, uint64_t entry) {
	const struct box_entry *e = &v->b->entry[entry];
	if (v->first.code && (e->fourcc == BOX_KEYF || e->fourcc == BOX_EVTS)) {
		v->frame = e->frame;
	}
}

int box_verify(struct pica_capture *c, pica_capture_found_fn *found, void *user) {
	struct box *b = (struct box *)c;
	struct verify v = { .b = b, .found = found, .user = user, .last_offset = UINT64_MAX };
	v.blob_size = calloc(b->n_blobs + 1, sizeof(*v.blob_size)); /* lost ones have none */
	int ret = v.blob_size ? 0 : capture_no_memory(&c->source, &c->error);
	for (uint64_t i = 0; ret == 0 && i < b->n_entries; i++) {
		catch_up(&v, i);
		ret = verify_entry(&v, i);
		ret = ret < 0 ? go_on(&v, i, ret) : 0;
	}
	free(v.blob_size);
	if (ret == 0 && v.first.code) {
		c->error = v.first;
		return v.first.code;
	}
	const struct box_index *x = &b->index;
	if (ret == 0 &&
			(v.frame != x->n_frames || v.sum.n_writes != x->n_writes ||
					v.sum.n_regs != x->n_regs || v.sum.n_lists != x->n_lists ||
					v.sum.write_bytes != x->write_bytes ||
					(v.sum.n_tail != x->n_tail &&
							!(c->info.missing &
									PICA_CAPTURE_LOST_END)))) {
		ret = capture_fail(&c->source, &c->error, -EINVAL, UINT64_MAX,
				"INDX chunk: its sums are not those of the events");
		if (found) {
			found(user, &c->error);
		}
	}
	return ret;
}
