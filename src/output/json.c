/* JSON files and values, over jansson. */
#include "output/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/file/out.h"

json_t *wi_json_count(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

json_t *wi_json_hex(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016llx", (unsigned long long)value);
    return json_string(text);
}

json_t *wi_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

char *wi_json_text(const json_t *root)
{
    WI_FREED char *json =
        json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
    char *text = NULL;
    if (json && asprintf(&text, "%s\n", json) < 0)
        text = NULL;
    return text;
}

weir_status wi_json_put(weir_diag *diag, const char *folder, const char *name, const json_t *root)
{
    WI_FREED char *text = wi_json_text(root);
    if (!text)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the text of %s", name);
    return wi_out_put(diag, folder, name, text, strlen(text));
}
