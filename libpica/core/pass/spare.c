#include "core/pass/spare.h"

#include <assert.h>

int spares_init(struct spares *s, unsigned keep, void *(*create)(void), void (*destroy)(void *)) {
	assert(keep <= POOL_MAX_THREADS);
	*s = (struct spares){ .create = create, .destroy = destroy, .keep = keep };
	return monitor_init(&s->mon);
}

static void *take_idle(struct spares *s) {
	monitor_lock(&s->mon);
	void *scratch = s->n_idle ? s->idle[--s->n_idle] : NULL;
	monitor_unlock(&s->mon);
	return scratch;
}

void spares_drop(struct spares *s) {
	for (void *scratch; (scratch = take_idle(s)) != NULL;) {
		s->destroy(scratch);
	}
}

void spares_finish(struct spares *s) {
	spares_drop(s);
	monitor_finish(&s->mon);
}

void *spares_take(struct spares *s) {
	void *scratch = take_idle(s);
	return scratch ? scratch : s->create();
}

void spares_put(struct spares *s, void *scratch) {
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
