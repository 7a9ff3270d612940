/*
 * Studies on a device: for all models and packets with TCP and UDP, resident and staged, the tables are those of the cores byte for byte, series
 * and tables of the results included; so they are when a study that the cores began goes on on the device, and the other
 * way round; what a batch cannot take goes to the cores; a run that fails is named as there. Exit 0: equal; 1: not;
 * 77: no device.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "weir/engine.h"
extern "C" {
#include "weir/study.h"
}

static int failures, comparisons;

struct one_case {
    const char *name, *scenario;
    std::vector<const char *> sets;
    int fails;                          /* runs that fail */
    bool on_cores;                      /* a note says that they went there */
    const char *waves = "runs at once"; /* what is said before the first */
};

static const one_case cases[] = {
    {"phold",
     "weir: 1\nname: small\nduration: 2us\noutput: {interval: 1us}\nmodel: {phold: {entities: 16, events: 1, "
     "remote: 50%, lookahead: 10ns, mean: 90ns}}\n",
     {"study.replications=4", "study.vary=[{path: model.phold.entities, values: [4, 300]}]"}},
    {"kademlia",
     "weir: 1\nname: small\nduration: 1s\nmodel: {kademlia: {peers: 40}}\n",
     {"study.replications=3", "study.vary=[{path: model.kademlia.peers, values: [20, 40]}]"}},
    {"wireless",
     "weir: 1\nname: small\nduration: 200ms\noutput: {interval: 50ms, warmup: 30ms}\nmodel: {wireless: "
     "{packets_per_s: 20, sinusoids: 8}}\n",
     {"study.replications=3", "study.vary=[{path: model.wireless.access, values: [ideal, csma]}]",
      "study.metrics=[wireless.delivery_ratio, wireless.delay_mean_s, mean(series.wireless.packets_per_s)]"}},
    {"jackson",
     "weir: 1\nname: small\nduration: 50ms\noutput: {interval: 10ms}\nmodel: {jackson: {stations: 8}}\n",
     {"study.replications=3", "study.vary=[{path: model.jackson.load, values: [30%, 60%]}]"}},
    {"network",
     "weir: 1\nname: small\nduration: 250ms\noutput: {interval: 50ms, warmup: 100ms, ports: all}\n"
     "topology: {generate: {model: dumbbell, left: 3, bottleneck_rate: 5Mbps, bottleneck_delay: 5ms}}\n"
     "traffic:\n  - {name: bulk, from: l0, to: r0, tcp: {sessions: 2}, start: {uniform: [0s, 50ms]}}\n"
     "  - {name: mice, from: l1, to: r1, tcp: {size: {exponential: 9kB}, arrivals: {poisson: 40/s}}}\n"
     "  - {name: noise, from: l2, to: r2, udp: {rate: 1Mbps, pattern: poisson}}\n",
     {"study.replications=3", "study.vary=[{path: topology.queue.limit, values: [10kB, 40kB]}]",
      "study.metrics=[classes.bulk.goodput_bps, max(ports.utilisation), p90(flows.completion_s where class = "
      "mice), max(series.ports.queue_bytes where row = left->right)]"}},
    {"lcg",
     "weir: 1\nname: small\nduration: 40us\nmodel: {lcg: {modules: 2, events: 60, iterations: 50, ways: "
     "4}}\n",
     {"study.replications=3", "study.vary=[{path: model.lcg.state, values: [72B, 904B]}]"}},
    {"interconnect",
     "weir: 1\nname: small\nduration: 5us\nmodel: {interconnect: {dragonfly: {p: 1, a: 2, h: 1}, jobs: "
     "[{name: a, "
     "pattern: uniform, load: 30%}]}}\n",
     {"study.replications=2", "study.vary=[{path: model.interconnect.routing, values: [minimal, ugal]}]"}},
    /* all disciplines have one device code, and go in one wave */
    {"disciplines",
     "weir: 1\nname: small\nduration: 150ms\n"
     "topology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 5Mbps, bottleneck_delay: 5ms}}\n"
     "traffic: [{name: bulk, from: [l0, l1], to: r0, tcp: {}}]\n",
     {"study.replications=2",
      "study.vary=[{path: topology.queue, values: [{type: droptail, limit: 10kB}, {type: red, min: "
      "5kB, max: 15kB}, {type: codel}, {type: fq_codel}]}]"},
     0,
     false,
     "8 runs at once"},
};

static std::string read_text(const std::string &path)
{
    std::string text;
    if (FILE *f = fopen(path.c_str(), "r")) {
        for (int c; (c = fgetc(f)) != EOF;)
            text += (char)c;
        fclose(f);
    }
    return text;
}

static void complain(const char *name, const char *what)
{
    failures++;
    printf("%s: %s\n", name, what);
}

struct outcome {
    weir_status status;
    weir_study_result result;
    std::string messages, said;
};

static void say(void *user, const char *text)
{
    static_cast<outcome *>(user)->said += text;
}

static volatile int stop_word;
static uint64_t stop_after;

static void stop_when(void *user, const weir_study_progress *p)
{
    (void)user;
    if (stop_after && p->done >= stop_after)
        stop_word = 1;
}

static outcome run_study(const one_case &c, const char *dir, const char *device, const char *executor,
                         uint64_t stop)
{
    outcome out = {};
    weir_diag *diag = weir_diag_new();
    weir_study *study = nullptr;
    weir_study_options o;
    std::vector<const char *> sets = c.sets;
    const std::string chosen = std::string("study.executor=") + executor;
    sets.push_back(chosen.c_str());
    weir_study_options_init(&o);
    o.output_dir = dir;
    o.device = device;
    o.jobs = 2;
    o.say = say;
    o.user = &out;
    stop_word = 0;
    stop_after = stop;
    o.progress = stop_when;
    o.stop = &stop_word;
    FILE *f = fopen("s.yaml", "w");
    fputs(c.scenario, f);
    fclose(f);
    out.status = weir_study_open(diag, "s.yaml", sets.data(), sets.size(), &o, &study);
    if (out.status == WEIR_OK)
        out.status = weir_study_run(study, &o, &out.result);
    for (size_t i = 0; i < weir_diag_count(diag); i++)
        out.messages += std::string(weir_diag_get(diag, i)->text) + "\n";
    const weir_study_result kept = out.result; /* freeing makes it zeros */
    weir_study_result_free(&out.result);
    out.result = kept;
    out.result.output_dir = nullptr;
    weir_study_free(study);
    weir_diag_free(diag);
    return out;
}

static void compare(const char *name, const std::string &a, const std::string &b)
{
    for (const char *table : {"runs.csv", "aggregate.csv"}) {
        const std::string x = read_text(a + "/" + table), y = read_text(b + "/" + table);
        comparisons++;
        if (x.empty() || x != y) {
            complain(name, table);
            printf("--- cores\n%.1500s\n--- device\n%.1500s\n", x.c_str(), y.c_str());
        }
    }
}

static void expect(const one_case &c, const char *how, const outcome &o, bool device)
{
    comparisons++;
    if (o.status != WEIR_OK || (int)o.result.failed != c.fails)
        printf("%s: %s, %d failed: ", how, weir_status_name(o.status), (int)o.result.failed),
            complain(c.name, o.messages.c_str());
    if (device && c.on_cores != (o.messages.find("went to the cores") != std::string::npos))
        printf("%s: ", how), complain(c.name, o.messages.c_str());
    if (device && !c.on_cores && o.said.find(c.waves) == std::string::npos)
        printf("%s said '%s': ", how, o.said.c_str()), complain(c.name, o.messages.c_str());
}

int main(void)
{
    char text[300], folder[] = "/tmp/weir-gpu-study-XXXXXX";
    if (!weir_gpu_describe(0, text, sizeof text)) {
        printf("no device: %s\n", text);
        return 77;
    }
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    for (const one_case &c : cases) {
        const std::string name = c.name;
        expect(c, "cores", run_study(c, (name + "-cores").c_str(), "cpu", "cores", 0), false);
        expect(c, "resident", run_study(c, (name + "-resident").c_str(), "cuda", "cores", 0), true);
        expect(c, "staged", run_study(c, (name + "-staged").c_str(), "cuda:0", "staged", 0), true);
        compare(c.name, name + "-cores", name + "-resident");
        compare(c.name, name + "-cores", name + "-staged");
    }
    /* Begun by one, finished by the other. */
    const one_case &c = cases[0];
    one_case half = c;
    half.sets[0] = "study.replications=2";
    const outcome begun = run_study(half, "both", "cpu", "cores", 0),
                  ended = run_study(c, "both", nullptr, "auto", 0);
    comparisons++;
    if (begun.status != WEIR_OK || ended.status != WEIR_OK || ended.result.reused != 4)
        printf("%s, %s, %d reused: ", weir_status_name(begun.status), weir_status_name(ended.status),
               (int)ended.result.reused),
            complain("resumed on the device", (begun.messages + ended.messages).c_str());
    compare("resumed", "phold-cores", "both");
    const outcome no = run_study(c, "none", "cuda:99", "cores", 0);
    comparisons++;
    if (no.status != WEIR_E_UNSUPPORTED || no.messages.find("CUDA device 99") == std::string::npos)
        complain("device 99", no.messages.c_str());
    char line[100];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(line) != 0)
        failures++;
    printf("%s: %d comparisons, %d differences\n", failures ? "FAIL" : "PASS", comparisons, failures);
    return failures != 0;
}
