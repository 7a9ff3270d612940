/* Reads lists of flows of htsim and of ns-3's RDMA fork. */
#include "network/files/flow_peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/file/slice.h"
#include "base/memory.h"
#include "topology/builder.h"

static const double bytes_most = 1125899906842624.0; /* 2^50 */
static const double start_most_ps = 9e15;            /* whole in a double */

typedef struct peer {
    wi_source *source;
    wi_flow_file *out;
    const char *prefix; /* of nodes' names */
    uint32_t nodes;     /* 0: not stated */
    /* htsim's: lines of connections, and of those that share one, by its id: its flow, and its latest message's size. */
    size_t lines;
    wi_names shared;
    struct {
        size_t flow;
        uint64_t latest;
    } * of_shared; /* [n_shared] */
    uint32_t n_shared;
} peer;

static double whole(peer *p, wi_slice field, const char *what, double low, double high)
{
    const double value = wi_number_field(p->source, field, what, low, high);
    if (value != floor(value))
        wi_fail_slice(p->source, field, "the %s is no whole number", what);
    return value;
}

static uint32_t node(peer *p, wi_slice field)
{
    char name[32];
    const double most = p->nodes > 0 ? p->nodes - 1.0 : WI_NODES_MAX;
    const uint32_t number = (uint32_t)whole(p, field, "number of a node", 0, most);
    snprintf(name, sizeof name, "%s%u", p->prefix, number);
    const uint32_t i = wi_names_intern(&p->out->node, name, strlen(name));
    if (i == WI_NO_NAME)
        wi_no_memory(p->source, "nodes");
    return i;
}

void wi_flow_file_add(wi_source *source, wi_flow_file *f, const wi_listed_flow *flow)
{
    if (source->status != WEIR_OK)
        return;
    if (!wi_grow_one(&f->flow, f->n, sizeof *f->flow)) {
        wi_no_memory(source, "flows");
        return;
    }
    f->flow[f->n++] = *flow;
    f->most_bytes = flow->bytes > f->most_bytes ? flow->bytes : f->most_bytes;
}

static void keep(peer *p, wi_slice at, wi_listed_flow flow)
{
    if (p->source->status == WEIR_OK && flow.from == flow.to)
        wi_fail_slice(p->source, at, "a flow from a node to itself");
    wi_flow_file_add(p->source, p->out, &flow);
}

/* ---- htsim ---- */

/* Where the arrow of `7->15` is; false: there is none. */
static bool arrow(wi_slice word, size_t *at)
{
    for (*at = 0; *at + 1 < word.length; ++*at)
        if (word.text[*at] == '-' && word.text[*at + 1] == '>')
            return true;
    return false;
}

static void refuse(peer *p, wi_slice word)
{
    static const struct {
        const char *word, *why;
    } all[] = {{"prio", "flows of a class have one priority"},
               {"addon", "flows that wait for other flows are not there"},
               {"failure", "failures are events of the scenario"}};
    char shown[WI_SHOWN];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (wi_slice_is(word, all[i].word))
            wi_fail_slice(p->source, word, "'%s' is refused: %s", all[i].word, all[i].why);
    wi_fail_slice(p->source, word, "no '%s' in a connection of htsim", wi_shown(word, shown));
}

/* The greatest common divisor; of 0 the other. */
static uint64_t common_measure(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/*
 * A message of a connection that others share. In Ultra Ethernet's simulator (uec_pdcses.cpp) they go one behind the other, without a wait,
 * by one window, and none shares a packet with another. So those that begin together are one flow.
 */
static void add_message(peer *p, wi_slice at, uint32_t id, const wi_listed_flow *message)
{
    char name[16];
    if (p->source->status != WEIR_OK)
        return;
    const uint32_t i = wi_names_intern(&p->shared, name, (size_t)snprintf(name, sizeof name, "%u", id));
    if (i == WI_NO_NAME ||
        (i == p->n_shared && !wi_grow_one(&p->of_shared, p->n_shared, sizeof *p->of_shared))) {
        wi_no_memory(p->source, "connections");
        return;
    }
    if (i == p->n_shared) {
        p->n_shared++;
        p->of_shared[i].flow = p->out->n;
        p->of_shared[i].latest = message->bytes;
        keep(p, at, *message);
        return;
    }
    wi_listed_flow *flow = &p->out->flow[p->of_shared[i].flow];
    if (message->from != flow->from || message->to != flow->to) {
        wi_fail_slice(p->source, at, "connection %u goes from other nodes in line %d", id, flow->line);
    } else if (message->at_ps != flow->at_ps || message->after != flow->after) {
        wi_fail_slice(
            p->source, at,
            "'msg' is refused: messages of one connection that do not begin together are not there");
    } else if (flow->bytes + message->bytes > (uint64_t)bytes_most) {
        wi_fail_slice(p->source, at, "connection %u has more than 1 PiB", id);
    } else {
        flow->part_bytes = common_measure(flow->part_bytes, p->of_shared[i].latest);
        p->out->part_bytes = common_measure(p->out->part_bytes, flow->part_bytes);
        p->of_shared[i].latest = message->bytes;
        flow->bytes += message->bytes;
        p->out->most_bytes = flow->bytes > p->out->most_bytes ? flow->bytes : p->out->most_bytes;
    }
}

static void read_connection(peer *p, wi_slice ends, size_t at, wi_slice rest)
{
    const wi_slice from = {ends.text, at}, to = {ends.text + at + 2, ends.length - at - 2};
    wi_listed_flow flow = {.cls = WI_NO_NAME, .line = p->source->line};
    wi_slice word, value;
    bool starts = false, shares = false;
    uint32_t id = 0;
    double number;
    p->lines++;
    flow.from = node(p, from);
    flow.to = node(p, to);
    while (p->source->status == WEIR_OK && wi_next_word(&rest, &word)) {
        const bool start = wi_slice_is(word, "start"), size = wi_slice_is(word, "size");
        uint32_t *const trigger = wi_slice_is(word, "trigger")             ? &flow.after
                                  : wi_slice_is(word, "send_done_trigger") ? &flow.sent
                                  : wi_slice_is(word, "recv_done_trigger") ? &flow.received
                                                                           : NULL;
        if (wi_slice_is(word, "msg")) {
            wi_slice behind = rest;
            shares = true;
            if (wi_next_word(&behind, &value) && wi_slice_number(value, &number)) {
                (void)whole(p, value, "number of a message", 1, UINT32_MAX);
                rest = behind;
            }
        } else if (!start && !size && !trigger && !wi_slice_is(word, "id")) {
            refuse(p, word);
        } else if (!wi_next_word(&rest, &value)) {
            wi_fail_slice(p->source, word, "a word without its value");
        } else if (start) {
            flow.at_ps = (weir_time)whole(p, value, "start in picoseconds", 0, start_most_ps);
            starts = true;
        } else if (size) {
            flow.bytes = (uint64_t)whole(p, value, "size", 0, bytes_most);
            flow.bytes = flow.bytes ? flow.bytes
                                    : (uint64_t)bytes_most; /* without end: htsim's NdpSrc has 2^63 then */
        } else {
            id = (uint32_t)whole(p, value, "number", trigger ? 1 : 0, UINT32_MAX - 1.0);
            if (trigger)
                *trigger = id;
        }
    }
    if (starts == (flow.after > 0))
        wi_fail_slice(p->source, ends,
                      starts ? "a connection with start and trigger" : "a connection without start");
    else if (flow.bytes == 0)
        wi_fail_slice(p->source, ends, "a connection without size");
    else if (shares && (id == 0 || flow.sent || flow.received))
        wi_fail_slice(p->source, ends,
                      id ? "'msg' is refused with send_done_trigger and recv_done_trigger: what a single "
                           "message sets off is not there"
                         : "a message without the id of its connection");
    if (shares)
        add_message(p, ends, id, &flow);
    else
        keep(p, ends, flow);
}

/* A trigger by its id; the number + 1 of none is 0. */
static uint32_t trigger_of(const wi_flow_file *f, uint32_t id)
{
    const size_t at = WI_FIRST(i, f->n_triggers, f->trigger[i].id >= id);
    return at < f->n_triggers && f->trigger[at].id == id ? (uint32_t)at + 1u : 0;
}

/* A line `trigger id 3 barrier count 4`. */
static void read_trigger(peer *p, wi_slice head, wi_slice rest)
{
    static const char *const kinds[] = {"oneshot", "multishot", "barrier"};
    wi_flow_trigger t = {.kind = WI_TRIGGER_ONESHOT, .line = p->source->line};
    wi_slice word, value;
    int named = 0;
    while (p->source->status == WEIR_OK && wi_next_word(&rest, &word)) {
        uint32_t *const number = wi_slice_is(word, "id")      ? &t.id
                                 : wi_slice_is(word, "count") ? &t.count
                                                              : NULL;
        int kind = 0;
        while (kind < 3 && !wi_slice_is(word, kinds[kind]))
            kind++;
        if (number && wi_next_word(&rest, &value)) {
            *number = (uint32_t)whole(p, value, "number", 1, UINT32_MAX - 1.0);
        } else if (!number && kind < 3) {
            t.kind = (wi_trigger_kind)kind;
            named++;
        } else {
            wi_fail_slice(p->source, word,
                          number
                              ? "a word without its value"
                              : "no such word in a trigger; want id, count, oneshot, multishot or barrier");
        }
    }
    if (p->source->status == WEIR_OK &&
        (t.id == 0 || named != 1 || (t.kind == WI_TRIGGER_BARRIER) != (t.count > 0)))
        wi_fail_slice(p->source, head,
                      "want a trigger with id and one kind: oneshot, multishot, or barrier with count");
    if (p->source->status != WEIR_OK)
        return;
    if (!wi_grow_one(&p->out->trigger, p->out->n_triggers, sizeof *p->out->trigger)) {
        wi_no_memory(p->source, "triggers");
        return;
    }
    p->out->trigger[p->out->n_triggers++] = t;
}

WI_ORDER_BY(by_id, wi_flow_trigger, WI_ORDER(x->id, y->id) ?: WI_ORDER(x->line, y->line))

/* An id becomes a number, and must be of a trigger. */
static void resolve(peer *p, const wi_listed_flow *flow, uint32_t *id)
{
    if (*id == 0 || p->source->status != WEIR_OK)
        return;
    const uint32_t number = trigger_of(p->out, *id);
    if (number == 0)
        wi_fail_at(p->source, flow->line, 0, "no line has trigger id %u", *id);
    *id = number;
}

static void resolve_triggers(peer *p)
{
    wi_flow_file *f = p->out;
    if (f->n_triggers > 0)
        qsort(f->trigger, f->n_triggers, sizeof *f->trigger, by_id);
    for (size_t i = 1; i < f->n_triggers; i++)
        if (f->trigger[i].id == f->trigger[i - 1].id)
            wi_fail_at(p->source, f->trigger[i].line, 0, "trigger id %u has another line", f->trigger[i].id);
    for (size_t i = 0; i < f->n && p->source->status == WEIR_OK; i++) {
        wi_listed_flow *flow = &f->flow[i];
        resolve(p, flow, &flow->after);
        resolve(p, flow, &flow->sent);
        resolve(p, flow, &flow->received);
        if (p->source->status != WEIR_OK)
            return;
        if (flow->sent)
            f->trigger[flow->sent - 1].set_offs++;
        if (flow->received)
            f->trigger[flow->received - 1].set_offs++;
    }
    /* htsim stops with an assertion where one fires more often than it may, and never fires one that is set off too seldom. */
    for (size_t i = 0; i < f->n_triggers && p->source->status == WEIR_OK; i++) {
        const wi_flow_trigger *t = &f->trigger[i];
        const uint32_t wants = t->kind == WI_TRIGGER_BARRIER   ? t->count
                               : t->kind == WI_TRIGGER_ONESHOT ? 1u
                                                               : t->set_offs;
        if (t->set_offs != wants)
            wi_fail_at(p->source, t->line, 0, "%u connections set off trigger %u; want %u", t->set_offs,
                       t->id, wants);
    }
}

static void read_htsim(peer *p)
{
    static const char *const heads[] = {"Nodes", "Connections", "Triggers", "Failures"};
    uint32_t stated[4] = {0};
    size_t at;
    wi_slice line, word, value;
    while (wi_next_line(p->source, &line)) {
        if (!wi_next_word(&line, &word) || word.text[0] == '#')
            continue;
        int i = 0;
        while (i < 4 && !wi_slice_is(word, heads[i]))
            i++;
        if (i < 4 && p->out->n == 0 && wi_next_word(&line, &value)) {
            stated[i] = (uint32_t)whole(p, value, heads[i], 0, i == 0 ? WI_NODES_MAX : INT32_MAX);
            p->nodes = stated[0];
            if (i == 3 && stated[3] > 0)
                wi_fail_slice(p->source, word, "Failures are refused: they are events of the scenario");
        } else if (arrow(word, &at)) {
            read_connection(p, word, at, line);
        } else if (wi_slice_is(word, "trigger")) {
            read_trigger(p, word, line);
        } else {
            refuse(p, word);
        }
    }
    p->out->of_htsim = true;
    p->out->n_nodes = stated[0];
    if (p->source->status == WEIR_OK && p->lines != stated[1])
        wi_fail_at(p->source, 0, 0, "%zu connections, and %u are stated", p->lines, stated[1]);
    if (p->source->status == WEIR_OK && p->out->n_triggers != stated[2])
        wi_fail_at(p->source, 0, 0, "%zu triggers, and %u are stated", p->out->n_triggers, stated[2]);
    resolve_triggers(p);
    wi_names_free(&p->shared);
    free(p->of_shared);
}

/* ---- ns-3's RDMA fork ---- */

/* The fork reads no further than the number stated. */
static void tell_what_is_below(peer *p)
{
    wi_slice line, f[6];
    size_t below = 0;
    int first = 0;
    while (p->source->status == WEIR_OK && wi_next_line(p->source, &line))
        if (wi_split(line, f, 6) == 6 && below++ == 0)
            first = p->source->line;
    if (p->source->status == WEIR_OK && below > 0)
        weir_warn_at(p->source->diag, p->source->name, first, 0,
                     "%zu flows below the %zu that the first line states are passed over", below, p->out->n);
}

static void read_ns3(peer *p)
{
    wi_slice line = {"", 0}, f[6], group = {"", 0};
    while (line.length == 0 && wi_next_line(p->source, &line))
        ;
    const double stated = whole(p, line, "number of flows", 0, INT32_MAX);
    uint32_t of_all = 0;
    while (p->source->status == WEIR_OK && (double)p->out->n < stated) {
        if (!wi_next_line(p->source, &line)) {
            wi_fail(p->source, "the file breaks off after %zu of %.0f flows", p->out->n, stated);
            return;
        }
        const size_t n = wi_split(line, f, 6);
        if (n == 0)
            continue;
        if (n != 6) {
            wi_fail(p->source, "%zu fields; want 6: source target group port bytes seconds", n);
            return;
        }
        wi_listed_flow flow = {.cls = WI_NO_NAME, .line = p->source->line};
        flow.from = node(p, f[0]);
        flow.to = node(p, f[1]);
        const uint32_t priority = (uint32_t)whole(p, f[2], "priority group", 0, 7);
        (void)whole(p, f[3], "port", 0, 65535);
        flow.bytes = (uint64_t)whole(p, f[4], "size", 1, bytes_most);
        flow.at_ps = wi_time_field(p->source, f[5], "start in seconds: ", "s");
        if (group.length == 0)
            of_all = priority;
        else if (priority != of_all)
            wi_fail_slice(p->source, f[2],
                          "flows of a list have one priority group, of the first %u; make a class of each",
                          of_all);
        group = f[2];
        keep(p, f[0], flow);
    }
    tell_what_is_below(p);
}

/* ---- both ---- */

wi_flow_form wi_flow_form_of(const wi_source *of)
{
    wi_source source = wi_source_memory(NULL, "", of->at, (size_t)(of->end - of->at));
    wi_slice line, word, rest;
    double number;
    while (wi_next_line(&source, &line)) {
        rest = line;
        if (!wi_next_word(&rest, &word) || word.text[0] == '#')
            continue;
        if (wi_slice_is(word, "Nodes") || wi_slice_is(word, "Connections"))
            return WI_FLOWS_HTSIM;
        /* A line of weir's own has commas. */
        return word.length == line.length && wi_slice_number(word, &number) ? WI_FLOWS_NS3 : WI_FLOWS_OWN;
    }
    return WI_FLOWS_OWN;
}

void wi_flow_peers_read(wi_source *source, wi_flow_form form, wi_flow_file *out)
{
    peer p = {.source = source, .out = out, .prefix = form == WI_FLOWS_HTSIM ? "h" : ""};
    if (form == WI_FLOWS_HTSIM)
        read_htsim(&p);
    else
        read_ns3(&p);
    if (out->n == 0)
        wi_fail_at(source, 0, 0, "this list has no flow");
}
