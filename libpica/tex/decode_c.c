/* Not written yet. */
typedef int decode_c_stub;
