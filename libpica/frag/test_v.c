/* Not written yet. */
typedef int test_v_stub;
