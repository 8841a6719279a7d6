/* Not written yet. */
typedef int sample_c_stub;
