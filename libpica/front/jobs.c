/* Not written yet. */
typedef int jobs_stub;
