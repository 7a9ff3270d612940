/* The queueing network on the GPU engine. */
#include "models/uniform.cuh"
extern "C" {
#include "models/jackson/jackson.h"
}

WI_GPU_UNIFORM(jackson, jackson_handle, 2, 256, false)
