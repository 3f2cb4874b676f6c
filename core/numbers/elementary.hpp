// Sine, logarithm and their kin, with the same result to the last bit on every machine.
//
// The C library chooses among several versions of these functions by what the processor can do, and other systems
// have other libraries; they differ in the last bit, and a run of many robots magnifies that. The functions here
// are made of additions, multiplications, divisions and square roots alone, which IEEE 754 defines to the bit, in one
// order, and the compiler is told not to contract them. None is off by more than two units in the last
// place, sine, cosine, exponential, logarithms and powers by less than 0.75.
//
// Beyond their domains they return NaN or an infinity, as the C library does.
#pragma once

#include <cstddef>

namespace kumi::maths {

struct SineCosine {
    double sine, cosine;
};

SineCosine sine_cosine(double x);
void sines_cosines(const double* x, std::size_t count, SineCosine* found);  // the same of many at once
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
double exp(double x);
double log(double x);
double log1p(double x);
double log2(double x);
double log10(double x);
double pow(double x, double y);
double hypot(double x, double y);
double erfc(double x);

}  // namespace kumi::maths
