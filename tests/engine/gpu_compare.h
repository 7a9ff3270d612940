/*
 * What tests of models on the GPU engine share: run a set-up on the sequential engine and on the GPU engine
 * in many settings, and compare digests at stop points. A difference prints the first entity whose chain
 * differs.
 */
#ifndef TESTS_ENGINE_GPU_COMPARE_H
#define TESTS_ENGINE_GPU_COMPARE_H

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "splitmix.h"
#include "weir/engine.h"

/* An emulated device (tests/emulator) is hundreds of times slower, and so is one that is watched (tools/compute-sanitizer): it gets a part of the cases, smaller. */
#if defined WEIR_EMULATED || defined WEIR_GPU_SMALL
enum { GPU_SHARE = 8 };
#else
enum { GPU_SHARE = 1 };
#endif

static int gpu_failures, gpu_comparisons;

static const char *gpu_message(const weir_diag *diag)
{
    const size_t n = weir_diag_count(diag);
    return n ? weir_diag_get(diag, n - 1)->text : "no message";
}

static void gpu_must(const weir_diag *diag, weir_status status, const char *what)
{
    if (status == WEIR_OK)
        return;
    printf("%s: %s: %s\n", what, weir_status_name(status), gpu_message(diag));
    exit(status == WEIR_E_UNSUPPORTED ? 77 : 1);
}

/* What a simulation was at a stop point. */
struct gpu_snapshot {
    uint64_t events, event_digest, state_digest, pending;
};

static void gpu_count_pending(void *user, const weir_event *event)
{
    /* The sum over all pending events does not depend on their order. */
    *static_cast<uint64_t *>(user) += (uint64_t)event->time_ps * 31 + event->source * 7 + event->seq +
                                      event->type + event->target * 131 + event->tie;
}

static gpu_snapshot gpu_snapshot_of(const weir_sim *sim)
{
    gpu_snapshot s = {weir_sim_events(sim), weir_sim_event_digest(sim), weir_sim_state_digest(sim), 0};
    if (weir_sim_pending(NULL, sim, gpu_count_pending, &s.pending) != WEIR_OK)
        s.pending = UINT64_MAX;
    return s;
}

static void gpu_first_difference(const weir_sim *a, const weir_sim *b)
{
    for (uint32_t e = 0; e < weir_sim_entities(a); e++) {
        const weir_entity *x = &weir_sim_heads(a)[e], *y = &weir_sim_heads(b)[e];
        if (x->digest != y->digest || x->seq != y->seq || x->draws != y->draws || x->records != y->records) {
            printf("  entity %u: chain %016llx/%016llx, scheduled %u/%u, draws %llu/%llu, records %u/%u\n", e,
                   (unsigned long long)x->digest, (unsigned long long)y->digest, x->seq, y->seq,
                   (unsigned long long)x->draws, (unsigned long long)y->draws, x->records, y->records);
            return;
        }
    }
}

/* Compare at each of `stops`; `n_settings` random settings of the GPU engine after the plain ones. */
[[maybe_unused]] static void gpu_compare(const char *what, weir_setup setup,
                                         const std::vector<weir_time> &stops, int n_settings,
                                         uint64_t *random)
{
    weir_diag *diag = weir_diag_new();
    weir_sim *reference = nullptr;
    std::vector<gpu_snapshot> wanted;
    setup.engine = WEIR_ENGINE_SEQUENTIAL;
    gpu_must(diag, weir_sim_new(diag, &setup, &reference), what);
    for (weir_time stop : stops) {
        gpu_must(diag, weir_sim_run(diag, reference, stop, nullptr), what);
        wanted.push_back(gpu_snapshot_of(reference));
    }
    setup.engine = WEIR_ENGINE_GPU;
    for (int i = 0; i < 4 + n_settings; i++) {
        weir_gpu_options o = {};
        o.host_driven = i % 2;
        o.time_steps = i % 4 >= 2;
        setup.lp_size = i < 2 ? 0 : i < 4 ? 1 : 1u << rnd_below(random, 7);
        if (i < 2)
            o.regroup_events = wanted.back().events / 10 + 1; /* tests are too short to measure */
        if (i >= 4) {
            o.slots_percent = rnd_below(random, 2) ? 100 : 0;
            o.outbox_events = rnd_below(random, 2) ? 1 : 0;
            o.records = rnd_below(random, 2) ? 1 : 0;
        }
        setup.gpu_options = o;
        weir_sim *sim = nullptr;
        gpu_must(diag, weir_sim_new(diag, &setup, &sim), what);
        for (size_t s = 0; s < stops.size(); s++) {
            gpu_must(diag, weir_sim_run(diag, sim, stops[s], nullptr), what);
            const gpu_snapshot got = gpu_snapshot_of(sim);
            gpu_comparisons++;
            if (got.events == wanted[s].events && got.event_digest == wanted[s].event_digest &&
                got.state_digest == wanted[s].state_digest && got.pending == wanted[s].pending)
                continue;
            gpu_failures++;
            printf("DIFFERENT  %s: LP size %u, %s, slots %u %%, outbox %u, records %u, stop %zu: events "
                   "%llu/%llu, event "
                   "digest %016llx/%016llx, state digest %016llx/%016llx, pending %016llx/%016llx\n",
                   what, setup.lp_size, o.host_driven ? "host-driven" : "persistent", o.slots_percent,
                   o.outbox_events, o.records, s, (unsigned long long)got.events,
                   (unsigned long long)wanted[s].events, (unsigned long long)got.event_digest,
                   (unsigned long long)wanted[s].event_digest, (unsigned long long)got.state_digest,
                   (unsigned long long)wanted[s].state_digest, (unsigned long long)got.pending,
                   (unsigned long long)wanted[s].pending);
            if (s + 1 == stops.size())
                gpu_first_difference(sim, reference);
            break;
        }
        weir_sim_free(sim);
    }
    weir_sim_free(reference);
    weir_diag_free(diag);
}

/* The last line, and the exit status. */
static int gpu_result(void)
{
    printf("%s: %d comparisons, %d differences\n", gpu_failures ? "FAIL" : "PASS", gpu_comparisons,
           gpu_failures);
    return gpu_failures ? 1 : 0;
}

#endif
