/* Not written yet. */
typedef int fetch_c_stub;
