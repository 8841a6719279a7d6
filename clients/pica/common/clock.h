/* Clocks in nanoseconds. */
#ifndef PICA_CLOCK_H
#define PICA_CLOCK_H

#include "proto/clock.h"

#endif
