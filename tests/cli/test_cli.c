/* Pinned down: the exit code and the message of the built command for good and bad input, and that nothing is
 * left behind that looks like a result. */
#include "watched.h"

#include <sys/resource.h>

/* A dumbbell that runs in a moment. */
static const char good[] = "weir: 1\n"
                           "name: small\n"
                           "duration: 200ms\n"
                           "topology:\n"
                           "  generate: {model: dumbbell}\n"
                           "traffic:\n"
                           "  - name: bulk\n"
                           "    tcp: {sessions: 1}\n"
                           "    from: l0\n"
                           "    to: r0\n";

/* The good scenario with one line replaced by another (null: left out), as bad.yaml. */
static void put_changed(const char *line, const char *instead)
{
    char text[2048];
    const char *at = strstr(good, line);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, instead ? instead : "",
             at + strlen(line));
    put_text("bad.yaml", text);
}

static void assert_nothing_left(void)
{
    assert_false(exists("results"));
    DIR *dir = opendir(".");
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strstr(entry->d_name, ".tmp-") || strcmp(entry->d_name, "out") == 0)
            fail_msg("%s is left", entry->d_name);
    closedir(dir);
}

static void assert_bad_scenario(const char *message)
{
    assert_weir("run bad.yaml -o out", 2, message);
    assert_weir("check bad.yaml", 2, message);
    assert_nothing_left();
}

static void help_and_version(void **state)
{
    (void)state;
    assert_int_equal(weir("--version"), 0);
    assert_memory_equal(out_text, "weir " WEIR_VERSION " (", strlen("weir " WEIR_VERSION " ("));
    assert_non_null(strstr(out_text, ")\nwith"));
    assert_int_equal(weir("version"), 0);
    assert_int_equal(weir("--help"), 0);
    assert_non_null(strstr(out_text, "topology info"));
    assert_says("topology --help", 0, "weir topology info FILE", "");
    assert_says("help analyze", 0, "weir analyze parallelism SCENARIO", "");
    assert_says("topology", 2, "", "wants a second word");
    const char *const commands[] = {"run", "check", "topology info", "info", "help", "version"};
    for (size_t i = 0; i < 6; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s --help", commands[i]);
        assert_int_equal(weir(line), 0);
        assert_non_null(strstr(out_text, "Examples:"));
        assert_string_equal(err_text, "");
    }
    assert_int_equal(weir("info"), 0);
    assert_non_null(strstr(out_text, "compiler"));
    assert_int_equal(weir(""), 2);
}

static void a_run_writes_one_folder(void **state)
{
    (void)state;
    const char *const files[] = {"scenario.yaml", "summary.json", "flows.csv", "ports.csv", "series.h5"};
    put_text("small.yaml", good);
    assert_weir("run small.yaml", 0, "");
    for (size_t i = 0; i < 5; i++) {
        char path[128];
        snprintf(path, sizeof path, "results/small/%s", files[i]);
        assert_true(exists(path));
    }
    assert_int_equal(count_names("results"), 1);
    assert_non_null(strstr(out_text, "results/small"));
    assert_int_equal(weir("run small.yaml -q --force"), 0);
    assert_string_equal(out_text, "");
    assert_string_equal(err_text, "");
    assert_int_equal(weir("run small.yaml --json --force"), 0);
    assert_int_equal(out_text[0], '{');
}

/* What is wrong with the scenario comes first: it would be next to be said. A set-up that fails leaves no folder behind. */
static void results_that_exist_are_said_last(void **state)
{
    static const char *const wrong[] = {"traffic.bulk.from=nobody", "topology.generate.model=dunbell",
                                        "topology.generate.left=x", "output.ports='[left->rigth]'"};
    (void)state;
    put_text("small.yaml", good);
    assert_weir("run small.yaml -q", 0, "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[200];
        snprintf(line, sizeof line, "run small.yaml --set %s", wrong[i]);
        assert_int_not_equal(weir(line), 0);
        if (strstr(err_text, "exists already") || !strstr(err_text, "error: "))
            fail_msg("%s: %s", wrong[i], err_text);
        assert_int_equal(count_names("results"), 1);
    }
    assert_int_equal(weir("run small.yaml"), 1);
    assert_non_null(strstr(err_text, "exists already"));
}

/* The digest lines of summary.json, wherever they stand in it. */
static void digest_of(const char *folder, char *digest, size_t size)
{
    static char text[1 << 20];
    char path[128];
    snprintf(path, sizeof path, "%s/summary.json", folder);
    slurp(path, text, sizeof text);
    const char *at = strstr(text, "digest");
    assert_non_null(at);
    snprintf(digest, size, "%.120s", at);
}

static void the_resolved_scenario_reproduces_the_run(void **state)
{
    (void)state;
    char first[128], again[128], other[128];
    put_text("small.yaml", good);
    assert_weir("run small.yaml -o a --seed 7 --duration 100ms --set traffic.bulk.tcp.sessions=2", 0, "");
    assert_weir("run a/scenario.yaml -o b", 0, "");
    assert_weir(
        "run small.yaml -o c --engine check --seed 7 --duration 100ms --set traffic.bulk.tcp.sessions=2", 0,
        "");
    digest_of("a", first, sizeof first);
    digest_of("b", again, sizeof again);
    digest_of("c", other, sizeof other);
    assert_string_equal(first, again);
    assert_string_equal(first, other);
}

/* Results state what was read, by paths that stay right when all of it is moved, and tell when that has changed. */
static void results_state_their_inputs(void **state)
{
    (void)state;
    put_text("net.txt", "a b\nb c\n");
    put_text("sizes.txt", "100 0.5\n1000 1\n");
    put_text("files.yaml", "weir: 1\nduration: 100ms\ntopology: {file: net.txt, format: edges}\n"
                           "traffic: [{name: x, tcp: {size: {cdf: sizes.txt}}, from: a, to: c}]\n");
    assert_weir("run files.yaml -o results/one", 0, "");
    slurp("results/one/scenario.yaml", out_text, sizeof out_text);
    assert_non_null(strstr(out_text, "file: \"../../net.txt\"\n"));
    assert_non_null(strstr(out_text, "cdf: \"../../sizes.txt\""));
    assert_non_null(strstr(out_text, "of: topology.file\n    sha256: "
                                     "974fc280eefeb7bad5e87c2edef595aef398f15ba0681585b2cffe69e345bccd"));
    assert_non_null(strstr(out_text, "of: traffic.x.tcp.size.cdf\n"));
    assert_int_equal(system("mkdir moved && cp -r net.txt sizes.txt results moved"), 0);
    assert_weir("run moved/results/one/scenario.yaml -o two", 0, "");
    assert_null(strstr(err_text, "changed"));
    put_text("net.txt", "a b\nb d\nd c\n");
    assert_weir("check results/one/scenario.yaml", 0, "topology.file, ");
    assert_non_null(strstr(err_text, "has changed"));
    assert_weir("run files.yaml -o three", 0, "");
    assert_says("verify results/one three", 1, "the runs read different content for topology.file",
                "has changed");
    assert_null(strstr(out_text, "cdf"));
}

static void an_event_after_the_end_does_not_happen(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "%sevents: [{at: 150ms, fail: {link: left--right}}]\n", good);
    put_text("fails.yaml", text);
    put_text("small.yaml", good);
    assert_weir("run fails.yaml -o all", 0, "");
    assert_weir("run fails.yaml -o cut --duration 100ms", 0,
                "fails.yaml:11:10: warning: this event is due when the run");
    assert_weir("run small.yaml -o none --duration 100ms", 0, "");
    char cut[128], none[128];
    digest_of("cut", cut, sizeof cut);
    digest_of("none", none, sizeof none);
    assert_string_equal(cut, none);
}

/* Numbers have the digits that they have: no cell of a table needs the 17 that tell two doubles apart where the
 * exact value has a few. */
static void numbers_are_as_short_as_they_are(void **state)
{
    (void)state;
    put_text("cbr.yaml", "weir: 1\nduration: 700ms\ntopology: {generate: {model: dumbbell}}\n"
                         "traffic: [{name: a, udp: {rate: 1.276Mbps}, from: l0, to: r0}]\n"
                         "output: {warmup: 100ms}\n");
    assert_weir("run cbr.yaml -o out", 0, "");
    static const char *const files[] = {"out/flows.csv", "out/ports.csv"};
    for (int i = 0; i < 2; i++) {
        slurp(files[i], out_text, sizeof out_text);
        for (char *save = NULL, *cell = strtok_r(out_text, ",\n", &save); cell;
             cell = strtok_r(NULL, ",\n", &save))
            if (strchr(cell, '.') && cell[0] >= '0' && cell[0] <= '9' && strlen(cell) > 14)
                fail_msg("%s: %s", files[i], cell);
    }
}

/* A class of players has a row of its own: what a link of a third of the bitrate shows. */
static void players_have_a_row(void **state)
{
    (void)state;
    put_text("video.yaml", "weir: 1\nduration: 60s\n"
                           "topology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 300kbps}}\n"
                           "traffic:\n- {name: v, from: l0, to: r0, tcp: {video: {ladder: [1Mbps, 2Mbps]}}}\n"
                           "- {name: idle, start: 59s, from: l1, to: r1, tcp: {video: {ladder: [1Mbps]}}}\n");
    assert_weir("run video.yaml -o players", 0, "");
    assert_non_null(strstr(out_text, "mean bitrate"));
    const char *row = strstr(strstr(out_text, "mean bitrate"), "\n  v ");
    assert_non_null(row);
    char end = 0;
    int players = 0, stalls = 0;
    double rate = 0.0;
    assert_int_equal(sscanf(row, " v %d %lf Mbit/s %*d %*f s %d %*f %c", &players, &rate, &stalls, &end), 4);
    assert_true(players == 1 && rate == 1.0 && stalls >= 3 && end == 's');
}

static void check_prints_a_scenario(void **state)
{
    (void)state;
    put_text("small.yaml", good);
    assert_weir("check small.yaml --duration 1s", 0, "");
    assert_non_null(strstr(out_text, "# Estimate"));
    put_text("resolved.yaml", out_text);
    assert_weir("check resolved.yaml", 0, "");
    assert_int_equal(weir("check --schema"), 0);
    assert_int_equal(out_text[0], '{');
    assert_nothing_left();
}

static void bad_keys_and_values(void **state)
{
    (void)state;
    put_changed("duration: 200ms", "durration: 200ms");
    assert_bad_scenario("bad.yaml:3:1: error: unknown key 'durration'");
    put_changed("duration: 200ms\n", NULL);
    assert_bad_scenario("duration");
    put_changed("duration: 200ms", "duration: 200ms\nduration: 1s");
    assert_bad_scenario("bad.yaml:4:1");
    put_changed("duration: 200ms", "duration: 0s");
    assert_bad_scenario("bad.yaml:3:11");
    put_changed("duration: 200ms", "duration: 200");
    assert_bad_scenario("bad.yaml:3:11");
    put_changed("duration: 200ms", "duration: 200Mbps");
    assert_bad_scenario("bad.yaml:3:11");
    put_changed("duration: 200ms", "duration: -1s");
    assert_bad_scenario("bad.yaml:3:11");
    put_changed("sessions: 1", "sessions: 99999999999");
    assert_bad_scenario("bad.yaml:8:");
    put_changed("{model: dumbbell}", "{model: dumbell}");
    assert_bad_scenario("dumbbell");
    put_changed("{model: dumbbell}", "{model: dumbbell, rate: 0bps}");
    assert_bad_scenario("bad.yaml:5:");
    put_changed("{model: dumbbell}", "{model: dumbbell}\n  link: {rate: -1Gbps}");
    assert_bad_scenario("bad.yaml:6:");
}

static void bad_nodes(void **state)
{
    (void)state;
    put_changed("to: r0", "to: r00");
    assert_bad_scenario("bad.yaml:10:");
    assert_non_null(strstr(err_text, "'r0'")); /* nearest names are offered */
    /* Two islands, and traffic between them. */
    put_text("islands.txt", "1 2\n3 4\n");
    put_text("bad.yaml", "weir: 1\nname: islands\nduration: 100ms\ntopology: {file: islands.txt}\ntraffic:\n"
                         "  - {name: bulk, tcp: {sessions: 1}, from: \"1\", to: \"3\"}\n");
    assert_bad_scenario("bad.yaml:6:");
}

/* A scenario from a pipe; its files are relative to the folder that weir runs in. */
static void standard_input(void **state)
{
    (void)state;
    put_text("small.yaml", good);
    assert_int_equal(system("cat small.yaml | '" WEIR "' check - >.out 2>.err"), 0);
    slurp(".out", out_text, sizeof out_text);
    assert_non_null(strstr(out_text, "name: small"));
    assert_int_equal(system("gzip -c small.yaml | '" WEIR "' run - -o out >.out 2>.err"), 0);
    assert_true(exists("out/summary.json"));
    assert_weir("check -", 2, "stdin:1:1: error:");
}

static void bad_files(void **state)
{
    (void)state;
    static const unsigned char binary[] = {0x7f, 'E', 'L', 'F', 0, 1, 2, 0xff, 0xfe, 0, '\n', 0x80};
    assert_weir("run missing.yaml", 2, "missing.yaml");
    assert_weir("run .", 2, ".");
    put_text("bad.yaml", "");
    assert_bad_scenario("bad.yaml");
    put("bad.yaml", binary, sizeof binary);
    assert_bad_scenario("bad.yaml");
    put_text("bad.yaml", "weir: 1\ntopology: {file: [");
    assert_bad_scenario("bad YAML");
    put_changed("generate: {model: dumbbell}", "file: nowhere.graphml");
    assert_bad_scenario("nowhere.graphml");
    put_text("cut.graphml",
             "<?xml version=\"1.0\"?><graphml><graph edgedefault=\"undirected\"><node id=\"0\"/>");
    put_changed("generate: {model: dumbbell}", "file: cut.graphml");
    assert_bad_scenario("cut.graphml");
    put("noise.graphml", binary, sizeof binary);
    put_changed("generate: {model: dumbbell}", "file: noise.graphml");
    assert_bad_scenario("noise.graphml");
    if (geteuid() == 0)
        return; /* root reads everything */
    put_text("bad.yaml", good);
    assert_int_equal(chmod("bad.yaml", 0), 0);
    assert_bad_scenario("Permission denied");
}

/* Controls that losses do not slow, where the path carries less than they take for granted: the key that mends it is named. */
static void what_is_sent_for_nothing_is_told(void **state)
{
    static const char eight[] =
        "weir: 1\nduration: 100ms\ntopology:\n  generate: {model: dumbbell, left: 8, access_rate: 10Gbps, "
        "access_delay: 5us, bottleneck_rate: 10Gbps, bottleneck_delay: 20us}\n"
        "  queue: {type: trim, mark_min: 37kB, mark_max: 144kB, limit: 177kB}\ntraffic:\n"
        "  - {name: a, pairs: [[l0, r0], [l1, r1], [l2, r2], [l3, r3], [l4, r4], [l5, r5], [l6, r6], [l7, "
        "r7]],\n"
        "     tcp: {congestion: rccc}}\n";
    static const char timely[] =
        "weir: 1\nduration: 1s\noutput: {warmup: 700ms}\ntopology:\n  generate: {model: dumbbell, left: 2, "
        "access_rate: 10Gbps, "
        "access_delay: 5us, bottleneck_rate: 100Mbps, bottleneck_delay: 20us}\n  queue: {limit: 50kB}\n"
        "traffic:\n  - {name: a, pairs: [[l0, r0], [l1, r1]], tcp: {congestion: timely, window: 16MB}}\n";
    (void)state;
    put_text("eight.yaml", eight);
    assert_int_equal(weir("run eight.yaml"), 0);
    assert_non_null(strstr(err_text, "of its packets were sent again: receivers grant"));
    assert_non_null(strstr(err_text, "want oversubscription"));
    assert_int_equal(weir("run eight.yaml --force --set traffic.a.tcp.oversubscription=8"), 0);
    assert_null(strstr(err_text, "sent again"));
    put_text("timely.yaml", timely);
    assert_int_equal(weir("run timely.yaml"), 0);
    assert_non_null(strstr(err_text, "were sent again: no flow is slower than min_rate"));
}

/* A receive window below the bandwidth-delay product is no property of the network: 1 MiB in 44 ms of 1 Gb/s. One that fills the
 * link is none of it, nor is a queue that it fills. */
static void a_window_that_holds_a_flow_is_told(void **state)
{
    static const char wide[] =
        "weir: 1\nduration: 20s\ntopology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 1Gbps}}\n"
        "traffic: [{name: a, tcp: {}, from: l0, to: r0}]\n";
    (void)state;
    put_text("wide.yaml", wide);
    assert_int_equal(weir("run wide.yaml"), 0);
    assert_non_null(strstr(
        err_text,
        "class 'a': 1 flow sent all that the receive window allows, 1048576 B in a round trip of 44 ms"));
    assert_int_equal(weir("run wide.yaml --force --set traffic.a.tcp.window=16MB"), 0);
    assert_null(strstr(err_text, "receive window"));
    assert_int_equal(weir("run wide.yaml --force --set topology.generate.bottleneck_rate=100Mbps"), 0);
    assert_null(strstr(err_text, "receive window"));
    put_text("ndp.yaml",
             "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 2, access_rate: 800Gbps, "
             "access_delay: 2500ns}, queue: {type: trim}}\n"
             "traffic: [{name: a, tcp: {congestion: ndp}, from: h0, to: h1}]\noutput: {warmup: 200us}\n");
    assert_int_equal(weir("run ndp.yaml"), 0);
    assert_non_null(strstr(err_text, "all that the first window allows, 43800 B in a round trip of 0.01 ms"));
}

/* Fluid that loses most of what it sends, over RED, is told at the end; a few sessions are not. */
static void fluid_that_is_all_loss_is_told(void **state)
{
    (void)state;
    put_text("crowd.yaml",
             "weir: 1\nduration: 2s\ntopology: {generate: {model: dumbbell, left: 1, bottleneck_delay: 1ms}, "
             "queue: {type: red, limit: "
             "100kB, min: 10kB, max: 50kB, max_p: 10%}}\n"
             "traffic: [{name: crowd, tcp: {sessions: 300}, from: l0, to: r0, fidelity: fluid}]\n");
    assert_int_equal(weir("run crowd.yaml"), 0);
    assert_non_null(strstr(err_text, "class 'crowd': as fluid, sessions lose 91 % of"));
    assert_int_equal(weir("run crowd.yaml --force --set traffic.crowd.tcp.sessions=5"), 0);
    assert_null(strstr(err_text, "class 'crowd': as fluid"));
}

static void bad_usage(void **state)
{
    (void)state;
    put_text("small.yaml", good);
    assert_weir("rnu small.yaml", 2, "did you mean 'run'?");
    assert_weir("survey small.yaml", 2, "unknown command 'survey'");
    assert_weir("run small.yaml --sead 7", 2, "did you mean '--seed'?");
    assert_weir("run", 2, "SCENARIO is missing");
    assert_weir("run small.yaml --engine sequental", 2, "sequential");
    assert_weir("run small.yaml --duration 10", 2, "--duration 10: error: ");
    assert_weir("run small.yaml --set trafic.bulk.start=1s", 2, "traffic");
    assert_weir("run small.yaml --device cuda", 2, "GPU");
    /* What a user did not write is not named; a build with CUDA says what this machine lacks. */
    assert_null(strstr(err_text, "engine.type"));
    assert_int_equal(weir("--version"), 0);
    const char *const without = strstr(out_text, "without");
    if (without && strstr(without, "CUDA")) {
        assert_weir("run small.yaml --device cuda", 2, "--device cuda: error: ");
        assert_weir("run small.yaml --engine gpu", 2, "--engine gpu: error: ");
        assert_weir("run small.yaml --set engine.type=gpu", 2, "--set engine.type=gpu: error: ");
    }
    assert_nothing_left();
}

static void bad_places_for_results(void **state)
{
    (void)state;
    put_text("small.yaml", good);
    assert_weir("run small.yaml", 0, "");
    assert_weir("run small.yaml", 1, "--force");
    assert_weir("run small.yaml -o /proc/weir", 1, "/proc/weir");
    assert_int_equal(mkdir("mine", 0777), 0);
    put_text("mine/thesis.tex", "text");
    assert_weir("run small.yaml -o mine --force", 1, "no manifest");
    assert_true(exists("mine/thesis.tex"));
    put_text("thesis.html", "mine");
    assert_weir("report results/small -o thesis.html", 1, "--force replaces it");
    slurp("thesis.html", out_text, sizeof out_text);
    assert_string_equal(out_text, "mine");
    assert_int_equal(count_names("results"), 1);
}

/* Ends with 1, leaves nothing, and from `says` bytes on gives the cause. */
static void run_with_room_for(rlim_t limit, rlim_t says)
{
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit bound = {limit, RLIM_INFINITY};
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
        setrlimit(RLIMIT_FSIZE, &bound);
        execl(WEIR, "weir", "run", "small.yaml", "-o", "out", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1)
        fail_msg("with a limit of %lu bytes: wait status %#x", (unsigned long)limit, (unsigned)status);
    slurp(".err", err_text, sizeof err_text);
    if (limit >= says && (!strstr(err_text, "File too large") || strstr(err_text, "could not be taken")))
        fail_msg("with a limit of %lu bytes: it said %s", (unsigned long)limit, err_text);
    assert_nothing_left();
}

static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    put_text("small.yaml", good);
    for (rlim_t limit = 0; limit <= 1024; limit = limit ? 4 * limit : 64)
        run_with_room_for(limit, 1024);
    char traced[2048]; /* megabytes of what is written under way: packets, captures, samples */
    snprintf(traced, sizeof traced, "%soutput: {interval: 10us, ports: all, packets: bulk, pcap: l0--left}\n",
             good);
    put_text("small.yaml", traced);
    for (rlim_t limit = 1024; limit <= 65536; limit *= 8)
        run_with_room_for(limit, 1024);
    put_text("small.yaml", good);
    if (exists("/dev/full"))
        assert_int_equal(WEXITSTATUS(system("'" WEIR "' run small.yaml -o x >/dev/full 2>/dev/null")), 1);
}

/* Sends a signal, and returns the wait status; what it said is in err_text. */
static int end_by(pid_t pid, int number)
{
    int status = 0;
    kill(pid, number);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    slurp(".err", err_text, sizeof err_text);
    return status;
}

/* A run that would take days is stopped by a signal, and its partial results are there and marked. */
static void a_signal_gives_partial_results(void **state)
{
    (void)state;
    put_text("small.yaml", good);
    const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < 2; i++) {
        char line[100];
        snprintf(line, sizeof line, "run small.yaml --duration 8600000s -o %s", i ? "term" : "int");
        const pid_t run = start_weir(line);
        wait_for_run(run, i ? "term" : "int");
        const int status = end_by(run, signals[i]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || !strstr(err_text, "partial results in"))
            fail_msg("wait status %#x; it said:\n%s", (unsigned)status, err_text);
        slurp(i ? "term/summary.json" : "int/summary.json", out_text, sizeof out_text);
        assert_non_null(strstr(out_text, "\"partial\": true"));
        assert_non_null(strstr(out_text, "\"stopped_in_warmup\": false"));
    }
}

static void a_run_stopped_in_its_warm_up_says_so(void **state)
{
    (void)state;
    put_text("small.yaml", good);
    const pid_t run = start_weir("run small.yaml --duration 8600000s --set output.warmup=8000000s -o out");
    wait_for_run(run, "out");
    end_by(run, SIGINT);
    assert_non_null(strstr(err_text, "stopped in its warm-up"));
    slurp(".out", out_text, sizeof out_text);
    if (!strstr(out_text, "(partial)\n")) /* and not from when on figures are */
        fail_msg("%s", out_text);
    slurp("out/summary.json", out_text, sizeof out_text);
    assert_non_null(strstr(out_text, "\"stopped_in_warmup\": true"));
}

/* Set-ups that take long: peers of Kademlia, sorted and initialised; routers placed and joined; all pairs of
 * routes. How much memory they hold tells that they are under way. Nothing is left of them. */
static const struct {
    const char *text;
    long mib; /* of several times as much in the end */
} slow[] = {
    {"weir: 1\nduration: 10s\nmodel: {kademlia: {peers: 6000000}}\n", 200},
    {"weir: 1\nduration: 10s\ntopology: {generate: {model: waxman, N: 3000000, HS: 10000, LS: 1000}}\n"
     "traffic: [{name: a, udp: {rate: 1Mbps}, pairs: {random: 5}}]\n",
     140},
    {"weir: 1\nduration: 10s\ntopology: {generate: {model: barabasi-albert, N: 30000}}\n"
     "routing: {forwarding: table}\ntraffic: [{name: a, udp: {rate: 1Mbps}, pairs: permutation}]\n",
     400}};

static pid_t start_slow(size_t i, const char *arguments)
{
    put_text("slow.yaml", slow[i].text);
    const pid_t run = start_weir(arguments);
    wait_until(resident_mib(run) >= slow[i].mib || has_ended(run));
    return run;
}

static void set_up_is_stopped_too(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        const int status = end_by(start_slow(i, "run slow.yaml -o out"), SIGINT);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || !strstr(err_text, "during the set-up"))
            fail_msg("scenario %zu: wait status %#x; it said:\n%s", i, (unsigned)status, err_text);
        assert_false(exists("out"));
        /* One that is too slow to end in order within two seconds is ended, and leaves its temporary folder at worst. */
        if (!strstr(err_text, "error: stopped"))
            assert_int_equal(system("rm -rf out.tmp-*"), 0);
        assert_nothing_left();
    }
}

/* A study does not wait for the set-up of the runs that it has under way: the same command goes on with them. */
static void set_ups_of_a_study_are_stopped_too(void **state)
{
    (void)state;
    const int status = end_by(
        start_slow(1, "study slow.yaml --vary topology.generate.N=4000000,3000000 -j 1 -o study"), SIGINT);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || !strstr(err_text, " kept"))
        fail_msg("wait status %#x; it said:\n%s", (unsigned)status, err_text);
    assert_int_equal(
        system("'" WEIR "' study slow.yaml --vary topology.generate.N=40,30 --force -q -o study 2>.err"), 0);
    assert_int_equal(system("rm -rf study"), 0);
    assert_nothing_left();
}

/* Does the process whose /proc/N/status this is catch the signal? */
static bool catches(const char *path, int number)
{
    char *text = read_text(path);
    const char *caught = text ? strstr(text, "\nSigCgt:") : NULL;
    const bool does = caught && (strtoull(caught + 8, NULL, 16) >> (number - 1) & 1);
    free(text);
    return does;
}

/* The second signal is not caught any more. */
static void a_second_signal_ends_it_at_once(void **state)
{
    char path[64];
    (void)state;
    const pid_t run = start_slow(0, "run slow.yaml -o out");
    kill(run, SIGINT);
    snprintf(path, sizeof path, "/proc/%d/status", (int)run);
    wait_until(has_ended(run) || !catches(path, SIGINT));
    const int status = end_by(run, SIGINT);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGINT
                                    : WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

/* Programs that wait for each other: results are whole and name the ranks, the exit code is not 0; a study's row says why. A run that
 * ended before its program did is none. */
static void a_deadlock_is_an_error(void **state)
{
    static const char model[] =
        "weir: 1\nduration: 1ms\nmodel:\n  interconnect:\n    jobs: [{name: t, trace: t.txt}]\n";
    char text[4096];
    (void)state;
    put_text("t.txt", "0 init\n1 init\n0 send 1 0 1000000\n0 recv 1 0\n1 send 0 0 1000000\n1 recv 0 0\n");
    put_text("d.yaml", model);
    assert_weir("run d.yaml -o out", 1,
                "t.txt:3:1: error: job 't' is in a deadlock: 2 of its 2 ranks wait for ever since 0 s; "
                "rank 0 waits in 'send' for rank 1 to receive (tag 0)");
    assert_non_null(
        strstr(err_text, "t.txt:5:1: error: rank 1 waits in 'send' for rank 0 to receive (tag 0)"));
    slurp("out/ranks.csv", text, sizeof text);
    assert_non_null(strstr(text, "t,1,1,deadlock,0,,0,,0,send,/"));
    slurp("out/jobs.csv", text, sizeof text);
    assert_non_null(strstr(text, "\nt,2,0,4,0,"));
    assert_int_equal(
        weir("run d.yaml -o short -q --duration 500us --set model.interconnect.jobs.t.eager=2MB"), 0);
    slurp("short/ranks.csv", text, sizeof text);
    assert_non_null(strstr(text, "t,1,1,under way,0,,0,,,,,"));
    assert_int_equal(weir("study d.yaml -o s --vary model.interconnect.jobs.t.eager=1KiB,2MB"), 1);
    slurp("s/runs.csv", text, sizeof text);
    assert_non_null(strstr(text, "1,0,2MB,1,0,ok"));
    assert_non_null(strstr(text, "t.txt:3:1: error: job 't' is in a deadlock"));
}

static void topology_info(void **state)
{
    (void)state;
    put_text("ring.txt", "# a ring of four\n1 2\n2 3\n3 4\n4 1\n");
    assert_int_equal(weir("topology info -q ring.txt"), 0);
    assert_non_null(strstr(out_text, "links         4\n"));
    assert_non_null(strstr(out_text, "diameter      2 hops\n"));
    assert_int_equal(weir("topology info -q --json ring.txt"), 0);
    assert_non_null(strstr(out_text, "\"diameter_hops\": 2"));
    assert_weir("topology info missing.graphml", 2, "missing.graphml");
    put_text("empty.graphml", "");
    assert_weir("topology info empty.graphml", 2, "empty.graphml");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        CASE(help_and_version),
        CASE(a_run_writes_one_folder),
        CASE(results_that_exist_are_said_last),
        CASE(the_resolved_scenario_reproduces_the_run),
        CASE(results_state_their_inputs),
        CASE(an_event_after_the_end_does_not_happen),
        CASE(numbers_are_as_short_as_they_are),
        CASE(players_have_a_row),
        CASE(check_prints_a_scenario),
        CASE(bad_keys_and_values),
        CASE(bad_nodes),
        CASE(standard_input),
        CASE(bad_files),
        CASE(a_window_that_holds_a_flow_is_told),
        CASE(what_is_sent_for_nothing_is_told),
        CASE(fluid_that_is_all_loss_is_told),
        CASE(bad_usage),
        CASE(bad_places_for_results),
        CASE(a_full_disk_leaves_nothing),
        CASE(a_signal_gives_partial_results),
        CASE(a_run_stopped_in_its_warm_up_says_so),
        CASE(set_up_is_stopped_too),
        CASE(set_ups_of_a_study_are_stopped_too),
        CASE(a_second_signal_ends_it_at_once),
        CASE(a_deadlock_is_an_error),
        CASE(topology_info),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
