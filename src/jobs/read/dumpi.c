/* DUMPI's traces: the meta file, and ranks' files, a call after the other. */
#include "jobs/read/dumpi.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/source.h"
#include "base/memory.h"
#include "jobs/read/readers.h"

enum { TYPES_MAX = 1 << 16, INDEX_BYTES = 64 };
static const uint8_t magic[8] = {0xff, 0xaa, 0xdd, 'D', 'U', 'M', 'P', 'I'};

/* Bytes of types that MPI has, by DUMPI's numbers, where the file does not say. */
static const int8_t type_bytes[] = {-1, -1, 1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                    8,  16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

/* ---- a rank's file ---- */

static weir_status take_call(dumpi_reader *r)
{
    const dumpi_call *const c = r->call;
    const weir_time day_ps = 65536 * WEIR_PS_PER_S;
    if (c->number > 1 && c->thread != r->thread)
        return DUMPI_WRONG(r, "by thread %u, and others by thread %u; calls of several threads are not read",
                           c->thread, r->thread);
    r->thread = c->thread;
    if (c->timed) {
        const weir_time since_ps = c->start_ps - r->last_ps;
        if (r->timed)
            r->owed_ps += since_ps > 0 ? since_ps : since_ps < -day_ps / 2 ? since_ps + day_ps : 0;
        r->last_ps = c->stop_ps;
        r->timed = true;
    }
    if (c->what == DUMPI_REFUSED)
        return DUMPI_WRONG(r, "%s is not read",
                           strncmp(c->name, "Pcontrol", 8) == 0 ? "it" : "traffic of its kind");
    if (c->what >= DUMPI_COMM_SIZE)
        return wi_dumpi_take_object(r);
    if (c->what >= DUMPI_COLLECTIVE)
        return wi_dumpi_take_collective(r);
    if (c->what == DUMPI_TYPE)
        return wi_dumpi_take_type(r);
    return c->what == DUMPI_SKIPPED ? WEIR_OK : wi_dumpi_take_message(r);
}

static void read_calls(dumpi_reader *r, dumpi_call *call, dumpi_bytes b, const uint8_t *begin)
{
    wi_reading *const reading = &r->d->reading;
    (void)wi_dumpi_take(&b, 8); /* what seconds begin at */
    for (dumpi_next next = DUMPI_CALL; next != DUMPI_END && reading->status == WEIR_OK;) {
        const long long at = b.at - begin;
        next = wi_dumpi_next(&b, call);
        if (next == DUMPI_CUT)
            (void)DUMPI_WRONG(r, "it is cut, or damaged, at byte %lld", at);
        if (next == DUMPI_UNKNOWN)
            (void)WI_WRONG(reading, "%s: rank %u, behind call %u: no function at byte %lld", reading->file,
                           r->rank, call->number, at);
        if (next == DUMPI_CALL)
            reading->status = take_call(r);
    }
    if (r->owed_ps > 0 || r->d->n_actions == r->d->rank[r->rank].first_action)
        (void)wi_dumpi_append(r, (job_action){.op = JOB_OP_COMPUTE}, DUMPI_SELF);
}

/* MPI's own types, and the sizes that the file has. */
static void read_types(dumpi_reader *r, dumpi_bytes b)
{
    for (uint32_t i = 0; i < WI_N_OF(type_bytes); i++)
        wi_dumpi_know(r, &r->type, i, type_bytes[i]);
    const uint32_t n = (uint32_t)wi_dumpi_take(&b, 4);
    for (uint32_t i = 0; i < n && i < TYPES_MAX; i++) {
        const int32_t bytes = (int32_t)(uint32_t)wi_dumpi_take(&b, 4);
        if (bytes > 0 && !b.cut)
            wi_dumpi_know(r, &r->type, i, bytes);
    }
}

static weir_status read_file(dumpi_reader *r, dumpi_call *call, const uint8_t *text, size_t size)
{
    enum { TYPES, FUNCTIONS, COUNTERS, HEADER, STREAM, FOOTER, KEYS, PARTS };
    wi_reading *const reading = &r->d->reading;
    uint64_t part[PARTS];
    if (size < sizeof magic + INDEX_BYTES || memcmp(text, magic, sizeof magic) != 0)
        return WI_WRONG(reading, "%s: no trace of DUMPI", reading->file);
    dumpi_bytes b = {text + size - INDEX_BYTES, text + size, false};
    const bool whole = memcmp(b.at, magic, sizeof magic) == 0;
    b.at += sizeof magic;
    for (int i = 0; i < PARTS; i++)
        part[i] = wi_dumpi_take(&b, 8);
    if (!whole || part[HEADER] > size || part[STREAM] > part[HEADER] || part[TYPES] > size)
        return WI_WRONG(
            reading, "%s: it does not end with an index of its parts: it is cut, or older than version 0.6.9",
            reading->file);
    b.at = text + part[HEADER];
    const uint32_t version = (uint32_t)wi_dumpi_take(&b, 3);
    if (b.cut || version < 0x000609 || version > 0x01ffff)
        return WI_WRONG(reading, "%s: version %u.%u.%u; read are 0.6.9 to 1", reading->file, version >> 16,
                        version >> 8 & 255, version & 255);
    read_types(r, (dumpi_bytes){part[TYPES] ? text + part[TYPES] : text + size, text + size, false});
    read_calls(r, call, (dumpi_bytes){text + part[STREAM], text + part[HEADER], false}, text);
    return reading->status;
}

static weir_status read_rank(wi_dumpi *d, uint32_t rank, const uint8_t *text, size_t size)
{
    dumpi_call call = {.name = "?"};
    dumpi_reader r = {.d = d, .rank = rank, .call = &call};
    d->reading.file = d->reading.job->programs.file[rank];
    d->rank[rank] = (dumpi_rank){d->n_actions, d->n_objects, 0};
    wi_dumpi_begin_objects(&r);
    (void)read_file(&r, &call, text, size);
    d->rank[rank].slots = r.slots;
    free(r.type.at);
    free(r.comm.at);
    free(r.group.at);
    free(r.request);
    free(r.free_slot);
    return d->reading.status;
}

weir_status wi_dumpi_read(weir_diag *diag, wi_job *job, wi_dumpi_bring bring, void *from)
{
    wi_dumpi d = {.reading = {diag, job, job->file, "calls"}};
    d.rank = calloc((size_t)job->n_ranks + 1, sizeof *d.rank);
    job->what = "call";
    job->any_or_nobody = true;
    (void)wi_reading_has(&d.reading, d.rank);
    for (uint32_t rank = 0; rank < job->n_ranks && d.reading.status == WEIR_OK; rank++) {
        WI_FREED char *text = NULL;
        size_t size = 0;
        d.reading.status =
            bring(from, rank, &text, &size) ?: read_rank(&d, rank, (const uint8_t *)text, size);
    }
    if (d.reading.status == WEIR_OK) {
        d.rank[job->n_ranks] = (dumpi_rank){d.n_actions, d.n_objects, 0};
        wi_dumpi_settle(&d);
    }
    free(d.action);
    free(d.object);
    free(d.number);
    free(d.rank);
    return d.reading.status;
}

/* ---- the meta file ---- */

/* What stands behind a key, to the line's end; null: it is not there. */
static wi_slice value_of(const char *text, const char *key)
{
    const size_t n = strlen(key);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, key, n) == 0 && line[n] == '=')
            return (wi_slice){line + n + 1, strcspn(line + n + 1, "\r\n")};
    return (wi_slice){0};
}

bool wi_job_is_dumpi(const char *text)
{
    return value_of(text, "numprocs").text && value_of(text, "fileprefix").text;
}

bool wi_job_is_dumpi_rank(const char *text, size_t size)
{
    return size >= sizeof magic && memcmp(text, magic, sizeof magic) == 0;
}

static weir_status bring_file(void *from, uint32_t rank, char **text, size_t *size)
{
    const wi_reading *const r = from;
    return wi_file_read(r->diag, r->job->programs.file[rank], SIZE_MAX / 2, text, size);
}

/* Names of all ranks' files, in the meta file's folder: their numbers have four digits, or as many as the first one has. */
static weir_status name_files(wi_reading *r, wi_slice prefix)
{
    wi_job_programs *const p = &r->job->programs;
    const char *const slash = strrchr(r->job->file, '/');
    const int folder = slash ? (int)(slash - r->job->file) + 1 : 0;
    int digits = 4;
    for (int tried = 0; p->n_files < r->job->n_ranks && r->status == WEIR_OK; tried++) {
        const char *const name = wi_reading_name(r, "%.*s%.*s-%0*zu.bin", folder, r->job->file,
                                                 (int)prefix.length, prefix.text, digits, p->n_files);
        if (!name || p->n_files > 1 || tried >= 9 || access(name, R_OK) == 0)
            continue;
        free(p->file[--p->n_files]);
        digits = digits % 9 + 1; /* 4 again after nine others */
    }
    return r->status;
}

weir_status wi_job_read_dumpi(weir_diag *diag, wi_job *job, const char *text)
{
    wi_reading r = {diag, job, job->file, "names"};
    wi_slice prefix = value_of(text, "fileprefix");
    const wi_slice number = value_of(text, "numprocs");
    char *end;
    const unsigned long ranks = strtoul(number.text, &end, 10);
    if (end != number.text + number.length || ranks < 1 || ranks > WI_JOB_RANKS_MAX || *number.text == '-')
        return WI_WRONG(&r, "%s: numprocs is '%.*s'; want 1 to %d", job->file, (int)number.length,
                        number.text, WI_JOB_RANKS_MAX);
    const char *const slash = memrchr(prefix.text, '/', prefix.length);
    if (slash) /* a folder of the machine that was traced means nothing here */
        prefix = (wi_slice){slash + 1, (size_t)(prefix.text + prefix.length - slash) - 1};
    job->n_ranks = (uint32_t)ranks;
    return name_files(&r, prefix) ?: wi_dumpi_read(diag, job, bring_file, &r);
}
