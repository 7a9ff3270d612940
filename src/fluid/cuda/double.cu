/* The CUDA solver in double precision. */
typedef double fluid_real;
#define FLUID_KERNELS fluid_kernels_double
#include "fluid/cuda/solver.h"
