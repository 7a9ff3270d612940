/*
 * Bad scenarios: each mistake gives one message with its line and column, and all mistakes of a file are
 * listed. Every kind of check is provoked at least once; what the units say is tested with the units.
 */
#include "scenario/load.h"

/* A class in line 4, beginning in column 5. */
#define CLASS(keys) "weir: 1\nduration: 10s\n" TOPOLOGY "traffic:\n  - " keys
#define FROM_TO "from: x, to: y"

static void keys(void **state)
{
    (void)state;
    EXPECT(WEIR_E_SCENARIO, BASIC "colour: red\n",
           "5:1: error: unknown key 'colour' in the scenario; known are weir, name");
    EXPECT(WEIR_E_SCENARIO, BASIC "ouput: {}\n",
           "5:1: error: unknown key 'ouput' in the scenario (did you mean 'output'?)");
    /* words of other simulators lead to ours */
    EXPECT(WEIR_E_SCENARIO,
           "weir: 1\nduration: 1s\ntopology:\n  generate: {model: star}\n  link: {bandwith: 1Gbps}\n" TRAFFIC,
           "5:10: error: unknown key 'bandwith' in link (did you mean 'rate'?)");
    /* a key in the wrong section leads to the right one, below or elsewhere */
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, " FROM_TO ", tcp: {}, size: 100kB}\n"),
           "5:40: error: unknown key 'size' in class (did you mean 'tcp.size'?)");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, " FROM_TO ", tcp: {}, video: {}}\n"),
           "5:40: error: unknown key 'video' in class (did you mean 'tcp.video'?)");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, " FROM_TO ", tcp: {}, warmup: 1s}\n"),
           "5:40: error: unknown key 'warmup' in class (did you mean 'output.warmup'?)");
    EXPECT(WEIR_E_SCENARIO, BASIC "warmup: 1s\n",
           "5:1: error: unknown key 'warmup' in the scenario (did you mean 'output.warmup'?)");
    EXPECT(WEIR_E_SCENARIO, BASIC "replications: 3\n",
           "5:1: error: unknown key 'replications' in the scenario (did you mean 'study.replications'?)");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, " FROM_TO ", tcp: {}, incast: 8}\n"),
           "5:40: error: unknown key 'incast' in class (did you mean 'collective'?)");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\n" TOPOLOGY TRAFFIC,
           "1:1: error: missing key 'duration' in the scenario (a time such as");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: 1s\n" TOPOLOGY, "1:1: error: missing key 'traffic'");
    EXPECT(WEIR_E_SCENARIO, "duration: 1s\n" TOPOLOGY TRAFFIC, "1:1: error: missing key 'weir'");
    EXPECT(WEIR_E_SCENARIO, "weir: 2\nduration: 1s\n" TOPOLOGY TRAFFIC, "1:7: error: weir is '2'");
    EXPECT(WEIR_E_FORMAT, BASIC "seed: 1\nseed: 2\n",
           "6:1: error: key 'seed' is given twice; it is also in line 5");
}

static void values(void **state)
{
    (void)state;
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: 9223372036854775807ps\n" TOPOLOGY TRAFFIC,
           "2:11: error: duration is 9223372036854775807ps; want at most 100d");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: 0s\n" TOPOLOGY TRAFFIC,
           "2:11: error: duration is 0s; want more than 0s");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: -1s\n" TOPOLOGY TRAFFIC, "2:11: error: duration: ");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: 10\n" TOPOLOGY TRAFFIC,
           "2:11: error: duration: \"10\" has no unit");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: 10Gbps\n" TOPOLOGY TRAFFIC, "2:11: error: duration: ");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration:\n" TOPOLOGY TRAFFIC,
           "2:10: error: duration has no value; want a time");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: [1s]\n" TOPOLOGY TRAFFIC,
           "2:11: error: duration must be a time such as");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: {a: 1s}\n" TOPOLOGY TRAFFIC,
           "2:11: error: duration must be a time such as");
    EXPECT(WEIR_E_SCENARIO, BASIC "run: 4294967296\n",
           "5:6: error: run is 4294967296; want at most 4294967295");
    EXPECT(WEIR_E_SCENARIO, BASIC "seed: 9223372036854775808\n", /* summary.json would round it */
           "5:7: error: seed is 9223372036854775808; want at most 9223372036854775807");
    EXPECT(WEIR_E_SCENARIO, BASIC "routing: {ttl: 0}\n", "5:16: error: ttl is 0; want at least 1");
    EXPECT(WEIR_E_SCENARIO, BASIC "routing: {ttl: 256}\n", "5:16: error: ttl is 256; want at most 255");
    EXPECT(WEIR_E_SCENARIO, BASIC "routing: {metric: hop}\n",
           "5:19: error: metric: unknown word 'hop' (did you mean 'hops'?)");
    EXPECT(WEIR_E_SCENARIO, BASIC "routing: {ecmp: yes}\n", "5:17: error: ecmp is 'yes'; want true or false");
    EXPECT(WEIR_E_SCENARIO, BASIC "routing: 3\n", "5:10: error: routing must be a section of keys");
    EXPECT(WEIR_E_SCENARIO, BASIC "engine: {threads: some}\n", "5:19: error: threads: ");
    EXPECT(WEIR_E_SCENARIO, BASIC "fluid: {order: 3}\n", "5:16: error: order: '3' will not do; want 1 or 2");
    EXPECT(WEIR_E_SCENARIO, BASIC "name: a/b\n", "5:7: error: name becomes a folder's name");
    EXPECT(WEIR_E_SCENARIO, BASIC "name: ..\n", "5:7: error: name becomes a folder's name");
    EXPECT(WEIR_E_SCENARIO, BASIC "name: \"\"\n", "5:7: error: name is empty");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: 1s\n" TOPOLOGY "traffic: []\n",
           "4:10: error: traffic is an empty list");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: 1s\n" TOPOLOGY "traffic: {a: 1}\n",
           "4:10: error: traffic must be a list");
    EXPECT(WEIR_E_SCENARIO, "weir: 1\nduration: 1s\n" TOPOLOGY "traffic:\n -\n",
           "5:3: error: item 0 of traffic is empty");
}

static void topology(void **state)
{
#define NET(keys) "weir: 1\nduration: 1s\n" TRAFFIC "topology: {" keys "}\n"
#define STAR "generate: {model: star}, "
    (void)state;
    EXPECT(WEIR_E_SCENARIO, NET(""), "4:11: error: topology needs 'file' or 'generate'");
    EXPECT(WEIR_E_SCENARIO, NET("file: a, generate: {model: b}"),
           "4:21: error: file and generate don't go together");
    EXPECT(WEIR_E_SCENARIO, NET("generate: {nodes: 3}"), "4:22: error: generate must name its model");
    EXPECT(WEIR_E_SCENARIO, NET("generate: {model: star, m: [1]}"),
           "4:39: error: generate: m must be a single value");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "format: edges"),
           "4:37: error: format means nothing here; it is for file");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "link: {rate: 0bps}"), "4:50: error: rate is 0bps; want more than 0bps");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "link: {delay: 0s}"), "4:51: error: delay is 0s; want more than 0s");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "loss: 100%"), "4:43: error: loss is 100%; want less than 1");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {limit: 0B}"), "4:52: error: limit is 0B; want more than 0B");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {limit: 9kB, limit_packets: 3}"),
           "4:57: error: limit and limit_packets");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {max_p: 0.1}"),
           "4:45: error: max_p means nothing to a droptail queue");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {type: red, max: 9kB}"),
           "4:44: error: missing key 'min' in queue");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {type: red, min: 9kB, max: 9kB}"),
           "4:71: error: max is not above min");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {type: red, min: 1kB, max: 9kB, limit: 8kB}"),
           "4:71: error: max is above limit");
    /* 1 kb/s for a million seconds is 125 MB */
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {type: shaper, rate: 1kbps, bucket: 125000001B}"),
           "4:80: error: bucket: 125000001 bytes fill in more than a million seconds at rate; want at most "
           "125000000 bytes");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {type: policer, rate: 1kbps, bucket: 1GB}"),
           "4:81: error: bucket: 1000000000 bytes fill in");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {type: shaper, rate: 1Mbps, mark: 9kB, limit: 9kB}"),
           "4:78: error: mark is not below limit");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {type: drr, mark: 9kB, limit: 9kB}"),
           "4:62: error: mark is not below limit");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queue: {type: trim, mark_min: 9kB, mark_max: 10kB, limit: 9kB}"),
           "4:67: error: mark_min is not below limit");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queues: [{limit: 1kB}]"),
           "4:46: error: missing key 'link' in item of queues");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "queues: [{link: a->b}]"),
           "4:46: error: this item of queues changes nothing");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "links: [{link: a->b}]"),
           "4:45: error: this item of links changes nothing");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "links: [{link: ab, loss: 1%}]"), "4:52: error: link: 'ab' is no link");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "links: [{link: a->a, loss: 1%}]"),
           "4:52: error: link: 'a->a' must name two different");
    EXPECT(WEIR_E_SCENARIO, NET(STAR "links: [{link: [], loss: 1%}]"), "4:52: error: link is an empty list");
}

static void classes(void **state)
{
    (void)state;
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, " FROM_TO "}\n"), "5:5: error: class 'a' needs 'tcp' or 'udp'");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, udp: {}, " FROM_TO "}\n"),
           "5:24: error: udp does not go together with tcp");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}}\n"), "5:5: error: class 'a' has no places");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, from: x}\n"), "5:24: error: from needs 'to'");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, from: x, to: x}\n"),
           "5:37: error: class 'a' sends from 'x' to itself");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, pairs: all, " FROM_TO "}\n"),
           "5:24: error: pairs does not go");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, pairs: all, demands: f}\n"),
           "5:36: error: demands does not go");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, pairs: {random: 0}}\n"),
           "5:40: error: random is 0; want at least 1");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, pairs: {rndom: 3}}\n"),
           "5:31: error: pairs: unknown word 'rndom' (did");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, pairs: [[x, y], [x]]}\n"),
           "5:40: error: pairs: want two names");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, pairs: [[x, x]]}\n"),
           "5:32: error: pairs: a pair from 'x' to itself");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, pairs: []}\n"), "5:31: error: pairs is an empty list");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, scale: 2, " FROM_TO "}\n"),
           "5:24: error: scale means nothing here; it is for demands");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, scale: 0, demands: f}\n"),
           "5:31: error: scale is 0; want more than 0");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, stop: 1s, start: 2s, " FROM_TO "}\n"),
           "5:30: error: class 'a' stops before");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, start: {uniform: [2s, 1s]}, " FROM_TO "}\n"),
           "5:41: error: uniform: the first");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, fidelity: fluidd, " FROM_TO "}\n"),
           "5:34: error: fidelity: unknown word");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, fidelity: {packet: 2}, " FROM_TO "}\n"),
           "5:34: error: fidelity divides 2");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, fidelity: {}, " FROM_TO "}\n"),
           "5:34: error: fidelity: say how many");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {size: 1kB}, fidelity: fluid, " FROM_TO "}\n"),
           "5:43: error: class 'a' has transfers");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, udp: {rate: 1Mbps}, fidelity: {packet: 1}, " FROM_TO "}\n"),
           "5:35: error: fidelity does not go together with udp");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, tcp: {}, " FROM_TO "}\n  - {name: a, tcp: {}, " FROM_TO "}\n"),
           "6:12: error: a second class of the name 'a'; the first is in line 5");
    EXPECT(WEIR_OK, CLASS("{name: a, tcp: {}, start: 10s, " FROM_TO "}\n"),
           "5:31: warning: class 'a' starts when the run is over");
}

static void transports(void **state)
{
#define TCP(keys) CLASS("{name: a, " FROM_TO ", tcp: {" keys "}}\n")
#define UDP(keys) CLASS("{name: a, " FROM_TO ", udp: {" keys "}}\n")
    (void)state;
    EXPECT(WEIR_E_SCENARIO, TCP("sessions: 0"), "5:47: error: sessions is 0; want at least 1");
    EXPECT(WEIR_E_SCENARIO, TCP("size: 0B"), "5:43: error: size is 0B; want more than 0B");
    EXPECT(WEIR_E_SCENARIO, TCP("size: 1025TiB"), "5:43: error: size is 1025TiB; want at most 1024TiB");
    EXPECT(WEIR_E_SCENARIO, TCP("size: {exponential: 2000TB}"),
           "5:57: error: exponential is 2000TB; want at most 1024TiB");
    EXPECT(WEIR_E_SCENARIO, TCP("size: {uniform: [1kB, 2000TB]}"),
           "5:59: error: uniform is 2000TB; want at most 1024TiB");
    EXPECT(WEIR_E_SCENARIO, TCP("size: [1kB, 2kB]"),
           "5:43: error: size cannot be a list; want a size such as");
    EXPECT(WEIR_E_SCENARIO, TCP("size: {pareto: {mean: 1kB, shape: 1}}"),
           "5:71: error: shape is 1; want more than 1");
    EXPECT(WEIR_E_SCENARIO, TCP("size: {pareto: {mean: 1kB}}"), "5:52: error: missing key 'shape' in pareto");
    EXPECT(WEIR_E_SCENARIO, TCP("size: {exponential: 1kB, cdf: f}"),
           "5:43: error: size: want one form, not 2");
    EXPECT(WEIR_E_SCENARIO, TCP("arrivals: {poisson: 3/s}"), "5:37: error: arrivals needs 'size'");
    EXPECT(WEIR_E_SCENARIO, TCP("size: 1kB, arrivals: {poisson: 0/s}"),
           "5:68: error: poisson is 0/s; want more than 0/s");
    EXPECT(WEIR_E_SCENARIO, TCP("size: 1kB, arrivals: {load: 0}"),
           "5:65: error: load is 0; want more than 0%");
    EXPECT(WEIR_E_SCENARIO, TCP("size: 1kB, arrivals: 3/s"),
           "5:58: error: arrivals: '3/s' will not do; want {poisson");
    EXPECT(WEIR_E_SCENARIO, TCP("request: {}"), "5:37: error: request needs 'size', that of the reply");
    EXPECT(WEIR_E_SCENARIO, TCP("request: {}, size: 9kB, arrivals: {poisson: 3/s}"),
           "5:61: error: arrivals does not go together with request, since a client asks again when");
    EXPECT(WEIR_E_SCENARIO, TCP("mss: 9kB, window: 8kB"), "5:55: error: window is less than one segment");
    EXPECT(WEIR_E_SCENARIO, TCP("congestion: reno"),
           "5:49: error: congestion: 'reno' will not do; want newreno, cubic");
    EXPECT(WEIR_E_SCENARIO, TCP("congestion: dctcp, ecn: false"),
           "5:61: error: congestion 'dctcp' lives by marks; want ecn: true");
    EXPECT(WEIR_E_SCENARIO, TCP("congestion: ledbat, target: 101ms"),
           "5:65: error: target is 101ms; want at most");
    EXPECT(WEIR_E_SCENARIO, TCP("congestion: cubic, target: 50ms"),
           "5:56: error: target means nothing to cubic; add 'congestion: ledbat'");
    EXPECT(WEIR_E_SCENARIO, TCP("delayed_ack: 3"), "5:50: error: delayed_ack is 3; want at most 2");
    EXPECT(WEIR_E_SCENARIO, UDP(""), "5:36: error: missing key 'rate' in udp");
    EXPECT(WEIR_E_SCENARIO, UDP("rate: -1Mbps"), "5:43: error: rate: ");
    EXPECT(WEIR_E_SCENARIO, UDP("rate: 1Mbps, packet: 27B"), "5:58: error: packet: want 28 B");
    EXPECT(WEIR_E_SCENARIO, UDP("rate: 1Mbps, on_time: 1s"),
           "5:50: error: on_time means nothing here; it is for pattern: onoff");
    EXPECT(WEIR_E_SCENARIO, CLASS("{name: a, demands: f, udp: {rate: 1Mbps}}\n"),
           "5:33: error: rate does not go together with demands");
}

static void output(void **state)
{
    (void)state;
    EXPECT(WEIR_E_SCENARIO, BASIC "output: {warmup: 10s}\n",
           "5:18: error: warmup must be less than the duration");
    EXPECT(WEIR_E_SCENARIO, BASIC "output: {interval: 0s}\n",
           "5:20: error: interval is 0s; want more than 0s");
    EXPECT(WEIR_E_SCENARIO, BASIC "output: {ports: a}\n", "5:17: error: ports: 'a' is no link");
    EXPECT(WEIR_E_SCENARIO, BASIC "output: {cwnd: [a, aa]}\n", "5:20: error: cwnd: no class 'aa' in traffic");
    EXPECT(WEIR_E_SCENARIO,
           "weir: 1\nduration: 1s\n" TOPOLOGY
           "traffic: [{name: voice, udp: {rate: 1kbps}, from: x, to: y}]\noutput: {cwnd: voice}\n",
           "5:16: error: cwnd: class 'voice' is UDP");
}

static void all_at_once(void **state)
{
    (void)state;
    EXPECT(WEIR_E_FORMAT,
           "weir: 1\n"
           "durtion: 10s\n"
           "topology:\n"
           "  generate: {model: star}\n"
           "  link: {rate: 0bps, delay: 5}\n"
           "traffic:\n"
           "  - name: a\n"
           "    tcp: {sesions: 3}\n"
           "    name: b\n"
           "  - tcp: 4\n",
           "9:5: error: key 'name' is given twice", "1:1: error: missing key 'duration'",
           "5:16: error: rate is 0bps", "5:29: error: delay: ", "8:11: error: unknown key 'sesions' in tcp",
           "10:5: error: missing key 'name' in class", "10:10: error: tcp must be a section",
           "2:1: error: unknown key 'durtion' in the scenario (did you mean 'duration'?)");
}

/* Adaptive video, and connections that last. */
static void video(void **state)
{
    (void)state;
    EXPECT(WEIR_E_SCENARIO, TCP("connection: keep"),
           "5:49: error: connection means nothing here; it is for request, video or job");
    EXPECT(WEIR_E_SCENARIO, TCP("size: 9kB, request: {}, connection: later"),
           "5:73: error: connection: 'later' will not do; want new, keep, restart or val");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {}"),
           "5:44: error: missing key 'ladder' in video (a list of rates such as [300kbps");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps, 1Mbps]}"),
           "5:61: error: ladder: 1Mbps is not above the bitrate before it; want them in ");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: []}"),
           "5:53: error: ladder: want a list of 1 to 32 bitrates such as [300kbps, 1Mbps");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps], buffer: 2s}"),
           "5:70: error: buffer is less than one segment");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps], startup: 31s}"),
           "5:71: error: startup is more than the buffer holds");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps], resume: 40s}"),
           "5:70: error: resume is more than the buffer holds");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps], samples: 3}"),
           "5:62: error: samples means nothing here; it is for algorithm: throughput");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps], algorithm: throughput, cushion: 9s}"),
           "5:85: error: cushion means nothing here; it is for algorithm: buffer");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps], reservoir: 20s, cushion: 20s}"),
           "5:87: error: reservoir and cushion together are more than the buffer");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps]}, size: 9kB"),
           "5:63: error: size does not go together with video, which says what is asked ");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps]}, congestion: bbr, connection: restart"),
           "5:92: error: congestion 'bbr' has a rate or window of its own, which a pause");
    EXPECT(WEIR_E_SCENARIO, TCP("video: {ladder: [1Mbps]}, congestion: ndp, connection: keep"),
           "5:92: error: congestion 'ndp' has no window that a connection could keep; wa");
    EXPECT(WEIR_E_SCENARIO,
           CLASS("{name: a, tcp: {video: {ladder: [1Mbps]}}, fidelity: fluid, " FROM_TO "}\n"),
           "5:48: error: fidelity: fluid does not go together with video, whose players choose");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),    cmocka_unit_test(values),      cmocka_unit_test(topology),
        cmocka_unit_test(classes), cmocka_unit_test(transports),  cmocka_unit_test(video),
        cmocka_unit_test(output),  cmocka_unit_test(all_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
