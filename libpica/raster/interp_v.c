/* Not written yet. */
typedef int interp_v_stub;
