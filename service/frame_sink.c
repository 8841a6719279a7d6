#include "service/frame_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pictures/file.h"
#include "pictures/writer.h"
#include "pictures/y4m.h"

enum { PATH_BYTES = 4096 };

struct kind {
	const char *prefix;
	/* Checks the requirements, without opening FILE. */
	int (*init)(struct frame_sink *s);
	/* A reader of FILE gets this first. NULL: nothing. */
	int (*begin)(struct frame_sink *s);
	/* Takes the picture; is_open: and writes it. */
	int (*put)(struct frame_sink *s, unsigned output, uint64_t time_ns, bool is_open);
};

struct frame_sink {
	const struct kind *kind;
	struct display_output output[DISPLAY_OUTPUTS];
	unsigned n_outputs;
	struct picture picture; /* the last one, of any output */
	const char *where;      /* FILE or PATTERN, in named */
	char *named;
	char path[PATH_BYTES];  /* the file that was written last */
	struct file_out file;   /* hash, y4m */
	bool has_file;
	bool is_pipe;           /* a named pipe: open while it has a reader */
	uint8_t *video;         /* y4m: the last picture */
	size_t video_bytes;
	uint64_t flips[DISPLAY_OUTPUTS];
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

/* A file of our own gets all bytes or none. */
static int put_bytes(const struct frame_sink *s, const void *bytes, size_t n) {
	const int fd = fileno(s->file.f);
	const bool is_ours = s->file.disk; /* a regular file, which does not block */
	const off_t begin = is_ours ? lseek(fd, 0, SEEK_CUR) : 0;
	const uint8_t *p = bytes;
	while (n > 0) {
		int ret = is_ours ? 0 : wait_writable(s, fd);
		if (ret < 0) {
			return ret;
		}
		ssize_t done = write(fd, p, is_ours || n < PIPE_BUF ? n : PIPE_BUF);
		if (done < 0 && errno != EINTR && errno != EAGAIN) {
			ret = -errno;
			return is_ours && ftruncate(fd, begin) < 0 ? -errno : ret;
		}
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* Returns 0 for a pipe even without a reader: see has_file. */
static int open_pipe(struct frame_sink *s) {
	const int fd = open(s->where, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		return errno == ENXIO ? 0 : -errno;
	}
	s->file = (struct file_out){ .f = fdopen(fd, "wb") };
	if (!s->file.f) {
		close(fd);
		return -ENOMEM;
	}
	s->has_file = true;
	return 0;
}

static int close_file(struct frame_sink *s) {
	struct stat st;
	int ret = 0;
	if (s->has_file) {
		/* Written pictures are complete; a file without a header is not kept. */
		const bool is_kept = s->file.disk && fstat(fileno(s->file.f), &st) == 0 &&
				st.st_size > 0;
		const int result = is_kept ? 0 : s->error;
		ret = file_finish(&s->file, result);
		ret = result < 0 ? 0 : ret;
		s->has_file = false;
	}
	return ret;
}

/* The next reader gets a video from its start. */
static void keep_error(struct frame_sink *s, int error) {
	s->error = error;
	if (s->is_pipe && error == -EPIPE) {
		close_file(s);
		s->error = 0;
	}
}

/* Returns 0 or the error of opening the file; the header is written like a picture. */
static int open_file(struct frame_sink *s) {
	const int ret = s->is_pipe ? open_pipe(s) : file_begin(&s->file, s->where);
	s->has_file |= !s->is_pipe && ret == 0;
	if (s->has_file && s->kind->begin) {
		keep_error(s, s->kind->begin(s));
	}
	return ret;
}

static bool is_open(struct frame_sink *s) {
	if (s->is_pipe && !s->has_file) {
		const int ret = open_file(s);
		if (ret < 0) {
			keep_error(s, ret);
		}
	}
	return s->has_file && s->error == 0;
}

/* ---- Kinds ---- */

static int init_file(struct frame_sink *s) {
	struct stat st;
	s->is_pipe = strcmp(s->where, "-") != 0 && stat(s->where, &st) == 0 && S_ISFIFO(st.st_mode);
	snprintf(s->path, sizeof(s->path), "%s", file_shown(s->where));
	return open_file(s);
}

static int put_hash(struct frame_sink *s, unsigned output, uint64_t time_ns, bool is_open) {
	char hash[PICTURE_HASH_TEXT], line[128];
	uint64_t number = 0; /* counted over all outputs */
	if (!is_open) {
		return 0;
	}
	for (unsigned i = 0; i < s->n_outputs; i++) {
		number += s->flips[i];
	}
	picture_hash(&s->picture, hash);
	int n = snprintf(line, sizeof(line), "%" PRIu64 " %u %s %" PRIu64 "\n", number, output,
			hash, time_ns);
	return put_bytes(s, line, (size_t)n);
}

/* Replaces {frame} and {output}. -ENAMETOOLONG. */
static int expand(struct frame_sink *s, unsigned output) {
	char *path = s->path;
	size_t n = 0;
	for (const char *p = s->where; *p;) {
		int len = 1;
		const size_t room = PATH_BYTES - n;
		if (strncmp(p, "{frame}", 7) == 0) {
			len = snprintf(path + n, room, "%06" PRIu64, s->flips[output]);
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

/* Checks that the folders of the first picture exist and are writable now. */
static int init_png(struct frame_sink *s) {
	char folder[PATH_BYTES];
	struct stat st;
	int ret = 0;
	for (unsigned i = 0; ret == 0 && i < s->n_outputs; i++) {
		ret = expand(s, i);
		memcpy(folder, s->path, sizeof(folder));
		const char *name = dirname(folder);
		if (ret == 0 && stat(name, &st) < 0) {
			ret = -errno;
		}
		ret = ret == 0 && !S_ISDIR(st.st_mode) ? -ENOTDIR : ret;
		if (ret == 0 && faccessat(AT_FDCWD, name, W_OK | X_OK, AT_EACCESS) < 0) {
			ret = -errno;
		}
	}
	return ret;
}

static int put_png(struct frame_sink *s, unsigned output, uint64_t time_ns, bool is_open) {
	int ret = expand(s, output);
	return ret < 0 ? ret : picture_write_png(&s->picture, s->path);
}

static int init_video(struct frame_sink *s) {
	s->video_bytes = y4m_picture_bytes(s->output[0].width, s->output[0].height);
	s->video = malloc(s->video_bytes);
	return s->video ? init_file(s) : -ENOMEM;
}

static int begin_video(struct frame_sink *s) {
	char header[Y4M_HEADER_BYTES];
	const struct display_output *o = &s->output[0];
	return put_bytes(s, header,
			y4m_header(header, o->width, o->height, o->refresh_mhz, 1000));
}

static int put_video(struct frame_sink *s, unsigned output, uint64_t time_ns, bool is_open) {
	if (output != 0) {
		return 0;
	}
	y4m_picture(s->video, &s->picture); /* also for a reader of its repetitions */
	return is_open ? put_bytes(s, s->video, s->video_bytes) : 0;
}

static const struct kind kinds[] = {
	{ "hash:", init_file, NULL, put_hash },
	{ "png:", init_png, NULL, put_png },
	{ "y4m:", init_video, begin_video, put_video },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- Face ---- */

static const struct kind *find_kind(const char *where) {
	for (unsigned i = 0; i < N_KINDS; i++) {
		const size_t n = strlen(kinds[i].prefix);
		if (strncmp(where, kinds[i].prefix, n) == 0 && where[n]) {
			return &kinds[i];
		}
	}
	return NULL;
}

const char *frame_sink_expected(const char *where, unsigned n_outputs) {
	const struct kind *kind = find_kind(where);
	if (!kind) {
		return strcmp(where, "none") == 0 ? NULL : "hash:FILE, png:PATTERN, y4m:FILE or none";
	}
	if (kind->init != init_png) {
		return NULL;
	}
	for (const char *p = where; (p = strchr(p, '{')); p++) {
		if (strncmp(p, "{frame}", 7) != 0 && strncmp(p, "{output}", 8) != 0) {
			return "{frame} and {output}, no other name in braces";
		}
	}
	if (n_outputs > 1 && !strstr(where, "{output}")) {
		return "a pattern with {frame} and, for several outputs, {output}";
	}
	return strstr(where, "{frame}") ? NULL : "a pattern with {frame}";
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
	s->n_outputs = n;
	memcpy(s->output, outputs, n * sizeof(*outputs));
	s->named = strdup(where);
	s->kind = frame_sink_expected(where, n) ? NULL : find_kind(where);
	int ret = !s->named ? -ENOMEM : !s->kind ? -EINVAL : 0;
	if (ret == 0) {
		s->where = s->named + strlen(s->kind->prefix);
		ret = s->kind->init(s);
	}
	if (ret < 0) {
		s->error = ret;
		frame_sink_destroy(s);
		return ret;
	}
	*out = s;
	return 0;
}

int frame_sink_destroy(struct frame_sink *s) {
	if (!s) {
		return 0;
	}
	const int ret = close_file(s);
	picture_finish(&s->picture);
	free(s->video);
	free(s->named);
	free(s);
	return ret;
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
		const bool opened = is_open(s);
		if (s->error == 0) {
			keep_error(s, s->kind->put(s, output, frame->time_ns, opened));
		}
		s->flips[output]++;
	}
}

void frame_sink_repeat(struct frame_sink *s, unsigned output) {
	if (s->error == 0 && s->video && output == 0 && is_open(s)) {
		keep_error(s, put_bytes(s, s->video, s->video_bytes));
	}
}

bool frame_sink_repeats(const struct frame_sink *s) {
	return s->video && s->error == 0;
}

bool frame_sink_waits(const struct frame_sink *s) {
	return s->is_pipe && !s->has_file && s->error == 0;
}

int frame_sink_error(const struct frame_sink *s) {
	return s->error;
}

const char *frame_sink_path(const struct frame_sink *s) {
	return s->path;
}
