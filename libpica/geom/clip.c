/* Not written yet. */
typedef int clip_stub;
