/*
 * Tests that start themselves again under mpirun, where each rank compares what it finds. The case is skipped aloud where
 * the build has no MPI or the machine no mpirun.
 */
#pragma once

#include <limits.h>
#include <string.h>

#include "skip.h"

/* True where mpirun says that a rank left without MPI_Finalize and names no process: Open MPI 4 at times sees a rank's end
 * before its farewell (open-mpi/ompi, issues 7833 and 9389). A rank that really is lost has a process and is named. */
static inline bool farewell_was_missed(const char *log)
{
    char line[5 * PATH_MAX];
    snprintf(line, sizeof line, "grep -q 'with PID 0 on' %s && ! grep -q 'FAILED' %s", log, log);
    return system(line) == 0;
}

/*
 * Runs this program on n ranks, its output to a file `name` beside the program, which is shown where it fails. `variable` is an assignment
 * ("WEIR_TEST_INSIDE=1") by which the program knows that it is inside; `wrapper` may end in what starts it, or is empty.
 */
static inline void run_over_ranks(int n, const char *variable, unsigned seconds, const char *wrapper,
                                  const char *name)
{
    char self[PATH_MAX] = "", log[2 * PATH_MAX], line[5 * PATH_MAX];
#ifndef WEIR_HAVE_MPI
    skip_aloud("this build has no MPI (libopenmpi-dev)");
#endif
    if (system("command -v mpirun > /dev/null") != 0)
        skip_aloud("there is no mpirun here (openmpi-bin)");
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(log, sizeof log, "%.*s/%s", (int)(strrchr(self, '/') - self), self, name);
    /* Open MPI keeps memory to its end, and takes locks in two orders as it leaves: not ours to report. */
    snprintf(line, sizeof line,
             "ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=detect_deadlocks=0 %s timeout %u mpirun "
             "--allow-run-as-root "
             "--oversubscribe --bind-to none -n %d %s %s > %s 2>&1",
             variable, seconds, n, wrapper, self, log);
    for (int attempt = 1; system(line) != 0; attempt++)
        if (attempt == 3 || !farewell_was_missed(log)) {
            char show[3 * PATH_MAX];
            snprintf(show, sizeof show, "cat %s >&2", log);
            (void)!system(show);
            fail_msg("%s", line);
        }
}
