/* CiTrace files: layout, and declarations shared by the files of this room.  [fidelity: citrace] */
#ifndef CAPTURE_CTF_H
#define CAPTURE_CTF_H

#include "capture/form/form.h"

/* "CiTr" */
#define CTF_MAGIC 0x72546943u

enum {
	CTF_VERSION = 1,

	CTF_HEADER_FULL = 100,
	CTF_HEADER_OLD = 92, /* without the default attributes */
	CTF_HEADER_ARRAYS = 12,

	CTF_ELEMENT = 20,
	CTF_FRAME = 0xE1,
	CTF_LOAD = 0xE2,
	CTF_WRITE = 0xE3,

	/* Widths of a register write in the layout of 2015 to 2023 */
	CTF_WIDTH_8 = 0xD1,
	CTF_WIDTH_32 = 0xD3,
	CTF_WIDTH_64 = 0xD4,

	CTF_MAX_LOAD = 256 << 20,
};

/* In the order of the header. */
enum ctf_array {
	CTF_GPU,
	CTF_LCD,
	CTF_PICA,
	CTF_ATTRIBUTES,
	CTF_VS_CODE,
	CTF_VS_DESCRIPTORS,
	CTF_VS_UNIFORMS,
	CTF_GS_CODE,
	CTF_GS_DESCRIPTORS,
	CTF_GS_UNIFORMS,
	CTF_ARRAY_COUNT,
};

/* Physical addresses of registers */
enum {
	CTF_LCD_FIRST = 0x10202000,
	CTF_LCD_LAST = 0x10202FFF,
	CTF_GPU_FIRST = 0x10400000,
	CTF_GPU_LAST = 0x10401FFF,
	CTF_LIST_SIZE = 0x104018E0,
	CTF_LIST_ADDR = 0x104018E8,
	CTF_LIST_START = 0x104018F0,
};

/* A list size recorded in bytes: the value that the write at this element stands for. */
struct ctf_size {
	uint32_t element;
	uint32_t value;
};

struct ctf {
	struct pica_capture base;
	const uint8_t *data; /* the whole capture, decompressed */
	uint64_t size;
	uint8_t *owned; /* data, if it is ours */

	struct {
		uint32_t offset, words;
	} array[CTF_ARRAY_COUNT];
	uint64_t stream;
	uint32_t count;    /* elements */
	bool plain_writes; /* {address, value}; else {address, width, value} */
	uint32_t empty_load; /* address of the first load of no bytes */

	struct ctf_size *sizes; /* n_sizes of them, by element */
	uint32_t n_sizes;

	/* Reading */
	uint32_t next, next_size, frame;
};

/* One element, decoded. The type determines the used fields. */
struct ctf_element {
	uint32_t type;
	uint32_t data;  /* load: offset in the capture */
	uint32_t size;  /* load: bytes */
	uint32_t addr;  /* load, write: physical */
	uint32_t width; /* write: CTF_WIDTH_... */
	uint32_t value; /* write */
};

/* i < count */
static inline struct ctf_element ctf_element_at(const struct ctf *c, uint32_t i) {
	const uint8_t *p = c->data + c->stream + (uint64_t)i * CTF_ELEMENT;
	struct ctf_element e = { .type = capture_u32(p) };
	if (e.type == CTF_LOAD) {
		e.data = capture_u32(p + 4);
		e.size = capture_u32(p + 8);
		e.addr = capture_u32(p + 12);
	} else if (e.type == CTF_WRITE) {
		e.addr = capture_u32(p + 4);
		e.width = c->plain_writes ? CTF_WIDTH_32 : capture_u32(p + 8);
		e.value = capture_u32(p + (c->plain_writes ? 8 : 12));
	}
	return e;
}

static inline uint64_t ctf_element_offset(const struct ctf *c, uint32_t i) {
	return c->stream + (uint64_t)i * CTF_ELEMENT;
}

/*
 * Returns whether the range is memory that the GPU can see: VRAM, the newer model's extra memory,
 * DSP, WRAM or FCRAM.
 */
bool ctf_memory_ok(uint32_t addr, uint32_t size_bytes);
/* Returns whether addr is an aligned register of the GPU or the LCD. */
bool ctf_register_ok(uint32_t addr);

/* Checks the whole file and fills everything but the state and the sizes. */
int ctf_check(struct ctf *c, struct pica_capture_error *err);
/* Finds the list sizes that are recorded in bytes. Returns 0 or -ENOMEM. */
int ctf_find_sizes(struct ctf *c);

bool ctf_is(const uint8_t *data, uint64_t size);
/* Takes over owned (may be NULL) when it succeeds. */
int ctf_open(struct pica_capture **out, const uint8_t *data, uint64_t size, uint8_t *owned,
		const struct capture_source *source, struct pica_capture_error *err);

struct disk_file;
/*
 * Writes the rest; *file becomes the whole capture, which the writer holds open. Returns 0 or a
 * negative errno.
 */
int ctf_writer_end(struct pica_ctf_writer *w, const struct disk_file **file);

#endif
