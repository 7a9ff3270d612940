#include "scenario/network/files/udp_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "scenario/network/files/fields.h"
#include "weir/units.h"

enum { BYTES_MAX = 1 << 28, FIELD_MAX = 64, WITHOUT_UNIT = FIELD_MAX - 2, PACKET_MAX = 65535 };
#define LAST_MAX_PS (WEIR_PS_PER_S * 1000000)

typedef struct reader {
    weir_diag *diag;
    const char *name;
    int line;
    wi_udp_trace *out;
} reader;

static weir_status complain(const reader *r, const char *what, const char *value)
{
    return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0, "%s%s", what, value);
}

/* A bare number is one of `unit`. */
static void with_unit(char *field, const char *unit)
{
    const size_t n = strlen(field);
    if (n > 0 && (field[n - 1] == '.' || (field[n - 1] >= '0' && field[n - 1] <= '9')))
        memcpy(field + n, unit, 2);
}

static weir_status keep(reader *r, net_udp_point p)
{
    wi_udp_trace *t = r->out;
    if (!wi_grow_one(&t->points, t->n, sizeof *t->points))
        return weir_fail(r->diag, WEIR_E_NOMEM, "%s: no memory for a trace of more than %u packets", r->name,
                         t->n);
    t->points[t->n++] = p;
    t->least = t->n == 1 || p.bytes < t->least ? p.bytes : t->least;
    t->most = p.bytes > t->most ? p.bytes : t->most;
    return WEIR_OK;
}

static weir_status read_packet(reader *r, char *time, char *size)
{
    char why[200], text[2][WEIR_UNITS_TEXT];
    const wi_udp_trace *t = r->out;
    net_udp_point p = {0};
    uint64_t bytes;
    with_unit(time, "s");
    with_unit(size, "B");
    if (!weir_parse_time(time, &p.at_ps, why, sizeof why))
        return complain(r, "time: ", why);
    if (!weir_parse_size(size, &bytes, why, sizeof why))
        return complain(r, "size: ", why);
    if (bytes < NET_HEADER_UDP || bytes > PACKET_MAX)
        return complain(r, "want a packet of 28B (headers alone) to 65535B, not ", size);
    if (p.at_ps > LAST_MAX_PS)
        return complain(r, "a trace ends after a million seconds at the latest, not after ", time);
    if (t->n > 0 && p.at_ps < t->points[t->n - 1].at_ps)
        return weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0,
                            "time goes back to %s: the packet before is sent at %s",
                            weir_format_time(p.at_ps, text[0]),
                            weir_format_time(t->points[t->n - 1].at_ps, text[1]));
    p.bytes = (uint32_t)bytes;
    return keep(r, p);
}

static weir_status read_line(reader *r, const char *at, const char *end, bool *first)
{
    char time[FIELD_MAX], size[FIELD_MAX], more[FIELD_MAX];
    if (!wi_field_next(&at, end, time, WITHOUT_UNIT))
        return WEIR_OK;
    const bool names = *first && strcmp(time, "time") == 0;
    *first = false;
    if (names)
        return WEIR_OK;
    if (!wi_field_next(&at, end, size, WITHOUT_UNIT) || wi_field_next(&at, end, more, WITHOUT_UNIT))
        return complain(r, "want TIME SIZE", ", and no more");
    return read_packet(r, time, size);
}

static weir_status read_lines(reader *r, const char *text, size_t length)
{
    weir_status status = WEIR_OK;
    bool first = true;
    for (const char *at = text, *const stop = text + length; at < stop && status == WEIR_OK;) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at)), *end = newline ? newline : stop;
        const char *comment = memchr(at, '#', (size_t)(end - at));
        r->line++;
        status = read_line(r, at, comment ? comment : end, &first);
        at = newline ? newline + 1 : stop;
    }
    if (status == WEIR_OK && r->out->n == 0)
        status = complain(r, "the trace has no packet; want lines TIME SIZE", "");
    return status;
}

weir_status wi_udp_trace_parse(weir_diag *diag, const char *name, const char *text, size_t length,
                               wi_udp_trace **out)
{
    *out = NULL;
    wi_udp_trace *t = calloc(1, sizeof *t);
    if (!t)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for a trace", name);
    reader r = {.diag = diag, .name = name, .out = t};
    const weir_status status = read_lines(&r, text, length);
    if (status == WEIR_OK)
        *out = t;
    else
        wi_udp_trace_free(t);
    return status;
}

weir_status wi_udp_trace_load(weir_diag *diag, const char *path, wi_udp_trace **out)
{
    WI_FREED char *text = NULL;
    size_t length = 0;
    *out = NULL;
    weir_status status = wi_file_read(diag, path, BYTES_MAX, &text, &length);
    if (status == WEIR_OK)
        status = wi_udp_trace_parse(diag, path, text, length, out);
    return status;
}

void wi_udp_trace_free(wi_udp_trace *trace)
{
    if (!trace)
        return;
    free(trace->points);
    free(trace);
}
