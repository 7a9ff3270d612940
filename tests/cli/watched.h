/* A run in a process of its own, and how far it is. */
#ifndef TESTS_CLI_WATCHED_H
#define TESTS_CLI_WATCHED_H

#include "command.h"
#include "scenario/session/status.h"
#include "wait.h"

/* `weir ARGUMENTS`, not waited for. */
static inline pid_t start_weir(const char *arguments)
{
    char line[1024];
    assert_in_range(snprintf(line, sizeof line, "'%s' %s", WEIR, arguments), 1, sizeof line - 1);
    return start_line(line);
}

/* Has the run whose results go to `folder` told of some simulated time? */
static inline bool is_on_its_way(const char *folder)
{
    json_t *status;
    const wi_watched what = wi_status_read(folder, &status);
    const bool runs = what == WI_WATCHED_RUN && json_number_value(json_object_get(status, "time_s")) > 0;
    json_decref(status);
    return runs;
}

static inline void wait_for_run(pid_t pid, const char *folder)
{
    wait_until(is_on_its_way(folder) || has_ended(pid));
    if (!has_ended(pid))
        return;
    slurp(".err", err_text, sizeof err_text);
    fail_msg("the run into %s has ended:\n%s", folder, err_text);
}

#endif
