/* One picture into its file: SVG as it is, PNG by librsvg's command. */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/out.h"
#include "base/memory.h"
#include "report/plots.h"

static weir_status convert(weir_diag *diag, const char *svg, const char *format, const char *to)
{
    char *const words[] = {(char *)"rsvg-convert",
                           (char *)(strcmp(format, "png") == 0 ? "--zoom=2" : "--zoom=1"),
                           (char *)"-f",
                           (char *)format,
                           (char *)"-o",
                           (char *)to,
                           (char *)svg,
                           NULL};
    pid_t child;
    int ended = 0;
    const int error = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
    if (error != 0)
        return weir_fail(diag, WEIR_E_UNSUPPORTED,
                         "PNG and PDF are made by rsvg-convert, which cannot be run (%s): install "
                         "librsvg2-bin, or have SVG",
                         strerror(error));
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_IO, to, 0, 0, "rsvg-convert could not make it");
}

/* SVG beside its picture, which takes the place of what stood there when it is whole. */
static weir_status put_converted(weir_diag *diag, const char *path, const char *format, const char *svg,
                                 size_t size)
{
    WI_FREED char *from = NULL, *drawn = NULL;
    weir_status status =
        asprintf(&from, "%s.svg" WI_UNFINISHED, path) < 0 || asprintf(&drawn, "%s" WI_UNFINISHED, path) < 0
            ? weir_fail(diag, WEIR_E_NOMEM, "no memory for a picture")
            : wi_out_put_whole(diag, from, svg, size);
    status = status ?: convert(diag, from, format, drawn);
    if (status == WEIR_OK && rename(drawn, path) != 0)
        status = weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "cannot be put in place: %s", strerror(errno));
    if (from)
        (void)unlink(from);
    if (drawn && status != WEIR_OK)
        (void)unlink(drawn);
    return status;
}

bool wi_picture_wanted(const wi_plots *p, const char *name)
{
    bool wanted = p->n_names == 0;
    for (size_t i = 0; i < p->n_names; i++)
        wanted |= strcmp(p->names[i], name) == 0;
    return wanted;
}

weir_status wi_picture_put(wi_plots *p, const char *name, const char *svg, size_t size)
{
    WI_FREED char *path = NULL;
    if ((p->file ? asprintf(&path, "%s", p->file) : asprintf(&path, "%s/%.390s.%s", p->to, name, p->format)) <
        0)
        return weir_fail(p->diag, WEIR_E_NOMEM, "no memory for a picture");
    const weir_status status = strcmp(p->format, "svg") == 0
                                   ? wi_out_put_whole(p->diag, path, svg, size)
                                   : put_converted(p->diag, path, p->format, svg, size);
    p->made += status == WEIR_OK;
    if (status == WEIR_OK && p->files)
        json_array_append_new(p->files, json_string(path));
    if (status == WEIR_OK && p->say)
        fprintf(p->say, "%s\n", path);
    return status;
}
