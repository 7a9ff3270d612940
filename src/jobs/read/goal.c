/* GOAL schedules (T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly Language, ICPP 2009), as text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/read/readers.h"
#include "jobs/read/reading.h"

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
    wi_reading r;
    uint32_t rank;
    bool inside;   /* of a rank's braces */
    uint8_t *seen; /* [n_ranks] */
    label *labels;
    uint32_t n_labels;
    require *requires;
    uint32_t n_requires;
} goal;

enum { WORDS_MAX = 16 };

#define WRONG(g, ...) WI_WRONG_LINE(&(g)->r, (g)->r.line, __VA_ARGS__)

/* A whole number of at most `most`, with a unit behind it or none. */
static bool number(const char *text, const char *unit, uint64_t most, uint64_t *out)
{
    char *end;
    if (!text || !isdigit((unsigned char)*text))
        return false;
    *out = strtoull(text, &end, 10);
    return (*end == '\0' || strcmp(end, unit) == 0) && *out <= most;
}

WI_ORDER_BY(by_text, label, strcmp(x->text, y->text))

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
            return wi_job_wrong(g->r.diag, g->r.job, g->labels[i].op, "rank %u has two labels '%s'", g->rank,
                                g->labels[i].text);
    for (uint32_t i = 0; i < g->n_requires; i++) {
        const require *const r = &g->requires[i];
        const label *const after = label_of(g, r->after), *const before = label_of(g, r->before);
        if (!after || !before)
            return WI_WRONG_LINE(&g->r, r->line, "rank %u has no label '%s'", g->rank,
                                 after ? r->before : r->after);
        wi_reading_after(&g->r, after->op, before->op, r->at_start);
    }
    g->inside = false;
    g->n_labels = g->n_requires = 0;
    return g->r.status;
}

/* `tag T`, `cpu C`, `nic K` from word i on, in any order. */
static weir_status options_of(goal *g, char **word, int n, int i, wi_job_op *op)
{
    for (; i < n; i += 2) {
        uint64_t value;
        if (i + 1 >= n || !number(word[i + 1], "", UINT32_MAX, &value))
            return WRONG(g, "'%s' without a number", word[i]);
        if (strcmp(word[i], "tag") == 0)
            op->tag = (uint32_t)value;
        else if (strcmp(word[i], "cpu") == 0 && value <= UINT16_MAX)
            op->processor = (uint16_t)value;
        else if (strcmp(word[i], "nic") != 0)
            return WRONG(g, "'%s %s'; want tag, cpu or nic", word[i], word[i + 1]);
    }
    return WEIR_OK;
}

static weir_status operation(goal *g, char **word, int n, const char *name)
{
    const bool sends = strcmp(word[0], "send") == 0, receives = strcmp(word[0], "recv") == 0;
    wi_job_op op = {.kind = sends      ? WI_JOB_SEND
                            : receives ? WI_JOB_RECV
                                       : WI_JOB_COMPUTE,
                    .rank = g->rank,
                    .where = g->r.line};
    uint64_t value = 0, peer = 0;
    if (strcmp(word[0], "calc") == 0 && n >= 2 && number(word[1], "", INT64_MAX / 1000, &value))
        op.time_ps = (weir_time)value * 1000;
    else if ((sends || receives) && n >= 4 && number(word[1], "b", UINT64_MAX / 2, &op.bytes) &&
             strcmp(word[2], sends ? "to" : "from") == 0 && number(word[3], "", UINT32_MAX, &peer))
        op.peer = (uint32_t)peer;
    else
        return WRONG(
            g, "'%s'; want calc NS, send BYTESb to RANK, recv BYTESb from RANK, or LABEL requires LABEL",
            word[0]);
    WI_RETURN_IF_FAILED(options_of(g, word, n, sends || receives ? 4 : 2, &op));
    const uint32_t at = wi_reading_add(&g->r, op, name);
    if (name)
        WI_READING_PUT(&g->r, g->labels, g->n_labels, (label){name, at});
    return g->r.status;
}

static weir_status begin_rank(goal *g, char **word, int n)
{
    uint64_t rank;
    if (n != 3 || strcmp(word[0], "rank") != 0 || strcmp(word[2], "{") != 0 ||
        !number(word[1], "", UINT32_MAX, &rank))
        return WRONG(g, "'%s'; want rank N {", word[0]);
    if (rank >= g->r.job->n_ranks || g->seen[rank]++)
        return WRONG(g, "rank %llu %s", (unsigned long long)rank,
                     rank >= g->r.job->n_ranks ? "of fewer" : "a second time");
    g->rank = (uint32_t)rank;
    g->inside = true;
    return WEIR_OK;
}

static weir_status begin_job(goal *g, char **word, int n)
{
    uint64_t ranks;
    if (n != 2 || strcmp(word[0], "num_ranks") != 0 || !number(word[1], "", WI_JOB_RANKS_MAX, &ranks) ||
        ranks == 0)
        return WRONG(g, "want num_ranks N, N from 1 to %d", WI_JOB_RANKS_MAX);
    g->r.job->n_ranks = (uint32_t)ranks;
    g->seen = calloc(ranks, sizeof *g->seen);
    (void)wi_reading_has(&g->r, g->seen);
    return g->r.status;
}

/* The words of a line that has no label. */
static weir_status statement(goal *g, char **word, int n)
{
    if (n == 0)
        return WEIR_OK;
    if (g->r.job->n_ranks == 0)
        return begin_job(g, word, n);
    if (!g->inside)
        return begin_rank(g, word, n);
    if (n == 1 && strcmp(word[0], "}") == 0)
        return end_rank(g);
    if (n == 3 && (strcmp(word[1], "requires") == 0 || strcmp(word[1], "irequires") == 0)) {
        WI_READING_PUT(&g->r, g->requires, g->n_requires,
                       (require){word[0], word[2], g->r.line, word[1][0] == 'i'});
        return g->r.status;
    }
    return operation(g, word, n, NULL);
}

/* A line, comments apart: a label and a colon may stand before an operation. */
static weir_status one_line(goal *g, char *line)
{
    char *word[WORDS_MAX], *name[2];
    char *const colon = strchr(line, ':');
    if (!colon || g->r.job->n_ranks == 0 || !g->inside)
        return statement(g, word, wi_reading_words(line, word, WORDS_MAX));
    *colon = '\0';
    if (wi_reading_words(line, name, 2) != 1)
        return WRONG(g, "a colon without a label before it");
    const int n = wi_reading_words(colon + 1, word, WORDS_MAX);
    return n ? operation(g, word, n, name[0]) : WRONG(g, "'%s:' without an operation behind it", name[0]);
}

/* Make blanks of a schedule's comments, which may go on over lines. */
static void blank_comments(char *text)
{
    for (; (text = strchr(text, '/')); text += strspn(text, " ")) {
        const bool block = text[1] == '*';
        if (!block && text[1] != '/') {
            text++;
            continue;
        }
        const char *const close = block ? strstr(text + 2, "*/") : text + strcspn(text, "\n");
        const size_t n = close ? (size_t)(close - text) + (block ? 2 : 0) : strlen(text);
        for (size_t i = 0; i < n; i++)
            if (text[i] != '\n')
                text[i] = ' ';
    }
}

weir_status wi_job_read_goal(weir_diag *diag, wi_job *job, char *text)
{
    goal g = {.r = {diag, job, job->file, "operations"}};
    job->what = "line";
    blank_comments(text);
    for (char *line; (line = wi_reading_line(&g.r, &text));)
        g.r.status = one_line(&g, line);
    if (g.inside)
        (void)WRONG(&g, "rank %u has no closing brace", g.rank);
    free(g.seen);
    free(g.labels);
    free(g.requires);
    return g.r.status;
}
