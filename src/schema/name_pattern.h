/*
 * Patterns of names: "core*", "r?", "h[0-15]", "node[01-20,30]", "[a-d]*".
 *
 * `*` stands for any characters, none included, `?` for one. Brackets hold either whole numbers and ranges of
 * them, with commas between (a number with leading zeros asks for that many digits, one without for no
 * leading zeros), or characters and ranges of them as a shell has it, [!...] for all others.
 */
#ifndef WI_SCHEMA_NAME_PATTERN_H
#define WI_SCHEMA_NAME_PATTERN_H

#include <stdbool.h>

/* Has it a character that only a pattern has? A bracket counts with its partner. */
bool wi_is_pattern(const char *text);
bool wi_pattern_matches(const char *pattern, const char *name);

#endif
