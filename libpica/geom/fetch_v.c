/* Not written yet. */
typedef int fetch_v_stub;
