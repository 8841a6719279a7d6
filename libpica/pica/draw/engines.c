/* Work of the copy engines as units of the core. */

#include "pica/draw/draw.h"
#include "pica/xfer/show.h"

static const struct xfer_kernels *kernels_of(const struct exec *x) {
	const struct kernels *k = x->kernels;
	return &k->xfer;
}

static uint32_t run_fill(const void *arg, const struct exec *x, struct work_part *part) {
	part->is_done = true; /* half a MiB at most */
	return fill_run(arg, kernels_of(x), x->space, part->index, part->count);
}

static uint32_t run_transfer(const void *arg, const struct exec *x, struct work_part *part) {
	return transfer_run(arg, kernels_of(x), x->space, part);
}

static uint32_t run_copy(const void *arg, const struct exec *x, struct work_part *part) {
	return copy_run(arg, x->space, part);
}

static uint32_t take_shot(const void *arg, const struct exec *x, struct work_part *part) {
	const struct shot_job *shot = (const struct shot_job *)arg + part->index;
	part->is_done = true;
	return shot_take(shot->shot, &shot->from, x->space);
}

void engine_fill(struct exec *x, const struct fill *f, uint64_t job) {
	const struct range w = fill_writes(f);
	const struct unit_work work = { .n_tasks = exec_tasks_for(x, w.size), .run = run_fill,
		.span = PICA_SPAN_FILL, .writes = w, .bytes = w.size };
	exec_work(x, &work, f, sizeof(*f), job);
}

void engine_transfer(struct exec *x, const struct transfer *t, uint64_t job) {
	const struct range r = transfer_reads(t), w = transfer_writes(t);
	const bool is_fast = transfer_stripes(t, 2) == 2; /* not in one piece, pixel by pixel */
	const struct unit_work work = { .n_tasks = transfer_stripes(t, exec_tasks_for(x, w.size)),
		.run = run_transfer, .span = PICA_SPAN_TRANSFER, .reads = { r }, .writes = w,
		.bytes = is_fast ? (uint64_t)r.size + w.size : 0 };
	exec_work(x, &work, t, sizeof(*t), job);
}

void engine_copy(struct exec *x, const struct copy *c, uint64_t job) {
	const struct range r = copy_reads(c), w = copy_writes(c);
	const unsigned n = copy_stripes(c, exec_tasks_for(x, c->size_bytes));
	const struct unit_work work = { .n_tasks = n, .run = run_copy, .span = PICA_SPAN_COPY,
		.reads = { r }, .writes = w, .bytes = (uint64_t)r.size + w.size };
	exec_work(x, &work, c, sizeof(*c), job);
}

void engine_shots(struct exec *x, const struct shot_job *shots, unsigned n, uint64_t job) {
	struct unit_work work = { .n_tasks = n, .run = take_shot, .span = PICA_SPAN_SHOTS };
	for (unsigned i = 0; i < n; i++) {
		work.reads[2 * i] = scanout_reads(&shots[i].from, PICA_EYE_LEFT);
		work.reads[2 * i + 1] = scanout_reads(&shots[i].from, PICA_EYE_RIGHT);
	}
	exec_work(x, &work, shots, n * sizeof(*shots), job);
}
