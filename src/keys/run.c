/* Keys of `routing`, `engine`, `fluid` and `output`. */
#include "keys/keys.h"
#include "weir/units.h"

static const wi_word metrics[] = {
    {"hops", WEIR_METRIC_HOPS, "each link costs 1"},
    {"delay", WEIR_METRIC_DELAY, "propagation delay"},
    {"weight", WEIR_METRIC_WEIGHT, "the topology's weights, 1 where it has none"},
    {"inverse-rate", WEIR_METRIC_INVERSE_RATE, "100 Gb/s over the rate"},
};
static const wi_word forwardings[] = {
    {"auto", WEIR_SC_FORWARD_AUTO, "by the number of pairs and the memory that tables need"},
    {"table", WEIR_SC_FORWARD_TABLE, "next-hop tables"},
    {"source", WEIR_SC_FORWARD_SOURCE, "each flow carries its path"},
};

typedef weir_scenario_routing routing_t;
static const wi_key routing_keys[] = {
    WI_KEY("metric", word, routing_t, metric, .fallback = "hops", WI_WORDS(metrics), .also = "cost",
           .doc = "what a shortest path is short in"),
    WI_KEY("ecmp", bool, routing_t, ecmp, .fallback = "false", .also = "multipath",
           .doc = "flows spread over equal-cost paths by a hash"),
    WI_KEY("spray", bool, routing_t, spray, .fallback = "false", .also = "packet_spraying",
           .doc = "with `ecmp`: packets spread over equal-cost paths, each by itself"),
    WI_KEY("flowlets", time, routing_t, flowlets_ps, .unset = "none", .low = "100ns", .high = "100s",
           .also = "flowlet flowlet_timeout",
           .doc = "with `ecmp`: what a flow sends after such a pause may take another path"),
    WI_KEY("forwarding", word, routing_t, forwarding, .fallback = "auto",
           .place_offset = offsetof(routing_t, forwarding_place), WI_WORDS(forwardings),
           .doc = "how packets find their way"),
    WI_KEY("ttl", count, routing_t, ttl, .fallback = "64", .low = "1", .high = "255",
           .doc = "links after which a packet is dropped"),
    WI_KEY("convergence", time, routing_t, convergence_ps, .fallback = "0s", .high = "1d",
           .also = "reconvergence", .doc = "time from a failure or repair (`events`) until routes follow"),
};
static const wi_clash routing_clashes[] = {
    {"spray=true", "ecmp=false", "which leaves one path; want ecmp: true"},
    {"flowlets", "ecmp=false", "which leaves one path; want ecmp: true"},
    {"flowlets", "spray=true", "which spreads each packet by itself; keep one"},
};
const wi_section wi_section_routing =
    WI_SECTION("routing", routing_keys, routing_t, .place_offset = offsetof(routing_t, place),
               .clashes = routing_clashes, .n_clashes = WI_N_OF(routing_clashes));

static const wi_word engines[] = {
    {"auto", WEIR_SC_ENGINE_AUTO,
     "begins on one core, and goes on where a trial was faster: all cores, or a CUDA device; under mpirun, "
     "and on "
     "several cores, `conservative`, or `optimistic` where a lookahead leaves that no windows; `threads: N` "
     "keeps "
     "it to N cores and off devices"},
    {"sequential", WEIR_SC_ENGINE_SEQUENTIAL, "one core"},
    {"conservative", WEIR_SC_ENGINE_CONSERVATIVE,
     "all cores, and the processes that mpirun starts, in time windows"},
    {"optimistic", WEIR_SC_ENGINE_OPTIMISTIC, "all cores, ahead of time with rollback", false},
    {"gpu", WEIR_SC_ENGINE_GPU, "a CUDA device", true},
    {"check", WEIR_SC_ENGINE_CHECK,
     "sequential; handles, rolls back, compares and handles again every event"},
};

typedef weir_scenario_engine engine_t;
static const wi_key engine_keys[] = {
    WI_KEY("type", word, engine_t, type, .fallback = "auto", WI_WORDS(engines),
           .place_offset = offsetof(engine_t, type_place), .doc = "engine; results do not depend on it"),
    WI_KEY(
        "threads", count, engine_t, threads, .fallback = "auto", .word = "auto", .low = "1", .high = "4096",
        .also = "cores cpus",
        .doc =
            "threads of the conservative and the optimistic engine, in each process, and of engine `auto` at "
            "most; `auto` is one a core there"),
    WI_KEY("lp-size", count, engine_t, lp_size, .fallback = "auto", .word = "auto", .low = "1",
           .high = "1048576", .doc = "gpu: entities of an LP, a power of two; `auto` measures while it runs"),
    WI_KEY("device", count, engine_t, device, .fallback = "0", .high = "255",
           .doc = "gpu: number of the CUDA device"),
    WI_KEY("host-driven", bool, engine_t, host_driven, .fallback = "false",
           .doc = "gpu: a kernel launch for each step, instead of one kernel that stays"),
    WI_KEY("memory", size, engine_t, memory_bytes, .fallback = "auto",
           .place_offset = offsetof(engine_t, memory_place), .word = "auto", .above = "0B",
           .doc = "optimistic: bound of what each process keeps to take events back, and of events on their "
                  "way; near it the engine slows down; `auto` is 64 MiB a thread"),
    WI_KEY("gvt-events", count64, engine_t, gvt_events, .fallback = "auto", .word = "auto", .low = "1",
           .also = "gvt gvt-interval",
           .doc = "optimistic: events that a thread handles between two rounds of the GVT; `auto` is 2048"),
    WI_KEY("window", time, engine_t, window_ps, .fallback = "auto", .word = "auto", .above = "0s",
           .also = "optimism throttle",
           .doc = "optimistic: how far a thread may be ahead of the GVT; `auto` is as far as memory and "
                  "rollbacks allow"),
    WI_KEY("stress", count64, engine_t, stress, .fallback = "0",
           .doc = "optimistic: seed of random delays of threads and messages, which force rollbacks and "
                  "change no result; of an odd seed one thread has all turns, so that a run repeats exactly. "
                  "For tests; 0 is none"),
};
const wi_section wi_section_engine =
    WI_SECTION("engine", engine_keys, engine_t, .place_offset = offsetof(engine_t, place));

typedef weir_scenario_steady steady_t;
static const wi_key steady_keys[] = {
    WI_KEY("skip", bool, steady_t, skip, .fallback = "false",
           .doc = "where all flows of the network stand still, it is moved on in time, to what changes next, "
                  "and what it would have sent is counted"),
    WI_KEY("error", share, steady_t, error, .fallback = "1%", .above = "0", .below = "1", .also = "tolerance",
           .doc = "of its rate by which a skip may be off for any flow"),
};
const wi_section wi_section_steady =
    WI_SECTION("steady", steady_keys, steady_t, .place_offset = offsetof(steady_t, place));

static const wi_word devices[] = {
    {"auto", WEIR_SC_DEVICE_AUTO, "a CUDA device where there is one"},
    {"cpu", WEIR_SC_DEVICE_CPU, NULL},
    {"cuda", WEIR_SC_DEVICE_CUDA, NULL, true},
};
static const wi_word couplings[] = {
    {"lockstep", WEIR_SC_COUPLING_LOCKSTEP, "packets and fluid take turns"},
    {"async", WEIR_SC_COUPLING_ASYNC, "the fluid runs ahead in batches on a thread of its own"},
};
static const wi_word fluid_tcps[] = {
    {"calibrated", WEIR_SC_FLUID_TCP_CALIBRATED, "W² = 1.64/(b·p), as TCP with b segments an ACK has it"},
    {"paper", WEIR_SC_FLUID_TCP_PAPER, "W² = 2/p"},
};
static const wi_word laws[] = {
    {"conserving", WEIR_SC_FLUID_LAW_CONSERVING, "no byte vanishes"},
    {"paper", WEIR_SC_FLUID_LAW_PAPER, "the equations as printed, to compare with the paper's figures"},
};
static const wi_word orders[] = {{"1", 1, NULL}, {"2", 2, NULL}};
static const wi_word precisions[] = {
    {"single", WEIR_SC_PRECISION_SINGLE, NULL},
    {"double", WEIR_SC_PRECISION_DOUBLE, NULL},
};

typedef weir_scenario_fluid fluid_t;
static const wi_key fluid_keys[] = {
    WI_KEY("step", time, fluid_t, step_ps, .fallback = "auto", .word = "auto", .above = "0s",
           .also = "delta dt",
           .doc = "time step; `auto` is a 16th of the smallest link delay on a fluid path (a tenth beside "
                  "packets), or a 128th of the mean round trip, queues included, where that delay is less "
                  "than a fortieth of it, and for fluid alone wherever all ways back are as long as 16 such "
                  "steps; at most 1 ms"),
    WI_KEY("device", word, fluid_t, device, .fallback = "auto", WI_WORDS(devices),
           .doc = "where the fluid is solved; results do not depend on it"),
    WI_KEY("batch", count, fluid_t, batch, .fallback = "auto", .word = "auto", .low = "1",
           .doc = "the fluid's queues take in what packets left once in `batch` times `lookahead` steps; "
                  "`auto` is 1 in lockstep, and otherwise adapts to bound the error of late feedback"),
    WI_KEY("lookahead", count, fluid_t, lookahead, .fallback = "auto", .word = "auto", .low = "1",
           .also = "tau",
           .doc = "steps that the fluid takes at once; `auto` is 1 in lockstep where `step` is given, else a "
                  "32nd of the mean round trip, and without lockstep as many as the smallest delay allows"),
    WI_KEY("prefetch", bool, fluid_t, prefetch, .fallback = "true",
           .doc = "hand to the packets all steps that are done, and of the ports on their paths only"),
    WI_KEY(
        "fixup", bool, fluid_t, fixup, .fallback = "true",
        .doc =
            "packets leave a queue while the fluid leaves the line idle; without, only at the next exchange"),
    WI_KEY("aggregate", bool, fluid_t, aggregate, .fallback = "true",
           .doc = "hosts that are alike are reckoned as one: one link, to the same router, equal rate, "
                  "delay, loss and drop-tail queue, and to a tenth as many sessions of the same flows"),
    WI_KEY("coupling", word, fluid_t, coupling, .fallback = "lockstep", WI_WORDS(couplings),
           .doc = "how fluid and packets meet"),
    WI_KEY("tcp", word, fluid_t, tcp, .fallback = "calibrated", WI_WORDS(fluid_tcps),
           .doc = "the window's answer to losses"),
    WI_KEY("law", word, fluid_t, law, .fallback = "conserving", WI_WORDS(laws),
           .doc = "equations of a queue"),
    WI_KEY("order", word, fluid_t, order, .fallback = "2", WI_WORDS(orders), .doc = "order of the solver"),
    WI_KEY("precision", word, fluid_t, precision, .fallback = "single", WI_WORDS(precisions),
           .doc = "of floating-point numbers"),
};
const wi_section wi_section_fluid =
    WI_SECTION("fluid", fluid_keys, fluid_t, .doc = "For classes whose `fidelity` is not `packet`.",
               .place_offset = offsetof(fluid_t, place));

typedef weir_scenario_output output_t;

static const wi_form ports_forms[] = {
    {.tag = WEIR_SC_PORTS_ALL, .key = {.name = "all"}},
    {.tag = WEIR_SC_PORTS_NONE, .key = {.name = "none"}},
};
static const wi_key ports_other = WI_KEY("ports", links, output_t, port);
static const wi_tagged ports_tagged = {
    .forms = ports_forms,
    .n = WI_N_OF(ports_forms),
    .other = &ports_other,
    .other_tag = WEIR_SC_PORTS_LIST,
    .other_types = 1u << WI_SCALAR | 1u << WI_SEQUENCE,
    .wants = "all, none, or a list of links such as [\"A->B\"]",
    .tag_offset = offsetof(output_t, ports),
};

static const wi_key output_keys[] = {
    WI_KEY("warmup", time, output_t, warmup_ps, .fallback = "0s",
           .doc = "start of the run that all statistics leave out; less than `duration`"),
    WI_KEY("interval", time, output_t, interval_ps, .above = "0s", .also = "sampling period",
           .unset = "a hundredth of `duration`", .doc = "time between samples of time series"),
    {.name = "ports",
     .kind = &wi_kind_tagged,
     .tagged = &ports_tagged,
     .fallback = "none",
     .doc = "ports whose time series are written, by their links; `all`: those of routers, `'*'`: hosts' own "
            "too. Totals are written of all"},
    WI_KEY("cwnd", names, output_t, cwnd, .also = "windows flows", .unset = "none",
           .doc = "TCP classes whose congestion windows are written as time series"),
    WI_KEY("pcap", interfaces, output_t, pcap, .place_offset = offsetof(output_t, pcap_place),
           .also = "capture captures", .unset = "none",
           .doc = "interfaces whose packets are written as captures (pcapng): `A->B` what leaves A toward B, "
                  "`A--B` both directions at A, a node's name both directions at its host"),
    WI_KEY("histograms", bool, output_t, histograms, .fallback = "true", .also = "percentiles",
           .doc = "histograms of delays and completion times, for percentiles"),
    WI_KEY("slowdown_sizes", names, output_t, slowdown_sizes, .also = "size_bins buckets bins",
           .unset = "1kB, 10kB, 100kB, 1MB, 10MB, 100MB",
           .doc = "sizes at which `slowdown.csv` divides flows, rising, 15 at most; a row holds those up to "
                  "its size"),
    WI_PART("flow_monitor", wi_section_monitor, .place_offset = offsetof(output_t, flow_monitor.place),
            .also = "flowmon flowmonitor flow-monitor", .unset = "no flow is watched",
            .doc = "histograms of each flow, and ns-3's FlowMonitor file"),
    WI_KEY("packets", names, output_t, packets, .place_offset = offsetof(output_t, packets_place),
           .also = "trace packet-trace", .unset = "none",
           .doc = "classes of whose packets each queueing, drop and mark at each port is written, with its "
                  "reason (`packets.h5`)"),
};

/* Sizes of flows, as numbers. */
static void check_output(wi_reader *r, const wi_node *node, void *at)
{
    output_t *const o = at;
    (void)node;
    for (size_t i = 0; i < o->slowdown_sizes.n; i++) {
        const weir_name *const name = &o->slowdown_sizes.item[i];
        uint64_t bytes = 0;
        char why[200];
        if (i >= WEIR_SC_SLOWDOWN_SIZES)
            wi_complain(r, name->place, "slowdown_sizes: %zu sizes; want at most %d", o->slowdown_sizes.n,
                        WEIR_SC_SLOWDOWN_SIZES);
        else if (!weir_parse_size(name->text, &bytes, why, sizeof why))
            wi_complain(r, name->place, "slowdown_sizes: %s", why);
        else if (bytes <= (i ? o->slowdown_to[i - 1] : 0))
            wi_complain(r, name->place, "slowdown_sizes: %s is not above the size before", name->text);
        if (i >= WEIR_SC_SLOWDOWN_SIZES || bytes == 0)
            return;
        o->slowdown_to[i] = bytes;
    }
}

const wi_section wi_section_output = WI_SECTION(
    "output", output_keys, output_t, .check = check_output, .place_offset = offsetof(output_t, place),
    .rules = "[{'properties': {'slowdown_sizes': {'anyOf': [{'$ref': '#/$defs/size', 'pattern': "
             "'^[^eE]*[1-9]'}, {'type': 'array', 'maxItems': 15, 'items': {'$ref': '#/$defs/size', "
             "'pattern': '^[^eE]*[1-9]'}}]}}}]");
