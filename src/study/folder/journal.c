/* The journal: a line of JSON for each run that is over. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "study/folder/folder.h"
#include "study/folder/row_text.h"

enum { JOURNAL_BYTES_MAX = 2000000000 };

/* How many lines of runs that succeeded were used, and how many are of no point of the plan. */
typedef struct tally {
    size_t taken, strange;
} tally;

static void take_line(weir_study *s, const wi_keyed *keys, const char *line, size_t length, wi_failed failed,
                      tally *count)
{
    json_t *o = json_loadb(line, length, 0, NULL);
    const uint32_t hit = o ? wi_keyed_find(keys, s->n_points, wi_row_hex(o, "point")) : UINT32_MAX;
    const json_int_t replication = json_integer_value(json_object_get(o, "replication"));
    const char *status = json_string_value(json_object_get(o, "status"));
    const bool good = status && strcmp(status, "WEIR_OK") == 0;
    count->strange += good && hit == UINT32_MAX;
    if (hit != UINT32_MAX && status && replication >= 0 && replication < UINT32_MAX / 4) {
        wi_point *p = &s->points[hit];
        const bool has = (uint32_t)replication < p->rooms && p->row[replication];
        const bool died = json_is_true(json_object_get(o, "died")),
                   wanted = good || (!has && (failed == WI_FAILED_ALL || (failed == WI_FAILED_DEAD && died)));
        wi_row *row = wanted ? wi_row_of_json(s, o) : NULL;
        count->taken += good && row;
        if (row && !wi_point_put(p, (uint32_t)replication, row))
            wi_row_free(row);
    }
    json_decref(o);
}

weir_status wi_journal_load(weir_study *s, const char *folder, wi_failed failed)
{
    char *text = NULL, *path = NULL;
    size_t size = 0;
    tally count = {0};
    if (asprintf(&path, "%s/" WI_JOURNAL, folder) < 0)
        return wi_study_no_memory(s->diag);
    WI_FREED wi_keyed *keys = wi_points_by_key(s);
    weir_status status = keys ? WEIR_OK : WEIR_E_NOMEM;
    if (status == WEIR_OK && access(path, F_OK) == 0)
        status = wi_file_read(s->diag, path, JOURNAL_BYTES_MAX, &text, &size);
    for (char *at = text, *end; at && (end = memchr(at, '\n', (size_t)(text + size - at))); at = end + 1)
        take_line(s, keys, at, (size_t)(end - at), failed, &count);
    if (count.strange > 0 && count.taken == 0)
        weir_warn(s->diag,
                  "%s: none of its %zu finished runs is of this plan: other values, another version of weir, "
                  "or files that have changed since; all are run again",
                  folder, count.strange);
    free(text);
    free(path);
    return status;
}
