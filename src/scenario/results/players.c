/* players.csv and segments.csv: what players of adaptive video showed, and each segment that they fetched. */
#include <math.h>
#include <stdlib.h>

#include "net/host/player.h"
#include "output/number.h"
#include "scenario/results/results.h"

typedef struct player_row {
    uint64_t player;
    const char *class, *client, *server;
    weir_time start_s, startup_s;
    uint64_t segments;
    weir_time fetched_s, played_s;
    uint64_t rebuffers;
    weir_time rebuffer_s;
    double bitrate_mean_bps;
    uint64_t switches, bytes, finished;
} player_row;

static const wi_result_column player_columns[] = {
    WI_COLUMN(U64, player_row, player, "",
              "number of the row's player, as `segments.csv` has it; those that have not begun have no row"),
    WI_COLUMN(TEXT, player_row, class, "", "name of the traffic class, one with `video`"),
    WI_COLUMN(TEXT, player_row, client, "", "node: who plays"),
    WI_COLUMN(TEXT, player_row, server, "", "node: who sends"),
    WI_COLUMN(SECONDS, player_row, start_s, "s", "when the first segment was asked for"),
    WI_COLUMN(SECONDS, player_row, startup_s, "s",
              "from then to the first picture; empty while there is none"),
    WI_COLUMN(U64, player_row, segments, "", "that have come, whole"),
    WI_COLUMN(SECONDS, player_row, fetched_s, "s", "of media: what they are"),
    WI_COLUMN(SECONDS, player_row, played_s, "s", "of media: what of them has been played"),
    WI_COLUMN(U64, player_row, rebuffers, "",
              "how often the buffer ran dry after that; the end of the video, or of what came before `stop`, "
              "is none"),
    WI_COLUMN(SECONDS, player_row, rebuffer_s, "s", "the time without a picture"),
    WI_COLUMN(DOUBLE, player_row, bitrate_mean_bps, "bit/s", "mean over the segments"),
    WI_COLUMN(U64, player_row, switches, "", "segments with another bitrate than the one before"),
    WI_COLUMN(U64, player_row, bytes, "bytes", "that have come, in whole segments"),
    WI_COLUMN(U64, player_row, finished, "",
              "1: all has been played, to the end of the video or of what came before `stop`"),
};

typedef struct segment_row {
    uint64_t player, segment;
    weir_time asked_s, end_s;
    uint64_t bitrate_bps;
    double throughput_bps;
    weir_time buffer_s;
    uint64_t rebuffers;
    weir_time rebuffer_s;
} segment_row;

static const wi_result_column segment_columns[] = {
    WI_COLUMN(U64, segment_row, player, "", "whose"),
    WI_COLUMN(U64, segment_row, segment, "", "its number, from 0"),
    WI_COLUMN(SECONDS, segment_row, asked_s, "s", "when it was asked for"),
    WI_COLUMN(SECONDS, segment_row, end_s, "s", "when its last byte had come"),
    WI_COLUMN(U64, segment_row, bitrate_bps, "bit/s", "the one that was chosen"),
    WI_COLUMN(DOUBLE, segment_row, throughput_bps, "bit/s",
              "its bytes over that time, the request's way included: what `algorithm: throughput` goes by"),
    WI_COLUMN(SECONDS, segment_row, buffer_s, "s", "of media in the buffer then, this segment included"),
    WI_COLUMN(U64, segment_row, rebuffers, "", "of the player until then"),
    WI_COLUMN(SECONDS, segment_row, rebuffer_s, "s", NULL),
};
const wi_result_table wi_segments_table = WI_RESULT(CSV, "segments.csv", segment_columns);

static const net_video *video_of(const wi_results_of_run *r, uint32_t cls)
{
    return r->network->classes[cls].video;
}

/* The player of a planned flow as of now; phase OFF: it has not begun. */
static net_player player_now(const wi_results_of_run *r, uint32_t flow)
{
    const wi_net *net = r->network->net;
    const net_world *w = wi_net_world(net);
    const uint32_t rx = net->flow_rx[flow], cls = r->network->flows.item[flow].cls;
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
        if (video_of(r, n->flows.item[i].cls))
            r->player_of_rx[n->net->flow_rx[i]] = players++;
    return wi_csv_table(r->run->diag, r->run->to.folder, &wi_segments_table, &r->segments_csv);
}

void wi_players_take(wi_results_of_run *r, const net_segment_done *d, weir_time at_ps)
{
    if (r->segments_csv)
        wi_csv_row(r->segments_csv, &(segment_row){.player = r->player_of_rx[d->rx],
                                                   .segment = d->number,
                                                   .asked_s = d->asked_ps,
                                                   .end_s = at_ps,
                                                   .bitrate_bps = d->rate_bps,
                                                   .throughput_bps = wi_per_second(8.0 * (double)d->bytes,
                                                                                   at_ps - d->asked_ps),
                                                   .buffer_s = d->buffer_ps,
                                                   .rebuffers = d->stalls,
                                                   .rebuffer_s = d->stalled_ps});
}

static void put(const wi_results_of_run *r, wi_csv *csv, uint64_t number, uint32_t flow, const net_player *p)
{
    const wi_network *n = r->network;
    const wi_net_flow_plan *plan = &n->flows.item[flow];
    char client[300], server[300];
    const weir_time fetched_ps = (weir_time)p->segments * video_of(r, plan->cls)->segment_ps;
    wi_host_name(n, wi_net_host_of(n->net, plan->src), client, sizeof client);
    wi_host_name(n, wi_net_host_of(n->net, plan->dst), server, sizeof server);
    wi_csv_row(csv, &(player_row){.player = number,
                                  .class = n->classes[plan->cls].name,
                                  .client = client,
                                  .server = server,
                                  .start_s = p->start_ps,
                                  .startup_s = p->phase == NET_PLAYER_STARTING ? WI_NO_TIME : p->startup_ps,
                                  .segments = p->segments,
                                  .fetched_s = fetched_ps,
                                  .played_s = fetched_ps - p->buffer_ps,
                                  .rebuffers = p->stalls,
                                  .rebuffer_s = p->stalled_ps,
                                  .bitrate_mean_bps =
                                      p->segments ? (double)p->rate_sum_bps / p->segments : (double)NAN,
                                  .switches = p->switches,
                                  .bytes = p->bytes,
                                  .finished = p->phase == NET_PLAYER_OVER});
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
        if (!video_of(r, n->flows.item[i].cls))
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

typedef struct video_row {
    uint64_t players, finished, segments;
    double bitrate_mean_bps;
    uint64_t switches;
    double startup_mean_s, startup_max_s, played_s;
    uint64_t rebuffers;
    double rebuffer_s, rebuffer_ratio;
} video_row;

static const wi_result_column summary_columns[] = {
    WI_COLUMN(U64, video_row, players, "", "players that have begun"),
    WI_COLUMN(U64, video_row, finished, "",
              "that have played all, to the end of the video or of what came before `stop`"),
    WI_COLUMN(U64, video_row, segments, "", "that have come, whole"),
    WI_COLUMN(DOUBLE, video_row, bitrate_mean_bps, "bit/s", "mean over all segments"),
    WI_COLUMN(U64, video_row, switches, "", "segments with another bitrate than the one before"),
    WI_COLUMN(DOUBLE, video_row, startup_mean_s, "s",
              "from the first request to the first picture, of those that have a picture"),
    WI_COLUMN(DOUBLE, video_row, startup_max_s, "s", NULL),
    WI_COLUMN(DOUBLE, video_row, played_s, "s", "of media: what has been played"),
    WI_COLUMN(U64, video_row, rebuffers, "", "how often a buffer ran dry"),
    WI_COLUMN(DOUBLE, video_row, rebuffer_s, "s", "time without a picture after the first"),
    WI_COLUMN(DOUBLE, video_row, rebuffer_ratio, "1", "`rebuffer_s` over it and `played_s`"),
};
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
        if (n->flows.item[i].cls != cls)
            continue;
        const net_player p = player_now(r, i);
        if (p.phase != NET_PLAYER_OFF)
            add(&s, &p, video_of(r, cls)->segment_ps);
    }
    const double shown_s = s.played_s + s.stalled_s, none = (double)NAN;
    return wi_result_object(
        &wi_video_summary,
        &(video_row){.players = s.players,
                     .finished = s.finished,
                     .segments = s.segments,
                     .bitrate_mean_bps = s.segments ? s.rate_sum_bps / (double)s.segments : none,
                     .switches = s.switches,
                     .startup_mean_s = s.begun ? s.startup_s / (double)s.begun : none,
                     .startup_max_s = s.begun ? s.startup_max_s : none,
                     .played_s = s.played_s,
                     .rebuffers = s.stalls,
                     .rebuffer_s = s.stalled_s,
                     .rebuffer_ratio = shown_s > 0.0 ? s.stalled_s / shown_s : none},
        0);
}
