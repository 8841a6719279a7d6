/* Not written yet. */
typedef int blend_c_stub;
