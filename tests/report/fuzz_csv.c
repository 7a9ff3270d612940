/* Any bytes as a CSV table of a report: read or refused, never a crash, and JSON in either case. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[64], path[96];
    snprintf(folder, sizeof folder, "/tmp/weir-fuzz-%ld", (long)getpid());
    snprintf(path, sizeof path, "%s.csv", folder);
    FILE *f = fopen(path, "w");
    if (!f)
        return 0;
    fwrite(data, 1, size, f);
    fclose(f);
    weir_diag *diag = weir_diag_new();
    json_t *table = wi_report_table(diag, "/tmp", strrchr(path, '/') + 1, 7);
    char *text = table ? json_dumps(table, 0) : NULL;
    if (table && !text)
        abort();
    free(text);
    json_decref(table);
    weir_diag_free(diag);
    unlink(path);
    return 0;
}
