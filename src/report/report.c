/* A report: what stands in the folders as JSON, in a page that draws it. */
#include "weir/report.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/order.h"
#include "output/results/manifest.h"
#include "base/file/out.h"
#include "report/figures.h"
#include "report/report.h"
#include "weir/version.h"

enum { ITEMS_MAX = 32, TEXT_MAX = 1 << 20, TABLES_MAX = 32 };
static const wi_report_budget whole = {.table_rows = 5000, .series_values = 600000, .frame_values = 200000};

/* ---- one folder ---- */

bool wi_report_has(const char *folder, const char *name)
{
    WI_FREED char *path = wi_path_join(folder, name);
    return path && access(path, R_OK) == 0;
}

static void put_text(weir_diag *diag, json_t *item, const char *key, const char *folder, const char *name)
{
    WI_FREED char *path = wi_path_join(folder, name), *text = NULL;
    size_t size = 0;
    if (path && wi_file_read(diag, path, TEXT_MAX, &text, &size) == WEIR_OK)
        json_object_set_new(item, key, wi_report_text("%s", text));
}

/* The folder's CSV tables, by name. */
static size_t list_tables(const char *folder, char **names)
{
    DIR *dir = opendir(folder);
    size_t n = 0;
    for (struct dirent *entry; dir && n < TABLES_MAX && (entry = readdir(dir)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0 &&
            (names[n] = strdup(entry->d_name)))
            n++;
    }
    if (dir)
        closedir(dir);
    if (n)
        qsort(names, n, sizeof *names, wi_order_text);
    return n;
}

json_t *wi_report_tables(weir_diag *diag, const char *folder, size_t rows)
{
    char *names[TABLES_MAX];
    json_t *tables = json_array();
    const size_t n = list_tables(folder, names);
    for (size_t i = 0; i < n; i++) {
        json_t *table = wi_report_table(diag, folder, names[i], rows);
        if (table)
            json_array_append_new(tables, table);
        free(names[i]);
    }
    return tables;
}

weir_status wi_report_of_run(weir_diag *diag, const char *folder)
{
    if (wi_report_has(folder, "summary.json"))
        return WEIR_OK;
    if (wi_report_has(folder, "runs.csv"))
        return weir_fail(diag, WEIR_E_ARG,
                         "%s is a study, not a run; weir report shows it, and its figures are its plot-*.svg",
                         folder);
    return weir_fail(diag, WEIR_E_ARG, "%s is no run: it has no summary.json", folder);
}

static json_t *figures_of(weir_diag *diag, const char *folder, json_t *tables, const wi_report_budget *budget)
{
    json_t *series = wi_report_has(folder, "series.h5") ? wi_report_series(diag, folder, budget) : NULL;
    return wi_report_figures(series, tables);
}

weir_status weir_report_figures(weir_diag *diag, const char *run, char **json)
{
    WI_RETURN_IF_FAILED(wi_report_of_run(diag, run));
    json_auto_t *tables = wi_report_tables(diag, run, whole.table_rows);
    json_auto_t *figures = figures_of(diag, run, tables, &whole);
    *json = figures ? json_dumps(figures, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    return *json ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for figures");
}

static void put_run(weir_diag *diag, json_t *item, const char *folder, const wi_report_budget *budget)
{
    char why[300];
    json_t *tables = wi_report_tables(diag, folder, budget->table_rows);
    put_text(diag, item, "scenario", folder, "scenario.yaml");
    if (wi_report_has(folder, "series.h5"))
        json_object_set_new(item, "frames", wi_report_frames(diag, folder, budget));
    json_object_set_new(item, "figures", figures_of(diag, folder, tables, budget));
    json_object_set_new(item, "tables", tables);
    json_t *network = wi_report_network(folder, why, sizeof why);
    if (network)
        json_object_set_new(item, "network", network);
    if (why[0])
        json_object_set_new(item, "no_network", json_string(why));
}

static json_t *read_summary(weir_diag *diag, const char *folder)
{
    json_error_t error;
    WI_FREED char *path = wi_path_join(folder, "summary.json");
    json_t *summary = path ? json_load_file(path, 0, &error) : NULL;
    if (!summary)
        weir_fail_at(diag, WEIR_E_FORMAT, path, error.line, error.column, "%s", error.text);
    return summary;
}

static weir_status put_item(weir_diag *diag, json_t *items, const char *folder,
                            const wi_report_budget *budget)
{
    const bool run = wi_report_has(folder, "summary.json"),
               study = wi_report_has(folder, "study.yaml") && wi_report_has(folder, "runs.csv");
    if (!run && !study)
        return weir_fail(
            diag, WEIR_E_ARG,
            "%s is neither a run nor a study: it has no summary.json, and no study.yaml with runs.csv",
            folder);
    json_t *item = json_object();
    json_object_set_new(item, "kind", json_string(run ? "run" : "study"));
    json_object_set_new(item, "folder", wi_report_text("%s", folder));
    json_array_append_new(items, item);
    if (run) {
        json_t *summary = read_summary(diag, folder);
        if (!summary)
            return WEIR_E_FORMAT;
        json_object_set_new(item, "summary", summary);
        put_run(diag, item, folder, budget);
    } else {
        put_text(diag, item, "scenario", folder, "study.yaml");
        json_object_set_new(item, "tables", wi_report_tables(diag, folder, 4 * budget->table_rows));
    }
    return WEIR_OK;
}

/* ---- the page ---- */

/* JSON that may stand in a script element: no "<" in it ends that, or begins a comment. */
static int put_json(const char *text, size_t size, void *user)
{
    wi_out *file = user;
    size_t from = 0;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<') {
            wi_out_write(file, text + from, i - from);
            wi_out_text(file, "\\u003c");
            from = i + 1;
        }
    wi_out_write(file, text + from, size - from);
    return 0;
}

/* Among the files of a run, the page is one of them in its manifest. */
static weir_status put_into_manifest(weir_diag *diag, const char *folder)
{
    char foreign[256];
    const bool alone = wi_manifest_foreign(folder, foreign, sizeof foreign) == 1; /* the report */
    return alone ? wi_manifest_put(diag, folder) : WEIR_OK;
}

static weir_status write_page(weir_diag *diag, const char *path, const json_t *data)
{
    size_t size = 0;
    const char *page = wi_page(&size);
    const char *mark = memmem(page, size, WI_PAGE_MARK, strlen(WI_PAGE_MARK));
    const char *slash = strrchr(path, '/');
    WI_FREED char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    wi_out *file = NULL;
    if (!folder)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a report");
    const bool ours = wi_manifest_is_there(folder);
    weir_status status = wi_out_open_whole(diag, path, &file);
    if (status == WEIR_OK) {
        wi_out_write(file, page, (size_t)(mark - page));
        json_dump_callback(data, put_json, file, JSON_COMPACT | JSON_REAL_PRECISION(6));
        wi_out_write(file, mark + strlen(WI_PAGE_MARK), size - (size_t)(mark - page) - strlen(WI_PAGE_MARK));
        status = wi_out_close(diag, file);
    }
    if (status == WEIR_OK && ours)
        status = put_into_manifest(diag, folder);
    return status;
}

bool weir_report_available(void)
{
    size_t size;
    return wi_page(&size) != NULL;
}

weir_status weir_report_write(weir_diag *diag, const char *const *folders, size_t n, const char *path)
{
    weir_status status = WEIR_OK;
    if (!weir_report_available())
        return weir_fail(diag, WEIR_E_UNSUPPORTED,
                         "this build has no reports: their page is made with node; install nodejs and npm, "
                         "and build again");
    if (n < 1 || n > ITEMS_MAX)
        return weir_fail(diag, WEIR_E_ARG, "a report of %zu folders: want 1 to %d", n, ITEMS_MAX);
    const wi_report_budget share = {whole.table_rows / n, whole.series_values / n, whole.frame_values / n};
    json_auto_t *data = json_pack("{s:s, s:s}", "format", "weir report 1", "weir", weir_version());
    json_t *items = json_array();
    for (size_t i = 0; i < n && status == WEIR_OK; i++)
        status = put_item(diag, items, folders[i], &share);
    if (json_object_set_new(data, "items", items) != 0 && status == WEIR_OK)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for a report");
    return status ?: write_page(diag, path, data);
}
