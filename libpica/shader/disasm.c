/* Not written yet. */
typedef int disasm_stub;
