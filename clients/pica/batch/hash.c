/* Hashes of a batch: captures, the program, golden pictures, and the keys of results. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "batch.h"
#include "pictures/file.h"

enum { BLOCK = 1 << 20, DIGITS = BATCH_HASH - 1 };

static void to_text(XXH128_hash_t hash, char text[BATCH_HASH]) {
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, hash);
	picture_hash_text(canonical.digest, text);
}

bool batch_is_hash(const char *text) {
	return strlen(text) == DIGITS && strspn(text, "0123456789abcdef") == DIGITS;
}

void batch_hash_bytes(const void *data, size_t size, char text[BATCH_HASH]) {
	to_text(XXH3_128bits(data, size), text);
}

static int hash_fd(int fd, char text[BATCH_HASH], uint64_t *size_bytes) {
	XXH3_state_t state; /* aligned by its type */
	uint8_t *block = malloc(BLOCK);
	ssize_t n = block ? 1 : -1;
	int ret = block ? 0 : -ENOMEM;
	*size_bytes = 0;
	XXH3_128bits_reset(&state);
	while (ret == 0 && n > 0) {
		n = read(fd, block, BLOCK);
		if (n > 0) {
			XXH3_128bits_update(&state, block, (size_t)n);
			*size_bytes += (uint64_t)n;
		} else if (n < 0) {
			ret = errno == EINTR ? 0 : -errno;
			n = 1;
		}
	}
	free(block);
	if (ret == 0) {
		to_text(XXH3_128bits_digest(&state), text);
	}
	return ret;
}

int batch_hash_file(const char *path, char text[BATCH_HASH], uint64_t *size_bytes) {
	struct stat st;
	uint64_t size;
	int fd;
	do {
		/* O_NONBLOCK: does not wait for the writer of a pipe */
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		return -errno;
	}
	int ret = fstat(fd, &st) < 0    ? -errno
		  : S_ISDIR(st.st_mode) ? -EISDIR
		  : S_ISREG(st.st_mode) ? 0
					: -EINVAL;
	if (ret == 0) {
		ret = hash_fd(fd, text, size_bytes ? size_bytes : &size);
	}
	close(fd);
	return ret;
}

int batch_hash_program(char text[BATCH_HASH]) {
	return batch_hash_file("/proc/self/exe", text, NULL);
}

/* ---- A folder of pictures ---- */

static int by_name(const FTSENT **a, const FTSENT **b) {
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int hash_entry(XXH3_state_t *state, const FTSENT *e, const char *root) {
	char text[BATCH_HASH];
	const char *name = e->fts_path + strlen(root);
	name += strspn(name, "/");
	if (e->fts_errno) {
		return -e->fts_errno;
	}
	if (e->fts_info == FTS_D || e->fts_info == FTS_DP) {
		return 0;
	}
	if (e->fts_level == FTS_ROOTLEVEL) {
		return -ENOTDIR;
	}
	if (!file_ends_with(name, ".png")) {
		return 0;
	}
	int ret = batch_hash_file(e->fts_path, text, NULL);
	XXH3_128bits_update(state, name, strlen(name) + 1);
	XXH3_128bits_update(state, text, ret < 0 ? 0 : sizeof(text));
	return ret;
}

int batch_hash_pictures(const char *folder, char text[BATCH_HASH]) {
	XXH3_state_t state;
	FTSENT *e;
	FTS *tree = fts_open((char *[]){ (char *)folder, NULL },
			FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	int ret = tree ? 0 : -errno;
	XXH3_128bits_reset(&state);
	while (ret == 0 && (e = fts_read(tree))) {
		ret = hash_entry(&state, e, folder);
	}
	if (tree) {
		fts_close(tree);
	}
	to_text(XXH3_128bits_digest(&state), text);
	return ret == -ENOENT ? 0 : ret;
}

/* ---- Keys ---- */

static int make_key(const struct batch_plan *plan, struct batch_unit *u) {
	const struct batch_settings *s = &plan->settings;
	const uint32_t v = pica_version();
	char *text;
	/* Without the folder of golden pictures, whose contents are compared each time. */
	const int len = asprintf(&text,
			"batch 1\nversion %u\nprogram %s\nframes %s\nverify %d\nbless %d\ntolerance %u\npixels %u\n"
			"pictures %s\nfloat %d\ncombiner %d\ngolden %s\ncontent %s\n",
			v, plan->program, s->frames_text, s->verify, s->bless, s->tolerance,
			s->allowed, batch_pictures_words[s->pictures],
			s->float_mode == PICA_FLOAT_F32, s->combiner == PICA_COMBINER_TRUNCATE,
			s->golden ? u->base : "", u->content);
	if (len < 0) {
		return -ENOMEM;
	}
	batch_hash_bytes(text, (size_t)len, u->key);
	free(text);
	return 0;
}

static int compare_keys(const void *a, const void *b) {
	const struct batch_unit *x = *(struct batch_unit *const *)a,
				*y = *(struct batch_unit *const *)b;
	const int order = strcmp(x->key, y->key);
	return order ? order : x < y ? -1 : x > y;
}

int batch_hash_keys(struct batch_plan *plan) {
	struct batch_unit **sorted = calloc(plan->n + 1, sizeof(*sorted));
	int ret = sorted ? 0 : -ENOMEM;
	for (unsigned i = 0; ret == 0 && i < plan->n; i++) {
		struct batch_unit *u = &plan->units[i];
		sorted[i] = u;
		u->first = i;
		u->next = 0;
		if (!u->error) {
			ret = make_key(plan, u);
		}
	}
	if (ret == 0) {
		qsort(sorted, plan->n, sizeof(*sorted), compare_keys);
	}
	for (unsigned i = 1; ret == 0 && i < plan->n; i++) {
		if (sorted[i]->key[0] && strcmp(sorted[i]->key, sorted[i - 1]->key) == 0) {
			sorted[i]->first = sorted[i - 1]->first;
			sorted[i - 1]->next = (unsigned)(sorted[i] - plan->units);
		}
	}
	free(sorted);
	return ret;
}
