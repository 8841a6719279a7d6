/*
 * Writes CiTrace files of the form with the stream size in bytes (pica_capture.h). Header and
 * arrays are written first, memory as it comes; the stream is kept and follows at the end, when the
 * header is written again with its place and size. Therefore a compressed capture is first written
 * uncompressed to an unnamed file, and compressed at the end.
 */
#include "capture/citrace/ctf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

#include "capture/disk/dedup.h"
#include "capture/disk/disk.h"
#include "capture/disk/zst.h"

struct pica_ctf_writer {
	/* plain: the uncompressed file of a compressed capture */
	struct disk_file result, plain;
	FILE *file;     /* the capture as it grows: of plain, or of result */
	FILE *packed;   /* of result, if it is compressed; or NULL */
	int error;      /* the first one */
	bool is_whole;  /* the stream has been written; nothing can follow */
	uint64_t size;  /* bytes in file so far */
	uint64_t limit; /* most bytes that a reader takes */
	uint32_t header[CTF_HEADER_FULL / 4];

	uint8_t *stream; /* n_elements of CTF_ELEMENT bytes */
	uint64_t n_elements, room_elements;

	struct dedup stored; /* place: offset */
};

static int fail(struct pica_ctf_writer *w, int error) {
	if (w->error == 0) {
		w->error = error;
	}
	return w->error;
}

static int put_bytes(struct pica_ctf_writer *w, const void *data, uint64_t size) {
	if (w->error || w->is_whole) {
		return w->error ? w->error : fail(w, -EINVAL);
	}
	/* The stream must fit after the memory, and the whole file within the limit. */
	if (w->size + size + (w->n_elements + 1) * CTF_ELEMENT > w->limit) {
		return fail(w, -EFBIG);
	}
	errno = 0;
	if (size > 0 && fwrite(data, 1, size, w->file) != size) {
		return fail(w, errno ? -errno : -EIO);
	}
	w->size += size;
	return 0;
}

static int put_array(struct pica_ctf_writer *w, enum ctf_array array, const uint32_t *words,
		uint32_t n, uint32_t n_zero) {
	static const uint32_t zeros[256];
	w->header[(CTF_HEADER_ARRAYS + 8 * array) / 4] = (uint32_t)w->size;
	w->header[(CTF_HEADER_ARRAYS + 8 * array) / 4 + 1] = n + n_zero;
	put_bytes(w, words, 4 * (uint64_t)n);
	while (n_zero > 0) {
		uint32_t step = n_zero < ARRAY_LEN(zeros) ? n_zero : (uint32_t)ARRAY_LEN(zeros);
		put_bytes(w, zeros, 4 * (uint64_t)step);
		n_zero -= step;
	}
	return w->error;
}

static void put_shader(
		struct pica_ctf_writer *w, enum ctf_array code, const struct pica_shader_state *s) {
	/* 4096 words of descriptors, as recorders of this form write; the unit has 128. */
	const uint32_t n_descriptors = ARRAY_LEN(s->operand_descriptors);
	put_array(w, code, s->code, ARRAY_LEN(s->code), 0);
	put_array(w, code + 1, s->operand_descriptors, n_descriptors,
			ARRAY_LEN(s->code) - n_descriptors);
	put_array(w, code + 2, &s->uniforms[0][0], ARRAY_LEN(s->uniforms) * 4, 0);
}

static int put_state(struct pica_ctf_writer *w, const struct pica_state *s) {
	w->header[0] = CTF_MAGIC;
	w->header[1] = CTF_VERSION;
	w->header[2] = CTF_HEADER_FULL;
	put_bytes(w, w->header, CTF_HEADER_FULL);
	put_array(w, CTF_GPU, s->external, PICA_EXTERNAL_WORDS, 0);
	put_array(w, CTF_LCD, s->lcd, PICA_LCD_WORDS, 0);
	put_array(w, CTF_PICA, s->regs, PICA_REG_COUNT, 0);
	put_array(w, CTF_ATTRIBUTES, &s->fixed_attributes[0][0], 16 * 4, 0);
	put_shader(w, CTF_VS_CODE, &s->vs);
	put_shader(w, CTF_GS_CODE, &s->gs);
	return w->error;
}

/* Opens a separate stream on the file, which the disk still owns. */
static int open_stream(FILE **out, const struct disk_file *f) {
	int fd = dup(f->fd);
	*out = fd < 0 ? NULL : fdopen(fd, "w+b");
	if (!*out) {
		int ret = -errno;
		if (fd >= 0) {
			close(fd);
		}
		return ret;
	}
	return 0;
}

static bool is_zst(const char *path) {
	size_t len = strlen(path);
	return len >= 4 && strcmp(path + len - 4, ".zst") == 0;
}

static int open_files(struct pica_ctf_writer *w, const char *path) {
	w->limit = UINT32_MAX;
	int ret = disk_begin(&w->result, path);
	if (ret < 0 || !is_zst(path)) {
		return ret < 0 ? ret : open_stream(&w->file, &w->result);
	}
	w->limit = ZST_MAX_BYTES;
	ret = open_stream(&w->packed, &w->result);
	ret = ret < 0 ? ret : disk_begin(&w->plain, path);
	if (ret < 0) {
		return ret;
	}
	disk_hide(&w->plain);
	return open_stream(&w->file, &w->plain);
}

PICA_EXPORT int pica_ctf_writer_create(struct pica_ctf_writer **out, const char *path,
		const struct pica_state *initial) {
	struct pica_state *zero = NULL;
	struct pica_ctf_writer *w = calloc(1, sizeof(*w));
	if (!w) {
		return -ENOMEM;
	}
	w->result = w->plain = (struct disk_file){ .fd = -1, .folder = -1 };
	if (!initial) {
		zero = calloc(1, sizeof(*zero));
	}
	int ret = initial || zero ? open_files(w, path) : -ENOMEM;
	if (ret == 0) {
		ret = put_state(w, initial ? initial : zero);
	}
	free(zero);
	if (ret < 0) {
		pica_ctf_writer_destroy(w);
		return ret;
	}
	*out = w;
	return 0;
}

/* ---- Stream ---- */

static int put_element(
		struct pica_ctf_writer *w, uint32_t type, uint32_t a, uint32_t b, uint32_t c) {
	if (w->error || w->is_whole) {
		return w->error ? w->error : fail(w, -EINVAL);
	}
	if (w->size + (w->n_elements + 1) * CTF_ELEMENT > w->limit) {
		return fail(w, -EFBIG);
	}
	if (w->n_elements == w->room_elements) {
		uint64_t room = w->room_elements ? 2 * w->room_elements : 1024;
		uint8_t *stream = realloc(w->stream, room * CTF_ELEMENT);
		if (!stream) {
			return fail(w, -ENOMEM);
		}
		w->stream = stream;
		w->room_elements = room;
	}
	const uint32_t words[CTF_ELEMENT / 4] = { type, a, b, c, 0 };
	memcpy(w->stream + w->n_elements++ * CTF_ELEMENT, words, sizeof(words));
	return 0;
}

PICA_EXPORT int pica_ctf_writer_memory(struct pica_ctf_writer *w, uint32_t addr, const void *data,
		uint32_t size_bytes) {
	if (w->error) {
		return w->error;
	}
	if (size_bytes == 0 || size_bytes > CTF_MAX_LOAD) {
		return fail(w, -EINVAL);
	}
	if (!ctf_memory_ok(addr, size_bytes)) {
		return fail(w, -ERANGE);
	}
	int is_new;
	struct dedup_entry *s = dedup_find(&w->stored, data, size_bytes, &is_new);
	if (!s) {
		return fail(w, -ENOMEM);
	}
	if (is_new) {
		s->place = w->size;
		if (put_bytes(w, data, size_bytes) < 0) {
			return w->error;
		}
	}
	return put_element(w, CTF_LOAD, (uint32_t)s->place, size_bytes, addr);
}

PICA_EXPORT int pica_ctf_writer_reg_write(
		struct pica_ctf_writer *w, uint32_t addr, uint32_t value) {
	if (!ctf_register_ok(addr)) {
		return fail(w, -EINVAL);
	}
	return put_element(w, CTF_WRITE, addr, value, 0);
}

PICA_EXPORT int pica_ctf_writer_list(
		struct pica_ctf_writer *w, uint32_t addr, uint32_t size_bytes) {
	if (addr % 16 != 0 || size_bytes % 8 != 0) {
		return fail(w, -EINVAL);
	}
	pica_ctf_writer_reg_write(w, CTF_LIST_SIZE, size_bytes >> 3);
	pica_ctf_writer_reg_write(w, CTF_LIST_ADDR, addr >> 3);
	return pica_ctf_writer_reg_write(w, CTF_LIST_START, 1);
}

PICA_EXPORT int pica_ctf_writer_frame(struct pica_ctf_writer *w) {
	return put_element(w, CTF_FRAME, 0, 0, 0);
}

/* ---- End ---- */

static int write_end(struct pica_ctf_writer *w) {
	if (w->error || w->is_whole) {
		return w->error;
	}
	if (w->n_elements == 0) {
		return fail(w, -EINVAL);
	}
	w->header[CTF_HEADER_FULL / 4 - 2] = (uint32_t)w->size;
	w->header[CTF_HEADER_FULL / 4 - 1] = (uint32_t)(w->n_elements * CTF_ELEMENT);
	errno = 0;
	if (fwrite(w->stream, CTF_ELEMENT, w->n_elements, w->file) != w->n_elements ||
			fseek(w->file, 0, SEEK_SET) != 0 ||
			fwrite(w->header, 1, CTF_HEADER_FULL, w->file) != CTF_HEADER_FULL ||
			fseek(w->file, 0, SEEK_SET) != 0) {
		return fail(w, errno ? -errno : -EIO);
	}
	FILE *result = w->file;
	if (w->packed) {
		int ret = zst_compress_file(
				w->file, w->size + w->n_elements * CTF_ELEMENT, w->packed);
		if (ret < 0) {
			return fail(w, ret);
		}
		result = w->packed;
	}
	if (fflush(result) != 0) {
		return fail(w, errno ? -errno : -EIO);
	}
	w->is_whole = true;
	return 0;
}

int ctf_writer_end(struct pica_ctf_writer *w, const struct disk_file **file) {
	*file = &w->result;
	return write_end(w);
}

PICA_EXPORT int pica_ctf_writer_finish(struct pica_ctf_writer *w) {
	int ret = write_end(w);
	ret = ret < 0 ? ret : disk_commit(&w->result);
	pica_ctf_writer_destroy(w);
	return ret;
}

PICA_EXPORT void pica_ctf_writer_destroy(struct pica_ctf_writer *w) {
	if (!w) {
		return;
	}
	if (w->file) {
		fclose(w->file);
	}
	if (w->packed) {
		fclose(w->packed);
	}
	disk_drop(&w->plain);
	disk_drop(&w->result);
	free(w->stream);
	dedup_finish(&w->stored);
	free(w);
}
