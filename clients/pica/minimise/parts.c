#include "minimise.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/options.h"
#include "pica_regs.h"

enum { PIECE = 1024 };

#define ROOM(p, array, n, room) array_room((p)->array, (p)->n, &(p)->room, sizeof(*(p)->array))

static uint32_t load_word(const uint8_t *at) {
	uint32_t word;
	memcpy(&word, at, sizeof(word));
	return word;
}

static void store_word(uint8_t *at, uint32_t word) {
	memcpy(at, &word, sizeof(word));
}

/* ---- Command lists ---- */

enum { HEADER_ID = 0xFFFF, HEADER_MASK = 0xF << 16, HEADER_COUNT = 0xFF << 20 };

/* Returns the bytes of an entry with that header, including padding. */
static uint32_t entry_bytes(uint32_t header) {
	return 4 * ((2 + (header >> 20 & 0xFF) + 1) & ~1u);
}

/* Returns the header of an entry of equal length that writes nothing, for every reader. */
static uint32_t header_of_nothing(uint32_t header) {
	return header & HEADER_COUNT;
}

static bool writes_nothing(uint32_t header) {
	return (header & (HEADER_ID | HEADER_MASK)) == 0;
}

/* ---- Reading ---- */

static const struct blob *add_blob(
		struct parts *p, const struct pica_job_write *write, int64_t event) {
	const uint32_t size = write->size_bytes;
	struct blob *room = ROOM(p, blob, n_blobs, blob_room);
	uint8_t *bytes = malloc(2 * (size_t)size + size / PIECE + 1);
	p->blob = room ? room : p->blob;
	if (!room || !bytes) {
		free(bytes);
		p->error = -ENOMEM;
		return NULL;
	}
	memcpy(bytes, (const void *)(uintptr_t)write->data, size);
	memcpy(bytes + size, bytes, size);
	memset(bytes + 2 * (size_t)size, 0, size / PIECE + 1);
	p->blob[p->n_blobs] = (struct blob){ write->addr, size, bytes, bytes + size,
		bytes + 2 * (size_t)size, event };
	return &p->blob[p->n_blobs++];
}

static void add_part(struct parts *p, struct part part) {
	struct part *room = ROOM(p, part, n_parts, part_room);
	if (!room) {
		p->error = -ENOMEM;
		return;
	}
	p->part = room;
	p->part[p->n_parts++] = part;
}

/* Adds the pieces without lists; the entries of lists are parts of their own. */
static void add_pieces(struct parts *p) {
	for (size_t i = 0; i < p->n_blobs; i++) {
		for (uint32_t at = 0; at < p->blob[i].size_bytes; at += PIECE) {
			if (!p->blob[i].has_list[at / PIECE]) {
				add_part(p, (struct part){ .kind = PART_PIECE, .index = (uint32_t)i,
					.at = p->blob[i].bytes + at });
			}
		}
	}
}

/* Returns the blob that wrote all these bytes to memory, or -1. */
static int64_t find_blob(const struct parts *p, uint32_t addr, uint32_t size_bytes) {
	for (size_t i = p->n_blobs; i-- > 0;) {
		const struct blob *b = &p->blob[i];
		if (addr < (uint64_t)b->addr + b->size_bytes &&
				b->addr < (uint64_t)addr + size_bytes) {
			const bool is_inside = addr >= b->addr &&
					addr - b->addr + (uint64_t)size_bytes <= b->size_bytes;
			return is_inside ? (int64_t)i : -1;
		}
	}
	return -1;
}

static void on_list(void *user, uint32_t addr, uint32_t size_bytes, bool is_jump) {
	struct parts *p = user;
	if (is_jump && p->is_list) {
		p->list[p->n_lists - 1].blob = -1;
	} else if (p->is_list) {
		p->list[p->n_lists - 1].blob = find_blob(p, addr, size_bytes);
	}
}

static void on_write(void *user, const struct pica_list_write *w, bool from_list) {
	struct parts *p = user;
	if (!from_list || w->index) {
		return;
	}
	const uint32_t bytes = 4 * ((w->count + 2) & ~1u);
	const int64_t blob = find_blob(p, w->entry, bytes);
	if (blob < 0) {
		return;
	}
	const struct blob *b = &p->blob[blob];
	const uint32_t at = w->entry - b->addr, first = at / PIECE;
	memset(b->has_list + first, 1, (at + bytes - 1) / PIECE - first + 1);
	uint8_t *header = b->bytes + at + 4;
	const bool is_draw = w->id == PICA_REG_DRAWARRAYS || w->id == PICA_REG_DRAWELEMENTS;
	add_part(p, (struct part){ .kind = is_draw ? PART_DRAW : PART_ENTRY,
		
		.index = (uint32_t)blob, .at = header, .word = load_word(header) });
}

static int on_event(void *user, const struct pica_capture_event *ev) {
	struct parts *p = user;
	struct part_event *room = ROOM(p, event, n_events, event_room);
	if (!room) {
		return -ENOMEM;
	}
	p->event = room;
	struct part_event *e = &p->event[p->n_events];
	*e = (struct part_event){ .kind = ev->kind, .job = ev->job };
	if (ev->job.op == PICA_OP_WRITE) {
		const struct blob *b = add_blob(p, &ev->job.u.write, (int64_t)p->n_events);
		e->job.u.write.data = b ? (uintptr_t)b->bytes : 0;
	}
	add_part(p, (struct part){ .kind = PART_JOB, .index = (uint32_t)p->n_events });
	p->is_list = ev->job.op == PICA_OP_LIST;
	if (p->is_list) {
		struct part_list *list = ROOM(p, list, n_lists, list_room);
		if (!list) {
			return -ENOMEM;
		}
		p->list = list;
		p->list[p->n_lists++] = (struct part_list){ (uint32_t)p->n_events, -1 };
	}
	p->n_events++;
	if (p->info.chip == PICA_CHIP_PICA200 && ev->kind == PICA_CAPTURE_JOB) {
		list_walk_job(&p->walk, &ev->job);
	}
	return p->error;
}

/* Orders by position in memory; jobs in their order. */
static int compare_parts(const void *a, const void *b) {
	const struct part *x = a, *y = b;
	return x->kind != y->kind     ? (int)x->kind - (int)y->kind :
			x->at != y->at ? (x->at < y->at ? -1 : 1) :
			x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts the parts, and keeps each entry once, since a list may have run several times. */
static void sort_parts(struct parts *p) {
	size_t n = 0;
	if (p->n_parts) {
		qsort(p->part, p->n_parts, sizeof(*p->part), compare_parts);
	}
	for (size_t i = 0; i < p->n_parts; i++) {
		if (n == 0 || !p->part[i].at || p->part[n - 1].at != p->part[i].at) {
			p->part[n++] = p->part[i];
		}
	}
	p->n_parts = n;
}

static int read_memory(struct parts *p) {
	struct pica_capture_event ev;
	int ret = pica_capture_rewind(p->capture);
	while (ret >= 0 && (ret = pica_capture_next(p->capture, &ev)) > 0 &&
			ev.kind == PICA_CAPTURE_MEMORY) {
		add_blob(p, &ev.job.u.write, -1);
		ret = p->error;
	}
	return ret < 0 ? ret : 0;
}

int parts_read(struct parts *p, const char *path) {
	static const struct list_visitor visitor = { .write = on_write, .list = on_list };
	struct capture_here c;
	struct replay r;
	memset(p, 0, sizeof(*p));
	int exit = capture_here_open(&c, path, NULL);
	if (exit == EXIT_FINE) {
		p->capture = c.capture;
		p->info = c.info;
		int ret = read_memory(p);
		ret = ret < 0 ? ret : replay_start(&r, gpu_here(c.ctx), c.capture, 0);
		if (c.info.chip == PICA_CHIP_PICA200 && ret == 0) {
			list_walk_init(&p->walk, c.ctx, &visitor, p);
		}
		r.look = on_event;
		r.look_user = p;
		while (ret >= 0 && (ret = replay_frame(&r)) > 0) {
			ret = replay_wait(&r);
		}
		ret = ret < 0 ? ret : replay_wait(&r);
		add_pieces(p);
		sort_parts(p);
		ret = ret < 0 ? ret : p->error;
		exit = ret < 0 ? capture_failed(c.capture, path, ret) : EXIT_FINE;
		c.capture = NULL; /* ours: it holds the state */
	}
	capture_here_close(&c);
	return exit;
}

void parts_finish(struct parts *p) {
	for (size_t i = 0; i < p->n_blobs; i++) {
		free(p->blob[i].bytes);
	}
	free(p->event);
	free(p->blob);
	free(p->part);
	free(p->list);
	pica_capture_close(p->capture);
}

/* ---- Leaving out ---- */

void part_set_omitted(struct parts *p, struct part *part, bool is_gone) {
	part->is_gone = is_gone;
	if (part->kind == PART_JOB) {
		p->event[part->index].is_gone = is_gone;
	} else if (part->kind == PART_PIECE) {
		const struct blob *b = &p->blob[part->index];
		const size_t at = (size_t)(part->at - b->bytes);
		const size_t size = b->size_bytes - at < PIECE ? b->size_bytes - at : PIECE;
		memset(part->at, 0, size);
		if (!is_gone) {
			memcpy(part->at, b->original + at, size);
		}
	} else {
		store_word(part->at, is_gone ? header_of_nothing(part->word) : part->word);
	}
}

bool part_is_there(const struct parts *p, const struct part *part) {
	const int64_t event = part->at ? p->blob[part->index].event : -1;
	const bool is_last_frame = part->kind == PART_JOB && part->index + 1 == p->n_events;
	return !part->is_gone && !is_last_frame && (event < 0 || !p->event[event].is_gone);
}

/* Returns whether two jobs run the same bytes, of which shortening would update only one. */
static bool is_shared(const struct parts *p, const struct part_list *list) {
	const struct pica_job_list *a = &p->event[list->event].job.u.list;
	for (size_t i = 0; i < p->n_lists; i++) {
		const struct pica_job_list *b = &p->event[p->list[i].event].job.u.list;
		if (&p->list[i] != list && p->list[i].blob == list->blob &&
				a->addr < b->addr + b->size_bytes &&
				b->addr < a->addr + a->size_bytes) {
			return true;
		}
	}
	return false;
}

static void shorten_list(struct parts *p, const struct part_list *list) {
	struct pica_job_list *job = &p->event[list->event].job.u.list;
	const struct blob *b = &p->blob[list->blob];
	uint8_t *words = b->bytes + (job->addr - b->addr);
	uint32_t kept = 0;
	for (uint32_t at = 0; at + 8 <= job->size_bytes;) {
		const uint32_t header = load_word(words + at + 4), n = entry_bytes(header);
		if (n > job->size_bytes - at) {
			return; /* it runs past the end of its list */
		}
		kept += writes_nothing(header) ? 0 : n;
		at += n;
	}
	/* A list has a multiple of 16 bytes: an empty entry in front pads it. */
	uint32_t to = 0;
	uint8_t *out = calloc(1, job->size_bytes + 8);
	if (!out) {
		return;
	}
	to = kept % 16;
	for (uint32_t at = 0, n; at + 8 <= job->size_bytes; at += n) {
		const uint32_t header = load_word(words + at + 4);
		n = entry_bytes(header);
		if (!writes_nothing(header)) {
			memcpy(out + to, words + at, n);
			to += n;
		}
	}
	if (to <= job->size_bytes) {
		memcpy(words, out, job->size_bytes);
		job->size_bytes = to;
	}
	free(out);
}

void parts_shorten_lists(struct parts *p) {
	for (size_t i = 0; i < p->n_lists; i++) {
		const struct part_list *list = &p->list[i];
		if (!p->event[list->event].is_gone && list->blob >= 0 && !is_shared(p, list)) {
			shorten_list(p, list);
		}
	}
}

/* ---- Writing ---- */

static int write_all(const struct parts *p, struct pica_capture_writer *w) {
	struct pica_window *start = calloc(p->n_blobs + 1, sizeof(*start));
	unsigned n = 0;
	if (!start) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < p->n_blobs && p->blob[i].event < 0; i++) {
		start[n++] = (struct pica_window){ .phys = p->blob[i].addr,
			.size_bytes = p->blob[i].size_bytes, .host = p->blob[i].bytes };
	}
	const bool has_state = p->info.chip == PICA_CHIP_PICA200;
	int ret = pica_capture_writer_key(
			w, has_state ? pica_capture_state(p->capture) : NULL, start, n);
	for (size_t i = 0; ret == 0 && i < p->n_events; i++) {
		const struct part_event *e = &p->event[i];
		if (!e->is_gone) {
			ret = e->kind == PICA_CAPTURE_FRAME ?
					pica_capture_writer_frame(w, &e->job) :
					pica_capture_writer_job(w, &e->job);
		}
	}
	free(start);
	return ret;
}

int parts_write(const struct parts *p, const char *path, uint32_t level) {
	struct pica_capture_writer_settings s;
	struct pica_ctx_settings ctx;
	struct pica_window window[GPU_WINDOWS];
	struct pica_capture_writer *w;
	pica_capture_writer_settings_init(&s);
	pica_capture_ctx_settings(p->capture, &ctx);
	s.level = level;
	s.missing = p->info.missing;
	s.source = p->info.source;
	s.first_frame = p->info.first_frame;
	s.float_mode = p->info.float_mode;
	s.combiner = p->info.combiner;
	s.n_windows = pica_capture_windows(p->capture, window, GPU_WINDOWS);
	s.windows = window;
	s.budgets = ctx.budgets;
	s.title = p->info.title;
	s.tool = "pica minimise";
	s.chip = p->info.chip;
	int ret = pica_capture_writer_create(&w, path, &s);
	if (ret < 0) {
		return ret;
	}
	ret = write_all(p, w);
	if (ret < 0) {
		pica_capture_writer_destroy(w);
		return ret;
	}
	return pica_capture_writer_finish(w);
}
