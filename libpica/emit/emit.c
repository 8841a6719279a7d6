/* Not written yet. */
typedef int emit_stub;
