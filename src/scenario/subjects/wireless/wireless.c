/* The wireless mesh as a scenario's subject. */
#include "scenario/subjects/subject.h"

#include <math.h>
#include <stdlib.h>

#include "models/wireless/params.h"
#include "models/wireless/stats.h"
#include "output/json.h"
#include "output/series.h"
#include "scenario/subjects/wireless/channels.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct wireless_asked {
    wireless_params params;
    double delay_spread_ns, carrier_ghz;
    uint32_t channels;
    weir_place place;
} wireless_asked;

static const wi_word placements[] = {
    {"circle", WIRELESS_CIRCLE, "evenly on a circle of diameter `size_m`"},
    {"grid", WIRELESS_GRID, "a square grid, `size_m` between neighbours"},
    {"random", WIRELESS_RANDOM, "uniformly in a square of side `size_m`"},
};
static const wi_words placement_words = {placements, N_OF(placements)};
static const wi_word arrivals[] = {
    {"periodic", 0, "at equal intervals, from a random start"},
    {"poisson", 1, "with exponential pauses"},
};
static const wi_words arrival_words = {arrivals, N_OF(arrivals)};
static const wi_word replies[] = {
    {"none", WIRELESS_NO_REPLIES, "receivers do not answer"},
    {"at-once", WIRELESS_REPLIES_AT_ONCE, "all a SIFS after the frame"},
    {"in-turn", WIRELESS_REPLIES_IN_TURN, "one after the other"},
};
static const wi_words reply_words = {replies, N_OF(replies)};
static const wi_word accesses[] = {
    {"ideal", WIRELESS_IDEAL, "frames do not disturb each other"},
    {"aloha", WIRELESS_ALOHA, "at any time; frames that overlap are spoilt"},
    {"slotted", WIRELESS_SLOTTED, "the same, at the beginning of slots only"},
    {"csma", WIRELESS_CSMA, "when the air is silent, after a random back-off if it was not"},
};
static const wi_words access_words = {accesses, N_OF(accesses)};

static const wi_word channel_series[] = {
    {"none", 0, "no series of them"},
    {"all", 1,
     "mean and effective SNR and the chance of losing a data frame, of every link, at `output.interval`"},
};
static const wi_words channel_words = {channel_series, N_OF(channel_series)};

#define AT(field) offsetof(wireless_asked, field)
static const wi_key keys[] = {
    {.name = "nodes",
     .kind = &wi_kind_count,
     .offset = AT(params.n_nodes),
     .fallback = "5",
     .low = "2",
     .high = "32768",
     .doc = "nodes, each with an application, a MAC and a PHY"},
    {.name = "placement",
     .kind = &wi_kind_word,
     .offset = AT(params.placement),
     .words = &placement_words,
     .fallback = "circle",
     .doc = "where they stand"},
    {.name = "size_m",
     .kind = &wi_kind_number,
     .offset = AT(params.size_m),
     .fallback = "60",
     .low = "0",
     .high = "1e9",
     .doc = "size of the placement, in metres"},
    {.name = "range_m",
     .kind = &wi_kind_number,
     .offset = AT(params.range_m),
     .fallback = "0",
     .low = "0",
     .high = "1e9",
     .also = "range",
     .doc = "who is farther hears nothing, in metres; 0: everybody hears everybody"},
    {.name = "packets_per_s",
     .kind = &wi_kind_number,
     .offset = AT(params.packets_per_s),
     .fallback = "1",
     .low = "0",
     .high = "1000000",
     .also = "rate",
     .doc = "broadcast packets of each node, a second; 0: none"},
    {.name = "arrivals",
     .kind = &wi_kind_word,
     .offset = AT(params.poisson),
     .words = &arrival_words,
     .fallback = "periodic",
     .doc = "when they come"},
    {.name = "packet",
     .kind = &wi_kind_size32,
     .offset = AT(params.packet_bytes),
     .fallback = "1000B",
     .low = "1B",
     .high = "4095B",
     .also = "size",
     .doc = "size of a packet"},
    {.name = "speed_m_s",
     .kind = &wi_kind_number,
     .offset = AT(params.speed_m_s),
     .fallback = "1",
     .low = "0",
     .high = "100000",
     .also = "speed",
     .doc = "relative speed of any two nodes, in m/s: how fast channels fade"},
    {.name = "carrier_ghz",
     .kind = &wi_kind_number,
     .offset = AT(carrier_ghz),
     .fallback = "2.4",
     .low = "0.001",
     .high = "1000",
     .doc = "carrier frequency, in GHz"},
    {.name = "tx_dbm",
     .kind = &wi_kind_number,
     .offset = AT(params.tx_dbm),
     .fallback = "15",
     .low = "-100",
     .high = "100",
     .also = "power",
     .doc = "transmitted power, in dBm"},
    {.name = "noise_figure_db",
     .kind = &wi_kind_number,
     .offset = AT(params.noise_figure_db),
     .fallback = "7",
     .low = "0",
     .high = "100",
     .doc = "of receivers, in dB"},
    {.name = "path_loss_exponent",
     .kind = &wi_kind_number,
     .offset = AT(params.path_loss_exponent),
     .fallback = "3",
     .low = "0",
     .high = "10",
     .doc = "power of the distance, from one metre on"},
    {.name = "shadowing_db",
     .kind = &wi_kind_number,
     .offset = AT(params.shadowing_db),
     .fallback = "0",
     .low = "0",
     .high = "30",
     .doc = "standard deviation of each pair's log-normal shadowing, in dB"},
    {.name = "rician_k",
     .kind = &wi_kind_number,
     .offset = AT(params.rician_k),
     .fallback = "0",
     .low = "0",
     .high = "1000000",
     .doc = "power in the line of sight over that of all other paths; 0: Rayleigh fading"},
    {.name = "delay_spread_ns",
     .kind = &wi_kind_number,
     .offset = AT(delay_spread_ns),
     .fallback = "50",
     .low = "0",
     .high = "1000000",
     .doc = "mean of the paths' exponential delays, in ns; 0: all subcarriers fade alike"},
    {.name = "sinusoids",
     .kind = &wi_kind_count,
     .offset = AT(params.n_sinusoids),
     .fallback = "16",
     .low = "4",
     .high = "64",
     .also = "paths",
     .doc = "paths of a channel"},
    {.name = "rate_mbps",
     .kind = &wi_kind_count,
     .offset = AT(params.rate_mbps),
     .fallback = "24",
     .low = "6",
     .high = "54",
     .doc = "of data: 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s"},
    {.name = "reply_mbps",
     .kind = &wi_kind_count,
     .offset = AT(params.reply_mbps),
     .fallback = "6",
     .low = "6",
     .high = "54",
     .doc = "the same, of ACKs and NACKs"},
    {.name = "eesm_beta",
     .kind = &wi_kind_number,
     .offset = AT(params.eesm_beta),
     .fallback = "0",
     .low = "0",
     .high = "10000",
     .doc = "of the effective-SNR mapping for data; 0: 1, 2, 10, 42 by constellation"},
    {.name = "replies",
     .kind = &wi_kind_word,
     .offset = AT(params.replies),
     .words = &reply_words,
     .fallback = "at-once",
     .doc = "ACKs and NACKs of receivers"},
    {.name = "access",
     .kind = &wi_kind_word,
     .offset = AT(params.access),
     .words = &access_words,
     .fallback = "ideal",
     .also = "mac",
     .doc = "who may send when"},
    {.name = "slot",
     .kind = &wi_kind_time,
     .offset = AT(params.slot_ps),
     .fallback = "0s",
     .high = "1s",
     .doc = "`slotted`: length of a slot, 0s for a data frame and its propagation; `csma`: 0s for 9us"},
    {.name = "window",
     .kind = &wi_kind_count,
     .offset = AT(params.window),
     .fallback = "16",
     .low = "1",
     .high = "1048576",
     .doc = "`csma`: slots of back-off to choose from"},
    {.name = "stack",
     .kind = &wi_kind_time,
     .offset = AT(params.stack_ps),
     .fallback = "10us",
     .low = "1ns",
     .high = "1s",
     .doc = "a frame's way from one module of a node to the next; the lookahead"},
    {.name = "channels",
     .kind = &wi_kind_word,
     .offset = AT(channels),
     .words = &channel_words,
     .fallback = "none",
     .doc = "which channels are in `series.h5`, table `channels`"},
};
#undef AT

static wireless_params params_of(const wireless_asked *asked)
{
    wireless_params p = asked->params;
    p.placement_seed = 1;
    p.begin_ps = 0;
    p.end_ps = WEIR_TIME_MAX;
    p.x_m = p.y_m = NULL;
    p.carrier_hz = asked->carrier_ghz * 1e9;
    p.delay_spread_s = asked->delay_spread_ns * 1e-9;
    return p;
}

static int is_rate(uint32_t mbps)
{
    static const uint32_t rates[] = {6, 9, 12, 18, 24, 36, 48, 54};
    for (size_t i = 0; i < N_OF(rates); i++)
        if (rates[i] == mbps)
            return 1;
    return 0;
}

static void check_keys(wi_reader *r, const wi_node *node, void *at)
{
    const wireless_params *p = &((const wireless_asked *)at)->params;
    if (!is_rate(p->rate_mbps))
        wi_complain(r, wi_place_of(node, "rate_mbps"), "rate_mbps is %u; want 6, 9, 12, 18, 24, 36, 48 or 54",
                    p->rate_mbps);
    if (!is_rate(p->reply_mbps))
        wi_complain(r, wi_place_of(node, "reply_mbps"),
                    "reply_mbps is %u; want 6, 9, 12, 18, 24, 36, 48 or 54", p->reply_mbps);
    if (p->packets_per_s > 0.0 && p->packets_per_s < 1e-6)
        wi_complain(r, wi_place_of(node, "packets_per_s"), "packets_per_s is %g; want 0, or 1e-6 and more",
                    p->packets_per_s);
}

typedef struct wireless_subject {
    weir_diag *diag;
    wireless_params params;
    const wireless_asked *asked;
    wi_wireless *made;
    const weir_sim *sim;
    wi_series *series;
    wi_series_table *table;
    wi_wireless_channels channels;
    wireless_stats warm, now; /* at the end of the warm-up; when last looked */
    weir_time last_ps, warm_ps;
} wireless_subject;

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void **made)
{
    wireless_subject *s = calloc(1, sizeof *s);
    *made = s;
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for wireless");
    s->diag = diag;
    s->asked = wi_model_params(scenario);
    s->params = params_of(s->asked);
    return wi_wireless_new(diag, &s->params, &s->made);
}

static void release(void *made)
{
    wireless_subject *s = made;
    if (!s)
        return;
    wi_series_drop(s->series);
    wi_wireless_channels_end(&s->channels);
    wi_wireless_free(s->made);
    free(s);
}

static weir_status estimate(weir_diag *diag, const void *made, weir_estimate *out)
{
    const wireless_subject *s = made;
    const wireless_world *w = wi_wireless_world(s->made);
    (void)diag;
    out->entities = WIRELESS_MODULES * (uint64_t)w->n_nodes;
    out->memory_bytes =
        out->entities * 200 + w->n_links * (sizeof(wireless_link) + 24ull * (w->n_sinusoids + 2));
    return WEIR_OK;
}

static void set_up(void *made, weir_setup *setup)
{
    wi_wireless_setup(((wireless_subject *)made)->made, setup);
}

static weir_status begin(weir_diag *diag, void *made, const wi_sinks *to)
{
    static const wi_series_column columns[] = {{"packets_per_s", "1/s"}, {"delivery_ratio", "1"}};
    static const char *const rows[] = {"all"};
    wireless_subject *s = made;
    s->diag = diag;
    weir_status status = wi_series_open(diag, to, "series.h5", &s->series);
    if (status != WEIR_OK || !s->series)
        return status;
    status = wi_series_table_add(diag, s->series, "wireless", columns, 2, rows, 1, &s->table);
    if (status == WEIR_OK && s->asked->channels)
        status = wi_wireless_channels_begin(diag, s->made, s->series, s->asked->place, &s->channels);
    return status;
}

static weir_status keep(void *made, wi_keeper *k)
{
    wireless_subject *s = made;
    wi_keep_section(k, "results");
    wi_keep(k, &s->warm, sizeof s->warm);
    wi_keep(k, &s->now, sizeof s->now);
    wi_keep(k, &s->last_ps, sizeof s->last_ps);
    wi_keep(k, &s->warm_ps, sizeof s->warm_ps);
    wi_series_keep(s->series, k);
    return wi_keeper_status(k);
}

static weir_status attach(weir_diag *diag, void *made, const weir_sim *sim)
{
    (void)diag;
    ((wireless_subject *)made)->sim = sim;
    return WEIR_OK;
}

/* States of all modules. */
static bool wants(const void *made, bool warm, weir_sim_want *out)
{
    (void)made, (void)warm, (void)out;
    return false;
}

static weir_status look_at(wireless_subject *s, wireless_stats *out)
{
    return wi_wireless_stats(s->diag, (weir_sim *)s->sim, s->made, out);
}

static weir_status warm(void *made)
{
    wireless_subject *s = made;
    s->warm_ps = weir_sim_now(s->sim);
    return look_at(s, &s->warm);
}

static weir_status sample(void *made)
{
    wireless_subject *s = made;
    wireless_stats now;
    weir_status status = look_at(s, &now);
    if (status != WEIR_OK)
        return status;
    const weir_time now_ps = weir_sim_now(s->sim);
    const double arrived = (double)(now.intact + now.lost - s->now.intact - s->now.lost);
    const double row[2] = {(double)(now.packets - s->now.packets) / weir_seconds(now_ps - s->last_ps),
                           (double)(now.intact - s->now.intact) / arrived};
    s->now = now;
    s->last_ps = now_ps;
    if (s->table && (status = wi_series_append(s->diag, s->table, now_ps, row)) == WEIR_OK)
        status = wi_wireless_channels_sample(s->diag, s->made, s->sim, &s->channels);
    return status;
}

/* What arrived was sent; each data frame that arrived was answered once. */
static weir_status check(weir_diag *diag, void *made)
{
    wireless_subject *s = made;
    wireless_stats n;
    const weir_status status = look_at(s, &n);
    if (status != WEIR_OK)
        return status;
    const uint64_t answered = n.answered[0] + n.answered[1], arrived = n.intact + n.lost;
    const uint64_t back = n.acks + n.nacks + n.answers_lost;
    if (n.received > n.intact || arrived > n.sent[WIRELESS_DATA] * (s->params.n_nodes - 1ull) ||
        back > answered || (s->params.replies != WIRELESS_NO_REPLIES && answered != arrived))
        return weir_fail(
            diag, WEIR_E_MODEL,
            "wireless: %llu frames sent, %llu arrived, %llu answered, %llu answers back: these do not add "
            "up; this is a fault of weir",
            (unsigned long long)n.sent[WIRELESS_DATA], (unsigned long long)arrived,
            (unsigned long long)answered, (unsigned long long)back);
    return WEIR_OK;
}

static void look(void *made)
{
    wireless_subject *s = made;
    (void)!look_at(s, &s->now);
}

static weir_status finish(void *made)
{
    wireless_subject *s = made;
    const weir_status status = wi_series_close(s->diag, s->series);
    s->series = NULL;
    return status;
}

static void summarise(const void *made, json_t *summary)
{
    const wireless_subject *s = made;
    const wireless_stats *n = &s->now, *w = &s->warm;
    const double span_s = weir_seconds(weir_sim_now(s->sim) - s->warm_ps);
    const double arrived = (double)(n->intact + n->lost - w->intact - w->lost);
    const uint64_t received = n->received - w->received;
    json_t *o = json_object();
    json_object_set_new(o, "packets", wi_json_count(n->packets - w->packets));
    json_object_set_new(o, "delivery_ratio", wi_json_real((double)(n->intact - w->intact) / arrived));
    json_object_set_new(o, "received", wi_json_count(received));
    json_object_set_new(o, "throughput_bps",
                        wi_json_real(8.0 * s->params.packet_bytes * (double)received / span_s));
    json_object_set_new(o, "delay_mean_s", wi_json_real(n->mean_delay_s));
    json_object_set_new(o, "delay_max_s", wi_json_real(n->most_delay_s));
    json_object_set_new(o, "acks_sent", wi_json_count(n->answered[0] - w->answered[0]));
    json_object_set_new(o, "nacks_sent", wi_json_count(n->answered[1] - w->answered[1]));
    json_object_set_new(o, "acks_received", wi_json_count(n->acks - w->acks));
    json_object_set_new(o, "nacks_received", wi_json_count(n->nacks - w->nacks));
    json_object_set_new(o, "answers_lost", wi_json_count(n->answers_lost - w->answers_lost));
    json_object_set_new(o, "spoilt", wi_json_count(n->spoilt - w->spoilt));
    json_object_set_new(o, "waited", wi_json_count(n->waited - w->waited));
    json_object_set_new(summary, "wireless", o);
}

static void tell(FILE *out, const json_t *summary)
{
    const json_t *o = json_object_get(summary, "wireless");
    fprintf(
        out,
        "wireless: %.0f packets, %.2f %% of receptions intact, %.4g Mbit/s received, mean delay %.3g ms\n",
        wi_number_of(o, "packets"), 100.0 * wi_number_of(o, "delivery_ratio"),
        1e-6 * wi_number_of(o, "throughput_bps"), 1e3 * wi_number_of(o, "delay_mean_s"));
}

const wi_subject wi_subject_wireless = WI_SUBJECT(
        .section = {.name = "wireless",
                    .doc =
                        "A wireless mesh: broadcasts over fading channels, answered with ACKs and NACKs. See "
                        "[wireless.md](wireless.md).",
                    .keys = keys,
                    .n_keys = sizeof keys / sizeof keys[0],
                    .size = sizeof(wireless_asked),
                    .place_offset = offsetof(wireless_asked, place),
                    .check = check_keys},
        .estimate = estimate, .keep = keep, .look = look, .samples_are_series = wi_samples_are_series,
        .tell = tell);
