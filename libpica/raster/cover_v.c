/* Not written yet. */
typedef int cover_v_stub;
