/* `weir version`. */
#include <stdio.h>

#include "cli/terminal/cli.h"

int cli_version(const cli_command *command, const cli_args *args)
{
    (void)command, (void)args;
    printf("weir %s\n", WEIR_VERSION);
    return CLI_OK;
}
