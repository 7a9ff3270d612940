/* Host versions of the loop over subcarriers, all with the same bits; see weir/lanes.h. */
#pragma once

#include "weir/lanes.h"

/* For any processor, and for one with AVX2: sums of the items from 0 to n. */
void wi_wireless_lanes_any(const void *world, const void *subject, const weir_event *event, uint32_t n,
                           double *sum);
void wi_wireless_lanes_avx2(const void *world, const void *subject, const weir_event *event, uint32_t n,
                            double *sum);
/* The best that the processor at hand has. */
void wireless_subcarriers_host(const void *world, const void *subject, const weir_event *event, uint32_t n,
                               double *sum);
