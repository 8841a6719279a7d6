/*
 * The texture cache: a hash table by key, and a list by age for eviction. Both lists and the key
 * belong to the command thread; an image removed from the cache stays alive while passes hold it,
 * so several versions of the same memory may be alive at once.
 */
#include "pica/tex/private.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"

enum { MAX_SPARE = 256 };

static unsigned bucket_of(const struct tex_desc *key) {
	uint32_t word[sizeof(*key) / sizeof(uint32_t)];
	_Static_assert(sizeof(word) == sizeof(*key), "the key is whole words");
	memcpy(word, key, sizeof(word));
	uint32_t hash = 0;
	for (unsigned i = 0; i < ARRAY_LEN(word); i++) {
		hash = (hash ^ word[i]) * 0x9E3779B1u; /* 2^32 / golden ratio */
		hash ^= hash >> 15;
	}
	return hash % TEX_CACHE_BUCKETS;
}

void tex_cache_init(struct tex_cache *c, size_t budget_bytes, struct pica_memory *memory) {
	memset(c, 0, sizeof(*c));
	c->budget_bytes = budget_bytes;
	c->memory = memory;
}

static void age_link_newest(struct tex_cache *c, struct tex_image *image) {
	image->older = c->newest;
	image->newer = NULL;
	if (c->newest) {
		c->newest->newer = image;
	} else {
		c->oldest = image;
	}
	c->newest = image;
}

static void age_unlink(struct tex_cache *c, struct tex_image *image) {
	*(image->newer ? &image->newer->older : &c->newest) = image->older;
	*(image->older ? &image->older->newer : &c->oldest) = image->newer;
}

/* Drops the cache's reference. */
static void drop(struct tex_cache *c, struct tex_image *image) {
	struct tex_image **link = &c->bucket[bucket_of(&image->desc)];
	while (*link != image) {
		link = &(*link)->next;
	}
	*link = image->next;
	age_unlink(c, image);
	c->bytes -= image->bytes;
	tex_image_put(image);
}

void tex_cache_clear(struct tex_cache *c) {
	while (c->oldest) {
		drop(c, c->oldest);
	}
}

/* Frees spare memory down to that much. */
static void trim(struct tex_cache *c, size_t bytes) {
	while (c->spare_bytes > bytes) {
		struct tex_image *image = c->spare;
		c->spare = image->next;
		c->n_spare--;
		c->spare_bytes -= image->bytes;
		tex_image_free(image, c->memory);
	}
}

void tex_cache_evict(struct tex_cache *c, const struct pica_memory *full) {
	while (c->spare && memory_is_full(full)) {
		trim(c, c->spare_bytes - 1);
	}
	for (struct tex_image *i = c->oldest; i && memory_is_full(full); i = i->newer) {
		/* acquire: pairs with the release in tex_image_put(); its user is done reading */
		if (i->block && atomic_load_explicit(&i->refs, memory_order_acquire) == 1) {
			tex_image_evict(i, c->memory);
		}
	}
}

static bool bring_back(struct tex_cache *c, struct tex_image *image) {
	if (!image->block) {
		image->block = memory_alloc(c->memory, image->bytes - sizeof(*image));
	}
	return image->block;
}

void tex_cache_finish(struct tex_cache *c) {
	c->budget_bytes = 0; /* images that are put later are freed */
	tex_cache_clear(c);
	trim(c, 0);
}

void tex_cache_give(struct tex_cache *c, struct tex_image *image) {
	if (c->n_spare == MAX_SPARE || !image->block ||
			c->bytes + c->spare_bytes + image->bytes > c->budget_bytes) {
		tex_image_free(image, c->memory);
		return;
	}
	image->next = c->spare;
	c->spare = image;
	c->n_spare++;
	c->spare_bytes += image->bytes;
}

struct tex_image *tex_cache_take(struct tex_cache *c, size_t bytes) {
	for (struct tex_image **link = &c->spare; *link; link = &(*link)->next) {
		struct tex_image *image = *link;
		if (image->bytes == bytes) {
			*link = image->next;
			c->n_spare--;
			c->spare_bytes -= bytes;
			return image;
		}
	}
	const size_t used = c->bytes + bytes;
	trim(c, used < c->budget_bytes ? c->budget_bytes - used : 0);
	return tex_image_alloc(c->memory, bytes);
}

/*
 * Makes room for bytes by removing as many of the oldest images as needed, even if passes hold
 * them: which images remain must not depend on the progress of passes.
 */
static void evict(struct tex_cache *c, size_t bytes) {
	while (c->oldest && c->bytes + bytes > c->budget_bytes) {
		drop(c, c->oldest);
	}
}

/*
 * Returns whether the image is up to date: its pages were not written since it was made (fidelity:
 * texture-validity), their memory is the same, and, if it is suspect, the bytes are. No unit in
 * flight writes those, as it would have raised their stamps.
 */
static bool is_current(struct tex_cache *c, struct tex_image *image, const struct space *space,
		struct range range) {
	/* otherwise nothing was written or mapped since the last check */
	if (image->checked != space->clock &&
			(space_host(space, range.addr, range.size) != image->src ||
					space_stamp(space, range) > image->stamp)) {
		return false;
	}
	image->checked = space->clock;
	if (image->epoch != c->epoch) {
		if (!tex_image_matches(c, image)) {
			return false;
		}
		image->epoch = c->epoch;
		c->read++;
	}
	return true;
}

void tex_cache_suspect(struct tex_cache *c, uint64_t job) {
	/* A job may or may not see a client's changes while it runs. */
	if (c->epoch_job != job) {
		c->epoch_job = job;
		c->epoch++;
	}
}

struct tex_image *tex_cache_copy(struct tex_cache *c, const struct tex_desc *d,
		const struct space *space) {
	c->read++;
	return tex_image_make(c, d, space, true);
}

struct tex_image *tex_cache_get(struct tex_cache *c, const struct tex_desc *d,
		const struct space *space) {
	struct tex_desc key;
	tex_image_key(&key, d);
	const struct range range = { d->addr, tex_size_bytes(d) };
	struct tex_image **bucket = &c->bucket[bucket_of(&key)];
	struct tex_image *image = *bucket;
	while (image && memcmp(&image->desc, &key, sizeof(key)) != 0) {
		image = image->next;
	}
	if (image && !is_current(c, image, space, range)) {
		drop(c, image);
		image = NULL;
	}
	if (image) {
		if (!bring_back(c, image)) {
			return NULL;
		}
		age_unlink(c, image);
	} else {
		evict(c, tex_image_bytes(d));
		image = tex_image_make(c, d, space, false);
		if (!image) {
			return NULL;
		}
		image->next = *bucket;
		*bucket = image;
		c->bytes += image->bytes;
		c->decoded++;
		c->read++;
	}
	age_link_newest(c, image);
	image->last_use = ++c->use_clock;
	return tex_image_get(image);
}
