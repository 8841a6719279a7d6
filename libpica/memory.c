/* Counts of memory that contexts share: the public functions. */
#include <errno.h>
#include <stdlib.h>

#include "core/base/attributes.h"
#include "core/ctx/ctx.h"

PICA_EXPORT int pica_memory_create(struct pica_memory **out, struct pica_memory *parent) {
	struct pica_memory *m = malloc(sizeof(*m));
	if (!m) {
		return -ENOMEM;
	}
	memory_init(m);
	m->parent = memory_get(parent);
	*out = m;
	return 0;
}

PICA_EXPORT void pica_memory_destroy(struct pica_memory *m) {
	memory_put(m);
}

PICA_EXPORT void pica_memory_limit(struct pica_memory *m, uint64_t limit_bytes) {
	atomic_store_explicit(&m->limit, limit_bytes, memory_order_relaxed);
}

PICA_EXPORT void pica_memory_add(struct pica_memory *m, int64_t size_bytes) {
	atomic_fetch_add_explicit(&m->used, (size_t)size_bytes, memory_order_relaxed);
}

PICA_EXPORT uint64_t pica_memory_used(const struct pica_memory *m) {
	return memory_used(m);
}

PICA_EXPORT void pica_device_trim(struct pica_device *dev) {
	if (dev->dispatcher.is_threaded) {
		dispatcher_trim(&dev->dispatcher);
	} else if (dispatcher_enter(&dev->dispatcher)) {
		engine_trim(&dev->engine);
		dispatcher_leave(&dev->dispatcher);
	}
}
