/*
 * Instruction words of the QPU, the shader processor of the VideoCore IV: fields, and text.
 *
 * Text. One instruction per line; "#" begins a comment. The parts of an instruction are separated
 * by ";". The syntax is that of vc4asm where it determines every bit:
 *
 *   OP[.MOD]... DST[.COND], SRC, SRC   an operation of the add or the multiply unit, add first.
 *          mov D, S is "or D, S, S" or "v8min D, S, S". A missing second source equals the first.
 *   nop                   has the inputs of the operation beside it, else r0, r0, as idle units
 *          usually have. "nop DST.COND, SRC, SRC" spells out all fields (without COND: never).
 *   thrend, sbwait, ...   the signal
 *   rot N, rot r5         rotates the lanes of the multiply unit's result
 *   read SRC              sets an address, or a small immediate, that no source names
 *   ldi[.MOD]... DST[, DST], WORD                 .s2 .u2: [16 numbers], one for each lane
 *   sacq DST[, DST], N    srel DST[, DST], N      semaphores
 *   bra[.COND] DST[, DST], [raN +] WORD           brr: relative
 *   .word WORD            all 64 bits
 *
 * MOD: setf, pm, packX, unpackX. It applies to the whole instruction, whichever part carries it. A
 * register that exists in both files (vpm, unif, -) is taken from file A unless another source is
 * in file A. raN and rbN, with N from 0 to 63, choose the file explicitly.
 */
#ifndef VC4_QPU_H
#define VC4_QPU_H

#include <stddef.h>
#include <stdint.h>

enum {
	QPU_SIG_NONE = 1,
	QPU_SIG_PROGRAM_END = 3, /* after the next two instructions */
	QPU_SIG_COLOR_LOAD_END = 9,
	QPU_SIG_SMALL_IMMEDIATE = 13, /* raddr_b is one */
	QPU_SIG_LOAD = 14,            /* load immediate, or a semaphore */
	QPU_SIG_BRANCH = 15,
};
/* instruction.unpack of QPU_SIG_LOAD */
enum {
	QPU_LOAD_WORD = 0,
	QPU_LOAD_SIGNED = 1,   /* two bits for each lane */
	QPU_LOAD_UNSIGNED = 3,
	QPU_LOAD_SEMAPHORE = 4,
};
/* raddr_b as a small immediate: from here on the result is rotated, by r5 or by 1 to 15. */
enum { QPU_ROTATE = 48 };
enum { QPU_SEMAPHORE_ACQUIRE = 16 }; /* in the immediate; else release */
/* Input selectors: r0 to r5, then what was read at raddr_a and at raddr_b. */
enum { QPU_INPUT_A = 6, QPU_INPUT_B = 7 };
enum { QPU_ADDRESS_NOP = 39 };

/* Members that do not exist in the word's form are 0. */
struct qpu_instruction {
	uint8_t sig, unpack, pm;
	uint8_t pack;                 /* not of a branch */
	uint8_t cond_add, cond_mul, sf;
	uint8_t ws;                   /* the add unit writes file B, the multiply unit file A */
	uint8_t waddr_add, waddr_mul; /* of a branch: for the link */
	uint8_t op_add, op_mul, raddr_a, raddr_b, add_a, add_b, mul_a, mul_b;
	uint8_t branch_cond, is_relative, has_register; /* raddr_a is 0 to 31 */
	uint32_t immediate;
};

/* Every word decodes to one instruction, from which qpu_encode() returns the same word. */
struct qpu_instruction qpu_decode(uint64_t word);
uint64_t qpu_encode(const struct qpu_instruction *q);

enum { QPU_TEXT_SIZE = 256 };

/*
 * Writes one line, without a line end. Assembling it gives the same word. A word with a reserved
 * operation, condition or form becomes .word.
 */
void qpu_disassemble(uint64_t word, char text[QPU_TEXT_SIZE]);

struct qpu_error {
	unsigned line, column; /* from 1; a tab is one column */
	char message[160];     /* printable ASCII */
};

/*
 * Assembles text of len bytes, which need not end with a zero byte. The caller frees *words with
 * free(). On failure returns -EINVAL (*error says where and why) or -ENOMEM, and leaves *words
 * unchanged.
 */
int qpu_assemble(const char *text, size_t len, uint64_t **words, size_t *n_words,
		struct qpu_error *error);
/* The same for one line, which must contain exactly one instruction. */
int qpu_assemble_line(const char *text, size_t len, uint64_t *word, struct qpu_error *error);

#endif
