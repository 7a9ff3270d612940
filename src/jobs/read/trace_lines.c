/* Lines of traces into actions; see trace.h for the format. */
#include "jobs/read/trace_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/memory.h"
#include "jobs/uneven.h"

enum { WORDS_MAX = 10, LINE_BYTES = 1 << 24, RANKS_MAX = 1 << 24, TYPES = 30 };

/* Bytes of SimGrid's types by number, from MPI_DOUBLE to MPI_OFFSET (its smpi_datatype.cpp). */
static const uint8_t type_bytes[TYPES] = {8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4,  8,  8, 16,
                                          4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8};

uint32_t wi_trace_type_bytes(double number)
{
    return number >= 0.0 && number < TYPES && number == floor(number) ? type_bytes[(int)number] : 0;
}

/* What a line stands for beside the actions that there are. */
enum { NOTHING = JOB_OP_SCAN + 1, SEND_RECV };

/* From any rank as SMPI writes it, as its mpi.h has it, and as others do; and of any tag. */
static const char any_rank[] = "-333 -555 -1", any_tag[] = "-444 -1";

/* Arguments of an action, in their order: p a rank, q the other one, t a tag, s a size, f flops, y a type, w seconds, n a count
 * that changes nothing, * anything. What follows | may be left out. v: numbers of which it depends on the number of ranks what they
 * are. */
static const struct word {
    const char *names, *arguments; /* names with blanks between: one, or SimGrid's two spellings */
    int op;
} words[] = {{"compute", "f", JOB_OP_COMPUTE},
             {"sleep", "w", JOB_OP_COMPUTE},
             {"send", "pts|y", JOB_OP_SEND},
             {"isend", "pts|y", JOB_OP_ISEND},
             {"recv", "pt|sy", JOB_OP_RECV},
             {"irecv", "pt|sy", JOB_OP_IRECV},
             {"wait", "qpt", JOB_OP_WAIT},
             {"waitall waitAll", "|n", JOB_OP_WAITALL},
             {"sendRecv sendrecv", "spsq|yy", SEND_RECV},
             {"barrier", "|", JOB_OP_BARRIER},
             {"bcast", "s|py", JOB_OP_BCAST},
             {"reduce", "sf|py", JOB_OP_REDUCE},
             {"allreduce allReduce", "sf|y", JOB_OP_ALLREDUCE},
             {"alltoall allToAll", "ss|yy", JOB_OP_ALLTOALL},
             {"allgather", "ss|yy", JOB_OP_ALLGATHER},
             {"gather", "ss|pyy", JOB_OP_GATHER},
             {"scatter", "ss|pyy", JOB_OP_SCATTER},
             {"alltoallv allToAllV", "v", JOB_OP_ALLTOALLV},
             {"gatherv", "v", JOB_OP_GATHERV},
             {"scatterv", "v", JOB_OP_SCATTERV},
             {"allgatherv", "v", JOB_OP_ALLGATHERV},
             {"reducescatter", "v", JOB_OP_REDUCE_SCATTER},
             {"scan exscan", "sf|y", JOB_OP_SCAN},
             {"init comm_size", "|*", NOTHING},
             {"finalize comm_split comm_dup", "|", NOTHING},
             {"test", "qpt", NOTHING},
             {"location", "|**", NOTHING}};
enum { N_WORDS = sizeof words / sizeof words[0], NAMES_MAX = 40 };

/* What SimGrid writes too, and cannot be done here. */
static const struct refused {
    const char *names, *why;
} refused[] = {{"waitAny waitany testany", "which request it took"},
               {"testsome", "which requests it took"},
               {"testall", "whether it found them done"},
               {"Ssend ISsend", "synchronous sends"},
               {"bsend ibsend", "buffered sends"},
               {"Start Startall", "persistent requests"},
               {"ibarrier ibcast ireduce iallreduce iallgather ialltoall igather iscatter",
                "collectives that do not block"},
               {"Put Get Accumulate Win_fence", "one-sided communication"},
               {"IO", "files"}};

/* Is a text one of some names? */
static bool is_of(const char *names, const char *text)
{
    const size_t n = strlen(text);
    for (const char *at = names; (at = strstr(at, text)); at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
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
        trace_rank *grown = realloc(t->rank, room * sizeof *grown);
        if (!grown)
            return no_memory(t);
        for (uint32_t r = t->rank_room; r < room; r++)
            grown[r] = (trace_rank){.element = 1};
        t->rank = grown;
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

/* A line that is read: its words, and what they stand for. */
typedef struct reading {
    trace_lines *t;
    char *text[WORDS_MAX]; /* rank, action, arguments */
    int n;
    const struct word *word; /* the action's */
    trace_line line;
    uint32_t other;   /* rank */
    double size[2];   /* of messages that go and come, in elements */
    uint32_t unit[2]; /* bytes of an element; 0: the rank's usual ones */
    uint32_t sizes, units;
} reading;

#define WRONG(r, ...) WRONG_AT((r)->t, (r)->line.file, (r)->line.line, __VA_ARGS__)

/* One argument, by the letter of its kind. */
static weir_status argument(reading *r, char what, const char *text)
{
    job_action *action = &r->line.action;
    double value;
    uint32_t type;
    switch (what) {
    case 'p':
    case 'q': {
        uint32_t *const rank = what == 'p' ? &action->peer : &r->other;
        if (is_of(any_rank, text) && (what == 'q' || action->op == JOB_OP_RECV || action->op == JOB_OP_IRECV))
            *rank = JOB_ANY;
        else if (!whole(text, RANKS_MAX - 1, rank))
            return WRONG(r, "'%s' is no rank", text);
        break;
    }
    case 't':
        if (is_of(any_tag, text) &&
            (action->op == JOB_OP_RECV || action->op == JOB_OP_IRECV || action->op == JOB_OP_WAIT))
            action->key = JOB_ANY;
        else if (!whole(text, JOB_KEY_INNER - 1, &action->key))
            return WRONG(r, "'%s' is no tag; want a whole number from 0 to %u", text, JOB_KEY_INNER - 1);
        break;
    case 's':
        if (strcmp(text, "-1") == 0 && (action->op == JOB_OP_RECV || action->op == JOB_OP_IRECV))
            break; /* as large as what comes */
        if (!number(text, 1e15, &value))
            return WRONG(r, "'%s' is no size; want a number from 0 on", text);
        r->size[r->sizes++] = ceil(value);
        break;
    case 'n':
        if (!whole(text, INT32_MAX, &type))
            return WRONG(r, "'%s' is no number of requests", text);
        break;
    case 'f':
    case 'w':
        if (!number(text, 1e24, &value))
            return WRONG(r, "'%s' is no number of %s; want a number from 0 on", text,
                         what == 'f' ? "flops" : "seconds");
        value = what == 'f' ? value / r->t->speed : value;
        if (!(value < 1e6))
            return WRONG(r, "'%s' takes %.3g s; want less than 1,000,000", text, value);
        action->time_ps = (weir_time)floor(value * 1e12 + 0.5);
        break;
    case 'y':
        if (!whole(text, TYPES - 1, &type))
            return WRONG(r, "'%s' is no type; want a whole number from 0 to %d", text, TYPES - 1);
        r->unit[r->units++] = type_bytes[type];
        break;
    default:
        break;
    }
    return WEIR_OK;
}

static weir_status append(trace_lines *t, const trace_line *l)
{
    if (l->action.op >= JOB_OP_SEND && l->action.op <= JOB_OP_IRECV && l->action.peer == l->rank)
        return WRONG_AT(t, l->file, l->line, "rank %u sends to itself", l->rank);
    if (!wi_grow_one(&t->at, t->n, sizeof *t->at))
        return no_memory(t);
    t->at[t->n] = *l;
    t->at[t->n++].order = t->rank[l->rank].actions++;
    return WEIR_OK;
}

static weir_status unknown_action(const reading *r, const char *text)
{
    const char *names[NAMES_MAX];
    char room[512], *rest = NULL;
    size_t n = 0, at = 0;
    for (int i = 0; i < N_WORDS; i++)
        at += (size_t)snprintf(room + at, sizeof room - at, "%s ", words[i].names);
    for (char *name = strtok_r(room, " ", &rest); name && n < NAMES_MAX; name = strtok_r(NULL, " ", &rest))
        names[n++] = name;
    return WRONG(r, "unknown action '%s'%s", text, WI_HINT(text, names, n));
}

static weir_status find_word(reading *r)
{
    const char *text = r->text[1];
    for (int i = 0; i < N_WORDS && !r->word; i++)
        r->word = is_of(words[i].names, text) ? &words[i] : NULL;
    if (r->word)
        return WEIR_OK;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (is_of(refused[i].names, text))
            return WRONG(r, "'%s' cannot be replayed: %s", text, refused[i].why);
    return unknown_action(r, text);
}

/* All arguments, by the letters of the action's form. */
static weir_status arguments(reading *r)
{
    bool optional = false;
    weir_status status = WEIR_OK;
    int used = 2;
    for (const char *form = r->word->arguments; *form && status == WEIR_OK; form++) {
        if (*form == '|')
            optional = true;
        else if (used < r->n)
            status = argument(r, *form, r->text[used++]);
        else if (!optional)
            return WRONG(r, "'%s' lacks an argument; see docs/interconnects.md", r->text[1]);
    }
    const int op = r->word->op;
    if (status == WEIR_OK && used < r->n)
        return WRONG(r, "'%s' has %d arguments too many%s", r->text[1], r->n - used,
                     op == JOB_OP_ALLTOALL || op == JOB_OP_GATHER || op == JOB_OP_SCATTER
                         ? "; counts for each rank are its v-variant's"
                         : "");
    return status;
}

/* A message's bytes, that goes (0) or comes (1). */
static weir_status bytes_of(const reading *r, int which, uint64_t *out)
{
    const uint32_t unit = r->unit[which] ? r->unit[which] : r->t->rank[r->line.rank].element;
    *out = (uint64_t)r->size[which] * unit;
    if (*out > UINT64_C(1) << 30)
        return WRONG(r, "a message of %llu bytes; want at most 1 GiB", (unsigned long long)*out);
    return WEIR_OK;
}

/* The rest of a line whose rank and action are known. */
static weir_status parse_action(reading *r)
{
    trace_line *l = &r->line;
    l->action.op = (uint8_t)r->word->op;
    weir_status status = arguments(r) ?: bytes_of(r, 0, &l->action.bytes);
    if (status != WEIR_OK)
        return status;
    if (r->word->op == JOB_OP_WAIT) {
        /* from, to, tag: the other of the two is the peer, and which one is it shows what it waits for */
        if (r->other != l->rank && l->action.peer != l->rank)
            return WRONG(r, "rank %u waits for a message between %u and %u", l->rank, r->other,
                         l->action.peer);
        l->sized = r->other == l->rank; /* for its own send */
        l->action.peer = r->other == l->rank ? l->action.peer : r->other;
    }
    l->action.algorithm = JOB_AUTO;
    return WEIR_OK;
}

/* Both at once, and a wait for each; what a rank has for itself stays where it is. Tags are 0, as SimGrid replays it. */
static weir_status append_both(const reading *r)
{
    trace_line l = r->line;
    const uint32_t to = l.action.peer;
    uint64_t comes;
    if (to == l.rank && r->other == l.rank)
        return WEIR_OK;
    weir_status status = bytes_of(r, 1, &comes);
    const job_action actions[] = {{.op = JOB_OP_IRECV, .peer = r->other, .bytes = comes},
                                  {.op = JOB_OP_ISEND, .peer = to, .bytes = l.action.bytes},
                                  {.op = JOB_OP_WAIT, .peer = to},
                                  {.op = JOB_OP_WAIT, .peer = r->other}};
    for (int i = 0; i < 4 && status == WEIR_OK; i++) {
        l.action = actions[i];
        l.sized = i != 3; /* the last is for what comes */
        l.newest = i > 1;
        status = append(r->t, &l);
    }
    return status;
}

/* The line's action, and behind a reduction the time of its operations. */
static weir_status append_action(const reading *r)
{
    trace_line l = r->line;
    const weir_time compute_ps = l.action.time_ps;
    const bool both = l.action.op != JOB_OP_COMPUTE && compute_ps > 0;
    l.action.time_ps = both ? 0 : compute_ps;
    const weir_status status = append(r->t, &l);
    if (status != WEIR_OK || !both)
        return status;
    l.action = (job_action){.op = JOB_OP_COMPUTE, .time_ps = compute_ps};
    return append(r->t, &l);
}

/* Numbers up to the line's end. */
static weir_status read_numbers(reading *r, char **rest)
{
    trace_lines *const t = r->t;
    trace_line *const l = &r->line;
    l->number = t->n_numbers;
    for (char *w; (w = strtok_r(NULL, " \t\r\n", rest)); l->numbers++) {
        if (!wi_grow(&t->number, &t->number_room, t->n_numbers + 1, sizeof *t->number))
            return no_memory(t);
        if (!number(w, 1e24, &t->number[t->n_numbers++]))
            return WRONG(r, "'%s' is no number from 0 on", w);
    }
    l->action = (job_action){.op = (uint8_t)r->word->op, .bytes = t->rank[l->rank].element};
    return WEIR_OK;
}

/* What changes the rank's reading and does nothing itself. */
static void note(const reading *r)
{
    trace_lines *t = r->t;
    if (strcmp(r->text[1], "init") == 0) {
        t->rank[r->line.rank].begun = 1;
        t->rank[r->line.rank].element = r->n > 2 ? 8 : 1;
    }
    if (strcmp(r->text[1], "finalize") == 0)
        t->rank[r->line.rank].begun = 2;
}

static weir_status parse_line(trace_lines *t, uint32_t file, uint32_t line, char *text)
{
    reading r = {.t = t, .line = {.file = file, .line = line}};
    char *rest = NULL;
    while (r.n < 2 && (r.text[r.n] = strtok_r(r.n ? NULL : text, " \t\r\n", &rest)))
        r.n++;
    if (r.n == 0)
        return WEIR_OK;
    if (!whole(r.text[0], RANKS_MAX - 1, &r.line.rank))
        return WRONG(&r, "'%s' is no rank; want a whole number from 0 on", r.text[0]);
    if (r.n == 1)
        return WRONG(&r, "rank %u has no action", r.line.rank);
    weir_status status = find_word(&r) ?: know_rank(t, r.line.rank);
    if (status == WEIR_OK && t->rank[r.line.rank].begun == 2)
        return WRONG(&r, "rank %u goes on after its finalize", r.line.rank);
    if (status == WEIR_OK && *r.word->arguments == 'v')
        return read_numbers(&r, &rest) ?: append(t, &r.line);
    for (char *w; status == WEIR_OK && (w = strtok_r(NULL, " \t\r\n", &rest)); r.text[r.n++] = w)
        if (r.n == WORDS_MAX)
            return WRONG(&r, "more than %d words", WORDS_MAX);
    if (status == WEIR_OK)
        status = parse_action(&r);
    if (status != WEIR_OK)
        return status;
    if (r.word->op == NOTHING)
        note(&r);
    return r.word->op == NOTHING ? WEIR_OK : r.word->op == SEND_RECV ? append_both(&r) : append_action(&r);
}

weir_status wi_trace_lines_read(trace_lines *t, uint32_t file, wi_source *source)
{
    WI_FREED char *text = NULL;
    size_t room = 0;
    wi_slice line;
    weir_status status = WEIR_OK;
    while (status == WEIR_OK && wi_next_line(source, &line)) {
        if (line.length >= LINE_BYTES)
            return WRONG_AT(t, file, source->line, "the line is longer than %d characters", LINE_BYTES - 1);
        if (!wi_grow(&text, &room, line.length + 1, 1))
            return no_memory(t);
        memcpy(text, line.text, line.length);
        text[line.length] = '\0';
        text[strcspn(text, "#")] = '\0';
        status = parse_line(t, file, (uint32_t)source->line, text);
    }
    return status;
}

void wi_trace_lines_free(trace_lines *t)
{
    wi_texts_free(t->file, t->n_files);
    free(t->at);
    free(t->number);
    free(t->rank);
    *t = (trace_lines){0};
}
