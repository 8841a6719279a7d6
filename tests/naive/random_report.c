/* Prints a difference that random-draws found. */
#include "random_rig.h"

#include <stdio.h>
#include <string.h>

#include "pica/regs/regs.h"

static unsigned pixel_bytes(bool depth, unsigned format) {
	static const unsigned color_bytes[8] = { 4, 3, 2, 2, 2, 4, 4, 4 },
			      depth_bytes[4] = { 2, 4, 3, 4 };
	return depth ? depth_bytes[format & 3] : color_bytes[format & 7];
}

/* Which pixel of the present target lies at an address. */
static void describe_pixel(const struct target *t, uint32_t addr) {
	for (unsigned depth = 0; depth < 2; depth++) {
		const struct range at = depth ? t->depth : t->color;
		const unsigned format = depth ? t->depth_format : t->color_format;
		const unsigned bytes = pixel_bytes(depth, format);
		if (addr < at.addr || addr >= at.addr + at.bytes) {
			continue;
		}
		const uint32_t index = (addr - at.addr) / bytes;
		for (unsigned y = 0; y < 2048; y++) {
			for (unsigned x = 0; x < t->width; x++) {
				if ((uint32_t)naive_tiled_index(x, y, t->width, t->block32) ==
					index) {
					printf("  %s pixel x %u, row %u, format %u, byte %u",
						depth ? "depth" : "color", x, y, format,
						(addr - at.addr) % bytes);
					return;
				}
			}
		}
	}
}

void report_differences(const struct rig *rig, const struct target *t) {
	for (unsigned i = 0; i < 2; i++) {
		unsigned count = 0;
		for (uint32_t k = 0; k < WIN_BYTES; k++) {
			const unsigned e = rig->engine_mem[i][k], v = rig->naive_mem[i][k];
			if (e == v) {
				continue;
			}
			if (count++ < 12) {
				printf("%08X: engine %02X, naive %02X", rig_window_phys[i] + k, e,
					v);
				describe_pixel(t, rig_window_phys[i] + k);
				printf("\n");
			}
		}
		if (count > 0) {
			printf("%u bytes differ in the window at %08X\n", count,
				rig_window_phys[i]);
		}
	}
}

static void print_state(const struct rig *rig) {
	char text[512];
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		if (reg_kind(id) != REG_KIND_CONFIG || naive_read_reg(rig->naive, id) == 0) {
			continue;
		}
		const uint32_t word = naive_read_reg(rig->naive, id);
		reg_dump(id, word, text, sizeof(text));
		printf("  %03X %-30s %08X %s\n", id, reg_name(id), word, text);
	}
}

static void print_program(const char *name, const uint32_t *code, unsigned n_code,
	const uint32_t *desc, unsigned n_desc) {
	while (n_code > 0 && code[n_code - 1] == 0) {
		n_code--;
	}
	while (n_desc > 0 && desc[n_desc - 1] == 0) {
		n_desc--;
	}
	printf("%s code:", name);
	for (unsigned i = 0; i < n_code; i++) {
		printf("%s%08X", i % 12 == 0 ? "\n  " : " ", code[i]);
	}
	printf("\n%s descriptors:", name);
	for (unsigned i = 0; i < n_desc; i++) {
		printf("%s%08X", i % 12 == 0 ? "\n  " : " ", desc[i]);
	}
	printf("\n");
}

void report_context(const struct rig *rig) {
	static struct pica_state state;
	print_state(rig);
	if (pica_ctx_save_state(rig->ctx, &state) == 0) {
		print_program("vertex", state.vs.code, 512, state.vs.operand_descriptors, 128);
		print_program("geometry", state.gs.code, 4096, state.gs.operand_descriptors, 128);
	}
}

void report_job(const struct pica_job *job) {
	static const char *const name[PICA_OP_COUNT] = { [PICA_OP_LIST] = "list",
		[PICA_OP_FILL] = "fill",
		[PICA_OP_TRANSFER] = "transfer",
		[PICA_OP_COPY] = "copy",
		[PICA_OP_WRITE] = "write",
		[PICA_OP_BARRIER] = "barrier" };
	printf("%s:", job->op < PICA_OP_COUNT && name[job->op] ? name[job->op] : "job");
	for (unsigned i = 0; i < 5; i++) {
		uint32_t word;
		memcpy(&word, job->u.args + 4 * i, 4);
		printf(" %08X", word);
	}
	printf("\n");
}

