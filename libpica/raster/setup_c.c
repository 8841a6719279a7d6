/* Not written yet. */
typedef int setup_c_stub;
