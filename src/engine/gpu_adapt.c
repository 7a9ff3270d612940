/* Choice of the LP size by measurement; see gpu_adapt.h. */
#include "engine/gpu_adapt.h"

#include <string.h>

static const uint64_t STRETCH_EVENTS = 1000000; /* a measured stretch: so many events, */
static const double STRETCH_S = 0.02;           /* or so long */
static const uint64_t AGAIN_EVENTS = UINT64_C(20000000000);
static const double BEHIND = 0.8; /* of the best rate */
static const double DRIFT = 0.3;  /* of the rate at the choice */
enum { SHIFT_MAX = 10, LPS_MIN = 64, BEHIND_MAX = 2, DRIFTING_MAX = 5 };

void wi_gpu_adapt_init(wi_gpu_adapt *a, uint32_t n_entities, uint32_t lp_size)
{
    memset(a, 0, sizeof *a);
    a->fixed = lp_size > 0;
    while ((1u << a->shift) < lp_size)
        a->shift++;
    while (a->shift_max < SHIFT_MAX && n_entities >> (a->shift_max + 1) >= LPS_MIN)
        a->shift_max++;
    a->trying = !a->fixed && a->shift_max > 0;
}

static int change_to(wi_gpu_adapt *a, uint32_t shift)
{
    const int changed = shift != a->shift;
    a->shift = shift;
    return changed;
}

static int try_again(wi_gpu_adapt *a)
{
    a->trying = 1;
    a->best_rate = 0.0;
    a->behind = 0;
    return change_to(a, 0);
}

/* A stretch of the trial has ended. */
static int tried(wi_gpu_adapt *a, double rate)
{
    if (rate > a->best_rate) {
        a->best_rate = rate;
        a->best_shift = a->shift;
    }
    a->behind = rate < BEHIND * a->best_rate ? a->behind + 1 : 0;
    if (a->behind < BEHIND_MAX && a->shift < a->shift_max)
        return change_to(a, a->shift + 1);
    a->trying = 0;
    a->chosen_events = 0;
    a->drifting = 0;
    return change_to(a, a->best_shift);
}

int wi_gpu_adapt_measured(wi_gpu_adapt *a, uint64_t events, double wall_s)
{
    if (a->fixed || a->shift_max == 0)
        return 0;
    a->events += events;
    a->wall_s += wall_s;
    if (a->events < STRETCH_EVENTS && a->wall_s < STRETCH_S)
        return 0;
    const double rate = (double)a->events / (a->wall_s > 0.0 ? a->wall_s : 1e-9);
    const uint64_t stretch = a->events;
    a->events = 0;
    a->wall_s = 0.0;
    if (a->trying)
        return tried(a, rate);
    a->chosen_events += stretch;
    const double change = rate / a->best_rate - 1.0;
    a->drifting = change > DRIFT || change < -DRIFT ? a->drifting + 1 : 0;
    return a->chosen_events >= AGAIN_EVENTS || a->drifting >= DRIFTING_MAX ? try_again(a) : 0;
}
