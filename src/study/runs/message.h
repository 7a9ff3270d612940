/* Messages between ranks of a study: a word, with runs or a row. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "ranks/ranks.h"
#include "study/runs/work.h"

/* What a message is; jobs or a row follow. */
typedef enum word { ASK = 1, GIVE, END, ROW, LOST } word;

enum { JOBS_MAX = 256, WAIT_NS = 500000 };

typedef struct message {
    uint32_t word, n; /* n: runs asked for or given; which rank is lost; at the end, how many are */
    /* of a row the first, and behind the message the row's text; none: it was given up */
    wi_job jobs[JOBS_MAX];
} message;

/* Between two looks for messages. */
static inline void pause_a_moment(void)
{
    const struct timespec t = {.tv_nsec = WAIT_NS};
    nanosleep(&t, NULL);
}

/* office.c: rank 0 gives out the work, and works itself. Returns how many ranks were lost. `box` has room for
 * WI_MESSAGE_MAX bytes. */
uint32_t wi_office_run(const weir_study *s, const weir_study_options *options, const wi_ranks *ranks,
                       wi_work *work, char *box);
