/* Plain C pixel kernels, for the kernel table and for the tails of the vector versions. */
#ifndef XFER_PIXEL_H
#define XFER_PIXEL_H

#include "pica/xfer/xfer.h"

const struct xfer_kernels *pixel_c(void);

#endif
