/* commands/info_trace.c: what the trace that the first operand names holds. */
#ifndef WI_CLI_TERMINAL_INFO_TRACE_H
#define WI_CLI_TERMINAL_INFO_TRACE_H

#include "cli/terminal/cli.h"

/* Print it. What wi_job_read returns. */
WEIR_NODISCARD weir_status cli_info_trace(weir_diag *diag, const cli_args *args);

#endif
