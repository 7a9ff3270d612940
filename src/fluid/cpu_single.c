/* The CPU solver in single precision. */
typedef float fluid_real;
#define FLUID_TYPE single
#include "fluid/cpu_solver.h"
