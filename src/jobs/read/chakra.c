/*
 * Chakra execution traces (MLCommons): a file a rank, nodes behind their lengths, read by protobuf-c.
 *
 * A computation lasts its duration_micros; where that is 0, the longer of num_ops at the given rate of operations and
 * tensor_size at that of memory. Loads and stores of memory likewise by tensor_size. They take the rank's processor, those of
 * the host (is_cpu_op) another, and loads and stores a third. comm_size is what each rank brings: ASTRA-sim's meaning, so that
 * an all-gather gives comm_size times the ranks. Nodes of metadata wait and end at once.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/order.h"
#include "jobs/read/readers.h"
#include "jobs/read/reading.h"

#ifndef WEIR_HAVE_PROTOBUF

weir_status wi_job_read_chakra(weir_diag *diag, wi_job *job, const wi_job_options *options)
{
    (void)options;
    return weir_fail(diag, WEIR_E_UNSUPPORTED,
                     "%s: this build reads no Chakra traces, for want of protobuf-c", job->file);
}

#else

#include <jansson.h>

#include <chakra.pb-c.h>

enum { PROCESSOR_GPU, PROCESSOR_HOST, PROCESSOR_MEMORY };

/* A node's operation; or a node that an operation waits for. */
typedef struct node_op {
    uint64_t id;
    uint32_t op;
} node_op;

typedef struct chakra {
    wi_reading r;
    const wi_job_options *options;
    json_t *groups; /* by name, in the order of the job's; null: all ranks, the job's only one */
    uint32_t rank;
    char *named;            /* without groups: the first that a collective names */
    bool warned;            /* of another */
    node_op *nodes, *wants; /* of the rank: wants are found when all nodes are known */
    uint32_t n_nodes, n_wants;
    char stem[4096], path[4200]; /* of files; of the one at hand */
} chakra;

#define WRONG(c, n, text, ...)                                                                            \
    WI_WRONG(&(c)->r, "%s: rank %u, node %llu" text, (c)->r.file, (c)->rank, (unsigned long long)(n)->id, \
             ##__VA_ARGS__)

static const WiChakra__Attribute *attribute(const WiChakra__Node *n, const char *name)
{
    for (size_t i = 0; i < n->n_attr; i++)
        if (strcmp(n->attr[i]->name, name) == 0)
            return n->attr[i];
    return NULL;
}

/* An attribute as a whole number of at least 0; `fallback` where it is not there or none. */
static uint64_t number_of(const WiChakra__Node *n, const char *name, uint64_t fallback)
{
    const WiChakra__Attribute *const a = attribute(n, name);
    switch (a ? a->value_case : WI_CHAKRA__ATTRIBUTE__VALUE__NOT_SET) {
    case WI_CHAKRA__ATTRIBUTE__VALUE_DOUBLE_VAL:
        return a->double_val >= 0 && a->double_val < 1e19 ? (uint64_t)a->double_val : fallback;
    case WI_CHAKRA__ATTRIBUTE__VALUE_FLOAT_VAL:
        return a->float_val >= 0 && a->float_val < 1e19f ? (uint64_t)a->float_val : fallback;
    case WI_CHAKRA__ATTRIBUTE__VALUE_INT32_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_SINT32_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_SFIXED32_VAL:
        return a->int32_val >= 0 ? (uint64_t)a->int32_val : fallback;
    case WI_CHAKRA__ATTRIBUTE__VALUE_INT64_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_SINT64_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_SFIXED64_VAL:
        return a->int64_val >= 0 ? (uint64_t)a->int64_val : fallback;
    case WI_CHAKRA__ATTRIBUTE__VALUE_UINT32_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_FIXED32_VAL:
        return a->uint32_val;
    case WI_CHAKRA__ATTRIBUTE__VALUE_UINT64_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_FIXED64_VAL:
        return a->uint64_val;
    case WI_CHAKRA__ATTRIBUTE__VALUE_BOOL_VAL:
        return a->bool_val;
    default:
        return fallback;
    }
}

/* ---- nodes ---- */

/* What a send or a collective is to move: a node that does not say is no node of 0 bytes. */
static weir_status size_of(chakra *c, const WiChakra__Node *n, wi_job_op *op)
{
    op->bytes = number_of(n, "comm_size", UINT64_MAX);
    return op->bytes != UINT64_MAX
               ? WEIR_OK
               : WRONG(c, n, " ('%s'): no comm_size from 0 on says how large it is", n->name);
}

static weir_status time_of(chakra *c, const WiChakra__Node *n, const char *what, double per_s,
                           const char *option, weir_time *out)
{
    const uint64_t amount = number_of(n, what, 0);
    const double ps = per_s > 0.0 ? 1e12 * (double)amount / per_s : 0.0;
    if (amount > 0 && !(per_s > 0.0) && !c->options->counting)
        return WRONG(c, n, " ('%s') has %s %llu and no duration; give '%s'", n->name, what,
                     (unsigned long long)amount, option);
    if (!(ps < 9e18))
        return WRONG(c, n, " takes too long");
    *out = (weir_time)ps > *out ? (weir_time)ps : *out;
    return WEIR_OK;
}

static weir_status computation(chakra *c, const WiChakra__Node *n, wi_job_op *op)
{
    const bool memory = n->type == WI_CHAKRA__KIND__MEM_LOAD || n->type == WI_CHAKRA__KIND__MEM_STORE;
    op->kind = WI_JOB_COMPUTE;
    op->processor = memory ? PROCESSOR_MEMORY : number_of(n, "is_cpu_op", 0) ? PROCESSOR_HOST : PROCESSOR_GPU;
    if (n->duration_micros > 0 || n->type == WI_CHAKRA__KIND__METADATA) {
        op->time_ps = n->duration_micros < INT64_MAX / 1000000 ? (weir_time)n->duration_micros * 1000000
                                                               : INT64_MAX / 2;
        return WEIR_OK;
    }
    if (!memory)
        WI_RETURN_IF_FAILED(time_of(c, n, "num_ops", c->options->flops, "flops", &op->time_ps));
    if (memory || c->options->memory_Bps > 0.0)
        return time_of(c, n, "tensor_size", c->options->memory_Bps, "memory_rate", &op->time_ps);
    return WEIR_OK;
}

/* Who is in a group the trace does not say: with several of them its collectives are likely not of all ranks. */
static void note_group(chakra *c, const char *name)
{
    if (!c->named) {
        c->named = strdup(name);
        (void)wi_reading_has(&c->r, c->named);
        return;
    }
    if (c->warned || strcmp(c->named, name) == 0)
        return;
    c->warned = true;
    weir_warn(
        c->r.diag,
        "%s: collectives of process groups '%s' and '%s', each of which all ranks do; 'groups' would say "
        "which ranks they are",
        c->r.file, c->named, name);
}

static uint32_t group_of(chakra *c, const WiChakra__Node *n)
{
    const WiChakra__Attribute *const a = attribute(n, "pg_name");
    const bool named = a && a->value_case == WI_CHAKRA__ATTRIBUTE__VALUE_STRING_VAL;
    uint32_t group = 0;
    const char *name;
    json_t *list;
    if (named && !c->groups)
        note_group(c, a->string_val);
    json_object_foreach(c->groups, name, list)
    {
        if (named && strcmp(name, a->string_val) == 0)
            return group;
        group++;
    }
    return c->groups ? WI_JOB_NONE : 0;
}

static weir_status collective(chakra *c, const WiChakra__Node *n, wi_job_op *op)
{
    static const uint8_t ops[] = {
        JOB_OP_ALLREDUCE, JOB_OP_REDUCE,   JOB_OP_ALLGATHER,      JOB_OP_GATHER,         JOB_OP_SCATTER,
        JOB_OP_BCAST,     JOB_OP_ALLTOALL, JOB_OP_REDUCE_SCATTER, JOB_OP_REDUCE_SCATTER, JOB_OP_BARRIER};
    const uint64_t type = number_of(n, "comm_type", UINT64_MAX);
    op->kind = WI_JOB_COLLECTIVE;
    op->group = group_of(c, n);
    op->peer = (uint32_t)number_of(n, "root", 0);
    if (type >= sizeof ops || op->group == WI_JOB_NONE)
        return WRONG(c, n, " ('%s'): %s", n->name,
                     type == UINT64_MAX   ? "no comm_type says which collective it is"
                     : type >= sizeof ops ? "no such comm_type"
                                          : "its pg_name is none of 'groups'");
    op->collective = ops[type];
    if (op->collective != JOB_OP_BARRIER)
        WI_RETURN_IF_FAILED(size_of(c, n, op));
    const uint32_t ranks = wi_job_group_size(c->r.job, op->group);
    if (op->collective == JOB_OP_ALLTOALL)
        op->bytes = (op->bytes + ranks - 1) / ranks;
    return WEIR_OK;
}

static weir_status message(chakra *c, const WiChakra__Node *n, wi_job_op *op)
{
    const bool sends = n->type == WI_CHAKRA__KIND__COMM_SEND;
    const uint64_t peer = number_of(n, sends ? "comm_dst" : "comm_src", UINT64_MAX);
    op->kind = sends ? WI_JOB_SEND : WI_JOB_RECV;
    if (sends)
        WI_RETURN_IF_FAILED(size_of(c, n, op));
    else
        op->bytes = number_of(n, "comm_size", 0); /* as large as what comes */
    op->tag = (uint32_t)number_of(n, "comm_tag", 0);
    op->peer = (uint32_t)peer;
    return peer < c->r.job->n_ranks ? WEIR_OK
                                    : WRONG(c, n, " ('%s'): %s is no rank of 0 to %u", n->name,
                                            sends ? "comm_dst" : "comm_src", c->r.job->n_ranks - 1);
}

static void want(chakra *c, uint32_t op, const uint64_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        WI_READING_PUT(&c->r, c->wants, c->n_wants, (node_op){ids[i], op});
}

static weir_status take_node(chakra *c, const WiChakra__Node *n)
{
    wi_job_op op = {.rank = c->rank, .where = n->id};
    switch (n->type) {
    case WI_CHAKRA__KIND__COMM_SEND:
    case WI_CHAKRA__KIND__COMM_RECV:
        WI_RETURN_IF_FAILED(message(c, n, &op));
        break;
    case WI_CHAKRA__KIND__COMM_COLL:
        WI_RETURN_IF_FAILED(collective(c, n, &op));
        break;
    case WI_CHAKRA__KIND__INVALID:
        return WRONG(c, n, " has no type");
    default:
        WI_RETURN_IF_FAILED(computation(c, n, &op));
    }
    const uint32_t at = wi_reading_add(&c->r, op, n->name);
    WI_READING_PUT(&c->r, c->nodes, c->n_nodes, (node_op){n->id, at});
    want(c, at, n->ctrl_deps, n->n_ctrl_deps);
    want(c, at, n->data_deps, n->n_data_deps);
    return c->r.status;
}

WI_ORDER_BY(by_id, node_op, WI_ORDER(x->id, y->id))

/* All nodes of the rank are known. */
static weir_status find_wanted(chakra *c)
{
    if (c->n_nodes)
        qsort(c->nodes, c->n_nodes, sizeof *c->nodes, by_id);
    for (uint32_t i = 1; i < c->n_nodes; i++)
        if (c->nodes[i - 1].id == c->nodes[i].id)
            return wi_job_wrong(c->r.diag, c->r.job, c->nodes[i].op, "a second node of this number");
    for (uint32_t i = 0; i < c->n_wants; i++) {
        const node_op *const wanted = &c->wants[i], *const before =
                                                        c->n_nodes ? bsearch(wanted, c->nodes, c->n_nodes,
                                                                             sizeof *c->nodes, by_id)
                                                                   : NULL;
        if (!before)
            return wi_job_wrong(c->r.diag, c->r.job, wanted->op, "it depends on node %llu, which is missing",
                                (unsigned long long)wanted->id);
        wi_reading_after(&c->r, wanted->op, before->op, false);
    }
    c->n_nodes = c->n_wants = 0;
    return c->r.status;
}

/* ---- files ---- */

/* The length before a message; SIZE_MAX: it is damaged. */
static size_t length_at(const uint8_t *bytes, size_t size, size_t *at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < size && shift < 64; shift += 7) {
        const uint8_t byte = bytes[(*at)++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value <= size - *at ? (size_t)value : SIZE_MAX;
    }
    return SIZE_MAX;
}

static const char *path_of(chakra *c, uint32_t rank)
{
    snprintf(c->path, sizeof c->path, "%s.%u.et", c->stem, rank);
    return c->path;
}

static weir_status read_rank(chakra *c)
{
    WI_FREED char *text = NULL;
    size_t size = 0, at = 0;
    WI_RETURN_IF_FAILED(wi_file_read(c->r.diag, path_of(c, c->rank), SIZE_MAX / 2, &text, &size));
    for (bool first = true; c->r.status == WEIR_OK && at < size; first = false) {
        const size_t length = length_at((const uint8_t *)text, size, &at), from = at;
        if (length == SIZE_MAX)
            return WI_WRONG(&c->r, "%s: it breaks off behind byte %zu", c->path, at);
        at += length;
        if (first) /* GlobalMetadata */
            continue;
        WiChakra__Node *n = wi_chakra__node__unpack(NULL, length, (const uint8_t *)text + from);
        if (!n)
            return WI_WRONG(&c->r, "%s: no node of Chakra's at byte %zu", c->path, from);
        c->r.status = take_node(c, n);
        wi_chakra__node__free_unpacked(n, NULL);
    }
    return c->r.status ?: find_wanted(c);
}

/* "DIR/NAME" of "DIR/NAME.3.et", or of what is that already. */
static void stem_of(const char *file, char *out, size_t size)
{
    snprintf(out, size, "%s", file);
    char *dot = strrchr(out, '.');
    if (!dot || strcmp(dot, ".et") != 0)
        return;
    *dot = '\0';
    dot = strrchr(out, '.');
    if (dot && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0')
        *dot = '\0';
}

/* The rank of a file NAME.RANK.et; 0: it is called otherwise. */
static unsigned long rank_of(const chakra *c, const char *file)
{
    const size_t n = strlen(c->stem);
    char *end;
    if (strncmp(file, c->stem, n) != 0 || file[n] != '.' || file[n + 1] < '0' || file[n + 1] > '9')
        return 0;
    const unsigned long rank = strtoul(file + n + 1, &end, 10);
    return strcmp(end, ".et") == 0 ? rank : 0;
}

/* Files are of ranks 0, 1, ... A later one tells that one was lost on its way here, and with it all behind it. */
static weir_status count_ranks(chakra *c)
{
    uint32_t *const n = &c->r.job->n_ranks;
    char pattern[sizeof c->stem + 8];
    unsigned long last = 0;
    glob_t found = {0};
    while (*n < WI_JOB_RANKS_MAX && access(path_of(c, *n), R_OK) == 0)
        ++*n;
    snprintf(pattern, sizeof pattern, "%s.*.et", c->stem);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            last = rank_of(c, found.gl_pathv[i]) > last ? rank_of(c, found.gl_pathv[i]) : last;
    globfree(&found);
    if (*n > 0 && last < *n)
        return WEIR_OK;
    return weir_fail(c->r.diag, WEIR_E_IO, "%s: no such file%s", c->path,
                     last > 0 ? ", but of later ranks" : "");
}

/* Groups by their names: {"0": [0, 1, 2, 3]}. */
static weir_status read_groups(chakra *c)
{
    json_error_t error;
    const char *name;
    json_t *list;
    if (!c->options->groups) {
        (void)wi_reading_has(&c->r, wi_job_group_of_all(c->r.job));
        return c->r.status;
    }
    c->groups = json_load_file(c->options->groups, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(c->groups))
        return WI_WRONG_IN(&c->r, c->options->groups, c->groups ? 1 : error.line, "%s",
                           c->groups ? "want an object of lists of ranks" : error.text);
    WI_FREED uint32_t *ranks = malloc((size_t)c->r.job->n_ranks * sizeof *ranks);
    if (!wi_reading_has(&c->r, ranks))
        return c->r.status;
    json_object_foreach(c->groups, name, list)
    {
        const size_t n = json_array_size(list);
        if (n == 0)
            return WI_WRONG_IN(&c->r, c->options->groups, 1, "group '%s' has no ranks", name);
        for (size_t k = 0; k < n; k++) {
            const json_t *const at = json_array_get(list, k);
            if (k >= c->r.job->n_ranks || !json_is_integer(at) || json_integer_value(at) < 0 ||
                json_integer_value(at) >= c->r.job->n_ranks)
                return WI_WRONG_IN(&c->r, c->options->groups, 1, "group '%s': want ranks 0 to %u", name,
                                   c->r.job->n_ranks - 1);
            ranks[k] = (uint32_t)json_integer_value(at);
        }
        if (!wi_reading_has(&c->r, wi_job_group(c->r.job, ranks, (uint32_t)n) != WI_JOB_NONE))
            break;
    }
    return c->r.status;
}

weir_status wi_job_read_chakra(weir_diag *diag, wi_job *job, const wi_job_options *options)
{
    chakra c = {.r = {diag, job, job->file, "nodes"}, .options = options};
    job->what = "node";
    job->asks = false;
    stem_of(job->file, c.stem, sizeof c.stem);
    c.r.status = count_ranks(&c) ?: read_groups(&c);
    for (; c.rank < job->n_ranks && c.r.status == WEIR_OK; c.rank++)
        c.r.status = read_rank(&c);
    json_decref(c.groups);
    free(c.nodes);
    free(c.wants);
    free(c.named);
    return c.r.status;
}

#endif
