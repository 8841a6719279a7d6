#include "snapshot.h"

#include <inttypes.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "core/base/attributes.h"
#include "effects.h"
#include "facts.h"
#include "fields.h"
#include "json.h"

enum { FLOATS = 96, FIXED = 16, MAX_TEXT = 1024 };

static const struct unit {
	const char *name;
	enum pica_reg_group group;
	uint16_t entry;
} units[2] = {
	{ "vsh", PICA_GROUP_VSH, PICA_REG_VSH_ENTRYPOINT },
	{ "gsh", PICA_GROUP_GSH, PICA_REG_GSH_ENTRYPOINT },
};

static const struct pica_shader_state *unit_state(const struct snapshot *s, unsigned unit) {
	return unit == 0 ? &s->state.vs : &s->state.gs;
}

static bool is_chosen(uint32_t groups, enum pica_reg_group group) {
	return groups >> group & 1;
}

bool snapshot_is_state(uint32_t id, uint32_t groups) {
	switch (pica_reg_kind(id)) {
	case PICA_KIND_CONFIG:
	case PICA_KIND_CPU:
	case PICA_KIND_UNKNOWN:
		return is_chosen(groups, pica_reg_group(id));
	case PICA_KIND_HOLE:
	case PICA_KIND_PORT:
	case PICA_KIND_TRIGGER:
	case PICA_KIND_STATUS:
		return false;
	}
	return false;
}

/* Program and descriptors in one number. */
void snapshot_program(const struct pica_shader_state *u, char text[17]) {
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, u->code, sizeof(u->code));
	XXH3_64bits_update(&state, u->operand_descriptors, sizeof(u->operand_descriptors));
	snprintf(text, 17, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(&state));
}

/* By its name in an enumeration, or by its number. */
static void table_name(char name[SNAPSHOT_TABLE_NAME], const char *prefix, const char *values,
		unsigned index) {
	const char *text = field_text(values, index);
	if (text[0] == '?') {
		snprintf(name, SNAPSHOT_TABLE_NAME, "%s-%u", prefix, index);
	} else {
		snprintf(name, SNAPSHOT_TABLE_NAME, "%s-%s", prefix, text);
	}
}

void snapshot_light_table(unsigned index, char name[SNAPSHOT_TABLE_NAME]) {
	if (index >= PICA_LIGHT_TABLE_SP && index < PICA_LIGHT_TABLE_DA + 8) {
		snprintf(name, SNAPSHOT_TABLE_NAME, "light-%s%u",
				index < PICA_LIGHT_TABLE_DA ? "SP" : "DA", index % 8);
		return;
	}
	table_name(name, "light", "LIGHT_TABLE", index);
}

/* Calls show() for each table of the chosen groups: those of the ports that write them. */
void snapshot_tables(const struct pica_tables *t, uint32_t groups,
		void (*show)(void *user, const char *name, const uint32_t *words, unsigned n),
		void *user) {
	char name[SNAPSHOT_TABLE_NAME];
	for (unsigned i = 0; is_chosen(groups, PICA_GROUP_LIGHTING) && i < ARRAY_LEN(t->light);
			i++) {
		snapshot_light_table(i, name);
		show(user, name, t->light[i], ARRAY_LEN(t->light[i]));
	}
	for (unsigned i = 0; is_chosen(groups, PICA_GROUP_TEXTURE) && i < ARRAY_LEN(t->proctex);
			i++) {
		table_name(name, "proctex", "PROCTEX_TABLE", i);
		show(user, name, t->proctex[i], ARRAY_LEN(t->proctex[i]));
	}
	if (is_chosen(groups, PICA_GROUP_COMBINER)) {
		show(user, "fog", t->fog, ARRAY_LEN(t->fog));
	}
	if (is_chosen(groups, PICA_GROUP_FRAMEBUFFER)) {
		show(user, "gas", t->gas, ARRAY_LEN(t->gas));
	}
}

/* ---- Text ---- */

void snapshot_title(const struct snapshot *s, FILE *out) {
	const uint32_t *regs = s->state.regs;
	fprintf(out, "frame %" PRIu32 " draw %" PRIu32 ": %s", s->draw.frame, s->draw.draw,
			draw_kind_name(s->draw.kind));
	if (s->draw.kind != DRAW_IMMEDIATE) {
		fprintf(out, ", %" PRIu32 " vertices", regs[PICA_REG_NUMVERTICES]);
	}
	fprintf(out, ", %s",
			field_text("PRIMITIVE",
					get_PRIMITIVE_CONFIG_MODE(
							regs[PICA_REG_PRIMITIVE_CONFIG])));
	if (facts_has_geometry(regs)) {
		fputs(", geometry shader", out);
	}
	fprintf(out, " (byte 0x%" PRIX64 ", word 0x%08" PRIx32 ")\n", s->draw.offset, s->draw.addr);
}

static void summary_text(const struct snapshot *s, FILE *out) {
	const uint32_t *regs = s->state.regs;
	struct pica_target t;
	pica_target_from_regs(&t, regs);
	fprintf(out, "%-10s %" PRIu32 "x%" PRIu32 " %s at 0x%08" PRIx32 "%s\n", "target", t.width,
			t.height, field_text("COLOR_FORMAT", t.color_format), t.color_addr,
			t.block32 ? ", blocks of 32x32" : "");
	if (facts_depth(regs)) {
		fprintf(out, "%-10s %s at 0x%08" PRIx32 "\n", "depth",
				field_text("DEPTH_FORMAT", t.depth_format), t.depth_addr);
	}
	for (unsigned unit = 0; unit < FACTS_TEXTURES; unit++) {
		struct facts_texture x;
		facts_texture(regs, unit, &x);
		if (x.is_on) {
			fprintf(out, "texture %u  %" PRIu32 "x%" PRIu32 " %s %s at 0x%08" PRIx32,
					unit, x.width, x.height,
					field_text("TEXTURE_FORMAT", x.format),
					field_text("TEXTURE_TYPE", x.type), x.addr);
			effects_shadow_texture(regs, x.type, out);
		}
	}
	effects_text(regs, out);
	/* Without a geometry shader, the geometry unit has the memories of the vertex units. */
	for (unsigned u = 0; u < (facts_has_geometry(regs) ? 2u : 1u); u++) {
		char hash[17];
		snapshot_program(unit_state(s, u), hash);
		fprintf(out, "%s        program %s from word 0x%03" PRIx32 "\n", units[u].name,
				hash, get_SH_ENTRYPOINT_PC(regs[units[u].entry]));
	}
}

static bool is_zero(const uint32_t v[4]) {
	return !(v[0] | v[1] | v[2] | v[3]);
}

/* Those that are not zero, after an empty line. */
static void vectors_text(const char *name, const uint32_t (*v)[4], unsigned n, FILE *out) {
	bool is_first = true;
	for (unsigned i = 0; i < n; i++) {
		if (!is_zero(v[i])) {
			fprintf(out, "%s%s%-3u %.9g %.9g %.9g %.9g\n", is_first ? "\n" : "", name,
					i, pica_f24_value(v[i][0]), pica_f24_value(v[i][1]),
					pica_f24_value(v[i][2]), pica_f24_value(v[i][3]));
			is_first = false;
		}
	}
}

static void group_text(
		const struct snapshot *s, enum pica_reg_group group, bool is_short, FILE *out) {
	bool heading = false;
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		const uint32_t word = s->state.regs[id];
		const bool is_plain = pica_reg_kind(id) == PICA_KIND_CONFIG;
		if (!snapshot_is_state(id, 1u << group) || ((!is_plain || is_short) && !word)) {
			continue;
		}
		char text[MAX_TEXT];
		pica_reg_describe(id, word, text, sizeof(text));
		fprintf(out, "%s%03" PRIx32 " %-27s %08" PRIx32 " %s\n", heading ? "" : "\n", id,
				pica_reg_name(id), word, text);
		heading = true;
	}
}

bool snapshot_is_empty(const uint32_t *words, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		if (words[i]) {
			return false;
		}
	}
	return true;
}

enum table_form { TABLE_LIGHT, TABLE_FOG, TABLE_PROCTEX, TABLE_COLORS };

static enum table_form table_form(const char *name) {
	return strcmp(name, "fog") == 0                 ? TABLE_FOG :
			strncmp(name, "light-", 6) == 0 ? TABLE_LIGHT :
			strcmp(name, "gas") == 0 || strncmp(name, "proctex-color", 13) == 0 ?
							  TABLE_COLORS :
							  TABLE_PROCTEX;
}

/* Values with the difference to the next one; colours as their bytes, R first. */
static void table_text(void *user, const char *name, const uint32_t *words, unsigned n) {
	static struct effects_entry (*const entries[])(uint32_t word) = {
		[TABLE_LIGHT] = effects_light_entry, [TABLE_FOG] = effects_fog_entry,
		[TABLE_PROCTEX] = effects_proctex_entry, [TABLE_COLORS] = NULL
	};
	const enum table_form form = table_form(name);
	FILE *out = user;
	if (snapshot_is_empty(words, n)) {
		return;
	}
	fprintf(out, "\ntable %s\n", name);
	for (unsigned i = 0; i < n; i++) {
		if (i % 8 == 0) {
			fprintf(out, "%3u", i);
		}
		if (form == TABLE_COLORS) {
			fprintf(out, " %02" PRIx32 "%02" PRIx32 "%02" PRIx32 "%02" PRIx32,
					words[i] & 0xFF, words[i] >> 8 & 0xFF,
					words[i] >> 16 & 0xFF, words[i] >> 24);
		} else {
			const struct effects_entry e = entries[form](words[i]);
			fprintf(out, " %.4f%+.4f", e.value, e.difference);
		}
		fputs(i % 8 == 7 || i == n - 1 ? "\n" : "", out);
	}
}

/* Its name, and a hash. */
static void table_name_text(void *user, const char *name, const uint32_t *words, unsigned n) {
	if (!snapshot_is_empty(words, n)) {
		fprintf(user, "table %-20s %016" PRIx64 "\n", name,
				(uint64_t)XXH3_64bits(words, n * sizeof(*words)));
	}
}

static void table_json(void *user, const char *name, const uint32_t *words, unsigned n) {
	if (!snapshot_is_empty(words, n)) {
		json_t *row = json_array();
		for (unsigned i = 0; i < n; i++) {
			json_array_append_new(row, json_integer(words[i]));
		}
		json_object_set_new(user, name, row);
	}
}

static void all_text(const struct snapshot *s, uint32_t groups, bool is_short, FILE *out) {
	snapshot_title(s, out);
	summary_text(s, out);
	for (unsigned g = 0; g < PICA_GROUP_COUNT; g++) {
		if (is_chosen(groups, (enum pica_reg_group)g)) {
			group_text(s, (enum pica_reg_group)g, is_short, out);
		}
	}
	for (unsigned u = 0; u < ARRAY_LEN(units); u++) {
		char name[16];
		snprintf(name, sizeof(name), "%s.c", units[u].name);
		if (is_chosen(groups, units[u].group)) {
			vectors_text(name, unit_state(s, u)->uniforms, FLOATS, out);
		}
	}
	if (is_chosen(groups, PICA_GROUP_GEOMETRY)) {
		vectors_text("fixed", s->state.fixed_attributes, FIXED, out);
	}
	snapshot_tables(&s->state.tables, groups, is_short ? table_name_text : table_text, out);
}

void snapshot_text(const struct snapshot *s, uint32_t groups, FILE *out) {
	all_text(s, groups, false, out);
}

void snapshot_short_text(const struct snapshot *s, FILE *out) {
	const bool has_gs = facts_has_geometry(s->state.regs);
	all_text(s, has_gs ? SNAPSHOT_ALL : SNAPSHOT_ALL & ~(1u << PICA_GROUP_GSH), true, out);
}

/* ---- JSON ---- */

static json_t *field_json(const struct pica_field *f) {
	switch (f->form) {
	case PICA_FIELD_ENUM:
		return f->text ? json_string(f->text) : json_integer(f->raw);
	case PICA_FIELD_FLOAT:
		return json_finite(f->number);
	case PICA_FIELD_ADDRESS:
		return json_addr((uint32_t)f->number);
	default:
		return json_integer((json_int_t)f->number);
	}
}

json_t *snapshot_fields_json(uint32_t id, uint32_t word) {
	json_t *fields = json_object();
	struct pica_field f;
	for (unsigned i = 0; pica_reg_field(id, word, i, &f); i++) {
		json_object_set_new(fields, f.name, field_json(&f));
	}
	return fields;
}

/* Those that are not zero, by their index. */
static json_t *vectors_json(const uint32_t (*v)[4], unsigned n) {
	json_t *rows = json_object();
	for (unsigned i = 0; i < n; i++) {
		char key[8];
		snprintf(key, sizeof(key), "%u", i);
		if (!is_zero(v[i])) {
			json_object_set_new(rows, key,
					json_pack("[oooo]", json_finite(pica_f24_value(v[i][0])),
							json_finite(pica_f24_value(v[i][1])),
							json_finite(pica_f24_value(v[i][2])),
							json_finite(pica_f24_value(v[i][3]))));
		}
	}
	return rows;
}

static json_t *place_json(const struct snapshot *s) {
	return json_pack("{sI sI ss sI so}", "frame", (json_int_t)s->draw.frame, "draw",
			(json_int_t)s->draw.draw, "kind", draw_kind_name(s->draw.kind), "offset",
			(json_int_t)s->draw.offset, "addr", json_addr(s->draw.addr));
}

json_t *snapshot_target_json(const uint32_t *regs) {
	struct pica_target t;
	pica_target_from_regs(&t, regs);
	return json_pack("{so ss so ss sI sI sb}", "color_addr", json_addr(t.color_addr),
			"color_format", field_text("COLOR_FORMAT", t.color_format), "depth_addr",
			json_addr(t.depth_addr), "depth_format",
			field_text("DEPTH_FORMAT", t.depth_format), "width", (json_int_t)t.width,
			"height", (json_int_t)t.height, "block32", t.block32 != 0);
}

json_t *snapshot_textures_json(const uint32_t *regs, uint32_t chosen) {
	json_t *rows = json_array();
	for (unsigned unit = 0; unit < FACTS_TEXTURES; unit++) {
		struct facts_texture x;
		facts_texture(regs, unit, &x);
		if (x.is_on && (chosen >> unit & 1)) {
			json_array_append_new(rows,
					json_pack("{si ss ss so sI sI sI}", "unit", (int)unit,
							"format",
							field_text("TEXTURE_FORMAT", x.format),
							"type", field_text("TEXTURE_TYPE", x.type),
							"addr", json_addr(x.addr), "width",
							(json_int_t)x.width, "height",
							(json_int_t)x.height, "levels",
							(json_int_t)x.levels + 1));
		}
	}
	return rows;
}

static json_t *unit_json(const struct snapshot *s, unsigned u) {
	const struct pica_shader_state *unit = unit_state(s, u);
	char hash[17];
	snapshot_program(unit, hash);
	return json_pack("{ss sI so}", "program", hash, "entry",
			(json_int_t)get_SH_ENTRYPOINT_PC(s->state.regs[units[u].entry]), "floats",
			vectors_json(unit->uniforms, FLOATS));
}

json_t *snapshot_json(const struct snapshot *s, uint32_t groups) {
	json_t *state = place_json(s), *registers = json_object();
	json_object_set_new(state, "vertices", s->draw.kind == DRAW_IMMEDIATE ? json_null() :
			json_integer(s->state.regs[PICA_REG_NUMVERTICES]));
	json_object_set_new(state, "target", snapshot_target_json(s->state.regs));
	json_object_set_new(state, "textures", snapshot_textures_json(s->state.regs, ~0u));
	for (uint32_t id = 0; id < PICA_REG_COUNT; id++) {
		if (snapshot_is_state(id, groups)) {
			json_object_set_new(registers, pica_reg_name(id),
					json_pack("{sI sI so}", "id", (json_int_t)id, "value",
							(json_int_t)s->state.regs[id], "fields",
							snapshot_fields_json(
									id, s->state.regs[id])));
		}
	}
	json_object_set_new(state, "registers", registers);
	for (unsigned u = 0; u < ARRAY_LEN(units); u++) {
		if (is_chosen(groups, units[u].group)) {
			json_object_set_new(state, units[u].name, unit_json(s, u));
		}
	}
	json_object_set_new(state, "fixed_attributes",
			vectors_json(s->state.fixed_attributes,
					is_chosen(groups, PICA_GROUP_GEOMETRY) ? FIXED : 0));
	json_t *tables = json_object();
	snapshot_tables(&s->state.tables, groups, table_json, tables);
	json_object_set_new(state, "tables", tables);
	return state;
}
