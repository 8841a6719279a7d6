/* Not written yet. */
typedef int transfer_stub;
