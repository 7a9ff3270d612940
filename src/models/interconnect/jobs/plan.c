/* Reading plans; see the header. */
#include "models/interconnect/jobs/plan.h"

#include <math.h>

#include "base/file/slice.h"
#include "base/memory.h"

enum { FIELDS = 4, LINES_MAX = 1 << 28 };

/* A whole number within bounds; else an error that says `what`, and 0. */
static uint64_t whole(wi_source *s, wi_slice field, double low, double high, const char *what)
{
    double value = 0.0;
    if (wi_slice_digits(field) && wi_slice_number(field, &value) && value >= low && value <= high)
        return (uint64_t)value;
    wi_fail_slice(s, field, "%s; want time in seconds, source, target, bytes", what);
    return 0;
}

static void read_message(wi_source *s, wi_ic_plan *plan, const wi_slice *field)
{
    double time_s = 0.0;
    if (!wi_slice_number(field[0], &time_s))
        wi_fail_slice(s, field[0], "there is no time; want time in seconds, source, target, bytes");
    else if (!(time_s >= 0.0 && time_s <= 1e6))
        wi_fail_slice(s, field[0], "the time is not between 0 and 1,000,000 s");
    const uint32_t source = (uint32_t)whole(s, field[1], 0, INT32_MAX, "the source is no rank"),
                   target = (uint32_t)whole(s, field[2], 0, INT32_MAX, "the target is no rank"),
                   last = source > target ? source : target;
    const uint64_t bytes = whole(s, field[3], 1, 1 << 30, "the size is not between 1 and 1073741824");
    if (source == target)
        wi_fail_slice(s, field[2], "a rank sends to itself");
    if (plan->n >= LINES_MAX || !wi_grow_one(&plan->entry, plan->n, sizeof *plan->entry))
        wi_no_memory(s, "messages");
    if (s->status != WEIR_OK)
        return;
    plan->entry[plan->n++] = (ic_plan_entry){.time_ps = (weir_time)floor(time_s * 1e12 + 0.5),
                                             .source = source,
                                             .target = target,
                                             .bytes = bytes,
                                             .line = (uint32_t)s->line};
    plan->ranks = last + 1 > plan->ranks ? last + 1 : plan->ranks;
}

weir_status wi_ic_plan_read(wi_source source, wi_ic_plan *out)
{
    wi_slice field[FIELDS];
    *out = (wi_ic_plan){0};
    wi_source_text(&source);
    for (size_t n; (n = wi_next_record(&source, field, FIELDS)) > 0;)
        if (n == FIELDS)
            read_message(&source, out, field);
        else
            wi_fail(&source, "%zu fields; want time in seconds, source, target, bytes", n);
    if (source.status == WEIR_OK && out->n == 0)
        wi_fail(&source, "there is no message in this file");
    return wi_source_close(&source);
}

void wi_ic_plan_free(wi_ic_plan *plan)
{
    free(plan->entry);
    *plan = (wi_ic_plan){0};
}
