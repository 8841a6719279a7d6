/* Not written yet. */
typedef int pass_stub;
