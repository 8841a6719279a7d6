#include "core/sched/graph.h"

#include <assert.h>

int graph_init(struct graph *g) {
	return monitor_init(&g->mon);
}

void graph_finish(struct graph *g) {
	monitor_finish(&g->mon);
}

void graph_node_init(struct graph_node *node, void (*ready)(struct graph_node *node)) {
	node->ready = ready;
	node->waiting = 1;
	node->done = false;
	node->n_successors = 0;
}

void graph_edge(struct graph *g, struct graph_node *from, struct graph_node *to) {
	monitor_lock(&g->mon);
	if (!from->done) {
		bool known = false;
		for (unsigned i = 0; i < from->n_successors; i++) {
			known |= from->successor[i] == to;
		}
		if (!known) {
			assert(from->n_successors < GRAPH_MAX_SUCCESSORS);
			from->successor[from->n_successors++] = to;
			to->waiting++;
		}
	}
	monitor_unlock(&g->mon);
}

void graph_release(struct graph *g, struct graph_node *node) {
	monitor_lock(&g->mon);
	bool ready = --node->waiting == 0;
	monitor_unlock(&g->mon);
	if (ready) {
		node->ready(node);
	}
}

void graph_done(struct graph *g, struct graph_node *node) {
	struct graph_node *ready[GRAPH_MAX_SUCCESSORS];
	unsigned n_ready = 0;
	monitor_lock(&g->mon);
	node->done = true;
	for (unsigned i = 0; i < node->n_successors; i++) {
		if (--node->successor[i]->waiting == 0) {
			ready[n_ready++] = node->successor[i];
		}
	}
	monitor_unlock(&g->mon);
	/* node may be reused from here on. */
	for (unsigned i = 0; i < n_ready; i++) {
		ready[i]->ready(ready[i]);
	}
}

bool graph_is_done(struct graph *g, const struct graph_node *node) {
	monitor_lock(&g->mon);
	bool done = node->done;
	monitor_unlock(&g->mon);
	return done;
}
