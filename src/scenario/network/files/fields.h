/* Fields of a line of numbers: between blanks and commas. */
#ifndef WI_SCENARIO_NETWORK_FILES_FIELDS_H
#define WI_SCENARIO_NETWORK_FILES_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

static inline bool wi_field_ends(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

/* Copies the next field, of at most `room` - 1 characters, and moves on; false at the line's end. Longer ones keep their start, and
 * are wrong. */
static inline bool wi_field_next(const char **at, const char *end, char *field, size_t room)
{
    size_t n = 0;
    while (*at < end && wi_field_ends(**at))
        ++*at;
    const char *const from = *at;
    while (*at < end && !wi_field_ends(**at)) {
        if (n + 1 < room)
            field[n++] = **at;
        ++*at;
    }
    field[n] = '\0';
    return *at > from;
}

#endif
