/* The CUDA solver in single precision. */
typedef float fluid_real;
#define FLUID_KERNELS fluid_kernels_single
#include "fluid/cuda/solver.h"
