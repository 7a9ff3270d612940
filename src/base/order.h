/* What sorts compare by. Keys of an item, the first first: WI_ORDER(x->from, y->from) ?: WI_ORDER(x->to, y->to). */
#pragma once

#include <stdint.h>
#include <string.h>

/* Below 0, 0 or above 0; of numbers that are no NaN. */
#define WI_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Of items that are one number, or one text: as qsort and bsearch take them. */
#define WI_ORDER_OF(name, type)                                     \
    static inline int wi_order_##name(const void *a, const void *b) \
    {                                                               \
        return WI_ORDER(*(const type *)a, *(const type *)b);        \
    }
WI_ORDER_OF(u32, uint32_t)
WI_ORDER_OF(u64, uint64_t)
WI_ORDER_OF(double, double)
#undef WI_ORDER_OF

static inline int wi_order_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
