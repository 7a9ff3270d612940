/* FlowMonitor's XML. It is of single packets, which only a run that watches them sees: flowmon.xml of its folder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/export.h"
#include "report/report.h"

weir_status wi_export_flowmon(weir_diag *diag, const char *run, wi_out *file)
{
    char path[4200], part[65536];
    size_t n;
    if (!wi_report_has(run, "flowmon.xml"))
        return weir_fail(
            diag, WEIR_E_ARG,
            "%s has no flowmon.xml: its flows were not watched packet by packet; run it with output: "
            "{flow_monitor: {classes: [NAME]}}",
            run);
    snprintf(path, sizeof path, "%s/flowmon.xml", run);
    FILE *const in = fopen(path, "rb");
    if (!in)
        return weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "%s", strerror(errno));
    while ((n = fread(part, 1, sizeof part, in)) > 0)
        wi_out_write(file, part, n);
    const bool good = !ferror(in);
    (void)fclose(in);
    return good ? WEIR_OK : weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "it cannot be read");
}
