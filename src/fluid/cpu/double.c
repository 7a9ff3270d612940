/* The CPU solver in double precision. */
typedef double fluid_real;
#define FLUID_TYPE double
#define FLUID_RUN wi_fluid_run_double
#include "fluid/cpu/common.h"

#include "fluid/cpu/solver.h"
#include "fluid/cpu/state.h"
