/*
 * The assembler: files, lines, labels, and the finished program. Syntax of picasso.
 * [fidelity: assembler; points it leaves open: picasso's published sources]
 */
#include "pica/toolchain/asm.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Messages ---- */

static void copy_printable(char *out, size_t size, const char *p, size_t n) {
	size_t i = 0;
	for (; i < n && i + 1 < size; i++) {
		out[i] = p[i] >= ' ' && p[i] <= '~' ? p[i] : '?';
	}
	out[i] = '\0';
}

void asm_fail(struct assembler *a, const char *format, ...) {
	if (a->error) {
		return;
	}
	a->error = -EINVAL;
	if (a->message) {
		char message[sizeof(a->message->message)];
		va_list args;
		va_start(args, format);
		vsnprintf(message, sizeof(message), format, args);
		va_end(args);
		copy_printable(a->message->message, sizeof(a->message->message), message,
				strlen(message));
		copy_printable(a->message->file, sizeof(a->message->file), a->file_name.p,
				a->file_name.n);
		a->message->line = a->line;
	}
}

void asm_no_memory(struct assembler *a) {
	a->error = a->error ? a->error : -ENOMEM;
}

/* ---- Slices ---- */

static bool is_blank(char c) {
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c) {
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

char asm_lower(char c) {
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

struct slice slice_trim(struct slice s) {
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1])) {
		s.n--;
	}
	return s;
}

struct slice slice_skip(struct slice s, size_t n) {
	return (struct slice){ s.p + n, s.n - n };
}

bool slice_is(struct slice s, const char *text) {
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

bool slice_is_nocase(struct slice s, const char *text) {
	if (s.n != strlen(text)) {
		return false;
	}
	for (size_t i = 0; i < s.n; i++) {
		if (asm_lower(s.p[i]) != asm_lower(text[i])) {
			return false;
		}
	}
	return true;
}

bool slice_equal(struct slice a, struct slice b) {
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static struct slice split_at(struct slice *rest, size_t at, size_t skip) {
	struct slice first = { rest->p, at };
	rest->p += at + skip;
	rest->n -= at + skip;
	return slice_trim(first);
}

struct slice slice_split(struct slice *rest, char separator) {
	size_t i = 0;
	while (i < rest->n && rest->p[i] != separator) {
		i++;
	}
	return split_at(rest, i, i < rest->n);
}

struct slice slice_word(struct slice *rest) {
	*rest = slice_trim(*rest);
	size_t i = 0;
	while (i < rest->n && !is_blank(rest->p[i])) {
		i++;
	}
	struct slice word = split_at(rest, i, 0);
	*rest = slice_trim(*rest);
	return word;
}

bool is_identifier(struct slice s) {
	if (s.n == 0 || s.n > PICA_SHADER_MAX_NAME || !is_letter(s.p[0])) {
		return false;
	}
	for (size_t i = 1; i < s.n; i++) {
		if (!is_letter(s.p[i]) && (s.p[i] < '0' || s.p[i] > '9')) {
			return false;
		}
	}
	return true;
}

/* ---- Code and blocks ---- */

struct asm_block *asm_code_block(struct assembler *a) {
	return a->n_blocks ? &a->blocks[a->n_blocks - 1] : NULL;
}

void asm_emit(struct assembler *a, uint32_t word) {
	const struct asm_block *block = asm_code_block(a);
	bool is_raw = block && block->type == BLOCK_RAW;
	if (a->n_code == PICA_SHADER_CODE_WORDS) {
		asm_fail(a, "expected at most %d instructions", PICA_SHADER_CODE_WORDS);
		return;
	}
	if (a->file->entry.type == PICA_SHADER_VERTEX && a->n_code >= PICA_SHADER_VS_WORDS &&
			!is_raw) {
		asm_fail(a, "expected vertex code within the first %d instructions",
				PICA_SHADER_VS_WORDS);
	}
	a->is_literal[a->n_code] = false;
	a->code[a->n_code++] = word;
}

void asm_open_block(struct assembler *a, enum asm_block_type type, struct slice name, unsigned at) {
	if (a->n_blocks == ASM_BLOCKS) {
		asm_fail(a, "expected at most %d nested blocks", ASM_BLOCKS);
		return;
	}
	a->blocks[a->n_blocks++] = (struct asm_block){
		.type = type,
		.name = name,
		.at = at,
		.line = a->line,
	};
}

/* One statement without label or comment: an instruction or a directive. */
static void asm_statement(struct assembler *a, struct slice text) {
	a->file->is_used = true;
	struct slice rest = text;
	struct slice name = slice_word(&rest);
	if (name.n && name.p[0] == '.') {
		asm_directive(a, slice_skip(name, 1), rest);
	} else {
		a->last_was_end = false;
		asm_instruction(a, name, rest);
	}
}

const struct asm_proc *asm_find_proc(const struct assembler *a, struct slice name) {
	for (unsigned i = 0; i < a->n_procs; i++) {
		if (slice_equal(a->procs[i].name, name)) {
			return &a->procs[i];
		}
	}
	return NULL;
}

/* ---- Lines ---- */

static void add_label(struct assembler *a, struct slice name) {
	if (!is_identifier(name)) {
		asm_fail(a, "expected a name before \":\", got \"%.*s\"", SLICE_ARG(name));
	}
	for (unsigned i = 0; i < a->n_labels; i++) {
		if (slice_equal(a->labels[i].name, name)) {
			asm_fail(a, "label \"%.*s\" exists already", SLICE_ARG(name));
		}
	}
	if (a->n_labels == ASM_LABELS) {
		asm_fail(a, "expected at most %d labels in a file", ASM_LABELS);
	} else {
		a->labels[a->n_labels++] = (struct asm_label){ .name = name, .at = a->n_code };
	}
}

/* `# 12 "file"`: the next line is line 12 of that file. */
static void line_marker(struct assembler *a, struct slice s) {
	s = slice_skip(s, 1);
	struct slice number = slice_word(&s);
	unsigned line = 0;
	for (size_t i = 0; i < number.n && number.p[i] >= '0' && number.p[i] <= '9'; i++) {
		line = line < 100000000 ? line * 10 + (unsigned)(number.p[i] - '0') : line;
	}
	a->line = line - 1; /* wraps to 0 for line 0 with the increment after each line */
	if (s.n && s.p[0] == '"') {
		s = slice_skip(s, 1);
		a->file_name = slice_split(&s, '"');
	}
}

static void assemble_line(struct assembler *a, struct slice line) {
	struct slice s = slice_split(&line, ';');
	if (s.n && s.p[0] == '#') {
		line_marker(a, s);
		return;
	}
	while (s.n && memchr(s.p, ':', s.n)) {
		add_label(a, slice_split(&s, ':'));
		a->file->is_used = true;
		s = slice_trim(s);
	}
	if (s.n && !a->error) {
		asm_statement(a, s);
	}
}

/* ---- Files ---- */

static void open_pool(struct asm_pool *pool, unsigned start, unsigned end) {
	*pool = (struct asm_pool){ .start = start, .end = end, .bound = end, .top = end };
}

static const char *const block_name[] = {
	[BLOCK_PROC] = ".proc",
	[BLOCK_RAW] = ".raw",
	[BLOCK_IF] = "if",
	[BLOCK_FOR] = "for",
	[BLOCK_ARRAY] = ".constfa",
};

static void resolve_labels(struct assembler *a, unsigned first_fixup) {
	unsigned kept = first_fixup;
	for (unsigned i = first_fixup; i < a->n_fixups; i++) {
		struct asm_fixup *f = &a->fixups[i];
		if (f->is_proc) {
			a->fixups[kept++] = *f;
			continue;
		}
		unsigned k = 0;
		while (k < a->n_labels && !slice_equal(a->labels[k].name, f->name)) {
			k++;
		}
		a->line = f->line;
		a->file_name = f->file;
		if (k == a->n_labels) {
			asm_fail(a, "no label \"%.*s\" in this file", SLICE_ARG(f->name));
			return;
		}
		if (a->labels[k].at >= PICA_SHADER_CODE_WORDS) {
			asm_fail(a, "label \"%.*s\" lies beyond the code memory",
					SLICE_ARG(f->name));
			return;
		}
		a->code[f->word] = asm_with_target(a->code[f->word], a->labels[k].at,
				F2_NUM(a->code[f->word]));
	}
	a->n_fixups = kept;
}

static void assemble_file(struct assembler *a, const struct pica_shader_source *source) {
	a->file = &a->files[a->n_files++];
	a->file->name = a->file_name = (struct slice){ source->name, strlen(source->name) };
	a->file->entry_name = (struct slice){ "main", 4 };
	a->line = 1;
	a->n_labels = a->n_aliases = a->n_blocks = 0;
	a->last_was_end = false;
	/* Constants of files share their space, uniforms of vertex files do not shrink. */
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		a->pools[0][kind].end = a->pools[0][kind].top;
	}
	unsigned first_fixup = a->n_fixups;
	struct slice rest = { source->text, source->len };
	while (rest.n) {
		const char *end = memchr(rest.p, '\n', rest.n);
		size_t n = end ? (size_t)(end - rest.p) : rest.n;
		assemble_line(a, (struct slice){ rest.p, n });
		if (a->error) {
			return;
		}
		rest = slice_skip(rest, n + (end != NULL));
		a->line++;
	}
	if (a->n_blocks) {
		const struct asm_block *block = asm_code_block(a);
		a->line = block->line;
		asm_fail(a, "expected .end of this %s", block_name[block->type]);
		return;
	}
	resolve_labels(a, first_fixup);
	a->file->no_entry |= !a->file->is_used;
}

/* ---- Putting together ---- */

static void resolve_procs(struct assembler *a) {
	for (unsigned i = 0; i < a->n_fixups; i++) {
		const struct asm_fixup *f = &a->fixups[i];
		a->line = f->line;
		a->file_name = f->file;
		const struct asm_proc *proc = asm_find_proc(a, f->name);
		if (!proc) {
			asm_fail(a, "no procedure \"%.*s\"", SLICE_ARG(f->name));
			return;
		}
		if (proc->len >= 1u << F2_NUM_BITS) {
			asm_fail(a, "expected at most %u instructions in \"%.*s\" to call it, got %u",
					(1u << F2_NUM_BITS) - 1, SLICE_ARG(f->name), proc->len);
		}
		a->code[f->word] = asm_with_target(a->code[f->word], proc->start, proc->len);
	}
	for (unsigned i = 0; i < a->n_files; i++) {
		struct asm_file *file = &a->files[i];
		if (file->no_entry) {
			continue;
		}
		a->line = 0;
		a->file_name = file->name;
		const struct asm_proc *proc = asm_find_proc(a, file->entry_name);
		if (!proc) {
			asm_fail(a, "expected a procedure \"%.*s\", where the entry begins",
					SLICE_ARG(file->entry_name));
			return;
		}
		if (proc->start == a->n_code) {
			asm_fail(a, "expected an instruction in \"%.*s\", where the entry begins",
					SLICE_ARG(file->entry_name));
		}
		file->entry.start = proc->start;
		file->entry.end = proc->start + proc->len;
	}
}

static void *copy_words(const uint32_t *p, unsigned n) {
	uint32_t *copy = malloc((n ? n : 1) * sizeof(*copy));
	if (copy) {
		memcpy(copy, p, n * sizeof(*copy));
	}
	return copy;
}

/* Uniforms are listed by register. [17.4] The sort is stable, tables are short. */
static void sort_uniforms(struct pica_shader_entry *e) {
	for (uint32_t i = 1; i < e->n_uniforms; i++) {
		struct pica_shader_uniform u = e->uniforms[i];
		uint32_t k = i;
		for (; k > 0 && e->uniforms[k - 1].first > u.first; k--) {
			e->uniforms[k] = e->uniforms[k - 1];
		}
		e->uniforms[k] = u;
	}
}

/* Moves the entries from the files to the program. NULL: failed. */
static struct pica_shader *make_program(struct assembler *a) {
	uint32_t n_entries = 0;
	for (unsigned i = 0; i < a->n_files; i++) {
		n_entries += !a->files[i].no_entry;
	}
	if (n_entries == 0) {
		a->line = 0;
		asm_fail(a, "expected a file with an entry, all say .nodvle or are empty");
	}
	struct pica_shader *s = a->error ? NULL : calloc(1, sizeof(*s));
	if (!s) {
		asm_no_memory(a);
		return NULL;
	}
	s->code = copy_words(a->code, a->n_code);
	s->descriptors = copy_words(a->desc, a->n_desc);
	s->entries = calloc(n_entries, sizeof(*s->entries));
	if (!s->code || !s->descriptors || !s->entries) {
		pica_shader_destroy(s);
		asm_no_memory(a);
		return NULL;
	}
	s->n_code = a->n_code;
	s->n_descriptors = a->n_desc;
	for (unsigned i = 0; i < a->n_files; i++) {
		if (!a->files[i].no_entry) {
			if (!a->files[i].table_is_written) {
				sort_uniforms(&a->files[i].entry);
			}
			s->entries[s->n_entries++] = a->files[i].entry;
			a->files[i].entry = (struct pica_shader_entry){ 0 };
		}
	}
	return s;
}

static struct assembler *create(unsigned n_files) {
	struct assembler *a = calloc(1, sizeof(*a));
	if (!a) {
		return NULL;
	}
	a->files = calloc(n_files, sizeof(*a->files));
	if (!a->files) {
		free(a);
		return NULL;
	}
	open_pool(&a->pools[0][KIND_C], 0, 96);
	open_pool(&a->pools[0][KIND_I], 0, 4);
	open_pool(&a->pools[0][KIND_B], 0, 16);
	return a;
}

static void finish_entry(struct pica_shader_entry *e) {
	for (uint32_t i = 0; i < e->n_uniforms; i++) {
		free(e->uniforms[i].name);
	}
	free(e->constants);
	free(e->output);
	free(e->uniforms);
}

static void destroy(struct assembler *a) {
	for (unsigned i = 0; i < a->n_files; i++) {
		finish_entry(&a->files[i].entry);
	}
	free(a->files);
	free(a);
}

static struct pica_shader *assemble(
		struct assembler *a, const struct pica_shader_source *sources, size_t n_sources) {
	for (size_t i = 0; i < n_sources && !a->error; i++) {
		assemble_file(a, &sources[i]);
	}
	if (!a->error) {
		resolve_procs(a);
	}
	return a->error ? NULL : make_program(a);
}

PICA_EXPORT int pica_shader_assemble(struct pica_shader **out,
		const struct pica_shader_source *sources, size_t n_sources, uint32_t flags,
		struct pica_shader_error *error) {
	if (error) {
		*error = (struct pica_shader_error){ .message = "bad argument" };
	}
	if (n_sources == 0 || n_sources > PICA_SHADER_MAX_ENTRIES ||
			flags & ~(uint32_t)PICA_SHADER_NO_NOP) {
		return -EINVAL;
	}
	int ret = -ENOMEM;
	/* Numbers are read with a decimal point, whatever the program's locale. */
	locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	struct assembler *a = plain ? create((unsigned)n_sources) : NULL;
	if (a) {
		a->flags = flags;
		a->message = error;
		locale_t before = uselocale(plain);
		struct pica_shader *shader = assemble(a, sources, n_sources);
		uselocale(before);
		ret = a->error;
		*out = shader ? shader : *out;
		destroy(a);
	}
	if (plain) {
		freelocale(plain);
	}
	if (error && ret == -ENOMEM) {
		*error = (struct pica_shader_error){ .message = "out of memory" };
	} else if (error && ret == 0) {
		*error = (struct pica_shader_error){ 0 };
	}
	return ret;
}

PICA_EXPORT void pica_shader_destroy(struct pica_shader *shader) {
	if (!shader) {
		return;
	}
	for (uint32_t i = 0; i < shader->n_entries; i++) {
		finish_entry(&shader->entries[i]);
	}
	free(shader->code);
	free(shader->descriptors);
	free(shader->entries);
	free(shader);
}

PICA_EXPORT int pica_shader_find_uniform(const struct pica_shader_entry *entry, const char *name) {
	for (uint32_t i = 0; i < entry->n_uniforms; i++) {
		if (strcmp(entry->uniforms[i].name, name) == 0) {
			return (int)i;
		}
	}
	return -ENOENT;
}

/* ---- For the disassembler ---- */

struct assembler *asm_probe_create(const uint32_t *descriptors, unsigned n, bool is_geometry) {
	struct assembler *a = create(1);
	if (!a) {
		return NULL;
	}
	a->n_files = 1;
	a->file = &a->files[0];
	a->file->entry.type = is_geometry ? PICA_SHADER_GEOMETRY : PICA_SHADER_VERTEX;
	a->file_name = (struct slice){ "", 0 };
	for (unsigned i = 0; i < n; i++) {
		a->desc[i] = descriptors[i];
		a->care[i] = UINT32_MAX;
	}
	a->n_desc = n;
	a->desc_closed = true;
	a->blocks[0] = (struct asm_block){ .type = BLOCK_RAW };
	a->n_blocks = 1;
	return a;
}

void asm_probe_destroy(struct assembler *a) {
	if (a) {
		destroy(a);
	}
}

bool asm_encode(struct assembler *a, const char *line, uint32_t *word) {
	a->n_code = a->n_fixups = 0;
	a->error = 0;
	asm_statement(a, (struct slice){ line, strlen(line) });
	*word = a->code[0];
	return !a->error && a->n_code == 1 && !a->n_fixups;
}
