/* Not written yet. */
typedef int target_c_stub;
