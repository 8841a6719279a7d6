#include "core/pass/spare.h"

#include <assert.h>

int spares_init(struct spares *s, unsigned keep, void *(*create)(void), void (*destroy)(void *)) {
	assert(keep <= POOL_MAX_THREADS);
	*s = (struct spares){ .create = create, .destroy = destroy, .keep = keep };
	return monitor_init(&s->mon);
}

void spares_finish(struct spares *s) {
	while (s->n_idle) {
		s->destroy(s->idle[--s->n_idle]);
	}
	monitor_finish(&s->mon);
}

void *spares_take(struct spares *s) {
	void *scratch = NULL;
	monitor_lock(&s->mon);
	if (s->n_idle) {
		scratch = s->idle[--s->n_idle];
	}
	monitor_unlock(&s->mon);
	return scratch ? scratch : s->create();
}

void spares_give(struct spares *s, void *scratch) {
	monitor_lock(&s->mon);
	if (s->n_idle < s->keep) {
		s->idle[s->n_idle++] = scratch;
		scratch = NULL;
	}
	monitor_unlock(&s->mon);
	if (scratch) {
		s->destroy(scratch);
	}
}
