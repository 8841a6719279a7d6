/* Not written yet. */
typedef int key_stub;
