/* How much memory the command may take. */
#ifndef WI_CLI_TERMINAL_MEMORY_H
#define WI_CLI_TERMINAL_MEMORY_H

/*
 * From now on memory that the machine does not have is refused when it is asked for, and what asked fails by name,
 * instead of the kernel ending the process later: of a study, one run fails and the rest go on.
 */
void cli_limit_memory(void);

#endif
