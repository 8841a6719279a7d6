/* The flow of both lists: fetching records, branches, limits. */
#include "vc4/list/list.h"

#include <errno.h>
#include <stdio.h>

#include "core/base/arena.h"
#include "core/space/space.h"
#include "vc4/list/reader.h"

int vc4_fail(struct vc4_reader *r, int error, const char *why) {
	r->error->error = error;
	r->error->why = why;
	return error;
}

int vc4_fail_limit(struct vc4_reader *r, enum pica_budget budget, const char *why) {
	r->error->budget = budget;
	return vc4_fail(r, -EDQUOT, why);
}

/* A limit, or 0: none. */
static bool is_beyond(uint64_t limit, uint64_t n) {
	return limit && n > limit;
}

void *vc4_room(struct vc4_reader *r, void *items, uint32_t n, uint32_t *capacity,
		size_t item_bytes) {
	if (n < *capacity) {
		return items;
	}
	const uint32_t wanted = *capacity ? *capacity * 2 : 64;
	void *moved = arena_alloc(r->arena, wanted * item_bytes);
	if (!moved) {
		return NULL;
	}
	if (n) {
		memcpy(moved, items, n * item_bytes);
	}
	*capacity = wanted;
	return moved;
}

float vc4_float(uint32_t bits) {
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Copies the bytes of the list in the record's window, at most VC4_MAX_RECORD. */
static uint32_t peek(struct vc4_reader *r, uint8_t c[VC4_MAX_RECORD]) {
	const uint32_t offset = r->at - r->host_at;
	if (!r->host || offset >= r->host_bytes) {
		r->host_at = r->at;
		r->host_bytes = 0;
		r->host = space_host_from(r->lists->space, r->at, &r->host_bytes);
		if (!r->host) {
			return 0;
		}
	}
	const uint8_t *from = r->host + (r->at - r->host_at);
	const uint32_t left = r->host_bytes - (r->at - r->host_at);
	if (left >= VC4_MAX_RECORD) {
		memcpy(c, from, VC4_MAX_RECORD);
		return VC4_MAX_RECORD;
	}
	memset(c, 0, VC4_MAX_RECORD);
	memcpy(c, from, left);
	return left;
}

/* Reads the record at r->at, which may be one that continues in the next window. */
static int fetch(struct vc4_reader *r, uint8_t c[VC4_MAX_RECORD], const struct vc4_record **out) {
	*r->error = (struct vc4_error){ .list = (uint8_t)r->list, .address = r->at,
		.offset = r->at - (r->lists->start[r->list] & VC4_ADDRESS_BITS) };
	const uint32_t n = peek(r, c);
	if (n == 0) {
		return vc4_fail(r, -ERANGE, "outside memory");
	}
	const struct vc4_record *record = vc4_record(c[0]);
	if (!record) {
		return vc4_fail(r, -EINVAL, "not a record");
	}
	r->error->record = record->name;
	if (record->state == VC4_UNBUILT) {
		return vc4_fail(r, -EOPNOTSUPP, "this record is not supported");
	}
	if (!(record->lists & (r->list ? VC4_RENDERING : VC4_BINNING))) {
		return vc4_fail(r, -EINVAL, r->list ? "a record of binning lists" :
				"a record of rendering lists");
	}
	if (n < record->size_bytes && space_read(r->lists->space, r->at + n, c + n,
			record->size_bytes - n)) {
		return vc4_fail(r, -ERANGE, "ends outside memory");
	}
	r->next = (r->at + record->size_bytes) & VC4_ADDRESS_BITS;
	struct vc4_stats *stats = &r->frame->stats;
	stats->records++;
	stats->bytes += record->size_bytes;
	const struct vc4_limits *limits = &r->lists->limits;
	if (stats->records > VC4_MAX_RECORDS || is_beyond(limits->records, stats->records)) {
		return vc4_fail_limit(r, PICA_BUDGET_LIST_WORDS, "too many records");
	}
	*out = record;
	return 0;
}

static int count_branch(struct vc4_reader *r) {
	return is_beyond(r->lists->limits.branches, ++r->frame->stats.branches) ?
			vc4_fail_limit(r, PICA_BUDGET_JUMPS, "too many branches") : 0;
}

static int branch(struct vc4_reader *r, uint32_t address) {
	r->next = address;
	return r->list == 1 && vc4_is_tile_list(r, address) ?
			vc4_fail(r, -EINVAL, "a tile list is not a sub-list here") : count_branch(r);
}

static int call(struct vc4_reader *r, uint32_t address) {
	const int ret = count_branch(r);
	if (ret < 0) {
		return ret;
	}
	if (r->depth == VC4_SUB_LIST_DEPTH) {
		return vc4_fail(r, -EINVAL, "sub-lists nest deeper than 2");
	}
	if (r->list == 1 && vc4_is_tile_list(r, address)) {
		return vc4_draw_bin(r, address);
	}
	r->frame->stats.sub_lists++;
	r->stack[r->depth++] = r->next;
	r->next = address;
	return 0;
}

/* Without a flush the chip would wait forever; the binning list runs before the rendering list. */
static int wait_on_semaphore(struct vc4_reader *r) {
	if (r->list == 0 || !r->is_flushed || r->increments == 0) {
		return vc4_fail(r, -EINVAL, "nothing ends this wait");
	}
	r->increments--;
	return 0;
}

/* Runs flow records, which are the same in both lists, and those of the list. */
static int run_record(struct vc4_reader *r, const uint8_t *c) {
	switch (c[0]) {
	case VC4_OP_HALT:
		r->is_done = true;
		return 0;
	case VC4_OP_NOP:
	case VC4_OP_MARKER:
	case VC4_OP_RESET_MARKER_COUNT:
		return 0;
	case VC4_OP_INCREMENT_SEMAPHORE:
		r->increments += r->list == 0;
		return 0;
	case VC4_OP_WAIT_ON_SEMAPHORE:
		return wait_on_semaphore(r);
	case VC4_OP_BRANCH:
		return branch(r, VC4_BRANCH_ADDRESS(c) & VC4_ADDRESS_BITS);
	case VC4_OP_BRANCH_TO_SUB_LIST:
		return call(r, VC4_BRANCH_TO_SUB_LIST_ADDRESS(c) & VC4_ADDRESS_BITS);
	case VC4_OP_RETURN_FROM_SUB_LIST:
		if (r->depth > 0) {
			r->next = r->stack[--r->depth];
		}
		return 0;
	default:
		return r->list ? vc4_rendering_record(r, c) : vc4_binning_record(r, c);
	}
}

static void show(const struct vc4_reader *r, const struct vc4_record *record, const uint8_t *c) {
	const struct vc4_step step = { .list = (uint8_t)r->list, .depth = (uint8_t)r->depth,
		.address = r->at, .offset = r->error->offset, .record = record, .bytes = c };
	r->lists->step(r->lists->arg, &step);
}

/* The end address stops the list itself, but not a sub-list there. */
static int run_list(struct vc4_reader *r, unsigned list) {
	const uint32_t end = r->lists->end[list] & VC4_ADDRESS_BITS;
	r->list = list;
	r->next = r->lists->start[list] & VC4_ADDRESS_BITS;
	r->depth = 0;
	r->is_done = false;
	while (!r->is_done && (r->depth > 0 || r->next != end)) {
		r->at = r->next;
		if (r->since_tick == VC4_TICK_RECORDS) {
			const int ret = r->lists->tick ? r->lists->tick(r->lists->arg,
					r->since_tick) : 0;
			r->since_tick = 0;
			r->host = NULL;
			if (ret < 0) {
				return vc4_fail(r, ret, "ended by the caller");
			}
		}
		uint8_t c[VC4_MAX_RECORD];
		const struct vc4_record *record;
		int ret = fetch(r, c, &record);
		if (ret == 0 && r->lists->step) {
			show(r, record, c);
		}
		if (ret == 0) {
			ret = run_record(r, c);
		}
		if (ret < 0) {
			return ret;
		}
		r->since_tick++;
	}
	return 0;
}

int vc4_frame_read(struct vc4_frame *frame, const struct vc4_lists *lists, struct arena *arena,
		struct vc4_error *error) {
	struct vc4_reader r = { .lists = lists, .arena = arena, .frame = frame, .error = error };
	memset(frame, 0, sizeof(*frame));
	memset(error, 0, sizeof(*error));
	vc4_binning_begin(&r);
	int ret = run_list(&r, 0);
	if (ret == 0) {
		ret = vc4_rendering_begin(&r);
	}
	if (ret == 0) {
		ret = run_list(&r, 1);
	}
	frame->last = r.rendering;
	return ret;
}

size_t vc4_error_text(const struct vc4_error *error, char *buf, size_t size) {
	const int n = snprintf(buf, size, "%s list: offset 0x%x (%s): %s",
			error->list ? "rendering" : "binning", (unsigned)error->offset,
			error->record ? error->record : "no record", error->why ? error->why : "");
	return n < 0 ? 0 : (size_t)n;
}
