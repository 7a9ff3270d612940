/* The CPU solver in single precision. */
typedef float fluid_real;
#define FLUID_TYPE single
#define FLUID_RUN wi_fluid_run_single
#include "fluid/cpu/common.h"

#include "fluid/cpu/solver.h"
#include "fluid/cpu/state.h"
