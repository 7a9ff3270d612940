/* The CPU solver in double precision. */
typedef double fluid_real;
#define FLUID_REAL wi_fluid_double
#define FLUID_RUN wi_fluid_run_double
#define FLUID_RUN_AVX2 wi_fluid_run_double_avx2
#include "fluid/cpu/common.h"

#include "fluid/cpu/solver.h"
#include "fluid/cpu/state.h"
