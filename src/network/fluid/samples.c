/* Samples of the fluid: taken by whoever advances it, read when the packets come to the same time. */
#include <stdlib.h>

#include "fluid/keep.h"
#include "base/memory.h"
#include "network/fluid/fluid.h"

/* The first of a series of times after a step, as the last step that ends no later. */
static int64_t next_multiple(weir_time interval_ps, weir_time step_ps, int64_t after)
{
    const weir_time from_ps = (after + 1) * step_ps;
    const weir_time due_ps = (from_ps + interval_ps - 1) / interval_ps * interval_ps;
    return due_ps / step_ps;
}

/* Means of flows are over so many samples of a run, or some more, at times that do not depend on what is written when. Where
 * that leaves whole blocks of steps between them they divide none. */
enum { MEAN_SAMPLES = 100, BLOCK_STEPS = 16 };

static weir_time mean_interval_ps(const wi_fluid_net *f)
{
    const weir_time interval_ps = f->network->scenario->duration_ps / MEAN_SAMPLES,
                    block_ps = BLOCK_STEPS * f->options.step_ps;
    if (interval_ps >= block_ps)
        return interval_ps / block_ps * block_ps;
    return interval_ps > f->options.step_ps ? interval_ps : f->options.step_ps;
}

int64_t wi_fluid_net_next_sample(void *user, int64_t after)
{
    const wi_fluid_net *f = user;
    const weir_scenario *s = f->network->scenario;
    const weir_time step_ps = f->options.step_ps;
    const weir_time interval_ps = s->output.interval_ps > 0 ? s->output.interval_ps : s->duration_ps;
    const int64_t fixed[] = {s->output.warmup_ps / step_ps, s->duration_ps / step_ps};
    const int64_t written = next_multiple(interval_ps, step_ps, after);
    /* UDP has no windows nor round trips that means are of. */
    const int64_t meant = f->is_udp ? INT64_MAX : next_multiple(mean_interval_ps(f), step_ps, after);
    int64_t next = written < meant ? written : meant;
    for (int i = 0; i < 2; i++)
        if (fixed[i] > after && fixed[i] < next)
            next = fixed[i];
    return next;
}

static void sample_free(wi_fluid_sample *s)
{
    if (!s)
        return;
    free(s->flows);
    free(s->ports);
    free(s);
}

/* A spare one, if there is any: many thousand flows are pages that take longer to come by than to fill. */
wi_fluid_sample *wi_fluid_sample_new(wi_fluid_net *f)
{
    pthread_mutex_lock(&f->lock);
    wi_fluid_sample *s = f->spare;
    f->spare = s ? s->next : NULL;
    pthread_mutex_unlock(&f->lock);
    if (s) {
        s->next = NULL;
        return s;
    }
    s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->flows = malloc(((size_t)f->network->fluid_flows.n + 1) * sizeof *s->flows);
    s->ports = malloc(((size_t)f->n_ports + 1) * sizeof *s->ports);
    if (s->flows && s->ports)
        return s;
    sample_free(s);
    return NULL;
}

static bool flow_is_active(const weir_fluid_flow *flow, weir_time at_ps)
{
    return at_ps > flow->start_ps && at_ps <= flow->stop_ps;
}

/* A demand's ways together: bytes of all, window and round trip in the mean over sessions, of those ways that
 * they take at the time, if they take any. state: of all ways. */
static weir_fluid_flow_state join_ways(const wi_fluid_net *f, weir_time at_ps, uint32_t demand,
                                       const weir_fluid_flow_state *state)
{
    const uint32_t first = f->first_way[demand], end = f->first_way[demand + 1];
    weir_fluid_flow_state out = {.end_s = -1.0};
    double sessions = 0.0;
    if (end == first + 1)
        return state[first];
    for (uint32_t i = first; i < end; i++)
        sessions += flow_is_active(&f->plan.flows[i], at_ps) ? f->plan.flows[i].sessions : 0.0;
    for (uint32_t i = first; i < end; i++) {
        const bool active = flow_is_active(&f->plan.flows[i], at_ps);
        const double share = active ? f->plan.flows[i].sessions / sessions : 0.0;
        out.window += share * state[i].window;
        out.rtt_s += share * state[i].rtt_s;
        out.sessions += state[i].sessions;
        out.sent_bytes += state[i].sent_bytes;
        out.acked_bytes += state[i].acked_bytes;
        out.lost_bytes += state[i].lost_bytes;
    }
    return out;
}

static weir_status read_demands(weir_diag *diag, const wi_fluid_net *f, weir_fluid *fluid,
                                weir_fluid_flow_state *out)
{
    const uint32_t demands = f->network->fluid_flows.n, ways = f->plan.n_flows;
    if (ways == demands && f->network->net->n_steps == 0) /* else one may have two, and another none */
        return wi_fluid_read_flows(diag, fluid, 0, ways, out);
    WI_FREED weir_fluid_flow_state *const state = malloc(((size_t)ways + 1) * sizeof *state);
    if (!state)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a sample of %u fluid flows", ways);
    const weir_status status = wi_fluid_read_flows(diag, fluid, 0, ways, state);
    const weir_time at_ps = weir_fluid_step(fluid) * f->options.step_ps;
    for (uint32_t i = 0; i < demands; i++)
        out[i] = join_ways(f, at_ps, i, state);
    return status;
}

weir_status wi_fluid_net_sample(void *user, weir_diag *diag, weir_fluid *fluid)
{
    wi_fluid_net *f = user;
    wi_fluid_sample *s = wi_fluid_sample_new(f);
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a sample of %u fluid flows",
                         f->network->fluid_flows.n);
    s->step = weir_fluid_step(fluid);
    weir_status status =
        read_demands(diag, f, fluid, s->flows) ?: wi_fluid_read_ports(diag, fluid, 0, f->n_ports, s->ports);
    pthread_mutex_lock(&f->lock);
    if (f->last)
        f->last->next = s;
    else
        f->first = s;
    f->last = s;
    pthread_mutex_unlock(&f->lock);
    return status;
}

/* The next sample up to a step, no longer in the list; null: there is none. */
static wi_fluid_sample *pop(wi_fluid_net *f, int64_t step)
{
    pthread_mutex_lock(&f->lock);
    wi_fluid_sample *s = f->first && f->first->step <= step ? f->first : NULL;
    if (s)
        f->first = s->next;
    if (!f->first)
        f->last = NULL;
    pthread_mutex_unlock(&f->lock);
    if (s)
        s->next = NULL;
    return s;
}

static bool is_active(const wi_fluid_net *f, uint32_t i, weir_time at_ps)
{
    bool active = false;
    for (uint32_t k = f->first_way[i]; k < f->first_way[i + 1]; k++)
        active |= flow_is_active(&f->plan.flows[k], at_ps);
    return active;
}

static void add_to_means(wi_fluid_net *f, const wi_fluid_sample *s)
{
    const weir_time at_ps = s->step * f->options.step_ps;
    if (s->step <= f->network->scenario->output.warmup_ps / f->options.step_ps || f->is_udp ||
        next_multiple(mean_interval_ps(f), f->options.step_ps, s->step - 1) != s->step)
        return;
    for (uint32_t i = 0; i < f->network->fluid_flows.n; i++) {
        wi_fluid_flow_means *m = &f->flow_means[i];
        if (!is_active(f, i, at_ps))
            continue;
        m->sessions_sum += s->flows[i].sessions;
        m->window_sum += s->flows[i].window;
        m->rtt_sum += s->flows[i].rtt_s;
        m->rtt_min = m->n == 0 || s->flows[i].rtt_s < m->rtt_min ? s->flows[i].rtt_s : m->rtt_min;
        m->rtt_max = s->flows[i].rtt_s > m->rtt_max ? s->flows[i].rtt_s : m->rtt_max;
        m->n++;
    }
}

static void spare(wi_fluid_net *f, wi_fluid_sample *s)
{
    pthread_mutex_lock(&f->lock);
    if (s)
        s->next = f->spare;
    f->spare = s ? s : f->spare;
    pthread_mutex_unlock(&f->lock);
}

void wi_fluid_net_take(wi_fluid_net *f, weir_time now_ps)
{
    for (;;) {
        wi_fluid_sample *s = pop(f, now_ps / f->options.step_ps);
        if (!s)
            return;
        add_to_means(f, s);
        if (f->now != f->warm)
            spare(f, f->now);
        f->now = s;
    }
}

void wi_fluid_net_keep_warm(wi_fluid_net *f)
{
    f->warm = f->now;
}

static void free_list(wi_fluid_sample *s)
{
    for (wi_fluid_sample *next; s; s = next) {
        next = s->next;
        sample_free(s);
    }
}

void wi_fluid_net_drop_samples(wi_fluid_net *f)
{
    free_list(f->first);
    free_list(f->spare);
    if (f->now != f->warm)
        sample_free(f->now);
    sample_free(f->warm);
    f->first = f->last = f->now = f->warm = f->spare = NULL;
}
