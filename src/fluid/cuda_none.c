/* A build without nvcc has no CUDA backend. */
#include "weir/fluid.h"

#ifndef WEIR_HAVE_CUDA
const weir_fluid_backend *weir_fluid_cuda(void)
{
    return NULL;
}
#endif
