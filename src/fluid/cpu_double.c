/* The CPU solver in double precision. */
typedef double fluid_real;
#define FLUID_TYPE double
#include "fluid/cpu_solver.h"
