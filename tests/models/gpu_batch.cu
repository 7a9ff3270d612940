/*
 * Many runs at once on a device, of each model: every run has the digests of the same run alone on the sequential
 * engine, at every stop, in any mix of parameters and sizes, sorted or not, with scarce room. Runs that are
 * interrupted stand at consistent points and go on. Exit 0: equal; 1: not; 77: no device.
 */
#include <cstring>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "engine/gpu_compare.h"
#include "weir/batch.h"
extern "C" {
#include "models/kademlia/kademlia.h"
#include "models/lcg/lcg.h"
#include "models/phold/phold.h"
#include "models/wireless/params.h"
#include "models/usual/kademlia.h"
#include "models/usual/lcg.h"
#include "models/usual/phold.h"
#include "models/usual/wireless.h"
}

static weir_diag *diag;
static int gpu_stops; /* runs that were stopped on the way */

struct made_run {
    weir_setup setup;
    weir_time stops[2];
    std::function<void()> free;
};

static made_run make_phold(uint64_t *random)
{
    phold_params p;
    wi_uniform *phold = nullptr;
    made_run r;
    usual_phold(&p);
    p.n_entities = 2 + rnd_below(random, rnd_below(random, 4) ? 40 : 3000 / GPU_SHARE);
    p.events_per_entity = 1 + rnd_below(random, 6);
    p.remote_share = rnd_below(random, 5) / 4.0;
    p.mean_ps = rnd_below(random, 3) * WEIR_PS_PER_US;
    gpu_must(diag, wi_phold_new(diag, &p, &phold), "phold");
    wi_uniform_setup(phold, &r.setup);
    r.stops[0] = (3 + rnd_below(random, 4)) * WEIR_PS_PER_US;
    r.stops[1] = r.stops[0] + rnd_below(random, 6) * WEIR_PS_PER_US;
    r.free = [=]() { wi_uniform_free(phold); };
    return r;
}

static made_run make_wireless(uint64_t *random)
{
    wireless_params p;
    wi_wireless *made = nullptr;
    made_run r;
    usual_wireless(&p);
    p.n_nodes = 2 + rnd_below(random, 7);
    p.packets_per_s = 5 + rnd_below(random, 30);
    p.speed_m_s = rnd_below(random, 12);
    p.access = rnd_below(random, 4);
    p.replies = rnd_below(random, 3);
    p.series = rnd_below(random, 2);
    p.n_sinusoids = 8;
    gpu_must(diag, wi_wireless_new(diag, &p, &made), "wireless");
    wi_wireless_setup(made, &r.setup);
    r.stops[0] = (20 + rnd_below(random, 50)) * WEIR_PS_PER_MS;
    r.stops[1] = r.stops[0] + rnd_below(random, 60) * WEIR_PS_PER_MS;
    r.free = [=]() { wi_wireless_free(made); };
    return r;
}

static made_run make_kademlia(uint64_t *random)
{
    kad_params p;
    wi_kad *made = nullptr;
    made_run r;
    usual_kademlia(&p);
    p.n_peers = 20 + rnd_below(random, 200 / GPU_SHARE);
    gpu_must(diag, wi_kad_new(diag, &p, &made), "kademlia");
    wi_kad_setup(made, &r.setup);
    r.stops[0] = (1 + rnd_below(random, 2)) * WEIR_PS_PER_S;
    r.stops[1] = r.stops[0] + rnd_below(random, 2) * WEIR_PS_PER_S;
    r.free = [=]() { wi_kad_free(made); };
    return r;
}

static made_run make_lcg(uint64_t *random)
{
    lcg_params p;
    wi_uniform *lcg = nullptr;
    made_run r;
    usual_lcg(&p);
    p.n_modules = 1 + rnd_below(random, 10);
    p.ways = 1 + rnd_below(random, 4);
    p.events = 20 + rnd_below(random, 100);
    p.iterations = rnd_below(random, 30);
    p.state_bytes = 40 + 8 * rnd_below(random, 400);
    gpu_must(diag, wi_lcg_new(diag, &p, &lcg), "lcg");
    wi_uniform_setup(lcg, &r.setup);
    r.stops[0] = wi_lcg_end(&p) / 2;
    r.stops[1] = wi_lcg_end(&p);
    r.free = [=]() { wi_uniform_free(lcg); };
    return r;
}

/* Run i stands at `until`, after `stop` whole stops. */
static void compare_at(const char *what, const made_run &r, weir_sim *sim, int stop, weir_time until,
                       uint32_t i)
{
    weir_sim *alone = nullptr;
    weir_setup setup = r.setup;
    setup.engine = WEIR_ENGINE_SEQUENTIAL;
    gpu_must(diag, weir_sim_new(diag, &setup, &alone), what);
    for (int s = 0; s < stop; s++)
        gpu_must(diag, weir_sim_run(diag, alone, r.stops[s], nullptr), what);
    gpu_must(diag, weir_sim_run(diag, alone, until, nullptr), what);
    gpu_comparisons++;
    if (weir_sim_events(sim) != weir_sim_events(alone) || weir_sim_now(sim) != weir_sim_now(alone) ||
        weir_sim_event_digest(sim) != weir_sim_event_digest(alone) ||
        weir_sim_state_digest(sim) != weir_sim_state_digest(alone)) {
        gpu_failures++;
        printf("DIFFERENT  %s, run %u, stop %d: %llu events, alone %llu\n", what, i, stop,
               (unsigned long long)weir_sim_events(sim), (unsigned long long)weir_sim_events(alone));
        gpu_first_difference(sim, alone);
    }
    weir_sim_free(alone);
}

static void compare(const char *what, const made_run &r, weir_sim *sim, int stop, uint32_t i)
{
    compare_at(what, r, sim, stop, r.stops[stop], i);
}

/* Run to the stops, and be stopped some time on the way: all runs then stand at consistent points. */
static void stop_on_the_way(const char *what, weir_batch *batch, const std::vector<made_run> &runs,
                            const std::vector<weir_time> &until, int stop, uint64_t *random)
{
    volatile int word = 0;
    const uint32_t after_us = rnd_below(random, 4000);
    std::thread other([&]() {
        std::this_thread::sleep_for(std::chrono::microseconds(after_us));
        word = 1;
    });
    const weir_status status = weir_batch_run(diag, batch, until.data(), &word);
    other.join();
    if (status == WEIR_OK)
        return; /* it was faster */
    if (status != WEIR_E_INTERRUPTED)
        gpu_must(diag, status, what);
    gpu_stops++;
    for (uint32_t i = 0; i < runs.size(); i++) {
        weir_sim *const sim = weir_batch_sim(batch, i);
        if (weir_sim_now(sim) <= until[i])
            compare_at(what, runs[i], sim, stop, weir_sim_now(sim), i);
        else
            gpu_failures++;
    }
}

static void batch_of(const char *name, made_run (*make)(uint64_t *), uint32_t n, uint64_t *random)
{
    std::vector<made_run> runs;
    std::vector<weir_setup> setups;
    for (uint32_t i = 0; i < n; i++) {
        runs.push_back(make(random));
        runs.back().setup.seed = rnd(random);
        runs.back().setup.run = rnd_below(random, 3);
        setups.push_back(runs.back().setup);
    }
    weir_batch_options o = {};
    /* chosen, and a run a block: small runs have a kernel of their own */
    o.mapping = rnd_below(random, 2) ? WEIR_BATCH_MAPPING_CHOSEN : (weir_batch_mapping)rnd_below(random, 4);
    o.runs_a_block = rnd_below(random, 2) ? rnd_below(random, 2) : 1 + rnd_below(random, 9);
    o.slots_percent = rnd_below(random, 2) ? 100 : 0;
    o.records = rnd_below(random, 2);
    o.executor = rnd_below(random, 2) ? WEIR_BATCH_STAGED : WEIR_BATCH_RESIDENT;
    o.streams = rnd_below(random, 5);
    o.threads = rnd_below(random, 4);
    char what[160];
    snprintf(what, sizeof what, "%s %s: %u runs, mapping %d, %u a block, slots %u %%, records %u", name,
             o.executor == WEIR_BATCH_STAGED ? "staged" : "resident", n, o.mapping, o.runs_a_block,
             o.slots_percent, o.records);
    weir_batch *batch = nullptr;
    uint32_t fit = 0;
    gpu_must(diag, weir_batch_fit(diag, &setups[0], &o, &fit), what);
    if (fit < n) {
        gpu_failures++;
        printf("%s: only %u fit\n", what, fit);
    }
    gpu_must(diag, weir_batch_new(diag, setups.data(), n, &o, &batch), what);
    for (int stop = 0; stop < 2; stop++) {
        std::vector<weir_time> until;
        for (const made_run &r : runs)
            until.push_back(r.stops[stop]);
        const volatile int interrupted = stop == 1 ? 1 : 0;
        if (interrupted && weir_batch_run(diag, batch, until.data(), &interrupted) != WEIR_E_INTERRUPTED) {
            gpu_failures++;
            printf("%s: not interrupted\n", what);
        }
        stop_on_the_way(what, batch, runs, until, stop, random);
        gpu_must(diag, weir_batch_run(diag, batch, until.data(), nullptr), what);
        for (uint32_t i = 0; i < n; i++)
            compare(what, runs[i], weir_batch_sim(batch, i), stop, i);
    }
    weir_batch_use use;
    weir_batch_used(batch, &use);
    if (use.device_bytes == 0 || use.launches == 0 || use.events == 0) {
        gpu_failures++;
        printf("%s: nothing used\n", what);
    }
    weir_batch_free(batch);
    for (const made_run &r : runs)
        r.free();
}

/* One run states more lookahead than its handlers keep: it breaks off with its message, and the others go on. */
static void one_fails(uint64_t *random, weir_batch_executor executor)
{
    std::vector<made_run> runs;
    std::vector<weir_setup> setups;
    std::vector<weir_time> until, too_far(5000, WEIR_PS_PER_S);
    for (uint32_t i = 0; i < 5; i++) {
        runs.push_back(make_phold(random));
        setups.push_back(runs[i].setup);
        until.push_back(runs[i].stops[1]);
    }
    setups[3].lookahead_ps = too_far.data();
    phold_params p;
    wi_uniform *phold = nullptr;
    usual_phold(&p);
    gpu_must(diag, wi_phold_new(diag, &p, &phold), "phold");
    wi_uniform_setup(phold, &setups[3]);
    setups[3].lookahead_ps = too_far.data();
    weir_batch_options o = {};
    o.runs_a_block = 4;
    o.executor = executor;
    weir_batch *batch = nullptr;
    gpu_must(diag, weir_batch_new(diag, setups.data(), 5, &o, &batch), "a fault");
    gpu_must(diag, weir_batch_run(diag, batch, until.data(), nullptr), "a fault");
    for (uint32_t i = 0; i < 5; i++) {
        const char *message = nullptr;
        const weir_status status = weir_batch_status(batch, i, &message);
        const bool told =
            status == WEIR_E_MODEL && strstr(message, "the entity's lookahead, 1000000000000 ps");
        gpu_comparisons++;
        if (i == 3 ? !told : status != WEIR_OK) {
            gpu_failures++;
            printf("a fault: run %u: %s '%s'\n", i, weir_status_name(status), message);
        }
        if (i != 3)
            compare("beside a fault", runs[i], weir_batch_sim(batch, i), 1, i);
    }
    weir_batch_free(batch);
    wi_uniform_free(phold);
    for (const made_run &r : runs)
        r.free();
}

/* What cannot be batched is named. */
static void bad_setups(uint64_t *random)
{
    made_run a = make_phold(random), b = make_wireless(random);
    weir_setup both[2] = {a.setup, b.setup};
    weir_batch *batch = nullptr;
    gpu_comparisons += 2;
    if (weir_batch_new(diag, both, 2, nullptr, &batch) != WEIR_E_ARG || batch ||
        !strstr(gpu_message(diag), "run 1 of a batch is of another model ('wireless')")) {
        gpu_failures++;
        printf("two models: %s\n", gpu_message(diag));
    }
    if (weir_batch_new(diag, both, 0, nullptr, &batch) != WEIR_E_ARG || batch) {
        gpu_failures++;
        printf("no runs: %s\n", gpu_message(diag));
    }
    a.free();
    b.free();
}

int main(void)
{
    uint64_t random = 99;
    diag = weir_diag_new();
    for (int i = 0; i < 32 / GPU_SHARE; i++) {
        batch_of("phold", make_phold, 1 + rnd_below(&random, 300 / GPU_SHARE), &random);
        batch_of("lcg", make_lcg, 1 + rnd_below(&random, 400 / GPU_SHARE), &random);
        batch_of("wireless", make_wireless, 1 + rnd_below(&random, 100 / GPU_SHARE), &random);
        batch_of("kademlia", make_kademlia, 1 + rnd_below(&random, 60 / GPU_SHARE), &random);
    }
    one_fails(&random, WEIR_BATCH_RESIDENT);
    one_fails(&random, WEIR_BATCH_STAGED);
    bad_setups(&random);
    weir_diag_free(diag);
    printf("%d batches stopped on the way\n", gpu_stops);
    return gpu_result();
}
