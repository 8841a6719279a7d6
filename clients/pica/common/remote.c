#include "remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/arena.h"
#include "options.h"
#include "vc4/front/front.h"

enum {
	FLIGHTS = 512,           /* jobs in flight at most */
	REAP_BATCH = FLIGHTS,
	ROOM = FLIGHTS / 4, /* completions to wait for if the ring is full, to save sleeps */
	STAGE_BYTES = 16 << 20,  /* data of writes in flight; larger ones get memory of their own */
	STAGE_ALIGN = 64,
};

/* A job in flight, at flights[number % FLIGHTS]. */
struct flight {
	uint64_t user_data;
	uint64_t stage_end;             /* end of its data in the stage */
	struct pica_client_memory *own; /* data that is too large for the stage, or NULL */
	struct pica_done done;
	bool is_done;
};

struct remote {
	struct pica_client *client; /* borrowed */
	struct pica_client_ctx *ctx;
	struct pica_window window[GPU_WINDOWS];
	struct pica_client_memory *memory[GPU_WINDOWS];
	unsigned n_windows;
	struct pica_client_memory *stage; /* a ring */
	uint64_t stage_head, stage_tail;  /* free-running */
	struct flight flights[FLIGHTS];
	uint64_t submitted, completed; /* numbers of jobs, from 1; completed: all up to it */
	/* Completions that were not reaped, a ring; the oldest are dropped. */
	struct pica_done done[2 * FLIGHTS];
	uint64_t done_head, done_tail;
	/* A context of this process that reads the memory, for requests that the protocol lacks. */
	struct pica_device *device;
	struct pica_ctx *viewer;
	enum pica_chip chip;
	struct pica_job_control_lists lists; /* of the last job of a VideoCore IV */
};

/* ---- Connecting ---- */

enum { PATH_BYTES = 4096 };

const struct option_row remote_row = { "connect", 0, "SOCKET",
	"Socket of the service (default: $PICA_SOCKET, or the usual place)", OPTION_TEXT, .at = 0 };

int remote_exit(int error) {
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -EPIPE:
		return EXIT_NO_SERVICE;
	case -ETIME:
		return EXIT_TIMEOUT;
	default:
		return EXIT_TROUBLE;
	}
}

const char *remote_error(const struct pica_client *client, int error) {
	const char *text = client ? pica_client_error(client) : "";
	return text[0] ? text : error == -ECONNRESET ? "the service is gone" : strerror(-error);
}

int remote_failed(const struct pica_client *client, int error) {
	log_line("%s", remote_error(client, error));
	return remote_exit(error);
}

int remote_refused(const char *where, int error, const char *message) {
	char path[PATH_BYTES] = "";
	if (!where || !where[0]) {
		const char *env = getenv("PICA_SOCKET");
		pica_client_default_path(path, sizeof(path));
		where = path;
		if (error == -ENOENT && !(env && env[0])) {
			log_line("no service: %s", message); /* which names several places */
			return remote_exit(error);
		}
	}
	if (error == -ENOENT || error == -ECONNREFUSED) {
		log_line("no service at %s: %s", where, message);
	} else if (error == -ETIME || error == -EAGAIN) {
		log_line("the service at %s does not answer: %s", where, message);
	} else {
		log_line("the service at %s: %s", where, message);
	}
	return remote_exit(error);
}

int remote_connect_as(struct pica_client **out, const char *where,
		const struct pica_client_settings *settings) {
	char message[PICA_TEXT_BYTES];
	int ret = pica_client_connect(out, where, settings, message);
	return ret < 0 ? remote_refused(where, ret, message) : EXIT_FINE;
}

int remote_connect_named(struct pica_client **out, const char *where, const char *name) {
	struct pica_client_settings settings;
	pica_client_settings_init(&settings);
	settings.name = name ? name : settings.name;
	return remote_connect_as(out, where, &settings);
}

int remote_connect(struct pica_client **out, const char *where) {
	return remote_connect_named(out, where, NULL);
}

static const char builtin[] = "builtin:";

bool remote_is_builtin(const char *where) {
	return where && strncmp(where, builtin, sizeof(builtin) - 1) == 0;
}

unsigned remote_builtin_threads(const char *where) {
	const unsigned long n = strtoul(where + sizeof(builtin) - 1, NULL, 10);
	return n <= ENGINE_MAX_THREADS ? (unsigned)n : 0; /* else there will be no connection */
}

const char *remote_name_option(void *name, char *text) {
	_Static_assert(PICA_NAME_BYTES == 32, "the number in the message");
	*(const char **)name = text;
	return !text[0] || strlen(text) >= PICA_NAME_BYTES ? "expected 1 to 31 bytes" : NULL;
}

/* ---- Completions ---- */

static void retire(struct remote *r, struct flight *f) {
	if (f->own) {
		pica_client_free(f->own);
		f->own = NULL;
	}
	r->stage_tail = f->stage_end;
	r->completed++;
	r->done[r->done_tail++ % (2 * FLIGHTS)] = f->done;
	if (r->done_tail - r->done_head > 2 * FLIGHTS) {
		r->done_head++;
	}
}

/* Waits for at least this many completions, or all that are in flight, with one wake-up. */
static int take(struct remote *r, uint64_t least) {
	struct pica_done done[REAP_BATCH];
	int n = pica_client_wait_many(r->client, done, REAP_BATCH, least, -1);
	for (int i = 0; i < n; i++) {
		struct flight *f = &r->flights[done[i].user_data % FLIGHTS];
		if (done[i].result == -ECONNRESET) {
			return -ECONNRESET;
		}
		f->done = done[i];
		f->done.user_data = f->user_data;
		f->is_done = true;
	}
	while (r->completed < r->submitted && r->flights[(r->completed + 1) % FLIGHTS].is_done) {
		retire(r, &r->flights[(r->completed + 1) % FLIGHTS]);
	}
	return n < 0 ? n : 0;
}

static int wait_for(struct gpu gpu, uint64_t seq) {
	struct remote *r = gpu.service;
	int ret = 0;
	while (ret == 0 && r->completed < seq) {
		ret = take(r, seq - r->completed);
	}
	return ret;
}

static int wait_all(struct remote *r) {
	return wait_for(remote_gpu(r), r->submitted);
}

static int reap(struct gpu gpu, struct pica_done *done, size_t n) {
	struct remote *r = gpu.service;
	size_t got = 0;
	while (got < n && r->done_head != r->done_tail) {
		done[got++] = r->done[r->done_head++ % (2 * FLIGHTS)];
	}
	return (int)got;
}

/* ---- Jobs ---- */

/* Submits the filled slots, and waits. */
static int push_and_take(struct remote *r) {
	int ret = pica_client_submit(r->client);
	return ret < 0 ? ret : take(r, ROOM);
}

/* Finds room for size contiguous bytes; bytes before it are skipped. *at: free-running. */
static int stage_room(struct remote *r, uint32_t size_bytes, uint64_t *at) {
	for (;;) {
		uint64_t begin = (r->stage_head + STAGE_ALIGN - 1) / STAGE_ALIGN * STAGE_ALIGN;
		if (begin % STAGE_BYTES + size_bytes > STAGE_BYTES) {
			begin += STAGE_BYTES - begin % STAGE_BYTES;
		}
		if (begin + size_bytes - r->stage_tail <= STAGE_BYTES) {
			*at = begin;
			return 0;
		}
		if (r->completed == r->submitted) {
			r->stage_head = r->stage_tail = 0;
			continue;
		}
		int ret = push_and_take(r);
		if (ret < 0) {
			return ret;
		}
	}
}

/* Moves the data of a WRITE to shared memory. */
static int stage(struct remote *r, struct pica_job *job, struct flight *f) {
	const uint32_t size_bytes = job->u.write.size_bytes;
	const void *data = (const void *)(uintptr_t)job->u.write.data;
	if (size_bytes > STAGE_BYTES / 2) {
		int ret = pica_client_alloc(&f->own, r->client, (size_bytes + 4095) & ~4095u);
		if (ret < 0) {
			return ret;
		}
		memcpy(pica_client_host(f->own), data, size_bytes);
		job->u.write.data = pica_client_data(f->own, 0);
		return 0;
	}
	uint64_t at;
	int ret = r->stage ? 0 : pica_client_alloc(&r->stage, r->client, STAGE_BYTES);
	ret = ret < 0 ? ret : stage_room(r, size_bytes, &at);
	if (ret < 0) {
		return ret;
	}
	memcpy((uint8_t *)pica_client_host(r->stage) + at % STAGE_BYTES, data, size_bytes);
	job->u.write.data = pica_client_data(r->stage, (uint32_t)(at % STAGE_BYTES));
	r->stage_head = at + size_bytes;
	return 0;
}

static int add(struct remote *r, const struct pica_job *job) {
	struct pica_job copy = *job;
	int ret = 0;
	while (ret == 0 && r->submitted - r->completed == FLIGHTS) {
		ret = push_and_take(r);
	}
	struct flight *f = &r->flights[(r->submitted + 1) % FLIGHTS];
	if (ret == 0) {
		*f = (struct flight){ .user_data = job->user_data };
		ret = job->op == PICA_OP_WRITE && job->u.write.size_bytes ? stage(r, &copy, f) : 0;
	}
	struct pica_job *slot = NULL;
	while (ret == 0 && !(slot = pica_client_slot(r->ctx))) {
		ret = push_and_take(r);
	}
	if (ret < 0) {
		return ret;
	}
	if (job->op == PICA_OP_CONTROL_LISTS) {
		r->lists = job->u.control_lists;
	}
	f->stage_end = r->stage_head;
	copy.handle = slot->handle;
	copy.user_data = ++r->submitted;
	*slot = copy;
	return 0;
}

static int submit(struct gpu gpu, const struct pica_job *jobs, size_t n, uint64_t *seq) {
	struct remote *r = gpu.service;
	int ret = 0;
	for (size_t i = 0; ret == 0 && i < n; i++) {
		ret = add(r, &jobs[i]);
	}
	int sent = pica_client_submit(r->client);
	if (seq) {
		*seq = r->submitted;
	}
	return ret < 0 ? ret : sent < 0 ? sent : 0;
}

/* ---- Looking in ---- */

static int load(struct gpu gpu, struct pica_capture *capture) {
	struct remote *r = gpu.service;
	int ret = wait_all(r);
	if (ret < 0 || r->chip != PICA_CHIP_PICA200) {
		return ret; /* another chip's state is its memory */
	}
	return pica_client_load_state(r->ctx, pica_capture_state(capture));
}

static int read_regs(struct gpu gpu, uint32_t first, uint32_t n, uint32_t *out) {
	struct remote *r = gpu.service;
	int ret = wait_all(r);
	return ret < 0 ? ret : pica_client_read_regs(r->ctx, first, n, out);
}

static int screen_info(struct gpu gpu, enum pica_screen_id screen, struct pica_screen *out) {
	struct remote *r = gpu.service;
	int ret = wait_all(r);
	return ret < 0 ? ret : pica_client_screen(r->ctx, screen, out);
}

static int read_screen(struct gpu gpu, enum pica_screen_id screen, enum pica_eye eye, uint8_t *rgb,
		size_t stride_bytes) {
	struct remote *r = gpu.service;
	int ret = wait_all(r);
	return ret < 0 ? ret : pica_client_read_screen(r->ctx, screen, eye, rgb, stride_bytes);
}

static int read_surface(struct gpu gpu, uint32_t addr, uint32_t format, uint32_t width,
		uint32_t height, uint8_t *rgba, size_t stride_bytes) {
	struct remote *r = gpu.service;
	int ret = wait_all(r);
	return ret < 0 ? ret :
			 pica_client_read_surface(
					 r->ctx, addr, format, width, height, rgba, stride_bytes);
}

static int create_viewer(struct remote *r) {
	struct pica_settings settings;
	struct pica_ctx_settings ctx_settings;
	pica_settings_init(&settings);
	pica_ctx_settings_init(&ctx_settings);
	ctx_settings.chip = r->chip;
	ctx_settings.fcram_bytes = ctx_settings.vram_bytes = 0;
	int ret = pica_device_create(&r->device, &settings);
	ret = ret < 0 ? ret : pica_ctx_create(&r->viewer, r->device, &ctx_settings);
	for (unsigned i = 0; ret == 0 && i < r->n_windows; i++) {
		const struct pica_window *w = &r->window[i];
		ret = pica_ctx_map(r->viewer, w->phys, w->size_bytes,
				pica_client_host(r->memory[i]), PICA_MAP_READ_ONLY);
	}
	return ret;
}

/*
 * Requests support texture formats only; colour buffers have more layouts, which libpica decodes
 * here.
 */
static int read_color(struct gpu gpu, const struct pica_target *target, uint8_t *rgba,
		size_t stride_bytes) {
	struct remote *r = gpu.service;
	int ret = wait_all(r);
	ret = ret < 0 || r->viewer ? ret : create_viewer(r);
	return ret < 0 ? ret : pica_ctx_read_color(r->viewer, target, rgba, stride_bytes);
}

/*
 * The service does not report the target of a VideoCore IV: finds it in the last job's lists in
 * memory.
 */
static int picture(struct gpu gpu, struct pica_picture *out) {
	struct remote *r = gpu.service;
	if (r->chip != PICA_CHIP_VC4) {
		return -EOPNOTSUPP;
	}
	int ret = wait_all(r);
	ret = ret < 0 || r->viewer ? ret : create_viewer(r);
	if (ret < 0) {
		return ret;
	}
	struct vc4_frame frame;
	struct vc4_error error;
	struct arena arena;
	const struct vc4_lists lists = { .space = &r->viewer->space,
		.start = { r->lists.binning_start, r->lists.rendering_start },
		.end = { r->lists.binning_end, r->lists.rendering_end } };
	arena_init(&arena, NULL);
	ret = vc4_frame_read(&frame, &lists, &arena, &error);
	if (ret == 0 && frame.last.exists) {
		vc4_from(r->viewer)->unit.target = frame.last;
	}
	arena_finish(&arena);
	return ret == -ENOMEM ? ret : pica_ctx_picture(r->viewer, out);
}

static int read_picture(struct gpu gpu, uint8_t *rgba, size_t stride_bytes) {
	const struct remote *r = gpu.service;
	return pica_ctx_read_picture(r->viewer, rgba, stride_bytes);
}

static int stats(struct gpu gpu, struct pica_stats *out) {
	struct remote *r = gpu.service;
	int ret = wait_all(r);
	return ret < 0 ? ret : pica_client_stats(r->ctx, out);
}

/* Frees the pages of shared memory, so that untouched ones need not be written. */
static void clear(void *host, size_t size_bytes) {
	if (madvise(host, size_bytes, MADV_REMOVE) < 0) {
		memset(host, 0, size_bytes);
	}
}

static int zero_memory(struct gpu gpu) {
	struct remote *r = gpu.service;
	int ret = wait_all(r);
	for (unsigned i = 0; ret == 0 && i < r->n_windows; i++) {
		struct pica_job job = { .op = PICA_OP_INVALIDATE };
		job.u.invalidate.addr = r->window[i].phys;
		job.u.invalidate.size_bytes = r->window[i].size_bytes;
		clear(pica_client_host(r->memory[i]), r->window[i].size_bytes);
		ret = submit(gpu, &job, 1, NULL);
	}
	return ret;
}

struct gpu remote_gpu(struct remote *r) {
	static const struct gpu_impl impl = { load, submit, wait_for, reap, read_regs, screen_info,
		read_screen, read_surface, read_color, picture, read_picture, stats,
		zero_memory };
	return (struct gpu){ .impl = &impl, .service = r };
}

const void *remote_host(const struct remote *r, uint32_t addr, uint32_t size_bytes) {
	for (unsigned i = 0; i < r->n_windows; i++) {
		const struct pica_window *w = &r->window[i];
		if (addr >= w->phys && addr - w->phys <= w->size_bytes &&
				size_bytes <= w->size_bytes - (addr - w->phys)) {
			return (const uint8_t *)pica_client_host(r->memory[i]) + (addr - w->phys);
		}
	}
	return NULL;
}

/* ---- Life ---- */

/* Chooses the capture's windows, or the default ones if it names none. */
static void choose_windows(struct remote *r, const struct pica_capture *capture) {
	struct pica_ctx_settings settings;
	r->n_windows = capture ? pica_capture_windows(capture, r->window, GPU_WINDOWS) : 0;
	if (r->n_windows == 0) {
		pica_ctx_settings_init(&settings);
		r->window[0] = (struct pica_window){ .phys = 0x18000000,
			.size_bytes = settings.vram_bytes };
		r->window[1] = (struct pica_window){ .phys = 0x20000000,
			.size_bytes = settings.fcram_bytes };
		r->n_windows = 2;
	}
}

int remote_create(struct remote **out, struct pica_client *client,
		const struct pica_capture *capture, const struct pica_client_ctx_settings *settings,
		char message[PICA_TEXT_BYTES]) {
	struct remote *r = calloc(1, sizeof(*r));
	if (!r) {
		snprintf(message, PICA_TEXT_BYTES, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	struct pica_client_ctx_settings own;
	struct pica_capture_info info = { .chip = PICA_CHIP_PICA200 };
	if (capture) {
		pica_capture_info(capture, &info);
	}
	if (info.chip != PICA_CHIP_PICA200) { /* it has no choice of arithmetic */
		pica_client_ctx_settings_init(&own);
		own.rank = settings ? settings->rank : 0;
		own.chip = info.chip;
		settings = &own;
	}
	r->client = client;
	r->chip = info.chip;
	choose_windows(r, capture);
	int ret = r->n_windows > GPU_WINDOWS ? -E2BIG : 0;
	ret = ret < 0 ? ret : pica_client_ctx_create(&r->ctx, client, settings);
	for (unsigned i = 0; ret == 0 && i < r->n_windows; i++) {
		ret = pica_client_map(&r->memory[i], r->ctx, r->window[i].phys,
				r->window[i].size_bytes, 0);
	}
	if (ret < 0) {
		snprintf(message, PICA_TEXT_BYTES, "%s", remote_error(client, ret));
		remote_destroy(r);
		return ret;
	}
	*out = r;
	return 0;
}

void remote_destroy(struct remote *r) {
	if (!r) {
		return;
	}
	wait_all(r); /* if the service is gone, no job is in flight */
	pica_ctx_destroy(r->viewer);
	pica_device_destroy(r->device);
	for (unsigned i = 0; i < FLIGHTS; i++) {
		if (r->flights[i].own) {
			pica_client_free(r->flights[i].own);
		}
	}
	if (r->stage) {
		pica_client_free(r->stage);
	}
	for (unsigned i = 0; i < GPU_WINDOWS; i++) {
		if (r->memory[i]) {
			pica_client_free(r->memory[i]);
		}
	}
	if (r->ctx) {
		pica_client_ctx_destroy(r->ctx);
	}
	free(r);
}
