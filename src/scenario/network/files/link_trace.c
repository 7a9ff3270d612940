#include "scenario/network/files/link_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "scenario/network/files/fields.h"
#include "weir/units.h"

enum { BYTES_MAX = 1 << 28, FIELD_MAX = 64, LEAST_BPS = 8000 };
#define LAST_MAX_PS (WEIR_PS_PER_S * 1000000)

typedef struct reader {
    weir_diag *diag;
    const char *name;
    int line;
    wi_link_trace *out;
    int fields; /* of the first line of rates */
} reader;

static weir_status complain(const reader *r, const char *what, const char *value)
{
    return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0, "%s%s", what, value);
}

static weir_status no_memory(const reader *r)
{
    return weir_fail(r->diag, WEIR_E_NOMEM, "%s: no memory for a trace of more than %u lines", r->name,
                     r->out->n);
}

static weir_status read_time(const reader *r, const char *what, const char *field, weir_time *out)
{
    char why[200];
    if (weir_parse_time(field, out, why, sizeof why))
        return WEIR_OK;
    return complain(r, what, why);
}

/* Times from 0 on that rise. */
static weir_status check_time(const reader *r, weir_time at_ps)
{
    char text[2][WEIR_UNITS_TEXT];
    const wi_link_trace *t = r->out;
    const weir_time last_ps = t->n ? t->points[t->n - 1].at_ps : 0;
    if (t->n == 0 && at_ps != 0)
        return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0, "the trace begins at %s; want 0s",
                            weir_format_time(at_ps, text[0]));
    if (t->n > 0 && at_ps <= last_ps)
        return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0, "time %s does not come after %s",
                            weir_format_time(at_ps, text[0]), weir_format_time(last_ps, text[1]));
    return at_ps <= LAST_MAX_PS ? WEIR_OK
                                : complain(r, "a trace ends after a million seconds at the latest", "");
}

static weir_status read_rates(reader *r, const char *at, const char *end)
{
    char field[3][FIELD_MAX], more[FIELD_MAX], why[200];
    int n = 0;
    while (n < 3 && wi_field_next(&at, end, field[n], FIELD_MAX))
        n++;
    if (n < 2 || wi_field_next(&at, end, more, FIELD_MAX))
        return complain(r, "want TIME RATE, or TIME RATE DELAY", n < 2 ? "" : ", and no more");
    if (r->out->n > 0 && n != r->fields)
        return complain(r, "either all lines have a delay or none", "");
    r->fields = n;
    net_trace_point p = {0};
    weir_status status = read_time(r, "", field[0], &p.at_ps);
    if (status == WEIR_OK && !weir_parse_rate(field[1], &p.rate_bps, why, sizeof why))
        status = complain(r, "", why);
    if (status == WEIR_OK && n == 3)
        status = read_time(r, "delay ", field[2], &p.more_ps);
    if (status == WEIR_OK && n == 3 && (p.more_ps <= 0 || p.more_ps > WEIR_PS_PER_S * 1000))
        status = complain(r, "want a delay above 0s, of at most 1000s, not ", field[2]);
    if (status == WEIR_OK)
        status = check_time(r, p.at_ps);
    if (status != WEIR_OK)
        return status;
    if (!wi_grow_one(&r->out->points, r->out->n, sizeof p))
        return no_memory(r);
    r->out->points[r->out->n++] = p;
    return WEIR_OK;
}

static weir_status read_opportunity(reader *r, const char *at, const char *end)
{
    char field[FIELD_MAX], more[FIELD_MAX];
    wi_link_trace *t = r->out;
    if (!wi_field_next(&at, end, field, FIELD_MAX) || wi_field_next(&at, end, more, FIELD_MAX) ||
        strlen(field) > 12 || strspn(field, "0123456789") != strlen(field))
        return complain(r, "want a whole number of milliseconds", "");
    const weir_time at_ps = (weir_time)strtoll(field, NULL, 10) > 1000000000
                                ? LAST_MAX_PS + 1
                                : (weir_time)strtoll(field, NULL, 10) * WEIR_PS_PER_MS;
    if (at_ps > LAST_MAX_PS)
        return complain(r, "a trace ends after a million seconds at the latest", "");
    if (t->n > 0 && at_ps < t->opportunities[t->n - 1])
        return complain(r, "time goes back: the line before is later than ", field);
    if (!wi_grow_one(&t->opportunities, t->n, sizeof at_ps))
        return no_memory(r);
    t->opportunities[t->n++] = at_ps;
    return WEIR_OK;
}

/* A line of one field without a unit is Mahimahi's. */
static weir_sc_trace_format told_by(const char *at, const char *end)
{
    char field[FIELD_MAX], more[FIELD_MAX];
    const bool one = wi_field_next(&at, end, field, FIELD_MAX) && !wi_field_next(&at, end, more, FIELD_MAX);
    return one && strspn(field, "0123456789") == strlen(field) ? WEIR_SC_TRACE_MAHIMAHI : WEIR_SC_TRACE_RATES;
}

static weir_status read_lines(reader *r, const char *text, size_t length, weir_sc_trace_format format)
{
    const char *at = text, *const stop = text + length;
    weir_status status = WEIR_OK;
    for (r->line = 1; at < stop && status == WEIR_OK; r->line++) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at)), *end = newline ? newline : stop;
        const char *comment = memchr(at, '#', (size_t)(end - at)), *const next = newline ? newline + 1 : stop;
        char field[FIELD_MAX];
        const char *look = at;
        end = comment ? comment : end;
        if (wi_field_next(&look, end, field, FIELD_MAX)) {
            format = format == WEIR_SC_TRACE_AUTO ? told_by(at, end) : format;
            status = format == WEIR_SC_TRACE_MAHIMAHI ? read_opportunity(r, at, end) : read_rates(r, at, end);
        }
        at = next;
    }
    r->line--;
    if (status == WEIR_OK && r->out->n == 0)
        status = complain(r, "the trace is empty", "");
    return status;
}

/* What is known once all lines are. */
static weir_status finish_opportunities(const reader *r)
{
    wi_link_trace *t = r->out;
    t->period_ps = t->opportunities[t->n - 1];
    if (t->period_ps == 0)
        return complain(r, "the trace lasts for no time; want a last line above 0", "");
    t->pass_bytes = (double)NET_OPPORTUNITY * t->n;
    t->rate_bps = (uint64_t)(t->pass_bytes * 8e12 / (double)t->period_ps + 0.5);
    return t->rate_bps >= LEAST_BPS ? WEIR_OK : complain(r, "the trace has a mean rate below 8 kbps", "");
}

static void finish_delays(const reader *r)
{
    wi_link_trace *t = r->out;
    if (r->fields < 3)
        return;
    t->delay_ps = t->points[0].more_ps;
    for (uint32_t i = 1; i < t->n; i++)
        t->delay_ps = t->points[i].more_ps < t->delay_ps ? t->points[i].more_ps : t->delay_ps;
    for (uint32_t i = 0; i < t->n; i++)
        t->points[i].more_ps -= t->delay_ps;
}

/* What rates make of a pass. */
static uint64_t work_of(const wi_link_trace *t)
{
    uint64_t sum = 0, part;
    for (uint32_t i = 1; i < t->n; i++) {
        const uint64_t span_ps = (uint64_t)(t->points[i].at_ps - t->points[i - 1].at_ps);
        if (__builtin_mul_overflow(t->points[i - 1].rate_bps, span_ps, &part) ||
            __builtin_add_overflow(sum, part, &sum))
            return UINT64_MAX;
    }
    return sum;
}

static weir_status finish_rates(const reader *r, bool repeats)
{
    wi_link_trace *t = r->out;
    net_trace_point *const last = &t->points[t->n - 1];
    if (repeats && t->n < 2)
        return complain(r, "a trace that repeats wants two lines: the last one says when", "");
    for (uint32_t i = 1; i < t->n; i++)
        t->points[i].bytes = t->points[i - 1].bytes + (double)(t->points[i].at_ps - t->points[i - 1].at_ps) *
                                                          ((double)t->points[i - 1].rate_bps / 8e12);
    finish_delays(r);
    t->pass_bytes = last->bytes;
    t->pass_work = work_of(t);
    t->period_ps = repeats ? last->at_ps : 0;
    t->rate_bps = repeats ? (uint64_t)(t->pass_bytes * 8e12 / (double)t->period_ps + 0.5) : last->rate_bps;
    if (t->rate_bps < LEAST_BPS)
        return complain(r,
                        repeats ? "the trace has a mean rate below 8 kbps"
                                : "a trace that holds ends with a rate below 8 kbps, and the line with it",
                        "");
    return WEIR_OK;
}

weir_status wi_link_trace_parse(weir_diag *diag, const char *name, const char *text, size_t length,
                                weir_sc_trace_format format, bool repeats, wi_link_trace **out)
{
    *out = NULL;
    wi_link_trace *t = calloc(1, sizeof *t);
    reader r = {.diag = diag, .name = name, .out = t};
    if (!t)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for a trace", name);
    weir_status status = read_lines(&r, text, length, format);
    if (status == WEIR_OK && t->opportunities && !repeats)
        status = complain(&r, "end: hold is for traces of rates; delivery opportunities repeat", "");
    if (status == WEIR_OK)
        status = t->opportunities ? finish_opportunities(&r) : finish_rates(&r, repeats);
    if (status == WEIR_OK)
        *out = t;
    else
        wi_link_trace_free(t);
    return status;
}

weir_status wi_link_trace_load(weir_diag *diag, const char *path, weir_sc_trace_format format, bool repeats,
                               wi_link_trace **out)
{
    WI_FREED char *text = NULL;
    size_t length = 0;
    *out = NULL;
    weir_status status = wi_file_read(diag, path, BYTES_MAX, &text, &length);
    if (status == WEIR_OK)
        status = wi_link_trace_parse(diag, path, text, length, format, repeats, out);
    return status;
}

void wi_link_trace_free(wi_link_trace *trace)
{
    if (!trace)
        return;
    free(trace->points);
    free(trace->opportunities);
    free(trace);
}
