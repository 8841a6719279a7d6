/* Not written yet. */
typedef int ports_stub;
