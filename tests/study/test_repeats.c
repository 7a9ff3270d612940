/*
 * Items of lists that are given twice, of every list that the schema has: each is taken or refused with a message and its
 * place, and nothing is written past a block (make test-asan). One item at a
 * time of the scenarios below is repeated, and what comes out is opened, run for a moment and written. A list that the
 * JSON Schema knows and no scenario has fails the test, so that new keys are covered.
 */
#include <jansson.h>

#include "scenario/load.h"
#include "schema/tree.h"
#include "study/small.h"
#include "weir/session.h"

#define DATA WEIR_SOURCE_DIR "/tests/scenario/data"

enum { KEYS_MAX = 400, FILE_BYTES = 1 << 16 };

/* Lists of packet networks; those of interconnects have a file of their own. All run as they are, in a moment. */
static const char *const networks[] = {
    "weir: 1\nname: lists\nduration: 5ms\n"
    "topology:\n  generate: {model: dumbbell, left: 3}\n"
    "  queue: {limit: 20kB}\n"
    "  queues: [{link: left->right, type: red, min: 3kB, max: 9kB, limit: 30kB}]\n"
    "  links: [{link: [l0->left, l1->left], rate: 50Mbps}]\n"
    "traffic:\n"
    "  - {name: a, tcp: {sessions: 20}, from: [l0, l1], to: [r0, r1], start: {uniform: [0s, 1ms]}}\n"
    "  - {name: b, tcp: {size: 10kB}, pairs: [[l0, r0], [l1, r1]]}\n"
    "  - {name: c, udp: {rate: 2Mbps}, from: l2, to: r2}\n"
    "  - {name: d, collective: {kind: ring-all-reduce, hosts: [l0, r0, l1]}, tcp: {size: 10kB}}\n"
    "  - {name: e, tcp: {video: {ladder: [300kbps, 1Mbps]}}, from: l1, to: r1}\n"
    "events: [{at: 1ms, fail: {link: [l2--left], node: [r2]}}, {at: 2ms, repair: {link: [l2--left]}}]\n"
    "output: {interval: 1ms, ports: [left->right], cwnd: [a, b], packets: [a, c], pcap: [left->right, l0],\n"
    "  flow_monitor: {classes: [a, c]}}\n"
    "study: {vary: [{path: seed, values: [1, 2]}], constraints: [seed > 0], metrics: [events],\n"
    "  baseline: [seed=1], quantiles: [50%, 90%], plots: [seed]}\n",
    "weir: 1\nname: fluid\nduration: 5ms\ntopology: {generate: {model: dumbbell, left: 3}}\n"
    "traffic: [{name: e, tcp: {sessions: 20}, from: l1, to: r1, fidelity: fluid}]\n"
    "output: {interval: 1ms, ports: [left->right], cwnd: [e], slowdown_sizes: [1kB, 1MB]}\n",
    "weir: 1\nname: buffer\nduration: 5ms\n"
    "topology:\n  file: three.graphml\n  link: {rate: 1Gbps, delay: 10us, override: true}\n"
    "  shared_buffer: {size: 12MB, pfc: {lossless: [3, 4]}}\n"
    "traffic: [{name: a, tcp: {}, pairs: permutation}]\n"
    "inputs:\n"
    "  - {of: topology.file, sha256: 9d1d3eb4d7ae8ad38ad179ca50cfa89c84839df6076df26409bff18bcf6f73de}\n"};

typedef struct names {
    char item[KEYS_MAX][64];
    size_t n;
} names;

static bool holds(const names *of, const char *name)
{
    for (size_t i = 0; i < of->n; i++)
        if (strcmp(of->item[i], name) == 0)
            return true;
    return false;
}

static void keep(names *of, const char *name)
{
    if (holds(of, name))
        return;
    assert_true(of->n < KEYS_MAX);
    snprintf(of->item[of->n++], sizeof *of->item, "%s", name);
}

typedef struct mutants {
    weir_arena *arena;
    const wi_node *root;
    names repeated;
    int tried, ran;
} mutants;

static weir_status run_for_a_moment(weir_diag *diag, const char *text)
{
    weir_scenario *scenario = NULL;
    weir_session *session = NULL;
    weir_run_options options;
    weir_run_result result = {0};
    weir_run_options_init(&options);
    options.output_dir = "out";
    options.force = true;
    weir_status status = weir_scenario_parse(diag, "s.yaml", text, strlen(text), DATA, NULL, 0, &scenario);
    if (status == WEIR_OK)
        status = weir_session_open(diag, scenario, &options, &session);
    if (status == WEIR_OK)
        status = weir_session_advance(session, WEIR_PS_PER_MS);
    if (status == WEIR_OK)
        status = weir_session_finish(session, &result);
    weir_run_result_free(&result);
    weir_session_close(session);
    weir_scenario_free(scenario);
    return status;
}

static bool has_error(const weir_diag *diag)
{
    for (size_t i = 0; i < weir_diag_count(diag); i++)
        if (weir_diag_get(diag, i)->severity == WEIR_ERROR && weir_diag_get(diag, i)->text[0])
            return true;
    return false;
}

static void try_one(mutants *m, const char *key)
{
    const char *text = wi_node_flow(m->arena, m->root);
    weir_diag *diag = weir_diag_new();
    weir_study *study = NULL;
    assert_non_null(text);
    m->tried++;
    weir_status status = run_for_a_moment(diag, text);
    m->ran += status == WEIR_OK;
    if (status != WEIR_OK && !has_error(diag))
        fail_msg("%s without a message, '%s' having an item twice", weir_status_name(status), key);
    if (wi_node_child(m->root, "study")) {
        write_file("study.yaml", text);
        weir_diag_clear(diag);
        status = weir_study_open(diag, "study.yaml", NULL, 0, NULL, &study);
        if (status != WEIR_OK && !has_error(diag))
            fail_msg("a study: %s without a message, '%s' having an item twice", weir_status_name(status),
                     key);
        weir_study_free(study);
    }
    weir_diag_free(diag);
}

/* An item of a list once more, behind it and at the end; a single value as a list that has it twice. */
static void repeat(mutants *m, wi_node *list, wi_node *item, const char *key)
{
    const wi_node list_was = *list, item_was = *item;
    wi_node copy = *item, again = *item;
    if (list->type == WI_SEQUENCE) {
        item->next = &copy;
        list->last = list->last == item ? &copy : list->last;
        list->n++;
        try_one(m, key);
        *item = item_was;
        *list = list_was;
        keep(&m->repeated, key);
    } else if (item->type == WI_SCALAR) {
        copy.key = again.key = NULL;
        copy.next = &again;
        again.next = NULL;
        *item = (wi_node){.type = WI_SEQUENCE,
                          .first = &copy,
                          .last = &again,
                          .n = 2,
                          .key = item_was.key,
                          .next = item_was.next,
                          .place = item_was.place};
        try_one(m, key);
        *item = item_was;
        keep(&m->repeated, key);
    }
}

static void walk(mutants *m, wi_node *node, const char *key)
{
    for (wi_node *item = node->first; item; item = item->next) {
        const char *of = item->key ? item->key : key;
        repeat(m, node, item, of);
        walk(m, item, of);
    }
}

static void mutate(mutants *m, const char *text)
{
    weir_diag *diag = weir_diag_new();
    wi_node *root = NULL;
    m->arena = weir_arena_new(1 << 20);
    expect_ok(diag,
              wi_yaml_parse(diag, m->arena, &(wi_yaml_text){"s.yaml", text, strlen(text)}, NULL, &root));
    m->root = root;
    expect_ok(diag, run_for_a_moment(diag, text));
    walk(m, root, "");
    weir_arena_free(m->arena);
    weir_diag_free(diag);
}

/* Does a key take a list, in one of its forms? */
static bool takes_list(const json_t *schema)
{
    const json_t *forms = json_object_get(schema, "anyOf"), *type = json_object_get(schema, "type");
    bool takes = type && json_is_string(type) && strcmp(json_string_value(type), "array") == 0;
    for (size_t i = 0; i < json_array_size(forms); i++)
        takes |= takes_list(json_array_get(forms, i));
    return takes;
}

static void lists_of(json_t *node, names *lists)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(node, "properties"), key, value) if (takes_list(value))
        keep(lists, key);
    if (json_is_object(node))
        json_object_foreach(node, key, value) lists_of(value, lists);
    for (size_t i = 0; i < json_array_size(node); i++)
        lists_of(json_array_get(node, i), lists);
}

static void every_list(void **state)
{
    static char text[FILE_BYTES];
    static mutants m;
    static names lists;
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        mutate(&m, networks[i]);
    FILE *f = fopen(DATA "/interconnect.yaml", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    mutate(&m, text);
    char *schema_text = weir_scenario_json_schema();
    json_t *schema = json_loads(schema_text, 0, NULL);
    lists_of(schema, &lists);
    for (size_t i = 0; i < lists.n; i++)
        if (!holds(&m.repeated, lists.item[i]))
            fail_msg("no scenario here has the list '%s'", lists.item[i]);
    print_message("  %zu keys that take lists, %d scenarios, of which %d ran\n", lists.n, m.tried, m.ran);
    assert_true(lists.n > 20 && m.ran > 20);
    json_decref(schema);
    free(schema_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_list)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}
