/* Texts in an arena. Null when memory is short. */
#ifndef WI_SCHEMA_TEXT_H
#define WI_SCHEMA_TEXT_H

#include <stddef.h>

#include "weir/arena.h"

char *wi_text_copy(weir_arena *arena, const char *text, size_t length);
char *wi_text_format(weir_arena *arena, const char *fmt, ...) WEIR_PRINTF(2, 3);

#endif
