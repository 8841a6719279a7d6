/* Not written yet. */
typedef int cache_stub;
