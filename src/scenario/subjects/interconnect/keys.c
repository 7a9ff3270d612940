/* The keys of `model: {interconnect: ...}`. */
#include "scenario/subjects/interconnect/interconnect.h"

static const wi_word routings[] = {
    {"minimal", IC_MINIMAL, "the shortest way; torus: dimension order; tree: up by the target's digits"},
    {"valiant", IC_VALIANT, "dragonfly: over a random other group"},
    {"ugal", IC_UGAL, "dragonfly: the better of both at the first router (UGAL-L)"},
    {"par", IC_PAR, "dragonfly: the same, and once more at the second router"},
    {"adaptive", IC_ADAPTIVE, "tree: up where least waits"},
};
static const wi_word arbitrations[] = {
    {"auto", IC_ARBITRATION_AUTO, "the oldest in a torus, else round robin"},
    {"round-robin", IC_ROUND_ROBIN_CHUNKS, "inputs and virtual channels in turn"},
    {"oldest", IC_OLDEST, "the packet that has been in the network longest"},
    {"transit", IC_TRANSIT, "in turn, packets from terminals after all others"},
};
static const wi_word modes[] = {
    {"hybrid", WI_HYBRID,
     "the network is suspended; its packets come back as zombies, which nobody receives"},
    {"hybrid-lite", WI_HYBRID_LITE, "the network runs on and empties"},
    {"none", WI_IC_MODE_NONE, "full detail all the time, as without the section"},
};
static const wi_word predictors[] = {
    {"mean", WI_PREDICTOR_mean, "the mean latency of the pair"},
    {"quantile", WI_PREDICTOR_quantile, "a latency drawn from the pair's distribution"},
};

static const wi_key dragonfly_keys[] = {
    WI_KEY("p", count, ic_asked, params.p, .fallback = "2", .low = "1", .high = "253",
           .also = "hosts terminals", .doc = "terminals of a router"),
    WI_KEY("a", count, ic_asked, params.a, .fallback = "4", .low = "1", .high = "253", .also = "routers",
           .doc = "routers of a group"),
    WI_KEY("h", count, ic_asked, params.h, .fallback = "2", .low = "1", .high = "253", .also = "global",
           .doc = "global links of a router"),
    WI_KEY("groups", count, ic_asked, params.groups, .fallback = "most", .word = "most", .word_value = 0,
           .high = "65534", .also = "g", .doc = "groups; most: a h + 1"),
};
static const wi_section dragonfly_section = WI_SECTION("dragonfly", dragonfly_keys, ic_asked);

static const wi_key tree_keys[] = {
    WI_KEY("k", count, ic_asked, params.k, .fallback = "4", .low = "2", .high = "127", .also = "arity radix",
           .doc = "switches have k ports down and k up"),
    WI_KEY("levels", count, ic_asked, params.levels, .fallback = "3", .low = "1", .high = "12", .also = "n",
           .doc = "levels of switches; k^levels terminals"),
};
static const wi_section tree_section = WI_SECTION("tree", tree_keys, ic_asked);

static const wi_key torus_keys[] = {
    WI_KEY("size", text, ic_asked, torus_size, .fallback = "4x4x4", .also = "dims dimensions",
           .doc = "routers along each dimension, up to six"),
    WI_KEY("terminals", count, ic_asked, torus_terminals, .fallback = "1", .low = "1", .high = "243",
           .also = "p hosts", .doc = "terminals of a router"),
};
static const wi_section torus_section = WI_SECTION("torus", torus_keys, ic_asked);

/* Channels of a kind, which fill the member `of` of the parameters. */
#define CHANNEL(of, delay_default, buffer_default)                                                      \
    static const wi_key of##_keys[] = {                                                                 \
        WI_KEY("rate", rate, ic_asked, params.of.rate_bps, .fallback = "16Gbps", .low = "1kbps",        \
               .high = "1000Tbps", .also = "bandwidth", .doc = "of each direction"),                    \
        WI_KEY("delay", time, ic_asked, params.of.delay_ps, .fallback = delay_default, .high = "1s",    \
               .also = "latency", .doc = "of the wire"),                                                \
        WI_KEY("buffer", size, ic_asked, params.of.buffer_bytes, .fallback = buffer_default,            \
               .also = "vc_size", .doc = "of each virtual channel at the receiver; at least a packet"), \
    };                                                                                                  \
    static const wi_section of##_section = WI_SECTION(#of " channel", of##_keys, ic_asked)
CHANNEL(terminal, "10ns", "32KiB");
CHANNEL(local, "10ns", "16KiB");
CHANNEL(global, "100ns", "16KiB");

static const wi_key period_keys[] = {
    WI_KEY("from", time, wi_period, from_ps, .required = true, .also = "start begin",
           .doc = "round the network from here"),
    WI_KEY("until", time, wi_period, until_ps, .required = true, .also = "to end stop", .doc = "back in it"),
    WI_KEY("track", time, wi_period, track_ps, .required = true, .above = "0s", .also = "window",
           .doc = "so long before `from` latencies are noted"),
};
static const wi_section period_section =
    WI_SECTION("surrogate period", period_keys, wi_period, .place_offset = offsetof(wi_period, place));

static const wi_word whens[] = {
    {"settled", false, "where the latencies of single sources do not drift while they are tracked"},
    {"always", true, "in all, whatever they do"},
};
static const wi_key surrogate_keys[] = {
    WI_KEY("mode", word, ic_asked, mode, .fallback = "hybrid", WI_WORDS(modes),
           .doc = "what becomes of the network meanwhile"),
    WI_KEY("predictor", word, ic_asked, params.predictor, .fallback = "mean", WI_WORDS(predictors),
           .doc = "how latencies are told"),
    WI_KEY("periods", list, ic_asked, director.periods,
           .count_offset = offsetof(ic_asked, director.n_periods), .section = &period_section,
           .unset = "automatic", .doc = "when; without them it switches by itself"),
    WI_KEY("when", word, ic_asked, director.always, .fallback = "settled", .with = "periods", WI_WORDS(whens),
           .doc = "periods: in which of them"),
    WI_KEY("batch", time, ic_asked, director.batch_ps, .fallback = "100us", .above = "0s",
           .doc = "automatic: how often it looks"),
    WI_KEY("batches", count, ic_asked, director.batches, .fallback = "10", .low = "4", .high = "64",
           .doc = "automatic: an even number of them is compared, the older half with the newer"),
    WI_KEY("tolerance", share, ic_asked, director.tolerance, .fallback = "5%", .above = "0", .below = "1",
           .doc = "automatic: stationary when the means of both halves, of latency, occupancy, packets sent "
                  "and delivered, and the growth of backlogs, differ by no more; settled: twice that"),
    WI_KEY("change", share, ic_asked, director.change, .fallback = "20%", .above = "0", .below = "1",
           .doc = "automatic: back when the packets sent or delivered, or the growth of backlogs, differ by "
                  "more from those tracked, in two batches after each other"),
    WI_KEY("longest", time, ic_asked, director.longest_ps, .absent = -1, .unset = "no bound", .above = "0s",
           .doc = "automatic: back after that long"),
};
static const wi_section surrogate_section = WI_SECTION("surrogate", surrogate_keys, ic_asked);

/* The sections above describe members of the same struct, so they stand at offset 0 of it. */
const wi_key wi_ic_keys[WI_IC_N_KEYS] = {
    WI_PART("dragonfly", dragonfly_section, .place_offset = offsetof(ic_asked, dragonfly_place),
            .unset = "the default is a dragonfly of 72 terminals", .doc = "a dragonfly of one dimension"),
    WI_PART("tree", tree_section, .place_offset = offsetof(ic_asked, tree_place), .unset = "not this wiring",
            .doc = "a k-ary n-tree, a fat-tree"),
    WI_PART("torus", torus_section, .place_offset = offsetof(ic_asked, torus_place),
            .unset = "not this wiring", .doc = "a torus of any dimensions"),
    WI_KEY("routing", word, ic_asked, params.routing, .fallback = "minimal", WI_WORDS(routings),
           .doc = "how packets find their way"),
    WI_PART("terminal", terminal_section, .always = true, .also = "cn",
            .doc = "between terminals and routers"),
    WI_PART("local", local_section, .always = true, .also = "link",
            .doc = "inside a group; all between routers of a tree or torus"),
    WI_PART("global", global_section, .always = true, .doc = "dragonfly: between groups"),
    WI_KEY("router_delay", time, ic_asked, params.router_ps, .fallback = "100ns", .high = "1s",
           .also = "delay", .doc = "from a chunk's arrival until it can be arbitrated for; of credits too"),
    WI_KEY("nic_delay", time, ic_asked, params.nic_ps, .fallback = "100ns", .high = "1s",
           .doc = "at the receiving terminal"),
    WI_KEY("chunk", size32, ic_asked, params.chunk_bytes, .fallback = "64B", .low = "1B", .high = "1MiB",
           .also = "flit", .doc = "what is stored and forwarded"),
    WI_KEY("packet", size32, ic_asked, params.packet_bytes, .fallback = "4KiB", .low = "1B", .also = "mtu",
           .doc = "most bytes of a packet, in whole chunks; at most 255 of them"),
    WI_KEY("burst", count, ic_asked, params.burst, .fallback = "1", .low = "1", .high = "255",
           .doc = "chunks of one packet that an output may send in one go; fewer events with more"),
    WI_KEY("arbitration", word, ic_asked, params.arbitration, .fallback = "auto", WI_WORDS(arbitrations),
           .also = "arbiter priority", .doc = "which of the packets that wait for an output goes first"),
    WI_KEY("credits", count, ic_asked, params.batch, .fallback = "auto", .word = "auto", .word_value = 0,
           .high = "65535", .also = "batch",
           .doc = "chunks whose credits go back together; auto: a 32nd of the buffer, at most 16"),
    WI_KEY("bias", count, ic_asked, params.bias, .fallback = "0", .high = "16777216",
           .doc = "ugal, par: chunks times hops in favour of the minimal way"),
    WI_KEY("pairs", bool, ic_asked, params.per_pair, .fallback = "false", .also = "per_pair",
           .doc = "write latencies of each pair of terminals"),
    WI_KEY("jobs", list, ic_asked, jobs, .required = true, .count_offset = offsetof(ic_asked, n_jobs),
           .section = &wi_ic_job_section, .also = "job traffic workload",
           .doc = "what runs; ranks are placed job after job"),
    WI_PART("surrogate", surrogate_section, .place_offset = offsetof(ic_asked, director.place),
            .unset = "never", .doc = "packets go round the network for a while"),
};

bool wi_ic_hides(const wi_key *key, const void *at)
{
    const ic_asked *a = at;
    return key->section == &global_section && (a->tree_place.file || a->torus_place.file);
}

/* Where each parameter stands, or what holds it where it is a default. */
static void note_places(const wi_node *node, ic_asked *a)
{
    static const struct {
        ic_at about;
        const char *section, *key;
    } keys[] = {{IC_AT_TERMINAL, NULL, "terminal"},
                {IC_AT_LOCAL, NULL, "local"},
                {IC_AT_GLOBAL, NULL, "global"},
                {IC_AT_ROUTING, NULL, "routing"},
                {IC_AT_PACKET, NULL, "packet"},
                {IC_AT_SURROGATE, NULL, "surrogate"},
                {IC_AT_P, "dragonfly", "p"},
                {IC_AT_A, "dragonfly", "a"},
                {IC_AT_H, "dragonfly", "h"},
                {IC_AT_GROUPS, "dragonfly", "groups"},
                {IC_AT_K, "tree", "k"},
                {IC_AT_LEVELS, "tree", "levels"},
                {IC_AT_SIZE, "torus", "size"},
                {IC_AT_P, "torus", "terminals"}};
    const char *wiring = a->tree_place.file ? "tree" : a->torus_place.file ? "torus" : "dragonfly";
    for (uint32_t i = 0; i < IC_AT_N; i++)
        a->where[i] = a->place;
    a->where[IC_AT_WIRING] = wi_place_of(node, wiring);
    for (size_t i = 0; i < WI_N_OF(keys); i++) {
        const wi_node *in = keys[i].section ? wi_node_child(node, keys[i].section) : node;
        if (in && in->type == WI_MAPPING)
            a->where[keys[i].about] = wi_place_of(in, keys[i].key);
    }
}

static void warn_idle(wi_reader *r, const wi_node *node, const ic_asked *a)
{
    static const char *const automatic[] = {"batch", "batches", "change", "longest"};
    for (size_t i = 0; i < WI_N_OF(automatic) && a->director.n_periods > 0; i++)
        wi_warn_idle(r, wi_given(&surrogate_section, wi_node_child(node, "surrogate"), automatic[i]),
                     "it is for a surrogate without periods");
}

void wi_ic_check_keys(wi_reader *r, const wi_node *node, void *at)
{
    ic_asked *a = at;
    ic_params *p = &a->params;
    note_places(node, a);
    warn_idle(r, node, a);
    p->wiring = a->tree_place.file ? IC_TREE : a->torus_place.file ? IC_TORUS : IC_DRAGONFLY;
    if (p->wiring == IC_TORUS) {
        p->p = a->torus_terminals;
        p->dimensions = wi_ic_sizes(a->torus_size, p->size, IC_DIMENSIONS_MAX);
    }
    if ((a->dragonfly_place.file != NULL) + (a->tree_place.file != NULL) + (a->torus_place.file != NULL) > 1)
        wi_complain(r, a->place, "interconnect: several wirings; want one of dragonfly, tree and torus");
    if ((a->tree_place.file || a->torus_place.file) && wi_node_child(node, "global"))
        wi_complain(r, wi_place_of(node, "global"), "global: only a dragonfly has such channels");
    if (p->wiring == IC_TORUS && !p->dimensions)
        wi_complain(r, wi_place_of(wi_node_child(node, "torus"), "size"),
                    "torus.size is '%s'; want one to six whole numbers, as 4x4x4", a->torus_size);
    if (a->n_jobs == 0)
        wi_complain(r, wi_place_of(node, "jobs"), "jobs: want one or more");
}
