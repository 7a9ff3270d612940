/* Reading plans; see the header. */
#include "models/interconnect/jobs/plan.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 256, LINES_MAX = 1 << 28 };

static weir_status wrong(weir_diag *diag, const char *name, int line, const char *what)
{
    return weir_fail_at(diag, WEIR_E_FORMAT, name, line, 1, "%s; want time in seconds, source, target, bytes",
                        what);
}

/* Cut a line at its comment and turn commas into blanks. */
static void tidy(char *line)
{
    line[strcspn(line, "#\r\n")] = '\0';
    for (char *c = line; *c; c++)
        if (*c == ',' || *c == '\t')
            *c = ' ';
}

/* A whole number of up to 10 digits, and what is behind it; null: there is none, or it is above `most`. */
static const char *whole(const char *text, uint64_t most, uint64_t *out)
{
    char *end;
    text += strspn(text, " ");
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno || *out > most || (*end && *end != ' ') ? NULL : end;
}

static weir_status parse_line(weir_diag *diag, const char *name, int line, const char *text,
                              ic_plan_entry *out)
{
    char *end;
    uint64_t source, target, bytes;
    const double time_s = strtod(text, &end);
    if (end == text || (*end && *end != ' '))
        return wrong(diag, name, line, "there is no time");
    if (!(time_s >= 0.0 && time_s <= 1e6))
        return wrong(diag, name, line, "the time is not between 0 and 1,000,000 s");
    const char *at = whole(end, INT32_MAX, &source);
    if (!at)
        return wrong(diag, name, line, "the source is no rank");
    at = whole(at, INT32_MAX, &target);
    if (!at)
        return wrong(diag, name, line, "the target is no rank");
    at = whole(at, UINT64_C(1) << 30, &bytes);
    if (!at || bytes < 1)
        return wrong(diag, name, line, "the size is not between 1 and 1073741824");
    if (source == target)
        return wrong(diag, name, line, "a rank sends to itself");
    if (at[strspn(at, " ")] != 0)
        return wrong(diag, name, line, "there are more than four fields");
    *out = (ic_plan_entry){.time_ps = (weir_time)floor(time_s * 1e12 + 0.5),
                           .source = (uint32_t)source,
                           .target = (uint32_t)target,
                           .bytes = bytes,
                           .line = (uint32_t)line};
    return WEIR_OK;
}

static weir_status append(weir_diag *diag, const char *name, wi_ic_plan *plan, ic_plan_entry entry)
{
    if (plan->n >= LINES_MAX || !wi_grow_one(&plan->entry, plan->n, sizeof *plan->entry))
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for more than %zu messages", name, plan->n);
    plan->entry[plan->n++] = entry;
    const uint32_t last = entry.source > entry.target ? entry.source : entry.target;
    plan->ranks = last + 1 > plan->ranks ? last + 1 : plan->ranks;
    return WEIR_OK;
}

weir_status wi_ic_plan_parse(weir_diag *diag, const char *name, FILE *in, wi_ic_plan *out)
{
    char line[LINE_BYTES];
    weir_status status = WEIR_OK;
    *out = (wi_ic_plan){0};
    for (int number = 1; status == WEIR_OK && fgets(line, sizeof line, in); number++) {
        ic_plan_entry entry = {0};
        if (!strchr(line, '\n') && strlen(line) + 1 == sizeof line)
            return wrong(diag, name, number, "the line is longer than 254 characters");
        tidy(line);
        if (!line[strspn(line, " ")])
            continue;
        status = parse_line(diag, name, number, line, &entry) ?: append(diag, name, out, entry);
    }
    if (status == WEIR_OK && ferror(in))
        return weir_fail(diag, WEIR_E_IO, "%s: %s", name, strerror(errno));
    if (status == WEIR_OK && out->n == 0)
        return weir_fail_at(diag, WEIR_E_FORMAT, name, 1, 1, "there is no message in this file");
    return status;
}

weir_status wi_ic_plan_read(weir_diag *diag, const char *file, wi_ic_plan *out)
{
    *out = (wi_ic_plan){0};
    FILE *in = fopen(file, "r");
    if (!in)
        return weir_fail(diag, WEIR_E_IO, "%s: %s", file, strerror(errno));
    const weir_status status = wi_ic_plan_parse(diag, file, in, out);
    fclose(in);
    return status;
}

void wi_ic_plan_free(wi_ic_plan *plan)
{
    free(plan->entry);
    *plan = (wi_ic_plan){0};
}
