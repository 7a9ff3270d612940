/*
 * Links that fail and come back while a simulation runs. All steps were worked out when the network was built
 * (build/failures.c), so that a run only copies what is written down; every process does so at the same times.
 */
#include "net/build/build.h"

static void set_entry(wi_net *net, uint64_t at, uint16_t value)
{
    const net_world *w = wi_net_world(net);
    unsigned char *table = net->world + w->table;
    if (w->entry_bytes == 1)
        table[at] = (unsigned char)value;
    else
        ((uint16_t *)(void *)table)[at] = value;
}

static weir_time *outages_of(const wi_net *net)
{
    return (weir_time *)(void *)(net->world + wi_net_world(net)->outages);
}

static void apply(wi_net *net, const wi_net_step *step)
{
    weir_time *outages = outages_of(net);
    for (uint32_t i = 0; i < step->n_links; i++) {
        const wi_net_link_change *change = &net->links[step->first_link + i];
        outages[change->entity] = change->down ? WEIR_TIME_MAX : step->at_ps;
    }
    for (uint64_t i = 0; i < step->n_entries; i++) {
        const wi_net_entry_change *change = &net->entries[step->first_entry + i];
        set_entry(net, change->at, change->after);
    }
}

/* As it was built. */
static void take_back(wi_net *net)
{
    weir_time *outages = outages_of(net);
    while (net->next_step > 0) {
        const wi_net_step *step = &net->steps[--net->next_step];
        for (uint32_t i = 0; i < step->n_links; i++)
            outages[net->links[step->first_link + i].entity] = 0;
        for (uint64_t i = step->n_entries; i-- > 0;) {
            const wi_net_entry_change *change = &net->entries[step->first_entry + i];
            set_entry(net, change->at, change->before);
        }
    }
}

weir_time wi_net_change(wi_net *net, weir_time at_ps)
{
    if (at_ps == 0)
        take_back(net);
    while (net->next_step < net->n_steps && net->steps[net->next_step].at_ps <= at_ps)
        apply(net, &net->steps[net->next_step++]);
    return net->next_step < net->n_steps ? net->steps[net->next_step].at_ps : WEIR_TIME_MAX;
}
