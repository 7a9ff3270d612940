/* Runs in formats of other tools. */
#include <string.h>

#include "base/memory.h"
#include "report/export.h"
#include "report/report.h"
#include "weir/report.h"

static const struct {
    const char *name;
    weir_status (*write)(weir_diag *diag, const char *run, wi_out *file);
} formats[] = {{"chrome", wi_export_chrome},
               {"paje", wi_export_paje},
               {"sca", wi_export_sca},
               {"vec", wi_export_vec},
               {"flowmon", wi_export_flowmon}};

weir_status weir_export(weir_diag *diag, const char *run, const char *format, const char *path)
{
    size_t i = 0;
    format = format ? format : "";
    while (i < sizeof formats / sizeof *formats && strcmp(formats[i].name, format) != 0)
        i++;
    if (i == sizeof formats / sizeof *formats)
        return weir_fail(diag, WEIR_E_ARG, "no format '%s'; want chrome, paje, sca, vec or flowmon", format);
    WI_RETURN_IF_FAILED(wi_report_of_run(diag, run));
    wi_out *file = NULL;
    WI_RETURN_IF_FAILED(wi_out_open_whole(diag, path, &file));
    weir_status status = formats[i].write(diag, run, file);
    if (status == WEIR_OK)
        return wi_out_close(diag, file);
    wi_out_drop(file);
    return status;
}
