/* Not written yet. */
typedef int regfile_stub;
