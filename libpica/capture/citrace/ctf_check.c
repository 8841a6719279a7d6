/* Checks a CiTrace file; later code needs no bounds checks. [fidelity: citrace-variants] */
#include "capture/citrace/ctf.h"

#include <errno.h>
#include <inttypes.h>

static const char *const array_name[CTF_ARRAY_COUNT] = {
	[CTF_GPU] = "gpu_registers",
	[CTF_LCD] = "lcd_registers",
	[CTF_PICA] = "pica_registers",
	[CTF_ATTRIBUTES] = "default_attributes",
	[CTF_VS_CODE] = "vs_program_binary",
	[CTF_VS_DESCRIPTORS] = "vs_swizzle_data",
	[CTF_VS_UNIFORMS] = "vs_float_uniforms",
	[CTF_GS_CODE] = "gs_program_binary",
	[CTF_GS_DESCRIPTORS] = "gs_swizzle_data",
	[CTF_GS_UNIFORMS] = "gs_float_uniforms",
};

bool ctf_memory_ok(uint32_t addr, uint32_t size_bytes) {
	/* DSP memory, WRAM and FCRAM follow each other.  [fidelity: memory-map] */
	static const struct {
		uint32_t start;
		uint64_t end;
	} regions[] = {
		{ 0x18000000, 0x18600000 },
		{ 0x1F000000, 0x1F400000 },
		{ 0x1FF00000, 0x30000000 },
	};
	for (size_t i = 0; i < ARRAY_LEN(regions); i++) {
		if (addr >= regions[i].start && (uint64_t)addr + size_bytes <= regions[i].end) {
			return true;
		}
	}
	return false;
}

bool ctf_register_ok(uint32_t addr) {
	bool is_lcd = addr >= CTF_LCD_FIRST && addr <= CTF_LCD_LAST;
	bool is_gpu = addr >= CTF_GPU_FIRST && addr <= CTF_GPU_LAST;
	return (is_lcd || is_gpu) && addr % 4 == 0;
}

/* Returns the name of another form that data may have. */
static const char *kind_of(const uint8_t *data, uint64_t size) {
	static const struct {
		const char *kind;
		uint8_t len;
		char bytes[8];
	} kinds[] = {
		{ "a PNG picture", 8, "\x89PNG\r\n\x1A\n" }, { "a PPM picture", 2, "P6" },
		{ "a QOI picture", 4, "qoif" }, { "a .shbin program", 4, "DVLB" },
		{ "packed by gzip", 2, "\x1F\x8B" }, { "packed by xz", 6, "\xFD" "7zXZ" },
		{ "a zip archive", 4, "PK\3\4" }, { "a program", 4, "\x7F" "ELF" },
	};
	if (size == 0) {
		return "an empty file";
	}
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (size >= kinds[i].len && memcmp(data, kinds[i].bytes, kinds[i].len) == 0) {
			return kinds[i].kind;
		}
	}
	return NULL;
}

static int not_a_capture(const struct ctf *c, struct pica_capture_error *err) {
	static const char expected[] =
			"not a capture: expected the bytes \"CiTr\" or \"\\x89PICA\"";
	const char *kind = kind_of(c->data, c->size);
	return capture_fail(&c->base.source, err, -EINVAL, 0, "%s%s%s", expected,
			kind ? ", this is " : "", kind ? kind : "");
}

static int check_magic(const struct ctf *c, struct pica_capture_error *err) {
	if (c->size < 4 || capture_u32(c->data) != CTF_MAGIC) {
		return not_a_capture(c, err);
	}
	if (c->size < CTF_HEADER_OLD) {
		return capture_fail(&c->base.source, err, -EINVAL, c->size,
				"the file ends in its header, expected at least %d bytes",
				CTF_HEADER_OLD);
	}
	uint32_t version = capture_u32(c->data + 4), header = capture_u32(c->data + 8);
	if (version != CTF_VERSION) {
		return capture_fail(&c->base.source, err, -EOPNOTSUPP, 4,
				"expected version %d, found %" PRIu32, CTF_VERSION, version);
	}
	if (header != CTF_HEADER_FULL && header != CTF_HEADER_OLD) {
		return capture_fail(&c->base.source, err, -EINVAL, 8,
				"expected a header of %d or %d bytes, found %" PRIu32,
				CTF_HEADER_OLD, CTF_HEADER_FULL, header);
	}
	if (c->size < header) {
		return capture_fail(&c->base.source, err, -EINVAL, c->size,
				"the file ends in its header, expected %" PRIu32 " bytes", header);
	}
	return 0;
}

/* at: of the two words in the header */
static int check_stream(
		struct ctf *c, uint32_t at, uint32_t header, struct pica_capture_error *err) {
	uint32_t stream = capture_u32(c->data + at), length = capture_u32(c->data + at + 4);
	if (length == 0 || stream > c->size) {
		/*
		 * The form written since the recorder's hooks were removed.  [fidelity:
		 * citrace-variants]
		 */
		static const char why[] =
				"recorded by Azahar or a build of Citra after December 2023, whose "
				"recorder stores none; record with an older build";
		if (length == 0) {
			return capture_fail(&c->base.source, err, -EOPNOTSUPP, at + 4,
					"no stream (count 0): %s", why);
		}
		return capture_fail(&c->base.source, err, -EOPNOTSUPP, at,
				"stream of %" PRIu32 " elements: expected at 0x%" PRIX32
				", found the end of the file at 0x%" PRIX64 ": cut short, or %s",
				length, stream, c->size, why);
	}
	if (stream < header) {
		return capture_fail(&c->base.source, err, -EINVAL, at,
				"stream offset: expected at least %" PRIu32 ", found %" PRIu32,
				header, stream);
	}
	c->stream = stream;
	c->base.info.form = header == CTF_HEADER_OLD ? PICA_CAPTURE_CTF_2015_04 :
						       PICA_CAPTURE_CTF_2015_05;
	c->count = length;
	if ((uint64_t)stream + length == c->size) {
		c->base.info.form = PICA_CAPTURE_CTF_BYTES;
		c->count = length / CTF_ELEMENT;
		if (length % CTF_ELEMENT != 0) {
			return capture_fail(&c->base.source, err, -EINVAL, at + 4,
					"stream size: expected a multiple of %d bytes, found %" PRIu32,
					CTF_ELEMENT, length);
		}
	}
	uint64_t room = (c->size - stream) / CTF_ELEMENT;
	if (c->count > room) {
		return capture_fail(&c->base.source, err, -EINVAL, at + 4,
				"stream at 0x%" PRIX32 ": expected %" PRIu32
				" elements, found the end of the file after %" PRIu64 " of them",
				stream, c->count, room);
	}
	c->base.info.elements = c->count;
	return 0;
}

static int check_arrays(struct ctf *c, uint32_t header, struct pica_capture_error *err) {
	uint32_t at = CTF_HEADER_ARRAYS;
	for (unsigned i = 0; i < CTF_ARRAY_COUNT; i++) {
		if (i == CTF_ATTRIBUTES && header == CTF_HEADER_OLD) {
			continue;
		}
		uint32_t offset = capture_u32(c->data + at), words = capture_u32(c->data + at + 4);
		uint64_t end = offset + 4 * (uint64_t)words;
		if (words > 0 && offset < header) {
			return capture_fail(&c->base.source, err, -EINVAL, at,
					"%s: expected an offset beyond the header (%" PRIu32
					"), found %" PRIu32,
					array_name[i], header, offset);
		}
		if (words > 0 && end > c->size) {
			return capture_fail(&c->base.source, err, -EINVAL, at,
					"%s: %" PRIu32 " words at 0x%" PRIX32 " end at 0x%" PRIX64
					", expected at most the file's 0x%" PRIX64 " bytes",
					array_name[i], words, offset, end, c->size);
		}
		c->array[i].offset = words > 0 ? offset : header;
		c->array[i].words = words;
		at += 8;
	}
	return check_stream(c, at, header, err);
}

/* {address, value} or {address, width, value}: the same for the whole file. */
static bool has_plain_writes(const struct ctf *c) {
	if (c->base.info.form == PICA_CAPTURE_CTF_BYTES) {
		return true;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		const uint8_t *p = c->data + ctf_element_offset(c, i);
		uint32_t second = capture_u32(p + 8);
		if (capture_u32(p) == CTF_WRITE &&
				(second < CTF_WIDTH_8 || second > CTF_WIDTH_64)) {
			return true;
		}
	}
	return false;
}

static int check_load(struct ctf *c, const struct ctf_element *e, uint64_t at,
		struct pica_capture_error *err) {
	if (e->size > CTF_MAX_LOAD) {
		return capture_fail(&c->base.source, err, -EINVAL, at + 8,
				"memory load: expected at most %d bytes, found %" PRIu32,
				CTF_MAX_LOAD, e->size);
	}
	if ((uint64_t)e->data + e->size > c->size) {
		return capture_fail(&c->base.source, err, -EINVAL, at + 4,
				"memory load: %" PRIu32 " bytes at 0x%" PRIX32
				", expected them inside of the file's 0x%" PRIX64 " bytes",
				e->size, e->data, c->size);
	}
	if (e->size == 0) {
		if (c->base.info.skipped_empty_loads++ == 0) {
			c->empty_load = e->addr;
		}
	} else if (!ctf_memory_ok(e->addr, e->size)) {
		c->base.info.skipped_loads++;
	} else {
		c->base.info.loads++;
		c->base.info.load_bytes += e->size;
	}
	return 0;
}

static void check_write(struct ctf *c, const struct ctf_element *e) {
	if (e->width != CTF_WIDTH_32) {
		c->base.info.skipped_widths++;
	} else if (!ctf_register_ok(e->addr)) {
		c->base.info.skipped_writes++;
	} else {
		c->base.info.reg_writes++;
		c->base.info.lists += e->addr == CTF_LIST_START && (e->value & 1);
	}
}

int ctf_check(struct ctf *c, struct pica_capture_error *err) {
	int ret = check_magic(c, err);
	if (ret == 0) {
		ret = check_arrays(c, capture_u32(c->data + 8), err);
	}
	if (ret < 0) {
		return ret;
	}
	c->plain_writes = has_plain_writes(c);
	for (uint32_t i = 0; i < c->count; i++) {
		struct ctf_element e = ctf_element_at(c, i);
		uint64_t at = ctf_element_offset(c, i);
		c->base.info.tail_elements++;
		switch (e.type) {
		case CTF_FRAME:
			c->base.info.frames++;
			c->base.info.tail_elements = 0;
			break;
		case CTF_LOAD:
			ret = check_load(c, &e, at, err);
			if (ret < 0) {
				return ret;
			}
			break;
		case CTF_WRITE:
			check_write(c, &e);
			break;
		default:
			return capture_fail(&c->base.source, err, -EINVAL, at,
					"element %" PRIu32
					": expected type E1 (frame), E2 (memory) or E3 (register), found %02" PRIX32,
					i, e.type);
		}
	}
	return 0;
}
