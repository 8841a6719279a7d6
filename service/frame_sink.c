#include "service/frame_sink.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "picture.h"
#include "y4m.h"

enum { PATH_BYTES = 4096 };

struct frame_sink {
	void (*put)(struct frame_sink *s, unsigned output, uint64_t time_ns);
	struct display_output output[DISPLAY_OUTPUTS];
	struct picture picture; /* the last one, of any output */
	char *where;            /* PNG: the pattern */
	struct file_out file;   /* hash, y4m */
	bool has_file;
	uint8_t *video;         /* y4m: the last picture */
	size_t video_bytes;
	uint64_t frames;
	int stop_fd;
	int error;
};

/* ---- Writing ---- */

/* Waits until fd takes PIPE_BUF bytes without blocking. -ECANCELED: the display is to end. */
static int wait_writable(const struct frame_sink *s, int fd) {
	struct pollfd fds[2] = { { .fd = fd, .events = POLLOUT },
		{ .fd = s->stop_fd, .events = POLLIN } };
	while (poll(fds, 2, -1) < 0) {
		if (errno != EINTR) {
			return -errno;
		}
	}
	return fds[0].revents & POLLOUT ? 0 : fds[1].revents ? -ECANCELED : -EPIPE;
}

static int put_bytes(const struct frame_sink *s, const void *bytes, size_t n) {
	const int fd = fileno(s->file.f);
	const uint8_t *p = bytes;
	while (n > 0) {
		/* a regular file does not block */
		int ret = s->file.temp ? 0 : wait_writable(s, fd);
		if (ret < 0) {
			return ret;
		}
		ssize_t done = write(fd, p, s->file.temp || n < PIPE_BUF ? n : PIPE_BUF);
		if (done < 0 && errno != EINTR) {
			return -errno;
		}
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

static int open_file(struct frame_sink *s, const char *path) {
	int ret = file_begin(&s->file, path);
	s->has_file = ret == 0;
	return ret;
}

/* ---- Kinds ---- */

static void put_hash(struct frame_sink *s, unsigned output, uint64_t time_ns) {
	char hash[PICTURE_HASH_TEXT], line[128];
	picture_hash(&s->picture, hash);
	int n = snprintf(line, sizeof(line), "%" PRIu64 " %u %s %" PRIu64 "\n", s->frames, output,
			hash, time_ns);
	s->error = put_bytes(s, line, (size_t)n);
}

/* Replaces {frame} and {output}. -ENAMETOOLONG. */
static int expand(const struct frame_sink *s, unsigned output, char path[PATH_BYTES]) {
	size_t n = 0;
	for (const char *p = s->where; *p;) {
		int len = 1;
		const size_t room = PATH_BYTES - n;
		if (strncmp(p, "{frame}", 7) == 0) {
			len = snprintf(path + n, room, "%06" PRIu64, s->frames);
			p += 7;
		} else if (strncmp(p, "{output}", 8) == 0) {
			len = snprintf(path + n, room, "%s", s->output[output].name);
			p += 8;
		} else {
			path[n] = *p++;
		}
		if ((size_t)len >= room) {
			return -ENAMETOOLONG;
		}
		n += (size_t)len;
	}
	path[n] = 0;
	return 0;
}

static void put_png(struct frame_sink *s, unsigned output, uint64_t time_ns) {
	char path[PATH_BYTES];
	s->error = expand(s, output, path);
	if (s->error == 0) {
		s->error = picture_write_png(&s->picture, path);
	}
}

static void put_video(struct frame_sink *s, unsigned output, uint64_t time_ns) {
	if (output == 0) {
		y4m_picture(s->video, &s->picture);
		s->error = put_bytes(s, s->video, s->video_bytes);
	}
}

static int open_video(struct frame_sink *s) {
	char header[Y4M_HEADER_BYTES];
	const struct display_output *o = &s->output[0];
	s->video_bytes = y4m_picture_bytes(o->width, o->height);
	s->video = malloc(s->video_bytes);
	return s->video ? put_bytes(s, header,
					  y4m_header(header, o->width, o->height, o->refresh_mhz,
							  1000)) :
			  -ENOMEM;
}

/* ---- Face ---- */

static const char *after(const char *text, const char *prefix) {
	size_t n = strlen(prefix);
	return strncmp(text, prefix, n) == 0 && text[n] ? text + n : NULL;
}

static int open_sink(struct frame_sink *s, const char *where) {
	const char *path;
	int ret;
	if ((path = after(where, "hash:"))) {
		s->put = put_hash;
		return open_file(s, path);
	}
	if ((path = after(where, "y4m:"))) {
		s->put = put_video;
		ret = open_file(s, path);
		return ret < 0 ? ret : open_video(s);
	}
	if ((path = after(where, "png:"))) {
		s->put = put_png;
		s->where = strdup(path);
		return !s->where ? -ENOMEM : strstr(path, "{frame}") ? 0 : -EINVAL;
	}
	return -EINVAL;
}

int frame_sink_create(struct frame_sink **out, const char *where,
		const struct display_output *outputs, unsigned n, int stop_fd) {
	if (strcmp(where, "none") == 0) {
		*out = NULL;
		return 0;
	}
	struct frame_sink *s = calloc(1, sizeof(*s));
	if (!s) {
		return -ENOMEM;
	}
	s->stop_fd = stop_fd;
	memcpy(s->output, outputs, n * sizeof(*outputs));
	int ret = open_sink(s, where);
	if (ret < 0) {
		s->error = ret;
		frame_sink_destroy(s);
		return ret;
	}
	*out = s;
	return 0;
}

void frame_sink_destroy(struct frame_sink *s) {
	if (!s) {
		return;
	}
	if (s->has_file) {
		/*
		 * Stopped in the middle of a picture, or before there was a header: not a whole
		 * file.
		 */
		file_finish(&s->file, s->error);
	}
	picture_finish(&s->picture);
	free(s->video);
	free(s->where);
	free(s);
}

static void widen_565(uint8_t *rgb, const uint8_t *row, uint32_t n) {
	for (uint32_t x = 0; x < n; x++) {
		const unsigned px = row[2 * x] | (unsigned)row[2 * x + 1] << 8;
		const unsigned r = px >> 11, g = px >> 5 & 63, b = px & 31;
		rgb[3 * x] = (uint8_t)(r << 3 | r >> 2);
		rgb[3 * x + 1] = (uint8_t)(g << 2 | g >> 4);
		rgb[3 * x + 2] = (uint8_t)(b << 3 | b >> 2);
	}
}

static int take_picture(struct picture *p, const struct frame *f) {
	if (p->width != f->width || p->height != f->height) {
		picture_finish(p);
		p->rgb = malloc(3 * (size_t)f->width * f->height);
		if (!p->rgb) {
			return -ENOMEM;
		}
		p->width = f->width;
		p->height = f->height;
	}
	for (uint32_t y = 0; y < f->height; y++) {
		const uint8_t *row = f->host + (size_t)y * f->stride_bytes;
		uint8_t *rgb = p->rgb + 3 * (size_t)y * f->width;
		if (f->format == DISPLAY_RGB565) {
			widen_565(rgb, row, f->width);
			continue;
		}
		for (uint32_t x = 0; x < f->width; x++) {
			rgb[3 * x] = row[4 * x + 2];
			rgb[3 * x + 1] = row[4 * x + 1];
			rgb[3 * x + 2] = row[4 * x];
		}
	}
	return 0;
}

void frame_sink_put(struct frame_sink *s, unsigned output, const struct frame *frame) {
	if (s->error < 0) {
		return;
	}
	s->error = take_picture(&s->picture, frame);
	if (s->error == 0) {
		s->put(s, output, frame->time_ns);
		s->frames++;
	}
}

void frame_sink_repeat(struct frame_sink *s, unsigned output) {
	if (s->error == 0 && s->video && output == 0) {
		s->error = put_bytes(s, s->video, s->video_bytes);
	}
}

bool frame_sink_repeats(const struct frame_sink *s) {
	return s->video && s->error == 0;
}

int frame_sink_error(const struct frame_sink *s) {
	return s->error;
}
