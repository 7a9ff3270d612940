/* players.csv and segments.csv: what players of adaptive video showed, and each segment that they fetched. */
#include <math.h>
#include <stdlib.h>

#include "net/host/player.h"
#include "output/json.h"
#include "output/number.h"
#include "scenario/results/results.h"

static const wi_csv_column player_columns[] = {
    {"player", WI_CSV_U64},    {"class", WI_CSV_TEXT},         {"client", WI_CSV_TEXT},
    {"server", WI_CSV_TEXT},   {"start_s", WI_CSV_SECONDS},    {"startup_s", WI_CSV_SECONDS},
    {"segments", WI_CSV_U64},  {"fetched_s", WI_CSV_SECONDS},  {"played_s", WI_CSV_SECONDS},
    {"rebuffers", WI_CSV_U64}, {"rebuffer_s", WI_CSV_SECONDS}, {"bitrate_mean_bps", WI_CSV_DOUBLE},
    {"switches", WI_CSV_U64},  {"bytes", WI_CSV_U64},          {"finished", WI_CSV_U64},
};

static const wi_csv_column segment_columns[] = {
    {"player", WI_CSV_U64},       {"segment", WI_CSV_U64},     {"asked_s", WI_CSV_SECONDS},
    {"end_s", WI_CSV_SECONDS},    {"bitrate_bps", WI_CSV_U64}, {"throughput_bps", WI_CSV_DOUBLE},
    {"buffer_s", WI_CSV_SECONDS}, {"rebuffers", WI_CSV_U64},   {"rebuffer_s", WI_CSV_SECONDS},
};

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
    net_player p = *(const net_player *)weir_sim_slot(r->sim, NET_POOL_WINDOW, first);
    if (p.phase != NET_PLAYER_OFF)
        net_player_play(&p, weir_sim_now(r->sim));
    return p;
}

static double mean_bps(const net_player *p)
{
    return p->segments ? (double)p->rate_sum_bps / p->segments : (double)NAN;
}

weir_status wi_players_open(wi_results_of_run *r)
{
    const wi_network *n = r->network;
    const uint32_t n_rx = n->net->n_rx;
    uint64_t players = 0;
    if (!n->videos)
        return WEIR_OK;
    r->player_of_rx = malloc(((size_t)n_rx + 1) * sizeof *r->player_of_rx);
    if (!r->player_of_rx)
        return weir_fail(r->diag, WEIR_E_NOMEM, "no memory to number %u players", n->net->n_flows);
    for (uint32_t i = 0; i < n->net->n_flows; i++)
        if (video_of(r, n->flows.item[i].cls))
            r->player_of_rx[n->net->flow_rx[i]] = players++;
    return wi_csv_open(r->diag, r->folder, "segments.csv", segment_columns,
                       sizeof segment_columns / sizeof *segment_columns, &r->segments_csv);
}

void wi_players_take(wi_results_of_run *r, const net_segment_done *d, weir_time at_ps)
{
    wi_csv *csv = r->segments_csv;
    if (!csv)
        return;
    wi_csv_u64(csv, r->player_of_rx[d->rx]);
    wi_csv_u64(csv, d->number);
    wi_csv_seconds(csv, d->asked_ps);
    wi_csv_seconds(csv, at_ps);
    wi_csv_u64(csv, d->rate_bps);
    wi_csv_double(csv, wi_per_second(8.0 * (double)d->bytes, at_ps - d->asked_ps));
    wi_csv_seconds(csv, d->buffer_ps);
    wi_csv_u64(csv, d->stalls);
    wi_csv_seconds(csv, d->stalled_ps);
}

static void put(const wi_results_of_run *r, wi_csv *csv, uint64_t number, uint32_t flow, const net_player *p)
{
    const wi_network *n = r->network;
    const wi_net_flow_plan *plan = &n->flows.item[flow];
    char name[300];
    const weir_time fetched_ps = (weir_time)p->segments * video_of(r, plan->cls)->segment_ps;
    wi_csv_u64(csv, number);
    wi_csv_text(csv, n->classes[plan->cls].name);
    wi_host_name(n, wi_net_host_of(n->net, plan->src), name, sizeof name);
    wi_csv_text(csv, name);
    wi_host_name(n, wi_net_host_of(n->net, plan->dst), name, sizeof name);
    wi_csv_text(csv, name);
    wi_csv_seconds(csv, p->start_ps);
    if (p->phase == NET_PLAYER_STARTING)
        wi_csv_empty(csv);
    else
        wi_csv_seconds(csv, p->startup_ps);
    wi_csv_u64(csv, p->segments);
    wi_csv_seconds(csv, fetched_ps);
    wi_csv_seconds(csv, fetched_ps - p->buffer_ps);
    wi_csv_u64(csv, p->stalls);
    wi_csv_seconds(csv, p->stalled_ps);
    wi_csv_double(csv, mean_bps(p));
    wi_csv_u64(csv, p->switches);
    wi_csv_u64(csv, p->bytes);
    wi_csv_u64(csv, p->phase == NET_PLAYER_OVER);
}

weir_status wi_players_write(wi_results_of_run *r)
{
    const wi_network *n = r->network;
    uint64_t number = 0;
    wi_csv *csv = NULL;
    if (!n->videos)
        return WEIR_OK;
    weir_status status = wi_csv_close(r->diag, r->segments_csv);
    r->segments_csv = NULL;
    if (status == WEIR_OK)
        status = wi_csv_open(r->diag, r->folder, "players.csv", player_columns,
                             sizeof player_columns / sizeof *player_columns, &csv);
    for (uint32_t i = 0; i < n->net->n_flows && status == WEIR_OK; i++) {
        if (!video_of(r, n->flows.item[i].cls))
            continue;
        const net_player p = player_now(r, i);
        if (p.phase != NET_PLAYER_OFF)
            put(r, csv, number, i, &p);
        number++;
    }
    if (status == WEIR_OK)
        return wi_csv_close(r->diag, csv);
    wi_csv_drop(csv);
    return status;
}

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
    const double shown_s = s.played_s + s.stalled_s;
    json_t *o = json_object();
    json_object_set_new(o, "players", wi_json_count(s.players));
    json_object_set_new(o, "finished", wi_json_count(s.finished));
    json_object_set_new(o, "segments", wi_json_count(s.segments));
    json_object_set_new(o, "bitrate_mean_bps",
                        wi_json_real(s.segments ? s.rate_sum_bps / (double)s.segments : (double)NAN));
    json_object_set_new(o, "switches", wi_json_count(s.switches));
    json_object_set_new(o, "startup_mean_s",
                        wi_json_real(s.begun ? s.startup_s / (double)s.begun : (double)NAN));
    json_object_set_new(o, "startup_max_s", wi_json_real(s.begun ? s.startup_max_s : (double)NAN));
    json_object_set_new(o, "played_s", wi_json_real(s.played_s));
    json_object_set_new(o, "rebuffers", wi_json_count(s.stalls));
    json_object_set_new(o, "rebuffer_s", wi_json_real(s.stalled_s));
    json_object_set_new(o, "rebuffer_ratio",
                        wi_json_real(shown_s > 0.0 ? s.stalled_s / shown_s : (double)NAN));
    return o;
}
