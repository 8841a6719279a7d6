/* Not written yet. */
typedef int run_gs_stub;
