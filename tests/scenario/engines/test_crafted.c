/*
 * Checkpoints whose fields were rewritten: of every subject, in every section, counts, indices and times at their limits.
 *
 * Checksums are repaired: `about` holds the digest of all other sections, so that none is taken.
 *
 *     scenario_test_crafted [FIRST_SEED COUNT [SUBJECT]]     more of them
 *
 * Each is read and run to its end by a process of its own, which has ten seconds. label: slow
 */
#include <signal.h>
#include <sys/wait.h>
#include <zlib.h>

#include "diag.h"
#include "nightly.h"

#include "output/scratch.h"
#include "output/results/remove_tree.h"
#include "splitmix.h"
#include "weir/session.h"

enum { COUNT = 12, COUNT_BY_NIGHT = 120, SECONDS = 10, TAKEN = 3 };

static uint64_t first_seed = 1, count;
static const char *only;

static const struct subject {
    const char *name, *text;
} subjects[] = {
    {
        "network",
        "weir: 1\nduration: 60ms\ntopology:\n  generate: {model: dumbbell, bottleneck_rate: 20Mbps}\n  "
        "queue: {type: "
        "red, limit: 60kB, min: 5kB, max: "
        "20kB}\ntraffic:\n  - {name: a, tcp: {sessions: 3}, from: l0, to: r0}\n  - {name: u, udp: {rate: "
        "1Mbps}, from: r0, to: l0}\n"
        "  - {name: b, tcp: {size: 5kB, arrivals: {poisson: 300/s}}, from: l0, to: r0}\noutput: {interval: "
        "10ms}\n",
    },
    {
        "fluid",
        "weir: 1\nduration: 200ms\ntopology:\n  generate: {model: dumbbell, bottleneck_rate: "
        "20Mbps}\ntraffic:\n"
        "  - {name: a, tcp: {sessions: 20}, fidelity: fluid, from: l0, to: r0}\n  - {name: p, tcp: {}, from: "
        "l0, to: r0}\n"
        "output: {interval: 20ms}\n",
    },
    {"phold",
     "weir: 1\nduration: 1ms\nmodel: {phold: {entities: 50, events: 4, lookahead: 10us, mean: 10us}}\n"},
    {"lcg",
     "weir: 1\nduration: 2us\nmodel: {lcg: {modules: 20, events: 30, iterations: 2, ways: 4, state: 80B}}\n"},
    {"wireless", "weir: 1\nduration: 400ms\nmodel: {wireless: {nodes: 5, packets_per_s: 20}}\noutput: "
                 "{interval: 50ms}\n"},
    {
        "more of networks",
        "weir: 1\nduration: 60ms\ntopology:\n  generate: {model: dumbbell, left: 3, bottleneck_rate: "
        "20Mbps}\n  queue: {type: "
        "fq_codel, limit: 60kB}\ntraffic:\n  - {name: a, tcp: {congestion: cubic}, from: "
        "l0, to: r0}\n"
        "  - {name: b, tcp: {congestion: bbr, pacing: true}, from: l1, to: r1}\n"
        "  - {name: c, tcp: {congestion: dctcp, size: 20kB, arrivals: {poisson: 100/s}}, from: l2, "
        "to: r2}\n",
    },
    {
        "pauses",
        "weir: 1\nduration: 3ms\ntopology:\n  generate: {model: dumbbell, left: 3, bottleneck_rate: 1Gbps, "
        "bottleneck_delay: 1us, access_rate: 1Gbps, access_delay: 1us}\n  shared_buffer: {size: 300kB, "
        "alpha: 0.5, "
        "pfc: {}}\n"
        "traffic:\n  - {name: a, tcp: {}, from: l0, to: r0}\n  - {name: b, tcp: {congestion: bbr3, pacing: "
        "true}, "
        "from: l1, to: r0}\n  - {name: c, udp: {rate: 900Mbps}, from: l2, to: r0}\n",
    },
    {
        "players",
        "weir: 1\nduration: 2s\ntopology:\n  generate: {model: dumbbell, bottleneck_rate: 5Mbps}\n"
        "traffic:\n  - {name: v, tcp: {video: {ladder: [100kbps, 400kbps, 1Mbps], segment: 100ms}}, from: "
        "l0, to: r0}\n",
    },
    {"jackson", "weir: 1\nduration: 10s\nmodel: {jackson: {stations: 20}}\noutput: {interval: 1s}\n"},
    {
        "kademlia",
        "weir: 1\nduration: 2s\nmodel:\n  kademlia: {peers: 60, think: 1s, churn: {online: 3s, offline: 1s, "
        "rejoin: fresh}, values: {keys: 20, "
        "find: 30%, store: 20%}}\noutput: {interval: 500ms}\n",
    },
    {
        "job",
        "weir: 1\nduration: 20ms\ntopology: {generate: {model: star, hosts: 4}, queue: {limit: "
        "20kB}}\ntraffic: "
        "[{name: j, job: {model: {layers: 2, hidden: 64, heads: 2, sequence: 32, vocabulary: 100, "
        "micro_batches: 2, "
        "data: 2, pipeline: 2}, flops: 12e9, iterations: 20, allreduce: ring, channels: 2, chunk: 700B, "
        "small: 0B, "
        "eager: 0B}, tcp: {connection: keep}}]\noutput: {interval: 5ms}\n",
    },
    {
        "interconnect",
        "weir: 1\nduration: 30us\nmodel:\n  interconnect:\n    dragonfly: {p: 1, a: 3, h: 1, groups: 4}\n    "
        "routing: par\n    jobs:\n"
        "      - {name: x, ranks: 4, load: 60%}\n      - {name: s, ranks: 6, iterations: endless, program: "
        "[{do: compute, time: 1us}, "
        "{do: allreduce, message: 4KiB}]}\noutput: {interval: 5us}\n",
    },
    {
        "surrogate",
        "weir: 1\nduration: 60us\nmodel: {interconnect: {torus: {size: 2x3}, jobs: [{load: 50%}], surrogate: "
        "{when: "
        "always, predictor: quantile, periods: [{from: 20us, until: 40us, track: 10us}]}}}\n",
    },
};

static weir_scenario *parse(weir_diag *diag, const char *text)
{
    weir_scenario *s = NULL;
    expect_ok(diag, weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, NULL, 0, &s));
    return s;
}

/* ---- the file ---- */

typedef struct image {
    unsigned char *at;
    size_t n;
} image;

typedef struct entry {
    char name[32];
    uint64_t at, bytes, crc;
} entry;

typedef struct tail {
    uint64_t list_at, n, list_crc;
    char magic[8];
} tail;

static image read_image(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    image all = {.n = (size_t)ftell(f)};
    rewind(f);
    all.at = malloc(all.n);
    assert_int_equal(fread(all.at, 1, all.n, f), all.n);
    fclose(f);
    return all;
}

static void write_image(const char *path, const image *all)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(all->at, 1, all->n, f), all->n);
    assert_int_equal(fclose(f), 0);
}

static tail tail_of(const image *all)
{
    tail t;
    memcpy(&t, all->at + all->n - sizeof t, sizeof t);
    return t;
}

static void repair(image *all)
{
    tail t = tail_of(all);
    entry *list = (entry *)(void *)(all->at + t.list_at);
    for (uint64_t i = 0; i < t.n; i++)
        list[i].crc = crc32_z(crc32_z(0, NULL, 0), all->at + list[i].at, (size_t)list[i].bytes);
    t.list_crc = crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)list, (size_t)t.n * sizeof *list);
    memcpy(all->at + all->n - sizeof t, &t, sizeof t);
}

/* One field of a section gets another value. */
static void rewrite(image *all, uint64_t *random, char *what, size_t size)
{
    const tail t = tail_of(all);
    const entry *list = (const entry *)(const void *)(all->at + t.list_at);
    const entry *e;
    do
        e = &list[rnd_below(random, (uint32_t)t.n)];
    while (e->bytes < 8);
    const uint32_t width = 1u << rnd_below(random, 4);
    const uint64_t place = rnd(random) % (e->bytes / width) * width;
    uint64_t old = 0, new;
    memcpy(&old, all->at + e->at + place, width);
    const uint64_t values[] = {0,
                               1,
                               UINT64_MAX,
                               UINT64_C(0x7fffffff),
                               UINT64_C(0x80000000),
                               UINT64_C(0xffffffff),
                               old + 1,
                               old - 1,
                               rnd(random),
                               UINT64_C(1) << rnd_below(random, 63),
                               UINT64_C(0x7fffffffffffffff)};
    do
        new = values[rnd_below(random, sizeof values / sizeof values[0])];
    while (memcmp(&new, &old, width) == 0);
    memcpy(all->at + e->at + place, &new, width);
    snprintf(what, size, "section '%s', byte %llu, %u bytes: %llx for %llx", e->name,
             (unsigned long long)place, width, (unsigned long long)new, (unsigned long long)old);
}

/* ---- runs ---- */

static void save(weir_diag *diag, const char *text, const char *path)
{
    weir_scenario *s = parse(diag, text);
    weir_session *session;
    expect_ok(diag, weir_session_open(diag, s, NULL, &session));
    expect_ok(diag, weir_session_advance(session, weir_session_end(session) / 2));
    expect_ok(diag, weir_session_save(session, path));
    weir_session_close(session);
    weir_scenario_free(s);
}

/* In a child: what `weir resume` does with it. */
static void go_on(const char *path)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *s;
    weir_run_options o;
    weir_run_result got;
    weir_run_options_init(&o);
    o.no_output = true;
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* which cmocka catches */
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        signal(deadly[i], SIG_DFL);
    alarm(SECONDS);
    weir_status status = weir_checkpoint_scenario(diag, path, NULL, 0, &s);
    if (status == WEIR_OK) {
        status = weir_resume(diag, s, &o, path, &got);
        weir_run_result_free(&got);
        weir_scenario_free(s);
    }
    weir_diag_free(diag);
    _exit(status == WEIR_OK ? TAKEN : 0);
}

/* One rewritten file, read and run in a child; returns whether that went wrong. */
static bool try_one(const struct subject *of, const image *whole, const char *file, uint64_t seed)
{
    uint64_t random = seed * 1000 + (uint64_t)(of - subjects);
    char what[200];
    int status = 0;
    image one = {malloc(whole->n), whole->n};
    memcpy(one.at, whole->at, whole->n);
    rewrite(&one, &random, what, sizeof what);
    repair(&one);
    write_image(file, &one);
    free(one.at);
    const pid_t child = fork();
    if (child == 0)
        go_on(file);
    waitpid(child, &status, 0);
    const bool taken = WIFEXITED(status) && WEXITSTATUS(status) == TAKEN;
    if (status == 0 || (taken && strstr(what, "'about'")))
        return false;
    print_message("%s, seed %llu: %s, wait status %#x: %s\n", of->name, (unsigned long long)seed, what,
                  (unsigned)status,
                  taken                                                ? "taken"
                  : WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hung"
                                                                       : "crashed");
    return true;
}

static void crafted_files_are_not_taken(void **state)
{
    weir_diag *diag = *state;
    const uint64_t n = count ? count : nightly() ? COUNT_BY_NIGHT : COUNT;
    uint32_t wrong = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        char file[600];
        if (only && strcmp(only, subjects[i].name) != 0)
            continue;
        snprintf(file, sizeof file, "%s", scratch_path("c.checkpoint"));
        save(diag, subjects[i].text, file);
        image whole = read_image(file);
        for (uint64_t k = 0; k < n; k++)
            wrong += try_one(&subjects[i], &whole, file, first_seed + k);
        free(whole.at);
    }
    assert_int_equal(wrong, 0);
}

static int make_folder(void **state)
{
    return scratch_make() ? diag_set_up(state) : -1;
}

static int remove_folder(void **state)
{
    (void)diag_tear_down(state);
    return wi_remove_tree(scratch_folder);
}

int main(int argc, char **argv)
{
    first_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : first_seed;
    count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    only = argc > 3 ? argv[3] : NULL;
    const struct CMUnitTest tests[] = {cmocka_unit_test(crafted_files_are_not_taken)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
