/* Texts in an arena. */
#include "schema/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *wi_text_copy(weir_arena *arena, const char *text, size_t length)
{
    char *copy = weir_arena_alloc(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *wi_text_format(weir_arena *arena, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, args);
    char *text = length < 0 ? NULL : weir_arena_alloc(arena, (size_t)length + 1, 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}
