/* Not written yet. */
typedef int setup_v_stub;
