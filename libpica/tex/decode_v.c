/* Not written yet. */
typedef int decode_v_stub;
