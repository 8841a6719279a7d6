/* The replay that a recording must pass before it gets its name. */
#include "record/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

struct check {
	struct pica_recorder *r;
	struct pica_capture *capture;
	struct pica_ctx *ctx;
	struct pica_capture_error *err;
};

static int check_frame(struct check *c, uint32_t frame) {
	uint32_t n;
	const struct pica_expected *e = pica_capture_expected(c->capture, frame, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t hash[16];
		struct pica_screen info;
		if (e[i].screen == PICA_CAPTURE_PICTURE) {
			struct pica_expected have;
			int ret = record_target(vc4_from(c->ctx), &have);
			if (ret == 0 && have.width == e[i].width && have.height == e[i].height &&
					memcmp(have.hash, e[i].hash, sizeof(hash)) == 0) {
				continue;
			}
			return capture_fail(&c->capture->source, c->err, -EIO, UINT64_MAX,
					"frame %" PRIu32 ": its replay differs", frame);
		}
		pica_ctx_screen(c->ctx, (enum pica_screen_id)e[i].screen, &info);
		const size_t stride = 3 * (size_t)info.width;
		int ret = pica_ctx_read_screen(c->ctx, (enum pica_screen_id)e[i].screen,
				(enum pica_eye)e[i].eye, c->r->rgb, stride);
		if (ret == 0) {
			pica_picture_hash(c->r->rgb, info.width, info.height, stride, hash);
		}
		if (ret < 0 || info.width != e[i].width || info.height != e[i].height ||
				memcmp(hash, e[i].hash, sizeof(hash)) != 0) {
			return capture_fail(&c->capture->source, c->err, -EIO, UINT64_MAX,
					"frame %" PRIu32 ", screen %s: its replay differs", frame,
					e[i].screen == PICA_SCREEN_BOTTOM ? "bottom" : "top");
		}
	}
	return 0;
}

static int replay(struct check *c) {
	struct pica_capture_event ev;
	uint64_t seq = 0;
	int ret;
	while ((ret = pica_capture_next(c->capture, &ev)) > 0) {
		ret = pica_submit(c->ctx, &ev.job, 1, &seq);
		if (ret == 0 && ev.kind == PICA_CAPTURE_FRAME) {
			ret = pica_wait(c->ctx, seq, -1);
			ret = ret < 0 ? ret : check_frame(c, ev.frame);
		}
		if (ret < 0) {
			return ret;
		}
	}
	if (ret < 0) {
		*c->err = *pica_capture_error(c->capture);
	}
	return ret;
}

static int check_state(struct check *c, const struct pica_state *want) {
	struct pica_state *have = calloc(1, sizeof(*have));
	if (!have) {
		return -ENOMEM;
	}
	pica_ctx_save_state(c->ctx, have);
	const uint32_t *a = (const uint32_t *)want, *b = (const uint32_t *)have;
	int ret = 0;
	for (size_t i = 0; i < sizeof(*want) / 4 && ret == 0; i++) {
		if (a[i] != b[i]) {
			ret = capture_fail(&c->capture->source, c->err, -EIO, UINT64_MAX,
					"the state after its replay differs, from word 0x%zX of struct pica_state on",
					i);
		}
	}
	free(have);
	return ret;
}

static int check_memory(struct check *c) {
	for (unsigned i = 0; i < c->r->shadow.n; i++) {
		const struct shadow_window *w = &c->r->shadow.win[i];
		const uint8_t *host = pica_ctx_host(c->ctx, w->phys, w->size_bytes);
		for (uint32_t at = 0; at < w->size_bytes; at++) {
			if ((at & 4095) == 0 && memcmp(host + at, w->copy + at, 4096) == 0) {
				at += 4095;
			} else if (host[at] != w->copy[at]) {
				return capture_fail(&c->capture->source, c->err, -EIO, UINT64_MAX,
						"memory 0x%08" PRIX32
						" after its replay: %02X, expected %02X",
						w->phys + at, host[at], w->copy[at]);
			}
		}
	}
	return 0;
}

static int open_written(struct check *c) {
	const struct capture_source source = { .name = c->r->path };
	struct box_file file = { .fd = dup(c->r->writer->file.fd), .size = c->r->writer->size };
	if (file.fd < 0) {
		return -errno;
	}
	int ret = box_open(&c->capture, &file, NULL, &source, c->err);
	if (ret < 0) {
		close(file.fd);
	}
	return ret;
}

int record_check(struct pica_recorder *r, struct pica_capture_error *err) {
	struct check c = { .r = r, .err = err };
	const size_t replay_bytes = r->shadow.charged_bytes; /* it has as much memory */
	memory_charge(r->memory, replay_bytes);
	struct pica_ctx_settings settings = r->settings;
	settings.vram_bytes = settings.fcram_bytes = 0;
	settings.interrupt = NULL;
	int ret = open_written(&c);
	if (ret == 0 && r->unit_limit != SIZE_MAX) {
		/* the same units exceed the limit again */
		ret = pica_memory_create(&settings.memory, NULL);
		if (ret == 0) {
			pica_memory_limit(settings.memory, 4 * (uint64_t)r->unit_limit);
		}
	}
	/* A device without threads works in its caller's thread, which this may not be. */
	struct pica_device *own = NULL;
	if (ret == 0 && !r->device->dispatcher.is_threaded) {
		struct pica_settings s;
		pica_settings_init(&s);
		s.isa = pica_device_isa(r->device);
		ret = pica_device_create(&own, &s);
	}
	ret = ret < 0 ? ret : pica_ctx_create(&c.ctx, own ? own : r->device, &settings);
	ret = ret < 0 ? ret : pica_capture_load(c.capture, c.ctx);
	ret = ret < 0 ? ret : replay(&c);
	if (ret == 0 && pica200_from(c.ctx)) {
		ret = check_state(&c, r->state);
	}
	ret = ret < 0 ? ret : check_memory(&c);
	pica_ctx_destroy(c.ctx);
	pica_memory_destroy(settings.memory);
	pica_device_destroy(own);
	pica_capture_close(c.capture);
	memory_uncharge(r->memory, replay_bytes);
	return ret;
}
