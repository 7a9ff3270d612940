/* Latin hypercubes; see latin.h. */
#include "study/plan/params.h"

#include <stdlib.h>

#include "base/memory.h"
#include "weir/random.h"

/* Apart from the numbers that runs draw. */
static const uint64_t of_design = UINT64_C(0x6c6174696e);
enum { PARTS, ORDERS };

wi_strata wi_latin_strata(const weir_study *s, uint32_t param)
{
    return (wi_strata){.n = s->scenario->study.latin_hypercube,
                       .draws = weir_stream_make(s->scenario->seed ^ of_design, param, PARTS)};
}

/* Parts in random order, by Fisher and Yates; and within a part, one of the values that fall into it. */
static void draw_group(weir_stream *draws, uint32_t *out, uint32_t n, uint32_t stride, uint32_t size)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = (uint32_t)weir_draw_below(draws, i + 1);
        if (k < i)
            out[(size_t)i * stride] = out[(size_t)k * stride];
        out[(size_t)k * stride] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t part = out[(size_t)i * stride];
        out[(size_t)i * stride] = (uint32_t)((part * size + weir_draw_below(draws, size)) / n);
    }
}

uint32_t *wi_latin_draw(const weir_study *s, const uint32_t *size)
{
    const uint32_t n = s->scenario->study.latin_hypercube;
    uint32_t *drawn = malloc(((size_t)n * s->n_groups + 1) * sizeof *drawn);
    for (uint32_t g = 0; drawn && g < s->n_groups; g++) {
        weir_stream draws = weir_stream_make(s->scenario->seed ^ of_design, g, ORDERS);
        draw_group(&draws, drawn + g, n, s->n_groups, size[g]);
    }
    return drawn;
}

weir_status wi_latin_once(weir_study *s)
{
    WI_FREED wi_keyed *order = wi_points_by_key(s);
    WI_FREED uint8_t *again = calloc((size_t)s->n_points + 1, 1);
    uint32_t kept = 0;
    if (!order || !again)
        return wi_study_no_memory(s->diag);
    for (uint32_t i = 1; i < s->n_points; i++)
        again[order[i].point] = order[i].key == order[i - 1].key;
    for (uint32_t i = 0; i < s->n_points; i++)
        if (!again[i])
            s->points[kept++] = s->points[i];
    if (kept < s->n_points)
        weir_warn_at(s->diag, s->file, s->scenario->study.place.line, s->scenario->study.place.column,
                     "latin-hypercube: %u of %u parameter sets were drawn before, and are run once: the "
                     "lists are short for so many",
                     s->n_points - kept, s->n_points);
    s->n_points = kept;
    return WEIR_OK;
}
