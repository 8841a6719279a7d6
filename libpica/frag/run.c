/* Not written yet. */
typedef int run_stub;
