/*
 * Buffers of a window, which the compositor maps, too. They lie in one memfd of sealed size: each
 * begins at a page, and its rows are multiples of 256 bytes, so that a compositor may import them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "service/display_window.h"

enum { ROW_ALIGN = 256, PAGE = 4096 };

static void on_release(void *data, struct wl_buffer *wl) {
	struct window_buffer *b = data;
	b->is_busy = false;
}

static const struct wl_buffer_listener buffer_listener = { .release = on_release };

void window_buffers_destroy(struct window_buffers *b) {
	for (unsigned i = 0; i < DISPLAY_BUFFERS; i++) {
		if (b->buffer[i].wl) {
			wl_buffer_destroy(b->buffer[i].wl);
		}
	}
	if (b->memory) {
		munmap(b->memory, b->memory_bytes);
	}
	*b = (struct window_buffers){ .width = 0 };
}

/* Returns a descriptor or a negative errno. */
static int sealed_memory(size_t size_bytes) {
	const int fd = memfd_create("picad-window", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0) {
		return -errno;
	}
	if (ftruncate(fd, (off_t)size_bytes) < 0 ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
		const int error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static size_t round_up(size_t n, size_t unit) {
	return (n + unit - 1) / unit * unit;
}

int window_buffers_create(
		struct window_buffers *b, struct wl_shm *shm, uint32_t width, uint32_t height) {
	const size_t stride = round_up(4 * (size_t)width, ROW_ALIGN);
	const size_t each = round_up(stride * height, PAGE);
	const size_t all = DISPLAY_BUFFERS * each; /* 768 MiB at most: the protocol has int32_t */
	const int fd = sealed_memory(all);
	if (fd < 0) {
		return fd;
	}
	uint8_t *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		const int error = -errno;
		close(fd);
		return error;
	}
	*b = (struct window_buffers){ .width = width, .height = height,
		.stride_bytes = (uint32_t)stride, .memory = memory, .memory_bytes = all };
	struct wl_shm_pool *pool = wl_shm_create_pool(shm, fd, (int32_t)all);
	for (unsigned i = 0; i < DISPLAY_BUFFERS; i++) {
		struct window_buffer *one = &b->buffer[i];
		one->host = memory + i * each;
		one->wl = wl_shm_pool_create_buffer(pool, (int32_t)(i * each), (int32_t)width,
				(int32_t)height, (int32_t)stride, WL_SHM_FORMAT_XRGB8888);
		wl_buffer_add_listener(one->wl, &buffer_listener, one);
	}
	wl_shm_pool_destroy(pool);
	close(fd);
	return 0;
}
