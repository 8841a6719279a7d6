/* Reading CiTrace files. Checks are in ctf_check.c, list sizes in ctf_sizes.c, zstd in zst.c. */
#include "capture/ctf.h"

#include <errno.h>
#include <stdlib.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/f24.h"
#include "capture/zst.h"
#include "regs/regfile.h"
#include "regs/regs.h"

/* ---- State ---- */

static uint32_t min_u32(uint32_t a, uint32_t b) {
	return a < b ? a : b;
}

/* Up to n words of an array; the others stay as they are. Returns the number that the file has. */
static uint32_t load_words(
		const struct pica_capture *c, enum ctf_array array, uint32_t *out, uint32_t n) {
	uint32_t have = min_u32(c->array[array].words, n);
	memcpy(out, c->data + c->array[array].offset, have * sizeof(*out));
	return have;
}

/*
 * x, y, z, w of f24 in the low 24 bits. Recorders of the Citra family leave w uninitialised: what
 * has anything in its top byte is no f24.  [spec/captures.md 2.2]
 */
static void clean_vectors(uint32_t (*v)[4], uint32_t n, uint32_t unknown_w, bool keep_w) {
	for (uint32_t i = 0; i < n; i++) {
		if (!keep_w || v[i][3] >> 24 != 0) {
			v[i][3] = unknown_w;
		}
		for (int k = 0; k < 3; k++) {
			v[i][k] &= 0xFFFFFF;
		}
	}
}

static void load_shader(
		const struct pica_capture *c, enum ctf_array code, struct pica_shader_state *out) {
	load_words(c, code, out->code, ARRAY_LEN(out->code));
	load_words(c, code + 1, out->operand_descriptors, ARRAY_LEN(out->operand_descriptors));
	uint32_t have = load_words(c, code + 2, &out->uniforms[0][0], ARRAY_LEN(out->uniforms) * 4);
	clean_vectors(out->uniforms, have / 4, 0, true);
}

/*
 * Recorders do not keep the registers that only the CPU writes; a program finds them as system software
 * set them.  [spec/registers.md 1.5]
 */
static void set_up_interrupts(uint32_t *regs) {
	if (regs[REG_IRQ_CMP0] || regs[REG_IRQ_MASK_LOW] || regs[REG_IRQ_MASK_HIGH] || regs[REG_IRQ_AUTOSTOP]) {
		return;
	}
	struct regfile reset;
	regfile_init(&reset);
	regs[REG_IRQ_CMP0] = reset.w[REG_IRQ_CMP0];
	regs[REG_IRQ_MASK_LOW] = reset.w[REG_IRQ_MASK_LOW];
	regs[REG_IRQ_MASK_HIGH] = reset.w[REG_IRQ_MASK_HIGH];
	regs[REG_IRQ_AUTOSTOP] = reset.w[REG_IRQ_AUTOSTOP];
}

static void load_state(struct pica_capture *c) {
	struct pica_state *s = &c->state;
	const bool is_exact = c->info.form == PICA_CAPTURE_CTF_BYTES;
	load_words(c, CTF_GPU, s->external, PICA_EXTERNAL_WORDS);
	load_words(c, CTF_LCD, s->lcd, PICA_LCD_WORDS);
	load_words(c, CTF_PICA, s->regs, PICA_REG_COUNT);
	set_up_interrupts(s->regs);
	uint32_t have = load_words(c, CTF_ATTRIBUTES, &s->fixed_attributes[0][0], 16 * 4);
	clean_vectors(s->fixed_attributes, have / 4, f32_to_f24(1.0f), is_exact);
	load_shader(c, CTF_VS_CODE, &s->vs);
	load_shader(c, CTF_GS_CODE, &s->gs);

	const bool has_gs = c->array[CTF_GS_CODE].words || c->array[CTF_GS_DESCRIPTORS].words ||
			c->array[CTF_GS_UNIFORMS].words;
	const bool is_separate = VSH_COM_MODE_SEPARATE(s->regs[REG_VSH_COM_MODE]) ||
			GEOSTAGE_CONFIG_GS(s->regs[REG_GEOSTAGE_CONFIG]) == GEOSTAGE_ON;
	if (!has_gs && !is_separate) {
		s->gs = s->vs; /* uploads reached both units  [spec/captures.md 3] */
	}
	c->info.missing |= PICA_CAPTURE_NO_MEMORY | PICA_CAPTURE_NO_TABLES;
	c->info.missing |= c->array[CTF_ATTRIBUTES].words ? 0 : PICA_CAPTURE_NO_ATTRIBUTES;
	c->info.missing |= has_gs ? 0 : PICA_CAPTURE_NO_GEOMETRY;
	c->info.missing |= is_exact ? 0 : PICA_CAPTURE_UNKNOWN_W;
	c->info.missing |= c->array[CTF_VS_CODE].words ? 0 : PICA_CAPTURE_NO_VERTEX_CODE;
}

/* ---- Opening ---- */

static int no_memory(const struct ctf_source *source, struct pica_capture_error *err) {
	return ctf_fail(source, err, -ENOMEM, UINT64_MAX, "memory is out");
}

/* Takes over owned (may be NULL) when it succeeds. */
static int open_plain(struct pica_capture **out, const uint8_t *data, uint64_t size, uint8_t *owned,
		const struct ctf_source *source, struct pica_capture_error *err) {
	struct pica_capture *c = calloc(1, sizeof(*c));
	if (!c) {
		return no_memory(source, err);
	}
	c->data = data;
	c->size = size;
	c->name = strdup(source->name);
	c->source = (struct ctf_source){ c->name, source->is_decompressed };
	int ret = c->name ? 0 : no_memory(source, err);
	if (ret == 0 && size > UINT32_MAX) {
		ret = ctf_fail(&c->source, err, -EFBIG, UINT64_MAX,
				"expected at most 4 GiB, which 32-bit offsets can name");
	}
	if (ret == 0) {
		ret = ctf_check(c, err);
	}
	if (ret == 0 && ctf_find_sizes(c) < 0) {
		ret = no_memory(&c->source, err);
	}
	if (ret < 0) {
		pica_capture_close(c);
		return ret;
	}
	load_state(c);
	c->owned = owned;
	*out = c;
	return 0;
}

/* Takes over owned (may be NULL), whatever happens. */
static int open_bytes(struct pica_capture **out, const uint8_t *data, uint64_t size, uint8_t *owned,
		const char *name, struct pica_capture_error *err) {
	struct ctf_source source = { .name = name };
	if (zst_is_compressed(data, size)) {
		uint8_t *plain;
		int ret = zst_decompress(&plain, &size, data, size, ZST_MAX_BYTES, name, err);
		free(owned);
		if (ret < 0) {
			return ret;
		}
		data = owned = plain;
		source.is_decompressed = true;
	}
	int ret = open_plain(out, data, size, owned, &source, err);
	if (ret < 0) {
		free(owned);
	}
	return ret;
}

PICA_EXPORT int pica_capture_open_memory(struct pica_capture **out, const void *data,
		size_t size_bytes, const char *name, struct pica_capture_error *err) {
	return open_bytes(out, data, size_bytes, NULL, name ? name : "memory", err);
}

/* The whole of a file that may change beneath us: what is read is what counts. */
static int read_file(int fd, uint8_t **data, uint64_t *size) {
	struct stat st;
	if (fstat(fd, &st) < 0) {
		return -errno;
	}
	if (!S_ISREG(st.st_mode)) {
		return -EINVAL;
	}
	if (st.st_size > (off_t)UINT32_MAX) {
		return -EFBIG;
	}
	uint64_t want = (uint64_t)st.st_size, have = 0;
	uint8_t *bytes = malloc(want > 0 ? want : 1);
	if (!bytes) {
		return -ENOMEM;
	}
	while (have < want) {
		ssize_t n = read(fd, bytes + have, want - have);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			int ret = -errno;
			free(bytes);
			return ret;
		}
		if (n == 0) {
			break; /* shrank; the checks will say where it ends */
		}
		have += (uint64_t)n;
	}
	*data = bytes;
	*size = have;
	return 0;
}

PICA_EXPORT int pica_capture_open(
		struct pica_capture **out, const char *path, struct pica_capture_error *err) {
	const struct ctf_source source = { .name = path };
	uint8_t *data = NULL;
	uint64_t size = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		int ret = -errno;
		return ctf_fail(&source, err, ret, UINT64_MAX, "%s", strerror(-ret));
	}
	int ret = read_file(fd, &data, &size);
	close(fd);
	if (ret < 0) {
		const char *why = strerror(-ret);
		if (ret == -EINVAL) {
			why = "not a regular file";
		} else if (ret == -EFBIG) {
			why = "expected at most 4 GiB, which 32-bit offsets can name";
		}
		return ctf_fail(&source, err, ret, UINT64_MAX, "%s", why);
	}
	return open_bytes(out, data, size, data, path, err);
}

PICA_EXPORT void pica_capture_close(struct pica_capture *c) {
	if (!c) {
		return;
	}
	free(c->sizes);
	free(c->name);
	free(c->owned);
	free(c);
}

/* ---- Reading ---- */

PICA_EXPORT const struct pica_state *pica_capture_state(const struct pica_capture *c) {
	return &c->state;
}

PICA_EXPORT void pica_capture_info(const struct pica_capture *c, struct pica_capture_info *out) {
	*out = c->info;
}

PICA_EXPORT void pica_capture_rewind(struct pica_capture *c) {
	c->next = 0;
	c->next_size = 0;
	c->frame = 0;
}

PICA_EXPORT void pica_capture_trust_loads(struct pica_capture *c, int trust) {
	c->trust_loads = trust != 0;
}

/* The job of a load or a write, or false if the element is left out. */
static bool make_job(
		const struct pica_capture *c, const struct ctf_element *e, struct pica_job *job) {
	if (e->type == CTF_LOAD) {
		if (e->size == 0 || !ctf_memory_ok(e->addr, e->size)) {
			return false;
		}
		job->op = PICA_OP_WRITE;
		job->flags = c->trust_loads ? 0 : PICA_WRITE_KEEP_RENDERED;
		job->u.write.addr = e->addr;
		job->u.write.size_bytes = e->size;
		job->u.write.data = (uint64_t)(uintptr_t)(c->data + e->data);
		return true;
	}
	if (e->width != CTF_WIDTH_32 || !ctf_register_ok(e->addr)) {
		return false;
	}
	job->op = PICA_OP_REG_WRITE;
	job->u.reg_write.addr = e->addr;
	job->u.reg_write.value = e->value;
	return true;
}

PICA_EXPORT int pica_capture_next(struct pica_capture *c, struct pica_capture_event *event) {
	while (c->next < c->count) {
		uint32_t i = c->next++;
		struct ctf_element e = ctf_element_at(c, i);
		memset(event, 0, sizeof(*event));
		event->frame = c->frame;
		event->offset = ctf_element_offset(c, i);
		if (c->next_size < c->n_sizes && c->sizes[c->next_size].element == i) {
			e.value = c->sizes[c->next_size++].value;
		}
		if (e.type == CTF_FRAME) {
			event->kind = PICA_CAPTURE_FRAME;
			event->job.op = PICA_OP_PRESENT;
			event->job.u.present.screens = 3;
			c->frame++;
			return 1;
		}
		if (make_job(c, &e, &event->job)) {
			event->kind = PICA_CAPTURE_JOB;
			return 1;
		}
	}
	return 0;
}
