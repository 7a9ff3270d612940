/* GOAL schedules (T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly Language, ICPP 2009), as text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "jobs/read/readers.h"

typedef struct label {
    const char *text;
    uint32_t op;
} label;

/* A line `AFTER requires BEFORE`, resolved at the rank's end. */
typedef struct require {
    const char *after, *before;
    uint32_t line;
    bool at_start;
} require;

typedef struct goal {
    weir_diag *diag;
    wi_job *job;
    uint32_t line, rank;
    bool inside;   /* of a rank's braces */
    uint8_t *seen; /* [n_ranks] */
    label *labels;
    uint32_t n_labels;
    require *requires;
    uint32_t n_requires;
} goal;

enum { WORDS_MAX = 16 };

static weir_status no_memory(const goal *g)
{
    return weir_fail(g->diag, WEIR_E_NOMEM, "%s: no memory for its operations", g->job->file);
}

/* A whole number of at most `most`, with a unit behind it or none. */
static bool number(const char *text, const char *unit, uint64_t most, uint64_t *out)
{
    char *end;
    if (!text || !isdigit((unsigned char)*text))
        return false;
    *out = strtoull(text, &end, 10);
    return (*end == '\0' || strcmp(end, unit) == 0) && *out <= most;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const label *)a)->text, ((const label *)b)->text);
}

static const label *label_of(const goal *g, const char *text)
{
    const label key = {.text = text};
    return g->n_labels ? bsearch(&key, g->labels, g->n_labels, sizeof *g->labels, by_text) : NULL;
}

/* A rank's closing brace: its labels are known. */
static weir_status end_rank(goal *g)
{
    if (g->n_labels)
        qsort(g->labels, g->n_labels, sizeof *g->labels, by_text);
    for (uint32_t i = 1; i < g->n_labels; i++)
        if (strcmp(g->labels[i - 1].text, g->labels[i].text) == 0)
            return wi_job_wrong(g->diag, g->job, g->labels[i].op, "rank %u has two labels '%s'", g->rank,
                                g->labels[i].text);
    for (uint32_t i = 0; i < g->n_requires; i++) {
        const require *const r = &g->requires[i];
        const label *const after = label_of(g, r->after), *const before = label_of(g, r->before);
        if (!after || !before)
            return WI_JOB_WRONG_LINE(g->diag, g->job, r->line, "rank %u has no label '%s'", g->rank,
                                     after ? r->before : r->after);
        if (!wi_job_after(g->job, after->op, before->op, r->at_start))
            return no_memory(g);
    }
    g->inside = false;
    g->n_labels = g->n_requires = 0;
    return WEIR_OK;
}

/* `tag T`, `cpu C`, `nic K` from word i on, in any order. */
static weir_status options_of(const goal *g, char **word, int n, int i, wi_job_op *op)
{
    for (; i < n; i += 2) {
        uint64_t value;
        if (i + 1 >= n || !number(word[i + 1], "", UINT32_MAX, &value))
            return WI_JOB_WRONG_LINE(g->diag, g->job, g->line, "'%s' without a number", word[i]);
        if (strcmp(word[i], "tag") == 0)
            op->tag = (uint32_t)value;
        else if (strcmp(word[i], "cpu") == 0 && value <= UINT16_MAX)
            op->processor = (uint16_t)value;
        else if (strcmp(word[i], "nic") != 0)
            return WI_JOB_WRONG_LINE(g->diag, g->job, g->line, "'%s %s'; want tag, cpu or nic", word[i],
                                     word[i + 1]);
    }
    return WEIR_OK;
}

static weir_status operation(goal *g, char **word, int n, const char *name)
{
    wi_job_op op = {.rank = g->rank, .where = g->line};
    uint64_t value = 0, peer = 0;
    weir_status status = WEIR_OK;
    const bool sends = strcmp(word[0], "send") == 0, receives = strcmp(word[0], "recv") == 0;
    if (strcmp(word[0], "calc") == 0 && n >= 2 && number(word[1], "", INT64_MAX / 1000, &value)) {
        op.kind = WI_JOB_COMPUTE;
        op.time_ps = (weir_time)value * 1000;
        status = options_of(g, word, n, 2, &op);
    } else if ((sends || receives) && n >= 4 && number(word[1], "b", UINT64_MAX / 2, &value) &&
               strcmp(word[2], sends ? "to" : "from") == 0 && number(word[3], "", UINT32_MAX, &peer)) {
        op.kind = sends ? WI_JOB_SEND : WI_JOB_RECV;
        op.bytes = value;
        op.peer = (uint32_t)peer;
        status = options_of(g, word, n, 4, &op);
    } else {
        return WI_JOB_WRONG_LINE(
            g->diag, g->job, g->line,
            "'%s'; want calc NS, send BYTESb to RANK, recv BYTESb from RANK, or LABEL requires LABEL",
            word[0]);
    }
    if (status != WEIR_OK)
        return status;
    op.name = name ? wi_job_name(g->job, name, strlen(name)) : 0;
    const uint32_t at = wi_job_add(g->job, &op);
    if (at == WI_JOB_NONE || op.name == WI_JOB_NONE)
        return no_memory(g);
    if (name) {
        if (!wi_grow_one(&g->labels, g->n_labels, sizeof *g->labels))
            return no_memory(g);
        g->labels[g->n_labels++] = (label){name, at};
    }
    return WEIR_OK;
}

static weir_status begin_rank(goal *g, char **word, int n)
{
    uint64_t rank;
    if (n != 3 || strcmp(word[0], "rank") != 0 || strcmp(word[2], "{") != 0 ||
        !number(word[1], "", UINT32_MAX, &rank))
        return WI_JOB_WRONG_LINE(g->diag, g->job, g->line, "'%s'; want rank N {", word[0]);
    if (rank >= g->job->n_ranks || g->seen[rank]++)
        return WI_JOB_WRONG_LINE(g->diag, g->job, g->line, "rank %llu %s", (unsigned long long)rank,
                                 rank >= g->job->n_ranks ? "of fewer" : "a second time");
    g->rank = (uint32_t)rank;
    g->inside = true;
    return WEIR_OK;
}

static weir_status one_line(goal *g, char *line)
{
    char *word[WORDS_MAX], *save = NULL;
    int n = 0;
    for (char *w = strtok_r(line, " \t\r", &save); w && n < WORDS_MAX; w = strtok_r(NULL, " \t\r", &save))
        word[n++] = w;
    if (n == 0)
        return WEIR_OK;
    if (g->job->n_ranks == 0) {
        uint64_t ranks;
        if (n != 2 || strcmp(word[0], "num_ranks") != 0 || !number(word[1], "", WI_JOB_RANKS_MAX, &ranks) ||
            ranks == 0)
            return WI_JOB_WRONG_LINE(g->diag, g->job, g->line, "want num_ranks N, N from 1 to %d",
                                     WI_JOB_RANKS_MAX);
        g->job->n_ranks = (uint32_t)ranks;
        g->seen = calloc(ranks, sizeof *g->seen);
        return g->seen ? WEIR_OK : no_memory(g);
    }
    if (!g->inside)
        return begin_rank(g, word, n);
    if (n == 1 && strcmp(word[0], "}") == 0)
        return end_rank(g);
    if (n == 3 && (strcmp(word[1], "requires") == 0 || strcmp(word[1], "irequires") == 0)) {
        if (!wi_grow_one(&g->requires, g->n_requires, sizeof *g->requires))
            return no_memory(g);
        g->requires[g->n_requires++] = (require){word[0], word[2], g->line, word[1][0] == 'i'};
        return WEIR_OK;
    }
    char *const colon = strchr(word[0], ':');
    if (!colon)
        return operation(g, word, n, NULL);
    if (colon[1] != '\0' || n < 2)
        return WI_JOB_WRONG_LINE(g->diag, g->job, g->line, "'%s' without an operation behind it", word[0]);
    *colon = '\0';
    return operation(g, word + 1, n - 1, word[0]);
}

weir_status wi_job_read_goal(weir_diag *diag, wi_job *job, char *text)
{
    goal g = {.diag = diag, .job = job};
    weir_status status = WEIR_OK;
    job->what = "line";
    for (char *at = text; *at && status == WEIR_OK;) {
        char *const line = at;
        at += strcspn(at, "\n");
        if (*at)
            *at++ = '\0';
        g.line++;
        char *const remark = strstr(line, "//");
        if (remark)
            *remark = '\0';
        status = one_line(&g, line);
    }
    if (status == WEIR_OK && g.inside)
        status = WI_JOB_WRONG_LINE(diag, job, g.line, "rank %u has no closing brace", g.rank);
    free(g.seen);
    free(g.labels);
    free(g.requires);
    return status;
}
