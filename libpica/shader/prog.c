/* Not written yet. */
typedef int prog_stub;
