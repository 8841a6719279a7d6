/* Not written yet. */
typedef int chunk_stub;
