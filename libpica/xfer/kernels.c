/* Not written yet. */
typedef int kernels_stub;
