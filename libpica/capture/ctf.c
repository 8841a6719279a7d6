/* Not written yet. */
typedef int ctf_stub;
