/* Not written yet. */
typedef int copy_stub;
