/*
 * Checks docs/protocol.md against the headers: protocol-page PAGE
 *
 * Structures, fields, offsets, sizes and numbers in the page's tables must be those of the headers,
 * fields must cover their structure, and nothing in the list below may be missing. protocol-page
 * --print prints the tables.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pica_hello.h"
#include "pica_job.h"
#include "pica_ring.h"

struct field {
	const char *owner, *name;
	size_t offset, size_bytes;
	bool is_seen;
};

#define FIELD(type, member) \
	{ #type, #member, offsetof(struct type, member), \
			sizeof(((struct type *)NULL)->member), false },
#define HEAD(type) FIELD(type, head)

static struct field fields[] = {
	FIELD(pica_message, magic) FIELD(pica_message, type) FIELD(pica_message, flags)
	FIELD(pica_message, size_bytes) FIELD(pica_message, cookie)

	HEAD(pica_msg_hello) FIELD(pica_msg_hello, min_version) FIELD(pica_msg_hello, max_version)
	FIELD(pica_msg_hello, wanted) FIELD(pica_msg_hello, required)
	FIELD(pica_msg_hello, sq_entries)
	FIELD(pica_msg_hello, priority) FIELD(pica_msg_hello, name) FIELD(pica_msg_hello, reconnect)
	FIELD(pica_msg_hello, reserved)

	FIELD(pica_limits, memory_bytes) FIELD(pica_limits, region_bytes)
	FIELD(pica_limits, regions)
	FIELD(pica_limits, contexts) FIELD(pica_limits, jobs) FIELD(pica_limits, presents)
	FIELD(pica_limits, list_words) FIELD(pica_limits, list_jumps) FIELD(pica_limits, vertices)
	FIELD(pica_limits, shader_steps) FIELD(pica_limits, pixels) FIELD(pica_limits, job_steps)
	FIELD(pica_limits, cpu_ns_per_s) FIELD(pica_limits, reserved)

	HEAD(pica_msg_welcome) FIELD(pica_msg_welcome, version) FIELD(pica_msg_welcome, sq_entries)
	FIELD(pica_msg_welcome, features) FIELD(pica_msg_welcome, session)
	FIELD(pica_msg_welcome, boot)
	FIELD(pica_msg_welcome, limits) FIELD(pica_msg_welcome, isa)
	FIELD(pica_msg_welcome, n_threads)
	FIELD(pica_msg_welcome, reserved)

	HEAD(pica_msg_error) FIELD(pica_msg_error, error) FIELD(pica_msg_error, type)
	FIELD(pica_msg_error, reserved0)
	FIELD(pica_msg_error, min_version) FIELD(pica_msg_error, max_version)
	FIELD(pica_msg_error, text)

	HEAD(pica_msg_context_create) FIELD(pica_msg_context_create, fcram_bytes)
	FIELD(pica_msg_context_create, vram_bytes) FIELD(pica_msg_context_create, priority)
	FIELD(pica_msg_context_create, arithmetic)
	FIELD(pica_msg_context_create, chip)
	FIELD(pica_msg_context_create, reserved)

	HEAD(pica_msg_region) FIELD(pica_msg_region, context) FIELD(pica_msg_region, flags)
	FIELD(pica_msg_region, phys)
	FIELD(pica_msg_region, size_bytes) FIELD(pica_msg_region, reserved)

	HEAD(pica_msg_object) FIELD(pica_msg_object, id) FIELD(pica_msg_object, value)
	FIELD(pica_msg_object, reserved)

	HEAD(pica_msg_transfer) FIELD(pica_msg_transfer, context) FIELD(pica_msg_transfer, region)
	FIELD(pica_msg_transfer, offset) FIELD(pica_msg_transfer, size_bytes)
	FIELD(pica_msg_transfer, args)

	HEAD(pica_msg_query) FIELD(pica_msg_query, context) FIELD(pica_msg_query, first)
	FIELD(pica_msg_query, count)
	FIELD(pica_msg_query, reserved)

	HEAD(pica_msg_handle) FIELD(pica_msg_handle, handle) FIELD(pica_msg_handle, slot)
	FIELD(pica_msg_handle, size_bytes)

	HEAD(pica_msg_done) FIELD(pica_msg_done, result) FIELD(pica_msg_done, reserved)

	HEAD(pica_msg_words) FIELD(pica_msg_words, count) FIELD(pica_msg_words, reserved)

	HEAD(pica_msg_screen_info) FIELD(pica_msg_screen_info, width)
	FIELD(pica_msg_screen_info, height)
	FIELD(pica_msg_screen_info, is_set) FIELD(pica_msg_screen_info, has_right)
	FIELD(pica_msg_screen_info, is_solid)
	FIELD(pica_msg_screen_info, addr) FIELD(pica_msg_screen_info, format)
	FIELD(pica_msg_screen_info, stride_bytes)

	FIELD(pica_session_info, id) FIELD(pica_session_info, pid) FIELD(pica_session_info, uid)
	FIELD(pica_session_info, name) FIELD(pica_session_info, jobs)
	FIELD(pica_session_info, queued)
	FIELD(pica_session_info, pixels) FIELD(pica_session_info, memory_bytes)
	FIELD(pica_session_info, cpu_ns)
	FIELD(pica_session_info, lost) FIELD(pica_session_info, p50_us)
	FIELD(pica_session_info, p99_us)
	FIELD(pica_session_info, contexts) FIELD(pica_session_info, priority)
	FIELD(pica_session_info, flags)
	FIELD(pica_session_info, reserved)

	HEAD(pica_msg_session_list) FIELD(pica_msg_session_list, count)
	FIELD(pica_msg_session_list, more)
	FIELD(pica_msg_session_list, session)

	HEAD(pica_msg_text) FIELD(pica_msg_text, size_bytes)

	FIELD(pica_ring_header, magic) FIELD(pica_ring_header, version)
	FIELD(pica_ring_header, size_bytes)
	FIELD(pica_ring_header, sq_entries) FIELD(pica_ring_header, cq_entries)
	FIELD(pica_ring_header, event_entries)
	FIELD(pica_ring_header, control_offset) FIELD(pica_ring_header, cq_offset)
	FIELD(pica_ring_header, sq_offset)
	FIELD(pica_ring_header, event_offset) FIELD(pica_ring_header, reserved)

	FIELD(pica_ring_control, sq_tail) FIELD(pica_ring_control, pad0)
	FIELD(pica_ring_control, cq_head)
	FIELD(pica_ring_control, client_flags) FIELD(pica_ring_control, cq_wanted)
	FIELD(pica_ring_control, pad1) FIELD(pica_ring_control, sq_head)
	FIELD(pica_ring_control, pad2) FIELD(pica_ring_control, cq_tail)
	FIELD(pica_ring_control, service_flags)
	FIELD(pica_ring_control, event_tail) FIELD(pica_ring_control, pad3)
	FIELD(pica_ring_control, timeline)
	FIELD(pica_ring_control, completed)

	FIELD(pica_event, seq) FIELD(pica_event, type) FIELD(pica_event, flags)
	FIELD(pica_event, handle)
	FIELD(pica_event, reserved) FIELD(pica_event, value) FIELD(pica_event, time_ns)

	FIELD(pica_job, user_data) FIELD(pica_job, op) FIELD(pica_job, flags)
	FIELD(pica_job, handle)
	FIELD(pica_job, u)

	FIELD(pica_done, user_data) FIELD(pica_done, result) FIELD(pica_done, flags)

	FIELD(pica_job_list, addr) FIELD(pica_job_list, size_bytes) FIELD(pica_job_list, reserved)
	FIELD(pica_job_fill, start) FIELD(pica_job_fill, end) FIELD(pica_job_fill, value)
	FIELD(pica_job_fill, control)
	FIELD(pica_job_fill, unit) FIELD(pica_job_fill, reserved)
	FIELD(pica_job_transfer, src) FIELD(pica_job_transfer, dst)
	FIELD(pica_job_transfer, out_dim)
	FIELD(pica_job_transfer, in_dim) FIELD(pica_job_transfer, flags)
	FIELD(pica_job_transfer, reserved)
	FIELD(pica_job_copy, src) FIELD(pica_job_copy, dst) FIELD(pica_job_copy, size_bytes)
	FIELD(pica_job_copy, in_line)
	FIELD(pica_job_copy, out_line) FIELD(pica_job_copy, reserved)
	FIELD(pica_job_reg_write, addr) FIELD(pica_job_reg_write, value)
	FIELD(pica_job_reg_write, mask)
	FIELD(pica_job_reg_write, reserved)
	FIELD(pica_job_write, addr) FIELD(pica_job_write, size_bytes) FIELD(pica_job_write, data)
	FIELD(pica_job_write, reserved)
	FIELD(pica_job_range, addr) FIELD(pica_job_range, size_bytes)
	FIELD(pica_job_range, reserved)
	FIELD(pica_job_present, screens) FIELD(pica_job_present, eye)
	FIELD(pica_job_present, reserved)
	FIELD(pica_job_signal, value) FIELD(pica_job_signal, reserved)
	FIELD(pica_job_wait, value) FIELD(pica_job_wait, timeout_ns) FIELD(pica_job_wait, context)
	FIELD(pica_job_wait, reserved)
	FIELD(pica_job_cancel, user_data) FIELD(pica_job_cancel, reserved)
	FIELD(pica_job_stats, data) FIELD(pica_job_stats, size_bytes)
	FIELD(pica_job_stats, reserved)
	FIELD(pica_job_control_lists, binning_start) FIELD(pica_job_control_lists, binning_end)
	FIELD(pica_job_control_lists, rendering_start)
	FIELD(pica_job_control_lists, rendering_end) FIELD(pica_job_control_lists, reserved)
};
enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]) };

struct constant {
	const char *name;
	uint64_t value;
	bool is_seen;
};

#define NUMBER(name) { #name, (uint64_t)(name), false },

static struct constant constants[] = {
	NUMBER(PICA_MESSAGE_MAGIC) NUMBER(PICA_MESSAGE_MAX) NUMBER(PICA_MESSAGE_FDS)
	NUMBER(PICA_PROTOCOL_VERSION)
	NUMBER(PICA_NAME_BYTES) NUMBER(PICA_TEXT_BYTES) NUMBER(PICA_SESSIONS_A_MESSAGE)

	NUMBER(PICA_MSG_HELLO) NUMBER(PICA_MSG_LIMITS) NUMBER(PICA_MSG_CONTEXT_CREATE)
	NUMBER(PICA_MSG_CONTEXT_DESTROY)
	NUMBER(PICA_MSG_REGION_CREATE) NUMBER(PICA_MSG_REGION_IMPORT)
	NUMBER(PICA_MSG_REGION_DESTROY)
	NUMBER(PICA_MSG_LOAD_STATE) NUMBER(PICA_MSG_SAVE_STATE) NUMBER(PICA_MSG_READ_REGS)
	NUMBER(PICA_MSG_READ_EXTERNAL)
	NUMBER(PICA_MSG_SCREEN) NUMBER(PICA_MSG_READ_SCREEN) NUMBER(PICA_MSG_READ_SURFACE)
	NUMBER(PICA_MSG_SESSIONS)
	NUMBER(PICA_MSG_KICK) NUMBER(PICA_MSG_METRICS) NUMBER(PICA_MSG_FOCUS)
	NUMBER(PICA_MSG_SCREENSHOT)
	NUMBER(PICA_MSG_RECORD) NUMBER(PICA_MSG_WELCOME) NUMBER(PICA_MSG_ERROR)
	NUMBER(PICA_MSG_HANDLE)
	NUMBER(PICA_MSG_DONE) NUMBER(PICA_MSG_WORDS) NUMBER(PICA_MSG_SCREEN_INFO)
	NUMBER(PICA_MSG_SESSION_LIST)
	NUMBER(PICA_MSG_TEXT)

	NUMBER(PICA_FEATURE_BIT_IMPORT) NUMBER(PICA_FEATURE_BIT_PRESENT)
	NUMBER(PICA_FEATURE_BIT_RECORD)
	NUMBER(PICA_FEATURE_BIT_ARITHMETIC) NUMBER(PICA_FEATURE_BIT_CHIPS)
	NUMBER(PICA_ARITHMETIC_OWN)
	NUMBER(PICA_ARITHMETIC_F32) NUMBER(PICA_ARITHMETIC_TRUNCATE)
	NUMBER(PICA_FEATURE_BIT_ADMIN) NUMBER(PICA_REGION_MAPPED) NUMBER(PICA_REGION_READ_ONLY)

	NUMBER(PICA_RING_MAGIC) NUMBER(PICA_RING_VERSION) NUMBER(PICA_RING_CONTROL_OFFSET)
	NUMBER(PICA_RING_MIN_ENTRIES) NUMBER(PICA_RING_MAX_ENTRIES) NUMBER(PICA_RING_EVENTS)
	NUMBER(PICA_RING_TIMELINES)
	NUMBER(PICA_RING_NEED_WAKEUP) NUMBER(PICA_RING_DEAD)

	NUMBER(PICA_EVENT_NONE) NUMBER(PICA_EVENT_PRESENTED) NUMBER(PICA_EVENT_FOCUS)
	NUMBER(PICA_EVENT_DISPLAY) NUMBER(PICA_EVENT_RELOADED)

	NUMBER(PICA_OP_LIST) NUMBER(PICA_OP_FILL) NUMBER(PICA_OP_TRANSFER) NUMBER(PICA_OP_COPY)
	NUMBER(PICA_OP_REG_WRITE)
	NUMBER(PICA_OP_WRITE) NUMBER(PICA_OP_INVALIDATE) NUMBER(PICA_OP_PRESENT)
	NUMBER(PICA_OP_BARRIER)
	NUMBER(PICA_OP_SIGNAL) NUMBER(PICA_OP_WAIT) NUMBER(PICA_OP_CANCEL) NUMBER(PICA_OP_STATS)
	NUMBER(PICA_OP_CONTROL_LISTS)
	NUMBER(PICA_WRITE_KEEP_RENDERED)
	NUMBER(PICA_DONE_NO_FINALIZE) NUMBER(PICA_DONE_TRUNCATED) NUMBER(PICA_DONE_BAD_INPUT)
	NUMBER(PICA_DONE_PLACE) NUMBER(PICA_DONE_RENDERING) NUMBER(PICA_DONE_PLACE_SHIFT)
	NUMBER(PICA_DONE_BUDGET_SHIFT) NUMBER(PICA_DONE_BUDGET_MASK)
	NUMBER(PICA_BUDGET_LIST_WORDS) NUMBER(PICA_BUDGET_JUMPS) NUMBER(PICA_BUDGET_VERTICES)
	NUMBER(PICA_BUDGET_PIXELS) NUMBER(PICA_BUDGET_TEXELS) NUMBER(PICA_BUDGET_SHADER_STEPS)
	NUMBER(PICA_BUDGET_INVOCATION_STEPS) NUMBER(PICA_BUDGET_MEMORY)
};
enum { N_CONSTANTS = sizeof(constants) / sizeof(constants[0]) };

static unsigned mistakes;

static void complain(int line, const char *what, const char *name) {
	printf("line %d: %s: %s\n", line, what, name);
	mistakes++;
}

/* Bytes of a structure: the end of its last field. */
static size_t size_of(const char *owner) {
	size_t size = 0;
	for (unsigned i = 0; i < N_FIELDS; i++) {
		if (strcmp(fields[i].owner, owner) == 0) {
			size = fields[i].offset + fields[i].size_bytes;
		}
	}
	return size;
}

static void print_tables(void) {
	const char *owner = "";
	for (unsigned i = 0; i < N_FIELDS; i++) {
		const struct field *f = &fields[i];
		if (strcmp(owner, f->owner) != 0) {
			owner = f->owner;
			printf("\n`struct %s`, %zu bytes:\n\n| offset | bytes | field | |\n|---:|---:|---|---|\n", owner,
					size_of(owner));
		}
		printf("| %zu | %zu | `%s` | |\n", f->offset, f->size_bytes, f->name);
	}
	printf("\n| name | value | |\n|---|---:|---|\n");
	for (unsigned i = 0; i < N_CONSTANTS; i++) {
		printf("| `%s` | %" PRIu64 " | |\n", constants[i].name, constants[i].value);
	}
}

/* "| 16 | 4 | `name` |": of the structure named last. */
static void check_field(int line, const char *owner, size_t *next, size_t offset, size_t size_bytes,
		const char *name) {
	for (unsigned i = 0; i < N_FIELDS; i++) {
		struct field *f = &fields[i];
		if (strcmp(f->owner, owner) == 0 && strcmp(f->name, name) == 0) {
			if (f->offset != offset || f->size_bytes != size_bytes) {
				complain(line, "another offset or size than in the header", name);
			}
			if (f->is_seen || offset != *next) {
				complain(line, "not after the field before it", name);
			}
			f->is_seen = true;
			*next = offset + size_bytes;
			return;
		}
	}
	complain(line, "no field of the structure above", name);
}

static void check_constant(int line, const char *name, const char *value) {
	for (unsigned i = 0; i < N_CONSTANTS; i++) {
		if (strcmp(constants[i].name, name) == 0) {
			if (strtoull(value, NULL, 0) != constants[i].value) {
				complain(line, "another value than in the header", name);
			}
			constants[i].is_seen = true;
			return;
		}
	}
	complain(line, "not in the headers' list of this test", name);
}

static void check_page(FILE *f) {
	char line[1024], owner[64] = "", name[64], value[64];
	size_t offset, size_bytes, next = 0;
	for (int n = 1; fgets(line, sizeof(line), f); n++) {
		if (sscanf(line, "`struct %63[a-z0-9_]`, %zu bytes", owner, &size_bytes) == 2) {
			if (size_of(owner) != size_bytes) {
				complain(n, "another size than in the header", owner);
			}
			next = 0;
		} else if (sscanf(line, "| %zu | %zu | `%63[a-zA-Z0-9_]` |", &offset, &size_bytes, name) == 3) {
			check_field(n, owner, &next, offset, size_bytes, name);
		} else if (sscanf(line, "| `PICA_%58[A-Z0-9_]` | %63[0-9a-fA-Fx] |", name, value) == 2) {
			char whole[72];
			snprintf(whole, sizeof(whole), "PICA_%s", name);
			check_constant(n, whole, value);
		}
	}
}

int main(int argc, char **argv) {
	if (argc != 2) {
		fprintf(stderr, "usage: protocol-page PAGE|--print\n");
		return 2;
	}
	if (strcmp(argv[1], "--print") == 0) {
		print_tables();
		return 0;
	}
	FILE *f = fopen(argv[1], "r");
	if (!f) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	check_page(f);
	fclose(f);
	for (unsigned i = 0; i < N_FIELDS; i++) {
		if (!fields[i].is_seen) {
			printf("%s.%s is not in the page\n", fields[i].owner, fields[i].name);
			mistakes++;
		}
	}
	for (unsigned i = 0; i < N_CONSTANTS; i++) {
		if (!constants[i].is_seen) {
			printf("%s is not in the page\n", constants[i].name);
			mistakes++;
		}
	}
	printf("%d fields, %d numbers: %u mistakes\n", (int)N_FIELDS, (int)N_CONSTANTS, mistakes);
	return mistakes != 0;
}
