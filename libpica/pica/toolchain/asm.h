/* Private to the room: the state of one assembly, shared by the files asm*.c. */
#ifndef SHADER_ASM_H
#define SHADER_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/attributes.h"
#include "pica/shader/form.h"
#include "pica_shader.h"

enum {
	ASM_LABELS = 4096, /* per file */
	ASM_PROCS = 4096,
	ASM_ALIASES = 1024, /* per file */
	ASM_BLOCKS = 32,
	ASM_ARGS = 6, /* more than any instruction has */
};

/* A piece of the source text; not zero-terminated. */
struct slice {
	const char *p;
	size_t n;
};

enum asm_kind {
	KIND_O,
	KIND_V,
	KIND_R,
	KIND_C,
	KIND_I,
	KIND_B,
	KIND_COUNT,
};

struct asm_operand {
	enum asm_kind kind;
	unsigned num;
	bool negate;
	unsigned selector; /* as in operand descriptors */
	unsigned idx;      /* 0 none, 1 a0.x, 2 a0.y, 3 aL */
};

struct asm_alias {
	struct slice name;
	struct asm_operand operand;
};

struct asm_label {
	struct slice name;
	unsigned at;
};

struct asm_proc {
	struct slice name;
	unsigned start, len;
};

/* A code word that waits for the address of a label or procedure. */
struct asm_fixup {
	struct slice name, file;
	unsigned line, word;
	bool is_proc;
};

enum asm_block_type {
	BLOCK_PROC,
	BLOCK_RAW,
	BLOCK_IF,
	BLOCK_FOR,
	BLOCK_ARRAY,
};

struct asm_block {
	enum asm_block_type type;
	struct slice name; /* of the procedure or array */
	unsigned at;       /* code address of its first word; IF, FOR: of the instruction */
	unsigned line;
	bool has_else;
	unsigned else_at;
	uint32_t first_constant, size; /* array; size 0: open */
};

/* Free registers of one kind: uniforms grow from start, constants shrink from end. */
struct asm_pool {
	unsigned start, end, bound, top;
};

/* A uniform shared by vertex files. */
struct asm_shared {
	struct slice name;
	enum asm_kind kind;
	unsigned num, size;
};

/* An input file: the entry that it becomes. */
struct asm_file {
	struct pica_shader_entry entry;
	struct slice name, entry_name;
	bool is_used, no_entry;
	bool own_space;            /* .gsh with a mode: has its own uniforms */
	bool table_is_written;     /* .uniform was given: rows keep their order */
	uint16_t taken[16];        /* components of outputs in use */
};

struct assembler {
	uint32_t flags;
	struct pica_shader_error *message; /* of the first failure, or NULL */
	/*
	 * 0, or the first negative errno. Functions report a failure with asm_fail() and continue
	 * with a valid value. Assembly stops after the line that failed.
	 */
	int error;

	uint32_t code[PICA_SHADER_CODE_WORDS];
	bool is_literal[PICA_SHADER_CODE_WORDS]; /* from .word: never renumbered */
	unsigned n_code;
	uint32_t desc[PICA_SHADER_DESCRIPTORS];
	uint32_t care[PICA_SHADER_DESCRIPTORS]; /* bits that some instruction depends on */
	unsigned n_desc;
	uint32_t mad_desc; /* bit k: descriptor k is used by a MAD */
	bool desc_closed;  /* .opdesc was given */

	struct asm_proc procs[ASM_PROCS];
	unsigned n_procs;
	struct asm_fixup fixups[PICA_SHADER_CODE_WORDS];
	unsigned n_fixups;
	struct asm_shared shared[PICA_SHADER_MAX_UNIFORMS];
	unsigned n_shared;
	struct asm_pool pools[2][KIND_COUNT]; /* vertex and legacy geometry; geometry */

	struct asm_file *files;
	unsigned n_files;

	/* The current file. */
	struct asm_file *file;
	struct slice file_name; /* of messages */
	unsigned line;
	struct asm_label labels[ASM_LABELS];
	unsigned n_labels;
	struct asm_alias aliases[ASM_ALIASES];
	unsigned n_aliases;
	struct asm_block blocks[ASM_BLOCKS];
	unsigned n_blocks;
	bool last_was_end; /* the last statement was an .end of an if or for */
};

/* ---- asm.c ---- */

/* Records the failure, with the current file and line, if it is the first. */
void asm_fail(struct assembler *a, const char *format, ...) PICA_PRINTF(2, 3);
void asm_no_memory(struct assembler *a);
#define SLICE_ARG(s) ((int)((s).n < 60 ? (s).n : 60)), (s).p /* for %.*s */

struct slice slice_trim(struct slice s);
/* Returns s without its first n bytes. */
struct slice slice_skip(struct slice s, size_t n);
bool slice_is(struct slice s, const char *text);
bool slice_is_nocase(struct slice s, const char *text);
bool slice_equal(struct slice a, struct slice b);
/*
 * Cuts the text up to the first separator (or all of it, if there is none) from *rest, and returns
 * it trimmed.
 */
struct slice slice_split(struct slice *rest, char separator);
/* The same up to the first blank. */
struct slice slice_word(struct slice *rest);
bool is_identifier(struct slice s);
char asm_lower(char c);

/* Appends a word to the code. */
void asm_emit(struct assembler *a, uint32_t word);
/* Returns NULL if no procedure has the name. */
const struct asm_proc *asm_find_proc(const struct assembler *a, struct slice name);
/* Returns the innermost block that holds instructions, or NULL outside procedures. */
struct asm_block *asm_code_block(struct assembler *a);
void asm_open_block(struct assembler *a, enum asm_block_type type, struct slice name, unsigned at);
/*
 * For the disassembler: returns a fresh state with a fixed table of descriptors, inside a raw
 * procedure of a vertex or geometry file, or NULL when out of memory. asm_encode() then encodes
 * single lines, which must not name a label.
 */
struct assembler *asm_probe_create(const uint32_t *descriptors, unsigned n, bool is_geometry);
void asm_probe_destroy(struct assembler *a);
bool asm_encode(struct assembler *a, const char *line, uint32_t *word);

/* ---- asm_operand.c ---- */

/* Returns the value of a hexadecimal digit, or 99. */
int asm_digit(char c);
/*
 * Parses the whole slice as an integer in [min, max], decimal or 0x... what: its name in messages.
 */
long asm_integer(
		struct assembler *a, struct slice s, long min, long max, const char *what);
/* Parses a number and returns it as f24. */
uint32_t asm_float(struct assembler *a, struct slice s);
/* Parses an operand. Even on failure, its number is valid for its kind. */
struct asm_operand asm_operand(struct assembler *a, struct slice s);
/* Parses a register of that kind, without swizzle, sign or relative address. */
unsigned asm_register(struct assembler *a, struct slice s, enum asm_kind kind);
/* Parses a selector of up to four letters. */
unsigned asm_selector(struct assembler *a, struct slice s);
/* Returns the components that a selector names, bit 0 = x. */
unsigned selector_mask(unsigned selector);
/* Returns REF_X, REF_Y and CONDOP of a condition. */
uint32_t asm_condition(struct assembler *a, struct slice s);
/* Rejects a name that is not an identifier, looks like a register, or is in use. */
void asm_check_new_name(struct assembler *a, struct slice name);
void asm_add_alias(struct assembler *a, struct slice name, struct asm_operand operand);
/* Returns an operand that is a plain register. */
struct asm_operand asm_plain(enum asm_kind kind, unsigned num);

enum {
	SELECTOR_IDENTITY = 0x1B,
};

/* ---- asm_descriptor.c ---- */

/* Puts a value into a field of a word or descriptor. */
#define PUT(format, field, value) \
	((uint32_t)((value) & ((1u << format##_##field##_BITS) - 1)) << format##_##field##_LOW)

/* Returns the mask field of a descriptor, where bit 3 is x; mask: bit 0 is x. */
uint32_t asm_mask_bits(unsigned mask);
/* Returns the fields of source s. */
uint32_t asm_source_bits(unsigned s, const struct asm_operand *op);
/*
 * Returns the descriptor bits that matter to an instruction with this operation, number of sources
 * and mask.
 */
uint32_t asm_care_bits(enum shader_op op, unsigned n_src, unsigned mask);
/*
 * Finds or adds a descriptor that equals desc in the bits of care, and returns its number. wanted:
 * the required number; if negative, any.
 */
unsigned asm_use_descriptor(struct assembler *a, enum shader_op op, uint32_t desc, uint32_t care,
		long wanted);

/* ---- asm_code.c ---- */

/* The condition operand of flow control: none, a condition, a bool or an int. */
enum asm_gate {
	GATE_NONE,
	GATE_COND,
	GATE_BOOL,
	GATE_INT,
};

/* The operand after the gate: the target of the instruction. */
enum asm_aim {
	AIM_NOTHING,
	AIM_PROC,
	AIM_LABEL,
	AIM_IF,
	AIM_FOR,
};

/* Indexed by enum shader_operands; only flow control has a gate or an aim. */
extern const struct asm_flow {
	uint8_t gate, aim;
} asm_flows[OPERANDS_VERTEX + 1];

void asm_instruction(struct assembler *a, struct slice name, struct slice rest);
/* Appends the NOP before .else (is_else) or .end of a block, if one is needed. */
void asm_pad(struct assembler *a, const struct asm_block *block, bool is_else);
/* Returns a flow-control word with that target and count. */
uint32_t asm_with_target(uint32_t word, unsigned target, unsigned num);

/* ---- asm_data.c: directives; rest: the text after the name ---- */

/* Registers in the table of uniforms: the first number of each letter. */
extern const struct asm_range {
	char letter;
	unsigned first, count;
} asm_ranges[4];
/* The usual name of a type precedes its short one; ends with a NULL name. */
extern const struct asm_output_type {
	const char *name;
	unsigned type;
} asm_output_types[];
/* Rejects anything but blanks. */
void asm_expect_end(struct assembler *a, struct slice rest);
/* Returns the only word of rest. what: its name in messages. */
struct slice asm_one_word(struct assembler *a, struct slice rest, const char *what);
void asm_alias(struct assembler *a, struct slice rest);
void asm_uniforms(struct assembler *a, struct slice rest, enum asm_kind kind);
void asm_constant(struct assembler *a, struct slice rest, bool is_float);
void asm_constant_array(struct assembler *a, struct slice rest);
void asm_end_array(struct assembler *a, const struct asm_block *block);
void asm_set_vector(struct assembler *a, struct slice rest, bool is_float);
void asm_set_bool(struct assembler *a, struct slice rest);
void asm_uniform_row(struct assembler *a, struct slice rest);
void asm_input(struct assembler *a, struct slice rest);
void asm_output(struct assembler *a, struct slice rest);

/* ---- asm_directive.c ---- */

void asm_directive(struct assembler *a, struct slice name, struct slice rest);

/* ---- disasm_entry.c ---- */

/* ".xyz"; mask: bit 0 is x. */
void asm_mask_letters(char out[6], unsigned mask);
/* Writes the directives before the code: mode, constants, inputs, uniform table, outputs. */
void disasm_entry(FILE *t, struct assembler *probe, const struct pica_shader_entry *e);

#endif
