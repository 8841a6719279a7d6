#include "dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/snapshot.h"
#include "core/base/attributes.h"
#include "pica_shader.h"

enum {
	INTERNAL_BASE = 0x10401000,
	INTERNAL_END = INTERNAL_BASE + 4 * PICA_REG_COUNT,
	MAX_TEXT = 1024
};

static json_t *event_row(
		struct dump_list *d, const struct pica_capture_event *event, const char *kind) {
	json_t *row = json_pack("{ss sI sI}", "kind", kind, "offset", (json_int_t)event->offset,
			"event", (json_int_t)d->event);
	json_array_append(d->events, row);
	json_decref(row);
	return row; /* the array has it */
}

PICA_PRINTF(3, 4)
static void event_text(const struct dump_list *d, const struct pica_capture_event *event,
		const char *fmt, ...) {
	va_list args;
	fprintf(d->out, "byte 0x%-8" PRIX64 " event %-5" PRIu32 " ", event->offset, d->event);
	va_start(args, fmt);
	vfprintf(d->out, fmt, args);
	va_end(args);
	fputc('\n', d->out);
}

enum { MAX_KEYS = 5 };

/* A job whose first arguments are numbers, in this order. */
static const struct job_kind {
	unsigned op;
	const char *name, *keys[MAX_KEYS + 1];
} job_kinds[] = {
	{ PICA_OP_WRITE, "load", { "addr", "size" } },
	{ PICA_OP_INVALIDATE, "invalidate", { "addr", "size" } },
	{ PICA_OP_FILL, "fill", { "start", "end", "value", "control" } },
	{ PICA_OP_TRANSFER, "transfer", { "src", "dst", "out_dim", "in_dim", "flags" } },
	{ PICA_OP_COPY, "copy", { "src", "dst", "size", "in_line", "out_line" } },
};

static bool is_address(const char *key) {
	static const char *const keys[] = { "addr", "start", "end", "src", "dst", NULL };
	unsigned index = 0;
	return option_word(keys, key, &index);
}

static void plain_event(struct dump_list *d, const struct pica_capture_event *event,
		const struct job_kind *kind, const uint32_t *values) {
	json_t *row = d->events ? event_row(d, event, kind->name) : NULL;
	if (!d->events) {
		fprintf(d->out, "byte 0x%-8" PRIX64 " event %-5" PRIu32 " %-10s", event->offset,
				d->event, kind->name);
	}
	for (unsigned i = 0; kind->keys[i]; i++) {
		if (d->events) {
			json_object_set_new(row, kind->keys[i],
					is_address(kind->keys[i]) ? json_addr(values[i]) :
								    json_integer(values[i]));
		} else {
			fprintf(d->out, " %s=0x%" PRIx32, kind->keys[i], values[i]);
		}
	}
	if (!d->events) {
		fputc('\n', d->out);
	}
}

static void external_write(struct dump_list *d, const struct pica_capture_event *event) {
	const struct pica_job_reg_write *a = &event->job.u.reg_write;
	const char *name = pica_external_name(a->addr);
	if (d->events) {
		json_t *row = event_row(d, event, "register");
		json_object_set_new(row, "addr", json_addr(a->addr));
		json_object_set_new(row, "name", name ? json_string(name) : json_null());
		json_object_set_new(row, "value", json_integer(a->value));
	} else {
		event_text(d, event, "register   0x%08" PRIx32 " %-16s 0x%08" PRIx32, a->addr,
				name ? name : "?", a->value);
	}
}

static void show_event(struct dump_list *d, const struct pica_capture_event *event) {
	static const struct job_kind frame = { 0, "frame", { "frame" } };
	static const struct job_kind other = { 0, "other", { NULL } };
	const struct pica_job *job = &event->job;
	uint32_t values[MAX_KEYS];
	memcpy(values, &job->u, sizeof(values));
	if (event->kind == PICA_CAPTURE_FRAME) {
		plain_event(d, event, &frame, &event->frame);
		return;
	}
	for (unsigned i = 0; i < ARRAY_LEN(job_kinds); i++) {
		if (job->op == job_kinds[i].op) {
			plain_event(d, event, &job_kinds[i], values);
			return;
		}
	}
	if (job->op == PICA_OP_LIST) {
		return; /* shown by dump_list_list() */
	}
	if (job->op != PICA_OP_REG_WRITE) {
		plain_event(d, event, &other, values);
	} else if (job->u.reg_write.addr < INTERNAL_BASE || job->u.reg_write.addr >= INTERNAL_END) {
		external_write(d, event);
	} else { /* shown by dump_list_write() */
		d->writes = NULL;
		if (d->events) {
			d->writes = json_array();
			json_object_set_new(event_row(d, event, "write"), "writes", d->writes);
		}
	}
}

void dump_list_event(struct dump_list *d, const struct pica_capture_event *event) {
	show_event(d, event);
	d->event++;
}

/* size_bytes 0: unknown, since the writes begin inside a list. */
static void begin_part(struct dump_list *d, uint32_t addr, uint32_t size_bytes, bool is_jump) {
	if (!is_jump || !d->parts) {
		d->parts = json_array();
		json_array_append_new(
				d->events, json_pack("{ss so}", "kind", "list", "parts", d->parts));
	}
	d->writes = json_array();
	json_array_append_new(d->parts,
			json_pack("{so so so}", "addr", json_addr(addr), "size",
					size_bytes ? json_integer(size_bytes) : json_null(),
					"writes", d->writes));
}

void dump_list_list(struct dump_list *d, uint32_t addr, uint32_t size_bytes, bool is_jump) {
	if (d->events) {
		begin_part(d, addr, size_bytes, is_jump);
	} else {
		fprintf(d->out, "%s 0x%08" PRIx32 " %" PRIu32 " bytes\n",
				is_jump ? "  jump" : "list", addr, size_bytes);
	}
}

void dump_list_end(struct dump_list *d) {
	if (d->out) {
		fputs("list end\n", d->out);
	}
	d->parts = d->writes = NULL;
}

void dump_list_draw(struct dump_list *d, const struct step_draw *draw) {
	if (d->events && !d->writes) {
		begin_part(d, draw->addr, 0, false);
	}
	if (d->out) {
		fprintf(d->out, "  draw %" PRIu32 " %s\n", draw->draw, draw_kind_name(draw->kind));
	} else if (d->writes) {
		json_array_append_new(d->writes,
				json_pack("{sI ss}", "draw", (json_int_t)draw->draw, "kind",
						draw_kind_name(draw->kind)));
	}
}

/* ---- Words of tables ---- */

static const struct table_port {
	uint32_t index, first, last, counts; /* registers; bits of the index that count */
	uint32_t table;                      /* bits that name the table */
	const char *name;                    /* where there is only one */
} table_ports[] = {
	{ PICA_REG_LIGHTING_LUT_INDEX, PICA_REG_LIGHTING_LUT_DATA0, PICA_REG_LIGHTING_LUT_DATA7,
			0xFF, 0x1F00, NULL },
	{ PICA_REG_PROCTEX_LUT, PICA_REG_PROCTEX_LUT_DATA0, PICA_REG_PROCTEX_LUT_DATA7, 0xFF, 0xF00,
			NULL },
	{ PICA_REG_FOG_LUT_INDEX, PICA_REG_FOG_LUT_DATA0, PICA_REG_FOG_LUT_DATA7, 0x7F, 0, "fog" },
	{ PICA_REG_GAS_LUT_INDEX, PICA_REG_GAS_LUT_DATA, PICA_REG_GAS_LUT_DATA, 0xF, 0, "gas" },
};

/* Finds the position of the word, and advances. Returns false if the word is not for a table, or
 * its index is unknown. */
static bool table_place(struct dump_list *d, const struct pica_list_write *w, char *table,
		size_t size, uint32_t *place) {
	for (unsigned i = 0; i < ARRAY_LEN(table_ports); i++) {
		const struct table_port *p = &table_ports[i];
		const uint32_t bytes = ((w->mask & 1) | (w->mask & 2) << 7) * 0xFFu;
		if (w->id == p->index) {
			d->index[i].word = (d->index[i].word & ~bytes) | (w->value & bytes);
			d->index[i].known |= bytes;
			return false;
		}
		if (w->id < p->first || w->id > p->last || !w->mask) {
			continue;
		}
		const uint32_t word = d->index[i].word, next = (word + 1) & p->counts;
		d->index[i].word = (word & ~p->counts) | next;
		if ((p->counts | p->table) & ~d->index[i].known) {
			return false;
		}
		struct pica_field f = { .text = p->name };
		if (p->table) {
			pica_reg_field(p->index, word, 1, &f);
		}
		if (f.text) {
			snprintf(table, size, "%s", f.text);
		} else {
			snprintf(table, size, "%" PRIu32, f.raw);
		}
		*place = word & p->counts;
		if (p->index == PICA_REG_PROCTEX_LUT && f.raw != PICA_PROCTEX_TABLE_COLOR &&
				f.raw != PICA_PROCTEX_TABLE_COLOR_DIFF) {
			*place &= 0x7F; /* [fidelity: proctex-fields] */
		}
		return true;
	}
	return false;
}

void dump_list_skip(struct dump_list *d, const struct pica_list_write *w) {
	char table[32];
	uint32_t place;
	(void)table_place(d, w, table, sizeof(table), &place);
	(void)upload_write(&d->uploads, w);
}

/* ---- Uploads ---- */

static double uniform_value(const struct upload *u, unsigned component) {
	float f;
	memcpy(&f, &u->value[component], sizeof(f));
	return u->is_f32 ? (double)f : pica_f24_value(u->value[component]);
}

/* The name of the instruction; its operands need a descriptor, which comes later. */
static void instruction_name(uint32_t word, char *out, size_t size) {
	uint32_t code = word;
	const struct pica_shader shader = { .n_code = 1, .code = &code };
	char *text = NULL;
	snprintf(out, size, "?");
	if (pica_shader_disassemble(&shader, PICA_SHADER_NO_ENTRY, &text) == 0) {
		const char *at = strstr(text, "; "), *line = strstr(text, "\n\t");
		at = at ? at + 2 : line ? line + 2 : "?";
		snprintf(out, size, "%.*s", (int)strcspn(at, " \n"), at);
	}
	free(text);
}

static void upload_text(FILE *out, const struct upload *u, uint32_t word) {
	char name[32];
	switch (u->kind) {
	case UPLOAD_UNIFORM:
		fprintf(out, " c%" PRIu32 " = %g %g %g %g", u->index, uniform_value(u, 0),
				uniform_value(u, 1), uniform_value(u, 2), uniform_value(u, 3));
		break;
	case UPLOAD_CODE:
		instruction_name(word, name, sizeof(name));
		fprintf(out, " code[%" PRIu32 "] = %s", u->index, name);
		break;
	case UPLOAD_DESCRIPTOR:
		fprintf(out, " descriptor[%" PRIu32 "]", u->index);
		break;
	case UPLOAD_NOTHING:
		break;
	}
}

static void upload_json(json_t *row, const struct upload *u, uint32_t word) {
	char name[32];
	switch (u->kind) {
	case UPLOAD_UNIFORM:
		json_object_set_new(row, "uniform", json_integer(u->index));
		json_object_set_new(row, "vector",
				json_pack("[oooo]", json_finite(uniform_value(u, 0)),
						json_finite(uniform_value(u, 1)),
						json_finite(uniform_value(u, 2)),
						json_finite(uniform_value(u, 3))));
		break;
	case UPLOAD_CODE:
		instruction_name(word, name, sizeof(name));
		json_object_set_new(row, "code", json_integer(u->index));
		json_object_set_new(row, "instruction", json_string(name));
		break;
	case UPLOAD_DESCRIPTOR:
		json_object_set_new(row, "descriptor", json_integer(u->index));
		break;
	case UPLOAD_NOTHING:
		break;
	}
}

void dump_list_write(struct dump_list *d, const struct pica_list_write *w, bool from_list) {
	const char *name = pica_reg_name(w->id);
	char table[32];
	uint32_t place = 0;
	const bool has_place = table_place(d, w, table, sizeof(table), &place);
	const struct upload upload = upload_write(&d->uploads, w);
	if (w->id < PICA_REG_COUNT && !(d->groups >> pica_reg_group(w->id) & 1)) {
		return;
	}
	if (d->events && !d->writes) {
		begin_part(d, w->addr, 0, false); /* in the middle of a list */
	}
	if (d->writes) {
		json_t *row = json_pack("{so sI sI sI}", "addr", json_addr(w->addr), "id",
				(json_int_t)w->id, "mask", (json_int_t)w->mask, "value",
				(json_int_t)w->value);
		json_object_set_new(row, "name", name ? json_string(name) : json_null());
		json_object_set_new(row, "fields", snapshot_fields_json(w->id, w->value));
		if (has_place) {
			json_object_set_new(row, "table", json_string(table));
			json_object_set_new(row, "index", json_integer(place));
		}
		upload_json(row, &upload, w->value);
		json_array_append_new(d->writes, row);
	}
	if (d->out) {
		char text[MAX_TEXT];
		pica_reg_describe(w->id, w->value, text, sizeof(text));
		fprintf(d->out,
				"%s%08" PRIx32 " %03" PRIx32 " %-27s %" PRIx32 " %08" PRIx32 " %s",
				from_list ? "  " : "cpu ", w->addr, w->id, name ? name : "?",
				w->mask, w->value, text);
		if (has_place) {
			fprintf(d->out, " of %s[%" PRIu32 "]", table, place);
		}
		upload_text(d->out, &upload, w->value);
		fputc('\n', d->out);
	}
}
