/*
 * A dependency graph: a node is ready when all its predecessors are done. Knows nothing about the
 * work of a node.
 */
#ifndef SCHED_GRAPH_H
#define SCHED_GRAPH_H

#include <stdbool.h>

#include "core/sched/monitor.h"

enum { GRAPH_MAX_SUCCESSORS = 32 };

struct graph {
	/* covers waiting, done and successors of all nodes; no thread waits on it */
	struct monitor mon;
};

struct graph_node {
	/* Called once, without the lock, when the node is released and its predecessors done. */
	void (*ready)(struct graph_node *node);
	unsigned waiting; /* predecessors that are not done, +1 until released */
	bool done;
	unsigned n_successors;
	struct graph_node *successor[GRAPH_MAX_SUCCESSORS];
};

int graph_init(struct graph *g);
void graph_finish(struct graph *g);
/* Initialises a node. It does not become ready before graph_release(). */
void graph_node_init(struct graph_node *node, void (*ready)(struct graph_node *node));
/* `to` becomes ready only after `from` is done. `to` must not be released yet. */
void graph_edge(struct graph *g, struct graph_node *from, struct graph_node *to);
void graph_release(struct graph *g, struct graph_node *node);
/* Marks the node done and calls ready() of each successor that waited only for it. */
void graph_done(struct graph *g, struct graph_node *node);
bool graph_is_done(struct graph *g, const struct graph_node *node);

#endif
