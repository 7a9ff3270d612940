/* One picture into its file: SVG as it is, PNG by librsvg's command. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/out.h"
#include "report/plots.h"

static weir_status convert(weir_diag *diag, const char *svg, const char *png)
{
    char *const words[] = {
        (char *)"rsvg-convert", (char *)"--zoom=2", (char *)"-o", (char *)png, (char *)svg, NULL};
    pid_t child;
    int ended = 0;
    const int error = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
    if (error != 0)
        return weir_fail(
            diag, WEIR_E_UNSUPPORTED,
            "PNG is made by rsvg-convert, which cannot be run (%s): install librsvg2-bin, or leave out "
            "--format png",
            strerror(error));
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_IO, png, 0, 0, "rsvg-convert could not make it");
}

weir_status wi_picture_put(wi_plots *p, const char *name, const char *svg, size_t size)
{
    char file[400], beside[440], picture[440];
    snprintf(file, sizeof file, "%.390s.%s", name, p->png ? "png" : "svg");
    snprintf(beside, sizeof beside, ".%s.tmp-%ld", file, (long)getpid());
    snprintf(picture, sizeof picture, "%.*s.png", (int)sizeof picture - 5, beside);
    char *from = wi_path_join(p->to, beside), *drawn = wi_path_join(p->to, picture),
         *to = wi_path_join(p->to, file);
    weir_status status = from && drawn && to ? wi_out_put(p->diag, p->to, beside, svg, size)
                                             : weir_fail(p->diag, WEIR_E_NOMEM, "no memory for a picture");
    if (status == WEIR_OK && p->png) {
        status = convert(p->diag, from, drawn);
        (void)unlink(from);
    }
    if (status == WEIR_OK && rename(p->png ? drawn : from, to) != 0)
        status = weir_fail_at(p->diag, WEIR_E_IO, to, 0, 0, "cannot be put in place: %s", strerror(errno));
    if (status != WEIR_OK && from)
        (void)unlink(from);
    if (status != WEIR_OK && drawn)
        (void)unlink(drawn);
    p->made += status == WEIR_OK;
    if (status == WEIR_OK && p->say)
        fprintf(p->say, "%s\n", to);
    free(from);
    free(drawn);
    free(to);
    return status;
}
