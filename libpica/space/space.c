/* Not written yet. */
typedef int space_stub;
