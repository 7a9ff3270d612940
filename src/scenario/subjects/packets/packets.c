/* The packet network as a scenario's subject. */
#include "scenario/subject/subject.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/core/lists.h"
#include "scenario/fluid/fluid.h"
#include "scenario/results/results.h"
#include "scenario/subjects/packets/packets.h"

typedef struct network_subject {
    wi_lists lists; /* first, as wi_lists_put has it */
    wi_network *network;
    wi_results_of_run gathered;
    weir_time next_change_ps, next_couple_ps; /* of failures and of fluid, where a run goes on; else 0 */
} network_subject;

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void **made)
{
    network_subject *s = calloc(1, sizeof *s);
    *made = s;
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a network");
    return wi_network_build(diag, scenario, &s->network);
}

static void release(void *made)
{
    network_subject *s = made;
    if (!s)
        return;
    wi_results_end(&s->gathered);
    wi_network_free(s->network);
    free(s);
}

static weir_status take_records(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    wi_results_of_run *gathered = &((network_subject *)user)->gathered;
    weir_status status = wi_results_take_records(gathered, records, stride, n);
    if (status == WEIR_OK && gathered->captures)
        status = wi_captures_take(gathered->captures, records, stride, n);
    if (status == WEIR_OK && gathered->monitor)
        status = wi_monitor_take(gathered->monitor, records, stride, n);
    return status;
}

static weir_time change(void *user, weir_time at_ps)
{
    return wi_net_change(((network_subject *)user)->network->net, at_ps);
}

static weir_time couple(void *user, weir_time at_ps)
{
    const network_subject *s = user;
    return wi_coupling_hook(s->network->fluid->coupling, s->gathered.diag, at_ps);
}

static uint64_t digest_fluid(void *user)
{
    return wi_coupling_digest(((network_subject *)user)->network->fluid->coupling);
}

static void name_entity(void *user, uint32_t entity, char *text, size_t size)
{
    char *name = wi_port_name(((network_subject *)user)->network, entity);
    snprintf(text, size, "%s", name ? name : "?");
    free(name);
}

static void set_up(void *made, weir_setup *setup)
{
    network_subject *s = made;
    *setup = (weir_setup){.user = s, .name = name_entity};
    s->lists = (wi_lists){0};
    if (s->gathered.diag) /* results have begun; without them, records have no taker */
        wi_add_taker(&s->lists, take_records, s);
    if (s->network->net->n_steps > 0)
        wi_add_hook(&s->lists, change, s, s->next_change_ps, true);
    if (s->network->fluid) {
        wi_add_hook(&s->lists, couple, s, s->next_couple_ps, false);
        wi_add_outside(&s->lists, digest_fluid, s);
    }
    wi_lists_put(&s->lists, setup);
    wi_net_setup(s->network->net, setup);
}

static weir_status estimate(weir_diag *diag, const void *made, weir_estimate *out)
{
    return wi_network_estimate(diag, ((const network_subject *)made)->network, out);
}

static weir_status begin(weir_diag *diag, void *made, const wi_sinks *to)
{
    network_subject *s = made;
    return wi_results_begin(diag, s->network, to, &s->gathered);
}

static weir_status keep(void *made, wi_archiver *k)
{
    network_subject *s = made;
    weir_time next_ps = s->next_change_ps, next_couple_ps = s->next_couple_ps;
    const weir_status can =
        s->network->fluid ? wi_fluid_net_can_archive(k->diag, s->network->fluid) : WEIR_OK;
    if (can != WEIR_OK)
        return can;
    if (s->network->scenario->output.pcap.n > 0)
        return weir_fail(k->diag, WEIR_E_UNSUPPORTED,
                         "checkpoints beside captures (output.pcap) are not available in this version");
    if (s->network->scenario->output.flow_monitor.place.file)
        return weir_fail(
            k->diag, WEIR_E_UNSUPPORTED,
            "checkpoints beside watched flows (output.flow_monitor) are not available in this version");
    if (s->network->scenario->output.packets.n > 0)
        return weir_fail(
            k->diag, WEIR_E_UNSUPPORTED,
            "checkpoints beside a trace of packets (output.packets) are not available in this version");
    for (size_t i = 0; i < s->lists.n_hooks; i++) {
        const wi_hook *h = &s->lists.hook[i];
        next_ps = h->call == change ? h->next_ps : next_ps;
        next_couple_ps = h->call == couple ? h->next_ps : next_couple_ps;
    }
    wi_archive_section(k, "hooks");
    wi_archive(k, &next_ps, sizeof next_ps);
    wi_archive(k, &next_couple_ps, sizeof next_couple_ps);
    if (wi_archiver_reads(k)) {
        s->next_change_ps = next_ps;
        s->next_couple_ps = next_couple_ps;
        (void)wi_net_change(s->network->net, 0);
        if (next_ps > 0) /* what was called until then */
            (void)wi_net_change(s->network->net, next_ps - 1);
    }
    wi_results_archive(&s->gathered, k);
    return wi_archiver_status(k);
}

static weir_status keep_attached(void *made, wi_archiver *k)
{
    const network_subject *s = made;
    if (s->network->fluid)
        wi_fluid_net_archive(s->network->fluid, k);
    return wi_archiver_status(k);
}

/* Flows begin where the host's list of starts says; generators of a class that has not begun, as at the start. */
static void fork_event(const void *made, const weir_sim *sim, const weir_event *first, weir_event *event)
{
    const wi_net *net = ((const network_subject *)made)->network->net;
    if (event->type == NET_EV_ARRIVAL && first && first->type == NET_EV_ARRIVAL)
        event->time_ps = first->time_ps;
    if (event->type != NET_EV_START)
        return;
    const weir_time start_ps = wi_net_next_start(net, sim, event->target);
    if (start_ps >= weir_sim_now(sim))
        event->time_ps = start_ps;
}

static weir_status attach(weir_diag *diag, void *made, const weir_sim *sim)
{
    network_subject *s = made;
    s->gathered.sim = sim;
    return s->network->fluid ? wi_fluid_net_attach(diag, s->network->fluid, sim) : WEIR_OK;
}

static bool wants(const void *made, bool warm, weir_sim_want *out)
{
    wi_series_wants(&((const network_subject *)made)->gathered, out);
    return !warm; /* which keeps the totals of every port and flow */
}

static weir_status warm(void *made)
{
    network_subject *s = made;
    if (s->network->fluid) {
        wi_fluid_net_take(s->network->fluid, weir_sim_now(s->gathered.sim));
        wi_fluid_net_keep_warm(s->network->fluid);
    }
    wi_results_warm(&s->gathered);
    return wi_net_snapshot_take(s->gathered.diag, s->network->net, s->gathered.sim, &s->gathered.warm);
}

static weir_status sample(void *made)
{
    return wi_results_sample(&((network_subject *)made)->gathered);
}

static weir_status check(weir_diag *diag, void *made)
{
    const network_subject *s = made;
    const weir_status status = wi_net_check(diag, s->network->net, s->gathered.sim);
    return status == WEIR_OK && s->network->fluid ? wi_coupling_check(diag, s->network->fluid->coupling)
                                                  : status;
}

static void look(void *made)
{
    wi_results_look(&((network_subject *)made)->gathered);
}

static weir_status finish(void *made)
{
    return wi_results_finish(&((network_subject *)made)->gathered);
}

static weir_status late(const void *made)
{
    return ((const network_subject *)made)->gathered.late;
}

static bool now_wants(void *made, weir_sim_want *out)
{
    return wi_results_now_wants(&((network_subject *)made)->gathered, out);
}

static bool tell_now(void *made, json_t *status)
{
    return wi_results_now(&((network_subject *)made)->gathered, status);
}

static void summarise(const void *made, json_t *summary)
{
    wi_results_summarise(&((const network_subject *)made)->gathered, summary);
}

static uint64_t packet_hops(const void *made)
{
    const network_subject *s = made;
    return wi_net_hops(s->network->net, s->gathered.sim);
}

static bool series_alone(const void *made)
{
    return !((const network_subject *)made)->network->fluid;
}

const wi_subject wi_subject_network =
    WI_SUBJECT(.section = {.name = "network"}, .estimate = estimate, .keep = keep,
               .keep_attached = keep_attached, .fork = fork_event, .packet_hops = packet_hops, .look = look,
               .late = late, .now = tell_now, .now_wants = now_wants, .samples_are_series = series_alone,
               .tell = wi_results_tell);
