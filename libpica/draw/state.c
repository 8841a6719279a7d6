/* Not written yet. */
typedef int state_stub;
