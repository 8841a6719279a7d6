/* Not written yet. */
typedef int regs_stub;
