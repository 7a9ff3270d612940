/* Captures of interfaces, written while the run goes on. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "packets/capture/wire.h"
#include "base/memory.h"
#include "output/csv.h"
#include "output/pcapng.h"
#include "scenario/results/results.h"

enum { SNAP_BYTES = 262144, FILES_BESIDE = 64, NAME_MAX_BYTES = 200 };

/* One interface: what leaves it, and what comes to it. */
typedef struct capture {
    char name[NAME_MAX_BYTES + 32]; /* of the file */
    char *face;                     /* of the interface */
    uint32_t leaving, coming;       /* entities that send over the two directions; NET_NONE: not captured */
    wi_out *file;
    wi_wire_seen *seen;     /* [n_tx]; pages of slots that never come are never touched */
    net_packet_record *due; /* ring: packets that will have left, in order */
    size_t due_first, due_n, due_room;
    uint64_t packets, bytes;
} capture;

struct wi_captures {
    weir_diag *diag;
    const wi_network *network;
    const char *folder;
    capture *item;
    uint32_t n;
    wi_wire_peer *peers; /* [n_tx] */
    /* [entities] first capture of what leaves it, and of what comes from it; NET_NONE */
    uint32_t *of_entity[2];
    uint32_t *next[2]; /* [n] another of the same */
};

static weir_status no_memory(const wi_captures *c)
{
    return weir_fail(c->diag, WEIR_E_NOMEM, "no memory for captures");
}

/* ---- which interfaces ---- */

/* Letters, digits and - . _ stay; others become _. */
static void file_name(char *out, const char *face)
{
    size_t n = 0;
    for (const char *at = face; *at && n < NAME_MAX_BYTES; at++) {
        if (at[0] == '-' && at[1] == '>') {
            memcpy(out + n, "-to-", 4);
            n += 4;
            at++;
            continue;
        }
        const bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                           (*at >= '0' && *at <= '9') || (*at && strchr("-._", *at));
        out[n] = (*at == '.' && n == 0) || !plain ? '_' : *at;
        n++;
    }
    out[n] = '\0';
}

/* A name that no other capture has, in upper or lower case. */
static void name_file(wi_captures *c, capture *new)
{
    char base[NAME_MAX_BYTES + 8];
    file_name(base, new->face);
    snprintf(new->name, sizeof new->name, "%s.pcapng", base);
    for (uint32_t number = 2, i = 0; i < c->n; i++)
        if (strcasecmp(c->item[i].name, new->name) == 0) {
            snprintf(new->name, sizeof new->name, "%s-%u.pcapng", base, number++);
            i = UINT32_MAX; /* from the first again */
        }
}

/* Takes `face`. The same interface once only. */
static weir_status add(wi_captures *c, char *face, uint32_t leaving, uint32_t coming)
{
    if (!face)
        return no_memory(c);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->item[i].leaving == leaving && c->item[i].coming == coming) {
            free(face);
            return WEIR_OK;
        }
    if (!wi_grow_one(&c->item, c->n, sizeof *c->item)) {
        free(face);
        return no_memory(c);
    }
    capture new = {.face = face, .leaving = leaving, .coming = coming};
    name_file(c, &new);
    c->item[c->n++] = new;
    return WEIR_OK;
}

static char *link_face(const weir_graph *g, uint32_t edge)
{
    const char *from = g->name[g->target[g->reverse[edge]]], *to = g->name[g->target[edge]];
    char *face = malloc(strlen(from) + strlen(to) + 3);
    if (face)
        sprintf(face, "%s--%s", from, to);
    return face;
}

/* The links that a name means: each direction by itself, or at the end that is named first. */
static weir_status add_links(wi_captures *c, const weir_link_name *link, const uint32_t *entity)
{
    const weir_graph *g = c->network->graph;
    WI_ENDED(wi_number_list_free) wi_number_list edges = {0};
    weir_status status = wi_network_edges(c->diag, c->network, link, &edges);
    WI_FREED unsigned char *taken = calloc((size_t)g->n_edges + 1, 1);
    if (!taken && status == WEIR_OK)
        status = no_memory(c);
    for (uint32_t i = 0; i < edges.n && status == WEIR_OK; i++) {
        const uint32_t e = edges.item[i], back = g->reverse[e];
        if (entity[e] == NET_NONE || (link->both && taken[e]))
            continue;
        if (!link->both) {
            status = add(c, wi_port_name(c->network, entity[e]), entity[e], NET_NONE);
            continue;
        }
        taken[back] = 1;
        status = add(c, link_face(g, e), entity[e], weir_edge_exists(g, back) ? entity[back] : NET_NONE);
    }
    return status;
}

/* The port toward a node's implicit host. */
static uint32_t access_port(const wi_net *net, uint32_t node)
{
    for (uint32_t p = 0; p < net->n_ports; p++)
        if (net->port_edge[p] == UINT32_MAX && net->port_node[p] == node)
            return net->n_hosts + p;
    return NET_NONE;
}

/* A node: the interface of its host; of a router without one, all its links. */
static weir_status add_node(wi_captures *c, uint32_t v, const uint32_t *entity)
{
    const weir_graph *g = c->network->graph;
    const wi_net *net = c->network->net;
    const uint32_t host = wi_net_host_of(net, v);
    weir_status status = WEIR_OK;
    if (host != UINT32_MAX) {
        const bool own = g->role[v] == WEIR_HOST && weir_node_is_single(g, v);
        char text[NAME_MAX_BYTES];
        snprintf(text, sizeof text, "%s%s", g->name[v], own ? "" : ".host");
        return add(c, strdup(text), host, own ? entity[g->reverse[g->first[v]]] : access_port(net, v));
    }
    for (uint32_t e = g->first[v]; e < g->end[v] && status == WEIR_OK; e++)
        if (entity[e] != NET_NONE)
            status = add(c, link_face(g, e), entity[e],
                         weir_edge_exists(g, g->reverse[e]) ? entity[g->reverse[e]] : NET_NONE);
    return status;
}

static weir_status add_nodes(wi_captures *c, const weir_link_name *item, const uint32_t *entity)
{
    const weir_name name = {item->from, item->place};
    WI_ENDED(wi_number_list_free) wi_number_list nodes = {0};
    weir_status status = wi_network_nodes(c->diag, c->network, &name, &nodes);
    for (uint32_t i = 0; i < nodes.n && status == WEIR_OK; i++)
        status = add_node(c, nodes.item[i], entity);
    return status;
}

static weir_status choose(wi_captures *c)
{
    const weir_link_names *wanted = &c->network->scenario->output.pcap;
    WI_FREED uint32_t *entity = wi_entities_of_edges(c->network);
    weir_status status = entity ? WEIR_OK : no_memory(c);
    for (size_t i = 0; i < wanted->n && status == WEIR_OK; i++)
        status = wanted->item[i].to ? add_links(c, &wanted->item[i], entity)
                                    : add_nodes(c, &wanted->item[i], entity);
    return status;
}

/* ---- beginning ---- */

/* Captures of one entity and direction follow each other in `next`. */
static void list_under(wi_captures *c, int coming, uint32_t i, uint32_t entity)
{
    if (entity == NET_NONE)
        return;
    c->next[coming][i] = c->of_entity[coming][entity];
    c->of_entity[coming][entity] = i;
}

static weir_status index_entities(wi_captures *c, uint8_t *what, uint32_t n)
{
    for (int coming = 0; coming < 2; coming++) {
        c->of_entity[coming] = malloc((size_t)n * sizeof(uint32_t));
        c->next[coming] = malloc(((size_t)c->n + 1) * sizeof(uint32_t));
        if (!c->of_entity[coming] || !c->next[coming])
            return no_memory(c);
        for (uint32_t e = 0; e < n; e++)
            c->of_entity[coming][e] = NET_NONE;
    }
    for (uint32_t i = c->n; i-- > 0;) {
        const capture *one = &c->item[i];
        list_under(c, 0, i, one->leaving);
        list_under(c, 1, i, one->coming);
        what[one->leaving] |= NET_CAPTURE_SENT;
        if (one->coming != NET_NONE)
            what[one->coming] |= NET_CAPTURE_RECEIVED;
    }
    return WEIR_OK;
}

static weir_status open_files(wi_captures *c)
{
    const uint32_t n_tx = c->network->net->n_tx;
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        c->n + FILES_BESIDE > most.rlim_cur)
        return weir_fail_at(
            c->diag, WEIR_E_SCENARIO, WEIR_AT(c->network->scenario->output.pcap_place),
            "pcap: %u captures, and this process may open %llu files (ulimit -n): name fewer interfaces",
            c->n, (unsigned long long)most.rlim_cur);
    c->peers = malloc(((size_t)n_tx + 1) * sizeof *c->peers);
    if (!c->peers)
        return no_memory(c);
    for (uint32_t i = 0; i < n_tx; i++)
        c->peers[i] = (wi_wire_peer){.dst = NET_NONE, .before_dst = NET_NONE};
    for (uint32_t i = 0; i < c->n; i++) {
        capture *one = &c->item[i];
        one->seen = calloc((size_t)n_tx + 1, sizeof *one->seen);
        if (!one->seen)
            return no_memory(c);
        WI_RETURN_IF_FAILED(wi_out_open(c->diag, c->folder, one->name, &one->file));
        const uint64_t rate_bps = wi_net_link(c->network->net, one->leaving)->rate_bps;
        wi_pcapng_begin(one->file);
        wi_pcapng_face(one->file, WI_PCAPNG_LINK_RAW, one->face, rate_bps, SNAP_BYTES);
        if (wi_net_world(c->network->net)->pfc_lines)
            wi_pcapng_face(one->file, WI_PCAPNG_LINK_ETHERNET, one->face, rate_bps, SNAP_BYTES);
    }
    return WEIR_OK;
}

weir_status wi_captures_begin(weir_diag *diag, const wi_network *network, const char *folder, uint8_t *what,
                              wi_captures **out)
{
    const uint32_t entities = network->net->n_hosts + network->net->n_ports;
    *out = NULL;
    if (network->scenario->output.pcap.n == 0)
        return WEIR_OK;
    if (network->fluid)
        weir_warn_at(diag, WEIR_AT(network->scenario->output.pcap_place),
                     "pcap: captures hold packets; what is fluid has none");
    wi_captures *c = *out = calloc(1, sizeof *c);
    if (!c)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for captures");
    c->diag = diag;
    c->network = network;
    c->folder = folder;
    weir_status status = choose(c) ?: index_entities(c, what, entities);
    return status == WEIR_OK && folder ? open_files(c) : status;
}

/* ---- while it runs ---- */

static void put_frame(capture *one, weir_time at_ps, const unsigned char *bytes, size_t n, uint32_t payload)
{
    wi_pcapng_packet(one->file, WI_PCAPNG_LINK_RAW, at_ps, bytes, (uint32_t)n, (uint32_t)n + payload);
    one->packets++;
    one->bytes += n + payload;
}

static void write_packet(wi_captures *c, capture *one, const net_packet_record *s)
{
    unsigned char bytes[WI_WIRE_MAX];
    uint32_t payload = 0;
    wi_wire_seen *seen = &one->seen[s->packet.flow];
    const size_t told = wi_wire_notification(c->network->net, c->peers, s, seen, bytes);
    if (told)
        put_frame(one, s->at_ps, bytes, told, 0);
    const size_t n = wi_wire_headers(c->network->net, c->peers, s, seen, bytes, &payload);
    put_frame(one, s->at_ps, bytes, n, payload);
}

/* What has left by now. */
static void write_due(wi_captures *c, capture *one, weir_time now_ps)
{
    while (one->due_n > 0 && one->due[one->due_first].at_ps <= now_ps) {
        write_packet(c, one, &one->due[one->due_first]);
        one->due_first = one->due_first + 1 == one->due_room ? 0 : one->due_first + 1;
        one->due_n--;
    }
}

/* A packet is to leave: a FIFO's packets leave in the order of their records. */
static weir_status keep_due(wi_captures *c, capture *one, const net_packet_record *s)
{
    if (one->due_n == one->due_room) {
        const size_t room = 2 * one->due_room + 64;
        net_packet_record *more = malloc(room * sizeof *more);
        if (!more)
            return no_memory(c);
        for (size_t i = 0; i < one->due_n; i++)
            more[i] = one->due[(one->due_first + i) % one->due_room];
        free(one->due);
        one->due = more;
        one->due_room = room;
        one->due_first = 0;
    }
    one->due[(one->due_first + one->due_n++) % one->due_room] = *s;
    return WEIR_OK;
}

weir_status wi_captures_packet(wi_captures *c, const net_packet_record *s, weir_time now_ps)
{
    const int coming = s->received != 0;
    weir_status status = WEIR_OK;
    if (!c->folder || (s->verdict >= NET_DROP_LIMIT && s->verdict != NET_DROP_LOSS))
        return WEIR_OK; /* recorded for watched flows: it never left */
    for (uint32_t i = c->of_entity[coming][s->port]; i != NET_NONE && status == WEIR_OK;
         i = c->next[coming][i]) {
        capture *one = &c->item[i];
        write_due(c, one, now_ps);
        if (coming || (one->due_n == 0 && s->at_ps <= now_ps))
            write_packet(c, one, s);
        else
            status = keep_due(c, one, s);
    }
    return status;
}

void wi_captures_pause(wi_captures *c, const net_pause_record *s, weir_time now_ps)
{
    unsigned char bytes[WI_WIRE_PAUSE];
    const int coming = s->received != 0;
    if (!c->folder)
        return;
    wi_wire_pause(s, bytes);
    for (uint32_t i = c->of_entity[coming][s->port]; i != NET_NONE; i = c->next[coming][i]) {
        capture *one = &c->item[i];
        write_due(c, one, now_ps);
        wi_pcapng_packet(one->file, WI_PCAPNG_LINK_ETHERNET, now_ps, bytes, sizeof bytes, sizeof bytes);
        one->packets++;
        one->bytes += sizeof bytes;
    }
}

void wi_captures_flow(wi_captures *c, const net_flow_record *f)
{
    if (c->folder)
        c->peers[f->flow] = (wi_wire_peer){.first = f->first,
                                           .dst = f->dst,
                                           .before_first = c->peers[f->flow].first,
                                           .before_dst = c->peers[f->flow].dst};
}

/* ---- the end ---- */

#define CAPTURES(X)                                                                                 \
    X(TEXT, "file", "", one->name, "the capture"),                                                  \
        X(TEXT, "interface", "", one->face, "as Wireshark shows it"),                               \
        X(TEXT, "leaving", "", leaving, "port of `ports.csv` whose packets it holds"),              \
        X(TEXT, "coming", "", coming, "likewise, of the other direction; empty for one direction"), \
        X(U64, "packets", "packets", one->packets, "in the file"),                                  \
        X(U64, "bytes", "bytes", one->bytes, "of whole frames, options included")
static const wi_result_column capture_columns[] = {CAPTURES(WI_COLUMN)};

#define ADDRESSES(X) \
    X(TEXT, "host", "", name, "node"), X(TEXT, "address", "", text, "10.0.0.1 and on, in the order of hosts")
static const wi_result_column address_columns[] = {ADDRESSES(WI_COLUMN)};

static bool has_captures(const void *results)
{
    return ((const wi_results_of_run *)results)->captures != NULL;
}

static weir_status put_captures(const void *results, wi_csv *csv)
{
    const wi_captures *c = ((const wi_results_of_run *)results)->captures;
    for (uint32_t i = 0; i < c->n; i++) {
        const capture *one = &c->item[i];
        WI_FREED char *leaving = wi_port_name(c->network, one->leaving);
        WI_FREED char *coming = one->coming == NET_NONE ? NULL : wi_port_name(c->network, one->coming);
        wi_csv_row(csv, (const wi_cell[]){CAPTURES(WI_CELL)});
    }
    return WEIR_OK;
}
const wi_result_table wi_captures_table =
    WI_ROWS("captures.csv", capture_columns, put_captures, has_captures);

static weir_status put_addresses(const void *results, wi_csv *csv)
{
    const wi_network *n = ((const wi_results_of_run *)results)->network;
    for (uint32_t h = 0; h < n->net->n_hosts; h++) {
        char name[512], text[16];
        const uint32_t a = wi_wire_address(h);
        wi_host_name(n, h, name, sizeof name);
        snprintf(text, sizeof text, "%u.%u.%u.%u", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
        wi_csv_row(csv, (const wi_cell[]){ADDRESSES(WI_CELL)});
    }
    return WEIR_OK;
}
const wi_result_table wi_addresses_table =
    WI_ROWS("addresses.csv", address_columns, put_addresses, has_captures);

weir_status wi_captures_finish(wi_captures *c, weir_time end_ps)
{
    weir_status status = WEIR_OK;
    if (!c->folder)
        return WEIR_OK;
    for (uint32_t i = 0; i < c->n; i++) {
        capture *one = &c->item[i];
        write_due(c, one, end_ps);
        const weir_status closed = wi_out_close(c->diag, one->file);
        one->file = NULL;
        if (closed == WEIR_OK)
            continue;
        status = closed;
        WI_FREED char *path = wi_path_join(c->folder, one->name);
        if (path)
            unlink(path);
    }
    return status;
}

/* ---- checkpoints ---- */

static void archive_due(wi_captures *c, capture *one, wi_archiver *k)
{
    const uint64_t n = wi_archive_count(k, one->due_n, sizeof(net_packet_record));
    for (uint64_t i = 0; i < n && k->status == WEIR_OK; i++) {
        net_packet_record s = {0};
        if (!wi_archiver_reads(k))
            s = one->due[(one->due_first + i) % one->due_room];
        wi_archive(k, &s, sizeof s);
        if (wi_archiver_reads(k) && s.packet.flow >= c->network->net->n_tx)
            wi_archiver_fail(
                k, weir_fail(k->diag, WEIR_E_FORMAT, "damaged: a packet of no flow, in section 'captures'"));
        else if (wi_archiver_reads(k))
            wi_archiver_fail(k, keep_due(c, one, &s));
    }
}

void wi_captures_archive(wi_captures *c, wi_archiver *k)
{
    const uint32_t n_tx = c->network->net->n_tx;
    if (!c->folder)
        return;
    wi_archive_section(k, "captures");
    wi_archive(k, c->peers, n_tx * sizeof *c->peers);
    for (uint32_t i = 0; i < c->n; i++) {
        capture *one = &c->item[i];
        wi_archive(k, one->seen, n_tx * sizeof *one->seen);
        archive_due(c, one, k);
        wi_archive(k, &one->packets, sizeof one->packets);
        wi_archive(k, &one->bytes, sizeof one->bytes);
        wi_archive_sized_file(k, one->file);
    }
}

void wi_captures_free(wi_captures *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        wi_out_drop(c->item[i].file);
        free(c->item[i].face);
        free(c->item[i].seen);
        free(c->item[i].due);
    }
    for (int k = 0; k < 2; k++) {
        free(c->of_entity[k]);
        free(c->next[k]);
    }
    free(c->item);
    free(c->peers);
    free(c);
}
