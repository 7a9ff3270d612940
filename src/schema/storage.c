/* Numbers as the fields of weir_scenario hold them; see schema.h. */
#include "schema/schema.h"

#include <string.h>
#include <stdarg.h>
#include <stdio.h>

long double wi_scalar_load(wi_storage storage, const void *at)
{
    int64_t i64;
    uint64_t u64;
    uint32_t u32;
    double f64;
    switch (storage) {
    case WI_I64:
        memcpy(&i64, at, sizeof i64);
        return i64;
    case WI_U64:
        memcpy(&u64, at, sizeof u64);
        return u64;
    case WI_U32:
        memcpy(&u32, at, sizeof u32);
        return u32;
    case WI_F64:
        memcpy(&f64, at, sizeof f64);
        return f64;
    case WI_NOT_SCALAR:
        break;
    }
    return 0;
}

void wi_scalar_store(wi_storage storage, void *at, long double value)
{
    const int64_t i64 = storage == WI_I64 ? (int64_t)value : 0;
    const uint64_t u64 = storage == WI_U64 ? (uint64_t)value : 0;
    const uint32_t u32 = storage == WI_U32 ? (uint32_t)value : 0;
    const double f64 = storage == WI_F64 ? (double)value : 0;
    switch (storage) {
    case WI_I64:
        memcpy(at, &i64, sizeof i64);
        break;
    case WI_U64:
        memcpy(at, &u64, sizeof u64);
        break;
    case WI_U32:
        memcpy(at, &u32, sizeof u32);
        break;
    case WI_F64:
        memcpy(at, &f64, sizeof f64);
        break;
    case WI_NOT_SCALAR:
        break;
    }
}

/* ---- texts in an arena ---- */

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
