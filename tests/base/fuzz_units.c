/* Any text into every parser of quantities: no crash, results in range, and what is formatted parses back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "weir/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    char why[64], form[WEIR_UNITS_TEXT];
    weir_time t, t2 = -1;
    uint64_t n, n2 = 0;
    double x;
    if (weir_parse_time(text, &t, why, sizeof why))
        must(t >= 0 && weir_parse_time(weir_format_time(t, form), &t2, NULL, 0) && t == t2);
    if (weir_parse_rate(text, &n, why, sizeof why) && n <= INT64_MAX)
        must(weir_parse_rate(weir_format_rate(n, form), &n2, NULL, 0) && n == n2);
    if (weir_parse_size(text, &n, why, sizeof why) && n <= INT64_MAX)
        must(weir_parse_size(weir_format_size(n, form), &n2, NULL, 0) && n == n2);
    if (weir_parse_share(text, &x, why, sizeof why))
        must(x >= 0 && x <= 1);
    if (weir_parse_event_rate(text, &x, why, sizeof why))
        must(x >= 0 && isfinite(x));
    if (weir_parse_number(text, &x, why, sizeof why))
        must(isfinite(x));
    if (!weir_parse_count(text, &n, why, sizeof why))
        must(strlen(why) < sizeof why);
    free(text);
    return 0;
}
