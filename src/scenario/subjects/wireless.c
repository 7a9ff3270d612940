/* The wireless mesh as a scenario's subject. */
#include <stdio.h>
#include <stdlib.h>

#include "models/wireless/errors.h"
#include "base/memory.h"
#include "models/wireless/stats.h"
#include "subject/subject.h"

typedef struct wireless_asked {
    wireless_params params;
    double delay_spread_ns, carrier_ghz;
    uint32_t channels;
} wireless_asked;

static const wi_word placements[] = {
    {"circle", WIRELESS_CIRCLE, "evenly on a circle of diameter `size_m`"},
    {"grid", WIRELESS_GRID, "a square grid, `size_m` between neighbours"},
    {"random", WIRELESS_RANDOM, "uniformly in a square of side `size_m`"},
};
static const wi_word arrivals[] = {
    {"periodic", 0, "at equal intervals, from a random start"},
    {"poisson", 1, "with exponential pauses"},
};
static const wi_word replies[] = {
    {"none", WIRELESS_NO_REPLIES, "receivers do not answer"},
    {"at-once", WIRELESS_REPLIES_AT_ONCE, "all a SIFS after the frame"},
    {"in-turn", WIRELESS_REPLIES_IN_TURN, "one after the other"},
};
static const wi_word accesses[] = {
    {"ideal", WIRELESS_IDEAL, "frames do not disturb each other"},
    {"aloha", WIRELESS_ALOHA, "at any time; frames that overlap are spoilt"},
    {"slotted", WIRELESS_SLOTTED, "the same, at the beginning of slots only"},
    {"csma", WIRELESS_CSMA, "when the air is silent, after a random back-off if it was not"},
};

static const wi_word kept_channels[] = {
    {"none", 0, "no series of them"},
    {"all", 1,
     "mean and effective SNR and the chance of losing a data frame, of every link, at `output.interval`"},
};

static const wi_key keys[] = {
    WI_KEY("nodes", count, wireless_asked, params.n_nodes, .fallback = "5", .low = "2", .high = "32768",
           .doc = "nodes, each with an application, a MAC and a PHY"),
    WI_KEY("placement", word, wireless_asked, params.placement, .fallback = "circle", WI_WORDS(placements),
           .doc = "where they stand"),
    WI_KEY("size_m", number, wireless_asked, params.size_m, .fallback = "60", .low = "0", .high = "1e9",
           .doc = "size of the placement, in metres"),
    WI_KEY("range_m", number, wireless_asked, params.range_m, .fallback = "0", .low = "0", .high = "1e9",
           .also = "range", .doc = "who is farther hears nothing, in metres; 0: everybody hears everybody"),
    WI_KEY("packets_per_s", number, wireless_asked, params.packets_per_s, .fallback = "1", .low = "0",
           .high = "1000000", .also = "rate", .doc = "broadcast packets of each node, a second; 0: none"),
    WI_KEY("arrivals", word, wireless_asked, params.poisson, .fallback = "periodic", WI_WORDS(arrivals),
           .doc = "when they come"),
    WI_KEY("packet", size32, wireless_asked, params.packet_bytes, .fallback = "1000B", .low = "1B",
           .high = "4095B", .also = "size", .doc = "size of a packet"),
    WI_KEY("speed_m_s", number, wireless_asked, params.speed_m_s, .fallback = "1", .low = "0",
           .high = "100000", .also = "speed",
           .doc = "relative speed of any two nodes, in m/s: how fast channels fade"),
    WI_KEY("carrier_ghz", number, wireless_asked, carrier_ghz, .fallback = "2.4", .low = "0.001",
           .high = "1000", .doc = "carrier frequency, in GHz"),
    WI_KEY("tx_dbm", number, wireless_asked, params.tx_dbm, .fallback = "15", .low = "-100", .high = "100",
           .also = "power", .doc = "transmitted power, in dBm"),
    WI_KEY("noise_figure_db", number, wireless_asked, params.noise_figure_db, .fallback = "7", .low = "0",
           .high = "100", .doc = "of receivers, in dB"),
    WI_KEY("path_loss_exponent", number, wireless_asked, params.path_loss_exponent, .fallback = "3",
           .low = "0", .high = "10", .doc = "power of the distance, from one metre on"),
    WI_KEY("shadowing_db", number, wireless_asked, params.shadowing_db, .fallback = "0", .low = "0",
           .high = "30", .doc = "standard deviation of each pair's log-normal shadowing, in dB"),
    WI_KEY("rician_k", number, wireless_asked, params.rician_k, .fallback = "0", .low = "0",
           .high = "1000000",
           .doc = "power in the line of sight over that of all other paths; 0: Rayleigh fading"),
    WI_KEY("delay_spread_ns", number, wireless_asked, delay_spread_ns, .fallback = "50", .low = "0",
           .high = "1000000",
           .doc = "mean of the paths' exponential delays, in ns; 0: all subcarriers fade alike"),
    WI_KEY("sinusoids", count, wireless_asked, params.n_sinusoids, .fallback = "16", .low = "4", .high = "64",
           .also = "paths", .doc = "paths of a channel"),
    WI_KEY("rate_mbps", count, wireless_asked, params.rate_mbps, .fallback = "24", .low = "6", .high = "54",
           .doc = "of data: 6, 9, 12, 18, 24, 36, 48 or 54 Mbit/s"),
    WI_KEY("reply_mbps", count, wireless_asked, params.reply_mbps, .fallback = "6", .low = "6", .high = "54",
           .doc = "the same, of ACKs and NACKs"),
    WI_KEY("eesm_beta", number, wireless_asked, params.eesm_beta, .fallback = "0", .low = "0",
           .high = "10000", .doc = "of the effective-SNR mapping for data; 0: 1, 2, 10, 42 by constellation"),
    WI_KEY("replies", word, wireless_asked, params.replies, .fallback = "at-once", WI_WORDS(replies),
           .doc = "ACKs and NACKs of receivers"),
    WI_KEY("access", word, wireless_asked, params.access, .fallback = "ideal", WI_WORDS(accesses),
           .also = "mac", .doc = "who may send when"),
    WI_KEY("slot", time, wireless_asked, params.slot_ps, .fallback = "0s", .high = "1s",
           .doc = "`slotted`: length of a slot, 0s for a data frame and its propagation; `csma`: 0s for 9us"),
    WI_KEY("window", count, wireless_asked, params.window, .fallback = "16", .low = "1", .high = "1048576",
           .doc = "`csma`: slots of back-off to choose from"),
    WI_KEY("stack", time, wireless_asked, params.stack_ps, .fallback = "10us", .low = "1ns", .high = "1s",
           .doc = "a frame's way from one module of a node to the next; the lookahead"),
    WI_KEY("channels", word, wireless_asked, channels, .fallback = "none", WI_WORDS(kept_channels),
           .doc = "which channels are in `series.h5`, table `channels`"),
};

static wireless_params params_of(const weir_scenario *scenario)
{
    const wireless_asked *asked = wi_model_params(scenario);
    wireless_params p = asked->params;
    p.placement_seed = scenario->seed;
    p.placement_run = scenario->run;
    p.place = scenario->model.place;
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
    for (size_t i = 0; i < WI_N_OF(rates); i++)
        if (rates[i] == mbps)
            return 1;
    return 0;
}

static void warn_idle(wi_reader *r, const wi_node *node, const wireless_params *p)
{
    const wi_section known = {.keys = keys, .n_keys = WI_N_OF(keys)};
    if (p->access != WIRELESS_SLOTTED && p->access != WIRELESS_CSMA)
        wi_warn_idle(r, wi_given(&known, node, "slot"), "it is for access: slotted and csma");
    if (p->access != WIRELESS_CSMA)
        wi_warn_idle(r, wi_given(&known, node, "window"), "it is for access: csma");
    if (p->replies == WIRELESS_NO_REPLIES)
        wi_warn_idle(r, wi_given(&known, node, "reply_mbps"), "with replies: none nobody answers");
}

static void check_keys(wi_reader *r, const wi_node *node, void *at)
{
    const wireless_params *p = &((const wireless_asked *)at)->params;
    warn_idle(r, node, p);
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

/* ---- results ---- */

static const wi_result_column series_columns[] = {
    WI_SAMPLE("packets_per_s", "1/s", "packets that applications made"),
    WI_SAMPLE("delivery_ratio", "1", "data frames intact, of those that arrived"),
};
static const wi_result_table series = WI_RESULT(SERIES, "wireless", series_columns);

enum { MEAN, EFFECTIVE, ERRORS, CHANNEL_COLUMNS, NAME = 24, CHANNELS_MOST = 100000 /* links */ };
static const wi_result_column channel_columns[CHANNEL_COLUMNS] = {
    WI_SAMPLE("snr_mean_db", "dB", "over the 52 subcarriers, shadowing and fading included"),
    WI_SAMPLE("snr_effective_db", "dB", "for data frames, with a ceiling where nothing is lost any more"),
    WI_SAMPLE("packet_error_rate", "1", "chance that a data frame that arrives then is lost"),
};
static const wi_result_table channel_series = WI_RESULT(SERIES, "channels", channel_columns);

#define SUMMARY(X)                                                                                   \
    X(U64, "packets", "packets", n->packets - w->packets, "made by applications"),                   \
        X(DOUBLE, "delivery_ratio", "1", (double)(n->intact - w->intact) / arrived,                  \
          "data frames intact, of those that arrived"),                                              \
        X(U64, "received", "packets", received, "received by applications, each packet at several"), \
        X(DOUBLE, "throughput_bps", "bit/s",                                                         \
          8.0 * s->params.packet_bytes * (double)received / wi_since_warm_s(run),                    \
          "payload received, over all nodes"),                                                       \
        X(DOUBLE, "delay_mean_s", "s", n->mean_delay_s,                                              \
          "from application to application, the warm-up included"),                                  \
        X(DOUBLE, "delay_max_s", "s", n->most_delay_s, NULL),                                        \
        X(U64, "acks_sent", "", n->answered[0] - w->answered[0], "answers that receivers gave"),     \
        X(U64, "nacks_sent", "", n->answered[1] - w->answered[1], NULL),                             \
        X(U64, "acks_received", "", n->acks - w->acks, "of them, those that came back intact"),      \
        X(U64, "nacks_received", "", n->nacks - w->nacks, NULL),                                     \
        X(U64, "answers_lost", "", n->answers_lost - w->answers_lost, "and those that did not"),     \
        X(U64, "spoilt", "", n->spoilt - w->spoilt, "receptions that another frame overlapped"),     \
        X(U64, "waited", "", n->waited - w->waited, "starts that were put off")
static const wi_result_column columns[] = {SUMMARY(WI_COLUMN)};
static const wi_result_table summary = WI_RESULT(SUMMARY, "wireless", columns);

typedef struct wireless_subject {
    wireless_params params;
    const wireless_asked *asked;
    wi_wireless *made;
    wi_series_table *channels; /* null: none are wanted */
    double *channel_row;       /* [links][CHANNEL_COLUMNS] */
    struct {
        wireless_stats warm, last; /* at the end of the warm-up, and at the sample before */
    } got;
    wireless_stats now;
} wireless_subject;

/* Nodes that are too far from all others send, and nothing of it arrives. */
static void warn_of_the_lonely(weir_diag *diag, const weir_scenario *scenario, const wireless_world *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_nodes; i++)
        n += wireless_first(w)[i] == wireless_first(w)[i + 1];
    if (n > 0)
        weir_warn_at(diag, WEIR_AT(scenario->model.place),
                     "wireless: %u of %u nodes have no other node within range_m, and hear nothing", n,
                     w->n_nodes);
}

static weir_status build(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario, void *made)
{
    (void)self;
    wireless_subject *s = made;
    s->asked = wi_model_params(scenario);
    s->params = params_of(scenario);
    WI_RETURN_IF_FAILED(wi_wireless_new(diag, &s->params, &s->made));
    warn_of_the_lonely(diag, scenario, wi_wireless_world(s->made));
    return WEIR_OK;
}

static void release(void *made)
{
    wireless_subject *s = made;
    free(s->channel_row);
    wi_wireless_free(s->made);
}

static weir_status estimate(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                            const void *made, weir_estimate *out)
{
    (void)self;
    const wireless_world *w = wi_wireless_world(((const wireless_subject *)made)->made);
    (void)diag, (void)scenario;
    out->entities = WIRELESS_MODULES * (uint64_t)w->n_nodes;
    out->memory_bytes =
        out->entities * 200 + w->n_links * (sizeof(wireless_link) + 24ull * (w->n_sinusoids + 2));
    return WEIR_OK;
}

static void set_up(void *made, weir_setup *setup)
{
    wi_wireless_setup(((wireless_subject *)made)->made, setup);
}

/* ---- channels: what each link's fading makes of its SNR, whether or not a frame is on its way ---- */

static double decibels(double ratio)
{
    return weir_log(ratio) * (10.0 / 2.302585092994045684); /* the same bits on every machine */
}

/* "FROM->TO" of each link, in one piece of memory behind the pointers. */
static const char **names_of(const wireless_world *w)
{
    const char **names = malloc((w->n_links + 1) * (sizeof *names + NAME));
    if (!names)
        return NULL;
    char *text = (char *)(names + w->n_links + 1);
    for (uint32_t from = 0; from < w->n_nodes; from++)
        for (uint32_t l = wireless_first(w)[from]; l < wireless_first(w)[from + 1]; l++, text += NAME) {
            snprintf(text, NAME, "%u->%u", from, wireless_links(w)[l].to);
            names[l] = text;
        }
    return names;
}

static weir_status open_channels(wireless_subject *s, const wi_subject_run *run)
{
    const wireless_world *w = wi_wireless_world(s->made);
    if (!s->asked->channels || !run->series)
        return WEIR_OK;
    if (w->n_links > CHANNELS_MOST)
        return weir_fail_at(
            run->diag, WEIR_E_ARG, WEIR_AT(run->scenario->model.place),
            "wireless: channels: all of %u links; the most are %d: want fewer nodes, or a shorter range_m",
            w->n_links, (int)CHANNELS_MOST);
    WI_FREED const char **names = names_of(w);
    s->channel_row = malloc(((size_t)w->n_links + 1) * CHANNEL_COLUMNS * sizeof *s->channel_row);
    return names && s->channel_row
               ? wi_series_table_add(run->diag, run->series, &channel_series, names, w->n_links, &s->channels)
               : weir_fail(run->diag, WEIR_E_NOMEM, "no memory for %u channels", w->n_links);
}

static weir_status sample_channels(wireless_subject *s, const wi_subject_run *run)
{
    const wireless_world *w = wi_wireless_world(s->made);
    const weir_time now_ps = weir_sim_now(run->sim);
    if (!s->channels)
        return WEIR_OK;
    for (uint32_t l = 0; l < w->n_links; l++) {
        double mean, effective, *to = s->channel_row + (size_t)l * CHANNEL_COLUMNS;
        wi_wireless_channel(s->made, run->sim, l, now_ps, &mean, &effective);
        to[MEAN] = decibels(mean);
        to[EFFECTIVE] = decibels(effective);
        to[ERRORS] = wireless_packet_errors(&w->data_rate, effective, w->frame_bits[WIRELESS_DATA]);
    }
    return wi_series_append(run->diag, s->channels, now_ps, s->channel_row);
}

/* ---- results ---- */

static weir_status look_at(const wireless_subject *s, const wi_subject_run *run, wireless_stats *out)
{
    return wi_wireless_stats(run->diag, (weir_sim *)(uintptr_t)run->sim, s->made, out);
}

static weir_status append(wireless_subject *s, const wi_subject_run *run)
{
    const wireless_stats last = s->got.last;
    WI_RETURN_IF_FAILED(look_at(s, run, &s->got.last));
    const wireless_stats *now = &s->got.last;
    const double arrived = (double)(now->intact + now->lost - last.intact - last.lost);
    weir_status status = wi_subject_append(
        run, (const double[]){(double)(now->packets - last.packets) / wi_since_sample_s(run),
                              (double)(now->intact - last.intact) / arrived});
    return status ?: sample_channels(s, run);
}

static weir_status sample(void *made, wi_subject_run *run, wi_moment moment)
{
    wireless_subject *s = made;
    switch (moment) {
    case WI_AT_OPEN:
        return open_channels(s, run);
    case WI_AT_WARM:
        return look_at(s, run, &s->got.warm);
    case WI_AT_SAMPLE:
        return append(s, run);
    case WI_AT_NOW:
        return look_at(s, run, &s->now);
    default:
        return WEIR_OK;
    }
}

/* What arrived was sent; each data frame that arrived was answered once. */
static weir_status check(void *made, const wi_subject_run *run)
{
    wireless_subject *s = made;
    wireless_stats n;
    WI_RETURN_IF_FAILED(look_at(s, run, &n));
    const uint64_t answered = n.answered[0] + n.answered[1], arrived = n.intact + n.lost;
    const uint64_t back = n.acks + n.nacks + n.answers_lost;
    if (n.received > n.intact || arrived > n.sent[WIRELESS_DATA] * (s->params.n_nodes - 1ull) ||
        back > answered || (s->params.replies != WIRELESS_NO_REPLIES && answered != arrived))
        return weir_fail(run->diag, WEIR_E_MODEL,
                         "wireless: %llu frames sent, %llu arrived, %llu answered, %llu answers back: these "
                         "do not add up; this is a fault of weir",
                         (unsigned long long)n.sent[WIRELESS_DATA], (unsigned long long)arrived,
                         (unsigned long long)answered, (unsigned long long)back);
    return WEIR_OK;
}

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    const wireless_subject *s = made;
    const wireless_stats *n = &s->now, *w = &s->got.warm;
    if (purpose != WI_FOR_SUMMARY)
        return WEIR_OK;
    const double arrived = (double)(n->intact + n->lost - w->intact - w->lost);
    const uint64_t received = n->received - w->received;
    wi_result_put(into, &summary, (const wi_cell[]){SUMMARY(WI_CELL)}, 0);
    return WEIR_OK;
}

static const wi_line lines[] = {
    {"wireless: {packets:.0} packets, {delivery_ratio:%} of receptions intact, {throughput_bps} received, "
     "mean delay {delay_mean_s}"},
};
static const char *const usual[] = {"wireless.delivery_ratio", "wireless.delay_mean_s",
                                    "wireless.throughput_bps", NULL};
static const wi_result_table *const results[] = {&summary, &series, &channel_series, NULL};

/* check_keys, for the JSON Schema. */
#define RATES_MBPS \
    "{'enum': [6, 9, 12, 18, 24, 36, 48, 54, '6', '9', '12', '18', '24', '36', '48', '54', null]}"

const wi_subject wi_subject_wireless = WI_SUBJECT(
    NULL, wireless_subject, WI_READS_ALL,
    WI_SECTION("wireless", keys, wireless_asked,
               .doc = "A wireless mesh: broadcasts over fading channels, answered with ACKs and NACKs. See "
                      "[wireless.md](wireless.md).",
               .rules = "[{'properties': {'rate_mbps': " RATES_MBPS ", 'reply_mbps': " RATES_MBPS "}}]",
               .check = check_keys),
    .sample = sample, WI_KEPT(wireless_subject, got), .series = &series, .results = results, .usual = usual,
    WI_LINES(lines));
