/*
 * DUMPI's traces of MPI programs (SST): NAME.meta, text of KEY=VALUE lines, of which `numprocs` and `fileprefix` are read, and a binary
 * file a rank, PREFIX-0000.bin and so on, in the meta file's folder. Read are versions 0.6.9 to 1.
 *
 * A rank's file, big-endian: 8 bytes that begin each; the stream of calls; header; footer; sizes of datatypes; and last, in 64
 * bytes, the first 8 again, then where sizes, names of functions and of counters, header, stream, footer and keys begin.
 * The stream: what times begin at (8 bytes), then calls. A call: its function's number (2 bytes), what is there of the
 * following (1), its thread (2), CPU and wall times of entry and return (each 2 bytes of seconds, 4 of nanoseconds), counters,
 * and its arguments (dumpi_calls.c). The stream ends with a number of its own.
 *
 * What a rank does between calls is computing; what a call takes is not. Handles of communicators, groups, requests and types
 * are the rank's own. So files are read one after the other into actions in which ranks are numbers in a communicator, and which
 * name that as the rank knows it; dumpi_comms.c then finds out whose communicators go together, and dumpi_programs.c makes programs.
 *
 * The format is as the SST project has it: docs/traceformat.dox, and the readers of its libundumpi.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jobs/read/reading.h"

/* ---- calls: dumpi_calls.c ---- */

/* What is done with a call. */
typedef enum dumpi_doing {
    DUMPI_SKIPPED, /* it carries no traffic */
    DUMPI_REFUSED,
    DUMPI_MESSAGE, /* blocking; like those below by its job_op */
    DUMPI_REQUEST,
    DUMPI_PERSISTENT,
    DUMPI_EXCHANGE,
    DUMPI_START,
    DUMPI_OTHER, /* a request of no message */
    DUMPI_WAIT_ONE,
    DUMPI_WAIT_ALL,
    DUMPI_WAIT_SOME,
    DUMPI_FREE,
    DUMPI_CANCEL,
    DUMPI_TYPE,
    DUMPI_COLLECTIVE,
    DUMPI_UNEVEN,
    DUMPI_COMM_SIZE, /* communicators and groups from here on */
    DUMPI_COMM_RANK,
    DUMPI_COMM_DUP,
    DUMPI_COMM_SPLIT,
    DUMPI_COMM_CREATE,
    DUMPI_CART_CREATE,
    DUMPI_GRAPH_CREATE,
    DUMPI_CART_SUB,
    DUMPI_COMM_GROUP,
    DUMPI_GROUP_UNION,
    DUMPI_GROUP_INTERSECTION,
    DUMPI_GROUP_DIFFERENCE,
    DUMPI_GROUP_INCL,
    DUMPI_GROUP_EXCL,
    DUMPI_GROUP_RANGE_INCL,
    DUMPI_GROUP_RANGE_EXCL,
    DUMPI_NEVER /* of objects that are there before any call */
} dumpi_doing;

typedef struct dumpi_list {
    const uint8_t *at;
    uint32_t n;
} dumpi_list;

typedef struct dumpi_call {
    uint32_t number; /* of the rank, from 1 */
    const char *name, *fields;
    dumpi_doing what;
    uint8_t op;
    bool timed;
    uint32_t thread;
    weir_time start_ps, stop_ps; /* of a day of 65,536 s */
    int32_t value[26];           /* by the field's letter, from a on */
    dumpi_list list[26];         /* from A on */
} dumpi_call;

#define DUMPI_VALUE(call, letter) ((call)->value[(letter) - 'a'])
#define DUMPI_LIST(call, letter) (&(call)->list[(letter) - 'A'])

/* What of a file is still to be read. */
typedef struct dumpi_bytes {
    const uint8_t *at, *end;
    bool cut; /* there was less than wanted */
} dumpi_bytes;

uint64_t wi_dumpi_take(dumpi_bytes *b, uint32_t bytes); /* 1 to 8 of them; 0 where they are not there */
int32_t wi_dumpi_item(const dumpi_list *list, uint32_t i, uint32_t bytes);

typedef struct dumpi_status {
    int32_t bytes, source, tag;
    bool cancelled;
} dumpi_status;

bool wi_dumpi_status(const dumpi_call *call, uint32_t i, dumpi_status *out); /* false: it is not recorded */

typedef enum dumpi_next { DUMPI_CALL, DUMPI_NO_CALL, DUMPI_END, DUMPI_CUT, DUMPI_UNKNOWN } dumpi_next;
/* The next call; CUT, UNKNOWN: its function has a name where it is known. NO_CALL: of the program's functions. */
dumpi_next wi_dumpi_next(dumpi_bytes *b, dumpi_call *call);

/* ---- what ranks do ---- */

/* Ranks are numbers in the communicator, keys tags, or JOB_ANY. Of uneven parts `time_ps` says where their bytes are: how many go to
 * others, how many come, then these; and slot is 1 where no request is open. */
typedef struct dumpi_action {
    job_action action;
    uint32_t comm; /* object of its rank */
    uint32_t call;
} dumpi_action;

/* A communicator or a group of a rank, or what it says of one. */
typedef struct dumpi_object {
    uint8_t what; /* dumpi_doing */
    bool none;    /* the rank is not of it */
    bool listed;  /* a group: `first` is in the list of ranks, `comm` is not */
    uint32_t a, b;
    int32_t x, y;
    size_t number; /* where its numbers are */
    uint32_t numbers, call;
    uint32_t comm;     /* of a communicator, and a group of one */
    uint32_t first, n; /* of a group that is listed */
} dumpi_object;

enum { DUMPI_WORLD, DUMPI_SELF, DUMPI_EMPTY, DUMPI_OBJECTS }; /* the first ones of each rank */

typedef struct dumpi_rank {
    size_t first_action, first_object;
    uint32_t slots;
} dumpi_rank;

typedef struct wi_dumpi {
    wi_reading reading;
    dumpi_action *action;
    dumpi_object *object;
    uint32_t *number;
    size_t n_actions, n_objects, n_numbers, number_room;
    dumpi_rank *rank; /* [n_ranks + 1] */
} wi_dumpi;

enum { DUMPI_NULL = 1 }; /* a handle of nothing */

/* What is known of handles, and 1: bytes of types, else objects. */
typedef struct dumpi_handles {
    int64_t *at; /* [room] 0: nothing */
    size_t room;
} dumpi_handles;

typedef struct dumpi_request {
    enum { DUMPI_NO_REQUEST, DUMPI_IDLE, DUMPI_OPEN } state;
    bool cancelled;
    uint32_t slot;
    size_t action;   /* open: its own */
    job_action made; /* of persistent ones */
    uint32_t comm;
} dumpi_request;

/* The rank at hand. */
typedef struct dumpi_reader {
    wi_dumpi *d;
    uint32_t rank, thread;
    const dumpi_call *call;
    bool timed;
    weir_time last_ps, owed_ps; /* when the call before returned; computing that no action has yet */
    dumpi_handles type, comm, group;
    dumpi_request *request, none; /* none: where one is asked for that cannot be */
    size_t request_room;
    uint32_t *free_slot, n_free, slots;
} dumpi_reader;

#define DUMPI_WRONG(r, text, ...)                                                                       \
    WI_WRONG(&(r)->d->reading, "%s: rank %u, call %u (MPI_%s): " text, (r)->d->reading.file, (r)->rank, \
             (r)->call->number, (r)->call->name, __VA_ARGS__)

/* dumpi_messages.c: an action behind the rank's others, and behind what it owes. What calls from DUMPI_MESSAGE to DUMPI_CANCEL come to. */
weir_status wi_dumpi_append(dumpi_reader *r, job_action action, uint32_t comm);
weir_status wi_dumpi_take_message(dumpi_reader *r);

/* dumpi_objects.c: handles, and what they stand for; of a communicator and a group by its field. */
void wi_dumpi_know(dumpi_reader *r, dumpi_handles *h, uint32_t handle, int64_t value);
uint32_t wi_dumpi_object(dumpi_reader *r, char letter);
uint64_t wi_dumpi_bytes(dumpi_reader *r, int32_t count, uint32_t type);
void wi_dumpi_push(wi_dumpi *d, uint32_t number);  /* behind the other numbers */
void wi_dumpi_begin_objects(dumpi_reader *r);      /* those that are there from the start */
weir_status wi_dumpi_take_object(dumpi_reader *r); /* calls from DUMPI_COMM_SIZE on */
weir_status wi_dumpi_take_type(dumpi_reader *r);

/* dumpi_collectives.c */
weir_status wi_dumpi_take_collective(dumpi_reader *r);

/* Brings a rank's file, from a list of names or from memory; *text is the caller's. */
typedef weir_status (*wi_dumpi_bring)(void *from, uint32_t rank, char **text, size_t *size);

/* A job of n_ranks files, which job->programs.file names already. What wi_job_read returns. */
WEIR_NODISCARD weir_status wi_dumpi_read(weir_diag *diag, wi_job *job, wi_dumpi_bring bring, void *from);

/* dumpi_programs.c: the job's programs and groups. */
void wi_dumpi_settle(wi_dumpi *d);
