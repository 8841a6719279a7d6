/* Not written yet. */
typedef int scanout_stub;
