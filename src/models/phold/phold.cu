/* PHOLD on the GPU engine. */
#include "models/uniform.cuh"
extern "C" {
#include "models/phold/phold.h"
}

WI_GPU_UNIFORM(phold, phold_hop, 1, 256, false)
