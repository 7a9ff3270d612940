#include "base/file/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef WEIR_HAVE_BZIP2
#include <bzlib.h>

#include "base/memory.h"
#endif

enum { INPUT = 1 << 16 };

struct wi_unpack {
    gzFile gzip; /* or what is not compressed */
    char why[200];
#ifdef WEIR_HAVE_BZIP2
    FILE *file; /* bzip2 */
    bz_stream bz;
    bool open; /* a stream of several has begun and not ended */
    char input[INPUT];
#endif
};

/* The first four bytes: "BZh" and a digit from 1 to 9. A pipe is not looked at, as it cannot be read twice. */
static bool is_bzip2(const char *path)
{
    struct stat about;
    unsigned char head[4];
    FILE *f = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    const bool whole = f && fread(head, 1, sizeof head, f) == sizeof head;
    if (f)
        fclose(f);
    return whole && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9';
}

static weir_status open_bzip2(weir_diag *diag, const char *path, wi_unpack *u)
{
#ifdef WEIR_HAVE_BZIP2
    u->file = fopen(path, "rb");
    return u->file ? WEIR_OK : weir_fail(diag, WEIR_E_IO, "%s: %s", path, strerror(errno));
#else
    (void)u;
    return weir_fail(
        diag, WEIR_E_FORMAT,
        "%s: compressed by bzip2, which this build cannot read (libbz2-dev); unpack it by bunzip2", path);
#endif
}

static weir_status open_gzip(weir_diag *diag, const char *path, wi_unpack *u, bool from_stdin)
{
    errno = 0;
    const int in = from_stdin ? dup(STDIN_FILENO) : -1;
    u->gzip = in >= 0 ? gzdopen(in, "rb") : gzopen(path, "rb");
    if (u->gzip)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_IO, "%s: %s", path, errno ? strerror(errno) : "out of memory");
}

weir_status wi_unpack_open(weir_diag *diag, const char *path, bool or_stdin, wi_unpack **out)
{
    const bool from_stdin = or_stdin && strcmp(path, "-") == 0;
    wi_unpack *u = calloc(1, sizeof *u);
    *out = NULL;
    if (!u)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory", path);
    const weir_status st =
        !from_stdin && is_bzip2(path) ? open_bzip2(diag, path, u) : open_gzip(diag, path, u, from_stdin);
    if (st == WEIR_OK)
        *out = u;
    else
        wi_unpack_close(u);
    return st;
}

static weir_status failed(wi_unpack *u, weir_status status, const char *what, const char *more)
{
    snprintf(u->why, sizeof u->why, "%s%s", what, more);
    return status;
}

static weir_status why_gzip(wi_unpack *u)
{
    int error;
    const char *text = gzerror(u->gzip, &error);
    if (error == Z_OK)
        return WEIR_OK;
    if (error == Z_ERRNO)
        return failed(u, WEIR_E_IO, "", strerror(errno));
    if (error == Z_BUF_ERROR)
        return failed(u, WEIR_E_FORMAT, "the compressed file breaks off", "");
    return failed(u, WEIR_E_FORMAT, "the compressed file is damaged: ", text);
}

#ifdef WEIR_HAVE_BZIP2
/* Input where none is left; false at the file's end. */
static bool fill(wi_unpack *u)
{
    if (u->bz.avail_in == 0) {
        u->bz.next_in = u->input;
        u->bz.avail_in = (unsigned)fread(u->input, 1, INPUT, u->file);
    }
    return u->bz.avail_in > 0;
}

/* Streams may follow each other, as parallel compressors write them. */
static weir_status begin_stream(wi_unpack *u)
{
    char *const in = u->bz.next_in;
    const unsigned n = u->bz.avail_in;
    memset(&u->bz, 0, sizeof u->bz);
    if (BZ2_bzDecompressInit(&u->bz, 0, 0) != BZ_OK)
        return failed(u, WEIR_E_NOMEM, "out of memory", "");
    u->bz.next_in = in;
    u->bz.avail_in = n;
    u->open = true;
    return WEIR_OK;
}

static weir_status read_bzip2(wi_unpack *u, void *out, unsigned n, unsigned *got)
{
    while (*got == 0) {
        const bool more = fill(u);
        if (ferror(u->file))
            return failed(u, WEIR_E_IO, "", strerror(errno));
        if (!more)
            return u->open ? failed(u, WEIR_E_FORMAT, "the compressed file breaks off", "") : WEIR_OK;
        if (!u->open) {
            WI_RETURN_IF_FAILED(begin_stream(u));
        }
        u->bz.next_out = out;
        u->bz.avail_out = n;
        const int did = BZ2_bzDecompress(&u->bz);
        if (did != BZ_OK && did != BZ_STREAM_END)
            return failed(u, WEIR_E_FORMAT, "the compressed file is damaged (bzip2)", "");
        *got = n - u->bz.avail_out;
        if (did == BZ_STREAM_END) {
            char *const in = u->bz.next_in;
            const unsigned left = u->bz.avail_in;
            (void)BZ2_bzDecompressEnd(&u->bz);
            u->open = false;
            u->bz.next_in = in;
            u->bz.avail_in = left;
        }
    }
    return WEIR_OK;
}
#endif

const char *wi_unpack_why(const wi_unpack *u)
{
    return u->why;
}

weir_status wi_unpack_read(wi_unpack *u, void *out, unsigned n, unsigned *got)
{
    *got = 0;
#ifdef WEIR_HAVE_BZIP2
    if (u->file)
        return n > 0 ? read_bzip2(u, out, n, got) : WEIR_OK;
#endif
    const int did = gzread(u->gzip, out, n);
    if (did > 0) {
        *got = (unsigned)did;
        return WEIR_OK;
    }
    return why_gzip(u);
}

void wi_unpack_close(wi_unpack *u)
{
    if (!u)
        return;
#ifdef WEIR_HAVE_BZIP2
    if (u->open)
        (void)BZ2_bzDecompressEnd(&u->bz);
    if (u->file)
        fclose(u->file);
#endif
    if (u->gzip)
        gzclose(u->gzip);
    free(u);
}
