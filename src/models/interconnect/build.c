/* Tables of a world in the making. */
#include "models/interconnect/build.h"

bool wi_ic_table(ic_making *m, uint64_t n, size_t size, uint64_t *at)
{
    return wi_image_reserve(&m->image, n * size, WI_IMAGE_ALIGN, at);
}

void *wi_ic_at(const ic_making *m, uint64_t at)
{
    return wi_image_at(&m->image, at);
}
