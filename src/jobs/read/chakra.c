/*
 * Chakra execution traces (MLCommons): a file a rank, nodes behind their lengths, read by protobuf-c.
 *
 * A computation lasts its duration_micros; where that is 0, the longer of num_ops at the given rate of operations and
 * tensor_size at that of memory. Loads and stores of memory likewise by tensor_size. They take the rank's processor, those of
 * the host (is_cpu_op) another, and loads and stores a third. comm_size is what each rank brings: ASTRA-sim's meaning, so that
 * an all-gather gives comm_size times the ranks. Nodes of metadata wait and end at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "jobs/read/readers.h"

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

typedef struct node_place {
    uint64_t id;
    uint32_t op;
} node_place;

/* A dependency, found when all nodes of the rank are known. */
typedef struct wanted {
    uint64_t id;
    uint32_t op;
} wanted;

typedef struct chakra {
    weir_diag *diag;
    wi_job *job;
    const wi_job_options *options;
    json_t *groups;     /* null: all ranks */
    uint32_t *group_of; /* [json_object_size(groups)] numbers in the job; one of all ranks without groups */
    uint32_t rank;
    node_place *nodes;
    uint32_t n_nodes;
    wanted *wants;
    uint32_t n_wants;
} chakra;

static weir_status no_memory(const chakra *c)
{
    return weir_fail(c->diag, WEIR_E_NOMEM, "%s: no memory for its nodes", c->job->file);
}

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
    int64_t value = -1;
    if (!a)
        return fallback;
    switch (a->value_case) {
    case WI_CHAKRA__ATTRIBUTE__VALUE_DOUBLE_VAL:
        return a->double_val >= 0 && a->double_val < 1e19 ? (uint64_t)a->double_val : fallback;
    case WI_CHAKRA__ATTRIBUTE__VALUE_FLOAT_VAL:
        return a->float_val >= 0 && a->float_val < 1e19f ? (uint64_t)a->float_val : fallback;
    case WI_CHAKRA__ATTRIBUTE__VALUE_INT32_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_SINT32_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_SFIXED32_VAL:
        value = a->int32_val;
        break;
    case WI_CHAKRA__ATTRIBUTE__VALUE_INT64_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_SINT64_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_SFIXED64_VAL:
        value = a->int64_val;
        break;
    case WI_CHAKRA__ATTRIBUTE__VALUE_UINT32_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_FIXED32_VAL:
        return a->uint32_val;
    case WI_CHAKRA__ATTRIBUTE__VALUE_UINT64_VAL:
    case WI_CHAKRA__ATTRIBUTE__VALUE_FIXED64_VAL:
        return a->uint64_val;
    case WI_CHAKRA__ATTRIBUTE__VALUE_BOOL_VAL:
        return a->bool_val;
    default:
        break;
    }
    return value >= 0 ? (uint64_t)value : fallback;
}

/* ---- nodes ---- */

static weir_status time_of(const chakra *c, const WiChakra__Node *n, const char *what, double per_s,
                           const char *option, weir_time *out)
{
    const uint64_t amount = number_of(n, what, 0);
    const double ps = per_s > 0.0 ? 1e12 * (double)amount / per_s : 0.0;
    if (amount > 0 && !(per_s > 0.0) && !c->options->counting)
        return weir_fail(c->diag, WEIR_E_FORMAT,
                         "%s: rank %u, node %llu ('%s') has %s %llu and no duration; give '%s'", c->job->file,
                         c->rank, (unsigned long long)n->id, n->name, what, (unsigned long long)amount,
                         option);
    if (!(ps < 9e18))
        return weir_fail(c->diag, WEIR_E_FORMAT, "%s: rank %u, node %llu takes too long", c->job->file,
                         c->rank, (unsigned long long)n->id);
    *out = (weir_time)ps > *out ? (weir_time)ps : *out;
    return WEIR_OK;
}

static weir_status computation(const chakra *c, const WiChakra__Node *n, wi_job_op *op)
{
    const bool memory = n->type == WI_CHAKRA__KIND__MEM_LOAD || n->type == WI_CHAKRA__KIND__MEM_STORE;
    op->kind = WI_JOB_COMPUTE;
    op->processor = memory ? PROCESSOR_MEMORY : number_of(n, "is_cpu_op", 0) ? PROCESSOR_HOST : PROCESSOR_GPU;
    if (n->duration_micros > 0 || n->type == WI_CHAKRA__KIND__METADATA) {
        op->time_ps = n->duration_micros < INT64_MAX / 1000000 ? (weir_time)n->duration_micros * 1000000
                                                               : INT64_MAX / 2;
        return WEIR_OK;
    }
    weir_status status = WEIR_OK;
    if (!memory)
        status = time_of(c, n, "num_ops", c->options->flops, "flops", &op->time_ps);
    if (status == WEIR_OK && (memory || c->options->memory_Bps > 0.0))
        status = time_of(c, n, "tensor_size", c->options->memory_Bps, "memory_rate", &op->time_ps);
    return status;
}

static uint32_t group_of(const chakra *c, const WiChakra__Node *n)
{
    const WiChakra__Attribute *const a = attribute(n, "pg_name");
    uint32_t i = 0;
    const char *name;
    json_t *list;
    if (!c->groups)
        return c->group_of[0];
    if (!a || a->value_case != WI_CHAKRA__ATTRIBUTE__VALUE_STRING_VAL)
        return WI_JOB_NONE;
    json_object_foreach(c->groups, name, list)
    {
        if (strcmp(name, a->string_val) == 0)
            return c->group_of[i];
        i++;
    }
    return WI_JOB_NONE;
}

static weir_status collective(const chakra *c, const WiChakra__Node *n, wi_job_op *op)
{
    static const uint8_t ops[] = {
        JOB_OP_ALLREDUCE, JOB_OP_REDUCE,   JOB_OP_ALLGATHER,      JOB_OP_GATHER,         JOB_OP_SCATTER,
        JOB_OP_BCAST,     JOB_OP_ALLTOALL, JOB_OP_REDUCE_SCATTER, JOB_OP_REDUCE_SCATTER, JOB_OP_BARRIER};
    const uint64_t type = number_of(n, "comm_type", UINT64_MAX);
    op->kind = WI_JOB_COLLECTIVE;
    op->bytes = number_of(n, "comm_size", 0);
    op->group = group_of(c, n);
    op->peer = (uint32_t)number_of(n, "root", 0);
    if (type >= sizeof ops || op->group == WI_JOB_NONE)
        return weir_fail(c->diag, WEIR_E_FORMAT, "%s: rank %u, node %llu ('%s'): %s", c->job->file, c->rank,
                         (unsigned long long)n->id, n->name,
                         type == UINT64_MAX   ? "no comm_type says which collective it is"
                         : type >= sizeof ops ? "no such comm_type"
                                              : "its pg_name is none of 'groups'");
    op->collective = ops[type];
    const uint32_t next =
        op->group + 1 < c->job->n_groups ? c->job->group_first[op->group + 1] : c->job->n_members;
    const uint32_t ranks = next - c->job->group_first[op->group];
    if (op->collective == JOB_OP_ALLTOALL)
        op->bytes = (op->bytes + ranks - 1) / ranks;
    return WEIR_OK;
}

static weir_status message(const chakra *c, const WiChakra__Node *n, wi_job_op *op)
{
    const bool sends = n->type == WI_CHAKRA__KIND__COMM_SEND;
    const uint64_t peer = number_of(n, sends ? "comm_dst" : "comm_src", UINT64_MAX);
    op->kind = sends ? WI_JOB_SEND : WI_JOB_RECV;
    op->bytes = number_of(n, "comm_size", 0);
    op->tag = (uint32_t)number_of(n, "comm_tag", 0);
    op->peer = (uint32_t)peer;
    return peer < c->job->n_ranks
               ? WEIR_OK
               : weir_fail(c->diag, WEIR_E_FORMAT, "%s: rank %u, node %llu ('%s'): %s is no rank of 0 to %u",
                           c->job->file, c->rank, (unsigned long long)n->id, n->name,
                           sends ? "comm_dst" : "comm_src", c->job->n_ranks - 1);
}

static weir_status want(chakra *c, uint32_t op, const uint64_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!wi_grow_one(&c->wants, c->n_wants, sizeof *c->wants))
            return no_memory(c);
        c->wants[c->n_wants++] = (wanted){ids[i], op};
    }
    return WEIR_OK;
}

static weir_status take_node(chakra *c, const WiChakra__Node *n)
{
    wi_job_op op = {.rank = c->rank, .where = n->id};
    weir_status status = WEIR_OK;
    switch (n->type) {
    case WI_CHAKRA__KIND__COMM_SEND:
    case WI_CHAKRA__KIND__COMM_RECV:
        status = message(c, n, &op);
        break;
    case WI_CHAKRA__KIND__COMM_COLL:
        status = collective(c, n, &op);
        break;
    case WI_CHAKRA__KIND__INVALID:
        status = weir_fail(c->diag, WEIR_E_FORMAT, "%s: rank %u, node %llu has no type", c->job->file,
                           c->rank, (unsigned long long)n->id);
        break;
    default:
        status = computation(c, n, &op);
    }
    if (status != WEIR_OK)
        return status;
    op.name = wi_job_name(c->job, n->name, strlen(n->name));
    const uint32_t at = wi_job_add(c->job, &op);
    if (at == WI_JOB_NONE || op.name == WI_JOB_NONE || !wi_grow_one(&c->nodes, c->n_nodes, sizeof *c->nodes))
        return no_memory(c);
    c->nodes[c->n_nodes++] = (node_place){n->id, at};
    return want(c, at, n->ctrl_deps, n->n_ctrl_deps) ?: want(c, at, n->data_deps, n->n_data_deps);
}

static int by_id(const void *a, const void *b)
{
    const node_place *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* All nodes of the rank are known. */
static weir_status find_wanted(chakra *c)
{
    if (c->n_nodes)
        qsort(c->nodes, c->n_nodes, sizeof *c->nodes, by_id);
    for (uint32_t i = 1; i < c->n_nodes; i++)
        if (c->nodes[i - 1].id == c->nodes[i].id)
            return wi_job_wrong(c->diag, c->job, c->nodes[i].op, "a second node of this number");
    for (uint32_t i = 0; i < c->n_wants; i++) {
        const node_place key = {.id = c->wants[i].id};
        const node_place *const before =
            c->n_nodes ? bsearch(&key, c->nodes, c->n_nodes, sizeof *c->nodes, by_id) : NULL;
        if (!before)
            return wi_job_wrong(c->diag, c->job, c->wants[i].op, "it depends on node %llu, which is missing",
                                (unsigned long long)key.id);
        if (!wi_job_after(c->job, c->wants[i].op, before->op, false))
            return no_memory(c);
    }
    c->n_nodes = c->n_wants = 0;
    return WEIR_OK;
}

/* ---- files ---- */

/* The length before a message; 0: none is left, or it is damaged. */
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

static weir_status read_rank(chakra *c, const char *path)
{
    WI_FREED char *text = NULL;
    size_t size = 0, at = 0;
    weir_status status = wi_file_read(c->diag, path, SIZE_MAX / 2, &text, &size);
    for (bool first = true; status == WEIR_OK && at < size; first = false) {
        const size_t length = length_at((const uint8_t *)text, size, &at);
        if (length == SIZE_MAX)
            return weir_fail(c->diag, WEIR_E_FORMAT, "%s: it breaks off behind byte %zu", path, at);
        const uint8_t *const bytes = (const uint8_t *)text + at;
        at += length;
        if (first) /* GlobalMetadata */
            continue;
        WiChakra__Node *n = wi_chakra__node__unpack(NULL, length, bytes);
        status =
            n ? take_node(c, n)
              : weir_fail(c->diag, WEIR_E_FORMAT, "%s: no node of Chakra's at byte %zu", path, at - length);
        if (n)
            wi_chakra__node__free_unpacked(n, NULL);
    }
    return status ?: find_wanted(c);
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

static weir_status count_ranks(chakra *c, const char *stem)
{
    char path[4200];
    do {
        snprintf(path, sizeof path, "%s.%u.et", stem, c->job->n_ranks);
        FILE *f = fopen(path, "rb");
        if (!f)
            break;
        fclose(f);
        c->job->n_ranks++;
    } while (c->job->n_ranks < WI_JOB_RANKS_MAX);
    return c->job->n_ranks ? WEIR_OK : weir_fail(c->diag, WEIR_E_IO, "%s: no such file", path);
}

static weir_status groups_of_all(chakra *c)
{
    WI_FREED uint32_t *all = malloc((size_t)c->job->n_ranks * sizeof *all);
    c->group_of = malloc(sizeof *c->group_of);
    for (uint32_t i = 0; all && i < c->job->n_ranks; i++)
        all[i] = i;
    if (all && c->group_of)
        c->group_of[0] = wi_job_group(c->job, all, c->job->n_ranks);
    return all && c->group_of && c->group_of[0] != WI_JOB_NONE ? WEIR_OK : no_memory(c);
}

/* Groups by their names: {"0": [0, 1, 2, 3]}. */
static weir_status read_groups(chakra *c)
{
    json_error_t error;
    const char *name;
    json_t *list;
    if (!c->options->groups)
        return groups_of_all(c);
    c->groups = json_load_file(c->options->groups, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(c->groups))
        return weir_fail_at(c->diag, WEIR_E_FORMAT, c->options->groups, c->groups ? 1 : error.line, 1, "%s",
                            c->groups ? "want an object of lists of ranks" : error.text);
    c->group_of = calloc(json_object_size(c->groups) + 1, sizeof *c->group_of);
    WI_FREED uint32_t *ranks = malloc((size_t)c->job->n_ranks * sizeof *ranks);
    if (!c->group_of || !ranks)
        return no_memory(c);
    uint32_t i = 0;
    json_object_foreach(c->groups, name, list)
    {
        const size_t n = json_array_size(list);
        for (size_t k = 0; k < n; k++) {
            const json_t *const at = json_array_get(list, k);
            if (k >= c->job->n_ranks || !json_is_integer(at) || json_integer_value(at) < 0 ||
                json_integer_value(at) >= c->job->n_ranks)
                return weir_fail_at(c->diag, WEIR_E_FORMAT, c->options->groups, 1, 1,
                                    "group '%s': want ranks 0 to %u", name, c->job->n_ranks - 1);
            ranks[k] = (uint32_t)json_integer_value(at);
        }
        c->group_of[i] = wi_job_group(c->job, ranks, (uint32_t)n);
        if (c->group_of[i++] == WI_JOB_NONE)
            return no_memory(c);
    }
    return WEIR_OK;
}

weir_status wi_job_read_chakra(weir_diag *diag, wi_job *job, const wi_job_options *options)
{
    chakra c = {.diag = diag, .job = job, .options = options};
    char stem[4096], path[4200];
    job->what = "node";
    stem_of(job->file, stem, sizeof stem);
    weir_status status = count_ranks(&c, stem) ?: read_groups(&c);
    for (c.rank = 0; c.rank < job->n_ranks && status == WEIR_OK; c.rank++) {
        snprintf(path, sizeof path, "%s.%u.et", stem, c.rank);
        status = read_rank(&c, path);
    }
    json_decref(c.groups);
    free(c.group_of);
    free(c.nodes);
    free(c.wants);
    return status;
}

#endif
