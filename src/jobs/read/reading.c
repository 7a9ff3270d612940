/* What readers of jobs share; see reading.h. */
#include "jobs/read/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool wi_reading_has(wi_reading *r, bool there)
{
    if (!there && r->status == WEIR_OK)
        r->status = weir_fail(r->diag, WEIR_E_NOMEM, "%s: no memory for its %s", r->file, r->parts);
    return r->status == WEIR_OK;
}

uint32_t wi_reading_add(wi_reading *r, wi_job_op op, const char *name)
{
    if (r->status != WEIR_OK)
        return WI_JOB_NONE;
    if (name)
        op.name = wi_job_name(r->job, name, strlen(name));
    const uint32_t at = op.name == WI_JOB_NONE ? WI_JOB_NONE : wi_job_add(r->job, &op);
    (void)wi_reading_has(r, at != WI_JOB_NONE);
    return at;
}

void wi_reading_after(wi_reading *r, uint32_t after, uint32_t before, bool at_start)
{
    const bool both = after != WI_JOB_NONE && before != WI_JOB_NONE;
    (void)wi_reading_has(r, !both || wi_job_after(r->job, after, before, at_start));
}

weir_status wi_reading_act(wi_reading *r, const job_action *action, wi_job_place place)
{
    (void)wi_reading_has(r, wi_job_put(&r->job->programs, action, place));
    return r->status;
}

const char *wi_reading_name(wi_reading *r, const char *format, ...)
{
    wi_job_programs *const to = &r->job->programs;
    char *name = NULL;
    va_list list;
    va_start(list, format);
    if (vasprintf(&name, format, list) < 0)
        name = NULL;
    va_end(list);
    (void)wi_reading_has(r, name && wi_grow_one(&to->file, to->n_files, sizeof *to->file));
    if (r->status == WEIR_OK)
        return to->file[to->n_files++] = name;
    free(name);
    return NULL;
}

char *wi_reading_line(wi_reading *r, char **text)
{
    char *const line = *text;
    if (!*line || r->status != WEIR_OK)
        return NULL;
    *text += strcspn(line, "\n");
    if (**text)
        *(*text)++ = '\0';
    r->line++;
    return line;
}

int wi_reading_words(char *line, char **word, int most)
{
    char *rest = NULL;
    int n = 0;
    for (char *w = strtok_r(line, " \t\r", &rest); w && n < most; w = strtok_r(NULL, " \t\r", &rest))
        word[n++] = w;
    return n;
}
