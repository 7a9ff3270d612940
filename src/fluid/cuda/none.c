/* A build without nvcc has no CUDA backend. */
#include "fluid/shared/shared.h"

#ifndef WEIR_HAVE_CUDA
const weir_fluid_backend *weir_fluid_cuda(void)
{
    return NULL;
}

weir_status wi_shared_on_device(weir_diag *diag, wi_net *net, const wi_meeting *meetings, uint32_t n,
                                bool packets_too, wi_shared **out)
{
    (void)net, (void)meetings, (void)n, (void)packets_too;
    *out = NULL;
    return weir_fail(diag, WEIR_E_UNSUPPORTED, "this build has no CUDA");
}
#endif
