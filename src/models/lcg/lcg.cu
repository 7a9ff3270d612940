/* The LCG benchmark on the GPU engine. */
#include "models/uniform.cuh"
extern "C" {
#include "models/lcg/lcg.h"
}

WI_GPU_UNIFORM(lcg, lcg_handle, 1, 128, true)
