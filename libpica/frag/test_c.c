/* Not written yet. */
typedef int test_c_stub;
