#include "service/display_headless.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "service/display_why.h"
#include "service/frame_sink.h"
#include "service/logfmt.h"

enum {
	MIN_MHZ = 100,
	MAX_MHZ = 1000000,
	MAX_REPEATS = 60, /* limit of refreshes that are repeated in the frames after a late
	 * timer */
	ROW_ALIGN = 64,
	PATH_BYTES = 4096,
};

static const char default_modes[] = "800x480";

enum buffer_state { BUFFER_FREE, BUFFER_ACQUIRED, BUFFER_WAITING, BUFFER_SHOWN };

struct buffer {
	uint8_t *host;
	enum buffer_state state;
	uint64_t flip; /* number of the last flip that showed it; 0: contents undefined */
};

struct output {
	struct display_output mode;
	uint32_t stride_bytes;
	struct buffer buffer[DISPLAY_BUFFERS];
	uint64_t flips;     /* commits so far */
	uint64_t start_ns;  /* refresh k is at start_ns + k * 1e12 / refresh_mhz */
	uint64_t refreshes; /* handled so far: the next one is this + 1 */
	int waiting;        /* buffer of the flip that waits, or -1 */
	uint64_t cookie;
	uint64_t due;       /* refresh that the flip should be shown at */
};

struct headless {
	struct display base;
	display_event_fn *fn;
	void *owner;
	server_log_fn *log; /* NULL: silent */
	void *log_user;
	struct frame_sink *sink; /* NULL: nowhere */
	bool sink_waits;         /* as last reported */
	struct output output[DISPLAY_OUTPUTS];
	unsigned n_outputs;
	bool is_announced;
};

/* ---- Modes ---- */

static int parse_px(const char **text, uint32_t *out) {
	char *end;
	if (**text < '0' || **text > '9') {
		return -EINVAL;
	}
	unsigned long n = strtoul(*text, &end, 10);
	if (n < 1 || n > DISPLAY_MAX_PX) {
		return -EINVAL;
	}
	*out = (uint32_t)n;
	*text = end;
	return 0;
}

/* "59.83" in thousandths, without the rounding of a double. */
static int parse_mhz(const char **text, uint32_t *out) {
	const char *p = *text;
	uint64_t whole = 0;
	if (*p < '0' || *p > '9') {
		return -EINVAL;
	}
	for (; *p >= '0' && *p <= '9' && whole <= MAX_MHZ; p++) {
		whole = 10 * whole + (uint64_t)(*p - '0');
	}
	uint64_t mhz = 1000 * whole, unit = 100;
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++, unit /= 10) {
			mhz += unit * (uint64_t)(*p - '0');
		}
	}
	if (mhz < MIN_MHZ || mhz > MAX_MHZ) {
		return -EINVAL;
	}
	*out = (uint32_t)mhz;
	*text = p;
	return 0;
}

static int parse_format(const char **text, enum display_format *out) {
	static const struct {
		const char *name;
		enum display_format format;
	} formats[] = { { "xrgb8888", DISPLAY_XRGB8888 }, { "rgb565", DISPLAY_RGB565 } };
	size_t n = strcspn(*text, ",");
	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strlen(formats[i].name) == n && strncmp(*text, formats[i].name, n) == 0) {
			*out = formats[i].format;
			*text += n;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_mode(const char **text, struct display_output *out) {
	*out = (struct display_output){ .refresh_mhz = DISPLAY_CONSOLE_MHZ,
		.format = DISPLAY_XRGB8888 };
	int ret = parse_px(text, &out->width);
	if (ret < 0 || **text != 'x') {
		return -EINVAL;
	}
	(*text)++;
	ret = parse_px(text, &out->height);
	if (ret == 0 && **text == '@') {
		(*text)++;
		ret = parse_mhz(text, &out->refresh_mhz);
	}
	if (ret == 0 && **text == ':') {
		(*text)++;
		ret = parse_format(text, &out->format);
	}
	return ret;
}

int display_headless_modes(const char *text, struct display_output out[DISPLAY_OUTPUTS]) {
	int n = 0;
	do {
		if (n == DISPLAY_OUTPUTS || parse_mode(&text, &out[n]) < 0) {
			return -EINVAL;
		}
		n++;
		snprintf(out[n - 1].name, sizeof(out[n - 1].name), "headless-%d", n);
	} while (*text++ == ',');
	return text[-1] ? -EINVAL : n;
}

/* ---- Time ---- */

static uint64_t refresh_time(const struct output *o, uint64_t k) {
	/* In two steps: k * 1e12 would wrap after days. */
	const uint64_t mhz = o->mode.refresh_mhz;
	return o->start_ns + k / mhz * 1000000000000ull + k % mhz * 1000000000000ull / mhz;
}

/* The last refresh at or before a time. */
static uint64_t refresh_at(const struct output *o, uint64_t time_ns) {
	const uint64_t since = time_ns - o->start_ns, mhz = o->mode.refresh_mhz;
	uint64_t k = since / 1000000000000ull * mhz +
			since % 1000000000000ull * mhz / 1000000000000ull;
	return refresh_time(o, k + 1) <= time_ns ? k + 1 : k; /* refresh_time() rounds down */
}

/* ---- Life ---- */

/* Gives the file its name, or logs why it cannot. */
static void end_sink(struct headless *h) {
	char path[PATH_BYTES];
	if (h->sink) {
		snprintf(path, sizeof(path), "%s", frame_sink_path(h->sink));
		const int ret = frame_sink_destroy(h->sink);
		if (ret < 0) {
			logfmt_log(h->log, h->log_user, LOG_LEVEL_ERROR,
					"event=frames_lost path=\"%s\" error=\"%s\"", path,
					strerror(-ret));
		}
	}
	h->sink = NULL;
}

static void headless_destroy(struct display *d) {
	struct headless *h = (struct headless *)d;
	for (unsigned i = 0; i < h->n_outputs; i++) {
		for (unsigned b = 0; b < DISPLAY_BUFFERS; b++) {
			free(h->output[i].buffer[b].host);
		}
	}
	end_sink(h);
	free(h);
}

static int output_init(struct output *o, uint64_t start_ns) {
	o->stride_bytes = (o->mode.width * display_pixel_bytes(o->mode.format) +
			ROW_ALIGN - 1) & ~(uint32_t)(ROW_ALIGN - 1);
	o->start_ns = start_ns;
	o->waiting = -1;
	for (unsigned b = 0; b < DISPLAY_BUFFERS; b++) {
		o->buffer[b].host =
				aligned_alloc(ROW_ALIGN, (size_t)o->stride_bytes * o->mode.height);
		if (!o->buffer[b].host) {
			return -ENOMEM;
		}
	}
	return 0;
}

static int headless_create(struct display **out, const struct display_settings *s,
		display_event_fn *fn, void *owner) {
	struct display_output modes[DISPLAY_OUTPUTS];
	int n = display_headless_modes(s->headless ? s->headless : default_modes, modes);
	if (n < 0) {
		logfmt_log(s->log, s->log_user, LOG_LEVEL_ERROR,
				"event=display_failed text=\"headless: expected WIDTHxHEIGHT[@HERTZ][:xrgb8888|rgb565], up to %d"
				" of them with commas, to %d pixels a side and 1000 hertz, not %s\"",
				DISPLAY_OUTPUTS, DISPLAY_MAX_PX, s->headless);
		return n;
	}
	struct headless *h = calloc(1, sizeof(*h));
	if (!h) {
		return -ENOMEM;
	}
	h->base.impl = &display_headless;
	h->log = s->log;
	h->log_user = s->log_user;
	h->fn = fn;
	h->owner = owner;
	uint64_t start = now_ns();
	int ret = 0;
	for (int i = 0; ret == 0 && i < n; i++) {
		h->output[i].mode = modes[i];
		h->n_outputs++; /* counted before: a half-built output is freed, too */
		ret = output_init(&h->output[i], start);
	}
	if (ret == 0 && s->frames) {
		ret = frame_sink_create(&h->sink, s->frames, modes, (unsigned)n, s->stop_fd);
		if (ret < 0) {
			logfmt_log(s->log, s->log_user, LOG_LEVEL_ERROR,
					"event=display_failed text=\"frames to %s: %s\"", s->frames,
					strerror(-ret));
			why_failed(s, "frames to %s: %s", s->frames, strerror(-ret));
		}
	}
	if (ret < 0) {
		headless_destroy(&h->base);
		return ret;
	}
	if (n > 1 && h->sink && frame_sink_repeats(h->sink)) {
		logfmt_log(s->log, s->log_user, LOG_LEVEL_WARNING,
				"event=frames_of_one output=0 text=\"a video has the first output only\"");
	}
	*out = &h->base;
	return 0;
}

static unsigned headless_outputs(const struct display *d, struct display_output *out, unsigned n) {
	const struct headless *h = (const struct headless *)d;
	for (unsigned i = 0; i < n && i < h->n_outputs; i++) {
		out[i] = h->output[i].mode;
	}
	return h->n_outputs;
}

/* ---- Buffers ---- */

static int headless_acquire(struct display *d, uint32_t output, struct display_buffer *out) {
	struct headless *h = (struct headless *)d;
	if (output >= h->n_outputs) {
		return -ENODEV;
	}
	struct output *o = &h->output[output];
	/* The buffer shown last has the least to draw. */
	struct buffer *best = NULL;
	for (unsigned i = 0; i < DISPLAY_BUFFERS; i++) {
		struct buffer *b = &o->buffer[i];
		if (b->state == BUFFER_FREE && (!best || b->flip > best->flip)) {
			best = b;
		}
	}
	if (!best) {
		return -EAGAIN;
	}
	best->state = BUFFER_ACQUIRED;
	*out = (struct display_buffer){ .host = best->host,
		.stride_bytes = o->stride_bytes,
		.width = o->mode.width,
		.height = o->mode.height,
		.format = o->mode.format,
		.index = (uint32_t)(best - o->buffer),
		.age = best->flip ? (uint32_t)(o->flips - best->flip + 1) : 0 };
	return 0;
}

static void headless_release(
		struct display *d, uint32_t output, const struct display_buffer *buffer) {
	struct headless *h = (struct headless *)d;
	struct buffer *b = &h->output[output].buffer[buffer->index];
	b->state = BUFFER_FREE;
	b->flip = 0;
}

static int headless_commit(struct display *d, const struct display_flip *flips, unsigned n) {
	struct headless *h = (struct headless *)d;
	for (unsigned i = 0; i < n; i++) {
		if (flips[i].output >= h->n_outputs) {
			return -ENODEV;
		}
		if (h->output[flips[i].output].waiting >= 0) {
			return -EBUSY;
		}
	}
	uint64_t now = now_ns();
	for (unsigned i = 0; i < n; i++) {
		struct output *o = &h->output[flips[i].output];
		uint64_t next = refresh_at(o, now) + 1;
		o->waiting = (int)flips[i].buffer.index;
		o->cookie = flips[i].cookie;
		o->due = next > o->refreshes ? next : o->refreshes + 1;
		o->buffer[o->waiting].state = BUFFER_WAITING;
		o->buffer[o->waiting].flip = ++o->flips;
	}
	return 0;
}

/* ---- Refreshes ---- */

static const struct buffer *shown_buffer(const struct output *o) {
	for (unsigned i = 0; i < DISPLAY_BUFFERS; i++) {
		if (o->buffer[i].state == BUFFER_SHOWN) {
			return &o->buffer[i];
		}
	}
	return NULL;
}

/* A failure of the sink is reported once; the display continues. */
static void check_sink(struct headless *h) {
	if (!h->sink) {
		return;
	}
	const int error = frame_sink_error(h->sink);
	const bool waits = frame_sink_waits(h->sink);
	const char *path = frame_sink_path(h->sink);
	if (waits != h->sink_waits) {
		h->sink_waits = waits;
		logfmt_log(h->log, h->log_user, LOG_LEVEL_INFO,
				waits ? "event=frames_waiting path=\"%s\" text=\"the pipe has no reader\"" :
					"event=frames_begun path=\"%s\"",
				path);
	}
	if (error < 0) {
		/* -ECANCELED: the display ends before a reader took the last picture. */
		if (error != -ECANCELED) {
			logfmt_log(h->log, h->log_user, LOG_LEVEL_ERROR,
					"event=frames_ended path=\"%s\" error=\"%s\"", path,
					strerror(-error));
		}
		end_sink(h);
	}
}

/* Writes the current picture to the frames for each refresh without a flip. */
static void repeat(struct headless *h, struct output *o, uint64_t n) {
	const struct buffer *b = shown_buffer(o);
	if (!b || !h->sink) {
		return;
	}
	n = n < MAX_REPEATS ? n : MAX_REPEATS;
	for (uint64_t i = 0; i < n; i++) {
		frame_sink_repeat(h->sink, (unsigned)(o - h->output));
	}
}

static void flip(struct headless *h, struct output *o, uint64_t refresh) {
	struct buffer *next = &o->buffer[o->waiting];
	for (unsigned i = 0; i < DISPLAY_BUFFERS; i++) {
		if (o->buffer[i].state == BUFFER_SHOWN) {
			o->buffer[i].state = BUFFER_FREE;
		}
	}
	next->state = BUFFER_SHOWN;
	const uint64_t time_ns = refresh_time(o, refresh);
	if (h->sink) {
		const struct frame f = { next->host, o->stride_bytes, o->mode.width, o->mode.height,
				o->mode.format, time_ns };
		frame_sink_put(h->sink, (unsigned)(o - h->output), &f);
	}
	const struct display_event e = { .type = DISPLAY_FLIPPED,
		.output = (uint32_t)(o - h->output),
		.cookie = o->cookie,
		.time_ns = time_ns,
		.missed = (uint32_t)(refresh - o->due) };
	o->waiting = -1;
	h->fn(h->owner, &e);
}

static void refresh(struct headless *h, struct output *o, uint64_t now) {
	uint64_t k = refresh_at(o, now);
	if (k <= o->refreshes) {
		return;
	}
	uint64_t passed = k - o->refreshes;
	o->refreshes = k;
	if (o->waiting >= 0 && o->due <= k) {
		repeat(h, o, passed - 1);
		flip(h, o, k);
	} else {
		repeat(h, o, passed);
	}
}

static unsigned headless_prepare(struct display *d, struct pollfd *fds, uint64_t *deadline_ns) {
	const struct headless *h = (const struct headless *)d;
	*deadline_ns = h->is_announced ? UINT64_MAX : 0;
	for (unsigned i = 0; i < h->n_outputs; i++) {
		const struct output *o = &h->output[i];
		bool repeats = h->sink && frame_sink_repeats(h->sink) && shown_buffer(o);
		if (o->waiting >= 0 || repeats) {
			uint64_t t = refresh_time(o, o->waiting >= 0 ? o->due : o->refreshes + 1);
			*deadline_ns = t < *deadline_ns ? t : *deadline_ns;
		}
	}
	return 0;
}

static void headless_dispatch(struct display *d, const struct pollfd *fds, unsigned n) {
	struct headless *h = (struct headless *)d;
	if (!h->is_announced) {
		const struct display_event e = { .type = DISPLAY_CHANGED };
		h->is_announced = true;
		h->fn(h->owner, &e);
	}
	uint64_t now = now_ns();
	for (unsigned i = 0; i < h->n_outputs; i++) {
		refresh(h, &h->output[i], now);
	}
	check_sink(h);
}

const struct display_impl display_headless = {
	.name = "headless",
	.create = headless_create,
	.destroy = headless_destroy,
	.outputs = headless_outputs,
	.acquire = headless_acquire,
	.release = headless_release,
	.commit = headless_commit,
	.prepare = headless_prepare,
	.dispatch = headless_dispatch,
};
