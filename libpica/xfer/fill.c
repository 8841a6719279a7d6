/* Not written yet. */
typedef int fill_stub;
