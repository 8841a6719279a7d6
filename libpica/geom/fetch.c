/* Not written yet. */
typedef int fetch_stub;
