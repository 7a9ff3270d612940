#include "network/files/link_trace.h"

#include <stdlib.h>

#include "base/file/slice.h"
#include "base/memory.h"
#include "weir/units.h"

enum { LEAST_BPS = 8000, FIELDS = 3 };
#define LAST_MAX_PS (WEIR_PS_PER_S * 1000000)

/* Times from 0 on that rise. */
static void check_time(wi_source *s, const wi_link_trace *t, wi_slice field, weir_time at_ps)
{
    char text[2][WEIR_UNITS_TEXT];
    const weir_time last_ps = t->plan.n ? t->plan.points[t->plan.n - 1].at_ps : 0;
    if (t->plan.n == 0 && at_ps != 0)
        wi_fail_slice(s, field, "the trace begins at %s; want 0s", weir_format_time(at_ps, text[0]));
    else if (t->plan.n > 0 && at_ps <= last_ps)
        wi_fail_slice(s, field, "time %s does not come after %s", weir_format_time(at_ps, text[0]),
                      weir_format_time(last_ps, text[1]));
    else if (at_ps > LAST_MAX_PS)
        wi_fail_slice(s, field, "a trace ends after a million seconds at the latest");
}

/* A line of n fields, all of which have as many. */
static void read_rates(wi_source *s, wi_link_trace *t, const wi_slice *field, size_t n)
{
    char shown[WI_SHOWN];
    if (n < 2 || n > FIELDS)
        wi_fail(s, "want TIME RATE, or TIME RATE DELAY%s", n < 2 ? "" : ", and no more");
    else if (t->plan.n > 0 && (n == FIELDS) != (t->plan.points[0].more_ps > 0))
        wi_fail(s, "either all lines have a delay or none");
    if (s->status != WEIR_OK)
        return;
    const net_trace_point p = {.at_ps = wi_time_field(s, field[0], "", ""),
                               .rate_bps = wi_rate_field(s, field[1], "", ""),
                               .more_ps = n == FIELDS ? wi_time_field(s, field[2], "delay ", "") : 0};
    if (n == FIELDS && (p.more_ps <= 0 || p.more_ps > WEIR_PS_PER_S * 1000))
        wi_fail_slice(s, field[2], "want a delay above 0s, of at most 1000s, not %s",
                      wi_shown(field[2], shown));
    check_time(s, t, field[0], p.at_ps);
    if (s->status == WEIR_OK && !wi_grow_one(&t->plan.points, t->plan.n, sizeof p))
        wi_no_memory(s, "a trace");
    if (s->status == WEIR_OK)
        t->plan.points[t->plan.n++] = p;
}

static void read_opportunity(wi_source *s, wi_link_trace *t, const wi_slice *field, size_t n)
{
    char shown[WI_SHOWN];
    double ms = 0.0;
    if (n != 1 || field[0].length > 12 || !wi_slice_digits(field[0]) || !wi_slice_number(field[0], &ms))
        wi_fail(s, "want a whole number of milliseconds");
    const weir_time at_ps = ms <= 1e9 ? (weir_time)ms * WEIR_PS_PER_MS : LAST_MAX_PS;
    if (ms > 1e9)
        wi_fail(s, "a trace ends after a million seconds at the latest");
    else if (t->plan.n > 0 && at_ps < t->plan.opportunities[t->plan.n - 1])
        wi_fail(s, "time goes back: the line before is later than %s", wi_shown(field[0], shown));
    else if (s->status == WEIR_OK && !wi_grow_one(&t->plan.opportunities, t->plan.n, sizeof at_ps))
        wi_no_memory(s, "a trace");
    if (s->status == WEIR_OK)
        t->plan.opportunities[t->plan.n++] = at_ps;
}

static void read_lines(wi_source *s, wi_link_trace *t, weir_sc_trace_format format)
{
    wi_slice field[FIELDS];
    for (size_t n; (n = wi_next_record(s, field, FIELDS)) > 0;) {
        /* A line of one field without a unit is Mahimahi's. */
        if (format == WEIR_SC_TRACE_AUTO)
            format = n == 1 && wi_slice_digits(field[0]) ? WEIR_SC_TRACE_MAHIMAHI : WEIR_SC_TRACE_RATES;
        if (format == WEIR_SC_TRACE_MAHIMAHI)
            read_opportunity(s, t, field, n);
        else
            read_rates(s, t, field, n);
    }
    if (t->plan.n == 0)
        wi_fail(s, "the trace is empty");
}

/* What is known once all lines are. */
static void finish_opportunities(wi_source *s, wi_link_trace *t)
{
    t->plan.period_ps = t->plan.opportunities[t->plan.n - 1];
    if (t->plan.period_ps == 0) {
        wi_fail(s, "the trace lasts for no time; want a last line above 0");
        return;
    }
    t->plan.pass_bytes = (double)NET_OPPORTUNITY * t->plan.n;
    t->rate_bps = (uint64_t)(t->plan.pass_bytes * 8e12 / (double)t->plan.period_ps + 0.5);
    if (t->rate_bps < LEAST_BPS)
        wi_fail(s, "the trace has a mean rate below 8 kbps");
}

/* The least delay, and what each point has beyond it. */
static void finish_delays(wi_link_trace *t)
{
    t->delay_ps = t->plan.points[0].more_ps;
    for (uint32_t i = 1; i < t->plan.n; i++)
        t->delay_ps = t->plan.points[i].more_ps < t->delay_ps ? t->plan.points[i].more_ps : t->delay_ps;
    for (uint32_t i = 0; i < t->plan.n; i++)
        t->plan.points[i].more_ps -= t->delay_ps;
}

/* What rates make of a pass. */
static uint64_t work_of(const wi_link_trace *t)
{
    uint64_t sum = 0, part;
    for (uint32_t i = 1; i < t->plan.n; i++) {
        const uint64_t span_ps = (uint64_t)(t->plan.points[i].at_ps - t->plan.points[i - 1].at_ps);
        if (__builtin_mul_overflow(t->plan.points[i - 1].rate_bps, span_ps, &part) ||
            __builtin_add_overflow(sum, part, &sum))
            return UINT64_MAX;
    }
    return sum;
}

static void finish_rates(wi_source *s, wi_link_trace *t, bool repeats)
{
    net_trace_point *const last = &t->plan.points[t->plan.n - 1];
    if (repeats && t->plan.n < 2) {
        wi_fail(s, "a trace that repeats wants two lines: the last one says when");
        return;
    }
    for (uint32_t i = 1; i < t->plan.n; i++)
        t->plan.points[i].bytes =
            t->plan.points[i - 1].bytes + (double)(t->plan.points[i].at_ps - t->plan.points[i - 1].at_ps) *
                                              ((double)t->plan.points[i - 1].rate_bps / 8e12);
    finish_delays(t);
    t->plan.pass_bytes = last->bytes;
    t->plan.pass_work = work_of(t);
    t->plan.period_ps = repeats ? last->at_ps : 0;
    t->rate_bps =
        repeats ? (uint64_t)(t->plan.pass_bytes * 8e12 / (double)t->plan.period_ps + 0.5) : last->rate_bps;
    if (t->rate_bps < LEAST_BPS)
        wi_fail(s, repeats ? "the trace has a mean rate below 8 kbps"
                           : "a trace that holds ends with a rate below 8 kbps, and the line with it");
}

weir_status wi_link_trace_read(wi_source source, weir_sc_trace_format format, bool repeats,
                               wi_link_trace **out)
{
    wi_link_trace *const t = *out = calloc(1, sizeof *t);
    if (!t)
        wi_no_memory(&source, "a trace");
    wi_source_text(&source);
    if (source.status == WEIR_OK)
        read_lines(&source, t, format);
    if (source.status == WEIR_OK && t->plan.opportunities && !repeats)
        wi_fail(&source, "end: hold is for traces of rates; delivery opportunities repeat");
    if (source.status == WEIR_OK && t->plan.opportunities)
        finish_opportunities(&source, t);
    else if (source.status == WEIR_OK)
        finish_rates(&source, t, repeats);
    const weir_status status = wi_source_close(&source);
    if (status != WEIR_OK) {
        wi_link_trace_free(t);
        *out = NULL;
    }
    return status;
}

void wi_link_trace_free(wi_link_trace *trace)
{
    if (!trace)
        return;
    free(trace->plan.points);
    free(trace->plan.opportunities);
    free(trace);
}
