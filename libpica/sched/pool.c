/* Not written yet. */
typedef int pool_stub;
