/* Not written yet. */
typedef int cover_c_stub;
