#include "network/files/udp_trace.h"

#include <stdlib.h>

#include "base/file/slice.h"
#include "base/memory.h"
#include "weir/units.h"

enum { PACKET_MAX = 65535 };
#define LAST_MAX_PS (WEIR_PS_PER_S * 1000000)

static void keep(wi_source *s, wi_udp_trace *t, net_udp_point p)
{
    if (s->status != WEIR_OK)
        return;
    if (!wi_grow_one(&t->points, t->n, sizeof *t->points)) {
        wi_no_memory(s, "packets");
        return;
    }
    t->points[t->n++] = p;
    t->least = t->n == 1 || p.bytes < t->least ? p.bytes : t->least;
    t->most = p.bytes > t->most ? p.bytes : t->most;
}

static void read_packet(wi_source *s, wi_udp_trace *t, const wi_slice *field)
{
    char text[2][WEIR_UNITS_TEXT], shown[WI_SHOWN];
    const weir_time at_ps = wi_time_field(s, field[0], "time: ", "s");
    const uint64_t bytes = wi_size_field(s, field[1], "size: ", "B");
    const weir_time before_ps = t->n > 0 ? t->points[t->n - 1].at_ps : 0;
    if (bytes < NET_HEADER_UDP || bytes > PACKET_MAX)
        wi_fail_slice(s, field[1], "want a packet of 28B (headers alone) to 65535B, not %s",
                      wi_shown(field[1], shown));
    else if (at_ps > LAST_MAX_PS)
        wi_fail_slice(s, field[0], "a trace ends after a million seconds at the latest");
    else if (at_ps < before_ps)
        wi_fail_slice(s, field[0], "time goes back to %s: the packet before is sent at %s",
                      weir_format_time(at_ps, text[0]), weir_format_time(before_ps, text[1]));
    keep(s, t, (net_udp_point){.at_ps = at_ps, .bytes = (uint32_t)bytes});
}

weir_status wi_udp_trace_read(wi_source source, wi_udp_trace **out)
{
    wi_slice field[2];
    bool first = true;
    wi_udp_trace *const t = *out = calloc(1, sizeof *t);
    if (!t)
        wi_no_memory(&source, "a trace");
    wi_source_text(&source);
    for (size_t n; (n = wi_next_record(&source, field, 2)) > 0; first = false) {
        if (first && wi_slice_is(field[0], "time"))
            continue;
        if (n != 2)
            wi_fail(&source, "want TIME SIZE, and no more");
        else
            read_packet(&source, t, field);
    }
    if (source.status == WEIR_OK && t->n == 0)
        wi_fail(&source, "the trace has no packet; want lines TIME SIZE");
    const weir_status status = wi_source_close(&source);
    if (status != WEIR_OK) {
        wi_udp_trace_free(t);
        *out = NULL;
    }
    return status;
}

void wi_udp_trace_free(wi_udp_trace *trace)
{
    if (!trace)
        return;
    free(trace->points);
    free(trace);
}
