/* Public entry points: check arguments, call a room, return -errno. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica.h"
#include "pica_show.h"

#include "job.h"
#include "pica/front/ctx.h"
#include "vc4/front/front.h"

/* A task yields after this time if others wait. */
#define SLICE_NS UINT64_C(1000000)

enum { MAX_THREADS = POOL_MAX_THREADS, MIB = 1 << 20 };

/* A device with the kernels of both chips. */
struct device {
	struct pica_device base; /* first */
	struct kernels pica200;
	struct vc4_kernels vc4;
};

static const struct chip *const chips[CHIPS] = { [PICA_CHIP_PICA200] = &pica200_chip,
	[PICA_CHIP_VC4] = &vc4_chip };

PICA_EXPORT uint32_t pica_version(void) {
	return PICA_VERSION_MAJOR << 16 | PICA_VERSION_MINOR << 8 | PICA_VERSION_PATCH;
}

/* ---- Device ---- */

PICA_EXPORT void pica_settings_init(struct pica_settings *settings) {
	memset(settings, 0, sizeof(*settings));
	settings->size = sizeof(*settings);
	settings->float_mode = PICA_FLOAT_F24;
	settings->combiner = PICA_COMBINER_NEAREST;
	settings->log_level = PICA_LOG_WARNING;
	settings->texture_cache_bytes = 64 * (uint64_t)MIB;
}

static struct logger logger_from(const struct pica_settings *s) {
	return (struct logger){ s->log, s->owner_log, s->log_user, s->log_level };
}

static size_t greater(size_t a, size_t b) {
	return a > b ? a : b;
}

/* Zeroed, also for a stage that reuses another stage's scratch. */
static void *make_tile_scratch(void) {
	return tile_scratch_create(
			greater(pica_frag_stage.scratch_bytes, vc4_frag_stage.scratch_bytes));
}

static void drop_tile_scratch(void *s) {
	tile_scratch_destroy(s);
}

static void *make_vertex_scratch(void) {
	return vertex_scratch_create(greater(pica_emit_stage.scratch_bytes,
			greater(pica_vertex_stage.scratch_bytes, vc4_vertex_stage.scratch_bytes)));
}

static void drop_vertex_scratch(void *s) {
	vertex_scratch_destroy(s);
}

static int engine_init(struct engine *e, const struct pica_settings *s, enum isa isa) {
	raster_kernels_init(&e->raster, isa);
	e->trace = s->trace;
	e->trace_user = s->trace_user;
	e->log = logger_from(s);
	atomic_init(&e->order, 1);
	atomic_init(&e->kept_bytes, 0);
	e->slice_ns = s->slice_us ? s->slice_us * UINT64_C(1000) : SLICE_NS;
	int ret = monitor_init(&e->caches);
	if (ret < 0) {
		return ret;
	}
	ret = spares_init(&e->spare_tile, s->n_threads, make_tile_scratch, drop_tile_scratch);
	if (ret == 0) {
		ret = spares_init(&e->spare_vertex, s->n_threads, make_vertex_scratch,
				drop_vertex_scratch);
	}
	if (ret == 0) {
		ret = pool_create(&e->pool, s->n_threads, s->n_vertex_threads);
	}
	if (ret < 0) {
		return ret;
	}
	const unsigned n = engine_scratches(e);
	e->tile_scratch = calloc(n, sizeof(struct tile_scratch *));
	e->vertex_scratch = calloc(n, sizeof(struct vertex_scratch *));
	bool ok = e->tile_scratch && e->vertex_scratch;
	for (unsigned i = 0; ok && i < n; i++) {
		e->tile_scratch[i] = make_tile_scratch();
		ok = e->tile_scratch[i] != NULL;
	}
	for (unsigned i = 0; ok && i < n; i++) {
		e->vertex_scratch[i] = make_vertex_scratch();
		ok = e->vertex_scratch[i] != NULL;
	}
	return ok ? 0 : -ENOMEM;
}

static void engine_finish(struct engine *e) {
	const unsigned n = e->pool ? engine_scratches(e) : 0;
	pool_destroy(e->pool);
	for (unsigned i = 0; e->tile_scratch && i < n; i++) {
		tile_scratch_destroy(e->tile_scratch[i]);
	}
	for (unsigned i = 0; e->vertex_scratch && i < n; i++) {
		vertex_scratch_destroy(e->vertex_scratch[i]);
	}
	free(e->tile_scratch);
	free(e->vertex_scratch);
	spares_finish(&e->spare_tile);
	spares_finish(&e->spare_vertex);
	monitor_finish(&e->caches);
}

static void trim_engine(void *engine) {
	engine_trim(engine);
}

static bool all_zero(const uint64_t *words, size_t n) {
	for (size_t i = 0; i < n; i++) {
		if (words[i]) {
			return false;
		}
	}
	return true;
}

/* Returns the set named by the settings, else $PICA_ISA, else the best. */
static int choose_isa(const struct pica_settings *settings) {
	const char *name = getenv("PICA_ISA");
	if (settings->isa) {
		return isa_from_name(settings->isa);
	}
	if (!name || !*name) {
		return (int)isa_best();
	}
	const int isa = isa_from_name(name);
	if (isa < 0) {
		const struct logger log = logger_from(settings);
		log_write(&log, 0, PICA_LOG_ERROR, "PICA_ISA=%.32s: %s", name, isa == -EINVAL ?
				"expected one of " ISA_NAMES(", ") : "this CPU does not have it");
	}
	return isa;
}

PICA_EXPORT int pica_device_create(struct pica_device **out, const struct pica_settings *settings) {
	if (!out || !settings || settings->size != sizeof(*settings) ||
			settings->n_threads > MAX_THREADS ||
			(settings->n_vertex_threads &&
					settings->n_vertex_threads >= settings->n_threads) ||
			(unsigned)settings->float_mode > PICA_FLOAT_F32 ||
			(unsigned)settings->combiner > PICA_COMBINER_TRUNCATE ||
			!all_zero(settings->reserved, ARRAY_LEN(settings->reserved))) {
		return -EINVAL;
	}
	const int isa = choose_isa(settings);
	if (isa < 0) {
		return isa;
	}
	struct device *whole = calloc(1, sizeof(*whole));
	if (!whole) {
		return -ENOMEM;
	}
	struct pica_device *dev = &whole->base;
	int ret = engine_init(&dev->engine, settings, (enum isa)isa);
	if (ret == 0) {
		kernels_init(&whole->pica200, (enum isa)isa, settings->combiner);
		qpu_kernels_init(&whole->vc4.qpu, (enum isa)isa);
		dev->isa = (enum isa)isa;
		dev->kernels[PICA_CHIP_PICA200] = &whole->pica200;
		dev->kernels[PICA_CHIP_VC4] = &whole->vc4;
		dev->float_mode = settings->float_mode;
		dev->combiner = settings->combiner;
		dev->texture_cache_bytes = settings->texture_cache_bytes;
		dev->engine.notify = dispatcher_notify;
		dev->engine.notify_arg = &dev->dispatcher;
		dev->dispatcher.trim = trim_engine;
		dev->dispatcher.trim_arg = &dev->engine;
		ret = dispatcher_init(&dev->dispatcher, settings->n_threads > 0);
	}
	if (ret < 0) {
		engine_finish(&dev->engine);
		free(whole);
		return ret;
	}
	atomic_init(&dev->refs, 1);
	*out = dev;
	return 0;
}

PICA_EXPORT void pica_device_destroy(struct pica_device *dev) {
	/* acq_rel: the last one sees all changes by the others */
	if (!dev || atomic_fetch_sub_explicit(&dev->refs, 1, memory_order_acq_rel) != 1) {
		return;
	}
	dispatcher_stop(&dev->dispatcher);
	engine_finish(&dev->engine); /* its workers may still notify the dispatcher */
	dispatcher_finish(&dev->dispatcher);
	free(dev);
}

PICA_EXPORT const char *pica_device_isa(const struct pica_device *dev) {
	return isa_name(dev->isa);
}

/* ---- Context ---- */

PICA_EXPORT const char *pica_chip_name(enum pica_chip chip) {
	static const char *const names[CHIPS] = { [PICA_CHIP_PICA200] = "pica200",
		[PICA_CHIP_VC4] = "vc4" };
	return (unsigned)chip < CHIPS ? names[chip] : "?";
}

PICA_EXPORT void pica_ctx_settings_init(struct pica_ctx_settings *s) {
	memset(s, 0, sizeof(*s));
	s->size = sizeof(*s);
	s->fcram_bytes = 128 * MIB;
	s->vram_bytes = 6 * MIB;
}

PICA_EXPORT void pica_budgets_init(struct pica_budgets *b) {
	memset(b, 0, sizeof(*b));
	ctx_default_budgets(b);
}

static bool ctx_settings_ok(const struct pica_ctx_settings *s) {
	const bool has_own = s->flags & PICA_CTX_ARITHMETIC;
	if ((unsigned)s->chip >= CHIPS || s->reserved0) {
		return false;
	}
	const unsigned float_mode = (unsigned)s->float_mode, combiner = (unsigned)s->combiner;
	return s->size == sizeof(*s) && s->priority >= -10 && s->priority <= 10 &&
			!(s->flags & ~(uint32_t)(PICA_CTX_ARITHMETIC | PICA_CTX_AT_ONCE)) &&
			float_mode <= (has_own ? (unsigned)PICA_FLOAT_F32 : 0u) &&
			combiner <= (has_own ? (unsigned)PICA_COMBINER_TRUNCATE : 0u) &&
			all_zero(s->reserved, ARRAY_LEN(s->reserved));
}

PICA_EXPORT int pica_ctx_create(struct pica_ctx **out, struct pica_device *dev,
		const struct pica_ctx_settings *settings) {
	struct pica_ctx_settings defaults;
	if (!settings) {
		pica_ctx_settings_init(&defaults);
		settings = &defaults;
	}
	if (!out || !dev || !ctx_settings_ok(settings)) {
		return -EINVAL;
	}
	return ctx_create(out, dev, chips[settings->chip], settings);
}

PICA_EXPORT void pica_ctx_destroy(struct pica_ctx *ctx) {
	if (ctx) {
		ctx_destroy(ctx);
	}
}

static void windows_change(struct pica_ctx *ctx) {
	ctx_idle(ctx);
	observe_replaced(ctx);
	if (ctx->chip->windows_change) {
		ctx->chip->windows_change(ctx);
	}
}

PICA_EXPORT int pica_ctx_map(struct pica_ctx *ctx, uint32_t phys, uint32_t size_bytes, void *host,
		uint32_t flags) {
	if (!host || (flags & ~(uint32_t)PICA_MAP_READ_ONLY)) {
		return -EINVAL;
	}
	windows_change(ctx);
	return space_map(&ctx->space, phys, size_bytes, host, flags);
}

PICA_EXPORT int pica_ctx_unmap(struct pica_ctx *ctx, uint32_t phys) {
	windows_change(ctx);
	return space_unmap(&ctx->space, phys);
}

PICA_EXPORT unsigned pica_ctx_windows(struct pica_ctx *ctx, struct pica_window *out, unsigned n) {
	ctx_idle(ctx);
	for (unsigned i = 0; i < n && i < ctx->space.n; i++) {
		const struct window *w = &ctx->space.win[i];
		out[i] = (struct pica_window){ .phys = w->phys, .size_bytes = w->size_bytes,
			.flags = w->flags, .host = w->host };
	}
	return ctx->space.n;
}

PICA_EXPORT void pica_ctx_zero_memory(struct pica_ctx *ctx) {
	ctx_idle(ctx);
	space_zero(&ctx->space);
}

PICA_EXPORT void *pica_ctx_host(struct pica_ctx *ctx, uint32_t phys, uint32_t size_bytes) {
	return space_host(&ctx->space, phys, size_bytes);
}

/* ---- Work ---- */

/* shots: top and bottom of the first job, NULL: none. */
static int submit(struct pica_ctx *ctx, const struct pica_job *jobs, size_t n,
		struct pica_shot *const shots[2], uint64_t *seq) {
	for (size_t i = 0; i < n; i++) {
		const char *reason;
		int ret = job_check(&jobs[i], &reason);
		if (ret < 0) {
			log_write(&ctx->device->engine.log, ctx->settings.owner, PICA_LOG_ERROR,
					"job %zu of a submission (%s): %s", i, job_name(jobs[i].op),
					reason);
			return ret;
		}
	}
	void *attached[QUEUE_ATTACHMENTS] = { NULL };
	for (unsigned k = 0; shots && k < QUEUE_ATTACHMENTS; k++) {
		attached[k] = pica_shot_get(shots[k]);
	}
	int ret = queue_submit(&ctx->queue, jobs, n, attached, seq);
	for (unsigned k = 0; ret < 0 && k < QUEUE_ATTACHMENTS; k++) {
		pica_shot_put(attached[k]);
	}
	return ret;
}

PICA_EXPORT int pica_submit(
		struct pica_ctx *ctx, const struct pica_job *jobs, size_t n, uint64_t *seq) {
	return submit(ctx, jobs, n, NULL, seq);
}

PICA_EXPORT int pica_submit_present(struct pica_ctx *ctx, const struct pica_job *job,
		struct pica_shot *top, struct pica_shot *bottom, uint64_t *seq) {
	struct pica_shot *const shots[2] = { top, bottom };
	if (job->op != PICA_OP_PRESENT) {
		return -EINVAL;
	}
	return bottom && !pica200_from(ctx) ? -EOPNOTSUPP : submit(ctx, job, 1, shots, seq);
}

PICA_EXPORT int pica_wait(struct pica_ctx *ctx, uint64_t seq, int64_t timeout_ns) {
	return queue_wait(&ctx->queue, seq, timeout_ns);
}

PICA_EXPORT int pica_reap(struct pica_ctx *ctx, struct pica_done *done, size_t n) {
	return queue_reap(&ctx->queue, done, n);
}

PICA_EXPORT int pica_done_fd(struct pica_ctx *ctx) {
	return ctx->queue.done_fd;
}

/* ---- Memory ---- */

PICA_EXPORT int pica_ctx_read_memory(
		struct pica_ctx *ctx, uint32_t phys, void *out, uint32_t size_bytes) {
	ctx_idle(ctx);
	return space_read(&ctx->space, phys, out, size_bytes) ? -ERANGE : 0;
}

PICA_EXPORT int pica_ctx_write_memory(struct pica_ctx *ctx, uint32_t phys, const void *data,
		uint32_t size_bytes) {
	ctx_idle(ctx);
	ctx_access(ctx, (struct range){ phys, size_bytes }, ACCESS_HOST);
	return space_write(&ctx->space, phys, data, size_bytes) ? -ERANGE : 0;
}

/* ---- Statistics ---- */

PICA_EXPORT int pica_stats(struct pica_ctx *ctx, struct pica_stats *out) {
	if (out->size != sizeof(*out)) {
		return -EINVAL;
	}
	ctx_idle(ctx);
	ctx_stats(ctx, out);
	return 0;
}

PICA_EXPORT int pica_usage(struct pica_ctx *ctx, struct pica_usage *out) {
	if (out->size != sizeof(*out)) {
		return -EINVAL;
	}
	queue_usage(&ctx->queue, out);
	out->memory_bytes = memory_used(&ctx->exec.memory);
	return 0;
}

PICA_EXPORT void pica_ctx_abandon(struct pica_ctx *ctx) {
	queue_close(&ctx->queue);
	exec_abandon(&ctx->exec);
}
