/* Not written yet. */
typedef int pixel_v_stub;
