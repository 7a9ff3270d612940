/* The shortest exact spelling of a quantity. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "weir/units.h"
#include "base/units/units_table.h"

enum { DIGITS_MAX = 19 }; /* the parser keeps at least these */

/* value / factor as a decimal, when it ends within the digits that the parser keeps. */
static bool write_ratio(uint64_t value, uint64_t factor, const char *unit, char *out)
{
    int at = snprintf(out, WEIR_UNITS_TEXT, "%" PRIu64, value / factor);
    uint64_t rest = value % factor;
    int digits = value >= factor ? at : 0;
    if (rest)
        out[at++] = '.';
    while (rest) {
        if (digits == DIGITS_MAX || at > 25)
            return false;
        rest *= 10; /* factors are below 10^17 */
        out[at++] = (char)('0' + rest / factor);
        rest %= factor;
        digits++;
    }
    snprintf(out + at, (size_t)(WEIR_UNITS_TEXT - at), "%s", unit);
    return true;
}

/* Shorter wins; then one without a fraction; then the larger unit. */
static bool better(const char *text, const char *than)
{
    const size_t a = strlen(text), b = strlen(than);
    if (b == 0 || a != b)
        return b == 0 || a < b;
    const bool fraction = strchr(text, '.') != NULL;
    return !fraction || strchr(than, '.') != NULL;
}

static char *shortest(uint64_t value, wi_dimension dimension, const char *base_unit, bool bytes, char *out)
{
    char best[WEIR_UNITS_TEXT] = "", text[WEIR_UNITS_TEXT];
    if (value == 0)
        snprintf(best, sizeof best, "0%s", base_unit);
    for (size_t i = 0; i < wi_units_count && value != 0; i++) {
        const wi_unit *unit = &wi_units[i];
        const bool other = unit->dimension != dimension || (unsigned char)unit->name[0] >= 0x80 ||
                           (!bytes && (strchr(unit->name, 'B') || strchr(unit->name, 'i')));
        if (!other && write_ratio(value, unit->factor, unit->name, text) && better(text, best))
            memcpy(best, text, sizeof best);
    }
    return memcpy(out, best, sizeof best);
}

char *weir_format_time(weir_time t_ps, char *out)
{
    char text[WEIR_UNITS_TEXT];
    const bool negative = t_ps < 0;
    const uint64_t size = negative ? 0 - (uint64_t)t_ps : (uint64_t)t_ps;
    shortest(size, WI_TIME, "s", true, text);
    snprintf(out, WEIR_UNITS_TEXT, "%s%.*s", negative ? "-" : "", WEIR_UNITS_TEXT - 2, text);
    return out;
}

char *weir_format_rate(uint64_t rate_bps, char *out)
{
    return shortest(rate_bps, WI_RATE, "bps", false, out);
}

char *weir_format_size(uint64_t bytes, char *out)
{
    return shortest(bytes, WI_SIZE, "B", true, out);
}
