/* What runs write: every table of every model, as the columns say it. */
#include "scenario/document/document.h"

#include <string.h>

static json_t *columns_of(const wi_result_table *table)
{
    static const char *const types[] = {"text", "count", "real", "time"};
    json_t *list = json_array();
    const char *meaning = "";
    for (size_t i = 0; i < table->n_columns; i++) {
        const wi_result_column *c = &table->columns[i];
        char name[200];
        snprintf(name, sizeof name, "%s", c->name);
        for (char *slash = name; (slash = strchr(slash, '/')) != NULL;)
            *slash = '.';
        meaning = c->doc ? c->doc : meaning;
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:b}", "name", name, "type",
                                              types[c->type], "units", c->units ? c->units : "", "meaning",
                                              meaning, "continues", c->doc == NULL));
    }
    return list;
}

static json_t *table_of(const wi_subject *subject, const wi_result_table *table)
{
    static const char *const files[] = {[WI_RESULT_SERIES] = "series.h5",
                                        [WI_RESULT_PACKETS] = "packets.h5",
                                        [WI_RESULT_SUMMARY] = "summary.json"};
    const bool csv = table->kind == WI_RESULT_CSV;
    return json_pack("{s:s, s:s, s:s, s:o}", "model", subject->section.name, "file",
                     csv ? table->name : files[table->kind], "table", csv ? "" : table->name, "columns",
                     columns_of(table));
}

char *weir_results_json(void)
{
    json_auto_t *list = json_array();
    const wi_subject *subject;
    for (size_t i = 0; (subject = wi_subject_at(i)) != NULL; i++)
        for (const wi_result_table *const *table = subject->results; *table; table++)
            json_array_append_new(list, table_of(subject, *table));
    char *text = wi_json_text(list);
    return text;
}
