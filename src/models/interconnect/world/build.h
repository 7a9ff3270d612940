/* What the files that make an interconnect's world share. */
#ifndef WI_MODELS_INTERCONNECT_WORLD_BUILD_H
#define WI_MODELS_INTERCONNECT_WORLD_BUILD_H

#include "base/image.h"
#include "models/interconnect/world/params.h"

/* A world in the making: its head, and the image that its tables grow in. */
typedef struct ic_making {
    const ic_params *params;
    ic_world head;
    wi_image image;
} ic_making;

/* build.c: WEIR_E_ARG with a message, printf's, and the place of what it is about. */
WEIR_NODISCARD weir_status wi_ic_refuse(weir_diag *diag, const ic_params *params, ic_at about,
                                        const char *fmt, ...) WEIR_PRINTF(4, 5);

/* build.c: room for a table of n elements, zeroed; false: no memory. */
bool wi_ic_table(ic_making *m, uint64_t n, size_t size, uint64_t *at);
/* Its address until the image grows next. */
void *wi_ic_at(const ic_making *m, uint64_t at);

/* wiring.c: sizes and classes into the head; then links, terminals and what routes need. */
WEIR_NODISCARD weir_status wi_ic_plan_wiring(weir_diag *diag, ic_making *m);
WEIR_NODISCARD weir_status wi_ic_wire(weir_diag *diag, ic_making *m);

/* jobs.c: who runs where, and what its source reads. */
WEIR_NODISCARD weir_status wi_ic_place_jobs(weir_diag *diag, ic_making *m);

/* programs.c: those that are programs, when all are placed. */
WEIR_NODISCARD weir_status wi_ic_store_programs(weir_diag *diag, ic_making *m);

#endif
