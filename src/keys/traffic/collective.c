/* Keys of a class's collective operation. */
#include "keys/traffic/collective.h"

#include "keys/keys.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef weir_scenario_class class_t;

static const wi_word kinds[] = {
    {"partition-aggregate", WEIR_SC_PARTITION_AGGREGATE,
     "the first host asks all others, which answer with `tcp.size` bytes each"},
    {"all-to-all", WEIR_SC_ALL_TO_ALL, "`tcp.size` bytes from each host to each other, all at once"},
    {"ring-all-reduce", WEIR_SC_RING_ALL_REDUCE,
     "a vector of `tcp.size` bytes: 2 (n - 1) steps of an n-th of it to the next host"},
    {"tree-all-reduce", WEIR_SC_TREE_ALL_REDUCE,
     "a vector of `tcp.size` bytes, up a binary tree and down again"},
};
static const wi_words kind_words = {kinds, N_OF(kinds)};

static const wi_key keys[] = {
    {.name = "kind",
     .kind = &wi_kind_word,
     .offset = offsetof(class_t, collective.kind),
     .words = &kind_words,
     .required = true,
     .doc = "who sends to whom, and when"},
    {.name = "hosts",
     .kind = &wi_kind_names,
     .offset = offsetof(class_t, collective.hosts),
     .also = "nodes among",
     .required = true,
     .doc =
         "at least two, each once, in the order of the ring or tree; the first aggregates, or is the root"},
    {.name = "rounds",
     .kind = &wi_kind_count,
     .offset = offsetof(class_t, collective.rounds),
     .fallback = "1",
     .low = "1",
     .high = "1000000",
     .also = "iterations",
     .doc = "one after the other: a host begins the next when it has all of the one before"},
    {.name = "compute",
     .kind = &wi_kind_time,
     .offset = offsetof(class_t, collective.compute_ps),
     .fallback = "0s",
     .also = "think",
     .doc = "time from the arrival of the last byte that a host waits for to what it sends then"},
    {.name = "request",
     .kind = &wi_kind_size,
     .offset = offsetof(class_t, collective.request_bytes),
     .fallback = "100B",
     .above = "0B",
     .high = "1GiB",
     .doc = "partition-aggregate: bytes with which the first host asks each other"},
};

static void check(wi_reader *r, const wi_node *node, void *at)
{
    const class_t *c = at;
    const wi_node *request = wi_node_child(node, "request");
    if (request && c->collective.kind != WEIR_SC_PARTITION_AGGREGATE)
        wi_complain(r, request->key_place, "request means nothing here; it is for kind: partition-aggregate");
}

static bool hides(const wi_key *key, const void *at)
{
    return key->offset == offsetof(class_t, collective.request_bytes) &&
           ((const class_t *)at)->collective.kind != WEIR_SC_PARTITION_AGGREGATE;
}

/* Beside a collective, what says how flows come is out of place. */
void wi_collective_check_class(wi_reader *r, const wi_node *node, const class_t *c)
{
    static const char *const others[] = {"arrivals", "request", "video"};
    const wi_node *tcp = wi_node_child(node, "tcp");
    if (c->is_udp) {
        wi_complain(r, wi_place_of(node, "udp"), "a collective operation needs 'tcp': flows that end");
        return;
    }
    if (c->tcp.size.kind != WEIR_SC_DIST_CONSTANT)
        wi_complain(r, wi_node_child(tcp, "size") ? wi_place_of(tcp, "size") : tcp->place,
                    "a collective operation needs a 'size' in tcp, one for all");
    if (c->tcp.sessions != 1)
        wi_complain(r, wi_place_of(tcp, "sessions"),
                    "sessions does not go together with collective, which says what flows there are");
    for (size_t i = 0; i < N_OF(others); i++) {
        const wi_node *child = wi_node_child(tcp, others[i]);
        if (child)
            wi_complain(r, child->key_place,
                        "%s does not go together with collective, which says what flows there are",
                        others[i]);
    }
    if (c->fidelity != WEIR_SC_PACKET)
        wi_complain(
            r, wi_place_of(node, "fidelity"),
            "class '%s' is a collective operation, whose flows wait for each other: want fidelity: packet",
            c->name.text);
}

const wi_section wi_section_collective = {
    .name = "collective",
    .doc = "A collective operation: TCP flows among `hosts` that wait for each other; a host sends when all "
           "that it "
           "waits for has arrived.",
    .keys = keys,
    .n_keys = N_OF(keys),
    .place_offset = offsetof(class_t, collective.place),
    .check = check,
    .hides = hides,
    .rules = "[{'if': {'properties': {'kind': {'const': 'partition-aggregate'}}}, 'else': {'properties': "
             "{'request': "
             "false}}}]",
};
