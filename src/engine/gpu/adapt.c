/* Choice of the LP size by measurement; see gpu/adapt.h. */
#include <stdbool.h>

#include "engine/gpu/adapt.h"

#include <string.h>

/* Times are of the machine's clock. */
static const double LAUNCH_S = 0.02, LAUNCH_CHECK_S = 0.004;
static const double SETTLE_S = 0.015;  /* not measured, after a change of size */
static const double STRETCH_S = 0.022; /* measured */
static const double LATER = 2.0;       /* both are so much longer after the first check */
static const double QUICK_S = 0.005;   /* enough where the difference is clear: */
static const double CLEAR = 0.12;      /* more than this */
static const double STEADY = 0.04;     /* two stretches of one size differ by less, or a check waits */
static const double SURE = 0.06;       /* more than the load's trend explains: a gain, without looking back */
static const double GAIN = 0.02;       /* what is worth a change */
static const double BEHIND = 0.05;     /* no further in this direction */
static const double WAIT_COSTS = 80.0; /* wait at least so many times the cost of a check, */
static const double WAIT_MIN_S = 0.25;
static const double WAIT_MAX_S = 60.0; /* and otherwise at most so long */
static const double DRIFT = 0.3;
enum { LPS_MIN = 64, LOST_MAX = 2, DRIFTING_MAX = 5, UNSTEADY_MAX = 16 };

void wi_gpu_adapt_init(wi_gpu_adapt *a, uint32_t n_entities, uint32_t lp_size, uint64_t cycle_events)
{
    memset(a, 0, sizeof *a);
    const uint32_t least = cycle_events > 0 ? 1 : LPS_MIN;
    a->fixed = lp_size > 0;
    while ((1u << a->shift) < lp_size)
        a->shift++;
    while (a->shift_max < WI_GPU_ADAPT_SHIFT_MAX && n_entities >> (a->shift_max + 1) >= least)
        a->shift_max++;
    a->cycle_events = cycle_events;
    a->phase = WI_GPU_ADAPT_BASE;
    a->up = 1;
    a->patience = 1.0;
    a->settle_s = SETTLE_S;
}

double wi_gpu_adapt_launch_s(const wi_gpu_adapt *a)
{
    const int measures = !a->fixed && a->shift_max > 0 && a->cycle_events == 0;
    return measures && a->phase != WI_GPU_ADAPT_WATCH ? LAUNCH_CHECK_S : LAUNCH_S;
}

static void begin_stretch(wi_gpu_adapt *a)
{
    a->events = 0;
    a->wall_s = 0.0;
}

static int change_to(wi_gpu_adapt *a, uint32_t shift)
{
    const int changed = shift != a->shift;
    a->shift = shift;
    a->settle_s = changed ? a->patience * SETTLE_S : 0.0;
    return changed;
}

void wi_gpu_adapt_moved(wi_gpu_adapt *a, double wall_s)
{
    a->now_s += wall_s;
    a->check_s += wall_s;
    a->moved_s += wall_s;
    a->settle_s = a->patience * SETTLE_S;
    begin_stretch(a);
}

/* The rate that the base would have had at that time, by the line through its two measurements. */
static double base_rate_at(const wi_gpu_adapt *a, wi_gpu_adapt_rate again, double at_s)
{
    const wi_gpu_adapt_rate first = a->rate[a->base];
    const double part = (at_s - first.at_s) / (again.at_s - first.at_s);
    return first.events_per_s + part * (again.events_per_s - first.events_per_s);
}

static int at_edge(const wi_gpu_adapt *a)
{
    return a->shift == (a->up ? a->shift_max : 0);
}

/* Others are held against the present size from now on. */
static void set_base(wi_gpu_adapt *a)
{
    a->base = a->shift;
    a->lost = 0;
    a->check_events = 0;
    a->check_s = 0.0;
    a->moved_s = 0.0;
}

static int step(wi_gpu_adapt *a)
{
    a->phase = WI_GPU_ADAPT_TRY;
    return change_to(a, a->up ? a->shift + 1 : a->shift - 1);
}

static double least_wait_s(const wi_gpu_adapt *a)
{
    return WAIT_COSTS * a->cost_s > WAIT_MIN_S ? WAIT_COSTS * a->cost_s : WAIT_MIN_S;
}

/* The present size stays for now. What the check has cost: the time that its events would not have taken. */
static void finish(wi_gpu_adapt *a)
{
    const double kept = a->rate[a->shift].events_per_s;
    const double lost_s = a->check_s - (double)a->check_events / kept;
    a->cost_s = lost_s > a->moved_s ? lost_s : a->moved_s;
    const double longer_s = 2.0 * a->wait_s < WAIT_MAX_S ? 2.0 * a->wait_s : WAIT_MAX_S;
    a->wait_s = least_wait_s(a);
    if (!a->gained && longer_s > a->wait_s)
        a->wait_s = longer_s;
    a->patience = LATER;
    a->up = !a->up;
    a->waited_s = 0.0;
    a->unsteady = 0;
    a->phase = WI_GPU_ADAPT_WATCH;
}

/* The present size has been measured, so that others can be held against it. */
static int based(wi_gpu_adapt *a, wi_gpu_adapt_rate r)
{
    const wi_gpu_adapt_rate before = a->rate[a->shift];
    const double change = r.events_per_s / before.events_per_s - 1.0;
    a->trend_per_s = change > 0.0 ? change / (r.at_s - before.at_s) : 0.0;
    a->rate[a->shift] = r;
    set_base(a);
    a->unsteady = change < STEADY && change > -STEADY ? 0 : a->unsteady + 1;
    if (a->unsteady > 0 && a->unsteady < UNSTEADY_MAX)
        return 0;
    if (at_edge(a)) {
        if (a->gained) {
            finish(a);
            return 0;
        }
        a->up = !a->up;
    }
    return step(a);
}

/* Another size has been measured. */
static int tried(wi_gpu_adapt *a, wi_gpu_adapt_rate r)
{
    const double before = a->rate[a->up ? a->shift - 1 : a->shift + 1].events_per_s;
    const wi_gpu_adapt_rate base = a->rate[a->base];
    const double expected = base.events_per_s * (1.0 + a->trend_per_s * (r.at_s - base.at_s));
    a->rate[a->shift] = r;
    if (r.events_per_s > (1.0 + CLEAR) * before || r.events_per_s > (1.0 + SURE) * expected) {
        set_base(a);
        a->gained = 1;
        if (!at_edge(a))
            return step(a);
        finish(a);
        return 0;
    }
    a->lost++;
    if (a->lost < LOST_MAX && !at_edge(a) && r.events_per_s > (1.0 - BEHIND) * base.events_per_s)
        return step(a);
    a->phase = WI_GPU_ADAPT_AGAIN;
    return change_to(a, a->base);
}

/* The base has been measured again: was a size that was tried in between better? */
static int compared(wi_gpu_adapt *a, wi_gpu_adapt_rate again)
{
    const int step_by = a->up ? 1 : -1;
    uint32_t best = a->base;
    double most = 1.0 + GAIN;
    for (int i = 1; i <= a->lost; i++) {
        const uint32_t shift = (uint32_t)((int)a->base + i * step_by);
        const wi_gpu_adapt_rate r = a->rate[shift];
        const double ratio = r.events_per_s / base_rate_at(a, again, r.at_s);
        if (ratio > most) {
            most = ratio;
            best = shift;
        }
    }
    a->rate[a->base] = again;
    if (best == a->base) {
        finish(a);
        return 0;
    }
    a->gained = 1;
    a->unsteady = 0;
    a->rate[best].events_per_s = most * again.events_per_s;
    a->phase = WI_GPU_ADAPT_BASE;
    change_to(a, best);
    if (best != (uint32_t)((int)a->base + a->lost * step_by))
        finish(a); /* the next one has been tried */
    return 1;
}

/* Between checks. */
static void watched(wi_gpu_adapt *a, wi_gpu_adapt_rate r, double stretch_s)
{
    const double change = r.events_per_s / a->rate[a->shift].events_per_s - 1.0;
    a->waited_s += stretch_s;
    a->unsteady = change > DRIFT || change < -DRIFT ? a->unsteady + 1 : 0;
    if (a->unsteady >= DRIFTING_MAX) {
        const double least_s = least_wait_s(a);
        a->wait_s = a->wait_s / 4.0 > least_s ? a->wait_s / 4.0 : least_s;
        a->rate[a->shift] = r;
        a->unsteady = 0;
    }
    if (a->waited_s < a->wait_s)
        return;
    a->rate[a->shift] = r;
    a->gained = 0;
    a->unsteady = 0;
    a->phase = WI_GPU_ADAPT_BASE;
}

static int ended(wi_gpu_adapt *a, wi_gpu_adapt_rate r, double stretch_s)
{
    switch (a->phase) {
    case WI_GPU_ADAPT_BASE:
        return based(a, r);
    case WI_GPU_ADAPT_TRY:
        return tried(a, r);
    case WI_GPU_ADAPT_AGAIN:
        return compared(a, r);
    case WI_GPU_ADAPT_WATCH:
        break;
    }
    watched(a, r, stretch_s);
    return 0;
}

static int cycled(wi_gpu_adapt *a, uint64_t events)
{
    a->events += events;
    if (a->events < a->cycle_events)
        return 0;
    a->events = 0;
    return change_to(a, a->shift < a->shift_max ? a->shift + 1 : 0);
}

/* Whether a size that is being tried is so much better or worse than the one before that little time is
 * enough. A bad beginning says nothing. */
static bool is_clear(const wi_gpu_adapt *a, double rate)
{
    if (a->phase != WI_GPU_ADAPT_TRY || a->wall_s < QUICK_S)
        return false;
    const double before = a->rate[a->up ? a->shift - 1 : a->shift + 1].events_per_s;
    return rate > (1.0 + CLEAR) * before || (a->settle_s <= 0.0 && rate < (1.0 - CLEAR) * before);
}

int wi_gpu_adapt_measured(wi_gpu_adapt *a, uint64_t events, double wall_s)
{
    if (a->fixed || a->shift_max == 0)
        return 0;
    if (a->cycle_events > 0)
        return cycled(a, events);
    a->now_s += wall_s;
    a->check_events += events;
    a->check_s += wall_s;
    a->events += events;
    a->wall_s += wall_s;
    const double rate = (double)a->events / (a->wall_s > 0.0 ? a->wall_s : 1e-9);
    if (!is_clear(a, rate)) {
        if (a->settle_s > 0.0) {
            a->settle_s -= wall_s;
            if (a->settle_s <= 0.0)
                begin_stretch(a);
            return 0;
        }
        if (a->wall_s < a->patience * STRETCH_S)
            return 0;
    }
    const wi_gpu_adapt_rate r = {rate, a->now_s - a->wall_s / 2.0};
    const double stretch_s = a->wall_s;
    begin_stretch(a);
    return ended(a, r, stretch_s);
}
