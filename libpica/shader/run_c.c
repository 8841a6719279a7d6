/* Not written yet. */
typedef int run_c_stub;
