/* Requests to the texture units, and their results. */
#include <errno.h>
#include <string.h>

#include "vc4/run/machine.h"

/* Returns the lanes in which an address outside of memory is an error: those that store or draw. */
static unsigned lanes_that_count(const struct machine *m) {
	const struct qpu_tlb *t = m->run->tlb;
	unsigned lanes = t ? 0 : m->active;
	for (unsigned s = 0; t && s < t->n_samples; s++) {
		lanes |= t->covered[s];
	}
	return lanes & m->active;
}

static int submit(struct machine *m, struct tmu *u, unsigned mask) {
	if (u->n == TMU_RESULTS) {
		return machine_fail(m, -EINVAL, "more look-ups than a texture unit holds");
	}
	u->next.space = m->run->space;
	u->next.lanes = m->active & mask;
	int ret = m->look_up(&u->next, lanes_that_count(m) & mask,
			u->result[(u->first + u->n) % TMU_RESULTS], &m->run->fault.why);
	u->n++;
	u->next.n_words = 0;
	return ret;
}

/* Each write takes a configuration word from the uniforms, except for a lone s. */
int tmu_write(struct machine *m, unsigned unit, unsigned parameter, const uint32_t v[QPU_LANES],
		unsigned mask) {
	struct tmu *u = &m->tmu[unit];
	struct vc4_lookup *l = &u->next;
	uint32_t *const rows[4] = { l->s, l->t, l->r, l->b };
	if (parameter > 0 || l->n_words > 0) {
		if (l->n_words == ARRAY_LEN(l->word)) {
			return machine_fail(m, -EINVAL, "more parameters than a look-up has");
		}
		if (!l->n_words) {
			memset(l->r, 0, sizeof(l->r));
			memset(l->b, 0, sizeof(l->b));
		}
		int ret = machine_read_uniform(m, &l->word[l->n_words]);
		if (ret) {
			return ret;
		}
		l->n_words++;
	}
	memcpy(rows[parameter], v, QPU_LANES * sizeof(*v));
	return parameter == 0 ? submit(m, u, mask) : 0;
}

int tmu_load(struct machine *m, unsigned unit) {
	struct tmu *u = &m->tmu[unit];
	if (!u->n) {
		return machine_fail(m, -EINVAL, "no look-up to wait for");
	}
	memcpy(m->row[QPU_ROW_R + 4], u->result[u->first], sizeof(m->row[QPU_ROW_R + 4]));
	u->first = (u->first + 1) % TMU_RESULTS;
	u->n--;
	return 0;
}
