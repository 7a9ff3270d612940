/* The three wirings: sizes, links, and the tables that routes read. */
#include "models/interconnect/routing/dragonfly.h"
#include "models/interconnect/world/build.h"

#include <string.h>

enum { ROUTERS_MAX = 1 << 22, TERMINALS_MAX = 1 << 24 };

static weir_status refuse(weir_diag *diag, const ic_params *c, ic_at about, const char *what, double value,
                          const char *want)
{
    return IC_REFUSE(diag, c, about, "%s is %.15g; want %s", what, value, want);
}

static weir_status plan_dragonfly(weir_diag *diag, const ic_params *c, ic_world *w)
{
    if (c->p < 1 || c->a < 1 || c->a > 4096 || c->h < 1)
        return IC_REFUSE(diag, c, IC_AT_WIRING,
                         "dragonfly with p = %u, a = %u, h = %u; want at least 1 of each, a to 4096", c->p,
                         c->a, c->h);
    const uint64_t most = (uint64_t)c->a * c->h + 1, groups = c->groups ? c->groups : most;
    if (groups > most)
        return IC_REFUSE(diag, c, IC_AT_GROUPS,
                         "groups is %llu; %u routers of %u global links each reach at most %llu groups "
                         "(a h + 1)",
                         (unsigned long long)groups, c->a, c->h, (unsigned long long)most);
    if (groups < 2 || groups >= IC_NO_VIA)
        return refuse(diag, c, IC_AT_GROUPS, "groups", (double)groups, "2 to 65534");
    if (c->p + c->a - 1 + c->h > IC_PORTS_MAX)
        return refuse(diag, c, IC_AT_WIRING, "ports of a router (p + a - 1 + h)", c->p + c->a - 1.0 + c->h,
                      "at most 255");
    if (groups * c->a > ROUTERS_MAX)
        return refuse(diag, c, IC_AT_WIRING, "number of routers", (double)groups * c->a, "at most 4194304");
    if (c->routing == IC_ADAPTIVE)
        return IC_REFUSE(diag, c, IC_AT_ROUTING,
                         "routing adaptive on a dragonfly; want minimal, valiant, ugal or par");
    w->p = c->p;
    w->a = c->a;
    w->h = c->h;
    w->groups = (uint32_t)groups;
    w->links_each = (uint32_t)(c->a * c->h / (groups - 1));
    w->n_routers = (uint32_t)(groups * c->a);
    w->n_terminals = w->n_routers * c->p;
    w->ports = c->p + c->a - 1 + c->h;
    /* Local channels in the order in which a path may take them: source group, again, middle, target. */
    static const uint32_t minimal[4] = {0, 0, 1, 1}, detour[4] = {0, 0, 1, 2}, progressive[4] = {0, 1, 2, 3};
    static const uint32_t globals_minimal[4] = {0, 1, 0, 0}, globals_detour[4] = {0, 1, 2, 0},
                          globals_progressive[4] = {0, 0, 1, 2};
    const int par = c->routing == IC_PAR, straight = c->routing == IC_MINIMAL;
    memcpy(w->local_vc, straight ? minimal : par ? progressive : detour, sizeof w->local_vc);
    memcpy(w->globals_of_vc,
           straight ? globals_minimal
           : par    ? globals_progressive
                    : globals_detour,
           sizeof w->globals_of_vc);
    w->class_[IC_LOCAL].vcs = straight ? 2 : par ? 4 : 3;
    w->class_[IC_GLOBAL].vcs = straight ? 1 : 2;
    return WEIR_OK;
}

static weir_status plan_tree(weir_diag *diag, const ic_params *c, ic_world *w)
{
    if (c->k < 2 || c->k > 127)
        return refuse(diag, c, IC_AT_K, "k of the tree", c->k, "2 to 127");
    if (c->levels < 1 || c->levels > 12)
        return refuse(diag, c, IC_AT_LEVELS, "levels of the tree", c->levels, "1 to 12");
    if (c->routing != IC_MINIMAL && c->routing != IC_ADAPTIVE)
        return IC_REFUSE(diag, c, IC_AT_ROUTING, "a tree's routing is minimal or adaptive");
    double terminals = 1.0;
    for (uint32_t l = 0; l < c->levels; l++)
        terminals *= c->k;
    if (terminals > TERMINALS_MAX || terminals / c->k * c->levels > ROUTERS_MAX)
        return refuse(diag, c, IC_AT_WIRING, "number of terminals (k^levels)", terminals,
                      "at most 16777216, and 4194304 routers");
    w->k = c->k;
    w->levels = c->levels;
    w->n_terminals = (uint32_t)terminals;
    w->n_routers = w->n_terminals / c->k * c->levels;
    w->ports = 2 * c->k;
    w->class_[IC_LOCAL].vcs = 1;
    return WEIR_OK;
}

static weir_status plan_torus(weir_diag *diag, const ic_params *c, ic_world *w)
{
    if (c->dimensions < 1 || c->dimensions > IC_DIMENSIONS_MAX)
        return refuse(diag, c, IC_AT_SIZE, "dimensions of the torus", c->dimensions, "1 to 6");
    if (c->p < 1 || c->p + 2 * c->dimensions > IC_PORTS_MAX)
        return refuse(diag, c, IC_AT_P, "terminals of a router", c->p, "1 to 243");
    if (c->routing != IC_MINIMAL)
        return IC_REFUSE(diag, c, IC_AT_ROUTING, "a torus's routing is minimal (dimension order)");
    double routers = 1.0;
    for (uint32_t d = 0; d < c->dimensions; d++) {
        if (c->size[d] < 2)
            return refuse(diag, c, IC_AT_SIZE, "size of a dimension", c->size[d], "at least 2");
        routers *= c->size[d];
        w->size[d] = c->size[d];
    }
    if (routers > ROUTERS_MAX || routers * c->p > TERMINALS_MAX)
        return refuse(diag, c, IC_AT_SIZE, "number of routers", routers,
                      "at most 4194304, and 16777216 terminals");
    w->p = c->p;
    w->dimensions = c->dimensions;
    w->n_routers = (uint32_t)routers;
    w->n_terminals = w->n_routers * c->p;
    w->ports = c->p + 2 * c->dimensions;
    w->class_[IC_LOCAL].vcs = 2;
    return WEIR_OK;
}

/* Times and room of one class of channels. */
static weir_status plan_class(weir_diag *diag, ic_making *m, uint32_t which, const char *name,
                              const ic_channel_params *c)
{
    const ic_params *params = m->params;
    ic_class *k = &m->head.class_[which];
    const weir_time longest_ps = WEIR_PS_PER_S;
    const uint64_t buffer = c->buffer_bytes / params->chunk_bytes;
    if (c->rate_bps < 1000 || c->rate_bps > UINT64_C(1000000000000000))
        return IC_REFUSE(diag, params, (ic_at)(IC_AT_TERMINAL + which),
                         "%s rate of %llu bps; want 1 kbps to 1 Pbps", name, (unsigned long long)c->rate_bps);
    if (c->delay_ps < 0 || c->delay_ps > longest_ps)
        return IC_REFUSE(diag, params, (ic_at)(IC_AT_TERMINAL + which), "%s delay of %lld ps; want 0 to 1 s",
                         name, (long long)c->delay_ps);
    if (buffer < m->head.packet_chunks || buffer > 1u << 16)
        return IC_REFUSE(diag, params, (ic_at)(IC_AT_TERMINAL + which),
                         "%s buffer of %llu bytes; want room for a packet of %u chunks of %u bytes, and at "
                         "most 65536 chunks",
                         name, (unsigned long long)c->buffer_bytes, m->head.packet_chunks,
                         params->chunk_bytes);
    k->chunk_ps = weir_tx_time(params->chunk_bytes, c->rate_bps);
    k->chunk_ps += k->chunk_ps == 0;
    k->delay_ps = c->delay_ps;
    k->arrive_ps = k->chunk_ps + c->delay_ps + params->router_ps;
    k->credit_ps = c->delay_ps + params->router_ps;
    k->buffer = (uint32_t)buffer;
    k->batch = params->batch ? params->batch : k->buffer / 32 < 16 ? k->buffer / 32 : 16;
    if (!params->batch && k->batch + m->head.packet_chunks > k->buffer + 1)
        k->batch = k->buffer + 1 - m->head.packet_chunks; /* what is withheld leaves room for a packet */
    k->batch += k->batch == 0;
    /* What is withheld must leave room for a packet, or one could wait for credits that nobody sends. */
    if (k->batch - 1 + m->head.packet_chunks > k->buffer)
        return IC_REFUSE(diag, params, (ic_at)(IC_AT_TERMINAL + which),
                         "credits in batches of %u chunks and packets of %u want a %s buffer of %u "
                         "chunks; it has %u",
                         k->batch, m->head.packet_chunks, name, k->batch - 1 + m->head.packet_chunks,
                         k->buffer);
    return WEIR_OK;
}

weir_status wi_ic_plan_wiring(weir_diag *diag, ic_making *m)
{
    const ic_params *c = m->params;
    ic_world *w = &m->head;
    weir_status status;
    w->wiring = c->wiring;
    w->routing = c->routing;
    w->class_[IC_TERMINAL].vcs = 1;
    switch (c->wiring) {
    case IC_DRAGONFLY:
        status = plan_dragonfly(diag, c, w);
        break;
    case IC_TREE:
        status = plan_tree(diag, c, w);
        break;
    default:
        status = plan_torus(diag, c, w);
        break;
    }
    w->vcs = 1;
    for (uint32_t i = 0; i < IC_CLASSES; i++)
        w->vcs = w->class_[i].vcs > w->vcs ? w->class_[i].vcs : w->vcs;
    w->words = (w->ports * w->vcs + 63) / 64;
    if (status == WEIR_OK && w->n_terminals > TERMINALS_MAX)
        status = refuse(diag, c, IC_AT_WIRING, "number of terminals", w->n_terminals, "at most 16777216");
    status = status
            ?: plan_class(diag, m, IC_TERMINAL, "terminal", &c->terminal)
            ?: plan_class(diag, m, IC_LOCAL, "local", &c->local);
    if (status == WEIR_OK && c->wiring == IC_DRAGONFLY)
        status = plan_class(diag, m, IC_GLOBAL, "global", &c->global);
    return status;
}

/* A port of a router. */
typedef struct end {
    uint32_t router, port;
} end;

/* One direction: what port of a router leads to. */
static void lead(ic_making *m, end from, end to, uint32_t class_, int hold)
{
    ic_link *links = ic_at_offset(m, m->head.links_at);
    links[(size_t)from.router * m->head.ports + from.port] =
        (ic_link){.peer = m->head.n_terminals + to.router,
                  .port = (uint8_t)to.port,
                  .class_ = (uint8_t)class_,
                  .hold = (uint8_t)hold};
}

static void join(ic_making *m, end one, end other, uint32_t class_, int hold)
{
    lead(m, one, other, class_, hold);
    lead(m, other, one, class_, hold);
}

static void attach(ic_making *m, uint32_t terminal, uint32_t router, uint32_t port)
{
    ic_link *links = ic_at_offset(m, m->head.links_at);
    ((uint32_t *)ic_at_offset(m, m->head.terminal_at))[terminal] = router;
    ((uint8_t *)ic_at_offset(m, m->head.terminal_port_at))[terminal] = (uint8_t)port;
    links[(size_t)router * m->head.ports + port] = (ic_link){.peer = terminal, .class_ = IC_TERMINAL};
}

static weir_status no_memory(weir_diag *diag, const ic_making *m)
{
    return weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory for %u routers of %u ports",
                     m->head.n_routers, m->head.ports);
}

/* A link between a group and the one `offset` on, by these channels. */
static void join_groups(ic_making *m, uint32_t group, uint32_t offset, uint32_t there, uint32_t back)
{
    const ic_world *w = &m->head;
    const ic_channel *channel = ic_at_offset(m, w->channel_at);
    const ic_channel one = channel[there], other = channel[back];
    join(m, (end){group * w->a + one.router, one.port},
         (end){(group + offset) % w->groups * w->a + other.router, other.port}, IC_GLOBAL, 0);
}

/*
 * Each group has a h - links_each (g - 1) global links left. Two of them reach the groups at one distance and its opposite; distances
 * are spread evenly over half the ring of groups. Of an odd number one is left: it reaches the group opposite, or, where g is odd,
 * the neighbour in a pair, and the last group of all keeps one that nobody has an end for.
 */
static void wire_what_is_left(ic_making *m)
{
    ic_world *w = &m->head;
    const uint32_t g = w->groups, left = w->a * w->h - w->links_each * (g - 1);
    uint32_t *extra = ic_at_offset(m, w->extra_at), next = w->links_each * (g - 1);
    for (uint32_t offset = 0; offset < g; offset++)
        extra[offset] = IC_NONE;
    w->paired = left % 2 && g % 2;
    if (left % 2 && !w->paired)
        extra[g / 2] = next++;
    if (w->paired)
        extra[1] = extra[g - 1] = next++;
    const uint32_t from = 1 + w->paired,
                   distances = (g - 1) / 2 - w->paired; /* those with an opposite that are free */
    for (uint32_t i = 0; i < left / 2; i++) {
        const uint32_t offset = from + (uint32_t)((uint64_t)(2 * i + 1) * distances / (left - left % 2));
        extra[offset] = next++;
        extra[g - offset] = next++;
    }
    for (uint32_t offset = 1; offset <= g / 2; offset++)
        for (uint32_t i = 0; i < g && extra[offset] != IC_NONE; i++)
            if (ic_is_paired(w, i, offset) && (2 * offset != g || i < offset))
                join_groups(m, i, offset, extra[offset], extra[g - offset]);
}

static weir_status wire_dragonfly(weir_diag *diag, ic_making *m)
{
    ic_world *w = &m->head;
    const uint32_t p = w->p, a = w->a, h = w->h, g = w->groups, first_global = p + a - 1;
    if (!ic_table(m, w->n_routers, sizeof(uint16_t), &w->group_at) ||
        !ic_table(m, (uint64_t)a * h, sizeof(ic_channel), &w->channel_at) ||
        !ic_table(m, g, sizeof(uint32_t), &w->extra_at))
        return no_memory(diag, m);
    uint16_t *group = ic_at_offset(m, w->group_at);
    ic_channel *channel = ic_at_offset(m, w->channel_at);
    for (uint32_t r = 0; r < w->n_routers; r++)
        group[r] = (uint16_t)(r / a);
    for (uint32_t c = 0; c < a * h; c++)
        channel[c] = (ic_channel){.router = (uint16_t)(c / h), .port = (uint8_t)(first_global + c % h)};
    for (uint32_t t = 0; t < w->n_terminals; t++)
        attach(m, t, t / p, t % p);
    for (uint32_t i = 0; i < g; i++)
        for (uint32_t one = 0; one < a; one++)
            for (uint32_t other = one + 1; other < a; other++)
                join(m, (end){i * a + one, p + other - 1}, (end){i * a + other, p + one}, IC_LOCAL,
                     w->routing == IC_PAR); /* only channel 0 of it is held */
    for (uint32_t k = 0; k < w->links_each; k++)
        for (uint32_t i = 0; i < g; i++)
            for (uint32_t o = 1; o < g - i; o++)
                join_groups(m, i, o, k * (g - 1) + o - 1, k * (g - 1) + g - o - 1);
    wire_what_is_left(m);
    return WEIR_OK;
}

static weir_status wire_tree(weir_diag *diag, ic_making *m)
{
    ic_world *w = &m->head;
    const uint32_t k = w->k, levels = w->levels, each = w->n_routers / levels;
    if (!ic_table(m, (uint64_t)w->n_routers * levels, sizeof(uint32_t), &w->coordinate_at))
        return no_memory(diag, m);
    uint32_t *digits = ic_at_offset(m, w->coordinate_at);
    for (uint32_t r = 0; r < w->n_routers; r++) {
        uint32_t rest = r % each;
        digits[(size_t)r * levels] = r / each;
        for (uint32_t d = 1; d < levels; d++, rest /= k)
            digits[(size_t)r * levels + d] = rest % k;
    }
    for (uint32_t t = 0; t < w->n_terminals; t++)
        attach(m, t, t / k, t % k);
    uint32_t weight = 1; /* of digit l */
    for (uint32_t l = 0; l + 1 < levels; l++, weight *= k)
        for (uint32_t i = 0; i < each; i++) {
            const uint32_t mine = i / weight % k;
            for (uint32_t j = 0; j < k; j++) {
                const end below = {l * each + i, k + j},
                          above = {(l + 1) * each + i + j * weight - mine * weight, mine};
                lead(m, below, above, IC_LOCAL, w->routing == IC_ADAPTIVE);
                lead(m, above, below, IC_LOCAL, 0);
            }
        }
    return WEIR_OK;
}

static weir_status wire_torus(weir_diag *diag, ic_making *m)
{
    ic_world *w = &m->head;
    if (!ic_table(m, (uint64_t)w->n_routers * w->dimensions, sizeof(uint32_t), &w->coordinate_at))
        return no_memory(diag, m);
    uint32_t *at = ic_at_offset(m, w->coordinate_at);
    for (uint32_t t = 0; t < w->n_terminals; t++)
        attach(m, t, t / w->p, t % w->p);
    for (uint32_t r = 0; r < w->n_routers; r++) {
        uint32_t rest = r, weight = 1;
        for (uint32_t d = 0; d < w->dimensions; d++) {
            const uint32_t mine = rest % w->size[d], up = mine + 1 < w->size[d] ? mine + 1 : 0;
            const uint32_t next = r + up * weight - mine * weight, port = w->p + 2 * d;
            at[(size_t)r * w->dimensions + d] = mine;
            join(m, (end){r, port}, (end){next, port + 1}, IC_LOCAL, 0);
            rest /= w->size[d];
            weight *= w->size[d];
        }
    }
    return WEIR_OK;
}

weir_status wi_ic_wire(weir_diag *diag, ic_making *m)
{
    ic_world *w = &m->head;
    const uint64_t n_links = (uint64_t)w->n_routers * w->ports;
    if (!ic_table(m, n_links, sizeof(ic_link), &w->links_at) ||
        !ic_table(m, w->n_terminals, sizeof(uint32_t), &w->terminal_at) ||
        !ic_table(m, w->n_terminals, sizeof(uint8_t), &w->terminal_port_at) ||
        !ic_table(m, w->n_routers + 1, sizeof(uint32_t), &w->runs_first_at))
        return no_memory(diag, m);
    ic_link *links = ic_at_offset(m, w->links_at);
    for (uint64_t i = 0; i < n_links; i++)
        links[i].peer = IC_NONE;
    const weir_status status = w->wiring == IC_DRAGONFLY ? wire_dragonfly(diag, m)
                               : w->wiring == IC_TREE    ? wire_tree(diag, m)
                                                         : wire_torus(diag, m);
    if (status != WEIR_OK)
        return status;
    links = ic_at_offset(m, w->links_at);
    uint32_t *first = ic_at_offset(m, w->runs_first_at);
    uint64_t slots = 0;
    for (uint32_t r = 0; r < w->n_routers; r++) {
        for (uint32_t port = 0; port < w->ports; port++) {
            const ic_link *link = &links[(size_t)r * w->ports + port];
            if (link->peer != IC_NONE)
                slots += (uint64_t)w->class_[link->class_].buffer * w->class_[link->class_].vcs;
        }
        if (slots > INT32_MAX)
            return IC_REFUSE(diag, m->params, IC_AT_WIRING,
                             "%u routers with such buffers hold too many chunks; "
                             "want fewer, or smaller buffers",
                             w->n_routers);
        first[r + 1] = (uint32_t)slots;
    }
    return WEIR_OK;
}
