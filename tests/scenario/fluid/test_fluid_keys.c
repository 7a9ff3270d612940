/*
 * Every key of the schema, and what fluid makes of it: a key is obeyed (changing it changes the run), refused
 * or warned of by name with file and line, or by its meaning without effect on what is simulated (and then
 * changing it changes nothing). A key that this table lacks fails the test.
 */
#include "scenario/load.h"
#include "scenario/run_summary.h"
#include "scenario/document/document.h"

enum { SETS = 4, TEXT = 200 };

typedef enum verdict { OBEYED, FIGURES, REFUSED, WARNED, SAME } verdict;

typedef struct row {
    const char *path; /* sections' keys, joined by dots; a list's items are one section */
    verdict verdict;
    const char *base[SETS]; /* set in both runs */
    const char *change;     /* set in the second only; SAME without one: nothing to change */
    const char *message;    /* REFUSED, WARNED: part of it */
} row;

/* Class f: TCP over a bottleneck; class u beside it. Two routers at the ends, so that access links matter. */
static const char text[] =
    "weir: 1\nduration: 300ms\n"
    "topology: {generate: {model: line, hosts: 0, rate: 20Mbps, delay: 5ms}, queue: {limit: 40kB}}\n"
    "traffic:\n"
    "  - {name: f, tcp: {sessions: 8, mss: 1000B}, from: r0, to: r1, fidelity: fluid}\n"
    "  - {name: u, udp: {rate: 18Mbps}, from: r0, to: r1, fidelity: fluid}\n"
    "fluid: {device: cpu}\n";

#define RED "topology.queue={type: red, limit: 40kB, min: 4kB, max: 20kB}"
#define MARKS "topology.queue={type: red, limit: 40kB, min: 4kB, max: 20kB, ecn: true}"
#define RDMA(recovery) "traffic.f.tcp.congestion=swift", "traffic.f.tcp.recovery=" recovery
#define HOSTS \
    "topology.generate={model: line, rate: 20Mbps, delay: 5ms, access_rate: 15Mbps, access_delay: 1ms}"
#define AT_HOSTS "traffic=[{name: f, tcp: {sessions: 8}, from: h0, to: h1, fidelity: fluid}]"
#define RING "topology.generate={model: ring, routers: 5, hosts: 0, rate: 20Mbps, delay: 5ms}"
#define RING_SLOW "topology.links=[{link: r0--r1, delay: 90ms}]"
#define RING_PAIR "traffic=[{name: f, tcp: {sessions: 8}, from: r0, to: r2, fidelity: fluid}]"
#define GRID "topology.generate={model: grid, width: 2, height: 2, rate: 20Mbps, delay: 5ms}"
#define GRID_PAIR "traffic=[{name: f, tcp: {sessions: 8}, from: r0_0, to: r1_1, fidelity: fluid}]"
#define TWO_PAIRS                                                               \
    "topology={generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps}}", \
        "traffic=[{name: f, tcp: {}, pairs: [[l0, r0], [l1, r1]], fidelity: fluid}]"
/* A class of players is refused, whatever keys it has. */
#define VIDEO(key)                                                                                     \
    {                                                                                                  \
        "traffic.tcp.video" key, REFUSED, .change = "traffic.f.tcp={video: {ladder: [1Mbps, 2Mbps]}}", \
                                          .message = "whose players choose by single segments"         \
    }
/* So is a job. */
#define JOB(key)                                                                               \
    {                                                                                          \
        "traffic.job" key, REFUSED,                                                            \
            .change = "traffic=[{name: f, tcp: {}, job: {trace: job.goal}, fidelity: fluid}]", \
            .message = "whose flows wait for each other"                                       \
    }
#define MIXED "traffic.f.fidelity={packet: 4, fluid: rest}"
#define ECN "traffic.f.tcp.ecn=true"
#define THRESHOLD "topology.queue={type: threshold, mark: 9kB, limit: 100kB}"
#define NEWRENO "traffic.f.tcp.congestion=newreno"
#define CUBIC "traffic.f.tcp.congestion=cubic"
#define BBR "traffic.f.tcp.congestion=bbr"
#define SWIFT "traffic.f.tcp={sessions: 8, mss: 1000B, congestion: swift, delay_target: 20ms, delayed_ack: 1}"
#define STEPS "fluid.step=250us"
#define ON_OFF "traffic.u.udp={rate: 8Mbps, pattern: onoff, on_time: 20ms, off_time: 20ms}"
#define FAILURE "events=[{at: 100ms, fail: {link: r0--r1}}]"
#define TRANSFERS \
    "traffic=[{name: f, tcp: {size: 1MB, arrivals: {poisson: 20/s}}, from: r0, to: r1, fidelity: fluid}]"
#define RING_FAILURE "events=[{at: 100ms, fail: {link: r1--r2}}]"
#define BURSTS "topology.links=[{link: r0->r1, burst_loss: {mean: 2%, length: 4}}]"
#define GRAPHML "topology={file: three.graphml, link: {rate: 20Mbps}, queue: {limit: 40kB}}"
#define CITIES "traffic=[{name: f, tcp: {sessions: 8}, from: Seattle, to: Denver, fidelity: fluid}]"
#define BRITE "topology={file: all-at-once.conf, queue: {limit: 40kB}}"
#define DEMANDS "traffic=[{name: f, udp: {}, demands: matrix.txt, fidelity: fluid}]"

static const row table[] = {
    {"weir", SAME},
    {"name", SAME, .change = "name=other"},
    {"duration", OBEYED, .change = "duration=310ms"},
    {"seed", OBEYED, {ON_OFF}, "seed=2"},
    {"run", OBEYED, {ON_OFF}, "run=2"},
    {"study", SAME}, /* of many runs; a single one leaves it aside */
    {"study.latin-hypercube", SAME},
    {"study.vary", SAME},
    {"study.vary.path", SAME},
    {"study.vary.name", SAME},
    {"study.vary.values", SAME},
    {"study.vary.is", SAME},
    {"study.vary.with", SAME},
    {"study.constraints", SAME},
    {"study.replications", SAME, .change = "study.replications=3"},
    {"study.metrics", SAME},
    {"study.baseline", SAME},
    {"study.confidence", SAME},
    {"study.quantiles", SAME},
    {"study.until-precision", SAME},
    {"study.max-replications", SAME},
    {"study.plots", SAME},
    {"study.random-numbers", SAME},
    {"study.executor", SAME},
    {"study.device", SAME},
    {"study.base", SAME},
    {"inputs", SAME}, /* what files were like, not what is simulated */
    {"inputs.of", SAME},
    {"inputs.sha256", SAME},
    {"model", SAME}, /* a model of its own has no traffic */
    {"topology", SAME},
    {"topology.file", OBEYED, {"traffic=[{name: f, tcp: {}, pairs: all, fidelity: fluid}]"}, GRAPHML},
    {"topology.format", SAME, {GRAPHML, CITIES}, "topology.format=graphml"},
    {"topology.generate", OBEYED,
     .change = "topology.generate={model: line, hosts: 0, rate: 19Mbps, delay: 5ms}"},
    {"topology.brite", SAME},
    {"topology.brite.engine", OBEYED, {BRITE}, "topology.brite={engine: java}"},
    {"topology.brite.codes", OBEYED, {BRITE}, "topology.brite={codes: java}"},
    {"topology.modules",
     OBEYED,
     {"topology={file: modules.sndlib, link: {rate: 20Mbps}, queue: {limit: 40kB}}", CITIES},
     "topology.modules=least"},
    {"topology.keys", SAME},
    {"topology.keys.rate", OBEYED, {GRAPHML, CITIES}, "topology.keys={rate: capacity, rate_unit: 1Mbps}"},
    {"topology.keys.rate_unit",
     OBEYED,
     {GRAPHML, CITIES, "topology.keys={rate: capacity, rate_unit: 1Mbps}"},
     "topology.keys.rate_unit=900kbps"},
    {"topology.keys.delay", OBEYED, {GRAPHML, CITIES}, "topology.keys={delay: latency, delay_unit: 1ms}"},
    {"topology.keys.delay_unit",
     OBEYED,
     {GRAPHML, CITIES, "topology.keys={delay: latency, delay_unit: 1ms}"},
     "topology.keys.delay_unit=2ms"},
    {"topology.keys.weight", SAME, {GRAPHML, CITIES}, "topology.keys={weight: cost}"}, /* one way only */
    {"topology.keys.name", SAME, {GRAPHML, CITIES}, "topology.keys={name: code}"},
    {"topology.link", SAME},
    {"topology.link.rate",
     OBEYED,
     {"topology.link.override=true", "topology.link.delay=5ms"},
     "topology.link.rate=15Mbps"},
    {"topology.link.delay",
     OBEYED,
     {"topology.link.override=true", "topology.link.rate=15Mbps"},
     "topology.link.delay=7ms"},
    {"topology.link.delay_from_coordinates",
     OBEYED,
     {GRAPHML, CITIES},
     "topology.link.delay_from_coordinates=false"},
    {"topology.link.override", OBEYED, {"topology.link.rate=15Mbps"}, "topology.link.override=true"},
    {"topology.signal_speed", OBEYED, {GRAPHML, CITIES}, "topology.signal_speed=100000"},
    {"topology.loss", OBEYED, .change = "topology.loss=1%"},
    {"topology.overhead", REFUSED, .change = "topology.overhead=ethernet",
     .message = "fluid knows no bytes that lines add"},
    {"topology.queue", SAME},
    {"topology.queue.type", OBEYED, .change = RED},
    {"topology.queue.limit", OBEYED, .change = "topology.queue.limit=30kB"},
    {"topology.queue.limit_packets", OBEYED, .change = "topology.queue={limit_packets: 10}"},
    {"topology.queue.min", OBEYED, {RED}, "topology.queue.min=5kB"},
    {"topology.queue.max", OBEYED, {RED}, "topology.queue.max=15kB"},
    {"topology.queue.max_p", OBEYED, {RED}, "topology.queue.max_p=50%"},
    {"topology.queue.w", OBEYED, {RED}, "topology.queue.w=0.01"},
    {"topology.queue.gentle",
     OBEYED,
     {RED, "topology.queue.max=5kB", "topology.queue.w=0.1"},
     "topology.queue.gentle=false"},
    {"topology.queue.mode", OBEYED, {RED}, "topology.queue.mode=wait"},
    {"topology.queue.ecn", OBEYED, {RED, "traffic.f.tcp.ecn=true"}, "topology.queue.ecn=true"},
    {"topology.queue.average",
     OBEYED,
     {RED, "topology.queue.mean_packet=700B"},
     "topology.queue.average=packets"},
    {"topology.queue.mean_packet", OBEYED, {RED}, "topology.queue.mean_packet=500B"},
    {"topology.queue.target", REFUSED, .change = "topology.queue={type: codel, target: 4ms}",
     .message = "no fluid law of queue 'codel'"},
    {"topology.queue.interval", REFUSED, .change = "topology.queue={type: codel, interval: 40ms}",
     .message = "no fluid law of queue 'codel'"},
    {"topology.queue.mtu", REFUSED, .change = "topology.queue={type: codel, mtu: 9000B}",
     .message = "no fluid law of queue 'codel'"},
    {"topology.queue.flows", REFUSED, .change = "topology.queue={type: fq_codel, flows: 16}",
     .message = "no fluid law of queue 'fq_codel'"},
    {"topology.queue.quantum", REFUSED, .change = "topology.queue={type: fq_codel, quantum: 9000B}",
     .message = "no fluid law of queue 'fq_codel'"},
    {"topology.queue.update", REFUSED, .change = "topology.queue={type: pie, update: 20ms}",
     .message = "no fluid law of queue 'pie'"},
    {"topology.queue.burst", REFUSED, .change = "topology.queue={type: pie, burst: 1s}",
     .message = "no fluid law of queue 'pie'"},
    {"topology.queue.alpha", REFUSED, .change = "topology.queue={type: pie, alpha: 0.2}",
     .message = "no fluid law of queue 'pie'"},
    {"topology.queue.beta", REFUSED, .change = "topology.queue={type: pie, beta: 2}",
     .message = "no fluid law of queue 'pie'"},
    {"topology.queue.mark_below", REFUSED, .change = "topology.queue={type: pie, mark_below: 0.3}",
     .message = "no fluid law of queue 'pie'"},
    {"topology.queue.derandomize", REFUSED, .change = "topology.queue={type: pie, derandomize: false}",
     .message = "no fluid law of queue 'pie'"},
    {"topology.queue.mark", OBEYED, {ECN, THRESHOLD}, "topology.queue.mark=20kB"},
    {"topology.queue.mark_packets", OBEYED, {ECN, THRESHOLD}, "topology.queue.mark_packets=20"},
    {"topology.queue.bucket", REFUSED, .change = "topology.queue={type: policer, rate: 9Mbps, bucket: 9kB}",
     .message = "no fluid law of queue 'policer'"},
    {"topology.queue.rate", REFUSED, .change = "topology.queue={type: policer, rate: 9Mbps}",
     .message = "no fluid law of queue 'policer'"},
    {"topology.queue.rtt_max", REFUSED, .change = "topology.queue={type: dualpi2, rtt_max: 20ms}",
     .message = "no fluid law of queue 'dualpi2'"},
    {"topology.queue.coupling", REFUSED, .change = "topology.queue={type: dualpi2, coupling: 1}",
     .message = "no fluid law of queue 'dualpi2'"},
    {"topology.queue.ramp_min", REFUSED, .change = "topology.queue={type: dualpi2, ramp_min: 0.1ms}",
     .message = "no fluid law of queue 'dualpi2'"},
    {"topology.queue.ramp_max", REFUSED, .change = "topology.queue={type: dualpi2, ramp_max: 3ms}",
     .message = "no fluid law of queue 'dualpi2'"},
    {"topology.queue.headers", REFUSED, .change = "topology.queue={type: trim, headers: 20kB}",
     .message = "no fluid law of queue 'trim'"},
    {"topology.queue.headers_turns", REFUSED, .change = "topology.queue={type: trim, headers_turns: 5}",
     .message = "no fluid law of queue 'trim'"},
    {"topology.queue.mark_min", REFUSED,
     .change = "topology.queue={type: trim, mark_min: 2kB, mark_max: 8kB}",
     .message = "no fluid law of queue 'trim'"},
    {"topology.queue.mark_max", REFUSED, .change = "topology.queue={type: trim, mark_max: 8kB}",
     .message = "no fluid law of queue 'trim'"},
    {"topology.queue.weight_0", REFUSED, .change = "topology.queue={type: drr, weight_0: 2}",
     .message = "no fluid law of queue 'drr'"},
    {"topology.queue.weight_1", REFUSED, .change = "topology.queue={type: drr, weight_1: 2}",
     .message = "no fluid law of queue 'drr'"},
    {"topology.queue.weight_2", REFUSED, .change = "topology.queue={type: drr, weight_2: 2}",
     .message = "no fluid law of queue 'drr'"},
    {"topology.queue.weight_3", REFUSED, .change = "topology.queue={type: drr, weight_3: 2}",
     .message = "no fluid law of queue 'drr'"},
    {"topology.queue.weight_4", REFUSED, .change = "topology.queue={type: drr, weight_4: 2}",
     .message = "no fluid law of queue 'drr'"},
    {"topology.queue.weight_5", REFUSED, .change = "topology.queue={type: drr, weight_5: 2}",
     .message = "no fluid law of queue 'drr'"},
    {"topology.queue.weight_6", REFUSED, .change = "topology.queue={type: drr, weight_6: 2}",
     .message = "no fluid law of queue 'drr'"},
    {"topology.queue.weight_7", REFUSED, .change = "topology.queue={type: drr, weight_7: 2}",
     .message = "no fluid law of queue 'drr'"},
    {"topology.host_queue", OBEYED, {HOSTS, AT_HOSTS}, "topology.host_queue.limit=20kB"},
    {"topology.access", SAME},
    {"topology.access.rate", REFUSED, .change = "topology.access.rate=10Mbps",
     .message = "topology.access.rate"},
    {"topology.access.delay", OBEYED, .change = "topology.access.delay=2ms"},
    {"topology.access.queue", SAME,
     .change = "topology.access.queue={limit: 3kB}"}, /* never the bottleneck */
    {"topology.queues", OBEYED, .change = "topology.queues=[{link: r0->r1, limit: 30kB}]"},
    {"topology.queues.link",
     OBEYED,
     {"topology.queues=[{link: r0->r1, limit: 30kB}]"},
     "topology.queues=[{link: r1->r0, limit: 30kB}]"},
    {"topology.links", OBEYED, .change = "topology.links=[{link: r0->r1, rate: 15Mbps}]"},
    {"topology.links.link",
     OBEYED,
     {"topology.links=[{link: r0->r1, rate: 15Mbps}]"},
     "topology.links=[{link: r1->r0, rate: 15Mbps}]"},
    {"topology.links.rate", OBEYED, .change = "topology.links=[{link: r0->r1, rate: 15Mbps}]"},
    {"topology.links.delay", OBEYED, .change = "topology.links=[{link: r0->r1, delay: 6ms}]"},
    {"topology.links.loss", OBEYED, .change = "topology.links=[{link: r0->r1, loss: 1%}]"},
    {"topology.links.overhead", REFUSED, .change = "topology.links=[{link: r0->r1, overhead: 24B}]",
     .message = "fluid knows no bytes that lines add"},
    {"topology.links.burst_loss", SAME},
    {"topology.links.burst_loss.mean",
     OBEYED,
     {BURSTS},
     "topology.links=[{link: r0->r1, burst_loss: {mean: 3%, length: 4}}]"},
    {"topology.links.burst_loss.length",
     OBEYED,
     {"topology.links=[{link: r0->r1, burst_loss: {enter: 1%, length: 4}}]"},
     "topology.links=[{link: r0->r1, burst_loss: {enter: 1%, length: 2}}]"},
    {"topology.links.burst_loss.enter",
     OBEYED,
     {BURSTS},
     "topology.links=[{link: r0->r1, burst_loss: {enter: 2%, length: 4}}]"},
    {"topology.links.burst_loss.exit",
     OBEYED,
     {"topology.links=[{link: r0->r1, burst_loss: {enter: 1%, length: 4}}]"},
     "topology.links=[{link: r0->r1, burst_loss: {enter: 1%, exit: 40%}}]"},
    {"topology.links.burst_loss.good",
     OBEYED,
     {"topology.links=[{link: r0->r1, burst_loss: {enter: 1%, length: 4}}]"},
     "topology.links=[{link: r0->r1, burst_loss: {enter: 1%, length: 4, good: 1%}}]"},
    {"topology.links.burst_loss.bad",
     OBEYED,
     {"topology.links=[{link: r0->r1, burst_loss: {enter: 1%, length: 4}}]"},
     "topology.links=[{link: r0->r1, burst_loss: {enter: 1%, length: 4, bad: 50%}}]"},
    {"topology.links.trace", REFUSED,
     .change = "topology.links=[{link: r0->r1, trace: {file: link-rates.txt}}]",
     .message = "no fluid law of trace"},
    {"topology.links.trace.file", REFUSED,
     .change = "topology.links=[{link: r0->r1, trace: {file: link-rates.txt}}]",
     .message = "no fluid law of trace"},
    {"topology.links.trace.format", REFUSED,
     .change = "topology.links=[{link: r0->r1, trace: {file: link-rates.txt, format: rates}}]",
     .message = "no fluid law of trace"},
    {"topology.links.trace.end", REFUSED,
     .change = "topology.links=[{link: r0->r1, trace: {file: link-rates.txt, end: hold}}]",
     .message = "no fluid law of trace"},
    {"topology.links.bit_errors", REFUSED, .change = "topology.links=[{link: r0->r1, bit_errors: 1e-6}]",
     .message = "no fluid law of bit_errors"},
    {"topology.links.duplication", REFUSED, .change = "topology.links=[{link: r0->r1, duplication: 1%}]",
     .message = "no fluid law of duplication"},
    {"topology.links.jitter", REFUSED, .change = "topology.links=[{link: r0->r1, jitter: {mean: 1ms}}]",
     .message = "no fluid law of jitter"},
    {"topology.links.jitter.mean", REFUSED, .change = "topology.links=[{link: r1->r0, jitter: {mean: 1ms}}]",
     .message = "no fluid law of jitter"},
    {"topology.links.jitter.distribution", REFUSED,
     .change = "topology.links=[{link: r0->r1, jitter: {mean: 1ms, distribution: exponential}}]",
     .message = "no fluid law of jitter"},
    {"topology.links.jitter.shape", REFUSED,
     .change = "topology.links=[{link: r0->r1, jitter: {mean: 1ms, distribution: pareto, shape: 2}}]",
     .message = "no fluid law of jitter"},
    {"topology.links.jitter.reorder", REFUSED,
     .change = "topology.links=[{link: r0->r1, jitter: {mean: 1ms, reorder: true}}]",
     .message = "no fluid law of jitter"},
    {"routing", SAME},
    {"routing.metric", OBEYED, {RING, RING_SLOW, RING_PAIR}, "routing.metric=delay"},
    {"routing.ecmp", OBEYED, {GRID, GRID_PAIR}, "routing.ecmp=true"},
    {"routing.spray", REFUSED, .change = "routing.spray=true", .message = "leaves one path"},
    {"routing.flowlets", REFUSED, .change = "routing.flowlets=1ms", .message = "leaves one path"},
    {"routing.forwarding", SAME, .change = "routing.forwarding=source"},
    {"routing.ttl", REFUSED, .change = "routing.ttl=1", .message = "routing.ttl"},
    {"routing.convergence", OBEYED, {RING, RING_PAIR, RING_FAILURE}, "routing.convergence=10ms"},
    {"events", OBEYED, .change = FAILURE},
    {"events.at", OBEYED, {FAILURE}, "events=[{at: 120ms, fail: {link: r0--r1}}]"},
    {"events.fail", OBEYED, .change = FAILURE},
    {"events.fail.link",
     OBEYED,
     {RING, RING_PAIR, RING_FAILURE},
     "events=[{at: 100ms, fail: {link: r0--r1}}]"},
    {"events.fail.node", OBEYED, {RING, RING_PAIR, RING_FAILURE}, "events=[{at: 100ms, fail: {node: r3}}]"},
    {"events.repair",
     OBEYED,
     {FAILURE},
     "events=[{at: 100ms, fail: {link: r0--r1}}, {at: 150ms, repair: {link: r0--r1}}]"},
    {"events.repair.link",
     OBEYED,
     {FAILURE},
     "events=[{at: 100ms, fail: {link: r0--r1}}, {at: 150ms, repair: {link: r0--r1}}]"},
    {"events.repair.node",
     OBEYED,
     {"events=[{at: 50ms, fail: {node: r1}}]"},
     "events=[{at: 50ms, fail: {node: r1}}, {at: 100ms, repair: {node: r1}}]"},
    {"traffic", OBEYED, .change = RING_PAIR, .base = {RING}},
    {"traffic.name", SAME},
    {"traffic.tcp", SAME},
    {"traffic.tcp.congestion", OBEYED, .change = NEWRENO},
    {"traffic.tcp.congestion", OBEYED, {ECN, THRESHOLD}, "traffic.f.tcp.congestion=dctcp"},
    {"traffic.tcp.congestion", REFUSED, .change = "traffic.f.tcp.congestion=vegas",
     .message = "no fluid law of congestion 'vegas'"},
    {"traffic.tcp.congestion", REFUSED, .change = "fluid.tcp=paper", .message = "'paper' is Reno's law"},
    {"traffic.tcp.hystart", OBEYED, {CUBIC}, "traffic.f.tcp.hystart=false"},
    {"traffic.tcp.hystart", REFUSED, {CUBIC}, "traffic.f.tcp.hystart=linux", "as HyStart++ has it"},
    {"traffic.tcp.reno_friendly", OBEYED, {CUBIC}, "traffic.f.tcp.reno_friendly=false"},
    {"traffic.tcp.fast_convergence", OBEYED, {CUBIC}, "traffic.f.tcp.fast_convergence=false"},
    {"traffic.tcp.target",
     REFUSED,
     {"traffic.f.tcp.congestion=ledbat"},
     "traffic.f.tcp.target=50ms",
     "no fluid law of congestion"},
    {"traffic.tcp.slow_start",
     REFUSED,
     {"traffic.f.tcp.congestion=ledbat"},
     "traffic.f.tcp.slow_start=false",
     "no fluid law of congestion"},
    {"traffic.tcp.delay_target", OBEYED, {SWIFT}, "traffic.f.tcp.delay_target=30ms"},
    {"traffic.tcp.flow_scaling", OBEYED, {SWIFT}, "traffic.f.tcp.flow_scaling=1ms"},
    {"traffic.tcp.hop_delay", OBEYED, {SWIFT}, "traffic.f.tcp.hop_delay=2ms"},
    {"traffic.tcp.delayed_ack", REFUSED, {SWIFT}, "traffic.f.tcp.delayed_ack=2", "want delayed_ack: 1"},
    {"traffic.tcp.ecn", OBEYED, {SWIFT, MARKS}, "traffic.f.tcp.ecn=true"},
    {"traffic.tcp.mss", OBEYED, {SWIFT}, "traffic.f.tcp.mss=1200B"},
    {"traffic.tcp.initial_window", OBEYED, {SWIFT}, "traffic.f.tcp.initial_window=2"},
    {"traffic.tcp.window", OBEYED, {SWIFT}, "traffic.f.tcp.window=4kB"},
    {"traffic.tcp.delayed_ack_timeout",
     WARNED,
     {SWIFT},
     "traffic.f.tcp.delayed_ack_timeout=20ms",
     "delayed_ack_timeout has no effect"},
    {"traffic.tcp.rto_min", WARNED, {SWIFT}, "traffic.f.tcp.rto_min=1s", "rto_min has no effect"},
    {"fluid.tcp", REFUSED, {SWIFT}, "fluid.tcp=paper", "'paper' is Reno's law"},
    {"traffic.fidelity", OBEYED, {SWIFT}, MIXED},
    {"traffic.tcp.ecn",
     OBEYED,
     {BBR, MARKS},
     "traffic.f.tcp.ecn=true"}, /* deaf to marks, which spare drops */
    {"traffic.tcp.mss", OBEYED, {BBR}, "traffic.f.tcp.mss=1200B"},
    {"traffic.tcp.initial_window", OBEYED, {BBR}, "traffic.f.tcp.initial_window=2"},
    {"traffic.tcp.window", OBEYED, {BBR}, "traffic.f.tcp.window=4kB"},
    {"traffic.tcp.delayed_ack", SAME, {BBR}, "traffic.f.tcp.delayed_ack=1"}, /* the bytes of ACKs alone */
    {"traffic.tcp.sessions", OBEYED, {BBR}, "traffic.f.tcp.sessions=9"},
    {"traffic.tcp.delayed_ack_timeout",
     WARNED,
     {BBR},
     "traffic.f.tcp.delayed_ack_timeout=20ms",
     "delayed_ack_timeout has no effect"},
    {"traffic.tcp.rto_min", WARNED, {BBR}, "traffic.f.tcp.rto_min=1s", "rto_min has no effect"},
    {"fluid.tcp", REFUSED, {BBR}, "fluid.tcp=paper", "'paper' is Reno's law"},
    {"traffic.fidelity", OBEYED, {BBR}, MIXED},
    {"traffic.tcp.congestion", REFUSED, .change = "traffic.f.tcp.congestion=bbr3",
     .message = "no fluid law of congestion 'bbr3'"},
    {"traffic.tcp.line_rate",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.line_rate=1Gbps",
     "no fluid law of congestion"},
    {"traffic.tcp.min_rate",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.min_rate=10Mbps",
     "no fluid law of congestion"},
    {"traffic.tcp.ai_rate",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.ai_rate=10Mbps",
     "no fluid law of congestion"},
    {"traffic.tcp.hai_rate",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.hai_rate=10Mbps",
     "no fluid law of congestion"},
    {"traffic.tcp.byte_counter",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.byte_counter=1MB",
     "no fluid law of congestion"},
    {"traffic.tcp.fast_recovery",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.fast_recovery=2",
     "no fluid law of congestion"},
    {"traffic.tcp.clamp_target",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.clamp_target=false",
     "no fluid law of congestion"},
    {"traffic.tcp.cnp_interval",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.cnp_interval=20us",
     "no fluid law of congestion"},
    {"traffic.tcp.alpha_timer",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.alpha_timer=20us",
     "no fluid law of congestion"},
    {"traffic.tcp.rate_timer",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.rate_timer=20us",
     "no fluid law of congestion"},
    {"traffic.tcp.gain",
     REFUSED,
     {"traffic.f.tcp={congestion: dcqcn, sessions: 8}"},
     "traffic.f.tcp.gain=0.1",
     "no fluid law of congestion"},
    {"traffic.tcp.base_rtt",
     REFUSED,
     {"traffic.f.tcp={congestion: hpcc, sessions: 8}"},
     "traffic.f.tcp.base_rtt=20us",
     "no fluid law of congestion"},
    {"traffic.tcp.target_load",
     REFUSED,
     {"traffic.f.tcp={congestion: hpcc, sessions: 8}"},
     "traffic.f.tcp.target_load=90%",
     "no fluid law of congestion"},
    {"traffic.tcp.max_stage",
     REFUSED,
     {"traffic.f.tcp={congestion: hpcc, sessions: 8}"},
     "traffic.f.tcp.max_stage=3",
     "no fluid law of congestion"},
    {"traffic.tcp.segment",
     REFUSED,
     {"traffic.f.tcp={congestion: timely, sessions: 8}"},
     "traffic.f.tcp.segment=64kB",
     "no fluid law of congestion"},
    {"traffic.tcp.t_low",
     REFUSED,
     {"traffic.f.tcp={congestion: timely, sessions: 8}"},
     "traffic.f.tcp.t_low=20us",
     "no fluid law of congestion"},
    {"traffic.tcp.t_high",
     REFUSED,
     {"traffic.f.tcp={congestion: timely, sessions: 8}"},
     "traffic.f.tcp.t_high=300us",
     "no fluid law of congestion"},
    {"traffic.tcp.ewma",
     REFUSED,
     {"traffic.f.tcp={congestion: timely, sessions: 8}"},
     "traffic.f.tcp.ewma=50%",
     "no fluid law of congestion"},
    {"traffic.tcp.beta",
     REFUSED,
     {"traffic.f.tcp={congestion: timely, sessions: 8}"},
     "traffic.f.tcp.beta=50%",
     "no fluid law of congestion"},
    {"traffic.tcp.expected_flows",
     REFUSED,
     {"traffic.f.tcp={congestion: powertcp, sessions: 8}"},
     "traffic.f.tcp.expected_flows=3",
     "no fluid law of congestion"},
    {"traffic.tcp.paths",
     REFUSED,
     {"traffic.f.tcp={congestion: nscc, sessions: 8}"},
     "traffic.f.tcp.paths=32",
     "no fluid law of congestion"},
    {"traffic.tcp.balance",
     REFUSED,
     {"traffic.f.tcp={congestion: nscc, sessions: 8}"},
     "traffic.f.tcp.balance=reps",
     "no fluid law of congestion"},
    {"traffic.tcp.ack_bytes",
     REFUSED,
     {"traffic.f.tcp={congestion: nscc, sessions: 8}"},
     "traffic.f.tcp.ack_bytes=8kB",
     "no fluid law of congestion"},
    {"traffic.tcp.target_delay",
     REFUSED,
     {"traffic.f.tcp={congestion: nscc, sessions: 8}"},
     "traffic.f.tcp.target_delay=20us",
     "no fluid law of congestion"},
    {"traffic.tcp.first_window",
     REFUSED,
     {"traffic.f.tcp={congestion: nscc, sessions: 8}"},
     "traffic.f.tcp.first_window=50",
     "no fluid law of congestion"},
    {"traffic.tcp.qa_gate",
     REFUSED,
     {"traffic.f.tcp={congestion: nscc, sessions: 8}"},
     "traffic.f.tcp.qa_gate=4",
     "no fluid law of congestion"},
    {"traffic.tcp.credits",
     REFUSED,
     {"traffic.f.tcp={congestion: nscc, sessions: 8}"},
     "traffic.f.tcp.credits=true",
     "no fluid law of congestion"},
    {"traffic.tcp.oversubscription",
     REFUSED,
     {"traffic.f.tcp={congestion: rccc, sessions: 8}"},
     "traffic.f.tcp.oversubscription=2",
     "no fluid law of congestion"},
    {"topology.shared_buffer", REFUSED, .change = "topology.shared_buffer={size: 1MB}",
     .message = "leave shared_buffer out"},
    {"topology.shared_buffer.size", REFUSED, .change = "topology.shared_buffer={size: 2MB}",
     .message = "leave shared_buffer out"},
    {"topology.shared_buffer.alpha", REFUSED, .change = "topology.shared_buffer={size: 1MB, alpha: 2}",
     .message = "leave shared_buffer out"},
    {"topology.shared_buffer.pfc", REFUSED, .change = "topology.shared_buffer={size: 1MB, pfc: {}}",
     .message = "leave shared_buffer out"},
    {"topology.shared_buffer.pfc.lossless", REFUSED,
     .change = "topology.shared_buffer={size: 1MB, pfc: {lossless: [3]}}",
     .message = "leave shared_buffer out"},
    {"topology.shared_buffer.pfc.xoff", REFUSED,
     .change = "topology.shared_buffer={size: 1MB, pfc: {xoff: 20kB}}", .message = "leave shared_buffer out"},
    {"topology.shared_buffer.pfc.xon_offset", REFUSED,
     .change = "topology.shared_buffer={size: 1MB, pfc: {xon_offset: 1kB}}",
     .message = "leave shared_buffer out"},
    {"topology.shared_buffer.pfc.headroom", REFUSED,
     .change = "topology.shared_buffer={size: 1MB, pfc: {headroom: 50kB}}",
     .message = "leave shared_buffer out"},
    {"traffic.collective", REFUSED,
     .change = "traffic=[{name: f, tcp: {size: 1MB}, collective: {kind: all-to-all, hosts: 'r*'}, fidelity: "
               "fluid}]",
     .message = "want fidelity: packet"},
    {"traffic.collective.kind", REFUSED,
     .change = "traffic=[{name: f, tcp: {size: 1MB}, collective: {kind: tree-all-reduce, hosts: 'r*'}, "
               "fidelity: fluid}]",
     .message = "want fidelity: packet"},
    {"traffic.collective.hosts", REFUSED,
     .change = "traffic=[{name: f, tcp: {size: 1MB}, collective: {kind: all-to-all, hosts: 'r*'}, fidelity: "
               "fluid}]",
     .message = "want fidelity: packet"},
    {"traffic.collective.rounds", REFUSED,
     .change = "traffic=[{name: f, tcp: {size: 1MB}, collective: {kind: all-to-all, hosts: 'r*', rounds: 2}, "
               "fidelity: fluid}]",
     .message = "want fidelity: packet"},
    {"traffic.collective.compute", REFUSED,
     .change = "traffic=[{name: f, tcp: {size: 1MB}, collective: {kind: all-to-all, hosts: 'r*', compute: "
               "1ms}, fidelity: fluid}]",
     .message = "want fidelity: packet"},
    {"traffic.collective.request", REFUSED,
     .change = "traffic=[{name: f, tcp: {size: 1MB}, collective: {kind: partition-aggregate, hosts: 'r*', "
               "request: 1kB}, fidelity: fluid}]",
     .message = "want fidelity: packet"},
    JOB(""),
    JOB(".trace"),
    JOB(".hosts"),
    JOB(".ranks_per_host"),
    JOB(".hosts_per_server"),
    JOB(".placement"),
    JOB(".local_rate"),
    JOB(".local_delay"),
    JOB(".iterations"),
    JOB(".allreduce"),
    JOB(".small"),
    JOB(".channels"),
    JOB(".chunk"),
    JOB(".eager"),
    JOB(".actions"),
    JOB(".flops"),
    JOB(".memory_rate"),
    JOB(".ranks"),
    JOB(".groups"),
    JOB(".program"),
    JOB(".program.do"),
    JOB(".program.time"),
    JOB(".program.message"),
    JOB(".program.algorithm"),
    JOB(".program.root"),
    JOB(".model"),
    JOB(".model.layers"),
    JOB(".model.hidden"),
    JOB(".model.heads"),
    JOB(".model.sequence"),
    JOB(".model.kv_heads"),
    JOB(".model.ffn"),
    JOB(".model.gated"),
    JOB(".model.vocabulary"),
    JOB(".model.experts"),
    JOB(".model.top_k"),
    JOB(".model.micro_batch"),
    JOB(".model.micro_batches"),
    JOB(".model.tensor"),
    JOB(".model.data"),
    JOB(".model.pipeline"),
    JOB(".model.expert_parallel"),
    JOB(".model.sequence_parallel"),
    JOB(".model.sharded"),
    JOB(".model.recompute"),
    JOB(".model.value_bytes"),
    JOB(".model.gradient_bytes"),
    JOB(".model.efficiency"),
    {"traffic.tcp.pacing", SAME, .change = "traffic.f.tcp.pacing=true"},
    {"traffic.tcp.sessions", OBEYED, .change = "traffic.f.tcp.sessions=9"},
    {"traffic.tcp.size", OBEYED, {TRANSFERS}, "traffic.f.tcp.size=2MB"},
    {"traffic.tcp.arrivals", OBEYED, {TRANSFERS}, "traffic.f.tcp.arrivals={poisson: 30/s}"},
    {"traffic.tcp.request",
     REFUSED,
     {"traffic.f.tcp.size=1MB"},
     "traffic.f.tcp.request={size: 100B}",
     "transfers of a size"},
    {"traffic.tcp.request.size",
     REFUSED,
     {"traffic.f.tcp.size=1MB"},
     "traffic.f.tcp.request={size: 100B}",
     "transfers of a size"},
    {"traffic.tcp.request.think",
     REFUSED,
     {"traffic.f.tcp.size=1MB"},
     "traffic.f.tcp.request={think: 1s}",
     "transfers of a size"},
    {"traffic.tcp.connection", REFUSED, .change = "traffic.f.tcp={size: 1MB, request: {}, connection: keep}",
     .message = "transfers of a size"},
    VIDEO(""),
    VIDEO(".ladder"),
    VIDEO(".segment"),
    VIDEO(".length"),
    VIDEO(".buffer"),
    VIDEO(".startup"),
    VIDEO(".resume"),
    VIDEO(".algorithm"),
    VIDEO(".reservoir"),
    VIDEO(".cushion"),
    VIDEO(".safety"),
    VIDEO(".samples"),
    VIDEO(".request"),
    {"traffic.tcp.mss", OBEYED, .change = "traffic.f.tcp.mss=1200B"},
    {"traffic.tcp.initial_window", OBEYED, .change = "traffic.f.tcp.initial_window=2"},
    {"traffic.tcp.window", OBEYED, .change = "traffic.f.tcp.window=4kB"},
    {"traffic.tcp.delayed_ack", OBEYED, .change = "traffic.f.tcp.delayed_ack=1"},
    {"traffic.tcp.delayed_ack_timeout", WARNED, .change = "traffic.f.tcp.delayed_ack_timeout=20ms",
     .message = "delayed_ack_timeout has no effect"},
    {"traffic.tcp.sack", WARNED, .change = "traffic.f.tcp.sack=false", .message = "sack has no effect"},
    {"traffic.tcp.tail_probes", WARNED, .change = "traffic.f.tcp.tail_probes=false",
     .message = "tail_probes has no effect"},
    {"traffic.tcp.partial_ack",
     WARNED,
     {"traffic.f.tcp.sack=false"},
     "traffic.f.tcp.partial_ack=steady",
     "partial_ack has no effect"},
    {"traffic.tcp.recovery", SAME, .change = "traffic.f.tcp.recovery=sack"}, /* what the laws stand for */
    {"traffic.tcp.nack_interval",
     WARNED,
     {RDMA("go-back-n")},
     "traffic.f.tcp.nack_interval=1ms",
     "nack_interval has no effect"},
    {"traffic.tcp.bdp_cap", WARNED, {RDMA("irn")}, "traffic.f.tcp.bdp_cap=9kB", "bdp_cap has no effect"},
    {"traffic.tcp.rto_low", WARNED, {RDMA("irn")}, "traffic.f.tcp.rto_low=1ms", "rto_low has no effect"},
    {"traffic.tcp.rto_low_segments",
     WARNED,
     {RDMA("irn")},
     "traffic.f.tcp.rto_low_segments=5",
     "rto_low_segments has no effect"},
    {"traffic.tcp.ecn", OBEYED, {MARKS}, "traffic.f.tcp.ecn=true"},
    {"traffic.tcp.ecn", SAME, {MARKS, ECN}, "traffic.f.tcp.ecn=accurate"}, /* fluid knows the rate of marks */
    {"traffic.tcp.rto_min", WARNED, .change = "traffic.f.tcp.rto_min=1s", .message = "rto_min has no effect"},
    {"traffic.tcp.rto_initial", WARNED, .change = "traffic.f.tcp.rto_initial=10ms",
     .message = "rto_initial has no effect"},
    {"traffic.tcp.max_rate", REFUSED, .change = "traffic.f.tcp.max_rate=1Mbps",
     .message = "want fidelity: packet"},
    {"traffic.tcp.handshake", WARNED, .change = "traffic.f.tcp.handshake=false",
     .message = "handshake has no effect"},
    {"traffic.tcp.max_flows", SAME,
     .change = "traffic.f.tcp.max_flows=9"}, /* of arrivals, of which fluid is a density */
    {"traffic.udp", SAME},
    {"traffic.udp.rate", OBEYED, .change = "traffic.u.udp.rate=19Mbps"},
    {"traffic.udp.packet", FIGURES, .change = "traffic.u.udp.packet=100B"}, /* its share of headers */
    {"traffic.udp.pattern", OBEYED, .change = ON_OFF},
    {"traffic.udp.on_time", OBEYED, {ON_OFF}, "traffic.u.udp.on_time=30ms"},
    {"traffic.udp.off_time", OBEYED, {ON_OFF}, "traffic.u.udp.off_time=30ms"},
    {"traffic.udp.durations", OBEYED, {ON_OFF}, "traffic.u.udp.durations=pareto"},
    {"traffic.udp.shape", OBEYED, {ON_OFF, "traffic.u.udp.durations=pareto"}, "traffic.u.udp.shape=1.9"},
    {"traffic.udp.jitter", WARNED, .change = "traffic.u.udp.jitter=0.1", .message = "jitter has no effect"},
    {"traffic.from", OBEYED, {RING, RING_PAIR}, "traffic.f.from=r1"},
    {"traffic.to", OBEYED, {RING, RING_PAIR}, "traffic.f.to=r1"},
    {"traffic.pairs", OBEYED, .change = "traffic=[{name: f, tcp: {}, pairs: all, fidelity: fluid}]"},
    {"traffic.demands", OBEYED, .base = {GRAPHML, CITIES}, .change = DEMANDS},
    {"traffic.scale", OBEYED, {GRAPHML, DEMANDS}, "traffic.f.scale=2"},
    {"traffic.max_pairs", OBEYED, {GRAPHML, DEMANDS}, "traffic.f.max_pairs=1"},
    {"traffic.share",
     OBEYED,
     {GRAPHML, "traffic=[{name: f, tcp: {sessions: 9}, demands: matrix.txt, fidelity: fluid}]"},
     "traffic.f.share=demand"},
    {"traffic.start", OBEYED, .change = "traffic.f.start=50ms"},
    {"traffic.stop", OBEYED, .change = "traffic.u.stop=100ms"},
    {"traffic.dscp", SAME,
     .change = "traffic.f.dscp=46"}, /* only disciplines that fluid cannot pass go by it */
    {"traffic.fidelity", OBEYED, .change = MIXED},
    {"engine", SAME},
    {"engine.type", SAME, .change = "engine.type=check"},
    {"engine.threads", SAME, {"engine.type=conservative"}, "engine.threads=2"},
    {"engine.lookahead", SAME},
    {"engine.lp-size", SAME},
    {"engine.device", SAME},
    {"engine.host-driven", SAME},
    {"engine.memory", SAME},
    {"engine.gvt-events", SAME},
    {"engine.window", SAME},
    {"engine.stress", SAME, {"engine={type: optimistic, threads: 2}"}, "engine.stress=6"},
    {"fluid", SAME},
    {"steady", SAME},
    {"steady.skip", REFUSED, .change = "steady.skip=true", .message = "fluid moves all the time"},
    {"steady.error", SAME, .change = "steady.error=0.1"},
    {"fluid.step", OBEYED, .change = STEPS},
    {"fluid.device", SAME, .change = "fluid.device=auto"},
    {"fluid.batch", OBEYED, {MIXED, STEPS}, "fluid.batch=4"},
    {"fluid.lookahead", OBEYED, {MIXED, STEPS}, "fluid.lookahead=4"},
    {"fluid.prefetch", SAME, {MIXED, STEPS, "fluid.batch=4"}, "fluid.prefetch=false"},
    {"fluid.fixup", OBEYED, {MIXED, STEPS, "fluid.batch=4"}, "fluid.fixup=false"},
    {"fluid.aggregate", OBEYED, {TWO_PAIRS}, "fluid.aggregate=false"},
    {"fluid.coupling", SAME, {MIXED, STEPS, "fluid.batch=4", "fluid.lookahead=4"}, "fluid.coupling=async"},
    {"fluid.tcp", OBEYED, {NEWRENO}, .change = "fluid.tcp=paper"},
    {"fluid.law", OBEYED, .change = "fluid.law=paper"},
    {"fluid.order", OBEYED, .change = "fluid.order=1"},
    {"fluid.precision", OBEYED, .change = "fluid.precision=double"},
    {"traffic.flows", REFUSED,
     .change = "traffic=[{name: f, tcp: {}, flows: flow-list.csv, fidelity: fluid}]",
     .message = "want fidelity: packet"},
    {"traffic.start_unit", REFUSED,
     .change = "traffic=[{name: f, tcp: {}, flows: flow-list.csv, start_unit: 1us, fidelity: fluid}]",
     .message = "want fidelity: packet"},
    {"traffic.step", REFUSED,
     .change = "traffic=[{name: f, udp: {}, demands: matrix.tx?, step: 1s, fidelity: fluid}]",
     .message = "want fidelity: packet"},
    {"traffic.udp.trace", REFUSED, .change = "traffic.u.udp={trace: udp-trace.txt}",
     .message = "want fidelity: packet"},
    {"traffic.udp.repeat", REFUSED, .change = "traffic.u.udp={trace: udp-trace.txt, repeat: 1s}",
     .message = "want fidelity: packet"},
    {"traffic.gravity", OBEYED,
     .change = "traffic=[{name: f, udp: {}, gravity: {total: 10Mbps}, fidelity: fluid}]"},
    {"traffic.gravity.total",
     OBEYED,
     {"traffic=[{name: f, udp: {}, gravity: {total: 10Mbps}, fidelity: fluid}]"},
     "traffic.f.gravity.total=12Mbps"},
    {"traffic.gravity.weight",
     OBEYED,
     {"topology.generate={model: line, routers: 3, hosts: 0, rate: 20Mbps, delay: 5ms}",
      "topology.links=[{link: r1--r2, rate: 30Mbps}]",
      "traffic=[{name: f, udp: {}, gravity: {total: 10Mbps}, fidelity: fluid}]"},
     "traffic.f.gravity.weight=capacity"},
    {"output", SAME},
    {"output.warmup", SAME, .change = "output.warmup=100ms"},
    {"output.interval", SAME, .change = "output.interval=7ms"},
    {"output.ports", SAME, .change = "output.ports=all"},
    {"output.cwnd", SAME, .change = "output.cwnd=f"},
    {"output.pcap", WARNED, .change = "output.pcap=[r0->r1]", .message = "pcap"},
    {"output.histograms", SAME, .change = "output.histograms=true"},
    {"output.slowdown_sizes", SAME, .change = "output.slowdown_sizes=[2kB, 30kB]"},
    {"output.packets", REFUSED, .change = "output.packets=f",
     .message = "class 'f' is fluid, which has no packets"},
    {"output.flow_monitor", REFUSED, .change = "output.flow_monitor={classes: f}",
     .message = "class 'f' is fluid, which has no packets"},
    {"output.flow_monitor.classes", REFUSED, .change = "output.flow_monitor={classes: u}",
     .message = "class 'u' is fluid, which has no packets"},
    {"output.flow_monitor.delay_bin",
     SAME,
     {MIXED, "output.flow_monitor={classes: f}"},
     "output.flow_monitor.delay_bin=2ms"},
    {"output.flow_monitor.jitter_bin",
     SAME,
     {MIXED, "output.flow_monitor={classes: f}"},
     "output.flow_monitor.jitter_bin=2ms"},
    {"output.flow_monitor.rtt_bin",
     SAME,
     {MIXED, "output.flow_monitor={classes: f}"},
     "output.flow_monitor.rtt_bin=2ms"},
    {"output.flow_monitor.size_bin",
     SAME,
     {MIXED, "output.flow_monitor={classes: f}"},
     "output.flow_monitor.size_bin=100B"},
    {"output.flow_monitor.interruption",
     SAME,
     {MIXED, "output.flow_monitor={classes: f}"},
     "output.flow_monitor.interruption=1s"},
    {"output.flow_monitor.interruption_bin",
     SAME,
     {MIXED, "output.flow_monitor={classes: f}"},
     "output.flow_monitor.interruption_bin=1s"},
    {"study", SAME}, /* of many runs; a single one leaves it aside */
    {"study.vary", SAME},
    {"study.vary.path", SAME},
    {"study.vary.name", SAME},
    {"study.vary.values", SAME},
    {"study.vary.is", SAME},
    {"study.vary.with", SAME},
    {"study.constraints", SAME},
    {"study.replications", SAME, .change = "study.replications=3"},
    {"study.metrics", SAME},
    {"study.baseline", SAME},
    {"study.confidence", SAME},
    {"study.quantiles", SAME},
    {"study.until-precision", SAME},
    {"study.max-replications", SAME},
    {"study.plots", SAME},
    {"study.random-numbers", SAME},
    {"study.executor", SAME},
    {"study.device", SAME},
    {"study.base", SAME},
    {"inputs", SAME}, /* what was read, not how it is simulated */
    {"inputs.of", SAME},
    {"inputs.sha256", SAME},
};

static const row *row_of(const char *path)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].path, path) == 0)
            return &table[i];
    return NULL;
}

/* Counts the keys that the table lacks, and names them. */
static size_t missing_in(const wi_section *section, const char *prefix)
{
    size_t n = 0;
    wi_key_at k;
    for (size_t i = 0; wi_section_key(section, i, &k); i++) {
        char path[TEXT];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", k.key->name);
        if (!k.mixin && !row_of(path)) { /* a mixin's are the same keys in another place */
            print_message("  fluid and %s: neither obeyed nor refused, as far as this table goes\n", path);
            n++;
        }
        const bool again =
            strcmp(path, "topology.host_queue") == 0 || strcmp(path, "topology.access.queue") == 0;
        if (k.key->section && !again && strcmp(path, "model") != 0)
            n += missing_in(k.key->section, path);
    }
    return n;
}

static void the_table_has_every_key(void **state)
{
    (void)state;
    assert_int_equal(missing_in(&wi_schema, ""), 0);
}

typedef struct outcome {
    weir_status status;
    uint64_t events, state;
    double goodput;         /* of all classes */
    char message[4 * TEXT]; /* the first error or warning that has the wanted text, with its place */
} outcome;

static outcome try(const char *const *sets, size_t n, const char *message)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    outcome o = {.status = run_text(diag, text, WEIR_TEST_DATA, sets, n, &result)};
    for (size_t i = 0; message && i < weir_diag_count(diag); i++) {
        const weir_message *m = weir_diag_get(diag, i);
        if (strstr(m->text, message) && m->file && (m->line > 0 || strncmp(m->file, "--set", 5) == 0))
            snprintf(o.message, sizeof o.message, "%s", m->text);
    }
    if (!message && o.status != WEIR_OK)
        print_messages(diag);
    o.events = result.event_digest;
    o.state = result.state_digest;
    json_t *summary = result.summary_json ? json_loads(result.summary_json, 0, NULL) : NULL;
    json_t *c;
    size_t i;
    json_array_foreach(json_object_get(summary, "classes"), i, c) o.goodput +=
        json_number_value(json_object_get(c, "goodput_bps"));
    json_decref(summary);
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return o;
}

static bool holds(const row *r)
{
    const char *sets[SETS + 1];
    size_t n = 0;
    while (n < SETS && r->base[n]) {
        sets[n] = r->base[n];
        n++;
    }
    if (!r->change)
        return r->verdict == SAME;
    sets[n] = r->change;
    const outcome after = try(sets, n + 1, r->message);
    if (r->verdict == REFUSED)
        return after.status != WEIR_OK && after.message[0];
    const outcome before = try(sets, n, NULL);
    const bool same = before.state == after.state && before.events == after.events;
    if (before.status != WEIR_OK || after.status != WEIR_OK)
        return false;
    if (r->verdict == WARNED)
        return same && after.message[0];
    if (r->verdict == FIGURES)
        return same && before.goodput != after.goodput;
    return same == (r->verdict == SAME);
}

static void each_key_is_as_the_table_says(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!holds(&table[i])) {
            print_message("  %s is not as the table says\n", table[i].path);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_every_key),
        cmocka_unit_test(each_key_is_as_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
