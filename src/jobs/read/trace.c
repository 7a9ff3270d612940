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

static int by_rank(const void *a, const void *b)
{
    const trace_line *x = a, *y = b;
    return WI_ORDER(x->rank, y->rank) ?: WI_ORDER(x->order, y->order);
}

static bool sends(const trace_line *l)
{
    return l->action.op == JOB_OP_SEND || l->action.op == JOB_OP_ISEND;
}

/* Requests that a rank has begun and not waited for, by their slots. */
typedef struct open_requests {
    size_t *line; /* [n]; SIZE_MAX: a free slot */
    uint32_t n;
    bool all_taken; /* by a waitall, which may have been for fewer than were open */
} open_requests;

static weir_status open_request(trace_lines *t, open_requests *o, size_t number)
{
    uint32_t slot = 0;
    while (slot < o->n && o->line[slot] != SIZE_MAX)
        slot++;
    if (slot == o->n && !wi_grow_one(&o->line, o->n++, sizeof *o->line))
        return weir_fail(t->diag, WEIR_E_NOMEM, "%s: no memory for requests", t->file[0]);
    o->line[slot] = number;
    t->at[number].action.slot = slot;
    t->slots = slot >= t->slots ? slot + 1 : t->slots;
    return WEIR_OK;
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
        return WRONG_AT(t, wait->file, wait->line,
                        "rank %u waits for a message from any rank, or of any tag, that it has not begun",
                        wait->rank);
    if (best == JOB_NOBODY)
        return WRONG_AT(t, wait->file, wait->line,
                        "rank %u waits for a message %s rank %u with tag %u that it has not begun",
                        wait->rank, wait->sized ? "to" : "from", wait->action.peer, wait->action.key);
    wait->action.slot = best;
    o->line[best] = SIZE_MAX;
    return WEIR_OK;
}

static bool none_open(const open_requests *o)
{
    uint32_t slot = 0;
    while (slot < o->n && o->line[slot] == SIZE_MAX)
        slot++;
    return slot == o->n;
}

static weir_status match_waits(trace_lines *t)
{
    open_requests o = {0};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < t->n && status == WEIR_OK; i++) {
        trace_line *l = &t->at[i];
        if (i > 0 && l->rank != l[-1].rank)
            o.n = o.all_taken = 0;
        if (l->action.op == JOB_OP_ISEND || l->action.op == JOB_OP_IRECV)
            status = open_request(t, &o, i);
        else if (l->action.op == JOB_OP_WAIT)
            status = close_request(t, &o, l);
        else if (l->action.op == JOB_OP_WAITALL) {
            o.n = 0;
            o.all_taken = true;
        }
        l->alone = none_open(&o);
    }
    free(o.line);
    return status;
}

/* Lines into a job: sorted by rank. */
static weir_status settle(trace_lines *t, wi_job *job)
{
    wi_job_programs *const out = &job->programs;
    if (t->ranks == 0)
        return weir_fail_at(t->diag, WEIR_E_FORMAT, t->file[0], 1, 1, "there is no action in this file");
    out->first = calloc(t->ranks + (size_t)1, sizeof *out->first);
    if (t->n)
        qsort(t->at, t->n, sizeof *t->at, by_rank);
    weir_status status = match_waits(t);
    bool good = out->first;
    for (uint32_t r = 0, i = 0; r < t->ranks && good && status == WEIR_OK; r++) {
        if (t->rank[r].actions == 0 && t->rank[r].begun == 0)
            return weir_fail_at(t->diag, WEIR_E_FORMAT, t->file[0], 1, 1,
                                "the trace has ranks 0 to %u, and no line of rank %u", t->ranks - 1, r);
        for (const uint32_t end = i + t->rank[r].actions; i < end && good && status == WEIR_OK; i++) {
            const trace_line *const l = &t->at[i];
            if (l->numbers || l->action.op >= JOB_OPS)
                status = wi_trace_uneven(t, l, out);
            else
                good = wi_job_put(out, &l->action, (wi_job_place){l->file, l->line});
        }
        if (good && (out->n_actions == out->first[r])) /* a rank that only begins and ends */
            good = wi_job_put(out, &(job_action){.op = JOB_OP_COMPUTE}, (wi_job_place){0});
        if (good)
            out->first[r + 1] = out->n_actions;
    }
    if (status == WEIR_OK && !good)
        return weir_fail(t->diag, WEIR_E_NOMEM, "%s: no memory for %zu actions", t->file[0], t->n);
    job->n_ranks = t->ranks;
    if (status == WEIR_OK) { /* names go along */
        out->file = t->file;
        out->n_files = t->n_files;
        t->file = NULL;
        t->n_files = 0;
    }
    return status == WEIR_OK && !wi_job_of_programs(job)
               ? weir_fail(t->diag, WEIR_E_NOMEM, "no memory for %zu operations", out->n_actions)
               : status;
}

/* Another name; its number is t->n_files - 1 then. */
static weir_status add_name(trace_lines *t, const char *folder, size_t length, const char *name)
{
    if (t->n_files >= FILES_MAX || !wi_grow_one(&t->file, t->n_files, sizeof *t->file))
        return weir_fail(t->diag, WEIR_E_NOMEM, "%s: no memory for more than %zu files", name, t->n_files);
    char *text = malloc(length + strlen(name) + 1);
    if (!text)
        return weir_fail(t->diag, WEIR_E_NOMEM, "%s: no memory", name);
    memcpy(text, folder, length);
    strcpy(text + length, name);
    t->file[t->n_files++] = text;
    return WEIR_OK;
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
    const char *slash = strrchr(list->name, '/');
    const size_t folder = slash ? (size_t)(slash - list->name) + 1 : 0;
    char name[4096];
    wi_slice line;
    weir_status status = WEIR_OK;
    while (status == WEIR_OK && wi_next_line(list, &line)) {
        const char *comment = memchr(line.text, '#', line.length);
        line = wi_trimmed(line.text, comment ? comment : line.text + line.length);
        wi_slice_copy(line, name, sizeof name);
        if (line.length > 0)
            status = add_name(t, list->name, *name == '/' ? 0 : folder, name);
        if (line.length > 0 && status == WEIR_OK && access(t->file[t->n_files - 1], R_OK) != 0)
            status =
                weir_fail(t->diag, WEIR_E_IO,
                          "%s:%d: '%s' is no action of a rank, and no file of a rank's actions either: %s",
                          list->name, list->line, name, strerror(errno));
    }
    for (uint32_t i = 1; status == WEIR_OK && i < t->n_files; i++) {
        wi_source source = wi_source_file(t->diag, t->file[i]);
        status = wi_trace_lines_read(t, i, &source);
        status = wi_source_close(&source) ?: status;
    }
    return status;
}

weir_status wi_job_trace_read(wi_source source, double speed, wi_job *out)
{
    trace_lines t = {.diag = source.diag, .speed = speed};
    weir_status status = add_name(&t, "", 0, source.name);
    out->what = "line";
    wi_source_text(&source);
    if (status == WEIR_OK)
        status = source.is_file && names_files(&source) ? read_named(&t, &source)
                                                        : wi_trace_lines_read(&t, 0, &source);
    status = wi_source_close(&source) ?: status;
    status = status ?: settle(&t, out);
    wi_trace_lines_free(&t);
    return status;
}
