/* The keys of `model: {wireless: ...}`. */
#include "scenario/subjects/wireless/keys.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

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

const wi_key wi_wireless_keys[WI_WIRELESS_N_KEYS] = {
    WI_KEY("nodes", count, wireless_asked, params.n_nodes, .fallback = "5", .low = "2", .high = "32768",
           .doc = "nodes, each with an application, a MAC and a PHY"),
    WI_KEY("placement", word, wireless_asked, params.placement, .fallback = "circle",
           .words = &placement_words, .doc = "where they stand"),
    WI_KEY("size_m", number, wireless_asked, params.size_m, .fallback = "60", .low = "0", .high = "1e9",
           .doc = "size of the placement, in metres"),
    WI_KEY("range_m", number, wireless_asked, params.range_m, .fallback = "0", .low = "0", .high = "1e9",
           .also = "range", .doc = "who is farther hears nothing, in metres; 0: everybody hears everybody"),
    WI_KEY("packets_per_s", number, wireless_asked, params.packets_per_s, .fallback = "1", .low = "0",
           .high = "1000000", .also = "rate", .doc = "broadcast packets of each node, a second; 0: none"),
    WI_KEY("arrivals", word, wireless_asked, params.poisson, .fallback = "periodic", .words = &arrival_words,
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
    WI_KEY("replies", word, wireless_asked, params.replies, .fallback = "at-once", .words = &reply_words,
           .doc = "ACKs and NACKs of receivers"),
    WI_KEY("access", word, wireless_asked, params.access, .fallback = "ideal", .words = &access_words,
           .also = "mac", .doc = "who may send when"),
    WI_KEY("slot", time, wireless_asked, params.slot_ps, .fallback = "0s", .high = "1s",
           .doc = "`slotted`: length of a slot, 0s for a data frame and its propagation; `csma`: 0s for 9us"),
    WI_KEY("window", count, wireless_asked, params.window, .fallback = "16", .low = "1", .high = "1048576",
           .doc = "`csma`: slots of back-off to choose from"),
    WI_KEY("stack", time, wireless_asked, params.stack_ps, .fallback = "10us", .low = "1ns", .high = "1s",
           .doc = "a frame's way from one module of a node to the next; the lookahead"),
    WI_KEY("channels", word, wireless_asked, channels, .fallback = "none", .words = &channel_words,
           .doc = "which channels are in `series.h5`, table `channels`"),
};

wireless_params wi_wireless_params_of(const wireless_asked *asked)
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

void wi_wireless_check_keys(wi_reader *r, const wi_node *node, void *at)
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
