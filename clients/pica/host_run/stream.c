/* What the program sends: pictures of its frames, and for --lint its memory and jobs. */
#include "host_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Results of next_job(). */
enum { TAKEN_JOB = 1, TAKEN_MEMORY = 2 };

/* ---- Pictures ---- */

/* As in `pica render': without a second picture, both eyes have the same. */
static bool is_wanted(const struct run *r, unsigned i) {
	const struct host_picture *head = &r->head[i];
	const bool has_right = i + 1 < r->frame.n && r->head[i + 1].eye == PICA_EYE_RIGHT;
	const unsigned eyes = r->o->render.eyes;
	const bool is_seen = head->eye == PICA_EYE_RIGHT ? eyes & EYE_RIGHT :
							    eyes & EYE_LEFT || !has_right;
	return is_seen && r->o->render.screens >> head->screen & 1;
}

static void write_frame(struct run *r) {
	static const char *const screens[] = { "top", "bottom" };
	static const char *const eyes[] = { "left", "right" };
	bool is_shown = false;
	r->is_written = true;
	for (unsigned i = 0; i < r->frame.n && r->o->render.writer != &writer_none; i++) {
		const struct host_picture *head = &r->head[i];
		const struct outname_values v = { r->shot.name, r->frame.number, UINT32_MAX,
			screens[head->screen], eyes[head->eye] };
		if (is_wanted(r, i) && !(r->render.one_screen && is_shown)) {
			render_put(&r->shot, &v, &r->picture[i], NULL);
			is_shown = true;
		}
	}
}

static bool read_all(FILE *pipe, void *data, size_t size) {
	return fread(data, 1, size, pipe) == size;
}

static bool read_picture(FILE *pipe, struct host_picture *head, struct picture *p) {
	return read_all(pipe, head, sizeof(*head)) && head->screen <= PICA_SCREEN_BOTTOM &&
			head->eye <= PICA_EYE_RIGHT && head->width &&
			head->width <= HOST_PICTURE_MAX_WIDTH &&
			head->height == HOST_PICTURE_HEIGHT &&
			picture_alloc(p, head->width, head->height) == 0 &&
			read_all(pipe, p->rgb, (size_t)head->width * head->height * 3);
}

/* An incomplete frame leaves the previous one. */
static bool read_frame(struct run *r, const struct host_frame *head) {
	struct run next = *r;
	next.frame = *head;
	bool is_whole = next.frame.n <= HOST_FRAME_PICTURES;
	for (unsigned i = 0; is_whole && i < next.frame.n; i++) {
		is_whole = read_picture(r->pipe, &next.head[i], &next.picture[i]);
	}
	memcpy(r->picture, next.picture, sizeof(r->picture)); /* they are the owners now */
	if (!is_whole) {
		r->has_frame = false;
		render_fail(&r->shot, EXIT_TROUBLE,
				"the program ended in the middle of a frame's pictures");
		return false;
	}
	memcpy(r->head, next.head, sizeof(r->head));
	r->frame = next.frame;
	r->has_frame = true;
	r->is_written = false;
	return true;
}

static bool take_frame(struct run *r, const struct host_frame *head) {
	const uint32_t n_frames = r->o->frames;
	if (!read_frame(r, head)) {
		return false;
	}
	watch_frame(r->o->timeout_s);
	if (frame_list_has(&r->o->render.frames, n_frames, r->frame.number)) {
		write_frame(r);
	}
	log_progress(r->shot.name, r->frame.number + 1, n_frames);
	return true;
}

/* ---- Lint ---- */

/* The program's memory; what this process writes stays its own. */
static int map_memory(struct run *r, uint32_t i) {
	const struct host_memory *m = &r->memory[i];
	char path[64];
	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)r->pid, m->fd);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *at = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= m->size) {
		at = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd,
				0);
	}
	close(fd);
	r->base[i] = at == MAP_FAILED ? NULL : at;
	return r->base[i] ? 0 : -EIO;
}

static bool take_memory(struct run *r, const struct host_frame *head) {
	if (r->n_windows || head->n > RUN_MAX_WINDOWS) {
		return false;
	}
	r->has_begun = true;
	for (uint32_t i = 0; i < head->n; i++) {
		if (!read_all(r->pipe, &r->memory[i], sizeof(r->memory[i])) ||
				map_memory(r, i) < 0) {
			return false;
		}
		r->n_windows = i + 1;
	}
	return true;
}

/* Drops what the last job wrote here. */
static bool take_job(struct run *r, struct pica_job *job) {
	if (!read_all(r->pipe, job, sizeof(*job)) || job->op == PICA_OP_WRITE ||
			job->op == PICA_OP_STATS) { /* which have pointers */
		return false;
	}
	for (uint32_t i = 0; i < r->n_windows; i++) {
		madvise(r->base[i], r->memory[i].size, MADV_DONTNEED);
	}
	return true;
}

static void answer(struct run *r) {
	if (r->is_waiting) {
		watch_continue();
		send(r->checked, "", 1, MSG_NOSIGNAL);
	}
	r->is_waiting = false;
}

/*
 * Takes the program's messages up to its next job, or without --lint to its end. Returns as
 * pica_capture_next().
 */
static int next_job(void *user, struct pica_capture_event *event) {
	struct run *r = user;
	struct host_frame head;
	bool is_fine = true;
	answer(r);
	while (is_fine && read_all(r->pipe, &head, sizeof(head))) {
		if (head.number == HOST_FRAME_FINISHING) {
			watch_finishing();
			r->is_whole = true;
		} else if (head.number == HOST_FRAME_MEMORY) {
			is_fine = take_memory(r, &head);
			if (is_fine && head.n) {
				return TAKEN_MEMORY;
			}
		} else if (head.number == HOST_FRAME_JOB) {
			*event = (struct pica_capture_event){ .offset = LINT_NO_OFFSET };
			is_fine = take_job(r, &event->job);
			if (is_fine) {
				event->kind = event->job.op == PICA_OP_PRESENT ?
						PICA_CAPTURE_FRAME :
						PICA_CAPTURE_JOB;
				r->is_waiting = true;
				watch_hold();
				return TAKEN_JOB;
			}
		} else if (head.number == HOST_FRAME_REFUSED) {
			r->lint.n_refused++;
		} else {
			is_fine = take_frame(r, &head);
		}
	}
	if (!is_fine && r->shot.exit == EXIT_FINE) {
		render_fail(&r->shot, EXIT_TROUBLE, "--lint: cannot read the program's jobs or memory");
	}
	return 0;
}

/* Executes the program's jobs once more, draw by draw. */
static void lint_jobs(struct run *r) {
	const struct engine_options *e = &r->o->render.engine;
	struct pica_settings settings;
	struct pica_ctx_settings of_ctx;
	struct pica_device *device = NULL;
	struct pica_ctx *ctx = NULL;
	pica_settings_init(&settings);
	settings.n_threads = 0;
	settings.float_mode = e->float_mode;
	settings.combiner = e->combiner;
	pica_ctx_settings_init(&of_ctx);
	of_ctx.fcram_bytes = of_ctx.vram_bytes = 0;
	int ret = pica_device_create(&device, &settings);
	ret = ret < 0 ? ret : pica_ctx_create(&ctx, device, &of_ctx);
	for (uint32_t i = 0; ret == 0 && i < r->n_windows; i++) {
		const struct host_memory *m = &r->memory[i];
		ret = pica_ctx_map(ctx, m->phys, m->size, r->base[i], 0);
	}
	r->lint.ctx = ctx;
	r->lint.teller = r->shot.name;
	ret = ret < 0 ? ret : lint_program(&r->lint, next_job, r);
	r->is_linted = ret == 0;
	if (ret < 0) {
		render_fail(&r->shot, EXIT_TROUBLE, "--lint: %s", strerror(-ret));
	}
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
}

/* ---- The stream ---- */

void run_take_stream(struct run *r, int fd) {
	const struct frame_list *list = &r->o->render.frames;
	const uint32_t n_frames = r->o->frames;
	struct pica_capture_event event;
	r->pipe = fdopen(fd, "r");
	if (!r->pipe) {
		close(fd);
		render_fail(&r->shot, EXIT_TROUBLE, "%s", strerror(errno));
		return;
	}
	if (next_job(r, &event) == TAKEN_MEMORY) {
		lint_jobs(r);
		while (next_job(r, &event) == TAKEN_JOB) { /* lint has failed */
		}
	}
	fclose(r->pipe);
	watch_last(r->o->timeout_s);
	/* The program ended before its last frame. */
	if (r->has_frame && !r->is_written && frame_list_has(list, n_frames, n_frames - 1)) {
		write_frame(r);
	}
	for (unsigned i = 0; i < HOST_FRAME_PICTURES; i++) {
		picture_finish(&r->picture[i]);
	}
	for (uint32_t i = 0; i < r->n_windows; i++) {
		munmap(r->base[i], r->memory[i].size);
	}
}
