/* Matching names. */
#include "schema/pattern.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool wi_is_pattern(const char *text)
{
    const char *open = strchr(text, '[');
    return strpbrk(text, "*?") || (open && open[1] && strchr(open + 2, ']'));
}

/* A run of digits as a number; too long a one is no number that a range could hold. */
static uint64_t number(const char *text, size_t length)
{
    enum { DIGITS_MAX = 18 };
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++)
        value = i < DIGITS_MAX ? 10 * value + (uint64_t)(text[i] - '0') : UINT64_MAX;
    return value;
}

/* Are the brackets' contents numbers: two digits somewhere, or a comma? "0-9" is that of characters too. */
static bool is_numeric(const char *set, const char *end)
{
    bool more = false;
    for (const char *at = set; at < end; at++) {
        if (is_digit(*at)) {
            more = more || (at > set && is_digit(at[-1]));
        } else {
            if ((*at != '-' && *at != ',') || at == set || at + 1 == end || !is_digit(at[-1]) ||
                !is_digit(at[1]))
                return false;
            more = more || *at == ',';
        }
    }
    return more;
}

/* Is the number that `text` spells with `length` digits in the set? */
static bool holds_number(const char *set, const char *end, const char *text, size_t length)
{
    const uint64_t value = number(text, length);
    while (set < end) {
        const size_t low_digits = strspn(set, "0123456789");
        const char *high = set[low_digits] == '-' ? set + low_digits + 1 : set;
        const size_t high_digits = strspn(high, "0123456789");
        const bool padded = set[0] == '0' && low_digits > 1;
        const bool spelled = padded ? length == low_digits : length == 1 || text[0] != '0';
        if (spelled && value >= number(set, low_digits) && value <= number(high, high_digits))
            return true;
        set = high + high_digits + 1; /* past the comma */
    }
    return false;
}

static bool holds_character(const char *set, const char *end, char c)
{
    const bool others = *set == '!' || *set == '^';
    bool found = false;
    for (set += others; set < end; set++) {
        if (set + 2 < end && set[1] == '-') {
            found = found ||
                    ((unsigned char)c >= (unsigned char)set[0] && (unsigned char)c <= (unsigned char)set[2]);
            set += 2;
        } else {
            found = found || c == *set;
        }
    }
    return found != others;
}

static bool matches_set(const char *set, const char *end, const char *name)
{
    if (!is_numeric(set, end))
        return *name && holds_character(set, end, *name) && wi_pattern_matches(end + 1, name + 1);
    for (size_t length = strspn(name, "0123456789"); length > 0; length--)
        if (holds_number(set, end, name, length) && wi_pattern_matches(end + 1, name + length))
            return true;
    return false;
}

bool wi_pattern_matches(const char *pattern, const char *name)
{
    for (;; pattern++, name++) {
        const char *end = *pattern == '[' && pattern[1] ? strchr(pattern + 2, ']') : NULL;
        if (end)
            return matches_set(pattern + 1, end, name);
        if (*pattern == '*') {
            pattern += strspn(pattern, "*");
            if (!*pattern)
                return true;
            for (; *name; name++)
                if (wi_pattern_matches(pattern, name))
                    return true;
            return wi_pattern_matches(pattern, name);
        }
        if (!*pattern || !*name)
            return *pattern == *name;
        if (*pattern != '?' && *pattern != *name)
            return false;
    }
}

/* ---- names of files ---- */

bool wi_is_file_pattern(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strpbrk(slash ? slash : path, "*?") != NULL;
}

static bool add_file(wi_files *out, const char *folder, size_t length, const char *name)
{
    char *path =
        wi_grow_one(&out->path, out->n, sizeof *out->path) ? malloc(length + strlen(name) + 1) : NULL;
    if (!path)
        return false;
    memcpy(path, folder, length);
    memcpy(path + length, name, strlen(name) + 1);
    out->path[out->n++] = path;
    return true;
}

weir_status wi_files_find(weir_diag *diag, const char *pattern, wi_files *out)
{
    const char *slash = strrchr(pattern, '/'), *last = slash ? slash + 1 : pattern;
    const size_t length = (size_t)(last - pattern);
    WI_FREED char *folder = length > 1 ? strndup(pattern, length - 1) : strdup(length ? "/" : ".");
    *out = (wi_files){0};
    if (!folder)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory", pattern);
    DIR *dir = opendir(folder);
    weir_status status = dir ? WEIR_OK : weir_fail(diag, WEIR_E_IO, "%s: %s", folder, strerror(errno));
    for (struct dirent *e; dir && status == WEIR_OK && (e = readdir(dir));)
        if (fnmatch(last, e->d_name, FNM_PERIOD) == 0 && !add_file(out, pattern, length, e->d_name))
            status = weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory after %zu files", pattern, out->n);
    if (dir)
        closedir(dir);
    if (out->n > 0)
        qsort(out->path, out->n, sizeof *out->path, wi_order_text);
    return status;
}

void wi_files_free(wi_files *files)
{
    wi_texts_free(files->path, files->n);
    *files = (wi_files){0};
}
