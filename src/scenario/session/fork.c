/* The differences between a checkpoint's scenario and another, and which of them a fork may have. */
#include "scenario/session/fork.h"

#include <stdio.h>
#include <string.h>

#include "schema/yaml.h"

enum { PATH = 400 };

typedef struct comparison {
    weir_diag *diag;
    const wi_fork *fork;
    size_t cls; /* of the scenario's traffic, under `traffic` */
} comparison;

/* A value for a message: scalars as they are, the rest by what it is. */
static const char *shown(const wi_node *node)
{
    return !node ? "(not given)" : node->type == WI_SCALAR ? node->text : wi_node_what(node);
}

static weir_status refuse(const comparison *c, const char *path, const wi_node *was, const wi_node *is,
                          const char *why)
{
    return weir_fail(c->diag, WEIR_E_ARG,
                     "%s: '%s' in the checkpoint %s, and '%s' now: a fork cannot change it%s%s", path,
                     shown(was), c->fork->path, shown(is), why[0] ? ": " : "", why);
}

static bool has_fluid(const weir_scenario *s)
{
    for (size_t i = 0; i < s->n_traffic; i++)
        if (s->traffic[i].fidelity != WEIR_SC_PACKET)
            return true;
    return false;
}

/* Keys of a class that decide how many places its flows take, and where: the run's states have those already. */
static bool has_place(const char *key)
{
    static const char *const keys[] = {"tcp",           "udp",          "tcp.sessions", "tcp.request",
                                       "tcp.max_flows", "tcp.arrivals", "tcp.video",    "tcp.connection"};
    if (strcmp(key, "tcp.arrivals.poisson") == 0 || strcmp(key, "tcp.arrivals.load") == 0 ||
        strcmp(key, "tcp.arrivals.periodic") == 0)
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return strncmp(key, "tcp.arrivals.", 13) == 0 || strncmp(key, "tcp.request.", 12) == 0 ||
           strncmp(key, "tcp.video.", 10) == 0;
}

static bool may_change(const char *key)
{
    static const char *const keys[] = {"start", "stop", "dscp"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    const bool how =
        strncmp(key, "tcp.", 4) == 0 || strncmp(key, "udp.", 4) == 0 || strncmp(key, "start.", 6) == 0;
    return how && !has_place(key);
}

/* It may be changed, unless flows then need other room, which is seen when they are laid out. */
static weir_status allow(const comparison *c, const char *path, const wi_node *was, const wi_node *is)
{
    char *const at = c->fork->keys->flows;
    const size_t used = strlen(at);
    snprintf(at + used, sizeof c->fork->keys->flows - used, "%s%s ('%s' in the checkpoint, '%s' now)",
             used ? ", " : "", path, shown(was), shown(is));
    return WEIR_OK;
}

static weir_status judge_class(const comparison *c, const char *path, const char *key, const wi_node *was,
                               const wi_node *is)
{
    const weir_scenario_class *old = &c->fork->was->traffic[c->cls], *new = &c->fork->is->traffic[c->cls];
    char why[200];
    const weir_time first_ps = old->start_ps < new->start_ps ? old->start_ps : new->start_ps;
    const bool other_kind = strncmp(key, "tcp.arrivals", 12) == 0 && (!was || !is);
    if (!may_change(key) || other_kind)
        return refuse(c, path, was, is, "it decides where flows are and how many there is room for");
    if (old->fidelity != WEIR_SC_PACKET)
        return refuse(c, path, was, is, "the class travels as fluid");
    if (first_ps >= c->fork->now_ps)
        return allow(c, path, was, is);
    snprintf(why, sizeof why, "class '%s' begins at %.12g s, and the checkpoint is of %.12g s",
             new->name.text, weir_seconds(first_ps), weir_seconds(c->fork->now_ps));
    return refuse(c, path, was, is, why);
}

static weir_status judge_duration(const comparison *c, const wi_node *was, const wi_node *is)
{
    if (c->fork->is->duration_ps < c->fork->now_ps)
        return refuse(c, "duration", was, is, "the checkpoint is of a later time");
    if (has_fluid(c->fork->was))
        return refuse(c, "duration", was, is, "the course of fluid traffic is laid out to its end");
    return allow(c, "duration", was, is); /* events and transfers of a list may come with it */
}

static weir_status judge(const comparison *c, const char *path, const wi_node *was, const wi_node *is)
{
    const weir_time now_ps = c->fork->now_ps;
    if (strcmp(path, "name") == 0)
        return WEIR_OK;
    if (strcmp(path, "duration") == 0)
        return judge_duration(c, was, is);
    if (strcmp(path, "output.warmup") == 0)
        return c->fork->was->output.warmup_ps > now_ps && c->fork->is->output.warmup_ps > now_ps
                   ? WEIR_OK
                   : refuse(c, path, was, is, "the warm-up is over, or would be");
    if (strncmp(path, "output.", 7) == 0)
        return refuse(c, path, was, is, "results have been gathered that way so far");
    if (strncmp(path, "traffic.", 8) != 0)
        return refuse(c, path, was, is, "");
    const size_t name = strlen(c->fork->was->traffic[c->cls].name.text);
    const char *const key = path + 8 + name;
    return judge_class(c, path, key[0] == '.' ? key + 1 : key, was, is);
}

static weir_status compare(comparison *c, const char *path, const wi_node *was, const wi_node *is);

/* Every key of both. */
static weir_status compare_sections(comparison *c, const char *path, const wi_node *was, const wi_node *is)
{
    char below[PATH];
    weir_status status = WEIR_OK;
    for (const wi_node *a = was->first; a && status == WEIR_OK; a = a->next) {
        snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", a->key);
        status = compare(c, below, a, wi_node_child(is, a->key));
    }
    for (const wi_node *b = is->first; b && status == WEIR_OK; b = b->next) {
        snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", b->key);
        if (!wi_node_child(was, b->key))
            status = compare(c, below, NULL, b);
    }
    return status;
}

static weir_status compare_lists(comparison *c, const char *path, const wi_node *was, const wi_node *is)
{
    char below[PATH];
    weir_status status = WEIR_OK;
    const bool traffic = strcmp(path, "traffic") == 0;
    size_t i = 0;
    for (const wi_node *a = was->first, *b = is->first; a && b && status == WEIR_OK;
         a = a->next, b = b->next) {
        if (traffic) {
            c->cls = i++;
            snprintf(below, sizeof below, "%s.%s", path, c->fork->was->traffic[c->cls].name.text);
        }
        status = compare(c, traffic ? below : path, a, b);
    }
    return status;
}

static weir_status compare(comparison *c, const char *path, const wi_node *was, const wi_node *is)
{
    if (!was || !is || was->type != is->type)
        return judge(c, path, was, is);
    if (was->type == WI_SCALAR)
        return strcmp(was->text, is->text) == 0 ? WEIR_OK : judge(c, path, was, is);
    if (was->type == WI_MAPPING)
        return compare_sections(c, path, was, is);
    if (was->n != is->n && strcmp(path, "traffic") == 0)
        return refuse(c, path, was, is, "the run has room for its own classes");
    return was->n == is->n ? compare_lists(c, path, was, is) : judge(c, path, was, is);
}

weir_status wi_fork_check(weir_diag *diag, const wi_fork *fork)
{
    comparison c = {.diag = diag, .fork = fork};
    wi_node *was = NULL, *is = NULL;
    weir_arena *arena = weir_arena_new(0);
    if (!arena)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to compare scenarios");
    weir_status status =
        wi_yaml_parse(diag, arena, &(wi_yaml_text){fork->path, fork->old_text, strlen(fork->old_text)}, NULL,
                      &was)
            ?: wi_yaml_parse(diag, arena, &(wi_yaml_text){fork->path, fork->new_text, strlen(fork->new_text)},
                             NULL, &is);
    status = status ?: compare(&c, "", was, is);
    weir_arena_free(arena);
    return status;
}
