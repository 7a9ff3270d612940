/* summary.json: what ran, on what, how fast, with which digests; the subject adds its own totals. */
#include <math.h>
#include <string.h>

#include "output/json.h"
#include "scenario/session/session.h"

static json_t *memory(const weir_session *session)
{
    weir_sim_memory m;
    weir_setup setup;
    session->subject->setup(session->made, &setup);
    weir_sim_memory_use(session->sim, &m);
    json_t *o = json_object();
    json_object_set_new(o, "state_bytes", wi_json_count(m.state_bytes));
    json_object_set_new(o, "world_bytes", wi_json_count(setup.world_bytes));
    json_object_set_new(o, "pending_events_peak", wi_json_count(m.pending_peak));
    json_object_set_new(o, "pending_bytes_peak", wi_json_count(m.pending_peak_bytes));
    if (m.device_bytes > 0)
        json_object_set_new(o, "device_bytes", wi_json_count(m.device_bytes));
    return o;
}

#define OPTIMISTIC(X)                                                                                   \
    X(U64, "net_events", "", net, "`events_handled` - `events_rolled_back`"),                           \
        X(U64, "events_handled", "", got.handled, "those rolled back included"),                        \
        X(U64, "events_rolled_back", "", got.rolled_back, "undone"),                                    \
        X(U64, "rollbacks_primary", "", got.rollbacks_primary,                                          \
          "of an entity, by an event that came too late (a straggler)"),                                \
        X(U64, "rollbacks_secondary", "", got.rollbacks_secondary,                                      \
          "of an entity, by a cancelling event (an anti-message)"),                                     \
        X(DOUBLE, "efficiency", "1", 1.0 - (double)got.rolled_back / (net ? (double)net : (double)NAN), \
          "1 - rolled back / net, as in ROSS"),                                                         \
        X(U64, "events_cancelled", "", got.cancelled, "cancelled before they were handled"),            \
        X(U64, "events_remote", "", got.sent_remote, "sent to another thread or rank"),                 \
        X(U64, "events_safe", "", got.safe, "handled without a copy"),                                  \
        X(U64, "gvt_rounds", "", got.gvt_rounds, "rounds of global virtual time"),                      \
        X(U64, "throttled", "", got.throttled, "waits for memory or window"),                           \
        X(U64, "faults_undone", "", got.faults_undone, "faults of events that were rolled back"),       \
        X(U64, "memory_peak_bytes", "bytes", got.memory_peak_bytes, "most held for rollback"),          \
        X(U64, "memory_bound_bytes", "bytes", got.memory_bytes, "most that it may be")
static const wi_result_column optimistic_columns[] = {OPTIMISTIC(WI_COLUMN)};
const wi_result_table wi_optimistic_table = WI_RESULT(SUMMARY, "optimistic", optimistic_columns);

/* Null on other engines. */
static json_t *optimistic(const weir_session *session)
{
    weir_optimistic_statistics got;
    if (!weir_sim_optimistic(session->sim, &got))
        return NULL;
    const uint64_t net = got.handled - got.rolled_back;
    return wi_result_object(&wi_optimistic_table, (const wi_cell[]){OPTIMISTIC(WI_CELL)}, 0);
}

/* Where events were handled, as --device has it. */
static json_t *device(const weir_session *session)
{
    const bool gpu = strcmp(weir_sim_engine(session->sim, NULL), wi_engine_name(WEIR_ENGINE_GPU)) == 0;
    return gpu ? json_sprintf("cuda:%u", (unsigned)session->scenario->engine.device) : json_string("cpu");
}

/* The files that the run read. */
static json_t *inputs(const weir_scenario *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_inputs; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "of", s->inputs[i].of, "file",
                                              s->inputs[i].file, "sha256", s->inputs[i].sha256));
    return list;
}

/* What ran, and, where the scenario left that to us, why. */
static void put_engine(const weir_session *session, json_t *o)
{
    const char *why = "", *name = wi_engine_name(wi_engine_of(session->scenario));
    if (session->scenario->engine.type == WEIR_SC_ENGINE_AUTO)
        name = weir_sim_engine(session->sim, &why);
    json_object_set_new(o, "engine", json_string(name));
    if (why[0])
        json_object_set_new(o, "engine_because", json_string(why));
    json_object_set_new(o, "engine_moves", wi_moves_made(session)); /* null: no such member */
}

json_t *wi_summary_make(weir_session *session, const weir_run_result *result)
{
    const weir_scenario *const s = session->scenario;
    const wi_subject *const subject = session->subject;
    const bool hops = session->run.packet_hops != WI_NO_COUNT, own = subject != &wi_subject_network;
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(s->name));
    json_object_set_new(o, "weir", json_string(WEIR_VERSION));
    if (session->options.command)
        json_object_set_new(o, "command", json_string(session->options.command));
    json_object_set_new(o, "model", json_string(subject->section.name));
    json_object_set_new(o, "seed", wi_json_count(s->seed));
    json_object_set_new(o, "run", wi_json_count(s->run));
    put_engine(session, o);
    json_object_set_new(o, "device", device(session));
    json_object_set_new(o, "duration_s", wi_json_real(weir_seconds(s->duration_ps)));
    if (s->until_done)
        json_object_set_new(o, "done", json_boolean(session->done));
    json_object_set_new(o, "reached_s", wi_json_real(weir_seconds(result->reached_ps)));
    json_object_set_new(o, "warmup_s", wi_json_real(weir_seconds(s->output.warmup_ps)));
    json_object_set_new(o, "partial", json_boolean(result->partial));
    json_object_set_new(o, "stopped_in_warmup", json_boolean(result->reached_ps < s->output.warmup_ps));
    json_object_set_new(o, "event_digest", wi_json_hex(result->event_digest));
    json_object_set_new(o, "state_digest", wi_json_hex(result->state_digest));
    json_object_set_new(o, "events", wi_json_count(result->events));
    if (hops)
        json_object_set_new(o, "packet_hops", wi_json_count(result->packet_hops));
    json_object_set_new(o, "setup_wall_s", wi_json_real(session->setup_s));
    json_object_set_new(o, "wall_s", wi_json_real(result->wall_s));
    const double wall_s = result->wall_s > 0.0 ? result->wall_s : (double)NAN;
    json_object_set_new(o, "events_per_s", wi_json_real((double)result->events / wall_s));
    if (hops)
        json_object_set_new(o, "packet_hops_per_s", wi_json_real((double)result->packet_hops / wall_s));
    json_t *const into = own ? json_object() : o; /* a model's figures stand below its name */
    (void)!subject->result(session->made, &session->run, WI_FOR_SUMMARY, into);
    if (own)
        json_object_set_new(o, subject->section.name, into);
    json_object_set_new(o, "memory", memory(session));
    json_object_set_new(o, "optimistic", optimistic(session)); /* null: no such member */
    json_object_set_new(o, "inputs", inputs(s));
    return o;
}
