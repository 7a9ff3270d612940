/* A session from stop point to stop point: chunks of simulated time, samples, the end of the warm-up, checkpoints. */
#include "base/clock.h"
#include "ranks/ranks.h"
#include "scenario/session/session.h"
#include "scenario/session/status.h"
#include "weir/ranks.h"

/* Stop points, so that progress and signals are seen in time; they change no result. At first, and at most, so many a
 * run, so that it reports progress soon even if it takes weeks; but at each all threads of an engine wait for the last, and
 * a device for the host, so they are further and further apart where the wall's clock allows. */
enum { CHUNKS = 1000000 };
static const double chunk_short_s = 0.01, chunk_long_s = 0.04;

void wi_session_tell(const weir_session *s, const char *phase)
{
    if (!s->options.progress)
        return;
    const weir_progress progress = {.now_ps = s->sim ? weir_sim_now(s->sim) : 0,
                                    .end_ps = s->scenario->duration_ps,
                                    .events = s->sim ? weir_sim_events(s->sim) : 0,
                                    .wall_s = s->sim ? wi_clock_s() - s->began_s : 0.0,
                                    .phase = phase};
    s->options.progress(s->options.user, &progress);
}

weir_time wi_session_least_chunk_ps(const weir_session *s)
{
    const weir_time chunk_ps = s->scenario->duration_ps / CHUNKS;
    return chunk_ps > 0 ? chunk_ps : 1;
}

weir_time wi_session_interval_ps(const weir_session *s)
{
    return s->scenario->output.interval_ps > 0 ? s->scenario->output.interval_ps : s->scenario->duration_ps;
}

/* The first time behind this one at which to look whether all is done: instants that are the same for every engine, each later
 * than the one before by a 64th of it. None ends the warm-up. */
static weir_time next_done_ps(const weir_session *s, weir_time behind_ps)
{
    enum { FIRST = 1 << 20, PART = 64 };
    const weir_time warm_ps = s->scenario->output.warmup_ps;
    weir_time at_ps = s->scenario->duration_ps / FIRST + 1;
    if (!s->scenario->until_done || !s->subject->done || wi_session_is_observed(s))
        return WEIR_TIME_MAX;
    while (at_ps <= behind_ps || at_ps <= warm_ps)
        at_ps += at_ps / PART + 1;
    return at_ps;
}

/* Rank 0 has the records that tell. */
static wi_doneness ask_whether_done(weir_session *s, bool state)
{
    const wi_ranks *const ranks = wi_ranks_of_run();
    wi_doneness done = s->subject->done(s->made, &s->run, state);
    if (ranks)
        ranks->broadcast(&done, sizeof done, 0);
    return done;
}

static weir_status look_whether_done(weir_session *s)
{
    const weir_sim_want want = {.counters = true};
    weir_status status = weir_ranks_agree(s->diag, weir_sim_fetch_some(s->diag, s->sim, &want));
    wi_doneness done = status == WEIR_OK ? ask_whether_done(s, false) : WI_NOT_DONE;
    if (done == WI_DONE_BY_STATE) {
        status = weir_ranks_agree(s->diag, weir_sim_fetch(s->diag, s->sim));
        done = status == WEIR_OK ? ask_whether_done(s, true) : WI_NOT_DONE;
    }
    s->done = done == WI_DONE;
    return status;
}

/* The next simulated time at which something other than events is due. */
static weir_time next_stop(const weir_session *s, weir_time until_ps)
{
    const weir_time now = weir_sim_now(s->sim), warmup_ps = s->scenario->output.warmup_ps;
    weir_time next = s->chunk_ps < until_ps - now ? now + s->chunk_ps : until_ps;
    if (s->sample_ps < next)
        next = s->sample_ps;
    if (warmup_ps > now && warmup_ps < next)
        next = warmup_ps;
    if (s->options.checkpoint_at_ps > now && s->options.checkpoint_at_ps < next)
        next = s->options.checkpoint_at_ps;
    const weir_time done_ps = next_done_ps(s, now);
    return done_ps < next ? done_ps : next;
}

/* For tests of the optimistic engine: chunks at random, others on each rank, as a busy machine makes them. */
static void random_chunk(weir_session *s)
{
    uint64_t x = (s->scenario->engine.stress + weir_rank()) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (uint64_t)weir_sim_now(s->sim)) * UINT64_C(0xd6e8feb86659fd93);
    s->chunk_ps = 1 + (weir_time)((x >> 32) % (uint64_t)s->scenario->duration_ps) / 4;
}

/* Ranks that may save after each chunk must come to the same ones, and those whose time hooks meet: all, but in tests of
 * stress. */
static void agree_on_chunk(weir_session *s)
{
    const wi_ranks *const ranks = s->saves || !s->scenario->engine.stress ? wi_ranks_of_run() : NULL;
    if (ranks)
        s->chunk_ps = ranks->least(s->chunk_ps);
}

/* The next chunk, when this one took so long. */
static void adapt_chunk(weir_session *s, double took_s)
{
    if (s->scenario->engine.stress)
        random_chunk(s);
    else if (took_s < chunk_short_s && s->chunk_ps < s->scenario->duration_ps / 2)
        s->chunk_ps *= 2;
    else if (took_s > chunk_long_s && s->chunk_ps / 2 >= wi_session_least_chunk_ps(s))
        s->chunk_ps /= 2;
}

static void shorten_chunk(weir_session *s)
{
    enum { SHORTER = 64 };
    const weir_time chunk_ps = s->chunk_ps / SHORTER, least_ps = wi_session_least_chunk_ps(s);
    s->chunk_ps = chunk_ps > least_ps ? chunk_ps : least_ps;
}

/* What the results need of this stop point. Only rank 0 writes, and what fails there fails everywhere. */
static weir_status look(weir_session *s, weir_time at_ps, bool sample)
{
    const bool warm = at_ps == s->scenario->output.warmup_ps;
    const bool some = s->subject->reads != WI_READS_ALL && !(warm && s->run.warm_reads_all);
    weir_sim_want want = s->run.want;
    want.counters |= s->subject->reads == WI_READS_COUNTERS;
    if (some && sample && weir_ranks() > 1)
        wi_status_want(s, &want);
    weir_status status = some ? weir_sim_fetch_some(s->diag, s->sim, &want) : weir_sim_fetch(s->diag, s->sim);
    if (status == WEIR_OK && warm) {
        s->run.warm_ps = at_ps;
        status = s->subject->sample(s->made, &s->run, WI_AT_WARM);
    }
    if (status == WEIR_OK && sample) {
        status = s->subject->sample(s->made, &s->run, WI_AT_SAMPLE);
        s->run.last_ps = at_ps;
    }
    return weir_ranks_agree(s->diag, status);
}

static weir_status look_if_due(weir_session *s, weir_time at_ps, bool sample)
{
    weir_status status = WEIR_OK;
    if (!wi_session_is_observed(s) && (sample || at_ps == s->scenario->output.warmup_ps))
        status = look(s, at_ps, sample);
    if (status == WEIR_OK && sample)
        s->sample_ps = wi_session_interval_ps(s) < WEIR_TIME_MAX - s->sample_ps
                           ? s->sample_ps + wi_session_interval_ps(s)
                           : WEIR_TIME_MAX;
    return status;
}

weir_time wi_session_stop_ps(const weir_session *s)
{
    const weir_time now = weir_sim_now(s->sim), warmup_ps = s->scenario->output.warmup_ps;
    weir_time next = s->scenario->duration_ps;
    const weir_time done_ps = next_done_ps(s, now);
    next = s->sample_ps < next ? s->sample_ps : next;
    next = done_ps < next ? done_ps : next;
    return warmup_ps > now && warmup_ps < next ? warmup_ps : next;
}

weir_status wi_session_look(weir_session *s)
{
    const weir_time now = weir_sim_now(s->sim);
    weir_status status = look_if_due(s, now, now == s->sample_ps);
    if (status == WEIR_OK && next_done_ps(s, now - 1) == now)
        status = look_whether_done(s);
    if (status != WEIR_OK)
        s->broken = status;
    return status;
}

static weir_status advance_to_stop(weir_session *s, weir_time until_ps)
{
    const weir_time stop_ps = next_stop(s, until_ps);
    const bool sample = stop_ps == s->sample_ps, asks = next_done_ps(s, stop_ps - 1) == stop_ps;
    const double from_s = wi_clock_s();
    weir_status status = weir_sim_run(s->diag, s->sim, stop_ps, s->options.stop);
    const double took_s = wi_clock_s() - from_s;
    adapt_chunk(s, took_s);
    agree_on_chunk(s);
    status = status ?: look_if_due(s, stop_ps, sample);
    if (status == WEIR_OK && asks)
        status = look_whether_done(s);
    s->between = status == WEIR_E_INTERRUPTED;
    s->wall_s += wi_clock_s() - from_s;
    wi_session_tell(s, "simulate");
    if (status == WEIR_OK)
        wi_status_tell(s);
    s->fetched = false;
    if (status == WEIR_OK && wi_moves_look(s))
        shorten_chunk(s);
    return status;
}

/* Come to a stop point behind the present instant, whatever asks to stop. */
static weir_status settle(weir_session *s)
{
    const volatile int *const stop = s->options.stop;
    s->options.stop = NULL;
    const weir_time to_ps =
        weir_sim_now(s->sim) + (s->between && weir_sim_now(s->sim) < s->scenario->duration_ps);
    weir_status status = WEIR_OK;
    while (status == WEIR_OK && weir_sim_now(s->sim) < to_ps)
        status = advance_to_stop(s, to_ps);
    s->between &= status != WEIR_OK;
    s->options.stop = stop;
    return status;
}

weir_status weir_session_save(weir_session *s, const char *path)
{
    const weir_status status =
        s->finished || s->broken != WEIR_OK ? WEIR_OK : settle(s); /* writing says so */
    return status ?: wi_checkpoint_write(s, path);
}

weir_status weir_session_move(weir_session *s, const char *engine, uint32_t threads)
{
    if (!engine || s->finished || s->broken != WEIR_OK || s->lent || weir_ranks() > 1 ||
        wi_session_is_observed(s))
        return weir_fail(s->diag, WEIR_E_ARG,
                         "a session that has finished, runs over ranks or is observed keeps its engine");
    return settle(s) ?: wi_moves_go(s, engine, threads);
}

static weir_status checkpoint(weir_session *s)
{
    const bool stops = s->between;
    wi_session_tell(s, "checkpoint");
    const weir_status status = weir_session_save(s, s->checkpoint);
    s->left = stops && status == WEIR_OK;
    return status;
}

weir_time weir_session_end(const weir_session *s)
{
    return s->done ? weir_sim_now(s->sim) : s->scenario->duration_ps;
}

weir_status weir_session_advance(weir_session *s, weir_time until_ps)
{
    const weir_time end_ps = weir_session_end(s);
    const weir_time to_ps = until_ps < end_ps ? until_ps : end_ps;
    weir_status status = s->broken;
    if (status != WEIR_OK)
        return weir_fail(s->diag, status, "the session broke off at %.12f s: it can only be closed",
                         weir_seconds(weir_sim_now(s->sim)));
    if (s->finished && weir_sim_now(s->sim) < to_ps)
        return weir_fail(s->diag, WEIR_E_ARG, "a session that has finished does not advance");
    while (status == WEIR_OK && weir_sim_now(s->sim) < to_ps && !s->done) {
        status = advance_to_stop(s, to_ps);
        if (wi_checkpoint_is_due(s) && (status == WEIR_OK || status == WEIR_E_INTERRUPTED)) {
            const weir_status saved = checkpoint(s);
            status = saved == WEIR_OK ? status : saved;
        }
    }
    if (status != WEIR_OK && status != WEIR_E_INTERRUPTED)
        s->broken = status;
    return status;
}
