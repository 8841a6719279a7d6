/* Edits: changes of registers, programs, textures and memory from a draw on. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/markup.h"
#include "fields.h"
#include "inspect/calls.h"
#include "pica_emit.h"
#include "pica_inspect.h"
#include "pica_shader.h"
#include "texels.h"

enum { TEXT = 96 };

static const char *const program_words[] = { "vertex", "geometry", NULL };

static const char *register_option(void *at, char *text) {
	uint64_t number;
	const int id = pica_reg_id(text);
	if (id < 0 && !parse_number(text, PICA_REG_COUNT - 1, &number)) {
		return "expected the name or the number of a register";
	}
	*(uint32_t *)at = id < 0 ? (uint32_t)number : (uint32_t)id;
	return NULL;
}

const struct option_row inspect_edit_rows[] = {
	INSPECT_FRAME_ROW,
	INSPECT_NUMBER_ROW("draw", place.draw, UINT32_MAX - 1, INSPECT_DRAW),
	{ .name = "register",
			.kind = OPTION_CALL,
			.at = INSPECT_AT(reg),
			.parse = register_option,
			.given = INSPECT_REGISTER },
	{ .name = "fields", .kind = OPTION_TEXT, .at = INSPECT_AT(fields) },
	INSPECT_NUMBER_ROW("value", value, UINT32_MAX, INSPECT_VALUE),
	{ .name = "program",
			.kind = OPTION_CHOICE,
			.at = INSPECT_AT(program),
			.words = program_words,
			.given = INSPECT_PROGRAM },
	{ .name = "text", .kind = OPTION_TEXT, .at = INSPECT_AT(text) },
	INSPECT_NUMBER_ROW("unit", unit, 2, INSPECT_UNIT),
	INSPECT_NUMBER_ROW("face", face, 5, 0),
	INSPECT_NUMBER_ROW("level", level, 7, 0),
	{ .name = "png", .kind = OPTION_TEXT, .at = INSPECT_AT(png) },
	INSPECT_NUMBER_ROW("address", address, UINT32_MAX, INSPECT_ADDRESS),
	{ .name = "bytes", .kind = OPTION_TEXT, .at = INSPECT_AT(data) },
	{ .name = NULL },
};

const struct option_row inspect_undo_rows[] = {
	{ .name = "all", .kind = OPTION_FLAG, .at = INSPECT_AT(all) },
	{ .name = NULL },
};

/* The edit that is being made. */
struct maker {
	struct inspect_engine *e; /* before the draw */
	const struct inspect_params *p;
	char text[TEXT]; /* describes it */
	int ret;
};

static void add(struct maker *m, bool is_memory, size_t at, const void *bytes, size_t n) {
	const struct inspect_place *place = &m->e->place;
	const struct edit edit = { .frame = place->frame,
		.draw = place->draw,
		.number = (uint32_t)json_array_size(m->e->edit_rows),
		.is_memory = is_memory,
		.at = (uint32_t)at,
		.size_bytes = (uint32_t)n,
		.bytes = (uint8_t *)bytes };
	m->ret = m->ret < 0 ? m->ret : edits_add(&m->e->edits, &edit);
}

static void add_register(struct maker *m, uint32_t id, uint32_t word) {
	add(m, false, offsetof(struct pica_state, regs) + id * sizeof(word), &word, sizeof(word));
}

/* ---- Registers ---- */

enum { LIST = 512 };

static void add_name(char *list, const char *name) {
	const size_t len = strlen(list);
	snprintf(list + len, LIST - len, "%s%s", len ? ", " : "", name);
}

/* Fails for one of the fields, "FUNC=greater", and names what is allowed. */
static int fail_field(uint32_t id, const char *item) {
	const size_t len = strcspn(item, "=");
	struct pica_field f, v;
	char list[LIST] = "";
	bool is_field = false;
	for (unsigned i = 0; !is_field && pica_reg_field(id, 0, i, &f); i++) {
		add_name(list, f.name);
		is_field = item[len] && strlen(f.name) == len && !strncmp(item, f.name, len);
		const bool has_names = is_field && f.form == PICA_FIELD_ENUM;
		for (uint32_t n = 0; has_names && n >> f.bits == 0; n++) {
			list[0] = n ? list[0] : '\0';
			if (pica_reg_field(id, n << f.low, i, &v) && v.text) {
				add_name(list, v.text);
			}
		}
	}
	if (!is_field) {
		return log_fail("fields: %.60s: expected FIELD=VALUE with a field of %s: %s", item,
				pica_reg_name(id), list);
	}
	if (f.form == PICA_FIELD_ENUM) {
		return log_fail("fields: %.60s: expected as %s one of: %s", item, f.name, list);
	}
	const bool is_address = f.form == PICA_FIELD_ADDRESS;
	const char *kind = is_address ? "an address, a multiple of 8," : "a number";
	return log_fail("fields: %.60s: expected as %s %s%s of %u bits", item, f.name,
			f.form == PICA_FIELD_FLOAT ? "a decimal with a point, or " : "", kind,
			is_address ? 32 : f.bits);
}

/* Replaces fields of a word, one by one: "FUNC=less, ENABLE=1". */
static int set_fields(uint32_t id, const char *fields, uint32_t *word) {
	static const char gaps[] = " ,\t\n";
	for (const char *at = fields + strspn(fields, gaps); *at; at += strspn(at, gaps)) {
		char item[96];
		const size_t n = strcspn(at, gaps);
		const bool is_long = n >= sizeof(item);
		snprintf(item, sizeof(item), "%.*s", is_long ? (int)sizeof(item) : (int)n, at);
		if (is_long || pica_reg_set_fields(id, item, word) < 0) {
			return fail_field(id, item);
		}
		at += n;
	}
	return EXIT_FINE;
}

static int edit_register(struct maker *m) {
	const struct inspect_params *p = m->p;
	const bool has_value = p->given & INSPECT_VALUE;
	const uint32_t id = p->reg;
	if (!snapshot_is_state(id, SNAPSHOT_ALL)) {
		return log_fail("register 0x%03" PRIX32 ": expected one that keeps state", id);
	}
	if (has_value == (p->fields != NULL)) {
		return log_fail("register: expected either fields or value");
	}
	uint32_t word = has_value ? p->value : m->e->snapshot->state.regs[id];
	const int exit = p->fields ? set_fields(id, p->fields, &word) : EXIT_FINE;
	if (exit != EXIT_FINE) {
		return exit;
	}
	snprintf(m->text, TEXT, "%s = 0x%08" PRIX32 "%s%s%s", pica_reg_name(id), word,
			p->fields ? " (" : "", p->fields ? p->fields : "", p->fields ? ")" : "");
	add_register(m, (uint32_t)id, word);
	return EXIT_FINE;
}

/* ---- Programs ---- */

/* Both units have the same registers, in the same order. */
static uint32_t unit_reg(bool is_gs, uint32_t vsh) {
	return is_gs ? vsh - PICA_REG_VSH_BOOLUNIFORM + PICA_REG_GSH_BOOLUNIFORM : vsh;
}

static void add_constants(struct maker *m, const struct pica_shader_entry *entry, bool is_gs,
		size_t unit) {
	const uint32_t bool_reg = unit_reg(is_gs, PICA_REG_VSH_BOOLUNIFORM);
	uint32_t booleans = m->e->snapshot->state.regs[bool_reg];
	for (uint32_t i = 0; i < entry->n_constants; i++) {
		const struct pica_shader_constant *c = &entry->constants[i];
		const uint32_t *v = c->value;
		if (c->type == PICA_SHADER_FLOAT) {
			const size_t at = offsetof(struct pica_shader_state, uniforms);
			add(m, false, unit + at + c->reg * sizeof(c->value), v, sizeof(c->value));
		} else if (c->type == PICA_SHADER_INT) {
			add_register(m, unit_reg(is_gs, PICA_REG_VSH_INTUNIFORM_I0) + c->reg,
					v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24);
		} else {
			booleans = (booleans & ~(1u << c->reg)) | (v[0] & 1) << c->reg;
		}
	}
	add_register(m, bool_reg, booleans);
}

static int edit_program(struct maker *m) {
	const bool is_gs = m->p->program != 0;
	const char *name = program_words[is_gs];
	if (!m->p->text) {
		return log_fail("program: expected text");
	}
	const struct pica_shader_source source = { name, m->p->text, strlen(m->p->text) };
	struct pica_shader *shader = NULL;
	struct pica_shader_error error;
	if (pica_shader_assemble(&shader, &source, 1, 0, &error) < 0) {
		return log_fail("text: line %" PRIu32 ": %s", error.line, error.message);
	}
	const struct pica_shader_entry *entry = shader->n_entries ? shader->entries : NULL;
	int exit = EXIT_FINE;
	if (!entry || (entry->type == PICA_SHADER_GEOMETRY) != is_gs) {
		exit = log_fail("text: expected a %s program", name);
	} else {
		const size_t unit = is_gs ? offsetof(struct pica_state, gs) :
					    offsetof(struct pica_state, vs);
		const uint32_t entry_reg = unit_reg(is_gs, PICA_REG_VSH_ENTRYPOINT);
		const uint32_t word = m->e->snapshot->state.regs[entry_reg];
		add(m, false, unit + offsetof(struct pica_shader_state, code), shader->code,
				shader->n_code * sizeof(*shader->code));
		add(m, false, unit + offsetof(struct pica_shader_state, operand_descriptors),
				shader->descriptors,
				shader->n_descriptors * sizeof(*shader->descriptors));
		add_register(m, entry_reg, (word & 0xFFFF0000) | entry->start);
		add_constants(m, entry, is_gs, unit);
		snprintf(m->text, TEXT, "%s program: %" PRIu32 " instructions", name,
				shader->n_code);
	}
	pica_shader_destroy(shader);
	return exit;
}

/* ---- Textures and memory ---- */

struct search {
	const struct inspect_params *p;
	struct dump_level level;
	bool is_found;
};

static int find_level(void *user, const struct dump_level *l) {
	struct search *s = user;
	if (l->unit == s->p->unit && l->face == s->p->face && l->level == s->p->level) {
		s->level = *l;
		s->is_found = !l->wrong;
	}
	return 0;
}

static int add_memory(struct maker *m, uint32_t addr, const uint8_t *bytes, size_t n) {
	if (!n || n > UINT32_MAX || !pica_ctx_host(m->e->here.ctx, addr, (uint32_t)n)) {
		return log_fail("0x%08" PRIX32 ", %zu bytes: expected a range in memory", addr, n);
	}
	add(m, true, addr, bytes, n);
	return EXIT_FINE;
}

static int put_texels(struct maker *m, const struct dump_level *l, const uint8_t *rgba) {
	const size_t n = (size_t)l->width * l->height * texels_bits(l->format) / 8;
	uint8_t *bytes = calloc(1, n + 1);
	if (!bytes) {
		return log_no_memory();
	}
	texels_put(l->format, bytes, (const uint8_t (*)[4])rgba, l->width, l->height);
	snprintf(m->text, TEXT, "%s: %s %" PRIu32 "x%" PRIu32, l->name,
			field_text("TEXTURE_FORMAT", l->format), l->width, l->height);
	const int exit = add_memory(m, l->addr, bytes, n);
	free(bytes);
	return exit;
}

static int edit_texture(struct maker *m) {
	struct search s = { .p = m->p };
	const struct dump_level *l = &s.level;
	uint32_t width, height;
	size_t n;
	dump_texture_levels(m->e->snapshot->state.regs, find_level, &s);
	if (!s.is_found) {
		return log_fail("draw %" PRIu32 ": expected a unit, face and level that `textures` has",
				m->p->place.draw);
	}
	uint8_t *png = m->p->png ? markup_from_base64(m->p->png, &n) : NULL, *rgba = NULL;
	const int ret = png ? picture_decode_png(png, n, &rgba, &width, &height) : -EINVAL;
	free(png);
	if (ret < 0) {
		return log_fail("png: expected a PNG in base64");
	}
	const int exit = width == l->width && height == l->height ? put_texels(m, l, rgba) :
			log_fail("png: %" PRIu32 "x%" PRIu32 ": expected %" PRIu32 "x%" PRIu32,
					width, height, l->width, l->height);
	free(rgba);
	return exit;
}

/* Returns the bytes of hexadecimal digits (caller frees), or NULL. */
static uint8_t *from_hex(const char *text, size_t *n) {
	const size_t len = strlen(text);
	uint8_t *out = len % 2 ? NULL : malloc(len / 2 + 1);
	*n = len / 2;
	for (size_t i = 0; out && i < *n; i++) {
		const char digits[3] = { text[2 * i], text[2 * i + 1], '\0' };
		if (strspn(digits, "0123456789abcdefABCDEF") != 2) {
			free(out);
			return NULL;
		}
		out[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return out;
}

static int edit_memory(struct maker *m) {
	size_t n = 0;
	uint8_t *bytes = m->p->data ? from_hex(m->p->data, &n) : NULL;
	const int exit = bytes ? add_memory(m, m->p->address, bytes, n) :
				 log_fail("bytes: expected pairs of hexadecimal digits");
	snprintf(m->text, TEXT, "%zu bytes at 0x%08" PRIX32, n, m->p->address);
	free(bytes);
	return exit;
}

/* ---- The calls ---- */

int inspect_edits(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	*out = json_pack("{sO}", "edits", e->edit_rows);
	return EXIT_FINE;
}

int inspect_edit(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	const unsigned what = p->given & INSPECT_EDITED;
	struct maker m = { .e = e, .p = p };
	if (!what || what & (what - 1)) {
		return log_fail("expected one of register, program, unit and address");
	}
	p->place.is_before = true;
	int exit = inspect_engine_go(e, &p->place);
	if (exit != EXIT_FINE) {
		return exit;
	}
	const size_t number = json_array_size(e->edit_rows);
	exit = what == INSPECT_REGISTER        ? edit_register(&m) :
			what == INSPECT_PROGRAM ? edit_program(&m) :
			what == INSPECT_UNIT    ? edit_texture(&m) :
						  edit_memory(&m);
	if (exit == EXIT_FINE && m.ret < 0) {
		exit = log_fail("%s", m.ret == -EDQUOT ? "expected at most 64MiB of edits" :
							 strerror(-m.ret));
	}
	if (exit != EXIT_FINE) {
		edits_cut(&e->edits, (uint32_t)number);
		return exit;
	}
	json_array_append_new(e->edit_rows,
			json_pack("{sI sI ss}", "frame", (json_int_t)e->place.frame, "draw",
					(json_int_t)e->place.draw, "text", m.text));
	inspect_engine_edited(e);
	return inspect_edits(e, p, out);
}

int inspect_undo(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	const size_t n = json_array_size(e->edit_rows);
	if (n == 0) {
		return log_fail("expected an edit before");
	}
	for (size_t i = n; i-- > (p->all ? 0 : n - 1);) {
		json_array_remove(e->edit_rows, i);
		edits_cut(&e->edits, (uint32_t)i);
	}
	inspect_engine_edited(e);
	return inspect_edits(e, p, out);
}
