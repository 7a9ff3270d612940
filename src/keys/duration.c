/* The key `duration`: a time, or until all that has an end is done, with the time by which the run ends in any case. */
#include <string.h>

#include "keys/keys.h"

static const char word[] = "until-done";

/* What stands behind the word; null: it is not there. */
static const char *bound_of(const char *text)
{
    const size_t n = sizeof word - 1;
    if (strncmp(text, word, n) != 0 || (text[n] && text[n] != ' '))
        return NULL;
    return text + n + strspn(text + n, " ");
}

static weir_scenario *scenario_of(const void *at)
{
    return (weir_scenario *)(uintptr_t)((const char *)at - offsetof(weir_scenario, duration_ps));
}

static bool parse(const char *text, long double *out, char *why, size_t why_size)
{
    return wi_kind_time.parse(text, out, why, why_size);
}

static void format(long double value, char *out)
{
    wi_kind_time.format(value, out);
}

static void read_duration(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    wi_node bare = *node;
    const char *bound = node->type == WI_SCALAR ? bound_of(node->text) : NULL;
    scenario_of(at)->until_done = bound != NULL;
    if (bound && !bound[0]) {
        wi_complain(
            r, node->place,
            "%s: until-done wants a bound, the time by which the run ends in any case: until-done 10s",
            key->name);
        return;
    }
    if (bound)
        bare.text = bound;
    wi_kind_time.read(r, key, &bare, at);
}

static void write_duration(wi_writer *w, const wi_key *key, const void *at)
{
    if (scenario_of(at)->until_done)
        fprintf(w->out, "%s ", word);
    wi_kind_time.write(w, key, at);
}

static json_t *json_duration(const wi_key *key, json_t *defs)
{
    wi_key time = *key;
    time.kind = &wi_kind_time;
    char pattern[600];
    snprintf(pattern, sizeof pattern, "^%s +%s", word, wi_kind_time.pattern + 1); /* past its ^ */
    return json_pack("{s:[o, {s:s, s:s, s:[{s:s}]}]}", "anyOf", wi_json_scalar(&time, defs), "type", "string",
                     "pattern", pattern, "allOf", "pattern", "^[^eE]*-done[^eE]*[1-9]");
}

const wi_kind wi_kind_duration = {.what = "time",
                                  .example = "10s",
                                  .read = read_duration,
                                  .write = write_duration,
                                  .json = json_duration,
                                  .storage = WI_I64,
                                  .parse = parse,
                                  .format = format};

/* Whether the flows of a class, or some of them, are sure to be all begun at some time, and end. */
static bool has_end(const weir_scenario_class *c)
{
    const weir_scenario_tcp *t = &c->tcp;
    const bool sized = t->size.kind != WEIR_SC_DIST_NONE || c->where >= WEIR_SC_FLOW_LIST;
    return !c->is_udp && c->fidelity != WEIR_SC_FLUID && sized && !t->video.given && !t->request.given &&
           (t->arrivals.kind == WEIR_SC_ARRIVALS_SESSIONS || t->arrivals.kind == WEIR_SC_ARRIVALS_ALL ||
            c->stop_ps > 0);
}

void wi_check_until_done(wi_reader *r, const wi_node *node, const weir_scenario *s)
{
    if (!s->until_done)
        return;
    for (size_t i = 0; i < s->n_traffic; i++)
        if (has_end(&s->traffic[i]))
            return;
    wi_complain(r, wi_place_of(node, "duration"),
                s->n_traffic ? "until-done: no class of packets has an end; want transfers of a size, with "
                               "`stop` where they arrive by themselves, or a job"
                             : "until-done is for the packet network; say how long a model runs");
}
