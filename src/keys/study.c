/* The keys of `study`: what is varied, how often, and what is measured. weir/study.h says what they do. */
#include "keys/keys.h"

#include <string.h>

#include "schema/tree.h"

typedef weir_scenario_study study_t;
typedef weir_scenario_vary vary_t;

/* ---- values of any form ---- */

static const wi_node *first_of(const wi_node *node)
{
    return node->type == WI_SEQUENCE ? node->first : node;
}

static void read_values(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    const size_t n = node->type == WI_SEQUENCE ? node->n : 1;
    if (n == 0 || wi_node_is_null(node)) {
        wi_complain(r, node->place, "%s is empty; want a list of values or a range such as 1..10 step 2",
                    key->name);
        return;
    }
    weir_scenario_value *values = wi_reader_take(r, n, sizeof *values);
    const wi_node *item = first_of(node);
    for (size_t i = 0; values && i < n; i++, item = item->next) {
        values[i].text = wi_node_flow(r->arena, item);
        values[i].plain = item->type == WI_SCALAR && item->plain;
        values[i].place = item->place;
        if (!values[i].text)
            r->no_memory = true;
    }
    if (values)
        wi_list_store(key, at, values, n);
}

static void write_values(wi_writer *w, const wi_key *key, const void *at)
{
    const weir_scenario_value *values;
    memcpy(&values, at, sizeof values);
    fputc('[', w->out);
    for (size_t i = 0; i < wi_list_count(key, at); i++)
        fprintf(w->out, "%s%s", i ? ", " : "", values[i].text);
    fputc(']', w->out);
}

/* Not an empty list; what each value must be, its key says. */
const wi_kind wi_kind_values = {.what = "list of values, or a range",
                                .example = "[1, 2, 5..10 step 1]",
                                .read = read_values,
                                .write = write_values,
                                .given = wi_list_given,
                                .schema = "{'not': {'enum': [null, []]}}"};

/* ---- shares ---- */

static void read_shares(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    const size_t n = node->type == WI_SEQUENCE ? node->n : 1;
    double *shares = wi_reader_take(r, n + 1, sizeof *shares);
    wi_key one = *key;
    one.kind = &wi_kind_share;
    const wi_node *item = first_of(node);
    for (size_t i = 0; shares && i < n; i++, item = item->next)
        one.kind->read(r, &one, item, &shares[i]);
    if (shares)
        wi_list_store(key, at, shares, n);
}

static void write_shares(wi_writer *w, const wi_key *key, const void *at)
{
    const double *shares;
    memcpy(&shares, at, sizeof shares);
    fputc('[', w->out);
    for (size_t i = 0; i < wi_list_count(key, at); i++)
        fprintf(w->out, "%s%.17g", i ? ", " : "", shares[i]);
    fputc(']', w->out);
}

static json_t *json_shares(const wi_key *key, json_t *defs)
{
    wi_key one = *key;
    one.kind = &wi_kind_share;
    return json_pack("{s:s, s:o}", "type", "array", "items", wi_kind_share.json(&one, defs));
}

const wi_kind wi_kind_shares = {.what = "list of shares",
                                .example = "[10%, 50%, 90%]",
                                .read = read_shares,
                                .write = write_shares,
                                .given = wi_list_given,
                                .json = json_shares};

/* ---- the tables ---- */

static const wi_key vary_keys[] = {
    WI_KEY("path", text, vary_t, path.text, .place_offset = offsetof(vary_t, path.place),
           .also = "key parameter", .unset = "a value for expressions alone",
           .doc = "key of the scenario that is set, as `--set` takes it: `traffic.bulk.tcp.sessions`"),
    WI_KEY("name", text, vary_t, name.text, .place_offset = offsetof(vary_t, name.place), .also = "as",
           .unset = "the path", .doc = "in tables, plots and expressions"),
    WI_KEY(
        "values", values, vary_t, values, .count_offset = offsetof(vary_t, n_values),
        .also = "value range list",
        .doc =
            "a list, of which any item may be a range: `1..10 step 2`, `1ms..1s log 7` (seven values, evenly "
            "spaced by their logarithm), `1..1024 times 2`; whole numbers go in steps of 1 by themselves"),
    WI_KEY("is", text, vary_t, is.text, .place_offset = offsetof(vary_t, is.place),
           .also = "expression equals formula",
           .doc = "instead of values, an expression over other parameters: `2 * rtt * rate / sqrt(flows)`"),
    WI_KEY("with", text, vary_t, with.text, .place_offset = offsetof(vary_t, with.place),
           .also = "parallel lockstep", .unset = "every value meets every value of the others",
           .doc = "name of a parameter with as many values, in step with which this one goes"),
};

static void check_vary(wi_reader *r, const wi_node *node, void *at)
{
    const vary_t *v = at;
    if ((v->n_values > 0) == (v->is.text != NULL))
        wi_complain(r, node->place, "want either values (a list or a range) or is (an expression)%s",
                    v->is.text ? ", not both" : "");
    if (!v->path.text && !v->name.text)
        wi_complain(r, node->place,
                    "want a path, such as traffic.bulk.tcp.sessions, or a name for expressions");
    if (v->is.text && v->with.text)
        wi_complain(r, v->with.place, "an expression follows its parameters by itself; leave `with` out");
}

static const wi_section vary_section = WI_SECTION(
    "item of study.vary", vary_keys, vary_t, .place_offset = offsetof(vary_t, place), .check = check_vary,
    .rules = "[{'oneOf': [{'required': ['values']}, {'required': ['is']}]}, {'anyOf': [{'required': "
             "['path']}, {'required': ['name']}]}, {'not': {'required': ['is', 'with']}}]");

static const wi_word executors[] = {
    {"cores", WEIR_SC_EXECUTOR_CORES, "a run a core, of all ranks that mpirun starts"},
    {"auto", WEIR_SC_EXECUTOR_AUTO, "`resident` where there is a CUDA device, else `cores`"},
    {"resident", WEIR_SC_EXECUTOR_RESIDENT, "many runs at once on a CUDA device"},
    {"staged", WEIR_SC_EXECUTOR_STAGED,
     "the same, with states and pending events on the host: slower, for comparison"},
};

static const wi_word numbers[] = {
    {"shared", 0,
     "replication r of each set has the same random numbers: differences between sets are narrow"},
    {"independent", 1, "each set has random numbers of its own, found from its values"},
};

static const wi_key study_keys[] = {
    WI_KEY("vary", list, study_t, vary, .count_offset = offsetof(study_t, n_vary), .section = &vary_section,
           .also = "parameters parameter sweep", .unset = "one parameter set: the scenario as it is",
           .doc = "parameters, the last of which changes fastest"),
    WI_KEY("latin-hypercube", count, study_t, latin_hypercube, .low = "2", .also = "lhs sample design points",
           .unset = "every value meets every value of the others",
           .doc = "how many parameter sets to draw as a Latin hypercube: each parameter's range is cut into "
                  "so many parts, and each part is met once. Values may then be `1ms..100ms`, evenly, or "
                  "`1ms..1s log`, evenly by the logarithm"),
    WI_KEY("constraints", names, study_t, constraints, .also = "constraint where", .unset = "none",
           .doc = "expressions such as `min < max`; parameter sets for which one is false are left out"),
    WI_KEY("replications", count, study_t, replications, .fallback = "1", .low = "1",
           .also = "repeat runs repetitions",
           .doc = "runs of each parameter set: `run` counts them, from the scenario's own on. Sets share "
                  "their random numbers"),
    WI_KEY("random-numbers", word, study_t, independent, .fallback = "shared", WI_WORDS(numbers),
           .also = "seeds crn", .doc = "of parameter sets"),
    WI_KEY("metrics", names, study_t, metrics, .also = "metric measure results",
           .unset = "a few of the model's own",
           .doc = "what is measured of each run: figures of summary.json (`classes.bulk.goodput_bps`), or of "
                  "a column (`p99(flows.completion_s where class = bulk)`); `NAME = ...` gives one a name"),
    WI_KEY("baseline", names, study_t, baseline, .also = "reference compare", .unset = "none",
           .doc = "parameters of the sets that others are compared with, run by run: `type=droptail`"),
    WI_KEY("confidence", share, study_t, confidence, .fallback = "95%", .above = "0", .below = "1",
           .also = "level", .doc = "of intervals"),
    WI_KEY("quantiles", shares, study_t, quantiles, .count_offset = offsetof(study_t, n_quantiles),
           .above = "0", .below = "1", .also = "percentiles", .unset = "50%",
           .doc = "of each metric over the runs of a parameter set, with intervals of order statistics"),
    WI_KEY("until-precision", share, study_t, until_precision, .above = "0", .below = "1",
           .also = "precision until", .unset = "as many as `replications`",
           .doc = "add replications to a parameter set until the half-width of each metric's interval is at "
                  "most this share of its mean"),
    WI_KEY("max-replications", count, study_t, max_replications, .fallback = "1000", .low = "1",
           .doc = "with `until-precision`, of a parameter set"),
    WI_KEY("plots", names, study_t, plots, .also = "plot",
           .unset = "over the first two parameters that take more than one number",
           .doc =
               "names of one or two parameters, blanks between: the axis, and what tells the curves apart"),
    WI_KEY("executor", word, study_t, executor, .fallback = "cores", WI_WORDS(executors),
           .doc = "who runs the runs; results do not depend on it"),
    WI_KEY("device", count, study_t, device, .fallback = "0", .low = "0", .doc = "number of the CUDA device"),
    WI_KEY("base", text, study_t, base, .unset = "that of the scenario file",
           .doc = "folder that relative file names start from; written by weir into the folders of studies"),
};

const wi_section wi_section_study =
    WI_SECTION("study", study_keys, study_t, .doc = "For `weir study`: [studies.md](studies.md).",
               .place_offset = offsetof(study_t, place));
