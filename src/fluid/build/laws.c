/* The list of laws of windows as a table, and what a class has of its own. */
#include <string.h>

#include "fluid/state/internal.h"

#define WI_FLUID_BUILD
typedef double fluid_real; /* of the laws' arithmetic nothing is used here */

/* Of laws that hold wherever fluid does. */
static const char *unbounded(const weir_fluid_class *from, const weir_fluid_narrow *at)
{
    (void)from, (void)at;
    return NULL;
}
#include "fluid/law/laws.h"

typedef struct law {
    const char *name;
    uint32_t words;
    const char *(*bounds)(const weir_fluid_class *from, const weir_fluid_narrow *at);
    void (*build)(const weir_fluid_class *from, double step_s, fluid_class *c);
} law;

#define X(number, name) \
    [FLUID_LAW_##number] = {#name, fluid_##name##_words, fluid_##name##_bounds, fluid_##name##_build},
static const law laws[] = {FLUID_LAWS(X)};
#undef X

/* FLUID_N_LAWS: none. */
static uint32_t find(const char *congestion)
{
    uint32_t i = 0;
    while (congestion && i < FLUID_N_LAWS && strcmp(laws[i].name, congestion) != 0)
        i++;
    return i;
}

bool weir_fluid_has_law(const char *congestion)
{
    return find(congestion) < FLUID_N_LAWS;
}

const char *weir_fluid_law_bounds(const weir_fluid_class *c, const weir_fluid_narrow *at)
{
    const uint32_t number = find(c->congestion);
    return number < FLUID_N_LAWS ? laws[number].bounds(c, at) : NULL;
}

uint32_t wi_fluid_law_build(const weir_fluid_class *from, double step_s, fluid_class *c)
{
    c->law = find(from->congestion);
    laws[c->law].build(from, step_s, c);
    return c->words = laws[c->law].words;
}
