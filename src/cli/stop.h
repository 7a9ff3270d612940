/** Stopping on request: SIGINT, SIGTERM and SIGHUP. */
#ifndef WEIR_CLI_STOP_H
#define WEIR_CLI_STOP_H

/**
 * From now on the first such signal sets the word that is returned to non-zero, the next one ends the process
 * as if nobody had asked. A signal that is ignored (nohup) stays ignored.
 */
const volatile int *cli_stop_on_signals(void);

#endif
