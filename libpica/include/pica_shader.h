/*
 * Shader programs: assemble and disassemble them, read and write .shbin files (the DVLB container),
 * and turn a program into the register writes that make it current.
 *
 * A program (struct pica_shader) is one code memory, one table of operand descriptors, and one or
 * more entries: places in the code where a vertex or geometry shader begins, each with its own
 * constants, outputs, inputs and names of uniforms. It is plain data; the functions here create it
 * and pica_shader_destroy() frees it.
 *
 * All functions may be called from any thread; functions that take a const program do not change
 * it. Functions return 0 or a negative errno: -EINVAL for malformed source, file or argument;
 * -ENOMEM. Malformed input of any kind only causes an error to be returned.
 */
#ifndef PICA_SHADER_H
#define PICA_SHADER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PICA_SHADER_CODE_WORDS = 4096, /* in the geometry-capable unit */
	PICA_SHADER_VS_WORDS = 512,    /* in the vertex units */
	PICA_SHADER_DESCRIPTORS = 128,
	/* Limits of one file or assembly; larger ones are refused. */
	PICA_SHADER_MAX_ENTRIES = 256,
	PICA_SHADER_MAX_CONSTANTS = 256, /* per entry */
	PICA_SHADER_MAX_OUTPUTS = 64,    /* per entry */
	PICA_SHADER_MAX_UNIFORMS = 512,  /* per entry */
	PICA_SHADER_MAX_NAME = 255,      /* bytes of a uniform's name */
};

enum pica_shader_type {
	PICA_SHADER_VERTEX,
	PICA_SHADER_GEOMETRY,
};

/* How vertices reach a geometry shader. */
enum pica_shader_gs_mode {
	PICA_SHADER_GS_POINT,    /* into the input registers */
	PICA_SHADER_GS_VARIABLE, /* into uniforms from c1; c0: their count, from the index stream */
	PICA_SHADER_GS_FIXED,    /* into uniforms, a fixed number of vertices */
};

enum pica_shader_constant_type {
	PICA_SHADER_BOOL,
	PICA_SHADER_INT,
	PICA_SHADER_FLOAT,
};

/* A uniform register that must be loaded before the program runs. */
struct pica_shader_constant {
	uint16_t type; /* enum pica_shader_constant_type */
	uint16_t reg;  /* b0-b15, i0-i3 or c0-c95 */
	/* BOOL: value[0] is 0 or 1. INT: x, y, z, w, 0-255 each. FLOAT: x, y, z, w as f24 words. */
	uint32_t value[4];
};

enum pica_shader_output_type {
	PICA_SHADER_POSITION = 0,
	PICA_SHADER_QUATERNION = 1,
	PICA_SHADER_COLOR = 2,
	PICA_SHADER_TEXCOORD0 = 3,
	PICA_SHADER_TEXCOORD0_W = 4,
	PICA_SHADER_TEXCOORD1 = 5,
	PICA_SHADER_TEXCOORD2 = 6,
	PICA_SHADER_VIEW = 8,
	PICA_SHADER_DUMMY = 9, /* an output that only a geometry shader reads */
};

/* The meaning of some components of an output register. */
struct pica_shader_output {
	uint16_t type; /* enum pica_shader_output_type; other values in files have no meaning */
	uint16_t reg;  /* o0-o15 */
	uint16_t mask; /* components, bit 0 = x */
};

/* Register numbers in uniform tables, as in the file. */
enum {
	PICA_SHADER_REG_V = 0x00, /* v0-v15 */
	PICA_SHADER_REG_C = 0x10, /* c0-c95 */
	PICA_SHADER_REG_I = 0x70, /* i0-i3 */
	PICA_SHADER_REG_B = 0x78, /* b0-b15 */
	PICA_SHADER_REG_END = 0x88,
};

struct pica_shader_uniform {
	char *name;           /* owned by the program, never NULL */
	uint16_t first, last; /* PICA_SHADER_REG_x + number, inclusive */
};

/* One entry (a DVLE in the file). The program owns the arrays. */
struct pica_shader_entry {
	uint8_t type;          /* enum pica_shader_type */
	/* merge the geometry shader's output map with the vertex shader's */
	uint8_t merge_outputs;
	uint8_t gs_mode;       /* enum pica_shader_gs_mode */
	uint8_t gs_first;      /* GS_FIXED: first uniform that takes vertices, 0-95 */
	uint8_t gs_full;       /* GS_VARIABLE: vertices stored with all their outputs */
	uint8_t gs_vertices;   /* GS_FIXED: vertices per run */
	uint16_t inputs;       /* mask of v registers declared with .in */
	uint16_t outputs;      /* mask of o registers that have an output */
	uint32_t start;        /* first code word */
	uint32_t end;          /* end of the entry procedure; information only */
	uint32_t n_constants, n_outputs, n_uniforms;
	struct pica_shader_constant *constants;
	struct pica_shader_output *output;
	struct pica_shader_uniform *uniforms;
};

struct pica_shader {
	uint32_t n_code, n_descriptors, n_entries;
	uint32_t *code;        /* at most PICA_SHADER_CODE_WORDS */
	uint32_t *descriptors; /* at most PICA_SHADER_DESCRIPTORS */
	struct pica_shader_entry *entries;
};

/* Frees a program and all it owns. NULL is allowed. */
void pica_shader_destroy(struct pica_shader *shader);

/*
 * Returns the index in entry->uniforms of the uniform or input with that name, or -ENOENT. Its
 * register is uniforms[index].first. A structure member is written with a dot ("light.color"), as
 * in files.
 */
int pica_shader_find_uniform(const struct pica_shader_entry *entry, const char *name);

/* ---- Assembler ---- */

/* One source file; borrowed during the call. The text need not end with a zero byte. */
struct pica_shader_source {
	const char *name; /* for messages */
	const char *text;
	size_t len;
};

enum {
	/* Do not insert NOPs where the hardware's flow control needs them (see below). */
	PICA_SHADER_NO_NOP = 1,
};

struct pica_shader_error {
	char file[128];    /* the source's name, or that of the last line marker */
	uint32_t line;     /* from 1; 0: no line */
	char message[256]; /* printable ASCII, one line; says what was expected */
};

/*
 * Assembles n source files (1..PICA_SHADER_MAX_ENTRIES) in the syntax of picasso into one program.
 * Each file becomes an entry, in order, unless it contains .nodvle. flags is PICA_SHADER_NO_NOP or
 * 0; others return -EINVAL. On failure *out is unchanged and *error (may be NULL) says where and
 * why.
 *
 * Lines. One statement per line; ";" starts a comment; "name:" before a statement is a label; a
 * line `# 12 "file"` sets the position for messages. A name starts with a letter, "_" or "$", and
 * may also contain digits after that. Mnemonics, directives and their keywords ignore case; names
 * and registers do not.
 *
 * Registers. o0-o15 (geometry: o0-o6), v0-v15, r0-r15, c0-c95, i0-i3, b0-b15. A suffix [n] adds n;
 * [a0.x], [a0.y], [aL] or [aL+n] addresses float uniforms relatively (old names: a0, a1, a2, lcnt).
 * Then .xyzw, .rgba or .stpq selects components: up to four letters, the last one repeats. On a
 * destination they are a mask. A leading "-" negates a source.
 *
 * Directives.
 *   .proc NAME ... .end        a procedure; instructions may occur only in procedures
 *   .else  .end                parts of ifu, ifc, for; .end also ends .constfa
 *   .alias NAME REG[.xyzw]     another name; later swizzles compose
 *   .fvec A, B[4]  .ivec  .bool   uniforms, from the first free register upwards; the same name in
 *                              several vertex files is one uniform; names that begin with "_"
 *                              are left out of the table, "$" becomes "." there
 *   .constf NAME(x, y, z, w)  .consti NAME(x, y, z, w)   constants, from the last register down
 *   .constfa NAME[] or NAME[n], lines .constfa (x, y, z, w), .end   a constant array
 *   .setf REG(x, y, z, w)  .seti REG(...)  .setb REG true|false|on|off|1|0   a constant in REG
 *   .in NAME [vN]              an input
 *   .out NAME|- TYPE[.xyzw] [oN[.xyzw]]   an output; types: position (pos), normalquat (nquat),
 *                              color (clr), texcoord0 (tcoord0), texcoord0w, texcoord1, texcoord2,
 *                              view, dummy
 *   .entry NAME                where the entry begins, default main
 *   .nodvle                    the file has no entry, only procedures for other files
 *   .gsh point cN | variable cN K | fixed cN cM K   a geometry shader: cN is the first free
 *                              uniform, K the number of vertices, cM the first uniform that takes
 *                              vertices. .gsh alone: a geometry shader in the uniform space of
 *                              the vertex shaders
 *
 * Instructions. add mul max min dp3 dp4 dph dst sge slt (d, s1, s2: s1 may be a uniform; for dph
 * dst sge slt, s2 may be one instead), mov flr ex2 lg2 rcp rsq litp (d, s), mova
 * (a0.x|a0.y|a0.xy, s), mad (d, s1, s2, s3: s2 or s3 may be a uniform), cmp (s1, opx, opy, s2 with
 * eq ne lt le gt ge), nop, end, emit, break, setemit ID[, prim inv], call P, callc COND, P, callu
 * bN, P, ifc COND, ifu bN, for iN, breakc COND, jmpc COND, LABEL, jmpu [!]bN, LABEL. COND:
 * [!]cmp.x, [!]cmp.y, or both with && or ||. An instruction with two different v registers is
 * refused (hardware reads one).
 *
 * A NOP is inserted before .else and .end where hardware would fail: after a nested .end, after a
 * jump or call, after a break in a loop, and in empty blocks. Floats are truncated to f24; text
 * after the number is ignored, as in the C function atof. Operand descriptors are shared when they
 * agree in the bits that matter; mad can use only the first 32, which are kept free for it.
 *
 * Extensions of picasso's syntax, made for pica_shader_disassemble():
 *   .opdesc WORD, ...          the table of descriptors; instructions then use those that fit, and
 *                              none is added
 *   .raw NAME ... .end         a procedure whose flow control is explicit: call DST, NUM;
 *                              callc COND, DST, NUM; callu bN, DST, NUM; ifc COND, DST, NUM;
 *                              ifu bN, DST, NUM; for iN, DST; DST is a label or a number, jmpc
 *                              and jmpu take either. No NOPs are added, and the code may extend
 *                              beyond word 512
 *   .word WORD                 a code word
 *   .uniform REG[-REG] "NAME"  a row of the table of uniforms, verbatim; \xNN is a byte. The
 *                              rows of a file with such a row keep their order
 *   .in - vN                   an input without a row in that table
 *   .setf REG(#WORD, ...)      an f24 word, six hexadecimal digits
 *   INSTRUCTION @N             use descriptor N
 *
 * Vertex code must lie in the first 512 words: put vertex files first.
 */
int pica_shader_assemble(struct pica_shader **out, const struct pica_shader_source *sources,
		size_t n_sources, uint32_t flags, struct pica_shader_error *error);

/* ---- Disassembler ---- */

enum {
	PICA_SHADER_NO_ENTRY = -1,
};

/*
 * Writes the whole code as text. *text is zero-terminated; the caller frees it with free().
 * Assembled again as one file, it always yields the same code words and descriptors: words that no
 * instruction produces (unknown opcodes, meaningless bits set) become .word with a comment.
 *
 * entry is the index of the entry whose directives are written too (type, geometry mode, start,
 * constants, inputs, the table of uniforms, outputs), or PICA_SHADER_NO_ENTRY. A program of one
 * entry that pica_shader_write() wrote is reproduced byte for byte. These parts of an entry are
 * lost, since no directive expresses them: an end outside the code; outputs of unknown type,
 * overlapping outputs, an empty mask; an output mask that differs from the outputs; merge_outputs
 * that does not match the presence of dummies; a geometry array at c95; the geometry modes of a
 * vertex entry. A vertex entry that contains setemit becomes a geometry entry. Returns -EINVAL if
 * there is no such entry, or if code or descriptors exceed the limits.
 */
int pica_shader_disassemble(const struct pica_shader *shader, int entry, char **text);

enum { PICA_SHADER_LINE = 256 };

/*
 * Writes one instruction as text, with jump targets as numbers: "mul r0.xy, c5.x, v0". descriptors
 * are those of the unit.
 */
void pica_shader_instruction(uint32_t word, const uint32_t descriptors[PICA_SHADER_DESCRIPTORS],
		char text[PICA_SHADER_LINE]);

/* ---- The .shbin file ---- */

/*
 * Reads a DVLB file of size bytes (any alignment; borrowed). Checks every offset, count and
 * register number; skips label tables and file names. Returns -EINVAL if the file is not valid;
 * error->message (error may be NULL) then says at which byte it is wrong and what was expected. The
 * rest of *error is empty.
 */
int pica_shader_read(struct pica_shader **out, const void *data, size_t size,
		struct pica_shader_error *error);

/*
 * Writes the program as a file, in picasso's layout byte for byte. The caller frees *data with
 * free().
 */
int pica_shader_write(const struct pica_shader *shader, void **data, size_t *size);

/* ---- Making a program current ---- */

/*
 * Writes one command: n values (at most 128) to internal register reg, in the bytes selected by
 * mask. If consecutive is set, value k goes to register reg + k; otherwise all go to reg (a FIFO
 * port). A negative return value ends the sequence and is passed on.
 */
typedef int pica_shader_write_fn(void *user, uint32_t reg, uint32_t mask, const uint32_t *values,
		uint32_t n, int consecutive);

struct pica_shader_binding {
	const struct pica_shader *vs;
	uint32_t vs_entry; /* index; must be a vertex shader */
	const struct pica_shader *gs; /* NULL: no geometry shader; may be the same program */
	uint32_t gs_entry;
	uint32_t gs_inputs;            /* registers that one run of the geometry shader
			takes, 1-16; 0: the number of vs outputs */
	/* nibble k: the register that attribute k goes to; 0: identity */
	uint64_t gs_permutation;
	uint16_t vs_bools, gs_bools;   /* values of bools that the program does not set itself */
};

/*
 * Makes the shaders current: calls fn for the same writes that client libraries make: code,
 * descriptors, entry points, output maps, geometry mode, constants [fidelity: dvle-binding].
 * Attribute formats and the permutation of the vertex shader's inputs (0x200-0x226, 0x242,
 * 0x2B9-0x2BC) are not written. Returns -EINVAL for a bad index or type, gs_inputs above 16, or a
 * vertex entry that does not start in the first 512 words.
 */
int pica_shader_bind(const struct pica_shader_binding *binding, pica_shader_write_fn *fn,
		void *user);

#ifdef __cplusplus
}
#endif

#endif
