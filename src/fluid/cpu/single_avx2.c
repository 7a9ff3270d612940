/* The CPU solver in single precision for AVX2; cpu.c asks the processor before it calls this. */
typedef float fluid_real;
#define FLUID_RUN wi_fluid_run_single_avx2
#include "fluid/cpu/common.h"

#include "base/target_avx2.h"

#include "fluid/cpu/solver.h"

#include "base/target_end.h"
