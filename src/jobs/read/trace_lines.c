/* Lines of traces into actions; see trace.h for the format. */
#include "jobs/read/trace_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "jobs/uneven.h"

#define BLANKS " \t\r\n"
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
enum { N_WORDS = WI_N_OF(words), NAMES_MAX = 40 };

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

#define WRONG(r, ...) WRONG_AT((r)->t, &(r)->line, __VA_ARGS__)

weir_time wi_trace_time(trace_lines *t, const trace_line *l, const char *text, double seconds)
{
    if (seconds < 1e6)
        return (weir_time)floor(seconds * 1e12 + 0.5);
    (void)WRONG_AT(t, l, "'%s' takes %.3g s; want less than 1,000,000", text, seconds);
    return 0;
}

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
        action->time_ps = wi_trace_time(r->t, &r->line, text, what == 'f' ? value / r->t->speed : value);
        break;
    case 'y':
        if (!whole(text, TYPES - 1, &type))
            return WRONG(r, "'%s' is no type; want a whole number from 0 to %d", text, TYPES - 1);
        r->unit[r->units++] = type_bytes[type];
        break;
    default:
        break;
    }
    return r->t->reading.status;
}

/* The line's place, with an action. */
static void append(const reading *r, job_action action)
{
    trace_lines *const t = r->t;
    trace_line l = r->line;
    l.action = action;
    l.order = t->rank[l.rank].actions++;
    if (action.op >= JOB_OP_SEND && action.op <= JOB_OP_IRECV && action.peer == l.rank)
        (void)WRONG(r, "rank %u sends to itself", l.rank);
    WI_READING_PUT(&t->reading, t->at, t->n, l);
}

static weir_status unknown_action(reading *r, const char *text)
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
    for (r->word = words; r->word < words + N_WORDS; r->word++)
        if (is_of(r->word->names, text))
            return WEIR_OK;
    for (size_t i = 0; i < WI_N_OF(refused); i++)
        if (is_of(refused[i].names, text))
            return WRONG(r, "'%s' cannot be replayed: %s", text, refused[i].why);
    return unknown_action(r, text);
}

/* All arguments, by the letters of the action's form. */
static weir_status arguments(reading *r)
{
    const int op = r->word->op;
    bool optional = false;
    int used = 2;
    for (const char *form = r->word->arguments; *form; form++)
        if (*form == '|')
            optional = true;
        else if (used < r->n)
            WI_RETURN_IF_FAILED(argument(r, *form, r->text[used++]));
        else if (!optional)
            return WRONG(r, "'%s' lacks an argument; see docs/interconnects.md", r->text[1]);
    if (used < r->n)
        return WRONG(r, "'%s' has %d arguments too many%s", r->text[1], r->n - used,
                     op == JOB_OP_ALLTOALL || op == JOB_OP_GATHER || op == JOB_OP_SCATTER
                         ? "; counts for each rank are its v-variant's"
                         : "");
    return WEIR_OK;
}

/* Bytes of an element: that a message has which goes (0) or comes (1), or as is usual. */
static uint32_t unit_of(const reading *r, int which)
{
    return r->unit[which] ?: r->t->rank[r->line.rank].element ?: 1;
}

/* A message's bytes. */
static uint64_t bytes_of(const reading *r, int which)
{
    const uint64_t bytes = (uint64_t)r->size[which] * unit_of(r, which);
    if (bytes > UINT64_C(1) << 30)
        (void)WRONG(r, "a message of %llu bytes; want at most 1 GiB", (unsigned long long)bytes);
    return bytes;
}

/* From, to, tag: the other of the two is the peer, and which one is it shows what it waits for. */
static weir_status find_peer(reading *r)
{
    uint32_t *const peer = &r->line.action.peer, own = r->line.rank;
    r->line.sized = r->other == own; /* for its own send */
    if (r->other != own && *peer != own)
        return WRONG(r, "rank %u waits for a message between %u and %u", own, r->other, *peer);
    *peer = r->other == own ? *peer : r->other;
    return WEIR_OK;
}

/* Both at once, and a wait for each; what a rank has for itself stays where it is. Tags are 0, as SimGrid replays it. */
static void append_both(reading *r)
{
    const uint32_t to = r->line.action.peer;
    if (to == r->line.rank && r->other == r->line.rank)
        return;
    const job_action actions[] = {{.op = JOB_OP_IRECV, .peer = r->other, .bytes = bytes_of(r, 1)},
                                  {.op = JOB_OP_ISEND, .peer = to, .bytes = r->line.action.bytes},
                                  {.op = JOB_OP_WAIT, .peer = to},
                                  {.op = JOB_OP_WAIT, .peer = r->other}};
    for (int i = 0; i < 4; i++) {
        r->line.sized = i != 3; /* the last is for what comes */
        r->line.newest = i > 1;
        append(r, actions[i]);
    }
}

/* The line's action, and behind a reduction the time of its operations. */
static void append_action(const reading *r)
{
    job_action a = r->line.action;
    const weir_time then_ps = a.op == JOB_OP_COMPUTE ? 0 : a.time_ps;
    a.time_ps -= then_ps;
    append(r, a);
    if (then_ps > 0)
        append(r, (job_action){.op = JOB_OP_COMPUTE, .time_ps = then_ps});
}

/* Numbers up to the line's end. */
static weir_status append_numbers(reading *r, char **rest)
{
    trace_lines *const t = r->t;
    trace_line *const l = &r->line;
    l->number = t->n_numbers;
    for (char *w; (w = strtok_r(NULL, BLANKS, rest)); l->numbers++) {
        if (!wi_reading_has(&t->reading,
                            wi_grow(&t->number, &t->number_room, t->n_numbers + 1, sizeof *t->number)))
            break;
        if (!number(w, 1e24, &t->number[t->n_numbers++]))
            return WRONG(r, "'%s' is no number from 0 on", w);
    }
    append(r, (job_action){.op = (uint8_t)r->word->op, .bytes = unit_of(r, 0)});
    return t->reading.status;
}

/* What changes the rank's reading and does nothing itself. */
static void note(const reading *r)
{
    trace_rank *const rank = &r->t->rank[r->line.rank];
    if (strcmp(r->text[1], "init") == 0)
        *rank = (trace_rank){rank->actions, r->n > 2 ? 8 : 1, 1};
    if (strcmp(r->text[1], "finalize") == 0)
        rank->begun = 2;
}

static weir_status take_line(reading *r)
{
    job_action *const a = &r->line.action;
    *a = (job_action){.op = (uint8_t)r->word->op, .algorithm = JOB_AUTO};
    WI_RETURN_IF_FAILED(arguments(r));
    a->bytes = bytes_of(r, 0);
    if (a->op == JOB_OP_WAIT)
        WI_RETURN_IF_FAILED(find_peer(r));
    if (r->t->reading.status != WEIR_OK)
        return r->t->reading.status;
    if (r->word->op == NOTHING)
        note(r);
    else if (r->word->op == SEND_RECV)
        append_both(r);
    else
        append_action(r);
    return r->t->reading.status;
}

static weir_status parse_line(trace_lines *t, trace_line here, char *text)
{
    reading r = {.t = t, .line = here};
    char *rest = NULL;
    while (r.n < 2 && (r.text[r.n] = strtok_r(r.n ? NULL : text, BLANKS, &rest)))
        r.n++;
    if (r.n == 0)
        return WEIR_OK;
    if (!whole(r.text[0], RANKS_MAX - 1, &r.line.rank))
        return WRONG(&r, "'%s' is no rank; want a whole number from 0 on", r.text[0]);
    if (r.n == 1)
        return WRONG(&r, "rank %u has no action", r.line.rank);
    WI_RETURN_IF_FAILED(find_word(&r));
    if (!wi_reading_has(&t->reading,
                        wi_grow_zeroed(&t->rank, &t->rank_room, r.line.rank + 1, sizeof *t->rank)))
        return t->reading.status;
    t->ranks = r.line.rank < t->ranks ? t->ranks : r.line.rank + 1;
    if (t->rank[r.line.rank].begun == 2)
        return WRONG(&r, "rank %u goes on after its finalize", r.line.rank);
    if (*r.word->arguments == 'v')
        return append_numbers(&r, &rest);
    for (char *w; (w = strtok_r(NULL, BLANKS, &rest)); r.text[r.n++] = w)
        if (r.n == WORDS_MAX)
            return WRONG(&r, "more than %d words", WORDS_MAX);
    return take_line(&r);
}

weir_status wi_trace_lines_read(trace_lines *t, uint32_t file, wi_source *source)
{
    WI_FREED char *text = NULL;
    size_t room = 0;
    wi_slice line;
    while (t->reading.status == WEIR_OK && wi_next_line(source, &line)) {
        const trace_line here = {.file = file, .line = (uint32_t)source->line};
        if (line.length >= LINE_BYTES)
            return WRONG_AT(t, &here, "the line is longer than %d characters", LINE_BYTES - 1);
        if (!wi_reading_has(&t->reading, wi_grow(&text, &room, line.length + 1, 1)))
            break;
        memcpy(text, line.text, line.length);
        text[line.length] = '\0';
        text[strcspn(text, "#")] = '\0';
        t->reading.status = parse_line(t, here, text);
    }
    return t->reading.status;
}
