/* The CPU solver in double precision. */
typedef double fluid_real;
#define FLUID_TYPE double
#define FLUID_RUN wi_fluid_run_double
#include "fluid/cpu_common.h"

#include "fluid/cpu_solver.h"
#include "fluid/cpu_state.h"
