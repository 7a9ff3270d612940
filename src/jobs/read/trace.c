/* Traces into programs: files, then waits with requests. */
#include "jobs/read/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/slice.h"
#include "base/memory.h"
#include "base/order.h"
#include "jobs/read/trace_lines.h"

enum { FILES_MAX = 1 << 16 };

WI_ORDER_BY(by_rank, trace_line, WI_ORDER(x->rank, y->rank) ?: WI_ORDER(x->order, y->order))

static bool sends(const trace_line *l)
{
    return l->action.op == JOB_OP_SEND || l->action.op == JOB_OP_ISEND;
}

/* Requests that a rank has begun and not waited for, by their slots. */
typedef struct open_requests {
    size_t *line; /* [n]; SIZE_MAX: a free slot */
    uint32_t n, open;
    bool all_taken; /* by a waitall, which may have been for fewer than were open */
} open_requests;

static void open_request(trace_lines *t, open_requests *o, size_t number)
{
    uint32_t slot = 0;
    while (slot < o->n && o->line[slot] != SIZE_MAX)
        slot++;
    if (slot == o->n && !wi_reading_has(&t->reading, wi_grow_one(&o->line, o->n++, sizeof *o->line)))
        return;
    o->line[slot] = number;
    o->open++;
    t->at[number].action.slot = slot;
    t->slots = slot >= t->slots ? slot + 1 : t->slots;
}

/* The oldest open request that a wait is for, or the newest. */
static weir_status close_request(trace_lines *t, open_requests *o, trace_line *wait)
{
    uint32_t best = JOB_NOBODY;
    for (uint32_t slot = 0; slot < o->n; slot++) {
        const trace_line *l = o->line[slot] == SIZE_MAX ? NULL : &t->at[o->line[slot]];
        if (l && sends(l) == wait->sized && l->action.peer == wait->action.peer &&
            l->action.key == wait->action.key &&
            (best == JOB_NOBODY || (o->line[slot] < o->line[best]) != wait->newest))
            best = slot;
    }
    if (best == JOB_NOBODY && o->all_taken) {
        wait->action = (job_action){.op = JOB_OP_COMPUTE}; /* it was waited for already */
        return WEIR_OK;
    }
    if (best == JOB_NOBODY && (wait->action.peer == JOB_ANY || wait->action.key == JOB_ANY))
        return WRONG_AT(t, wait,
                        "rank %u waits for a message from any rank, or of any tag, that it has not begun",
                        wait->rank);
    if (best == JOB_NOBODY)
        return WRONG_AT(t, wait, "rank %u waits for a message %s rank %u with tag %u that it has not begun",
                        wait->rank, wait->sized ? "to" : "from", wait->action.peer, wait->action.key);
    wait->action.slot = best;
    o->line[best] = SIZE_MAX;
    o->open--;
    return WEIR_OK;
}

static void match_waits(trace_lines *t)
{
    open_requests o = {0};
    for (size_t i = 0; i < t->n && t->reading.status == WEIR_OK; i++) {
        trace_line *const l = &t->at[i];
        if (i > 0 && l->rank != l[-1].rank)
            o.n = o.open = o.all_taken = 0;
        if (l->action.op == JOB_OP_ISEND || l->action.op == JOB_OP_IRECV)
            open_request(t, &o, i);
        else if (l->action.op == JOB_OP_WAIT)
            (void)close_request(t, &o, l);
        else if (l->action.op == JOB_OP_WAITALL) {
            o.n = o.open = 0;
            o.all_taken = true;
        }
        l->alone = o.open == 0;
    }
    free(o.line);
}

static void put_line(trace_lines *t, const trace_line *l)
{
    if (l->numbers || l->action.op >= JOB_OPS)
        wi_trace_uneven(t, l);
    else
        (void)wi_reading_act(&t->reading, &l->action, (wi_job_place){l->file, l->line});
}

/* Lines into the job: sorted by rank. */
static weir_status settle(trace_lines *t)
{
    wi_reading *const r = &t->reading;
    wi_job_programs *const out = &r->job->programs;
    const trace_line nowhere = {0};
    size_t i = 0;
    if (t->ranks == 0)
        return WI_WRONG_IN(r, r->file, 1, "there is no action in this file");
    out->first = calloc(t->ranks + (size_t)1, sizeof *out->first);
    (void)wi_reading_has(r, out->first);
    if (t->n)
        qsort(t->at, t->n, sizeof *t->at, by_rank);
    match_waits(t);
    for (uint32_t rank = 0; rank < t->ranks && r->status == WEIR_OK; rank++) {
        if (t->rank[rank].actions == 0 && t->rank[rank].begun == 0)
            return WI_WRONG_IN(r, r->file, 1, "the trace has ranks 0 to %u, and no line of rank %u",
                               t->ranks - 1, rank);
        for (const size_t end = i + t->rank[rank].actions; i < end; i++)
            put_line(t, &t->at[i]);
        if (out->n_actions == out->first[rank]) /* a rank that only begins and ends */
            put_line(t, &nowhere);
        out->first[rank + 1] = out->n_actions;
    }
    r->job->n_ranks = t->ranks;
    (void)wi_reading_has(r, r->status != WEIR_OK || wi_job_of_programs(r->job));
    return r->status;
}

/* Whether a file that is still to be read names files: what is alone in its first line is no number. */
static bool names_files(const wi_source *of)
{
    wi_source source = wi_source_memory(NULL, "", of->at, (size_t)(of->end - of->at));
    wi_slice word[2] = {{"", 0}};
    const size_t n = wi_next_record(&source, word, 2);
    return n > 0 && (n == 1 || !isdigit((unsigned char)*word[0].text));
}

/* The files that a file names, relative to it. */
static weir_status read_named(trace_lines *t, wi_source *list)
{
    wi_reading *const r = &t->reading;
    const char *const slash = strrchr(list->name, '/');
    const int folder = slash ? (int)(slash - list->name) + 1 : 0;
    char name[4096];
    wi_slice line;
    while (r->status == WEIR_OK && wi_next_line(list, &line)) {
        const char *const comment = memchr(line.text, '#', line.length);
        line = wi_trimmed(line.text, comment ? comment : line.text + line.length);
        wi_slice_copy(line, name, sizeof name);
        if (line.length == 0)
            continue;
        if (r->job->programs.n_files == FILES_MAX)
            return r->status = weir_fail(r->diag, WEIR_E_NOMEM, "%s: no memory for more than %d files", name,
                                         FILES_MAX);
        const char *const path = wi_reading_name(r, "%.*s%s", *name == '/' ? 0 : folder, list->name, name);
        if (path && access(path, R_OK) != 0)
            r->status =
                weir_fail(r->diag, WEIR_E_IO,
                          "%s:%d: '%s' is no action of a rank, and no file of a rank's actions either: %s",
                          list->name, list->line, name, strerror(errno));
    }
    for (uint32_t i = 1; r->status == WEIR_OK && i < r->job->programs.n_files; i++) {
        wi_source source = wi_source_file(r->diag, r->job->programs.file[i]);
        (void)wi_trace_lines_read(t, i, &source);
        r->status = wi_source_close(&source) ?: r->status;
    }
    return r->status;
}

weir_status wi_job_trace_read(wi_source source, double speed, wi_job *out)
{
    trace_lines t = {.reading = {source.diag, out, source.name, "actions"}, .speed = speed};
    wi_reading *const r = &t.reading;
    out->what = "line";
    wi_source_text(&source);
    if (wi_reading_name(r, "%s", source.name))
        (void)(source.is_file && names_files(&source) ? read_named(&t, &source)
                                                      : wi_trace_lines_read(&t, 0, &source));
    r->status = wi_source_close(&source) ?: r->status;
    if (r->status == WEIR_OK)
        (void)settle(&t);
    free(t.at);
    free(t.number);
    free(t.rank);
    return r->status;
}
