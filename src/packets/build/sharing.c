/*
 * Forwarding tables that networks have in common, where graph, costs, routers and columns are the same. Nobody writes what
 * is shared: who will change routes works on copies.
 */
#include <stdlib.h>
#include <string.h>

#include "base/common/cow.h"
#include "packets/build/forwarding.h"

typedef struct table {
    unsigned char *own; /* null where pages have it */
    wi_cow *pages;
    uint32_t *set_first, *set_bounds;
    uint16_t *set_ports;
    uint32_t n_sets, n_set_ports;
} table;

static void free_table(void *made)
{
    table *t = made;
    if (!t)
        return;
    free(t->own);
    wi_cow_free(t->pages);
    free(t->set_first);
    free(t->set_bounds);
    free(t->set_ports);
    free(t);
}

static uint64_t bytes_of(const wi_net_forwarding *f)
{
    return (uint64_t)f->n_routers * f->n_columns * f->entry_bytes;
}

/* By a forwarding of its own, so that what only computing needs is gone with it. */
static weir_status make_table(weir_diag *diag, void *user, void **made, uint64_t *bytes)
{
    const wi_net_forwarding *f = user;
    wi_net_forwarding own = *f;
    own.will_change = false;
    table *t = calloc(1, sizeof *t);
    weir_status status =
        t ? wi_net_forwarding_compute(diag, &own) : weir_fail(diag, WEIR_E_NOMEM, "no memory for routes");
    status = status ?: wi_net_forwarding_finish(diag, &own);
    if (status == WEIR_OK) {
        *t = (table){own.table,      wi_cow_new(own.table, bytes_of(f)),
                     own.set_first,  own.set_bounds,
                     own.set_ports,  own.n_sets,
                     own.n_set_ports};
        own.table = NULL;
        own.set_first = own.set_bounds = NULL;
        own.set_ports = NULL;
        *bytes = bytes_of(f) + (t->n_sets + (uint64_t)(f->ecmp ? f->n_routers : 0)) * sizeof(uint32_t) +
                 t->n_set_ports * sizeof(uint16_t);
        if (t->pages) {
            free(t->own);
            t->own = NULL;
        }
        *made = t;
    } else {
        free(t);
    }
    own.cost = NULL; /* which was lent */
    wi_net_forwarding_free(&own);
    return status;
}

static wi_common_key table_key(const wi_net_forwarding *f)
{
    const uint32_t numbers[] = {f->ecmp, f->entry_bytes, f->n_routers, f->n_columns};
    wi_common_key key = wi_net_costs_key(f, "table");
    wi_common_key_fold(&key, numbers, sizeof numbers);
    wi_common_key_fold(&key, f->router_node, f->n_routers * sizeof *f->router_node);
    wi_common_key_fold(&key, f->column_node, f->n_columns * sizeof *f->column_node);
    return key;
}

/* The table that failures change, and what they are worked out with. */
static weir_status take_copies(weir_diag *diag, wi_net_forwarding *f, const void *shared)
{
    f->table = malloc(bytes_of(f) + 1);
    if (!f->table)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a forwarding table of %.1f MB",
                         (double)bytes_of(f) / 1e6);
    memcpy(f->table, shared, bytes_of(f));
    return wi_net_forwarding_by_pairs(f) ? wi_net_all_pairs(diag, f) : WEIR_OK;
}

static weir_status share(weir_diag *diag, wi_net_forwarding *f)
{
    static const wi_common_kind kind = {make_table, free_table};
    const wi_common_key key = table_key(f);
    WI_RETURN_IF_FAILED(wi_common_acquire(f->shared, diag, &kind, &key, f, &f->thing));
    const table *t = wi_common_made(f->thing);
    const void *data = t->pages ? wi_cow_data(t->pages) : t->own;
    f->pages = t->pages;
    if (f->will_change)
        return take_copies(diag, f, data);
    f->borrowed = true;
    f->table = (unsigned char *)(uintptr_t)data;
    f->set_first = t->set_first;
    f->set_bounds = t->set_bounds;
    f->set_ports = t->set_ports;
    f->n_sets = t->n_sets;
    f->n_set_ports = t->n_set_ports;
    return WEIR_OK;
}

weir_status wi_net_forwarding_make(weir_diag *diag, wi_net_forwarding *f)
{
    WI_RETURN_IF_FAILED(wi_net_forwarding_costs(diag, f));
    return f->shared && !(f->ecmp && f->will_change) ? share(diag, f) : wi_net_forwarding_compute(diag, f);
}
