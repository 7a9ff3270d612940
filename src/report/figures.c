/* Which figures a run has, as data; see figures.h. */
#include "report/figures.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/values.h"

enum { QUEUES = 8 /* rows of ports whose queues are shown */ };

static json_t *axis_json(const wi_axis *a)
{
    return json_pack("{s:o, s:s, s:b}", "label", wi_report_text("%s", a->label), "unit", a->unit, "log",
                     a->log);
}

json_t *wi_figure_new(const char *name, const char *title, const char *style, const wi_axis *x,
                      const wi_axis *y, json_t *series)
{
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "name", wi_report_text("%s", name), "title",
                     wi_report_text("%s", title), "style", style, "x", axis_json(x), "y", axis_json(y),
                     "series", series);
}

wi_axis wi_column_axis(const char *column, char label[WI_FIGURE_TEXT])
{
    static const char *const units[][2] = {{"_bps", "bit/s"},      {"_Bps", "B/s"},    {"_bytes", "B"},
                                           {"_per_s", "/s"},       {"_s2", "s\u00b2"}, {"_s", "s"},
                                           {"_packets", "packets"}};
    static const char *const words[][2] = {
        {"completion_s", "completion time"},    {"rtt_mean_s", "mean round-trip time"},
        {"srtt_s", "smoothed round-trip time"}, {"delay_mean_s", "mean delay of packets"},
        {"wait_mean_s", "mean wait"},           {"queue_mean_bytes", "mean queue"},
        {"cwnd_bytes", "congestion window"},    {"ssthresh_bytes", "slow-start threshold"},
        {"average_bytes", "averaged queue"}};
    const size_t n = strlen(column);
    wi_axis axis = {label, "", false};
    snprintf(label, WI_FIGURE_TEXT, "%s", column);
    for (size_t i = 0; i < sizeof units / sizeof *units && !axis.unit[0]; i++) {
        const size_t end = strlen(units[i][0]);
        if (n <= end || n >= WI_FIGURE_TEXT || strcmp(column + n - end, units[i][0]) != 0)
            continue;
        axis.unit = units[i][1];
        label[n - end] = '\0';
    }
    for (char *c = label; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], column) == 0)
            snprintf(label, WI_FIGURE_TEXT, "%s", words[i][1]);
    return axis;
}

json_t *wi_figure_group(const char *name)
{
    return json_pack("{s:o, s:[], s:[]}", "name", wi_report_text("%s", name), "notes", "figures");
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

/* A column of a table, its cells; null: it has none of this name. */
static json_t *cells_of(const json_t *table, const char *name)
{
    size_t i;
    const json_t *column;
    json_array_foreach(json_object_get(table, "columns"), i, column)
    {
        if (strcmp(text_of(column, "name"), name) == 0)
            return json_array_get(json_object_get(table, "data"), i);
    }
    return NULL;
}

static const wi_axis share = {"share at most that", "", false};

/* Of tables that are distributions themselves: latency.csv, hops.csv, requests.csv. */
static void add_counted(json_t *figures, const json_t *table)
{
    json_t *shares = cells_of(table, "cumulative_share"), *ends = cells_of(table, "to_s");
    const json_t *first = json_array_get(json_object_get(table, "columns"), 0);
    char label[WI_FIGURE_TEXT], name[WI_FIGURE_TEXT];
    if (!shares)
        return;
    const wi_axis x =
        ends ? (wi_axis){text_of(table, "name"), "s", false} : wi_column_axis(text_of(first, "name"), label);
    snprintf(name, sizeof name, "cdf-%.200s", text_of(table, "name"));
    json_array_append_new(
        figures, wi_figure_new(name, x.label, "step", &x, &share,
                               json_pack("[{s:s, s:O, s:O}]", "name", "", "x",
                                         ends ? ends : json_array_get(json_object_get(table, "data"), 0), "y",
                                         shares)));
}

/* The end of a bucket of sizes; the last has none: ten times where it begins. */
static double size_of(const json_t *table, size_t row)
{
    const double to = json_number_value(json_array_get(cells_of(table, "size_to_bytes"), row)),
                 from = json_number_value(json_array_get(cells_of(table, "size_over_bytes"), row));
    return to > 0.0 && to < 1e18 ? to : 10.0 * from;
}

/* Rows of one class, [first, end): its median and its tails. */
static void add_class(json_t *series, const json_t *table, size_t first, size_t end)
{
    static const char *const columns[] = {"slowdown_p50", "slowdown_p95", "slowdown_p99"};
    const char *class = json_string_value(json_array_get(cells_of(table, "class"), first));
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        json_t *x = json_array(), *y = json_array();
        for (size_t i = first; i < end; i++) {
            json_array_append_new(x, wi_report_number(size_of(table, i)));
            json_array_append(y, json_array_get(cells_of(table, columns[k]), i));
        }
        json_array_append_new(series,
                              json_pack("{s:o, s:o, s:o}", "name",
                                        wi_report_text("%.100s, %s", class ? class : "", columns[k] + 9), "x",
                                        x, "y", y));
    }
}

static void add_slowdown(json_t *figures, const json_t *table)
{
    static const wi_axis x = {"size, up to", "B", true}, y = {"slowdown", "", true};
    const json_t *classes = cells_of(table, "class");
    json_t *series = json_array();
    if (strcmp(text_of(table, "name"), "slowdown") == 0 && cells_of(table, "slowdown_p50"))
        for (size_t first = 0, end, n = json_array_size(classes); first < n; first = end) {
            for (end = first + 1;
                 end < n && json_equal(json_array_get(classes, first), json_array_get(classes, end));)
                end++;
            add_class(series, table, first, end);
        }
    if (json_array_size(series) > 0)
        json_array_append_new(figures, wi_figure_new("slowdown", "by size", "dots", &x, &y, series));
    else
        json_decref(series);
}

/* How long queues were of the ports that come first: the share of samples. Null where memory is short. */
static json_t *queue_of(const json_t *row)
{
    wi_values v = {0};
    json_t *one = json_pack("{s:O}", "name", json_object_get(row, "name"));
    size_t i;
    const json_t *value;
    bool good = one != NULL;
    json_array_foreach(json_object_get(row, "y"), i, value) good =
        good && (!json_is_number(value) || wi_values_add(&v, json_number_value(value)));
    if (!good || !wi_values_quantiles(&v, one)) {
        json_decref(one);
        one = NULL;
    }
    wi_values_free(&v);
    return one;
}

static json_t *queues(const json_t *series)
{
    static const wi_axis x = {"queue", "B", false};
    json_t *group = wi_figure_group("ports"), *found = json_array();
    size_t i, k;
    const json_t *table, *figure;
    json_array_foreach(series, i, table)
    {
        json_array_foreach(json_object_get(table, "figures"), k, figure)
        {
            const json_t *rows = json_object_get(figure, "series");
            if (strcmp(text_of(figure, "name"), "series-ports-queue_bytes") != 0)
                continue;
            for (size_t r = 0; r < json_array_size(rows) && r < QUEUES; r++)
                json_array_append_new(found, queue_of(json_array_get(rows, r)));
        }
    }
    if (json_array_size(found) == 0) {
        json_decref(found);
        json_decref(group);
        return NULL;
    }
    json_array_append_new(json_object_get(group, "figures"),
                          wi_figure_new("cdf-queue", "queue", "step", &x, &share, found));
    return group;
}

static json_t *named(const json_t *list, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        if (strcmp(text_of(one, "name"), name) == 0)
            return one;
    }
    return NULL;
}

/* That of the same name in `list`, which gets a copy of it, without what is below `key`, where it has none. */
static json_t *same_in(json_t *list, const json_t *one, const char *key)
{
    json_t *found = named(list, text_of(one, "name"));
    if (!found && (found = json_copy((json_t *)(uintptr_t)one))) {
        json_object_set_new(found, key, json_array());
        json_array_append_new(list, found);
    }
    return json_object_get(found, key);
}

void wi_figures_beside(json_t *all, const json_t *groups, const char *label)
{
    size_t g, f, s;
    const json_t *group, *figure, *series;
    json_array_foreach(groups, g, group)
    {
        json_t *const figures = same_in(all, group, "figures");
        json_array_foreach(json_object_get(group, "figures"), f, figure)
        {
            const json_t *const list = json_object_get(figure, "series");
            json_t *const to = same_in(figures, figure, "series");
            json_array_foreach(list, s, series)
            {
                const char *name = json_array_size(list) > 1 ? text_of(series, "name") : "";
                json_t *own = json_object_get(series, "x");
                json_array_append_new(
                    to,
                    json_pack("{s:o, s:O, s:O}", "name",
                              wi_report_text("%.100s%s%.100s", label, name[0] ? ", " : "", name), "x",
                              own ? own : json_object_get(group, "at"), "y", json_object_get(series, "y")));
            }
        }
    }
}

json_t *wi_report_figures(json_t *series, json_t *tables)
{
    json_t *out = json_is_array(series) ? series : json_array(), *group = queues(series);
    size_t i;
    json_t *table;
    if (out != series)
        json_decref(series);
    if (group)
        json_array_append_new(out, group);
    json_array_foreach(tables, i, table)
    {
        group = wi_figure_group(text_of(table, "name"));
        json_t *figures = json_object_get(group, "figures");
        json_array_extend(figures, json_object_get(table, "figures"));
        json_object_del(table, "figures");
        add_counted(figures, table);
        add_slowdown(figures, table);
        if (json_array_size(figures) > 0)
            json_array_append(out, group);
        json_decref(group);
    }
    return out;
}
