/* Differences between the states at two draws. */
#include "snapshot.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/attributes.h"

enum { FLOATS = 96, FIXED = 16 };

/* Shows one thing that differs. */
struct diff {
	FILE *out;    /* or */
	json_t *json; /* an array */
	unsigned n;
};

static void value_text(const struct pica_field *f, FILE *out) {
	switch (f->form) {
	case PICA_FIELD_ENUM:
		if (f->text) {
			fputs(f->text, out);
		} else {
			fprintf(out, "%" PRIu32, f->raw);
		}
		break;
	case PICA_FIELD_BITS:
		fprintf(out, "0x%" PRIx32, f->raw);
		break;
	case PICA_FIELD_ADDRESS:
		fprintf(out, "0x%08" PRIx32, (uint32_t)f->number);
		break;
	default:
		fprintf(out, "%.9g", f->number);
		break;
	}
}

static void diff_register(struct diff *d, uint32_t id, uint32_t a, uint32_t b) {
	struct pica_field fa, fb;
	d->n++;
	if (d->json) {
		json_array_append_new(d->json,
				json_pack("{ss sI ss sI sI so so}", "what", "register", "id",
						(json_int_t)id, "name", pica_reg_name(id), "from",
						(json_int_t)a, "to", (json_int_t)b, "from_fields",
						snapshot_fields_json(id, a), "to_fields",
						snapshot_fields_json(id, b)));
		return;
	}
	fprintf(d->out, "%03" PRIx32 " %-27s", id, pica_reg_name(id));
	bool named = false;
	for (unsigned i = 0; pica_reg_field(id, a, i, &fa) && pica_reg_field(id, b, i, &fb); i++) {
		if (fa.raw != fb.raw) {
			fprintf(d->out, " %s ", fa.name);
			value_text(&fa, d->out);
			fputs(" -> ", d->out);
			value_text(&fb, d->out);
			named = true;
		}
	}
	if (!named) { /* in bits outside of fields */
		fprintf(d->out, " %08" PRIx32 " -> %08" PRIx32, a, b);
	}
	fputc('\n', d->out);
}

static void vector_text(const uint32_t v[4], FILE *out) {
	fprintf(out, "(%.9g, %.9g, %.9g, %.9g)", pica_f24_value(v[0]), pica_f24_value(v[1]),
			pica_f24_value(v[2]), pica_f24_value(v[3]));
}

static json_t *vector_json(const uint32_t v[4]) {
	return json_pack("[IIII]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2],
			(json_int_t)v[3]);
}

static void diff_vector(struct diff *d, const char *what, unsigned index, const uint32_t a[4],
		const uint32_t b[4]) {
	if (memcmp(a, b, 4 * sizeof(*a)) == 0) {
		return;
	}
	d->n++;
	if (d->json) {
		json_array_append_new(d->json,
				json_pack("{ss si so so}", "what", what, "index", (int)index,
						"from_words", vector_json(a), "to_words",
						vector_json(b)));
		return;
	}
	fprintf(d->out, "%s%-3u ", what, index);
	vector_text(a, d->out);
	fputs(" -> ", d->out);
	vector_text(b, d->out);
	fputc('\n', d->out);
}

static void diff_words(struct diff *d, const char *what, const uint32_t *a, const uint32_t *b,
		unsigned n) {
	unsigned count = 0, first = 0;
	for (unsigned i = 0; i < n; i++) {
		if (a[i] != b[i] && count++ == 0) {
			first = i;
		}
	}
	if (!count) {
		return;
	}
	d->n++;
	if (d->json) {
		json_array_append_new(d->json,
				json_pack("{ss si si}", "what", what, "words", (int)count, "first",
				(int)first));
	} else {
		fprintf(d->out, "%s: %u word%s, the first is 0x%03x\n", what, count,
				count == 1 ? " differs" : "s differ", first);
	}
}

static void diff_unit(struct diff *d, const char *const names[3], const struct pica_shader_state *a,
		const struct pica_shader_state *b) {
	diff_words(d, names[0], a->code, b->code, ARRAY_LEN(a->code));
	diff_words(d, names[1], a->operand_descriptors, b->operand_descriptors,
			ARRAY_LEN(a->operand_descriptors));
	for (unsigned i = 0; i < FLOATS; i++) {
		diff_vector(d, names[2], i, a->uniforms[i], b->uniforms[i]);
	}
}

/* Two tables of one name, at equal offsets in both states. */
struct table_pair {
	struct diff *d;
	const struct pica_tables *a, *b;
};

static void diff_table(void *user, const char *name, const uint32_t *words, unsigned n) {
	const struct table_pair *pair = user;
	const uint32_t *other = (const uint32_t *)pair->b + (words - (const uint32_t *)pair->a);
	char what[SNAPSHOT_TABLE_NAME + 8];
	snprintf(what, sizeof(what), "table %s", name);
	diff_words(pair->d, what, words, other, n);
}

static void diff_all(struct diff *d, const struct pica_state *a, const struct pica_state *b,
		uint32_t groups) {
	static const char *const vsh[3] = { "vsh.code", "vsh.descriptors", "vsh.c" };
	static const char *const gsh[3] = { "gsh.code", "gsh.descriptors", "gsh.c" };
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		if (a->regs[id] != b->regs[id] && snapshot_is_state(id, groups)) {
			diff_register(d, id, a->regs[id], b->regs[id]);
		}
	}
	if (groups >> PICA_GROUP_VSH & 1) {
		diff_unit(d, vsh, &a->vs, &b->vs);
	}
	if (groups >> PICA_GROUP_GSH & 1) {
		diff_unit(d, gsh, &a->gs, &b->gs);
	}
	struct table_pair tables = { d, &a->tables, &b->tables };
	snapshot_tables(&a->tables, groups, diff_table, &tables);
	for (unsigned i = 0; (groups >> PICA_GROUP_GEOMETRY & 1) && i < FIXED; i++) {
		diff_vector(d, "fixed", i, a->fixed_attributes[i], b->fixed_attributes[i]);
	}
}

unsigned snapshot_diff_text(
		const struct snapshot *a, const struct snapshot *b, uint32_t groups, FILE *out) {
	struct diff d = { .out = out };
	diff_all(&d, &a->state, &b->state, groups);
	return d.n;
}

json_t *snapshot_diff_json(const struct snapshot *a, const struct snapshot *b, uint32_t groups) {
	struct diff d = { .json = json_array() };
	diff_all(&d, &a->state, &b->state, groups);
	return d.json;
}
