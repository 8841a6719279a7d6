/* Not written yet. */
typedef int draw_stub;
