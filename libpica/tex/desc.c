/* Not written yet. */
typedef int desc_stub;
