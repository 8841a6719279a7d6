/*
 * The functions that libm would give, written out so that every machine has the same bits
 * (fidelity: functions): one fixed polynomial each, evaluated in binary64 with + - * in the written
 * order, relative error below 2^-30. Shared by the engine and the naive renderer: it is a number
 * format.
 */
#ifndef BASE_MATHFN_H
#define BASE_MATHFN_H

/* Returns log2(x) for finite x > 0 (any double, subnormals included). */
double math_log2(double x);
/* Returns 2^x for finite x; +infinity on overflow, 0 on underflow. */
double math_exp2(double x);
/*
 * T() of [fidelity: f24-model] for a result computed in binary64: truncated to f24 at once, with no
 * rounding to binary32 between. +-infinity from 2^64 on, +0 below 2^-62, NaN is 7FC00000.
 */
float math_f24(double x);

#endif
