/*
 * Stopping on request: SIGINT, SIGTERM and SIGHUP.
 *
 * Set-up looks at the word that asks it to stop in most places, not in all (a library partitions the graph): while
 * nothing is worth keeping, the process ends by itself less than two seconds after the
 * signal. Of several processes (mpirun) rank 0 alone says what becomes of the run.
 */
#pragma once

/*
 * From now on the first such signal sets the word that is returned to non-zero, the next one ends the process
 * as if nobody had asked. A signal that is ignored (nohup) stays ignored.
 */
const volatile int *cli_stop_on_signals(void);

/* From now on there is something to write, so a signal lets the process stop in order. */
void cli_stop_in_order(void);

/* From now on each run that is over is kept by itself, so the process ends soon after the signal. */
void cli_stop_between_runs(void);

/*
 * From now on memory that the machine does not have is refused when it is asked for, and what asked fails by name,
 * instead of the kernel ending the process later: of a study, one run fails and the rest go on.
 */
void cli_limit_memory(void);
