/* Not written yet. */
typedef int asm_stub;
