/* Expressions and ranges of arbitrary text: each gives a value or one message, and a value that is written is read back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "study/plan/expr.h"
#include "study/plan/range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool names(void *user, const char *name, size_t length, wi_value *out)
{
    (void)user;
    *out = wi_value_of(length % 2 ? "5ms" : "10Mbps");
    return name[0] == 'a';
}

static bool count(void *user, const char *value)
{
    const wi_value v = wi_value_of(value);
    if (v.text)
        abort();
    return ++*(size_t *)user < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    weir_diag *diag = weir_diag_new();
    wi_value v;
    char written[WI_VALUE_TEXT];
    size_t n = 0;
    const weir_status status = wi_expr_value(diag, (weir_place){0}, text, &(wi_names){.lookup = names}, &v);
    if ((status == WEIR_OK) != (weir_diag_errors(diag) == 0))
        abort();
    if (status == WEIR_OK && wi_value_format(&v, written)) {
        const wi_value again = wi_value_of(written);
        if (again.text || again.seconds != v.seconds || again.bits != v.bits)
            abort();
    }
    if (wi_range_is(text) && wi_range_values(diag, (weir_place){0}, text, NULL, count, &n) == WEIR_OK &&
        n == 0)
        abort();
    weir_diag_free(diag);
    free(text);
    return 0;
}
