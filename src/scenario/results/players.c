/* players.csv and segments.csv: what players of adaptive video showed, and each segment that they fetched. */
#include <math.h>

#include "net/host/player.h"
#include "output/number.h"
#include "scenario/results/results.h"

#define PLAYERS(X)                                                                                          \
    X(U64, "player", "", number,                                                                            \
      "number of the row's player, as `segments.csv` has it; those that have not begun have no row"),       \
        X(TEXT, "class", "", n->plan.classes[plan->cls].name,                                               \
          "name of the traffic class, one with `video`"),                                                   \
        X(TEXT, "client", "", client, "node: who plays"), X(TEXT, "server", "", server, "node: who sends"), \
        X(SECONDS, "start_s", "s", p->start_ps, "when the first segment was asked for"),                    \
        X(SECONDS, "startup_s", "s", p->phase == NET_PLAYER_STARTING ? WI_NO_TIME : p->startup_ps,          \
          "from then to the first picture; empty while there is none"),                                     \
        X(U64, "segments", "", p->segments, "that have come, whole"),                                       \
        X(SECONDS, "fetched_s", "s", fetched_ps, "of media: what they are"),                                \
        X(SECONDS, "played_s", "s", fetched_ps - p->buffer_ps, "of media: what of them has been played"),   \
        X(U64, "rebuffers", "", p->stalls,                                                                  \
          "how often the buffer ran dry after that; the end of the video, or of what came before `stop`, "  \
          "is none"),                                                                                       \
        X(SECONDS, "rebuffer_s", "s", p->stalled_ps, "the time without a picture"),                         \
        X(DOUBLE, "bitrate_mean_bps", "bit/s",                                                              \
          p->segments ? (double)p->rate_sum_bps / p->segments : (double)NAN, "mean over the segments"),     \
        X(U64, "switches", "", p->switches, "segments with another bitrate than the one before"),           \
        X(U64, "bytes", "bytes", p->bytes, "that have come, in whole segments"),                            \
        X(U64, "finished", "", p->phase == NET_PLAYER_OVER,                                                 \
          "1: all has been played, to the end of the video or of what came before `stop`")
static const wi_result_column player_columns[] = {PLAYERS(WI_COLUMN)};

#define SEGMENTS(X)                                                                                      \
    X(U64, "player", "", r->player_of_rx[d->rx], "whose"),                                               \
        X(U64, "segment", "", d->number, "its number, from 0"),                                          \
        X(SECONDS, "asked_s", "s", d->asked_ps, "when it was asked for"),                                \
        X(SECONDS, "end_s", "s", at_ps, "when its last byte had come"),                                  \
        X(U64, "bitrate_bps", "bit/s", d->rate_bps, "the one that was chosen"),                          \
        X(DOUBLE, "throughput_bps", "bit/s", wi_per_second(8.0 * (double)d->bytes, at_ps - d->asked_ps), \
          "its bytes over that time, the request's way included: what `algorithm: throughput` goes by"), \
        X(SECONDS, "buffer_s", "s", d->buffer_ps, "of media in the buffer then, this segment included"), \
        X(U64, "rebuffers", "", d->stalls, "of the player until then"),                                  \
        X(SECONDS, "rebuffer_s", "s", d->stalled_ps, NULL)
static const wi_result_column segment_columns[] = {SEGMENTS(WI_COLUMN)};
const wi_result_table wi_segments_table = WI_RESULT(CSV, "segments.csv", segment_columns);

static const net_video *video_of(const wi_results_of_run *r, uint32_t cls)
{
    return r->network->plan.classes[cls].video;
}

/* The player of a planned flow as of now; phase OFF: it has not begun. */
static net_player player_now(const wi_results_of_run *r, uint32_t flow)
{
    const wi_net *net = r->network->net;
    const net_world *w = wi_net_world(net);
    const uint32_t rx = net->flow_rx[flow], cls = r->network->plan.flows[flow].cls;
    const uint32_t first = NET_ARRAY(w, uint32_t, rx_map)[rx] + net_class_at(w, cls)->map_words;
    net_player p = *(const net_player *)weir_sim_slot(r->run->sim, NET_POOL_WINDOW, first);
    if (p.phase != NET_PLAYER_OFF)
        net_player_play(&p, weir_sim_now(r->run->sim));
    return p;
}

weir_status wi_players_open(wi_results_of_run *r)
{
    const wi_network *n = r->network;
    const uint32_t n_rx = n->net->n_rx;
    uint64_t players = 0;
    if (!n->videos)
        return WEIR_OK;
    r->player_of_rx = wi_take(&r->memory, n_rx, sizeof *r->player_of_rx);
    if (!r->player_of_rx)
        return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory to number %u players", n->net->n_flows);
    for (uint32_t i = 0; i < n->net->n_flows; i++)
        if (video_of(r, n->plan.flows[i].cls))
            r->player_of_rx[n->net->flow_rx[i]] = players++;
    return wi_csv_table(r->run->diag, r->run->to.folder, &wi_segments_table, &r->segments_csv);
}

void wi_players_take(wi_results_of_run *r, const net_segment_done *d, weir_time at_ps)
{
    if (r->segments_csv)
        wi_csv_row(r->segments_csv, (const wi_cell[]){SEGMENTS(WI_CELL)});
}

static void put(const wi_results_of_run *r, wi_csv *csv, uint64_t number, uint32_t flow, const net_player *p)
{
    const wi_network *n = r->network;
    const wi_net_flow_plan *plan = &n->plan.flows[flow];
    char client[300], server[300];
    const weir_time fetched_ps = (weir_time)p->segments * video_of(r, plan->cls)->segment_ps;
    wi_host_name(n, wi_net_host_of(n->net, plan->src), client, sizeof client);
    wi_host_name(n, wi_net_host_of(n->net, plan->dst), server, sizeof server);
    wi_csv_row(csv, (const wi_cell[]){PLAYERS(WI_CELL)});
}

static bool has_players(const void *results)
{
    return ((const wi_results_of_run *)results)->network->videos != NULL;
}

static weir_status put_players(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    const wi_network *n = r->network;
    uint64_t number = 0;
    for (uint32_t i = 0; i < n->net->n_flows; i++) {
        if (!video_of(r, n->plan.flows[i].cls))
            continue;
        const net_player p = player_now(r, i);
        if (p.phase != NET_PLAYER_OFF)
            put(r, csv, number, i, &p);
        number++;
    }
    return WEIR_OK;
}
const wi_result_table wi_players_table = WI_ROWS("players.csv", player_columns, put_players, has_players);

/* ---- summary.json ---- */

#define SUMMARY(X)                                                                                      \
    X(U64, "players", "", s.players, "players that have begun"),                                        \
        X(U64, "finished", "", s.finished,                                                              \
          "that have played all, to the end of the video or of what came before `stop`"),               \
        X(U64, "segments", "", s.segments, "that have come, whole"),                                    \
        X(DOUBLE, "bitrate_mean_bps", "bit/s", s.segments ? s.rate_sum_bps / (double)s.segments : none, \
          "mean over all segments"),                                                                    \
        X(U64, "switches", "", s.switches, "segments with another bitrate than the one before"),        \
        X(DOUBLE, "startup_mean_s", "s", s.begun ? s.startup_s / (double)s.begun : none,                \
          "from the first request to the first picture, of those that have a picture"),                 \
        X(DOUBLE, "startup_max_s", "s", s.begun ? s.startup_max_s : none, NULL),                        \
        X(DOUBLE, "played_s", "s", s.played_s, "of media: what has been played"),                       \
        X(U64, "rebuffers", "", s.stalls, "how often a buffer ran dry"),                                \
        X(DOUBLE, "rebuffer_s", "s", s.stalled_s, "time without a picture after the first"),            \
        X(DOUBLE, "rebuffer_ratio", "1", shown_s > 0.0 ? s.stalled_s / shown_s : none,                  \
          "`rebuffer_s` over it and `played_s`")
static const wi_result_column summary_columns[] = {SUMMARY(WI_COLUMN)};
const wi_result_table wi_video_summary = WI_RESULT(SUMMARY, "classes.NAME.video", summary_columns);

/* Sums over the players of a class that have begun. */
typedef struct video_sum {
    uint64_t players, begun, segments, stalls, switches, finished;
    double rate_sum_bps, startup_s, startup_max_s, stalled_s, played_s;
} video_sum;

static void add(video_sum *s, const net_player *p, weir_time segment_ps)
{
    const double startup_s = weir_seconds(p->startup_ps);
    s->players++;
    s->segments += p->segments;
    s->rate_sum_bps += (double)p->rate_sum_bps;
    s->stalls += p->stalls;
    s->switches += p->switches;
    s->finished += p->phase == NET_PLAYER_OVER;
    s->stalled_s += weir_seconds(p->stalled_ps);
    s->played_s += weir_seconds((weir_time)p->segments * segment_ps - p->buffer_ps);
    if (p->phase == NET_PLAYER_STARTING)
        return;
    s->begun++;
    s->startup_s += startup_s;
    s->startup_max_s = startup_s > s->startup_max_s ? startup_s : s->startup_max_s;
}

json_t *wi_players_summarise(const wi_results_of_run *r, uint32_t cls)
{
    const wi_network *n = r->network;
    video_sum s = {0};
    if (!video_of(r, cls))
        return NULL;
    for (uint32_t i = 0; i < n->net->n_flows; i++) {
        if (n->plan.flows[i].cls != cls)
            continue;
        const net_player p = player_now(r, i);
        if (p.phase != NET_PLAYER_OFF)
            add(&s, &p, video_of(r, cls)->segment_ps);
    }
    const double shown_s = s.played_s + s.stalled_s, none = (double)NAN;
    return wi_result_object(&wi_video_summary, (const wi_cell[]){SUMMARY(WI_CELL)}, 0);
}
