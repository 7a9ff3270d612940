/* Rows of tables of results as JSON. */
#include "output/column.h"

#include <string.h>

#include "output/json.h"

static json_t *json_of(wi_column_type type, wi_cell value)
{
    switch (type) {
    case WI_CSV_TEXT:
        return value.TEXT ? json_string(value.TEXT) : json_null();
    case WI_CSV_U64:
        return value.U64 == WI_NO_COUNT ? json_null() : wi_json_count(value.U64);
    case WI_CSV_SECONDS:
        return value.SECONDS == WI_NO_TIME ? json_null() : wi_json_real(weir_seconds(value.SECONDS));
    default:
        return wi_json_real(value.DOUBLE);
    }
}

/* The object of that name in another, made where there is none. */
static json_t *part_of(json_t *into, const char *name, size_t length)
{
    json_t *part = json_object_getn(into, name, length);
    if (!part) {
        part = json_object();
        json_object_setn_new(into, name, length, part);
    }
    return part;
}

void wi_result_put(json_t *into, const wi_result_table *table, const wi_cell *row, uint32_t has)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        const wi_result_column *column = &table->columns[i];
        const char *name = column->name;
        json_t *at = into;
        if (column->only & ~has)
            continue;
        for (const char *slash; (slash = strchr(name, '/')) != NULL; name = slash + 1)
            at = part_of(at, name, (size_t)(slash - name));
        json_object_set_new(at, name, json_of(column->type, row[i]));
    }
}

json_t *wi_result_object(const wi_result_table *table, const wi_cell *row, uint32_t has)
{
    json_t *o = json_object();
    wi_result_put(o, table, row, has);
    return o;
}
