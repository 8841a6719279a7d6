/* Not written yet. */
typedef int target_v_stub;
