/* Reading a container's keys and events. */
#include "capture/container/box.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "job.h"

enum { LIST_START = 0x104018F0 };

/* ---- Payloads ---- */

const char *box_check_events(const struct box *b, uint64_t entry, const uint8_t *payload) {
	const struct box_entry *e = &b->entry[entry];
	struct box_events head;
	if (e->plain < sizeof(head)) {
		return "too short";
	}
	memcpy(&head, payload, sizeof(head));
	return head.first_event == e->first + b->first_event && head.n_events == e->n &&
					head.first_frame == e->frame + b->first_frame &&
					(uint64_t)e->frame + head.n_frames <= b->index.n_frames ?
			NULL :
			"its counts are not those of the index";
}

const char *box_check_blobs(const struct box *b, uint64_t entry, const uint8_t *payload) {
	const struct box_entry *e = &b->entry[entry];
	struct box_blobs head;
	if (e->plain < sizeof(head)) {
		return "too short";
	}
	memcpy(&head, payload, sizeof(head));
	if (head.first_blob != e->first || head.n != e->n || head.reserved ||
			(e->plain - sizeof(head)) / sizeof(struct box_blob) < head.n) {
		return "its counts are not those of the index";
	}
	for (uint32_t i = 0; i < head.n; i++) {
		struct box_blob blob;
		memcpy(&blob, payload + sizeof(head) + i * sizeof(blob), sizeof(blob));
		if (blob.offset % BOX_ALIGN || blob.reserved || blob.size == 0 ||
				(uint64_t)blob.offset + blob.size > e->plain) {
			return "a blob lies outside of it";
		}
	}
	return NULL;
}

bool box_in_windows(const struct pica_window *windows, uint32_t n, uint32_t phys, uint32_t size) {
	for (uint32_t i = 0; i < n; i++) {
		const struct pica_window *w = &windows[i];
		if (phys >= w->phys && (uint64_t)phys + size <= (uint64_t)w->phys + w->size_bytes) {
			return true;
		}
	}
	return false;
}

const char *box_check_list(const struct box *b, uint64_t entry, const uint8_t *payload,
		uint64_t row, struct box_list *head) {
	const uint64_t size = b->entry[entry].plain;
	if (size < sizeof(*head)) {
		return "too short";
	}
	memcpy(head, payload, sizeof(*head));
	return size != sizeof(*head) + head->n * row || head->reserved ?
			"its size is not that of its list" : NULL;
}

const char *box_check_memory(const struct box *b, uint64_t entry, const uint8_t *payload) {
	struct box_list head;
	uint64_t end = 0;
	const char *why = box_check_list(b, entry, payload, sizeof(struct box_memory), &head);
	if (why) {
		return why;
	}
	for (uint32_t i = 0; i < head.n; i++) {
		struct box_memory m;
		memcpy(&m, payload + sizeof(head) + i * sizeof(m), sizeof(m));
		if (m.size == 0 || m.phys < end ||
				!box_in_windows(b->base.windows, b->base.n_windows, m.phys,
						m.size)) {
			return "memory outside the windows, or not ascending";
		}
		end = (uint64_t)m.phys + m.size;
	}
	return NULL;
}

const char *box_check_expected(const struct box *b, uint64_t entry, const uint8_t *payload) {
	struct box_list head;
	const char *why = box_check_list(b, entry, payload, sizeof(struct box_expected), &head);
	if (why) {
		return why;
	}
	for (uint32_t i = 0; i < head.n; i++) {
		struct box_expected e;
		memcpy(&e, payload + sizeof(head) + i * sizeof(e), sizeof(e));
		const bool is_known = b->base.info.chip == PICA_CHIP_PICA200 ?
				e.screen <= PICA_SCREEN_BOTTOM && e.eye <= PICA_EYE_RIGHT :
				e.screen == PICA_CAPTURE_PICTURE && e.eye == 0;
		if (!is_known || e.reserved) {
			return "a picture of an unknown screen";
		}
		if (e.frame >= (uint64_t)b->first_frame + b->index.n_frames &&
				!(b->base.info.missing & PICA_CAPTURE_LOST_END)) {
			return "a picture of a missing frame";
		}
	}
	return NULL;
}

const char *box_decode(const uint8_t *payload, uint64_t size, uint64_t *at, struct pica_job *job,
		bool *is_frame) {
	struct box_record record;
	if (size - *at < sizeof(record)) {
		return "it ends inside of an event";
	}
	memcpy(&record, payload + *at, sizeof(record));
	*at += sizeof(record);
	if (record.n_words > sizeof(job->u) / 4 || size - *at < 4 * (uint64_t)record.n_words) {
		return "it ends inside of an event";
	}
	memset(job, 0, sizeof(*job));
	memcpy(&job->u, payload + *at, 4 * (size_t)record.n_words);
	*at += 4 * (uint64_t)record.n_words;
	*is_frame = record.op == BOX_OP_FRAME;
	job->op = *is_frame ? PICA_OP_PRESENT : record.op;
	job->flags = record.flags;
	if (job->op == PICA_OP_STATS) {
		return "STATS, whose data is a pointer";
	}
	struct pica_job check = *job;
	if (job->op == PICA_OP_WRITE) {
		check.u.write.data = 1; /* the blob is checked when it is read */
	}
	const char *reason = NULL;
	return job_check(&check, &reason) < 0 ? reason : NULL;
}

/* ---- Sums ---- */

void box_count(struct box_events *sums, const struct pica_job *job) {
	switch (job->op) {
	case PICA_OP_WRITE:
		sums->n_writes++;
		sums->write_bytes += job->u.write.size_bytes;
		break;
	case PICA_OP_REG_WRITE:
		sums->n_regs++;
		sums->n_lists += job->u.reg_write.addr == LIST_START &&
				(job->u.reg_write.value & 1);
		break;
	case PICA_OP_LIST:
	case PICA_OP_CONTROL_LISTS:
		sums->n_lists++;
		break;
	default:
		break;
	}
}

void box_add_sums(struct box_index *to, const struct box_events *sums) {
	to->n_writes += sums->n_writes;
	to->n_regs += sums->n_regs;
	to->n_lists += sums->n_lists;
	to->write_bytes += sums->write_bytes;
}

/* ---- Blobs ---- */

static struct box_pack *find_pack(struct box *b, uint64_t id) {
	uint64_t lo = 0, hi = b->n_packs;
	while (hi - lo > 1) {
		uint64_t mid = lo + (hi - lo) / 2;
		if (b->pack[mid].first <= id) {
			lo = mid;
		} else {
			hi = mid;
		}
	}
	return &b->pack[lo];
}

/* Data of a blob of a chunk before `user`, which must have this size. */
static int blob_data(struct box *b, uint64_t user, uint64_t id, uint32_t size, const uint8_t **data,
		struct pica_capture_error *err) {
	if (id >= b->n_blobs) {
		return box_wrong(b, user, err, "a missing blob");
	}
	struct box_pack *pack = find_pack(b, id);
	if (id - pack->first >= pack->n) {
		return box_wrong(b, user, err, "a blob that is lost");
	}
	if (pack->entry > user) {
		return box_wrong(b, user, err, "a blob of a later chunk");
	}
	if (!pack->payload) {
		uint8_t *payload;
		int ret = box_load_checked(b, pack->entry, box_check_blobs, &payload, err);
		if (ret < 0) {
			return ret;
		}
		pack->payload = payload;
	}
	struct box_blob blob;
	const uint64_t at = sizeof(struct box_blobs) + (id - pack->first) * sizeof(blob);
	memcpy(&blob, pack->payload + at, sizeof(blob));
	if (blob.size != size) {
		return box_wrong(b, user, err, "a blob of another size");
	}
	*data = pack->payload + blob.offset;
	return 0;
}

/* ---- Keys ---- */

int box_read_key(struct box *b, uint64_t entry, struct pica_state *state, uint64_t *memory,
		struct pica_capture_error *err) {
	uint64_t i = entry;
	uint8_t *payload;
	int ret = box_load(b, i, &payload, err);
	if (ret < 0) {
		return ret;
	}
	struct box_key key;
	memcpy(&key, payload, sizeof(key));
	free(payload);
	if (key.frame != b->entry[i].frame + b->first_frame ||
			key.event != b->entry[i].first + b->first_event || key.reserved) {
		return box_wrong(b, i, err, "its place is not that of the index");
	}
	const enum pica_chip chip = b->base.info.chip;
	for (unsigned k = 0; k < box_state_chunks(chip); k++) {
		ret = box_load(b, ++i, &payload, err);
		if (ret < 0) {
			return ret;
		}
		const char *why = box_state_unpack(chip, k, payload, state);
		free(payload);
		if (why) {
			return box_wrong(b, i, err, why);
		}
	}
	do {
		i++;
	} while (b->entry[i].fourcc != BOX_MEMP);
	*memory = i;
	return 0;
}

void box_place_finish(struct box_place *place) {
	free(place->memory);
	free(place->events);
	*place = (struct box_place){ 0 };
}

int box_go_to_key(struct box *b, uint64_t entry, struct pica_capture_error *err) {
	struct pica_state *state = calloc(1, sizeof(*state));
	struct box_place place = { .key = entry, .frame = b->entry[entry].frame };
	if (!state) {
		return capture_no_memory(&b->base.source, err);
	}
	int ret = box_read_key(b, entry, state, &place.memory_entry, err);
	ret = ret < 0 ? ret : box_load_checked(b, place.memory_entry, box_check_memory,
			&place.memory, err);
	if (ret == 0) {
		place.next_entry = place.memory_entry + 1;
		box_place_finish(&b->place);
		b->place = place;
		b->base.state = *state;
	}
	free(state);
	return ret;
}

/* Reads row i of a key's memory with its data. Returns 1, or 0 past the last row. */
static int memory_row(struct box *b, uint32_t i, struct box_memory *m, const uint8_t **data) {
	const struct box_place *p = &b->place;
	struct box_list head;
	memcpy(&head, p->memory, sizeof(head));
	if (i == head.n) {
		return 0;
	}
	memcpy(m, p->memory + sizeof(head) + i * sizeof(*m), sizeof(*m));
	const int ret = blob_data(b, p->memory_entry, m->blob, m->size, data, &b->base.error);
	return ret < 0 ? ret : 1;
}

/* Checks the key's memory before its state is returned. */
static int read_memory_blobs(struct box *b) {
	struct box_memory m;
	const uint8_t *data;
	int ret = 1;
	for (uint32_t i = 0; ret > 0; i++) {
		ret = memory_row(b, i, &m, &data);
	}
	return ret;
}

int box_seek(struct pica_capture *c, uint32_t frame, uint32_t *at) {
	struct box *b = (struct box *)c;
	uint64_t key = b->first_key;
	for (uint64_t i = key + 1; i < b->n_entries; i++) {
		const struct box_entry *e = &b->entry[i];
		if (e->fourcc == BOX_KEYF && e->frame > b->entry[key].frame && e->frame <= frame) {
			key = i;
		}
	}
	*at = b->entry[key].frame;
	const int ret = box_go_to_key(b, key, &c->error);
	return ret < 0 ? ret : read_memory_blobs(b);
}

/* ---- Events ---- */

static int next_memory(struct box *b, struct pica_capture_event *event) {
	struct box_place *p = &b->place;
	struct box_memory m;
	const uint8_t *data;
	const int ret = memory_row(b, p->next_memory, &m, &data);
	if (ret == 0) {
		free(p->memory);
		p->memory = NULL;
	}
	if (ret <= 0) {
		return ret;
	}
	p->next_memory++;
	memset(event, 0, sizeof(*event));
	event->kind = PICA_CAPTURE_MEMORY;
	event->frame = p->frame;
	event->offset = b->entry[p->memory_entry].offset;
	event->job.op = PICA_OP_WRITE;
	event->job.u.write.addr = m.phys;
	event->job.u.write.size_bytes = m.size;
	event->job.u.write.data = (uint64_t)(uintptr_t)data;
	return 1;
}

/* Checks at the end that everything in the index was found. */
static int check_end(struct box *b) {
	const uint32_t n = b->index.n_frames;
	return b->place.frame == n ?
			0 :
			capture_fail(&b->base.source, &b->base.error, -EINVAL, UINT64_MAX,
					"INDX chunk: expected %" PRIu32 " frames, found %" PRIu32,
					n, b->place.frame);
}

/* Reads the next chunk of events. Returns 1, or 0 at the end. */
static int next_chunk(struct box *b) {
	struct box_place *p = &b->place;
	free(p->events);
	p->events = NULL;
	uint64_t i = p->next_entry;
	while (i < b->n_entries && b->entry[i].fourcc != BOX_EVTS) {
		i++;
	}
	if (i == b->n_entries) {
		return check_end(b);
	}
	uint8_t *payload;
	int ret = box_load_checked(b, i, box_check_events, &payload, &b->base.error);
	if (ret < 0) {
		return ret;
	}
	if (p->frame != b->entry[i].frame) {
		free(payload);
		return box_wrong(b, i, &b->base.error,
				"its first frame is not the one that follows");
	}
	p->events = payload;
	p->events_entry = i;
	p->next_entry = i + 1;
	p->at = sizeof(struct box_events);
	p->left = b->entry[i].n;
	return 1;
}

int box_next(struct pica_capture *c, struct pica_capture_event *event) {
	struct box *b = (struct box *)c;
	struct box_place *p = &b->place;
	if (p->memory) {
		int ret = next_memory(b, event);
		if (ret) {
			return ret;
		}
	}
	if (!p->left) {
		int ret = next_chunk(b);
		if (ret <= 0) {
			return ret;
		}
	}
	bool is_frame;
	uint64_t at = p->at;
	memset(event, 0, sizeof(*event));
	const char *why = box_decode(
			p->events, b->entry[p->events_entry].plain, &at, &event->job, &is_frame);
	if (why) {
		return box_wrong(b, p->events_entry, &c->error, why);
	}
	event->kind = is_frame ? PICA_CAPTURE_FRAME : PICA_CAPTURE_JOB;
	event->frame = p->frame;
	event->offset = b->entry[p->events_entry].offset;
	struct pica_job_write *w = &event->job.u.write;
	if (event->job.op == PICA_OP_WRITE) {
		event->job.flags &= (uint16_t)~(c->trust_loads ? PICA_WRITE_KEEP_RENDERED : 0);
	}
	if (event->job.op == PICA_OP_WRITE && w->size_bytes > 0) {
		const uint8_t *data;
		int ret = blob_data(b, p->events_entry, w->data, w->size_bytes, &data, &c->error);
		if (ret < 0) {
			return ret;
		}
		w->data = (uint64_t)(uintptr_t)data;
	}
	p->at = at;
	p->left--;
	p->frame += is_frame;
	return 1;
}
