/*
 * A job that is being read. The first failure is reported, and is the reading's status from then on; what is read and added after
 * it is without effect, so that readers look at the status where they like.
 */
#pragma once

#include "base/memory.h"
#include "jobs/job.h"

typedef struct wi_reading {
    weir_diag *diag;
    wi_job *job;
    const char *file, *parts; /* what is read, and what it has, for messages */
    uint32_t line;
    weir_status status; /* of the first failure */
} wi_reading;

/* What is wrong, as printf has it; and at a line of the job's file. Their value is the status. */
#define WI_WRONG(r, ...) ((r)->status = (r)->status ?: weir_fail((r)->diag, WEIR_E_FORMAT, __VA_ARGS__))
#define WI_WRONG_LINE(r, number, ...) WI_WRONG_IN(r, (r)->job->file, number, __VA_ARGS__)
#define WI_WRONG_IN(r, name, number, ...) \
    ((r)->status = (r)->status ?: weir_fail_at((r)->diag, WEIR_E_FORMAT, name, (int)(number), 1, __VA_ARGS__))

/* Whether all is well, after what memory may have been short for. */
bool wi_reading_has(wi_reading *r, bool there);
/* Put an item behind the n of an array that wi_grow_one grows. */
#define WI_READING_PUT(r, array, n, ...)                                                                   \
    (wi_reading_has(r, wi_grow_one(&(array), n, sizeof *(array))) ? (void)((array)[(n)++] = (__VA_ARGS__)) \
                                                                  : (void)0)
/* wi_job_add, with a name where that is not null; WI_JOB_NONE after a failure. */
uint32_t wi_reading_add(wi_reading *r, wi_job_op op, const char *name);
/* wi_job_after; `after` may be none, and so may `before`. */
void wi_reading_after(wi_reading *r, uint32_t after, uint32_t before, bool at_start);

/* wi_job_put, behind the job's programs. */
weir_status wi_reading_act(wi_reading *r, const job_action *action, wi_job_place place);
/* Put a name behind those of the job's files, as printf has it; null after a failure. */
const char *wi_reading_name(wi_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Take the next line off a text, and end it; null: there is none, or reading has failed. */
char *wi_reading_line(wi_reading *r, char **text);
/* End at most so many words of a line, and return how many there are. */
int wi_reading_words(char *line, char **word, int most);
