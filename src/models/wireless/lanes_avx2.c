/* The loop over subcarriers for AVX2. No fma: the bits are those of lanes.c. */
#include "models/wireless/fading.h"
#include "models/wireless/lanes.h"
#include "weir/math.h"

#include "base/target_avx2.h"

#include "models/wireless/subcarriers.h"

WEIR_LANES_HOST(wi_wireless_lanes_avx2, wireless_subcarrier, 2)

#include "base/target_end.h"
