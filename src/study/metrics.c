/* What a study of a scenario can measure: the figures and columns that its runs have, as looking at some of them tells. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/json.h"
#include "output/results/remove_tree.h"
#include "scenario/document/document.h"
#include "study/plan/study.h"

/* A metric that a run may have. */
typedef struct candidate {
    const char *text;
    const wi_result_column *column;
    const char *doc;
} candidate;

typedef struct listing {
    weir_study view; /* the study, as if all candidates were its metrics */
    candidate *item;
    size_t n;
    uint8_t *found; /* [n] */
    json_t *other;  /* figures of summary.json that no table describes */
} listing;

/* Figures of every run, of whatever model. */
static const wi_result_column of_runs[] = {
    WI_SAMPLE("reached_s", "s", "simulated"),
    WI_SAMPLE("events", "", "handled"),
    WI_SAMPLE("packet_hops", "", "of the packet network: packets accepted at ports"),
    WI_SAMPLE("setup_wall_s", "s", "real time of building; never the same twice, as the next three"),
    WI_SAMPLE("wall_s", "s", "real time of simulating"),
    WI_SAMPLE("events_per_s", "1/s", "events over `wall_s`"),
    WI_SAMPLE("packet_hops_per_s", "1/s", "packet hops over `wall_s`"),
    WI_SAMPLE("memory.state_bytes", "bytes", "of the state of all entities"),
    WI_SAMPLE("memory.world_bytes", "bytes", "of what stays as it is through the run"),
    WI_SAMPLE("memory.pending_events_peak", "", "most events pending at once"),
    WI_SAMPLE("memory.pending_bytes_peak", "bytes", "what they took"),
};
static const wi_result_table run_table = WI_RESULT(SUMMARY, "", of_runs);

/* ---- what may be ---- */

static bool add(listing *l, const char *text, const wi_result_column *column, const char *doc)
{
    char *copy = weir_arena_alloc(l->view.arena, strlen(text) + 1, 1);
    if (!copy || !wi_grow_one(&l->item, l->n, sizeof *l->item))
        return false;
    l->item[l->n++] = (candidate){strcpy(copy, text), column, doc};
    return true;
}

/* The columns of a table, under this name. Slashes of a column's name lead into parts of summary.json. */
static bool add_table(listing *l, const wi_result_table *table, const char *name)
{
    const bool figures = table->kind == WI_RESULT_SUMMARY;
    const int length = (int)strcspn(name, table->kind == WI_RESULT_CSV ? "." : "");
    const char *doc = "";
    bool good = true;
    for (size_t i = 0; good && i < table->n_columns; i++) {
        const wi_result_column *c = &table->columns[i];
        char text[500];
        doc = c->doc ? c->doc : doc;
        if (c->type == WI_CSV_TEXT)
            continue;
        snprintf(text, sizeof text, "%s%s%.*s%s%s%s", figures ? "" : "mean(",
                 table->kind == WI_RESULT_SERIES ? "series." : "", length, name, length ? "." : "", c->name,
                 figures ? "" : ")");
        for (char *at = text + strlen(text) - strlen(c->name) - !figures; *at; at++)
            *at = *at == '/' ? '.' : *at;
        good = add(l, text, c, doc);
    }
    return good;
}

/* classes.NAME is there for each class. */
static bool add_classes(listing *l, const wi_result_table *table)
{
    static const char classes[] = "classes.NAME";
    const weir_scenario *scenario = l->view.scenario;
    bool good = true;
    for (size_t i = 0; good && i < scenario->n_traffic; i++) {
        char name[200];
        snprintf(name, sizeof name, "classes.%.100s%.80s", scenario->traffic[i].name.text,
                 table->name + sizeof classes - 1);
        good = add_table(l, table, name);
    }
    return good;
}

static weir_status add_all(listing *l)
{
    const wi_result_table *const *all = wi_subject_of(l->view.scenario)->results;
    bool good = add_table(l, &run_table, run_table.name);
    for (; good && all && *all; all++) {
        if (strncmp((*all)->name, "classes.", 8) == 0)
            good = add_classes(l, *all);
        else if ((*all)->kind != WI_RESULT_PACKETS)
            good = add_table(l, *all, (*all)->name);
    }
    return good ? WEIR_OK : wi_study_no_memory(l->view.diag);
}

/* ---- what is ---- */

static bool is_described(const listing *l, const char *path)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->item[i].text, path) == 0)
            return true;
    return false;
}

/* What a run was asked for is no figure of it. */
static bool is_asked(const char *path)
{
    static const char *const asked[] = {"seed", "run", "duration_s", "warmup_s"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (strcmp(path, asked[i]) == 0)
            return true;
    return false;
}

/* Numbers of a part of summary.json, which `before` leads to. */
static void walk(listing *l, const json_t *part, const char *before)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)part, key, value)
    {
        char path[500];
        snprintf(path, sizeof path, "%s%s%s", before, before[0] ? "." : "", key);
        if (json_is_object(value))
            walk(l, value, path);
        else if (json_is_number(value) && !is_asked(path) && !is_described(l, path))
            json_object_set_new(l->other, path, json_true());
    }
}

static void tell_errors(weir_diag *diag, const weir_diag *from)
{
    for (size_t i = 0; i < weir_diag_count(from); i++) {
        const weir_message *m = weir_diag_get(from, i);
        if (m->severity == WEIR_ERROR)
            (void)weir_fail_at(diag, m->status, m->file, m->line, m->column, "%s", m->text);
    }
}

/* Looks at some points over the whole plan: a class may be in some only. The error is that of the last where no run can be
 * opened. */
static weir_status look_at_some(listing *l, const char *folder)
{
    enum { LOOKS = 16 };
    weir_study *const s = &l->view;
    weir_status status = WEIR_OK;
    bool good = false;
    for (uint32_t k = 0; k < LOOKS && k < s->n_points; k++) {
        const uint32_t point = s->n_points <= LOOKS ? k : (uint32_t)((uint64_t)k * s->n_points / LOOKS);
        weir_diag *messages = NULL;
        json_t *summary = NULL;
        status = wi_look(s, point, folder, l->found, &summary, &messages);
        if (summary)
            walk(l, summary, "");
        good = good || status == WEIR_OK;
        if (!good && messages && k + 1 == (s->n_points < LOOKS ? s->n_points : LOOKS))
            tell_errors(s->diag, messages);
        json_decref(summary);
        weir_diag_free(messages);
    }
    return good ? WEIR_OK : status;
}

static weir_status find_all(listing *l)
{
    char folder[] = "/tmp/weir-study-XXXXXX";
    weir_study *const s = &l->view;
    l->found = calloc(l->n + 1, 1);
    l->other = json_object();
    s->metrics = weir_arena_alloc(s->arena, l->n + 1, sizeof *s->metrics);
    if (!l->found || !l->other || !s->metrics)
        return wi_study_no_memory(s->diag);
    s->n_metrics = 0;
    for (weir_status status = WEIR_OK; s->n_metrics < l->n; s->n_metrics++) {
        const weir_name name = {.text = l->item[s->n_metrics].text};
        if ((status = wi_metric_parse(s, &name, &s->metrics[s->n_metrics])) != WEIR_OK)
            return status;
    }
    if (!mkdtemp(folder))
        return weir_fail_at(s->diag, WEIR_E_IO, folder, 0, 0, "the folder cannot be made: %s",
                            strerror(errno));
    const weir_status status = look_at_some(l, folder);
    (void)wi_remove_tree(folder);
    return status;
}

/* ---- the list ---- */

static json_t *listed(const listing *l)
{
    const char *path;
    json_t *list = json_array(), *unused;
    for (size_t i = 0; i < l->n; i++) {
        const candidate *c = &l->item[i];
        if (l->found[i])
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:s}", "metric", c->text, "units",
                                            c->column->units ? c->column->units : "", "meaning", c->doc));
    }
    json_object_foreach(l->other, path, unused)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "metric", path, "units", "", "meaning", ""));
    return list;
}

weir_status weir_study_metrics(weir_study *s, char **out)
{
    listing l = {.view = *s};
    *out = NULL;
    weir_status status = add_all(&l) ?: find_all(&l);
    if (status == WEIR_OK) {
        json_auto_t *list = listed(&l);
        *out = wi_json_text(list);
        status = *out ? WEIR_OK : wi_study_no_memory(s->diag);
    }
    json_decref(l.other);
    free(l.found);
    free(l.item);
    return status;
}

weir_status weir_study_list_metrics(weir_study *s, FILE *out)
{
    WI_FREED char *text = NULL;
    WI_RETURN_IF_FAILED(weir_study_metrics(s, &text));
    json_auto_t *list = json_loads(text, 0, NULL);
    fprintf(
        out,
        "# What runs of this scenario have. Columns of tables and time series, which stand under mean() "
        "here, go by any statistic:\n"
        "# mean, sd, min, max, sum, count, median, p0 to p100, pooled; of time series also steady, cut, "
        "halfwidth.\n"
        "# `where COLUMN = TEXT [and ...]` behind a column chooses rows; of series `where row = NAME`.\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *metric = "", *units = "", *meaning = "";
        (void)json_unpack(json_array_get(list, i), "{s:s, s:s, s:s}", "metric", &metric, "units", &units,
                          "meaning", &meaning);
        fprintf(out, "  %-44s %-8s %s\n", metric, units[0] ? units : "-", meaning);
    }
    if (fflush(out) != 0 || ferror(out))
        return weir_fail(s->diag, WEIR_E_IO, "the list of metrics cannot be written: %s", strerror(errno));
    return WEIR_OK;
}
