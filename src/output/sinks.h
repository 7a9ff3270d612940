/* Where the results of a run go. */
#ifndef WI_OUTPUT_SINKS_H
#define WI_OUTPUT_SINKS_H

#include <stdbool.h>

typedef struct wi_recorder wi_recorder;

/* Files of a folder, memory, both, or neither; each may be null. */
typedef struct wi_sinks {
    const char *folder;    /* results folder under its temporary name */
    wi_recorder *recorder; /* keeps time series for whoever reads them while the run goes on */
    bool saves;            /* checkpoints will be written: what was appended is kept for them */
} wi_sinks;

#endif
