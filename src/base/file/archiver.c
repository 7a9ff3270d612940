/* One walk that saves or reads back; see archiver.h. */
#include "base/file/archiver.h"

#include <string.h>

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

void wi_archive_file(wi_archiver *k, wi_out *file)
{
    char piece[16 * 1024];
    const bool reads = wi_archiver_reads(k);
    const uint64_t size = reads ? k->part.left : wi_out_size(file);
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

weir_status wi_archiver_status(wi_archiver *k)
{
    end_section(k);
    return k->status;
}
