/* Which reader reads a file; see readers.h. */
#include "jobs/read/readers.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "jobs/read/trace.h"

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Its comments are those of C++ (LogGOPSim, txt2bin.re). */
static bool is_goal(const char *text)
{
    const char *end = text;
    for (; end; text = end) {
        text += strspn(text, " \t\r\n");
        if (begins(text, "//"))
            end = text + strcspn(text, "\n");
        else if (begins(text, "/*"))
            end = (end = strstr(text + 2, "*/")) ? end + 2 : NULL;
        else
            return begins(text, "num_ranks");
    }
    return false;
}

static bool is_simai(const char *text)
{
    return begins(text, "HYBRID_TRANSFORMER_FWD_IN_BCKWD") || begins(text, "MICRO");
}

/* By its name: the bytes of a message could be anything. */
static bool is_chakra(const char *file)
{
    const size_t n = strlen(file);
    return n > 3 && strcmp(file + n - 3, ".et") == 0;
}

weir_status wi_job_read(weir_diag *diag, const char *file, const wi_job_options *options, wi_job *out)
{
    WI_FREED char *text = NULL;
    size_t size = 0;
    *out = (wi_job){.file = strdup(file), .may_deadlock = options->may_deadlock, .asks = true};
    if (!out->file)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a job");
    if (is_chakra(file))
        return wi_job_read_chakra(diag, out, options) ?: wi_job_close(diag, out);
    if (options->groups)
        weir_warn(diag, "%s: groups means nothing here; it is for Chakra's traces", file);
    WI_RETURN_IF_FAILED(wi_file_read(diag, file, SIZE_MAX / 2, &text, &size));
    if (begins(text, "\xef\xbb\xbf")) /* a byte order mark */
        memmove(text, text + 3, (size -= 3) + 1);
    if (wi_job_is_dumpi_rank(text, size))
        return weir_fail(
            diag, WEIR_E_FORMAT,
            "%s: what one rank did, as DUMPI traces it; want its .meta, which stands for all ranks", file);
    if (wi_job_is_goal_binary(text, size))
        return wi_job_read_goal_binary(diag, out, text, size) ?: wi_job_close(diag, out);
    if (strlen(text) != size)
        return weir_fail(
            diag, WEIR_E_FORMAT,
            "%s: neither text nor binary GOAL; want GOAL, Chakra's .et, a workload of SimAI, SimGrid's "
            "actions, or DUMPI's .meta",
            file);
    const weir_status status =
        wi_job_is_dumpi(text) ? wi_job_read_dumpi(diag, out, text)
        : is_goal(text)       ? wi_job_read_goal(diag, out, text)
        : is_simai(text)
            ? wi_job_read_simai(diag, out, text, options)
            : wi_job_trace_read(wi_source_file(diag, file), options->flops > 0.0 ? options->flops : 1e9, out);
    return status ?: wi_job_close(diag, out);
}
