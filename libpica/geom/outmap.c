/* Not written yet. */
typedef int outmap_stub;
