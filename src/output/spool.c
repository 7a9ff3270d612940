/* Files without a name; see spool.h. */
#include "output/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wi_spool {
    FILE *file;
    int error;
};

/* An unlinked file of the folder, so that a run that is killed leaves no more than before. */
static FILE *open_file(const char *folder)
{
    char *path = NULL;
    FILE *file = NULL;
    if (!folder)
        return tmpfile();
    if (asprintf(&path, "%s/.spool-XXXXXX", folder) < 0)
        return NULL;
    const int fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        file = fdopen(fd, "w+b");
        if (!file)
            close(fd);
    }
    free(path);
    return file;
}

weir_status wi_spool_open(weir_diag *diag, const char *folder, wi_spool **out)
{
    wi_spool *s = *out = calloc(1, sizeof *s);
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for time series");
    s->file = open_file(folder);
    if (s->file)
        return WEIR_OK;
    const int error = errno;
    free(s);
    *out = NULL;
    return weir_fail(diag, WEIR_E_IO, "%s: no file for what checkpoints keep: %s",
                     folder ? folder : "temporary folder", strerror(error));
}

void wi_spool_put(wi_spool *s, const void *data, size_t bytes)
{
    errno = 0;
    if (!s->error && bytes > 0 && fwrite(data, 1, bytes, s->file) != bytes)
        s->error = errno ? errno : ENOSPC;
}

weir_status wi_spool_save(weir_diag *diag, wi_spool *s, wi_saver *to, const char *section)
{
    char piece[64 * 1024];
    wi_saver_section(to, section);
    if (!s->error && (fflush(s->file) != 0 || fseek(s->file, 0, SEEK_SET) != 0))
        s->error = errno;
    for (size_t n = 1; !s->error && n > 0;) {
        n = fread(piece, 1, sizeof piece, s->file);
        wi_saver_put(to, piece, n);
        if (n == 0 && ferror(s->file))
            s->error = EIO;
    }
    if (!s->error && fseek(s->file, 0, SEEK_END) != 0)
        s->error = errno;
    if (!s->error)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_IO, "%s: what checkpoints keep cannot be written or read back: %s", section,
                     strerror(s->error));
}

void wi_spool_free(wi_spool *s)
{
    if (!s)
        return;
    fclose(s->file);
    free(s);
}
