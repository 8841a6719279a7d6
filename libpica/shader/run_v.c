/* Not written yet. */
typedef int run_v_stub;
