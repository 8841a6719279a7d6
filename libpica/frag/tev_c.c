/* Not written yet. */
typedef int tev_c_stub;
