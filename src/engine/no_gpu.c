/* Stands in for the GPU engine in builds without it. */
#include "engine/internal.h"

const wi_engine_ops *wi_engine_gpu(void)
{
    return NULL;
}
