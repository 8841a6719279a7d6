/* Not written yet. */
typedef int tev_v_stub;
