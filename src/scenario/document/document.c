/* The whole scenario: written as resolved, and its JSON Schema. */
#include "scenario/document/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/out.h"

static weir_status write_scenario(weir_diag *diag, const weir_scenario *scenario, const char *folder,
                                  FILE *out)
{
    wi_writer w = {.out = out, .folder = folder};
    fputs("# Resolved scenario: every value in force, defaults included. It reproduces the run on its own",
          out);
    fputs(scenario->n_inputs == 0
              ? ".\n"
              : ",\n# together with the files that it names; `inputs` has their digests.\n",
          out);
    wi_write_section(&w, &wi_schema, scenario);
    fputc('\n', out);
    if (fflush(out) != 0 || ferror(out))
        return weir_fail(diag, WEIR_E_IO, "the resolved scenario cannot be written: %s", strerror(errno));
    return WEIR_OK;
}

weir_status weir_scenario_write(weir_diag *diag, const weir_scenario *scenario, FILE *out)
{
    return write_scenario(diag, scenario, NULL, out);
}

weir_status wi_scenario_put(weir_diag *diag, const weir_scenario *scenario, const char *folder)
{
    char *text = NULL, *real = realpath(folder, NULL); /* beside the final folder, so as deep as that */
    size_t size = 0;
    FILE *out = real ? open_memstream(&text, &size) : NULL;
    weir_status status = out ? write_scenario(diag, scenario, real, out)
                             : weir_fail_at(diag, WEIR_E_IO, folder, 0, 0,
                                            "scenario.yaml cannot be written: %s", strerror(errno));
    if (out && fclose(out) != 0 && status == WEIR_OK)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for scenario.yaml");
    status = status ?: wi_out_put(diag, folder, "scenario.yaml", text, size);
    free(text);
    free(real);
    return status;
}

char *weir_scenario_json_schema(void)
{
    json_t *defs = json_object();
    json_auto_t *schema = wi_json_body(&wi_schema, defs);
    json_object_set_new(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    json_object_set_new(schema, "title", json_string("weir scenario"));
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "$defs", defs);
    char *text = json_dumps(schema, JSON_INDENT(2));
    return text;
}
