/* The CPU solver in single precision. */
typedef float fluid_real;
#define FLUID_REAL wi_fluid_single
#define FLUID_RUN wi_fluid_run_single
#define FLUID_RUN_AVX2 wi_fluid_run_single_avx2
#include "fluid/cpu/common.h"

#include "fluid/cpu/solver.h"
#include "fluid/cpu/state.h"
