#include "dump.h"

#include <inttypes.h>

#include "common/snapshot.h"
#include "core/base/attributes.h"

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

static void numbers(json_t *row, const char *const *keys, const uint32_t *values, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		json_object_set_new(row, keys[i], json_integer(values[i]));
	}
}

/* A job whose arguments are numbers. */
static void plain_event(struct dump_list *d, const struct pica_capture_event *event,
		const char *kind, const char *const *keys, const uint32_t *values, unsigned n) {
	if (d->events) {
		numbers(event_row(d, event, kind), keys, values, n);
		return;
	}
	fprintf(d->out, "byte 0x%-8" PRIX64 " event %-5" PRIu32 " %-10s", event->offset, d->event,
			kind);
	for (unsigned i = 0; i < n; i++) {
		fprintf(d->out, " %s=0x%" PRIx32, keys[i], values[i]);
	}
	fputc('\n', d->out);
}

static void external_write(struct dump_list *d, const struct pica_capture_event *event) {
	const struct pica_job_reg_write *a = &event->job.u.reg_write;
	const char *name = pica_external_name(a->addr);
	if (d->events) {
		json_t *row = event_row(d, event, "register");
		json_object_set_new(row, "addr", json_integer(a->addr));
		json_object_set_new(row, "name", name ? json_string(name) : json_null());
		json_object_set_new(row, "value", json_integer(a->value));
	} else {
		event_text(d, event, "register   0x%08" PRIx32 " %-16s 0x%08" PRIx32, a->addr,
				name ? name : "?", a->value);
	}
}

static void show_event(struct dump_list *d, const struct pica_capture_event *event) {
	static const char *const range[] = { "addr", "size" };
	static const char *const fill[] = { "start", "end", "value", "control" };
	static const char *const transfer[] = { "src", "dst", "out_dim", "in_dim", "flags" };
	static const char *const copy[] = { "src", "dst", "size", "in_line", "out_line" };
	const struct pica_job *job = &event->job;
	if (event->kind == PICA_CAPTURE_FRAME) {
		const uint32_t number = event->frame;
		static const char *const frame[] = { "frame" };
		plain_event(d, event, "frame", frame, &number, 1);
		return;
	}
	switch (job->op) {
	case PICA_OP_WRITE:
		plain_event(d, event, "load", range,
				(const uint32_t[]){ job->u.write.addr, job->u.write.size_bytes },
				2);
		break;
	case PICA_OP_INVALIDATE:
		plain_event(d, event, "invalidate", range,
				(const uint32_t[]){ job->u.invalidate.addr,
						job->u.invalidate.size_bytes },
				2);
		break;
	case PICA_OP_FILL:
		plain_event(d, event, "fill", fill,
				(const uint32_t[]){ job->u.fill.start, job->u.fill.end,
						job->u.fill.value, job->u.fill.control },
				4);
		break;
	case PICA_OP_TRANSFER:
		plain_event(d, event, "transfer", transfer,
				(const uint32_t[]){ job->u.transfer.src, job->u.transfer.dst,
				job->u.transfer.out_dim,
						job->u.transfer.in_dim, job->u.transfer.flags }, 5);
		break;
	case PICA_OP_COPY:
		plain_event(d, event, "copy", copy,
				(const uint32_t[]){ job->u.copy.src, job->u.copy.dst,
						job->u.copy.size_bytes, job->u.copy.in_line,
						job->u.copy.out_line },
				5);
		break;
	case PICA_OP_REG_WRITE:
		if (job->u.reg_write.addr < INTERNAL_BASE ||
				job->u.reg_write.addr >= INTERNAL_END) {
			external_write(d, event);
			break;
		}
		d->writes = NULL;
		if (d->events) {
			d->writes = json_array();
			json_object_set_new(event_row(d, event, "write"), "writes", d->writes);
		}
		break; /* shown by dump_list_write() */
	case PICA_OP_LIST:
		break; /* by dump_list_list() */
	default:
		plain_event(d, event, "other", NULL, NULL, 0);
		break;
	}
}

void dump_list_event(struct dump_list *d, const struct pica_capture_event *event) {
	show_event(d, event);
	d->event++;
}

/* size_bytes 0: unknown, the writes begin inside of a list. */
static void begin_part(struct dump_list *d, uint32_t addr, uint32_t size_bytes, bool is_jump) {
	if (!is_jump || !d->parts) {
		d->parts = json_array();
		json_array_append_new(
				d->events, json_pack("{ss so}", "kind", "list", "parts", d->parts));
	}
	d->writes = json_array();
	json_array_append_new(d->parts, json_pack("{sI so so}", "addr", (json_int_t)addr, "size",
			size_bytes ? json_integer(size_bytes) : json_null(), "writes", d->writes));
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

/* The place of the word, and counts on. False: it is none of a table, or its index is unknown. */
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
}

void dump_list_write(struct dump_list *d, const struct pica_list_write *w, bool from_list) {
	const char *name = pica_reg_name(w->id);
	char table[32];
	uint32_t place = 0;
	const bool has_place = table_place(d, w, table, sizeof(table), &place);
	if (w->id < PICA_REG_COUNT && !(d->groups >> pica_reg_group(w->id) & 1)) {
		return;
	}
	if (d->events && !d->writes) {
		begin_part(d, w->addr, 0, false); /* in the middle of a list */
	}
	if (d->writes) {
		json_t *row = json_pack("{sI sI sI sI}", "addr", (json_int_t)w->addr, "id",
				(json_int_t)w->id, "mask", (json_int_t)w->mask, "value",
				(json_int_t)w->value);
		json_object_set_new(row, "name", name ? json_string(name) : json_null());
		json_object_set_new(row, "fields", snapshot_fields_json(w->id, w->value));
		if (has_place) {
			json_object_set_new(row, "table", json_string(table));
			json_object_set_new(row, "index", json_integer(place));
		}
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
		fputc('\n', d->out);
	}
}
