/* Not written yet. */
typedef int pixel_c_stub;
