/* Lines of traces into actions; see trace.h for the format. */
#include "models/interconnect/jobs/trace_lines.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

enum { WORDS_MAX = 10, LINE_BYTES = 4096, RANKS_MAX = 1 << 24, TYPES = 30 };

/* Bytes of SimGrid's types by number, from MPI_DOUBLE to MPI_OFFSET (its smpi_datatype.cpp). */
static const uint8_t type_bytes[TYPES] = {8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4,  8,  8, 16,
                                          4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8};

/* What a line stands for beside the actions that there are. */
enum { NOTHING = IC_OPS, SEND_RECV };

/* Arguments of an action, in their order: p a rank, q the other one, t a tag, s a size, f flops, y a type, w seconds, n a count
 * that changes nothing, * anything. What follows | may be left out. */
static const struct word {
    const char *name, *arguments;
    int op;
} words[] = {{"compute", "f", IC_OP_COMPUTE},
             {"sleep", "w", IC_OP_COMPUTE},
             {"send", "pts|y", IC_OP_SEND},
             {"isend", "pts|y", IC_OP_ISEND},
             {"recv", "pt|sy", IC_OP_RECV},
             {"irecv", "pt|sy", IC_OP_IRECV},
             {"wait", "qpt", IC_OP_WAIT},
             {"waitall", "|n", IC_OP_WAITALL},
             {"waitAll", "|n", IC_OP_WAITALL},
             {"sendRecv", "spsq|yy", SEND_RECV},
             {"sendrecv", "spsq|yy", SEND_RECV},
             {"barrier", "|", IC_OP_BARRIER},
             {"bcast", "s|py", IC_OP_BCAST},
             {"reduce", "sf|py", IC_OP_REDUCE},
             {"allreduce", "sf|y", IC_OP_ALLREDUCE},
             {"allReduce", "sf|y", IC_OP_ALLREDUCE},
             {"alltoall", "ss|yy", IC_OP_ALLTOALL},
             {"allToAll", "ss|yy", IC_OP_ALLTOALL},
             {"allgather", "ss|yy", IC_OP_ALLGATHER},
             {"gather", "ss|pyy", IC_OP_GATHER},
             {"scatter", "ss|pyy", IC_OP_SCATTER},
             {"init", "|*", NOTHING},
             {"finalize", "|", NOTHING},
             {"comm_size", "|*", NOTHING},
             {"comm_split", "|", NOTHING},
             {"comm_dup", "|", NOTHING},
             {"test", "qpt", NOTHING},
             {"location", "|**", NOTHING}};
enum { N_WORDS = sizeof words / sizeof words[0] };

/* What SimGrid writes too, and cannot be done here. */
static const struct refused {
    const char *name, *why;
} refused[] = {{"alltoallv", "counts for each rank"},
               {"allToAllV", "counts for each rank"},
               {"gatherv", "counts for each rank"},
               {"scatterv", "counts for each rank"},
               {"allgatherv", "counts for each rank"},
               {"reducescatter", "counts for each rank"},
               {"scan", "prefix reductions"},
               {"exscan", "prefix reductions"},
               {"waitAny", "which request it took"},
               {"waitany", "which request it took"},
               {"testany", "which request it took"},
               {"testall", "whether it found them done"},
               {"testsome", "which requests it took"},
               {"Ssend", "synchronous sends"},
               {"ISsend", "synchronous sends"},
               {"bsend", "buffered sends"},
               {"ibsend", "buffered sends"},
               {"Start", "persistent requests"},
               {"Startall", "persistent requests"},
               {"ibarrier", "collectives that do not block"},
               {"ibcast", "collectives that do not block"},
               {"ireduce", "collectives that do not block"},
               {"iallreduce", "collectives that do not block"},
               {"iallgather", "collectives that do not block"},
               {"ialltoall", "collectives that do not block"},
               {"igather", "collectives that do not block"},
               {"iscatter", "collectives that do not block"},
               {"Put", "one-sided communication"},
               {"Get", "one-sided communication"},
               {"Accumulate", "one-sided communication"},
               {"Win_fence", "one-sided communication"},
               {"IO", "files"}};

weir_status wi_trace_wrong(const trace_lines *t, uint32_t file, uint32_t line, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return weir_fail_at(t->diag, WEIR_E_FORMAT, t->file[file], (int)line, 1, "%s", text);
}

static weir_status no_memory(const trace_lines *t)
{
    return weir_fail(t->diag, WEIR_E_NOMEM, "%s: no memory for more than %zu actions", t->file[0], t->n);
}

/* Room for what is known of each rank. */
static weir_status know_rank(trace_lines *t, uint32_t rank)
{
    if (rank < t->ranks)
        return WEIR_OK;
    if (rank >= t->rank_room) {
        const uint32_t room = 2 * rank + 64;
        uint8_t *element = realloc(t->element, room);
        t->element = element ? element : t->element;
        uint8_t *begun = realloc(t->begun, room);
        t->begun = begun ? begun : t->begun;
        uint32_t *actions = realloc(t->actions, room * sizeof *actions);
        t->actions = actions ? actions : t->actions;
        if (!element || !begun || !actions)
            return no_memory(t);
        memset(element + t->rank_room, 1, room - t->rank_room);
        memset(begun + t->rank_room, 0, room - t->rank_room);
        memset(actions + t->rank_room, 0, (room - t->rank_room) * sizeof *actions);
        t->rank_room = room;
    }
    t->ranks = rank + 1;
    return WEIR_OK;
}

/* A number from 0 on; false: the text is none. */
static bool number(const char *text, double most, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && *out >= 0.0 && *out <= most;
}

static bool whole(const char *text, uint32_t most, uint32_t *out)
{
    double value;
    if (!number(text, most, &value) || value != floor(value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* What a line's words say, beside its action: of messages that go and come. */
typedef struct said {
    uint32_t other;   /* rank */
    double size[2];   /* in elements */
    uint32_t unit[2]; /* bytes of an element; 0: the rank's usual ones */
    uint32_t sizes, units;
} said;

/* One word of an action's, by the letter that says what it is. */
static weir_status argument(trace_lines *t, trace_line *l, char what, const char *text, said *out)
{
    double value;
    uint32_t type;
    switch (what) {
    case 'p':
    case 'q':
        if (!whole(text, RANKS_MAX - 1, what == 'p' ? &l->action.peer : &out->other))
            return wi_trace_wrong(t, l->file, l->line, "'%s' is no rank%s", text,
                                  *text == '-' ? "; messages from anybody cannot be replayed" : "");
        return WEIR_OK;
    case 't':
        if (!whole(text, INT32_MAX, &l->action.key))
            return wi_trace_wrong(t, l->file, l->line, "'%s' is no tag; want a whole number from 0 on%s",
                                  text, *text == '-' ? "; messages of any tag cannot be replayed" : "");
        return WEIR_OK;
    case 's':
        if (strcmp(text, "-1") == 0 && (l->action.op == IC_OP_RECV || l->action.op == IC_OP_IRECV))
            return WEIR_OK; /* as large as what comes */
        if (!number(text, 1e15, &value))
            return wi_trace_wrong(t, l->file, l->line, "'%s' is no size; want a number from 0 on", text);
        out->size[out->sizes++] = ceil(value);
        l->sized = true;
        return WEIR_OK;
    case 'n':
        if (!whole(text, INT32_MAX, &type))
            return wi_trace_wrong(t, l->file, l->line, "'%s' is no number of requests", text);
        return WEIR_OK;
    case 'f':
    case 'w':
        if (!number(text, 1e24, &value))
            return wi_trace_wrong(t, l->file, l->line, "'%s' is no number of %s; want a number from 0 on",
                                  text, what == 'f' ? "flops" : "seconds");
        value = what == 'f' ? value / t->options->flops_per_s : value;
        if (!(value < 1e6))
            return wi_trace_wrong(t, l->file, l->line, "'%s' takes %.3g s; want less than 1,000,000", text,
                                  value);
        l->action.time_ps = (weir_time)floor(value * 1e12 + 0.5);
        return WEIR_OK;
    case 'y':
        if (!whole(text, TYPES - 1, &type))
            return wi_trace_wrong(t, l->file, l->line, "'%s' is no type; want a whole number from 0 to %d",
                                  text, TYPES - 1);
        out->unit[out->units++] = type_bytes[type];
        return WEIR_OK;
    default:
        return WEIR_OK;
    }
}

static weir_status append(trace_lines *t, const trace_line *l)
{
    if (t->n == t->room) {
        const size_t room = t->room ? 2 * t->room : 256;
        trace_line *grown = room < SIZE_MAX / 2 / sizeof *grown ? realloc(t->at, room * sizeof *grown) : NULL;
        if (!grown)
            return no_memory(t);
        t->at = grown;
        t->room = room;
    }
    t->at[t->n] = *l;
    t->at[t->n++].order = t->actions[l->rank]++;
    return WEIR_OK;
}

static const struct word *find_word(const trace_lines *t, const trace_line *l, const char *text,
                                    weir_status *status)
{
    const char *names[N_WORDS];
    for (int i = 0; i < N_WORDS; i++) {
        if (strcmp(text, words[i].name) == 0)
            return &words[i];
        names[i] = words[i].name;
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strcmp(text, refused[i].name) == 0) {
            *status =
                wi_trace_wrong(t, l->file, l->line, "'%s' cannot be replayed: %s", text, refused[i].why);
            return NULL;
        }
    const char *near = wi_nearest(text, names, N_WORDS);
    *status =
        near ? wi_trace_wrong(t, l->file, l->line, "unknown action '%s'; did you mean '%s'?", text, near)
             : wi_trace_wrong(
                   t, l->file, l->line,
                   "unknown action '%s'; want compute, send, recv, isend, irecv, wait, waitall, barrier, "
                   "bcast, reduce, allreduce, alltoall, allgather, gather or scatter",
                   text);
    return NULL;
}

/* Words behind an action, by the letters of its form. */
static weir_status arguments(trace_lines *t, trace_line *l, const struct word *word, char **arg, int n,
                             said *out)
{
    bool optional = false;
    weir_status status = WEIR_OK;
    int used = 0;
    for (const char *form = word->arguments; *form && status == WEIR_OK; form++) {
        if (*form == '|') {
            optional = true;
            continue;
        }
        if (used == n) {
            if (optional)
                break;
            return wi_trace_wrong(t, l->file, l->line, "'%s' lacks an argument; see docs/interconnects.md",
                                  word->name);
        }
        status = argument(t, l, *form, arg[used++], out);
    }
    if (status == WEIR_OK && used < n)
        return wi_trace_wrong(t, l->file, l->line, "'%s' has %d arguments too many%s", word->name, n - used,
                              word->op == IC_OP_ALLTOALL || word->op == IC_OP_GATHER ||
                                      word->op == IC_OP_SCATTER
                                  ? "; counts for each rank cannot be replayed"
                                  : "");
    return status;
}

/* A message's bytes, that goes (0) or comes (1). */
static weir_status bytes_of(const trace_lines *t, const trace_line *l, const said *s, int which,
                            uint64_t *out)
{
    const uint32_t unit = s->unit[which] ? s->unit[which] : t->element[l->rank];
    *out = (uint64_t)s->size[which] * unit;
    if (*out > UINT64_C(1) << 30)
        return wi_trace_wrong(t, l->file, l->line, "a message of %llu bytes; want at most 1 GiB",
                              (unsigned long long)*out);
    return WEIR_OK;
}

/* The rest of a line whose rank and action are known. */
static weir_status parse_action(trace_lines *t, trace_line *l, const struct word *word, char **arg, int n,
                                said *s)
{
    l->action.op = (uint8_t)word->op;
    weir_status status = arguments(t, l, word, arg, n, s);
    if (status == WEIR_OK)
        status = bytes_of(t, l, s, 0, &l->action.bytes);
    if (status != WEIR_OK)
        return status;
    if (word->op ==
        IC_OP_WAIT) { /* from, to, tag: the other of the two is the peer, and which one says what it waits for */
        if (s->other != l->rank && l->action.peer != l->rank)
            return wi_trace_wrong(t, l->file, l->line, "rank %u waits for a message between %u and %u",
                                  l->rank, s->other, l->action.peer);
        l->sized = s->other == l->rank; /* for its own send */
        l->action.peer = s->other == l->rank ? l->action.peer : s->other;
    }
    if (word->op == IC_OP_ALLREDUCE)
        l->action.algorithm = (uint8_t)t->options->allreduce;
    return WEIR_OK;
}

/* Both at once, and a wait for each; what a rank has for itself stays where it is. Tags are 0, as SimGrid replays it. */
static weir_status append_both(trace_lines *t, trace_line l, const said *s)
{
    const uint32_t to = l.action.peer;
    uint64_t comes;
    if (to == l.rank && s->other == l.rank)
        return WEIR_OK;
    weir_status status = bytes_of(t, &l, s, 1, &comes);
    const ic_action actions[] = {{.op = IC_OP_IRECV, .peer = s->other, .bytes = comes},
                                 {.op = IC_OP_ISEND, .peer = to, .bytes = l.action.bytes},
                                 {.op = IC_OP_WAIT, .peer = to},
                                 {.op = IC_OP_WAIT, .peer = s->other}};
    for (int i = 0; i < 4 && status == WEIR_OK; i++) {
        l.action = actions[i];
        l.sized = i != 3; /* the last is for what comes */
        l.newest = i > 1;
        status = append(t, &l);
    }
    return status;
}

/* What changes the rank's reading and does nothing itself. */
static void note(trace_lines *t, const trace_line *l, const struct word *word, int n)
{
    if (strcmp(word->name, "init") == 0) {
        t->begun[l->rank] = 1;
        t->element[l->rank] = n > 0 ? 8 : 1;
    }
    if (strcmp(word->name, "finalize") == 0)
        t->begun[l->rank] = 2;
}

static weir_status parse_line(trace_lines *t, uint32_t file, uint32_t line, char *text)
{
    char *word[WORDS_MAX] = {0}, *rest = NULL;
    int n = 0;
    trace_line l = {.file = file, .line = line};
    said s = {0};
    weir_status status = WEIR_OK;
    for (char *w = strtok_r(text, " \t\r\n", &rest); w; w = strtok_r(NULL, " \t\r\n", &rest)) {
        if (n == WORDS_MAX)
            return wi_trace_wrong(t, file, line,
                                  "more than %d words; counts for each rank cannot be replayed", WORDS_MAX);
        word[n++] = w;
    }
    if (n == 0)
        return WEIR_OK;
    if (!whole(word[0], RANKS_MAX - 1, &l.rank))
        return wi_trace_wrong(t, file, line, "'%s' is no rank; want a whole number from 0 on", word[0]);
    if (n == 1)
        return wi_trace_wrong(t, file, line, "rank %u has no action", l.rank);
    const struct word *what = find_word(t, &l, word[1], &status);
    if (what)
        status = know_rank(t, l.rank);
    if (status == WEIR_OK && t->begun[l.rank] == 2)
        return wi_trace_wrong(t, file, line, "rank %u goes on after its finalize", l.rank);
    if (status == WEIR_OK)
        status = parse_action(t, &l, what, word + 2, n - 2, &s);
    if (status != WEIR_OK)
        return status;
    if (what->op == SEND_RECV)
        return append_both(t, l, &s);
    if (what->op == NOTHING) {
        note(t, &l, what, n - 2);
        return WEIR_OK;
    }
    const weir_time compute_ps = l.action.time_ps;
    const bool both =
        l.action.op != IC_OP_COMPUTE && compute_ps > 0; /* a reduction's operations come behind it */
    l.action.time_ps = both ? 0 : compute_ps;
    status = append(t, &l);
    if (status == WEIR_OK && both) {
        l.action = (ic_action){.op = IC_OP_COMPUTE, .time_ps = compute_ps};
        status = append(t, &l);
    }
    return status;
}

weir_status wi_trace_lines_read(trace_lines *t, uint32_t file, FILE *in)
{
    char text[LINE_BYTES];
    weir_status status = WEIR_OK;
    for (uint32_t line = 1; status == WEIR_OK && fgets(text, sizeof text, in); line++) {
        if (!strchr(text, '\n') && strlen(text) + 1 == sizeof text)
            return wi_trace_wrong(t, file, line, "the line is longer than %d characters", LINE_BYTES - 2);
        text[strcspn(text, "#")] = '\0';
        status = parse_line(t, file, line, text);
    }
    if (status == WEIR_OK && ferror(in))
        return weir_fail(t->diag, WEIR_E_IO, "%s: %s", t->file[file], strerror(errno));
    return status;
}

void wi_trace_lines_free(trace_lines *t)
{
    for (size_t i = 0; i < t->n_files; i++)
        free(t->file[i]);
    free(t->file);
    free(t->at);
    free(t->element);
    free(t->begun);
    free(t->actions);
    *t = (trace_lines){0};
}
