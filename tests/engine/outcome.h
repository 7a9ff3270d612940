/* What a run of the toy gives, so that two engines can be compared: digests, records in order, pending
 * events, calls of the hook, messages. */
#ifndef TESTS_ENGINE_OUTCOME_H
#define TESTS_ENGINE_OUTCOME_H

#include "harness.h"
#include "toy.h"

#include "weir/digest.h"

/* What a run gives, to be compared. */
typedef struct outcome {
    weir_status status;
    uint64_t events, event_digest, state_digest, records, records_digest, pending, pending_digest;
    uint64_t hooks;
    weir_time now_ps;
    char message[512];
} outcome;

typedef struct watch {
    outcome *out;
    weir_record_head last;
    weir_time hook_step_ps;
    const weir_sim *sim;
} watch;

static inline weir_status take_records(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    watch *w = user;
    const unsigned char *at = (const unsigned char *)records;
    for (size_t i = 0; i < n; i++, at += stride) {
        const weir_record_head *r = (const weir_record_head *)(const void *)at;
        const weir_record_head *l = &w->last;
        const int rises = w->out->records == 0 || r->time_ps > l->time_ps ||
                          (r->time_ps == l->time_ps &&
                           (r->entity > l->entity || (r->entity == l->entity && r->number > l->number)));
        assert_true(rises);
        w->last = *r;
        w->out->records++;
        w->out->records_digest = weir_digest_bytes(w->out->records_digest, r, sizeof *r + r->bytes);
    }
    return WEIR_OK;
}

static inline weir_time hook(void *user, weir_time horizon)
{
    watch *w = user;
    assert_int_equal(weir_sim_now(w->sim), horizon); /* everything before is done, nothing at or after */
    w->out->hooks = w->out->hooks * 31 + (uint64_t)horizon;
    return horizon + w->hook_step_ps;
}

static inline void tally(void *user, const weir_event *e)
{
    outcome *out = user;
    out->pending++;
    out->pending_digest += weir_event_hash(e->tie, e, 0);
}

/* Run to until_ps in `steps` equal steps. */
static inline outcome run(weir_setup setup, weir_engine engine, uint32_t threads, weir_time until_ps,
                          int steps, weir_time hook_step_ps)
{
    outcome out = {.status = WEIR_OK};
    watch w = {.out = &out, .hook_step_ps = hook_step_ps};
    weir_diag *diag = weir_diag_new();
    setup.engine = engine;
    setup.threads = threads;
    setup.sink = take_records;
    setup.user = &w;
    setup.hook = hook_step_ps ? hook : NULL;
    setup.hook_first_ps = hook_step_ps;
    weir_sim *sim = new_sim(diag, &setup);
    w.sim = sim;
    for (int i = 1; i <= steps && out.status == WEIR_OK; i++)
        out.status = weir_sim_run(diag, sim, until_ps / steps * i, NULL);
    out.now_ps = weir_sim_now(sim);
    if (out.status != WEIR_OK) {
        snprintf(out.message, sizeof out.message, "%s", weir_diag_get(diag, 0)->text);
        assert_int_equal(weir_diag_count(diag), 1);
        assert_int_equal(weir_sim_run(diag, sim, until_ps, NULL), out.status);
    } else {
        expect_ok(diag, weir_sim_fetch(diag, sim));
        out.events = weir_sim_events(sim);
        out.event_digest = weir_sim_event_digest(sim);
        out.state_digest = weir_sim_state_digest(sim);
        assert_int_equal(weir_sim_pending(diag, sim, tally, &out), WEIR_OK);
        weir_sim_memory memory;
        weir_sim_memory_use(sim, &memory);
        assert_int_equal(memory.pending_events, out.pending);
        assert_true(memory.pending_peak >= out.pending);
    }
    weir_sim_free(sim);
    weir_diag_free(diag);
    return out;
}

static inline void expect_same(const outcome *got, const outcome *want, uint32_t threads, const char *what)
{
    if (got->status != want->status || strcmp(got->message, want->message) != 0)
        fail_msg("%s, %u threads: %s '%s', want %s '%s'", what, threads, weir_status_name(got->status),
                 got->message, weir_status_name(want->status), want->message);
    if (want->status != WEIR_OK)
        return;
    if (got->event_digest != want->event_digest || got->state_digest != want->state_digest ||
        got->records_digest != want->records_digest || got->pending_digest != want->pending_digest)
        fail_msg("%s, %u threads: events %llu, want %llu; one of the digests differs", what, threads,
                 (unsigned long long)got->events, (unsigned long long)want->events);
    assert_int_equal(got->events, want->events);
    assert_int_equal(got->records, want->records);
    assert_int_equal(got->pending, want->pending);
    assert_int_equal(got->hooks, want->hooks);
    assert_int_equal(got->now_ps, want->now_ps);
}

/* Letters later than this are a fault of the model, wherever they arrive. */
static const weir_time fault_from_ps = 300 * (weir_time)TOY_GRID_PS;

static inline void late_letter(weir_ctx *ctx, void *state, const weir_event *e)
{
    if (e->time_ps >= fault_from_ps)
        weir_fault(ctx, 1);
    else
        toy_letter_arrives(ctx, state, e);
}

#endif
