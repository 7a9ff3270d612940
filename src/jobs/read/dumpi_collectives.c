/* What collectives of a rank come to; see dumpi.h. */
#include <string.h>

#include "base/memory.h"
#include "jobs/read/dumpi.h"

/* The communicator of a collective, whose root is a rank. */
static uint32_t comm_of(dumpi_reader *r)
{
    const uint32_t comm = wi_dumpi_object(r, 'm');
    if (DUMPI_VALUE(r->call, 'o') < 0)
        (void)DUMPI_WRONG(r, "root %d; inter-communicators are not read", DUMPI_VALUE(r->call, 'o'));
    return comm;
}

static weir_status take_even(dumpi_reader *r)
{
    const dumpi_call *const c = r->call;
    const dumpi_list *const parts = DUMPI_LIST(c, 'A');
    const uint32_t type = (uint32_t)DUMPI_VALUE(c, 't');
    job_action a = {.op = c->op, .peer = (uint32_t)DUMPI_VALUE(c, 'o')};
    if (strchr(c->fields, 'c'))
        a.bytes = wi_dumpi_bytes(r, DUMPI_VALUE(c, 'c'), type);
    for (uint32_t i = 0; i < parts->n; i++)
        a.bytes += wi_dumpi_bytes(r, wi_dumpi_item(parts, i, 4), type);
    if (a.bytes > UINT64_C(1) << 30)
        (void)DUMPI_WRONG(r, "%llu bytes; want at most 1 GiB", (unsigned long long)a.bytes);
    return wi_dumpi_append(r, a, comm_of(r));
}

/* Numbers of bytes: of one part, where the rank has no more, or for each of a list of counts, all of one type, or of one each. Returns
 * how many there are. */
static uint32_t push_parts(dumpi_reader *r, char count, char counts, char type, char types)
{
    const dumpi_call *const c = r->call;
    const dumpi_list *const n = DUMPI_LIST(c, counts), *const of = strchr(c->fields, types)
                                                                       ? DUMPI_LIST(c, types)
                                                                       : NULL;
    const uint32_t all = (uint32_t)DUMPI_VALUE(c, type);
    const bool is_root = strchr(c->fields, 'o') && DUMPI_VALUE(c, 'k') == DUMPI_VALUE(c, 'o');
    const size_t at = r->d->n_numbers;
    if (strchr(c->fields, count) && !is_root)
        wi_dumpi_push(r->d, (uint32_t)wi_dumpi_bytes(r, DUMPI_VALUE(c, count), all));
    if (of && of->n != n->n)
        (void)DUMPI_WRONG(r, "%u counts, and %u types", n->n, of->n);
    for (uint32_t i = 0; i < n->n && r->d->reading.status == WEIR_OK; i++)
        wi_dumpi_push(r->d, (uint32_t)wi_dumpi_bytes(r, wi_dumpi_item(n, i, 4),
                                                     of ? (uint16_t)wi_dumpi_item(of, i, 2) : all));
    return (uint32_t)(r->d->n_numbers - at);
}

static weir_status take_uneven(dumpi_reader *r)
{
    const size_t at = r->d->n_numbers;
    const uint32_t comm = comm_of(r);
    wi_dumpi_push(r->d, 0);
    wi_dumpi_push(r->d, 0);
    const uint32_t to = push_parts(r, 'c', 'A', 't', 'T'), from = push_parts(r, 'e', 'B', 'u', 'U');
    WI_RETURN_IF_FAILED(wi_dumpi_append(r,
                                        (job_action){.op = r->call->op,
                                                     .peer = (uint32_t)DUMPI_VALUE(r->call, 'o'),
                                                     .slot = r->slots == r->n_free,
                                                     .time_ps = (weir_time)at},
                                        comm));
    r->d->number[at] = to;
    r->d->number[at + 1] = from;
    return WEIR_OK;
}

weir_status wi_dumpi_take_collective(dumpi_reader *r)
{
    return r->call->what == DUMPI_UNEVEN ? take_uneven(r) : take_even(r);
}
