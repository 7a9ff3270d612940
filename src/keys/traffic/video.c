/* Keys of `tcp.video`, and what `tcp.connection` goes together with. */
#include "keys/traffic/traffic.h"

#include <string.h>

#include "net/host/player.h"
#include "net/congestion/congestion.h"
#include "keys/congestion/congestions.h"

typedef weir_scenario_tcp tcp_t;

/* A ladder: bitrates, each above the one before. */
static void read_ladder(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    uint64_t *rates = NULL;
    wi_key one = *key;
    one.kind = &wi_kind_rate;
    one.above = "0bps";
    if (node->type != WI_SEQUENCE || node->n == 0 || node->n > NET_RUNGS_MAX) {
        wi_complain(r, node->place, "%s: want a list of 1 to %d bitrates such as [300kbps, 1Mbps, 4Mbps]",
                    key->name, NET_RUNGS_MAX);
        return;
    }
    rates = wi_reader_take(r, node->n, sizeof *rates);
    size_t n = 0;
    const size_t errors = r->errors;
    for (const wi_node *item = node->first; rates && item; item = item->next) {
        wi_kind_rate.read(r, &one, item, &rates[n]);
        if (r->errors == errors && n > 0 && rates[n] <= rates[n - 1])
            wi_complain(r, item->place, "%s: %s is not above the bitrate before it; want them in order",
                        key->name, item->text);
        n++;
    }
    wi_list_store(key, at, rates, n);
}

static void write_ladder(wi_writer *w, const wi_key *key, const void *at)
{
    const uint64_t *rates;
    wi_key one = *key;
    one.kind = &wi_kind_rate;
    memcpy(&rates, at, sizeof rates);
    fputc('[', w->out);
    for (size_t i = 0; i < wi_list_count(key, at); i++) {
        fputs(i ? ", " : "", w->out);
        wi_kind_rate.write(w, &one, &rates[i]);
    }
    fputc(']', w->out);
}

static json_t *json_ladder(const wi_key *key, json_t *defs)
{
    wi_key one = *key;
    one.kind = &wi_kind_rate;
    one.above = "0bps";
    return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", wi_kind_rate.json(&one, defs),
                     "minItems", 1, "maxItems", NET_RUNGS_MAX);
}

static const wi_kind kind_ladder = {.what = "list of rates",
                                    .example = "[300kbps, 1Mbps, 4Mbps]",
                                    .read = read_ladder,
                                    .write = write_ladder,
                                    .given = wi_list_given,
                                    .json = json_ladder};

static const wi_word algorithms[] = {
    {"buffer", WEIR_SC_ABR_BUFFER, "BBA-0 (Huang and others, 2014): by what is in the buffer"},
    {"throughput", WEIR_SC_ABR_THROUGHPUT,
     "up to a share of the harmonic mean of the last segments' throughputs, as FESTIVE's (Jiang and others, "
     "2012)"},
};

static const wi_key keys[] = {
    {.name = "ladder",
     .kind = &kind_ladder,
     .offset = offsetof(tcp_t, video.ladder),
     .count_offset = offsetof(tcp_t, video.n_ladder),
     .place_offset = offsetof(tcp_t, video.ladder_place),
     .required = true,
     .also = "bitrates rates qualities representations",
     .doc = "bitrates of the video, the least first, at most 32"},
    WI_KEY("segment", time, tcp_t, video.segment_ps, .fallback = "4s", .above = "0s", .high = "1h",
           .also = "chunk", .doc = "how long a segment plays"),
    WI_KEY("length", time, tcp_t, video.length_ps, .above = "0s", .unset = "without end",
           .doc = "how long the video plays: so many segments, the last one whole"),
    WI_KEY("buffer", time, tcp_t, video.buffer_ps, .fallback = "30s", .above = "0s", .high = "1d",
           .doc = "most that is fetched and not yet played; at least one segment"),
    WI_KEY("startup", time, tcp_t, video.startup_ps, .above = "0s", .unset = "one segment",
           .doc = "playback begins when so much is in the buffer"),
    WI_KEY("resume", time, tcp_t, video.resume_ps, .above = "0s", .unset = "as `startup`", .also = "rebuffer",
           .doc = "after the buffer ran dry, playback goes on when so much is in it"),
    WI_KEY("algorithm", word, tcp_t, video.algorithm, .fallback = "buffer", WI_WORDS(algorithms),
           .also = "abr adaptation", .doc = "how the next segment's bitrate is chosen"),
    WI_KEY("reservoir", time, tcp_t, video.reservoir_ps, .with = "algorithm=buffer", .above = "0s",
           .unset = "5/12 of what the buffer reaches",
           .doc = "algorithm: buffer: up to so much in the buffer the least bitrate is chosen. What the "
                  "buffer reaches is 9/10 of `buffer`, and at most a segment less than it, as a request "
                  "waits until its segment fits"),
    WI_KEY("cushion", time, tcp_t, video.cushion_ps, .with = "algorithm=buffer", .above = "0s",
           .unset = "7/12 of what the buffer reaches",
           .doc = "algorithm: buffer: from so much above the reservoir on the largest bitrate is chosen"),
    WI_KEY("safety", share, tcp_t, video.safety, .fallback = "0.85", .with = "algorithm=throughput",
           .above = "0",
           .doc = "algorithm: throughput: the share of the mean throughput that a bitrate may take"),
    WI_KEY("samples", count, tcp_t, video.samples, .fallback = "20", .with = "algorithm=throughput",
           .low = "1", .high = "20", .doc = "algorithm: throughput: segments of which the mean is"),
    WI_KEY("request", size, tcp_t, video.request_bytes, .fallback = "100B", .above = "0B", .high = "60kB",
           .doc = "bytes of a request for a segment"),
};

/* Reservoir and cushion where they are not given: the paper's 90 s and 126 s of a buffer of 240 s. A request waits until its
 * segment fits, so that the buffer holds a segment less then: what is above that is never reached. */
static void set_parts(wi_reader *r, const wi_node *node, weir_scenario_video *v)
{
    const weir_time shares = v->buffer_ps / 10 * 9, least = v->buffer_ps - v->segment_ps,
                    reached = least > 0 && least < shares ? least : shares;
    const weir_place place = wi_place_of(node, wi_node_child(node, "cushion")     ? "cushion"
                                               : wi_node_child(node, "reservoir") ? "reservoir"
                                                                                  : "buffer");
    v->reservoir_ps = v->reservoir_ps ? v->reservoir_ps : reached / 12 * 5;
    v->cushion_ps = v->cushion_ps ? v->cushion_ps : reached / 12 * 7;
    const weir_time both_ps = v->reservoir_ps + v->cushion_ps;
    if (both_ps > v->buffer_ps)
        wi_complain(r, place, "reservoir and cushion together are more than the buffer");
    else if (v->n_ladder > 1 && both_ps > least)
        weir_warn_at(
            r->diag, WEIR_AT(place),
            "reservoir and cushion together, %.6g s, are more than the buffer less a segment, %.6g s, which "
            "is what it holds at most when a segment is asked for: the largest bitrate may never be chosen",
            weir_seconds(both_ps), weir_seconds(least));
}

/* Sizes of the buffer and its parts. */
static void check(wi_reader *r, const wi_node *node, void *at)
{
    weir_scenario_video *v = &((tcp_t *)at)->video;
    v->given = true;
    v->startup_ps = v->startup_ps ? v->startup_ps : v->segment_ps;
    v->resume_ps = v->resume_ps ? v->resume_ps : v->startup_ps;
    if (v->buffer_ps < v->segment_ps)
        wi_complain(r, wi_place_of(node, "buffer"), "buffer is less than one segment");
    else if (v->startup_ps > v->buffer_ps)
        wi_complain(r, wi_place_of(node, "startup"), "startup is more than the buffer holds");
    else if (v->resume_ps > v->buffer_ps)
        wi_complain(r, wi_place_of(node, "resume"), "resume is more than the buffer holds");
    else if (v->algorithm == WEIR_SC_ABR_BUFFER)
        set_parts(r, node, v);
    if (v->length_ps / v->segment_ps >= UINT32_MAX)
        wi_complain(r, wi_place_of(node, "length"), "length is more than 4294967294 segments");
}

const wi_section wi_section_video =
    WI_SECTION("video", keys, tcp_t,
               .doc = "Adaptive video over HTTP (DASH): each client of `from` fetches segments from `to`, "
                      "one after another, plays them, and chooses the bitrate of the next.",
               .place_offset = offsetof(tcp_t, video.place), .check = check);

static const wi_word connections[] = {
    {"new", WEIR_SC_CONNECTION_NEW, "each reply has a connection of its own"},
    {"keep", WEIR_SC_CONNECTION_KEEP,
     "one for all replies of a client; its window after a pause is what it was"},
    {"restart", WEIR_SC_CONNECTION_RESTART,
     "one for all; after a pause of more than the RTO the window is at most the initial one (RFC 5681, "
     "section 4.1)"},
    {"validate", WEIR_SC_CONNECTION_VALIDATE,
     "one for all; a window that is not used does not grow, and is halved after five minutes (RFC 7661)"},
};
const wi_words wi_connection_words = {connections, WI_N_OF(connections)};

void wi_connection_check(wi_reader *r, const wi_node *node, tcp_t *t)
{
    const uint32_t traits = net_cc_traits((uint32_t)t->congestion);
    const wi_node *given = wi_node_child(node, "connection");
    const char *name = wi_congestion_kind_of(t->congestion)->section.name;
    if (!given && t->video.given)
        t->connection = traits & NET_CLASS_NDP   ? WEIR_SC_CONNECTION_NEW
                        : traits & NET_CLASS_OWN ? WEIR_SC_CONNECTION_KEEP
                                                 : WEIR_SC_CONNECTION_RESTART;
    if (t->connection != WEIR_SC_CONNECTION_NEW && traits & NET_CLASS_NDP)
        wi_complain(r, given->place,
                    "congestion '%s' has no window that a connection could keep; want connection: new", name);
    else if (t->connection > WEIR_SC_CONNECTION_KEEP && traits & NET_CLASS_OWN)
        wi_complain(r, given->place,
                    "congestion '%s' has a rate or window of its own, which a pause does not take back; want "
                    "connection: keep or new",
                    name);
}
