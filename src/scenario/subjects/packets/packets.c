/* The packet network as a scenario's subject. */
#include "scenario/subjects/packets/packets.h"

#include <stdio.h>

#include "base/memory.h"
#include "engine/core/lists.h"
#include "packets/skip/skip.h"
#include "network/fluid/fluid.h"
#include "scenario/results/results.h"

typedef struct network_subject {
    wi_lists lists; /* first, as wi_lists_put has it */
    weir_diag *diag;
    wi_network *network;
    wi_results_of_run gathered;
    wi_skipper *skipper; /* of steady states; null: none are skipped */
    weir_time next_change_ps, next_couple_ps,
        next_look_ps; /* of failures, fluid, the skipper, where a run goes on; else 0 */
} network_subject;

static weir_status build(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario, void *made)
{
    (void)self;
    network_subject *s = made;
    s->diag = diag;
    return wi_network_build(diag, scenario, &s->network);
}

static void release(void *made)
{
    network_subject *s = made;
    wi_results_end(&s->gathered);
    wi_skipper_free(s->skipper);
    wi_network_free(s->network);
}

static weir_status take_record(void *user, const weir_record_head *record)
{
    network_subject *s = user;
    return s->gathered.run ? wi_results_take(&s->gathered, record) : WEIR_OK;
}

static weir_status take_records(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    const char *at = (const char *)records;
    weir_status status = WEIR_OK;
    network_subject *s = user;
    for (size_t i = 0; i < n && status == WEIR_OK; i++, at += stride) {
        const weir_record_head *record = (const void *)at;
        status = wi_results_take(&s->gathered, record);
        if (s->skipper)
            wi_skipper_record(s->skipper, record);
    }
    return status;
}

static weir_time change(void *user, weir_time at_ps)
{
    return wi_net_change(((network_subject *)user)->network->net, at_ps);
}

static weir_time couple(void *user, weir_time at_ps)
{
    const network_subject *s = user;
    wi_fluid_net_take(s->network->fluid, at_ps); /* no more samples wait than a batch has */
    return wi_coupling_hook(s->network->fluid->coupling, s->diag, at_ps);
}

static weir_time look(void *user, weir_time at_ps)
{
    const network_subject *s = user;
    return wi_skipper_look(s->diag, s->skipper, at_ps);
}

static uint64_t digest_fluid(void *user)
{
    return wi_coupling_digest(((network_subject *)user)->network->fluid->coupling);
}

static void name_entity(void *user, uint32_t entity, char *text, size_t size)
{
    WI_FREED char *name = wi_port_name(((network_subject *)user)->network, entity);
    snprintf(text, size, "%s", name ? name : "?");
}

static void set_up(void *made, weir_setup *setup)
{
    network_subject *s = made;
    *setup = (weir_setup){.user = s, .name = name_entity};
    s->lists = (wi_lists){0};
    if (s->gathered.run) /* results have begun; without them, records have no taker */
        wi_add_sink(&s->lists, take_records, s);
    if (s->network->net->n_steps > 0)
        wi_add_hook(&s->lists, change, s, s->next_change_ps, true);
    if (s->network->fluid) {
        wi_add_hook(&s->lists, couple, s, s->next_couple_ps, false);
        wi_add_outside(&s->lists, digest_fluid, s);
    }
    if (s->network->scenario->steady.skip)
        wi_add_hook(&s->lists, look, s, s->next_look_ps ? s->next_look_ps : wi_skipper_first(), false);
    wi_lists_put(&s->lists, setup);
    wi_net_setup(s->network->net, setup);
    if (!wi_network_fits_device(s->network))
        setup->gpu = NULL;
}

static weir_status estimate(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                            const void *made, weir_estimate *out)
{
    (void)self;
    (void)scenario;
    return wi_network_estimate(diag, ((const network_subject *)made)->network, out);
}

static weir_status save_results(network_subject *s, wi_archiver *k)
{
    weir_time next_ps = s->next_change_ps, next_couple_ps = s->next_couple_ps, next_look_ps = s->next_look_ps;
    for (size_t i = 0; i < s->lists.n_hooks; i++) {
        const wi_hook *h = &s->lists.hook[i];
        next_ps = h->call == change ? h->next_ps : next_ps;
        next_couple_ps = h->call == couple ? h->next_ps : next_couple_ps;
        next_look_ps = h->call == look ? h->next_ps : next_look_ps;
    }
    wi_archive_section(k, "hooks");
    wi_archive(k, &next_ps, sizeof next_ps);
    wi_archive(k, &next_couple_ps, sizeof next_couple_ps);
    wi_archive(k, &next_look_ps, sizeof next_look_ps);
    if (wi_archiver_reads(k)) {
        s->next_change_ps = next_ps;
        s->next_couple_ps = next_couple_ps;
        s->next_look_ps = next_look_ps;
        (void)wi_net_change(s->network->net, 0);
        if (next_ps > 0) /* what was called until then */
            (void)wi_net_change(s->network->net, next_ps - 1);
    }
    wi_results_archive(&s->gathered, k);
    return wi_archiver_status(k);
}

static weir_status save(void *made, wi_subject_run *run, wi_archiver *k, bool attached)
{
    network_subject *s = made;
    (void)run;
    if (!attached)
        return save_results(s, k);
    if (s->network->fluid)
        wi_fluid_net_archive(s->network->fluid, k);
    if (s->skipper)
        wi_skipper_archive(s->skipper, k);
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

static weir_status open(network_subject *s, wi_subject_run *run)
{
    run->fork = fork_event;
    run->warm_reads_all = true; /* which keeps the totals of every port and flow */
    run->always = s->network->fluid != NULL;
    return wi_results_begin(&s->gathered, s->network, run);
}

/* A simulation begins: nothing of it has been watched. */
static weir_status start(network_subject *s, const wi_subject_run *run)
{
    const weir_scenario *of = s->network->scenario;
    if (s->network->fluid)
        return wi_fluid_net_attach(run->diag, s->network->fluid, run->sim);
    if (!of->steady.skip)
        return WEIR_OK;
    const wi_skip_params params = {.error = of->steady.error,
                                   .interval_ps = of->output.interval_ps,
                                   .warm_ps = of->output.warmup_ps,
                                   .end_ps = of->duration_ps,
                                   .until_done = of->until_done};
    wi_skipper_free(s->skipper);
    const weir_status status = wi_skipper_new(run->diag, s->network->net, &params, &s->skipper);
    if (status == WEIR_OK)
        wi_skipper_attach(s->skipper, (weir_sim *)(uintptr_t)run->sim, take_record, s);
    return status;
}

static weir_status warm(network_subject *s, const wi_subject_run *run)
{
    if (s->network->fluid) {
        wi_fluid_net_take(s->network->fluid, weir_sim_now(run->sim));
        wi_fluid_net_keep_warm(s->network->fluid);
    }
    return wi_results_warm(&s->gathered)
               ?: wi_net_snapshot_take(run->diag, s->network->net, run->sim, &s->gathered.warm);
}

static weir_status sample(void *made, wi_subject_run *run, wi_moment moment)
{
    network_subject *s = made;
    switch (moment) {
    case WI_AT_OPEN:
        return open(s, run);
    case WI_AT_START:
        return start(s, run);
    case WI_AT_WARM:
        return warm(s, run);
    case WI_AT_SAMPLE:
        return wi_results_sample(&s->gathered);
    default:
        wi_results_look(&s->gathered);
        run->packet_hops = wi_net_hops(s->network->net, run->sim);
        return WEIR_OK;
    }
}

static weir_status check(void *made, const wi_subject_run *run)
{
    const network_subject *s = made;
    const weir_status status = wi_net_check(run->diag, s->network->net, run->sim);
    return status == WEIR_OK && s->network->fluid ? wi_coupling_check(run->diag, s->network->fluid->coupling)
                                                  : status;
}

static wi_doneness done(void *made, const wi_subject_run *run, bool state)
{
    (void)run;
    return wi_results_are_done(&((network_subject *)made)->gathered, state);
}

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    network_subject *s = made;
    wi_results_of_run *gathered = &s->gathered;
    (void)run;
    if (purpose == WI_FOR_FILES)
        return wi_results_finish(gathered);
    if (purpose == WI_FOR_SUMMARY) {
        wi_results_summarise(gathered, into);
        if (s->skipper)
            json_object_set_new(into, "steady", wi_skips_summarise(wi_skipper_total(s->skipper)));
    } else
        wi_results_now(gathered, into);
    return WEIR_OK;
}

const wi_subject wi_subject_network = WI_SUBJECT(
    NULL, network_subject, WI_READS_SOME, {.name = "network"}, .sample = sample, .save = save, .done = done,
    .results = wi_network_tables, .lines = wi_network_lines, .n_lines = WI_NETWORK_LINES);
