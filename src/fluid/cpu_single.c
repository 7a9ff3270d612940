/* The CPU solver in single precision. */
typedef float fluid_real;
#define FLUID_TYPE single
#define FLUID_RUN wi_fluid_run_single
#include "fluid/cpu_common.h"

#include "fluid/cpu_solver.h"
#include "fluid/cpu_state.h"
