/* Formats to write by name, and files that appear whole. */
#include "topology/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file/out.h"
#include "base/memory.h"
#include "base/nearest.h"

static const weir_topology_format formats[] = {
    {"graphml", ".graphml .xml", "all that a graph holds"},
    {"brite", ".brite", "BRITE's topology format"},
    {"dot", ".dot .gv", "Graphviz"},
    {"edges", ".txt .edges .edgelist .el .tsv",
     "edge list: two node names a line, and the weight where there is one"},
    {"csv", ".csv", "the same with commas, a title and names in quotes"},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* What writes each of them, and what it holds. */
static const struct writer {
    wi_writer *print;
    const char *called;
    unsigned holds;
} writers[] = {
    {wi_write_graphml, "GraphML", WI_HOLDS_ALL},   {wi_write_brite, "BRITE", WI_BRITE_HOLDS},
    {wi_write_dot, "DOT", WI_HOLDS_ALL},           {wi_write_edges, "an edge list", WI_EDGES_HOLD},
    {wi_write_csv, "an edge list", WI_EDGES_HOLD},
};
_Static_assert(sizeof writers / sizeof *writers == N_FORMATS, "one writer a format");

const weir_topology_format *weir_topology_write_formats(size_t *count)
{
    *count = N_FORMATS;
    return formats;
}

/* ---- whole files ---- */

static ssize_t gz_write(void *cookie, const char *data, size_t size)
{
    return size == 0 ? 0 : gzwrite(cookie, data, (unsigned)size);
}

static int gz_close(void *cookie)
{
    return gzclose(cookie) == Z_OK ? 0 : -1;
}

static FILE *open_gz(int fd)
{
    gzFile gz = gzdopen(fd, "wb");
    if (!gz) {
        close(fd);
        return NULL;
    }
    FILE *out = fopencookie(gz, "w", (cookie_io_functions_t){.write = gz_write, .close = gz_close});
    if (!out)
        gzclose(gz);
    return out;
}

weir_status wi_whole_open(weir_diag *diag, const char *path, bool compress, wi_whole_file *file)
{
    struct stat about;
    *file = (wi_whole_file){.path = path};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return weir_fail(diag, WEIR_E_IO, "%s: this is a folder", path);
    const bool through = wi_is_written_through(path);
    if (!through && asprintf(&file->temporary, "%s.tmp-%ld", path, (long)getpid()) < 0) {
        file->temporary = NULL;
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for a file's name");
    }
    const int fd = through ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                           : open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
        file->out = compress ? open_gz(fd) : fdopen(fd, "w");
    if (file->out)
        return WEIR_OK;
    const weir_status st = weir_fail(diag, WEIR_E_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0 && file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    *file = (wi_whole_file){0};
    return st;
}

weir_status wi_whole_close(weir_diag *diag, wi_whole_file *file, bool keep)
{
    weir_status st = WEIR_OK;
    errno = 0;
    bool good = fflush(file->out) == 0 && !ferror(file->out);
    good &= fclose(file->out) == 0;
    good = good && (!keep || !file->temporary || rename(file->temporary, file->path) == 0);
    if (keep && !good)
        st = weir_fail(diag, WEIR_E_IO, "%s: cannot be written: %s", file->path,
                       errno ? strerror(errno) : "the stream failed");
    if (file->temporary && (!keep || st != WEIR_OK))
        unlink(file->temporary);
    free(file->temporary);
    *file = (wi_whole_file){0};
    return st;
}

/* ---- which format ---- */

static bool has_suffix(const char *path, const char *suffixes)
{
    size_t length = strlen(path);
    if (length >= 3 && strcmp(path + length - 3, ".gz") == 0)
        length -= 3;
    while (*suffixes) {
        const size_t n = strcspn(suffixes, " ");
        if (n <= length && strncasecmp(path + length - n, suffixes, n) == 0)
            return true;
        suffixes += n + (suffixes[n] == ' ');
    }
    return false;
}

/* `format` may be null where there is a path. */
static weir_status pick(weir_diag *diag, const char *format, const char *path, const struct writer **writer)
{
    const char *names[N_FORMATS];
    for (size_t i = 0; i < N_FORMATS; i++) {
        names[i] = formats[i].name;
        if (format ? strcmp(format, names[i]) == 0 : has_suffix(path, formats[i].suffixes)) {
            *writer = &writers[i];
            return WEIR_OK;
        }
    }
    if (!format)
        return weir_fail(
            diag, WEIR_E_ARG,
            "%s: the name does not tell the format; say which by --format: graphml, brite, dot, edges, csv",
            path);
    return weir_fail(diag, WEIR_E_ARG, "no format '%s' can be written%s", format,
                     WI_HINT(format, names, N_FORMATS));
}

static weir_status print(weir_diag *diag, const weir_graph *graph, const struct writer *writer, FILE *out)
{
    const weir_status st = writer->print(diag, graph, out);
    if (st == WEIR_OK)
        wi_report_losses(diag, graph, writer->called, writer->holds);
    return st;
}

weir_status weir_topology_write_check(weir_diag *diag, const char *format, const char *path)
{
    const struct writer *writer = NULL;
    return pick(diag, format, path, &writer);
}

weir_status weir_topology_write(weir_diag *diag, const weir_graph *graph, const char *format,
                                const char *path)
{
    const struct writer *writer = NULL;
    wi_whole_file file;
    const size_t length = strlen(path);
    weir_status st =
        pick(diag, format, path, &writer)
            ?: wi_whole_open(diag, path, length > 3 && strcmp(path + length - 3, ".gz") == 0, &file);
    if (st != WEIR_OK)
        return st;
    st = print(diag, graph, writer, file.out);
    const weir_status closed = wi_whole_close(diag, &file, st == WEIR_OK);
    return st ?: closed;
}

weir_status weir_topology_print(weir_diag *diag, const weir_graph *graph, const char *format, char **text,
                                size_t *size)
{
    const struct writer *writer = NULL;
    *text = NULL;
    *size = 0;
    WI_RETURN_IF_FAILED(pick(diag, format, "", &writer));
    FILE *out = open_memstream(text, size);
    if (!out)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the text of a graph");
    weir_status st = print(diag, graph, writer, out);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        st = st == WEIR_OK ? weir_fail(diag, WEIR_E_NOMEM, "out of memory for the text of a graph") : st;
    if (st != WEIR_OK) {
        free(*text);
        *text = NULL;
        *size = 0;
    }
    return st;
}
