/* Not written yet. */
typedef int blend_v_stub;
