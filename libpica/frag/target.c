/* Not written yet. */
typedef int target_stub;
