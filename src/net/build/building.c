/* What the steps of building share. */
#include "net/build/building.h"

uint64_t wi_build_array(wi_building *b, const void *data, uint64_t n, uint64_t size, weir_status *status)
{
    uint64_t offset = 0;
    const bool fits = size == 0 || n <= UINT64_MAX / size;
    if (*status != WEIR_OK)
        return 0;
    if (!fits || !(data ? wi_image_append(&b->image, data, n * size, WI_IMAGE_ALIGN, &offset)
                        : wi_image_reserve(&b->image, n * size, WI_IMAGE_ALIGN, &offset)))
        *status = weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the network's world (%.1f MB more)",
                            (double)n * (double)size / 1e6);
    return offset;
}
