/* Not written yet. */
typedef int command_stub;
