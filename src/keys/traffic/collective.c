/* Keys of a class's collective operation. */
#include "keys/traffic/traffic.h"

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

static const wi_key keys[] = {
    WI_KEY("kind", word, class_t, collective.kind, .required = true, .also = "type operation",
           WI_WORDS(kinds), .doc = "who sends to whom, and when"),
    WI_KEY("hosts", names, class_t, collective.hosts, .required = true, .also = "nodes among",
           .doc = "at least two, each once, in the order of the ring or tree; the first aggregates, or is "
                  "the root"),
    WI_KEY("rounds", count, class_t, collective.rounds, .fallback = "1", .low = "1", .high = "1000000",
           .also = "iterations",
           .doc = "one after the other: a host begins the next when it has all of the one before"),
    WI_KEY("compute", time, class_t, collective.compute_ps, .fallback = "0s", .also = "think",
           .doc = "time from the arrival of the last byte that a host waits for to what it sends then"),
    WI_KEY("request", size, class_t, collective.request_bytes, .fallback = "100B",
           .with = "kind=partition-aggregate", .above = "0B", .high = "1GiB",
           .doc = "partition-aggregate: bytes with which the first host asks each other"),
};

void wi_collective_check_class(wi_reader *r, const wi_node *node, const class_t *c)
{
    const wi_node *const tcp = wi_node_child(node, "tcp");
    if (c->tcp.size.kind != WEIR_SC_DIST_CONSTANT)
        wi_complain(r, wi_place_of(tcp, "size"), "a collective operation needs a 'size' in tcp, one for all");
}

const wi_section wi_section_collective =
    WI_SECTION("collective", keys, class_t,
               .doc = "A collective operation: TCP flows among `hosts` that wait for each other; a host "
                      "sends when all that it waits for has arrived.",
               .place_offset = offsetof(class_t, collective.place));
