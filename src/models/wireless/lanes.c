/* The loop over subcarriers on the host: for any processor here, for AVX2 in lanes_avx2.c. */
#include "models/wireless/lanes.h"

#include "base/cpu_features.h"
#include "models/wireless/subcarriers.h"

WEIR_LANES_HOST(wi_wireless_lanes_any, wireless_subcarrier, 2)

void wireless_subcarriers_host(const void *world, const void *subject, const weir_event *event, uint32_t n,
                               double *sum)
{
    if (wi_have_avx2())
        wi_wireless_lanes_avx2(world, subject, event, n, sum);
    else
        wi_wireless_lanes_any(world, subject, event, n, sum);
}
