/* Which sends and receives go together; see ends.h. */
#include "jobs/ends.h"

#include <stdlib.h>

#include "base/order.h"

static int by_message(const void *a, const void *b)
{
    const wi_message_end *x = a, *y = b;
    return WI_ORDER(x->source, y->source) ?: WI_ORDER(x->target, y->target) ?: WI_ORDER(x->tag, y->tag)
        ?: WI_ORDER(x->receives, y->receives) ?: WI_ORDER(x->at, y->at);
}

/* Ends of one source, target and tag: sends, then receives. */
static weir_status pair_alike(const wi_message_end *end, size_t n, wi_message_pair pair, void *user)
{
    size_t sent = 0;
    weir_status status = WEIR_OK;
    while (sent < n && !end[sent].receives)
        sent++;
    for (size_t i = 0; status == WEIR_OK && (i < sent || i < n - sent); i++)
        status = pair(user, i < sent ? &end[i] : NULL, i < n - sent ? &end[sent + i] : NULL);
    return status;
}

weir_status wi_message_ends_pair(wi_message_end *end, size_t n, wi_message_pair pair, void *user)
{
    weir_status status = WEIR_OK;
    if (n)
        qsort(end, n, sizeof *end, by_message);
    for (size_t i = 0, next; i < n && status == WEIR_OK; i = next) {
        for (next = i + 1; next < n && end[next].source == end[i].source &&
                           end[next].target == end[i].target && end[next].tag == end[i].tag;)
            next++;
        status = pair_alike(end + i, next - i, pair, user);
    }
    return status;
}
