/*
 * vc4_job OUT.pica: writes a capture of the VideoCore job that the standard input describes:
 *
 *   at ADDRESS         where the next lines are stored
 *   binning, rendering the next lines are that list, until another one of these keywords
 *   bytes 0A 0B ...    bytes as they are
 *   NAME FIELD=VALUE   a record, of lists or in memory
 *
 * Memory is 1 MiB at 0x00100000. A malformed line ends the program with exit status 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pica.h"
#include "pica_capture.h"
#include "pica_job.h"
#include "pica_vc4_emit.h"

enum { BASE = 0x00100000, BYTES = 1 << 20, LINE = 512 };

static uint8_t memory[BYTES];
static struct pica_vc4_emit part;
static uint32_t part_at;
static uint32_t start[2], end[2]; /* of the lists */
static int list = -1;             /* the part is one: which */

static void fail(const char *line) {
	fprintf(stderr, "vc4_job: %s: expected a record or a place\n", line);
	exit(2);
}

static void end_part(void) {
	if (part.error || part.size > BYTES - (part_at - BASE)) {
		fail("part");
	}
	if (part.size) {
		memcpy(memory + (part_at - BASE), part.bytes, part.size);
	}
	if (list >= 0) {
		start[list] = part_at;
		end[list] = part_at + (uint32_t)part.size;
	}
	list = -1;
	pica_vc4_emit_reset(&part);
}

static void take(char *line) {
	char *rest = strchr(line, ' ');
	rest = rest ? rest + 1 : line + strlen(line);
	if (strncmp(line, "at ", 3) == 0) {
		end_part();
		part_at = (uint32_t)strtoul(rest, NULL, 0);
		if (part_at < BASE || part_at >= BASE + BYTES) {
			fail(line);
		}
	} else if (strcmp(line, "binning") == 0 || strcmp(line, "rendering") == 0) {
		list = line[0] == 'r';
	} else if (strncmp(line, "bytes ", 6) == 0) {
		for (char *after; *rest; rest = after) {
			const uint8_t byte = (uint8_t)strtoul(rest, &after, 16);
			pica_vc4_emit_bytes(&part, &byte, 1);
		}
	} else if (*line) {
		line[strcspn(line, " ")] = '\0';
		pica_vc4_emit_named(&part, line, rest);
	}
	if (part.error) {
		fail(line);
	}
}

int main(int argc, char **argv) {
	char line[LINE];
	struct pica_capture_writer_settings settings;
	struct pica_capture_writer *writer;
	const struct pica_window window = { .phys = BASE, .size_bytes = BYTES, .host = memory };
	struct pica_job job = { .op = PICA_OP_CONTROL_LISTS };
	const struct pica_job present = { .op = PICA_OP_PRESENT };
	if (argc != 2) {
		return 2;
	}
	pica_vc4_emit_init(&part);
	part_at = BASE;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		take(line);
	}
	end_part();
	pica_vc4_emit_finish(&part);
	job.u.control_lists = (struct pica_job_control_lists){ .binning_start = start[0],
		.binning_end = end[0], .rendering_start = start[1], .rendering_end = end[1] };
	pica_capture_writer_settings_init(&settings);
	settings.windows = &window;
	settings.n_windows = 1;
	settings.chip = PICA_CHIP_VC4;
	int ret = pica_capture_writer_create(&writer, argv[1], &settings);
	if (ret == 0) {
		pica_capture_writer_key(writer, NULL, &window, 1);
		pica_capture_writer_job(writer, &job);
		pica_capture_writer_frame(writer, &present);
		ret = pica_capture_writer_finish(writer);
	}
	return ret < 0;
}
