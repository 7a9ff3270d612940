/* One walk that saves or reads back; see archiver.h. */
#include "base/file/archiver.h"

#include <string.h>

#include "base/memory.h"

void wi_archiver_fail(wi_archiver *k, weir_status status)
{
    if (k->status == WEIR_OK)
        k->status = status;
}

static void end_section(wi_archiver *k)
{
    if (wi_archiver_reads(k) && k->part.name && k->status == WEIR_OK)
        k->status = wi_saved_done(k->diag, k->from, &k->part);
    k->part = (wi_saved_part){0};
}

void wi_archive_section(wi_archiver *k, const char *name)
{
    end_section(k);
    if (k->to)
        wi_saver_section(k->to, name);
    else if (wi_archiver_reads(k) && !wi_saved_find(k->from, name, &k->part) && k->status == WEIR_OK)
        k->status = weir_fail_at(k->diag, WEIR_E_FORMAT, wi_saved_path(k->from), 0, 0,
                                 "there is no section '%s'", name);
}

void wi_archive(wi_archiver *k, void *at, size_t bytes)
{
    if (bytes == 0)
        return;
    if (k->to)
        wi_saver_put(k->to, at, bytes);
    else if (wi_archiver_reads(k) && k->status == WEIR_OK)
        wi_saved_read(&k->part, at, bytes);
    else if (wi_archiver_reads(k))
        memset(at, 0, bytes);
}

static void archive_bytes(wi_archiver *k, wi_out *file, uint64_t size)
{
    char piece[16 * 1024];
    const bool reads = wi_archiver_reads(k);
    if (reads)
        wi_out_restart(file);
    for (uint64_t at = 0; at < size && k->status == WEIR_OK; at += sizeof piece) {
        const size_t n = size - at < sizeof piece ? (size_t)(size - at) : sizeof piece;
        if (!reads)
            wi_out_read_at(file, at, piece, n);
        wi_archive(k, piece, n);
        if (reads)
            wi_out_write(file, piece, n);
    }
}

void wi_archive_file(wi_archiver *k, wi_out *file)
{
    archive_bytes(k, file, wi_archiver_reads(k) ? k->part.left : wi_out_size(file));
}

void wi_archive_sized_file(wi_archiver *k, wi_out *file)
{
    archive_bytes(k, file, wi_archive_count(k, wi_archiver_reads(k) ? 0 : wi_out_size(file), 1));
}

uint64_t wi_archive_count(wi_archiver *k, uint64_t n, size_t bytes)
{
    wi_archive(k, &n, sizeof n);
    if (!wi_archiver_reads(k) || n <= k->part.left / bytes)
        return n;
    if (k->status == WEIR_OK)
        k->status = weir_fail_at(k->diag, WEIR_E_FORMAT, wi_saved_path(k->from), 0, 0,
                                 "damaged: section '%s' has less than it says", k->part.name);
    return 0;
}

void wi_archive_array(wi_archiver *k, void *array, size_t *n, size_t bytes)
{
    const uint64_t now = wi_archive_count(k, *n, bytes);
    void *at;
    for (uint64_t i = *n; i < now; i++)
        if (!wi_grow_one(array, i, bytes)) {
            wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_NOMEM, "no memory for what a checkpoint holds"));
            return;
        }
    *n = now;
    memcpy(&at, array, sizeof at);
    wi_archive(k, at, now * bytes);
}

void wi_archive_flag(wi_archiver *k, bool *flag)
{
    uint64_t is = *flag;
    wi_archive(k, &is, sizeof is);
    *flag = is != 0;
}

weir_status wi_archiver_status(wi_archiver *k)
{
    end_section(k);
    return k->status;
}
