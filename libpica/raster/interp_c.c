/* Not written yet. */
typedef int interp_c_stub;
