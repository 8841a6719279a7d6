/* The state that a draw sees: registers and the words that set them, uniforms, programs. */
#include "inspect.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "common/json.h"
#include "dump/dump.h"

static json_t *field_text_json(const struct pica_field *f) {
	char text[40];
	if (f->form == PICA_FIELD_ENUM && f->text) {
		return json_string(f->text);
	}
	if (f->form == PICA_FIELD_FLOAT) {
		/* With a point, as an edit takes it: without one, it is the number of the bits. */
		snprintf(text, sizeof(text), "%.7g", f->number);
		if (isfinite(f->number) && !strchr(text, '.')) {
			char *end = text + strcspn(text, "e");
			memmove(end + 2, end, strlen(end) + 1);
			memcpy(end, ".0", 2);
		}
		return json_string(text);
	}
	if (f->form == PICA_FIELD_BITS || f->form == PICA_FIELD_ADDRESS) {
		return json_sprintf("0x%" PRIX32,
				f->form == PICA_FIELD_ADDRESS ? (uint32_t)f->number : f->raw);
	}
	return json_sprintf("%.0f", f->number);
}

/* Names of a field's values, {"FUNC": ["never", ...]}, of fields that have some. */
static json_t *names_json(uint32_t id) {
	json_t *names = json_object();
	struct pica_field f, v;
	for (unsigned i = 0; pica_reg_field(id, 0, i, &f); i++) {
		if (f.form != PICA_FIELD_ENUM) {
			continue;
		}
		json_t *list = json_array();
		for (uint32_t n = 0; n >> f.bits == 0; n++) {
			if (pica_reg_field(id, n << f.low, i, &v) && v.text) {
				json_array_append_new(list, json_string(v.text));
			}
		}
		json_object_set_new(names, f.name, list);
	}
	return names;
}

/* Adds the fields of a register's word, once for all draws: [[name, text]]. */
static void add_word(struct inspect *g, uint32_t id, uint32_t word) {
	char key[32];
	snprintf(key, sizeof(key), "%" PRIu32 ":%" PRIu32, id, word);
	if (json_object_get(g->words, key)) {
		return;
	}
	json_t *fields = json_array();
	struct pica_field f;
	for (unsigned i = 0; pica_reg_field(id, word, i, &f); i++) {
		json_array_append_new(fields,
				json_pack("[so]", f.name, field_text_json(&f)));
	}
	json_object_set_new(g->words, key, fields);
	snprintf(key, sizeof(key), "%" PRIu32, id);
	if (!json_object_get(g->registers, key)) {
		json_object_set_new(g->registers, key,
				json_pack("[sso]", pica_reg_name(id),
						pica_reg_group_name(pica_reg_group(id)),
						names_json(id)));
	}
}

/*
 * Registers written since the last draw, or that differ: [[id, word, address of the list word]],
 * null if it was not written; if the word's load is known, also the load's place in the capture and
 * number in its frame, and the word's byte in it.
 */
static json_t *registers_json(struct inspect *g) {
	json_t *rows = json_array();
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		const uint32_t word = g->now->state.regs[id];
		const bool differs = g->has_before ? word != g->before->state.regs[id] : word != 0;
		if (!snapshot_is_state(id, SNAPSHOT_ALL) || (!differs && !g->is_written[id])) {
			continue;
		}
		add_word(g, id, word);
		json_t *row = json_pack("[IIo]", (json_int_t)id, (json_int_t)word,
				g->is_written[id] ? json_integer(g->word_addr[id]) : json_null());
		if (g->is_written[id] && g->word_load[id]) {
			const struct inspect_load *l = &g->loads[g->word_load[id] - 1];
			json_array_append_new(row, json_integer((json_int_t)l->offset));
			json_array_append_new(row, json_integer(l->event));
			json_array_append_new(row, json_integer(g->word_addr[id] - l->addr));
		}
		json_array_append_new(rows, row);
	}
	memset(g->is_written, 0, sizeof(g->is_written));
	return rows;
}

/* Vectors that differ: [[index, x, y, z, w]]. */
static json_t *vectors_json(const uint32_t (*v)[4], const uint32_t (*before)[4], unsigned n) {
	static const uint32_t zero[4];
	json_t *rows = json_array();
	for (unsigned i = 0; i < n; i++) {
		if (memcmp(v[i], before ? before[i] : zero, sizeof(zero)) == 0) {
			continue;
		}
		json_t *row = json_array();
		json_array_append_new(row, json_integer(i));
		for (unsigned c = 0; c < 4; c++) {
			json_array_append_new(row, json_finite(pica_f24_value(v[i][c])));
		}
		json_array_append_new(rows, row);
	}
	return rows;
}

static void find_table(void *user, const char *name, const uint32_t *words, unsigned n) {
	if (!snapshot_is_empty(words, n)) {
		const uint64_t hash = XXH3_64bits(words, n * sizeof(*words));
		json_object_set_new(user, name, json_sprintf("%016" PRIx64, hash));
	}
}

int inspect_program(struct inspect *g, const char *text) {
	json_t *program = json_text(text);
	size_t i = json_array_size(g->programs);
	while (i-- > 0) {
		if (json_equal(json_array_get(g->programs, i), program)) {
			json_decref(program);
			return (int)i;
		}
	}
	json_array_append_new(g->programs, program);
	return (int)json_array_size(g->programs) - 1;
}

/* Returns the number of the program's text, or -1 if it cannot be shown. */
static int program_number(struct inspect *g, bool is_gs) {
	char *text = NULL;
	const int n = dump_program(g->now, is_gs, &text) < 0 ? -1 : inspect_program(g, text);
	free(text);
	return n;
}

int inspect_state(struct inspect *g, const struct step_draw *draw, json_t *step) {
	const struct pica_state *old = g->has_before ? &g->before->state : NULL;
	const int ret = pica_ctx_save_state(g->ctx, &g->now->state);
	if (ret < 0) {
		return ret;
	}
	const struct pica_state *now = &g->now->state;
	g->now->draw = *draw;
	json_t *tables = json_object();
	snapshot_tables(&now->tables, SNAPSHOT_ALL, find_table, tables);
	const bool has_gs = facts_has_geometry(now->regs);
	json_object_set_new(step, "registers", registers_json(g));
	json_object_set_new(step, "uniforms",
			vectors_json(now->vs.uniforms, old ? old->vs.uniforms : NULL, 96));
	json_object_set_new(step, "gs_uniforms", !has_gs ? json_array() :
			vectors_json(now->gs.uniforms, old ? old->gs.uniforms : NULL, 96));
	json_object_set_new(step, "fixed",
			vectors_json(now->fixed_attributes,
					old ? old->fixed_attributes : NULL, 16));
	json_object_set_new(step, "tables", tables);
	json_object_set_new(step, "program", json_integer(program_number(g, false)));
	json_object_set_new(step, "gs_program",
			json_integer(has_gs ? program_number(g, true) : -1));
	struct snapshot *swap = g->before;
	g->before = g->now;
	g->now = swap;
	g->has_before = true;
	return 0;
}
