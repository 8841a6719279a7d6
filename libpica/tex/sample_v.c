/* Not written yet. */
typedef int sample_v_stub;
