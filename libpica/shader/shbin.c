/* Not written yet. */
typedef int shbin_stub;
