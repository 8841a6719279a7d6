/*
 * Recovers the undamaged parts of a container whose index is readable. Events start from a key. A
 * damaged chunk of events, or one that names damaged data, ends a part; the next whole key begins
 * another:
 *
 *     KEYF EVTS EVTS KEYF EVTS ####  EVTS KEYF EVTS KEYF EVTS
 *     [-------- part 0 -------]          [------ part 1 -----]
 *
 * The chunks of the chosen part keep their places; those of others become BOX_LOST.
 */
#include "capture/container/box.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
	uint64_t key, end;     /* entries; end: one past the last */
	uint32_t first, frame; /* frames; frame: one past the last whole one */
	struct box_index sum;  /* over its events */
};

struct blobs {
	uint64_t first, n;
};

struct search {
	struct box *b;
	bool *whole; /* of each entry */
	struct blobs *lost; /* ascending */
	uint64_t n_lost, n_blobs;
	struct part *part;
	uint64_t n_parts;
	bool is_open; /* the last part continues */
	struct box_events events; /* head of the last chunk that was read */
	struct pica_capture_error damage; /* the first one; code 0: none */
};

/* ---- Damage ---- */

static void note(struct search *s, const struct pica_capture_error *err) {
	if (s->damage.code == 0) {
		s->damage = *err;
	}
}

static void note_wrong(struct search *s, uint64_t i, const char *why) {
	struct pica_capture_error err;
	box_wrong(s->b, i, &err, why);
	note(s, &err);
}

/* Returns whether the data of a blob is present; size 0 needs none. */
static bool has_blob(const struct search *s, uint64_t id) {
	uint64_t lo = 0, hi = s->n_lost;
	while (lo < hi) {
		const uint64_t mid = lo + (hi - lo) / 2;
		if (s->lost[mid].first + s->lost[mid].n <= id) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return id < s->n_blobs && (lo == s->n_lost || id < s->lost[lo].first);
}

/* NULL, or why the events cannot be played. */
static const char *check_events(const struct search *s, uint64_t i, const uint8_t *payload) {
	const struct box_entry *e = &s->b->entry[i];
	uint64_t at = sizeof(struct box_events);
	const char *why = box_check_events(s->b, i, payload);
	for (uint32_t k = 0; !why && k < e->n; k++) {
		struct pica_job job;
		bool is_frame;
		why = box_decode(payload, e->plain, &at, &job, &is_frame);
		if (!why && job.op == PICA_OP_WRITE && job.u.write.size_bytes &&
				!has_blob(s, job.u.write.data)) {
			why = "a blob that is lost";
		}
	}
	return why;
}

static const char *check_memory(const struct search *s, uint64_t i, const uint8_t *payload) {
	const uint64_t size = s->b->entry[i].plain;
	struct box_list head = { 0 };
	if (size >= sizeof(head)) {
		memcpy(&head, payload, sizeof(head));
	}
	if (size != sizeof(head) + head.n * sizeof(struct box_memory)) {
		return "its size is not that of its list";
	}
	for (uint32_t k = 0; k < head.n; k++) {
		struct box_memory m;
		memcpy(&m, payload + sizeof(head) + k * sizeof(m), sizeof(m));
		if (!has_blob(s, m.blob)) {
			return "a blob that is lost";
		}
	}
	return NULL;
}

/*
 * Counts the blobs of a chunk, even of a damaged one, since later numbers depend on them. Returns
 * 0, or a negative errno if the index is inconsistent.
 */
static int count_blobs(struct search *s, uint64_t i) {
	const struct box_entry *e = &s->b->entry[i];
	if (e->first != s->n_blobs || e->n > e->plain / sizeof(struct box_blob)) {
		note_wrong(s, i, "its blobs do not follow those before");
		return -EINVAL;
	}
	s->n_blobs += e->n;
	if (!s->whole[i]) {
		s->lost[s->n_lost++] = (struct blobs){ e->first, e->n };
	}
	return 0;
}

static const char *check_payload(const struct search *s, uint64_t i, const uint8_t *payload) {
	switch (s->b->entry[i].fourcc) {
	case BOX_EVTS:
		return check_events(s, i, payload);
	case BOX_BLOB:
		return box_check_blobs(s->b, i, payload);
	case BOX_MEMP:
		return check_memory(s, i, payload);
	default:
		return NULL;
	}
}

/* Reads an entry. On failure returns -ENOMEM, or -EINVAL (the index is inconsistent). */
static int look(struct search *s, uint64_t i) {
	struct pica_capture_error err;
	uint8_t *payload;
	int ret = box_load(s->b, i, &payload, &err);
	if (ret == -ENOMEM) {
		return ret;
	}
	if (ret < 0) {
		note(s, &err);
	} else {
		const char *why = check_payload(s, i, payload);
		if (!why && s->b->entry[i].fourcc == BOX_EVTS) {
			memcpy(&s->events, payload, sizeof(s->events));
		}
		free(payload);
		if (why) {
			note_wrong(s, i, why);
		}
		s->whole[i] = !why;
	}
	return s->b->entry[i].fourcc == BOX_BLOB ? count_blobs(s, i) : 0;
}

/* ---- Parts ---- */

/* Returns whether the key [i, end), except its blobs, is whole. */
static bool is_whole_key(const struct search *s, uint64_t i, uint64_t end) {
	for (; i < end; i++) {
		if (!s->whole[i] && s->b->entry[i].fourcc != BOX_BLOB) {
			return false;
		}
	}
	return true;
}

static void lose(struct box_entry *e) {
	e->fourcc = e->fourcc == BOX_BLOB ? BOX_LOST_DATA : BOX_LOST;
	e->flags |= BOX_OPTIONAL;
}

static void lose_key(struct search *s, uint64_t i, uint64_t end) {
	for (; i < end; i++) {
		if (s->b->entry[i].fourcc != BOX_BLOB) { /* events may name it */
			lose(&s->b->entry[i]);
		}
	}
}

static int take_key(struct search *s, uint64_t i, uint64_t *next) {
	const uint64_t end = box_after_key(s->b, i);
	if (!end) {
		note_wrong(s, i, "chunks of its state are missing");
		return -EINVAL;
	}
	*next = end;
	for (uint64_t k = i; k < end; k++) {
		const int ret = look(s, k);
		if (ret < 0) {
			return ret;
		}
	}
	if (!is_whole_key(s, i, end)) {
		lose_key(s, i, end);
	} else if (!s->is_open) {
		const uint32_t frame = s->b->entry[i].frame;
		s->part[s->n_parts++] = (struct part){ .key = i, .first = frame, .frame = frame };
		s->is_open = true;
	}
	return 0;
}

static void take_events(struct search *s, uint64_t i) {
	struct part *p = &s->part[s->n_parts - 1];
	if (s->events.first_frame < p->frame) {
		note_wrong(s, i, "its events do not follow those before");
		p->end = i;
		s->is_open = false;
		return;
	}
	p->frame = s->events.first_frame + s->events.n_frames;
	box_add_sums(&p->sum, &s->events);
}

static int take_entry(struct search *s, uint64_t i) {
	struct box_entry *e = &s->b->entry[i];
	const int ret = look(s, i);
	if (e->fourcc == BOX_EVTS && s->is_open && s->whole[i]) {
		take_events(s, i);
	} else if (e->fourcc == BOX_EVTS && s->is_open) {
		s->part[s->n_parts - 1].end = i;
		s->is_open = false;
	} else if (e->fourcc != BOX_EVTS && e->fourcc != BOX_BLOB && !s->whole[i]) {
		lose(e);
	}
	return ret;
}

/* Splits the file into parts. On failure returns -ENOMEM, or -EINVAL (there is none). */
static int find_parts(struct search *s) {
	const uint64_t n = s->b->n_entries;
	const bool has_info = n && s->b->entry[0].fourcc == BOX_INFO;
	int ret = 0;
	for (uint64_t i = 0, next; ret == 0 && i < n; i = next) {
		next = i + 1;
		ret = s->b->entry[i].fourcc == BOX_KEYF ? take_key(s, i, &next) : take_entry(s, i);
	}
	if (s->is_open) {
		s->part[s->n_parts - 1].end = n;
	}
	s->b->no_info = has_info && !s->whole[0];
	return ret < 0 ? ret : s->n_parts ? 0 : -EINVAL;
}

/* Returns the first part with frames, or the one with *frame; NULL: none. */
static const struct part *choose(const struct search *s, const uint32_t *frame) {
	for (uint64_t i = 0; i < s->n_parts; i++) {
		const struct part *p = &s->part[i];
		if (frame ? *frame >= p->first && *frame < p->frame : p->frame > p->first) {
			return p;
		}
	}
	return frame ? NULL : &s->part[0];
}

/* Drops entries outside the part, and counts frames and events from 0. */
static void keep(struct search *s, const struct part *p) {
	struct box *b = s->b;
	const struct box_index whole = b->index;
	const uint64_t first_event = b->entry[p->key].first;
	for (uint64_t i = 1; i < b->n_entries; i++) {
		struct box_entry *e = &b->entry[i];
		const bool is_after = i >= p->end, is_in_part = i >= p->key && !is_after;
		const bool is_of_all = e->fourcc == BOX_LACK || e->fourcc == BOX_INFC;
		if (e->fourcc == BOX_BLOB ? !s->whole[i] || is_after :
					    !is_in_part && !is_of_all) {
			lose(e);
		} else if (e->fourcc == BOX_KEYF || e->fourcc == BOX_EVTS) {
			e->first -= first_event;
			e->frame -= p->first;
		}
	}
	b->index = p->sum;
	b->index.n_frames = p->frame - p->first;
	b->index.n_tail = p->end == b->n_entries ? whole.n_tail : 0;
	b->first_key = p->key;
	b->first_event = first_event;
	b->first_frame = p->first;
	b->all_frames = whole.n_frames;
}

/* Stores the list of recoverable parts, from which callers may choose another. */
static int tell_parts(const struct search *s, const struct part *chosen) {
	struct pica_capture *c = &s->b->base;
	c->part = calloc(s->n_parts, sizeof(*c->part));
	for (uint64_t i = 0; c->part && i < s->n_parts; i++) {
		const struct part *p = &s->part[i];
		if (p->frame > p->first) {
			c->part[c->n_parts++] = (struct pica_capture_part){ p->first,
				p->frame - p->first, p == chosen };
		}
	}
	return c->part ? 0 : -ENOMEM;
}

static int no_such_part(const struct search *s, uint32_t frame, struct pica_capture_error *err) {
	char text[128];
	size_t at = 0;
	text[0] = '\0';
	for (uint64_t i = 0; i < s->n_parts && at < sizeof(text); i++) {
		const struct part *p = &s->part[i];
		if (p->frame > p->first) {
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					"%s%" PRIu32 "-%" PRIu32, at ? ", " : "", p->first,
					p->frame - 1);
		}
	}
	return capture_fail(&s->b->base.source, err, -EINVAL, UINT64_MAX,
			"frame %" PRIu32 " is damaged or missing: whole frames: %s", frame,
			at ? text : "none");
}

static int choose_and_keep(
		struct search *s, const uint32_t *frame, struct pica_capture_error *err) {
	const struct part *p = choose(s, frame);
	if (!p) {
		return no_such_part(s, *frame, err);
	}
	if (tell_parts(s, p) < 0) {
		return capture_no_memory(&s->b->base.source, err);
	}
	if (err && s->damage.code) {
		*err = s->damage;
	}
	const int lost = p->end < s->b->n_entries ? BOX_LOST_END : BOX_LOST_OTHER;
	keep(s, p);
	return s->damage.code ? lost : 0;
}

int box_recover(struct box *b, const uint32_t *frame, struct pica_capture_error *err) {
	struct search s = { .b = b };
	s.whole = calloc(b->n_entries + 1, sizeof(*s.whole));
	s.lost = calloc(b->n_entries + 1, sizeof(*s.lost));
	s.part = calloc(b->n_entries + 1, sizeof(*s.part));
	int ret = s.whole && s.lost && s.part ? find_parts(&s) : -ENOMEM;
	if (ret == -ENOMEM) {
		capture_no_memory(&b->base.source, err);
	} else if (ret < 0 && s.damage.code == 0) {
		capture_fail(&b->base.source, err, ret, UINT64_MAX, "no key in it");
	} else if (ret < 0 && err) {
		*err = s.damage;
	}
	ret = ret < 0 ? ret : choose_and_keep(&s, frame, err);
	free(s.whole);
	free(s.lost);
	free(s.part);
	return ret;
}
