/* Public entry points: check arguments, call a room, return -errno. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica.h"
#include "pica_show.h"

#include "job.h"
#include "pica/front/ctx.h"
#include "pica/xfer/ports.h"

/* A task yields after so long, if others wait. */
#define SLICE_NS UINT64_C(1000000)

enum {
	MAX_THREADS = POOL_MAX_THREADS,
	VRAM_ADDR = 0x18000000,
	FCRAM_ADDR = 0x20000000,
	MIB = 1 << 20
};

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

static void *make_tile_scratch(void) {
	return tile_scratch_create(pica_frag_stage.scratch_bytes);
}

static void drop_tile_scratch(void *s) {
	tile_scratch_destroy(s);
}

static void *make_vertex_scratch(void) {
	return vertex_scratch_create(pica_vertex_stage.scratch_bytes);
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

/* The set that the settings name, else $PICA_ISA, else the best. */
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
	struct pica_device *dev = calloc(1, sizeof(*dev));
	if (!dev) {
		return -ENOMEM;
	}
	int ret = engine_init(&dev->engine, settings, (enum isa)isa);
	if (ret == 0) {
		kernels_init(&dev->kernels, (enum isa)isa, settings->combiner);
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
		free(dev);
		return ret;
	}
	atomic_init(&dev->refs, 1);
	*out = dev;
	return 0;
}

PICA_EXPORT void pica_device_destroy(struct pica_device *dev) {
	/* acq_rel: the last one sees what the others did */
	if (!dev || atomic_fetch_sub_explicit(&dev->refs, 1, memory_order_acq_rel) != 1) {
		return;
	}
	dispatcher_stop(&dev->dispatcher);
	engine_finish(&dev->engine); /* its workers may still notify the dispatcher */
	dispatcher_finish(&dev->dispatcher);
	free(dev);
}

PICA_EXPORT const char *pica_device_isa(const struct pica_device *dev) {
	return isa_name(dev->kernels.isa);
}

/* ---- Context ---- */

PICA_EXPORT void pica_ctx_settings_init(struct pica_ctx_settings *s) {
	memset(s, 0, sizeof(*s));
	s->size = sizeof(*s);
	s->fcram_bytes = 128 * MIB;
	s->vram_bytes = 6 * MIB;
}

static void default_budgets(struct pica_budgets *b) {
	b->list_words = b->list_words ? b->list_words : 16 * (uint64_t)MIB;
	b->list_jumps = b->list_jumps ? b->list_jumps : 65536;
	b->vertices = b->vertices ? b->vertices : 64 * (uint64_t)MIB;
	b->shader_steps = b->shader_steps ? b->shader_steps : 1 * (uint64_t)MIB;
	b->pixels = b->pixels ? b->pixels : (uint64_t)4 << 30;
	b->job_steps = b->job_steps ? b->job_steps : (uint64_t)1 << 30;
}

PICA_EXPORT void pica_budgets_init(struct pica_budgets *b) {
	memset(b, 0, sizeof(*b));
	default_budgets(b);
}

static int map_default(struct pica_ctx *ctx) {
	const struct pica_ctx_settings *s = &ctx->settings;
	int ret = s->vram_bytes ? space_map(&ctx->space, VRAM_ADDR, s->vram_bytes, NULL, 0) : 0;
	if (ret == 0 && s->fcram_bytes) {
		ret = space_map(&ctx->space, FCRAM_ADDR, s->fcram_bytes, NULL, 0);
	}
	return ret;
}

/* Of a context: itself, and two stamps for each page of its windows. */
static size_t fixed_bytes(const struct pica_ctx *ctx) {
	const size_t windows = (size_t)ctx->settings.fcram_bytes + ctx->settings.vram_bytes;
	return sizeof(*ctx) + (windows >> SPACE_PAGE_BITS) * 2 * sizeof(uint64_t);
}

static bool ctx_settings_ok(const struct pica_ctx_settings *s) {
	const bool has_own = s->flags & PICA_CTX_ARITHMETIC;
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
	struct pica_ctx *ctx = aligned_alloc(_Alignof(struct pica_ctx), sizeof(*ctx));
	if (!ctx) {
		return -ENOMEM;
	}
	memset(ctx, 0, sizeof(*ctx));
	int ret = -ENOMEM;
	ctx->settings = *settings;
	if (!(settings->flags & PICA_CTX_ARITHMETIC)) {
		ctx->settings.flags |= PICA_CTX_ARITHMETIC; /* for others that are to be as it is */
		ctx->settings.float_mode = dev->float_mode;
		ctx->settings.combiner = dev->combiner;
	}
	default_budgets(&ctx->settings.budgets);
	regfile_init(&ctx->regs);
	ctx->kernels = dev->kernels;
	ctx->kernels.frag = kernels_frag(dev->kernels.isa, ctx->settings.combiner);
	ctx->plans = frag_cache_create(&ctx->exec.memory);
	if (!ctx->plans) {
		goto err_free;
	}
	space_init(&ctx->space);
	ret = map_default(ctx);
	if (ret < 0) {
		goto err_space;
	}
	ret = exec_init(&ctx->exec, &dev->engine, &ctx->space, &ctx->kernels, settings->memory);
	if (ret < 0) {
		goto err_space;
	}
	ctx->exec.retired = front_unit_retired;
	ctx->exec.park = front_park;
	ctx->exec.await_room = front_await_room;
	ctx->exec.evict = front_evict;
	ctx->exec.owner = ctx;
	tex_cache_init(&ctx->textures, dev->texture_cache_bytes, &ctx->exec.memory);
	parts_forget(ctx);
	ctx->fixed_unwritten = 0xFFFF;
	ports_reload(ctx);
	ctx->exec.number = atomic_fetch_add_explicit(&dev->n_created, 1, memory_order_relaxed) + 1;
	ctx->queue = (struct queue){ .dispatcher = &dev->dispatcher,
		.work = &front_work,
		.ctx = ctx,
		.settings = &ctx->settings,
		.number = ctx->exec.number,
		.max_units = EXEC_UNITS };
	ret = queue_init(&ctx->queue);
	if (ret < 0) {
		goto err_exec;
	}
	ctx->exec.tally = queue_tally(&ctx->queue);
	memory_get(settings->memory);
	memory_charge(&ctx->exec.memory, fixed_bytes(ctx));
	exec_join(&ctx->exec);
	ctx->device = device_get(dev);
	*out = ctx;
	return 0;

err_exec:
	exec_finish(&ctx->exec);
	tex_cache_finish(&ctx->textures);
err_space:
	space_finish(&ctx->space);
	frag_cache_destroy(ctx->plans);
err_free:
	free(ctx);
	return ret;
}

PICA_EXPORT void pica_ctx_destroy(struct pica_ctx *ctx) {
	if (!ctx) {
		return;
	}
	struct pica_device *dev = ctx->device;
	struct pica_memory *m = &ctx->exec.memory;
	queue_close(&ctx->queue);
	front_idle(ctx);
	if (ctx->observer) {
		ctx->observer->gone(ctx->observer);
	}
	queue_finish(&ctx->queue);

	/* Without threads another caller may be running tasks. */
	dispatcher_enter(&dev->dispatcher);
	exec_finish(&ctx->exec);
	dispatcher_leave(&dev->dispatcher);
	count_clear(ctx);
	unwritten_switch(ctx, false);
	tex_cache_finish(&ctx->textures);
	frag_cache_destroy(ctx->plans);
	prog_put(ctx->vs.prog);
	prog_put(ctx->gs.prog);
	prog_put(ctx->left.prog);
	memory_free(m, ctx->geometry.out, ctx->geometry.cap_out * sizeof(*ctx->geometry.out));
	free(ctx->geometry.kept.v);
	memory_free(m, ctx->immediate.vertices, front_immediate_bytes(ctx));
	memory_free(m, ctx->indices, ctx->cap_indices * sizeof(*ctx->indices));
	space_finish(&ctx->space);
	memory_uncharge(m, fixed_bytes(ctx));
	assert(memory_used(m) == 0);
	memory_put(m->parent);
	free(ctx);
	pica_device_destroy(dev);
}

PICA_EXPORT int pica_ctx_map(struct pica_ctx *ctx, uint32_t phys, uint32_t size_bytes, void *host,
		uint32_t flags) {
	if (!host || (flags & ~(uint32_t)PICA_MAP_READ_ONLY)) {
		return -EINVAL;
	}
	front_idle(ctx);
	observe_replaced(ctx);
	front_clear_textures(ctx);
	ctx->parts.layout_valid = false;
	return space_map(&ctx->space, phys, size_bytes, host, flags);
}

PICA_EXPORT int pica_ctx_unmap(struct pica_ctx *ctx, uint32_t phys) {
	front_idle(ctx);
	observe_replaced(ctx);
	front_clear_textures(ctx);
	ctx->parts.layout_valid = false;
	return space_unmap(&ctx->space, phys);
}

PICA_EXPORT unsigned pica_ctx_windows(struct pica_ctx *ctx, struct pica_window *out, unsigned n) {
	front_idle(ctx);
	for (unsigned i = 0; i < n && i < ctx->space.n; i++) {
		const struct window *w = &ctx->space.win[i];
		out[i] = (struct pica_window){ .phys = w->phys, .size_bytes = w->size_bytes,
			.flags = w->flags, .host = w->host };
	}
	return ctx->space.n;
}

PICA_EXPORT void pica_ctx_zero_memory(struct pica_ctx *ctx) {
	front_idle(ctx);
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
	return job->op == PICA_OP_PRESENT ? submit(ctx, job, 1, shots, seq) : -EINVAL;
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

/* ---- Registers and memory ---- */

PICA_EXPORT int pica_ctx_read_regs(
		struct pica_ctx *ctx, uint32_t first, uint32_t n, uint32_t *out) {
	if (first > REG_COUNT || n > REG_COUNT - first) {
		return -EINVAL;
	}
	front_idle(ctx);
	status_settle(ctx);
	memcpy(out, &ctx->regs.w[first], n * sizeof(*out));
	return 0;
}

PICA_EXPORT int pica_ctx_write_reg(struct pica_ctx *ctx, uint32_t id, uint32_t value, uint32_t mask,
		uint64_t *seq) {
	if (id >= REG_COUNT || mask == 0 || mask > 15) {
		return -EINVAL;
	}
	struct pica_job job = { .op = PICA_OP_REG_WRITE };
	job.u.reg_write.addr = INTERNAL_BASE + 4 * id;
	job.u.reg_write.value = value;
	job.u.reg_write.mask = mask;
	return pica_submit(ctx, &job, 1, seq);
}

PICA_EXPORT int pica_ctx_read_external(struct pica_ctx *ctx, uint32_t addr, uint32_t *value) {
	if (addr & 3) {
		return -EINVAL;
	}
	front_idle(ctx);
	status_settle(ctx);
	const uint32_t *word = front_register(ctx, addr);
	if (!word) {
		return -ERANGE;
	}
	*value = *word;
	return 0;
}

PICA_EXPORT int pica_ctx_read_memory(
		struct pica_ctx *ctx, uint32_t phys, void *out, uint32_t size_bytes) {
	front_idle(ctx);
	return space_read(&ctx->space, phys, out, size_bytes) ? -ERANGE : 0;
}

PICA_EXPORT int pica_ctx_write_memory(struct pica_ctx *ctx, uint32_t phys, const void *data,
		uint32_t size_bytes) {
	front_idle(ctx);
	front_access(ctx, (struct range){ phys, size_bytes }, ACCESS_HOST);
	return space_write(&ctx->space, phys, data, size_bytes) ? -ERANGE : 0;
}

PICA_EXPORT int pica_ctx_load_state(struct pica_ctx *ctx, const struct pica_state *state) {
	front_idle(ctx);
	observe_replaced(ctx);
	state_load(ctx, state);
	return 0;
}

PICA_EXPORT int pica_ctx_save_state(struct pica_ctx *ctx, struct pica_state *state) {
	front_idle(ctx);
	state_save(ctx, state);
	return 0;
}

/* ---- Screens ---- */

PICA_EXPORT int pica_ctx_screen(
		struct pica_ctx *ctx, enum pica_screen_id screen, struct pica_screen *out) {
	if ((unsigned)screen > PICA_SCREEN_BOTTOM) {
		return -EINVAL;
	}
	front_idle(ctx);
	struct scanout s;
	scanout_from_regs(&s, ctx->external, ctx->lcd, screen);
	*out = s.info;
	return 0;
}

PICA_EXPORT int pica_ctx_read_screen(struct pica_ctx *ctx, enum pica_screen_id screen,
		enum pica_eye eye, uint8_t *rgb, size_t stride_bytes) {
	if ((unsigned)screen > PICA_SCREEN_BOTTOM || (unsigned)eye > PICA_EYE_RIGHT) {
		return -EINVAL;
	}
	front_idle(ctx);
	struct scanout s;
	scanout_from_regs(&s, ctx->external, ctx->lcd, screen);
	if (!s.info.is_set) {
		return -ENODATA;
	}
	if (stride_bytes < 3 * (size_t)s.info.width) {
		return -EINVAL;
	}
	scanout_run(&s, &ctx->device->kernels.xfer, &ctx->space, eye, rgb, stride_bytes);
	return 0;
}

PICA_EXPORT int pica_ctx_read_surface(struct pica_ctx *ctx, uint32_t phys, uint32_t format,
		uint32_t width, uint32_t height, uint8_t *rgba, size_t stride_bytes) {
	return pica_ctx_read_surface_rows(
			ctx, phys, format, width, height, 0, height, rgba, stride_bytes);
}

PICA_EXPORT int pica_ctx_read_surface_rows(struct pica_ctx *ctx, uint32_t phys, uint32_t format,
		uint32_t width, uint32_t height, uint32_t first_row, uint32_t n_rows, uint8_t *rgba,
		size_t stride_bytes) {
	if (format >= TEX_FORMATS || width < 8 || width > 2048 || height < 8 || height > 2048 ||
			(width & 7) || (height & 7) || stride_bytes < 4 * (size_t)width ||
			(first_row & 7) || (n_rows & 7) || first_row > height ||
			n_rows > height - first_row) {
		return -EINVAL;
	}
	front_idle(ctx);
	uint32_t tile_bytes = 64 * tex_format_bits(format) / 8;
	const uint8_t *host = space_host(&ctx->space, phys, width / 8 * (height / 8) * tile_bytes);
	if (!host) {
		return -ERANGE;
	}
	host += width / 8 * (first_row / 8) * tile_bytes;
	for (uint32_t y = first_row; y < first_row + n_rows; y += 8) {
		for (uint32_t x = 0; x < width; x += 8) {
			uint32_t block[64];
			ctx->device->kernels.tex.decode[format](block, 8, host);
			host += tile_bytes;
			for (uint32_t row = 0; row < 8; row++) {
				memcpy(rgba + (y + row) * stride_bytes + 4 * (size_t)x,
						&block[8 * row], 32);
			}
		}
	}
	return 0;
}

/* ---- Statistics ---- */

PICA_EXPORT int pica_stats(struct pica_ctx *ctx, struct pica_stats *out) {
	if (out->size != sizeof(*out)) {
		return -EINVAL;
	}
	front_idle(ctx);
	front_stats(ctx, out);
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
