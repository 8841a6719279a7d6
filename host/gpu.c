/* The GPU: a context of libpica, its frames, and its recording. */
#include "host.h"
#include "pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pica_record.h"

uint32_t host_frames;

static struct pica_device *device;
static struct pica_ctx *ctx;
static struct pica_recorder *recorder;
static bool is_over; /* nothing is recorded or shown any more */

/* ---- Life ---- */

static void on_log(void *user, enum pica_log_level level, const char *line) {
	(void)user;
	(void)level;
	host_say("%s", line);
}

static void begin_recording(void) {
	struct pica_recorder_settings settings;
	pica_recorder_settings_init(&settings);
	settings.title = program_invocation_short_name;
	settings.tool = "pica host-run";
	const int ret = pica_recorder_start(&recorder, ctx, host_options.record, &settings);
	if (ret < 0) {
		host_fail("%s: cannot record: %s", host_options.record, strerror(-ret));
	}
}

struct pica_ctx *host_gpu(void) {
	if (ctx) {
		return ctx;
	}
	struct pica_settings settings;
	struct pica_ctx_settings of_ctx;
	pica_settings_init(&settings);
	settings.n_threads = host_options.threads;
	settings.float_mode = (enum pica_float)(host_options.arithmetic & 1);
	settings.combiner = (enum pica_combiner)(host_options.arithmetic >> 1 & 1);
	settings.log = on_log;
	settings.log_level = PICA_LOG_ERROR;
	pica_ctx_settings_init(&of_ctx);
	of_ctx.fcram_bytes = of_ctx.vram_bytes = 0;
	int ret = pica_device_create(&device, &settings);
	ret = ret < 0 ? ret : pica_ctx_create(&ctx, device, &of_ctx);
	ret = ret < 0 ? ret : host_memory_map(ctx);
	if (ret < 0) {
		host_fail("no GPU: %s", strerror(-ret));
	}
	if (host_options.record) {
		begin_recording();
	}
	return ctx;
}

void host_gpu_end(void) {
	struct pica_capture_error error;
	is_over = true;
	if (host_options.pictures >= 0) {
		close(host_options.pictures);
		host_options.pictures = -1;
	}
	if (recorder && pica_recorder_finish(recorder, &error) < 0) {
		host_say("%s: not recorded: %s", host_options.record, error.message);
	}
	recorder = NULL;
}

__attribute__((destructor)) static void end(void) {
	host_gpu_end();
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	ctx = NULL;
	device = NULL;
}

/* ---- Work ---- */

static void say_result(const char *name, const struct pica_done *done) {
	if (done->result == -EDQUOT) {
		host_say("%s: too much work: the limit of %s", name, pica_budget_name(done->flags));
	} else if (done->result < 0) {
		host_say("%s: %s", name, strerror(-done->result));
	} else if (done->flags & PICA_DONE_NO_FINALIZE) {
		static bool said;
		host_say_once(&said, "%s: a list without FINALIZE: a console would wait forever",
				name);
	}
}

int host_run(const struct pica_job *jobs, size_t n, const char *name) {
	struct pica_done done;
	uint64_t seq;
	int result = pica_submit(host_gpu(), jobs, n, &seq);
	if (result < 0) {
		host_say("%s: %s", name, strerror(-result));
		return result;
	}
	pica_wait(ctx, seq, -1);
	while (pica_reap(ctx, &done, 1) == 1) {
		say_result(name, &done);
		result = result < 0 ? result : done.result;
	}
	return result;
}

/* ---- Frames ---- */

static void write_all(const void *data, size_t size) {
	const uint8_t *at = data;
	while (size && host_options.pictures >= 0) {
		const ssize_t n = write(host_options.pictures, at, size);
		if (n < 0 && errno != EINTR) {
			close(host_options.pictures);
			host_options.pictures = -1;
		}
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
}

static bool has_picture(enum pica_screen_id id, enum pica_eye eye, struct pica_screen *screen) {
	return pica_ctx_screen(ctx, id, screen) == 0 && screen->is_set &&
			(!eye || screen->has_right);
}

static void send_frame(void) {
	static const struct {
		enum pica_screen_id screen;
		enum pica_eye eye;
	} views[HOST_FRAME_PICTURES] = { { PICA_SCREEN_TOP, PICA_EYE_LEFT },
		{ PICA_SCREEN_TOP, PICA_EYE_RIGHT }, { PICA_SCREEN_BOTTOM, PICA_EYE_LEFT } };
	static uint8_t rgb[HOST_PICTURE_MAX_WIDTH * HOST_PICTURE_HEIGHT * 3];
	struct host_frame frame = { host_frames, 0 };
	struct pica_screen screen;
	for (unsigned i = 0; i < HOST_FRAME_PICTURES; i++) {
		frame.n += has_picture(views[i].screen, views[i].eye, &screen);
	}
	write_all(&frame, sizeof(frame));
	for (unsigned i = 0; i < HOST_FRAME_PICTURES; i++) {
		if (has_picture(views[i].screen, views[i].eye, &screen)) {
			const struct host_picture head = { (uint32_t)views[i].screen,
				(uint32_t)views[i].eye, screen.width, screen.height };
			const size_t stride = (size_t)screen.width * 3;
			pica_ctx_read_screen(ctx, views[i].screen, views[i].eye, rgb, stride);
			write_all(&head, sizeof(head));
			write_all(rgb, stride * screen.height);
		}
	}
}

static void check_end(void) {
	const uint32_t limit = host_options.frames;
	if (limit && host_frames == limit) {
		host_gpu_end();
	} else if (limit && host_frames > limit && host_frames - limit > HOST_GRACE_FRAMES) {
		host_say("the program goes on %d frames after aptMainLoop() returned false: ended",
				HOST_GRACE_FRAMES);
		_Exit(5);
	}
}

void host_frame(void) {
	const struct pica_job present = { .op = PICA_OP_PRESENT, .u.present.screens = 3 };
	if (!ctx) {
		return;
	}
	if (!is_over) {
		host_run(&present, 1, "a frame");
	}
	if (host_options.pictures >= 0) {
		send_frame();
	}
	host_frames++;
	check_end();
}
