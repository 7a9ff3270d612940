/* What the files that make an interconnect's world share. */
#pragma once

#include "base/image.h"
#include "models/interconnect/world/params.h"

/* A world in the making: its head, and the image that its tables grow in. */
typedef struct ic_making {
    const ic_params *params;
    ic_world head;
    wi_image image;
} ic_making;

/* Where what a message is about stands. */
static inline weir_place ic_place(const ic_params *params, ic_at about)
{
    const weir_place nowhere = {0};
    return params->where ? params->where[about] : nowhere;
}

/* WEIR_E_ARG with a message, printf's, and the place of what it is about. */
#define IC_REFUSE(diag, params, about, ...)                                                    \
    weir_fail_at(diag, WEIR_E_ARG, ic_place(params, about).file, ic_place(params, about).line, \
                 ic_place(params, about).column, "interconnect: " __VA_ARGS__)

/* Room for a table of n elements, zeroed; false: no memory. */
static inline bool ic_table(ic_making *m, uint64_t n, size_t size, uint64_t *at)
{
    return wi_image_reserve(&m->image, n * size, WI_IMAGE_ALIGN, at);
}

/* Its address until the image grows next. */
static inline void *ic_at_offset(const ic_making *m, uint64_t at)
{
    return wi_image_at(&m->image, at);
}

/* wiring.c: sizes and classes into the head. */
WEIR_NODISCARD weir_status wi_ic_plan_wiring(weir_diag *diag, ic_making *m);
/* wiring.c: links, terminals and what routes need. */
WEIR_NODISCARD weir_status wi_ic_wire(weir_diag *diag, ic_making *m);

/* jobs.c: who runs where, and what its source reads. */
WEIR_NODISCARD weir_status wi_ic_place_jobs(weir_diag *diag, ic_making *m);

/* programs.c: those that are programs, when all are placed. */
WEIR_NODISCARD weir_status wi_ic_store_programs(weir_diag *diag, ic_making *m);
