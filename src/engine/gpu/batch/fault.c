/* The fault of one run of a batch, kept with its message; see batch.h. */
#ifdef WEIR_HAVE_CUDA
#include <stdlib.h>
#include <string.h>

#include "engine/core/engine.h"
#include "engine/gpu/batch/runs.h"
#include "engine/gpu/host/host.h"
#include "engine/gpu/batch/staged.h"

void wi_batch_keep_fault(wi_batch_run *run, const wi_gpu_fault *fault)
{
    char text[1024];
    weir_diag *own = weir_diag_new();
    run->status = wi_gpu_tell(own, run->sim, fault);
    run->sim->failed = run->status;
    text[0] = '\0';
    if (own && weir_diag_count(own) > 0)
        weir_message_format(weir_diag_get(own, weir_diag_count(own) - 1), text, sizeof text);
    run->message = strdup(text);
    weir_diag_free(own);
}

#else
typedef int wi_no_batch_faults; /* ISO C wants a declaration */
#endif
