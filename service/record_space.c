/*
 * Disk space of recordings: of each user, and of all. Finished ones count until their files are
 * removed; an unfinished one counts with the largest size that it may reach.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "service/reaper.h"
#include "service/record_impl.h"
#include "service/server_impl.h"

/*
 * A recording may use an eighth of the free space, so that others have some; at least LEAST_BYTES.
 */
enum { SHARE = 8, LEAST_BYTES = 1 << 20 };

/* The archive's thread, without the mutex: the disk may hang. */
static struct recording *drop_removed(struct recording *list) {
	struct recording **link = &list;
	while (*link) {
		struct recording *r = *link;
		struct stat st;
		if (stat(r->path, &st) < 0 && errno == ENOENT) {
			*link = r->next;
			free(r);
		} else {
			link = &r->next;
		}
	}
	return list;
}

static uint64_t rest(uint64_t quota, uint64_t used) {
	return quota == 0 ? UINT64_MAX : quota > used ? quota - used : 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
	return a < b ? a : b;
}

int record_space_reserve(struct recording *r) {
	struct archive *a = r->archive;
	const struct server_settings *s = &a->server->settings;
	pthread_mutex_lock(&a->mutex);
	struct recording *list = a->kept;
	a->kept = NULL;
	pthread_mutex_unlock(&a->mutex);
	list = drop_removed(list);
	pthread_mutex_lock(&a->mutex);
	struct recording **end = &a->kept;
	while (*end) {
		end = &(*end)->next;
	}
	*end = list;
	uint64_t of_user = r->account->reserved_bytes, of_all = a->reserved_bytes;
	uint32_t of_all_files = a->n_recordings; /* r is one of them */
	uint32_t files = atomic_load_explicit(&r->account->recordings, memory_order_relaxed);
	for (const struct recording *k = a->kept; k; k = k->next) {
		of_user += k->uid == r->uid ? k->bytes : 0;
		of_all += k->bytes;
		files += k->uid == r->uid;
		of_all_files++;
	}
	const uint64_t left = least(
			rest(s->record_user_bytes, of_user), rest(s->record_total_bytes, of_all));
	const bool is_enough = left / SHARE < LEAST_BYTES ||
			of_all_files > a->most_kept ||
			(s->record_user_files && files > s->record_user_files);
	if (!is_enough && left != UINT64_MAX) {
		r->bytes = a->max_bytes ? least(a->max_bytes, left / SHARE) : left / SHARE;
		r->account->reserved_bytes += r->bytes;
		a->reserved_bytes += r->bytes;
	}
	pthread_mutex_unlock(&a->mutex);
	return is_enough ? -EDQUOT : 0;
}

void record_space_release(struct recording *r) {
	if (r->bytes) {
		r->account->reserved_bytes -= r->bytes;
		r->archive->reserved_bytes -= r->bytes;
		r->bytes = 0;
	}
}

bool record_space_keep(struct recording *r, uint64_t size_bytes) {
	const struct server_settings *s = &r->archive->server->settings;
	if (!size_bytes ||
			!(s->record_user_bytes || s->record_total_bytes || s->record_user_files)) {
		return false;
	}
	r->bytes = size_bytes;
	r->next = r->archive->kept;
	r->archive->kept = r;
	return true;
}

void record_space_finish(struct archive *a) {
	while (a->kept) {
		struct recording *r = a->kept;
		a->kept = r->next;
		free(r);
	}
}
