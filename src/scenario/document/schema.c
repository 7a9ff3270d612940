/* The keys of a scenario file's top, and what must hold between its sections. */
#include "scenario/document/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/order.h"

typedef weir_scenario scenario_t;

static const wi_key keys[] = {
    {.name = "weir",
     .kind = &wi_kind_version,
     .required = true,
     .also = "version",
     .doc = "format of the file; this is 1"},
    WI_KEY("name", text, scenario_t, name, .also = "title", .unset = "the file's name without its ending",
           .doc = "name of the results folder"),
    {.name = "duration",
     .kind = &wi_kind_duration,
     .offset = offsetof(scenario_t, duration_ps),
     .required = true,
     .above = "0s",
     .high = "100d", /* timers may lie behind the end, and time ends at 106 days */
     .also = "time length",
     .doc = "simulated time. `until-done 10s`: until all transfers of a size are complete, those that arrive "
            "by themselves after their `stop`, and all jobs, or 10 s at most. The run ends within 1/64 of "
            "its time after the last of them"},
    WI_KEY("seed", count64, scenario_t, seed, .fallback = "1",
           .high = "9223372036854775807", /* what whole numbers in JSON and HDF5 hold everywhere */
           .doc = "of all random numbers"),
    WI_KEY("run", count, scenario_t, run, .fallback = "0", .also = "replication",
           .doc = "replication: other random numbers of the same seed"),
    WI_KEY("model", section, scenario_t, model, .section = &wi_section_model,
           .unset = "the packet network of `topology` and `traffic`",
           .doc = "what is simulated, where it is no packet network"),
    WI_KEY("topology", section, scenario_t, topology, .required = true, .section = &wi_section_topology,
           .unless = "model", .also = "network", .doc = "the network"),
    WI_KEY("routing", section, scenario_t, routing, .section = &wi_section_routing, .always = true,
           .also = "routes", .doc = "how packets find their way"),
    WI_KEY("traffic", list, scenario_t, traffic, .required = true,
           .count_offset = offsetof(scenario_t, n_traffic), .section = &wi_section_class, .unless = "model",
           .also = "classes flows", .doc = "classes of traffic, at least one"),
    WI_KEY("events", list, scenario_t, events, .count_offset = offsetof(scenario_t, n_events),
           .section = &wi_section_event, .also = "failures outages", .unset = "none",
           .doc = "failures and repairs of links and nodes"),
    WI_KEY("engine", section, scenario_t, engine, .section = &wi_section_engine, .always = true,
           .doc = "what runs the simulation"),
    WI_KEY("fluid", section, scenario_t, fluid, .section = &wi_section_fluid, .always = true,
           .doc = "how fluid traffic is solved"),
    WI_KEY("steady", section, scenario_t, steady, .section = &wi_section_steady, .always = true,
           .also = "steady_state", .doc = "steady states of the packet network that are skipped"),
    WI_KEY("output", section, scenario_t, output, .section = &wi_section_output, .always = true,
           .also = "results", .doc = "what is written besides the totals"),
    WI_KEY("study", section, scenario_t, study, .section = &wi_section_study, .always = true,
           .also = "sweep parameters experiment",
           .doc = "what `weir study` varies and measures; a single run leaves it aside"),
    WI_KEY("inputs", list, scenario_t, inputs, .count_offset = offsetof(scenario_t, n_inputs),
           .section = &wi_section_input, .also = "digests", .unset = "not compared",
           .doc = "digests of the files that are read; written by weir into its results"),
};

WI_ORDER_BY(by_name, weir_scenario_class *const, strcmp((*x)->name.text, (*y)->name.text) ?: WI_ORDER(*x, *y))

/* Classes in order of their names, or null. */
static const weir_scenario_class **sorted_classes(wi_reader *r, const scenario_t *s)
{
    const weir_scenario_class **sorted = wi_reader_take(r, s->n_traffic, sizeof *sorted);
    for (size_t i = 0; sorted && i < s->n_traffic; i++)
        sorted[i] = &s->traffic[i];
    if (sorted)
        qsort(sorted, s->n_traffic, sizeof *sorted, by_name);
    return sorted;
}

static void check_names(wi_reader *r, const weir_scenario_class **sorted, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1]->name.text, sorted[i]->name.text) == 0)
            wi_complain(r, sorted[i]->name.place, "a second class of the name '%s'; the first is in line %d",
                        sorted[i]->name.text, sorted[i - 1]->name.place.line);
    }
}

static int name_to_class(const void *name, const void *item)
{
    return strcmp(name, (*(const weir_scenario_class *const *)item)->name.text);
}

/* Return the class that a key of `output` names; null, with an error, where there is none. */
static const weir_scenario_class *class_named(wi_reader *r, const scenario_t *s, const char *key,
                                              const weir_name *name, const weir_scenario_class **sorted)
{
    enum { SHOWN = 64 };
    const char *known[SHOWN];
    size_t n = 0;
    const weir_scenario_class **hit =
        bsearch(name->text, sorted, s->n_traffic, sizeof *sorted, name_to_class);
    if (hit)
        return *hit;
    for (size_t i = 0; i < s->n_traffic && n < SHOWN; i++)
        known[n++] = s->traffic[i].name.text;
    wi_complain(r, name->place, "%s: no class '%s' in traffic%s", key, name->text,
                WI_HINT(name->text, known, n));
    return NULL;
}

/* Whether there are flows that no list of the scenario has. */
static bool comes_by_itself(const weir_scenario_tcp *tcp)
{
    return !tcp->request.given && tcp->arrivals.kind != WEIR_SC_ARRIVALS_SESSIONS &&
           tcp->arrivals.kind != WEIR_SC_ARRIVALS_ALL;
}

static void check_cwnd(wi_reader *r, const scenario_t *s, const weir_scenario_class **sorted)
{
    for (size_t i = 0; i < s->output.cwnd.n; i++) {
        const weir_name *name = &s->output.cwnd.item[i];
        const weir_scenario_class *c = class_named(r, s, "cwnd", name, sorted);
        if (c && c->is_udp)
            wi_complain(r, name->place, "cwnd: class '%s' is UDP, which has no window", name->text);
        else if (c && c->fidelity == WEIR_SC_PACKET && comes_by_itself(&c->tcp))
            weir_warn_at(r->diag, WEIR_AT(name->place),
                         "cwnd: flows of class '%s' come by arrivals, of which no windows are written",
                         name->text);
    }
}

/* Classes whose packets are recorded one by one. */
static void check_told(wi_reader *r, const scenario_t *s, const char *key, const weir_names *names,
                       const weir_scenario_class **sorted)
{
    for (size_t i = 0; i < names->n; i++) {
        const weir_name *name = &names->item[i];
        const weir_scenario_class *c = class_named(r, s, key, name, sorted);
        if (c && c->fidelity == WEIR_SC_FLUID)
            wi_complain(r, name->place, "%s: class '%s' is fluid, which has no packets", key, name->text);
    }
}

/* The name becomes a folder. */
static void check_name(wi_reader *r, const wi_node *node, const char *name)
{
    enum { LONGEST = 200 };
    bool good = name[0] != '.' && strlen(name) <= LONGEST;
    for (const char *c = name; *c && good; c++)
        good = *c != '/' && (unsigned char)*c >= 0x20 && *c != 0x7f;
    if (!good)
        wi_complain(r, wi_place_of(node, "name"),
                    "name becomes a folder's name: want at most %d bytes, no '/', no leading '.', no control "
                    "characters",
                    LONGEST);
}

static void check_times(wi_reader *r, const wi_node *node, scenario_t *s)
{
    enum { SAMPLES = 100, SAMPLES_MANY = 10000000 };
    if (s->output.warmup_ps >= s->duration_ps)
        wi_complain(r, wi_place_of(wi_node_child(node, "output"), "warmup"),
                    "warmup must be less than the duration");
    const weir_time interval_ps = s->output.interval_ps;
    const wi_node *output = wi_node_child(node, "output");
    if (interval_ps > s->duration_ps)
        weir_warn_at(r->diag, WEIR_AT(wi_place_of(output, "interval")),
                     "interval is more than duration, so that no sample is taken");
    else if (interval_ps > 0 && s->duration_ps / interval_ps > SAMPLES_MANY)
        weir_warn_at(r->diag, WEIR_AT(wi_place_of(output, "interval")),
                     "interval: %.3g samples of each series; want a longer one, unless that many are meant",
                     (double)s->duration_ps / (double)interval_ps);
    if (!interval_ps)
        s->output.interval_ps = s->duration_ps >= SAMPLES ? s->duration_ps / SAMPLES : 1;
    for (size_t i = 0; i < s->n_events; i++) {
        if (s->events[i].at_ps >= s->duration_ps)
            weir_warn_at(r->diag, WEIR_AT(s->events[i].place),
                         "this event is due when the run is over, so it does not happen");
    }
    for (size_t i = 0; i < s->n_traffic; i++) {
        const weir_scenario_class *c = &s->traffic[i];
        if (c->start_ps >= s->duration_ps)
            weir_warn_at(r->diag, WEIR_AT(c->start_place),
                         "class '%s' starts when the run is over, so it sends nothing", c->name.text);
    }
}

/* Sections that change nothing. */
static void warn_idle(wi_reader *r, const wi_node *node, const scenario_t *s)
{
    bool fluid = s->model.place.file != NULL; /* those that need none have refused it */
    for (size_t i = 0; i < s->n_traffic; i++)
        fluid |= s->traffic[i].fidelity != WEIR_SC_PACKET;
    if (!fluid)
        wi_warn_idle(r, wi_node_child(node, "fluid"), "no class has fidelity: fluid, nor a part that has");
    if (!s->steady.skip)
        wi_warn_idle(r, wi_given(&wi_section_steady, wi_node_child(node, "steady"), "error"),
                     "steady.skip is false");
    if (s->n_events == 0)
        wi_warn_idle(r, wi_given(&wi_section_routing, wi_node_child(node, "routing"), "convergence"),
                     "no link fails (events)");
}

static void check_scenario(wi_reader *r, const wi_node *node, void *at)
{
    scenario_t *s = at;
    if (s->n_traffic == 0 && !s->model.place.file)
        wi_complain(r, wi_place_of(node, "traffic"), "traffic is an empty list; want at least one class");
    if (s->name)
        check_name(r, node, s->name);
    check_times(r, node, s);
    wi_check_until_done(r, node, s);
    warn_idle(r, node, s);
    const weir_scenario_class **sorted = sorted_classes(r, s);
    if (!sorted)
        return;
    check_names(r, sorted, s->n_traffic);
    check_cwnd(r, s, sorted);
    check_told(r, s, "flow_monitor", &s->output.flow_monitor.classes, sorted);
    check_told(r, s, "packets", &s->output.packets, sorted);
}

static bool scenario_hides(const wi_key *key, const void *at)
{
    const scenario_t *s = at;
    if (key->section == &wi_section_study) /* a resolved scenario is one run */
        return true;
    if (key->section == &wi_section_model)
        return !s->model.place.file;
    if (key->section == &wi_section_steady)
        return !s->steady.place.file;
    if (s->model.place.file && (key->section == &wi_section_topology || key->section == &wi_section_routing ||
                                key->section == &wi_section_class || key->section == &wi_section_event ||
                                key->section == &wi_section_fluid))
        return true;
    if (key->section != &wi_section_fluid)
        return false;
    for (size_t i = 0; i < s->n_traffic; i++) {
        if (s->traffic[i].fidelity != WEIR_SC_PACKET)
            return false;
    }
    return !s->fluid.place.file;
}

/* Rows of this version say what to do instead. */
static const wi_clash clashes[] = {
    {"model", "topology|routing|traffic|events|fluid|steady",
     "which is simulated instead of the packet network; leave one out"},
    {"model", "output.ports!=none", "which is simulated instead of the packet network"},
    {"model", "output.histograms=false", "which is simulated instead of the packet network"},
    {"model", "output.cwnd|output.pcap|output.flow_monitor|output.packets|output.slowdown_sizes",
     "which is simulated instead of the packet network"},
    {"routing.forwarding=source", "routing.ecmp=true", "a flow has one path; want forwarding: table", true},
    {"routing.forwarding=source", "events", "a flow keeps its path; want forwarding: table", true},
    {"steady.skip=true", "traffic[]{fidelity!=packet}", "fluid moves all the time; want fidelity: packet",
     true},
    {"steady.skip=true", "traffic[]{tcp.congestion=bbr|bbr3|nscc|rccc}",
     "it probes by a clock of its own; want another control", true},
    {"steady.skip=true", "routing.spray=true", "packets of a flow have no one way; want spray: false", true},
    {"steady.skip=true", "routing.flowlets", "flowlets of a flow have no one way; leave flowlets out", true},
    {"steady.skip=true", "topology.loss!=0", "what is lost at random never stands still; want loss: 0", true},
    {"steady.skip=true", "topology.links[]{loss}",
     "what is lost at random never stands still; leave loss out", true},
    {"steady.skip=true", "topology.links[]{burst_loss}",
     "what is lost at random never stands still; leave it out", true},
    {"steady.skip=true", "topology.links[]{bit_errors}",
     "what is lost at random never stands still; leave it out", true},
    {"steady.skip=true", "topology.links[]{jitter}", "what varies at random never stands still; leave it out",
     true},
    {"steady.skip=true", "topology.links[]{duplication}",
     "what comes at random never stands still; leave it out", true},
    {"steady.skip=true", "topology.links[]{trace}",
     "a rate that follows a trace never stands still; leave it out", true},
    {"steady.skip=true", "output.pcap|output.flow_monitor|output.packets|output.cwnd",
     "packets that are skipped leave no trace; leave one out", true},
    {"events", "topology.shared_buffer", "ports of a switch are one entity, which does not fail in parts",
     true},
    {"traffic[]{fidelity!=packet}", "topology.shared_buffer",
     "fluid knows no memory that ports share; leave shared_buffer out", true},
    {"topology.overhead!=0B", "traffic[]{fidelity!=packet}",
     "fluid knows no bytes that lines add to packets; want fidelity: packet", true},
    {"topology.links[]{overhead}", "traffic[]{fidelity!=packet}",
     "fluid knows no bytes that lines add to packets; want fidelity: packet", true},
    {"topology.shared_buffer.pfc", "topology.host_queue.type!=round-robin|droptail|priority",
     "hosts obey pauses priority by priority; want host_queue: {type: round-robin}, priority or droptail",
     true},
    {"events", "traffic[]{fidelity!=packet tcp.size}",
     "fluid's transfers of a size keep their routes; want fidelity: packet", true},
    {"traffic[]{tcp.congestion=hpcc|powertcp fidelity=packet}", "traffic[]{fidelity!=packet}",
     "it goes by the load that ports measure, of which fluid is no part; want fidelity: packet", true},
    {"fluid.tcp=paper", "traffic[]{tcp fidelity!=packet tcp.congestion!=newreno}",
     "'paper' is Reno's law; want congestion: newreno", true},
    {"engine.type=gpu fluid.device=cpu", "traffic[]{fidelity!=packet}",
     "packets and fluid on the same device, cuda:0, alone; leave fluid.device out", true},
    {"engine.type=gpu engine.device!=0", "traffic[]{fidelity!=packet}",
     "packets and fluid on the same device, cuda:0, alone; leave engine.device out", true},
    {"traffic[]{tcp.congestion=ndp|nscc|rccc}", "output.pcap",
     "captures are of TCP and UDP over IPv4, and this is neither; want output.packets", true},
};

const wi_section wi_schema =
    WI_SECTION("the scenario", keys, scenario_t, .check = check_scenario, .hides = scenario_hides,
               .clashes = clashes, .n_clashes = WI_N_OF(clashes),
               .rules = "[{'properties': {'traffic': {'minItems': 1}, 'name': {'pattern': "
                        "'^(?![.])[^/\\\\x00-\\\\x1f\\\\x7f]{1,200}$'}}}]");
